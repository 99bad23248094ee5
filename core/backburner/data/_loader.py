"""The loader: a dataset cut into batches, epoch after epoch, the same each time and from any place on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.data._collate import Task, fetch, to_tensors
from backburner.data._dataset import ArrayDataset, Subset, batch_of
from backburner.data._sampler import permutation, whole
from backburner.device import Device
from backburner.errors import ArgumentError, DataError

VERSION = 1  # of what state_dict gives
# What people from elsewhere look for.
_HINTS = {
    "num_workers": "workers",
    "collate_fn": "collate",
    "prefetch_factor": "prefetch",
    "generator": "seed",
    "size": "batch_size",
    "worker_init_fn": "a parameter `rng` of the function of data.Mapped",
}

_tokens = itertools.count()


class _Position:
    """Where a loop is: its epoch, and how many batches it has given out."""

    def __init__(self, epoch: int, batch: int) -> None:
        self.epoch = epoch
        self.batch = batch
        self.is_over = False


class Loader:
    """Batches of a dataset as tensors. Each loop over it is one epoch.

    The batches depend on ``seed``, the number of the epoch and the dataset alone: they are the same, bit for bit, for
    any number of workers, and from run to run.

    Args:
        dataset: with a length and examples by number (see `Dataset`), or anything to loop over, which then
            gives its examples in its own order.
        batch_size: examples in a batch.
        shuffle: whether each epoch has an order of its own.
        sampler: gives the indices of an epoch instead: by a method ``order(epoch)``, as `WeightedSampler` has it, or
            by a loop over it.
        batch_sampler: gives lists of indices, one for each batch, in the same ways; instead of ``batch_size``,
            ``shuffle``, ``sampler`` and ``drop_last``.
        workers: processes, or threads, that make batches ahead; 0 makes each when it is asked for. Processes are
            spawned when the first loop begins and live as long as the loader, or until `close`; each holds a copy
            of the dataset as it was then. A script that uses them does its work under
            ``if __name__ == "__main__":``.
        collate: makes a batch of a list of examples, by default `collate`. Its arrays become tensors.
        drop_last: leave out a last batch that is smaller than the others.
        prefetch: how many batches each worker is ahead.
        seed: a non-negative int.
        device: where the tensors live; ``None`` is ``Device()``.
        timeout: seconds to wait for a worker's batch; ``None`` waits as long as the worker lives.
        threads: whether workers are threads. They start at once and copy nothing, but Python code runs in one at
            a time; reading files, decoding images and NumPy do not wait for each other.

    Attributes:
        dataset: as given.
        epoch: the number of the next epoch. Set it to begin elsewhere.

    Raises:
        ArgumentError: an option makes no sense, or two exclude each other.
        DataError: a worker died, or took longer than ``timeout``. What a dataset raises is raised as it is, with a
            note that names the example, and with the worker's traceback.

    Example:
        >>> from backburner import data
        >>> loader = data.Loader([(i, f"name {i}") for i in range(5)], batch_size=2)
        >>> for numbers, names in loader:
        ...     print(numbers.tolist(), names)
        [0, 1] ['name 0', 'name 1']
        [2, 3] ['name 2', 'name 3']
        [4] ['name 4']
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int = 1,
        shuffle: bool = False,
        sampler: Any = None,
        batch_sampler: Any = None,
        workers: int = 0,
        collate: Callable[[Sequence[Any]], Any] | None = None,
        drop_last: bool = False,
        prefetch: int = 2,
        seed: int = 0,
        device: Device | None = None,
        timeout: float | None = None,
        *,
        threads: bool = False,
        **other: Any,
    ) -> None:
        for name in other:
            hint = f" Use {_HINTS[name]}." if name in _HINTS else ""
            raise ArgumentError(f"Loader: there is no option {name}.{hint}")
        for name, value, least in (
            ("batch_size", batch_size, 1),
            ("workers", workers, 0),
            ("prefetch", prefetch, 1),
            ("seed", seed, 0),
        ):
            if not whole(value, least):
                raise ArgumentError(f"Loader: {name} is a whole number of at least {least}, not {value!r}.")
        if timeout is not None and not timeout > 0:
            raise ArgumentError(f"Loader: timeout is a number of seconds above 0, or None, not {timeout!r}.")
        for name, value in (("shuffle", shuffle), ("drop_last", drop_last), ("threads", threads)):
            if not isinstance(value, bool):
                raise ArgumentError(f"Loader: {name} is True or False, not {value!r}.")
        self._by_number = hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__")
        if not self._by_number and not hasattr(dataset, "__iter__"):
            raise ArgumentError(
                f"Loader: a {type(dataset).__name__} is no dataset: it has neither a length and examples by number, "
                "nor can it be looped over."
            )
        if not self._by_number and (shuffle or workers or sampler is not None or batch_sampler is not None):
            raise ArgumentError(
                "Loader: a dataset without examples by number is looped over as it is: it takes no shuffle, sampler or "
                "workers. Give it __len__ and __getitem__, or leave them out."
            )
        if sampler is not None and shuffle:
            raise ArgumentError("Loader: shuffle and sampler exclude each other. Leave out one.")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ArgumentError(
                "Loader: batch_sampler excludes batch_size, shuffle, sampler and drop_last. Leave them out."
            )
        for name, value in (("sampler", sampler), ("batch_sampler", batch_sampler)):
            if hasattr(value, "__next__"):
                raise ArgumentError(
                    f"Loader: {name} can be looped over once only. Give a list, or a sampler."
                )
        self.dataset = dataset
        self._batch_size, self._drop_last, self._shuffle = int(batch_size), drop_last, shuffle
        self._sampler, self._batch_sampler = sampler, batch_sampler
        self._workers, self._prefetch, self._threads = int(workers), int(prefetch), threads
        self._collate, self._seed, self._device, self._timeout = collate, int(seed), device, timeout
        self._next = (0, 0)  # the epoch, and the batch in it, that the next loop begins with
        self._last: _Position | None = None
        self._pool: Any = None

    # -- the position ------------------------------------------------------------------------------------

    @property
    def epoch(self) -> int:
        """The number of the next epoch."""
        return self._next[0]

    @epoch.setter
    def epoch(self, number: int) -> None:
        if not whole(number):
            raise ArgumentError(f"Loader.epoch: a whole number of at least 0, not {number!r}.")
        self._next, self._last = (int(number), 0), None

    def state_dict(self) -> dict[str, int]:
        """Return where the last loop is, in ints, which JSON takes.

        Only batches that the loop has received count, not those that workers have made ahead.
        """
        epoch, batch = self._next
        if self._last is not None and not self._last.is_over:
            epoch, batch = self._last.epoch, self._last.batch
        return {"version": VERSION, "epoch": epoch, "batch": batch, **self._fixed()}

    def _fixed(self) -> dict[str, int]:
        """Return what decides the batches, and so must not change on the way."""
        return {
            "examples": len(self.dataset) if self._by_number else -1,
            "batch_size": 0 if self._batch_sampler is not None else self._batch_size,
            "seed": self._seed,
            "shuffle": int(self._shuffle),
            "drop_last": int(self._drop_last),
        }

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """Go on where `state_dict` was taken, also in another process: the next loop gives the rest of that epoch.

        Raises:
            ArgumentError: it is of another dataset, or of other options; nothing has changed then. The
                number of workers may differ.
        """
        wanted = {"version": VERSION, **self._fixed()}
        missing = [name for name in (*wanted, "epoch", "batch") if not whole(state.get(name), -1)]
        if missing:
            raise ArgumentError(f"Loader.load_state_dict: no whole number for {', '.join(missing)}.")
        other = [
            f"{name} was {state[name]} and is {value}"
            for name, value in wanted.items()
            if state[name] != value
        ]
        if other:
            raise ArgumentError(
                f"Loader.load_state_dict: {', '.join(other)}. Make the loader as it was, or set its epoch alone."
            )
        batches = len(self) if self._by_number else state["batch"]
        if state["epoch"] < 0 or not 0 <= state["batch"] <= batches:
            raise ArgumentError(
                f"Loader.load_state_dict: batch {state['batch']} of {batches} in epoch {state['epoch']}."
            )
        self._next, self._last = (state["epoch"], state["batch"]), None

    # -- the loop ----------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Return the number of batches in an epoch.

        Raises:
            TypeError: the dataset or the sampler has no length.
        """
        if self._batch_sampler is not None:
            return len(self._batch_sampler)
        n = len(self.dataset if self._sampler is None else self._sampler)
        return n // self._batch_size if self._drop_last else -(-n // self._batch_size)

    def __iter__(self) -> Iterator[Any]:
        epoch, batch = self._next
        self._next = (epoch + 1, 0)
        self._last = position = _Position(epoch, batch)
        # a generator of its own for each loop, so that two at once do not disturb each other
        return self._run(position)

    def _run(self, position: _Position) -> Iterator[Any]:
        if not self._by_number:
            made = self._from_iterable(position)
        elif self._workers:
            made = self._from_workers(position)
        else:
            made = (fetch(self.dataset, self._collate, task) for task in self._tasks(position, 0))
        # Arrays that came through a pipe or were put together here are nobody else's.
        theirs = self._collate is not None or (
            batch_of(self.dataset) is not None and not _copies(self.dataset)
        )
        copy = theirs and (self._threads or not self._workers)
        with closing(made):
            for batch in made:
                tensors = to_tensors(batch, self._device, copy=copy)
                position.batch += 1
                yield tensors
        position.is_over = True

    def _orders(self, sampler: Any, epoch: int) -> Iterable[Any]:
        order = getattr(sampler, "order", None)
        found: Iterable[Any] = sampler if order is None else order(epoch)
        return found

    def _tasks(self, position: _Position, token: int) -> Iterator[Task]:
        """Give the batches that are to come."""
        for number, (start, indices) in enumerate(self._parts(position.epoch)):
            if number >= position.batch:
                yield Task(token, self._seed, position.epoch, number, start, indices)

    def _parts(self, epoch: int) -> Iterator[tuple[int, Array]]:
        start = 0
        if self._batch_sampler is not None:
            for listed in self._orders(self._batch_sampler, epoch):
                indices = _indices(listed)
                yield start, indices
                start += len(indices)
            return
        n = len(self.dataset)
        if self._sampler is not None:
            found = self._orders(self._sampler, epoch)
            order = _indices(found if isinstance(found, np.ndarray) else list(found))
        else:
            order = permutation("Loader", n, self._seed, epoch) if self._shuffle else np.arange(n)
        end = len(order) - (len(order) % self._batch_size if self._drop_last else 0)
        for start in range(0, end, self._batch_size):
            yield start, order[start : start + self._batch_size]

    def _from_iterable(self, position: _Position) -> Generator[Any, None, None]:
        if position.epoch and hasattr(self.dataset, "__next__"):
            raise DataError(
                "Loader: the dataset can be looped over once only. Give one that begins anew each time."
            )
        examples = iter(self.dataset)
        skipped = position.batch * self._batch_size
        for number in itertools.count(position.batch):
            if skipped:
                next(itertools.islice(examples, skipped - 1, None), None)
                skipped = 0
            chosen = list(itertools.islice(examples, self._batch_size))
            if not chosen or (self._drop_last and len(chosen) < self._batch_size):
                return
            start = number * self._batch_size
            yield fetch(
                chosen,
                self._collate,
                Task(0, self._seed, position.epoch, number, start, np.arange(len(chosen))),
            )

    def _from_workers(self, position: _Position) -> Generator[Any, None, None]:
        from backburner.data._workers import Processes, Threads

        pool, self._pool = self._pool, None  # another loop at the same time gets workers of its own
        if pool is None or not pool.usable():
            kind = Threads if self._threads else Processes
            pool = kind(self.dataset, self._collate, self._workers)
        try:
            tasks = self._tasks(position, next(_tokens))
            turns = itertools.cycle(range(self._workers))
            waiting: list[tuple[int, Task]] = []
            for task in itertools.islice(tasks, self._workers * self._prefetch):
                waiting.append((next(turns), task))
                pool.send(*waiting[-1])
            while waiting:
                worker, task = waiting.pop(0)
                batch = pool.receive(worker, task, self._timeout)
                following = next(tasks, None)
                if following is not None:
                    waiting.append((worker, following))
                    pool.send(worker, following)
                yield batch
        finally:
            if pool.usable() and self._pool is None:
                self._pool = pool
            else:
                pool.close()

    def close(self) -> None:
        """End the workers; another loop starts new ones."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def __repr__(self) -> str:
        return f"Loader({self.dataset!r}, batch_size={self._batch_size}, workers={self._workers})"


