"""Looking up rows by index, and sums of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner._tensor import Tensor, wrap
from backburner.contracts import Array
from backburner.device import merge
from backburner.errors import ArgumentError, IndexOutOfRange, ShapeError
from backburner.nn.functional._options import parameter
from backburner.ops._index import checked_indices, index_array, index_device
from backburner.ops._operands import (
    MOST_RANKS,
    cast,
    chosen,
    flag,
    floating,
    integer,
    number,
    primitive,
    rank,
)
from backburner.ops.elementwise import where
from backburner.ops.indexing import take_along_axis
from backburner.ops.reduction import vector_norm

_MODES = ("sum", "mean", "max")


def embedding(
    indices: Any,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return the rows of ``weight`` that ``indices`` name.

    Args:
        indices: integers.
        weight: the table.
        padding_idx: the row that gets no gradient; its values are used as they are. Negative counts from
            the end.
        max_norm: scale rows whose norm is larger to this norm. The table itself stays as it is, and gets the gradient
            that PyTorch gives it: that of the scaled rows.
        norm_type: which norm.
        scale_grad_by_freq: divide the gradient of a row by how often it was named.
        sparse: PyTorch's layout of the gradient. Here it is dense, of the same values, either way.

    Shape:
        indices ``[...]`` in ``[0, n)``, weight ``[n, d]``; result ``[..., d]``.

    Raises:
        IndexOutOfRange: an index is outside the table; a negative one is.
        ShapeError: ``weight`` has not two dimensions.
        DTypeError: the indices are not integers.
        ArgumentError: ``max_norm`` is negative.
    """
    found, table, place = _looked_up("embedding", indices, weight, padding_idx, max_norm, norm_type)
    if found.ndim >= MOST_RANKS:
        rank("embedding", found.ndim + 1)
    flag("embedding", "sparse", sparse)
    if flag("embedding", "scale_grad_by_freq", scale_grad_by_freq):
        table = _by_frequency(table, found)
    device = table.device
    if indices.__class__ is not Tensor or indices.device is not device:
        device = index_device("embedding", device, indices)
    return wrap(device.backend.embedding(table._primitive, found, padding_idx=place), device)


