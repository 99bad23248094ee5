"""Positions for attention: rotary embeddings, sines and cosines, and biases that grow with the distance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.device import Device
from backburner.dtype import DEFAULT_FLOAT, canonical
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.nn import functional as F
from backburner.nn._checks import count, flag, within
from backburner.nn._module import Module
from backburner.ops._operands import primitive
from backburner.ops.shape import concat, split, stack

_LEAST = 256  # positions of a table at first
_TINY = 1e-30


class _Table:
    """Rows for the positions from 0 on, in float64, made once and doubled where they do not reach."""

    def __init__(self, make: Callable[[Array], Array]) -> None:
        self._make = make
        self._rows = make(np.arange(0.0))

    def upto(self, length: int) -> Array:
        rows = self._rows
        if len(rows) < length:
            rows = self._rows = self._make(np.arange(max(length, 2 * len(rows), _LEAST), dtype=np.float64))
        return rows


def _positions(op: str, positions: Any, length: int, offset: int) -> Array | slice:
    """Return which rows of a table, ``length`` of them."""
    start = count(op, "offset", offset, 0)
    if positions is None:
        return slice(start, start + length)
    if start:
        raise ArgumentError(f"{op}: takes an offset or positions, not both.")
    held = positions._array() if isinstance(positions, Tensor) else np.asarray(positions)
    if held.dtype.kind not in "iu":
        raise DTypeError(f"{op}: positions must be integers, got {held.dtype}.")
    if held.ndim not in (1, 2) or held.shape[-1] != length:
        raise ShapeError(f"{op}: positions must be [{length}] or [n, {length}], got {list(held.shape)}.")
    if held.size and held.min() < 0:
        raise ArgumentError(f"{op}: a position is negative: {held.min()}.")
    return held


class RotaryEmbedding(Module):
    """Turns pairs of features by angles that grow with the position (RoFormer, Su et al. 2021).

    The product of a query and a key then depends on their distance alone. Feature pair ``i`` turns by
    ``base ** (-2 i / dim)`` at each position.

    Args:
        dim: how many features are turned, from the front; the others stay as they are. Usually those of a head.
        base: of the angles, theta.
        interleaved: whether features 2 i and 2 i + 1 are a pair, as in RoFormer, GPT-J and Llama's first release;
            otherwise i and i + dim / 2, as in GPT-NeoX and the Llama of model hubs.
        scaling_factor: what positions are divided by, to reach beyond those trained on (Chen et al. 2023).
        frequencies: ``dim / 2`` angles of one's own instead of those of ``base``.

    ``forward(x, offset=0, positions=None)`` takes the position of the first row, for a cache its ``length``, or the
    positions of all rows.

    Shape:
        x and result ``[..., l, d]`` of at least ``dim`` features; positions ``[l]``, or ``[n, l]`` for x
        ``[n, ..., l, d]``.

    Raises:
        ArgumentError: ``dim`` is odd, or an option is out of range.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> rotary = nn.RotaryEmbedding(4)
        >>> q = bb.random.normal((2, 3, 6, 4))  # [n, heads, l, head_dim]
        >>> late = rotary(q[:, :, 2:], offset=2)
        >>> bool((late == rotary(q)[:, :, 2:]).all())
        True
    """

    def __init__(
        self,
        dim: int,
        base: float = 10000.0,
        interleaved: bool = False,
        scaling_factor: float = 1.0,
        frequencies: Sequence[float] | Tensor | None = None,
    ) -> None:
        op = "RotaryEmbedding"
        self.dim = count(op, "dim", dim, 2)
        if self.dim % 2:
            raise ArgumentError(f"{op}: dim must be even, got {dim}.")
        self.base = within(op, "base", base, _TINY)
        self.interleaved = flag(op, "interleaved", interleaved)
        self.scaling_factor = within(op, "scaling_factor", scaling_factor, _TINY)
        if frequencies is None:
            angles = self.base ** (-np.arange(0, self.dim, 2, dtype=np.float64) / self.dim)
        else:
            held = frequencies._array() if isinstance(frequencies, Tensor) else np.asarray(frequencies)
            if held.shape != (self.dim // 2,) or held.dtype.kind not in "fiu":
                raise ShapeError(
                    f"{op}: frequencies must be {self.dim // 2} numbers, got {held.dtype} of shape {list(held.shape)}."
                )
            angles = held.astype(np.float64)
        angles = angles / self.scaling_factor
        self._table = _Table(_Turns(angles))

    def forward(self, x: Tensor, offset: int = 0, positions: Any = None) -> Tensor:
        op = "RotaryEmbedding"
        held = primitive(op, x)
        if held.ndim < 2 or held.shape[-1] < self.dim:
            raise ShapeError(
                f"{op}: the input must be [..., l, d] of at least {self.dim} features, got {list(held.shape)}."
            )
        if held.dtype.kind != "f":
            raise DTypeError(f"{op}: the input must be floating, got {held.dtype}. Use astype.")
        places = _positions(op, positions, held.shape[-2], offset)
        reach = places.stop if isinstance(places, slice) else int(places.max(initial=-1)) + 1
        turns = self._table.upto(reach)[places].astype(held.dtype)
        if turns.ndim == 4:
            if held.ndim < 3 or held.shape[0] != len(turns):
                raise ShapeError(
                    f"{op}: positions are for a batch of {len(turns)}, the input is {list(held.shape)}."
                )
            turns = turns.reshape((len(turns), *(1,) * (held.ndim - 3), *turns.shape[1:]))
        device = x.device.without_autodiff()
        cos, sin = (Tensor(turns[..., i, :], device) for i in (0, 1))
        half = self.dim // 2
        if self.interleaved:
            pairs, *rest = split(x, [self.dim, held.shape[-1] - self.dim], axis=-1)
            first, second = pairs[..., 0::2], pairs[..., 1::2]
            turned = stack([first * cos - second * sin, second * cos + first * sin], axis=-1)
            parts = [turned.reshape((*held.shape[:-1], self.dim)), *rest]
        else:
            first, second, *rest = split(x, [half, half, held.shape[-1] - self.dim], axis=-1)
            parts = [first * cos - second * sin, second * cos + first * sin, *rest]
        return concat(parts, axis=-1)

    def extra_repr(self) -> str:
        text = f"{self.dim}, base={self.base:g}, interleaved={self.interleaved}"
        return text if self.scaling_factor == 1 else f"{text}, scaling_factor={self.scaling_factor:g}"


class _Turns:
    """Cosines and sines of angles at positions, ``[l, 2, dim / 2]``."""

    def __init__(self, angles: Array) -> None:
        self.angles = angles

    def __call__(self, positions: Array) -> Array:
        turned = positions[:, None] * self.angles
        return np.stack([np.cos(turned), np.sin(turned)], axis=1)


class PositionalEncoding(Module):
    """Adds sines and cosines of the position to the features (Vaswani et al. 2017, section 3.5).

    Args:
        d_model: how many features there are.
        dropout: the probability with which a feature of the sum is dropped while the module trains.
        batch_first: whether the input is ``[n, l, d_model]`` instead of ``[l, n, d_model]``.

    ``forward(x, offset=0)`` takes the position of the first row, for a cache its ``length``.

    Shape:
        As ``batch_first`` says, or ``[l, d_model]``; result likewise.

    Raises:
        ArgumentError: ``dropout`` is no probability.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.PositionalEncoding(4, batch_first=True)(bb.zeros((1, 2, 4)))[0, 0].tolist()
        [0.0, 1.0, 0.0, 1.0]
    """

    def __init__(self, d_model: int, dropout: float = 0.1, batch_first: bool = False) -> None:
        op = "PositionalEncoding"
        self.d_model = count(op, "d_model", d_model)
        self.dropout = within(op, "dropout", dropout, 0, 1)
        self.batch_first = flag(op, "batch_first", batch_first)
        self._table = _Table(_Waves(self.d_model))

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        op = "PositionalEncoding"
        shape = primitive(op, x).shape
        if len(shape) not in (2, 3) or shape[-1] != self.d_model:
            form = "n, l" if self.batch_first else "l, n"
            raise ShapeError(f"{op}: the input must be [{form}, {self.d_model}], got {list(shape)}.")
        axis = 1 if len(shape) == 3 and self.batch_first else 0
        places = _positions(op, None, shape[axis], offset)
        assert isinstance(places, slice)
        dtype = x.dtype if x.dtype.kind == "f" else DEFAULT_FLOAT
        rows = self._table.upto(places.stop)[places].astype(dtype)
        if len(shape) == 3 and not self.batch_first:
            rows = rows[:, None]
        return F.dropout(x + Tensor(rows, x.device.without_autodiff()), self.dropout, self.training)

    def extra_repr(self) -> str:
        return f"{self.d_model}, dropout={self.dropout}, batch_first={self.batch_first}"


class _Waves:
    def __init__(self, size: int) -> None:
        self.size = size

    def __call__(self, positions: Array) -> Array:
        angles = positions[:, None] * 10000.0 ** (-np.arange(0, self.size, 2, dtype=np.float64) / self.size)
        found = np.empty((len(positions), self.size))
        found[:, 0::2], found[:, 1::2] = np.sin(angles), np.cos(angles)[:, : self.size // 2]
        return found


def alibi_mask(
    num_heads: int,
    queries: int,
    keys: int | None = None,
    is_causal: bool = True,
    device: Device | None = None,
    dtype: Any = None,
) -> Tensor:
    """Return biases that fall with the distance, at another rate for each head (ALiBi, Press et al. 2022).

    Args:
        num_heads: how many heads; rates are powers of ``2 ** (-8 / num_heads)``, and where that is not a power of 2
            every other of twice as many fills up, as in the authors' code.
        queries: how many queries; they are the last positions.
        keys: how many keys, by default as many; with a cache its length and the new ones.
        is_causal: whether later keys get ``-inf``.
        device: where the result is.
        dtype: float32 unless said otherwise.

    Shape:
        ``[num_heads, queries, keys]``, a mask for ``scaled_dot_product_attention``.

    Raises:
        ArgumentError: there are fewer keys than queries.

    Example:
        >>> from backburner import nn
        >>> nn.alibi_mask(1, 2).tolist()
        [[[-0.0, -inf], [-0.00390625, -0.0]]]
    """
    op = "alibi_mask"
    h, rows = count(op, "num_heads", num_heads), count(op, "queries", queries, 0)
    columns = rows if keys is None else count(op, "keys", keys, 0)
    if columns < rows:
        raise ArgumentError(f"{op}: there are {columns} keys for {rows} queries, which are the last of them.")
    power = 1 << (h.bit_length() - 1)
    rates = [2.0 ** (-8 * i / power) for i in range(1, power + 1)]
    rates += [2.0 ** (-4 * i / power) for i in range(1, 2 * (h - power), 2)]
    distance = np.arange(columns - rows, columns)[:, None] - np.arange(columns)
    mask = -np.array(rates)[:, None, None] * np.abs(distance)
    if flag(op, "is_causal", is_causal):
        mask[:, distance < 0] = -math.inf
    wanted = DEFAULT_FLOAT if dtype is None else canonical(dtype, op)
    return Tensor(mask.astype(wanted), Device(device))
