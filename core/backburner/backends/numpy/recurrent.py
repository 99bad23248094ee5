"""Recurrent layers over whole sequences: one product for all inputs, and one per step for the states.

Sequences of different lengths are sorted by length and packed: the rows of all steps end to end, and of each step
those of the sequences that are still there, so that nothing after an end is ever computed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from backburner.contracts import Array

Gates = Callable[..., None]


def rnn(
    x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    lengths: Array | None, /, *, nonlinearity: str, reverse: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """Return all states and the last."""
    packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
    h = packing.sort(h0)
    states = packing.project(x, w_ih, b_ih, b_hh)
    weight = w_hh.T
    for rows, count in packing.steps:
        step = states[rows]
        step += np.matmul(h[:count], weight)
        if nonlinearity == "tanh":
            np.tanh(step, out=step)
        else:
            np.maximum(step, 0, out=step)
        h[:count] = step
    return packing.unpack(states), packing.unsort(h)


def gru(
    x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    lengths: Array | None, /, *, reverse: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """Return all states and the last."""
    packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
    states, h, _, _ = run_gru(packing, x, h0, w_ih, w_hh, b_ih, b_hh, _gru_gates)
    return packing.unpack(states), packing.unsort(h)


def run_gru(
    packing: Packing, x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    gates: Gates,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """Return, all packed but the second, the states, the last, the gates r, z, n, and what r multiplies."""
    size = h0.shape[1]
    h = packing.sort(h0)
    acts = packing.project(x, w_ih, b_ih, None)
    inner = np.empty((len(acts), size), acts.dtype)
    states = np.empty_like(inner)
    weight = w_hh.T
    for rows, count in packing.steps:
        past = np.matmul(h[:count], weight)
        if b_hh is not None:
            past += b_hh
        inner[rows] = past[:, 2 * size :]
        gates(past, acts[rows], h[:count])
        states[rows] = h[:count]
    return states, h, acts, inner


def _gru_gates(past: Array, acts: Array, h: Array) -> None:
    """Make gates of ``acts``, what the inputs give, and ``past``, what the state gives; then the new state of ``h``."""
    size = h.shape[1]
    both, new = acts[:, : 2 * size], acts[:, 2 * size :]
    both += past[:, : 2 * size]
    _sigmoid(both)
    new += both[:, :size] * past[:, 2 * size :]
    np.tanh(new, out=new)
    h -= new
    h *= both[:, size:]
    h += new


def lstm(
    x: Array, h0: Array, c0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    w_hr: Array | None, lengths: Array | None, /, *, reverse: bool,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Return all states, the last, and the last cell."""
    packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
    states, h, c, _, _ = run_lstm(packing, x, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, _lstm_gates)
    return packing.unpack(states), packing.unsort(h), packing.unsort(c)


def run_lstm(
    packing: Packing, x: Array, h0: Array, c0: Array, w_ih: Array, w_hh: Array,
    b_ih: Array | None, b_hh: Array | None, w_hr: Array | None, gates: Gates,
) -> tuple[Array, Array, Array, Array, Array]:  # fmt: skip
    """Return the states, packed, the last state and cell, and the gates i, f, g, o and the cells, packed."""
    h, c = packing.sort(h0), packing.sort(c0)
    acts = packing.project(x, w_ih, b_ih, b_hh)
    cells = np.empty((len(acts), c.shape[1]), acts.dtype)
    states = np.empty((len(acts), h.shape[1]), acts.dtype)
    hidden = np.empty_like(c)
    weight = w_hh.T
    for rows, count in packing.steps:
        gates(np.matmul(h[:count], weight), acts[rows], c[:count], hidden[:count])
        cells[rows] = c[:count]
        h[:count] = hidden[:count] if w_hr is None else np.matmul(hidden[:count], w_hr.T)
        states[rows] = h[:count]
    return states, h, c, acts, cells


def _lstm_gates(past: Array, acts: Array, c: Array, hidden: Array) -> None:
    """Make gates of ``acts``, what the inputs give, and ``past``, what the state gives; then the new cell and state."""
    size = c.shape[1]
    acts += past
    new = np.tanh(acts[:, 2 * size : 3 * size])
    _sigmoid(acts)
    acts[:, 2 * size : 3 * size] = new
    c *= acts[:, size : 2 * size]
    new *= acts[:, :size]
    c += new
    np.tanh(c, out=hidden)
    hidden *= acts[:, 3 * size :]


def _sigmoid(x: Array) -> None:
    np.negative(x, out=x)
    with np.errstate(over="ignore"):  # an infinite exp is the right divisor
        np.exp(x, out=x)
    x += 1
    np.divide(1, x, out=x)


class Packing:
    """Where the rows of each step are: the sequences sorted by length, the longest first.

    Attributes:
        steps: the rows of each step and how many there are, in the order of computation.
    """

    def __init__(self, t: int, n: int, lengths: Array | None, reverse: bool) -> None:
        self._t, self._n = t, n
        self._order: Array | None = None
        if lengths is None:
            self.steps = [(slice(i * n, (i + 1) * n), n) for i in range(t)]
        else:
            self._order = np.argsort(-lengths, kind="stable")
            times = np.arange(t)[:, None]
            present = lengths[self._order] > times
            self._rows: Array = (times * n + self._order)[present]
            counts = present.sum(axis=1)
            stops = np.cumsum(counts)
            self.steps = [
                (slice(stop - count, stop), count)
                for stop, count in zip(stops.tolist(), counts.tolist(), strict=True)
                if count
            ]
        if reverse:
            self.steps.reverse()

    def pack(self, x: Array) -> Array:
        """Return the rows of ``[t, n, c]`` that are there, as ``[rows, c]``."""
        flat = x.reshape(self._t * self._n, x.shape[-1])
        return flat if self._order is None else flat[self._rows]

    def unpack(self, rows: Array) -> Array:
        """Return ``[t, n, c]``, with 0 where no row is."""
        if self._order is not None:
            full = np.zeros((self._t * self._n, rows.shape[1]), rows.dtype)
            full[self._rows] = rows
            rows = full
        return rows.reshape(self._t, self._n, rows.shape[1])

    def sort(self, h: Array) -> Array:
        """Return a copy of what there is of each sequence, sorted as they are."""
        return h.copy(order="C") if self._order is None else h[self._order]

    def unsort(self, h: Array) -> Array:
        """Return it in the order of the batch."""
        if self._order is None:
            return h
        back = np.empty_like(h)
        back[self._order] = h
        return back

    def project(self, x: Array, weight: Array, *biases: Array | None) -> Array:
        """Return the packed inputs' products with the weight, plus the biases."""
        y = np.matmul(self.pack(x), weight.T)
        present = [bias for bias in biases if bias is not None]
        if present:
            y += present[0] if len(present) == 1 else present[0] + present[1]
        return np.asarray(y)

    def before(self, h0: Array, states: Array) -> Array:
        """Return the state before each row, from sorted ``h0`` and packed states."""
        last, found = h0.copy(), np.empty_like(states)
        for rows, count in self.steps:
            found[rows] = last[:count]
            last[:count] = states[rows]
        return found
