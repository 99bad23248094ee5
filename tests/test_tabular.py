"""Tables from CSV to a file and back: what train and predict do with files from the wild, and what they refuse."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backburner import cli, record
from backburner.errors import ArgumentError
from backburner.models import tabular as model
from backburner.train import TabularTrained, tabular
from backburner_autodiff.train import _folds, _linear, _tabular

pytestmark = pytest.mark.feature_set("autodiff")

BARE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "llvmlite", "backburner_autodiff"):
            raise ModuleNotFoundError(f"{name} was asked for", name=name)

sys.meta_path.insert(0, Refuse())
from backburner import cli
sys.exit(cli.main(sys.argv[1:]))
"""
QUICK = ["--hidden", "8", "--epochs", "3"]


def text(rows: list[dict[str, object]], **options: Any) -> str:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n", **options)
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def fruit(n: int = 96, seed: int = 0) -> list[dict[str, object]]:
    """A table in which colour and size tell the kind, and size and the day the price."""
    draw = np.random.default_rng(seed)
    rows: list[dict[str, object]] = []
    for i in range(n):
        kind = ("apple, red", "pear", "plum")[i % 3]
        size = 3.0 + 2 * (i % 3) + draw.normal() * 0.3
        rows.append({
            "number": i + 1,
            "size": "" if i % 11 == 5 else f"{size:.3f}",
            "colour": ("red", "green", "blue")[i % 3] if i % 7 else "",
            "picked": f"2024-{1 + i % 12:02}-{1 + i % 28:02}",
            "note": f"fruit no. {i}",
            "price": f"{2 * size + i % 12 / 4:.3f}",
            "kind": kind,
        })  # fmt: skip
    return rows


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs a command line in an empty folder, and gives status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        try:
            status = cli.main([str(a) for a in arguments])
        except SystemExit as error:
            status = int(error.code or 0)
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TabularTrained]:
    """Return a folder with fruit.csv and a network that tells kinds, by small networks."""
    folder = tmp_path_factory.mktemp("fruit")
    (folder / "fruit.csv").write_text(text(fruit()))
    made = tabular(
        folder / "fruit.csv",
        folder / "kind.safetensors",
        target="kind",
        ignore=["price"],
        hidden=(16,),
        show=False,
    )
    return folder, made


def told(answer: tuple[int, str, str]) -> list[list[str]]:
    status, out, err = answer
    assert status == 0, err
    return list(csv.reader(io.StringIO(out)))


# -- what it learns and leaves


def test_classes_are_learned_and_the_scores_are_those_of_rows_it_did_not_learn_from(
    trained: tuple[Path, TabularTrained],
) -> None:
    _, made = trained
    assert made.task == "classification" and not made.interrupted
    assert made.columns == ("size", "colour", "picked")
    assert made.scores["network"]["accuracy"] > 0.97
    assert made.scores["most frequent class"]["accuracy"] == pytest.approx(1 / 3, abs=0.02)
    assert made.scores["most frequent class"]["log loss"] == pytest.approx(math.log(3), abs=0.02)
    assert set(made.scores) == {"network", "linear model", "most frequent class"}
    assert [note for note in made.notes if "ignored" in note] == [
        "number: ignored: it numbers the rows",
        "note: ignored: it is text with 96 different values in 96 rows",
    ]


def test_numbers_are_learned_in_their_own_units(command: Any) -> None:
    Path("fruit.csv").write_text(text(fruit()))
    status, out, _ = command("train", "fruit.csv", "--target", "price", "--hidden", 16)
    assert status == 0
    lines = out.splitlines()
    assert lines[0].startswith("regression of 'price': it holds numbers with decimals; --task classification")
    assert "96 rows, 4 columns: size, colour, picked, kind" in lines[1]
    assert any(line.startswith("  linear model   R2 0.") for line in lines)
    assert lines[-1] == "Now: backburner predict model.safetensors fruit.csv"
    rows = told(command("predict", "model.safetensors", "fruit.csv"))
    found = np.array([float(row[0]) for row in rows[1:]])
    truth = np.array([float(str(row["price"])) for row in fruit()])
    assert rows[0] == ["prediction"]
    assert 1 - ((found - truth) ** 2).mean() / truth.var() > 0.9


