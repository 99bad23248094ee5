"""Keys and values of earlier positions, so that generating a text looks at each position once."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.device import Device
from backburner.errors import (
    ArgumentError,
    BackburnerError,
    DTypeError,
    GraphError,
    IndexOutOfRange,
    ShapeError,
)
from backburner.nn import functional as F
from backburner.nn._checks import count
from backburner.nn._masks import causal_mask
from backburner.ops.comparison import logical_and
from backburner.ops.elementwise import where


class KVCache:
    """What attention keeps of the positions it has seen, for a whole model.

    A cache is a tree: ``cache[i]`` is that of layer ``i``, made when first asked for, and what is at the ends holds
    keys and values. Give the same one to the model at every step, with the new positions alone; what comes out is
    what all positions at once would have given. ``length`` says how many there are before the new ones.

    Memory is taken ahead, by doubling, so that most steps copy no more than they bring. What was handed out never
    changes. It is for inference: keys with a graph are refused.

    Args:
        capacity: for how many positions to take memory at once.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        >>> x, cache = bb.random.normal((1, 3, 8)), nn.KVCache()
        >>> steps = [layer(x[:, i : i + 1], is_causal=True, cache=cache) for i in range(3)]
        >>> whole = layer(x, is_causal=True)
        >>> cache.length, bool((abs(bb.concat(steps, axis=1) - whole) < 1e-5).all())
        (3, True)
    """

    __slots__ = ("_capacity", "_parts", "_buffers", "_device", "_length", "_written", "_is_fixed")

    def __init__(self, capacity: int = 0) -> None:
        self._capacity = count("KVCache", "capacity", capacity, 0)
        self._parts: dict[Hashable, KVCache] = {}
        self._forget()

    def _forget(self) -> None:
        self._buffers: tuple[Array, Array] | None = None
        self._device: Device | None = None
        self._length = 0
        self._written = 0  # rows below this may be in tensors that somebody has
        self._is_fixed = False

    def __getitem__(self, name: Hashable) -> KVCache:
        """Return the cache of a layer or another part, a new one the first time."""
        part = self._parts.get(name)
        if part is None:
            if self._buffers is not None:
                raise ArgumentError(
                    f"KVCache: holds keys and values itself, and has no part {name!r}. Use a part for each attention."
                )
            part = self._parts[name] = KVCache(self._capacity)
        return part

    def _ends(self) -> Iterator[KVCache]:
        if self._buffers is not None:
            yield self
        for part in self._parts.values():
            yield from part._ends()

    @property
    def length(self) -> int:
        """How many positions it holds."""
        lengths = {end._length for end in self._ends() if not end._is_fixed}
        if len(lengths) > 1:
            raise GraphError(
                f"KVCache: its parts hold different numbers of positions, {sorted(lengths)}: a step was broken off. "
                f"Use truncate({min(lengths)})."
            )
        return lengths.pop() if lengths else 0

    @property
    def nbytes(self) -> int:
        """How much memory it has taken."""
        return sum(buffer.nbytes for end in self._ends() for buffer in end._buffers or ())

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Add keys and values of new positions, and return those of all.

        Shape:
            key ``[..., l, e]``, value ``[..., l, d]``, the same dimensions before at every step; results
            ``[..., length, e]`` and ``[..., length, d]``.

        Raises:
            ShapeError: they do not fit each other or what is there.
            DTypeError: another dtype than before, or not tensors.
            GraphError: they have a graph.
        """
        k, v = self._arrays(key, value)
        if self._is_fixed or self._parts:
            kind = "is that of a fixed source" if self._is_fixed else "has parts"
            raise ArgumentError(f"KVCache.append: the cache {kind}. Use a part for each attention.")
        if self._buffers is not None:
            self._fits(k, v)
        new = k.shape[-2]
        total = self._length + new
        buffers = self._buffers
        if buffers is None or total > buffers[0].shape[-2] or self._length < self._written:
            room = max(self._capacity, total) if buffers is None else buffers[0].shape[-2]
            if total > room:
                room = max(total, 2 * room)
            buffers = self._moved(buffers, room, (k, v))
        for buffer, array in zip(buffers, (k, v), strict=True):
            buffer[..., self._length : total, :] = array
        self._buffers, self._device = buffers, key.device
        self._length = self._written = total
        return self._seen()

    def fixed(self, make: Callable[[], tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
        """Return keys and values that stay the same at every step, such as those of an encoder's output.

        Args:
            make: called the first time, and again after ``reset``; returns them.

        Raises:
            ShapeError: they do not fit each other.
            GraphError: they have a graph.
        """
        if self._parts or self._buffers is not None and not self._is_fixed:
            raise ArgumentError("KVCache.fixed: the cache has other keys. Use a part for each attention.")
        if self._buffers is None:
            key, value = make()
            k, v = self._arrays(key, value)
            self._buffers, self._device = (k, v), key.device
            self._length, self._is_fixed = k.shape[-2], True
        return self._seen()

    def reorder(self, indices: Tensor | Sequence[int]) -> None:
        """Take other sequences of the batch, as beam search does; one may be taken several times.

        Args:
            indices: which, in order; the batch has as many then.

        Raises:
            DTypeError: they are not integers.
            IndexOutOfRange: there is no such sequence.
        """
        held = indices._array() if isinstance(indices, Tensor) else np.asarray(indices)
        if held.ndim != 1 or held.dtype.kind not in "iu":
            raise DTypeError(
                f"KVCache.reorder: indices must be a row of integers, got {held.dtype} of shape {list(held.shape)}."
            )
        ends = list(self._ends())
        for end in ends:
            assert end._buffers is not None
            n = end._buffers[0].shape[0] if end._buffers[0].ndim > 3 else 0
            if not n:
                raise ShapeError(
                    f"KVCache.reorder: keys {list(end._buffers[0].shape)} have no batch: [n, heads, length, e]."
                )
            if held.size and not (0 <= held.min() and held.max() < n):
                raise IndexOutOfRange(f"KVCache.reorder: indices must be in [0, {n}), got {held.tolist()}.")
        for end in ends:
            end._take(held)

    def _take(self, indices: Array) -> None:
        assert self._buffers is not None
        if self._is_fixed:
            k, v = (buffer[indices] for buffer in self._buffers)
        else:
            k, v = (np.empty((len(indices), *b.shape[1:]), b.dtype) for b in self._buffers)
            for new, old in zip((k, v), self._buffers, strict=True):
                np.take(old[..., : self._length, :], indices, axis=0, out=new[..., : self._length, :])
            self._written = 0
        self._buffers = k, v

    def truncate(self, length: int) -> None:
        """Forget all but the first ``length`` positions.

        Raises:
            ArgumentError: there are not so many.
        """
        length = count("KVCache.truncate", "length", length, 0)
        ends = [end for end in self._ends() if not end._is_fixed]
        least = min((end._length for end in ends), default=0)
        if length > least:
            raise ArgumentError(f"KVCache.truncate: there are {least} positions, fewer than {length}.")
        for end in ends:
            end._length = length

    def reset(self) -> None:
        """Forget all, fixed keys and values too, and give the memory back."""
        self._forget()
        for part in self._parts.values():
            part.reset()

    def __repr__(self) -> str:
        ends = list(self._ends())
        most = max((end._length for end in ends if not end._is_fixed), default=0)
        return f"KVCache(length={most}, parts={len(ends)}, nbytes={self.nbytes})"

    # -- memory -----------------------------------------------------------------------------------------

    @staticmethod
    def _arrays(key: Tensor, value: Tensor) -> tuple[Array, Array]:
        found = []
        for name, x in (("keys", key), ("values", value)):
            if not isinstance(x, Tensor):
                raise DTypeError(
                    f"KVCache: the {name} are a {type(x).__name__}, not a Tensor. Use bb.tensor."
                )
            if x.is_tracked():
                raise GraphError(
                    f"KVCache: the {name} have a graph, and a cache is for inference. Use model.valid(), or detach()."
                )
            found.append(x._array())
        k, v = found
        if k.ndim < 2 or k.shape[:-1] != v.shape[:-1]:
            raise ShapeError(
                f"KVCache: keys {list(k.shape)} and values {list(v.shape)} do not fit each other."
            )
        return k, v

    def _fits(self, k: Array, v: Array) -> None:
        assert self._buffers is not None
        for name, new, old in zip(("keys", "values"), (k, v), self._buffers, strict=True):
            if new.shape[:-2] != old.shape[:-2] or new.shape[-1] != old.shape[-1]:
                before = [*old.shape[:-2], self._length, old.shape[-1]]
                raise ShapeError(
                    f"KVCache: holds {name} {before}, got {list(new.shape)}. Use another cache, or reset()."
                )
            if new.dtype != old.dtype:
                raise DTypeError(f"KVCache: holds {name} of {old.dtype}, got {new.dtype}. Use astype.")

    def _moved(self, old: tuple[Array, Array] | None, room: int, like: tuple[Array, Array]) -> Any:
        """Return new memory for ``room`` positions, with what there is."""
        found = []
        for i, array in enumerate(like):
            new = np.empty((*array.shape[:-2], room, array.shape[-1]), array.dtype)
            if old is not None:
                new[..., : self._length, :] = old[i][..., : self._length, :]
            found.append(new)
        return tuple(found)

    def _seen(self) -> tuple[Tensor, Tensor]:
        """Return all keys and values, over the memory."""
        assert self._buffers is not None and self._device is not None
        k, v = (buffer[..., : self._length, :] for buffer in self._buffers)
        return Tensor(k, self._device), Tensor(v, self._device)


def cached_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cache: KVCache | None = None,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = True,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Apply ``functional.scaled_dot_product_attention`` to new positions and those that a cache holds.

    Args:
        query: of the new positions.
        key: likewise; the cache takes it.
        value: likewise.
        cache: that of this attention alone; ``None`` is as one that is empty and forgotten after.
        attn_mask: for all positions, those of the cache first.
        dropout_p: see there.
        is_causal: let a position see itself and earlier ones alone.
        scale: see there.
        enable_gqa: see there.

    Shape:
        query ``[..., h, l, e]``, key ``[..., h, l, e]``, value ``[..., h, l, d]``, attn_mask broadcasts to
        ``[..., h, l, past + l]``; result ``[..., h, l, d]``.

    Raises:
        ShapeError: the shapes do not fit.
        GraphError: there is a cache, and keys or values have a graph.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> cache = nn.KVCache()
        >>> q = bb.random.normal((1, 2, 5, 4))  # [n, heads, l, e]
        >>> parts = [nn.cached_attention(x, x, x, cache) for x in (q[:, :, :3], q[:, :, 3:])]
        >>> bool((abs(bb.concat(parts, axis=2) - nn.cached_attention(q, q, q)) < 1e-6).all())
        True
    """
    past = 0
    if cache is not None:
        past = cache.length
        key, value = cache.append(key, value)
    try:
        if is_causal and past:
            seen, is_causal = causal_mask(query.shape[-2], key.shape[-2], past), False
            if seen is not None:
                attn_mask = _shown(attn_mask, seen)
        return F.scaled_dot_product_attention(
            query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa
        )
    except BackburnerError:
        if cache is not None and past:
            cache.truncate(past)
        elif cache is not None:
            cache.reset()
        raise


def _shown(mask: Tensor | None, seen: Array) -> Tensor:
    """Return a mask that lets no more keys take part than are ``seen``."""
    keep = Tensor(seen, Device.cpu())
    if mask is None:
        return keep
    if mask.dtype.kind == "b":
        return logical_and(mask, keep)
    return where(keep, mask, -math.inf)