def _copies(dataset: Any) -> bool:
    """Say whether the dataset's `batch` is known to give arrays that nobody else holds."""
    while isinstance(dataset, Subset):
        dataset = dataset.dataset
    return type(dataset) is ArrayDataset


def _indices(values: Any) -> Array:
    found = np.asarray(values)
    if not found.size:
        found = found.astype(np.int64)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise ArgumentError(
            f"Loader: a sampler gives whole numbers, not {found.dtype}{list(found.shape)}. A batch_sampler gives lists."
        )
    return found.astype(np.int64)


def batches(
    *arrays: Array | Tensor,
    batch_size: int,
    shuffle: bool = False,
    seed: int = 0,
    drop_last: bool = False,
    device: Device | None = None,
) -> Loader:
    """Cut arrays into batches along their first axes: a `Loader` over an `ArrayDataset`.

    Args:
        arrays: NumPy arrays or tensors of as many examples each.
        batch_size: examples in a batch.
        shuffle: whether each epoch has an order of its own, which ``seed`` and its number decide.
        seed: a non-negative int.
        drop_last: leave out a last batch that is smaller than the others.
        device: where the tensors live; ``None`` is ``Device()``.

    Returns:
        Something to loop over, once per epoch, that gives a tuple with a tensor for each array.

    Example:
        >>> from backburner import data
        >>> images, labels = data.digits()
        >>> [len(y) for x, y in data.batches(images, labels, batch_size=600)]
        [600, 600, 597]
    """
    if not whole(batch_size, 1):
        raise ArgumentError(f"batches: batch_size is a whole number of at least 1, not {batch_size!r}.")
    permutation("batches", 0, seed)
    return Loader(
        ArrayDataset(*arrays),
        batch_size=batch_size,
        shuffle=shuffle,
        seed=seed,
        drop_last=drop_last,
        device=device,
    )
