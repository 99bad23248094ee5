"""What `bb.deterministic(True)` costs, and that it keeps its word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks import models
from benchmarks.harness import OURS, Contender, Disagreement, Group, Lab, Result

MEAN = 1.1


@dataclass(frozen=True)
class Deterministic:
    model: str
    threaded: bool = False

    @property
    def name(self) -> str:
        return f"deterministic/{self.model}"

    def measure(self, lab: Lab, threads: int) -> Result:
        task = {
            "task": "train",
            "model": self.model,
            "data": str(lab.data(self.model, models.MODELS[self.model].batch)),
        }
        sides = [Contender(OURS, "deterministic", task), Contender("free", "ours", task)]
        one = Contender("one thread", "deterministic", task, threads=1)
        outputs = lab.prepare([*sides, one], threads)
        lab.drop([one], threads)
        for name, array in outputs[OURS].items():
            if not np.array_equal(array, outputs["one thread"][name]):
                raise Disagreement(f"{name} has other bits with {threads} threads than with one")
        result = Result(self.name, threads)
        lab.time(sides, threads, result)
        return result


GROUP = Group(
    "deterministic",
    "A step of training under `bb.deterministic(True)` beside one without. Loss, gradients and parameters had the same "
    "bits with one thread, or the row would be an error.",
    tuple(Deterministic(model) for model in models.TRAINED),
    (OURS, "free"),
    {"free": MEAN},
    long=True,
)
