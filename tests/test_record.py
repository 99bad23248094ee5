"""Records: the format, byte by byte, and files that are something else."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import tracemalloc
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backburner import record
from backburner.errors import RecordError
from backburner.record import _format
from records.make import BITS, CONTENT, HERE, METADATA

ALL = HERE / "all.safetensors"
F4 = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


def file_of(header: Any, data: bytes = b"") -> bytes:
    """A file of this header, as it stands if it is bytes."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def tensor(**changes: Any) -> bytes:
    return file_of({"w": {**F4, **changes}}, bytes(8))


def reason(content: bytes, path: Path) -> str:
    path.write_bytes(content)
    with pytest.raises(RecordError) as error:
        record.read(path)
    return str(error.value)


# -- reading and writing what the format's library does --------------------------------------------------


@pytest.mark.parametrize("name", CONTENT)
@pytest.mark.parametrize("mmap", [True, False])
def test_each_dtype_reads_as_the_library_wrote_it(name: str, mmap: bool) -> None:  # B131
    dtype, _, expected = CONTENT[name]
    found = record.read(ALL, mmap=mmap)
    array = found.arrays[name]
    assert (found.dtypes[name], array.dtype, array.shape) == (dtype, expected.dtype, expected.shape)
    assert array.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", ["f16", *BITS])
def test_raw_halves_are_the_bits_in_the_file(name: str) -> None:
    array = record.read(ALL, half="raw").arrays[name]
    assert array.dtype == CONTENT[name][1].dtype
    assert array.tobytes() == CONTENT[name][1].tobytes()


def test_the_writer_gives_the_bytes_of_the_library_in_any_order(tmp_path: Path) -> None:
    arrays = {name: stored for name, (_, stored, _) in reversed(CONTENT.items())}
    record.write(tmp_path / "w", arrays, dict(reversed(METADATA.items())), dtypes=BITS)
    assert (tmp_path / "w").read_bytes() == ALL.read_bytes()


def test_a_record_written_with_its_dtypes_is_the_same_file(tmp_path: Path) -> None:
    found = record.read(ALL, half="raw")
    record.write(tmp_path / "w", found.arrays, found.metadata, dtypes=found.dtypes)
    assert (tmp_path / "w").read_bytes() == ALL.read_bytes()
    found = record.read(ALL)  # where halves are widened and narrowed again
    again = {name: array for name, array in found.items() if not found.dtypes[name].startswith("F8")}
    eighths = {name: record.read(ALL, half="raw")[name] for name in BITS if name not in again}
    record.write(tmp_path / "w", again | eighths, found.metadata, dtypes=found.dtypes)
    assert (tmp_path / "w").read_bytes() == ALL.read_bytes()
    assert found.metadata == METADATA


def test_a_record_of_nothing_is_the_librarys(tmp_path: Path) -> None:
    record.write(tmp_path / "w", {})
    assert (tmp_path / "w").read_bytes() == (HERE / "empty.safetensors").read_bytes()
    assert dict(record.read(tmp_path / "w").arrays) == {}


STRIDED = {
    "transposed": np.arange(6.0).reshape(2, 3).T,
    "stepped": np.arange(12, dtype="i4")[::-3],
    "broadcast": np.broadcast_to(np.float32(3), (2, 2)),
    "big-endian": np.arange(4, dtype=">i2"),
    "fortran": np.asfortranarray(np.arange(24, dtype="f4").reshape(2, 3, 4)),
    "unaligned": np.frombuffer(b"." + np.arange(3.0).tobytes(), "f8", offset=1),
}


@pytest.mark.parametrize("kind", STRIDED)
def test_strides_and_byte_order_do_not_matter(kind: str, tmp_path: Path) -> None:
    record.write(tmp_path / "w", {"x": STRIDED[kind]})
    found = record.read(tmp_path / "w").arrays["x"]
    assert np.array_equal(found, STRIDED[kind])
    assert found.dtype.isnative and found.flags.c_contiguous


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (1.0, 0x3F80),
        (1 + 2**-8, 0x3F80),  # a tie goes to the even one
        (1 + 3 * 2**-8, 0x3F82),
        (1 + 2**-8 + 2**-20, 0x3F81),
        (-np.inf, 0xFF80),
        (np.nan, 0x7FC0),
        (0.0, 0),
        (-0.0, 0x8000),
        (1e-45, 0),
    ],
)
@pytest.mark.parametrize("shape", [(), (1,)])
def test_bfloat16_is_rounded_to_nearest(
    value: float, bits: int, shape: tuple[int, ...], tmp_path: Path
) -> None:
    record.write(tmp_path / "w", {"x": np.full(shape, value, "f4")}, dtypes={"x": "BF16"})
    found = record.read(tmp_path / "w", half="raw").arrays["x"]
    assert (found.shape, int(found.max())) == (shape, bits)


