"""Scaled dot-product attention, a block of query rows at a time.

The scores of a block fit into a cache, and no more than that is ever there of what is as large as the product of the
two lengths. Heads that share a key are rows of one matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from backburner.backends.numpy.reduction import sum as accurate_sum
from backburner.contracts import Array, Shape
from backburner.threads import share

BLOCK = 1 << 17
"""So many scores at a time at most, but for a single row that has more."""

CAUSAL_ROWS = 128
"""So many rows of a causal block at least, where there are as many: fewer skip more keys, and make slow products."""


def scaled_dot_product_attention(
    query: Array, key: Array, value: Array, attn_mask: Array | None, /, *,
    is_causal: bool, scale: float, dropout_p: float, seed: int,
) -> Array:  # fmt: skip
    """Return ``softmax(scale * query @ key.T + attn_mask) @ value``."""
    heads = Heads(
        query, key, value, attn_mask, is_causal=is_causal, scale=scale, dropout_p=dropout_p, seed=seed
    )
    return heads.attend(_weigh)[0]


NEAR = 20.0
"""Scores no further from 0 than this need no shift before exp: finding and taking off maxima costs more than exp."""

_SUMMED = 2048
"""So many weights are added up in a row by einsum, in three times less time than NumPy's pairwise sum takes."""


