"""``backburner train``: a network for a table, or for the digits."""

from __future__ import annotations

import argparse
import os

from backburner import features
from backburner.cli._command import INTERRUPTED, Command, close_with, integer, long_cells

DIGITS = "digits"
EPOCHS = 20  # of the digits
TABLE_ONLY = ("target", "task", "ignore", "valid_share", "hidden", "delimiter", "encoding")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        metavar="DATA",
        help="a CSV file with a line of names at its top; or `digits`, handwritten digits of 8x8 pixels each",
    )
    parser.add_argument("--target", metavar="COLUMN", help="the column to predict; a CSV file needs it")
    parser.add_argument(
        "--task",
        choices=["classification", "regression"],
        help="what the target is; by default text and few whole numbers are classes",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where the network goes (default: model.safetensors, or digits.safetensors with its loss curve "
        "beside it as .loss.csv and .loss.png)",
    )
    parser.add_argument(
        "--epochs",
        metavar="N",
        type=integer,
        help=f"how often each row or image is seen (default: of digits {EPOCHS}, of rows less often the more "
        "there are)",
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=integer,
        default=0,
        help="one seed, one file, byte for byte (default: 0)",
    )
    parser.add_argument("--ignore", metavar="COLUMN", nargs="+", action="extend", help="columns to leave out")
    parser.add_argument(
        "--valid-share",
        metavar="SHARE",
        type=_share,
        help="the share of rows that judge a network and do not teach it (default: 0.125, of more than 10,000 "
        "rows 0.1)",
    )
    parser.add_argument(
        "--hidden", metavar="N,N", type=_widths, help="widths of the hidden layers (default: 128,128)"
    )
    parser.add_argument(
        "--delimiter",
        metavar="CHARACTER",
        type=delimiter,
        help=r"between cells, \t for a tab (default: told from the file)",
    )
    parser.add_argument("--encoding", metavar="NAME", help="of the file, such as cp1252 (default: UTF-8)")
    parser.epilog = (
        "Numbers, categories and dates become features; missing values are filled in and marked. What a\n"
        "prediction needs is stored in the file. The network is compared with a linear model and with\n"
        "always saying the same, on rows that it did not learn from.\n\n"
        "Ctrl-C lets the step finish, saves what is best so far and exits with 130.\n"
        "A second one stops at once, and an older file stays as it was."
    )


def _widths(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


_widths.__name__ = "list of widths"  # as argparse calls it in a message


def _share(text: str) -> float:
    share = float(text)
    if not 0 < share <= 0.5:
        raise argparse.ArgumentTypeError(f"{text} is not a share above 0 and up to 0.5")
    return share


_share.__name__ = "share"


def delimiter(text: str) -> str:
    """Read an option's one character."""
    character = {r"\t": "\t", "tab": "\t"}.get(text, text)
    if len(character) != 1 or character in '"\r\n':
        raise argparse.ArgumentTypeError(f"{text!r} is not one character, or is a quote or a line end")
    return character


def _run(args: argparse.Namespace) -> int:
    if args.data == DIGITS:
        return _digits(args)
    if args.target is None:
        args.usage_error(
            f"the following arguments are required: --target, the column of {args.data} to predict"
        )
    features.require("autodiff", "backburner train")
    from backburner.train import tabular

    options = {name: getattr(args, name) for name in (*TABLE_ONLY, "epochs", "seed")}
    options = {name: value for name, value in options.items() if value is not None}
    output = "model.safetensors" if args.output is None else args.output
    if os.path.exists(args.data) and os.path.exists(output) and os.path.samefile(args.data, output):
        args.usage_error(f"--output {output} is what is read, and would be lost: name another file")
    with long_cells():
        trained = tabular(args.data, output, **options)
    close_with(f"Now: backburner predict {quoted(trained.files[0])} {quoted(args.data)}\n")
    return INTERRUPTED if trained.interrupted else 0


def _digits(args: argparse.Namespace) -> int:
    for name in TABLE_ONLY:
        if getattr(args, name) is not None:
            args.usage_error(
                f"--{name.replace('_', '-')} is for a CSV file, not for `digits`. For a file: ./digits"
            )
    features.require("autodiff", "backburner train")
    from backburner.train import digits

    epochs = EPOCHS if args.epochs is None else args.epochs
    trained = digits(args.output or "digits.safetensors", epochs=epochs, seed=args.seed)
    close_with(f"Now: backburner predict {quoted(trained.files[0])} --sample 7\n")
    return INTERRUPTED if trained.interrupted else 0


def quoted(path: object) -> str:
    """Return a path as it is typed in a shell."""
    from shlex import quote

    text = str(path)
    return (
        quote(text)
        if not text.replace(" ", "").isprintable() or set(text) & set(" '\"\\$`!*?[](){}<>|&;#~\t")
        else text
    )


COMMAND = Command(
    "train",
    "train a network on a table or on the digits (needs the autodiff feature)",
    _arguments,
    _run,
    (
        "backburner train houses.csv --target price",
        "backburner train people.csv --target income --ignore name --seed 1 -o income.safetensors",
        "backburner train digits --epochs 30",
    ),
)