@pytest.mark.parametrize("bits", [0x7F800001, 0xFF80FFFF, 0xFFFFFFFF])
def test_no_nan_becomes_a_number_or_infinite_as_bfloat16(bits: int, tmp_path: Path) -> None:
    record.write(tmp_path / "w", {"x": np.array([bits], "u4").view("f4")}, dtypes={"x": "BF16"})
    assert np.isnan(record.read(tmp_path / "w").arrays["x"]).all()


@pytest.mark.parametrize(("dtype", "number"), [("F16", 65520.0), ("BF16", 3.4e38), ("BF16", -1e300)])
def test_a_number_too_large_for_a_half_is_an_error_and_leaves_nothing(
    dtype: str, number: float, tmp_path: Path
) -> None:
    with pytest.raises(RecordError, match=f"tensor 'x': a number is too large for {dtype}: "):
        record.write(tmp_path / "w", {"x": np.array([1, number, np.inf])}, dtypes={"x": dtype})
    assert os.listdir(tmp_path) == []


def test_bools_of_odd_bytes_are_true(tmp_path: Path) -> None:
    (tmp_path / "w").write_bytes(
        file_of({"m": {"dtype": "BOOL", "shape": [4], "data_offsets": [0, 4]}}, b"\0\1\2\xff")
    )
    assert record.read(tmp_path / "w").arrays["m"].view("u1").tolist() == [0, 1, 1, 1]


def test_arrays_are_aligned_even_in_a_file_that_is_not(tmp_path: Path) -> None:
    header = b'{"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"w":{"dtype":"F64","shape":[2],"data_offsets":[1,17]}}'
    (tmp_path / "w").write_bytes(file_of(header, b"\7" + np.array([1.5, 2.5]).tobytes()))
    found = record.read(tmp_path / "w").arrays
    assert found["w"].tolist() == [1.5, 2.5] and found["w"].flags.aligned and found["b"].tolist() == [7]


@pytest.mark.parametrize("mmap", [True, False])
def test_arrays_are_read_only(mmap: bool) -> None:
    arrays = record.read(ALL, mmap=mmap).arrays
    for array in arrays.values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(ValueError, match="WRITEABLE"):
        arrays["f32"].flags.writeable = True


# -- writing what cannot be written ----------------------------------------------------------------------

UNWRITABLE = {
    "object": ({"x": np.array([None])}, {}, "tensor 'x': dtype object has no place in safetensors"),
    "complex128": ({"x": np.array([1j])}, {}, "dtype complex128"),
    "text": ({"x": np.array(["a"])}, {}, "dtype <U1"),
    "time": ({"x": np.array(0, "M8[s]")}, {}, r"dtype datetime64\[s\]"),
    "list": ({"x": [1.0]}, {}, "'x' is a list, not an array"),
    "number as name": ({1: np.ones(1)}, {}, "names and metadata are text, not 1"),
    "reserved": ({"__metadata__": np.ones(1)}, {}, "cannot be called '__metadata__'"),
    "surrogate": ({"\ud800": np.ones(1)}, {}, "names and metadata are text"),
    "metadata": ({}, {"epoch": 3}, "names and metadata are text, not 3"),
}


@pytest.mark.parametrize("kind", UNWRITABLE)
def test_what_the_format_lacks_is_refused(kind: str, tmp_path: Path) -> None:
    arrays, metadata, message = UNWRITABLE[kind]
    with pytest.raises(RecordError, match=message):
        record.write(tmp_path / "w", arrays, metadata)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("array", "dtype"), [(np.ones(1, "i4"), "F16"), (np.ones(1, "f4"), "I32"), (np.ones(1, "u2"), "F16")]
)
def test_only_floats_are_stored_as_halves(array: np.ndarray, dtype: str, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=f"cannot be stored as {dtype}"):
        record.write(tmp_path / "w", {"x": array}, dtypes={"x": dtype})