def _weigh(scores: Array, block: Block) -> tuple[None, Array]:
    """Make weights of scores, in place and not yet divided by their sum; see ``Weigh``."""
    seen = last = None
    if block.visible < block.keys:
        seen = _seen(block.rows, block.keys - block.visible + 1, scores.dtype.char)
        last = block.by_heads(scores)[..., block.visible - 1 :]
    if _near(scores, None):
        np.exp(scores, out=scores)
        if block.mask is not None:
            x = block.by_heads(scores)
            x *= block.mask
        if seen is not None:
            last *= seen
    else:
        near = _near(scores.reshape(len(scores) // block.rows, -1), 1)  # no head depends on others
        if block.mask is not None:
            np.copyto(block.by_heads(scores), -np.inf, where=~block.mask)
        if seen is not None and last is not None:
            np.copyto(last, -np.inf, where=seen == 0)
        highest = np.maximum.reduce(scores, axis=-1, keepdims=True)
        highest[highest == -np.inf] = 0
        highest.reshape(-1, block.rows)[near] = 0
        scores -= highest
        np.exp(scores, out=scores)
    one_by_one = block.keys <= _SUMMED
    total = np.einsum("ij->i", scores) if one_by_one else np.add.reduce(scores, axis=-1)
    total[total == 0] = np.inf
    if block.kept is not None:
        scores *= block.kept
    return None, np.divide(1, total, out=total)


def _near(scores: Array, axis: int | None) -> Any:
    """Return whether all scores are near 0, along an axis or altogether."""
    return (np.minimum.reduce(scores, axis=axis) >= -NEAR) & (np.maximum.reduce(scores, axis=axis) <= NEAR)


@lru_cache(8)
def _seen(rows: int, columns: int, kind: str) -> Array:
    """Return 1 where a row sees one of the last keys: from the one at the first row's place on, and else 0."""
    seen = np.tri(rows, columns, dtype=kind)
    seen.flags.writeable = False
    return seen


class Block(NamedTuple):
    """Some heads and some query rows of them; the rows of all heads are those of the scores, ``[rows of all, keys]``.

    Attributes:
        heads: which keys and values.
        queries: which query rows.
        members: how many query heads.
        rows: how many query rows.
        keys: how many of the keys any row sees.
        visible: how many of them the first row sees; each further row sees one more, up to all.
        mask: which keys take part, as bool; it broadcasts to ``by_heads``.
        bias: what is added to the scores; broadcasts likewise.
        kept: which weights dropout leaves, as the scores.
    """

    heads: slice
    queries: slice
    members: int
    rows: int
    keys: int
    visible: int
    mask: Array | None
    bias: Array | None
    kept: Array | None

    def part_of(self, space: Array) -> Array:
        """Return as much of some memory as the scores take."""
        shape = self.members * self.rows, self.keys
        return space[: shape[0] * shape[1]].reshape(shape)

    def by_heads(self, scores: Array) -> Array:
        """Return a view ``[heads, rows, keys]``."""
        return scores.reshape(-1, self.rows, self.keys)


Weigh = Callable[[Array, Block], tuple[Array | None, Array]]
"""From scores, which it turns into weights, and the block to what it took off each row's scores, if anything, and one
over each row's sum.
"""

Place = tuple[slice, slice]
"""Which heads of the keys, and which query rows."""


class Heads:
    """The inputs of attention as matrices, and their blocks.

    Attributes:
        query: ``[n, group, l, e]``.
        key: ``[n, s, e]``.
        value: ``[n, s, d]``; in this, ``finite_key`` and ``finite_query`` what is not finite is 0, where some keys
            take no part: 0 times it would be NaN.
        batch: the dimensions of the result before the last two.
        kv_batch: those of key and value.
        scale: of the scores.
        keep_scale: what dropout multiplies the weights by that it leaves.
    """

    def __init__(
        self, query: Array, key: Array, value: Array, mask: Array | None, *,
        is_causal: bool, scale: float, dropout_p: float, seed: int,
    ) -> None:  # fmt: skip
        single = query.ndim == key.ndim == value.ndim == 2
        query, key, value = (x if x.ndim > 2 else x[None] for x in (query, key, value))
        kv_heads = max(key.shape[-3], value.shape[-3]) if key.shape[-3] and value.shape[-3] else 0
        heads = max(query.shape[-3], kv_heads) if kv_heads else 0
        batch = query.shape[:-3]
        if not batch == key.shape[:-3] == value.shape[:-3]:
            batch = np.broadcast_shapes(batch, key.shape[:-3], value.shape[:-3])
        self._l, e = query.shape[-2:]
        self._s, self._d = value.shape[-2:]
        self.batch, self.kv_batch = (*batch, heads), (*batch, kv_heads)
        self._shape = (*self.batch[single:], self._l, self._d)
        self._n = math.prod(self.kv_batch)
        self._group = heads // kv_heads if kv_heads else 1
        self.query = _matrices(query, self.batch, (self._n, self._group))
        self.key = _matrices(key, self.kv_batch, (self._n,))
        self.value = _matrices(value, self.kv_batch, (self._n,))
        self.finite_key, self.finite_query = self.key, self.query
        self.scale = scale if e else 1.0
        self._is_causal, self._p, self._seed = is_causal, dropout_p, seed
        self.keep_scale = 1 / (1 - dropout_p) if dropout_p < 1 else 0.0
        self._mask = None if mask is None else Masks(_squashed(mask), self.batch, self._group)
        self._ends: tuple[Array, Array] | None = None
        self._strange = False

    def set_aside(self) -> bool:
        """Take out what is not finite, where some keys take no part; return whether there is such."""
        if self._mask is None and not self._is_causal:
            return False
        self.finite_key, self.finite_query = _finite(self.key), _finite(self.query)
        self._strange = self.finite_key is not self.key or self.finite_query is not self.query
        value = _finite(self.value)
        if value is not self.value:
            nan = np.isnan(self.value)
            plus, minus = (((self.value == end) | nan).astype(value.dtype) for end in (np.inf, -np.inf))
            self.value, self._ends = value, (plus, minus)
        return self._strange or self._ends is not None

    def attend(self, weigh: Weigh) -> tuple[Array, Array, Array]:
        """Return the result, and of each row what was taken off and one over the sum, both ``[n, group, l]``."""
        with np.errstate(invalid="ignore", over="ignore"):
            found = self._attended(weigh)
            # what is not finite reaches the result, if only as its product with a weight of 0
            if not math.isfinite(np.add.reduce(found[0], axis=None)) and self.set_aside():
                found = self._attended(weigh)
        return found[0].reshape(self._shape), *found[1:]

    def _attended(self, weigh: Weigh) -> tuple[Array, Array, Array]:
        shape = self._n, self._group, self._l
        out = np.empty((*shape, self._d), self.query.dtype)
        highest, reciprocal = np.zeros((2, *shape), out.dtype)
        if not self._s:
            out[:] = 0
        places = self.places()
        spaces: list[Array] = []

        def attend(i: int) -> None:
            block = self.block(places[i])
            space = spaces.pop() if spaces else self.space()
            scores = block.part_of(space)
            self.score(block, self.scaled(block, self.query), scores)
            place = block.heads, slice(None), block.queries
            largest, one_over = weigh(scores, block)
            part = reciprocal[place]
            part[...] = one_over.reshape(part.shape)
            if largest is not None:
                highest[place] = largest.reshape(part.shape)
            y = self._mixed(scores, block).reshape(*part.shape, self._d)
            if self._p:
                part = self.keep_scale * part
            np.multiply(y, part[..., None], out=out[place])
            spaces.append(space)

        share(attend, len(places))
        return out, highest, reciprocal

    def _cut(self) -> tuple[int, int]:
        """Return the query rows and the heads of a block; the former do not depend on the number of heads."""
        rows = min(self._l, max(1, BLOCK // (self._group * self._s)))
        if self._is_causal:
            rows = min(rows, max(CAUSAL_ROWS, -(-self._l // 8)))
        blocks = -(-self._n // max(1, BLOCK // (self._group * rows * self._s)))
        return rows, -(-self._n // (blocks + blocks % 2 if blocks > 1 else 1))

    def space(self) -> Array:
        """Return memory for the scores of any block."""
        if not self._n * self._group * self._l * self._s:
            return np.empty(0, self.query.dtype)
        rows, many = self._cut()
        return np.empty(many * self._group * rows * self._s, self.query.dtype)

    def places(self) -> list[Place]:
        """Cut heads and query rows into blocks, those of the same heads one after another."""
        if not self._n * self._group * self._l * self._s:
            return []
        rows, many = self._cut()
        return [
            (slice(low, min(low + many, self._n)), slice(start, min(start + rows, self._l)))
            for low in range(0, self._n, many)
            for start in range(0, self._l, rows)
        ]

    def each(self, task: Callable[[Place], None], *, alone: bool) -> None:
        """Run a task for each block, one at a time for those of the same heads, or altogether ``alone``."""
        parts = [list(places) for _, places in groupby(self.places(), lambda place: place[0])]

        def run(i: int) -> None:
            for place in parts[i]:
                task(place)

        if alone:
            for i in range(len(parts)):
                run(i)
        else:
            share(run, len(parts))

    def block(self, place: Place) -> Block:
        """Return a block with its masks."""
        heads, queries = place
        keys = min(self._s, queries.stop) if self._is_causal else self._s
        mask = bias = None
        if self._mask is not None:
            mask, bias = self._mask.block(heads, queries, keys, self._strange)
        return Block(
            heads, queries, self._group * (heads.stop - heads.start), queries.stop - queries.start, keys,
            min(queries.start + 1, keys) if self._is_causal else keys,
            mask, bias, self._kept(heads, queries, keys) if self._p else None,
        )  # fmt: skip

    def scaled(self, block: Block, queries: Array) -> Array:
        """Return the block's part of the queries, or of the finite ones, scaled: ``[heads, rows of all, e]``."""
        x = queries[block.heads, :, block.queries]
        return np.multiply(x, self.scale, order="C").reshape(len(x), self._group * block.rows, x.shape[-1])

    def score(self, block: Block, queries: Array, out: Array) -> None:
        """Write the scores of scaled queries, with the float mask added."""
        keys = self.key[block.heads, : block.keys]
        np.matmul(queries, keys.swapaxes(1, 2), out=out.reshape(len(keys), -1, block.keys))
        if block.bias is not None:
            x = block.by_heads(out)
            x += block.bias

    def _mixed(self, weights: Array, block: Block) -> Array:
        """Return the weights' products with the values, where 0 times what is not finite is 0."""

        def product(values: Array) -> Array:
            part = values[block.heads, : block.keys]
            return np.asarray(np.matmul(weights.reshape(len(part), -1, block.keys), part))

        y = product(self.value)
        if self._ends is not None:
            plus, minus = (product(end) > 0 for end in self._ends)
            y[plus], y[minus], y[plus & minus] = np.inf, -np.inf, np.nan
        return y

    def _kept(self, heads: slice, queries: slice, keys: int) -> Array:
        """Return which weights stay. A weight has a place of its own in the stream, so that blocks do not matter."""
        words = -(-self._s // 2)
        whole = queries.stop - queries.start == self._l
        first, last = heads.start * self._group, heads.stop * self._group
        found = []
        for head in (first,) if whole else range(first, last):
            stream = np.random.PCG64(self._seed)
            stream.advance((head * self._l + queries.start) * words)
            count = (last - first) * self._l if whole else queries.stop - queries.start
            found.append(stream.random_raw(count * words).view(np.uint32).reshape(count, 2 * words))
        draws = (found[0] if len(found) == 1 else np.concatenate(found))[:, :keys]
        return np.ascontiguousarray(draws >= np.uint32(min(int(self._p * 2**32), 2**32 - 1)))


class Masks:
    """Matrices ``[l or 1, s or 1]``, and which of them each head has.

    Attributes:
        own: all of them.
    """

    def __init__(self, array: Array, batch: Shape, group: int) -> None:
        array = array.reshape((1,) * (2 - array.ndim) + array.shape)
        lead = array.shape[:-2]
        count = math.prod(lead)
        self.own = array.reshape(count, *array.shape[-2:])
        self._which = np.broadcast_to(np.arange(count).reshape(lead), batch).reshape(-1, group)

    def _place(self, heads: slice, queries: slice, keys: int) -> tuple[Array, slice, slice]:
        _, rows, columns = self.own.shape
        which = self._which[heads].reshape(-1)
        return which, queries if rows > 1 else slice(0, 1), slice(0, keys if columns > 1 else 1)

    def block(
        self, heads: slice, queries: slice, keys: int, strange: bool
    ) -> tuple[Array | None, Array | None]:
        """Return the mask and the bias of a block, see ``Block``.

        Args:
            heads: which of the keys' heads.
            queries: which rows.
            keys: how many keys.
            strange: a score may be NaN, which a bias of ``-inf`` does not help, but a mask does.
        """
        which, rows, columns = self._place(heads, queries, keys)
        one = len(which) == 1 or (which == which[0]).all()
        found = self.own[slice(which[0], which[0] + 1) if one else which, rows, columns]
        if found.dtype.kind == "b":
            return found, None
        return found != -np.inf if strange else None, found

    def add(self, block: Block, slopes: Array) -> None:
        """Add the gradients of a block's scores."""
        which, rows, columns = self._place(block.heads, block.queries, block.keys)
        x = block.by_heads(slopes)
        axes = tuple(axis for axis in (1, 2) if self.own.shape[axis] == 1)
        if len(self.own) == 1:
            self.own[0, rows, columns] += accurate_sum(x, axis=(0, *axes), keepdims=True)[0]
            return
        x = accurate_sum(x, axis=axes, keepdims=True) if axes else x
        for matrix, dx in zip(which, x, strict=True):
            self.own[matrix, rows, columns] += dx


def _squashed(mask: Array) -> Array:
    """Return a mask without the repetition along axes that were broadcast."""
    return mask[tuple(slice(None if stride else 1) for stride in mask.strides)]


def _matrices(x: Array, batch: Shape, counts: Shape) -> Array:
    """Return matrices broadcast to ``batch`` and counted by ``counts``, their rows as BLAS takes them."""
    sizes = x.shape[-2:]
    if x.shape[:-2] != batch:
        x = np.broadcast_to(x, (*batch, *sizes))
    x = x.reshape(*counts, *sizes)
    fit = x.strides[-1] == x.itemsize and x.strides[-2] >= sizes[-1] * x.itemsize
    return x if fit else np.ascontiguousarray(x)


def _finite(x: Array) -> Array:
    """Return ``x`` with 0 where it is not finite; a finite sum says that it is everywhere."""
    with np.errstate(all="ignore"):
        return (
            x if math.isfinite(np.add.reduce(x, axis=None)) else np.where(np.isfinite(x), x, x.dtype.type(0))
        )
