"""Optimizers: where steps lead, whom they touch, what they refuse, and what they remember."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn, optim
from backburner.errors import ArgumentError, DeviceError, DTypeError, GraphError, ShapeError
from backburner.optim import SGD, Adam, AdamW
from backburner_autodiff.optim import _each
from optimizers import EACH as ROWS_OF_EACH
from optimizers import MATRICES

pytestmark = pytest.mark.feature_set("autodiff")

EACH: dict[str, Callable[[Any], Any]] = {
    name: lambda model, kind=kind, options=options: getattr(optim, kind)(model, **options)
    for name, (kind, options) in ROWS_OF_EACH.items()
    if kind not in MATRICES
}
every = pytest.mark.parametrize("make", EACH.values(), ids=EACH)
DEVICE = bb.Device.cpu().autodiff()


def parameter(values: Any, device: bb.Device = DEVICE, dtype: Any = None) -> nn.Parameter:
    return nn.Parameter(bb.tensor(values, dtype=dtype, device=device))


def ones_like(*parameters: bb.Tensor) -> bb.Gradients:
    """Return gradients that are 1 everywhere."""
    total = bb.zeros((), dtype=parameters[0].dtype)
    for p in parameters:
        total = total + p.sum()
    return total.backward()


# -- gradients and learning rates


@every
def test_the_two_ways_to_give_gradients_lead_to_the_same_bits(make: Any) -> None:
    by_backward, by_name = nn.Linear(3, 2).to(DEVICE), nn.Linear(3, 2)
    bb.load(by_name, by_backward.state_dict())
    x = bb.random.normal((5, 3))
    first, second = make(by_backward), make(by_name)
    for _ in range(3):
        first.step(by_backward(x).square().sum().backward())
        _, named = bb.value_and_grad(lambda model: model(x).square().sum())(by_name)
        second.step(named)
    for name, entry in by_backward.state_dict().items():
        assert entry.numpy().tobytes() == by_name.state_dict()[name].numpy().tobytes()
    assert not by_name.weight.is_autodiff()


@every
def test_small_parameters_that_move_together_go_where_each_goes_alone(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shapes = {
        "weight": (5, 3),
        "bias": (5,),
        "seldom": (4, 2),
        "scalar": (),
        "nothing": (0, 2),
        "large": (70, 70),
    }
    rng = np.random.default_rng(0)
    start = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    both = [{name: nn.Parameter(bb.tensor(array)) for name, array in start.items()} for _ in range(2)]
    together, alone = make(both[0]), make(both[1])
    for step in range(6):
        grads = {
            name: bb.tensor(rng.normal(size=shape).astype(np.float32))
            for name, shape in shapes.items()
            if name != "seldom" or step % 3
        }
        together.step(grads)
        with monkeypatch.context() as patch:
            patch.setattr(_each, "SMALL", -1)
            alone.step(grads)
        if step == 3:
            together.load_state_dict(together.state_dict())
    for name in shapes:
        assert both[0][name].numpy().tobytes() == both[1][name].numpy().tobytes(), name
    for name, array in alone.state_dict().items():
        assert together.state_dict()[name].tobytes() == array.tobytes(), name


@pytest.mark.parametrize("groups, updates", [({}, 1), ({"*.bias": {"weight_decay": 0.0}}, 2)])
def test_many_small_parameters_take_one_update_for_each_group(
    groups: Any, updates: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = nn.ModuleList([nn.Linear(4, 4) for _ in range(20)]).to(DEVICE)
    optimizer = AdamW(model, groups=groups)
    sizes: list[int] = []
    update = AdamW._update

    def counted(self: AdamW, g: Any, *args: Any, **options: Any) -> None:
        sizes.append(g.size)
        update(self, g, *args, **options)

    monkeypatch.setattr(AdamW, "_update", counted)
    for _ in range(3):
        optimizer.step(ones_like(*model.parameters()))
    assert len(sizes) == 3 * updates and sum(sizes) == 3 * model.num_parameters()


def test_a_learning_rate_may_be_a_function_of_the_steps_done() -> None:
    w = parameter([0.0])
    asked: list[int] = []
    optimizer = SGD({"w": w}, lr=lambda step: [1.0, 0.5, 0.25][asked.append(step) or step])
    for _ in range(3):
        optimizer.step(ones_like(w))
    assert (asked, w.tolist(), optimizer.steps) == ([0, 1, 2], [-1.75], 3)


def test_the_learning_rate_may_be_set_between_steps() -> None:
    w = parameter([0.0])
    optimizer = SGD({"w": w}, lr=1.0)
    optimizer.step(ones_like(w))
    optimizer.lr = 0.5
    optimizer.step(ones_like(w))
    assert w.tolist() == [-1.5]


# -- whom a step touches


@every
def test_a_parameter_without_gradient_stays_as_it_is(make: Any) -> None:
    used, unused = parameter([1.0]), parameter([1.0])
    optimizer = make({"used": used, "unused": unused})
    optimizer.step(ones_like(used, unused))
    leaf, before = unused._primitive, unused.tolist()
    optimizer.step(ones_like(used))
    assert unused.tolist() == before
    assert unused._primitive is leaf


# B164
@pytest.mark.parametrize(
    "optimizer, zero, none",
    [(SGD, 0.81, 0.9), (AdamW, 0.95, 1.0)],
    ids=["momentum", "decay"],
)
def test_a_zero_gradient_moves_what_no_gradient_leaves(optimizer: Any, zero: float, none: float) -> None:
    for gradient, right in ((True, zero), (False, none)):
        w, other = parameter([1.0]), parameter([1.0])
        if optimizer is SGD:
            made = SGD({"w": w, "other": other}, lr=0.1, momentum=0.9)
            made.step({"w": bb.ones(1)})
        else:
            made = AdamW({"w": w, "other": other}, lr=0.1, weight_decay=0.5)
        made.step({"other": bb.ones(1)} | ({"w": bb.zeros(1)} if gradient else {}))
        assert w.item() == pytest.approx(right)


@every
def test_a_frozen_parameter_stays_as_it_is(make: Any) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)).to(DEVICE)
    first: Any = model[0]
    optimizer = make(model)
    optimizer.step(model(bb.ones((1, 2))).sum().backward())
    first.freeze()
    before = first.weight.numpy().copy()
    optimizer.step(model(bb.ones((1, 2))).sum().backward())
    optimizer.step({"0.weight": bb.ones((2, 2)), "1.bias": bb.ones(1)})
    assert np.array_equal(first.weight.numpy(), before)


@every
def test_a_tied_parameter_steps_once(make: Any) -> None:
    tied, alone = (
        nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)),
        nn.Linear(2, 2, bias=False),
    )
    second: Any = tied[1]
    second.weight = tied[0].weight  # type: ignore[attr-defined]
    bb.load(alone, {"weight": second.weight})
    tied.to(DEVICE), alone.to(DEVICE)
    x = bb.ones((3, 2))
    one, two = make(tied), make(alone)
    for _ in range(2):
        one.step(tied(x).sum().backward())
        two.step(alone(alone(x)).sum().backward())
    assert second.weight.tolist() == alone.weight.tolist()
    assert second.weight is tied[0].weight  # type: ignore[attr-defined]
    assert not any(name.startswith("1.") for name in one.state_dict())


def test_parameters_by_name_that_are_one_step_once() -> None:
    w = parameter([1.0])
    SGD({"a": w, "b": w}, lr=0.5).step(ones_like(w))
    assert w.tolist() == [0.5]


def test_a_part_that_is_put_into_the_model_later_trains_too() -> None:
    model = nn.Sequential(nn.Linear(2, 2)).to(DEVICE)
    optimizer = Adam(model, lr=0.1)
    optimizer.step(model(bb.ones((1, 2))).sum().backward())
    model.head = nn.Linear(2, 1)
    before = model.head.bias.item()
    optimizer.step(model.head(model[0](bb.ones((1, 2)))).sum().backward())
    assert model.head.bias.item() == pytest.approx(before - 0.1)


def test_a_parameter_takes_another_leaf_and_older_graphs_refuse() -> None:
    w = parameter([1.0, 2.0])
    before = w.square().sum()
    SGD({"w": w}, lr=0.1).step(w.sum().backward())
    assert w.is_require_grad()
    with pytest.raises(GraphError, match="has been changed since, by a step"):
        before.backward()
    np.testing.assert_allclose(w.square().sum().backward()[w].tolist(), 2 * w.numpy())


# -- gradients that do not fit


def stale(model: Any) -> Any:
    grads = model(bb.ones((1, 2))).sum().backward()
    bb.load(model, model.state_dict())
    return grads


BAD: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "a tensor": (lambda m: bb.ones(2), DTypeError, "Adam.step: grads is a Tensor. Give it what backward"),
    "nothing": (lambda m: None, DTypeError, "Adam.step: grads is a NoneType"),
    "another model's": (
        lambda m: nn.Linear(2, 1).to(DEVICE)(bb.ones((1, 2))).sum().backward(),
        GraphError,
        "Adam.step: no gradient belongs to a parameter of the model, which has 2; there are 2 gradients",
    ),
    "from before a load": (stale, GraphError, "or from before the last step or load"),
    "an empty dict": (lambda m: {}, GraphError, "there are 0 gradients"),
    "an unknown name": (
        lambda m: {"weigth": bb.ones((1, 2)), "weight": bb.ones((1, 2))},
        ArgumentError,
        "Adam.step: no parameter is called weigth. The model has weight, bias.",
    ),
    "another shape": (
        lambda m: {"weight": bb.ones((1, 2)), "bias": bb.ones(2)},
        ShapeError,
        r"Adam.step: the gradient of bias has shape \[2\], the parameter \[1\]",
    ),
    "another dtype": (
        lambda m: {"weight": bb.ones((1, 2)), "bias": bb.ones(1, dtype=bb.float64)},
        DTypeError,
        "Adam.step: the gradient of bias is float64, the parameter float32. Use astype",
    ),
    "no array": (
        lambda m: {"weight": bb.ones((1, 2)), "bias": 1.0},
        DTypeError,
        "Adam.step: the gradient of bias is a float, not a tensor",
    ),
}  # fmt: skip


@pytest.mark.parametrize("make, error, told", BAD.values(), ids=BAD)
def test_a_step_that_cannot_be_taken_changes_nothing(make: Any, error: Any, told: str) -> None:
    model = nn.Linear(2, 1).to(DEVICE)
    optimizer, grads = Adam(model), make(model)
    before = {name: entry.numpy().copy() for name, entry in model.state_dict().items()}
    with pytest.raises(error, match=told):
        optimizer.step(grads)
    for name, entry in model.state_dict().items():
        assert np.array_equal(entry.numpy(), before[name])
    assert (optimizer.steps, list(optimizer.state_dict())) == (0, ["version", "kind", "step"])


@pytest.mark.parametrize("rate", [math.nan, math.inf, -0.1, "0.1", None, True])
def test_a_schedule_that_gives_no_rate_changes_nothing(rate: Any) -> None:
    w = parameter([1.0])
    optimizer = SGD({"w": w}, lr=lambda step: rate)
    with pytest.raises(ArgumentError, match="SGD: lr is a number from 0 on, not"):
        optimizer.step(ones_like(w))
    assert (w.tolist(), optimizer.steps) == ([1.0], 0)


def test_a_parameter_on_a_plain_device_that_is_not_frozen_is_named() -> None:
    parts = {"a": parameter([1.0]), "b": parameter([1.0], bb.Device.cpu())}
    grads = ones_like(parts["a"])
    with pytest.raises(
        DeviceError, match=r"SGD.step: b is on Device\('cpu'\), where nothing is recorded. Move"
    ):
        SGD(parts).step(grads)
    assert parts["a"].tolist() == [1.0]
    parts["b"]._freeze(True)
    SGD(parts, lr=0.5).step(grads)
    assert parts["a"].tolist() == [0.5]


OPTIONS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "lr": (lambda m: SGD(m, lr=-1.0), "SGD: lr is a number from 0 on, not -1.0."),
    "lr NaN": (lambda m: Adam(m, lr=math.nan), "Adam: lr is a number from 0 on, not nan."),
    "lr text": (lambda m: AdamW(m, lr="1e-3"), "AdamW: lr is a number from 0 on, not '1e-3'."),
    "momentum": (lambda m: SGD(m, momentum=-0.1), "SGD: momentum is a number from 0 on, not -0.1."),
    "dampening": (lambda m: SGD(m, dampening=None), "SGD: dampening is a number from 0 on, not None."),
    "weight_decay": (lambda m: SGD(m, weight_decay=-1), "SGD: weight_decay is a number from 0 on, not -1."),
    "nesterov": (
        lambda m: SGD(m, nesterov=True),
        "SGD: nesterov needs a momentum and no dampening, got momentum=0.0, dampening=0.0.",
    ),
    "dampened nesterov": (
        lambda m: SGD(m, momentum=0.9, dampening=0.1, nesterov=True),
        "SGD: nesterov needs a momentum and no dampening, got momentum=0.9, dampening=0.1.",
    ),
    "one beta": (lambda m: Adam(m, betas=(0.9,)), "Adam: betas are two numbers, not (0.9,)."),
    "a number as betas": (lambda m: Adam(m, betas=0.9), "Adam: betas are two numbers, not 0.9."),
    "beta1": (lambda m: Adam(m, betas=(1.0, 0.9)), "Adam: betas[0] is a number from 0 on and below 1, not 1.0."),
    "beta2": (lambda m: Adam(m, betas=(0.9, -1)), "Adam: betas[1] is a number from 0 on and below 1, not -1."),
    "eps": (lambda m: Adam(m, eps=-1e-8), "Adam: eps is a number from 0 on, not -1e-08."),
    "decay": (lambda m: AdamW(m, weight_decay=math.inf), "AdamW: weight_decay is a number from 0 on, not inf."),
}  # fmt: skip


@pytest.mark.parametrize("make, told", OPTIONS.values(), ids=OPTIONS)
def test_an_option_that_makes_no_sense_is_told(make: Any, told: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        make({"w": parameter([1.0])})
    assert str(caught.value) == told


@pytest.mark.parametrize(
    "model, told",
    [
        ([parameter([1.0])], "SGD: needs a module, or parameters by name, got list. Use SGD(model)."),
        ({"w": bb.ones(1)}, "SGD: 'w' is a Tensor, not an nn.Parameter."),
    ],
)
def test_what_is_no_model_is_told(model: Any, told: str) -> None:
    with pytest.raises(DTypeError) as caught:
        SGD(model)
    assert str(caught.value) == told
