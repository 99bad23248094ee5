"""Tables of results: in the terminal, and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from benchmarks.harness import OURS, Group, Result, Spread

if TYPE_CHECKING:  # what only lists rows, or checks them, needs no rich
    from rich.console import Console

KEPT, MISSED = "✓", "✗"


def amount(value: float, unit: str) -> str:
    """Return a value with three digits, in the unit that suits it."""
    if unit == "s":
        for scale, name in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
            if value >= scale * 0.9995:
                return f"{_digits(value / scale)} {name}"
        return f"{_digits(value / 1e-9)} ns"
    if unit == "B":
        for scale, name in ((1e9, "GB"), (1e6, "MB")):
            if value >= scale * 0.9995:
                return f"{_digits(value / scale)} {name}"
        return f"{_digits(value / 1e3)} kB"
    return f"{value:.2f}{unit}"


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def cell(spread: Spread | None, unit: str) -> str:
    """Return a median, with half the distance of its quartiles in percent."""
    if spread is None:
        return "-"
    text = amount(spread.median, unit)
    width = (spread.high - spread.low) / 2 / spread.median if spread.median else 0.0
    return f"{text} ±{width:.0%}" if spread.high > spread.low else text


def verdict(value: float, limit: float | None) -> str:
    """Return a ratio, and where there is a target whether it is met."""
    if limit is None:
        return f"{value:.2f}"
    return f"{value:.2f} ≤ {limit:g} {KEPT}" if value <= limit else f"{value:.2f} > {limit:g} {MISSED}"


def lines(group: Group, results: Sequence[Result]) -> tuple[list[str], list[list[str]]]:
    """Return the head and the body of a group's table."""
    if group.by_op:
        return _op_lines(results)
    there = [label for label in group.columns if any(label in result.cells for result in results)]
    peers = [label for label in there if label != OURS and any(label in r.ratios for r in results)]
    head = ["row", "threads", *there, *(f"/ {label}" for label in peers)]
    body: list[list[str]] = []
    for result in results:
        line = [result.name, "" if result.threads is None else str(result.threads)]
        if result.error is not None:
            body.append([*line, *("error" for _ in there), *("" for _ in peers)])
            continue
        for label in there:
            text = cell(result.cells.get(label), result.unit)
            if label == OURS and result.at_most is not None:
                limit = amount(result.at_most, result.unit)
                text += f" > {limit} {MISSED}" if OURS in result.misses() else f" ≤ {limit} {KEPT}"
            line.append(text)
        for label in peers:
            ratio = result.ratios.get(label)
            line.append("-" if ratio is None else verdict(ratio.median, result.limits.get(label)))
        body.append(line)
    for threads in dict.fromkeys(result.threads for result in results):
        means = {label: mean(results, label, threads) for label in peers}
        if len([r for r in results if r.threads == threads and r.ratios]) < 2 or not group.means:
            continue
        line = ["geometric mean", "" if threads is None else str(threads), *("" for _ in there)]
        for label in peers:
            found = means[label]
            line.append("-" if found is None else verdict(found, group.means.get(label)))
        body.append(line)
    return head, body


def _op_lines(results: Sequence[Result]) -> tuple[list[str], list[list[str]]]:
    """Return a table with a line for each op: its sizes and phases side by side."""
    columns = list(dict.fromkeys(_column(result) for result in results))
    cells = {(_op(result), result.threads, _column(result)): _brief(result) for result in results}
    body = [
        [op, str(threads), *(cells.get((op, threads, column), "-") for column in columns)]
        for op, threads in dict.fromkeys((_op(result), result.threads) for result in results)
    ]
    for threads in dict.fromkeys(result.threads for result in results):
        line = ["geometric mean", str(threads)]
        for column in columns:
            found = mean([result for result in results if _column(result) == column], "torch", threads)
            line.append("-" if found is None else f"{found:.2f}")
        body.append(line)
    return ["op", "threads", *columns], body


def _op(result: Result) -> str:
    return result.name.split("/")[1]


def _column(result: Result) -> str:
    _, _, size, phase = result.name.split("/")
    return f"{size} {phase.replace('step', 'gradient')}"


def _brief(result: Result) -> str:
    """Return a ratio and our time, or that there is none."""
    if result.error is not None:
        return "error"
    ratio = result.ratios.get("torch")
    time = amount(result.cells[OURS].median, result.unit)
    return time if ratio is None else f"{ratio.median:.2f} ({time})"


def mean(results: Iterable[Result], label: str, threads: int | None) -> float | None:
    """Return the geometric mean of the ratios to one side."""
    ratios = [r.ratios[label].median for r in results if r.threads == threads and label in r.ratios]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def show(console: Console, group: Group, results: Sequence[Result]) -> None:
    """Print a group's table."""
    from rich.table import Table

    head, body = lines(group, results)
    table = Table(title=group.name, caption=group.about, caption_justify="left", title_justify="left")
    for i, name in enumerate(head):
        table.add_column(name, justify="left" if i == 0 else "right", no_wrap=i == 0)
    for line in body:
        table.add_row(*(_coloured(text) for text in line))
    console.print(table)
    for remark in remarks(results):
        console.print(remark, markup=False, highlight=False)


def _coloured(text: str) -> str:
    colour = {KEPT: "green", MISSED: "red"}.get(text[-1:]) if text != "error" else "bold red"
    return f"[{colour}]{text}[/]" if colour else text


def remarks(results: Iterable[Result]) -> list[str]:
    """Return what is said below a table: errors, and what readers should know."""
    found: list[str] = []
    for result in results:
        where = f"{result.name}" + (f" at {result.threads} threads" if result.threads else "")
        found += [f"{where}: {note}" for note in result.notes]
        found += [f"{where}: ERROR {result.error}"] if result.error else []
    return found


def markdown(machine: Mapping[str, str], measured: Iterable[tuple[Group, Sequence[Result]]]) -> str:
    """Return all tables as Markdown, after what they were measured on."""
    parts = ["| measured on | |\n|---|---|"]
    parts[0] += "".join(f"\n| {key} | {value} |" for key, value in machine.items())
    for group, results in measured:
        head, body = lines(group, results)
        rule = ["---", *("---:" for _ in head[1:])]
        rows = "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *body])
        said = "".join(f"\n* {remark.splitlines()[0]}" for remark in remarks(results))
        parts.append(f"### {group.name}\n\n{group.about}\n\n{rows}" + (f"\n{said}" if said else ""))
    return "\n\n".join(parts) + "\n"
