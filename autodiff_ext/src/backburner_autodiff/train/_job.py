"""What the jobs of the command share: what they check before the work, and the seed that decides it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from backburner import Device
from backburner.errors import ArgumentError


def checked_output(output: str | os.PathLike[str]) -> Path:
    """Return the file for the weights, if one can be written there.

    Raises:
        ArgumentError: it is not called ``*.safetensors``.
        OSError: it cannot be written.
    """
    path = Path(output)
    if path.suffix != ".safetensors":
        raise ArgumentError(f"train: {path}: needs a file called .safetensors.")
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such directory", str(path.parent))
    if path.exists() and not path.is_file() or not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, "no file can be written there", str(path))
    try:
        with TemporaryFile(dir=path.parent):  # to know before all the work, where access says too much
            pass
    except OSError as error:
        error.filename = str(path)
        raise
    return path


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse what is no integer from ``least`` on.

    Raises:
        ArgumentError: it is none.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 1 << 63:
        raise ArgumentError(f"train: {name} is an integer from {least} on, not {value!r}.")


@contextmanager
def seeded(device: Device, seed: int) -> Iterator[None]:
    """Let a seed decide what is drawn inside, and nothing of what is drawn after."""
    before = device.seeds.state
    device.seed(seed)
    try:
        yield
    finally:
        device.seeds.state = before