def test_a_network_beats_a_linear_model_where_the_truth_is_bent(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    x = draw.uniform(-2, 2, (400, 2))
    rows: list[dict[str, object]] = [{"a": f"{a:.4f}", "b": f"{b:.4f}", "y": f"{a * b:.4f}"} for a, b in x]
    (tmp_path / "bent.csv").write_text(text(rows))
    made = tabular(tmp_path / "bent.csv", tmp_path / "bent.safetensors", target="y", show=False)
    assert made.scores["linear model"]["R2"] < 0.05
    assert made.scores["network"]["R2"] > 0.8


def test_nothing_to_find_is_told_and_does_no_worse_than_a_guess(command: Any) -> None:
    draw = np.random.default_rng(1)
    rows: list[dict[str, object]] = [
        {"a": f"{a:.4f}", "y": "yes" if b > 0 else "no"} for a, b in draw.normal(size=(60, 2))
    ]
    Path("noise.csv").write_text(text(rows))
    status, out, _ = command("train", "noise.csv", "--target", "y", "--hidden", 8)
    assert status == 0
    assert "Nothing was found in these columns that tells of the target" in out
    answer = model.Predictor("model.safetensors")("noise.csv")
    assert np.abs(answer.values - 0.5).max() < 0.3


def test_rare_classes_are_learned_where_they_can_be(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"x": "gold" if i % 40 == 7 else "tin", "z": i % 3, "y": "rare" if i % 40 == 7 else "usual"}
        for i in range(400)
    ]
    (tmp_path / "rare.csv").write_text(text(rows))
    tabular(tmp_path / "rare.csv", tmp_path / "m.safetensors", target="y", show=False)
    answer = model.Predictor(tmp_path / "m.safetensors")(tmp_path / "rare.csv")
    assert [share > 0.5 for share in answer.values[:, 0]] == [row["y"] == "rare" for row in rows]


def test_rows_without_a_target_are_left_out_and_told(command: Any) -> None:
    rows = fruit(40)
    for row in rows[3:9]:
        row["price"] = ""
    rows[20]["price"] = "inf"
    Path("fruit.csv").write_text(text(rows))
    status, out, _ = command("train", "fruit.csv", "--target", "price", *QUICK)
    assert status == 0 and "\n  left out 7 rows without a 'price'\n" in out and "\n33 rows, " in out


def test_a_seed_decides_every_byte_whatever_the_number_of_threads(tmp_path: Path) -> None:
    (tmp_path / "fruit.csv").write_text(text(fruit()))

    def bytes_of(name: str, seed: str, **variables: str) -> bytes:
        command = [
            sys.executable,
            "-W",
            "error",
            "-m",
            "backburner",
            "train",
            "fruit.csv",
            "--target",
            "kind",
        ]
        done = subprocess.run(
            [*command, "--seed", seed, "-o", name, *QUICK],
            cwd=tmp_path, env={**os.environ, **variables}, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        return (tmp_path / name).read_bytes()

    first = bytes_of("a.safetensors", "5")
    one = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "NUMBA")}
    assert bytes_of("b.safetensors", "5", **one) == first
    assert bytes_of("c.safetensors", "6") != first


def test_labels_are_given_back_as_they_were_spelled(command: Any) -> None:
    Path("n.csv").write_text("x,y\n" + "".join(f"{i % 2},{'1.0' if i % 2 else '-3.0'}\n" for i in range(40)))
    assert command("train", "n.csv", "--target", "y", "--hidden", 8)[0] == 0
    rows = told(command("predict", "model.safetensors", "n.csv", "--probabilities"))
    assert rows[0] == ["prediction", "probability_-3.0", "probability_1.0"]
    assert [row[0] for row in rows[1:3]] == ["-3.0", "1.0"]
    assert all(math.isclose(float(a) + float(b), 1, abs_tol=2e-6) for _, a, b in rows[1:])


def test_a_task_may_be_chosen(command: Any) -> None:
    Path("n.csv").write_text("x,y\n" + "".join(f"{i % 3},{i % 3}\n" for i in range(40)))
    status, out, _ = command("train", "n.csv", "--target", "y", "--task", "regression", *QUICK)
    assert status == 0
    assert out.startswith("regression of 'y': --task says so; it holds 3 different whole numbers\n")
    assert told(command("predict", "model.safetensors", "n.csv"))[1][0].count(".") == 1


