from backburner_autodiff.optim import SGD as SGD
from backburner_autodiff.optim import Adam as Adam
from backburner_autodiff.optim import AdamW as AdamW

__all__ = ["SGD", "Adam", "AdamW"]
