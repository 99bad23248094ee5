"""Backward rules of the recurrent layers: back through time a step at a time, then one product for each weight.

All that has a row per step and sequence is packed, as ``backburner.backends.numpy.recurrent`` says.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from backburner.backends.numpy import recurrent
from backburner.backends.numpy.recurrent import Packing
from backburner.backends.numpy.reduction import sum as accurate_sum
from backburner_autodiff.kernels import recurrent as kernels
from backburner_autodiff.rules._rule import Array, rule

Residuals = tuple[Array, ...]
Gradients = tuple[Array | None, ...]
Joint = Callable[[tuple[Array | None, ...], tuple[bool, ...]], Gradients]


def _last(g: Array | None, like: Array, packing: Packing) -> Array:
    """Return the cotangent of a last state, sorted: where the way back starts."""
    return np.zeros(like.shape, like.dtype) if g is None else packing.sort(g)


def _all(g: Array | None, packing: Packing) -> Array | None:
    """Return the cotangent of all states, packed."""
    return None if g is None else packing.pack(g)


def _inputs(
    packing: Packing, dacts: Array, x: Array, w_ih: Array, needed: tuple[bool, bool]
) -> tuple[Array | None, Array | None]:
    """Return the gradients of the input and its weight."""
    dx = packing.unpack(np.matmul(dacts, w_ih)) if needed[0] else None
    return dx, np.matmul(dacts.T, packing.pack(x)) if needed[1] else None


def _bias(dacts: Array, needed: bool) -> Array | None:
    return accurate_sum(dacts, axis=(0,), keepdims=False) if needed else None


@rule(compute_bound=True)
def rnn(
    out: tuple[Array, Array], x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    lengths: Array | None, *, nonlinearity: str, reverse: bool,
) -> Joint:  # fmt: skip
    states_out = out[0]

    def vjp(g: tuple[Array | None, ...], needed: tuple[bool, ...]) -> Gradients:
        packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
        states, arriving = packing.pack(states_out), _all(g[0], packing)
        dh = _last(g[1], h0, packing)
        dacts = np.empty_like(states)
        for rows, count in reversed(packing.steps):
            step, y, da = dh[:count], states[rows], dacts[rows]
            if arriving is not None:
                step += arriving[rows]
            if nonlinearity == "tanh":
                np.multiply(y, y, out=da)
                np.subtract(1, da, out=da)
                da *= step
            else:
                da[:] = np.where(y <= 0, 0, step)
            np.matmul(da, w_hh, out=step)
        dx, dw_ih = _inputs(packing, dacts, x, w_ih, (needed[0], needed[2]))
        dw_hh = np.matmul(dacts.T, packing.before(packing.sort(h0), states)) if needed[3] else None
        dbias = _bias(dacts, needed[4] or needed[5])
        return dx, packing.unsort(dh), dw_ih, dw_hh, dbias, dbias, None

    return vjp


def gru_forward(
    x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    lengths: Array | None, /, *, reverse: bool,
) -> tuple[tuple[Array, Array], Residuals]:  # fmt: skip
    packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
    states, h, acts, inner = recurrent.run_gru(packing, x, h0, w_ih, w_hh, b_ih, b_hh, kernels.gru_forward)
    return (packing.unpack(states), packing.unsort(h)), (acts, inner)


@rule(forward=gru_forward, compute_bound=True)
def gru(
    out: tuple[Array, Array], x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    lengths: Array | None, *, reverse: bool, residuals: Residuals,
) -> Joint:  # fmt: skip
    states_out = out[0]
    acts, inner = residuals

    def vjp(g: tuple[Array | None, ...], needed: tuple[bool, ...]) -> Gradients:
        packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
        arriving, dh = _all(g[0], packing), _last(g[1], h0, packing)
        before = packing.before(packing.sort(h0), packing.pack(states_out))
        dacts, dpast = np.empty_like(acts), np.empty_like(acts)
        for rows, count in reversed(packing.steps):
            step = dh[:count]
            if arriving is not None:
                step += arriving[rows]
            kernels.gru_backward(acts[rows], inner[rows], before[rows], step, dacts[rows], dpast[rows])
            step += np.matmul(dpast[rows], w_hh)
        dx, dw_ih = _inputs(packing, dacts, x, w_ih, (needed[0], needed[2]))
        dw_hh = np.matmul(dpast.T, before) if needed[3] else None
        return (
            dx, packing.unsort(dh), dw_ih, dw_hh, _bias(dacts, needed[4]), _bias(dpast, needed[5]), None,
        )  # fmt: skip

    return vjp


def lstm_forward(
    x: Array, h0: Array, c0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    w_hr: Array | None, lengths: Array | None, /, *, reverse: bool,
) -> tuple[tuple[Array, Array, Array], Residuals]:  # fmt: skip
    packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
    states, h, c, acts, cells = recurrent.run_lstm(
        packing, x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, kernels.lstm_forward
    )
    return (packing.unpack(states), packing.unsort(h), packing.unsort(c)), (acts, cells)


@rule(forward=lstm_forward, compute_bound=True)
def lstm(
    out: tuple[Array, Array, Array], x: Array, h0: Array, c0: Array, w_ih: Array, w_hh: Array,
    b_ih: Array | None, b_hh: Array | None, w_hr: Array | None, lengths: Array | None,
    *, reverse: bool, residuals: Residuals,
) -> Joint:  # fmt: skip
    states_out = out[0]
    acts, cells = residuals

    def vjp(g: tuple[Array | None, ...], needed: tuple[bool, ...]) -> Gradients:
        packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
        arriving = _all(g[0], packing)
        dh, dc = _last(g[1], h0, packing), _last(g[2], c0, packing)
        before = packing.before(packing.sort(c0), cells)
        dacts = np.empty_like(acts)
        dstates = None if w_hr is None else np.empty((len(acts), h0.shape[1]), acts.dtype)
        for rows, count in reversed(packing.steps):
            step = dh[:count]
            if arriving is not None:
                step += arriving[rows]
            hidden = step
            if w_hr is not None and dstates is not None:
                dstates[rows] = step
                hidden = np.matmul(step, w_hr)
            kernels.lstm_backward(acts[rows], before[rows], cells[rows], hidden, dc[:count], dacts[rows])
            np.matmul(dacts[rows], w_hh, out=step)
        dx, dw_ih = _inputs(packing, dacts, x, w_ih, (needed[0], needed[3]))
        dw_hh = dw_hr = None
        if needed[4]:
            dw_hh = np.matmul(dacts.T, packing.before(packing.sort(h0), packing.pack(states_out)))
        if needed[7] and dstates is not None:
            size = cells.shape[1]
            dw_hr = np.matmul(dstates.T, np.tanh(cells) * acts[:, 3 * size :])
        dbias = _bias(dacts, needed[5] or needed[6])
        return dx, packing.unsort(dh), packing.unsort(dc), dw_ih, dw_hh, dbias, dbias, dw_hr, None

    return vjp
