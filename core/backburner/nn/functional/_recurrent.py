"""What the recurrent layers share: their weights in order, the layers one after another, and the checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array, Shape
from backburner.device import Device
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.nn.functional._options import parameter
from backburner.nn.functional.dropout import dropout as drop
from backburner.ops._operands import chosen, flag, integer, number, primitive, same_floats
from backburner.ops.shape import concat, expand_dims, permute_dims, squeeze, stack

Lengths = Sequence[int] | Tensor | None
State = Tensor | None
Pair = tuple[Tensor, Tensor]
Weights = Sequence[Tensor]
Layer = Callable[[Device, Any, list[Any], list[Any], Array | None, bool], tuple[Any, ...]]


def rnn_layer(nonlinearity: str) -> Layer:
    def layer(device: Device, x: Any, states: list[Any], weights: list[Any], ends: Any, reverse: bool) -> Any:
        (h,), (w_ih, w_hh, b_ih, b_hh, _) = states, weights
        return device.backend.rnn(
            x, h, w_ih, w_hh, b_ih, b_hh, ends, nonlinearity=nonlinearity, reverse=reverse
        )

    return layer


def gru_layer(device: Device, x: Any, states: list[Any], weights: list[Any], ends: Any, reverse: bool) -> Any:
    (h,), (w_ih, w_hh, b_ih, b_hh, _) = states, weights
    return device.backend.gru(x, h, w_ih, w_hh, b_ih, b_hh, ends, reverse=reverse)


def lstm_layer(
    device: Device, x: Any, states: list[Any], weights: list[Any], ends: Any, reverse: bool
) -> Any:
    (h, c), (w_ih, w_hh, b_ih, b_hh, w_hr) = states, weights
    return device.backend.lstm(x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, ends, reverse=reverse)


def known(op: str, nonlinearity: str) -> None:
    chosen(op, "nonlinearity", nonlinearity, ("tanh", "relu"))


def pair(op: str, hx: Pair | None) -> tuple[State, State]:
    """Return state and cell."""
    if hx is None:
        return None, None
    if not isinstance(hx, (tuple, list)) or len(hx) != 2:
        raise ArgumentError(f"{op}: hx must be a pair of tensors, states and cells, or None.")
    return hx[0], hx[1]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a network is made of: its options, and the weights of each layer and direction.

    Attributes:
        op: what the messages are of.
        gates: how many there are.
        directions: 1 or 2.
        dropout: between layers, 0 where none is due.
        projected: to how many elements, 0 for no projection.
        parts: w_ih, w_hh, b_ih, b_hh and w_hr each time, ``None`` where there is none.
    """

    op: str
    gates: int
    directions: int
    dropout: float
    projected: int
    parts: list[list[Tensor | None]]


def planned(
    op: str, weights: Weights, gates: int, num_layers: int, bidirectional: bool, dropout: float,
    training: bool, projected: int = 0,
) -> Plan:  # fmt: skip
    layers, p = integer(op, "num_layers", num_layers), number(op, "dropout", dropout)
    if layers < 1:
        raise ArgumentError(f"{op}: num_layers must be at least 1, got {layers}.")
    if not 0 <= p <= 1:
        raise ArgumentError(f"{op}: dropout must be in [0, 1], got {dropout}.")
    if not isinstance(weights, (tuple, list, Sequence)):
        raise DTypeError(f"{op}: weights must be a sequence of tensors, got a {type(weights).__name__}.")
    directions, extra = 2 if flag(op, "bidirectional", bidirectional) else 1, 1 if projected else 0
    count = layers * directions
    each = len(weights) // count
    if len(weights) % count or each not in (2 + extra, 4 + extra):
        raise ArgumentError(
            f"{op}: {count} layers and directions take {2 + extra} weights each, or {4 + extra} with biases, "
            f"got {len(weights)} in all."
        )
    parts: list[list[Tensor | None]] = []
    for i in range(count):
        part: list[Tensor | None] = list(weights[i * each : (i + 1) * each])
        for w in part:
            primitive(op, w)  # type: ignore[arg-type]  # which refuses what is not a tensor
        if each == 2 + extra:
            part[2:2] = [None, None]
        parts.append(part if projected else [*part, None])
    return Plan(op, gates, directions, p if flag(op, "training", training) else 0.0, projected, parts)


