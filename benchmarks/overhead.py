"""What an op costs over the bare NumPy call, plain and tracked, in nanoseconds.

    python benchmarks/overhead.py

Each row times the call and the NumPy call it makes in turns and prints the medians of many rounds.
"""

from __future__ import annotations

import statistics
import timeit
from collections.abc import Callable

import numpy as np

import backburner as bb

NUMBER, ROUNDS = 2000, 60


def main() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.random((4, 4), np.float32), rng.random((4, 4), np.float32)
    a, b = bb.tensor(x), bb.tensor(y)
    rows: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
        ("plain     a + b", lambda: a + b, lambda: np.add(x, y)),
        ("plain     a * 2.0", lambda: a * 2.0, lambda: np.multiply(x, 2.0)),
        ("plain     a.exp()", lambda: a.exp(), lambda: np.exp(x)),
        ("plain     a @ b", lambda: a @ b, lambda: np.matmul(x, y)),
        ("plain     a[1]", lambda: a[1], lambda: x[1]),
        ("plain     a.reshape", lambda: a.reshape((2, 8)), lambda: x.reshape((2, 8))),
        ("plain     a.sum(axis=0)", lambda: a.sum(axis=0), lambda: np.add.reduce(x, axis=0)),
    ]
    if bb.features.status("autodiff").state == "available":
        device = bb.Device.cpu().autodiff()
        u, v, constant = a.to(device).require_grad(), b.to(device).require_grad(), a.to(device)
        rows += [
            ("tracked   u + v", lambda: u + v, lambda: np.add(x, y)),
            ("tracked   u * v", lambda: u * v, lambda: np.multiply(x, y)),
            ("tracked   u * 2.0", lambda: u * 2.0, lambda: np.multiply(x, 2.0)),
            ("tracked   u.exp()", lambda: u.exp(), lambda: np.exp(x)),
            ("tracked   u @ v", lambda: u @ v, lambda: np.matmul(x, y)),
            ("constant  u + b", lambda: constant + b, lambda: np.add(x, y)),
        ]
    print(f"{'':25}{'NumPy':>8}{'ours':>8}{'over':>8}")
    for name, ours, bare in rows:
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(ROUNDS):
            for call, into in ((bare, times[0]), (ours, times[1])):
                into.append(timeit.timeit(call, number=NUMBER) / NUMBER * 1e9)
        under, over = (statistics.median(t) for t in times)
        print(f"{name:25}{under:8.0f}{over:8.0f}{over - under:8.0f}")


if __name__ == "__main__":
    main()
