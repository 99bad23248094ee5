"""Parameters that have options of their own, or an optimizer of their own, by pattern of names."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn, optim
from backburner.errors import ArgumentError, DTypeError, GraphError, ShapeError
from backburner.optim import LBFGS, SGD, Adam, AdamW, Muon, Partition, schedules
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
    alone, grouped = ({name: nn.Parameter(bb.tensor([[1.0]])) for name in names} for names in ("w", "wb"))
    first = getattr(optim, kind)(alone, **options)
    second = getattr(optim, kind)(grouped, groups={"w": options})
    for _ in range(3):
        first.step({"w": bb.ones((1, 1))})
        second.step({"w": bb.ones((1, 1)), "b": bb.ones((1, 1))})
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


# -- an optimizer of their own


def divided(model: Any) -> Any:
    return Partition(
        model,
        {
            "*.bias": lambda part: SGD(part, lr=0.5, momentum=0.9),
            "1.*": lambda part: AdamW(part, lr=schedules.Plateau(0.1, factor=0.5, patience=0)),
            "*": lambda part: Muon(part, lr=0.1),
        },
    )


def network() -> Any:
    return nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3), nn.Linear(3, 1)).to(DEVICE)


def gradients(model: Any, step: int) -> Any:
    return model(bb.tensor([[1.0, float(step)], [0.5, -1.0]])).square().sum().backward()


def bits(model: Any) -> dict[str, bytes]:
    return {name: entry.numpy().tobytes() for name, entry in model.state_dict().items()}


def test_each_part_moves_as_with_its_optimizer_alone() -> None:
    whole, apart = network(), network()
    bb.load(apart, whole.state_dict())
    optimizer = divided(whole)
    named = dict(apart.named_parameters())
    alone = [
        SGD({n: p for n, p in named.items() if n.endswith("bias")}, lr=0.5, momentum=0.9),
        AdamW({"1.weight": named["1.weight"]}, lr=0.1),
        Muon({n: named[n] for n in ("0.weight", "2.weight")}, lr=0.1),
    ]
    for step in range(3):
        optimizer.step(gradients(whole, step))
        grads = gradients(apart, step)
        for part in alone:
            part.step(grads)
    assert bits(whole) == bits(apart)
    assert list(optimizer.optimizers) == ["*.bias", "1.*", "*"] and optimizer.steps == 3


def test_gradients_by_name_are_divided_too_and_a_part_may_have_none() -> None:
    model = parts("a", "b")
    optimizer = Partition(model, {"a": lambda part: SGD(part, lr=0.5), "b": lambda part: SGD(part, lr=0.25)})
    optimizer.step(ones("a"))
    optimizer.step(ones("a", "b"))
    assert (model["a"].item(), model["b"].item()) == (0.0, 0.75)
    assert [part.steps for part in optimizer.optimizers.values()] == [2, 2]
    with pytest.raises(ArgumentError, match="Partition.step: no parameter is called c"):
        optimizer.step(ones("c"))
    with pytest.raises(GraphError, match="Partition.step: no gradient belongs to a parameter"):
        optimizer.step({})


def test_a_partition_goes_on_with_the_same_bits_after_a_load() -> None:
    model = network()
    first = divided(model)
    for step in range(3):
        first.step(gradients(model, step))
        first.optimizers["1.*"].lr.update(1.0)
    resumed = copy.deepcopy(model)
    second = divided(resumed)
    second.load_state_dict(first.state_dict())
    assert second.lr == 0.5 and second.optimizers["1.*"].lr.value == 0.025
    for step in range(3, 5):
        first.step(gradients(model, step))
        second.step(gradients(resumed, step))
    assert bits(model) == bits(resumed) and second.steps == 5


def test_a_state_that_one_part_refuses_changes_no_part() -> None:
    model = network()
    optimizer = divided(model)
    state = optimizer.state_dict()
    optimizer.step(gradients(model, 0))
    before = {name: array.tolist() for name, array in optimizer.state_dict().items()}
    for spoil, told in (
        ({"parts.2.step": np.array(0.5)}, "Partition.load_state_dict: '\\*': step is a number of steps"),
        ({"parts.1.lr.0.best": np.ones(2)}, "Plateau.load_state_dict: not numbers"),
        (
            {"parts.3.step": np.array(1)},
            "Partition.load_state_dict: no parameter and no state is called parts.3.step",
        ),
    ):
        with pytest.raises(ArgumentError, match=told):
            optimizer.load_state_dict({**state, **spoil})
    assert {name: array.tolist() for name, array in optimizer.state_dict().items()} == before


def test_a_step_that_one_part_refuses_moves_no_part() -> None:
    model: dict[str, nn.Parameter] = {"a": nn.Parameter(bb.ones(1)), "m": nn.Parameter(bb.ones((2, 2)))}
    optimizer = Partition(model, {"a": lambda part: SGD(part, lr=1.0), "m": lambda part: Muon(part, lr=1.0)})
    model["m"] = nn.Parameter(bb.ones(3))
    with pytest.raises(
        ArgumentError, match=r"Muon.step: takes matrices alone, and these are none: m: \[3\]."
    ):
        optimizer.step({"a": bb.ones(1), "m": bb.ones(3)})
    with pytest.raises(ShapeError):
        optimizer.step({"a": bb.ones(1), "m": bb.ones(4)})
    assert model["a"].item() == 1.0 and optimizer.steps == 0


def test_a_part_of_a_model_that_comes_later_finds_its_optimizer() -> None:
    model = network()
    optimizer = divided(model)
    model.head = nn.Linear(1, 1)
    before = model.head.bias.item()
    optimizer.step({"head.bias": bb.ones(1)})
    assert model.head.bias.item() == before - 0.5


def test_a_state_of_a_part_that_came_later_is_taken_up() -> None:
    model = network()
    before = divided(model)
    model.head = nn.Linear(1, 1)
    after = divided(model)
    after.step({"head.bias": bb.ones(1)})
    before.load_state_dict(after.state_dict())
    assert before.state_dict()["parts.0.head.bias.b"].tolist() == [1.0]


WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "left over": ({"a": Adam}, ArgumentError, "Partition: no pattern matches b. End with one for the rest, such as"),
    "no match": ({"c": Adam, "*": SGD}, ArgumentError, "Partition: no name matches 'c'"),
    "nothing left": ({"*": Adam, "a": SGD}, ArgumentError, "Partition: groups have 'a' after others that take all"),
    "nothing": ({}, ArgumentError, "Partition: parts are optimizers by pattern of names, such as"),
    "a list": ([Adam], ArgumentError, "Partition: parts are optimizers by pattern of names, such as"),
    "no optimizer": ({"*": dict}, DTypeError, "Partition: what '\\*' stands for gave a dict, not an optimizer that"),
    "one of its own": ({"*": LBFGS}, DTypeError, "gave a LBFGS, not an optimizer that takes gradients"),
    "vectors": ({"*": Muon}, ArgumentError, r"Muon: takes matrices alone, and these are none: a: \[1\], b: \[1\]. Give"),
}  # fmt: skip


@pytest.mark.parametrize("wrong, error, told", WRONG.values(), ids=WRONG)
def test_a_partition_that_makes_no_sense_is_told(wrong: Any, error: Any, told: str) -> None:
    with pytest.raises(error, match=told):
        Partition(parts("a", "b"), wrong)


def test_a_partition_shows_its_parts_and_has_no_rate_to_set() -> None:
    optimizer = Partition(parts("a", "b"), {"a": optim.Lion, "*": lambda part: optim.Lion(part, lr=0.5)})
    assert repr(optimizer) == (
        "Partition('a': Lion(lr=0.0001, betas=(0.9, 0.99), weight_decay=0.0, maximize=False), "
        "'*': Lion(lr=0.5, betas=(0.9, 0.99), weight_decay=0.0, maximize=False))"
    )
    assert optimizer.lr == 0.0001
    with pytest.raises(
        ArgumentError, match=r"Partition: each part has its own lr. Set optimizers\[pattern\].lr"
    ):
        optimizer.lr = 0.1
