from backburner_autodiff.train import Callback as Callback
from backburner_autodiff.train import EarlyStopping as EarlyStopping
from backburner_autodiff.train import History as History
from backburner_autodiff.train import JSONLines as JSONLines
from backburner_autodiff.train import Snapshots as Snapshots
from backburner_autodiff.train import TabularTrained as TabularTrained
from backburner_autodiff.train import Trained as Trained
from backburner_autodiff.train import Trainer as Trainer
from backburner_autodiff.train import digits as digits
from backburner_autodiff.train import metrics as metrics
from backburner_autodiff.train import tabular as tabular
from backburner_autodiff.train import warmup as warmup

__all__ = [
    "Callback",
    "EarlyStopping",
    "History",
    "JSONLines",
    "Snapshots",
    "TabularTrained",
    "Trained",
    "Trainer",
    "digits",
    "metrics",
    "tabular",
    "warmup",
]
