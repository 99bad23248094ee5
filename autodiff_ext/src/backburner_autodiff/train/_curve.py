"""What training has reached, epoch by epoch, as a table and a picture."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Epoch(NamedTuple):
    """One row of the table.

    Attributes:
        epoch: its number, from 1.
        steps: how many it took; an interrupted one has fewer.
        loss: the mean over its images while it trained.
        accuracy: the share of held-out images named right, after it.
    """

    epoch: int
    steps: int
    loss: float
    accuracy: float


def write_table(epochs: Sequence[Epoch], path: Path) -> None:
    """Write the rows as CSV."""
    lines = [",".join(Epoch._fields)]
    lines += [f"{e.epoch},{e.steps},{e.loss:.6f},{e.accuracy:.6f}" for e in epochs]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def can_draw() -> bool:
    """Say whether Matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def draw(epochs: Sequence[Epoch], path: Path) -> None:
    """Draw loss and error against the epoch as a PNG, with Matplotlib."""
    log = logging.getLogger("matplotlib")
    level = log.level
    log.setLevel(logging.ERROR)  # it warns of a home that it cannot write to, which does not matter here
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    finally:
        log.setLevel(level)

    figure = Figure(figsize=(6, 4), layout="constrained")
    FigureCanvasAgg(figure)
    left = figure.add_subplot(xlabel="epoch", ylabel="training loss", yscale="log")
    right = left.twinx()
    right.set_ylabel("held-out accuracy, %")
    numbers = [e.epoch for e in epochs]
    lines = left.plot(numbers, [e.loss for e in epochs], "o-", color="tab:blue", label="loss")
    lines += right.plot(
        numbers, [100 * e.accuracy for e in epochs], "s--", color="tab:orange", label="accuracy"
    )
    left.locator_params("x", integer=True)
    left.legend(handles=lines, loc="center right")
    figure.savefig(path, dpi=120)
