"""The command: ``python -m benchmarks``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from fnmatch import fnmatchcase
from pathlib import Path

from benchmarks import machine, report
from benchmarks.groups import GROUPS
from benchmarks.harness import Disagreement, Failure, Group, Lab, Result, Row, Settings

QUICK_PEERS = ("torch", "onnx")  # the others compile for long


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Backburner beside other libraries."
    )
    made.add_argument(
        "--rows", nargs="+", metavar="GLOB", default=["*"], help="the rows to run, as in 'train/*'"
    )
    made.add_argument("--quick", action="store_true", help="short rounds, fewer tables and peers")
    made.add_argument(
        "--threads", nargs="+", type=int, metavar="N", help="numbers of threads (default: 1, and 2)"
    )
    made.add_argument(
        "--peers",
        nargs="*",
        choices=list(machine.PACKAGES),
        help="default: those installed, and of these torch and onnx if quick",
    )
    made.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables as Markdown too")
    made.add_argument("--json", type=Path, metavar="FILE", help="write all numbers too")
    made.add_argument("--list", action="store_true", help="print the names of the rows, and run nothing")
    return made


def chosen(globs: Sequence[str], quick: bool) -> list[tuple[Group, list[Row]]]:
    """Return the groups, each with its rows that a glob matches; where it has to be quick, long ones by name only."""
    found: list[tuple[Group, list[Row]]] = []
    for group in GROUPS:
        rows = [row for row in group.rows if any(fnmatchcase(row.name, glob) for glob in globs)]
        if rows and not (quick and group.long and globs == ["*"]):
            found.append((group, rows))
    return found


def measured(row: Row, lab: Lab, threads: int) -> Result:
    """Measure a row; what goes wrong in it is its result."""
    try:
        return row.measure(lab, threads)
    except (Disagreement, Failure) as error:
        lab.close()  # a process may still hold what it was given
        return Result(row.name, threads if row.threaded else None, error=str(error))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the rows that are asked for. The status is 1 where libraries disagree or a row fails."""
    options = parser().parse_args(arguments)
    plan = chosen(options.rows, options.quick)
    if not plan:
        print(f"benchmarks: no row matches {' '.join(options.rows)}; --list shows them", file=sys.stderr)
        return 2
    if options.list:
        for _, rows in plan:
            print(*(row.name for row in rows), sep="\n")
        return 0
    peers = options.peers
    if peers is None:
        usual = QUICK_PEERS if options.quick else machine.PACKAGES
        peers = [peer for peer in usual if machine.installed(peer)]
    absent = [peer for peer in peers if not machine.installed(peer)]
    if absent:
        print(f"benchmarks: not installed: {' '.join(absent)}", file=sys.stderr)
        return 2
    from rich.console import Console

    threads = tuple(options.threads or range(1, min(2, machine.cores()) + 1))
    times = (3, 0.04, 0.1) if options.quick else (6, 0.1, 0.25)
    console = Console(width=None if sys.stdout.isatty() else 180)
    results: list[tuple[Group, list[Result]]] = []
    start = time.monotonic()
    with Lab(Settings(*times, peers=tuple(peers), threads=threads, quick=options.quick)) as lab:
        described = machine.describe(lab)
        for key, value in described.items():
            console.print(f"{key:14} {value}", markup=False, highlight=False)
        for group, rows in plan:
            found: list[Result] = []
            for row in rows:
                for count in threads if row.threaded else threads[-1:]:
                    with console.status(f"{row.name}, {count} threads"):
                        found.append(measured(row, lab, count))
            found.sort(key=lambda result: result.threads or 0)
            results.append((group, found))
            report.show(console, group, found)
    console.print(f"{time.monotonic() - start:.0f} s")
    if options.markdown:
        options.markdown.write_text(report.markdown(described, results), encoding="utf-8")
    if options.json:
        plain = {group.name: [asdict(result) for result in found] for group, found in results}
        options.json.write_text(
            json.dumps({"machine": described, "results": plain}, indent=1), encoding="utf-8"
        )
    return int(any(result.error for _, found in results for result in found))


if __name__ == "__main__":
    sys.exit(main())
