"""A step of training: forward, backward and optimizer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks import models
from benchmarks.harness import OURS, Contender, Disagreement, Group, Lab, Result, agree
from benchmarks.libraries import BETAS, CHECKED_STEPS, EPSILON, LEARNING_RATE, Outputs

LIMIT, MEAN = 1.0, 0.8
# Where an input of a ReLU is zero but for rounding, libraries may choose either side: of half a million inputs in
# ResNet some do, and each moves a gradient by up to a thousandth.
GRADIENT_TOLERANCE = 1e-2
PERCEPTRONS = ("mlp-tabular", "mlp-mnist")


def contenders(model: str, lab: Lab) -> list[Contender]:
    """Return the sides that train a model, among the libraries that are asked for."""
    task = {"task": "train", "model": model, "data": str(lab.data(model, models.MODELS[model].batch))}
    found = [Contender(OURS, "ours", task)]
    peers = lab.settings.peers
    if "torch" in peers:
        found.append(Contender("torch", "pytorch", task))
        found.append(Contender("torch fused", "pytorch", {**task, "fused": True}))
    if "jax" in peers:
        found.append(Contender("jax", "jax", task))
    if "autograd" in peers and model in PERCEPTRONS:
        found.append(Contender("autograd", "hips", task))
    return found


def check(outputs: Mapping[str, Outputs]) -> None:
    """Refuse libraries whose losses or gradients differ, or one whose step is not Adam's from its own gradients.

    Adam's first step is about the sign of the gradient, and so no measure of agreement where that is near zero:
    each library's is compared with the formula.
    """
    agree({label: {"loss": found["loss"]} for label, found in outputs.items()})
    gradients = {
        label: {name: x for name, x in found.items() if name.startswith("gradient/")}
        for label, found in outputs.items()
    }
    agree(gradients, GRADIENT_TOLERANCE)
    (first, expected), *_ = outputs.items()
    for label, found in outputs.items():
        for i in range(CHECKED_STEPS):
            off = abs(found["losses"][i] - expected["losses"][i])
            if not off <= 0.02 * max(abs(expected["losses"][i]), 1):
                raise Disagreement(f"{label} and {first} differ in the loss after {i} steps by {off:.1e}")
        if not astray(found) <= 1e-3:
            raise Disagreement(f"{label}: its first step is not Adam's from its gradients")


def astray(found: Outputs) -> float:
    """Return the share of elements that are not where Adam's first step leads."""
    wrong = total = 0
    for name in [name.removeprefix("after/") for name in found if name.startswith("after/")]:
        off = np.abs(found[f"after/{name}"] - adam(found[f"before/{name}"], found[f"gradient/{name}"]))
        wrong += int((off > 0.02 * LEARNING_RATE).sum())
        total += off.size
    return wrong / total


def adam(parameter: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Return where Adam's first step leads: Kingma and Ba 2015, algorithm 1."""
    g = gradient.astype(np.float64)
    m, v = (1 - BETAS[0]) * g, (1 - BETAS[1]) * g * g
    return parameter - LEARNING_RATE * (m / (1 - BETAS[0])) / (np.sqrt(v / (1 - BETAS[1])) + EPSILON)


@dataclass(frozen=True)
class Train:
    model: str
    threaded: bool = True

    @property
    def name(self) -> str:
        return f"train/{self.model}"

    def measure(self, lab: Lab, threads: int) -> Result:
        sides = contenders(self.model, lab)
        result = Result(self.name, threads, limits={"torch": LIMIT})
        check(lab.prepare(sides, threads))
        lab.time(sides, threads, result)
        return result


GROUP = Group(
    "train",
    "A step of training: forward, backward and Adam. Ours is the core with the extension. `torch` has the Adam that "
    "one gets without options, `torch fused` the one with `fused=True`; JAX compiles the whole step.",
    tuple(Train(model) for model in models.TRAINED),
    (OURS, "torch", "torch fused", "jax", "autograd"),
    {"torch": MEAN},
)
