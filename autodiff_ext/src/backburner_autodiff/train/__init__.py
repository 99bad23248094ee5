"""Training: the trainer, its metrics and callbacks, and jobs of the command."""

from backburner_autodiff.train import metrics as metrics
from backburner_autodiff.train._digits import Trained as Trained
from backburner_autodiff.train._digits import digits as digits
from backburner_autodiff.train._tabular import TabularTrained as TabularTrained
from backburner_autodiff.train._tabular import tabular as tabular
from backburner_autodiff.train._trainer import Trainer as Trainer
from backburner_autodiff.train._warmup import warmup as warmup
from backburner_autodiff.train.callbacks import Callback as Callback
from backburner_autodiff.train.callbacks import EarlyStopping as EarlyStopping
from backburner_autodiff.train.callbacks import JSONLines as JSONLines
from backburner_autodiff.train.callbacks import Snapshots as Snapshots
from backburner_autodiff.train.history import History as History
