"""What subcommands share: what one is, exit statuses, and how to print where nobody may read."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

LONGEST_CELL = 1 << 27  # characters: an open quote swallows no more than this
INTERRUPTED = 130  # as shells have it: 128 and the number of the signal


class Command(NamedTuple):
    """A subcommand.

    Attributes:
        name: as it is typed.
        help: one line.
        arguments: adds its options to its parser.
        run: does it and returns the exit status. A ``BackburnerError`` or an ``OSError`` that it raises is
            the user's to mend: the message goes to stderr without a traceback, and the status is 1. For a wrong
            option that the parser cannot see it calls ``args.usage_error(message)``, which exits with 2.
        examples: lines that can be typed, for its ``--help``.
    """

    name: str
    help: str
    arguments: Callable[[argparse.ArgumentParser], object]
    run: Callable[[argparse.Namespace], int]
    examples: tuple[str, ...] = ()


def integer(text: str) -> int:
    """Read an option's whole number."""
    return int(text)


integer.__name__ = "integer"  # as argparse calls it in a message


@contextmanager
def long_cells() -> Iterator[None]:
    """Let cells of a CSV file be longer than Python's reader has them by itself, meanwhile."""
    import csv

    before = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def close_with(text: str) -> None:
    """Print the end of what succeeds or fails by something else than stdout, which may be lost."""
    try:
        print(text, end="", flush=True)
    except OSError:
        give_up(sys.stdout)


def note(text: str) -> None:
    """Print a line to stderr, for who reads along: results go to stdout, which may be a file."""
    if sys.stderr is not None:  # print would turn to stdout
        try:
            print(text, file=sys.stderr, flush=True)
        except OSError:  # the status tells how it went
            give_up(sys.stderr)


def give_up(stream: Any) -> None:
    """Let what a stream still holds go nowhere, since Python flushes it at exit, which must not fail."""
    with suppress(OSError):  # it is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