def test_a_large_table_is_judged_by_rows_of_its_own_and_its_steps_are_capped(
    command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_folds, "SMALL", 50)
    monkeypatch.setattr(_folds, "MOST_STEPS", 12)
    Path("fruit.csv").write_text(text(fruit(200)))
    status, out, _ = command("train", "fruit.csv", "--target", "kind", "--hidden", 8)
    assert status == 0
    assert "Training 4 networks of " in out and "at most 12 steps of 32 rows (2.4 epochs)" in out
    assert "A table of this size is not seen more often; --epochs changes that" in out


# -- predict


def test_columns_are_found_by_name_in_any_order_and_others_are_told(
    command: Any, trained: tuple[Path, TabularTrained]
) -> None:
    folder, _ = trained
    wanted = told(command("predict", folder / "kind.safetensors", folder / "fruit.csv"))
    rows = [{"more": 1, **{name: row[name] for name in ("picked", "size", "colour")}} for row in fruit()]
    Path("other.csv").write_text("\ufeff" + text(rows, delimiter=";").replace("\n", "\r\n\r\n"), newline="")
    status, out, err = command("predict", folder / "kind.safetensors", "other.csv")
    assert (status, list(csv.reader(io.StringIO(out)))) == (0, wanted)
    assert err == "note: columns that the network does not use: more\n"


def test_a_target_in_the_table_gives_a_score(command: Any, trained: tuple[Path, TabularTrained]) -> None:
    folder, _ = trained
    rows = fruit()
    rows[0]["kind"], rows[1]["kind"], rows[2]["kind"] = "", "mango", "mango"
    Path("some.csv").write_text(text(rows))
    _, _, err = command("predict", folder / "kind.safetensors", "some.csv")
    answers = model.Predictor(folder / "kind.safetensors")("some.csv").values.argmax(axis=1)[1:]
    right = np.mean(answers == [-1, -1, *(i % 3 for i in range(3, 96))])
    assert f"score on 95 rows that have 'kind': accuracy {right:.2%}, log loss " in err
    assert 0.8 < right < 93.5 / 95


def test_a_target_that_is_no_number_gives_no_score_but_predictions(command: Any) -> None:
    Path("fruit.csv").write_text(text(fruit(40)))
    assert command("train", "fruit.csv", "--target", "price", *QUICK)[0] == 0
    rows = fruit(8)
    rows[3]["price"] = "dear"
    Path("new.csv").write_text(text(rows))
    status, out, err = command("predict", "model.safetensors", "new.csv")
    assert (status, out.count("\n")) == (0, 9)
    assert "note: no score: 'price' is not a number in every row" in err and "score on" not in err


def test_a_file_tells_which_columns_training_saw_and_did_not_use(
    command: Any, trained: tuple[Path, TabularTrained]
) -> None:
    rows: list[dict[str, object]] = [{**row, "new\nname": 1} for row in fruit()]
    Path("more.csv").write_text(text(rows))
    _, _, err = command("predict", trained[0] / "kind.safetensors", "more.csv")
    assert err.startswith("note: columns that the network does not use: 'new\\nname'\nscore on 96 rows")


def test_numbers_far_from_zero_are_written_with_digits_that_tell_them_apart(command: Any) -> None:
    rows: list[dict[str, object]] = [
        {"a": i * i % 61, "y": 1_700_000_000_000 + 3 * (i * i % 61)} for i in range(60)
    ]
    Path("far.csv").write_text(text(rows))
    assert command("train", "far.csv", "--target", "y", *QUICK)[0] == 0
    found = [float(row[0]) for row in told(command("predict", "model.safetensors", "far.csv"))[1:]]
    assert found == pytest.approx([row["y"] for row in rows], abs=20, rel=0) and len(set(found)) > 25


