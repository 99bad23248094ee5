"""What is in a module and under which names; hooks, conversion, and how it shows itself."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from architectures import SEEDS, architecture, facts
from backburner import nn

needs_autodiff = pytest.mark.feature_set("autodiff")
CPU = bb.Device.cpu()


class Block(nn.Module):
    """A module as a PyTorch user writes it: buffers before parameters, one module in two places."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", bb.zeros((2,)))
        self.register_buffer("cache", bb.ones((2,)), persistent=False)
        self.register_buffer("nothing", None)
        self.scale = nn.Parameter(bb.ones((1,)))
        self.register_parameter("shift", None)
        self.add_module("act", nn.ReLU())
        self.first = nn.Linear(2, 2)
        self.norm = nn.BatchNorm1d(2)
        self.again = self.first

    def forward(self, x: bb.Tensor) -> bb.Tensor:
        return self.again(self.act(self.norm(self.first(x)))) * self.scale


def names(entries: Any) -> list[str]:
    return [name for name, _ in entries]


LISTED: dict[str, tuple[Callable[[Block], Any], list[str]]] = {
    "children": (lambda m: m.named_children(), ["act", "first", "norm"]),
    "modules": (lambda m: m.named_modules(), ["", "act", "first", "norm"]),
    "modules under a prefix": (lambda m: m.named_modules("net"), ["net", "net.act", "net.first", "net.norm"]),
    "modules again": (
        lambda m: m.named_modules(remove_duplicate=False),
        ["", "act", "first", "norm", "again"],
    ),
    "parameters": (
        lambda m: m.named_parameters(),
        ["scale", "first.weight", "first.bias", "norm.weight", "norm.bias"],
    ),
    "own parameters": (lambda m: m.named_parameters(recurse=False), ["scale"]),
    "parameters under a prefix": (lambda m: m.first.named_parameters("f"), ["f.weight", "f.bias"]),
    "parameters again": (
        lambda m: m.named_parameters(remove_duplicate=False),
        [
            *["scale", "first.weight", "first.bias", "norm.weight", "norm.bias"],
            *["again.weight", "again.bias"],
        ],
    ),
    "buffers": (
        lambda m: m.named_buffers(),
        ["table", "cache", "norm.running_mean", "norm.running_var", "norm.num_batches_tracked"],
    ),
    "own buffers": (lambda m: m.named_buffers("b", recurse=False), ["b.table", "b.cache"]),
    "what is saved": (
        lambda m: m.state_dict().items(),
        [
            *["scale", "table", "first.weight", "first.bias", "norm.weight", "norm.bias"],
            *["norm.running_mean", "norm.running_var", "norm.num_batches_tracked", "again.weight"],
            "again.bias",
        ],
    ),
}


@pytest.mark.parametrize("what", LISTED)
def test_names_are_pytorchs_in_pytorchs_order(what: str) -> None:
    listed, expected = LISTED[what]
    assert names(listed(Block())) == expected


def test_those_without_names_are_the_same() -> None:
    model = Block()
    for plain, named in (
        (model.children(), model.named_children()),
        (model.modules(), model.named_modules()),
        (model.parameters(), model.named_parameters()),
        (model.buffers(), model.named_buffers()),
        (model.parameters(recurse=False), model.named_parameters(recurse=False)),
        (model.buffers(recurse=False), model.named_buffers(recurse=False)),
    ):
        assert [id(entry) for entry in plain] == [id(entry) for _, entry in named]


def test_parts_are_found_by_any_of_their_names() -> None:
    model = Block()
    assert model.get_submodule("") is model and model.get_submodule("again") is model.first
    assert model.get_parameter("again.weight") is model.first.weight
    assert model.get_buffer("cache") is model.cache
    assert model.nothing is None and model.shift is None


def test_apply_goes_from_the_inside_out_once_each() -> None:
    model = nn.Sequential(Block(), nn.ReLU())
    seen: list[str] = []
    assert model.apply(lambda module: seen.append(type(module).__name__)) is model
    assert seen == ["ReLU", "Linear", "BatchNorm1d", "Block", "ReLU", "Sequential"]


def test_a_buffer_that_is_not_persistent_is_neither_saved_nor_missed(tmp_path: Path) -> None:
    model, other = Block(), Block()
    model.cache.assign(np.full(2, 7, np.float32))
    bb.save(model, tmp_path / "model.safetensors")
    assert bb.load(other, tmp_path / "model.safetensors").fits and other.cache.tolist() == [1, 1]
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model.valid()):
        assert copied.cache.tolist() == [7, 7] and "cache" not in copied.state_dict()
        assert not copied.cache.persistent and copied.table.persistent


def test_a_registered_name_can_be_registered_again() -> None:
    model = Block()
    model.register_buffer("table", bb.ones((3,)))
    model.register_parameter("shift", nn.Parameter(bb.ones((1,))))
    model.add_module("act", nn.Tanh())
    model.add_module("act", None)
    assert model.table.shape == (3,) and names(model.named_children()) == ["first", "norm"]
    assert names(model.named_parameters(recurse=False)) == ["scale", "shift"]


def test_groups_of_parameters_go_to_the_first_pattern_that_matches() -> None:
    model = Block()
    assert model.parameter_groups(["norm.*", "*.bias"]) == {
        "norm.*": ["norm.weight", "norm.bias"],
        "*.bias": ["first.bias"],
        None: ["scale", "first.weight"],
    }
    # a tied parameter is matched by any name, and stands under its first
    assert model.parameter_groups("again.*") == {
        "again.*": ["first.weight", "first.bias"],
        None: ["scale", "norm.weight", "norm.bias"],
    }
    assert None not in model.parameter_groups(["*"])


