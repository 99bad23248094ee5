"""Backburner: training with the extension; `benchmarks.libraries.core` is the core alone."""

from __future__ import annotations

from typing import Any

import numpy as np

import backburner as bb
from benchmarks import models
from benchmarks.libraries import LEARNING_RATE, Outputs, Task, inputs, trained


class Library:
    def __init__(self, threads: int) -> None:
        bb.set_num_threads(threads)

    def infer(self, model: str, data: str) -> Task:
        module = loaded(model, data)
        xs = [bb.tensor(x) for x in inputs(data)[0]]
        return Task(lambda: module(*xs), lambda: {"y": module(*xs).numpy()})

    def train(self, model: str, data: str, deterministic: bool = False) -> Task:
        from backburner.optim import Adam

        bb.deterministic(deterministic)
        api, spec = models.ours(), models.MODELS[model]
        device = bb.Device.cpu().autodiff()
        module = loaded(model, data).to(device)
        arrays, expected = inputs(data)
        xs, target = [bb.tensor(x, device=device) for x in arrays], bb.tensor(expected, device=device)
        optimizer = Adam(module, lr=LEARNING_RATE)

        def step() -> Any:
            loss = models.loss(api, spec, module(*xs), target)
            optimizer.step(loss.backward())
            return loss

        def gradients() -> tuple[float, Outputs]:
            loss = models.loss(api, spec, module(*xs), target)
            grads = loss.backward()
            return loss.item(), {name: grads[p].numpy() for name, p in module.named_parameters()}

        def parameters() -> Outputs:
            return {name: np.array(p.detach().numpy()) for name, p in module.named_parameters()}

        return Task(step, trained(step, gradients, parameters, lambda loss: loss.item()))


def loaded(model: str, data: str) -> Any:
    """Return a model with the weights that all libraries get."""
    module = models.MODELS[model].make(models.ours())
    bb.load(module, f"{data}/weights.npz", ignore=[])
    return module
