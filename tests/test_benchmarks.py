"""The suite of benchmarks: its rows, its checks and its tables, and our side of each row, without other libraries."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import models, report
from benchmarks.__main__ import chosen
from benchmarks.groups import GROUPS, train
from benchmarks.harness import OURS, Disagreement, Group, Lab, Result, Row, Settings, Spread, agree

ROOT = Path(__file__).parents[1]
ROWS = [row for group in GROUPS for row in group.rows]
INFER = [row for row in ROWS if row.name.startswith("infer/")]
TRAIN = [row for row in ROWS if row.name.startswith("train/")]
SMALL = [row for row in ROWS if row.name.startswith("op/") and "/small/" in row.name]
CORE = [
    *(row for row in INFER if row.name.endswith("/1")),
    *(row for row in SMALL if row.name.endswith("/forward")),
    *(row for row in ROWS if row.name.startswith("overhead/plain/x")),
]
NAMED = {
    *("start/import", "start/prediction", "start/training-warm", "start/installed", "start/wheel"),
    *("memory/train/lenet", "memory/process/lenet", "memory/activations/region", "memory/time/budget"),
    *("growth/chain/1000", "growth/attention/1024", "growth/threads/mlp-mnist", "deterministic/lenet"),
}
EXTENSION = [
    *TRAIN,
    *(row for row in SMALL if not row.name.endswith("/forward")),
    *(row for row in ROWS if row.name.startswith("overhead/tracked/x.s") or row.name in NAMED),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        with Lab(Settings(rounds=1, turn=0.0, warm=0.0, peers=(), threads=(1,), quick=True)) as made:
            yield made


# -- rows


def test_names_are_unique_and_begin_with_their_group() -> None:
    assert max(Counter(row.name for row in ROWS).values()) == 1
    assert all(row.name.startswith(f"{group.name}/") for group in GROUPS for row in group.rows)


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_a_group_has_a_column_for_each_side_that_has_a_target(group: Group) -> None:
    assert group.columns[0] == OURS and set(group.means) <= set(group.columns)
    assert group.about.endswith(".")


def test_globs_choose_rows_and_quick_leaves_long_groups_out_unless_they_are_named() -> None:
    names = [row.name for _, rows in chosen(["train/mlp-*"], quick=True) for row in rows]
    assert names == ["train/mlp-tabular", "train/mlp-mnist"]
    assert sum(len(rows) for _, rows in chosen(["*"], quick=False)) == len(ROWS)
    assert [group.name for group, _ in chosen(["*"], quick=True)] == [g.name for g in GROUPS if not g.long]


def test_the_command_lists_rows_and_refuses_a_glob_without_any() -> None:
    command = [sys.executable, "-m", "benchmarks", "--list", "--rows"]
    done = subprocess.run([*command, "infer/lenet/*"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["infer/lenet/1", "infer/lenet/64"] and done.returncode == 0
    done = subprocess.run([*command, "lenet"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "no row matches lenet" in done.stderr


# -- our side of each row


def measured(row: Row, lab: Lab) -> Result:
    result = row.measure(lab, 1)
    assert result.name == row.name
    assert math.isfinite(result.cells[OURS].median) and result.cells.keys() <= set(columns(row))
    return result


def columns(row: Row) -> tuple[str, ...]:
    return next(group.columns for group in GROUPS if row in group.rows)


def test_each_kind_of_row_is_run_here() -> None:
    assert {name for name in NAMED if name not in {row.name for row in ROWS}} == set()
    kinds = {"/".join(row.name.split("/")[:2]) for row in ROWS}
    assert {"/".join(row.name.split("/")[:2]) for row in [*CORE, *EXTENSION]} | {"start/training-cold"} >= {
        kind for kind in kinds if not kind.startswith(("infer/", "deterministic/"))
    }


def test_every_model_is_in_a_row() -> None:
    assert {row.model for row in INFER} == set(models.MODELS)  # type: ignore[attr-defined]
    assert {row.model for row in TRAIN} == set(models.TRAINED)  # type: ignore[attr-defined]


@pytest.mark.parametrize("row", CORE, ids=lambda row: row.name)
def test_a_row_of_the_core_runs(row: Row, lab: Lab) -> None:
    measured(row, lab)


@pytest.mark.feature_set("autodiff")
@pytest.mark.parametrize("row", EXTENSION, ids=lambda row: row.name)
def test_a_row_of_the_extension_runs(row: Row, lab: Lab) -> None:
    measured(row, lab)


@pytest.mark.feature_set("autodiff")
def test_what_a_graph_holds_is_counted(lab: Lab) -> None:
    row = next(row for row in ROWS if row.name == "memory/activations/region")
    cells = row.measure(lab, 1).cells
    layer = 8 * 128 * 384 * 4  # the input of each of six layers is what regions have to keep
    assert 5 * layer <= cells[OURS].median <= 6 * layer * 1.05
    assert cells["plain"].median > 6 * 10 * layer


# -- checks


def test_results_that_differ_are_refused() -> None:
    a = {"y": np.array([1.0, -2.0]), "z": np.array([0.0])}
    agree({"ours": a, "torch": {**a, "y": np.array([1.0, -2.0 + 1e-5])}})
    with pytest.raises(Disagreement, match=r"torch and ours differ in y by 1\.3e-03"):
        agree({"ours": a, "torch": {**a, "y": np.array([1.0, -2.003])}})
    with pytest.raises(Disagreement, match="differ in y by inf"):
        agree({"ours": a, "torch": {**a, "y": np.array([1.0])}})
    with pytest.raises(Disagreement, match="torch and ours differ in z"):
        agree({"ours": a, "torch": {**a, "z": np.array([np.nan])}})
    with pytest.raises(Disagreement, match="do not give the same: z"):
        agree({"ours": a, "torch": {"y": a["y"]}})
    with pytest.raises(Disagreement, match="ours: z is not finite"):
        agree({"ours": {**a, "z": np.array([np.inf])}})


def stepped(**changes: Any) -> dict[str, np.ndarray]:
    gradient = np.linspace(-1, 1, 50, dtype=np.float32)
    before = np.linspace(-3, 2, 50, dtype=np.float32)
    found = {"loss": np.array(1.0), "losses": np.array([1.0, 0.9, 0.8]), "gradient/w": gradient}
    return found | {"before/w": before, "after/w": train.adam(before, gradient)} | changes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gradient/w": np.linspace(-1, 1.2, 50)}, "differ in gradient/w"),
        ({"losses": np.array([1.0, 0.9, 0.5])}, "differ in the loss after 2 steps"),
        ({"after/w": np.linspace(-3, 2, 50)}, "its first step is not Adam's"),
        ({"loss": np.array(1.001)}, "differ in loss"),
    ],
)
def test_training_that_differs_is_refused(changes: dict[str, Any], message: str) -> None:
    train.check({"ours": stepped(), "torch": stepped()})
    with pytest.raises(Disagreement, match=message):
        train.check({"ours": stepped(), "torch": stepped(**changes)})


# -- tables


def of(value: float) -> Spread:
    return Spread(value, value * 0.99, value * 1.01)


GROUP = Group("g", "What it is.", (), (OURS, "torch", "jax"), {"torch": 0.8})
RESULTS = [
    Result("g/a", 1, "s", {OURS: of(2e-3), "torch": of(4e-3)}, {"torch": of(0.5)}, {"torch": 1.0}),
    Result("g/b", 1, "s", {OURS: of(4e-6), "torch": of(2e-6)}, {"torch": of(2.0)}, {"torch": 1.0}),
    Result("g/c", 1, "B", {OURS: of(3e6)}, at_most=2e6, notes=["a note"]),
    Result("g/d", 1, error="torch and ours differ"),
]


def test_a_table_marks_what_misses_its_target() -> None:
    head, body = report.lines(GROUP, RESULTS)
    assert head == ["row", "threads", "ours", "torch", "/ torch"]
    assert body == [
        ["g/a", "1", "2.00 ms ±1%", "4.00 ms ±1%", "0.50 ≤ 1 ✓"],
        ["g/b", "1", "4.00 us ±1%", "2.00 us ±1%", "2.00 > 1 ✗"],
        ["g/c", "1", "3.00 MB ±1% > 2.00 MB ✗", "-", "-"],
        ["g/d", "1", "error", "error", ""],
        ["geometric mean", "1", "", "", "1.00 > 0.8 ✗"],
    ]
    assert [result.misses() for result in RESULTS] == [[], ["torch"], [OURS], []]


def test_a_page_has_the_machine_the_tables_and_the_remarks() -> None:
    page = report.markdown({"processor": "a fast one"}, [(GROUP, RESULTS)])
    assert "| processor | a fast one |" in page and "\n| g/b | 1 | 4.00 us ±1% |" in page
    assert page.endswith("\n* g/c at 1 threads: a note\n* g/d at 1 threads: ERROR torch and ours differ\n")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.9996, "s", "1.00 s"),
        (0.01, "s", "10.0 ms"),
        (1.5e-7, "s", "150 ns"),
        (123456, "B", "123 kB"),
        (2.5, "", "2.50"),
    ],
)
def test_an_amount_has_three_digits(value: float, unit: str, text: str) -> None:
    assert report.amount(value, unit) == text


@pytest.mark.feature_set("autodiff")
def test_a_row_that_fails_fails_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchmarks import __main__ as command

    class Wrong:
        name, threaded = "g/wrong", True

        def measure(self, lab: Lab, threads: int) -> Result:
            raise Disagreement("torch and ours differ in y by 1.0e+00")

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(command, "GROUPS", (Group("g", "What it is.", (Wrong(),), (OURS,)),))
    assert command.main(["--peers", "--threads", "1"]) == 1
    assert "g/wrong at 1 threads: ERROR torch and ours differ in y" in capsys.readouterr().out
