"""Schedules: PyTorch's rates, closed forms that compose, and training that goes on after a load at the same rates."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import backburner as bb
from backburner import nn, optim
from backburner.errors import ArgumentError, DTypeError
from schedule_rows import PLATEAUS, ROWS, PlateauRow, Row

pytestmark = pytest.mark.feature_set("autodiff")

GOLDEN = json.loads((Path(__file__).parent / "golden" / "schedules.json").read_text())
every = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.ours)


def make(expression: str) -> Any:
    schedules = optim.schedules
    return eval(expression, {name: getattr(schedules, name) for name in schedules.__all__})


def trained(schedule: Any, steps: int, state: Any = None) -> tuple[Any, list[float]]:
    """Return an optimizer after some steps by gradients of 1, and how far each of them went."""
    w = nn.Parameter(bb.tensor(np.zeros(1)))
    optimizer = optim.SGD({"w": w}, lr=schedule)
    if state is not None:
        optimizer.load_state_dict(state)
    moves = []
    for _ in range(steps):
        before = w.item()
        optimizer.step({"w": bb.ones(1, dtype=bb.float64)})
        moves.append(before - w.item())
    return optimizer, moves


# -- the table


@every
def test_the_rates_are_pytorchs(row: Row) -> None:
    found = [make(row.ours)(step) for step in range(row.count)]
    assert all(type(rate) is float for rate in found)
    if row.theirs is not None:
        np.testing.assert_allclose(found, GOLDEN["schedules"][row.ours], rtol=1e-9, atol=1e-12)


def test_the_schedules_that_pytorch_has_not_follow_their_formulas() -> None:
    schedules = optim.schedules
    # Vaswani and others (2017), equation 3, whose steps count from 1
    noam = schedules.noam(64, 9, 2.0)
    rise = schedules.inverse_sqrt(0.5, 9)
    for n in range(1, 40):
        assert noam(n - 1) == pytest.approx(2 * 64**-0.5 * min(n**-0.5, n * 9**-1.5))
        assert rise(n - 1) == pytest.approx(0.5 * (n / 9 if n < 9 else (9 / n) ** 0.5))
    ends = schedules.polynomial(0.5, 25, power=0.5, end=0.1)
    assert [ends(n) for n in (0, 16, 25, 99)] == pytest.approx([0.5, 0.1 + 0.4 * 0.6, 0.1, 0.1])


def test_every_schedule_and_every_option_has_a_row() -> None:
    used: dict[str, set[str]] = {}
    for row in ROWS:
        for node in ast.walk(ast.parse(row.ours)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                used.setdefault(node.func.id, set()).update(k.arg or "" for k in node.keywords)
    offered = {name: getattr(optim.schedules, name) for name in optim.schedules.__all__}
    fields = {
        name: {field.name for field in dataclasses.fields(kind)}
        for name, kind in offered.items()
        if name not in ("Plateau", "Schedule")
    }
    assert used == fields
    of_plateau = set(inspect.signature(optim.schedules.Plateau).parameters) - {"lr"}
    assert {name for row in PLATEAUS for name in row.options} == of_plateau
    kinds = vars(optim.schedules).values()
    found = {k.__name__ for k in kinds if inspect.isclass(k) and issubclass(k, optim.schedules.Schedule)}
    assert found == {*fields, "Schedule"}  # none that is not in __all__


NAMES = {
    "cosine": ("CosineAnnealingLR", {"end": "eta_min"}),
    "cosine_restarts": ("CosineAnnealingWarmRestarts", {"t_mult": "T_mult", "end": "eta_min"}),
    "polynomial": ("PolynomialLR", {"power": "power"}),
    "step": ("StepLR", {"gamma": "gamma"}),
    "multi_step": ("MultiStepLR", {"gamma": "gamma"}),
    "one_cycle": ("OneCycleLR", {n: n for n in (
        "pct_start", "anneal_strategy", "div_factor", "final_div_factor", "three_phase")}),
    "Plateau": ("ReduceLROnPlateau", {n: n for n in (
        "mode", "factor", "patience", "threshold", "threshold_mode", "cooldown", "min_lr", "eps")}),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_defaults_are_pytorchs(name: str) -> None:
    theirs, names = NAMES[name]
    parameters = inspect.signature(getattr(optim.schedules, name)).parameters
    for ours, its in names.items():
        assert parameters[ours].default == GOLDEN["defaults"][theirs][its], ours


# -- what every schedule is


@every
def test_a_schedule_is_a_frozen_value(row: Row) -> None:
    schedule, same = make(row.ours), make(row.ours)
    assert schedule == same and hash(schedule) == hash(same)
    for again in (make(repr(schedule)), pickle.loads(pickle.dumps(schedule)), copy.deepcopy(schedule)):
        assert again == schedule and type(again) is type(schedule)
    assert schedule != schedule * 0.5
    field = dataclasses.fields(schedule)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(schedule, field, 1.0)


@every
@settings(max_examples=20, deadline=None)
@given(steps=st.lists(st.integers(0, 10**7), min_size=1, max_size=20))
def test_a_rate_depends_on_the_step_alone_and_stays_in_range(row: Row, steps: list[int]) -> None:
    schedule = make(row.ours)
    rates = {step: schedule(step) for step in steps}
    assert rates == {step: make(row.ours)(step) for step in reversed(steps)}
    assert all(0 <= rate <= 0.5 * (1 + 1e-12) for rate in rates.values())
    if row.falls:
        in_order = [rates[step] for step in sorted(rates)]
        assert all(a >= b for a, b in zip(in_order, in_order[1:], strict=False))


@pytest.mark.parametrize("step", [-1, 0.5, "3", None, True], ids=str)
@every
def test_a_step_is_a_whole_number(row: Row, step: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^\w+: step is a whole number from 0 on, not "):
        make(row.ours)(step)
    assert make(row.ours)(np.int64(3)) == make(row.ours)(3)


# -- composition


@settings(max_examples=50, deadline=None)
@given(
    peak=st.floats(1e-6, 10),
    steps=st.integers(1, 1000),
    start=st.none() | st.floats(0, 1),
    length=st.integers(1, 1000),
)
def test_a_warmup_rises_without_a_jump_and_hands_over(
    peak: float, steps: int, start: float | None, length: int
) -> None:
    after = optim.schedules.cosine(peak, length)
    rise = optim.schedules.warmup(after, steps, start)
    rates = [rise(step) for step in range(steps + 1)]
    first = 1 / (steps + 1) if start is None else start
    assert rates[0] == pytest.approx(first * peak) and rates[-1] == peak
    slopes = np.diff(rates)
    np.testing.assert_allclose(slopes, (1 - first) * peak / steps, rtol=1e-6, atol=1e-9 * peak)
    assert [rise(steps + n) for n in range(length)] == [after(n) for n in range(length)]


@settings(max_examples=50, deadline=None)
@given(boundaries=st.lists(st.integers(1, 50), min_size=1, max_size=4, unique=True).map(sorted))
def test_joined_schedules_each_start_at_their_boundary(boundaries: list[int]) -> None:
    parts = [optim.schedules.exponential(1.0, 0.5 + 0.1 * i) for i in range(len(boundaries) + 1)]
    whole = optim.schedules.join(parts, boundaries)
    for part, begin, end in zip(parts, [0, *boundaries], [*boundaries, boundaries[-1] + 5], strict=True):
        assert [whole(step) for step in range(begin, end)] == [part(n) for n in range(end - begin)]


def test_a_factor_stands_on_either_side_and_may_be_a_schedule() -> None:
    falls = optim.schedules.exponential(1.0, 0.5)
    assert [(0.5 * falls)(2), (falls * 0.5)(2), (falls * falls)(2), (falls * 2 * 3)(2)] == [
        0.125,
        0.125,
        0.0625,
        1.5,
    ]


def test_any_function_of_the_step_may_be_part_of_a_schedule() -> None:
    schedules = optim.schedules
    own = schedules.warmup(schedules.join([lambda step: 1.0 + step, 5], [2]), 1, 0.5)
    assert [own(step) for step in range(4)] == [0.5, 1.0, 2.0, 5]


@pytest.mark.parametrize("length", [1, 2, 3, 5])
@pytest.mark.parametrize("three", [False, True])
def test_a_cycle_of_few_steps_has_its_rates(length: int, three: bool) -> None:
    cycle = optim.schedules.one_cycle(1.0, total_steps=length, pct_start=1 / 3, three_phase=three)
    rates = [cycle(step) for step in range(length + 3)]
    assert all(0 < rate <= 1 for rate in rates)
    assert rates[length - 1 :] == pytest.approx([1 / 25 / 1e4] * 4)


# -- in an optimizer


# B157
def test_training_that_goes_on_after_a_load_has_the_rates_of_training_without_a_break() -> None:
    schedule = make("multi_step(lr=1.0, milestones=[4], gamma=0.5)")
    _, whole = trained(schedule, 8)
    assert whole == [1.0] * 4 + [0.5] * 4
    for stop in range(1, 8):
        first, begun = trained(schedule, stop)
        # making a schedule and an optimizer again resets nothing
        _, rest = trained(make(repr(schedule)), 8 - stop, first.state_dict())
        assert begun + rest == whole


# B158
def test_a_schedule_that_is_made_again_after_a_step_steps_once() -> None:
    first, _ = trained(make("exponential(lr=1e-3, gamma=0.999)"), 1)
    _, (move,) = trained(make("exponential(lr=1e-3, gamma=0.999)"), 1, first.state_dict())
    assert move == pytest.approx(0.000999, rel=1e-12)
    fresh = make("exponential(lr=1e-3, gamma=0.999)")
    assert fresh(3) == pytest.approx(1e-3 * 0.999**3)  # without ever having been at 0, 1 or 2


# -- the plateau


@pytest.mark.parametrize("place", range(len(PLATEAUS)))
def test_a_plateau_falls_when_pytorchs_does(place: int) -> None:
    row: PlateauRow = PLATEAUS[place]
    plateau = optim.schedules.Plateau(0.5, **row.options)
    found, fell = [], []
    for metric in row.metrics:
        fell.append(plateau.update(metric))
        found.append(plateau(0))
    assert found == pytest.approx(GOLDEN["plateaus"][place])
    assert fell == [a > b for a, b in zip([0.5, *found], found, strict=False)]


@pytest.mark.parametrize("wrap", ["itself", "scaled", "warmed up", "of a group"])
def test_what_a_plateau_remembers_is_in_the_state_of_the_optimizer(wrap: str) -> None:
    schedules = optim.schedules

    def make_one() -> tuple[Any, Any]:
        plateau = schedules.Plateau(0.5, factor=0.5, patience=1, cooldown=1)
        groups = None
        rate: Any = plateau
        if wrap == "scaled":
            rate = schedules.exponential(1.0, 0.9) * plateau
        elif wrap == "warmed up":
            rate = schedules.warmup(schedules.join([0.1, plateau], [2]), 2)
        elif wrap == "of a group":
            groups, rate = {"w": {"lr": plateau}}, 0.1
        w = nn.Parameter(bb.tensor([1.0]))
        return optim.SGD({"w": w}, lr=rate, groups=groups), plateau

    metrics = [3.0, 3.0, 2.5, 2.5, 2.5, 2.5, 2.5, 2.4, 2.4, 2.4, 2.4]
    _, whole = make_one()
    right = [whole.update(metric) for metric in metrics]
    for stop in range(len(metrics)):
        first, plateau = make_one()
        found = [plateau.update(metric) for metric in metrics[:stop]]
        second, resumed = make_one()
        second.load_state_dict(first.state_dict())
        assert found + [resumed.update(metric) for metric in metrics[stop:]] == right
    assert resumed.value == whole.value


def test_a_state_that_a_plateau_refuses_changes_nothing() -> None:
    plateau = optim.schedules.Plateau(0.5)
    optimizer = optim.SGD({"w": nn.Parameter(bb.tensor([1.0]))}, lr=plateau)
    state = optimizer.state_dict()
    plateau.update(3.0)
    optimizer.step({"w": bb.ones(1)})
    del state["lr.0.best"]
    with pytest.raises(
        ArgumentError, match="Plateau.load_state_dict: needs value, best, bad, cooling, got value"
    ):
        optimizer.load_state_dict(state)
    assert (plateau.best, optimizer.steps) == (3.0, 1)


def test_a_plateau_takes_tensors_and_refuses_what_is_no_number() -> None:
    plateau = optim.schedules.Plateau(0.5)
    plateau.update(bb.tensor(2.0))
    assert plateau.best == 2.0 and repr(plateau).startswith(
        "Plateau(lr=0.5, mode='min', factor=0.1, patience=10"
    )
    for metric in ([1.0], None, "low", bb.ones(2)):
        with pytest.raises(DTypeError, match="Plateau.update: a metric is one number"):
            plateau.update(metric)
    for state in (None, [1.0]):
        with pytest.raises(DTypeError, match="Plateau.load_state_dict: takes numbers by name"):
            plateau.load_state_dict(state)
    with pytest.raises(ArgumentError, match="Plateau.load_state_dict: not numbers"):
        plateau.load_state_dict({**plateau.state_dict(), "bad": "two"})


# -- options that make no sense

BAD = {
    "constant(-1.0)": "constant: lr is a number from 0 on, not -1.0.",
    "linear(1.0, 0.0, 0)": "linear: steps is a whole number from 1 on, not 0.",
    "cosine('a', 3)": "cosine: lr is a number from 0 on, not 'a'.",
    "cosine_restarts(1.0, 3, t_mult=1.5)": "cosine_restarts: t_mult is a whole number from 1 on, not 1.5.",
    "exponential(1.0, -0.5)": "exponential: gamma is a number from 0 on, not -0.5.",
    "polynomial(1.0, 3, power=0)": "polynomial: power is a number above 0, not 0.",
    "multi_step(1.0, [3, 2])": "multi_step: milestones rise, and these do not: [3, 2].",
    "multi_step(1.0, 3)": "multi_step: milestones are a list, not 3.",
    "multi_step(1.0, [2.5])": "multi_step: milestones[0] is a whole number from 0 on, not 2.5.",
    "one_cycle(1.0, 10, pct_start=1.5)": "one_cycle: pct_start is a number from 0 to 1, not 1.5.",
    "one_cycle(1.0, 10, anneal_strategy='tanh')":
        "one_cycle: anneal_strategy is one of 'cos', 'linear', not 'tanh'.",
    "one_cycle(1.0, 10, three_phase=1)": "one_cycle: three_phase is True or False, not 1.",
    "warmup(None, 3)": "warmup: schedule is a number from 0 on, not None.",
    "warmup(1.0, 3, -0.1)": "warmup: start_factor is a number from 0 on, not -0.1.",
    "constant(1.0) * -1": "scaled: factor is a number from 0 on, not -1.",
    "join([1.0, 2.0], [])": "join: 2 schedules need 1 boundaries that rise, not [].",
    "join([1.0, 2.0, 3.0], [5, 5])": "join: 3 schedules need 2 boundaries that rise, not [5, 5].",
    "join([], [])": "join: 0 schedules need 0 boundaries that rise, not [].",
    "join(1.0, [])": "join: schedules are a list, not 1.0.",
    "Plateau(1.0, mode='least')": "Plateau: mode is one of 'min', 'max', not 'least'.",
    "Plateau(1.0, factor=1.0)": "Plateau: factor is a number from 0 on and below 1, not 1.0.",
    "Plateau(1.0, patience=-1)": "Plateau: patience is a whole number from 0 on, not -1.",
}  # fmt: skip


@pytest.mark.parametrize("expression", BAD)
def test_an_option_that_makes_no_sense_is_told(expression: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        make(expression)
    assert str(caught.value) == BAD[expression]


def test_a_rate_of_nan_from_a_function_is_refused_by_the_optimizer() -> None:
    with pytest.raises(ArgumentError, match="SGD: lr is a number from 0 on, not nan"):
        trained(optim.schedules.constant(0.5) * (lambda step: math.nan), 1)
