"""How many threads kernels and BLAS use."""

from __future__ import annotations

import operator
from typing import Any

from backburner.errors import ArgumentError
from backburner_autodiff.kernels import _pool


def set_num_threads(count: int) -> None:
    """Set the number of threads of kernels and of BLAS, for the whole process.

    Kernels take no more than Numba's pool holds, which ``NUMBA_NUM_THREADS`` sets before it starts. With one
    thread they run plainly. Results of kernels do not depend on it.

    Raises:
        ArgumentError: ``count`` is less than 1.
    """
    try:
        number = operator.index(count)
    except TypeError:
        number = 0
    if number < 1:
        raise ArgumentError(
            f"set_num_threads: not a number of threads: {count!r}. Give an int of at least 1."
        )
    _pool.set_count(number)
    _blas().limit(limits=number, user_api="blas")


def get_num_threads() -> int:
    """Return the number of threads of kernels."""
    return _pool.get_count()


def _blas() -> Any:
    import threadpoolctl

    return threadpoolctl.ThreadpoolController()
