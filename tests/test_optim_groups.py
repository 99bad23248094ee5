"""Groups: parameters that have options of their own, by pattern of names."""

from __future__ import annotations

from typing import Any

import pytest

import backburner as bb
from backburner import nn, optim
from backburner.errors import ArgumentError
from backburner.optim import SGD, Adam
from optimizers import EACH

pytestmark = pytest.mark.feature_set("autodiff")

DEVICE = bb.Device.cpu().autodiff()


def parts(*names: str) -> dict[str, nn.Parameter]:
    return {name: nn.Parameter(bb.tensor([1.0])) for name in names}


def ones(*names: str) -> dict[str, bb.Tensor]:
    return {name: bb.ones(1) for name in names}


def test_the_first_pattern_that_matches_counts() -> None:
    model = parts("a.weight", "a.bias", "b.weight", "b.bias")
    groups = {"b.bias": {"lr": 0.25}, "*.bias": {"lr": 0.5}}
    SGD(model, lr=0.125, groups=groups).step(ones(*model))
    assert [p.item() for p in model.values()] == [0.875, 0.5, 0.875, 0.75]


def test_a_group_keeps_the_other_options() -> None:
    model = parts("w", "b")
    SGD(model, lr=0.5, weight_decay=0.5, groups={"b": {"weight_decay": 0.0}}).step(ones("w", "b"))
    assert (model["w"].item(), model["b"].item()) == (0.25, 0.5)


def test_the_rate_of_a_group_may_be_a_function_and_is_asked_once_a_step() -> None:
    model = parts("w", "b", "c")
    asked: list[int] = []
    optimizer = SGD(
        model, lr=0.0, groups={"[bc]": {"lr": lambda step: [0.5, 0.25][asked.append(step) or step]}}
    )
    for _ in range(2):
        optimizer.step(ones("w", "b", "c"))
    assert ([p.item() for p in model.values()], asked) == ([1.0, 0.25, 0.25], [0, 1])


def test_the_rate_that_is_set_is_that_of_the_rest() -> None:
    model = parts("w", "b")
    optimizer = SGD(model, lr=0.5, groups={"b": {"lr": 0.25}})
    optimizer.lr = 0.125
    optimizer.step(ones("w", "b"))
    assert (model["w"].item(), model["b"].item()) == (0.875, 0.75)


def test_a_tied_parameter_goes_by_its_first_name() -> None:
    model = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False))
    model[1].weight = model[0].weight  # type: ignore[attr-defined]
    with pytest.raises(ArgumentError, match="SGD: no name matches '1.weight'"):
        SGD(model, groups={"1.weight": {"lr": 1.0}})
    SGD(model, groups={"0.weight": {"lr": 1.0}})


def test_a_part_that_comes_later_finds_its_group() -> None:
    model = nn.Sequential(nn.Linear(1, 1)).to(DEVICE)
    optimizer = SGD(model, lr=0.0, groups={"*.bias": {"lr": 0.5}})
    model.head = nn.Linear(1, 1)
    before = model.head.bias.item(), model.head.weight.item()
    optimizer.step({"head.bias": bb.ones(1), "head.weight": bb.ones((1, 1))})
    assert (model.head.bias.item(), model.head.weight.item()) == (before[0] - 0.5, before[1])


def test_repr_shows_the_groups() -> None:
    optimizer = optim.Lion(parts("w", "b"), groups={"b": {"lr": 1, "weight_decay": 0}})
    assert repr(optimizer) == (
        "Lion(lr=0.0001, betas=(0.9, 0.99), weight_decay=0.0, maximize=False, "
        "groups={'b': {'lr': 1.0, 'weight_decay': 0.0}})"
    )


@pytest.mark.parametrize("kind, options", EACH.values(), ids=EACH)
def test_every_option_may_stand_in_a_group(kind: str, options: dict[str, Any]) -> None:
    alone, grouped = parts("w"), parts("w", "b")
    first = getattr(optim, kind)(alone, **options)
    second = getattr(optim, kind)(grouped, groups={"w": options})
    for _ in range(3):
        first.step(ones("w"))
        second.step(ones("w", "b"))
    assert alone["w"].item() == grouped["w"].item() != grouped["b"].item()


BAD: dict[str, tuple[Any, str]] = {
    "no match": ({"*.bias": {"lr": 1.0}}, "Adam: no name matches '*.bias'. There are: w, b."),
    "no text": ({0: {"lr": 1.0}}, "Adam: a pattern of names is text, not 0."),
    "taken": (
        {"*": {"lr": 1.0}, "b": {"lr": 2.0}},
        "Adam: groups have 'b' after others that take all it matches (b). The first pattern that matches counts: "
        "put it further to the front.",
    ),
    "no option": (
        {"b": {"momentum": 0.9}},
        "Adam: groups['b']: there is no option 'momentum'. There are: lr, betas, eps, weight_decay, amsgrad, "
        "maximize, decoupled_weight_decay.",
    ),
    "a bad value": ({"b": {"betas": 0.9}}, "Adam: groups['b']: betas are two numbers, not 0.9."),
    "a bad rate": ({"b": {"lr": -1.0}}, "Adam: groups['b']: lr is a number from 0 on, not -1.0."),
    "no options": ({"b": 0.1}, "Adam: groups['b'] are options by name, such as {'lr': 0.01}, not 0.1."),
    "a list": (
        [{"params": []}],
        "Adam: groups are options by pattern of names, such as {'*.bias': {'lr': 0.01}}, not [{'params': []}].",
    ),
}  # fmt: skip


@pytest.mark.parametrize("groups, told", BAD.values(), ids=BAD)
def test_groups_that_make_no_sense_are_told(groups: Any, told: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        Adam(parts("w", "b"), groups=groups)
    assert str(caught.value) == told


def test_options_of_a_group_are_checked_together_with_the_rest() -> None:
    with pytest.raises(
        ArgumentError, match=r"SGD: groups\['b'\]: nesterov needs a momentum and no dampening"
    ):
        SGD(parts("w", "b"), momentum=0.9, nesterov=True, groups={"b": {"dampening": 0.5}})


def test_a_schedule_of_a_group_that_gives_no_rate_changes_nothing() -> None:
    model = parts("w", "b")
    optimizer = SGD(model, lr=0.5, groups={"b": {"lr": lambda step: -1.0}})
    with pytest.raises(ArgumentError, match=r"SGD: groups\['b'\]: lr is a number from 0 on, not -1.0"):
        optimizer.step(ones("w", "b"))
    assert (model["w"].item(), optimizer.steps) == (1.0, 0)
