"""The tables, by family.

``<family>.py`` has one row per public op; ``test_ops.py`` has the laws that they drive. ``<family>_special.py`` adds
``SPECIALS`` to those of ``special.py``, ``<family>_errors.py`` adds ``REFUSED``, and ``REFUSED_GRAPHS`` for what only
an autodiff device refuses, to those of ``errors.py``.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from ops import (
    activation,
    attention,
    bitwise,
    comparison,
    conv,
    convtranspose,
    creation,
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
from ops._row import Array as Array
from ops._row import Case as Case
from ops._row import Row as Row
from ops._row import public as public
from ops.creation import DRAWS as DRAWS
from ops.creation import Draw as Draw

FAMILIES = (
    activation,
    attention,
    bitwise,
    comparison,
    conv,
    convtranspose,
    creation,
    ctc,
    decompositions,
    dropout,
    distance,
    elementwise,
    floating,
    folding,
    gamma,
    indexing,
    linalg,
    loss,
    maxpool,
    margin,
    norm,
    piecewise,
    pool,
    recurrent,
    reduction,
    resample,
    regression,
    rounding,
    scan,
    shape,
    sorting,
    trigonometric,
    unpool,
    windows,
)
ROWS: tuple[Row, ...] = tuple(row for family in FAMILIES for row in family.ROWS)
CASES: tuple[Case, ...] = tuple(case for row in ROWS for case in row.cases())


def collected(kind: str, name: str) -> tuple[Any, ...]:
    """Return the rows called ``name`` in ``<kind>.py`` and all ``*_<kind>.py``."""
    files = sorted(path.stem for path in Path(__file__).parent.glob(f"*{kind}.py"))
    modules = [importlib.import_module(f"ops.{file}") for file in files]
    return tuple(row for module in modules for row in getattr(module, name, ()))
