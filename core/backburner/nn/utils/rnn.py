"""Sequences of different lengths: padded to one length, or packed, the rows of each step end to end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.ops._operands import element, flag, integer, primitive
from backburner.ops.creation import full
from backburner.ops.indexing import take
from backburner.ops.shape import concat, expand_dims, swapaxes

__all__ = [
    "PackedSequence",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]

Lengths = Sequence[int] | Tensor


class PackedSequence(NamedTuple):
    """A batch of sequences without padding, as ``pack_padded_sequence`` makes it and recurrent layers take it.

    The sequences are sorted by length, the longest first, and of each step come the rows of those that are
    still there.

    Attributes:
        data: all rows, ``[sum of lengths, ...]``.
        batch_sizes: how many rows each step has, int64 ``[t]``, never growing.
        sorted_indices: which sequence of the batch comes first, second and so on, int64 ``[n]``; ``None`` where
            they were in order.
        unsorted_indices: where each sequence of the batch is among the sorted ones; ``None`` likewise.
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None


def _lengths(op: str, lengths: Lengths) -> Array:
    held = lengths._array() if isinstance(lengths, Tensor) else np.asarray(lengths)
    if held.ndim != 1:
        raise ShapeError(f"{op}: lengths must be [n], got {list(held.shape)}.")
    if held.dtype.kind not in "iu":
        raise DTypeError(f"{op}: lengths must be integers, got {held.dtype}.")
    return held.astype(np.int64)


