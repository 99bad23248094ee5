"""Batches: examples put together, and their arrays as tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.data import _streams
from backburner.data._dataset import batch_of
from backburner.device import Device
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.ops.creation import asarray


class Task(NamedTuple):
    """A batch that is to be made.

    Attributes:
        token: of the loop that asks for it.
        seed: of the loader.
        epoch: its number.
        number: of the batch in the epoch.
        start: how many examples of the epoch come before.
        indices: of its examples.
    """

    token: int
    seed: int
    epoch: int
    number: int
    start: int
    indices: Array


def collate(examples: Sequence[Any]) -> Any:
    """Put examples together, an axis for them in front.

    Numbers become an array (ints int64, floats float32, bools bool), arrays and tensors are stacked, tuples, lists,
    named tuples and dicts are gone into, texts, bytes and ``None`` become a list.

    Raises:
        ShapeError: arrays have different shapes, or tuples different lengths.
        DTypeError: examples are of another kind.

    Example:
        >>> from backburner import data
        >>> data.collate([(1, "a"), (2, "b")])
        (array([1, 2]), ['a', 'b'])
    """
    if not examples:
        raise ArgumentError("collate: there are no examples. Give at least one.")
    first = examples[0]
    if isinstance(first, str | bytes) or first is None:
        return list(examples)
    if isinstance(first, np.ndarray | np.generic | Tensor):  # first, as NumPy's float64 is a float too
        return _stacked(examples)
    if isinstance(first, bool | int | float):
        if all(isinstance(value, bool) for value in examples):
            return np.array(examples, np.bool_)
        if all(isinstance(value, int) for value in examples):
            return np.array(examples, np.int64)
        if all(isinstance(value, bool | int | float) for value in examples):
            return np.array(examples, np.float32)
    if isinstance(first, Mapping):
        if any(not isinstance(e, Mapping) or e.keys() != first.keys() for e in examples):
            raise ShapeError(f"collate: examples have different keys; the first has {list(first)}.")
        return {key: collate([example[key] for example in examples]) for key in first}
    if isinstance(first, tuple | list):
        if any(not isinstance(e, tuple | list) or len(e) != len(first) for e in examples):
            raise ShapeError(f"collate: examples have different lengths; the first has {len(first)} parts.")
        parts = [collate(part) for part in zip(*examples, strict=True)]
        if isinstance(first, list):
            return parts
        return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
    kinds = ", ".join(sorted({type(example).__name__ for example in examples}))
    raise DTypeError(f"collate: examples of {kinds} cannot be put together. Give Loader(collate=).")


def _stacked(examples: Sequence[Any]) -> Array:
    arrays = [np.asarray(example) for example in examples]
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1:
        shown = ", ".join(str(list(shape)) for shape in sorted(shapes)[:4])
        raise ShapeError(f"collate: examples have different shapes: {shown}. Give Loader(collate=).")
    return np.stack(arrays)


def fetch(dataset: Any, put_together: Callable[[Sequence[Any]], Any] | None, task: Task) -> Any:
    """Make the batch of a task; an exception carries a note that says which example it was."""
    method = batch_of(dataset) if put_together is None else None
    where = f"batch {task.number} of epoch {task.epoch}"
    try:
        if method is not None:
            return method(task.indices)
        examples = []
        for i, index in enumerate(task.indices.tolist()):
            where = f"the example {index}, in batch {task.number} of epoch {task.epoch}"
            with _streams.example(task.seed, task.epoch, task.start + i):
                examples.append(dataset[index])
        where = f"putting together batch {task.number} of epoch {task.epoch}"
        return (put_together or collate)(examples)
    except Exception as error:
        error.add_note(f"Loader: this was {where}.")
        raise


def to_tensors(batch: Any, device: Device | None, *, copy: bool) -> Any:
    """Return a batch with each array of numbers as a tensor on a device.

    Args:
        batch: arrays in tuples, lists, dicts and named tuples.
        device: ``None`` is ``Device()``.
        copy: whether somebody else may hold the arrays.
    """
    if isinstance(batch, Tensor):
        return batch if device is None else batch.to(device)
    if isinstance(batch, np.ndarray | np.generic):
        array = np.asarray(batch)
        return asarray(array, device=device, copy=copy) if array.dtype.kind in "biufc" else batch
    if isinstance(batch, Mapping):
        return {key: to_tensors(value, device, copy=copy) for key, value in batch.items()}
    if isinstance(batch, tuple | list):
        parts = [to_tensors(value, device, copy=copy) for value in batch]
        if isinstance(batch, list):
            return parts
        return type(batch)(*parts) if hasattr(batch, "_fields") else tuple(parts)
    return batch
