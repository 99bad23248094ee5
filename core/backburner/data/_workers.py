"""Worker processes and threads that make batches.

Each process has a pipe of its own, so that one that dies holds no lock that another waits for. Processes are always
spawned, never forked: no threads of BLAS or of compiled kernels, and no locks, are copied into them.
"""

from __future__ import annotations

import os
import signal
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from backburner.data import _channel
from backburner.data._collate import Task, fetch
from backburner.errors import ArgumentError, DataError, DeviceError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Collate = Callable[[Sequence[Any]], Any] | None
PARENT = 5.0  # seconds from one look of an idle worker at whether its parent lives to the next
GRACE = 0.5  # seconds that workers have to end by themselves


class Pool(Protocol):
    """Workers that answer tasks, each in the order of what it was given."""

    def usable(self) -> bool: ...

    def send(self, worker: int, task: Task) -> None: ...

    def receive(self, worker: int, task: Task, timeout: float | None) -> Any: ...

    def close(self) -> None: ...


class _RemoteTraceback(Exception):
    """The traceback of a worker, shown as the cause of what it raised."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return f'\n"""\n{self.text}"""'


# -- in the worker ---------------------------------------------------------------------------------------


def work(connection: Connection, number: int, parent: int, blas: tuple[int | None, bool]) -> None:
    """Answer tasks until the other side hangs up; this is what a worker process runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    from queue import SimpleQueue

    from backburner import threads

    count, deterministic = blas
    if count is not None:  # the same as the parent has, on which the last bits of a matrix product depend
        threads.set_num_threads(count)
        threads.deterministic(deterministic)
    answers: SimpleQueue[list[Any]] = SimpleQueue()
    # Sent by a thread of its own, so that the next batch is made while this one waits to be fetched. There are
    # never more than the parent has asked for.
    threading.Thread(target=_send_all, args=(connection, answers), daemon=True).start()
    try:
        dataset, put_together = _channel.receive(connection)
    except _channel.Dead:
        return
    except BaseException as error:  # it cannot be unpickled here: told with the first batch
        dataset, put_together = _Broken(error), None
    while True:
        while not connection.poll(PARENT):
            if os.getppid() != parent:
                return
        try:
            task: Task = _channel.receive(connection)
        except _channel.Dead:
            return
        answers.put(_answer(dataset, put_together, task, number))


def _send_all(connection: Connection, answers: Any) -> None:
    with suppress(OSError):  # the parent has gone, which the other thread sees too
        while True:
            _channel.send(connection, answers.get())


class _Broken:
    """A dataset that could not be had in this process."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def batch(self, indices: object) -> Any:
        raise self.error


def _answer(dataset: Any, put_together: Collate, task: Task, number: int) -> list[Any]:
    import pickle
    import traceback

    _seed_globals(task)
    try:
        return _channel.packed((task.token, fetch(dataset, put_together, task), None))
    except BaseException as error:
        text = f"Worker {number} (process {os.getpid()}):\n{''.join(traceback.format_exception(error))}"
        try:
            carried = pickle.dumps(error)
            pickle.loads(carried)
        except Exception:  # some exceptions cannot be pickled, and some not made again
            carried = None
        return _channel.packed((task.token, None, (carried, f"{type(error).__name__}: {error}", text)))


def _seed_globals(task: Task) -> None:
    """Seed the global generators, which a dataset should not use, so that no two batches are alike in them."""
    import random

    import numpy as np

    seeds = np.random.SeedSequence([task.seed, task.epoch], spawn_key=(task.start,)).generate_state(8)
    random.seed(seeds.tobytes())
    np.random.seed(seeds)


# -- in the parent ---------------------------------------------------------------------------------------


class Processes:
    """Worker processes, which live until `close`, or until nobody holds this any more.

    Raises:
        ArgumentError: the dataset or the collate function cannot be pickled.
    """

    def __init__(self, dataset: Any, put_together: Collate, count: int) -> None:
        import multiprocessing
        import pickle

        context = multiprocessing.get_context("spawn")
        try:
            payload = _channel.packed((dataset, put_together))
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise ArgumentError(
                f"Loader: the dataset cannot be sent to worker processes: {error}. Define its parts at the top of a "
                "module, or use Loader(threads=True)."
            ) from error
        self._processes: list[BaseProcess] = []
        self._connections: list[Connection] = []
        self._heard = [False] * count
        self._sound = True
        self._finish = weakref.finalize(self, _end, os.getpid(), self._processes, self._connections)
        _pools.add(self)
        blas = _blas()
        for number in range(count):
            ours, theirs = context.Pipe()
            self._connections.append(ours)
            process = context.Process(
                target=work, args=(theirs, number, os.getpid(), blas), name=f"Loader-{number}", daemon=True
            )
            with theirs, _without_interrupts():
                process.start()
                self._processes.append(process)
        for number in range(count):
            try:
                _channel.send(self._connections[number], payload)
            except OSError:
                self._fail(number)

    def usable(self) -> bool:
        return self._sound and all(process.exitcode is None for process in self._processes)

    def send(self, worker: int, task: Task) -> None:
        sound, self._sound = self._sound, False  # until the whole of it is sent
        try:
            _channel.send(self._connections[worker], _channel.packed(task))
        except OSError:
            self._fail(worker)
        self._sound = sound

    def receive(self, worker: int, task: Task, timeout: float | None) -> Any:
        if not self._connections:
            raise DataError("Loader: its workers belong to another process, or are closed. Begin a new loop.")
        process = self._processes[worker]
        # Until a whole answer is here: a Ctrl-C in between leaves half of one in the pipe.
        self._sound = False
        while True:
            try:
                token, batch, failure = _channel.receive(
                    self._connections[worker],
                    process.sentinel,
                    lambda: process.exitcode is None,
                    timeout,
                )
            except _channel.Dead:
                self._fail(worker)
            except _channel.Late:
                raise _late(worker, task, timeout) from None
            self._heard[worker] = True
            if token == task.token:  # the others are of a loop that was left
                break
        self._sound = True
        if failure is not None:
            raise _failed(*failure)
        return batch

    def _fail(self, worker: int) -> NoReturn:
        process = self._processes[worker]
        process.join(GRACE)
        code = process.exitcode
        how = f"ended with exit code {code}"
        if code is not None and code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
            why = ", perhaps because memory ran out" if name == "SIGKILL" else ""
            how = f"was killed by {name}{why}"
        self.close()
        hint = ""
        if not self._heard[worker] and code == 1:
            hint = (
                " It never began: worker processes import the script that starts them. Put what the script does "
                'under `if __name__ == "__main__":`.'
            )
        raise DataError(f"Loader: worker {worker} (process {process.pid}) {how}.{hint}") from None

    def close(self) -> None:
        """End the processes."""
        self._sound = False
        self._finish()

    def leave(self) -> None:
        """Let go of processes that are another process's, after a fork: they are neither ended nor waited for."""
        from multiprocessing import process

        self._sound = False
        # At its exit a process ends those it takes for its own children.
        children: set[Any] = getattr(process, "_children", set())
        children.difference_update(self._processes)
        for connection in self._connections:
            connection.close()  # so that the workers see when their parent ends, however long this process lives
        self._connections.clear()


