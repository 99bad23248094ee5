"""Which examples come in which order: permutations, splits and samplers that a seed decides, everywhere alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.errors import ArgumentError, ShapeError


def whole(value: Any, least: int = 0) -> bool:
    """Say whether a value is an int, a bool being none, of at least so much."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= least


def as_array(op: str, values: Any) -> Array:
    """Return values as an array.

    Raises:
        ShapeError: they are lists of several lengths.
    """
    if isinstance(values, np.ndarray | Tensor):
        return np.asarray(values)
    try:
        return np.asarray(values)
    except ValueError:  # lists of different lengths
        raise ShapeError(
            f"{op}: a {type(values).__name__} is no array: its parts have several shapes."
        ) from None


def raw_bits(op: str, n: int, *seeds: int) -> Array:
    """Return random uint64 that the seeds decide.

    NumPy keeps the raw bits of a generator the same for ever, but not what it makes of them.
    """
    for seed in seeds:
        if not whole(seed):
            raise ArgumentError(f"{op}: a seed is a non-negative integer, not {seed!r}.")
    return np.random.PCG64(np.random.SeedSequence([int(seed) for seed in seeds])).random_raw(n)


def permutation(op: str, n: int, *seeds: int) -> Array:
    """Return a random order of ``0 ... n - 1`` that the seeds decide."""
    return np.argsort(raw_bits(op, n, *seeds), kind="stable").astype(np.int64, copy=False)


def stratified_split(labels: Array, held_out: int, *, seed: int = 0) -> tuple[Array, Array]:
    """Split at random into two parts in which each class has the same share, as nearly as counts allow.

    ``seed`` decides, on every platform and under every version of NumPy.

    Args:
        labels: the class of each example.
        held_out: how many examples the second part has.
        seed: a non-negative int.

    Returns:
        The indices of the first part and of the second, each in random order.

    Example:
        >>> import numpy as np
        >>> from backburner import data
        >>> labels = np.array([0, 0, 0, 0, 1, 1])
        >>> train, held_out = data.stratified_split(labels, 3)
        >>> sorted(labels[held_out].tolist())
        [0, 0, 1]
    """
    labels = as_array("stratified_split", labels)
    if labels.ndim != 1 or not whole(held_out) or held_out > len(labels):
        raise ArgumentError(
            f"stratified_split: {held_out!r} cannot be held out of labels of the shape {list(labels.shape)}."
        )
    order = permutation("stratified_split", len(labels), seed)
    _, classes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    exact = counts * held_out  # shares, times the number of labels
    quota, rest = np.divmod(exact, max(len(labels), 1))
    quota[np.argsort(-rest, kind="stable")[: held_out - quota.sum()]] += 1
    shuffled = classes[order]
    held = np.zeros(len(labels), np.bool_)
    for number, count in enumerate(quota):
        held[np.flatnonzero(shuffled == number)[:count]] = True
    return order[~held], order[held]


def split_indices(n: int, shares: Sequence[float], seed: int, stratify: Any) -> list[Array]:
    """Return the indices of each part, in random order; see `split`."""
    counts = _counts(n, shares)
    labels = np.zeros(n, np.int64) if stratify is None else as_array("split", stratify)
    if labels.shape != (n,):
        raise ShapeError(f"split: labels of the shape {list(labels.shape)} to stratify {n} examples by.")
    # Each part is held out of what is left, the last first, so that each class is shared out evenly.
    left = np.arange(n)
    parts: list[Array] = []
    for place, count in reversed(list(enumerate(counts))):
        if stratify is None:
            order = permutation("split", len(left), seed, place)
            kept, held = order[: len(left) - count], order[len(left) - count :]
        else:
            mixed = int(raw_bits("split", 1, seed, place)[0] >> np.uint64(1))
            kept, held = stratified_split(labels[left], count, seed=mixed)
        parts.append(left[held])
        left = left[kept]
    return parts[::-1]


def _counts(n: int, shares: Sequence[float]) -> list[int]:
    """Return how many examples each part has; fractions are rounded so that they add up."""
    if isinstance(shares, (int, float)):
        rest = f"{1 - shares:g}" if isinstance(shares, float) else f"{n - shares}"
        raise ArgumentError(f"split: shares is {shares!r}, not one for each part. Use [{shares!r}, {rest}].")
    given = list(shares)
    if given and all(whole(share) for share in given):
        if sum(given) == n:
            return [int(share) for share in given]
    elif given and all(isinstance(share, float) and 0 <= share <= 1 for share in given):
        if abs(sum(given) - 1) < 1e-6:
            ends = np.rint(np.cumsum(given) * n).astype(int)
            ends[-1] = n
            return [int(count) for count in np.diff(ends, prepend=0)]
    raise ArgumentError(
        f"split: shares {given} of {n} examples. Give counts that add up to {n}, or fractions that add up to 1.0."
    )


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