@pytest.mark.parametrize("convert", [lambda m: m.astype("float64"), lambda m: m.double()])
def test_conversion_is_in_place_of_floats_alone(convert: Callable[[nn.Module], nn.Module]) -> None:
    model = Block()
    weight = model.first.weight
    assert convert(model) is model and model.first.weight is weight
    dtypes = {str(state.dtype) for _, state in model.named_state()}
    assert dtypes == {"float64", "int64"} and model.cache.dtype == bb.float64
    assert model(bb.ones((3, 2), dtype="float64")).dtype == bb.float64
    assert model.float().first.weight.dtype == bb.float32 and model.again.weight is weight


@needs_autodiff
def test_conversion_gives_new_leaves_and_older_graphs_refuse() -> None:
    model = nn.Linear(2, 1).to(CPU.autodiff())
    loss = model(bb.ones((1, 2))).sum()
    model.double()
    assert model.weight.is_require_grad()
    with pytest.raises(bb.GraphError, match="changed since"):
        loss.backward()
    grads = model(bb.ones((1, 2), dtype="float64")).sum().backward()
    assert grads[model.weight].dtype == bb.float64


def test_hooks_see_and_change_what_goes_in_and_comes_out() -> None:
    layer = nn.Identity()
    calls: list[str] = []
    handles = [
        layer.register_forward_pre_hook(lambda m, args: calls.append("before")),
        layer.register_forward_pre_hook(lambda m, args: args[0] + 1),
        layer.register_forward_pre_hook(lambda m, args: (args[0] * 10,), prepend=True),
        layer.register_forward_pre_hook(lambda m, args, kwargs: (args, kwargs), with_kwargs=True),
        layer.register_forward_hook(lambda m, args, out: calls.append(f"after {args} {out}")),
        layer.register_forward_hook(lambda m, args, kwargs, out: -out, with_kwargs=True),
        layer.register_forward_hook(lambda m, args, out: out / 2, prepend=True),
    ]
    assert layer(3) == -15.5 and calls == ["before", "after (31,) 15.5"]
    handles[0].remove()
    handles[0].remove()
    with handles[5]:
        assert layer(3) == -15.5
    assert layer(3) == 15.5
    for handle in handles:
        handle.remove()
    assert layer(3) == 3 and layer._hooks is None


def test_a_hook_gets_keywords_if_it_asks() -> None:
    class Scale(nn.Module):
        def forward(self, x: int, by: int = 1) -> int:
            return x * by

    layer, seen = Scale(), []
    layer.register_forward_pre_hook(
        lambda m, args, kwargs: (args, {"by": kwargs["by"] + 1}), with_kwargs=True
    )
    layer.register_forward_hook(lambda m, args, kwargs, out: seen.append((kwargs, out)), with_kwargs=True)
    assert layer(2, by=2) == 6 and seen == [({"by": 3}, 6)]


def test_a_hook_that_is_a_module_is_no_part_and_views_keep_their_hooks() -> None:
    model = nn.Sequential(nn.Identity())
    handle = model.register_forward_hook(nn.Flatten())  # type: ignore[arg-type]
    assert names(model.named_modules()) == ["", "0"]
    handle.remove()
    handle = model.register_forward_hook(lambda m, args, out: out + 1)
    view, twin = model.valid(), copy.deepcopy(model)
    handle.remove()
    assert (model(1), view(1), twin(1)) == (1, 2, 2)


class Described(nn.Module):
    def __init__(self, *children: nn.Module) -> None:
        for i, child in enumerate(children):
            setattr(self, f"part{i}", child)

    def extra_repr(self) -> str:
        return "one=1\ntwo=2"


SHOWN = {
    "Identity()": nn.Identity(),
    "Sequential()": nn.Sequential(),
    "Described(\n  one=1\n  two=2\n)": Described(),
    "Described(\n  one=1\n  two=2\n  (part0): Described(\n    one=1\n    two=2\n  )\n  (part1): ReLU()\n)": Described(
        Described(), nn.ReLU()
    ),
    "ModuleList(\n  (0): ReLU()\n  (1-2): 2 x Sequential(\n    (0): ReLU()\n  )\n  (3): ReLU()\n)": nn.ModuleList(
        [nn.ReLU(), nn.Sequential(nn.ReLU()), nn.Sequential(nn.ReLU()), nn.ReLU()]
    ),
    "ModuleDict(\n  (a): ReLU()\n)": nn.ModuleDict({"a": nn.ReLU()}),
    "ParameterDict(\n  (a): Parameter [2] float32\n)": nn.ParameterDict({"a": bb.ones((2,))}),
}


@pytest.mark.parametrize("text", SHOWN)
def test_repr_is_laid_out_as_pytorchs(text: str) -> None:
    assert repr(SHOWN[text]) == text


ARCHITECTURES = json.loads((Path(__file__).parent / "golden" / "architectures.json").read_text())


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_is_put_together_has_pytorchs_names(seed: int) -> None:
    model = architecture(nn, lambda n: bb.ones((n,)), seed)
    assert facts(model) == ARCHITECTURES[str(seed)]
    assert facts(copy.deepcopy(model)) == facts(model) == facts(model.valid())
