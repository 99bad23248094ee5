"""Metrics: measures of outputs against targets, right over batches of any size.

Each has ``update(output, target)``, ``compute()``, ``reset()`` and ``merge(other)``. ``Trainer`` takes them as objects
or by name: ``metrics=["accuracy", metrics.F1(average="weighted")]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from backburner.errors import ArgumentError, DTypeError
from backburner_autodiff.train.metrics._metric import Metric as Metric
from backburner_autodiff.train.metrics.classification import Accuracy as Accuracy
from backburner_autodiff.train.metrics.classification import BinaryAccuracy as BinaryAccuracy
from backburner_autodiff.train.metrics.classification import TopKAccuracy as TopKAccuracy
from backburner_autodiff.train.metrics.confusion import F1 as F1
from backburner_autodiff.train.metrics.confusion import CohenKappa as CohenKappa
from backburner_autodiff.train.metrics.confusion import ConfusionMatrix as ConfusionMatrix
from backburner_autodiff.train.metrics.confusion import MatthewsCorrelation as MatthewsCorrelation
from backburner_autodiff.train.metrics.confusion import Precision as Precision
from backburner_autodiff.train.metrics.confusion import Recall as Recall
from backburner_autodiff.train.metrics.ranking import AUC as AUC
from backburner_autodiff.train.metrics.ranking import AveragePrecision as AveragePrecision
from backburner_autodiff.train.metrics.ranking import CrossEntropy as CrossEntropy
from backburner_autodiff.train.metrics.ranking import LogLoss as LogLoss
from backburner_autodiff.train.metrics.ranking import Perplexity as Perplexity
from backburner_autodiff.train.metrics.regression import MAE as MAE
from backburner_autodiff.train.metrics.regression import MAPE as MAPE
from backburner_autodiff.train.metrics.regression import MSE as MSE
from backburner_autodiff.train.metrics.regression import R2 as R2
from backburner_autodiff.train.metrics.regression import RMSE as RMSE
from backburner_autodiff.train.metrics.regression import ExplainedVariance as ExplainedVariance
from backburner_autodiff.train.metrics.regression import Loss as Loss
from backburner_autodiff.train.metrics.regression import PearsonCorrelation as PearsonCorrelation

__all__ = [
    "AUC",
    "Accuracy",
    "AveragePrecision",
    "BinaryAccuracy",
    "CohenKappa",
    "ConfusionMatrix",
    "CrossEntropy",
    "ExplainedVariance",
    "F1",
    "LogLoss",
    "Loss",
    "MAE",
    "MAPE",
    "MSE",
    "MatthewsCorrelation",
    "Metric",
    "PearsonCorrelation",
    "Perplexity",
    "Precision",
    "R2",
    "RMSE",
    "Recall",
    "TopKAccuracy",
]

NAMED: dict[str, Callable[[], Metric]] = {
    "accuracy": Accuracy,
    "top_5_accuracy": TopKAccuracy,
    "binary_accuracy": BinaryAccuracy,
    "precision": Precision,
    "recall": Recall,
    "f1": F1,
    "confusion_matrix": ConfusionMatrix,
    "matthews_correlation": MatthewsCorrelation,
    "cohen_kappa": CohenKappa,
    "auc": AUC,
    "average_precision": AveragePrecision,
    "cross_entropy": CrossEntropy,
    "perplexity": Perplexity,
    "log_loss": LogLoss,
    "mae": MAE,
    "mse": MSE,
    "rmse": RMSE,
    "mape": MAPE,
    "r2": R2,
    "explained_variance": ExplainedVariance,
    "pearson_correlation": PearsonCorrelation,
}
"""What may be given by name, with the options that each has by default."""

GREATER = frozenset(NAMED) - {
    *("cross_entropy", "perplexity", "log_loss", "mae", "mse", "rmse", "mape", "confusion_matrix"),
}
"""Of those the ones that are better the greater they are."""


RESERVED = frozenset({"epoch", "steps", "seconds", "lr", "skipped", "partial", "event"})
"""What else stands in an epoch's row, or in a line of a log."""


def collect(op: str, given: Any) -> dict[str, Metric]:
    """Return metrics by the names that logs give them.

    Args:
        op: who asks, for messages.
        given: names and metrics, or metrics by name.

    Raises:
        ArgumentError: an unknown name, or one twice.
        DTypeError: something that is no metric.
    """
    if isinstance(given, (str, Metric)):
        given = [given]
    pairs: Iterable[tuple[str | None, Any]]
    if isinstance(given, Mapping):
        pairs = given.items()
    elif isinstance(given, Iterable):
        pairs = ((None, entry) for entry in given)
    else:
        raise DTypeError(f"{op}: metrics are a list of names and metrics, not {given!r:.80}.")
    found: dict[str, Metric] = {}
    for name, entry in pairs:
        if isinstance(entry, str):
            if entry not in NAMED:
                raise ArgumentError(f"{op}: there is no metric {entry!r}. Use one of: {', '.join(NAMED)}.")
            entry = NAMED[entry]()
        if not isinstance(entry, Metric):
            use = (
                "metrics.Loss(f) for its mean over examples"
                if callable(entry)
                else "a train.metrics.Metric, or a name"
            )
            raise DTypeError(f"{op}: {entry!r:.80} is no metric. Use {use}.")
        name = entry.name if name is None else name
        if name in RESERVED or str(name).startswith("valid_"):
            raise ArgumentError(
                f"{op}: a metric cannot be called {name!r}: an epoch's row has that already, or what begins like it. "
                "Give a dict of metrics by other names."
            )
        if name in found or name == "loss":
            raise ArgumentError(
                f"{op}: two metrics are called {name!r}. Give a dict of metrics by names of yours."
            )
        found[name] = entry
    return found
