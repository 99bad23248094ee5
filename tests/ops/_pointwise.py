"""What the rows of elementwise ops share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ops._row import Array, Row, Sample, ones_of, sweep

PAIRS = (
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((), (2, 3)),
    ((4, 1, 3), (2, 1)),
    ((), ()),
    ((3, 70), (3, 1)),
    ((0, 3), (3,)),
    ((2, 0), (1, 1)),
)
SINGLES = ((2, 3), (), (5, 41), (3, 0))


def binary(op: str, x: Sample, y: Sample, reference: Callable[..., Any], **more: Any) -> Row:
    """Return the row of an op of two tensors."""
    return Row(op, (x, y), sweep(PAIRS), reference, **more)


def unary(op: str, x: Sample, reference: Callable[..., Any], **more: Any) -> Row:
    """Return the row of an op of one tensor."""
    return Row(op, (x,), ones_of(SINGLES), reference, **more)


def mapped(function: Callable[..., Any], dtype: type = np.float64) -> Callable[..., Array]:
    """Return a function of Python numbers for arrays, element by element."""
    return np.vectorize(function, otypes=[dtype])
