"""Write ops/<family>.npz: the table's cases of ops that PyTorch has, with its results and gradients in float64.

Run it from ``tests`` with PyTorch (made with 2.13), NumPy and the core: ``python golden/make_ops.py [family ...]``.
``pytorch/<family>.py`` says which rows PyTorch has. A file holds all numbers end to end in ``values`` and a JSON list
``index`` with one ``[case, {part: shape}]`` per case, in the same order. Parts are ``input0`` and on (left out where
``None``), ``output0``, ``cotangent0``, ``gradient0``.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from ops import FAMILIES, Case  # noqa: E402

Torch = Callable[..., Any]


def evaluate(case: Case, function: Torch) -> dict[str, np.ndarray]:
    """Return the parts of one case."""
    arrays, wanted = case.arrays(), case.differentiable()
    parts = {f"input{i}": x for i, x in enumerate(arrays) if x is not None}
    xs = [None if x is None else torch.tensor(x) for x in arrays]
    for i in wanted:
        xs[i].requires_grad_()
    out = function(*xs, **case.options)
    outputs = [y for y in (out if isinstance(out, tuple) else (out,)) if y is not None]
    parts |= {f"output{i}": y.detach().numpy() for i, y in enumerate(outputs)}
    carried = case.carried(outputs)
    cotangents = case.cotangents([y.detach().numpy() for y in outputs])
    parts |= {f"cotangent{i}": c for i, c in enumerate(cotangents)}
    if not wanted:
        return parts
    grads = torch.autograd.grad(
        carried, [xs[i] for i in wanted], [torch.tensor(c) for c in cotangents], materialize_grads=True
    )
    return parts | {f"gradient{i}": g.numpy() for i, g in zip(wanted, grads, strict=True)}


def write(family: str) -> None:
    """Write the file of one family."""
    functions: dict[str, Torch] = importlib.import_module(f"pytorch.{family}").PYTORCH
    index, values = [], []
    rows = importlib.import_module(f"ops.{family}").ROWS
    for case in (case for row in rows for case in row.cases()):
        name = case.row.name or case.row.op
        if name in functions and not case.empty:
            parts = evaluate(case, functions[name])
            index.append([str(case), {part: value.shape for part, value in parts.items()}])
            values += [value.ravel().astype(np.float64) for value in parts.values()]
    path = HERE / "ops" / f"{family}.npz"
    np.savez_compressed(path, index=json.dumps(index), values=np.concatenate(values))
    print(f"{family}: {len(index)} cases, {path.stat().st_size} bytes")


if __name__ == "__main__":
    families = [module.__name__.rpartition(".")[2] for module in FAMILIES]
    for family in sys.argv[1:] or [f for f in families if (HERE / "pytorch" / f"{f}.py").exists()]:
        write(family)
