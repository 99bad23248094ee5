"""Metrics of scores: their order, and the probabilities they stand for."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner_autodiff._rule import Array
from backburner_autodiff.train.metrics._metric import (
    Metric,
    Ratio,
    State,
    alike,
    integers,
    known_classes,
    no_nan,
    rows,
)


class _Ordered(Metric):
    """The base of metrics that need all scores: memory grows with the examples.

    Args:
        average: for several classes, each against the rest: ``"macro"``, their mean; ``"weighted"``, weighted by
            how often each is the target; ``None``, an array of them. Columns are compared as they are: give
            probabilities.

    Raises:
        ArgumentError: another ``average``.
    """

    def __init__(self, average: str | None = "macro") -> None:
        super().__init__()
        if average not in ("macro", "weighted", None):
            raise ArgumentError(f"{self._op}: average is 'macro', 'weighted' or None, not {average!r}.")
        self.average = average
        self._parts: list[State] = []

    def _measured(self, output: Array, target: Array) -> State:
        if output.ndim == target.ndim + 1 and output.ndim > 1 and output.shape[1] > 1:
            scores, classes = rows(self._op, output, target)
            count = scores.shape[1]
            if count == 2:  # as the softmax orders them, and as one of two probabilities does
                scores = scores.astype(
                    np.float64
                )  # the difference of float32 rounds small probabilities away
                scores = scores[:, 1:] - scores[:, :1]
        else:
            if output.ndim == target.ndim + 1 and output.shape[-1] == 1:
                output = output[..., 0]
            elif target.ndim == output.ndim + 1 and target.shape[-1] == 1:
                target = target[..., 0]
            if output.shape != target.shape:
                raise ShapeError(
                    f"{self._op}: output has shape {list(output.shape)}, target {list(target.shape)}."
                )
            if output.dtype.kind not in "fiub":
                raise DTypeError(f"{self._op}: output is {output.dtype}, not numbers.")
            no_nan(self._op, "output", output)
            scores, classes, count = output.reshape(-1, 1), integers(self._op, target).reshape(-1), 2
        known_classes(self._op, classes, count)
        return {"scores": scores.astype(np.float64), "classes": classes}

    # Batches are kept apart until somebody asks: joined one by one they would be copied every time.

    def _take(self, found: State) -> None:
        if self._parts and self._parts[0]["scores"].shape[1] != found["scores"].shape[1]:
            raise ShapeError(
                f"{self._op}: {self._parts[0]['scores'].shape[1]} columns of scores before, "
                f"{found['scores'].shape[1]} now."
            )
        self._parts.append(found)

    def _whole(self) -> State:
        if len(self._parts) > 1:
            self._parts = [{k: np.concatenate([part[k] for part in self._parts]) for k in self._parts[0]}]
        return self._parts[0] if self._parts else {}

    def reset(self) -> None:
        self._parts = []

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._parts = [{name: np.array(value) for name, value in state.items()}] if state else []

    @abstractmethod
    def _one(self, scores: Array, positive: Array) -> float:
        """Return the value for one class against the rest."""

    def _value(self, state: State) -> Any:
        scores, classes = state["scores"], state["classes"]
        if not len(classes):
            return math.nan
        if scores.shape[1] == 1:
            return self._one(scores[:, 0], classes == 1)
        values = np.array([self._one(column, classes == i) for i, column in enumerate(scores.T)])
        if self.average is None:
            return values
        weights = None if self.average == "macro" else np.bincount(classes, minlength=scores.shape[1])
        return float(np.average(values, weights=weights))


class AUC(_Ordered):
    """The area under the ROC curve: how often a positive scores higher than a negative, ties counting half.

    Exact, from ranks (Mann and Whitney): ``(sum of the positives' ranks - p (p + 1) / 2) / (p n)``. NaN where there
    is one class alone; of several classes, where one does not occur.

    Args:
        average: for several classes, each against the rest: ``"macro"``, their mean; ``"weighted"``, weighted by
            how often each is the target; ``None``, an array of them. Columns are compared as they are: give
            probabilities, not logits.

    Shape:
        output ``[n]``, ``[n, 1]`` or ``[n, classes]``, scores; of two classes their difference counts, so logits
        serve. target ``[n]``, integers. All scores are kept.

    Raises:
        ArgumentError: another ``average``.

    Example:
        >>> from backburner.train import metrics
        >>> auc = metrics.AUC()
        >>> auc.update([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
        >>> auc.compute()
        0.75
    """

    def _one(self, scores: Array, positive: Array) -> float:
        p = int(positive.sum())
        n = len(scores) - p
        if not p or not n:
            return math.nan
        _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
        last = np.cumsum(counts)
        twice = 2 * last - counts + 1  # twice the mean rank of those that tie
        total = int(twice[place.reshape(-1)][positive].sum())
        return (total - p * (p + 1)) / (2 * p * n)


class AveragePrecision(_Ordered):
    """The mean precision over the positives, from the highest score down: ``sum((r_i - r_{i-1}) p_i)``.

    Precision ``p_i`` and recall ``r_i`` are those of all scores from the ``i``-th distinct one up; there is no
    interpolation. NaN where there is no positive; of several classes, where one does not occur.

    Args:
        average: for several classes, each against the rest: ``"macro"``, their mean; ``"weighted"``, weighted by
            how often each is the target; ``None``, an array of them. Columns are compared as they are: give
            probabilities, not logits.

    Shape:
        output ``[n]``, ``[n, 1]`` or ``[n, classes]``, scores; of two classes their difference counts, so logits
        serve. target ``[n]``, integers. All scores are kept.

    Raises:
        ArgumentError: another ``average``.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.AveragePrecision()
        >>> metric.update([0.1, 0.4, 0.3, 0.8], [0, 0, 1, 1])
        >>> round(metric.compute(), 4)
        0.8333
    """

    def _one(self, scores: Array, positive: Array) -> float:
        p = int(positive.sum())
        if not p:
            return math.nan
        order = np.argsort(-scores, kind="stable")
        ordered = scores[order]
        ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)
        hits = np.cumsum(positive[order])[ends]
        gained = np.diff(hits, prepend=0)
        return float(np.sum(gained * (hits / (ends + 1))) / p)


class CrossEntropy(Ratio):
    """The mean of ``-log p`` of the true class, over examples or tokens.

    Args:
        ignore_index: targets of this value count for nothing, as in ``functional.cross_entropy``.
        from_logits: whether outputs are logits, whose softmax are the probabilities; otherwise probabilities.

    Shape:
        output ``[n, classes, ...]``, target ``[n, ...]``, integers.

    Example:
        >>> from backburner.train import metrics
        >>> entropy = metrics.CrossEntropy(from_logits=False)
        >>> entropy.update([[0.5, 0.5], [0.25, 0.75]], [0, 0])
        >>> round(entropy.compute(), 4)
        1.0397
    """

    def __init__(self, ignore_index: int | None = -100, from_logits: bool = True) -> None:
        super().__init__()
        self.ignore_index = ignore_index
        self.from_logits = from_logits

    def _measured(self, output: Array, target: Array) -> State:
        scores, classes = rows(self._op, output, target)
        if self.ignore_index is not None:
            kept = classes != self.ignore_index
            scores, classes = scores[kept], classes[kept]
        known_classes(self._op, classes, scores.shape[1])
        scores = scores.astype(np.float64)
        own = np.take_along_axis(scores, classes[:, None], axis=1)[:, 0]
        if self.from_logits:
            top = scores.max(axis=1, initial=-np.inf)
            shift = np.where(np.isfinite(top), top, 0)
            with np.errstate(over="ignore", divide="ignore"):
                losses = np.log(np.exp(scores - shift[:, None]).sum(axis=1)) + shift - own
        else:
            if scores.size and not (0 <= scores.min() and scores.max() <= 1):
                raise ArgumentError(
                    f"{self._op}: outputs go from {scores.min():g} to {scores.max():g}, which are no probabilities. "
                    "Leave out from_logits=False if they are logits."
                )
            with np.errstate(divide="ignore"):
                losses = -np.log(own)
        return {"sum": np.asarray(losses.sum()), "count": np.array(len(classes))}


class Perplexity(CrossEntropy):
    """How many equally likely choices the model hesitates between: ``exp(mean of -log p)`` over tokens.

    Args:
        ignore_index: targets of this value count for nothing, as in ``functional.cross_entropy``.
        from_logits: whether outputs are logits, whose softmax are the probabilities; otherwise probabilities.

    Shape:
        output ``[n, classes, ...]``, target ``[n, ...]``, integers.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.Perplexity(from_logits=False)
        >>> metric.update([[0.25, 0.75], [0.25, 0.75]], [0, 0])
        >>> round(metric.compute(), 4)
        4.0
    """

    def _value(self, state: State) -> float:
        mean = super()._value(state)
        return math.exp(mean) if mean < 709 else math.inf if mean >= 709 else math.nan


class LogLoss(Ratio):
    """The mean of ``-(y log p + (1 - y) log(1 - p))``, over all elements.

    Args:
        from_logits: whether outputs are logits, whose sigmoid is the probability.

    Shape:
        output and target ``[...]`` alike, or with a last axis of 1; targets from 0 to 1.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.LogLoss()
        >>> metric.update([0.5, 0.5], [1, 0])
        >>> round(metric.compute(), 4)
        0.6931
    """

    def __init__(self, from_logits: bool = False) -> None:
        super().__init__()
        self.from_logits = from_logits

    def _measured(self, output: Array, target: Array) -> State:
        x, y = alike(self._op, output, target)
        no_nan(self._op, "output", x)
        for what, values in (("targets", y),) if self.from_logits else (("targets", y), ("outputs", x)):
            if values.size and not (0 <= values.min() and values.max() <= 1):
                raise ArgumentError(
                    f"{self._op}: {what} go from {values.min():g} to {values.max():g}, which are no probabilities. "
                    "Say from_logits=True if outputs are logits."
                )
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.from_logits:
                yes, no = np.logaddexp(0, -x), np.logaddexp(0, x)
            else:
                yes, no = -np.log(x), -np.log1p(-x)
            losses = np.where(y > 0, y * yes, 0) + np.where(y < 1, (1 - y) * no, 0)
        return {"sum": np.asarray(losses.sum()), "count": np.array(losses.size)}
