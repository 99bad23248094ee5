"""Write layers/<family>.npz: PyTorch's layers for the rows of ``layers``, in float64.

Run it from ``tests`` with PyTorch (made with 2.13), NumPy and the core: ``python golden/make_layers.py [family ...]``.
A file holds all numbers end to end in ``values``, and in ``index`` a JSON list with one entry per row:
``[name, facts, {part: shape}]``. Facts are the row as ``written``, PyTorch's ``text`` (repr) and ``signature``, the names of
the ``state`` in order, and for each parameter ``first``: ``[least, most, standard deviation, share beyond it]`` of what
it starts with. Parts are ``draw<i>`` (of args, options, inputs and call, in order), ``state.<name>``, ``output<i>``,
``trained<i>`` (outputs in training), ``cotangent<i>``, ``gradient<i>`` (of each input drawn as ``real`` or ``share``), ``gradient.<name>``, and
``after.<name>`` (buffers after training).
"""

from __future__ import annotations

import importlib
import inspect
import json
import math
import sys
import typing
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent)]
from layers import FAMILIES, named  # noqa: E402
from layers._row import Row, draws, filled, flat  # noqa: E402

# Our names of arguments, and PyTorch's.
NAMES = {"axis": "dim", "start_axis": "start_dim", "end_axis": "end_dim", "keepdims": "keepdim"}
OURS = {theirs: ours for ours, theirs in NAMES.items()}
DEPRECATED = {"size_average", "reduce", "min_value", "max_value", "args", "kwargs", "self"}


class SwiGLU(nn.Module):
    """Hugging Face's LlamaMLP, with the size of its output."""

    def __init__(
        self, in_features, hidden_features, out_features=None, bias=False, device=None, dtype=None
    ) -> None:
        super().__init__()
        kind = {"bias": bias, "device": device, "dtype": dtype}
        self.gate_proj = nn.Linear(in_features, hidden_features, **kind)
        self.up_proj = nn.Linear(in_features, hidden_features, **kind)
        self.down_proj = nn.Linear(hidden_features, out_features or in_features, **kind)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down_proj(nn.functional.silu(self.gate_proj(x)) * self.up_proj(x))


