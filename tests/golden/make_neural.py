"""Write neural.npz: activations, norms and cross entropy with their gradients, by PyTorch in float64.

Run it with PyTorch (made with 2.13) and NumPy: ``python make_neural.py``. The file holds all numbers end to end
in ``values`` and a JSON list ``index`` with one ``[op, options, {part: shape}]`` per case, in the same order. Parts
are ``input0`` and on (left out where ``None``), ``cotangent``, ``output0`` and on, ``gradient0`` and on.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

Arrays = list[np.ndarray | None]
REDUCTIONS = ("none", "mean", "sum")


def forward(op: str, xs: list[Any], o: dict[str, Any]) -> tuple[torch.Tensor, ...]:
    """Apply ``op`` of Backburner to PyTorch tensors."""
    match op:
        case "relu" | "sigmoid":
            return (getattr(torch, op)(xs[0]),)
        case "gelu":
            return (F.gelu(xs[0], approximate=o["approximate"]),)
        case "softmax" | "log_softmax":
            return (getattr(torch, op)(xs[0], dim=o["axis"]),)
        case "layer_norm":
            x, weight, bias = xs
            return (F.layer_norm(x, x.shape[x.ndim - o["ndim"] :], weight, bias, o["eps"]),)
        case "batch_norm":
            x, weight, bias = xs
            axes = [0, *range(2, x.ndim)]
            out = F.batch_norm(x, None, None, weight, bias, training=True, eps=o["eps"])
            return out, x.mean(axes).detach(), x.var(axes, correction=0).detach()
        case "cross_entropy":
            return (F.cross_entropy(xs[0], xs[1], xs[2], **o),)
    raise ValueError(op)


def evaluate(op: str, inputs: Arrays, options: dict[str, Any], seed: int) -> dict[str, np.ndarray]:
    """Return the parts of one case, with a random cotangent."""
    xs = [None if x is None else torch.tensor(x) for x in inputs]
    tracked = [x is not None and x.is_floating_point() for x in xs]
    if op == "cross_entropy":
        tracked[2] = False
    for x, track in zip(xs, tracked, strict=True):
        if x is not None and track:
            x.requires_grad_()
    outs = forward(op, xs, options)
    g = torch.tensor(np.random.default_rng(seed).standard_normal(tuple(outs[0].shape)))
    wanted = [i for i, track in enumerate(tracked) if track]
    grads = torch.autograd.grad(outs[0], [xs[i] for i in wanted], g.to(outs[0].dtype))
    case = {"cotangent": g.numpy()}
    case |= {f"input{i}": x for i, x in enumerate(inputs) if x is not None}
    case |= {f"output{i}": y.detach().numpy() for i, y in enumerate(outs)}
    case |= {f"gradient{i}": dx.numpy() for i, dx in zip(wanted, grads, strict=True)}
    return case


def affine(rng: np.random.Generator, shape: tuple[int, ...], which: int) -> Arrays:
    """Return weight and bias, one of them, or neither."""
    return [rng.standard_normal(shape) if which & bit else None for bit in (1, 2)]


def cases(rng: np.random.Generator) -> list[tuple[str, Arrays, dict[str, Any]]]:
    """Return the table."""
    x = np.concatenate([3 * rng.standard_normal(8), [-12.0, -5.0, -0.0, 0.0, 1e-20, 5.0, 40.0, -800.0]])
    table: list[tuple[str, Arrays, dict[str, Any]]] = [("relu", [x], {}), ("sigmoid", [x], {})]
    table += [("gelu", [x], {"approximate": kind}) for kind in ("none", "tanh")]
    for op in ("softmax", "log_softmax"):
        table += [(op, [4 * rng.standard_normal((2, 3, 5))], {"axis": axis}) for axis in range(3)]
        table += [(op, [np.array([[1000.0, 0.0, -np.inf], [-1000.0, -1000.0, -1001.0]])], {"axis": 1})]
    for which in range(4):
        for shape, ndim in (((4, 6), 1), ((2, 3, 4), 1), ((2, 3, 4), 2), ((5,), 1)):
            parts = affine(rng, shape[len(shape) - ndim :], which)
            table += [("layer_norm", [rng.standard_normal(shape) + 2, *parts], {"ndim": ndim, "eps": 1e-5})]
        for shape in ((6, 3), (4, 3, 5), (2, 3, 4, 2)):
            table += [
                ("batch_norm", [rng.standard_normal(shape) - 3, *affine(rng, (3,), which)], {"eps": 1e-3})
            ]
    target = np.array([1, -100, 0, 3, -100, 2])
    for reduction in REDUCTIONS:
        for smoothing in (0.0, 0.3):
            for weight in (None, rng.random(4) + 0.1):
                for ignored in (-100, 3):
                    kept = np.where(target == -100, ignored, target)
                    options = {"ignore_index": ignored, "label_smoothing": smoothing, "reduction": reduction}
                    table += [("cross_entropy", [2 * rng.standard_normal((6, 4)), kept, weight], options)]
    return table


if __name__ == "__main__":
    index, values = [], []
    for number, (op, inputs, options) in enumerate(cases(np.random.default_rng(20))):
        parts = evaluate(op, inputs, options, seed=number)
        index.append([op, options, {name: value.shape for name, value in parts.items()}])
        values += [value.ravel().astype(np.float64) for value in parts.values()]
    path = Path(__file__).with_name("neural.npz")
    np.savez_compressed(path, index=json.dumps(index), values=np.concatenate(values))
