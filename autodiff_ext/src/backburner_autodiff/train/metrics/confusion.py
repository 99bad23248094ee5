"""Metrics of a confusion matrix: how often each class was taken for each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner.errors import ArgumentError, ShapeError
from backburner_autodiff._rule import Array
from backburner_autodiff.train.metrics._metric import Metric, State, integers, known_classes, rows
from backburner_autodiff.train.metrics.classification import Binary, kept


class Counted(Metric):
    """The base of metrics of a confusion matrix, whose rows are true classes and whose columns answers.

    Args:
        num_classes: how many classes there are; needed where outputs are answers, not scores.
        threshold: for outputs of one score per example: a probability above it means class 1.
        from_logits: whether such outputs are logits.
        ignore_index: targets of this value count for nothing.

    Shape:
        output ``[n, classes, ...]``, scores; or ``[n, ...]``, answers in integers or scores of class 1.
        target ``[n, ...]``, integers.
    """

    def __init__(
        self,
        num_classes: int | None = None,
        threshold: float = 0.5,
        from_logits: bool = False,
        ignore_index: int | None = None,
    ) -> None:
        super().__init__()
        whole = isinstance(num_classes, int) and not isinstance(num_classes, bool) and num_classes > 0
        if num_classes is not None and not whole:
            raise ArgumentError(f"{self._op}: num_classes is an integer from 1 on, not {num_classes!r}.")
        self.num_classes = num_classes
        self.threshold = threshold
        self.from_logits = from_logits
        self.ignore_index = ignore_index
        self._binary = Binary(self._op, threshold, from_logits)

    def _measured(self, output: Array, target: Array) -> State:
        if self.ignore_index is not None and output.ndim == target.ndim:
            counted = target != self.ignore_index
            output, target = output[counted], target[counted]
        if output.ndim == target.ndim + 1 and output.shape[1] > 1:
            scores, classes = rows(self._op, output, target)
            counted = kept(classes, self.ignore_index)
            answers, classes, count = scores[counted].argmax(axis=1), classes[counted], scores.shape[1]
            if self.num_classes not in (None, count):
                raise ShapeError(
                    f"{self._op}: output has {count} classes, num_classes is {self.num_classes}."
                )
        elif output.dtype.kind == "f" or self.num_classes is None:
            if output.dtype.kind != "f":
                raise ArgumentError(f"{self._op}: outputs are answers, not scores. Say num_classes.")
            answers, classes = self._binary(output, target)
            count = 2
        else:
            count = self.num_classes
            if output.shape != target.shape:
                raise ShapeError(
                    f"{self._op}: output has shape {list(output.shape)}, target {list(target.shape)}."
                )
            answers = integers(self._op, output).reshape(-1)
            classes = integers(self._op, target).reshape(-1)
            known_classes(self._op, answers, count)
        known_classes(self._op, classes, count)
        counts = np.bincount(classes * count + answers, minlength=count * count)
        return {"counts": counts.astype(np.int64).reshape(count, count)}

    def _joined(self, x: State, y: State) -> State:
        if x["counts"].shape != y["counts"].shape:
            raise ShapeError(
                f"{self._op}: {len(x['counts'])} classes before, {len(y['counts'])} now. Say num_classes."
            )
        return super()._joined(x, y)


class ConfusionMatrix(Counted):
    """How often each class was taken for each: rows are true classes, columns answers.

    Args:
        normalize: ``"true"`` divides rows by their sums, ``"pred"`` columns, ``"all"`` by the whole; what has no
            example stays 0. ``None`` counts, in int64.
        num_classes: how many classes there are; needed where outputs are answers, not scores.
        threshold: for outputs of one score per example: a probability above it means class 1.
        from_logits: whether such outputs are logits.
        ignore_index: targets of this value count for nothing.

    Shape:
        output ``[n, classes, ...]``, scores; or ``[n, ...]``, answers in integers or scores of class 1.
        target ``[n, ...]``, integers; the value ``[classes, classes]``.

    Raises:
        ArgumentError: another ``normalize``.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.ConfusionMatrix(num_classes=2)
        >>> metric.update([0, 1, 1], [0, 1, 0])
        >>> metric.compute().tolist()
        [[1, 1], [0, 1]]
    """

    def __init__(
        self,
        normalize: str | None = None,
        num_classes: int | None = None,
        threshold: float = 0.5,
        from_logits: bool = False,
        ignore_index: int | None = None,
    ) -> None:
        super().__init__(num_classes, threshold, from_logits, ignore_index)
        if normalize not in (None, "true", "pred", "all"):
            raise ArgumentError(
                f"ConfusionMatrix: normalize is 'true', 'pred', 'all' or None, not {normalize!r}."
            )
        self.normalize = normalize

    def _value(self, state: State) -> Array:
        counts: Array = state["counts"]
        if self.normalize is None:
            return counts.copy()
        axis = {"true": 1, "pred": 0, "all": None}[self.normalize]
        total = counts.sum(axis=axis, keepdims=True)
        shares: Array = counts / np.where(total == 0, 1, total)
        return shares


class _Averaged(Counted):
    """The base of precision, recall and F1.

    Args:
        average: ``"macro"``, the mean over the classes that occur among targets or answers; ``"weighted"``, that
            mean weighted by how often each is the target; ``"micro"``, all decisions as one; ``"binary"``, class 1
            alone; ``None``, an array of all classes.
        zero_division: the value where the denominator is 0; NaN leaves the class out of a mean.
        num_classes: how many classes there are; needed where outputs are answers, not scores.
        threshold: for outputs of one score per example: a probability above it means class 1.
        from_logits: whether such outputs are logits.
        ignore_index: targets of this value count for nothing.

    Raises:
        ArgumentError: another ``average`` or ``zero_division``.
    """

    def __init__(
        self,
        average: str | None = "macro",
        zero_division: float = 0.0,
        num_classes: int | None = None,
        threshold: float = 0.5,
        from_logits: bool = False,
        ignore_index: int | None = None,
    ) -> None:
        super().__init__(num_classes, threshold, from_logits, ignore_index)
        if average not in ("macro", "weighted", "micro", "binary", None):
            raise ArgumentError(
                f"{self._op}: average is 'macro', 'weighted', 'micro', 'binary' or None, not {average!r}."
            )
        if zero_division not in (0, 1) and zero_division == zero_division:
            raise ArgumentError(f"{self._op}: zero_division is 0, 1 or NaN, not {zero_division!r}.")
        self.average = average
        self.zero_division = float(zero_division)

    def _parts(self, hits: Any, answered: Any, true: Any) -> tuple[Any, Any]:
        """Return numerator and denominator."""
        raise NotImplementedError

    def _value(self, state: State) -> Any:
        counts = state["counts"]
        hits, answered, true = counts.diagonal(), counts.sum(axis=0), counts.sum(axis=1)
        if not counts.sum():
            return math.nan
        if self.average == "micro":
            hits, answered, true = hits.sum(), answered.sum(), true.sum()
        above, below = self._parts(hits, answered, true)
        values = np.where(below == 0, self.zero_division, above / np.where(below == 0, 1, below))
        if self.average is None:
            return values
        if self.average == "micro":
            return float(values)
        if self.average == "binary":
            if len(values) != 2:
                raise ArgumentError(
                    f"{self._op}: average='binary' is for 2 classes, and there are {len(values)}. Use 'macro'."
                )
            return float(values[1])
        weights = np.where(answered + true > 0, 1, 0) if self.average == "macro" else true
        weights = np.where(np.isnan(values), 0, weights)
        total = weights.sum()
        return float(np.sum(np.where(weights > 0, values, 0) * weights) / total) if total else math.nan


class Precision(_Averaged):
    """Of the answers of a class, the share that is right: ``tp / (tp + fp)``.

    Args:
        average: ``"macro"``, the mean over the classes that occur among targets or answers; ``"weighted"``, that
            mean weighted by how often each is the target; ``"micro"``, all decisions as one; ``"binary"``, class 1
            alone; ``None``, an array of all classes.
        zero_division: the value where the denominator is 0; NaN leaves the class out of a mean.
        num_classes: how many classes there are; needed where outputs are answers, not scores.
        threshold: for outputs of one score per example: a probability above it means class 1.
        from_logits: whether such outputs are logits.
        ignore_index: targets of this value count for nothing.

    Raises:
        ArgumentError: another ``average`` or ``zero_division``.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.Precision("binary")
        >>> metric.update([0.9, 0.8, 0.7, 0.1], [1, 1, 0, 1])
        >>> round(metric.compute(), 4)
        0.6667
    """

    def _parts(self, hits: Any, answered: Any, true: Any) -> tuple[Any, Any]:
        return hits, answered


class Recall(_Averaged):
    """Of the examples of a class, the share that is found: ``tp / (tp + fn)``.

    Args:
        average: ``"macro"``, the mean over the classes that occur among targets or answers; ``"weighted"``, that
            mean weighted by how often each is the target; ``"micro"``, all decisions as one; ``"binary"``, class 1
            alone; ``None``, an array of all classes.
        zero_division: the value where the denominator is 0; NaN leaves the class out of a mean.
        num_classes: how many classes there are; needed where outputs are answers, not scores.
        threshold: for outputs of one score per example: a probability above it means class 1.
        from_logits: whether such outputs are logits.
        ignore_index: targets of this value count for nothing.

    Raises:
        ArgumentError: another ``average`` or ``zero_division``.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.Recall("binary")
        >>> metric.update([0.9, 0.8, 0.7, 0.1], [1, 1, 1, 1])
        >>> round(metric.compute(), 4)
        0.75
    """

    def _parts(self, hits: Any, answered: Any, true: Any) -> tuple[Any, Any]:
        return hits, true


class F1(_Averaged):
    """The harmonic mean of precision and recall: ``2 tp / (2 tp + fp + fn)``.

    Args:
        average: ``"macro"``, the mean over the classes that occur among targets or answers; ``"weighted"``, that
            mean weighted by how often each is the target; ``"micro"``, all decisions as one; ``"binary"``, class 1
            alone; ``None``, an array of all classes.
        zero_division: the value where the denominator is 0; NaN leaves the class out of a mean.
        num_classes: how many classes there are; needed where outputs are answers, not scores.
        threshold: for outputs of one score per example: a probability above it means class 1.
        from_logits: whether such outputs are logits.
        ignore_index: targets of this value count for nothing.

    Raises:
        ArgumentError: another ``average`` or ``zero_division``.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.F1("binary")
        >>> metric.update([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0])
        >>> round(metric.compute(), 4)
        0.8
    """

    def _parts(self, hits: Any, answered: Any, true: Any) -> tuple[Any, Any]:
        return 2 * hits, answered + true


class MatthewsCorrelation(Counted):
    """Matthews' correlation of answers and classes, R_K (Gorodkin 2004): from -1 to 1, 0 if either is constant.

    ``(c s - sum(p t)) / sqrt((s^2 - sum(p^2)) (s^2 - sum(t^2)))`` with ``c`` right answers of ``s``, and how often
    each class is the answer (``p``) and the target (``t``).

    Args:
        num_classes: how many classes there are; needed where outputs are answers, not scores.
        threshold: for outputs of one score per example: a probability above it means class 1.
        from_logits: whether such outputs are logits.
        ignore_index: targets of this value count for nothing.

    Shape:
        output ``[n, classes, ...]``, scores; or ``[n, ...]``, answers in integers or scores of class 1.
        target ``[n, ...]``, integers.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.MatthewsCorrelation()
        >>> metric.update([0.9, 0.2, 0.7, 0.1], [1, 0, 0, 1])
        >>> round(metric.compute(), 4)
        0.0
    """

    def _value(self, state: State) -> float:
        counts = state["counts"]
        # Python's integers, for squares of many examples
        p, t = [[int(v) for v in counts.sum(axis=axis)] for axis in (0, 1)]
        right, total = int(counts.trace()), int(counts.sum())
        if not total:
            return math.nan
        above = right * total - sum(x * y for x, y in zip(p, t, strict=True))
        below = (total**2 - sum(x * x for x in p)) * (total**2 - sum(x * x for x in t))
        return above / math.sqrt(below) if below else 0.0


class CohenKappa(Counted):
    """Cohen's kappa: agreement beyond chance, ``(p_o - p_e) / (1 - p_e)``; NaN if chance alone would agree always.

    ``p_o`` is the share of right answers, ``p_e`` that of answers drawn at random, each class as often as it occurs.

    Args:
        num_classes: how many classes there are; needed where outputs are answers, not scores.
        threshold: for outputs of one score per example: a probability above it means class 1.
        from_logits: whether such outputs are logits.
        ignore_index: targets of this value count for nothing.

    Shape:
        output ``[n, classes, ...]``, scores; or ``[n, ...]``, answers in integers or scores of class 1.
        target ``[n, ...]``, integers.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.CohenKappa()
        >>> metric.update([0.9, 0.2, 0.7, 0.1], [1, 0, 0, 0])
        >>> round(metric.compute(), 4)
        0.5
    """

    def _value(self, state: State) -> float:
        counts = state["counts"]
        p, t = [[int(v) for v in counts.sum(axis=axis)] for axis in (0, 1)]
        right, total = int(counts.trace()), int(counts.sum())
        chance = sum(x * y for x, y in zip(p, t, strict=True))
        below = total * total - chance
        return (right * total - chance) / below if below else math.nan
