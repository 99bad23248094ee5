"""How many threads BLAS and kernels use, and results that do not depend on it."""

from __future__ import annotations

import itertools
import operator
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING

from backburner import _blas
from backburner.contracts import Array
from backburner.errors import ArgumentError, DeviceError

if TYPE_CHECKING:
    from queue import SimpleQueue

_followers: list[Callable[[int], None]] = []
_deterministic = False
_count: int | None = None  # as the user set it; None while BLAS decides
_found: list[tuple[Callable[[int], None], Callable[[], int]] | None] = []
_sharing = threading.Lock()  # held while parts are shared out, and while BLAS is held to one thread
_workers: list[SimpleQueue[Callable[[], None]]] = []  # what each thread of ours waits at


def set_num_threads(count: int) -> None:
    """Set the number of threads of BLAS and of the kernels, for the whole process.

    Kernels give the same bits for any number; BLAS does under ``deterministic(True)``.

    Raises:
        ArgumentError: ``count`` is not an int of at least 1.
        DeviceError: NumPy's BLAS is not OpenBLAS, and its threads cannot be set from here.
    """
    global _count
    try:
        number = operator.index(count)
    except TypeError:
        number = 0
    if number < 1:
        raise ArgumentError(
            f"set_num_threads: {count!r} is not a number of threads. Give an int of at least 1."
        )
    set_blas, _ = _functions("set_num_threads")
    if not _deterministic:
        set_blas(number)
    _count = number
    for follower in _followers:
        follower(number)


def follow(follower: Callable[[int], None]) -> None:
    """Call ``follower`` with every count that is set, and with the present one if one was: an extension's kernels."""
    _followers.append(follower)
    if _count is not None:
        follower(_count)


def get_num_threads() -> int:
    """Return the number of threads that was set, or that BLAS has chosen.

    Raises:
        DeviceError: none was set, and NumPy's BLAS is not OpenBLAS.
    """
    return _functions("get_num_threads")[1]() if _count is None else _count


def deterministic(on: bool = True) -> None:
    """Make results independent of the number of threads, or let them go again.

    OpenBLAS divides a matrix product among threads, and where it is divided the sums round otherwise. While this is
    on, large products are cut by their shape alone and the parts shared out, each on one BLAS thread; small ones run
    whole on one. Kernels use all threads in any case, their bits never change.

    Raises:
        DeviceError: NumPy's BLAS is not OpenBLAS, and its threads cannot be set from here.
    """
    global _deterministic, _count
    set_blas, get_blas = _functions("deterministic")
    if on and not _deterministic:
        _count = get_blas() if _count is None else _count
    if on or _deterministic:
        assert _count is not None
        set_blas(1 if on else _count)
    _deterministic = bool(on)


def is_deterministic() -> bool:
    """Say whether ``deterministic`` is on."""
    return _deterministic


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Make matrix products independent of the number of cores for a while, if this BLAS lets us."""
    before = is_deterministic()
    try:
        deterministic(True)
    except DeviceError:  # the bits are the same for one number of threads then
        yield
        return
    try:
        yield
    finally:
        deterministic(before)


def share(task: Callable[[int], object], count: int, wake: bool = True) -> None:
    """Run ``task(0)`` to ``task(count - 1)`` on the threads that are set, and return when all are done.

    BLAS is held to one thread meanwhile. For bits that do not depend on the number of threads, what a part does must
    depend on its number and on shapes alone. Parts run in NumPy's error state of the caller. To wake a thread takes
    20 to 40 us: less than some 200 us of work is not worth sharing. Without ``wake`` the parts run here, for the bits
    that they have on one BLAS thread.

    Where there is one thread, or something is being shared out already, by this or another thread, the parts run here
    in order. After an exception no part is begun any more, and the first one is raised when those that run are done.
    """
    limit = _limit()
    if limit < 2 or not _sharing.acquire(blocking=False):
        for i in range(count):
            task(i)
        return
    try:
        functions = None if _deterministic else _openblas()
        before = functions[1]() if functions else 1
        if functions and before > 1:
            functions[0](1)
        try:
            _spread(task, count, min(limit, count) - 1 if wake else 0)
        finally:
            if functions and before > 1:
                functions[0](before)
    finally:
        _sharing.release()


def held(function: Callable[[Array, Array], Array], x: Array, y: Array) -> Array:
    """Return ``function(x, y)``, computed on one thread of BLAS."""
    functions = _openblas()
    if _deterministic or functions is None or functions[1]() < 2 or not _sharing.acquire(blocking=False):
        return function(x, y)
    before = functions[1]()
    functions[0](1)
    try:
        return function(x, y)
    finally:
        functions[0](before)
        _sharing.release()


def _spread(task: Callable[[int], object], count: int, helpers: int) -> None:
    """Run the parts here and on helpers; each takes the next part that nobody has."""
    from queue import SimpleQueue  # not at import: few programs share

    following = itertools.count().__next__
    waiting = [None] * helpers  # one for each helper that has not begun
    finished: SimpleQueue[None] = SimpleQueue()
    errors: list[BaseException] = []

    def run() -> None:
        try:
            while not errors and (i := following()) < count:
                task(i)
        except BaseException as error:  # raised again below, in the thread that asked
            errors.append(error)

    def help_() -> None:
        try:
            waiting.pop()
        except IndexError:  # came too late, all is done
            return
        run()
        finished.put(None)

    while len(_workers) < helpers:
        _workers.append(SimpleQueue())
        threading.Thread(target=_work, args=(_workers[-1],), name="backburner-worker", daemon=True).start()
    for jobs in _workers[:helpers]:
        context = copy_context()
        jobs.put(lambda context=context: context.run(help_))  # type: ignore[misc]
    run()
    for _ in range(helpers):
        try:
            waiting.pop()
        except IndexError:
            finished.get()
    if errors:
        raise errors[0]


def _work(jobs: SimpleQueue[Callable[[], None]]) -> None:
    while True:
        jobs.get()()


def _limit() -> int:
    """Return how many threads may work at once."""
    if _count is not None:
        return _count
    functions = _openblas()
    return functions[1]() if functions else os.cpu_count() or 1


def _openblas() -> tuple[Callable[[int], None], Callable[[], int]] | None:
    """Return the functions of NumPy's OpenBLAS that set and get its number of threads, if it is OpenBLAS."""
    if not _found:
        _found.append(_blas.thread_functions())
    return _found[0]


def _functions(op: str) -> tuple[Callable[[int], None], Callable[[], int]]:
    """Return them, or refuse what ``op`` asks for."""
    functions = _openblas()
    if functions is None:
        raise DeviceError(
            f"{op}: NumPy's BLAS is not OpenBLAS, and its threads cannot be set from here. "
            "Set its own variable, such as OMP_NUM_THREADS or MKL_NUM_THREADS, before Python starts."
        )
    return functions


def _after_fork() -> None:
    global _sharing
    _sharing = threading.Lock()
    _workers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
