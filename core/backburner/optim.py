"""Optimizers: a door to the `autodiff` feature, which holds what is listed here."""

from backburner.features import door as _door

# pyright: reportUnsupportedDunderAll=false
__all__ = [
    "EMA",
    "LBFGS",
    "SGD",
    "SWA",
    "Accumulator",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Adan",
    "Lion",
    "Muon",
    "NAdam",
    "Optimizer",
    "Partition",
    "RAdam",
    "RMSprop",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "grad_norm",
    "schedules",
]

__getattr__, __dir__ = _door("autodiff", __name__, __all__)
