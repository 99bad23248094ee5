"""What training has reached, epoch by epoch, as a table and a picture."""

from __future__ import annotations

import importlib.util
import logging
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from backburner.errors import ArgumentError


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


def _matplotlib() -> tuple[Any, Any]:
    """Return what makes a figure and what it is drawn on, without a window."""
    log = logging.getLogger("matplotlib")
    level = log.level
    log.setLevel(logging.ERROR)  # it warns of a home that it cannot write to, which does not matter here
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    finally:
        log.setLevel(level)
    return Figure, FigureCanvasAgg


def draw(epochs: Sequence[Epoch], path: Path) -> None:
    """Draw loss and error against the epoch as a PNG, with Matplotlib."""
    figures, canvas = _matplotlib()
    figure = figures(figsize=(6, 4), layout="constrained")
    canvas(figure)
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


def draw_curves(
    epochs: Sequence[int], curves: Mapping[str, Sequence[float]], path: str | os.PathLike[str]
) -> None:
    """Draw curves against the epoch as a PNG: one panel for a value and the same of the validation data.

    Raises:
        ArgumentError: Matplotlib is not installed.
    """
    if not can_draw():
        raise ArgumentError(
            'History.plot: Matplotlib is not installed. pip install "backburner-autodiff[plot]"'
        )
    figures, canvas = _matplotlib()
    panels: dict[str, list[str]] = {}
    for name in curves:
        panels.setdefault(name.removeprefix("valid_"), []).append(name)
    figure = figures(figsize=(6, 1 + 2.2 * max(len(panels), 1)), layout="constrained")
    canvas(figure)
    for place, (title, names) in enumerate(panels.items(), 1):
        axes = figure.add_subplot(len(panels), 1, place, ylabel=title)
        for name in names:
            axes.plot(epochs, curves[name], "o-", markersize=3, label=name)
        positive = all(v > 0 for name in names for v in curves[name] if v == v)
        if title in ("loss", "lr") and positive:
            axes.set_yscale("log")
        axes.locator_params("x", integer=True)
        if len(names) > 1:
            axes.legend()
        if place == len(panels):
            axes.set_xlabel("epoch")
    figure.savefig(os.fspath(path), dpi=120, format="png")


def picture(curves: Mapping[str, Sequence[float]], width: int = 60, height: int = 12) -> str:
    """Return curves as text: a letter for each, the range at the left, the epochs from left to right.

    Args:
        curves: the values by name; NaN and infinities leave gaps.
        width: columns of the picture.
        height: its lines.
    """
    values = [v for curve in curves.values() for v in curve if math.isfinite(v)]
    if not values:
        return "nothing to draw"
    low, high = min(values), max(values)
    grid = [[" "] * width for _ in range(height)]
    marks = "*+ox#@"
    for mark, curve in zip(marks * len(curves), curves.values(), strict=False):
        for column in range(width):
            place, rest = divmod(column * (len(curve) - 1), max(width - 1, 1))
            share = rest / max(width - 1, 1)
            value = curve[place] if not rest else (1 - share) * curve[place] + share * curve[place + 1]
            if math.isfinite(value):
                up = (value - low) / (high - low) if high > low else 0.0
                grid[round((1 - up) * (height - 1))][column] = mark
    labels = [f"{high:.4g}"] + [""] * (height - 2) + [f"{low:.4g}"]
    edge = max(map(len, labels))
    lines = [f"{label:>{edge}} |{''.join(row).rstrip()}" for label, row in zip(labels, grid, strict=True)]
    count = max(map(len, curves.values()))
    end = f"1{'':{max(width - 1 - len(str(count)), 0)}}{count}"
    names = "   ".join(f"{mark} {name}" for mark, name in zip(marks * len(curves), curves, strict=False))
    return "\n".join([*lines, f"{'':{edge}} +{'-' * width}", f"{'':{edge}}  {end}", f"{'':{edge}}  {names}"])