def network(
    plan: Plan, x: Tensor, hx: tuple[State, ...], batch_first: bool, lengths: Lengths, layer: Layer
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Return the states of the last layer, and the last states and cells of all."""
    op = plan.op
    flat = [w for part in plan.parts for w in part]
    (held, *rest), device = same_floats(op, x, *hx, *flat)
    batched, swapped = held.ndim == 3, flag(op, "batch_first", batch_first)
    if held.ndim not in (2, 3):
        raise ShapeError(
            f"{op}: the input must be [t, n, c], or [t, c] for one sequence, got {list(held.shape)}."
        )
    if not batched and lengths is not None:
        raise ArgumentError(f"{op}: lengths take a batch, got {list(held.shape)}. Cut the sequence instead.")
    y = Tensor(held, device)
    if not batched:
        y = expand_dims(y, 1)
    elif swapped:
        y = permute_dims(y, (1, 0, 2))
    t, n, c = y.shape
    if t == 0:
        raise ShapeError(f"{op}: there is no step: {list(held.shape)}.")
    ends = None if lengths is None else _ends(op, lengths, t, n)
    sets = [rest[i : i + 5] for i in range(len(hx), len(rest), 5)]
    sizes = _sizes(plan, sets, c)
    states = [_states(op, name, state, len(sets), n, size, batched, held.dtype, device)
              for name, state, size in zip(("hx", "the cells of hx"), rest[: len(hx)], sizes, strict=False)]  # fmt: skip
    last: list[tuple[Tensor, ...]] = []
    for first in range(0, len(sets), plan.directions):
        if first and plan.dropout:
            y = drop(y, plan.dropout)
        outs = []
        for i in range(first, first + plan.directions):
            before = [state[i]._primitive for state in states]
            out, *after = layer(device, y._primitive, before, sets[i], ends, i > first)
            outs.append(Tensor(out, device))
            last.append(tuple(Tensor(state, device) for state in after))
        y = outs[0] if len(outs) == 1 else concat(outs, axis=2)
    if not batched:
        y = squeeze(y, 1)
    elif swapped:
        y = permute_dims(y, (1, 0, 2))
    finals = [stack(list(parts)) for parts in zip(*last, strict=True)]
    return y, tuple(finals if batched else [squeeze(final, 1) for final in finals])


def _sizes(plan: Plan, sets: list[list[Any]], c: int) -> tuple[int, int]:
    """Check the shapes of all weights, and return the sizes of a state and of a cell."""
    op, gates = plan.op, plan.gates
    w = sets[0][0]
    if w.ndim != 2 or w.shape[0] % gates:
        raise ShapeError(
            f"{op}: the first weight must be [{f'{gates} h' if gates > 1 else 'h'}, c], got {list(w.shape)}."
        )
    size = w.shape[0] // gates
    state = plan.projected or size
    for i, part in enumerate(sets):
        where = f"of layer {i // plan.directions}{' backward' if i % plan.directions else ''}"
        width = c if i < plan.directions else plan.directions * state
        shapes = [
            (gates * size, width),
            (gates * size, state),
            (gates * size,),
            (gates * size,),
            (state, size),
        ]
        names = ("w_ih", "w_hh", "b_ih", "b_hh", "w_hr")
        for name, tensor, shape in zip(names, part, shapes, strict=False):
            parameter(op, f"{name} {where}", tensor, shape)
    return state, size


def _states(
    op: str, name: str, state: Any, count: int, n: int, size: int, batched: bool, dtype: Any, device: Device
) -> Tensor:
    """Return the states before the first step as ``[count, n, size]``."""
    if state is None:
        return Tensor(np.zeros((count, n, size), dtype), device)
    shape: Shape = (count, n, size) if batched else (count, size)
    parameter(op, name, state, shape)
    y = Tensor(state, device)
    return y if batched else expand_dims(y, 1)


def _ends(op: str, lengths: Sequence[int] | Tensor, t: int, n: int) -> Array:
    """Return the lengths as int64."""
    if isinstance(lengths, Tensor):
        held = lengths._primitive
    else:
        try:
            held = np.asarray(lengths if len(lengths) else np.empty(0, np.int64))
        except (
            TypeError,
            ValueError,
            OverflowError,
        ):  # it has no length, is ragged, or holds too large an int
            held = np.asarray(None)
    if held.dtype.kind not in "iu":
        raise DTypeError(f"{op}: lengths must be integers, got {held.dtype}.")
    if held.shape != (n,):
        raise ShapeError(f"{op}: lengths must have shape [{n}], got {list(held.shape)}.")
    if n and not (0 <= held.min() and held.max() <= t):
        raise ArgumentError(f"{op}: lengths must be in [0, {t}], got {held.min()} to {held.max()}.")
    return np.asarray(held, np.int64)


def one_step(
    op: str, gates: int, x: Tensor, hx: tuple[State, ...], part: list[Tensor | None], layer: Layer
) -> tuple[Tensor, ...]:
    """Return the states after one step."""
    shape, weight = primitive(op, x).shape, primitive(op, part[1]).shape  # type: ignore[arg-type]
    primitive(op, part[0])  # type: ignore[arg-type]
    if len(shape) not in (1, 2):
        raise ShapeError(f"{op}: the input must be [n, c] or [c], got {list(shape)}.")
    for name, state in zip(("hx", "the cells of hx"), hx, strict=False):
        if state is not None:
            parameter(op, name, primitive(op, state), (*shape[:-1], *weight[1:2]))
    plan = Plan(op, gates, 1, 0.0, 0, [[*part, None]])
    states = tuple(None if state is None else expand_dims(state, 0) for state in hx)
    _, finals = network(plan, expand_dims(x, 0), states, False, None, layer)
    return tuple(squeeze(final, 0) for final in finals)
