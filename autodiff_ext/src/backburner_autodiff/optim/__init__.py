"""Optimizers: they give the parameters of a model new contents from their gradients."""

from backburner_autodiff.optim.adam import Adam as Adam
from backburner_autodiff.optim.adam import AdamW as AdamW
from backburner_autodiff.optim.sgd import SGD as SGD
