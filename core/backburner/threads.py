"""How many threads BLAS and kernels use, and results that do not depend on it."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from backburner.errors import ArgumentError, DeviceError

_followers: list[Callable[[int], None]] = []
_deterministic = False
_count: int | None = None  # as the user set it; None while BLAS decides
_found: list[tuple[Callable[[int], None], Callable[[], int]]] = []


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
    set_blas, _ = _blas("set_num_threads")
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
    return _blas("get_num_threads")[1]() if _count is None else _count


def deterministic(on: bool = True) -> None:
    """Make results independent of the number of threads, or let them go again.

    OpenBLAS divides a matrix product among threads, and where it is divided the sums round otherwise. While
    this is on, each product runs on one BLAS thread; kernels use all, their bits never change.

    Raises:
        DeviceError: NumPy's BLAS is not OpenBLAS, and its threads cannot be set from here.
    """
    global _deterministic, _count
    set_blas, get_blas = _blas("deterministic")
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


def _blas(op: str) -> tuple[Callable[[int], None], Callable[[], int]]:
    """Return the functions of NumPy's OpenBLAS that set and get its number of threads."""
    if not _found:
        import ctypes

        for path in _libraries():
            try:
                library = ctypes.CDLL(path)
            except OSError:
                continue
            for prefix in ("scipy_openblas", "openblas"):
                for suffix in ("64_", "_64", ""):
                    setter: Any = getattr(library, f"{prefix}_set_num_threads{suffix}", None)
                    getter: Any = getattr(library, f"{prefix}_get_num_threads{suffix}", None)
                    if setter is not None and getter is not None and not _found:
                        setter.argtypes, setter.restype = [ctypes.c_int], None
                        getter.argtypes, getter.restype = [], ctypes.c_int
                        _found.append((setter, getter))
    if not _found:
        raise DeviceError(
            f"{op}: NumPy's BLAS is not OpenBLAS, and its threads cannot be set from here. "
            "Set its own variable, such as OMP_NUM_THREADS or MKL_NUM_THREADS, before Python starts."
        )
    return _found[0]


def _libraries() -> list[str]:
    """Where NumPy's OpenBLAS may be: beside NumPy in its wheels, else among what the process has loaded."""
    package = Path(np.__file__).parent
    folders = (package.parent / "numpy.libs", package / ".dylibs")
    found = [str(path) for folder in folders for path in sorted(folder.glob("*openblas*"))]
    if not found and sys.platform == "linux":
        with open("/proc/self/maps", encoding="utf-8") as maps:
            lines = {line.split(maxsplit=5)[-1].strip() for line in maps if "openblas" in line}
        found = sorted(lines)
    return found
