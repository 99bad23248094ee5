"""Records: files whose cost grows with a square, names that steer a terminal, and what is no file.  # B142"""

from __future__ import annotations

import json
import os
import pickle
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import cli, nn, record
from backburner.errors import ArgumentError, DTypeError, RecordError
from backburner.record import _files, _machine
from backburner.record._mapping import LoadReport, Mismatch, near
from records.pickles import (
    FLOATS,
    archive,
    many,
    mapping,
    named,
    number,
    numbers,
    storage,
    tensor,
    text,
    whole,
)

STEERS = "\x1b[31mred\r\n\u202e"
LONG = "x" * 10**6


def safetensors(header: Any, data: bytes = bytes(4)) -> bytes:
    """Return a file of a header, which no writer would write."""
    told = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(told).to_bytes(8, "little") + told + data


def entry(dtype: str = "F32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": [1], "data_offsets": [0, 4]}


# -- what a pickle may cost ------------------------------------------------------------------------------


def of_one_hash(count: int) -> list[tuple[int, int]]:
    """Return pairs of whole numbers whose hash, as CPython hashes tuples, is one and the same."""
    whole_word, first, second, start = 2**64, 11400714785074694791, 14029467366897019727, 2870177450012600261
    back = pow(second, -1, whole_word)
    pairs: list[tuple[int, int]] = []
    a = 0
    while len(pairs) < count:
        a += 1
        lane = (start + a * second) % whole_word
        lane = (lane << 31 | lane >> 33) % whole_word * first % whole_word
        b = (12345 - lane) * back % whole_word
        b -= whole_word if b >= whole_word // 2 else 0
        if abs(b) < _machine.KEY_LIMIT:
            pairs.append((a, b))
    return pairs


def test_no_hashes_of_keys_can_be_made_equal() -> None:
    pairs = of_one_hash(50)
    assert len({hash(pair) for pair in pairs}) == 1
    signs = [(-1, -2), (-2, -1), (-1, -1), (-2, -2)]
    assert len({hash(_machine.check_key(pair)) for pair in pairs + signs}) == 54
    assert _machine.check_key((1, "a")) == (1, "a")


class Counted:
    """Bytes that know how many of them were taken."""

    def __init__(self, data: bytes) -> None:
        self.data, self.taken = data, 0

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, part: slice) -> bytes:
        found = self.data[part]
        self.taken += len(found)
        return found


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 511, 512, 4094, 4095])
def test_a_line_costs_about_its_length(length: int) -> None:
    line = "x" * length
    data: Any = Counted(f"{line}\n".encode() * 200)
    machine = _machine.Machine(data, 0, lambda module, name: _machine.Global(name), lambda token: token)
    assert [machine.line() for _ in range(200)] == [line] * 200
    assert data.taken <= 200 * (64 + 8 * length)


@pytest.mark.parametrize("content", [b"x" * 4096 + b"\n", b"x" * 10, b"", b"x" * 600])
def test_a_line_ends_within_its_limit(content: bytes) -> None:
    machine = _machine.Machine(
        memoryview(content), 0, lambda module, name: _machine.Global(name), lambda token: token
    )
    with pytest.raises(_machine.Malformed, match="cut short, or has a very long line"):
        machine.line()


def test_a_shape_of_thousands_of_axes_makes_no_huge_numbers(tmp_path: Path) -> None:
    shape = b"(" + number(2**60) + b"q\0" + b"h\0" * 5000 + b"K\0t"
    state = many(
        number(1), shape, named("numpy.dtype") + many(text("f4")) + b"R", b"\x88", b"C\0"
    )  # of no element
    array = named("numpy.core.multiarray._reconstruct") + b")R" + state + b"b"
    (tmp_path / "w").write_bytes(archive(whole(mapping(w=array))))
    tracemalloc.start()
    try:
        with pytest.raises(RecordError, match="a shape that NumPy cannot hold"):
            record.read(tmp_path / "w")
        assert tracemalloc.get_traced_memory()[1] < 16 * 2**20
    finally:
        tracemalloc.stop()


