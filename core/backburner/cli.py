"""The ``backburner`` command: one row of ``COMMANDS`` per subcommand."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from backburner import features
from backburner._version import __version__
from backburner.errors import BackburnerError


class Command(NamedTuple):
    """A subcommand.

    Attributes:
        name: as it is typed.
        help: one line.
        arguments: adds its options to its parser.
        run: does it and returns the exit status. A ``BackburnerError`` or an ``OSError`` that it raises is
            the user's to mend: the message goes to stderr without a traceback, and the status is 1.
    """

    name: str
    help: str
    arguments: Callable[[argparse.ArgumentParser], object]
    run: Callable[[argparse.Namespace], int]


def _features_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--require",
        metavar="FEATURE",
        action="append",
        default=[],
        help="exit with 1 and the reason when this feature is not available; may be repeated",
    )


def _features(args: argparse.Namespace) -> int:
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


COMMANDS: tuple[Command, ...] = (
    Command("features", "show which features this installation has", _features_arguments, _features),
)


def parser(commands: Sequence[Command]) -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    top = argparse.ArgumentParser(
        prog="backburner", description="Deep learning on NumPy; training on demand."
    )
    top.add_argument("--version", action="version", version=f"backburner {__version__}")
    subparsers = top.add_subparsers(metavar="COMMAND", required=True)
    for command in commands:
        sub = subparsers.add_parser(command.name, help=command.help, description=command.help)
        command.arguments(sub)
        sub.set_defaults(run=command.run)
    return top


def main(argv: Sequence[str] | None = None, commands: Sequence[Command] = COMMANDS) -> int:
    """Run the command line and return its exit status: 0, 1 for a user's error, 2 for a wrong option."""
    args = parser(commands).parse_args(argv)
    try:
        status: int = args.run(args)
        sys.stdout.flush()  # so that a reader who has gone is noticed here and not at exit
        return status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has what it wanted. Python flushes stdout once more at exit, which must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (BackburnerError, OSError) as error:
        print(f"backburner: {error}", file=sys.stderr)
        return 1
