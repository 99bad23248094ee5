"""Samplers: which examples an epoch has, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from backburner.contracts import Array
from backburner.data._split import as_array, permutation, raw_bits, whole
from backburner.errors import ArgumentError, ShapeError


class RandomSampler:
    """Draw examples at random, each alike.

    The order of an epoch depends on ``seed`` and its number alone, and is the same on every platform.

    Args:
        length: of the dataset.
        num_samples: examples in an epoch; by default as many as the dataset has.
        replacement: whether one may be drawn again; without, ``num_samples`` is at most ``length``.
        seed: a non-negative int.

    Example:
        >>> from backburner import data
        >>> sampler = data.RandomSampler(5, 3)
        >>> order = sampler.order(0).tolist()
        >>> len(set(order)), order == sampler.order(1).tolist()
        (3, False)
    """

    def __init__(
        self, length: int, num_samples: int | None = None, *, replacement: bool = False, seed: int = 0
    ) -> None:
        count = length if num_samples is None else num_samples
        if not whole(length) or not whole(count) or (count > length and not replacement):
            raise ArgumentError(
                f"RandomSampler: {count!r} of {length!r} examples cannot be drawn. Use replacement=True, or fewer."
            )
        if count and not length:
            raise ArgumentError("RandomSampler: of 0 examples none can be drawn.")
        self.length, self.num_samples, self.replacement, self.seed = length, count, replacement, seed
        raw_bits("RandomSampler", 0, seed)

    def __len__(self) -> int:
        return self.num_samples

    def order(self, epoch: int) -> Array:
        """Return the indices of an epoch."""
        if not self.replacement:
            return permutation("RandomSampler", self.length, self.seed, epoch)[: self.num_samples]
        drawn: Array = _uniform(self.num_samples, self.seed, epoch) * self.length
        return drawn.astype(np.int64)

    def __iter__(self) -> Iterator[int]:
        return iter(self.order(0).tolist())


class WeightedSampler:
    """Draw examples at random, each as often as its weight says, such as one over the size of its class.

    The order of an epoch depends on ``seed`` and its number alone.

    Args:
        weights: a number for each example, not negative; they need not add up to 1.
        num_samples: examples in an epoch; by default as many as there are weights.
        replacement: whether one may be drawn again. Without, those of large weights come first.
        seed: a non-negative int.

    Raises:
        ArgumentError: a weight is negative or not finite, or there are too few above 0.

    Example:
        >>> from backburner import data
        >>> sampler = data.WeightedSampler([0.0, 1.0, 3.0], 1000)
        >>> counts = [sampler.order(0).tolist().count(i) for i in range(3)]
        >>> counts[0], 200 < counts[1] < 300
        (0, True)
    """

    def __init__(
        self, weights: Any, num_samples: int | None = None, *, replacement: bool = True, seed: int = 0
    ) -> None:
        held = as_array("WeightedSampler", weights)
        if held.ndim != 1 or held.dtype.kind not in "fiub":
            raise ShapeError(
                f"WeightedSampler: weights are one number for each example, not {held.dtype}{list(held.shape)}."
            )
        held = held.astype(np.float64)
        if not (np.isfinite(held) & (held >= 0)).all():
            raise ArgumentError("WeightedSampler: a weight is negative or not finite.")
        count = len(held) if num_samples is None else num_samples
        possible = int(np.count_nonzero(held))
        if not whole(count) or (count and not possible) or (count > possible and not replacement):
            raise ArgumentError(
                f"WeightedSampler: {count!r} cannot be drawn of {possible} with a weight above 0. "
                "Use replacement=True, or fewer."
            )
        raw_bits("WeightedSampler", 0, seed)
        self.weights, self.num_samples, self.replacement, self.seed = held, count, replacement, seed

    def __len__(self) -> int:
        return self.num_samples

    def order(self, epoch: int) -> Array:
        """Return the indices of an epoch."""
        if self.replacement:
            ends = np.cumsum(self.weights / (self.weights.max(initial=0) or 1.0))
            drawn = _uniform(self.num_samples, self.seed, epoch) * (ends[-1] if len(ends) else 0.0)
            # rounding may reach the end of the last weight; what weighs nothing is never drawn
            last = int(np.flatnonzero(self.weights)[-1]) if len(drawn) else 0
            return np.minimum(np.searchsorted(ends, drawn, side="right"), last).astype(np.int64)
        # Efraimidis and Spirakis (2006): the largest of u^(1/w), here by logarithms
        with np.errstate(divide="ignore"):
            keys = np.log(_uniform(len(self.weights), self.seed, epoch) + 2.0**-54) / self.weights
        return np.argsort(-keys, kind="stable")[: self.num_samples].astype(np.int64)

    def __iter__(self) -> Iterator[int]:
        return iter(self.order(0).tolist())


def _uniform(n: int, seed: int, epoch: int) -> Array:
    """Return float64 from 0 to below 1, made of the raw bits, which NumPy keeps for ever."""
    high: Array = raw_bits("order", n, seed, epoch) >> np.uint64(11)
    return high * 2.0**-53
