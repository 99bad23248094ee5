"""Write the gradients of every case of the table, as this process computes them: ``python every_case.py out.npz``.

A second argument runs every kernel on so many threads, however small its arrays are. Which kernels a case called, of
those that may reorder sums, is written beside the gradients. Run it with ``tests`` on the path.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import backburner as bb
from backburner_autodiff.kernels import _jit, _pool
from backburner_autodiff.rules import _parts
from ops import CASES
from ops._run import differentiate

DTYPES = ("float32", "float64")
called: set[_jit.Kernel] = set()


def noted(method: Any) -> Any:
    """Return a method of kernels that notes which are called."""

    def call(self: _jit.Kernel, *args: Any) -> None:
        called.add(self)
        method(self, *args)

    return call


def gradients() -> Iterator[tuple[str, bool, list[Any]]]:
    """Give each case by name, whether sums in it may be reordered, and its gradients."""
    device = bb.Device.cpu().autodiff()
    for dtype in DTYPES:
        for case in CASES:
            if case.differentiable():
                called.clear()
                found = differentiate(case, case.arrays(dtype), device)
                yield f"{case} {dtype}", any(kernel._fastmath for kernel in called), found


def main(path: str, threads: int = 0) -> None:
    serial = noted(_jit.Kernel.serial)
    _jit.Kernel.__call__ = noted(_jit.Kernel.parallel) if threads else serial  # type: ignore[method-assign]
    _jit.Kernel.serial = serial  # type: ignore[method-assign]
    if threads:
        _parts.WORK = 0
        _pool.set_count(threads)  # of kernels: a matrix product may give other bits on other threads of BLAS
    names, free, parts = [], [], []
    used: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a kernel that runs as Python warns of what machine code does not
        for name, reordered, found in gradients():
            used |= {kernel.name for kernel in called}
            for i, dx in enumerate(found):
                names.append(f"{name} input {i}")
                free.append(reordered)
                parts.append(dx.astype(np.float64).ravel())
    sizes = [part.size for part in parts]
    np.savez(path, names=names, free=free, sizes=sizes, values=np.concatenate(parts), used=sorted(used))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
