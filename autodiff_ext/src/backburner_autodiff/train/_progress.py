"""A progress bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar


class Progress:
    """Show how far a job is, and lines of text above that; silently if it is not to be shown.

    Args:
        total: of the units that ``advance`` counts, if it is known.
        show: whether to show anything.
    """

    def __init__(self, total: int | None, show: bool = True) -> None:
        self._console = Console(quiet=not show, highlight=False, soft_wrap=True)
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not (show and self._console.is_terminal),
        )
        self._task = self._bar.add_task("", total=total)

    def line(self, text: str) -> None:
        """Print a line."""
        self._bar.console.print(text, markup=False)

    def total(self, total: int) -> None:
        """Say how many units there are."""
        self._bar.update(self._task, total=total)

    def advance(self, what: str, count: int = 1) -> None:
        """Count units as done, and say what is next."""
        self._bar.update(self._task, advance=count, description=what)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()
