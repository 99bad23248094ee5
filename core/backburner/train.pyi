from backburner_autodiff.train import Trained as Trained
from backburner_autodiff.train import digits as digits
from backburner_autodiff.train import warmup as warmup

__all__ = ["Trained", "digits", "warmup"]
