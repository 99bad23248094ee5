"""What a row of the table of layers says, and how its inputs are written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class Draw(NamedTuple):
    """An array that the oracle's script draws and freezes: an input, or an option such as a class weight."""

    kind: str
    shape: tuple[int, ...] = ()
    high: int = 0
    values: Any = None

    def drawn(self, rng: np.random.Generator) -> np.ndarray:
        """Return one such array: floats in float64, integers in int64."""
        match self.kind:
            case "real":
                return rng.standard_normal(self.shape)
            case "share":
                return rng.uniform(0.1, 0.9, self.shape)
            case "whole":
                return rng.integers(0, self.high, self.shape)
            case "sign":
                return rng.choice([-1.0, 1.0], self.shape)
            case "mask":
                return rng.random(self.shape) < 0.5
        return np.asarray(self.values)


def real(*shape: int) -> Draw:
    """Normally distributed floats."""
    return Draw("real", shape)


def share(*shape: int) -> Draw:
    """Floats between 0.1 and 0.9."""
    return Draw("share", shape)


def whole(high: int, *shape: int) -> Draw:
    """Integers from 0, below ``high``."""
    return Draw("whole", shape, high)


def sign(*shape: int) -> Draw:
    """Floats that are 1 or -1."""
    return Draw("sign", shape)


def mask(*shape: int) -> Draw:
    """Bools."""
    return Draw("mask", shape)


def given(values: Any) -> Draw:
    """These integers or bools."""
    return Draw("given", values=values)


class Refused(NamedTuple):
    """Options that a layer does not take, and a pattern of what it says; the names come with the class."""

    message: str
    args: tuple[Any, ...] = ()
    options: Mapping[str, Any] = {}


class Unfit(NamedTuple):
    """Inputs, one shape each or an array, that the row's layer does not take, and a pattern of what it says."""

    message: str
    inputs: tuple[Any, ...]


class Row(NamedTuple):
    """A layer as somebody writes it, with inputs for it.

    Every law of ``test_layers.py`` runs on every row: keys and shapes of the state, ``repr``, signature, outputs,
    gradients, statistics, first values, records, copies, dtypes and refusals, PyTorch's frozen by
    ``golden/make_layers.py``.

    Args:
        layer: its name in ``nn``, which is PyTorch's, or has a twin in ``golden/make_layers.py``.
        args: what it is made with, by position. A ``Draw`` is an array, here and in the next three.
        options: what it is made with, by name.
        inputs: what it is called with. Tuples of draws are pairs such as an LSTM's state.
        call: what it is called with by name.
        training: what training changes: ``"nothing"``, ``"statistics"`` (outputs and buffers are still PyTorch's), or
            ``"draws"`` (outputs are random).
        text: what ``repr`` says, where it differs from PyTorch's.
        refused: options of this class that are refused, beyond what its signature tells.
        unfit: inputs that are refused.
        differentiable: whether gradients for its float inputs are compared with PyTorch's.
        exact: how near they are to PyTorch's.
    """

    layer: str
    args: tuple[Any, ...] = ()
    options: Mapping[str, Any] = {}
    inputs: tuple[Any, ...] = ()
    call: Mapping[str, Any] = {}
    training: str = "nothing"
    text: str = ""
    refused: tuple[Refused, ...] = ()
    unfit: tuple[Unfit, ...] = ()
    differentiable: bool = True
    exact: float = 1e-12

    def written(self) -> str:
        """Return the row's part that decides the numbers, as text."""
        return repr((self.args, dict(self.options), self.inputs, dict(self.call), self.training))


def draws(part: Any) -> list[Draw]:
    """Return the draws in a part of a row, in order."""
    if isinstance(part, Draw):
        return [part]
    if isinstance(part, Mapping):
        part = list(part.values())
    return [found for entry in part for found in draws(entry)] if isinstance(part, (tuple, list)) else []


def filled(part: Any, arrays: Sequence[Any], made: Callable[[Any], Any]) -> Any:
    """Return a part of a row with ``made(array)`` for each draw, of arrays in the order of ``draws``."""
    left = iter(arrays)

    def fill(value: Any) -> Any:
        if isinstance(value, Draw):
            return made(next(left))
        if isinstance(value, Mapping):
            return {name: fill(entry) for name, entry in value.items()}
        if isinstance(value, (tuple, list)):
            return type(value)(fill(entry) for entry in value)
        return value

    return fill(part)


def flat(outputs: Any) -> list[Any]:
    """Return the arrays or tensors of a result that may be a nest of tuples, without ``None``."""
    if isinstance(outputs, (tuple, list)):
        return [found for entry in outputs for found in flat(entry)]
    return [] if outputs is None else [outputs]
