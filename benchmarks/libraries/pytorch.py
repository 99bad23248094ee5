"""PyTorch, as its documentation says to use it: `inference_mode` and `eval` to predict, gradients set to `None`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import models, operations
from benchmarks.libraries import LEARNING_RATE, Outputs, Task, inputs, trained, weights

torch: Any = import_module("torch")


class Library:
    def __init__(self, threads: int) -> None:
        torch.set_num_threads(threads)

    def infer(self, model: str, data: str) -> Task:
        module = loaded(model, data).eval()
        xs = [torch.from_numpy(x) for x in inputs(data)[0]]

        @torch.inference_mode()  # type: ignore[untyped-decorator]
        def run() -> Any:
            return module(*xs)

        return Task(run, lambda: {"y": run().numpy()})

    def train(self, model: str, data: str, fused: bool | None = None) -> Task:
        api, spec = models.pytorch(), models.MODELS[model]
        module = loaded(model, data)
        arrays, expected = inputs(data)
        xs, target = [torch.from_numpy(x) for x in arrays], torch.from_numpy(expected)
        optimizer = torch.optim.Adam(module.parameters(), lr=LEARNING_RATE, fused=fused)

        def step() -> Any:
            optimizer.zero_grad()
            loss = models.loss(api, spec, module(*xs), target)
            loss.backward()
            optimizer.step()
            return loss.detach()

        def gradients() -> tuple[float, Outputs]:
            optimizer.zero_grad()
            loss = models.loss(api, spec, module(*xs), target)
            loss.backward()
            return loss.item(), {name: p.grad.numpy().copy() for name, p in module.named_parameters()}

        def parameters() -> Outputs:
            return {name: p.detach().numpy().copy() for name, p in module.named_parameters()}

        return Task(step, trained(step, gradients, parameters, lambda loss: loss.item()))

    def op(self, op: str, size: str, phase: str) -> Task:
        api = models.pytorch()
        layer = operations.layer(api, op, size)
        parameters = {} if layer is None else dict(layer.named_parameters())
        for name, parameter in parameters.items():
            parameter.data = torch.from_numpy(operations.parameter(name, tuple(parameter.shape)))
        xs = [torch.from_numpy(x) for x in operations.inputs(op, size)]
        if phase == "forward":
            if layer is not None:
                layer.eval()

            @torch.inference_mode()  # type: ignore[untyped-decorator]
            def forward() -> Any:
                return operations.call(api, op, layer, xs)

            return Task(forward, lambda: {"y": forward().numpy()})
        floats = {f"x{i}": x.requires_grad_() for i, x in enumerate(xs) if x.is_floating_point()}
        leaves = floats | parameters
        g = torch.from_numpy(operations.cotangent(operations.call(api, op, layer, xs).shape))

        def run() -> Any:
            return torch.autograd.grad(operations.call(api, op, layer, xs), list(leaves.values()), g)

        return Task(run, lambda: {name: x.numpy() for name, x in zip(leaves, run(), strict=True)})

    def adam_step(self, size: str, fused: bool | None = None) -> Task:
        side = operations.STEPS[size]
        weight = torch.nn.Parameter(torch.from_numpy(operations.parameter("weight", (side, side))))
        weight.grad = torch.from_numpy(operations.parameter("gradient", (side, side)))
        optimizer = torch.optim.Adam([weight], lr=LEARNING_RATE, fused=fused)

        def outputs() -> Outputs:
            optimizer.step()
            return {"weight": weight.detach().numpy().copy()}

        return Task(optimizer.step, outputs)

    def chain(self, nodes: int) -> Task:
        start = torch.tensor([[1.0, 2.0]], requires_grad=True)

        def run() -> Any:
            x = start
            for _ in range(nodes):
                x = x * 1.000001
            return torch.autograd.grad(x.sum(), [start])

        return Task(run, lambda: {"gradient": run()[0].numpy()})

    def long_attention(self, length: int) -> Task:
        xs = [torch.from_numpy(x).requires_grad_() for x in operations.heads(length)]
        g = torch.ones(xs[0].shape)

        def run() -> Any:
            return torch.autograd.grad(torch.nn.functional.scaled_dot_product_attention(*xs), xs, g)

        return Task(run, lambda: {f"x{i}": x.numpy() for i, x in enumerate(run())})


def loaded(model: str, data: str) -> Any:
    """Return a model with the weights that all libraries get."""
    module = models.MODELS[model].make(models.pytorch())
    state = {name: torch.from_numpy(np.ascontiguousarray(w)) for name, w in weights(data).items()}
    missing, unexpected = module.load_state_dict(state, strict=False)
    assert not unexpected and all(name.endswith("num_batches_tracked") for name in missing), missing
    return module


def export(model: str, data: str) -> None:
    """Write `model.onnx`, by PyTorch's own exporter: what other runtimes run."""
    import warnings

    target = Path(data) / "model.onnx"
    module = loaded(model, data).eval()
    xs = tuple(torch.from_numpy(x) for x in inputs(data)[0])
    # The fused encoder layer has no counterpart in ONNX; without it the layer is exported in parts.
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            names = [f"x{i}" for i in range(len(xs))]
            torch.onnx.export(module, xs, str(target), dynamo=False, opset_version=20, input_names=names)
    finally:
        torch.backends.mha.set_fastpath_enabled(True)
