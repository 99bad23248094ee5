"""Processes of libraries that take turns, and what a row is."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from benchmarks import models
from benchmarks.libraries import Outputs

T = TypeVar("T")
OURS = "ours"


class Disagreement(Exception):
    """Two libraries that should compute the same do not."""


class Failure(Exception):
    """A library's process could not do what it was asked."""


class Spread(NamedTuple):
    """A median and the quartiles around it."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        low, median, high = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
        return cls(median, low, high)


@dataclass(frozen=True)
class Settings:
    """How long and how often is measured.

    Attributes:
        rounds: turns of each library in a row.
        turn: seconds that a turn takes at least.
        warm: seconds of running before the first turn.
        peers: the libraries to compare with.
        threads: the numbers of threads to measure with.
        quick: whether rows may leave out what takes long.
    """

    rounds: int
    turn: float
    warm: float
    peers: tuple[str, ...]
    threads: tuple[int, ...]
    quick: bool = False


@dataclass(frozen=True)
class Contender:
    """One side of a row.

    Attributes:
        label: what it is called in the table.
        library: the module of `benchmarks.libraries` that runs it.
        task: the method of its `Library`, and what that is given.
        threads: how many threads it uses; `None` for as many as the row.
    """

    label: str
    library: str
    task: Mapping[str, Any]
    threads: int | None = None


@dataclass
class Result:
    """What one row has come to.

    Attributes:
        cells: the value of each side, by label.
        ratios: ours over the other side's, by label.
        limits: what a ratio may be at most.
        at_most: what our own value may be at most.
        notes: what a reader should know.
        error: why there are no values.
    """

    name: str
    threads: int | None = None
    unit: str = "s"
    cells: dict[str, Spread] = field(default_factory=dict)
    ratios: dict[str, Spread] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    at_most: float | None = None
    notes: list[str] = field(default_factory=list)
    error: str | None = None

    def misses(self) -> list[str]:
        """Return the labels of the limits that this row is above; `ours` for one of its own."""
        found = [label for label, limit in self.limits.items() if label in self.ratios]
        found = [label for label in found if self.ratios[label].median > self.limits[label]]
        own = self.cells.get(OURS)
        above = self.at_most is not None and own is not None and own.median > self.at_most
        return [OURS, *found] if above else found


class Row(Protocol):
    """A row of a table: it is asked to measure itself, once for each number of threads if it uses them."""

    @property
    def name(self) -> str: ...

    @property
    def threaded(self) -> bool: ...

    def measure(self, lab: Lab, threads: int) -> Result: ...


@dataclass(frozen=True)
class Group:
    """Rows of one table.

    Attributes:
        about: what is measured, for the reader.
        columns: the labels, in order; ours is the first.
        means: what the geometric mean of the ratios may be at most, by label.
        by_op: whether the table has a line for each op, with its sizes side by side.
        long: whether `--quick` leaves it out, unless it is named.
    """

    name: str
    about: str
    rows: tuple[Row, ...]
    columns: tuple[str, ...]
    means: Mapping[str, float] = field(default_factory=dict)
    by_op: bool = False
    long: bool = False


class Process:
    """A library in a process of its own."""

    def __init__(self, library: str, threads: int, log: Path) -> None:
        self.library = library
        self.log = log
        with log.open("w", encoding="utf-8") as file:
            self.child = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.worker", library, str(threads)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
                bufsize=1,
            )

    def ask(self, do: str, **arguments: Any) -> Any:
        """Have it do something, and return what came of it."""
        assert self.child.stdin is not None and self.child.stdout is not None
        try:
            self.child.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
            line = self.child.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise Failure(
                f"{self.library}: its process ended with status {self.child.wait()}\n{self._said()}"
            )
        answer = json.loads(line)
        if "error" in answer:
            raise Failure(f"{self.library}: {answer['error']}\n{self._said()}")
        return answer["result"]

    def _said(self) -> str:
        """Return the end of what it wrote to standard error."""
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-25:])

    def close(self) -> None:
        """End it: its input ends, and so does it."""
        self.child.communicate()


class Lab:
    """What rows measure with: the processes, the drawn data, and how long to measure."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._folder = tempfile.TemporaryDirectory(prefix="benchmarks-")
        self.folder = Path(self._folder.name)
        self._count = 0
        self._made: dict[Hashable, Any] = {}
        self._processes: dict[tuple[str, int], Process] = {}
        self._data: dict[tuple[str, int], Path] = {}

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._folder.cleanup()

    def close(self) -> None:
        """End all processes."""
        for process in self._processes.values():
            process.close()
        self._processes.clear()

    def process(self, library: str, threads: int) -> Process:
        """Return the library's process with so many threads; it is started where there is none."""
        found = self._processes.get((library, threads))
        if found is None or found.child.poll() is not None:
            found = self._processes[library, threads] = self._started(library, threads)
        return found

    @contextmanager
    def fresh(self, library: str, threads: int) -> Iterator[Process]:
        """Give a process that has done nothing yet."""
        process = self._started(library, threads)
        try:
            yield process
        finally:
            process.close()

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` gave when this key was first asked for."""
        if key not in self._made:
            self._made[key] = make()
        found: T = self._made[key]
        return found

    def _started(self, library: str, threads: int) -> Process:
        self._count += 1
        return Process(library, threads, self.folder / f"{library}-{self._count}.log")

    def data(self, model: str, batch: int) -> Path:
        """Return the folder of a model's weights and of a batch."""
        if (model, batch) not in self._data:
            folder = self.folder / f"{model}-{batch}"
            folder.mkdir()
            models.draw(model, batch, folder)
            self._data[model, batch] = folder
        return self._data[model, batch]

    def graph(self, model: str, batch: int) -> None:
        """Have PyTorch write the model as a graph of ONNX beside its data, unless it is there."""
        data = self.data(model, batch)
        if not (data / "model.onnx").exists():
            export = "benchmarks.libraries.pytorch:export"
            self.process("pytorch", self.settings.threads[0]).ask(
                "call", function=export, model=model, data=str(data)
            )

    def prepare(
        self, contenders: Iterable[Contender], threads: int, settings: Settings | None = None
    ) -> dict[str, Outputs]:
        """Make each side ready in its process, and return what each computes."""
        warm = (settings or self.settings).warm
        found: dict[str, Outputs] = {}
        for contender in contenders:
            path = self.folder / f"outputs-{len(found)}.npz"
            process = self.process(contender.library, contender.threads or threads)
            process.ask("prepare", name=contender.label, outputs=str(path), warm=warm, **contender.task)
            with np.load(path) as file:
                found[contender.label] = {name: file[name] for name in file}
            path.unlink()
        return found

    def drop(self, contenders: Iterable[Contender], threads: int) -> None:
        """Let go what was prepared."""
        for contender in contenders:
            self.process(contender.library, contender.threads or threads).ask("drop", name=contender.label)

    def time(
        self, contenders: Sequence[Contender], threads: int, result: Result, settings: Settings | None = None
    ) -> None:
        """Let the sides take turns, put what they took into a result, and let them go."""
        settings = settings or self.settings
        rounds: dict[str, list[list[float]]] = {contender.label: [] for contender in contenders}
        cores: dict[str, list[float]] = {contender.label: [] for contender in contenders}
        for i in range(settings.rounds):
            first = i % len(contenders)  # nobody always comes after the same one
            for contender in [*contenders[first:], *contenders[:first]]:
                process = self.process(contender.library, contender.threads or threads)
                turn = process.ask("time", name=contender.label, seconds=settings.turn, skip=2)
                rounds[contender.label].append(turn["samples"])
                cores[contender.label].append(turn["cores"])
        self.drop(contenders, threads)
        for contender in contenders:
            allowed, used = contender.threads or threads, statistics.median(cores[contender.label])
            if used > allowed * 1.1:
                result.notes.append(f"{contender.label} used {used:.1f} cores where {allowed} were allowed")
            elif max(cores[contender.label]) < 0.8:
                result.notes.append(f"{contender.label} had {used:.1f} of a core: the machine was busy")
        medians = {label: [statistics.median(samples) for samples in all_] for label, all_ in rounds.items()}
        for label, all_ in rounds.items():
            result.cells[label] = Spread.of([sample for samples in all_ for sample in samples])
            if label != OURS and OURS in medians:
                pairs = zip(medians[OURS], medians[label], strict=True)
                result.ratios[label] = Spread.of([mine / theirs for mine, theirs in pairs])


def agree(outputs: Mapping[str, Outputs], tolerance: float = 1e-4) -> None:
    """Refuse results that are not the same but for rounding, or not finite."""
    (first, expected), *others = outputs.items()
    for name, array in expected.items():
        if not np.isfinite(array).all():
            raise Disagreement(f"{first}: {name} is not finite")
    for label, found in others:
        if found.keys() != expected.keys():
            names = ", ".join(sorted(found.keys() ^ expected.keys()))
            raise Disagreement(f"{label} and {first} do not give the same: {names}")
        for name, array in found.items():
            error = distance(array, expected[name])
            if not error <= tolerance:
                raise Disagreement(f"{label} and {first} differ in {name} by {error:.1e}")


def distance(found: Any, expected: Any) -> float:
    """Return the length of the difference over that of what is expected; infinity for different shapes."""
    if found.shape != expected.shape:
        return float("inf")
    length = float(np.linalg.norm(expected.astype(np.float64).ravel()))
    return float(np.linalg.norm((found.astype(np.float64) - expected).ravel())) / max(length, 1e-30)
