"""Data: the digits set, and arrays cut into batches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.device import Device
from backburner.dtype import canonical
from backburner.errors import ArgumentError, ShapeError
from backburner.ops.creation import asarray

HELD_OUT = 360  # of the digits, for measuring accuracy


def digits() -> tuple[Array, Array]:
    """Return the handwritten digits of UCI (E. Alpaydin and C. Kaynak, 1998; CC BY 4.0).

    Returns:
        The images, uint8 from 0 to 16, and the labels, int64 from 0 to 9. Source and license stand in
        ``datasets/digits.txt`` beside this module.

    Shape:
        images ``[1797, 8, 8]``, labels ``[1797]``.
    """
    import io

    package = os.path.dirname(os.path.dirname(__file__))
    path = os.path.join(package, "datasets", "digits.npz")
    loader: Any = __spec__.loader  # reads from a zip archive as well
    with np.load(io.BytesIO(loader.get_data(path)), allow_pickle=False) as archive:
        return archive["images"], archive["labels"].astype(np.int64)


def digits_split(seed: int = 0) -> tuple[Array, Array]:
    """Return the indices of the digits to train on and of the 360 held out, as `stratified_split` does."""
    return stratified_split(digits()[1], HELD_OUT, seed=seed)


def stratified_split(labels: Array, held_out: int, *, seed: int = 0) -> tuple[Array, Array]:
    """Split at random into two parts in which each class has the same share, as nearly as counts allow.

    ``seed`` decides, on every platform and under every version of NumPy.

    Args:
        labels: the class of each example.
        held_out: how many examples the second part has.
        seed: a non-negative int.

    Returns:
        The indices of the first part and of the second, each in random order.
    """
    labels = _array("stratified_split", labels)
    whole = isinstance(held_out, int | np.integer) and not isinstance(held_out, bool)
    if labels.ndim != 1 or not whole or not 0 <= held_out <= len(labels):
        raise ArgumentError(
            f"stratified_split: {held_out!r} cannot be held out of labels of the shape {list(labels.shape)}."
        )
    order = _permutation("stratified_split", len(labels), seed)
    _, classes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    exact = counts * held_out  # shares, times the number of labels
    quota, rest = np.divmod(exact, max(len(labels), 1))
    quota[np.argsort(-rest, kind="stable")[: held_out - quota.sum()]] += 1
    shuffled = classes[order]
    held = np.zeros(len(labels), np.bool_)
    for number, count in enumerate(quota):
        held[np.flatnonzero(shuffled == number)[:count]] = True
    return order[~held], order[held]


def _array(op: str, values: Any) -> Array:
    if isinstance(values, np.ndarray | Tensor):
        return np.asarray(values)
    try:
        return np.asarray(values)
    except ValueError:  # lists of different lengths
        raise ShapeError(
            f"{op}: a {type(values).__name__} is no array: its parts have several shapes."
        ) from None


def _permutation(op: str, n: int, *seeds: int) -> Array:
    for seed in seeds:
        if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
            raise ArgumentError(f"{op}: a seed is a non-negative integer, not {seed!r}.")
    # NumPy keeps the raw bits of a generator the same for ever, but not what it makes of them.
    bits = np.random.PCG64(np.random.SeedSequence([int(seed) for seed in seeds])).random_raw(n)
    return np.argsort(bits, kind="stable").astype(np.int64, copy=False)


class ArrayDataset:
    """Arrays whose first axes run over the same examples.

    Args:
        arrays: NumPy arrays or tensors, at least one.
    """

    __slots__ = ("arrays",)

    def __init__(self, *arrays: Array | Tensor) -> None:
        found = tuple(_array("ArrayDataset", array) for array in arrays)
        if not found or any(array.ndim == 0 or len(array) != len(found[0]) for array in found):
            shapes = ", ".join(str(list(array.shape)) for array in found) or "no arrays"
            raise ShapeError(f"ArrayDataset: the first axes are not of one length: {shapes}.")
        self.arrays = tuple(
            array.astype(canonical(array.dtype, "ArrayDataset"), copy=False) for array in found
        )

    def __len__(self) -> int:
        return len(self.arrays[0])

    def __getitem__(self, index: int | slice | Array) -> tuple[Array, ...]:
        """Return these examples of each array."""
        return tuple(array[index] for array in self.arrays)

    def __repr__(self) -> str:
        return f"ArrayDataset({', '.join(f'{array.dtype}{list(array.shape)}' for array in self.arrays)})"


class Batches:
    """Batches of examples as tensors. Each loop over it is one epoch; `batches` makes one.

    Attributes:
        epoch: the number of the next epoch, which with the seed decides its order. Set it to resume.
    """

    __slots__ = ("_dataset", "_device", "_drop_last", "_seed", "_shuffle", "_size", "epoch")

    def __init__(
        self,
        dataset: ArrayDataset,
        *,
        size: int,
        shuffle: bool,
        seed: int,
        drop_last: bool,
        device: Device | None,
    ) -> None:
        if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < 1:
            raise ArgumentError(f"batches: a batch has at least one example, not {size!r}.")
        _permutation("batches", 0, seed)
        self._dataset = dataset
        self._size = int(size)
        self._shuffle = shuffle
        self._seed = seed
        self._drop_last = drop_last
        self._device = device
        self.epoch = 0

    def __len__(self) -> int:
        """Return the number of batches in an epoch."""
        n = len(self._dataset)
        return n // self._size if self._drop_last else -(-n // self._size)

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        epoch = self.epoch
        self.epoch += 1
        return self._run(epoch)

    def _run(self, epoch: int) -> Iterator[tuple[Tensor, ...]]:
        n = len(self._dataset)
        order = _permutation("batches", n, self._seed, epoch) if self._shuffle else np.arange(n)
        for start in range(0, len(self) * self._size, self._size):
            chosen = order[start : start + self._size]
            # take copies, so that nobody else can write to what the tensors hold
            yield tuple(
                asarray(array.take(chosen, axis=0), device=self._device, copy=False)
                for array in self._dataset.arrays
            )


def batches(
    *arrays: Array | Tensor,
    size: int,
    shuffle: bool = False,
    seed: int = 0,
    drop_last: bool = False,
    device: Device | None = None,
) -> Batches:
    """Cut arrays into batches along their first axes.

    Args:
        arrays: NumPy arrays or tensors of as many examples each.
        size: examples in a batch.
        shuffle: whether each epoch has an order of its own, which ``seed`` and its number decide.
        seed: a non-negative int.
        drop_last: leave out a last batch that is smaller than the others.
        device: where the tensors live; ``None`` is ``Device()``.

    Returns:
        Something to loop over, once per epoch, that gives a tuple with a tensor for each array.

    Example:
        >>> from backburner import data
        >>> images, labels = data.digits()
        >>> [len(y) for x, y in data.batches(images, labels, size=600)]
        [600, 600, 597]
    """
    return Batches(
        ArrayDataset(*arrays), size=size, shuffle=shuffle, seed=seed, drop_last=drop_last, device=device
    )
