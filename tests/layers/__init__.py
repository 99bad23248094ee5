"""The table of layers, by family: ``<family>.py`` has at least one row per public layer.

``test_layers.py`` has the laws that they drive; ``golden/make_layers.py`` freezes PyTorch's answers for them, and is to
be run again for the family whose rows change. A layer without a row fails a test.
"""

from __future__ import annotations

from collections.abc import Sequence

from layers import (
    activation,
    attention,
    container,
    conv,
    dropout,
    indexing,
    linalg,
    loss,
    norm,
    pool,
    recurrent,
    resample,
    rotary,
    shape,
    transformer,
)
from layers._row import Row

_MODULES = (
    *(
        activation,
        attention,
        container,
        conv,
        dropout,
        indexing,
        linalg,
        loss,
        norm,
        pool,
        recurrent,
        resample,
    ),
    *(rotary, shape, transformer),
)
FAMILIES: dict[str, Sequence[Row]] = {module.__name__.rpartition(".")[2]: module.ROWS for module in _MODULES}


def named(rows: Sequence[Row]) -> list[tuple[str, Row]]:
    """Return the rows of a family with a name each: the layer's and a number."""
    counts: dict[str, int] = {}
    found = []
    for row in rows:
        counts[row.layer] = counts.get(row.layer, -1) + 1
        found.append((f"{row.layer}-{counts[row.layer]}", row))
    return found


ROWS: dict[str, Row] = {name: row for rows in FAMILIES.values() for name, row in named(rows)}
