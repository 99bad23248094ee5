"""The safetensors layout: the length of the header, the header in JSON, the tensors without gaps."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

HEADER_LIMIT = 100_000_000  # bytes; the format's own library reads no longer header

# In the order of the format's library, which puts the last of them first in a file: that way wide elements
# come before narrow ones and all stay aligned.
_NUMPY = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "I16": "i2", "U16": "u2", "F16": "f2", "BF16": "u2",
    "I32": "i4", "U32": "u4", "F32": "f4", "C64": "c8", "F64": "f8", "I64": "i8", "U64": "u8",
}  # fmt: skip
DTYPES: dict[str, np.dtype[Any]] = {name: np.dtype(f"<{code}") for name, code in _NUMPY.items()}
_RANK = {name: -i for i, name in enumerate(DTYPES)}
_NAMES = {dtype: name for name, dtype in DTYPES.items() if name != "BF16"}


class Malformed(Exception):
    """A clause that says what is wrong with a file or a tensor; the caller says which."""


class Stored(NamedTuple):
    """Where a tensor lies: ``[begin, end)`` counts from the end of the header."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


def dtype_name(dtype: np.dtype[Any]) -> str:
    """Return what safetensors calls a NumPy dtype of any byte order."""
    try:
        return _NAMES[dtype.newbyteorder("<")]
    except (KeyError, TypeError):
        raise Malformed(f"dtype {dtype} has no place in safetensors") from None


def parse(header: bytes, data_size: int) -> tuple[dict[str, Stored], dict[str, str]]:
    """Return the tensors by name, in the order they are stored, and the metadata.

    Raises:
        Malformed: anything that the format forbids, or a dtype that NumPy lacks.
    """
    import json

    if header[:1] != b"{":
        raise Malformed("its header does not begin with '{'")
    try:
        table = json.loads(header.decode("utf-8"), object_pairs_hook=_no_duplicates, parse_constant=_refuse)
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
            raise Malformed(f"its header has half a surrogate pair in {_short(ascii(text))}")
    tensors = {name: _stored(name, info) for name, info in table.items()}
    tensors = dict(sorted(tensors.items(), key=lambda item: item[1][2:]))
    _check_cover(tensors, data_size)
    return tensors, metadata


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise Malformed(f"its header has {name!r} twice")
        made[name] = value
    return made


def _refuse(constant: str) -> Any:
    raise Malformed(f"its header holds {constant}")


def is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_size(value: object) -> bool:
    return type(value) is int and 0 <= value <= sys.maxsize  # a bool is an int to isinstance


def _stored(name: str, info: object) -> Stored:
    if not isinstance(info, dict):
        raise Malformed(f"tensor {name!r} is not described by an object")
    dtype, shape, offsets = info.get("dtype"), info.get("shape"), info.get("data_offsets")
    if not isinstance(shape, list) or not all(map(_is_size, shape)):
        raise Malformed(f"tensor {name!r} has the shape {_short(shape)}, not a list of sizes")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_size, offsets)):
        raise Malformed(f"tensor {name!r} has the data_offsets {_short(offsets)}, not two positions")
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise Malformed(f"tensor {name!r} has the dtype {_short(dtype)}; NumPy holds {', '.join(DTYPES)}")
    begin, end = offsets
    size = DTYPES[dtype].itemsize * _product(shape)
    if size != end - begin:
        raise Malformed(
            f"tensor {name!r} needs {_short(size)} bytes ({dtype} {_short(shape)}) and has {end - begin:,}"
        )
    if size == 0 or len(shape) > 32:
        try:
            np.empty(size // DTYPES[dtype].itemsize, DTYPES[dtype]).reshape(shape)
        except (ValueError, OverflowError, MemoryError):
            raise Malformed(f"tensor {name!r} has a shape that NumPy cannot hold: {_short(shape)}") from None
    return Stored(dtype, tuple(shape), begin, end)


def _short(value: object) -> str:
    if isinstance(value, int) and abs(value) >= 10**18:
        return "over 10^18"
    text = str(value) if isinstance(value, (str, int, list)) else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _check_cover(tensors: Mapping[str, Stored], data_size: int) -> None:
    position = 0
    for name, tensor in tensors.items():
        if tensor.begin != position:
            what = "overlaps the one before" if tensor.begin < position else "leaves a gap before it"
            raise Malformed(f"tensor {name!r} {what}: it begins at {tensor.begin:,}, not at {position:,}")
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
            raise Malformed(f"names and metadata are text, not {text!r}")
    if "__metadata__" in described:
        raise Malformed("a tensor cannot be called '__metadata__'")
    order = sorted(described, key=lambda name: (_RANK[described[name][0]], name))
    table: dict[str, Any] = {"__metadata__": dict(sorted(metadata.items()))} if metadata else {}
    position = 0
    for name in order:
        dtype, shape = described[name]
        end = position + DTYPES[dtype].itemsize * _product(shape)
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


def _product(shape: Collection[int]) -> int:
    if 0 in shape:
        return 0
    size = 1
    for length in shape:
        size *= length
        if size > sys.maxsize:  # too large already; a hostile header may go on for millions of factors
            break
    return size


def widen(bits: Array) -> Array:
    """Return the float32 that the upper halves ``bits``, bfloat16 as uint16, stand for."""
    wide = bits.astype(np.uint32)
    wide <<= 16
    return wide.view(np.float32)


def narrow(x: Array, dtype: str) -> Array:
    """Round a vector of floats to ``dtype``, F16 or BF16 (as uint16), to the nearest and ties to even.

    Raises:
        Malformed: a finite number would become infinite.
    """
    with np.errstate(over="ignore"):
        if dtype == "F16":
            half: Array = x.astype(np.float16)
            finite = np.isfinite(half)
        else:
            bits = x.astype(np.float32).view(np.uint32)
            half = ((bits + (0x7FFF + (bits >> 16 & 1))) >> 16).astype(np.uint16)
            nan = np.isnan(x)
            half[nan] = bits[nan] >> 16 | 0x40
            finite = (half & 0x7F80) != 0x7F80
    if not np.array_equal(finite, np.isfinite(x)):
        raise Malformed(f"a number is too large for {dtype}: {x[np.isfinite(x) & ~finite][0]}")
    return half
