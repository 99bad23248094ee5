"""A progress bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar


class Output:
    """A stream that takes what it cannot show as shown: no job ends because nobody can read how far it is.

    What its encoding lacks is written as an escape. After any other failure it stays silent.
    """

    def __init__(self, stream: Any) -> None:
        self._stream: Any = stream

    def write(self, text: str) -> int:
        if self._stream is not None:
            try:
                self._write(text)
            except (OSError, ValueError):  # a reader who has gone, a full disk, a closed stream
                self._stream = None
        return len(text)

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
        except UnicodeEncodeError as error:
            self._stream.write(text.encode(error.encoding, "backslashreplace").decode(error.encoding))

    def flush(self) -> None:
        if self._stream is not None:
            try:
                self._stream.flush()
            except (OSError, ValueError):
                self._stream = None

    def isatty(self) -> bool:
        return self._stream is not None and bool(self._stream.isatty())

    def fileno(self) -> int:
        if self._stream is None:
            raise OSError("there is no stream")
        return int(self._stream.fileno())

    @property
    def encoding(self) -> str:
        return getattr(self._stream, "encoding", None) or "utf-8"


class Progress:
    """Show how far a job is, and lines of text above that; silently if it is not to be shown.

    Args:
        total: of the units that ``advance`` counts, if it is known.
        show: whether to show anything.
    """

    def __init__(self, total: int | None, show: bool = True) -> None:
        output: Any = Output(sys.stdout)
        self._console = Console(file=output, quiet=not show, highlight=False, soft_wrap=True)
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not (show and self._console.is_terminal),
            # what stands in a stream's place while the bar runs does not work without it
            redirect_stdout=sys.stdout is not None,
            redirect_stderr=sys.stderr is not None,
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
