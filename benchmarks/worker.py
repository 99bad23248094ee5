"""The process of one library: it does as the lines on its standard input say, and answers on standard output.

    python -m benchmarks.worker LIBRARY THREADS

A line is a JSON object; `do` is the name of a method here, and the rest its arguments. The answer is one line, with
`result` or with `error`. What libraries print goes to standard error.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.libraries import Task

LONG = 0.5  # seconds of a call that is long: few are enough to be warm
LEAST = 20e-6  # seconds that one sample takes at least: a shorter call is repeated


class Worker:
    def __init__(self, library: str, threads: int) -> None:
        self.library: Any = import_module(f"benchmarks.libraries.{library}").Library(threads)
        self.tasks: dict[str, tuple[Task, int, float]] = {}

    def prepare(self, name: str, task: str, outputs: str, warm: float, **options: Any) -> dict[str, Any]:
        """Make a task ready, write what it computes, and run it until it is warm."""
        made = getattr(self.library, task)(**options)
        np.savez(outputs, **made.outputs())
        took: list[float] = []
        start = time.perf_counter()
        while not took or (len(took) < 3 and sum(took) < LONG) or time.perf_counter() - start < warm:
            took.append(_timed(made.run, 1))
        repeats = max(1, round(LEAST / max(statistics.median(took), 1e-9)))
        self.tasks[name] = made, repeats, statistics.median(took)
        settle()
        return {"seconds": statistics.median(took)}

    def drop(self, name: str) -> None:
        del self.tasks[name]

    def time(self, name: str, seconds: float, skip: int) -> dict[str, Any]:
        """Run a task for so long, after some runs that do not count, and return what each took."""
        task, repeats, seconds_each = self.tasks[name]
        for _ in range(skip if seconds_each < LONG else 0):
            task.run()
        samples: list[float] = []
        cpu, start = time.process_time(), time.perf_counter()
        while not samples or time.perf_counter() - start < seconds:
            samples.append(_timed(task.run, repeats))
        busy, wall = time.process_time() - cpu, time.perf_counter() - start
        settle()
        return {"samples": samples, "cores": busy / wall}

    def call(self, function: str, **arguments: Any) -> Any:
        """Call a function of the suite in this process: `module:function`."""
        module, name = function.split(":")
        return getattr(import_module(module), name)(**arguments)

    def peak(self, model: str, data: str, steps: int) -> dict[str, int]:
        """Return the largest memory of this process when its library is imported, and after steps of training."""
        from benchmarks.groups.memory import Watch

        if hasattr(self.library, "import_all"):
            self.library.import_all()
        watch = Watch()
        task = self.library.train(model, data)
        for _ in range(steps):
            task.run()
        return {"imported": watch.imported, "peak": watch.peak()}

    def blas(self) -> list[str]:
        """Return which BLAS this process uses, with the kind of core it has taken the machine for."""
        threadpoolctl: Any = import_module("threadpoolctl")
        pools = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
        return [f"{p['internal_api']} {p['version']} for {p.get('architecture', '?')}" for p in pools]


def settle(longest: float = 1.0) -> None:
    """Wait until this process is idle: pools of threads go on spinning for up to 0.2 s, on the next one's cores."""
    end = time.perf_counter() + longest
    while time.perf_counter() < end:
        used = time.process_time()
        time.sleep(0.01)
        if time.process_time() - used < 0.002:
            return


def _timed(run: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - start) / repeats


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    worker = Worker(sys.argv[1], int(sys.argv[2]))
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"result": getattr(worker, request.pop("do"))(**request)}
        except Exception as error:
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
