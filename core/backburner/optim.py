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

_HINTS = {
    "lr_scheduler": "schedules, functions of the step: Adam(model, lr=schedules.cosine(1e-3, steps=1000))",
    "swa_utils": "SWA or EMA",
    "SparseAdam": "Adam: a gradient of few rows is one like any other",
    "ASGD": "SWA around SGD",
}

__getattr__, __dir__ = _door("autodiff", __name__, __all__, _HINTS)
