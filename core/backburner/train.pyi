from backburner_autodiff.train import TabularTrained as TabularTrained
from backburner_autodiff.train import Trained as Trained
from backburner_autodiff.train import digits as digits
from backburner_autodiff.train import tabular as tabular
from backburner_autodiff.train import warmup as warmup

__all__ = ["TabularTrained", "Trained", "digits", "tabular", "warmup"]