class RotaryEmbedding(nn.Module):
    """Products of complex numbers, as in Llama's first release, with features in either order."""

    def __init__(self, dim, base=10000.0, interleaved=False, scaling_factor=1.0, frequencies=None) -> None:
        super().__init__()
        if frequencies is None:
            frequencies = torch.tensor([base ** (-2 * i / dim) for i in range(dim // 2)], dtype=torch.float64)
        self.angles, self.dim, self.interleaved = frequencies / scaling_factor, dim, interleaved

    def forward(self, x, offset=0, positions=None):
        if positions is None:
            positions = offset + torch.arange(x.shape[-2])
        angles = positions[..., None] * self.angles
        while angles.ndim > 2 and angles.ndim < x.ndim:
            angles = angles.unsqueeze(1)
        turned, rest = x[..., : self.dim], x[..., self.dim :]
        half = self.dim // 2
        shape = (half, 2) if self.interleaved else (2, half)
        pairs = turned.unflatten(-1, shape)
        pairs = pairs if self.interleaved else pairs.transpose(-1, -2)
        y = torch.view_as_real(
            torch.view_as_complex(pairs.contiguous()) * torch.polar(torch.ones_like(angles), angles)
        )
        y = y if self.interleaved else y.transpose(-1, -2)
        return torch.cat([y.flatten(-2), rest], -1)


class PositionalEncoding(nn.Module):
    """The sines and cosines of the paper, one position and feature at a time."""

    def __init__(self, d_model, dropout=0.1, batch_first=False) -> None:
        super().__init__()
        self.d_model, self.batch_first, self.p = d_model, batch_first, dropout

    def forward(self, x, offset=0):
        length = x.shape[1 if x.ndim == 3 and self.batch_first else 0]
        rows = [
            [
                (math.cos if i % 2 else math.sin)(p / 10000 ** ((i - i % 2) / self.d_model))
                for i in range(self.d_model)
            ]
            for p in range(offset, offset + length)
        ]
        table = torch.tensor(rows, dtype=x.dtype)
        table = table if x.ndim == 2 or self.batch_first else table[:, None]
        return nn.functional.dropout(x + table, self.p, self.training)


# Layers that PyTorch does not have, as it would write them.
TWINS: dict[str, type[nn.Module]] = {
    kind.__name__: kind for kind in (PositionalEncoding, RotaryEmbedding, SwiGLU)
}


def layer_class(name: str) -> type[nn.Module]:
    return TWINS.get(name) or getattr(nn, name)


def short(x: np.ndarray) -> np.ndarray:
    """Return floats that float16 holds, which float32 does not round and a file packs well."""
    return x.astype(np.float16).astype(np.float64) if x.dtype.kind == "f" else x


def copied(inputs: Any) -> Any:
    """Return inputs that a layer may write into."""
    if isinstance(inputs, tuple):
        return tuple(copied(x) for x in inputs)
    return inputs.clone()


def made(row: Row, arrays: list[Any]) -> nn.Module:
    """Return PyTorch's layer of a row, in float64."""
    args, options = filled((row.args, row.options), arrays, torch.tensor)
    return layer_class(row.layer)(*args, **{NAMES.get(name, name): v for name, v in options.items()}).double()


def said(default: Any) -> str:
    """Return the default of an argument as text: nothing where there is none, a function's name."""
    if default is inspect.Parameter.empty:
        return ""
    return str(default.__name__) if inspect.isfunction(default) else repr(default)


def signature(kind: type[nn.Module]) -> list[list[str]]:
    """Return the names and defaults of what a layer is made with, under our names."""
    names = {} if kind.__name__ in TWINS else OURS  # a twin is written by ours
    # A recurrent layer's says nothing: what it takes stands in the first of its overloads.
    told = next(iter(typing.get_overloads(kind.__init__)), kind.__init__)
    found = inspect.signature(told).parameters.values()
    return [
        [names.get(p.name, p.name), said(p.default), p.kind.name]
        for p in found
        if p.name not in DEPRECATED and not p.name.startswith("_")
    ]


def first(row: Row, arrays: list[Any]) -> dict[str, list[float]]:
    """Return what each parameter starts with, of many layers."""
    found: dict[str, list[np.ndarray]] = {}
    torch.manual_seed(0)
    for _ in range(400):
        for name, parameter in made(row, arrays).named_parameters():
            found.setdefault(name, []).append(parameter.detach().numpy().ravel())
    facts = {}
    for name, parts in found.items():
        x = np.concatenate(parts)
        std = x.std()
        facts[name] = [float(x.min()), float(x.max()), float(std), float((abs(x) > std).mean())]
    return facts


def evaluate(row: Row, name: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the facts and the parts of a row."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    own = draws((row.args, row.options))
    arrays = [short(draw.drawn(rng)) for draw in draws((row.args, row.options, row.inputs, row.call))]
    parts = {f"draw{i}": x for i, x in enumerate(arrays)}
    layer = made(row, arrays[: len(own)])
    facts = {"written": row.written(), "text": repr(layer), "signature": signature(layer_class(row.layer))}
    facts["first"] = first(row, arrays[: len(own)])
    state = layer.state_dict()
    facts["state"] = list(state)
    fixed = {
        f"{key}"
        for key, _ in layer.named_buffers()
        if not key.rpartition(".")[2].startswith(("running", "num_"))
    }
    for key, value in state.items():
        if value.is_floating_point() and key not in fixed:
            x = short(rng.standard_normal(tuple(value.shape)))
            value.copy_(torch.tensor(0.5 + abs(x) if key.endswith("running_var") else 0.5 * x))
        elif key not in fixed:
            value.fill_(3)
        parts[f"state.{key}"] = value.numpy().copy()
    inputs, call = filled((row.inputs, row.call), arrays[len(own) :], torch.tensor)
    layer.eval()
    with torch.no_grad():
        outputs = flat(layer(*copied(inputs), **call))
    parts |= {f"output{i}": y.numpy() for i, y in enumerate(outputs)}
    if row.training == "draws":
        return facts, parts
    layer.train()
    floats = [draw.kind in ("real", "share") for draw in draws(row.inputs)]
    wanted = [x for x, is_float in zip(flat(inputs), floats, strict=True) if is_float and row.differentiable]
    for x in wanted:
        x.requires_grad_()
    outputs = flat(layer(*copied(inputs), **call))
    parts |= {f"trained{i}": y.detach().numpy() for i, y in enumerate(outputs)}
    parts |= {f"after.{key}": value.numpy() for key, value in layer.named_buffers() if key not in fixed}
    carried = [y for y in outputs if y.requires_grad]
    cotangents = [torch.tensor(short(rng.standard_normal(tuple(y.shape)))) for y in carried]
    parts |= {f"cotangent{i}": g.numpy() for i, g in enumerate(cotangents)}
    named_parameters = {key: p for key, p in layer.named_parameters() if p.requires_grad}
    over = [*wanted, *named_parameters.values()]
    if carried and over:
        grads = torch.autograd.grad(carried, over, cotangents, materialize_grads=True, allow_unused=True)
        labels = [*map(str, range(len(wanted))), *(f".{key}" for key in named_parameters)]
        parts |= {f"gradient{label}": g.numpy() for label, g in zip(labels, grads, strict=True)}
    return facts, parts


def write(family: str) -> None:
    """Write the file of one family."""
    index, values = [], []
    for name, row in named(importlib.import_module(f"layers.{family}").ROWS):
        try:
            facts, parts = evaluate(row, name)
        except Exception as error:
            raise RuntimeError(f"{name}: {row}") from error
        index.append([name, facts, {part: np.shape(value) for part, value in parts.items()}])
        values += [np.ravel(value).astype(np.float64) for value in parts.values()]
    path = HERE / "layers" / f"{family}.npz"
    path.parent.mkdir(exist_ok=True)
    np.savez_compressed(path, index=json.dumps(index), values=np.concatenate(values))
    print(f"{path.name}: {len(index)} rows, {path.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for family in sys.argv[1:] or FAMILIES:
        write(family)
