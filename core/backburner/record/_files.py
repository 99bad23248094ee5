"""Files read whole or mapped, and replaced whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Literal

import numpy as np

from backburner.record._format import HEADER_LIMIT, Array, Malformed
from backburner.record._identify import HEAD, identify

MAP_FROM = 64 * 2**20  # bytes: below, one read is as quick, and leaves no file open


def load(path: str, mmap: Literal["auto"] | bool) -> tuple[bytes, Array]:
    """Return the header of a safetensors file, and what follows it as read-only bytes.

    Raises:
        Malformed: the file is something else, or ends inside its header.
    """
    if os.path.isdir(path):
        raise Malformed("it is a directory. Name a .safetensors file in it")
    with open(path, "rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise Malformed("it is a device or a pipe, not a file")
        header = _header(file, status.st_size)
        begin = 8 + len(header)
        if mmap is True or mmap == "auto" and status.st_size >= MAP_FROM:
            from mmap import ACCESS_READ
            from mmap import mmap as map_file

            try:
                return header, np.frombuffer(map_file(file.fileno(), 0, access=ACCESS_READ), np.uint8)[begin:]
            except OSError:  # some network file systems map nothing
                if mmap is True:
                    raise
        data = np.empty(status.st_size - begin, np.uint8)
        _fill(file, data.data)
    data.flags.writeable = False
    return header, data


def _header(file: Any, size: int) -> bytes:
    if size == 0:
        raise Malformed("it is empty")
    head = file.read(HEAD)
    length = int.from_bytes(head[:8], "little")
    # The length of a true header fits the limit, which makes byte 8 of the file the '{' of its JSON.
    if size < 10 or length > HEADER_LIMIT or head[8:9] != b"{":
        known = identify(head)
        if known is not None:
            raise Malformed(f"it is {known[0]}. {known[1]}".removesuffix("."))
        if size < 10:
            raise Malformed(f"it is truncated, or not a safetensors file: it has only {size} bytes")
        raise Malformed(f"it is not a safetensors file: it begins with {head[:16]!r}")
    if length > size - 8:
        raise Malformed(
            f"it is truncated: {length - (size - 8):,} of {length:,} bytes of its header are missing,"
            " and every tensor"
        )
    file.seek(8)
    header = bytearray(length)
    _fill(file, memoryview(header))
    return bytes(header)


def _fill(file: Any, view: memoryview) -> None:
    while view.nbytes:
        count = file.readinto(view)
        if not count:
            raise Malformed(f"it was cut short while it was read: {view.nbytes:,} bytes are missing")
        view = view[count:]


def replace(path: str, chunks: Iterable[Any]) -> None:
    """Write ``chunks`` to a temporary file beside ``path``, then put it in its place.

    Whatever happens on the way, ``path`` is the old file or the new one. An error takes the temporary file
    away again; only a killed process leaves one behind (``.<name>.<random>.tmp``).

    A symbolic link is followed, and a file that is replaced hands on its permissions and its owner.
    """
    if os.path.islink(path):
        path = os.path.realpath(path)
    directory, name = os.path.split(path)
    old = _replaceable(path)
    mode = stat.S_IMODE(old.st_mode) if old else 0o666
    temporary = os.path.join(directory, f".{name[:32]}.{os.urandom(6).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(temporary, flags, mode)
    except OSError as error:
        error.filename = path
        raise
    try:
        with open(descriptor, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(descriptor)
        if old:
            _hand_on(old, temporary)
        os.replace(temporary, path)
    except BaseException:  # Ctrl-C too
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    _sync_directory(directory or ".")


def _replaceable(path: str) -> os.stat_result | None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        kind = "a directory" if stat.S_ISDIR(status.st_mode) else "a device or a pipe"
        raise Malformed(f"it is {kind}, not a file")
    os.close(os.open(path, os.O_WRONLY))  # a rename would not ask whether the old file may be written
    return status


def _hand_on(old: os.stat_result, path: str) -> None:
    new = os.stat(path)
    if hasattr(os, "chown") and (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.chown(path, old.st_uid, old.st_gid)
        except PermissionError:
            return  # it stays ours, with the permissions that it was made with
    os.chmod(path, stat.S_IMODE(old.st_mode))


def _sync_directory(directory: str) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        import errno

        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system that cannot, not one that failed
            raise
    finally:
        os.close(descriptor)
