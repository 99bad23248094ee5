"""What an op on a small array costs over NumPy's bare call: plain by the core alone, and tracked."""

from __future__ import annotations

import statistics
import timeit
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness import OURS, Group, Lab, Result, Spread

NUMBER = 2000
LIMITS = {"plain": 0.6e-6, "tracked": 1.5e-6}

CALLS: Mapping[str, tuple[Callable[[Any, Any], object], Callable[[Any, Any], object]]] = {
    "add": (lambda a, b: a + b, lambda x, y: np.add(x, y)),
    "multiply-number": (lambda a, b: a * 2.0, lambda x, y: np.multiply(x, 2.0)),
    "multiply": (lambda a, b: a * b, lambda x, y: np.multiply(x, y)),
    "exp": (lambda a, b: a.exp(), lambda x, y: np.exp(x)),
    "matmul": (lambda a, b: a @ b, lambda x, y: np.matmul(x, y)),
    "index": (lambda a, b: a[1], lambda x, y: x[1]),
    "reshape": (lambda a, b: a.reshape((2, 8)), lambda x, y: x.reshape((2, 8))),
    "sum": (lambda a, b: a.sum(axis=0), lambda x, y: np.add.reduce(x, axis=0)),
}
"""By name: the op on tensors, and the call of NumPy that it makes."""


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
        rounds = 20 if lab.settings.quick else 60
        bare, over = process.ask("call", function=function, kind=self.kind, op=self.op, rounds=rounds)
        result = Result(self.name, at_most=LIMITS[self.kind])
        result.cells = {OURS: Spread.of(over), "numpy": Spread.of(bare)}
        if "torch" in lab.settings.peers:
            torch = lab.process("pytorch", threads)
            function = "benchmarks.libraries.pytorch:small_op"
            result.cells["torch"] = Spread.of(
                torch.ask("call", function=function, kind=self.kind, op=self.op, rounds=rounds)
            )
        return result


def measured(kind: str, op: str, rounds: int) -> tuple[list[float], list[float]]:
    """Time NumPy's call and ours in turns; return what the first takes and what ours takes more."""
    import backburner as bb

    x, y = operands()
    a, b = bb.tensor(x), bb.tensor(y)
    if kind == "tracked":
        device = bb.Device.cpu().autodiff()
        a, b = a.to(device).require_grad(), b.to(device).require_grad()
    ours, bare = CALLS[op]
    under, over = turns((lambda: bare(x, y), lambda: ours(a, b)), rounds)
    return under, [mine - statistics.median(under) for mine in over]


def operands() -> tuple[Any, Any]:
    """Return two small arrays."""
    rng = np.random.default_rng(0)
    return rng.random((4, 4), np.float32), rng.random((4, 4), np.float32)


def turns(calls: tuple[Callable[[], object], ...], rounds: int) -> list[list[float]]:
    """Return the seconds that each call takes, measured in turns."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, into in zip(calls, times, strict=True):
            into.append(timeit.timeit(call, number=NUMBER) / NUMBER)
    return times


GROUP = Group(
    "overhead",
    "An op on arrays of 4x4: what ours takes more than the bare call of NumPy, and that call. PyTorch's column is what "
    "its op takes in all.",
    tuple(Overhead(kind, op) for kind in LIMITS for op in CALLS),
    (OURS, "numpy", "torch"),
)
