"""Datasets: what has a length and gives examples by number, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.data import _streams
from backburner.data._sampler import as_array, split_indices
from backburner.dtype import canonical
from backburner.errors import ArgumentError, IndexOutOfRange, ShapeError

Example = TypeVar("Example", covariant=True)


class Dataset(Protocol[Example]):
    """What a `Loader` takes: a length, and examples by number from 0 on. A list is one.

    An example is a number, an array, a tensor, a text, or a tuple, list, dict or named tuple of them.

    A dataset may also have a method ``batch(indices)``, which takes an int64 array and returns many examples at
    once, each array with one more axis in front; the loader then calls it instead of collating. For worker
    processes it has to be picklable.
    """

    def __len__(self) -> int:
        """Return the number of examples."""
        ...

    def __getitem__(self, index: int, /) -> Example:
        """Return one example."""
        ...


def place(op: str, index: Any, length: int) -> int:
    """Return an index as an int from 0 on.

    Raises:
        IndexOutOfRange: it is outside; also an ``IndexError``.
        ArgumentError: it is no int.
    """
    if isinstance(index, bool) or not isinstance(index, int | np.integer):
        raise ArgumentError(f"{op}: an example is asked for by its number, not by {index!r}.")
    if not -length <= index < length:
        raise IndexOutOfRange(f"{op}: example {index} of {length}.")
    return int(index) % length


def batch_of(dataset: Any) -> Callable[[Array], Any] | None:
    """Return the method that gives many examples at once, where the dataset has one."""
    found: Callable[[Array], Any] | None = getattr(dataset, "batch", None)
    return found


class ArrayDataset:
    """Arrays whose first axes run over the same examples.

    Args:
        arrays: NumPy arrays or tensors, at least one.

    Example:
        >>> import numpy as np
        >>> from backburner import data
        >>> dataset = data.ArrayDataset(np.arange(6.0).reshape(3, 2), np.array([0, 1, 1]))
        >>> len(dataset), dataset[1]
        (3, (array([2., 3.]), np.int64(1)))
    """

    __slots__ = ("arrays",)

    def __init__(self, *arrays: Array | Tensor) -> None:
        found = tuple(as_array("ArrayDataset", array) for array in arrays)
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

    def batch(self, indices: Array) -> tuple[Array, ...]:
        """Return copies of these examples of each array."""
        return tuple(array.take(indices, axis=0) for array in self.arrays)

    def __repr__(self) -> str:
        return f"ArrayDataset({', '.join(f'{array.dtype}{list(array.shape)}' for array in self.arrays)})"


class Subset:
    """Some examples of a dataset, in an order of one's own.

    Args:
        dataset: the whole.
        indices: whole numbers; one may occur more than once.

    Example:
        >>> from backburner import data
        >>> list(data.Subset(["a", "b", "c"], [2, 0]))
        ['c', 'a']
    """

    def __init__(self, dataset: Dataset[Any], indices: Sequence[int] | Array) -> None:
        chosen = as_array("Subset", indices)
        if not chosen.size:
            chosen = chosen.astype(np.int64)
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
            raise ArgumentError(
                f"Subset: the indices are a list of whole numbers, not {chosen.dtype}{list(chosen.shape)}."
            )
        n = len(dataset)
        outside = chosen[(chosen < -n) | (chosen >= n)] if chosen.size else chosen
        if outside.size:
            raise IndexOutOfRange(f"Subset: example {int(outside[0])} of {n}.")
        self.dataset = dataset
        self.indices = chosen.astype(np.int64) % max(n, 1)

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int) -> Any:
        """Return one example."""
        return self.dataset[int(self.indices[place("Subset", index, len(self))])]

    @property
    def batch(self) -> Callable[[Array], Any] | None:
        """The method that gives many examples at once, where the whole has one."""
        method = batch_of(self.dataset)
        return None if method is None else lambda indices: method(self.indices[indices])

    def __repr__(self) -> str:
        return f"Subset({len(self)} of {self.dataset!r})"


class ConcatDataset:
    """Datasets one after the other.

    Args:
        datasets: at least one.

    Example:
        >>> from backburner import data
        >>> both = data.ConcatDataset([["a", "b"], ["c"]])
        >>> len(both), both[2]
        (3, 'c')
    """

    def __init__(self, datasets: Sequence[Dataset[Any]]) -> None:
        self.datasets = tuple(datasets)
        if not self.datasets:
            raise ArgumentError("ConcatDataset: there are no datasets. Give at least one.")
        self._ends = np.cumsum([len(dataset) for dataset in self.datasets])

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __getitem__(self, index: int) -> Any:
        """Return one example."""
        number = place("ConcatDataset", index, len(self))
        which = int(np.searchsorted(self._ends, number, side="right"))
        before = int(self._ends[which - 1]) if which else 0
        return self.datasets[which][number - before]

    def __repr__(self) -> str:
        return f"ConcatDataset({', '.join(map(repr, self.datasets))})"


class Mapped:
    """A dataset each example of which goes through a function when it is asked for.

    A function with a parameter called ``rng`` gets a ``numpy.random.Generator`` there, to augment examples with. In a
    `Loader` its numbers depend on the loader's seed, the epoch and the example's place in it: they are others in
    each epoch, and the same for any number of workers. Without a loader they depend on the index.

    Args:
        dataset: the examples.
        f: takes an example, a tuple of an `ArrayDataset` being one, and returns another.

    Example:
        >>> import numpy as np
        >>> from backburner import data
        >>> noisy = data.Mapped([1.0, 2.0, 3.0], lambda x, rng: x + rng.normal())
        >>> noisy[1] == noisy[1], noisy[0] - 1 == noisy[1] - 2
        (True, False)
    """

    def __init__(self, dataset: Dataset[Any], f: Callable[..., Any]) -> None:
        if not callable(f):
            raise ArgumentError(f"Mapped: {f!r} cannot be called. Give a function of an example.")
        self.dataset = dataset
        self.f = f
        self._random = _takes_rng(f)

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int) -> Any:
        """Return one example."""
        number = place("Mapped", index, len(self))
        if not self._random:
            return self.f(self.dataset[number])
        if _streams.is_making():
            return self.f(self.dataset[number], rng=_streams.generator())
        with _streams.example(0, 0, number):
            return self.f(self.dataset[number], rng=_streams.generator())

    def __repr__(self) -> str:
        return f"Mapped({self.dataset!r}, {getattr(self.f, '__name__', self.f)})"


def _takes_rng(f: Callable[..., Any]) -> bool:
    import inspect

    try:
        parameters = inspect.signature(f).parameters
    except (TypeError, ValueError):  # of some functions written in C Python knows none
        return False
    return "rng" in parameters


def split(
    dataset: Dataset[Any], shares: Sequence[float], *, seed: int = 0, stratify: Any = None
) -> list[Subset]:
    """Split a dataset at random into parts.

    Args:
        dataset: the examples.
        shares: of each part: counts that add up to the number of examples, or fractions that add up to 1.0.
        seed: a non-negative int, which decides, on every platform and under every version of NumPy.
        stratify: the class of each example, of which each part then gets its share, as nearly as counts allow.

    Returns:
        A dataset for each share. None of them has an example in common.

    Raises:
        ArgumentError: the shares do not add up.

    Example:
        >>> from backburner import data
        >>> [len(part) for part in data.split(range(10), [0.7, 0.2, 0.1])]
        [7, 2, 1]
    """
    return [Subset(dataset, part) for part in split_indices(len(dataset), shares, seed, stratify)]
