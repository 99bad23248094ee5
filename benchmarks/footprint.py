"""Import times and installed sizes, each against NumPy alone.

    python benchmarks/footprint.py

Run it where the packages are installed from wheels, with their bytecode compiled (pip does that).
"""

from __future__ import annotations

import importlib.metadata as metadata
import statistics
import subprocess
import sys
import time

ROUNDS = 21
CODES = {
    "python": "pass",
    "import numpy": "import numpy",
    "import backburner": "import backburner",
    "... and .nn": "import backburner.nn",
    "first backward": "import backburner as bb; x = bb.ones((2,)); bb.grad(lambda x: (x * x).sum())(x)",
}


def main() -> None:
    codes = dict(CODES)
    installed = {d.name.lower() for d in metadata.distributions()}
    if "backburner-autodiff" not in installed:
        del codes["first backward"]
    times: dict[str, list[float]] = {name: [] for name in codes}
    for _ in range(ROUNDS):
        for name, code in codes.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            times[name].append(time.perf_counter() - start)
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, median in medians.items():
        ratio = median / medians["import numpy"]
        print(f"{name:20}{median * 1e3:8.0f} ms{ratio:8.2f} times NumPy")
    for name in ("numpy", "backburner", "backburner-autodiff", "numba", "llvmlite"):
        if name in installed:
            files = metadata.distribution(name).files or []
            size = sum(path.stat().st_size for f in files if (path := f.locate()).is_file())  # type: ignore[attr-defined]
            print(f"{name:20}{size / 1e6:8.2f} MB")


if __name__ == "__main__":
    main()