def _blas() -> tuple[int | None, bool]:
    """Return how many threads BLAS uses, if that can be told, and whether results are to be independent of it."""
    from backburner import threads

    try:
        return threads.get_num_threads(), threads.is_deterministic()
    except DeviceError:
        return None, False


def _failed(carried: bytes | None, said: str, text: str) -> BaseException:
    import pickle

    error: BaseException
    if carried is None:
        error = DataError(f"Loader: a worker failed with {said}")
    else:
        error = pickle.loads(carried)
    error.__cause__ = _RemoteTraceback(text)
    return error


def _late(worker: int, task: Task, timeout: float | None) -> DataError:
    return DataError(
        f"Loader: worker {worker} has not made batch {task.number} of epoch {task.epoch} in {timeout} seconds."
        " Give more with timeout=."
    )


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Keep Ctrl-C from what is started here, which inherits it, until that is ready to ignore it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(owner: int, processes: list[Any], connections: list[Any]) -> None:
    if os.getpid() != owner:
        return
    for connection in connections:
        connection.close()  # an idle worker ends by itself
    connections.clear()
    for process in processes:
        process.join(GRACE / len(processes))
    for process in processes:
        if process.exitcode is None:
            process.terminate()
    for process in processes:
        process.join(GRACE)
        if process.exitcode is None:
            process.kill()
            process.join()


_pools: weakref.WeakSet[Processes] = weakref.WeakSet()


def _after_fork() -> None:
    for pool in list(_pools):
        pool.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Threads:
    """Worker threads: nothing is pickled, but Python runs one at a time, except in NumPy, Pillow and files."""

    def __init__(self, dataset: Any, put_together: Collate, count: int) -> None:
        from queue import SimpleQueue

        self._owner = os.getpid()
        self._tasks: list[SimpleQueue[Task | None]] = [SimpleQueue() for _ in range(count)]
        self._answers: list[SimpleQueue[Any]] = [SimpleQueue() for _ in range(count)]
        for number in range(count):
            threading.Thread(
                target=_work_in_thread,
                args=(dataset, put_together, self._tasks[number], self._answers[number]),
                name=f"Loader-{number}",
                daemon=True,
            ).start()
        self._finish = weakref.finalize(self, _stop, self._tasks)

    def usable(self) -> bool:
        return self._finish.alive and os.getpid() == self._owner

    def send(self, worker: int, task: Task) -> None:
        self._tasks[worker].put(task)

    def receive(self, worker: int, task: Task, timeout: float | None) -> Any:
        from queue import Empty

        if not self.usable():
            raise DataError("Loader: its workers belong to another process, or are closed. Begin a new loop.")
        while True:
            try:
                token, batch, error = self._answers[worker].get(timeout=timeout)
            except Empty:
                raise _late(worker, task, timeout) from None
            if token == task.token:
                break
        if error is not None:
            raise error
        return batch

    def close(self) -> None:
        """Let the threads end after what they are doing."""
        self._finish()


def _stop(tasks: list[Any]) -> None:
    for queue in tasks:
        while not queue.empty():
            queue.get_nowait()
        queue.put(None)


def _work_in_thread(dataset: Any, put_together: Collate, tasks: Any, answers: Any) -> None:
    while (task := tasks.get()) is not None:
        try:
            answers.put((task.token, fetch(dataset, put_together, task), None))
        except BaseException as error:
            answers.put((task.token, None, error))
