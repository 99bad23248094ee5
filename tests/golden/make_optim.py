"""Write optim.npz: where PyTorch's optimizers take parameters in 50 steps, in float64 and float32.

Run it with PyTorch (made with 2.13) and NumPy: ``python make_optim.py``. ``rows`` is a JSON list of
``[class, options, schedule]``, ``shapes`` one of ``[name, shape]``. For each dtype there are ``start/<dtype>``,
``gradients/<dtype>`` ``[50, n]`` and ``path/<dtype>`` ``[rows, len(KEPT), n]``: all parameters end to end, after
the steps in ``kept``. The parameter ``seldom`` has no gradient in steps whose number from 0 is divisible by 3.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

STEPS = 50
KEPT = (1, 2, 3, 10, 50)
SHAPES = (("weight", (3, 4)), ("bias", (3,)), ("seldom", (2, 1, 2)))
ROWS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("SGD", {"lr": 0.01}, ""),
    ("SGD", {"lr": 0.01, "weight_decay": 0.1}, ""),
    ("SGD", {"lr": 0.01, "momentum": 0.9}, ""),
    ("SGD", {"lr": 0.01, "momentum": 0.9, "weight_decay": 0.1}, ""),
    ("SGD", {"lr": 0.01, "momentum": 0.9, "dampening": 0.3}, ""),
    ("SGD", {"lr": 0.01, "momentum": 0.9, "weight_decay": 0.1, "nesterov": True}, ""),
    ("SGD", {"lr": 0.01, "momentum": 0.5, "nesterov": True}, "harmonic"),
    ("Adam", {}, ""),
    ("Adam", {"lr": 0.1, "betas": (0.5, 0.9)}, ""),
    ("Adam", {"lr": 0.1, "betas": (0.0, 0.0)}, ""),
    ("Adam", {"lr": 0.1, "eps": 0.1, "weight_decay": 0.1}, ""),
    ("Adam", {"lr": 0.1}, "harmonic"),
    ("AdamW", {}, ""),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.5, "betas": (0.95, 0.99)}, ""),
    ("AdamW", {"lr": 0.1}, "harmonic"),
)


def split(flat: np.ndarray) -> list[np.ndarray]:
    """Cut the parameters that lie end to end."""
    ends = np.cumsum([np.prod(shape) for _, shape in SHAPES])
    return [part.reshape(shape) for part, (_, shape) in zip(np.split(flat, ends[:-1]), SHAPES, strict=True)]


def path(row: tuple[str, dict[str, Any], str], start: np.ndarray, gradients: np.ndarray) -> list[np.ndarray]:
    """Return all parameters after each kept step."""
    kind, options, schedule = row
    parameters = [torch.nn.Parameter(torch.tensor(part)) for part in split(start)]
    optimizer = getattr(torch.optim, kind)(parameters, **options)
    lr = optimizer.param_groups[0]["lr"]
    kept = []
    for step in range(STEPS):
        for (name, _), parameter, gradient in zip(SHAPES, parameters, split(gradients[step]), strict=True):
            parameter.grad = None if name == "seldom" and step % 3 == 0 else torch.tensor(gradient)
        if schedule == "harmonic":
            optimizer.param_groups[0]["lr"] = lr / (1 + step)
        optimizer.step()
        if step + 1 in KEPT:
            kept.append(np.concatenate([p.detach().numpy().ravel() for p in parameters]))
    return kept


if __name__ == "__main__":
    rng = np.random.default_rng(13)
    n = sum(int(np.prod(shape)) for _, shape in SHAPES)
    start = rng.standard_normal(n)
    gradients = rng.standard_normal((STEPS, n)) * 10.0 ** rng.integers(-4, 2, (STEPS, n))
    gradients[rng.random((STEPS, n)) < 0.1] = 0
    arrays: dict[str, Any] = {"rows": json.dumps(ROWS), "shapes": json.dumps(SHAPES), "kept": np.array(KEPT)}
    for dtype in ("float32", "float64"):
        arrays[f"start/{dtype}"] = start.astype(dtype)
        arrays[f"gradients/{dtype}"] = gradients.astype(dtype)
        paths = [path(row, start.astype(dtype), gradients.astype(dtype)) for row in ROWS]
        arrays[f"path/{dtype}"] = np.array(paths)
    np.savez_compressed(Path(__file__).with_name("optim.npz"), **arrays)
