"""Rows of comparisons and logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ops._pointwise import binary, unary
from ops._row import Row, mask, tied


def _comparison(op: str, reference: Callable[..., Any]) -> Row:
    return binary(op, tied, tied, reference, result="bool", differentiable=())


ROWS = (
    _comparison("equal", lambda x, y: x - y == 0),
    _comparison("not_equal", lambda x, y: x - y != 0),
    _comparison("less", lambda x, y: x - y < 0),
    _comparison("less_equal", lambda x, y: x - y <= 0),
    _comparison("greater", lambda x, y: x - y > 0),
    _comparison("greater_equal", lambda x, y: x - y >= 0),
    binary("logical_and", mask, mask, lambda x, y: x & y, result="bool"),
    binary("logical_or", mask, mask, lambda x, y: x | y, result="bool"),
    unary("logical_not", mask, lambda x: ~x, result="bool"),
    binary("logical_xor", mask, mask, lambda x, y: x != y, result="bool"),
)
