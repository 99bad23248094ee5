"""Tables and files that cannot be used, and options that make no sense: told in a line, and nothing is written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backburner import record
from backburner.errors import ArgumentError
from backburner.models import tabular as model
from backburner.train import TabularTrained, tabular
from fruit import QUICK, fruit, text

pytestmark = pytest.mark.feature_set("autodiff")


# -- what is refused

FRUIT = text(fruit(30))
USER_ERRORS: dict[str, tuple[str, str, str]] = {
    "no file": ("", "none.csv --target kind", "none.csv: No such file or directory"),
    "a folder": ("", ". --target kind", ".: Is a directory"),
    "empty": ("", "x.csv --target kind", "read_csv: x.csv has no rows."),
    "names alone": ("kind,size\n", "x.csv --target kind", "train: x.csv: too few rows to learn from: of 0 rows 0 have"),
    "one row": ("kind,size\na,1\n", "x.csv --target kind", "train: x.csv: too few rows to learn from: of 1 row 1 have"),
    "no target in any row": (
        "kind,size\n" + ",1\n" * 9, "x.csv --target kind",
        "train: x.csv: too few rows to learn from: of 9 rows 0 have a 'kind'. At least 4 must.",
    ),
    "one class": ("kind,size\n" + "a,1\n" * 9, "x.csv --target kind", "train: there is nothing to learn: the target 'kind'"),
    "binary": ("\0\1\2" * 99, "x.csv --target kind", "read_csv: x.csv is no text: it has zero bytes, the first at byte 0. "
        "Take them out, save the table as CSV, or give the encoding if it is UTF-16."),
    "no such column": (
        FRUIT, "x.csv --target Kind",
        "train: x.csv: there is no column 'Kind' (is it 'kind'?). It has: 'number', 'size', ",
    ),
    "no such column to ignore": (
        FRUIT, "x.csv --target kind --ignore sise note",
        "train: x.csv: there is no column 'sise' (is it 'size'?). It has: ",
    ),
    "the target ignored": (FRUIT, "x.csv --target kind --ignore kind", "train: 'kind' is the target and cannot be ignored."),
    "nothing left": (
        "id,kind\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(30)), "x.csv --target kind",
        "train: x.csv: no column is left to learn 'kind' from: id: ignored: it numbers the rows.",
    ),
    "text as a number": (FRUIT, "x.csv --target kind --task regression", "train: the target 'kind' is not made of numbers"),
    "ragged": ("a,b\n1,2\n1,2,3\n", "x.csv --target a", "read_csv: x.csv, line 3: 3 cells where there are 2 columns."),
    "another ending": (FRUIT, "x.csv --target kind -o model.pt", "train: model.pt: needs a file called .safetensors."),
    "no folder to write to": (FRUIT, "x.csv --target kind -o no/m.safetensors", "no: there is no such directory"),
    "no place to write": (FRUIT, "x.csv --target kind -o /proc/m.safetensors", "/proc/m.safetensors: "),
    "no epoch": (FRUIT, "x.csv --target kind --epochs 0", "train: epochs is an integer from 1 on, not 0."),
    "a negative seed": (FRUIT, "x.csv --target kind --seed -1", "train: seed is an integer from 0 on, not -1."),
    "no width": (FRUIT, "x.csv --target kind --hidden 0", "train: hidden is widths from 1 to 4096, such as 64, 64;"),
    "another encoding": (FRUIT, "x.csv --target kind --encoding klingon", "read_csv: Python knows no encoding 'klingon' of text. "
        "Common ones are utf-8, utf-16, cp1252."),
}  # fmt: skip


@pytest.mark.parametrize("content, words, told", USER_ERRORS.values(), ids=USER_ERRORS)
def test_what_cannot_be_trained_on_is_told_in_a_line_and_nothing_is_written(
    content: str, words: str, told: str, command: Any, tmp_path: Path
) -> None:
    Path("x.csv").write_text(content)
    status, out, err = command("train", *words.split())
    assert (status, out) == (1, "")
    assert err.startswith(f"backburner: {told}") and err.count("\n") == 1
    assert os.listdir(tmp_path) == ["x.csv"]


OPTIONS: dict[str, tuple[str, str]] = {
    "no target": ("train x.csv", "the following arguments are required: --target, the column of x.csv to predict"),
    "a target of the digits": ("train digits --target y", "--target is for a CSV file, not for `digits`."),
    "a share of the digits": ("train digits --valid-share 0.2", "--valid-share is for a CSV file"),
    "another task": ("train x.csv --target y --task ranking", "argument --task: invalid choice: 'ranking'"),
    "a whole share": ("train x.csv --target y --valid-share 1", "argument --valid-share: 1 is not a share above 0"),
    "words as widths": ("train x.csv --target y --hidden 8,x", "argument --hidden: invalid list of widths value: '8,x'"),
    "a long delimiter": ("train x.csv --target y --delimiter ;;", "argument --delimiter: ';;' is not one character"),
    "the table before the model": (
        "predict x.csv {model}", "the model comes first: backburner predict {model} x.csv"),
    "a quote as delimiter": ('train x.csv --target y --delimiter "', "is not one character, or is a quote"),
    "an output that is the input": ("predict {model} {model} -o {model}", "--output {model} is what is read, and would be lost"),
    "an output of training that is the input": ("train {model} --target y -o {model}", "would be lost: name another file"),
    "an output without a name": ("predict {model} x.csv --output=", "--output is empty: name a file"),
    "a sample of a table": ("predict {model} --sample 3", "--sample is for the digits, and {model} is for tables"),
}  # fmt: skip


@pytest.mark.parametrize("words, told", OPTIONS.values(), ids=OPTIONS)
def test_a_wrong_option_exits_with_2(
    words: str, told: str, command: Any, trained: tuple[Path, TabularTrained]
) -> None:
    file = trained[0] / "kind.safetensors"
    status, out, err = command(*words.format(model=file).split())
    assert (status, out) == (2, "")
    assert told.format(model=file) in err


def test_probabilities_of_a_number_exit_with_2(command: Any) -> None:
    Path("fruit.csv").write_text(text(fruit(40)))
    assert command("train", "fruit.csv", "--target", "price", *QUICK)[0] == 0
    status, _, err = command("predict", "model.safetensors", "fruit.csv", "--probabilities")
    assert status == 2 and "--probabilities: 'price' is a number, which has none" in err


TABLES: dict[str, tuple[str, str]] = {
    "a column is missing": (
        "size,color,picked\n1,red,2024-01-01\n",
        "predict: x.csv: there is no column 'colour' (is it 'color'?). It has: 'size', 'color', 'picked'.",
    ),
    "columns are missing": ("size\n1\n", "predict: x.csv: there are no columns 'colour', 'picked'. It has: 'size'. "
        "If there are more, tell with --delimiter what is between them. If that is a title or a comment, delete it: the "
        "first line has the names."),
    "text for a number": (
        "size,colour,picked\n1,red,2024-01-01\nbig,red,2024-01-01\n",
        "read_csv: x.csv, line 3: the column 'size' is told to be numbers, and 'big' is none. "
        "Mend that cell, or leave it empty.",
    ),
    "numbers for names": (
        "1,2,3\n4,5,6\n",
        "predict: x.csv: there are no columns 'size', 'colour', 'picked'. It has: '1', '2', '3'. Those are no names: put "
        "a line with the names of the columns at its top.",
    ),
    "empty": ("", "read_csv: x.csv has no rows."),
}  # fmt: skip


@pytest.mark.parametrize("content, told", TABLES.values(), ids=TABLES)
def test_a_table_that_cannot_be_answered_is_told(
    content: str, told: str, command: Any, trained: tuple[Path, TabularTrained]
) -> None:
    Path("x.csv").write_text(content)
    answer = command("predict", trained[0] / "kind.safetensors", "x.csv")
    assert answer == (1, "", f"backburner: {told}\n")


def damaged(details: dict[str, Any], **changes: Any) -> str:
    return json.dumps({**details, **changes})


MODELS: dict[str, tuple[Callable[[dict[str, Any]], str], str]] = {
    "a later version": (lambda d: damaged(d, version=2), "is of version 2, and this Backburner reads version 1."),
    "no JSON": (lambda d: "{", "is damaged. Train again."),
    "no object": (lambda d: "[1]", "is damaged. Train again."),
    "no columns": (lambda d: damaged(d, columns=[]), "is damaged. Train again."),
    "another kind": (lambda d: damaged(d, columns=[{**d["columns"][0], "kind": "smell"}]), "is damaged. Train again."),
    "a scale of 0": (
        lambda d: damaged(d, columns=[{**d["columns"][0], "scale": [0, 0, 1, 0, 1]}]), "is damaged. Train again.",
    ),
    "one label": (lambda d: damaged(d, target={**d["target"], "labels": ["a"]}), "is damaged. Train again."),
    "other widths": (lambda d: damaged(d, hidden=[17]), "load: 3 mismatched ("),
    "fewer members": (lambda d: damaged(d, members=7), "load: 6 mismatched ("),
}  # fmt: skip


@pytest.mark.parametrize("spoil, told", MODELS.values(), ids=MODELS)
def test_a_file_that_is_damaged_is_told(
    spoil: Any, told: str, command: Any, trained: tuple[Path, TabularTrained]
) -> None:
    stored = record.read(trained[0] / "kind.safetensors")
    metadata = dict(stored.metadata)
    metadata[model.DETAILS] = spoil(json.loads(metadata[model.DETAILS]))
    record.write("m.safetensors", stored.arrays, metadata)
    status, out, err = command("predict", "m.safetensors", trained[0] / "fruit.csv")
    assert (status, out) == (1, "")
    assert err.startswith("backburner: predict: m.safetensors: ") and told in err


def test_a_file_of_something_else_is_told_with_what_makes_one(command: Any) -> None:
    record.write("m.safetensors", {"x": np.zeros(3, np.float32)})
    Path("x.csv").write_text("a\n1\n")
    assert command("predict", "m.safetensors", "x.csv") == (1, "", "backburner: predict: m.safetensors: it has no "
        "'backburner.model' in its metadata, so it holds no network for tables. Make one with: backburner train "
        "data.csv --target COLUMN\n")  # fmt: skip


def test_weights_that_answer_with_nan_are_told(command: Any, trained: tuple[Path, TabularTrained]) -> None:
    stored = record.read(trained[0] / "kind.safetensors")
    arrays = {**stored.arrays, "last.bias": np.full_like(stored.arrays["last.bias"], np.nan)}
    record.write("m.safetensors", arrays, stored.metadata)
    status, _, err = command("predict", "m.safetensors", trained[0] / "fruit.csv")
    assert status == 1 and "the network answers with NaN or infinity: its weights are damaged." in err


@pytest.mark.parametrize(
    "arguments, told",
    [
        ({"task": "ranking"}, "task is 'classification' or 'regression', not 'ranking'."),
        ({"valid_share": 1}, "valid_share is above 0 and at most 0.5, not 1."),
        ({"hidden": 64}, "hidden is widths from 1 to 4096"),
        ({"epochs": True}, "epochs is an integer from 1 on, not True."),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments: Any, told: str, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError) as caught:
        tabular(tmp_path / "x.csv", tmp_path / "m.safetensors", target="y", **arguments)
    assert str(caught.value).startswith(f"train: {told}")
