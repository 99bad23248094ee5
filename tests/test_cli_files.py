"""The commands on files of weights and on models: inspect, convert and summary."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backburner import record
from backburner.cli.convert import DTYPES
from backburner.models import digits

ARRAYS = {
    "net.0.weight": np.arange(6, dtype=np.float32).reshape(2, 3),
    "net.0.bias": np.zeros(2, np.float64),
    "head.steps": np.array(7, np.int64),
}


@pytest.fixture
def command(command: Any) -> Any:
    """Return the usual function, in a folder with w.safetensors."""
    record.write("w.safetensors", ARRAYS, {"from": "a\n  test", "long": "x" * 400})
    return command


# -- inspect


def test_inspect_shows_all_that_is_in_a_file(command: Any) -> None:
    size = os.path.getsize("w.safetensors")
    status, out, err = command("inspect", "w.safetensors")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"w.safetensors: safetensors, {size:,} bytes"
    assert lines[1] == "metadata from: a test"
    assert lines[2] == f"metadata long: {'x' * 300}... (400 characters; --json shows all)"
    assert [line.split() for line in lines[4:8]] == [
        ["tensor", "dtype", "shape", "bytes"],
        *sorted((["head.steps", "int64", "-", "8"], ["net.0.bias", "float64", "2", "16"],
                 ["net.0.weight", "float32", "2x3", "24"]), key=lambda row: lines.index(
                     next(line for line in lines if line.startswith(row[0])))),
    ]  # fmt: skip
    assert lines[-1] == "3 tensors of float32, float64, int64: 9 numbers, 48 bytes"


def test_inspect_gives_the_same_as_json(command: Any) -> None:
    status, out, _ = command("inspect", "w.safetensors", "--json")
    told = json.loads(out)
    assert status == 0
    assert (told["format"], told["files"], told["elements"], told["nbytes"]) == (
        "safetensors",
        ["w.safetensors"],
        9,
        48,
    )
    assert told["metadata"] == {"from": "a\n  test", "long": "x" * 400}
    by_name = {tensor["name"]: tensor for tensor in told["tensors"]}
    assert by_name["net.0.weight"] == {
        "name": "net.0.weight", "dtype": "float32", "shape": [2, 3], "nbytes": 24, "alias_of": "",
    }  # fmt: skip
    assert by_name.keys() == ARRAYS.keys()


def test_inspect_reads_other_formats(command: Any) -> None:
    np.savez("w.npz", **ARRAYS)  # type: ignore[arg-type]
    status, out, _ = command("inspect", "w.npz")
    assert status == 0 and out.startswith("w.npz: npz, ") and "net.0.weight  float32  2x3" in out


# -- convert


def test_convert_renames_selects_and_casts(command: Any) -> None:
    np.savez("w.npz", **ARRAYS)  # type: ignore[arg-type]
    words = [
        "--prefix",
        "net.",
        "--rename",
        r"^(\d+)\.=layers.\1.",
        "--dtype",
        "float16",
        "--ignore",
        "*.bias",
    ]
    status, out, _ = command("convert", "w.npz", "new.safetensors", *words)
    assert status == 0
    size = os.path.getsize("new.safetensors")
    assert out == f"Wrote new.safetensors: 1 tensors of float16, {size:,} bytes\n"
    stored = record.read("new.safetensors")
    assert dict(stored.dtypes) == {"layers.0.weight": "F16"}
    assert stored.arrays["layers.0.weight"].tolist() == ARRAYS["net.0.weight"].tolist()


def test_convert_keeps_what_is_there_unless_it_is_forced(command: Any) -> None:
    Path("new.safetensors").write_bytes(b"old")
    told = "backburner: convert: new.safetensors: it is there already. Use --force to replace it.\n"
    assert command("convert", "w.safetensors", "new.safetensors") == (1, "", told)
    assert Path("new.safetensors").read_bytes() == b"old"
    assert command("convert", "w.safetensors", "new.safetensors", "--force")[0] == 0
    assert dict(record.read("new.safetensors").metadata) == {"from": "a\n  test", "long": "x" * 400}


CONVERT: dict[str, tuple[str, int, str]] = {
    "no source": ("none.pt new.safetensors", 1, "backburner: none.pt: No such file or directory"),
    "no folder": ("w.safetensors no/new.safetensors", 1, "backburner: no/new.safetensors: No such file or directory"),
    "onto itself": ("w.safetensors w.safetensors --force", 1, "backburner: convert: w.safetensors: it is the source."),
    "no such prefix": ("w.safetensors n.safetensors --prefix x.", 1, "backburner: record.convert: no name in the file"),
    "no pattern": ("w.safetensors n.safetensors --rename (=x", 1, "backburner: record.convert: "),
    "nothing matches": ("w.safetensors n.safetensors --only y*", 1, "backburner: record.convert: only: no name matches 'y*'"),
    "another ending": ("w.safetensors new.pt", 2, "TARGET 'new.pt' needs a name that ends in .safetensors"),
    "no equals sign": ("w.safetensors n.safetensors --rename abc", 2, "'abc' is no PATTERN=REPLACEMENT"),
    "another dtype": ("w.safetensors n.safetensors --dtype int8", 2, "argument --dtype: invalid choice: 'int8'"),
}  # fmt: skip


@pytest.mark.parametrize("words, wanted, told", CONVERT.values(), ids=CONVERT)
def test_what_cannot_be_converted_is_told_and_nothing_is_written(
    words: str, wanted: int, told: str, command: Any
) -> None:
    status, out, err = command("convert", *words.split())
    assert (status, out) == (wanted, "")
    assert told in err and (wanted == 2 or err.count("\n") == 1)
    assert os.listdir() == ["w.safetensors"]


@pytest.mark.parametrize("words", ["inspect x.bin", "convert x.bin y.safetensors", "summary x.bin"])
def test_a_file_of_something_else_is_told(words: str, command: Any) -> None:
    Path("x.bin").write_bytes(b"something else entirely")
    status, out, err = command(*words.split())
    assert (status, out) == (1, "") and "x.bin: " in err and err.count("\n") == 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_convert_takes_each_dtype_that_it_offers(dtype: str, command: Any) -> None:
    assert command("convert", "w.safetensors", "new.safetensors", "--dtype", dtype)[0] == 0


# -- summary

CODE = """
from backburner import nn

