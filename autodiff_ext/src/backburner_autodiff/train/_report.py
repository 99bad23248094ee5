"""How far a fit is: a bar on a terminal and in a notebook, plain lines in a log."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from time import monotonic
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from backburner.errors import ArgumentError
from backburner_autodiff.train._progress import Output

MODES = ("auto", "bar", "plain", "off")
REFRESH = 0.1  # seconds between two pictures of the bar
LINE = 30.0  # seconds between two plain lines inside an epoch


class Report:
    """Show steps, speed, time left and values.

    Args:
        mode: ``"bar"``, ``"plain"``, ``"off"``, or ``"auto"``: a bar where it can be shown, else plain lines.
        epochs: how many there will be, ``None`` if that is not known.
        total: how many steps there will be, likewise.
        done: how many there were before.
    """

    def __init__(self, mode: str, epochs: int | None, total: int | None, done: int) -> None:
        console = Console(
            file=Output(sys.stdout),  # type: ignore[arg-type]  # what rich uses of a stream
            quiet=mode == "off",
            highlight=False,
            soft_wrap=True,
            force_terminal=True if mode == "bar" else None,
        )
        notebook = console.is_jupyter and importlib.util.find_spec("ipywidgets") is not None
        self._shown = mode != "off"
        self._is_bar = mode == "bar" or mode == "auto" and (console.is_terminal or notebook)
        self._console = console
        self._epochs, self._total = epochs, total
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[told]}"),
            console=console,
            transient=True,
            disable=not self._is_bar,
            # what stands in a stream's place while the bar runs does not work without it
            redirect_stdout=sys.stdout is not None,
            redirect_stderr=sys.stderr is not None,
        )
        self._task = self._bar.add_task("", total=total, completed=done, told="")
        self._next = 0.0
        self._start = self._mark = monotonic()
        self._counts = [0, 0]  # steps and examples since the mark
        self._speed = [0.0, 0.0]

    def line(self, text: str) -> None:
        """Print a line."""
        self._bar.console.print(text, markup=False)

    def step(self, epoch: int, steps: int, examples: int, values: Callable[[], Mapping[str, Any]]) -> None:
        """Count a step, and now and then show where things stand."""
        self._counts[0] += 1
        self._counts[1] += examples
        now = monotonic()
        if now < self._next or not self._shown:
            return
        self._next = now + (REFRESH if self._is_bar else LINE)
        passed = now - self._mark
        if passed > 0:
            new = [count / passed for count in self._counts]
            first = not any(self._speed)
            self._speed = (
                new if first else [0.7 * old + 0.3 * n for old, n in zip(self._speed, new, strict=True)]
            )
        self._mark, self._counts = now, [0, 0]
        told = f"{self._rates(steps)}   {told_values(values())}"
        if self._is_bar:
            self._bar.update(self._task, completed=steps, description=self._name(epoch), told=told)
        elif now - self._start >= LINE:  # quick epochs have their own lines alone
            count = f"{steps:,}/{self._total:,}" if self._total else f"{steps:,}"
            self.line(f"{self._name(epoch)}   step {count}   {told}")

    def _name(self, epoch: int) -> str:
        width = len(str(self._epochs or ""))
        return f"epoch {epoch:{width}}/{self._epochs}" if self._epochs else f"epoch {epoch}"

    def _rates(self, steps: int) -> str:
        told = f"{self._speed[0]:,.0f} steps/s   {self._speed[1]:,.0f} examples/s"
        if self._total and self._speed[0] > 0:
            told += f"   {duration((self._total - steps) / self._speed[0])} left"
        return told

    def epoch(self, row: Mapping[str, Any], examples: int) -> None:
        """Print an epoch's row."""
        seconds = row["seconds"]
        speed = f"   {examples / seconds:,.0f} examples/s" if seconds > 0 else ""
        values = {k: v for k, v in row.items() if k not in ("epoch", "steps", "seconds", "partial")}
        self.line(f"{self._name(row['epoch'])}   {told_values(values)}   {duration(seconds)}{speed}")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()


def checked_mode(mode: object) -> str:
    """Return how progress is shown.

    Raises:
        ArgumentError: there is no such way.
    """
    if mode not in MODES:
        raise ArgumentError(f"Trainer: progress is {', '.join(map(repr, MODES))}, not {mode!r}.")
    return str(mode)


def told_values(values: Mapping[str, Any]) -> str:
    """Return the numbers among values as text; arrays have no place in a line."""
    return "   ".join(f"{name} {v:.4g}" for name, v in values.items() if isinstance(v, (int, float)))


def duration(seconds: float) -> str:
    """Return seconds as people say them."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} h" if hours else f"{minutes}:{rest:02} min"
