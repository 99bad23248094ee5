"""What training has reached, epoch by epoch."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from typing import Any

from backburner.errors import ArgumentError
from backburner_autodiff.train._curve import draw_curves, picture
from backburner_autodiff.train.metrics import GREATER

Row = dict[str, Any]


def greater_is_better(monitor: str, mode: str = "auto") -> bool:
    """Say whether a value that is watched is better the greater it is.

    Args:
        monitor: its name; ``auto`` knows the metrics of this package by it and takes any other to be a loss.
        mode: ``"auto"``, ``"max"`` or ``"min"``.

    Raises:
        ArgumentError: another mode.
    """
    if mode not in ("auto", "max", "min"):
        raise ArgumentError(f"monitor {monitor!r}: mode is 'auto', 'min' or 'max', not {mode!r}.")
    name = monitor.removeprefix("valid_")
    known = name in GREATER or name.startswith("top_") and name.endswith("_accuracy")
    return mode == "max" or mode == "auto" and known


class History(Sequence[Row]):
    """The rows of a fit, one per epoch: ``history[-1]["valid_loss"]``, or as a column ``history["valid_loss"]``.

    A row has ``epoch`` and ``steps`` (of the optimizer, in all), ``seconds``, ``lr``, ``loss`` and the metrics, and the
    same of the validation data under ``valid_`` and their names. The last one has ``partial`` if the fit ended in the
    middle of that epoch.

    Attributes:
        stopped: why the fit ended before its time: ``"interrupted"``, what a callback said, or empty.

    Example:
        >>> from backburner.train import History
        >>> history = History([{"epoch": 1, "loss": 2.0}, {"epoch": 2, "loss": 1.0}])
        >>> history["loss"], history.best("loss")["epoch"]
        ([2.0, 1.0], 2)
    """

    def __init__(self, rows: Sequence[Row] = (), stopped: str = "") -> None:
        self.rows = [dict(row) for row in rows]
        self.stopped = stopped

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if self.rows and not any(key in row for row in self.rows):
                names = sorted({name for row in self.rows for name in row})
                raise ArgumentError(f"History: there is no {key!r}. There are: {', '.join(names)}.")
            return [row.get(key, math.nan) for row in self.rows]
        return self.rows[key]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def best(self, monitor: str = "valid_loss", mode: str = "auto") -> Row:
        """Return the first row with the best value of ``monitor``.

        Args:
            monitor: a name in the rows.
            mode: ``"min"``, ``"max"``, or ``"auto"``: by the name.

        Raises:
            ArgumentError: there is no such value, or another mode.
        """
        greater = greater_is_better(monitor, mode)
        rows = [row for row in self.rows if row.get(monitor) is not None and row[monitor] == row[monitor]]
        if not rows:
            raise ArgumentError(f"History.best: there is no value of {monitor!r} in {len(self)} rows.")
        return (max if greater else min)(rows, key=lambda row: row[monitor])

    def curves(self) -> dict[str, list[float]]:
        """Return what may be drawn: the numbers of each epoch by name, but for its number, time and steps."""
        left_out = {"epoch", "steps", "seconds", "partial"}
        names: dict[str, None] = {}
        for row in self.rows:
            names |= dict.fromkeys(
                k for k, v in row.items() if k not in left_out and isinstance(v, (int, float))
            )
        return {name: self[name] for name in names}

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw the curves as a PNG: losses, metrics and the learning rate below each other.

        Args:
            path: the file.

        Raises:
            ArgumentError: Matplotlib is not installed.
            OSError: the file cannot be written.
        """
        draw_curves(self["epoch"], self.curves(), path)

    def show(self, names: Sequence[str] = ("loss", "valid_loss"), width: int = 60, height: int = 12) -> str:
        """Return curves as text for a terminal.

        Args:
            names: which; those that are not there are left out.
            width: columns of the picture.
            height: its lines.
        """
        curves = self.curves()
        return picture({name: curves[name] for name in names if name in curves}, width, height)

    def __repr__(self) -> str:
        what = f", stopped: {self.stopped}" if self.stopped else ""
        return f"History of {len(self)} epochs{what}"
