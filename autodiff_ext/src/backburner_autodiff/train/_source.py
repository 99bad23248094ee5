"""Where batches come from: iterables, loaders and arrays, from their start or from the middle of an epoch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from itertools import islice
from typing import Any

import numpy as np

from backburner import Tensor, data
from backburner._tensor import tensor
from backburner.errors import ArgumentError, DTypeError
from backburner_autodiff._rule import Array

BATCH_SIZE = 32


class Source:
    """Batches of one data set, epoch after epoch.

    Args:
        op: who asks, for messages.
        given: an iterable of batches, a tuple of arrays, or with ``batch_size`` a data set.
        batch_size: examples in a batch, where batches are to be made.
        shuffle: whether batches that are made have another order in each epoch.
        seed: which with the epoch decides that.
        dtype: of floats in arrays of NumPy, the model's; tensors stay as they are.

    Raises:
        DTypeError: ``given`` is nothing of that.
    """

    def __init__(
        self, op: str, given: Any, batch_size: int | None, shuffle: bool, seed: int, dtype: np.dtype[Any]
    ) -> None:
        self._op = op
        self._dtype = dtype
        arrays = isinstance(given, tuple) and bool(given) and all(map(_is_array, given))
        if arrays or isinstance(given, data.ArrayDataset):
            found = given.arrays if isinstance(given, data.ArrayDataset) else given
            parts = [self._floats(x) for x in found]
            size = BATCH_SIZE if batch_size is None else batch_size
            given = data.batches(*parts, batch_size=size, shuffle=shuffle, seed=seed)
        elif batch_size is not None:
            if not is_cut(given):
                raise ArgumentError(
                    f"{op}: batch_size is for arrays and data sets, and this is a {type(given).__name__} of batches "
                    "already. Leave it out, or give a tuple of arrays."
                )
            given = data.Loader(given, batch_size=batch_size, shuffle=shuffle, seed=seed)
        if not isinstance(given, Iterable) or isinstance(given, (str, bytes, Tensor, np.ndarray)):
            kind = f"an array {list(np.shape(given))}" if _is_array(given) else f"{given!r:.80}"
            raise DTypeError(
                f"{op}: data is an iterable of batches or a tuple of arrays, not {kind}. Give inputs and targets "
                "as one argument, (x, y); data.batches makes batches."
            )
        if isinstance(given, tuple) and any(map(_is_array, given)):
            place, other = next((i, x) for i, x in enumerate(given) if not _is_array(x))
            raise DTypeError(
                f"{op}: a tuple of data holds arrays, and its entry {place} is a {type(other).__name__}. "
                "Use np.asarray on it."
            )
        self.given: Any = given
        self.once = isinstance(given, Iterator)

    def _floats(self, x: Any) -> Any:
        if isinstance(x, Tensor) or x.dtype.kind != "f" or x.dtype == self._dtype:
            return x
        return x.astype(self._dtype)

    def __len__(self) -> int:
        """Return the number of batches in an epoch, 0 if that is not known."""
        if not isinstance(self.given, Sized):
            return 0
        try:
            return len(self.given)
        except TypeError:  # a loader over what has no length says so when it is asked
            return 0

    def tensors(self, batch: Any) -> Any:
        """Return a batch whose arrays are tensors."""
        if (
            isinstance(batch, Tensor)
            or batch.__class__ is tuple
            and all(isinstance(x, Tensor) for x in batch)
        ):
            return batch  # as loaders give them
        if isinstance(batch, np.ndarray):
            return tensor(self._floats(batch))
        if isinstance(batch, Mapping):
            return {key: self.tensors(value) for key, value in batch.items()}
        if isinstance(batch, tuple) and hasattr(batch, "_fields"):
            return type(batch)(*map(self.tensors, batch))
        if isinstance(batch, (tuple, list)):
            return type(batch)(map(self.tensors, batch))
        return batch

    # -- where it is

    def state(self) -> dict[str, Any]:
        """Return where the data is, as far as it says so: to be asked before an epoch, or from a loader at any time."""
        if hasattr(self.given, "state_dict") and hasattr(self.given, "load_state_dict"):
            return {"loader": self.given.state_dict()}
        if isinstance(getattr(self.given, "epoch", None), int):
            return {"epoch": self.given.epoch}
        return {}

    def resume(self, state: Mapping[str, Any]) -> bool:
        """Go back to where the data was, and say whether that is exact in the middle of an epoch too.

        Raises:
            ArgumentError: the state is of another kind of data.
        """
        if "loader" in state:
            if not hasattr(self.given, "load_state_dict"):
                raise ArgumentError(
                    f"{self._op}: the snapshot is of a loader with a state, this data is a "
                    f"{type(self.given).__name__}. Resume with the same kind of data."
                )
            self.given.load_state_dict(state["loader"])
            return True
        if "epoch" in state and hasattr(self.given, "epoch"):
            self.given.epoch = state["epoch"]
        return False

    def skipping(self, count: int) -> Iterator[Any]:
        """Return the rest of an epoch after ``count`` batches, which are made and dropped.

        Raises:
            ArgumentError: there are not so many.
        """
        batches: Iterator[Any] = iter(self.given)
        skipped = sum(1 for _ in islice(batches, count))
        if skipped < count:
            raise ArgumentError(
                f"{self._op}: the snapshot was taken after {count} batches of an epoch, and this data has "
                f"{skipped}. Resume with the same data."
            )
        return batches


def is_cut(given: Any) -> bool:
    """Say whether batches are to be cut from data, for it has examples by number; of a loader's they are."""
    by_number = hasattr(given, "__getitem__") and hasattr(given, "__len__")
    return by_number and not isinstance(given, data.Loader)


def _is_array(value: Any) -> bool:
    return isinstance(value, (np.ndarray, Tensor))


def examples(batch: Any) -> int:
    """Return how many examples a batch has: the length of the first tensor or array in it, 1 for a scalar."""
    found = _first(batch)
    return int(found.shape[0]) if found is not None and found.ndim else 1


def _first(value: Any) -> Tensor | Array | None:
    if isinstance(value, (Tensor, np.ndarray)):
        return value
    entries = value.values() if isinstance(value, Mapping) else value
    if isinstance(entries, (tuple, list)) or isinstance(value, Mapping):
        for entry in entries:
            found = _first(entry)
            if found is not None:
                return found
    return None
