"""Rows of the recurrent layers.

All weights of a network are one vector, which ``parts`` cuts; the last input is the lengths.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from backburner.nn import functional
from ops._row import Array, Combination, Row, Shape, indices, spread

GATES = {"rnn": 1, "gru": 3, "lstm": 4}
real = spread(-1, 1)


def shapes(kind: str, c: int, h: int, options: dict[str, Any]) -> list[Shape]:
    """Return the shapes of the weights, in order, of input size ``c`` and state size ``h``."""
    rows, projected = GATES[kind] * h, options.get("proj_size", 0)
    directions = 2 if options.get("bidirectional") else 1
    found: list[Shape] = []
    for layer in range(options.get("num_layers", 1)):
        for _ in range(directions):
            found += [(rows, directions * (projected or h) if layer else c), (rows, projected or h)]
            found += [] if options.get("bias") is False else [(rows,), (rows,)]
            found += [(projected, h)] if projected else []
    return found


def parts(flat: Any, wanted: list[Shape]) -> list[Any]:
    """Cut a vector of weights into these shapes."""
    found, start = [], 0
    for shape in wanted:
        stop = start + math.prod(shape)
        found.append(flat[start:stop].reshape(shape))
        start = stop
    return found


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _step(kind: str, x: Array, h: Array, c: Array, w: list[Any], nonlinearity: str) -> tuple[Array, Array]:
    """Return state and cell after one step of one sequence."""
    w_ih, w_hh, b_ih, b_hh, w_hr = w
    a, b = w_ih @ x + b_ih, w_hh @ h + b_hh
    if kind == "rnn":
        return (np.tanh(a + b) if nonlinearity == "tanh" else np.maximum(a + b, 0)), c
    if kind == "gru":
        (ar, az, an), (br, bz, bn) = np.split(a, 3), np.split(b, 3)
        z = _sigmoid(az + bz)
        return (1 - z) * np.tanh(an + _sigmoid(ar + br) * bn) + z * h, c
    i, f, g, o = np.split(a + b, 4)
    c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
    h = _sigmoid(o) * np.tanh(c)
    return (h if w_hr is None else w_hr @ h), c


def _network(kind: str) -> Callable[..., Any]:
    def reference(
        x: Array, h0: Array | None, c0: Array | None, flat: Array, ends: Array | None, h: int, **options: Any
    ) -> Any:
        single, first = x.ndim == 2, options.get("batch_first", False)
        x = x[:, None] if single else np.swapaxes(x, 0, 1) if first else x
        t, n, _ = x.shape
        wanted = shapes(kind, x.shape[2], h, options)
        cut, directions = parts(flat, wanted), 2 if options.get("bidirectional") else 1
        count = options.get("num_layers", 1) * directions
        size, each = options.get("proj_size", 0) or h, len(wanted) // count
        finals, cells = np.zeros((count, n, size)), np.zeros((count, n, h))
        for i in range(count):
            w = cut[i * each : (i + 1) * each]
            w = w if options.get("bias") is not False else [*w[:2], 0.0, 0.0, *w[2:]]
            w = w if options.get("proj_size") else [*w, None]
            if i % directions == 0:
                below, x = x, np.zeros((t, n, directions * size))
            for k in range(n):
                state = np.zeros(size) if h0 is None else h0[i] if single else h0[i, k]
                cell = np.zeros(h) if c0 is None else c0[i] if single else c0[i, k]
                times = range(t if ends is None else ends[k])
                for s in reversed(times) if i % directions else times:
                    state, cell = _step(
                        kind, below[s, k], state, cell, w, options.get("nonlinearity", "tanh")
                    )
                    x[s, k, (i % directions) * size :][:size] = state
                finals[i, k], cells[i, k] = state, cell
        out = (x, finals, cells) if kind == "lstm" else (x, finals)
        if single:
            return tuple(y[:, 0] for y in out)
        return (np.swapaxes(x, 0, 1), *out[1:]) if first else out

    return reference


def _call(kind: str) -> Callable[..., Any]:
    def call(x: Any, h0: Any, c0: Any, flat: Any, ends: Any, h: int, **options: Any) -> Any:
        weights = parts(flat, shapes(kind, x.shape[-1], h, options))
        options.pop("bias", None)
        hx = (h0, c0) if kind == "lstm" and h0 is not None else h0
        out, last = getattr(functional, kind)(x, hx, weights, lengths=ends, **options)
        return (out, *last) if kind == "lstm" else (out, last)

    return call


T, N, C, H = 3, 2, 2, 3


def case(
    kind: str, x: Shape = (T, N, C), states: bool = True, ends: bool = False, h: int = H, **options: Any
) -> Combination:
    """Return the shapes of all inputs of a network, and its options."""
    count = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    batch = (x[0 if options.get("batch_first") else 1],) if len(x) == 3 else ()
    size = sum(math.prod(shape) for shape in shapes(kind, x[-1], h, options))
    h0 = (count, *batch, options.get("proj_size", 0) or h) if states else None
    c0 = (count, *batch, h) if states and kind == "lstm" else None
    return (x, h0, c0, (size,), batch if ends else None), {"h": h, **options}


def _row(kind: str, *cases: Combination) -> Row:
    inputs = real, real, real, real, indices(1, T + 1)
    return Row(kind, inputs, cases, _network(kind), call=_call(kind), exact=False)


_CELLS = ((N, C), (N, H), (N, H)), ((C,), (H,), (H,)), ((N, C), None, None), ((0, C), (0, H), (0, H))


def _cell_row(kind: str, *options: dict[str, Any]) -> Row:
    def call(x: Any, h: Any, c: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, **options: Any) -> Any:
        hx = h if kind != "lstm" or h is None else (h, c)
        return getattr(functional, f"{kind}_cell")(x, hx, w_ih, w_hh, b_ih, b_hh, **options)

    def reference(
        x: Array, h: Array | None, c: Array | None, w_ih: Array, w_hh: Array, b_ih: Any, b_hh: Any, nonlinearity: str = "tanh"
    ) -> Any:  # fmt: skip
        state = np.zeros((*x.shape[:-1], H))
        h, c = (state if y is None else y for y in (h, c))
        weights = [w_ih, w_hh, 0.0 if b_ih is None else b_ih, 0.0 if b_hh is None else b_hh, None]
        if x.ndim == 1:
            out = _step(kind, x, h, c, weights, nonlinearity)
        else:
            steps = [_step(kind, *row, weights, nonlinearity) for row in zip(x, h, c, strict=True)]
            out = tuple(np.array([s[i] for s in steps]).reshape(state.shape) for i in range(2))  # type: ignore[assignment]
        return out if kind == "lstm" else out[0]

    rows = GATES[kind] * H
    biases: Any = ((rows,), (rows,)), (None, None), ((rows,), None), ((rows,), (rows,))
    combinations = [
        ((x, h, c if kind == "lstm" else None, (rows, C), (rows, H), *bias), option)
        for option in options or ({},)
        for (x, h, c), bias in zip(_CELLS, biases, strict=True)
    ]
    return Row(f"{kind}_cell", (real,) * 7, tuple(combinations), reference, call=call, exact=False)


ROWS = (
    _row(
        "rnn",
        case("rnn"),
        case("rnn", nonlinearity="relu", num_layers=2, bias=False),
        case("rnn", (N, T, C), ends=True, bidirectional=True, nonlinearity="relu", batch_first=True),
        case("rnn", (T, C), states=False, bidirectional=True),
        case("rnn", (T, 0, C), ends=True),
    ),
    _row(
        "gru",
        case("gru"),
        case("gru", num_layers=2, bidirectional=True, ends=True),
        case("gru", (N, T, C), states=False, ends=True, bias=False, batch_first=True),
        case("gru", (T, C), bidirectional=True),
        case("gru", (T, 0, C), bidirectional=True),
    ),
    _row(
        "lstm",
        case("lstm"),
        case("lstm", num_layers=2, bidirectional=True, ends=True),
        case("lstm", (N, T, C), states=False, ends=True, bias=False, batch_first=True),
        case("lstm", proj_size=2, num_layers=2, bidirectional=True),
        case("lstm", proj_size=1, ends=True, bias=False),
        case("lstm", (T, C), proj_size=2, bidirectional=True),
        case("lstm", (T, 0, C), proj_size=2, ends=True),
    ),
    _cell_row("rnn", {}, {"nonlinearity": "relu"}),
    _cell_row("gru"),
    _cell_row("lstm"),
)
