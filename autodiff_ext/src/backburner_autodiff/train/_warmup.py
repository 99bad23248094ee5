"""Kernels compiled ahead of time, as for a container image."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from backburner.errors import ArgumentError
from backburner_autodiff.kernels._cache import find_root
from backburner_autodiff.kernels._jit import KERNELS, warm_up
from backburner_autodiff.train._progress import Progress

DTYPES = ("float32", "float64")


def warmup(dtypes: Sequence[str] = ("float32",), *, show: bool = True) -> Path:
    """Compile all kernels, those that are not in the cache already, and return the cache's directory.

    Args:
        dtypes: the floating dtypes to compile for.
        show: whether to show progress.

    Raises:
        ArgumentError: another dtype, or no directory to keep them in.
        OSError: the directory cannot be written.
    """
    wrong = [dtype for dtype in dtypes if dtype not in DTYPES]
    if wrong or not dtypes:
        raise ArgumentError(f"warmup: no kernels are for {wrong or 'nothing'}. Use {' or '.join(DTYPES)}.")
    root = find_root()
    if root is None:
        raise ArgumentError(
            "warmup: this user has no home directory to keep kernels in. Set BACKBURNER_CACHE_DIR."
        )
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=root):  # compiled kernels that nobody can keep would be lost work
        pass
    start = perf_counter()
    done = 0
    with Progress(None, show) as progress:
        for name, seconds in warm_up(tuple(dtypes)):
            done += 1
            progress.total(sum(len(dtypes) * (1 + kernel.has_prange) for kernel in KERNELS.values()))
            progress.advance(name)
            if seconds > 0.05:  # compiled, not loaded
                progress.line(f"{seconds:6.2f} s  {name}")
        progress.line(f"{done} kernels are ready after {perf_counter() - start:.1f} s, kept in {root}")
    return root
