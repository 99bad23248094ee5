"""Backward rules of the recurrent layers: back through time, then one product for each weight.

All that has a row per step and sequence is packed, as ``backburner.backends.numpy.recurrent`` says. Products are parted
on our threads, as a kernel follows that would wait for the cores on which BLAS's threads spin.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from backburner.backends.numpy.linalg import parted
from backburner.backends.numpy.recurrent import Packing
from backburner.backends.numpy.reduction import sum as accurate_sum
from backburner_autodiff.kernels import recurrent as kernels
from backburner_autodiff.kernels._product import ROWS, pack
from backburner_autodiff.rules._rule import Array, rule

Residuals = tuple[Array, ...]
Gradients = tuple[Array | None, ...]
Joint = Callable[[tuple[Array | None, ...], tuple[bool, ...]], Gradients]

_COST = 16
"""Quarters of a nanosecond that an element of a gate takes, its product with a state of usual size included."""


def _last(g: Array | None, like: Array, packing: Packing) -> Array:
    """Return the cotangent of a last state, sorted: where the way back starts."""
    return np.zeros(like.shape, like.dtype) if g is None else packing.sort(g)


def _all(g: Array | None, packing: Packing, like: Array) -> Array:
    """Return the cotangent of all states, packed, or of none no row."""
    return np.empty((0, like.shape[1]), like.dtype) if g is None else packing.pack(g)


def _inputs(
    packing: Packing, dacts: Array, rows: Array, w_ih: Array, needed: tuple[bool, bool]
) -> tuple[Array | None, Array | None]:
    """Return the gradients of the input, whose packed rows these are, and of its weight."""
    dx = packing.unpack(parted(dacts, w_ih)) if needed[0] else None
    return dx, parted(dacts.T, rows) if needed[1] else None


def _past(packing: Packing, dsums: Array, h0: Array, states: Array) -> Array:
    """Return the gradient of the weight that met the states before each row."""
    states, known = packing.pack(states), packing.sort(h0)
    before = np.empty_like(states)
    for start, count in packing.spans().tolist():
        before[start : start + count] = known[:count]
        known[:count] = states[start : start + count]
    return parted(dsums.T, before)


def _bias(dacts: Array, needed: bool) -> Array | None:
    return accurate_sum(dacts, axis=(0,), keepdims=False) if needed else None


def _both(bias: Array | None, other: Array | None, like: Array) -> Array:
    """Return what is added to each row of ``like``."""
    found = other if bias is None else bias if other is None else bias + other
    return np.zeros(like.shape[1], like.dtype) if found is None else found


def _room(like: Array, *weights: Array) -> Array:
    """Return memory for the products of a step's blocks of states with any of these packed weights."""
    columns = max(weight.shape[0] * weight.shape[2] for weight in weights)
    return np.empty((-(-len(like) // ROWS), ROWS, columns), like.dtype)


@rule(compute_bound=True)
def rnn(
    out: tuple[Array, Array], x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    lengths: Array | None, *, nonlinearity: str, reverse: bool,
) -> Joint:  # fmt: skip
    states_out = out[0]

    def vjp(g: tuple[Array | None, ...], needed: tuple[bool, ...]) -> Gradients:
        packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
        states, dh = packing.pack(states_out), _last(g[1], h0, packing)
        arriving, dacts, weight = _all(g[0], packing, h0), np.empty_like(states), pack(w_hh)
        kernels.run(
            kernels.rnn_backward, len(h0), _COST * dacts.size,
            weight, packing.spans(), states, arriving, nonlinearity == "tanh", dh, dacts, _room(h0, weight),
        )  # fmt: skip
        dx, dw_ih = _inputs(packing, dacts, packing.pack(x), w_ih, (needed[0], needed[2]))
        dw_hh = _past(packing, dacts, h0, states_out) if needed[3] else None
        dbias = _bias(dacts, needed[4] or needed[5])
        return dx, packing.unsort(dh), dw_ih, dw_hh, dbias, dbias, None

    return vjp


def gru_forward(
    x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    lengths: Array | None, /, *, reverse: bool,
) -> tuple[tuple[Array, Array], Residuals]:  # fmt: skip
    packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
    h, size = packing.sort(h0), h0.shape[1]
    rows = packing.pack(x)
    acts = parted(rows, w_ih.T)
    states, inner = np.empty((len(acts), size), acts.dtype), np.empty((len(acts), size), acts.dtype)
    bias, weight = _both(b_ih, None, acts).copy(), pack(w_hh.T)
    bias_inner = np.zeros(size, acts.dtype) if b_hh is None else b_hh[2 * size :]
    if b_hh is not None:
        bias[: 2 * size] += b_hh[: 2 * size]
    kernels.run(
        kernels.gru_forward, len(h), _COST * acts.size,
        weight, bias, bias_inner, packing.spans(), acts, h, states, inner, _room(h, weight),
    )  # fmt: skip
    return (packing.unpack(states), packing.unsort(h)), (rows, acts, inner)


@rule(forward=gru_forward, compute_bound=True)
def gru(
    out: tuple[Array, Array], x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    lengths: Array | None, *, reverse: bool, residuals: Residuals,
) -> Joint:  # fmt: skip
    states_out = out[0]
    rows, acts, inner = residuals

    def vjp(g: tuple[Array | None, ...], needed: tuple[bool, ...]) -> Gradients:
        packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
        arriving, dh = _all(g[0], packing, h0), _last(g[1], h0, packing)
        dacts, dpast, weight = np.empty_like(acts), np.empty_like(acts), pack(w_hh)
        kernels.run(
            kernels.gru_backward, len(h0), _COST * acts.size,
            weight, packing.spans(), acts, inner, packing.pack(states_out), packing.sort(h0), arriving,
            dh, dacts, dpast, _room(h0, weight),
        )  # fmt: skip
        dx, dw_ih = _inputs(packing, dacts, rows, w_ih, (needed[0], needed[2]))
        dw_hh = _past(packing, dpast, h0, states_out) if needed[3] else None
        return (
            dx, packing.unsort(dh), dw_ih, dw_hh, _bias(dacts, needed[4]), _bias(dpast, needed[5]), None,
        )  # fmt: skip

    return vjp


def lstm_forward(
    x: Array, h0: Array, c0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    w_hr: Array | None, lengths: Array | None, /, *, reverse: bool,
) -> tuple[tuple[Array, Array, Array], Residuals]:  # fmt: skip
    packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
    h, c = packing.sort(h0), packing.sort(c0)
    rows = packing.pack(x)
    acts = parted(rows, w_ih.T)
    states, cells = (np.empty((len(acts), y.shape[1]), acts.dtype) for y in (h, c))
    weight, project = pack(w_hh.T), pack(c[:0] if w_hr is None else w_hr.T)
    kernels.run(
        kernels.lstm_forward, len(h), _COST * acts.size,
        weight, project, _both(b_ih, b_hh, acts), packing.spans(), acts, h, c, states, cells,
        _room(h, weight, project), np.empty((-(-len(h) // ROWS), ROWS, c.shape[1]), c.dtype),
    )  # fmt: skip
    return (packing.unpack(states), packing.unsort(h), packing.unsort(c)), (rows, acts, cells)


@rule(forward=lstm_forward, compute_bound=True)
def lstm(
    out: tuple[Array, Array, Array], x: Array, h0: Array, c0: Array, w_ih: Array, w_hh: Array,
    b_ih: Array | None, b_hh: Array | None, w_hr: Array | None, lengths: Array | None,
    *, reverse: bool, residuals: Residuals,
) -> Joint:  # fmt: skip
    states_out = out[0]
    rows, acts, cells = residuals

    def vjp(g: tuple[Array | None, ...], needed: tuple[bool, ...]) -> Gradients:
        packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
        arriving = _all(g[0], packing, h0)
        dh, dc = _last(g[1], h0, packing), _last(g[2], c0, packing)
        dacts = np.empty_like(acts)
        dstates = np.empty((0 if w_hr is None else len(acts), h0.shape[1]), acts.dtype)
        weight, project = pack(w_hh), pack(c0[:0] if w_hr is None else w_hr)
        kernels.run(
            kernels.lstm_backward, len(h0), _COST * acts.size,
            weight, project, packing.spans(), acts, cells, packing.sort(c0), arriving, dh, dc, dacts, dstates,
            _room(h0, weight), _room(h0, project),
        )  # fmt: skip
        dx, dw_ih = _inputs(packing, dacts, rows, w_ih, (needed[0], needed[3]))
        dw_hh = _past(packing, dacts, h0, states_out) if needed[4] else None
        dw_hr = None
        if needed[7] and w_hr is not None:
            dw_hr = parted(dstates.T, np.tanh(cells) * acts[:, 3 * cells.shape[1] :])
        dbias = _bias(dacts, needed[5] or needed[6])
        return dx, packing.unsort(dh), packing.unsort(dc), dw_ih, dw_hh, dbias, dbias, dw_hr, None

    return vjp
