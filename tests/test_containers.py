"""Sequences and dicts of modules and of parameters."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn

needs_autodiff = pytest.mark.feature_set("autodiff")
CPU = bb.Device.cpu()


class Mark(nn.Module):
    """A module that adds its number."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.weight = nn.Parameter(bb.full((1,), float(n)))

    def forward(self, x: float) -> float:
        return 10 * x + self.n


def parameter(n: int) -> nn.Parameter:
    return nn.Parameter(bb.full((1,), float(n)))


def value(entry: Any) -> int:
    return int(entry.weight.item() if isinstance(entry, Mark) else entry.item())


SEQUENCES: dict[str, tuple[Callable[[list[Any]], Any], Callable[[int], Any]]] = {
    "Sequential": (lambda entries: nn.Sequential(*entries), Mark),
    "ModuleList": (nn.ModuleList, Mark),
    "ParameterList": (nn.ParameterList, parameter),
}

# What is done to [0, 1, 2], and what is then in the container.
CHANGES: dict[str, tuple[Callable[[Any, Callable[[int], Any]], Any], list[int]]] = {
    "append": (lambda c, make: c.append(make(3)), [0, 1, 2, 3]),
    "append in a chain": (lambda c, make: c.append(make(3)).append(make(4)), [0, 1, 2, 3, 4]),
    "extend": (lambda c, make: c.extend(make(i) for i in (3, 4)), [0, 1, 2, 3, 4]),
    "extend by another": (lambda c, make: c.extend(copy.deepcopy(c)), [0, 1, 2, 0, 1, 2]),
    "insert first": (lambda c, make: c.insert(0, make(3)), [3, 0, 1, 2]),
    "insert before the last": (lambda c, make: c.insert(-1, make(3)), [0, 1, 3, 2]),
    "insert at the end": (lambda c, make: c.insert(3, make(3)), [0, 1, 2, 3]),
    "set": (lambda c, make: c.__setitem__(1, make(3)), [0, 3, 2]),
    "set from the end": (lambda c, make: c.__setitem__(-1, make(3)), [0, 1, 3]),
    "delete": (lambda c, make: c.__delitem__(0), [1, 2]),
    "delete a slice": (lambda c, make: c.__delitem__(slice(0, 3, 2)), [1]),
    "pop": (lambda c, make: c.pop(), [0, 1]),
    "pop the first": (lambda c, make: c.pop(0), [1, 2]),
    "add in place": (lambda c, make: c.__iadd__([make(3)]), [0, 1, 2, 3]),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", SEQUENCES)
def test_a_sequence_changes_as_a_list_does_and_is_numbered(kind: str, change: str) -> None:
    container, make = SEQUENCES[kind][0], SEQUENCES[kind][1]
    held = container([make(i) for i in range(3)])
    do, expected = CHANGES[change]
    do(held, make)
    assert [value(entry) for entry in held] == expected and len(held) == len(expected)
    suffix = "" if kind == "ParameterList" else ".weight"
    assert list(held.state_dict()) == [f"{i}{suffix}" for i in range(len(expected))]
    assert [int(v.item()) for v in held.state_dict().values()] == expected


@pytest.mark.parametrize("kind", SEQUENCES)
def test_a_sequence_is_indexed_and_sliced(kind: str) -> None:
    container, make = SEQUENCES[kind]
    entries = [make(i) for i in range(4)]
    held = container(entries)
    assert held[1] is entries[1] and held[-1] is entries[3] and held[np.int64(2)] is entries[2]
    part = held[1:3]
    assert type(part) is type(held) and [value(entry) for entry in part] == [1, 2]
    assert entries[1] in held and make(1) not in held
    assert list(held[::-1])[0] is entries[3] and len(held[4:]) == 0


def test_sums_and_multiples_are_new_sequences_of_the_same_modules() -> None:
    a, b = nn.Sequential(Mark(1)), nn.Sequential(Mark(2))
    assert (a + b)(0) == 12 and (a * 2)(0) == 11 and (2 * b)(0) == 22 and len(a) == 1
    assert (a * 2)[1] is a[0] and len((a * 2).state_dict()) == 2
    both = nn.ModuleList(a) + nn.ModuleList(b)
    assert isinstance(both, nn.ModuleList) and [value(entry) for entry in both] == [1, 2]


def test_a_sequential_of_names_keeps_them() -> None:
    model = nn.Sequential(OrderedDict([("first", Mark(1)), ("second", Mark(2))]))
    assert model(0) == 12 and model.second is model[1]
    assert list(model.state_dict()) == ["first.weight", "second.weight"]
    assert list(model[1:].state_dict()) == ["second.weight"]
    model.append(Mark(3))
    assert list(model.state_dict()) == ["first.weight", "second.weight", "2.weight"] and model(0) == 123


def test_what_is_added_to_a_slice_overwrites_nothing() -> None:
    model = nn.Sequential(Mark(1), Mark(2), Mark(3))[1:].extend([Mark(4), Mark(5)])
    assert model(0) == 2345 and list(model.state_dict()) == [f"{i}.weight" for i in (1, 2, 3, 4)]


def test_one_module_twice_is_two_entries_of_one_module() -> None:
    act = Mark(1)
    model = nn.Sequential(act, Mark(2), act)
    assert len(model) == 3 and model(0) == 121
    assert [name for name, _ in model.named_children()] == ["0", "1"]


class Own(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(Mark(1))
        self.options = {"left": Mark(5)}
        self.scale = nn.Parameter(bb.ones((1,)))


def test_a_subclass_runs_its_entries_and_not_what_else_it_holds() -> None:
    model = Own()
    assert model(0) == 1 and len(model) == 1 and type(model[:]) is nn.Sequential
    assert list(model.state_dict()) == ["scale", "0.weight", "options.left.weight"]


class Stages(nn.ModuleList):
    def forward(self, x: float) -> float:
        for entry in self:
            x = entry(x)
        return x


class Branches(nn.ModuleDict):
    def forward(self, x: float) -> float:
        return sum(float(entry(x)) for entry in self.values())


class Weights(nn.ParameterList):
    def forward(self, x: float) -> float:
        return x * sum(entry.item() for entry in self)


@pytest.mark.parametrize(
    ("held", "result"),
    [
        (Stages([Mark(1), Mark(2)]), 112),
        (Branches({"a": Mark(1), "b": Mark(2)}), 23),
        (Weights([bb.ones((1,))]), 1),
    ],
    ids=["ModuleList", "ModuleDict", "ParameterList"],
)
def test_a_subclass_of_what_only_holds_may_compute(held: nn.Module, result: int) -> None:
    seen: list[float] = []
    held.register_forward_hook(lambda module, args, y: seen.append(y))
    assert held(1) == result and seen == [result]


def test_a_dict_of_modules_is_a_dict() -> None:
    heads = nn.ModuleDict([("a", Mark(1)), ("b", Mark(2))])
    assert list(heads) == list(heads.keys()) == ["a", "b"] and len(heads) == 2
    assert "a" in heads and "c" not in heads and heads.a is heads["a"]
    assert [(name, value(m)) for name, m in heads.items()] == [("a", 1), ("b", 2)]
    heads["a"] = Mark(3)
    heads.update({"c": Mark(4)})
    heads.update(nn.ModuleDict({"d": Mark(5)}))
    assert [value(m) for m in heads.values()] == [3, 2, 4, 5] and heads.get("e") is None
    assert value(heads.pop("b")) == 2 and list(heads.state_dict()) == ["a.weight", "c.weight", "d.weight"]
    del heads["a"]
    assert list(heads) == ["c", "d"]
    with pytest.raises(bb.ArgumentError, match="without dots"):
        heads.update([("e", Mark(6)), ("f.g", Mark(7))])
    assert list(heads) == ["c", "d"]  # all or none
    heads.clear()
    assert len(heads) == 0 and not heads.state_dict()


def test_a_dict_of_parameters_is_a_dict() -> None:
    held = nn.ParameterDict({"a": bb.ones((1,)), "b": parameter(2)})
    assert all(isinstance(p, nn.Parameter) for p in held.values()) and list(held.state_dict()) == ["a", "b"]
    twin = held.copy()
    assert twin["a"] is held["a"] and twin.popitem() == ("b", held["b"]) and "b" in held
    assert held.setdefault("a", bb.zeros((1,))) is held["a"]
    assert value(held.setdefault("c", bb.full((1,), 3.0))) == 3 and held.num_parameters() == 3
    assert list(reversed(held)) == ["c", "b", "a"]
    made = nn.ParameterDict.fromkeys(["x", "y"], bb.ones((1,)))
    assert list(made) == ["x", "y"] and made["x"] is not made["y"]
    both = held | made
    assert list(both) == ["a", "b", "c", "x", "y"] and both["x"] is made["x"] and len(held) == 3
    held |= {"a": bb.zeros((1,))}
    assert value(held["a"]) == 0 and value(both["a"]) == 1


@needs_autodiff
def test_what_comes_in_later_takes_the_containers_device_and_is_frozen_with_it() -> None:
    for held, add in (
        (nn.ModuleList([Mark(0)]), lambda c: c.append(Mark(1))),
        (nn.Sequential(Mark(0)), lambda c: c.insert(0, Mark(1))),
        (nn.ModuleDict({"x": Mark(0)}), lambda c: c.update({"y": Mark(1)})),
        (nn.ParameterList([parameter(0)]), lambda c: c.append(bb.ones((1,)))),
    ):
        held.to(CPU.autodiff())
        add(held)  # type: ignore[no-untyped-call]
        assert all(p.is_require_grad() for p in held.parameters())
        held.freeze()
        list(held.parameters())[0]._freeze(False)
        add(held) if not isinstance(held, nn.ModuleDict) else held.update({"z": Mark(2)})  # type: ignore[no-untyped-call]
        assert sorted(p.is_frozen for p in held.parameters()) == [False, True, True]


@needs_autodiff
def test_a_slice_trains_and_freezes_as_what_it_is_of() -> None:
    model = nn.Sequential(nn.Dropout(), nn.ReLU()).to(CPU.autodiff())
    assert model[:1].training and model[:1][0].training
    assert not model.freeze()[1:].training and not model[1:].append(nn.Dropout())[1].training


@needs_autodiff
def test_containers_take_part_in_gradients_and_views() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])
            self.scales = nn.ParameterDict({"a": bb.ones((2,))})

        def forward(self, x: bb.Tensor) -> bb.Tensor:
            for layer in self.layers:
                x = layer(x)
            return x * self.scales["a"]

    model = Net().to(CPU.autodiff())
    grads = model(bb.ones((1, 2))).sum().backward()
    assert all(p in grads for p in model.parameters())
    view = model.valid()
    assert not any(p.is_autodiff() for p in view.parameters())
    assert view(bb.ones((1, 2))).tolist() == model(bb.ones((1, 2))).tolist()


def test_an_error_in_a_sequential_says_in_which_of_its_entries() -> None:
    model = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Flatten(), nn.Linear(3, 1)))
    with pytest.raises(bb.ShapeError, match="A layer for it has 4 inputs, not 3.") as caught:
        model(bb.ones((2, 2, 2)))
    assert caught.value.__notes__ == [
        "Sequential: this was in entry 1, Linear.", "Sequential: this was in entry 1, Sequential.",
    ]  # fmt: skip
