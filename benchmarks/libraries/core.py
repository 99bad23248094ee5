"""Backburner's core on NumPy alone: in this process the extension and Numba cannot be imported."""

from __future__ import annotations

import sys

from benchmarks.libraries import ours

for name in ("numba", "llvmlite", "backburner_autodiff"):
    assert name not in sys.modules, f"{name} was imported by the core"
    sys.modules[name] = None  # type: ignore[assignment]


class Library(ours.Library):
    pass
