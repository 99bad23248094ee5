"""What a case is, and the inputs that many of them share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import backburner as bb

Array = np.ndarray[Any, np.dtype[Any]]


class Case(NamedTuple):
    """A program whose gradients are known.

    Attributes:
        name: the subject, and what is special.
        program: from the inputs to a tensor, of which the sum is differentiated.
        inputs: nested lists or arrays, in the program's order.
        grads: for each input its expected gradient, broadcast to the shape of ``pick`` of it; ``None``: the
            input needs no gradient.
        pick: which part of the gradients the expected values describe.
    """

    name: str
    program: Callable[..., bb.Tensor]
    inputs: tuple[Any, ...]
    grads: tuple[Any, ...]
    pick: Any = ...


SMALL = [[0, 1], [3, 4]]
LARGE = [[6, 7], [9, 10]]
ONE = [[1, 7], [2, 3]]
TWO = [[4, 7], [2, 3]]
MIXED = [[1, 7], [-2, -3]]
SIGNED = [[4, -7], [2, 3]]
WIDE = [[1, 7], [13, -3]]
FLAT = [[2, 2], [2, 2]]
ROWS = [[0, 1, 2], [3, 4, 5]]
NEXT = [[1, 2, 3], [4, 5, 6]]
NINE = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
FOUR = [[1, 2], [3, 4]]


def ramp(*shape: int) -> Array:
    """Return 0, 1, 2, ... in a shape."""
    return np.arange(np.prod(shape), dtype=np.float64).reshape(shape)


def bools(values: Any) -> bb.Tensor:
    """Return a mask."""
    return bb.tensor(values, dtype="bool")


def around(f: Callable[[bb.Tensor], bb.Tensor]) -> Callable[[bb.Tensor, bb.Tensor], bb.Tensor]:
    """Return a program with a function between two products."""
    return lambda x, y: x @ f(y) @ y
