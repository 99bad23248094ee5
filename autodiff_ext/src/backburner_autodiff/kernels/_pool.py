"""The threads that parallel kernels run on: when they may start, how many, and who may launch."""

from __future__ import annotations

import importlib
import os
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numba

_numba: Any = numba  # whose type hints lack much of it
_starting = threading.Lock()
_launching = threading.Lock()
_started = False
_failed = False  # Numba has no threading layer that it could start
_concurrent = False  # whether the threading layer takes launches from several threads at once
_orphaned = False  # this is the child of a fork, and the pool stayed with the parent
_count: int | None = None  # what `set_count` asked for


def usable() -> bool:
    """Say whether a parallel kernel may run here and has more than one thread."""
    return not _orphaned and not _failed and get_count() > 1


def get_count() -> int:
    """Return the number of threads of a parallel kernel."""
    return int(_numba.config.NUMBA_NUM_THREADS) if _count is None else _count


def set_count(count: int) -> None:
    """Set the number of threads, at most the size of Numba's pool, which is fixed."""
    global _count
    _count = min(count, int(_numba.config.NUMBA_NUM_THREADS))


def start() -> bool:
    """Start the threads, once, with a pool that sleeps while it waits; return ``False`` if there can be none.

    A pool that spins takes the cores from BLAS: of libgomp's default, a matmul followed by a kernel takes
    25 times as long as the two apart.
    """
    global _started, _failed, _concurrent
    if _started:
        return True
    with _starting:
        if _started or _failed or _numba.config.DISABLE_JIT:
            return not _failed
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            importlib.import_module("numba.np.ufunc.parallel")._launch_threads()
        except ValueError as error:  # it knows no such layer, or has none installed
            _failed = True
            reason = " ".join(str(error).split()).rstrip(".")
        else:
            _concurrent = _numba.threading_layer() in ("omp", "tbb")
            _started = True
            return True
    warnings.warn(
        f"Kernels run on one thread: Numba cannot start others: {reason}. Unset NUMBA_THREADING_LAYER.",
        RuntimeWarning,
        stacklevel=2,
    )
    return False


def launch(function: Callable[..., None], args: Sequence[Any], *, alone: bool = False) -> bool:
    """Run a parallel kernel; return ``False``, with nothing done, where that would not be safe now.

    Numba's own threading layer ends the process when two threads launch at once. ``alone`` wakes no other thread.
    """
    if _orphaned:
        return False
    run = _run_alone if alone and _started else _run
    if _concurrent:
        run(function, args)
        return True
    if not _launching.acquire(blocking=False):
        return False
    try:
        run(function, args)
    finally:
        _launching.release()
    return True


def _run(function: Callable[..., None], args: Sequence[Any]) -> None:
    _mask()
    function(*args)


def _run_alone(function: Callable[..., None], args: Sequence[Any]) -> None:
    before = _numba.get_num_threads()
    _numba.set_num_threads(1)
    try:
        function(*args)
    finally:
        _numba.set_num_threads(before)


def _mask() -> None:
    # Numba keeps the number per calling thread.
    if _count is not None and _started and _numba.get_num_threads() != _count:
        _numba.set_num_threads(_count)


def _after_fork() -> None:
    global _orphaned, _starting, _launching
    numbas = sys.modules.get("numba.np.ufunc.parallel")
    _orphaned = _orphaned or _started or bool(getattr(numbas, "_is_initialized", False))
    _starting = threading.Lock()
    _launching = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