def embedding_bag(
    indices: Any,
    weight: Tensor,
    offsets: Any = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Return the sum, mean or maximum of bags of rows of ``weight``; of an empty bag it is 0.

    Args:
        indices: integers: one bag in each row, or all of them end to end.
        weight: the table.
        offsets: where each bag starts, if they are end to end; the first at 0.
        max_norm: see ``embedding``, as the next two.
        norm_type: which norm.
        scale_grad_by_freq: not for the maximum.
        mode: ``"sum"``, ``"mean"`` or ``"max"``, where the first of equal rows gets the gradient.
        sparse: see ``embedding``.
        per_sample_weights: by what each row of a sum is multiplied.
        include_last_offset: ``offsets`` holds one more, where the last bag ends.
        padding_idx: the row that is left out, and not counted.

    Shape:
        indices ``[b, k]``, or ``[k]`` with offsets ``[b]``; weight ``[n, d]``, per_sample_weights as indices; result
        ``[b, d]``.

    Raises:
        IndexOutOfRange: an index is outside the table, or an offset outside the indices.
        ShapeError: the shapes do not fit.
        DTypeError: indices or offsets are not integers.
        ArgumentError: options do not go together.
    """
    op = "embedding_bag"
    chosen(op, "mode", mode, _MODES)
    if mode != "sum" and per_sample_weights is not None:
        raise ArgumentError(f"{op}: per_sample_weights go with mode 'sum' only, not {mode!r}.")
    flag(op, "sparse", sparse)
    by_frequency = flag(op, "scale_grad_by_freq", scale_grad_by_freq)
    if mode == "max" and by_frequency:
        raise ArgumentError(f"{op}: scale_grad_by_freq does not go with mode 'max'.")
    found, table, place = _looked_up(op, indices, weight, padding_idx, max_norm, norm_type)
    bounds = _bounds(op, found, offsets, flag(op, "include_last_offset", include_last_offset))
    factors = None
    if per_sample_weights is not None:
        parameter(
            op, "per_sample_weights", primitive(f"{op}: per_sample_weights", per_sample_weights), found.shape
        )
        factors = per_sample_weights.reshape((-1,))
    found = found.reshape(-1)
    if bounds.size == 1:  # no bags, so none that could hold an index
        found = found[:0]
        factors = None if factors is None else factors[:0]
    if place is not None:
        kept = found != place
        bounds = np.concatenate([[0], np.cumsum(kept)])[bounds]
        factors = None if factors is None else factors[kept]
        found = found[kept]
    if by_frequency:
        table = _by_frequency(table, found)
    device = index_device(op, table.device, indices, offsets)
    if mode == "max":
        return _largest(Tensor(table._primitive, device), found, bounds)
    weights = None
    if mode == "mean":
        sizes = np.diff(bounds)
        weights = np.repeat(1 / np.maximum(sizes, 1), sizes).astype(table.dtype)
    elif factors is not None:
        device = merge(op, device, factors.device)
        weights = cast(factors._primitive, table.dtype, device)
    return Tensor(device.backend.embedding_bag(table._primitive, found, bounds, weights), device)


def _looked_up(
    op: str, indices: Any, weight: Tensor, padding_idx: int | None, max_norm: float | None, norm_type: float
) -> tuple[Array, Tensor, int | None]:
    """Return the indices, the table that they are looked up in, and the place of the padding."""
    held = floating(op, weight)
    shape = held.shape
    if len(shape) != 2:
        raise ShapeError(f"{op}: weight must be [n, d], got {list(shape)}.")
    rows = shape[0]
    found = checked_indices(op, index_array(op, indices), rows, negative=False)
    if padding_idx is not None:
        padding_idx = integer(op, "padding_idx", padding_idx)
        if not -rows <= padding_idx < rows:
            raise IndexOutOfRange(f"{op}: padding_idx {padding_idx} is out of range [{-rows}, {rows}).")
        padding_idx %= rows
    table = wrap(held, weight.device)
    if max_norm is not None:
        most, order = number(op, "max_norm", max_norm), number(op, "norm_type", norm_type)
        if most < 0:
            raise ArgumentError(f"{op}: max_norm must not be negative, got {most}.")
        fixed = table.detach()
        norms = vector_norm(fixed, axis=1, keepdims=True, ord=order)
        scaled = where(norms > most, fixed * (most / (norms + 1e-7)), fixed)  # PyTorch's constant
        table = scaled + (table - fixed)
    return found, table, padding_idx


def _by_frequency(table: Tensor, indices: Array) -> Tensor:
    """Return a table of equal values whose gradients are divided by how often ``indices`` name a row."""
    counts = np.bincount(indices.reshape(-1), minlength=table.shape[0])
    share = (1 / np.maximum(counts, 1)).astype(table.dtype)[:, None]
    fixed = table.detach()
    return fixed + (table - fixed) * Tensor(share, table.device)


def _bounds(op: str, indices: Array, offsets: Any, include_last: bool) -> Array:
    """Return where bags of indices begin, and the end of the last."""
    if indices.ndim == 2:
        if offsets is not None:
            raise ArgumentError(f"{op}: indices {list(indices.shape)} are bags already. Leave offsets out.")
        return np.asarray(np.arange(indices.shape[0] + 1) * indices.shape[1])
    if indices.ndim != 1:
        raise ShapeError(f"{op}: indices must be [b, k] or [k], got {list(indices.shape)}.")
    if offsets is None:
        raise ArgumentError(f"{op}: indices {list(indices.shape)} need offsets, where each bag starts.")
    starts = index_array(op, offsets)
    if starts.ndim != 1:
        raise ShapeError(f"{op}: offsets must be [b], got {list(starts.shape)}.")
    starts = checked_indices(f"{op}: offsets", starts, indices.size + 1, negative=False)
    if starts.size and starts[0] != 0:
        raise ArgumentError(f"{op}: the first offset must be 0, got {starts[0]}.")
    if (np.diff(starts) < 0).any():
        raise ArgumentError(f"{op}: offsets must not fall.")
    if not include_last:
        return np.asarray(np.append(starts, indices.size) if starts.size else [0])
    if not starts.size or starts[-1] != indices.size:
        last = int(starts[-1]) if starts.size else "none"
        raise ArgumentError(
            f"{op}: the last offset must be {indices.size}, the number of indices, got {last}."
        )
    return starts


def _largest(table: Tensor, indices: Array, bounds: Array) -> Tensor:
    """Return the largest row, element by element, of each bag."""
    sizes = np.diff(bounds)
    filled = sizes > 0
    backend = table.device.backend
    places = np.zeros((sizes.size, table.shape[1]), np.int64)
    if not places.size or not indices.size:
        return Tensor(backend.embedding_bag(table._primitive, indices, bounds, None), table.device)  # zeros
    values = table.detach().without_autodiff().numpy().take(indices, 0)
    starts = bounds[:-1][filled]
    highest = np.maximum.reduceat(values, starts, axis=0)
    bags = np.repeat(np.arange(starts.size), sizes[filled])
    best = (values == highest[bags]) | np.isnan(values)
    numbers = np.where(best, np.arange(indices.size)[:, None], indices.size)
    places[filled] = np.minimum.reduceat(numbers, starts, axis=0)
    rows = Tensor(backend.embedding(table._primitive, indices, padding_idx=None), table.device)
    return where(Tensor(filled[:, None], table.device), take_along_axis(rows, places, axis=0), 0.0)
