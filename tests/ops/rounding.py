"""Rows of the rounding ops."""

from __future__ import annotations

import math

import numpy as np

from ops._pointwise import binary, mapped, unary
from ops._row import Array, Shape, indices, real, wide

whole, divisor = indices(-20, 20), indices(1, 7)


def quarters(rng: np.random.Generator, shape: Shape) -> Array:
    """Draw odd multiples of a quarter, which ``halves`` do not divide."""
    return np.asarray(rng.integers(-12, 12, shape) / 2 + 0.25)


def halves(rng: np.random.Generator, shape: Shape) -> Array:
    """Draw -1, -0.5, 0.5 or 1."""
    return np.asarray(rng.choice([-1.0, -0.5, 0.5, 1.0], shape))


ROWS = (
    unary("sign", real, lambda x: np.where(x > 0, 1.0, -1.0)),
    unary("floor", wide, mapped(math.floor)),
    unary("ceil", wide, mapped(math.ceil)),
    unary("round", wide, mapped(round)),
    unary("trunc", wide, mapped(math.trunc)),
    binary("floor_divide", quarters, halves, lambda x, y: np.floor(x / y)),
    binary("remainder", quarters, halves, lambda x, y: x - y * np.floor(x / y)),
    unary("sign", whole, lambda x: (x > 0) * 1 - (x < 0) * 1, result="int64", name="sign_of_integers"),
    *(
        unary(op, whole, lambda x: x + 0, result="int64", name=f"{op}_of_integers")
        for op in ("floor", "ceil", "round", "trunc")
    ),
    binary(
        "floor_divide",
        whole,
        divisor,
        mapped(lambda x, y: x // y, np.int64),
        result="int64",
        name="floor_divide_integers",
    ),
    binary(
        "remainder",
        whole,
        divisor,
        mapped(lambda x, y: x % y, np.int64),
        result="int64",
        name="remainder_of_integers",
    ),
)