def make():
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU())

class Two(nn.Module):
    def __init__(self):
        self.one = nn.Linear(2, 3)

    def forward(self, x, y):
        return self.one(x) + y

built = make()
number = 3

def fail():
    return {}["layer"]
"""
SUMMARIES: dict[str, tuple[str, list[str]]] = {
    "a function": ("code_of_mine:make --input 1x3x8x8", ["112 parameters: 112 trainable", "[1, 4, 6, 6]"]),
    "commas": ("code_of_mine:make --input 1,3,8,8", ["[1, 4, 6, 6]", "multiply-adds in a forward pass"]),
    "a module": ("code_of_mine:built", ["448 bytes of parameters"]),
    "a class of two inputs": ("code_of_mine:Two --input 5x2 --input 5x3", ["9 parameters", "[5, 3]"]),
    "a file of ours": ("digits.safetensors", ["12,730 parameters", "[1, 10]"]),
    "a file of ours, a batch": ("digits.safetensors --input 7x1x8x8", ["[7, 10]"]),
}  # fmt: skip


@pytest.mark.parametrize("words, told", SUMMARIES.values(), ids=SUMMARIES)
def test_summary_shows_a_models_layers(words: str, told: list[str], command: Any) -> None:
    Path("code_of_mine.py").write_text(CODE)
    digits.save(digits.network(), "digits.safetensors")
    status, out, err = command("summary", *words.split())
    assert (status, err) == (0, "")
    for part in told:
        assert part in out


NO_SUMMARIES: dict[str, tuple[str, int, str]] = {
    "no file": ("none.safetensors", 1, "none.safetensors: No such file or directory"),
    "weights alone": ("w.safetensors", 1, "summary: w.safetensors: it has weights, but not the layers that they belong to"),
    "no such package": ("none_such:make", 1, "summary: none_such:make: importing none_such failed: ModuleNotFoundError: "),
    "no such name": ("code_of_mine:nothing", 1, "summary: code_of_mine has no 'nothing'."),
    "no model": ("code_of_mine:number", 1, "summary: code_of_mine:number is a int, not an nn.Module or what returns one."),
    "code that fails": ("code_of_mine:fail", 1, "summary: code_of_mine:fail: calling fail() failed: KeyError: 'layer'"),
    "another shape": ("code_of_mine:make --input 1x2", 1, "conv2d: the input must be [n, c, h, w]"),
    "too few inputs": ("code_of_mine:Two --input 5x2", 1, "code_of_mine:Two does not take the input (5, 2): TypeError: "),
    "no shape": ("code_of_mine:make --input 3xfour", 2, "argument --input: invalid shape value: '3xfour'"),
}  # fmt: skip


@pytest.mark.parametrize("words, wanted, told", NO_SUMMARIES.values(), ids=NO_SUMMARIES)
def test_what_has_no_summary_is_told(words: str, wanted: int, told: str, command: Any) -> None:
    Path("code_of_mine.py").write_text(CODE)
    status, out, err = command("summary", *words.split())
    assert (status, out) == (wanted, "")
    assert told in err and "Traceback" not in err
