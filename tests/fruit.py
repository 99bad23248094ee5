"""A table of fruit, with all that tables have: categories, dates, gaps, a column that numbers the rows."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

QUICK = ["--hidden", "8", "--epochs", "3"]


def text(rows: list[dict[str, object]], **options: Any) -> str:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n", **options)
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def fruit(n: int = 96, seed: int = 0) -> list[dict[str, object]]:
    """A table in which colour and size tell the kind, and size and the day the price."""
    draw = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []
    for i in range(n):
        kind = ("apple, red", "pear", "plum")[i % 3]
        size = 3.0 + 2 * (i % 3) + draw.normal() * 0.3
        rows.append({
            "number": i + 1,
            "size": "" if i % 11 == 5 else f"{size:.3f}",
            "colour": ("red", "green", "blue")[i % 3] if i % 7 else "",
            "picked": f"2024-{1 + i % 12:02}-{1 + i % 28:02}",
            "note": f"fruit no. {i}",
            "price": f"{2 * size + i % 12 / 4:.3f}",
            "kind": kind,
        })  # fmt: skip
    return rows
