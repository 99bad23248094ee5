"""Random orders and splits that a seed decides, on every platform and under every version of NumPy."""

from __future__ import annotations

from collections.abc import Sequence
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
