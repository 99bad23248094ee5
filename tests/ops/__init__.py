"""The table: one row per public op, by family. ``test_ops.py`` has the laws that it drives."""

from __future__ import annotations

from ops import (
    activation,
    bitwise,
    conv,
    creation,
    elementwise,
    floating,
    indexing,
    linalg,
    loss,
    norm,
    pool,
    reduction,
    rounding,
    scan,
    shape,
    sorting,
    trigonometric,
)
from ops._row import Array as Array
from ops._row import Case as Case
from ops._row import Row as Row
from ops._row import public as public
from ops.creation import DRAWS as DRAWS
from ops.creation import Draw as Draw

FAMILIES = (
    activation,
    bitwise,
    conv,
    creation,
    elementwise,
    floating,
    indexing,
    linalg,
    loss,
    norm,
    pool,
    reduction,
    rounding,
    scan,
    shape,
    sorting,
    trigonometric,
)
ROWS: tuple[Row, ...] = tuple(row for family in FAMILIES for row in family.ROWS)
CASES: tuple[Case, ...] = tuple(case for row in ROWS for case in row.cases())
