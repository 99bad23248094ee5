"""PyTorch, as its documentation says to use it: `inference_mode` and `eval` to predict, gradients set to `None`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import models
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