def test_a_call_within_a_call_is_paid_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = many(storage(), number(0), numbers(*[1] * 64) + b"q\1", b"h\1", b"\x89", b"}")
    outer = many(named("torch._utils._rebuild_tensor_v2"), named("torch.Tensor"), inner, b"}")
    function = named("torch._tensor._rebuild_from_type_v2")
    body = function + b"q\2" + outer + b"q\3R" + b"0h\2h\3R" * 30
    (tmp_path / "w").write_bytes(archive(whole(mapping(w=body))))
    assert record.read(tmp_path / "w")["w"].shape == (1,) * 64
    monkeypatch.setattr(_machine, "OPERATIONS", 3000)
    with pytest.raises(RecordError, match="asks for too much work"):
        record.read(tmp_path / "w")


def test_one_wide_letter_does_not_make_a_long_text_four_times_as_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_machine, "TEXT", 1000)
    for filler, last, taken in (("é", "ÿ", True), ("a", "\u0100", False), ("a", "\U0001f600", False)):
        body = mapping(w=tensor(), note=text(filler * 1000 + last))
        (tmp_path / "w").write_bytes(archive(whole(body)))
        if taken:
            assert list(record.read(tmp_path / "w")) == ["w"]
        else:
            with pytest.raises(RecordError, match=r"has a text of 1,00\d bytes"):
                record.read(tmp_path / "w")


def test_eighths_of_one_byte_do_not_become_a_gigabyte(tmp_path: Path) -> None:
    of = storage("torch.storage.UntypedStorage", size=1)
    parts = (of, number(0), numbers(2**28), numbers(0), b"\x89", b"}", named("torch.float8_e4m3fn"))
    body = named("torch._utils._rebuild_tensor_v3") + many(*parts) + b"R"
    (tmp_path / "w").write_bytes(archive(whole(mapping(w=body))))
    with pytest.raises(RecordError, match="its tensors take 268435456 bytes, and there are only 1 of them"):
        record.read(tmp_path / "w")