def test_a_header_no_reader_would_take_fails_when_it_is_saved(  # B136
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_format, "HEADER_LIMIT", 200)
    record.write(tmp_path / "w", {"a": np.ones(1)})
    with pytest.raises(RecordError, match="6 tensors need a header of [0-9]+ bytes; readers take 200"):
        record.write(tmp_path / "w", {name: np.ones(1) for name in "abcdef"})
    assert list(record.read(tmp_path / "w").arrays) == ["a"]


# -- files that are something else -----------------------------------------------------------------------


def zipped(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, b"content")
    return buffer.getvalue()


def numpy_file(save: Any) -> bytes:
    buffer = io.BytesIO()
    save(buffer, np.ones(3))
    return buffer.getvalue()


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2\nsize 4300000000\n"
OTHERS = {
    "lfs": (LFS, "it is a Git-LFS pointer, not the weights. Run `git lfs pull`"),
    "pickle 2": (pickle.dumps({"w": [1.0] * 9}, 2), "it holds a dict without tensors"),
    "pickle 5": (pickle.dumps({"w": [1.0] * 9}, 5), "it holds a dict without tensors"),
    "pytorch": (zipped("archive/data.pkl"), "its pickle has the unknown operation b'o'|its pickle"),
    "torchscript": (
        zipped("net/data.pkl", "net/constants.pkl"),
        "it is a TorchScript archive .*nothing was executed",
    ),
    "torch.export": (
        zipped("net/archive_format", "net/models/model.json"),
        r"it is an archive of torch.export, .*Save torch.export.load\(path\).state_dict",
    ),
    "no torchscript": (zipped("net/data/0"), "it is a zip archive with no data.pkl"),
    "old pytorch": (pickle.dumps(0x1950A86A20F9469CFC6C, 2) + bytes(99), "its pickle"),
    "zip": (zipped("weights.bin"), "it is a zip archive with no data.pkl"),
    "npz of objects": (
        numpy_file(partial(np.savez, o=np.array([None]))),
        "its array 'o' is one of objects, which are pickled",
    ),
    "old pytorch tar": (
        b"pickle".ljust(257, b"\0") + b"ustar" + bytes(300),
        "it is a PyTorch checkpoint of before 0.2",
    ),
    "npy": (numpy_file(np.save), r"it is a NumPy .npy array. Read it with np.load"),
    "gzip": (gzip.compress(ALL.read_bytes()), "it is gzip-compressed. Decompress it first"),
    "hdf5": (b"\x89HDF\r\n\x1a\n" + bytes(99), "it is an HDF5 file"),
    "html": (b"\n<!DOCTYPE html>\n<html><body>Log in</body></html>", "it is a web page, not the weights"),
    "xml": (b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', "it is a web page"),
    "json": (b'{"hidden_size": 768}', "it is JSON text"),
    "tar": (b"weights".ljust(257, b"\0") + b"ustar" + bytes(300), "it is a tar archive"),
    "gguf": (b"GGUF\3\0\0\0" + bytes(99), "it is a GGUF model"),
    "empty": (b"", "it is empty"),
    "9 bytes": (bytes(9), "it is truncated, or not a safetensors file: it has only 9 bytes"),
    "a word": (b"hello", "it is truncated, or not a safetensors file: it has only 5 bytes"),
    "zeros": (bytes(100), "it is not a safetensors file: it begins with"),
    "text": (
        b"this is a text of more than a few bytes",
        "it is not a safetensors file: it begins with b'this",
    ),
    "huge length": ((10**18).to_bytes(8, "little") + b"{}", "it is not a safetensors file"),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_a_file_that_is_something_else_says_what_it_is(kind: str, tmp_path: Path) -> None:  # B134
    content, message = OTHERS[kind]
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=f"^record.read: {path}: {message}"):
        record.read(path)


def test_a_directory_says_so(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="it is a directory"):
        record.read(tmp_path)


def test_a_device_is_not_read_for_ever() -> None:
    with pytest.raises(RecordError, match="it is a device or a pipe, not a file"):
        record.read("/dev/zero")


def test_a_file_that_is_not_there_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="gone"):
        record.read(tmp_path / "gone")


