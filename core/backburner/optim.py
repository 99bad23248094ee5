"""Optimizers: a door to the `autodiff` feature, which holds what is listed here."""

from backburner.features import door as _door

# pyright: reportUnsupportedDunderAll=false
__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Adan",
    "Lion",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
]

__getattr__, __dir__ = _door("autodiff", __name__, __all__)
