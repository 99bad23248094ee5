"""What an op on small arrays costs over NumPy's bare call: plain by the core alone, and tracked."""

from __future__ import annotations

import gc
from dataclasses import dataclass

from benchmarks import overhead
from benchmarks.harness import OURS, Group, Lab, Result, Spread

LIMITS = {"plain": 0.6e-6, "tracked": 1.5e-6}


@dataclass(frozen=True)
class Overhead:
    kind: str
    op: str
    threaded: bool = False

    @property
    def name(self) -> str:
        return f"overhead/{self.kind}/{self.op}"

    def measure(self, lab: Lab, threads: int) -> Result:
        process = lab.process("core" if self.kind == "plain" else "ours", threads)
        function = "benchmarks.groups.overhead:measured"
        bare, all_ = process.ask("call", function=function, kind=self.kind, op=self.op)
        over = all_ - bare
        result = Result(self.name, at_most=LIMITS[self.kind])
        result.cells = {OURS: Spread(over, over, over), "arrays": Spread(bare, bare, bare)}
        return result


def measured(kind: str, op: str) -> tuple[float, float]:
    """Return the seconds of what an op runs on arrays, and of the op."""
    rows = [row for row in overhead.ROWS if row.name == op]
    gc.disable()
    try:
        ((_, bare, all_),) = overhead.measured(rows, kind == "tracked")
    finally:
        gc.enable()
    return bare / 1e9, all_ / 1e9


GROUP = Group(
    "overhead",
    "An op on arrays of 4x4: what ours takes more than what it runs on arrays, and that: a call of NumPy, or the "
    "backend's function where there is no single one.",
    tuple(Overhead(kind, row.name) for kind in LIMITS for row in overhead.ROWS),
    (OURS, "arrays"),
)