def test_a_truncated_file_says_how_much_is_missing_at_every_length(tmp_path: Path) -> None:
    whole = ALL.read_bytes()
    header = int.from_bytes(whole[:8], "little")
    for length in range(len(whole)):
        message = reason(whole[:length], tmp_path / "w")
        if length >= 8 + header:
            assert (
                f"it is truncated: {len(whole) - length} of {len(whole) - header - 8} bytes of tensors"
                in message
            )
        elif length >= 10:
            assert f"it is truncated: {8 + header - length:,} of {header:,} bytes of its header" in message
        else:
            assert "it is empty" in message if length == 0 else f"it has only {length} bytes" in message


# -- headers that break the format -----------------------------------------------------------------------

MALFORMED = {
    "gap": (tensor(data_offsets=[4, 12]), "leaves a gap before it: it begins at 4, not at 0"),
    "overlap": (file_of({"w": F4, "v": F4}, bytes(8)), "'v' overlaps the one before: it begins at 0, not at 8"),
    "rest": (file_of({"w": F4}, bytes(11)), "has 3 bytes after its last tensor"),
    "size": (tensor(shape=[3]), r"needs 12 bytes \(F32 \[3\]\) and has 8"),
    "backwards": (tensor(data_offsets=[8, 0]), "needs 8 bytes .* and has -8"),
    "negative size": (tensor(shape=[-2]), r"has the shape \[-2\]"),
    "two negatives": (tensor(shape=[-1, -2]), r"has the shape"),
    "negative offset": (tensor(data_offsets=[-8, 0]), r"has the data_offsets \[-8, 0\]"),
    "float size": (tensor(shape=[2.0]), "has the shape"),
    "bool size": (tensor(shape=[True, 2]), "has the shape"),
    "float offset": (tensor(data_offsets=[0, 8.0]), "has the data_offsets"),
    "text size": (tensor(shape="2"), "has the shape 2"),
    "no shape": (file_of({"w": {"dtype": "F32", "data_offsets": [0, 8]}}, bytes(8)), "has the shape None"),
    "three offsets": (tensor(data_offsets=[0, 8, 8]), "not two positions"),
    "claims 10^18": (tensor(shape=[10**18]), "needs over 10.18 bytes"),
    "claims 10^36": (tensor(shape=[10**18, 10**18]), "needs over 10.18 bytes"),
    "claims 2^64": (tensor(shape=[2**32, 2**32]), "needs over 10.18 bytes"),
    "overflow": (tensor(shape=[2**64]), "has the shape"),
    "huge offsets": (tensor(shape=[10**17], data_offsets=[0, 4 * 10**17]), "is truncated: 399,999,999,999,999,992"),
    "huge zero size": (tensor(shape=[0, 2**62, 2**62], data_offsets=[0, 0]), "a shape that NumPy cannot hold"),
    "100 axes": (tensor(shape=[1] * 99 + [2]), "a shape that NumPy cannot hold"),
    "float4": (tensor(dtype="F4"), "tensor 'w' has the dtype F4; known are BOOL"),
    "no dtype": (tensor(dtype=None), "tensor 'w' has the dtype None"),
    "list dtype": (tensor(dtype=["F32"]), "tensor 'w' has the dtype"),
    "not described": (file_of({"w": [1]}), "tensor 'w' is not described by an object"),
    "metadata": (file_of({"__metadata__": {"a": 1}}), "its __metadata__ is not a map from text to text"),
    "metadata list": (file_of({"__metadata__": []}), "its __metadata__ is not"),
    "name twice": (file_of(b'{"a":{},"a":{}}'), "its header has 'a' twice"),
    "key twice": (file_of(b'{"a":{"dtype":"U8","dtype":"U8"}}'), "its header has 'dtype' twice"),
    "not json": (file_of(b'{"w": '), "its header is not JSON"),
    "more than json": (file_of(b"{} {}"), "its header is not JSON"),
    "nul padding": (file_of(b"{}\0\0\0\0\0\0"), "its header is not JSON"),
    "nan": (file_of(b'{"w":{"shape":[NaN]}}'), "its header holds NaN"),
    "long number": (file_of(b'{"w":{"shape":[' + b"9" * 5000 + b"]}}"), "its header is not JSON"),
    "not utf-8": (file_of(b'{"\xff":1}'), "its header is not UTF-8"),
    "utf-16": (file_of("{}".encode("utf-16-le") * 3), "its header is not JSON"),
    "half a pair": (file_of(b'{"\\ud800":{}}'), "half a surrogate pair"),
    "nested": (file_of(b'{"w":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), "nested too deeply"),
    "aliases": (file_of({"__metadata__": {"backburner.aliases": "x"}}), "is not a JSON object"),
    "alias list": (file_of({"__metadata__": {"backburner.aliases": "[]"}}), "is not a JSON object"),
    "alias": (file_of({"__metadata__": {"backburner.aliases": '{"a":"b"}'}}), "makes 'a' the same as 'b'"),
    "alias number": (file_of({"__metadata__": {"backburner.aliases": '{"a":[]}'}}), "makes 'a' the same as"),
}  # fmt: skip


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_header_that_breaks_the_format_says_where(kind: str, tmp_path: Path) -> None:
    content, message = MALFORMED[kind]
    path = tmp_path / "w"
    path.write_bytes(content)
    with pytest.raises(RecordError, match=f"^record.read: {path}: .*{message}"):
        record.read(path)


def test_a_hostile_header_takes_no_memory_and_no_time(tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        for content, _ in (MALFORMED["claims 10^36"], MALFORMED["huge offsets"], OTHERS["huge length"]):
            reason(content, tmp_path / "w")
        reason(tensor(shape=[2**62] * 200_000), tmp_path / "w")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64 * 2**20


def test_unknown_fields_and_any_order_are_fine(tmp_path: Path) -> None:
    second = {"data_offsets": [8, 16], "shape": [2], "dtype": "F32", "comment": {"a": [None]}}
    (tmp_path / "w").write_bytes(file_of({"z": second, "a": F4}, np.arange(4, dtype="f4").tobytes()))
    found = record.read(tmp_path / "w").arrays
    assert found["a"].tolist() == [0, 1] and found["z"].tolist() == [2, 3]


# -- fuzzing ---------------------------------------------------------------------------------------------

QUICK = settings(max_examples=300, deadline=None, database=None)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.sampled_from(list(_format.DTYPES)),
)
INFO = st.fixed_dictionaries(
    {},
    optional={
        "dtype": st.sampled_from([*_format.DTYPES, "F8_E5M2", "F4", ""]) | LEAVES,
        "shape": st.lists(st.integers(0, 4) | LEAVES, max_size=4) | LEAVES,
        "data_offsets": st.lists(st.integers(0, 40) | LEAVES, min_size=1, max_size=3) | LEAVES,
    },
)
HEADERS = st.dictionaries(st.text(max_size=3) | st.just("__metadata__"), INFO | LEAVES, max_size=4)


def survives(content: bytes, path: Path) -> None:
    """Read the content: a record whose arrays can be had, or a RecordError."""
    path.write_bytes(content)
    try:
        found = record.read(path)
    except RecordError:
        return
    assert sum(array.size for array in found.arrays.values()) <= len(content)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "w"


@QUICK
@given(content=st.binary(max_size=64))
def test_random_bytes_are_refused(content: bytes, scratch: Path) -> None:
    survives(content, scratch)


@QUICK
@given(header=HEADERS, data=st.binary(max_size=40))
def test_random_headers_are_read_or_refused(header: Any, data: bytes, scratch: Path) -> None:
    survives(file_of(header, data), scratch)


@QUICK
@given(text=st.binary(max_size=40), data=st.binary(max_size=8))
def test_random_text_for_a_header_is_refused(text: bytes, data: bytes, scratch: Path) -> None:
    survives(file_of(b"{" + text, data), scratch)


@QUICK
@given(data=st.data())
def test_a_good_file_with_some_bytes_changed_is_read_or_refused(data: st.DataObject, scratch: Path) -> None:
    content = bytearray(ALL.read_bytes())
    header = 8 + int.from_bytes(content[:8], "little")
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, header))] = data.draw(
            st.integers(0, 255) | st.sampled_from(b'{}[],:"0-9e.')
        )
    survives(bytes(content), scratch)
