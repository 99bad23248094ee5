"""What all metrics share: sums that batches add to, a value at the end, and parts that merge."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from backburner import Tensor
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner_autodiff._rule import Array

State = dict[str, Array]


class Metric(ABC):
    """The base of metrics: a measure of outputs against targets, over any number of batches.

    A metric keeps sums over examples, never means of batches, so an uneven last batch counts for what it holds.
    Sums are float64 or int64. Without any example the value is NaN.

    A subclass says what it keeps in ``_state``, a dict of arrays, and how parts of it become one in ``_joined``.

    Attributes:
        name: what logs call it; a list of metrics has no two of one name.
    """

    def __init__(self) -> None:
        self.name = self._usual_name()
        self._state: State = {}

    def _usual_name(self) -> str:
        name = type(self).__name__
        return name.lower() if name.isupper() else re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()

    @property
    def _op(self) -> str:
        return type(self).__name__

    def update(self, output: Any, target: Any) -> None:
        """Take up a batch; what does not fit is refused before anything changes.

        Args:
            output: what the model answered, a tensor or an array.
            target: what is right.

        Raises:
            ShapeError: the shapes do not fit each other.
            DTypeError: a kind of numbers that the metric does not take.
            ArgumentError: values that it does not take, such as NaN where scores are to be ordered.
        """
        found = self._measured(_array(self._op, "output", output), _array(self._op, "target", target))
        self._take(found)

    def _take(self, found: State) -> None:
        self._state = self._joined(self._state, found) if self._state else found

    def _whole(self) -> State:
        """Return all that was taken up, as one state."""
        return self._state

    @abstractmethod
    def _measured(self, output: Array, target: Array) -> State:
        """Return what one batch gives."""

    def _joined(self, x: State, y: State) -> State:
        """Return what two parts of the data give together: sums, unless a subclass knows better."""
        return {key: value + y[key] for key, value in x.items()}

    def compute(self) -> Any:
        """Return the value over all that was taken up since the last ``reset``: a float, or an array."""
        state = self._whole()
        return self._value(state) if state else math.nan

    @abstractmethod
    def _value(self, state: State) -> Any:
        """Return the value of a state that is not empty."""

    def reset(self) -> None:
        """Forget all that was taken up."""
        self._state = {}

    def merge(self, other: Self) -> None:
        """Take up all that another metric of the same kind has, as one that saw other batches.

        Raises:
            DTypeError: it is of another kind.
        """
        if type(other) is not type(self):
            raise DTypeError(f"{self._op}.merge: takes a {self._op}, not a {type(other).__name__}.")
        found = other._whole()
        if found:
            self._take(dict(found))

    def state_dict(self) -> State:
        """Return all that was taken up, as arrays by name; empty before the first batch."""
        return dict(self._whole())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``state_dict`` of the same kind of metric returned."""
        self._state = {name: np.array(value) for name, value in state.items()}

    def __repr__(self) -> str:
        options = ", ".join(f"{k}={v!r}" for k, v in vars(self).items() if k[0] != "_" and k != "name")
        return f"{self._op}({options})"


class Ratio(Metric):
    """The base of metrics that are one sum over another: ``sum / count``."""

    def _value(self, state: State) -> float:
        return float(state["sum"] / state["count"]) if state["count"] else math.nan


def _array(op: str, what: str, value: Any) -> Array:
    if isinstance(value, Tensor):
        return value._array()
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, (list, tuple, int, float, np.generic)):
        try:
            return np.asarray(value)
        except ValueError:
            raise ShapeError(f"{op}: {what} has parts of several shapes.") from None
    raise DTypeError(f"{op}: {what} is a {type(value).__name__}, not a tensor or an array.")


# -- what several metrics check


def no_nan(op: str, what: str, x: Array) -> None:
    """Refuse NaN, which has no place in an order."""
    if x.dtype.kind == "f" and np.isnan(x).any():
        raise ArgumentError(
            f"{op}: {int(np.isnan(x).sum())} of {x.size} values of {what} are NaN. Find out why with "
            "bb.detect_anomaly, or leave these examples out."
        )


def integers(op: str, target: Array) -> Array:
    """Return targets that are classes as int64."""
    if target.dtype.kind not in "iub":
        whole = target.dtype.kind == "f" and bool(np.all(target == np.floor(target)))
        if not whole:
            raise DTypeError(
                f"{op}: targets are numbers of classes, not {target.dtype} values. Use integers."
            )
    return target.astype(np.int64)


def alike(op: str, output: Array, target: Array) -> tuple[Array, Array]:
    """Return both in float64 and one shape; a last axis of 1 that only one of them has is dropped."""
    for name, x in (("output", output), ("target", target)):
        if x.dtype.kind not in "fiub":
            raise DTypeError(f"{op}: {name} is {x.dtype}, not numbers.")
    if output.ndim == target.ndim + 1 and output.shape[-1] == 1:
        output = output[..., 0]
    elif target.ndim == output.ndim + 1 and target.shape[-1] == 1:
        target = target[..., 0]
    if output.shape != target.shape:
        raise ShapeError(f"{op}: output has shape {list(output.shape)}, target {list(target.shape)}.")
    return output.astype(np.float64), target.astype(np.float64)


def rows(op: str, output: Array, target: Array) -> tuple[Array, Array]:
    """Return scores as ``[n, classes]`` and their targets as ``[n]`` int64, classes being axis 1 of ``output``.

    Raises:
        ShapeError: ``target`` is not ``output`` without axis 1.
        ArgumentError: a score is NaN.
    """
    if output.ndim < 2 or output.shape[:1] + output.shape[2:] != target.shape:
        raise ShapeError(
            f"{op}: output has shape {list(output.shape)}, target {list(target.shape)}. "
            "It takes [n, classes, ...] and [n, ...]."
        )
    if output.dtype.kind != "f":
        raise DTypeError(f"{op}: scores of classes are floats, not {output.dtype}.")
    no_nan(op, "output", output)
    flat = np.moveaxis(output, 1, -1).reshape(-1, output.shape[1])
    return flat, integers(op, target).reshape(-1)


def known_classes(op: str, target: Array, classes: int) -> None:
    """Refuse targets that are no classes.

    Raises:
        ArgumentError: one is outside.
    """
    if target.size and not (0 <= target.min() and target.max() < classes):
        raise ArgumentError(
            f"{op}: targets go from {target.min()} to {target.max()}, classes from 0 to {classes - 1}. "
            "Use ignore_index for what does not count."
        )
