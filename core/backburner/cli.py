"""The ``backburner`` command: one row of ``COMMANDS`` per subcommand."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from backburner import features
from backburner._version import __version__
from backburner.errors import BackburnerError

INTERRUPTED = 130  # as shells have it: 128 and the number of the signal


class Command(NamedTuple):
    """A subcommand.

    Attributes:
        name: as it is typed.
        help: one line.
        arguments: adds its options to its parser.
        run: does it and returns the exit status. A ``BackburnerError`` or an ``OSError`` that it raises is
            the user's to mend: the message goes to stderr without a traceback, and the status is 1.
        examples: lines that can be typed, for its ``--help``.
    """

    name: str
    help: str
    arguments: Callable[[argparse.ArgumentParser], object]
    run: Callable[[argparse.Namespace], int]
    examples: tuple[str, ...] = ()


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


def _train_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("job", choices=["digits"], help="the one job: handwritten digits, 8x8 pixels each")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="digits.safetensors",
        help="where the weights go; beside them the loss curve as .loss.csv and .loss.png (default: %(default)s)",
    )
    parser.add_argument(
        "--epochs", metavar="N", type=_integer, default=20, help="how often each image is seen (default: 20)"
    )
    parser.add_argument(
        "--seed", metavar="N", type=_integer, default=0, help="one seed, one file, byte for byte (default: 0)"
    )
    parser.epilog = (
        "Ctrl-C lets the step finish, saves what there is and exits with 130.\n"
        "A second one stops at once, and an older file stays as it was."
    )


def _integer(text: str) -> int:
    return int(text)


_integer.__name__ = "integer"  # as argparse calls it in a message


def _train(args: argparse.Namespace) -> int:
    features.require("autodiff", "backburner train")
    from backburner.train import digits

    trained = digits(args.output, epochs=args.epochs, seed=args.seed)
    _close_with(f"Now: backburner predict {trained.files[0]} --sample 7\n")
    return INTERRUPTED if trained.interrupted else 0


def _predict_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="a file that `backburner train digits` wrote")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "images",
        nargs="?",
        help=".npy or .csv with images of 8x8 pixels from 0 (black) to 16 (white): rows of 64 numbers, or 8 "
        "rows of 8 for each",
    )
    what.add_argument(
        "--sample", metavar="N", type=_integer, help="one of the 360 held-out digits, from 0 to 359"
    )


def _predict(args: argparse.Namespace) -> int:
    from backburner.models.digits import Classifier, held_out

    classifier = Classifier(args.model)
    if args.sample is not None:
        image, label, number = held_out(args.sample)
        title = f"sample {args.sample} of the held-out digits, number {number} of the set"
        titles, images, truths = [title], image[None], [f", truly {label}"]
    else:
        from backburner.models._images import read

        images = read(args.images)
        titles = [f"image {i}" for i in range(len(images))]
        truths = [""] * len(images)
    _, shares = classifier(images)
    for title, image, share, truth in zip(titles, images, shares, truths, strict=True):
        digit = int(share.argmax())
        print(f"{title}: {digit} with {share[digit]:.1%}{truth}")
        if len(images) == 1:
            print(_picture(image))
            print(
                "\n".join(
                    f"  {i}  {p:6.1%}  {'#' * round(30 * float(p))}".rstrip() for i, p in enumerate(share)
                )
            )
    return 0


def _picture(image: Any) -> str:
    """Draw an image in characters, two for each pixel, which so is about square."""
    return "\n".join("  " + "".join(2 * " .:-=+*#%@"[int(pixel * 9 / 16)] for pixel in row) for row in image)


def _warmup_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dtype",
        nargs="+",
        choices=["float32", "float64"],
        default=["float32"],
        help="what to compile for (default: float32)",
    )
    parser.epilog = (
        "The kernels are kept under BACKBURNER_CACHE_DIR, by default in the user's cache directory."
    )


def _warmup(args: argparse.Namespace) -> int:
    features.require("autodiff", "backburner warmup")
    from backburner.train import warmup

    warmup(args.dtype)
    _close_with("")
    return 0


COMMANDS: tuple[Command, ...] = (
    Command(
        "features",
        "show which features this installation has",
        _features_arguments,
        _features,
        ("backburner features", "backburner features --require autodiff"),
    ),
    Command(
        "train",
        "train a network (needs the autodiff feature)",
        _train_arguments,
        _train,
        ("backburner train digits", "backburner train digits --seed 1 --epochs 30 -o run1.safetensors"),
    ),
    Command(
        "predict",
        "say what a trained network sees in images",
        _predict_arguments,
        _predict,
        (
            "backburner predict digits.safetensors --sample 7",
            "backburner predict digits.safetensors mine.csv",
        ),
    ),
    Command(
        "warmup",
        "compile all kernels ahead of time (needs the autodiff feature)",
        _warmup_arguments,
        _warmup,
        ("backburner warmup", "BACKBURNER_CACHE_DIR=/opt/kernels backburner warmup --dtype float32 float64"),
    ),
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
        sub.set_defaults(run=command.run)
    return top


def main(argv: Sequence[str] | None = None, commands: Sequence[Command] = COMMANDS) -> int:
    """Run the command line and return its exit status: 0, 1 for a user's error, 2 for a wrong option, 130 for Ctrl-C."""
    try:
        if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
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
        _give_up(sys.stdout)  # the reader has what it wanted
        return 0
    except BackburnerError as error:
        return _complain(str(error))
    except OSError as error:
        return _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))


def _close_with(text: str) -> None:
    """Print the end of what succeeds or fails by something else than stdout, which may be lost."""
    try:
        print(text, end="", flush=True)
    except OSError:
        _give_up(sys.stdout)


def _give_up(stream: Any) -> None:
    """Let what a stream still holds go nowhere, since Python flushes it at exit, which must not fail."""
    with suppress(OSError):  # it is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _complain(text: str) -> int:
    _close_with("")
    if sys.stderr is not None:  # print would turn to stdout
        try:
            print(f"backburner: {text}", file=sys.stderr, flush=True)
        except OSError:  # the status tells it too
            _give_up(sys.stderr)
    return 1