def test_a_cell_may_be_long_and_labels_are_utf_8_in_any_locale(command: Any, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"a": i % 2, "note": "x" * 200_000 * (i == 3), "y": "läßt"[: i % 2 + 2]} for i in range(30)
    ]
    Path("long.csv").write_text(text(rows), encoding="utf-8")
    limit = csv.field_size_limit()
    assert command("train", "long.csv", "--target", "y", *QUICK)[0] == 0
    assert csv.field_size_limit() == limit
    done = subprocess.run(
        [sys.executable, "-m", "backburner", "predict", "model.safetensors", "long.csv"], capture_output=True, timeout=120,
        env={**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    )  # fmt: skip
    assert done.returncode == 0 and set(done.stdout.decode("utf-8").split()) == {"prediction", "lä", "läß"}


def test_unseen_categories_and_missing_values_are_answered(
    command: Any, trained: tuple[Path, TabularTrained]
) -> None:
    folder, _ = trained
    Path("new.csv").write_text(
        "size,colour,picked\n3.1,violet,2024-05-05\n,,\ninf,red,1999-01-01\n1e300,,soon\n"
    )
    rows = told(command("predict", folder / "kind.safetensors", "new.csv", "--probabilities"))
    assert len(rows) == 5 and rows[1][0] == "apple, red"
    assert rows[0][1:] == ["probability_apple, red", "probability_pear", "probability_plum"]


def test_a_table_of_names_alone_gives_a_table_of_names_alone(
    command: Any, trained: tuple[Path, TabularTrained]
) -> None:
    Path("new.csv").write_text("size,colour,picked\n")
    assert told(command("predict", trained[0] / "kind.safetensors", "new.csv")) == [["prediction"]]


def test_a_row_gets_the_same_answer_alone_and_in_company(trained: tuple[Path, TabularTrained]) -> None:
    folder, _ = trained
    predict = model.Predictor(folder / "kind.safetensors")
    together = predict(folder / "fruit.csv").values
    (folder / "one.csv").write_text(text(fruit()[6:7]))
    assert predict(folder / "one.csv").values.tobytes() == together[6:7].tobytes()


def test_an_installation_without_numba_answers_with_the_same_text(
    command: Any, trained: tuple[Path, TabularTrained]
) -> None:
    folder, _ = trained
    words = ["predict", str(folder / "kind.safetensors"), str(folder / "fruit.csv"), "--probabilities"]
    done = subprocess.run([sys.executable, "-W", "error", "-c", BARE, *words], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == command(*words)


def test_predictions_go_to_a_file_whole_or_not_at_all(
    command: Any, trained: tuple[Path, TabularTrained], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["predict", trained[0] / "kind.safetensors", trained[0] / "fruit.csv"]
    _, out, _ = command(*words)
    Path("p.csv").write_text("old")
    status, nothing, err = command(*words, "-o", "p.csv")
    assert (status, nothing) == (0, "") and "Wrote p.csv: 96 predictions of 'kind'\n" in err
    assert Path("p.csv").read_text() == out
    monkeypatch.setattr(
        os, "fsync", lambda descriptor: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    Path("p.csv").write_text("old")
    assert command(*words, "-o", "p.csv")[::2] == (1, "backburner: p.csv: No space left on device\n")  # fmt: skip
    assert os.listdir() == ["p.csv"] and Path("p.csv").read_text() == "old"


@pytest.mark.parametrize(
    "redirection, status, told",
    [(">&-", 0, ""), ("> /dev/full", 1, "backburner: [Errno 28] No space left on device\n"), ("| head -1", 0, ""),
     ("-o /dev/full", 1, "backburner: /dev/full: No space left on device\n")],
)  # fmt: skip
def test_streams_that_take_nothing_bring_no_traceback(
    redirection: str, status: int, told: str, trained: tuple[Path, TabularTrained]
) -> None:
    (trained[0] / "bare.csv").write_text("size,colour,picked\n" + "3,red,2024-01-01\n" * 20_000)
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f'"$@" {redirection}', "bash", sys.executable, "-m", "backburner",
         "predict", str(trained[0] / "kind.safetensors"), str(trained[0] / "bare.csv")],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (status, told)


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


# -- Ctrl-C and a full disk


def interrupting_at(monkeypatch: pytest.MonkeyPatch, *steps: int) -> None:
    """Press Ctrl-C in the middle of these steps, counted from 1."""
    taken = 0
    true = _tabular.F.cross_entropy

    def pressed(*args: Any, **options: Any) -> Any:
        nonlocal taken
        taken += 1
        if taken in steps:
            signal.raise_signal(signal.SIGINT)
        return true(*args, **options)

    monkeypatch.setattr(_tabular.F, "cross_entropy", pressed)


def test_ctrl_c_saves_what_is_best_so_far_and_exits_with_130(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fruit.csv").write_text(text(fruit()))
    interrupting_at(monkeypatch, 5)
    assert cli.main(["train", "fruit.csv", "--target", "kind", "--hidden", "8"]) == 130
    out, err = capfd.readouterr()
    assert re.search(r" 5 steps[; ]", out)
    assert "Interrupted" in err and "Traceback" not in err
    assert len(model.Predictor("model.safetensors")("fruit.csv").values) == 96


def test_a_second_ctrl_c_while_saving_leaves_the_old_file_and_no_other(
    command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("fruit.csv").write_text(text(fruit()))
    Path("model.safetensors").write_bytes(b"old")
    interrupting_at(monkeypatch, 2)
    fsync = os.fsync
    monkeypatch.setattr(
        os, "fsync", lambda descriptor: signal.raise_signal(signal.SIGINT) or fsync(descriptor)
    )
    assert command("train", "fruit.csv", "--target", "kind", "--hidden", 8)[0] == 130
    assert sorted(os.listdir()) == ["fruit.csv", "model.safetensors"]
    assert Path("model.safetensors").read_bytes() == b"old"


def test_a_full_disk_is_told_and_the_old_file_stays(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("fruit.csv").write_text(text(fruit()))
    Path("model.safetensors").write_bytes(b"old")
    monkeypatch.setattr(
        os, "fsync", lambda descriptor: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    status, _, err = command("train", "fruit.csv", "--target", "kind", *QUICK)
    assert (status, err) == (1, "backburner: model.safetensors: No space left on device\n")
    assert Path("model.safetensors").read_bytes() == b"old"


# -- the parts


@pytest.mark.parametrize("n, share, small", [(90, None, 100), (91, 0.25, 100), (7, None, 100), (400, None, 100), (400, 0.3, 100)])  # fmt: skip
def test_no_member_learns_from_the_rows_that_judge_it_and_all_rows_are_used(
    n: int, share: float | None, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_folds, "SMALL", small)
    for y in (np.arange(n) % 3, np.linspace(0, 1, n, dtype=np.float32)):
        folds = _folds.make(y, share, 0)
        for train, held_out in zip(folds.train, folds.held_out, strict=True):
            assert not set(train) & set(held_out) and len(train) + len(held_out) == n
            assert y[train].mean() == pytest.approx(y[held_out].mean(), abs=0.6 if n < 10 else 0.15)
        assert set(np.concatenate(folds.train)) | set(np.concatenate(folds.held_out)) == set(range(n))
        if not folds.shared:
            assert sorted(np.concatenate(folds.held_out)) == list(range(n))
            assert folds.members == (min(8, n // 2) if share is None else 4)
        else:
            assert len(folds.held_out[0]) == round(n * (share or 0.1))
        draws = _folds.Draws(folds, 3, 0)
        batches = list(draws)
        assert len(batches) == draws.steps == 3 * (min(map(len, folds.train)) // draws.size)
        for member, train in enumerate(folds.train):
            rows = np.concatenate([batch[member] for batch in batches[: draws.steps // 3]])
            assert set(rows) <= set(train) and len(set(rows)) == len(rows)


def test_a_linear_start_is_where_its_slope_is_zero() -> None:
    draw = np.random.default_rng(0)
    x = draw.normal(size=(80, 5))
    x[:, 1] += x[:, 0]
    labels = (x[:, 0] + draw.normal(size=80) > 0).astype(int) + (x[:, 2] > 1)
    y = np.eye(3)[labels]
    for penalty in (0.3, 30.0):
        w, b = _linear.logistic(x, y, penalty)
        miss = _linear.softmax(x @ w + b) - y
        assert np.abs(x.T @ miss + penalty * w).max() < 1e-2 and np.abs(miss.sum(axis=0)).max() < 1e-2
        target = x @ draw.normal(size=(5, 1)) + 3
        w, b = _linear.ridge(x, target, penalty)
        miss = x @ w + b - target
        assert np.abs(x.T @ miss + penalty * w).max() < 1e-9 and np.abs(miss.sum()) < 1e-9


@pytest.mark.parametrize("true", [0.66, 1.0, 2.0, 3.0])
def test_shares_are_made_as_sharp_as_the_classes_are(true: float) -> None:
    draw = np.random.default_rng(0)
    z = draw.normal(size=(20_000, 3)).astype(np.float32)
    y = (z * true + draw.gumbel(size=z.shape)).argmax(axis=1)  # drawn with the shares softmax(z * true)
    assert _tabular._sharpness((z[:9000], z[9000:]), (y[:9000], y[9000:])) == pytest.approx(true, rel=0.1)
