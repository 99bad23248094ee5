"""Write optim.npz: where PyTorch's optimizers take parameters in 50 steps, in float64 and float32.

Run it with PyTorch (made with 2.13) and NumPy: ``python make_optim.py``. The rows are those of
``tests/optimizers.py`` that are against ``torch``; their names are ``rows``. For each dtype there are
``start/<dtype>``, ``gradients/<dtype>`` ``[50, n]`` and ``path/<dtype>`` ``[rows, len(KEPT), n]``: all parameters
end to end, after the steps in ``kept``. ``defaults`` is a JSON object of PyTorch's options by class.
"""

from __future__ import annotations

import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent.parent))
from optimizers import ROWS, SHAPES, Row  # noqa: E402

STEPS = 50
KEPT = (1, 2, 3, 10, 50)
# Options that are PyTorch's own: how it computes, not what.
THEIRS = {"foreach", "capturable", "differentiable", "fused"}


def split(flat: np.ndarray) -> list[np.ndarray]:
    """Cut the parameters that lie end to end."""
    ends = np.cumsum([int(np.prod(shape)) for _, shape in SHAPES])
    return [part.reshape(shape) for part, (_, shape) in zip(np.split(flat, ends[:-1]), SHAPES, strict=True)]


def make(row: Row, parameters: dict[str, torch.nn.Parameter]) -> torch.optim.Optimizer:
    """Return PyTorch's optimizer, each parameter in a group of its own."""
    options = dict(row.options)
    patterns = options.pop("groups", {})
    groups = []
    for name, parameter in parameters.items():
        own: dict[str, Any] = next((g for pattern, g in patterns.items() if fnmatchcase(name, pattern)), {})
        groups.append({"params": [parameter], **own})
    return getattr(torch.optim, row.kind)(groups, **options)  # type: ignore[no-any-return]


def path(row: Row, start: np.ndarray, gradients: np.ndarray) -> list[np.ndarray]:
    """Return all parameters after each kept step."""
    parts = split(start)
    parameters = {
        name: torch.nn.Parameter(torch.tensor(p)) for (name, _), p in zip(SHAPES, parts, strict=True)
    }
    optimizer = make(row, parameters)
    rates = [group["lr"] for group in optimizer.param_groups]
    kept = []
    for step in range(STEPS):
        for (name, _), gradient in zip(SHAPES, split(gradients[step]), strict=True):
            unseen = name == "seldom" and step % 3 == 0
            parameters[name].grad = None if unseen else torch.tensor(gradient)
        if row.schedule == "harmonic":
            for group, lr in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = lr / (1 + step)
        optimizer.step()
        if step + 1 in KEPT:
            kept.append(np.concatenate([p.detach().numpy().ravel() for p in parameters.values()]))
    return kept


def defaults(kind: str) -> dict[str, Any]:
    """Return PyTorch's options of a class, without those that are its own."""
    made = getattr(torch.optim, kind)([torch.nn.Parameter(torch.ones(1, 1))])
    return {name: value for name, value in made.defaults.items() if name not in THEIRS}


if __name__ == "__main__":
    rng = np.random.default_rng(13)
    n = sum(int(np.prod(shape)) for _, shape in SHAPES)
    start = rng.standard_normal(n)
    gradients = rng.standard_normal((STEPS, n)) * 10.0 ** rng.integers(-4, 2, (STEPS, n))
    gradients[rng.random((STEPS, n)) < 0.1] = 0
    rows = [row for row in ROWS if row.against == "torch"]
    arrays: dict[str, Any] = {"rows": json.dumps([str(row) for row in rows]), "kept": np.array(KEPT)}
    arrays["defaults"] = json.dumps({kind: defaults(kind) for kind in sorted({row.kind for row in rows})})
    for dtype in ("float32", "float64"):
        torch.set_default_dtype(getattr(torch, dtype))  # of what NAdam keeps beside its arrays
        arrays[f"start/{dtype}"] = start.astype(dtype)
        arrays[f"gradients/{dtype}"] = gradients.astype(dtype)
        paths = [path(row, start.astype(dtype), gradients.astype(dtype)) for row in rows]
        assert np.isfinite(paths).all()
        arrays[f"path/{dtype}"] = np.array(paths)
    np.savez_compressed(Path(__file__).with_name("optim.npz"), **arrays)
