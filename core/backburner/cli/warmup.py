"""``backburner warmup``: kernels compiled ahead of time."""

from __future__ import annotations

import argparse

from backburner import features
from backburner.cli._command import Command, close_with


def _arguments(parser: argparse.ArgumentParser) -> None:
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


def _run(args: argparse.Namespace) -> int:
    features.require("autodiff", "backburner warmup")
    from backburner.train import warmup

    warmup(args.dtype)
    close_with("")
    return 0


COMMAND = Command(
    "warmup",
    "compile all kernels ahead of time (needs the autodiff feature)",
    _arguments,
    _run,
    ("backburner warmup", "BACKBURNER_CACHE_DIR=/opt/kernels backburner warmup --dtype float32 float64"),
)
