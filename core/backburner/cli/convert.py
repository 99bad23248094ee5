"""``backburner convert``: a file of weights as safetensors."""

from __future__ import annotations

import argparse
import os

from backburner.cli._command import Command
from backburner.errors import RecordError

DTYPES = ("float32", "float16", "bfloat16")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help="what `backburner inspect` takes, such as a PyTorch checkpoint. Nothing in it is executed",
    )
    parser.add_argument("target", metavar="TARGET", help="the new .safetensors file")
    parser.add_argument(
        "--key", metavar="NAME", help="which mapping of a PyTorch checkpoint, such as state_dict or model.ema"
    )
    parser.add_argument(
        "--prefix",
        metavar="TEXT",
        default="",
        help="take only the tensors whose names begin with it, and the names without it",
    )
    parser.add_argument(
        "--rename",
        metavar="PATTERN=REPLACEMENT",
        type=_pair,
        action="append",
        default=[],
        help="a regular expression and what to put in the place of what it finds in names; may be repeated",
    )
    parser.add_argument(
        "--only",
        metavar="PATTERN",
        nargs="+",
        help="take only tensors whose new names match, such as 'encoder.*'",
    )
    parser.add_argument(
        "--ignore", metavar="PATTERN", nargs="+", help="leave out those whose new names match"
    )
    parser.add_argument(
        "--dtype", choices=DTYPES, help="of all floats in the new file (default: as they are)"
    )
    parser.add_argument("--force", action="store_true", help="replace TARGET if it is there")
    parser.epilog = "The old TARGET, if --force allows it, is replaced whole or not at all."


def _pair(text: str) -> tuple[str, str]:
    pattern, equals, replacement = text.rpartition("=")
    if not equals or not pattern:
        raise argparse.ArgumentTypeError(f"{text!r} is no PATTERN=REPLACEMENT")
    return pattern, replacement


def _run(args: argparse.Namespace) -> int:
    from backburner import record

    if not args.target.endswith(".safetensors"):
        args.usage_error(f"TARGET {args.target!r} needs a name that ends in .safetensors")
    if os.path.lexists(args.target) and not args.force:
        raise RecordError(f"convert: {args.target}: it is there already. Use --force to replace it.")
    if (
        os.path.exists(args.target)
        and os.path.exists(args.source)
        and os.path.samefile(args.source, args.target)
    ):
        raise RecordError(f"convert: {args.target}: it is the source. Name another file.")
    found = record.convert(
        args.source,
        args.target,
        key=args.key,
        prefix=args.prefix,
        rename=args.rename or None,
        only=args.only,
        ignore=args.ignore,
        dtype=args.dtype,
    )
    kinds = ", ".join(sorted({tensor.dtype for tensor in found.tensors}))
    print(
        f"Wrote {args.target}: {len(found.tensors):,} tensors of {kinds or 'nothing'}, {found.size:,} bytes"
    )
    return 0


COMMAND = Command(
    "convert",
    "write the weights of another file, such as a PyTorch checkpoint, as safetensors",
    _arguments,
    _run,
    (
        "backburner convert checkpoint.pt model.safetensors",
        "backburner convert lightning.ckpt model.safetensors --key state_dict --prefix model. --dtype float16",
        r"backburner convert old.pth new.safetensors --rename '^backbone\.(\d+)=layers.\1' --force",
    ),
)