def pack_padded_sequence(
    input: Tensor, lengths: Lengths, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack padded sequences; what is beyond their ends is left out.

    Args:
        input: the padded sequences.
        lengths: where each ends.
        batch_first: whether ``input`` is ``[n, t, ...]``.
        enforce_sorted: whether the sequences must come with the longest first; otherwise they are sorted, and what
            is made of them is in the batch's order again.

    Shape:
        input ``[t, n, ...]``; lengths ``[n]`` in ``[1, t]``.

    Raises:
        ShapeError: ``input`` has no such axes, or there is not one length for each sequence.
        ArgumentError: a length is out of range, or they are not sorted.

    Example:
        >>> import backburner as bb
        >>> from backburner.nn.utils.rnn import pack_padded_sequence
        >>> packed = pack_padded_sequence(bb.tensor([[1, 2, 3], [4, 0, 0]]), [3, 1], batch_first=True)
        >>> packed.data.tolist(), packed.batch_sizes.tolist()
        ([1, 4, 2, 3], [2, 1, 1])
    """
    op = "pack_padded_sequence"
    shape = primitive(op, input).shape
    if len(shape) < 2:
        raise ShapeError(f"{op}: the input must be [t, n, ...], got {list(shape)}.")
    x = swapaxes(input, 0, 1) if flag(op, "batch_first", batch_first) else input
    t, n = x.shape[:2]
    counts = _lengths(op, lengths)
    if len(counts) != n:
        raise ShapeError(f"{op}: there are {n} sequences and {len(counts)} lengths.")
    if not n or counts.min() < 1 or counts.max() > t:
        raise ArgumentError(f"{op}: lengths must be in [1, {t}], got {counts.tolist()}.")
    order = None
    if not flag(op, "enforce_sorted", enforce_sorted):
        order = np.argsort(-counts, kind="stable")
    elif (np.diff(counts) > 0).any():
        raise ArgumentError(
            f"{op}: lengths are not sorted, the longest first: {counts.tolist()}. Use enforce_sorted=False."
        )
    places = np.arange(n) if order is None else order
    present = counts[places] > np.arange(int(counts.max()))[:, None]
    rows = (np.arange(len(present))[:, None] * n + places)[present]
    data = take(x.reshape((t * n, *x.shape[2:])), rows, axis=0)
    device = input.device.without_autodiff()
    sizes = Tensor(present.sum(axis=1), device)
    if order is None:
        return PackedSequence(data, sizes)
    return PackedSequence(data, sizes, Tensor(order, device), Tensor(np.argsort(order), device))


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Return packed sequences padded, in the order that they had in the batch, and their lengths.

    Args:
        sequence: what ``pack_padded_sequence`` or a recurrent layer returned.
        batch_first: whether the result is ``[n, t, ...]``.
        padding_value: what stands beyond the ends.
        total_length: pad to so many steps instead of the longest sequence.

    Shape:
        Result ``[t, n, ...]`` and int64 ``[n]``.

    Raises:
        DTypeError: ``sequence`` is none.
        ArgumentError: ``total_length`` is below the longest.

    Example:
        >>> import backburner as bb
        >>> from backburner.nn.utils.rnn import pack_sequence, pad_packed_sequence
        >>> packed = pack_sequence([bb.tensor([1, 2, 3]), bb.tensor([4])])
        >>> padded, lengths = pad_packed_sequence(packed, batch_first=True)
        >>> padded.tolist(), lengths.tolist()
        ([[1, 2, 3], [4, 0, 0]], [3, 1])
    """
    op = "pad_packed_sequence"
    rows, lengths = _places(op, sequence)
    t = int(lengths.max())
    if total_length is not None:
        total = integer(op, "total_length", total_length)
        if total < t:
            raise ArgumentError(f"{op}: total_length {total} is below the longest sequence, {t}.")
        t = total
    data, n = sequence.data, len(lengths)
    value = element(op, "padding_value", padding_value, data.dtype)
    padding = full((t * n, *data.shape[1:]), value, dtype=data.dtype, device=data.device)
    y = padding.at[rows].set(data).reshape((t, n, *data.shape[1:]))
    swapped = flag(op, "batch_first", batch_first)
    return swapaxes(y, 0, 1) if swapped else y, Tensor(lengths, data.device.without_autodiff())


def _places(op: str, sequence: PackedSequence) -> tuple[Array, Array]:
    """Return where the packed rows stand among the padded ones, flattened step by step, and the lengths."""
    if not isinstance(sequence, PackedSequence):
        raise DTypeError(f"{op}: takes a PackedSequence, got a {type(sequence).__name__}.")
    sizes = sequence.batch_sizes._array()
    if (
        not len(sizes)
        or int(sizes.sum()) != primitive(op, sequence.data).shape[0]
        or (np.diff(sizes) > 0).any()
    ):
        raise ArgumentError(
            f"{op}: the packed sequence has {sequence.data.shape[0]} rows, and its steps {sizes.tolist()}."
        )
    n = int(sizes[0])
    order = np.arange(n) if sequence.sorted_indices is None else sequence.sorted_indices._array()
    present = np.arange(n) < sizes[:, None]
    lengths = np.empty(n, np.int64)
    lengths[order] = present.sum(axis=0)
    return (np.arange(len(sizes))[:, None] * n + order)[present], lengths


def repack(padded: Tensor, like: PackedSequence) -> PackedSequence:
    """Pack ``[t, n, ...]`` as ``like`` is packed."""
    rows, _ = _places("repack", like)
    flat = padded.reshape((padded.shape[0] * padded.shape[1], *padded.shape[2:]))
    return like._replace(data=take(flat, rows, axis=0))


def pad_sequence(
    sequences: Sequence[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Make one tensor of sequences, padded to the longest.

    Args:
        sequences: at least one, alike but in length.
        batch_first: whether the result is ``[n, t, ...]``.
        padding_value: what stands beyond the ends.
        padding_side: ``"right"`` pads after the ends, ``"left"`` before the starts.

    Shape:
        Each of sequences ``[length, ...]``; result ``[t, n, ...]``.

    Raises:
        ArgumentError: there is no sequence, or no such side.
        ShapeError: they differ in more than length.

    Example:
        >>> import backburner as bb
        >>> from backburner.nn.utils.rnn import pad_sequence
        >>> pad_sequence([bb.tensor([1, 2, 3]), bb.tensor([4])], batch_first=True, padding_side="left").tolist()
        [[1, 2, 3], [0, 0, 4]]
    """
    op = "pad_sequence"
    if padding_side not in ("left", "right"):
        raise ArgumentError(f"{op}: padding_side must be 'left' or 'right', got {padding_side!r}.")
    found = list(sequences)
    if not found:
        raise ArgumentError(f"{op}: there is no sequence.")
    shapes = [primitive(op, x).shape for x in found]
    if any(not shape or shape[1:] != shapes[0][1:] for shape in shapes):
        raise ShapeError(f"{op}: the sequences differ in more than length: {[list(s) for s in shapes]}.")
    t = max(shape[0] for shape in shapes)
    padded = []
    for x in found:
        if x.shape[0] < t:
            value = element(op, "padding_value", padding_value, x.dtype)
            space = full((t - x.shape[0], *x.shape[1:]), value, dtype=x.dtype, device=x.device)
            x = concat([x, space] if padding_side == "right" else [space, x])
        padded.append(expand_dims(x, 1))
    y = concat(padded, axis=1)
    return swapaxes(y, 0, 1) if flag(op, "batch_first", batch_first) else y


def unpad_sequence(padded: Tensor, lengths: Lengths, batch_first: bool = False) -> list[Tensor]:
    """Return the sequences of a padded tensor, each cut at its end.

    Shape:
        padded ``[t, n, ...]``, or with ``batch_first`` ``[n, t, ...]``; lengths ``[n]``; results
        ``[length, ...]``.

    Raises:
        ShapeError: there is not one length for each sequence.
        ArgumentError: a length is out of range.

    Example:
        >>> import backburner as bb
        >>> from backburner.nn.utils.rnn import unpad_sequence
        >>> [x.tolist() for x in unpad_sequence(bb.tensor([[1, 2], [3, 0]]), [2, 1], batch_first=True)]
        [[1, 2], [3]]
    """
    op = "unpad_sequence"
    shape = primitive(op, padded).shape
    if len(shape) < 2:
        raise ShapeError(f"{op}: needs [t, n, ...], got {list(shape)}.")
    x = padded if flag(op, "batch_first", batch_first) else swapaxes(padded, 0, 1)
    counts = _lengths(op, lengths)
    if len(counts) != x.shape[0]:
        raise ShapeError(f"{op}: there are {x.shape[0]} sequences and {len(counts)} lengths.")
    if len(counts) and (counts.min() < 0 or counts.max() > x.shape[1]):
        raise ArgumentError(f"{op}: lengths must be in [0, {x.shape[1]}], got {counts.tolist()}.")
    return [x[i, :length] for i, length in enumerate(counts.tolist())]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences, as ``pack_padded_sequence`` does; see there.

    Shape:
        Each of sequences ``[length, ...]``.

    Raises:
        ArgumentError: there is no sequence, one is empty, or they are not sorted.
        ShapeError: they differ in more than length.

    Example:
        >>> import backburner as bb
        >>> from backburner.nn.utils.rnn import pack_sequence
        >>> pack_sequence([bb.tensor([1, 2, 3]), bb.tensor([4])]).data.tolist()
        [1, 4, 2, 3]
    """
    lengths = [len(x) for x in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return the sequences of a packed one, in the order that they had in the batch.

    Example:
        >>> import backburner as bb
        >>> from backburner.nn.utils.rnn import pack_sequence, unpack_sequence
        >>> packed = pack_sequence([bb.tensor([4]), bb.tensor([1, 2, 3])], enforce_sorted=False)
        >>> [x.tolist() for x in unpack_sequence(packed)]
        [[4], [1, 2, 3]]
    """
    padded, lengths = pad_packed_sequence(packed_sequences)
    return unpad_sequence(padded, lengths)
