"""Write optim.npz: where PyTorch's optimizers take parameters in 50 steps, in float64 and float32.

Run it with PyTorch (made with 2.13) and NumPy: ``python make_optim.py``. The rows are those of
``tests/optimizers.py`` that are against ``torch``; their names are ``rows``. For each dtype there are
``start/<dtype>``, ``gradients/<dtype>`` ``[50, n]`` and ``path/<dtype>`` ``[rows, len(KEPT), n]``: all parameters
end to end, after the steps in ``kept``. ``defaults`` is a JSON object of PyTorch's options by class.
``average/seen`` ``[updates, n]`` is a model's state at each update of ``average/<kind>`` ``[updates, n]``: its
linear layer and batch norm, in the order of ``state_dict`` and without the count of batches. ``lbfgs/path``
``[rows * 4, n]`` and ``lbfgs/losses`` are what four steps of each row of ``LBFGS`` give, ``searches`` where its line search looks.
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
from optimizers import LBFGS, ROWS, SEEDS, SHAPES, Row, shapes, wavy  # noqa: E402

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
    optimizer = make(row, {name: parameters[name] for name, _ in shapes(row.kind)})
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


def descend(options: dict[str, Any], x: Any, y: Any, *start: Any) -> list[tuple[float, np.ndarray]]:
    """Return the loss before each of four steps of L-BFGS on a small network, and the weights after it."""
    weight, bias = (torch.nn.Parameter(torch.tensor(part)) for part in start)
    unused = torch.nn.Parameter(torch.ones(2, dtype=torch.float64))
    optimizer = torch.optim.LBFGS([weight, bias, unused], **options)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        out = torch.tanh(torch.tensor(x) @ weight.T + bias)
        loss = ((out - torch.tensor(y)) ** 2).sum() + 0.1 * (weight**4).sum()
        loss.backward()
        return loss

    found = []
    for _ in range(4):
        loss = float(optimizer.step(closure).detach())
        found.append((loss, np.concatenate([p.detach().numpy().ravel() for p in (weight, bias)])))
    return found


def lbfgs(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return the data of a small network, and where L-BFGS takes it."""
    data = {name: rng.standard_normal(shape) for name, shape in
            {"x": (6, 3), "y": (6, 4), "w": (4, 3), "b": (4,)}.items()}  # fmt: skip
    steps = [step for options in LBFGS for step in descend(options, *data.values())]
    found = {f"lbfgs/{name}": part for name, part in data.items()}
    found["lbfgs/losses"] = np.array([loss for loss, _ in steps])
    found["lbfgs/path"] = np.array([weights for _, weights in steps])
    return found


def searches() -> np.ndarray:
    """Return where PyTorch's line search looks, and in the last column what it returns; NaN for the rest."""
    from torch.optim.lbfgs import _strong_wolfe

    most = 25
    found = np.full((len(SEEDS), most + 2), np.nan)
    for seed, row in zip(SEEDS, found, strict=True):
        f, slope, first = wavy(seed)
        asked: list[float] = []

        def look(x: Any, t: Any, d: Any, f: Any = f, slope: Any = slope, asked: Any = asked) -> Any:
            asked.append(float(t))
            return f(float(t)), torch.tensor([slope(float(t))])

        begin = torch.tensor([slope(0.0)])
        *_, t, _ = _strong_wolfe(look, None, first, torch.ones(1), f(0.0), begin, begin[0], max_ls=most)
        row[: len(asked)], row[-1] = asked, float(t)
    return found


def averages(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return what PyTorch's averaged models are after each update, and the states that they saw."""
    from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    kinds = {
        "ema": AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9)),
        "ema buffers": AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=True),
        "swa": AveragedModel(model),
        "swa buffers": AveragedModel(model, use_buffers=True),
    }
    found: dict[str, list[np.ndarray]] = {f"average/{name}": [] for name in ("seen", *kinds)}

    def flat(module: torch.nn.Module) -> np.ndarray:
        return np.concatenate(
            [x.numpy().ravel() for x in module.state_dict().values() if x.is_floating_point()]
        )

    for _ in range(6):
        with torch.no_grad():
            for x in model.state_dict().values():
                x.copy_(torch.tensor(rng.standard_normal(tuple(x.shape)) + 5))
        found["average/seen"].append(flat(model))
        for name, average in kinds.items():
            average.update_parameters(model)
            found[f"average/{name}"].append(flat(average.module))
    return {name: np.array(parts) for name, parts in found.items()}


if __name__ == "__main__":
    # Muon's products in the dtype of the parameters: bfloat16 has no digits to compare.
    torch.Tensor.bfloat16 = torch.Tensor.clone  # type: ignore[assignment]
    rng = np.random.default_rng(13)
    n = sum(int(np.prod(shape)) for _, shape in SHAPES)
    start = rng.standard_normal(n)
    gradients = rng.standard_normal((STEPS, n)) * 10.0 ** rng.integers(-4, 2, (STEPS, n))
    gradients[rng.random((STEPS, n)) < 0.1] = 0
    rows = [row for row in ROWS if row.against == "torch"]
    arrays: dict[str, Any] = {"rows": json.dumps([str(row) for row in rows]), "kept": np.array(KEPT)}
    arrays["defaults"] = json.dumps(
        {kind: defaults(kind) for kind in sorted({row.kind for row in rows} | {"LBFGS"})}
    )
    for dtype in ("float32", "float64"):
        torch.set_default_dtype(getattr(torch, dtype))  # of what NAdam keeps beside its arrays
        arrays[f"start/{dtype}"] = start.astype(dtype)
        arrays[f"gradients/{dtype}"] = gradients.astype(dtype)
        paths = [path(row, start.astype(dtype), gradients.astype(dtype)) for row in rows]
        assert np.isfinite(paths).all()
        arrays[f"path/{dtype}"] = np.array(paths)
    arrays |= averages(rng)
    torch.set_default_dtype(torch.float64)
    arrays |= lbfgs(rng)
    arrays["searches"] = searches()
    np.savez_compressed(Path(__file__).with_name("optim.npz"), **arrays)
