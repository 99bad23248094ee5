"""Tables from CSV to a file and back: what train and predict do with files from the wild, and what they refuse."""

from __future__ import annotations

import csv
import io
import math
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backburner import cli, threads
from backburner.models import tabular as model
from backburner.train import TabularTrained, tabular
from backburner_autodiff.train import _folds, _linear, _tabular
from fruit import QUICK, fruit, text

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


def test_a_prediction_takes_one_thread_of_blas_and_leaves_them_as_they_were(
    trained: tuple[Path, TabularTrained], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    combine = model.combine

    def watched(*args: Any) -> Any:
        seen.append(threads.is_deterministic())
        return combine(*args)

    monkeypatch.setattr(model, "combine", watched)
    model.Predictor(trained[0] / "kind.safetensors")(trained[0] / "fruit.csv")
    assert seen == [True] and not threads.is_deterministic()


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
