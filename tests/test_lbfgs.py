"""L-BFGS: what its closure may give, what becomes of a failure, its memory, and its line search on hard lines."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.errors import ArgumentError, DTypeError, GraphError, ShapeError
from backburner.optim import LBFGS, Muon, schedules

pytestmark = pytest.mark.feature_set("autodiff")

DEVICE = bb.Device.cpu().autodiff()


def rosenbrock(w: Any) -> Any:
    return 100 * (w[1] - w[0] ** 2) ** 2 + (1 - w[0]) ** 2


def start(dtype: str = "float64") -> nn.Parameter:
    return nn.Parameter(bb.tensor(np.array([-1.2, 1.0], dtype), device=DEVICE))


def closure_of(w: nn.Parameter) -> Any:
    def closure() -> Any:
        loss = rosenbrock(w)
        return loss, loss.backward()

    return closure


@pytest.mark.parametrize("dtype, close", [("float64", 1e-6), ("float32", 1e-3)])
def test_it_finds_the_bottom_of_a_curved_valley(dtype: str, close: float) -> None:
    w = start(dtype)
    optimizer = LBFGS({"w": w}, line_search_fn="strong_wolfe", tolerance_change=1e-20)
    losses = [optimizer.step(closure_of(w)) for _ in range(6)]
    assert losses[0] == pytest.approx(24.2) and w.dtype == dtype
    np.testing.assert_allclose(w.numpy(), [1, 1], atol=close)
    assert losses == sorted(losses, reverse=True)


def test_a_closure_may_give_what_value_and_grad_gives() -> None:
    w, model = start(), nn.Linear(2, 1, bias=False)
    model.weight = nn.Parameter(bb.tensor([[-1.2, 1.0]], dtype=bb.float64))
    first, second = LBFGS({"w": w}, max_iter=5), LBFGS(model, max_iter=5)
    evaluate = bb.value_and_grad(lambda model: rosenbrock(model.weight[0]))
    for _ in range(2):
        assert first.step(closure_of(w)) == second.step(lambda: evaluate(model))
    assert w.tolist() == model.weight.tolist()[0]


def test_frozen_parameters_and_those_without_gradient_stay() -> None:
    model = {name: start() for name in ("frozen", "used", "unused")}
    model["frozen"]._freeze(True)

    def closure() -> Any:
        loss = rosenbrock(model["used"] + model["frozen"])
        return loss, loss.backward()

    optimizer = LBFGS(model)
    optimizer.step(closure)
    assert [p.tolist() == [-1.2, 1.0] for p in model.values()] == [True, False, True]
    model["frozen"]._freeze(False)
    with pytest.raises(ArgumentError) as caught:
        optimizer.step(closure)
    assert str(caught.value) == (
        "LBFGS.step: the parameters that train are frozen, used, unused, before they were used, unused. Make a new "
        "optimizer."
    )


@pytest.mark.parametrize("fails_at", [1, 2, 4])
@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_a_closure_that_fails_leaves_parameters_and_optimizer_as_they_were(
    search: Any, fails_at: int
) -> None:
    w = start()
    optimizer = LBFGS({"w": w}, max_iter=3, lr=0.001, line_search_fn=search)
    optimizer.step(closure_of(w))
    before, state = w.tolist(), {n: a.tolist() for n, a in optimizer.state_dict().items()}
    calls = 0

    def failing() -> Any:
        nonlocal calls
        calls += 1
        if calls == min(fails_at, 3):
            raise KeyboardInterrupt
        return closure_of(w)()

    with pytest.raises(KeyboardInterrupt):
        optimizer.step(failing)
    assert w.tolist() == before and w.is_require_grad()
    assert {n: a.tolist() for n, a in optimizer.state_dict().items()} == state
    optimizer.step(closure_of(w))


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
@pytest.mark.parametrize("steps", [0, 1, 3])
def test_it_goes_on_with_the_same_bits_after_a_load(search: Any, steps: int, tmp_path: Path) -> None:
    def make(w: Any) -> LBFGS:
        lr = schedules.exponential(0.01 if search is None else 1.0, 0.9)
        return LBFGS({"w": w}, lr=lr, max_iter=3, history_size=4, line_search_fn=search)

    w = start()
    first = make(w)
    for _ in range(steps):
        first.step(closure_of(w))
    bb.save(first, tmp_path / "state.safetensors")
    resumed = copy.deepcopy(w)
    second = make(resumed)
    bb.load(second, tmp_path / "state.safetensors")
    for _ in range(3):
        assert first.step(closure_of(w)) == second.step(closure_of(resumed))
    assert w.tolist() == resumed.tolist() and second.steps == steps + 3
    for name, array in first.state_dict().items():
        assert array.tobytes() == second.state_dict()[name].tobytes(), name


def test_a_state_that_does_not_fit_is_told() -> None:
    w = start()
    optimizer = LBFGS({"w": w}, max_iter=9, line_search_fn="strong_wolfe")
    optimizer.step(closure_of(w))
    state = optimizer.state_dict()
    pairs = len(state["curvatures"])
    assert pairs > 1
    assert {name for name in state if name.startswith("w.")} == {"w.d", "w.g", "w.y", "w.s"}
    bad: list[tuple[dict[str, Any], type[Exception], str]] = [
        (
            {"w.y": np.ones((1, 2))},
            ShapeError,
            rf"w.y is float64\[1, 2\], and should be float64\[{pairs}, 2\]",
        ),
        ({"w.g": np.ones(2, "float32")}, ShapeError, r"w.g is float32\[2\], and should be float64\[2\]"),
        ({"t": None}, ArgumentError, "t is missing"),
        ({"w.s": None}, ArgumentError, "w.s is missing"),
        ({"curvatures": np.ones((2, 2))}, ArgumentError, "curvatures are numbers of float64"),
        (
            {"w.d": None, "w.g": None, "w.y": None, "w.s": None},
            ArgumentError,
            "there is no vector for a parameter",
        ),
    ]
    for change, error, told in bad:
        spoiled = {name: array for name, array in {**state, **change}.items() if array is not None}
        with pytest.raises(error, match=f"LBFGS.load_state_dict: {told}"):
            optimizer.load_state_dict(spoiled)
    optimizer.load_state_dict(state)


WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "gradients": (lambda w: closure_of(w)()[1], DTypeError, "takes a function that returns .loss, gradients., not a Gradients"),
    "a loss alone": (lambda w: lambda: rosenbrock(w), DTypeError, "the closure returned a Tensor, not .loss, gradients."),
    "no number": (lambda w: lambda: (w * 2, closure_of(w)()[1]), DTypeError, "the closure's loss is not one number"),
    "no gradients": (lambda w: lambda: (1.0, None), DTypeError, "grads is a NoneType"),
    "none of its own": (lambda w: lambda: (1.0, {}), GraphError, "no gradient belongs to a parameter"),
}  # fmt: skip


@pytest.mark.parametrize("make, error, told", WRONG.values(), ids=WRONG)
def test_what_is_no_closure_is_told(make: Any, error: Any, told: str) -> None:
    w = start()
    optimizer = LBFGS({"w": w})
    with pytest.raises(error, match=f"LBFGS.step: {told}"):
        optimizer.step(make(w))
    assert w.tolist() == [-1.2, 1.0] and optimizer.steps == 0


def test_parameters_of_several_dtypes_are_told() -> None:
    model = {"a": start(), "b": start("float32")}
    with pytest.raises(
        DTypeError, match="the parameters are of float32 and float64, and stand in one vector"
    ):
        LBFGS(model).step(closure_of(model["a"]))


@pytest.mark.parametrize(
    "options, told",
    [
        ({"max_iter": 0}, "LBFGS: max_iter is a whole number from 1 on, not 0."),
        ({"max_eval": 0}, "LBFGS: max_eval is a whole number from 1 on, not 0."),
        ({"history_size": 1.5}, "LBFGS: history_size is a whole number from 1 on, not 1.5."),
        ({"tolerance_grad": -1}, "LBFGS: tolerance_grad is a number from 0 on, not -1."),
        ({"line_search_fn": "armijo"}, "LBFGS: line_search_fn is one of 'strong_wolfe', None, not 'armijo'."),
    ],
)
def test_an_option_that_makes_no_sense_is_told(options: Any, told: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        LBFGS({"w": start()}, **options)
    assert str(caught.value) == told


# -- the line search, on functions of one number

LINES: dict[str, tuple[Any, Any, float]] = {
    "a bowl": (lambda t: (t - 1) ** 2, lambda t: 2 * (t - 1), 1.0),
    "far away": (lambda t: (t - 300) ** 2, lambda t: 2 * (t - 300), 1.0),
    "very near": (lambda t: (t - 1e-3) ** 2, lambda t: 2 * (t - 1e-3), 1.0),
    "steep behind": (lambda t: -t + 1e4 * max(t - 0.1, 0) ** 2, lambda t: -1 + 2e4 * max(t - 0.1, 0), 1.0),
    "waves": (lambda t: math.cos(3 * t) - 0.1 * t, lambda t: -3 * math.sin(3 * t) - 0.1, 0.3),
    "a wall of NaN": (lambda t: -t if t < 0.5 else math.nan, lambda t: -1.0 if t < 0.5 else math.nan, 4.0),
    "a wall of infinity": (
        lambda t: (t - 0.3) ** 2 if t < 0.5 else math.inf,
        lambda t: 2 * (t - 0.3) if t < 0.5 else math.inf,
        4.0,
    ),
    "no end": (lambda t: -t, lambda t: -1.0, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("most", [1, 3, 25])
@pytest.mark.parametrize("f, slope, t", LINES.values(), ids=LINES)
def test_the_search_never_ends_higher_and_ends_flat_where_it_can(
    f: Any, slope: Any, t: float, most: int
) -> None:
    from backburner_autodiff.optim._search import Point, search

    asked = []

    def at(t: float) -> Point:
        asked.append(t)
        return Point(t, f(t), np.zeros(1), slope(t))

    begin = Point(0.0, f(0.0), np.zeros(1), slope(0.0))
    found = search(at, begin, t, 1.0, most)
    assert len(asked) <= most + 1
    assert found.loss <= begin.loss and found.t >= 0
    if most == 25 and f is not LINES["no end"][0] and f is not LINES["a wall of NaN"][0]:
        assert found.loss <= begin.loss + 1e-4 * found.t * begin.slope
        assert abs(found.slope) <= 0.9 * abs(begin.slope)


# -- Muon's products


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4), (1, 6)])
@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
def test_muon_brings_singular_values_near_to_one(shape: tuple[int, int], size: float) -> None:
    g = np.random.default_rng(1).normal(size=shape)
    w = nn.Parameter(bb.tensor(np.zeros(shape, "float32")))
    lr = 1 / math.sqrt(max(1, shape[0] / shape[1]))
    Muon({"w": w}, lr=lr, weight_decay=0.0, eps=0.0).step({"w": bb.tensor((g * size).astype("float32"))})
    values = np.linalg.svd(w.numpy(), compute_uv=False)
    assert (0.6 < values).all() and (values < 1.3).all()
    left, _, right = np.linalg.svd(-g, full_matrices=False)
    assert np.abs(w.numpy() - left @ right).max() < 0.35


def test_muon_takes_matrices_alone() -> None:
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Linear(2, 2))
    with pytest.raises(ArgumentError) as caught:
        Muon(model)
    assert str(caught.value) == (
        "Muon: takes matrices alone, and these are none: 0.weight: [2, 1, 3, 3], 0.bias: [2], 1.bias: [2]. Give them "
        "another optimizer: Partition(model, {'*.bias': AdamW, ..., '*': Muon})."
    )
    w = nn.Parameter(bb.zeros((2, 2)))
    Muon({"w": w}).step({"w": bb.zeros((2, 2))})
    assert w.tolist() == [[0, 0], [0, 0]]
