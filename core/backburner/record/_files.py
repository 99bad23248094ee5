"""Files read whole or mapped, and replaced whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from typing import Any, Literal

import numpy as np

from backburner.errors import RecordError
from backburner.record._dtypes import Array, Malformed
from backburner.record._format import HEAD, identify, is_safetensors

MAP_FROM = 64 * 2**20  # bytes: below, one read is as quick, and leaves no file open
RANDOM = 12  # hexadecimal digits in the name of a temporary file
HEX = frozenset("0123456789abcdef")
ABANDONED = 3600  # seconds without a write: by then no save that could still end well is under way


def peek(path: str) -> bytes:
    """Return the first bytes of a file, from which it can be told what it is.

    Raises:
        Malformed: it is a device or a pipe.
    """
    with _naming(path), _opened(path) as file:
        _size(file)
        return file.read(HEAD)


def _opened(path: str) -> FileIO:
    """Open a file to read it; a pipe too at once, which would else wait for somebody to write to it."""
    wait_not = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    return open(path, "rb", buffering=0, opener=lambda name, flags: os.open(name, flags | wait_not))


def _size(file: Any) -> int:
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        raise Malformed("it is a device or a pipe, not a file")
    return status.st_size


def load(path: str, mmap: Literal["auto"] | bool) -> tuple[bytes, Array]:
    """Return the header of a safetensors file, and what follows it as read-only bytes.

    Raises:
        Malformed: the file is something else, or ends inside its header.
    """
    with _naming(path), _opened(path) as file:
        size = _size(file)
        header = _header(file, size)
        return header, _rest(file, 8 + len(header), size, mmap)


def whole(path: str, mmap: Literal["auto"] | bool) -> Array:
    """Return all bytes of a file, read-only."""
    with _naming(path), _opened(path) as file:
        return _rest(file, 0, _size(file), mmap)


def _rest(file: Any, begin: int, size: int, mmap: Literal["auto"] | bool) -> Array:
    """Return the bytes of a file from where it is read up to now, mapped or read."""
    if size and (mmap is True or mmap == "auto" and size >= MAP_FROM):
        from mmap import ACCESS_READ
        from mmap import mmap as map_file

        try:
            return np.frombuffer(map_file(file.fileno(), 0, access=ACCESS_READ), np.uint8)[begin:]
        except OSError:  # some network file systems map nothing
            if mmap is True:
                raise
    data = np.empty(size - begin, np.uint8)
    _fill(file, data.data)
    data.flags.writeable = False
    return data


def _header(file: Any, size: int) -> bytes:
    if size == 0:
        raise Malformed("it is empty")
    head = file.read(HEAD)
    length = int.from_bytes(head[:8], "little")
    if size < 10 or not is_safetensors(head):
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
    away again; only a killed process leaves one behind (``.<name>.<random>.tmp``), for a later save to the
    same name to take away.

    A symbolic link is followed, and a file that is replaced hands on its permissions and its owner.
    """
    if os.path.islink(path):
        path = os.path.realpath(path)
    directory, name = os.path.split(path)
    old = _replaceable(path)
    mode = stat.S_IMODE(old.st_mode) if old else 0o666
    stem = f".{name[:32]}."
    temporary = os.path.join(directory, f"{stem}{os.urandom(RANDOM // 2).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(temporary, flags, mode)
    except OSError as error:
        error.filename = path
        raise
    try:
        with _naming(path):
            with open(descriptor, "wb") as file:
                _lock(descriptor)
                _remove_abandoned(directory or ".", stem, os.fstat(descriptor).st_mtime - ABANDONED)
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
    with _naming(path):
        _sync_directory(directory or ".")


@contextmanager
def new_directory(op: str, path: str) -> Iterator[str]:
    """Give a temporary directory to fill, which becomes ``path`` if nothing goes wrong, and else goes away.

    Raises:
        RecordError: ``path`` is there, and not an empty directory.
    """
    if os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise RecordError(
            f"{op}: {path}: it exists, and several files replace nothing. Name a new directory."
        )
    parent, name = os.path.split(os.path.normpath(path))
    temporary = os.path.join(parent, f".{name[:32]}.{os.urandom(RANDOM // 2).hex()}.tmp")
    try:
        os.mkdir(temporary)
    except OSError as error:
        error.filename = path
        raise
    try:
        yield temporary
        if os.path.isdir(path):
            os.rmdir(path)
        os.rename(temporary, path)
    except BaseException:  # Ctrl-C too
        from shutil import rmtree

        rmtree(temporary, ignore_errors=True)
        raise
    _sync_directory(parent or ".")


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Let an error of the system, such as a full disk, name the file."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = path
        raise


def _lock(descriptor: int) -> bool:
    """Lock a file for as long as it is open, and say whether that worked; without waiting."""
    try:
        import fcntl
    except ImportError:  # Windows, where a file that is open cannot be removed
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # somebody else has it, or this file system has no locks
        return False
    return True


def _remove_abandoned(directory: str, stem: str, before: float) -> None:
    """Remove temporary files of saves that were killed.

    A living save holds a lock, which ends with its process, whatever its number and in whichever container.
    Of another machine's a network disk may not know: hence the age too, by the clock of the disk. What can be
    neither locked nor removed stays.
    """
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            middle = entry.name[len(stem) : -len(".tmp")]
            if entry.name != f"{stem}{middle}.tmp" or len(middle) != RANDOM or not HEX.issuperset(middle):
                continue
            with suppress(OSError):
                if entry.is_file(follow_symlinks=False) and entry.stat().st_mtime < before:
                    descriptor = os.open(entry.path, os.O_WRONLY | getattr(os, "O_CLOEXEC", 0))
                    try:
                        dead = _lock(descriptor)
                    finally:
                        os.close(descriptor)
                    if dead:
                        os.unlink(entry.path)


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
