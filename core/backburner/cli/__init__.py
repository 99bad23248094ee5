"""The ``backburner`` command: a module per subcommand, each a row of ``COMMANDS``."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence

from backburner._version import __version__
from backburner.cli import convert, features, inspect, predict, summary, train, warmup
from backburner.cli._command import INTERRUPTED as INTERRUPTED
from backburner.cli._command import Command as Command
from backburner.cli._command import close_with, give_up, note
from backburner.errors import BackburnerError

COMMANDS: tuple[Command, ...] = (
    features.COMMAND,
    train.COMMAND,
    predict.COMMAND,
    inspect.COMMAND,
    convert.COMMAND,
    summary.COMMAND,
    warmup.COMMAND,
)


def parser(commands: Sequence[Command]) -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    top = argparse.ArgumentParser(
        prog="backburner",
        description="Deep learning on NumPy; training on demand.",
        epilog="It exits with 0, with 1 after an error that you can mend, with 2 for a wrong option, with 130 "
        "after Ctrl-C.",
    )
    top.add_argument("--version", action="version", version=f"backburner {__version__}")
    subparsers = top.add_subparsers(metavar="COMMAND", required=True)
    for command in commands:
        sub = subparsers.add_parser(
            command.name,
            help=command.help,
            description=f"{command.help[0].upper()}{command.help[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.arguments(sub)
        if command.examples:
            parts = [sub.epilog, "\n  ".join(["examples:", *command.examples])]
            sub.epilog = "\n\n".join(filter(None, parts))
        sub.set_defaults(run=command.run, usage_error=sub.error)
    return top


def main(argv: Sequence[str] | None = None, commands: Sequence[Command] = COMMANDS) -> int:
    """Run the command line and return its exit status: 0, 1 for a user's error, 2 for a wrong option, 130 for Ctrl-C."""
    try:
        if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
            sys.stdout.reconfigure(errors="backslashreplace")  # as stderr has it: names of files may need it
        args = parser(commands).parse_args(argv)
        status: int = args.run(args)
        if sys.stdout is not None:  # as it is where it was closed from the start
            sys.stdout.flush()  # so that a reader who has gone is noticed here and not at exit
        return status
    except KeyboardInterrupt:
        _complain("stopped")
        return INTERRUPTED
    except BrokenPipeError:
        give_up(sys.stdout)  # the reader has what it wanted
        return 0
    except BackburnerError as error:
        return _complain(str(error))
    except OSError as error:
        return _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))


def _complain(text: str) -> int:
    close_with("")
    note(f"backburner: {text}")
    return 1
