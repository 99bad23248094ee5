"""``backburner inspect``: what is in a file of weights."""

from __future__ import annotations

import argparse
from typing import Any

from backburner.cli._command import Command

LONGEST = 300  # characters of a piece of metadata that are shown


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        help=".safetensors, .pt, .pth, .bin or .npz, an index.json, or a folder with one. Nothing in it is executed, "
        "and the weights are not read",
    )
    parser.add_argument(
        "--key", metavar="NAME", help="which mapping of a PyTorch checkpoint, such as state_dict or model.ema"
    )
    parser.add_argument("--json", action="store_true", help="as JSON, for programs, with metadata in full")


def _run(args: argparse.Namespace) -> int:
    from backburner import record

    found = record.describe(args.file, key=args.key)
    if args.json:
        import json

        told = {
            "format": found.format,
            "files": list(found.files),
            "size": found.size,
            "key": found.key,
            "choices": list(found.choices),
            "metadata": dict(found.metadata),
            "tensors": [{**t._asdict(), "shape": list(t.shape)} for t in found.tensors],
            "elements": found.num_elements,
            "nbytes": found.nbytes,
        }
        text = json.dumps(told, indent=1, ensure_ascii=False)
        # A terminal may be what reads along: then nothing in a file may steer it.
        printable = text.replace("\n", "").isprintable()
        print(text if printable else json.dumps(told, indent=1))
    else:
        print("\n".join(lines(found)))
    return 0


def lines(found: Any) -> list[str]:
    """Return what to show of a description."""
    first = found.files[0] + (f" and {len(found.files) - 1} more files" if len(found.files) > 1 else "")
    shown = [f"{first}: {found.format}, {found.size:,} bytes"]
    if found.key:
        shown.append(f"the tensors are in {found.key!r}")
    if found.choices:
        shown.append(f"--key chooses one of: {', '.join(map(_name, found.choices))}")
    shown += [f"metadata {_name(name)}: {_short(text)}" for name, text in sorted(found.metadata.items())]
    cells = [("tensor", "dtype", "shape", "bytes")]
    for tensor in found.tensors:
        size = f"as {_name(tensor.alias_of)}" if tensor.alias_of else f"{tensor.nbytes:,}"
        cells.append((_name(tensor.name), tensor.dtype, "x".join(map(str, tensor.shape)) or "-", size))
    widths = [max(len(row[i]) for row in cells) for i in range(4)]
    shown.append("")
    for name, dtype, shape, size in cells:
        line = f"{name:{widths[0]}}  {dtype:{widths[1]}}  {shape:{widths[2]}}  {size:>{widths[3]}}"
        shown.append(line.rstrip())
    kinds = sorted({tensor.dtype for tensor in found.tensors})
    count = sum(not tensor.alias_of for tensor in found.tensors)
    shown += ["", f"{count:,} tensors of {', '.join(kinds) or 'nothing'}: {found.num_elements:,} numbers, "
              f"{found.nbytes:,} bytes"]  # fmt: skip
    return shown


def _name(name: str) -> str:
    """Return a name as a terminal may show it: what would steer it is escaped, and no name makes all lines endless."""
    from backburner.record._format import shown

    return shown(name)


def _short(text: str) -> str:
    line = _plain(" ".join(text.split()))
    return (
        line if len(line) <= LONGEST else f"{line[:LONGEST]}... ({len(text):,} characters; --json shows all)"
    )


def _plain(text: str) -> str:
    """Return text with what steers a terminal escaped."""
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


COMMAND = Command(
    "inspect",
    "show what is in a file of weights",
    _arguments,
    _run,
    ("backburner inspect model.safetensors", "backburner inspect checkpoint.pt --key state_dict --json"),
)