def test_a_file_larger_than_the_memory_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bb.save({"w": np.ones(1)}, tmp_path / "w")

    def out(*given: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(_files, "_rest", out)
    with pytest.raises(RecordError, match=f"^record.read: {tmp_path}/w: it takes more memory to read"):
        record.read(tmp_path / "w")


def test_a_hint_is_not_looked_for_among_endless_names() -> None:
    assert near("a" * 300, ["a" * 299 + "b"]) is None
    assert near("encoder.weight", ["encoder.weihgt", "encoder.weigh" + "t" * 300]) == "encoder.weihgt"


# -- names in messages and tables ------------------------------------------------------------------------

NAMES: dict[str, bytes] = {
    "twice": safetensors(f'{{"{LONG}":1,"{LONG}":2}}'.encode()),
    "no object": safetensors({LONG: 1}),
    "dtype": safetensors({LONG: entry("F99")}),
    "overlap": safetensors({"a": entry(), LONG: entry()}),
    "alias": safetensors({"__metadata__": {"backburner.aliases": json.dumps({LONG: LONG})}, "a": entry()}),
    "steering": safetensors({STEERS: 1}),
    "steering alias": safetensors(
        {"__metadata__": {"backburner.aliases": json.dumps({STEERS: STEERS})}, "a": entry()}
    ),
}


@pytest.mark.parametrize("kind", NAMES)
def test_a_name_in_a_message_is_short_and_steers_no_terminal(kind: str, tmp_path: Path) -> None:
    (tmp_path / "w").write_bytes(NAMES[kind])
    with pytest.raises(RecordError) as caught:
        record.read(tmp_path / "w")
    assert len(str(caught.value)) < 1000 and str(caught.value).isprintable()


def test_reports_and_records_show_names_short_and_printable(tmp_path: Path) -> None:
    (tmp_path / "w").write_bytes(
        safetensors({STEERS: entry(), LONG: {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}, bytes(8))
    )
    found = record.read(tmp_path / "w")
    assert len(repr(found)) < 500 and repr(found).isprintable()
    for options in ({}, {"prefix": "none."}, {"rename": {".*": "one"}}, {"rename": {"^": "weight" * 99}}):
        with pytest.raises(RecordError) as caught:
            bb.load(nn.Linear(2, 3), tmp_path / "w", **options)  # type: ignore[arg-type]
        assert len(str(caught.value)) < 1500 and str(caught.value).isprintable()
    for report in (
        LoadReport(missing=("weight", "bias"), unexpected=(f"{STEERS}.weight", f"{STEERS}.bias")),
        LoadReport(missing=(f"{STEERS}.weight",), unexpected=("weight",)),
        LoadReport(missing=("encoder.weight",), unexpected=("encoder.weigh\x1b",)),
        LoadReport(mismatched=(Mismatch(STEERS, "[1]", "[2]"),)),
    ):
        assert str(report).isprintable()
    assert "1 missing (größe.weight)" in str(LoadReport(missing=("größe.weight",)))


def test_inspect_shows_names_short_and_printable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = mapping(**{f"{STEERS}note": text(STEERS), "model": mapping(**{STEERS: tensor(), LONG: tensor()})})
    (tmp_path / "w").write_bytes(archive(whole(body)))
    assert cli.main(["inspect", str(tmp_path / "w")]) == 0
    told = capsys.readouterr().out
    assert len(told) < 5000 and told.replace("\n", "").isprintable()
    assert r"\x1b[31mred\r\n\u202e" in told
    assert cli.main(["inspect", str(tmp_path / "w"), "--json"]) == 0
    told = capsys.readouterr().out
    assert told.replace("\n", "").isprintable()
    assert {entry["name"] for entry in json.loads(told)["tensors"]} == {STEERS, LONG}


@pytest.mark.parametrize("protocol", [0, 1])
@pytest.mark.parametrize(
    "value", [{"a": np.ones(1)}, [np.ones(1)], np.ones(1)], ids=["dict", "list", "array"]
)
def test_a_pickle_of_python_2_is_told(value: Any, protocol: int, tmp_path: Path) -> None:
    (tmp_path / "w").write_bytes(pickle.dumps(value, protocol))
    with pytest.raises(
        RecordError, match="it is a pickle of protocol 0 or 1, .* save the arrays with bb.save"
    ):
        record.read(tmp_path / "w")


# -- what is no file, and no option ----------------------------------------------------------------------


def test_a_pipe_is_told_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.safetensors")
    (tmp_path / "w.index.json").write_text('{"weight_map": {"a": "pipe.safetensors"}}')
    for path in (tmp_path / "pipe.safetensors", tmp_path / "w.index.json"):
        with pytest.raises(RecordError, match="it is a device or a pipe, not a file"):
            record.read(path)


def test_a_path_is_text_or_bytes(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path / "w.safetensors")
    bb.save({"a": np.ones(1)}, path)  # type: ignore[arg-type]
    for found in (path, os.fsencode(tmp_path)):
        assert list(record.read(found)) == ["a"]  # type: ignore[arg-type]
    for bad in (f"{tmp_path}/a\0b", f"{tmp_path}/\ud800"):
        with pytest.raises(ArgumentError, match="record.read: .*characters that no file can be called by"):
            record.read(bad)
        with pytest.raises(ArgumentError, match="save: .*characters that no file can be called by"):
            bb.save({"a": np.ones(1)}, bad)


OPTIONS: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "only": ({"only": 3}, ArgumentError, "load: only is a pattern or a list of them, not 3"),
    "ignore": ({"ignore": 3}, ArgumentError, "load: ignore is a pattern or a list of them, not 3"),
    "rename": ({"rename": 3}, ArgumentError, "load: rename is a dict of regular expressions"),
    "mmap": ({"mmap": "yes"}, RecordError, "load: mmap is 'auto', True or False, not 'yes'"),
}


@pytest.mark.parametrize("kind", OPTIONS)
def test_an_option_of_another_kind_is_refused(kind: str, tmp_path: Path) -> None:
    options, error, message = OPTIONS[kind]
    bb.save(nn.Linear(2, 3), tmp_path / "w")
    with pytest.raises(error, match=message):
        bb.load(nn.Linear(2, 3), tmp_path / "w", **options)


def test_names_and_metadata_are_text(tmp_path: Path) -> None:
    bad: Any = {0: np.ones(3)}
    with pytest.raises(RecordError, match="load: a name is text, not 0"):
        bb.load(nn.Linear(2, 3), bad)
    with pytest.raises(DTypeError, match="save: metadata is a dict of text, not a list"):
        bb.save(nn.Linear(2, 3), tmp_path / "w", ["a"])  # type: ignore[arg-type]


def test_a_checkpoint_cannot_tie_what_it_is_converted_to(tmp_path: Path) -> None:
    body = mapping(**{"backburner.aliases": text('{"a": "b"}'), "model": mapping(w=tensor())})
    (tmp_path / "w").write_bytes(archive(whole(body)))
    assert [found.name for found in record.convert(tmp_path / "w", tmp_path / "v").tensors] == ["w"]
    with pytest.raises(RecordError, match=r"'backburner.aliases' is kept for tied weights"):
        record.convert(tmp_path / "w", tmp_path / "v", metadata={"backburner.aliases": "{}"})


# -- odd, but honest -------------------------------------------------------------------------------------


def test_a_whole_number_of_a_legacy_archive_is_read(tmp_path: Path) -> None:
    """A shape as Python 2 wrote it, with the sign of its long integers."""
    from io import BytesIO
    from zipfile import ZipFile

    buffer = BytesIO()
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 1L), }\n"
    with ZipFile(buffer, "w") as made:
        made.writestr("a.npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + bytes(8))
    (tmp_path / "w").write_bytes(buffer.getvalue())
    assert record.read(tmp_path / "w")["a"].shape == (2, 1)


def frombuffer(order: str, *axes: int, shape: tuple[int, ...] = (2, 3)) -> bytes:
    """Push an array as NumPy 2.3 pickles one whose axes are in another order."""
    kind = named("numpy.dtype") + many(text("f4")) + b"R"
    parts = [b"C\x18" + np.arange(6, dtype="<f4").tobytes(), kind, numbers(*shape), text(order)]
    return named("numpy._core.numeric._frombuffer") + many(*parts, *([numbers(*axes)] if axes else [])) + b"R"


def test_an_array_whose_axes_are_in_another_order_is_read(tmp_path: Path) -> None:
    rows: dict[str, tuple[bytes, Any]] = {
        "C": (frombuffer("C"), np.arange(6).reshape(2, 3)),
        "F": (frombuffer("F"), np.arange(6).reshape(3, 2).T),
        "K": (frombuffer("K", 1, 0), np.arange(6).reshape(2, 3).T),
        "three": (
            frombuffer("K", 2, 0, 1, shape=(1, 2, 3)),
            np.arange(6).reshape(1, 2, 3).transpose(2, 0, 1),
        ),
        "here": (pickle.dumps(np.arange(6).reshape(1, 2, 3).transpose(2, 0, 1), 5)[2:-1], None),
    }
    rows["here"] = rows["here"][0], rows["three"][1]
    for kind, (body, expected) in rows.items():
        (tmp_path / "w").write_bytes(whole(mapping(w=body), 5))
        assert np.array_equal(record.read(tmp_path / "w")["w"], expected), kind
    for bad in (frombuffer("K"), frombuffer("K", 0, 0), frombuffer("K", 0, 1, 2), frombuffer("K", 0, -1)):
        (tmp_path / "w").write_bytes(whole(mapping(w=bad), 5))
        with pytest.raises(RecordError, match="its pickle has a NumPy array of"):
            record.read(tmp_path / "w")


def test_an_old_checkpoint_of_protocol_1_is_read(tmp_path: Path) -> None:
    parts = [pickle.dumps(part, 1) for part in (0x1950A86A20F9469CFC6C, 1001, {})]
    body = [mapping(w=tensor()) + b".", pickle.dumps(["0"], 1), number(6)[1:2] + bytes(7), FLOATS]
    (tmp_path / "w").write_bytes(b"".join([*parts, *body]))
    found = record.read(tmp_path / "w")
    assert found.format == "pytorch-legacy" and found["w"].tobytes() == FLOATS
