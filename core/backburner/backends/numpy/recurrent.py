"""Recurrent layers over whole sequences: one product for the inputs of many steps, and one per step for the states.

Sequences of different lengths are sorted by length and packed: the rows of all steps end to end, and of each step
those of the sequences that are still there, so that nothing after an end is ever computed.

A call of NumPy takes as long as a thousand elements do, so a step is as few calls as it can be, into memory that is
there already. Sigmoid is ``(1 + tanh(x / 2)) / 2``: the inner half goes into the weights, which powers of two leave
exact, so one tanh takes all gates; the outer one into the product that adds two terms up, or into later weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from backburner.backends.numpy.linalg import SHARED
from backburner.contracts import Array
from backburner.threads import share

_CHUNK = 1 << 20
"""The gates' elements that are projected ahead at a time, which stay in the cache."""
_SMALL = 10**6
"""The size of products up to which OpenBLAS multiplies as things lie, without a packed copy of the weight."""


def rnn(
    x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    lengths: Array | None, /, *, nonlinearity: str, reverse: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """Return all states and the last."""
    packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
    walk = _Walk(packing, x, w_ih, w_hh, _sum(b_ih, b_hh), ((0, 1.0),), (1.0,))
    h = packing.sort(h0)
    for count, given, states in walk.runs():
        state = h[:count].reshape(states.shape[1:])
        acts, sums = walk.views(np.empty(count * walk.size, x.dtype), count)
        for ahead, new in zip(given, states, strict=True):
            walk.product(state, walk.weight, sums)
            np.add(acts, ahead, out=acts)
            if nonlinearity == "tanh":
                np.tanh(acts.reshape(new.shape), out=new)
            else:
                np.maximum(acts.reshape(new.shape), 0, out=new)
            state = new
        h[:count] = state
    return packing.unpack(walk.states), packing.unsort(h)


def gru(
    x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    lengths: Array | None, /, *, reverse: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """Return all states and the last."""
    packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
    size = h0.shape[1]
    first, bias = b_ih, None
    if b_hh is not None:
        first = b_hh.copy() if b_ih is None else b_ih + b_hh
        first[2 * size :] = 0 if b_ih is None else b_ih[2 * size :]
        bias = b_hh[2 * size :] * x.dtype.type(0.5)
    # The gates r and z are twice what they are: a half of r is in the state's weight for n, that of z in `mix`.
    walk = _Walk(packing, x, w_ih, w_hh, first, ((0, 0.5), (1, 0.5), (2, 1.0)), (1.0, 1.0, 0.5))
    h = packing.sort(h0)
    add, multiply, subtract, tanh = np.add, np.multiply, np.subtract, np.tanh
    one, mix = np.ones((), x.dtype), np.array([1, 0.5], x.dtype).dot
    for count, given, states in walk.runs():
        m = count * size
        past, terms = np.empty(3 * m, x.dtype), np.empty((2, m), x.dtype)
        acts, sums = walk.views(past, count)
        state = h[:count].reshape(states.shape[1:])
        row, new = state.reshape(m), past[2 * m :]
        head, both = acts[: 2 * size] if walk.alone else acts[:2], past[: 2 * m]
        n_rows, (r, z), (n, change) = new.reshape(state.shape), past[: 2 * m].reshape(2, m), terms
        tail = n_rows if walk.alone else acts[2]
        for ahead, ahead_new, after in zip(
            given[:, : len(head)], given[:, len(head) :] if walk.alone else given[:, 2], states, strict=True
        ):
            walk.product(state, walk.weight, sums)
            add(head, ahead, head)
            tanh(both, both)
            add(both, one, both)
            if bias is not None:
                add(n_rows, bias, n_rows)
            multiply(new, r, new)
            add(tail, ahead_new, tail)
            tanh(new, n)
            subtract(row, n, change)
            multiply(change, z, change)
            state, row = after, after.reshape(m)
            mix(terms, row)
        h[:count] = state
    return packing.unpack(walk.states), packing.unsort(h)


def lstm(
    x: Array, h0: Array, c0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
    w_hr: Array | None, lengths: Array | None, /, *, reverse: bool,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Return all states, the last, and the last cell."""
    packing = Packing(x.shape[0], x.shape[1], lengths, reverse)
    # The gates o, i, f are twice what they are, and so is a state that no weight has projected, on the way.
    twice = w_hr is None
    order = ((3, 0.5), (0, 0.5), (1, 0.5), (2, 1.0))
    walk = _Walk(packing, x, w_ih, w_hh, _sum(b_ih, b_hh), order, (0.5 if twice else 1.0,) * 4, h0.shape[1])
    h, c = packing.sort(h0), packing.sort(c0)
    if twice:
        h += h
    project = None if w_hr is None else w_hr.T * x.dtype.type(0.5)
    add, multiply, tanh = np.add, np.multiply, np.tanh
    one, mean = np.ones((), x.dtype), np.full(2, 0.5, x.dtype).dot
    for count, given, states in walk.runs():
        m = count * walk.size
        memory, terms = np.empty(5 * m, x.dtype), np.empty((2, m), x.dtype)
        acts, sums = walk.views(memory[: 4 * m], count)
        cell, both, gates = memory[4 * m :], terms.reshape(2 * m), memory[: 4 * m]
        cell[:] = c[:count].reshape(m)
        # Beside each other lie o, i, f, g and the cell: i, f times g, c.
        sigmoids, left, right = memory[: 3 * m], memory[m : 3 * m], memory[3 * m :]
        state = h[:count].reshape(states.shape[1:])
        shape = walk.size if walk.alone else (count, walk.size)
        o, old, squashed = memory[:m].reshape(shape), cell.reshape(shape), np.empty(shape, x.dtype)
        for ahead, after in zip(given, states, strict=True):
            walk.product(state, walk.weight, sums)
            add(acts, ahead, acts)
            tanh(gates, gates)
            add(sigmoids, one, sigmoids)
            multiply(left, right, both)
            mean(terms, cell)
            tanh(old, squashed)
            if project is None:
                multiply(o, squashed, after)
            else:
                multiply(o, squashed, squashed)
                walk.product(squashed, project, after)
            state = after
        h[:count], c[:count] = state, old
    if twice:
        walk.states *= 0.5
        h *= 0.5
    return packing.unpack(walk.states), packing.unsort(h), packing.unsort(c)


def _sum(x: Array | None, y: Array | None) -> Array | None:
    return y if x is None else x if y is None else x + y


class _Walk:
    """What the steps of a layer have in common: their inputs' products, their weight, and room for all states.

    Each gate's rows of the weights are scaled on the way in. One sequence alone is vectors throughout; of several,
    each gate of a step is a matrix of its own, so that all gates together are still one piece of memory.

    Attributes:
        alone: whether there is one sequence in all.
        size: of a gate.
        states: of all rows, to be filled.
        weight: what a step's state is multiplied with by ``product``, into the second of ``views``.
    """

    def __init__(
        self, packing: Packing, x: Array, w_ih: Array, w_hh: Array, bias: Array | None,
        gates: tuple[tuple[int, float], ...], past: tuple[float, ...], width: int = 0,
    ) -> None:  # fmt: skip
        c, dtype = w_ih.shape[1], x.dtype
        self.size = size = len(w_ih) // len(gates)
        self.alone = x.shape[1] == 1
        self.product: Any = np.dot if self.alone else np.matmul
        self.states: Array = np.empty((packing.rows, width or size), dtype)
        self._packing, self._x, self._gates = packing, x, len(gates)
        ahead, weight = np.empty((len(w_ih), c + 1), dtype), np.empty(w_hh.shape, dtype)
        for i, ((gate, factor), more) in enumerate(zip(gates, past, strict=True)):
            rows, to = slice(gate * size, (gate + 1) * size), slice(i * size, (i + 1) * size)
            np.multiply(w_ih[rows], factor, out=ahead[to, :c])
            np.multiply(w_hh[rows], factor * more, out=weight[to])
            # The bias is the weight of one more input, which is 1.
            ahead[to, c] = 0 if bias is None else bias[rows] * dtype.type(factor)
        if self.alone:
            self._ahead, self.weight, self._block = ahead.T[None], weight.T, 0
        else:
            self._ahead = ahead.reshape(self._gates, size, c + 1).swapaxes(1, 2)
            self._block = block = _block(x.shape[1] * w_hh.shape[1], size)
            shape = (self._gates, size // block, block, w_hh.shape[1])
            self.weight = np.ascontiguousarray(weight.reshape(shape).swapaxes(2, 3))

    def views(self, sums: Array, count: int) -> tuple[Array, Array]:
        """Return the memory of a step's gates as ``runs`` gives what is to be added, and as ``product`` fills it."""
        if self.alone:
            return sums, sums
        gates = sums.reshape(self._gates, count, self.size)
        blocks = gates.reshape(self._gates, count, self.size // self._block, self._block)
        return gates, blocks.swapaxes(1, 2)

    def runs(self) -> Iterator[tuple[int, Array, Array]]:
        """Yield sequences there, what the inputs give the gates, and states to fill, of steps that have as many."""
        packing, (parts, depth, width) = self._packing, self._ahead.shape
        runs = list(packing.runs(max(1, _CHUNK // (parts * width))))
        most = max((stop - start for start, stop, _ in runs), default=0)
        inputs, products = (
            np.ones((most, depth), self._x.dtype),
            np.empty((parts, most, width), self._x.dtype),
        )
        for start, stop, count in runs:
            steps, rows = (stop - start) // count, stop - start
            packing.gather(self._x, start, stop, inputs[:rows, :-1])
            given = products[:, :rows]
            self._project(inputs[:rows], given)
            given = given.reshape(parts, steps, count, width).swapaxes(0, 1)
            states = self.states[start:stop].reshape(steps, count, -1)
            if self.alone:
                given, states = given.reshape(steps, width), states[:, 0]
            yield (count, given[::-1], states[::-1]) if packing.reverse else (count, given, states)

    def _project(self, inputs: Array, given: Array) -> None:
        if given.size * inputs.shape[1] < SHARED:
            np.matmul(inputs, self._ahead, out=given)
        else:
            share(lambda part: np.matmul(inputs, self._ahead[part], out=given[part]), len(given))


def _block(work: int, size: int) -> int:
    """Return how many columns of a gate one product should have: as many as stay small, or else many."""
    for block in (64, 32):
        if work * block <= _SMALL:
            return block if size % block == 0 else size
    return 128 if size % 128 == 0 else size


class Packing:
    """Where the rows of each step are: the sequences sorted by length, the longest first.

    Attributes:
        starts: at which row each step begins, and how many rows there are; each has at least one.
        rows: how many there are.
        reverse: whether the last step comes first.
    """

    def __init__(self, t: int, n: int, lengths: Array | None, reverse: bool) -> None:
        self._t, self._n, self.reverse = t, n, reverse
        self._order: Array | None = None
        if lengths is None:
            counts = np.full(t if n else 0, n)
        else:
            self._order = np.argsort(-lengths, kind="stable")
            present = lengths[self._order] > np.arange(t)[:, None]
            self._places = (np.arange(t)[:, None] * n + self._order)[present]
            counts = present.sum(axis=1)
            counts = counts[counts > 0]
        self.starts: Array = np.concatenate([[0], np.cumsum(counts)])
        self.rows = int(self.starts[-1])

    def runs(self, most: int) -> Iterator[tuple[int, int, int]]:
        """Yield (first row, last, rows of each step) of steps that have as many, in the order of computation.

        No run has over ``most`` rows but that of one step.
        """
        starts = self.starts.tolist()
        steps = range(len(starts) - 1)
        begin = count = length = 0
        for i in reversed(steps) if self.reverse else steps:
            start, found = starts[i], starts[i + 1] - starts[i]
            if length and (found != count or length + count > most):
                yield begin, begin + length, count
                length = 0
            begin = start if self.reverse or not length else begin
            count, length = found, length + found
        if length:
            yield begin, begin + length, count

    def gather(self, x: Array, start: int, stop: int, out: Array) -> None:
        """Copy packed rows of ``[t, n, c]`` from ``start`` to ``stop``; without lengths, whole steps."""
        if self._order is not None:
            places = self._places[start:stop]
            out[:] = x[places // self._n, places % self._n]
        else:
            n = self._n
            np.copyto(out.reshape(-1, n, x.shape[2]), x[start // n : stop // n])

    def pack(self, x: Array) -> Array:
        """Return the rows of ``[t, n, c]`` that are there, as ``[rows, c]``."""
        flat = x.reshape(self._t * self._n, x.shape[-1])
        return flat if self._order is None else flat[self._places]

    def unpack(self, rows: Array) -> Array:
        """Return ``[t, n, c]``, with 0 where no row is."""
        if self._order is not None:
            full = np.zeros((self._t * self._n, rows.shape[1]), rows.dtype)
            full[self._places] = rows
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

    def spans(self) -> Array:
        """Return the first row of each step and its number of rows, in the order of computation."""
        spans = np.stack([self.starts[:-1], np.diff(self.starts)], axis=1)
        return spans[::-1].copy() if self.reverse else spans
