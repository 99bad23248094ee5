"""Training: a door to the `autodiff` feature, which holds what is listed here."""

from backburner.features import door as _door

# pyright: reportUnsupportedDunderAll=false
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

__getattr__, __dir__ = _door("autodiff", __name__, __all__)
