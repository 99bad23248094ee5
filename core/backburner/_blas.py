"""Where NumPy's OpenBLAS is, and its number of threads."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np


def thread_functions() -> tuple[Callable[[int], None], Callable[[], int]] | None:
    """Return the functions that set and get OpenBLAS's number of threads, or None where NumPy has another BLAS."""
    import ctypes

    for path in libraries():
        try:
            library = ctypes.CDLL(path)
        except OSError:
            continue
        setter, getter = _function(library, "set_num_threads"), _function(library, "get_num_threads")
        if setter is not None and getter is not None:
            setter.argtypes, setter.restype = [ctypes.c_int], None
            getter.argtypes, getter.restype = [], ctypes.c_int
            return setter, getter
    return None


def libraries() -> list[str]:
    """Return where NumPy's OpenBLAS may be: beside NumPy in its wheels, else among what the process has loaded."""
    package = os.path.dirname(np.__file__)
    found = []
    for folder in (os.path.join(os.path.dirname(package), "numpy.libs"), os.path.join(package, ".dylibs")):
        if os.path.isdir(folder):
            found += [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if "openblas" in name]
    if not found and sys.platform == "linux":
        with open("/proc/self/maps", encoding="utf-8") as maps:
            found = sorted({line.split(maxsplit=5)[-1].strip() for line in maps if "openblas" in line})
    return found


def _function(library: Any, name: str) -> Any:
    """Return a function of OpenBLAS under one of the names that builds give it, or None."""
    for prefix in ("scipy_openblas", "openblas"):
        for suffix in ("64_", "_64", ""):
            found = getattr(library, f"{prefix}_{name}{suffix}", None)
            if found is not None:
                return found
    return None
