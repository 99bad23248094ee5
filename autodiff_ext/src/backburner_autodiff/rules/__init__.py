"""The backward rules, one file per op family, and the table of them."""

from __future__ import annotations

from backburner_autodiff.rules import (  # noqa: F401  importing a family enters its rules
    activation,
    attention,
    conv,
    convtranspose,
    ctc,
    decompositions,
    distance,
    dropout,
    elementwise,
    floating,
    folding,
    gamma,
    indexing,
    linalg,
    loss,
    margin,
    maxpool,
    norm,
    piecewise,
    pool,
    recurrent,
    reduction,
    regression,
    resample,
    rounding,
    scan,
    shape,
    sorting,
    trigonometric,
    unpool,
    windows,
)
from backburner_autodiff.rules._rule import RULES, Rule

__all__ = ["NONDIFFERENTIABLE", "RULES", "Rule"]

NONDIFFERENTIABLE = frozenset(
    "equal not_equal less less_equal greater greater_equal logical_not logical_and logical_or "
    "isnan isinf isfinite signbit bitwise_and bitwise_or bitwise_xor bitwise_invert "
    "bitwise_left_shift bitwise_right_shift argmax "
    "argmin any all argsort searchsorted nonzero "
    "full arange linspace eye random".split()
)
"""The ops that have no gradient: what they give is never tracked."""
