"""How long it takes to begin: imports, a fresh process to its first result, and what is installed."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.harness import OURS, Failure, Group, Lab, Result, Spread

IMPORTS = {OURS: "backburner", "numpy": "numpy", "torch": "torch", "onnx": "onnxruntime", "jax": "jax"}
IMPORT = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
PREDICTS = {OURS: "core", "torch": "pytorch", "onnx": "onnxruntime"}
TRAINS = {OURS: "ours", "torch": "pytorch", "jax": "jax"}
INSTALLED = {"torch": ("torch",), "onnx": ("onnxruntime",), "jax": ("jax", "jaxlib")}
MODEL = "lenet"


@dataclass(frozen=True)
class Import:
    """The time of an import in a fresh process, without the start of Python."""

    threaded: bool = False
    name: str = "start/import"

    def measure(self, lab: Lab, threads: int) -> Result:
        result = Result(self.name, limits={"numpy": 1.3})
        modules = {
            label: module
            for label, module in IMPORTS.items()
            if label in (OURS, "numpy", *lab.settings.peers)
        }
        times: dict[str, list[float]] = {label: [] for label in modules}
        for i in range(2 * lab.settings.rounds + 1):
            for label, module in modules.items():
                done = subprocess.run(
                    [sys.executable, "-c", IMPORT.format(module)], capture_output=True, text=True
                )
                if done.returncode:
                    raise Failure(f"import {module}: {done.stderr}")
                if i:  # the first one may write bytecode
                    times[label].append(float(done.stdout))
        _fill(result, times)
        return result


@dataclass(frozen=True)
class First:
    """A fresh process, from its start to its first result."""

    what: str
    task: str
    cache: str = "warm"
    threaded: bool = False

    @property
    def name(self) -> str:
        return f"start/{self.what}"

    def measure(self, lab: Lab, threads: int) -> Result:
        result = Result(self.name)
        if self.task == "train":
            result.at_most = 10.0 if self.cache == "cold" else 1.0
        data = str(lab.data(MODEL, 64))
        libraries = PREDICTS if self.task == "infer" else TRAINS
        chosen = [label for label in libraries if label in (OURS, *lab.settings.peers)]
        if "onnx" in chosen:
            if "torch" in chosen:
                lab.graph(MODEL, 64)
            else:
                chosen.remove("onnx")
        lab.close()
        times: dict[str, list[float]] = {label: [] for label in chosen}
        rounds = 1 if self.cache == "cold" and lab.settings.quick else min(3, lab.settings.rounds)
        with TemporaryDirectory() as folder:
            for i in range(rounds + 1):
                for label in chosen:
                    cache = f"{folder}/{i}" if self.cache == "cold" else folder
                    command = [libraries[label], self.task, MODEL, data]
                    took = _took(command, {"BACKBURNER_CACHE_DIR": cache})
                    if i or (self.cache == "cold" and label == OURS):
                        times[label].append(took)
        _fill(result, times)
        return result


def _took(command: list[str], variables: Mapping[str, str]) -> float:
    """Return how long a process of `benchmarks.first` takes to its result; its end does not count."""
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.first", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **variables},
    ) as child:
        assert child.stdout is not None and child.stderr is not None
        line = child.stdout.readline()
        took = time.perf_counter() - start
        said = child.stderr.read()
    if line != "done\n":
        raise Failure(f"{' '.join(command)}: {said}")
    return took


def _fill(result: Result, times: Mapping[str, list[float]]) -> None:
    for label, values in times.items():
        result.cells[label] = Spread.of(values)
        if label != OURS:
            pairs = zip(times[OURS], values, strict=False)
            result.ratios[label] = Spread.of([mine / theirs for mine, theirs in pairs])


@dataclass(frozen=True)
class Installed:
    """Bytes on disk, bytecode included: ours with NumPy; of the others without what they depend on."""

    threaded: bool = False
    name: str = "start/installed"

    def measure(self, lab: Lab, threads: int) -> Result:
        result = Result(self.name, unit="B", limits={"torch": 0.1})
        ours = float(_size("numpy") + sum(path.stat().st_size for path in _package("backburner")))
        result.cells[OURS] = Spread(ours, ours, ours)
        for label, names in INSTALLED.items():
            if label in lab.settings.peers:
                value = float(sum(map(_size, names)))
                result.cells[label] = Spread(value, value, value)
                result.ratios[label] = Spread(ours / value, ours / value, ours / value)
        return result


@dataclass(frozen=True)
class Wheel:
    """The core's files as a wheel packs them, without the sample data."""

    threaded: bool = False
    name: str = "start/wheel"

    def measure(self, lab: Lab, threads: int) -> Result:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in _package("backburner"):
                if path.suffix != ".pyc" and path.parent.name != "datasets":
                    archive.write(path, path.relative_to(_folder("backburner").parent))
        value = float(packed.tell())
        return Result(self.name, unit="B", cells={OURS: Spread(value, value, value)}, at_most=400e3)


def _package(name: str) -> Iterator[Path]:
    """Give the files of a package."""
    return (path for path in _folder(name).rglob("*") if path.is_file())


def _folder(name: str) -> Path:
    """Return where a package is imported from."""
    spec = find_spec(name)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent


def _size(name: str) -> int:
    """Return the bytes that pip installed of a distribution."""
    paths = (Path(str(file.locate())) for file in distribution(name).files or ())
    return sum(path.stat().st_size for path in paths if path.is_file())


GROUP = Group(
    "start",
    "`import` in a fresh process, without the start of Python. From the start of a process to the first prediction of "
    "LeNet for a batch of 64, ours by the core alone; and to the end of the first step of training, when kernels are in "
    "the cache and when it is empty. Bytes on disk, ours with NumPy and the others without what they depend on. The "
    "core's files as a wheel packs them, without the sample data.",
    (
        Import(),
        First("prediction", "infer"),
        First("training-warm", "train"),
        First("training-cold", "train", "cold"),
        Installed(),
        Wheel(),
    ),
    (OURS, "numpy", "torch", "onnx", "jax"),
)
