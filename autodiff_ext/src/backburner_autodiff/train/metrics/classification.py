"""Metrics of answers that are classes."""

from __future__ import annotations

import math

import numpy as np

from backburner.errors import ArgumentError, ShapeError
from backburner_autodiff._rule import Array
from backburner_autodiff.train.metrics._metric import (
    Ratio,
    State,
    integers,
    known_classes,
    no_nan,
    rows,
)


def kept(target: Array, ignore_index: int | None) -> Array | slice:
    """Return what selects the targets that count."""
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
        counted = kept(classes, self.ignore_index)
        scores, classes = scores[counted], classes[counted]
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

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.TopKAccuracy(2)
        >>> metric.update([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2]], [1, 2])
        >>> round(metric.compute(), 4)
        0.5
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
        counted = kept(classes, self.ignore_index)
        scores, classes = scores[counted], classes[counted]
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
