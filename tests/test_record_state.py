"""Records: modules saved and loaded, ties restored, and reports of what does not fit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backburner import nn, record
from backburner.errors import DTypeError, RecordError
from backburner.record import LoadReport


class Slot:
    """What `record` needs of a parameter."""

    def __init__(self, values: Any, dtype: str = "f4") -> None:
        self.array = np.asarray(values, dtype)
        self.assigned = 0

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.array.dtype

    def numpy(self) -> np.ndarray:
        return self.array

    def assign(self, array: np.ndarray) -> None:
        assert (array.shape, array.dtype, array.flags.writeable) == (self.shape, self.dtype, False)
        self.array = array
        self.assigned += 1


class Model:
    """What `record` needs of a module."""

    def __init__(self, **slots: Slot) -> None:
        self.slots = {name.replace("_", "."): slot for name, slot in slots.items()}

    def named_state(self) -> Iterator[tuple[str, Slot]]:
        yield from self.slots.items()

    def values(self) -> dict[str, Any]:
        return {name: slot.array.tolist() for name, slot in self.slots.items()}


def linear(fill: float = 0, *, rows: int = 2, dtype: str = "f4") -> Model:
    return Model(
        head_weight=Slot(np.full((rows, 3), fill), dtype), head_bias=Slot(np.full(rows, fill), dtype)
    )


def tied(fill: float = 0) -> Model:
    weight = Slot(np.full((2, 2), fill))
    return Model(embed_weight=weight, body_weight=Slot([fill, fill]), head_weight=weight)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.safetensors"


def test_a_model_comes_back_as_it_was_saved(path: Path) -> None:
    saved = Model(
        w=Slot(np.arange(6).reshape(2, 3)), n=Slot(7, "i8"), mask=Slot([True, False], "?"), none=Slot([])
    )
    record.save(saved, path, {"epoch": "3"})
    model = Model(w=Slot(np.zeros((2, 3))), n=Slot(0, "i8"), mask=Slot([False, False], "?"), none=Slot([]))
    report = record.load(model, path)
    assert model.values() == saved.values()
    assert report == LoadReport(loaded=("mask", "n", "none", "w"))
    assert record.read(path).metadata == {"epoch": "3"}


def test_a_model_on_a_mapped_file_holds_no_copy(path: Path) -> None:
    record.save(linear(1), path)
    model = linear()
    record.load(model, path, mmap=True)
    assert not any(slot.array.flags.owndata for slot in model.slots.values())
    record.save(model, path)  # over the file it lives on
    assert model.values() == linear(1).values()


# -- ties ------------------------------------------------------------------------------------------------


def test_a_tied_weight_is_stored_once_and_read_under_every_name(path: Path) -> None:  # B137
    record.save(tied(5), path)
    header = path.read_bytes()[8:].split(b"  ")[0].decode()
    assert set(re.findall(r'"([a-z.]+)":\{"dtype"', header)) == {"embed.weight", "body.weight"}
    found = record.read(path)
    assert found.aliases == {"head.weight": "embed.weight"}
    assert found.metadata == {}
    assert set(found.arrays) == {"embed.weight", "body.weight", "head.weight"}
    assert found.arrays["head.weight"] is found.arrays["embed.weight"]
    assert found.dtypes["head.weight"] == "F32"


def test_a_tied_weight_is_restored_tied(path: Path) -> None:
    record.save(tied(5), path)
    model = tied()
    report = record.load(model, path)
    assert model.values() == tied(5).values()
    assert model.slots["head.weight"].assigned == 1
    assert report.loaded == ("body.weight", "embed.weight", "head.weight")


def test_the_arrays_of_a_record_are_saved_tied_again(path: Path, tmp_path: Path) -> None:
    record.save(tied(5), path)
    record.save(dict(record.read(path).arrays), tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_tensors_over_the_same_memory_are_stored_once(path: Path, tmp_path: Path) -> None:
    weight = np.arange(4, dtype="f4").reshape(2, 2)
    record.save({"a": weight, "b": weight.view(), "c": weight.T, "d": weight[:1], "e": weight.copy()}, path)
    found = record.read(path)
    assert found.aliases == {"b": "a"}
    assert found.arrays["c"].tolist() == [[0, 2], [1, 3]] and found.arrays["d"].tolist() == [[0, 1]]


def test_an_array_twice_that_another_shares_its_memory_with_is_stored_once(path: Path) -> None:
    weight = np.arange(4, dtype="f4")
    view = weight.view()
    record.save({"a": weight, "b": view, "c": view}, path)
    assert record.read(path).aliases == {"b": "a", "c": "a"}


def test_names_of_nothing_are_not_tied(path: Path) -> None:
    record.save({"a": np.zeros(0), "b": np.zeros(0)}, path)
    assert record.read(path).aliases == {}


TIED_FILES = {
    "both copies": ["embed.weight", "body.weight", "head.weight"],
    "the first only": ["embed.weight", "body.weight"],
    "the other only": ["head.weight", "body.weight"],
}


@pytest.mark.parametrize("kind", TIED_FILES)
def test_a_file_of_another_program_fills_a_tied_weight(kind: str, path: Path) -> None:  # B138
    record.write(path, {name: tied(5).slots[name].array for name in TIED_FILES[kind]})
    model = tied()
    report = record.load(model, path)
    assert report.fits and model.values() == tied(5).values()


@pytest.mark.parametrize("second", [[[5, 5], [5, 6]], [[5, 5], [5, np.nan]], np.zeros((2, 3)).tolist()])
def test_two_different_copies_of_a_tied_weight_are_a_mismatch(second: Any, path: Path) -> None:
    arrays = {name: slot.array for name, slot in tied(5).slots.items()} | {
        "head.weight": np.array(second, "f4")
    }
    record.write(path, arrays)
    model = tied()
    report = record.load(model, path, strict=False)
    assert [found.name for found in report.mismatched] == ["head.weight"]
    assert model.values() == tied().values() | {"body.weight": [5, 5]}
    if np.shape(second) == (2, 2):
        assert str(report).endswith(
            "(head.weight: another copy than embed.weight in the file, tied to it in the module)"
        )
        remedy = (
            r"Give the module two parameters, as the file has, or pass ignore=\['head.weight'\] to bb.load."
        )
        with pytest.raises(RecordError, match=remedy):
            record.load(model, path)
        assert record.load(model, path, ignore=["head.weight"]).fits and model.values() == tied(5).values()


def test_equal_copies_with_nan_are_equal(path: Path) -> None:
    value = np.array([[np.nan, 1], [2, 3]], "f4")
    record.write(path, {"embed.weight": value, "head.weight": value.copy(), "body.weight": np.ones(2, "f4")})
    assert record.load(tied(), path).fits


def test_an_alias_fills_a_model_that_is_not_tied(path: Path) -> None:
    record.save(tied(5), path)
    model = Model(
        embed_weight=Slot(np.zeros((2, 2))), body_weight=Slot([0, 0]), head_weight=Slot(np.zeros((2, 2)))
    )
    assert record.load(model, path).fits
    assert model.values() == tied(5).values()


def test_a_copy_that_was_stored_after_all_beats_its_alias(path: Path) -> None:
    arrays = {"a": np.ones(1), "b": np.zeros(1)}
    record.write(path, arrays, {"backburner.aliases": json.dumps({"b": "a"})})
    found = record.read(path)
    assert found.arrays["b"].tolist() == [0] and found.aliases == {}


# -- what does not fit -----------------------------------------------------------------------------------


def ones(**shapes: Any) -> dict[str, np.ndarray]:
    return {name.replace("_", "."): np.ones(shape, "f4") for name, shape in shapes.items()}


FITTING = {"head_weight": (2, 3), "head_bias": 2}
MISFITS = {
    "missing": (ones(), "2 missing (head.bias, head.weight)"),
    "unexpected": (ones(**FITTING, tail=1), "1 unexpected (tail)"),
    "mismatched": (
        ones(head_weight=(2, 4), head_bias=2),
        "1 mismatched (head.weight: [2, 4] in the file, [2, 3] in the module). Pass ignore=['head.*'] to bb.load to leave the module's own.",
    ),
    "never broadcast": (  # B139
        ones(head_weight=(1, 3), head_bias=2),
        "1 mismatched (head.weight: [1, 3] in the file, [2, 3] in the module). Pass ignore=['head.*'] to bb.load to leave the module's own.",
    ),
    "never reshaped": (
        ones(head_weight=6, head_bias=()),
        "2 mismatched (head.bias: [] in the file, [2] in the module, "
        "head.weight: [6] in the file, [2, 3] in the module). Pass ignore=['head.*'] to bb.load to leave the module's own.",
    ),
    "all of it": (
        ones(head_weight=(3, 3), tail=1),
        "1 missing (head.bias), 1 unexpected (tail), "
        "1 mismatched (head.weight: [3, 3] in the file, [2, 3] in the module)",
    ),
    "many": (
        ones(**FITTING, **{f"t{i:02}": 1 for i in range(20)}),
        "20 unexpected (t00, t01, t02, t03, t04, t05, t06, t07, and 12 more)",
    ),
    "prefix in the file": (
        ones(module_head_weight=(2, 3), module_head_bias=2),
        "2 missing (head.bias, head.weight), 2 unexpected (module.head.bias, module.head.weight). The names in the "
        "file begin with 'module.', as DataParallel saves them. Pass prefix='module.' to bb.load.",
    ),
    "prefixes in the file": (
        ones(a_head_weight=(2, 3), a_head_bias=2, b_head_weight=(2, 3), b_head_bias=2),
        "2 missing (head.bias, head.weight), 4 unexpected (a.head.bias, a.head.weight, b.head.bias, b.head.weight). The "
        "names in the file begin with 'a.' or 'b.'. Pass prefix='a.', or another of these, to bb.load.",
    ),
    "prefix in the module": (
        ones(weight=(2, 3), bias=2),
        "2 missing (head.bias, head.weight), 2 unexpected (bias, weight). The names in the module begin with "
        "'head.'. Pass rename={'^': 'head.'} to bb.load.",
    ),
}


@pytest.mark.parametrize("kind", MISFITS)
@pytest.mark.parametrize("as_file", [True, False])
def test_a_strict_load_says_what_does_not_fit_and_changes_nothing(
    kind: str, as_file: bool, path: Path
) -> None:
    arrays, message = MISFITS[kind]
    record.write(path, arrays)
    model = linear()
    with pytest.raises(RecordError) as error:
        record.load(model, path if as_file else arrays)
    assert str(error.value) == f"load: {message}"
    assert not any(slot.assigned for slot in model.slots.values())


@pytest.mark.parametrize("kind", MISFITS)
def test_a_load_that_is_not_strict_takes_what_fits_and_reports_the_rest(kind: str, path: Path) -> None:
    arrays, message = MISFITS[kind]
    record.write(path, arrays)
    model = linear()
    report = record.load(model, path, strict=False)
    loaded = f"{len(report.loaded)} loaded, " if report.loaded else ""
    told = message.partition(". Pass ignore=")[0] if loaded else message
    assert not report.fits and str(report) == f"load: {loaded}{told}"
    fitting = {
        name
        for name, array in arrays.items()
        if name in model.slots and array.shape == model.slots[name].shape
    }
    assert {name for name, slot in model.slots.items() if slot.assigned} == fitting == set(report.loaded)


def test_a_report_cannot_be_changed(path: Path) -> None:
    record.save(linear(), path)
    report: Any = record.load(linear(), path)
    with pytest.raises(AttributeError):
        report.missing = ("x",)


# -- dtypes ----------------------------------------------------------------------------------------------

CONVERTED = [
    # dtype in the file, values, dtype in the module, values there
    ("F64", [1.1, np.nan, np.inf], "f4", [np.float32(1.1), np.nan, np.inf]),
    ("F32", [1.5, -2, 0], "f8", [1.5, -2, 0]),
    ("BF16", [1, -2, 3.140625], "f4", [1, -2, 3.140625]),
    ("F16", [1, -2, 0.5], "f8", [1, -2, 0.5]),
    ("I64", [1, -2, 3], "i4", [1, -2, 3]),
    ("U8", [1, 2, 255], "i8", [1, 2, 255]),
    ("I64", [0, 1, 2**62], "u8", [0, 1, 2**62]),
]
NUMPY = {"F64": "f8", "F32": "f4", "BF16": "f4", "F16": "f4", "I64": "i8", "U8": "u1", "BOOL": "?"}
SPOKEN = {
    "F64": "float64",
    "F32": "float32",
    "BF16": "bfloat16",
    "F16": "float16",
    "I64": "int64",
    "U8": "uint8",
}
SPOKEN["BOOL"] = "bool"


@pytest.mark.parametrize(("stored", "values", "dtype", "expected"), CONVERTED)
def test_a_dtype_of_the_same_kind_is_converted_and_reported(
    stored: str, values: list[Any], dtype: str, expected: list[Any], path: Path
) -> None:
    halves = {"x": stored} if stored in ("BF16", "F16") else {}
    record.write(path, {"x": np.array(values, NUMPY[stored])}, dtypes=halves)
    model = Model(x=Slot([0, 0, 0], dtype))
    report = record.load(model, path)
    np.testing.assert_array_equal(model.slots["x"].array, np.array(expected, dtype))
    assert str(report) == f"load: 1 loaded, 1 converted (x: {SPOKEN[stored]} to {np.dtype(dtype)})"
    with pytest.raises(
        RecordError, match=f"x: {SPOKEN[stored]} in the file, {np.dtype(dtype)} in the module"
    ):
        record.load(model, path, convert=False)


def test_the_conversion_of_a_tied_weight_is_reported_once(path: Path) -> None:
    saved = tied(5)
    saved.slots["embed.weight"].array = np.full((2, 2), 5.0)
    record.save(saved, path)
    assert str(record.load(tied(), path)) == "load: 3 loaded, 1 converted (embed.weight: float64 to float32)"


UNCONVERTED = [
    ("F32", [1, 2], "i8", ""),
    ("I64", [1, 2], "f4", ""),
    ("U8", [1, 2], "f4", ""),
    ("BOOL", [0, 1], "f4", ""),
    ("F32", [0, 1], "?", ""),
    ("I64", [0, 1], "?", ""),
    ("BOOL", [0, 1], "i8", ""),
    ("I64", [0, 2**31], "i4", " with numbers out of range"),
    ("I64", [0, -1], "u8", " with numbers out of range"),
    ("I64", [0, -1], "u1", " with numbers out of range"),
    ("F64", [0, 1e39], "f4", " with numbers too large"),
]


@pytest.mark.parametrize(("stored", "values", "dtype", "why"), UNCONVERTED)
def test_a_dtype_of_another_kind_or_range_is_a_mismatch(
    stored: str, values: list[Any], dtype: str, why: str, path: Path
) -> None:
    record.write(path, {"x": np.array(values, NUMPY[stored])})
    message = f"load: 1 mismatched (x: {SPOKEN[stored]}{why} in the file, {np.dtype(dtype)} in the module)"
    with pytest.raises(RecordError, match=re.escape(message)):
        record.load(Model(x=Slot([0, 0], dtype)), path)


# -- dicts of tensors and arrays -------------------------------------------------------------------------


def test_a_dict_of_tensors_arrays_and_numbers_is_saved(path: Path) -> None:
    record.save({"slot": Slot([1, 2]), "array": np.ones((2, 2)), "number": np.float32(3)}, path)
    found = record.read(path).arrays
    assert {name: array.tolist() for name, array in found.items()} == {
        "slot": [1, 2],
        "array": [[1, 1], [1, 1]],
        "number": 3,
    }


def test_arrays_given_to_a_model_are_its_own(path: Path) -> None:
    arrays = ones(**FITTING)
    model = linear()
    record.load(model, arrays)
    arrays["head.bias"][:] = 9
    assert model.values()["head.bias"] == [1, 1]


REFUSED = {
    "a list": ({"x": [1.0]}, "save: 'x' is a list, not a tensor or an array."),
    "a model in a dict": ({"x": linear()}, "save: 'x' is a Model, not a tensor or an array."),
    "not a model": ([1.0], "save: a list has no named arrays. Pass a module, an optimizer or a dict."),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_model_and_no_dict_of_arrays_is_refused(kind: str, path: Path) -> None:
    source, message = REFUSED[kind]
    with pytest.raises(RecordError, match=re.escape(message)):
        record.save(source, path)
    assert not path.exists()


def test_one_name_for_two_arrays_is_refused(path: Path) -> None:
    class Twice(Model):
        def named_state(self) -> Iterator[tuple[str, Slot]]:
            yield from [("x", Slot([1])), ("x", Slot([2]))]

    with pytest.raises(RecordError, match="save: two different arrays are called 'x'"):
        record.save(Twice(), path)


def test_the_key_of_the_alias_map_is_kept(path: Path) -> None:
    with pytest.raises(RecordError, match="save: the metadata key 'backburner.aliases' is kept"):
        record.save(linear(), path, {"backburner.aliases": "{}"})


def test_a_load_names_itself_in_what_is_wrong_with_the_file(path: Path) -> None:
    path.write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(RecordError, match=f"^load: {path}: it is a Git-LFS pointer"):
        record.load(linear(), path)
    with pytest.raises(RecordError, match=r"^load: 'x' is a list"):
        record.load(linear(), {"x": [1]})
    with pytest.raises(RecordError, match=r"^save: .*: tensor 'x': dtype object has no place"):
        record.save({"x": np.array([None])}, path)


def test_record_read_refuses_an_unknown_half(path: Path) -> None:
    half: Any = "float16"
    with pytest.raises(RecordError, match="half is 'float32' or 'raw', not 'float16'"):
        record.read(path, half=half)


@pytest.mark.parametrize("state", [None, "weights.safetensors", [("weight", np.ones(2))]])
def test_a_module_takes_arrays_by_name_and_nothing_else(state: Any) -> None:
    with pytest.raises(
        DTypeError, match="Module.load_state_dict: takes arrays by name, not .*Use bb.load for a file"
    ):
        nn.Linear(2, 2).load_state_dict(state)


@pytest.mark.parametrize("path", [None, 3, [Path("w")]])
def test_what_is_no_path_is_refused(path: Any) -> None:
    told = f"a {type(path).__name__} is not the path of a file"
    for op, call in {
        "load": lambda: record.load(linear(), path),
        "save": lambda: record.save(linear(), path),
        "record.read": lambda: record.read(path),
        "record.write": lambda: record.write(path, {}),
    }.items():
        with pytest.raises(DTypeError, match=f"^{op}: {told}"):
            call()
