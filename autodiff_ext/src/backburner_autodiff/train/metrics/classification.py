"""Metrics of answers that are classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner.errors import ArgumentError, ShapeError
from backburner_autodiff._rule import Array
from backburner_autodiff.train.metrics._metric import (
    Metric,
    Ratio,
    State,
    integers,
    known_classes,
    no_nan,
    rows,
)


def _kept(target: Array, ignore_index: int | None) -> Array | slice:
    return slice(None) if ignore_index is None else target != ignore_index


class Accuracy(Ratio):
    """The share of examples whose highest score is that of their class: ``sum(argmax(output) == target) / n``.

    Of equal scores the first counts.

    Args:
        ignore_index: targets of this value count for nothing.

    Shape:
        output ``[n, classes, ...]``, logits or probabilities; target ``[n, ...]``, integers.

    Example:
        >>> from backburner.train import metrics
        >>> accuracy = metrics.Accuracy()
        >>> accuracy.update([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]], [1, 0, 0])
        >>> accuracy.update([[0.6, 0.4]], [0])
        >>> accuracy.compute()
        0.75
    """

    def __init__(self, ignore_index: int | None = None) -> None:
        super().__init__()
        self.ignore_index = ignore_index

    def _measured(self, output: Array, target: Array) -> State:
        scores, classes = rows(self._op, output, target)
        kept = _kept(classes, self.ignore_index)
        scores, classes = scores[kept], classes[kept]
        known_classes(self._op, classes, scores.shape[1])
        return {"sum": np.asarray((scores.argmax(axis=1) == classes).sum()), "count": np.array(len(classes))}


class TopKAccuracy(Ratio):
    """The share of examples whose class is among those of the ``k`` highest scores.

    A class is among them if fewer than ``k`` others score higher, or as high and stand before it.

    Args:
        k: how many answers count.
        ignore_index: targets of this value count for nothing.

    Shape:
        output ``[n, classes, ...]``, target ``[n, ...]``, integers.

    Raises:
        ArgumentError: ``k`` is not an integer from 1 on.
    """

    def __init__(self, k: int = 5, ignore_index: int | None = None) -> None:
        if not isinstance(k, int) or isinstance(k, bool) or k < 1:
            raise ArgumentError(f"TopKAccuracy: k is an integer from 1 on, not {k!r}.")
        super().__init__()
        self.k = k
        self.name = f"top_{k}_accuracy"
        self.ignore_index = ignore_index

    def _measured(self, output: Array, target: Array) -> State:
        scores, classes = rows(self._op, output, target)
        kept = _kept(classes, self.ignore_index)
        scores, classes = scores[kept], classes[kept]
        known_classes(self._op, classes, scores.shape[1])
        own = np.take_along_axis(scores, classes[:, None], axis=1)
        before = np.arange(scores.shape[1]) < classes[:, None]
        place = np.sum((scores > own) | (scores == own) & before, axis=1)
        return {"sum": np.asarray((place < self.k).sum()), "count": np.array(len(classes))}


class Binary:
    """How scores of two classes become answers: the second class from ``threshold`` on, excluded.

    Args:
        op: who asks, for messages.
        threshold: a probability above it means class 1.
        from_logits: whether outputs are logits, whose sigmoid is the probability.

    Raises:
        ArgumentError: ``threshold`` is not a probability.
    """

    def __init__(self, op: str, threshold: float, from_logits: bool) -> None:
        if not isinstance(threshold, (int, float)) or not 0 < threshold < 1:
            raise ArgumentError(
                f"{op}: threshold is a probability between 0 and 1, not {threshold!r}. For logits use from_logits."
            )
        self._op = op
        self._cut = math.log(threshold / (1 - threshold)) if from_logits else float(threshold)
        self._from_logits = from_logits

    def __call__(self, output: Array, target: Array) -> tuple[Array, Array]:
        """Return the answers and the targets, 0 and 1, in one dimension."""
        op = self._op
        if output.ndim == target.ndim + 1 and output.shape[-1] == 1:
            output = output[..., 0]
        elif target.ndim == output.ndim + 1 and target.shape[-1] == 1:
            target = target[..., 0]
        if output.shape != target.shape:
            raise ShapeError(f"{op}: output has shape {list(output.shape)}, target {list(target.shape)}.")
        no_nan(op, "output", output)
        if output.dtype.kind == "f":
            if not self._from_logits and output.size and not (0 <= output.min() and output.max() <= 1):
                raise ArgumentError(
                    f"{op}: outputs go from {output.min():g} to {output.max():g}, which are no probabilities. "
                    "Say from_logits=True if they are logits."
                )
            answers = (output > self._cut).astype(np.int64)
        else:
            answers = integers(op, output)
            known_classes(op, answers, 2)
        classes = integers(op, target)
        known_classes(op, classes, 2)
        return answers.reshape(-1), classes.reshape(-1)


class BinaryAccuracy(Ratio):
    """The share of right answers to questions of yes and no: ``sum((p > threshold) == target) / n``.

    Args:
        threshold: a probability above it means yes.
        from_logits: whether outputs are logits, whose sigmoid is the probability.

    Shape:
        output and target ``[...]`` alike, or with a last axis of 1; targets are 0 and 1. Each element counts.

    Raises:
        ArgumentError: ``threshold`` is not between 0 and 1.

    Example:
        >>> from backburner.train import metrics
        >>> accuracy = metrics.BinaryAccuracy(from_logits=True)
        >>> accuracy.update([-2.0, 0.3, 1.5], [0, 1, 0])
        >>> round(accuracy.compute(), 4)
        0.6667
    """

    def __init__(self, threshold: float = 0.5, from_logits: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.from_logits = from_logits
        self._answers = Binary(self._op, threshold, from_logits)

    def _measured(self, output: Array, target: Array) -> State:
        answers, classes = self._answers(output, target)
        return {"sum": np.asarray((answers == classes).sum()), "count": np.array(answers.size)}


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
            kept = target != self.ignore_index
            output, target = output[kept], target[kept]
        if output.ndim == target.ndim + 1 and output.shape[1] > 1:
            scores, classes = rows(self._op, output, target)
            kept = _kept(classes, self.ignore_index)
            answers, classes, count = scores[kept].argmax(axis=1), classes[kept], scores.shape[1]
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
    """

    def _value(self, state: State) -> float:
        counts = state["counts"]
        p, t = [[int(v) for v in counts.sum(axis=axis)] for axis in (0, 1)]
        right, total = int(counts.trace()), int(counts.sum())
        chance = sum(x * y for x, y in zip(p, t, strict=True))
        below = total * total - chance
        return (right * total - chance) / below if below else math.nan
