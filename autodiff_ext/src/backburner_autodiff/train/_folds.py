"""Which rows of a table each member of an ensemble learns from, and which judge it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from backburner.data._sampler import permutation, raw_bits
from backburner_autodiff._rule import Array

FOLDS = 8
SMALL = 10_000  # rows up to which each judges one member and teaches the others
HELD_OUT = 0.1  # of a larger table
MOST_HELD_OUT = 20_000
BATCHES = (32, 1024)  # the smallest and the largest, for one member
ROWS = 20_000  # an epoch of so many rows is seen 20 times, of one of 32 rows each; see `epochs`
MOST_STEPS = 4000


class Folds(NamedTuple):
    """The rows of each member.

    Attributes:
        train: the rows that it learns from.
        held_out: those that judge it; either disjoint for all members, or the same.
        shared: whether they are the same.
    """

    train: tuple[Array, ...]
    held_out: tuple[Array, ...]
    shared: bool

    @property
    def members(self) -> int:
        """How many members there are."""
        return len(self.train)


def make(y: Array, share: float | None, seed: int) -> Folds:
    """Deal out rows so that each part has the classes in the same shares, or numbers from all of their range.

    In a small table the rows are dealt into folds; each member is judged by one and learns from the others, so
    that every row counts in both. In a large one all members are judged by the same rows.

    Args:
        y: the targets.
        share: of the rows in one fold, or held out; by default an eighth, of a large table a tenth.
        seed: decides.
    """
    n = len(y)
    order = permutation("train", n, seed, 0)
    order = order[np.argsort(y[order], kind="stable")]
    if y.dtype.kind == "f":
        order = _mixed(order, FOLDS, seed)
    if n <= SMALL:
        count = min(FOLDS if share is None else max(2, round(1 / share)), n // 2)
        place = np.empty(n, np.int64)
        place[order] = np.arange(n) % count
        parts = tuple(np.flatnonzero(place == fold) for fold in range(count))
        return Folds(tuple(np.flatnonzero(place != fold) for fold in range(count)), parts, False)
    held = max(1, round(n * share)) if share is not None else min(round(n * HELD_OUT), MOST_HELD_OUT)
    chosen = np.zeros(n, np.bool_)
    chosen[order[np.arange(held) * n // held]] = True
    members = 4 if n <= 10 * SMALL else 2
    return Folds((np.flatnonzero(~chosen),) * members, (np.flatnonzero(chosen),) * members, True)


def _mixed(order: Array, span: int, seed: int) -> Array:
    """Shuffle each stretch of so many, so that no fold always has the least of it."""
    n = len(order)
    keys = raw_bits("train", n, seed, 1)
    return order[np.lexsort((keys, np.arange(n) // span))]


class Draws:
    """Batches of rows for all members at once, each from its own rows in an order of its own.

    Args:
        folds: the rows.
        epochs: how often a row is seen; by default less often the more there are.
        seed: decides the order.

    Attributes:
        size: rows in a batch of one member.
        steps: batches in all.
        round: batches after which the members are judged: an epoch, or a part of a long one.
        capped: whether there are fewer epochs than a small table would get, to come to an end.
    """

    def __init__(self, folds: Folds, epochs: int | None, seed: int) -> None:
        self._folds = folds
        self._seed = seed
        fewest = min(map(len, folds.train))
        low, high = BATCHES
        self.size = min(
            fewest, max(low, min(high, 1 << (fewest // 16).bit_length() - 1 if fewest >= 16 else low))
        )
        self._per_epoch = fewest // self.size
        wanted = max(20, min(200, ROWS // fewest)) if epochs is None else epochs
        self.steps = wanted * self._per_epoch
        self.capped = epochs is None and self.steps > MOST_STEPS
        if self.capped:
            self.steps = max(MOST_STEPS, self._per_epoch)  # each row once at least
        self.round = min(self._per_epoch, max(1, self.steps // 20))

    @property
    def epochs(self) -> float:
        """How often each row is seen in all."""
        return self.steps / self._per_epoch

    def __iter__(self) -> Iterator[Array]:
        """Give the rows of each batch, ``[members, size]``."""
        orders: list[Array] = []
        for step in range(self.steps):
            epoch, i = divmod(step, self._per_epoch)
            if not i:
                orders = [self._order(epoch, member, rows) for member, rows in enumerate(self._folds.train)]
            yield np.stack([order[i * self.size : (i + 1) * self.size] for order in orders])

    def _order(self, epoch: int, member: int, rows: Array) -> Array:
        return rows[permutation("train", len(rows), self._seed, 2, epoch, member)]
