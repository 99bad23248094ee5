"""Single ops, at three sizes: forward on a plain device, and forward and backward."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchmarks.harness import OURS, Contender, Group, Lab, Result, agree
from benchmarks.operations import OPS, SIZES, STEPS

PHASES = ("forward", "gradient")
ROUNDS, SHARE = 5, 0.4  # of the time that a row of a model gets: there are many


@dataclass(frozen=True)
class SingleOp:
    op: str
    size: str
    phase: str
    threaded: bool = True

    @property
    def name(self) -> str:
        return f"op/{self.op}/{self.size}/{self.phase}"

    def measure(self, lab: Lab, threads: int) -> Result:
        task = {"task": "op", "op": self.op, "size": self.size, "phase": self.phase}
        if self.phase == "step":
            task = {"task": "adam_step", "size": self.size}
        sides = [Contender(OURS, "core" if self.phase == "forward" else "ours", task)]
        if "torch" in lab.settings.peers:
            sides.append(Contender("torch", "pytorch", task))
            if self.phase == "step":
                sides.append(Contender("torch fused", "pytorch", {**task, "fused": True}))
        result = Result(self.name, threads)
        settings = lab.settings
        short = replace(
            settings,
            rounds=min(ROUNDS, settings.rounds),
            turn=settings.turn * SHARE,
            warm=settings.warm * SHARE,
        )
        agree(lab.prepare(sides, threads, short))
        lab.time(sides, threads, result, short)
        return result


ROWS = [SingleOp(op, size, phase) for op in OPS for size in SIZES for phase in PHASES]
ROWS += [SingleOp("adam", size, "step") for size in STEPS]

GROUP = Group(
    "op",
    "Ours over PyTorch's time for single ops, with ours. Forward is on a plain device, ours by the core alone; gradient "
    "is forward and backward. The step of Adam is about a square matrix of 100, 500 and 2000; PyTorch's is the one "
    "without options.",
    tuple(ROWS),
    (OURS, "torch", "torch fused"),
    by_op=True,
    long=True,
)
