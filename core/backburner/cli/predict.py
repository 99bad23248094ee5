"""``backburner predict``: what a trained network says of a table, or sees in images."""

from __future__ import annotations

import argparse
import errno
import io
import math
import os
import sys
from typing import Any

from backburner.cli._command import Command, integer, long_cells, note
from backburner.cli.train import delimiter

DIGITS = 7  # of a number that is predicted, as many as float32 has
TABLE_ONLY = ("output", "probabilities", "delimiter", "encoding")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a file that `backburner train` wrote")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "data",
        metavar="DATA",
        nargs="?",
        help="for a network for tables a CSV file that has the columns it learned from, in any order. For the "
        "digits an .npy or .csv with images of 8x8 pixels from 0 (black) to 16 (white): rows of 64 numbers, or "
        "8 rows of 8 for each",
    )
    what.add_argument(
        "--sample", metavar="N", type=integer, help="one of the 360 held-out digits, from 0 to 359"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where the predictions go, as CSV (default: stdout)"
    )
    parser.add_argument(
        "--probabilities", action="store_true", default=None, help="add a column for each class"
    )
    parser.add_argument(
        "--delimiter",
        metavar="CHARACTER",
        type=delimiter,
        help=r"between cells of DATA, \t for a tab (default: told from it)",
    )
    parser.add_argument("--encoding", metavar="NAME", help="of DATA, such as cp1252 (default: UTF-8)")
    parser.epilog = (
        "Of a table it writes a line for each row: the prediction, under the name `prediction`.\n"
        "Notes go to stderr, and so does a score where the table has the column that is predicted."
    )


def _run(args: argparse.Namespace) -> int:
    from backburner import record
    from backburner.models import digits, tabular

    if str(args.data or "").endswith(".safetensors") and not str(args.model).endswith(".safetensors"):
        args.usage_error(f"the model comes first: backburner predict {args.data} {args.model}")
    name = record.read(args.model).metadata.get(tabular.MODEL)
    if name == tabular.NAME:
        if args.sample is not None:
            args.usage_error(f"--sample is for the digits, and {args.model} is for tables: name a CSV file")
        return _table(args)
    if name != digits.NAME and args.sample is None:
        tabular.Predictor(args.model)  # which says what it is not
    for option in TABLE_ONLY:
        if getattr(args, option) is not None:
            args.usage_error(f"--{option} is for a network for tables, not for the digits")
    return _images(args)


def _table(args: argparse.Namespace) -> int:
    from backburner.models import tabular

    if args.output is not None:
        _check_output(args)
    predictor = tabular.Predictor(args.model)
    target = predictor.target
    if args.probabilities and not target.labels:
        args.usage_error(f"--probabilities: {target.name!r} is a number, which has none")
    with long_cells():
        answer = predictor(args.data, delimiter=args.delimiter, encoding=args.encoding)
    for line in answer.notes:
        note(f"note: {line}")
    names, rows = _rows(answer.values, target, args.probabilities)
    if args.output is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # as a file is, so that labels are what they were
        _write(sys.stdout, names, rows)
    else:
        _save(args.output, names, rows)
        note(f"Wrote {args.output}: {len(rows):,} predictions of {target.name!r}")
    if answer.truths is not None and answer.known is not None and answer.known.any():
        known = answer.known
        measures = tabular.score(answer.values[known], answer.truths[known], target)
        shown = ", ".join(
            f"{name} {value:.2%}" if name == "accuracy" else f"{name} {value:.4g}"
            for name, value in measures.items()
        )
        note(f"score on {int(known.sum()):,} rows that have {target.name!r}: {shown}")
    return 0


def _check_output(args: argparse.Namespace) -> None:
    """Refuse, before the work, what cannot be written, or would be lost by writing."""
    path = args.output
    if not path:
        args.usage_error("--output is empty: name a file")
    for read in (args.data, args.model):
        if os.path.isfile(path) and os.path.exists(read) and os.path.samefile(path, read):
            args.usage_error(f"--output {path} is what is read, and would be lost: name another file")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "there is no such directory", folder)


def _rows(values: Any, target: Any, probabilities: bool) -> tuple[list[str], list[list[str]]]:
    labels = target.labels
    if not labels:
        # Digits enough to tell apart what the network does, also where all numbers are far from zero.
        far = abs(target.mean) / target.std
        digits = min(17, DIGITS + (math.ceil(math.log10(far)) if far > 10 else 0))
        return ["prediction"], [[f"{value:.{digits}g}"] for value in values.tolist()]
    names = ["prediction", *(f"probability_{label}" for label in labels if probabilities)]
    rows = [[labels[i]] for i in values.argmax(axis=1).tolist()]
    if probabilities:
        for row, shares in zip(rows, values.tolist(), strict=True):
            row += [f"{share:.6f}" for share in shares]
    return names, rows


def _write(stream: Any, names: list[str], rows: list[list[str]]) -> None:
    import csv

    if stream is None:  # stdout was closed from the start
        return
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)


def _save(path: str, names: list[str], rows: list[list[str]]) -> None:
    """Write a file, whole or not at all; to a pipe or a device as it goes."""
    if os.path.exists(path) and not os.path.isfile(path):
        try:
            with open(path, "w", encoding="utf-8", newline="") as stream:
                _write(stream, names, rows)
        except OSError as error:
            error.filename = path
            raise
        return
    from backburner.record._files import replace

    text = io.StringIO(newline="")
    _write(text, names, rows)
    replace(path, [text.getvalue().encode()])


def _images(args: argparse.Namespace) -> int:
    from backburner.models.digits import Classifier, held_out

    classifier = Classifier(args.model)
    if args.sample is not None:
        image, label, number = held_out(args.sample)
        title = f"sample {args.sample} of the held-out digits, number {number} of the set"
        titles, images, truths = [title], image[None], [f", truly {label}"]
    else:
        from backburner.models.digits import read

        images = read(args.data)
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


COMMAND = Command(
    "predict",
    "say what a trained network makes of a table or of images",
    _arguments,
    _run,
    (
        "backburner predict income.safetensors new.csv --probabilities -o predictions.csv",
        "backburner predict model.safetensors new.csv",
        "backburner predict digits.safetensors --sample 7",
    ),
)
