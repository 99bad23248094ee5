"""``backburner features``: what this installation can do."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from backburner import features
from backburner._version import __version__
from backburner.cli._command import Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--require",
        metavar="FEATURE",
        action="append",
        default=[],
        help="exit with 1 and the reason when this feature is not available; may be repeated",
    )


def _run(args: argparse.Namespace) -> int:
    for name in args.require:
        features.require(name)
    admitted = ", ".join(sorted(features.admitted())) or "none"
    print(f"backburner {__version__}; features this build admits: {admitted}\n")
    print("\n".join(_table(features.status(name) for name in sorted(features.KNOWN))))
    return 0


def _table(rows: Iterable[features.Status]) -> list[str]:
    """Lay statuses out in columns, the remedy on a line of its own so that its command copies in one piece."""
    cells = [("feature", "state", "version", "reason", "")]
    cells += [(r.name, r.state, r.version or "-", r.reason, r.remedy) for r in rows]
    name, state, version = (max(len(row[i]) for row in cells) for i in range(3))
    indent = " " * (name + state + version + 6)
    lines = []
    for row in cells:
        lines.append(f"{row[0]:{name}}  {row[1]:{state}}  {row[2]:{version}}  {row[3]}")
        if row[4]:
            lines.append(f"{indent}{row[4]}")
    return lines


COMMAND = Command(
    "features",
    "show which features this installation has",
    _arguments,
    _run,
    ("backburner features", "backburner features --require autodiff"),
)
