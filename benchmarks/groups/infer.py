"""Predictions: ours by the core alone, on NumPy."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks import models
from benchmarks.harness import OURS, Contender, Group, Lab, Result, agree

LIMITS = {"torch": 1.0, "onnx": 1.5}
DEPTHWISE = {"torch": 3.0}  # a convolution for each channel alone is what NumPy has least for
MEAN = 0.8
MORE = (("resnet18", 1), ("efficientnet", 1), ("minilm-32", 1), ("minilm-128", 1), ("minilm-32", 32))


@dataclass(frozen=True)
class Infer:
    model: str
    batch: int
    threaded: bool = True

    @property
    def name(self) -> str:
        return f"infer/{self.model}/{self.batch}"

    def measure(self, lab: Lab, threads: int) -> Result:
        task = {"task": "infer", "model": self.model, "data": str(lab.data(self.model, self.batch))}
        sides = [Contender(OURS, "core", task)]
        if "torch" in lab.settings.peers:
            sides.append(Contender("torch", "pytorch", task))
        if "onnx" in lab.settings.peers and "torch" in lab.settings.peers:
            lab.graph(self.model, self.batch)
            sides.append(Contender("onnx", "onnxruntime", task))
        limits = DEPTHWISE if self.model == "mobilenet" else LIMITS
        result = Result(self.name, threads, limits=dict(limits))
        agree(lab.prepare(sides, threads))
        lab.time(sides, threads, result)
        return result


def _rows() -> list[Infer]:
    rows = [Infer(name, batch) for name in models.TRAINED for batch in (1, models.MODELS[name].batch)]
    return rows + [Infer(name, batch) for name, batch in MORE]


GROUP = Group(
    "infer",
    "A prediction for a batch of that size. Ours is the core alone: Numba and the extension cannot be imported in its "
    "process. ONNX Runtime runs the graph that PyTorch exports.",
    tuple(_rows()),
    (OURS, "torch", "onnx"),
    {"torch": MEAN},
)
