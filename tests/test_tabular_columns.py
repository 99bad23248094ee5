"""How the columns of a table become a network's features, and what its target is."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest

from backburner.data import read_csv
from backburner.errors import ArgumentError
from backburner.models import _columns, _dates, _target
from backburner.models._columns import ENCODERS, Rows, Scale
from backburner.models.tabular import score

INF, NAN = float("inf"), float("nan")


def table(text: str, **options: Any) -> Any:
    return read_csv(io.StringIO(text), **options)


def column(name: str, *cells: object) -> Any:
    return table("\n".join([name, *map(str, cells)]) + "\n")


# -- numbers

HARD: dict[str, list[float]] = {
    "usual": [1.0, 2.0, 3.0, 4.0, 5.0],
    "an outlier": [1.0, 2.0, 3.0, 4.0, 1e12],
    "the largest": [1.0, 2.0, 3.0, 4.0, 1.7e308],
    "both ends": [-1.7e308, 2.0, 3.0, 4.0, 1.7e308],
    "infinite": [1.0, 2.0, 3.0, 4.0, INF],
    "infinite both ways": [-INF, 2.0, 3.0, 4.0, INF],
    "one and infinite": [5.0, 5.0, INF],
    "nothing but infinite": [-INF, INF],
    "mostly the same": [0.0] * 20 + [1.0, 5.0],
    "mostly the same, one far": [0.0] * 20 + [1e9],
    "tiny": [1e-300, 2e-300, 3e-300],
    "close": [1e6, 1e6 + 1e-3, 1e6 + 2e-3],
}


@pytest.mark.parametrize("values", HARD.values(), ids=HARD)
def test_scaled_numbers_are_finite_in_order_and_of_mean_0_and_deviation_1(values: list[float]) -> None:
    x = np.array(values)
    scale = Scale.fit(x)
    assert scale is not None
    z = scale(x)
    assert np.isfinite(z).all()
    assert z.mean() == pytest.approx(0, abs=1e-9) and z.std() == pytest.approx(1)
    order = np.argsort(x, kind="stable")
    assert (np.diff(z[order]) >= 0).all()
    assert len(np.unique(z)) == len(np.unique(x)), "no two values become one"
    assert scale(np.array([NAN])).tolist() == [0.0]


@pytest.mark.parametrize("values", [[3.0, 3.0, NAN], [NAN], [INF, INF], [5e-324, 0.0, 5e-324]])
def test_numbers_without_a_scale_have_none(values: list[float]) -> None:
    assert Scale.fit(np.array(values)) is None


def test_what_is_close_to_the_middle_stays_in_proportion_and_the_tail_grows_by_its_logarithm() -> None:
    x = np.concatenate([np.linspace(-3, 3, 101), [1e3, 1e6]])
    scale = Scale.fit(x)
    assert scale is not None and scale.knee == 1.5
    steps = np.diff(scale(np.array([0.0, 0.5, 1.0])))
    assert steps[0] == pytest.approx(steps[1])
    tail = np.diff(scale(np.array([1e3, 1e4, 1e5])))
    assert tail[0] == pytest.approx(tail[1], rel=1e-3)


# -- which columns are used, and what is told of the others

TOLD: dict[str, tuple[Any, str | None]] = {
    "numbers": (column("x", 1, 2, 3, 4), ""),
    "constant": (column("x", 2, 2, 2), "x: ignored: it is 2 in every row"),
    "one category": (column("x", "a", "a", "a"), "x: ignored: it is 'a' in every row"),
    "empty": (column("x", "NA", "?", "NA"), "x: ignored: it is empty"),
    "there or not": (column("x", 2, "NA", 2), ""),
    "text": (
        column("x", *(f"person {i}" for i in range(30))),
        "x: ignored: it is text with 30 different values in 30 rows",
    ),
    "measures": (
        column("x", *(f"{i} kg" for i in range(30))),
        "x: ignored: it is text with 30 different values in 30 rows; it could be used if it were numbers alone, without such as '0 kg'",
    ),
    "dates but for one": (
        column("x", "soon", *(f"2024-01-{i:02}" for i in range(1, 30))),
        "x: ignored: it is text with 30 different values in 30 rows; it could be used if it were dates alone, without such as 'soon'",
    ),
    "large ids": (column("x", *(2**60 + i for i in range(30))), "x: ignored: it is text with 30 different values in 30 rows"),
    "row numbers": (column("x", *range(1, 31)), "x: ignored: it numbers the rows"),
    "few row numbers": (column("x", *range(1, 6)), ""),
    "an id": (column("user_id", *range(500, 30, -7)), "user_id: ignored: it numbers the rows"),
    "years": (column("year", *range(1990, 2020)), ""),
    "an id that repeats": (column("user_id", *range(30), 3), ""),
    "rare categories": (
        column("x", *"aaaabbbb", "c", "d"),
        "x: its 2 rarest categories count as one",
    ),
    "dates": (
        column("x", "2024-01-01", "2024-01-02", "2024-01-04"),
        "x: a date, of which the network sees day, time of year (sine), time of year (cosine), day of week (sine), "
        "day of week (cosine)",
    ),
    "dates of either order": (
        column("x", "1/2/2024", "3/2/2024", "1/2/2025"),
        "; 1/2 was read as January 2",
    ),
    "one date": (column("x", *["2024-01-01"] * 3), "x: ignored: it is 2024-01-01 in every row"),
}  # fmt: skip


@pytest.mark.parametrize("given, told", TOLD.values(), ids=TOLD)
def test_a_column_is_used_or_it_is_told_why_not(given: Any, told: str) -> None:
    encoders, notes = _columns.fit(given)
    assert len(encoders) == ("ignored" not in told)
    assert "".join(notes).endswith(told) and bool(notes) == bool(told)


WILD = """\
size,colour,when,flag
1.5,red,2024-01-31 12:00,
,blue,2024-02-29 06:30,x
3,red,,
4,,2023-12-01 00:00,x
-2,green,2024-01-31 12:00,x
9,blue,2024-05-05 18:00,
"""


def test_features_survive_json_and_stand_where_they_belong() -> None:
    read = table(WILD, kinds={"colour": "category"})
    encoders, _ = _columns.fit(read)
    again = [ENCODERS[told["kind"]].from_json(told)
             for told in json.loads(json.dumps([encoder.to_json() for encoder in encoders]))]  # fmt: skip
    assert [encoder.name for encoder in again] == ["size", "colour", "when", "flag"]
    rows, same = Rows(encoders, read), Rows(again, read)
    assert len(rows) == 6 and rows.width == sum(encoder.width for encoder in encoders)
    assert rows[:].tobytes() == same[:].tobytes() and rows[:].dtype == np.float32
    picked = np.array([[5, 0], [3, 3]])
    assert (rows[picked] == rows[:][picked]).all()
    # of size: its value and whether it is missing; the categories come last
    assert rows[:][:, 1].tolist() == [0, 1, 0, 0, 0, 0] and rows[:][1, 0] == 0
    colours = rows[:][:, -6:-2].tolist()  # blue, red, the rare green, missing
    assert colours == [[0, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0]]


def test_an_unseen_category_has_no_feature() -> None:
    encoders, _ = _columns.fit(column("x", *"aabb"))
    rows = Rows(encoders, table("x\nb\nc\na\n", kinds={"x": "category"}))
    assert rows[:].tolist() == [[0, 1], [0, 0], [1, 0]]


def test_no_more_than_the_most_frequent_categories_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_columns, "LEVELS", 2)
    encoders, notes = _columns.fit(column("x", *"aaabbccccdd"))
    assert encoders[0].to_json()["levels"] == ("a", "c") and encoders[0].width == 3
    assert notes == ["x: its 2 rarest categories count as one"]


# -- dates

DATES: dict[str, tuple[str, bool, str | None]] = {
    "iso": ("2024-01-31", False, "2024-01-31T00:00"),
    "slashes": ("2024/1/31", False, "2024-01-31T00:00"),
    "month first": ("1/2/2024", False, "2024-01-02T00:00"),
    "day first": ("1/2/2024", True, "2024-02-01T00:00"),
    "points": ("31.01.2024", True, "2024-01-31T00:00"),
    "two digits, new": ("1/2/68", False, "2068-01-02T00:00"),
    "two digits, old": ("1/2/69", False, "1969-01-02T00:00"),
    "a name": ("31-Jan-2024", False, "2024-01-31T00:00"),
    "a long name": ("January 31, 2024", False, "2024-01-31T00:00"),
    "a time": ("2024-01-31 13:45", False, "2024-01-31T13:45"),
    "seconds": ("2024-01-31T13:45:30.5", False, "2024-01-31T13:45:30.5"),
    "afternoon": ("1/31/2024 1:45 PM", False, "2024-01-31T13:45"),
    "midnight": ("1/31/2024 12:05 am", False, "2024-01-31T00:05"),
    "Greenwich": ("2024-01-31T13:45:00Z", False, "2024-01-31T13:45"),
    "east": ("2024-01-31T13:45:00+02:30", False, "2024-01-31T11:15"),
    "west": ("2024-01-31 13:45-0500", False, "2024-01-31T18:45"),
    "before 1970": ("1901-03-01", False, "1901-03-01T00:00"),
    "no such day": ("2023-02-29", False, None),
    "no such month": ("31-Foo-2024", False, None),
    "missing": ("", False, None),
}  # fmt: skip


@pytest.mark.parametrize("text, day_first, wanted", DATES.values(), ids=DATES)
def test_a_date_is_read(text: str, day_first: bool, wanted: str | None) -> None:
    found = _dates.seconds(np.array([text], np.dtypes.StringDType()), day_first)
    if wanted is None:
        assert np.isnan(found).all()
    else:
        assert found[0] == np.datetime64(wanted, "ms").astype(np.int64) / 1000


@pytest.mark.parametrize(
    "texts, day_first",
    [
        (["1/2/2024", "13/2/2024"], True),
        (["1/2/2024", "2/13/2024"], False),
        (["1/2/2024"], False),
        (["1.2.2024"], True),
        (["1.2.2024", "1.13.2024"], False),
        (["2024-13-01"], False),
    ],
)
def test_the_order_of_day_and_month_is_told_from_all_dates(texts: list[str], day_first: bool) -> None:
    assert _dates.is_day_first(np.array(texts, np.dtypes.StringDType())) is day_first


def test_parts_of_a_date_close_at_midnight_and_new_year() -> None:
    at = {text: np.datetime64(text, "s").astype(np.int64).astype(np.float64)
          for text in ("2024-01-01T00:00:01", "2023-12-31T23:59:59", "2024-07-02", "2024-01-08")}  # fmt: skip
    for part in ("time of year", "time of day"):
        for way in ("sine", "cosine"):
            of = _dates.PARTS[f"{part} ({way})"]
            new, old = (of(np.array([at[t]]))[0] for t in ("2024-01-01T00:00:01", "2023-12-31T23:59:59"))
            assert new == pytest.approx(old, abs=1e-3)
    year = _dates.PARTS["time of year (cosine)"]
    assert year(at["2024-01-01T00:00:01"]) - year(at["2024-07-02"]) > 1.9
    week = _dates.PARTS["day of week (sine)"]
    assert week(at["2024-01-01T00:00:01"]) == pytest.approx(float(week(at["2024-01-08"])))


# -- the target

TASKS: dict[str, tuple[list[object], str, str]] = {
    "text": (["a", "b"] * 5, "classification", "it holds text"),
    "two numbers": ([3, 8] * 2, "classification", "it holds 2 different whole numbers"),
    "few whole numbers": ([*range(5)] * 6, "classification", "it holds 5 different whole numbers"),
    "many whole numbers": ([*range(25)] * 40, "regression", "it holds 25 different numbers"),
    "whole numbers, few rows": ([1, 2, 3, 4, 5] * 2, "regression", "it holds 5 different numbers"),
    "decimals": ([0.5, 1.0] * 9, "regression", "it holds numbers with decimals"),
}  # fmt: skip


@pytest.mark.parametrize("cells, task, why", TASKS.values(), ids=TASKS)
def test_the_task_is_told_from_the_target(cells: list[object], task: str, why: str) -> None:
    assert _target.find_task(column("y", *cells)["y"]) == (task, why)


def test_labels_are_in_the_order_of_their_numbers_and_found_however_they_are_spelled() -> None:
    cells = column("y", *([10, 9, 2.0, 2.0] * 3))
    kept = table("y\n" + "10\n9\n2.0\n2.0\n" * 3, kinds={"y": "category"})["y"]
    target = _target.fit("train", "y", kept, "classification")
    assert target.labels == ("2.0", "9", "10")
    assert target.encode(kept)[:4].tolist() == target.encode(cells["y"])[:4].tolist() == [2, 1, 0, 0]
    other = table("y\n2\n9.0\n\n10\n11\n", kinds={"y": "category"})["y"]
    assert target.encode(other).tolist() == [0, 1, 2, -1]
    assert _target.Target.from_json(json.loads(json.dumps(target.to_json()))) == target


def test_a_regression_is_standardised() -> None:
    target = _target.fit("train", "y", column("y", 1.5, 2.5, 9)["y"], "regression")
    z = target.encode(column("y", 1.5, 2.5, 9)["y"])
    assert z.dtype == np.float32 and z.mean() == pytest.approx(0, abs=1e-6) and z.std() == pytest.approx(1)
    assert (z * target.std + target.mean).tolist() == pytest.approx([1.5, 2.5, 9])


@pytest.mark.parametrize("unit", [1e-310, 1e-200, 1e200, 4e307])
def test_numbers_of_any_size_are_predicted_and_scored(unit: float) -> None:
    values = np.array([1.5, 2.5, -3.0, 4.0]) * unit
    target = _target.fit("train", "y", column("y", *map(repr, values.tolist()))["y"], "regression")
    assert target.std == pytest.approx(np.std([1.5, 2.5, -3.0, 4.0]) * unit, rel=1e-6)
    found = score(values * 1.1, values, target)
    assert found["R2"] == pytest.approx(1 - 0.01 * 33.5 / 27.25 * 1.0, abs=0.05)
    assert found["RMSE"] == pytest.approx(0.1 * np.sqrt(33.5 / 4) * unit, rel=0.05)


@pytest.mark.parametrize(
    "cells, task, told",
    [
        (["a"] * 9, "classification", "there is nothing to learn: the target 'y' is 'a' in every row."),
        ([4] * 9, "regression", "there is nothing to learn: the target 'y' is 4 in every row."),
        (["a", "b"] * 5, "regression", "the target 'y' is not made of numbers, as regression needs it: 'a'."),
        (
            [f"n{i}" for i in range(40)],
            "classification",
            "the target 'y' has 40 different values in 40 rows, which are no classes. Name another column.",
        ),
        (
            [f"{i} kg" for i in range(40)],
            "classification",
            "the target 'y' has 40 different values in 40 rows, which are no classes. If they are numbers, write them "
            "without what else is in '0 kg'; else name another column.",
        ),
        (
            [*range(40), "many"],
            "classification",
            "the target 'y' has 41 different values in 41 rows, which are no classes. If they are numbers, mend or empty "
            "the cells that are none, such as 'many'; else name another column.",
        ),
        (
            [f"2024-01-{i:02}" for i in range(1, 32)],
            "classification",
            "the target 'y' has 31 different values in 31 rows, which are no classes. They are dates: for regression "
            "write days or seconds",
        ),
        (
            ["2024-01-01", "2024-01-02"] * 9,
            "regression",
            "the target 'y' is not made of numbers, as regression needs it: '2024-01-01'. Write days or seconds",
        ),
        (
            [i / 4 for i in range(40)],
            "classification",
            "the target 'y' has 40 different values in 40 rows, which are no classes. Use --task regression.",
        ),
    ],
)
def test_a_target_that_does_not_suit_is_refused(cells: list[object], task: Any, told: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        _target.fit("train", "y", column("y", *cells)["y"], task)
    assert str(caught.value).startswith(f"train: {told}")
