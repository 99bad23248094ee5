"""The safetensors layout, and what a file is that does not have it."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np

from backburner.record._dtypes import DTYPES, Malformed

HEADER_LIMIT = 100_000_000  # bytes; the format's own library reads no longer header
ALIASES = "backburner.aliases"  # in a file's metadata: {alias: stored name}, in JSON
NAME_SHOWN = 200  # characters of a name in a message
_RANK = {name: -i for i, name in enumerate(DTYPES)}


class Stored(NamedTuple):
    """Where a tensor lies: ``[begin, end)`` counts from the end of the header."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


def parse(header: bytes, data_size: int) -> tuple[dict[str, Stored], dict[str, str]]:
    """Return the tensors by name, in the order they are stored, and the metadata.

    Raises:
        Malformed: anything that the format forbids, or a dtype that NumPy lacks.
    """
    import json

    if header[:1] != b"{":
        raise Malformed("its header does not begin with '{'")
    try:
        table = json.loads(header.decode("utf-8"), object_pairs_hook=no_duplicates, parse_constant=_refuse)
    except UnicodeDecodeError:
        raise Malformed("its header is not UTF-8") from None
    except RecursionError:
        raise Malformed("its header is nested too deeply") from None
    except ValueError as error:
        raise Malformed(f"its header is not JSON ({error})") from None
    metadata = table.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise Malformed("its __metadata__ is not a map from text to text")
    for text in (*table, *metadata, *metadata.values()):
        if not is_unicode(text):
            raise Malformed(f"its header has half a surrogate pair in {short(ascii(text))}")
    tensors = {name: _stored(name, info) for name, info in table.items()}
    tensors = dict(sorted(tensors.items(), key=lambda item: item[1][2:]))
    _check_cover(tensors, data_size)
    return tensors, metadata


def no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; a key that comes twice is an error."""
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise Malformed(f"its header has {quoted(name)} twice")
        made[name] = value
    return made


def _refuse(constant: str) -> Any:
    raise Malformed(f"its header holds {constant}")


def is_unicode(text: str) -> bool:
    """Say whether a text has no half of a surrogate pair, which UTF-8 cannot hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_size(value: object) -> bool:
    return type(value) is int and 0 <= value <= sys.maxsize  # a bool is an int to isinstance


