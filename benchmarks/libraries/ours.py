"""Backburner: training with the extension; `benchmarks.libraries.core` is the core alone."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

import backburner as bb
from benchmarks import models, operations
from benchmarks.libraries import LEARNING_RATE, Outputs, Task, inputs, trained

BUDGET = 75_000_000  # bytes of outputs that the encoder keeps: under half of what its graph holds without


class Library:
    def __init__(self, threads: int) -> None:
        bb.set_num_threads(threads)

    def infer(self, model: str, data: str) -> Task:
        module = loaded(model, data)
        xs = [bb.tensor(x) for x in inputs(data)[0]]
        return Task(lambda: module(*xs), lambda: {"y": module(*xs).numpy()})

    def train(self, model: str, data: str) -> Task:
        return Training(model, data, bb.Device.cpu().autodiff()).task()

    def import_all(self) -> None:
        """Import what training will need, Numba too, which otherwise the first kernel does."""
        bb.features.require("autodiff")
        for module in ("backburner.optim", "backburner_autodiff.optim.adam", "numba"):
            import_module(module)

    def checkpointed(self, data: str, way: str) -> Task:
        return encoder(data, way).task()

    def op(self, op: str, size: str, phase: str) -> Task:
        api = models.ours()
        layer = operations.layer(api, op, size)
        parameters = {} if layer is None else dict(layer.named_parameters())
        for name, parameter in parameters.items():
            parameter.assign(bb.tensor(operations.parameter(name, parameter.shape)))
        xs = [bb.tensor(x) for x in operations.inputs(op, size)]
        if phase == "forward":
            return Task(
                lambda: operations.call(api, op, layer, xs),
                lambda: {"y": operations.call(api, op, layer, xs).numpy()},
            )
        device = bb.Device.cpu().autodiff()
        if layer is not None:
            layer.to(device)
        xs = [x.to(device) for x in xs]
        leaves = [x.require_grad() if x.dtype == np.float32 else x for x in xs]
        g = bb.tensor(operations.cotangent(operations.call(api, op, layer, leaves).shape))

        def run() -> Any:
            return operations.call(api, op, layer, leaves).backward(g)

        def outputs() -> Outputs:
            grads = run()
            found = {f"x{i}": grads[x].numpy() for i, x in enumerate(leaves) if x.dtype == np.float32}
            return found | {name: grads[parameter].numpy() for name, parameter in parameters.items()}

        return Task(run, outputs)

    def adam_step(self, size: str) -> Task:
        from backburner.optim import Adam

        side = operations.STEPS[size]
        layer = bb.nn.Linear(side, side, bias=False).to(bb.Device.cpu().autodiff())
        layer.weight.assign(bb.tensor(operations.parameter("weight", (side, side))))
        optimizer = Adam(layer, lr=LEARNING_RATE)
        grads = {"weight": bb.tensor(operations.parameter("gradient", (side, side)))}

        def outputs() -> Outputs:
            optimizer.step(grads)
            return {"weight": np.array(layer.weight.detach().numpy())}

        return Task(lambda: optimizer.step(grads), outputs)

    def chain(self, nodes: int) -> Task:
        start = bb.tensor([[1.0, 2.0]], device=bb.Device.cpu().autodiff()).require_grad()

        def run() -> Any:
            x = start
            for _ in range(nodes):
                x = x * 1.000001
            return x.sum().backward()

        return Task(run, lambda: {"gradient": run()[start].numpy()})

    def long_attention(self, length: int) -> Task:
        device, F = bb.Device.cpu().autodiff(), bb.nn.functional
        xs = [bb.tensor(x, device=device).require_grad() for x in operations.heads(length)]

        def run() -> Any:
            return F.scaled_dot_product_attention(xs[0], xs[1], xs[2]).backward()

        def outputs() -> Outputs:
            grads = run()
            return {f"x{i}": grads[x].numpy() for i, x in enumerate(xs)}

        return Task(run, outputs)


class Training:
    """A model, its data and Adam."""

    def __init__(self, model: str, data: str, device: bb.Device) -> None:
        from backburner.optim import Adam

        self.spec = models.MODELS[model]
        self.api = models.ours()
        self.module = loaded(model, data).to(device)
        arrays, target = inputs(data)
        self.inputs = [bb.tensor(x, device=device) for x in arrays]
        self.target = bb.tensor(target, device=device)
        self.optimizer = Adam(self.module, lr=LEARNING_RATE)

    def loss(self) -> Any:
        return models.loss(self.api, self.spec, self.module(*self.inputs), self.target)

    def step(self) -> Any:
        loss = self.loss()
        self.optimizer.step(loss.backward())
        return loss

    def task(self) -> Task:
        return Task(
            self.step, trained(self.step, self._gradients, self._parameters, lambda loss: loss.item())
        )

    def _gradients(self) -> tuple[float, Outputs]:
        loss = self.loss()
        grads = loss.backward()
        return loss.item(), {name: grads[p].numpy() for name, p in self.module.named_parameters()}

    def _parameters(self) -> Outputs:
        return {name: np.array(p.detach().numpy()) for name, p in self.module.named_parameters()}


def encoder(data: str, way: str) -> Training:
    """Return the Transformer encoder, with a way of checkpointing: of what to keep for the backward pass."""
    device = bb.Device.cpu().autodiff()
    if way == "balanced":
        device = device.gradient_checkpointing()
    elif way == "budget":
        device = device.gradient_checkpointing(budget_bytes=BUDGET)
    made = Training("encoder", data, device)
    if way == "region":
        for layer in made.module.encoder.layers:
            _checkpoint(layer)
    return made


def _checkpoint(layer: Any) -> None:
    """Make a layer a region: its inside is computed again in the backward pass."""
    forward = layer.forward
    object.__setattr__(
        layer, "forward", lambda *args, **kwargs: bb.checkpoint(partial(forward, **kwargs), *args)
    )


def loaded(model: str, data: str) -> Any:
    """Return a model with the weights that all libraries get."""
    module = models.MODELS[model].make(models.ours())
    bb.load(module, f"{data}/weights.npz", ignore=[])
    return module
