"""Frozen answers of PyTorch, and layers made and filled as they were."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import backburner as bb
from backburner import nn
from layers import FAMILIES
from layers._row import Draw, Row, draws, filled, flat

GOLDEN = Path(__file__).parent.parent / "golden" / "layers"


class Frozen(NamedTuple):
    """What PyTorch said of a row: facts, and arrays by the names that ``golden/make_layers.py`` tells."""

    facts: dict[str, Any]
    parts: dict[str, np.ndarray]

    def list(self, name: str) -> list[np.ndarray]:
        """Return the parts ``name0``, ``name1`` and so on."""
        found = []
        while f"{name}{len(found)}" in self.parts:
            found.append(self.parts[f"{name}{len(found)}"])
        return found

    def named(self, prefix: str) -> dict[str, np.ndarray]:
        """Return the parts ``prefix.<name>`` by name."""
        return {key[len(prefix) + 1 :]: x for key, x in self.parts.items() if key.startswith(f"{prefix}.")}


def frozen() -> dict[str, Frozen]:
    """Return PyTorch's answers by the names of rows."""
    found = {}
    for family in FAMILIES:
        with np.load(GOLDEN / f"{family}.npz") as file:
            index, values = json.loads(str(file["index"])), file["values"]
        start = 0
        for name, facts, shapes in index:
            parts = {}
            for part, shape in shapes.items():
                stop = start + math.prod(shape)
                parts[part] = values[start:stop].reshape(shape)
                start = stop
            found[name] = Frozen(facts, parts)
    return found


def tensor(draw: Draw, array: np.ndarray, dtype: Any) -> bb.Tensor:
    """Return a draw's array as a tensor: floats in ``dtype``."""
    if draw.kind in ("whole", "given"):
        return bb.asarray(array.astype(np.int64))
    return bb.asarray(array.astype(bool if draw.kind == "mask" else dtype))


def made(row: Row, answer: Frozen | None = None, dtype: Any = "float32", **more: Any) -> nn.Module:
    """Return the row's layer, with its class's own first values.

    Args:
        row: which.
        answer: PyTorch's, with the arrays among the options.
        dtype: that of these, and of the parameters of a layer that lets one choose.
        more: further options.
    """
    kind = getattr(nn, row.layer)
    given = draws((row.args, row.options))
    arrays = [tensor(d, x, dtype) for d, x in zip(given, answer.list("draw") if answer else [], strict=False)]
    args, options = filled((row.args, row.options), arrays, lambda x: x)
    if "dtype" in signature(kind) and not given:
        more = {"dtype": dtype} | more
    layer: nn.Module = kind(*args, **options, **more)
    return layer


def loaded(row: Row, answer: Frozen, dtype: Any = "float64") -> nn.Module:
    """Return the row's layer with PyTorch's state."""
    layer = made(row, answer, dtype)
    kinds = {name: x.numpy().dtype for name, x in layer.state_dict().items()}
    layer.load_state_dict({name: x.astype(kinds[name]) for name, x in answer.named("state").items()})
    return layer


def inputs(row: Row, answer: Frozen, dtype: Any = "float64") -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """Return what the row's layer is called with."""
    given = draws((row.inputs, row.call))
    own = len(draws((row.args, row.options)))
    tensors = [tensor(d, x, dtype) for d, x in zip(given, answer.list("draw")[own:], strict=True)]
    args, call = filled((row.inputs, row.call), tensors, lambda x: x)
    return args, call


def said(default: Any) -> str:
    """Return the default of an argument as text: nothing where there is none, a function's name."""
    import inspect

    if default is inspect.Parameter.empty:
        return ""
    return str(default.__name__) if inspect.isfunction(default) else repr(default)


def signature(kind: type[nn.Module]) -> dict[str, tuple[str, str]]:
    """Return the default and the kind of each argument that a layer is made with."""
    import inspect

    if "__init__" not in dir(kind) or kind.__init__ is object.__init__:
        return {}
    found = inspect.signature(kind.__init__).parameters.values()
    return {
        p.name: (said(p.default), p.kind.name)
        for p in found
        if p.name not in ("self", "args", "kwargs") and not p.name.startswith("_")
    }


def outputs(found: Any) -> list[np.ndarray]:
    """Return a result's arrays."""
    return [y.detach().numpy() for y in flat(found)]
