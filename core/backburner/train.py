"""Training jobs: a door to the `autodiff` feature, which holds what is listed here."""

from backburner.features import door as _door

# pyright: reportUnsupportedDunderAll=false
__all__ = ["TabularTrained", "Trained", "digits", "tabular", "warmup"]

__getattr__, __dir__ = _door("autodiff", __name__, __all__)
