"""Rows of the trigonometric ops."""

from __future__ import annotations

import math

from ops._pointwise import binary, mapped, unary
from ops._row import real, spread

unit = spread(-0.9, 0.9)

ROWS = (
    unary("sin", real, mapped(math.sin), exact=False),
    unary("cos", real, mapped(math.cos), exact=False),
    unary("tan", spread(-1.3, 1.3), mapped(math.tan), exact=False),
    unary("asin", unit, mapped(math.asin), exact=False),
    unary("acos", unit, mapped(math.acos), exact=False),
    unary("atan", real, mapped(math.atan), exact=False),
    binary("atan2", real, real, mapped(math.atan2), exact=False),
    unary("sinh", real, mapped(math.sinh), exact=False),
    unary("cosh", real, mapped(math.cosh), exact=False),
    unary("asinh", real, mapped(math.asinh), exact=False),
    unary("acosh", spread(1.25, 4), mapped(math.acosh), exact=False),
    unary("atanh", unit, mapped(math.atanh), exact=False),
)