def _stored(name: str, info: object) -> Stored:
    if not isinstance(info, dict):
        raise Malformed(f"tensor {quoted(name)} is not described by an object")
    dtype, shape, offsets = info.get("dtype"), info.get("shape"), info.get("data_offsets")
    if not isinstance(shape, list) or not all(map(_is_size, shape)):
        raise Malformed(f"tensor {quoted(name)} has the shape {short(shape)}, not a list of sizes")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_size, offsets)):
        raise Malformed(f"tensor {quoted(name)} has the data_offsets {short(offsets)}, not two positions")
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise Malformed(f"tensor {quoted(name)} has the dtype {short(dtype)}; known are {', '.join(DTYPES)}")
    begin, end = offsets
    size = DTYPES[dtype].itemsize * product(shape)
    if size != end - begin:
        raise Malformed(
            f"tensor {quoted(name)} needs {short(size)} bytes ({dtype} {short(shape)}) and has {end - begin:,}"
        )
    if size == 0 or len(shape) > 32:
        try:
            np.empty(size // DTYPES[dtype].itemsize, DTYPES[dtype]).reshape(shape)
        except (ValueError, OverflowError, MemoryError):
            raise Malformed(
                f"tensor {quoted(name)} has a shape that NumPy cannot hold: {short(shape)}"
            ) from None
    return Stored(dtype, tuple(shape), begin, end)


def short(value: object) -> str:
    """Return a value as a part of a message."""
    if isinstance(value, int) and abs(value) >= 10**18:
        return "over 10^18"
    text = str(value) if isinstance(value, (str, int, list)) else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def quoted(name: object) -> str:
    """Return a name of a file as a part of a message: in quotes, without control characters, not endless."""
    text = ascii(name[: NAME_SHOWN + 1]) if isinstance(name, str) else repr(name)
    if isinstance(name, str) and name[: NAME_SHOWN + 1].isprintable():
        text = repr(name[: NAME_SHOWN + 1])
    return text if len(text) <= NAME_SHOWN + 2 else f"{text[:NAME_SHOWN]}..."


def shown(name: str) -> str:
    """Return a name as it is if it may stand so in a message or a table, and else as `quoted`."""
    return name if len(name) <= NAME_SHOWN and name.isprintable() else quoted(name)


def _check_cover(tensors: Mapping[str, Stored], data_size: int) -> None:
    position = 0
    for name, tensor in tensors.items():
        if tensor.begin != position:
            what = "overlaps the one before" if tensor.begin < position else "leaves a gap before it"
            raise Malformed(
                f"tensor {quoted(name)} {what}: it begins at {tensor.begin:,}, not at {position:,}"
            )
        position = tensor.end
    if position > data_size:
        raise Malformed(
            f"it is truncated: {position - data_size:,} of {position:,} bytes of tensors are missing"
        )
    if position < data_size:
        raise Malformed(f"it has {data_size - position:,} bytes after its last tensor")


def build(
    described: Mapping[str, tuple[str, tuple[int, ...]]], metadata: Mapping[str, str]
) -> tuple[bytes, list[str]]:
    """Return the length and header of a file, padded to 8 bytes, and the order of its tensors.

    The bytes are those of the format's own library, whatever the order of the arguments.

    Raises:
        Malformed: names or metadata that are not text, or a header that no reader would take.
    """
    import json

    for text in (*described, *metadata, *metadata.values()):
        if not isinstance(text, str) or not is_unicode(text):
            raise Malformed(f"names and metadata are text, not {quoted(text)}")
    if "__metadata__" in described:
        raise Malformed("a tensor cannot be called '__metadata__'")
    order = sorted(described, key=lambda name: (_RANK[described[name][0]], name))
    table: dict[str, Any] = {"__metadata__": dict(sorted(metadata.items()))} if metadata else {}
    position = 0
    for name in order:
        dtype, shape = described[name]
        end = position + DTYPES[dtype].itemsize * product(shape)
        table[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [position, end]}
        position = end
    header = json.dumps(table, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    header += b" " * (-len(header) % 8)
    if len(header) > HEADER_LIMIT:
        raise Malformed(
            f"{len(described):,} tensors need a header of {len(header):,} bytes; readers take {HEADER_LIMIT:,}."
            " Write several files, or give shorter names"
        )
    return len(header).to_bytes(8, "little") + header, order


def product(shape: Collection[int]) -> int:
    """Return how many elements a shape has, or more than any array, without making huge numbers."""
    if 0 in shape:
        return 0
    size = 1
    for length in shape:
        size *= length
        if size > sys.maxsize:  # too large already; a hostile header may go on for millions of factors
            break
    return size


_OLD = "a PyTorch checkpoint of before 0.2, a tar archive"
_AGAIN_OLD = "Load it in Python, pickle.load(file), if you trust it, and save the arrays with bb.save."
_AGAIN = "Load it in PyTorch, torch.load(path, weights_only=False), if you trust it, and save its state_dict again."

# (offset, magic bytes, what the file is, what to do)
_MAGIC: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"version https://git-lfs", "a Git-LFS pointer, not the weights", "Run `git lfs pull` to fetch them."),
    (0, b"\x1f\x8b", "gzip-compressed", "Decompress it first."),
    (0, b"BZh", "bzip2-compressed", "Decompress it first."),
    (0, b"\xfd7zXZ\x00", "xz-compressed", "Decompress it first."),
    (0, b"\x28\xb5\x2f\xfd", "zstd-compressed", "Decompress it first."),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file, such as Keras writes", "Read it with h5py and save the arrays with bb.save."),
    (0, b"\x93NUMPY", "a NumPy .npy array", "Read it with np.load."),
    (0, b"GGUF", "a GGUF model", "Convert it to safetensors first."),
    *((0, head, "a pickle of protocol 0 or 1, as Python 2 wrote them", _AGAIN_OLD)
      for head in (b"(dp", b"(lp", b"}q\0", b"]q\0", b"ccollections\n", b"cnumpy")),
    (0, b"storages".ljust(100, b"\0"), _OLD, _AGAIN),
    (0, b"tensors".ljust(100, b"\0"), _OLD, _AGAIN),
    (0, b"sys_info".ljust(100, b"\0"), _OLD, _AGAIN),
    (0, b"pickle".ljust(100, b"\0"), _OLD, _AGAIN),
    (257, b"ustar", "a tar archive", "Unpack it first."),
)  # fmt: skip

OLD_PYTORCH = b"L119547037146038801333356L\n."  # the magic number of torch.save(pickle_protocol=1) before 1.6
HEAD = 512  # bytes that identify() wants to see


def identify(head: bytes) -> tuple[str, str] | None:
    """Return what the file beginning with ``head`` is, and what to do; ``None`` if that is not known."""
    for offset, magic, what, remedy in _MAGIC:
        if head.startswith(magic, offset):
            return what, remedy
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype", b"<html", b"<head", b"<?xml")):
        return "a web page, not the weights", "The download link led to a page; it may ask for a login."
    if text.startswith((b"{", b"[")):
        return "JSON text", "Read the file of weights that goes with it."
    return None


def is_safetensors(head: bytes) -> bool:
    """Say whether a file may be safetensors: the length of a true header fits the limit, and '{' begins it."""
    return int.from_bytes(head[:8], "little") <= HEADER_LIMIT and head[8:9] == b"{"


def is_pickle(head: bytes) -> bool:
    """Say whether a file is a pickle of protocol 2 or newer, which all say so in their first bytes, or PyTorch's."""
    return (
        head.startswith(OLD_PYTORCH)
        or head[:1] == b"\x80"
        and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")
    )
