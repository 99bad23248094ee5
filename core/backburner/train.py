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

_HINTS = {
    "ModelCheckpoint": "Snapshots, or Trainer(..., snapshots=folder)",
    "Checkpoint": "Snapshots, or Trainer(..., snapshots=folder)",
    "LearningRateMonitor": "history['lr']: each row has it",
    "CSVLogger": "JSONLines, or Trainer(..., log=file)",
    "ReduceLROnPlateau": "optim.schedules.Plateau, as the optimizer's lr",
    "Metric": "metrics.Metric",
}

__getattr__, __dir__ = _door("autodiff", __name__, __all__, _HINTS)
