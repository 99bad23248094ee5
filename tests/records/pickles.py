"""Pickles by hand, and archives and old checkpoints around them, for what PyTorch itself would never write."""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
from collections.abc import Mapping

FLOATS = bytes(range(24))  # what lies in the storage "0", six float32


def text(value: str) -> bytes:
    """Push a text."""
    data = value.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(data)) + data


def named(full: str) -> bytes:
    """Push what a module and a name, with the last dot between them, stand for."""
    module, _, name = full.rpartition(".")
    return f"c{module}\n{name}\n".encode()


def number(value: int) -> bytes:
    """Push an integer."""
    return pickle.dumps(value, 2)[2:-1]


def many(*parts: bytes) -> bytes:
    """Push a tuple."""
    return b"(" + b"".join(parts) + b"t"


def storage(kind: str = "torch.FloatStorage", key: str = "0", size: int = 6) -> bytes:
    """Push a storage."""
    return many(text("storage"), named(kind), text(key), text("cpu"), number(size)) + b"Q"


def numbers(*values: int) -> bytes:
    """Push a tuple of integers."""
    return many(*map(number, values))


def tensor(
    shape: bytes = numbers(2, 3),
    strides: bytes = numbers(3, 1),
    offset: bytes = number(0),
    of: bytes = storage(),
) -> bytes:
    """Push a tensor."""
    parts = (of, offset, shape, strides, b"\x89", named("collections.OrderedDict") + b")R")
    return named("torch._utils._rebuild_tensor_v2") + many(*parts) + b"R"


def mapping(**values: bytes) -> bytes:
    """Push a dict."""
    return b"}(" + b"".join(text(name) + value for name, value in values.items()) + b"u"


def whole(body: bytes, protocol: int = 2) -> bytes:
    """Return a pickle of the one thing that ``body`` pushes."""
    return b"\x80" + bytes([protocol]) + body + b"."


def archive(
    pickled: bytes,
    files: Mapping[str, bytes] | None = None,
    root: str = "archive/",
    compression: int = zipfile.ZIP_STORED,
    align: int = 1,
    shift: int = 0,
) -> bytes:
    """Return a checkpoint of today around a pickle.

    Its storages begin at a multiple of ``align``, 64 in PyTorch's, and ``shift``.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as made:
        made.writestr(f"{root}data.pkl", pickled)
        for name, content in ({"data/0": FLOATS} if files is None else files).items():
            entry = zipfile.ZipInfo(f"{root}{name}")
            entry.compress_type = compression
            begin = buffer.tell() + 30 + len(entry.filename.encode()) + 4
            if align > 1:
                padding = -begin % align + shift
                entry.extra = b"FB" + padding.to_bytes(2, "little") + b"Z" * padding
            made.writestr(entry, content)
    return buffer.getvalue()


def legacy(
    pickled: bytes,
    keys: bytes = pickle.dumps(["0"], 2),
    storages: bytes = b"\6" + bytes(7) + FLOATS,
    align: int = 1,
    shift: int = 0,
) -> bytes:
    """Return a checkpoint of before 1.6 around a pickle."""

    def begin(padding: int) -> bytes:
        parts = [0x1950A86A20F9469CFC6C, 1001, {"little_endian": True, "padding": "x" * padding}]
        return b"".join(pickle.dumps(part, 2) for part in parts) + pickled + keys

    return begin(-len(begin(0)) % align + shift) + storages
