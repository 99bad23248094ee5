"""Frozen parts, by pattern; weights with two names."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn

needs_autodiff = pytest.mark.feature_set("autodiff")
CPU = bb.Device.cpu()


def net() -> nn.Sequential:
    return nn.Sequential(
        {
            "body": nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Dropout(0.5)),
            "head": nn.Linear(3, 1),
        }
    )


ALL = ["body.0.weight", "body.0.bias", "body.1.weight", "body.1.bias", "head.weight", "head.bias"]
BODY, HEAD = ALL[:4], ALL[4:]
MODULES = ["", "body", "body.0", "body.1", "body.2", "head"]

# What is done, which parameters are frozen then, and which modules.
FROZEN: dict[str, tuple[Callable[[nn.Module], Any], list[str], list[str]]] = {
    "all": (lambda m: m.freeze(), ALL, MODULES),
    "a module": (lambda m: m.freeze("body"), BODY, MODULES[1:5]),
    "what is below a module": (lambda m: m.freeze("body.*"), BODY, MODULES[2:5]),
    "one layer": (lambda m: m.freeze("body.1"), ALL[2:4], ["body.1"]),
    "parameters alone": (lambda m: m.freeze("*.bias"), ALL[1::2], []),
    "two patterns": (lambda m: m.freeze("head", "body.?.bias"), [ALL[1], ALL[3], *HEAD], ["head"]),
    "the star": (lambda m: m.freeze("*"), ALL, MODULES),
    "all but the head": (lambda m: m.freeze().unfreeze("head"), BODY, MODULES[:5]),
    "all but a weight": (lambda m: m.freeze().unfreeze("head.weight"), [*BODY, "head.bias"], MODULES),
    "a part of a part": (lambda m: m.freeze("body").unfreeze("body.1"), ALL[:2], ["body", "body.0", "body.2"]),
    "again": (lambda m: m.freeze().unfreeze().freeze("head.bias"), ["head.bias"], []),
    "from below": (lambda m: m.body[1].freeze(), ALL[2:4], ["body.1"]),
}  # fmt: skip

# What a frozen model goes through, and is as frozen after.
WAYS: dict[str, Callable[[nn.Module], nn.Module]] = {
    "nothing": lambda m: m,
    "copy": copy.deepcopy,
    "pickle": lambda m: pickle.loads(pickle.dumps(m)),
    "to and back": lambda m: m.to(CPU.autodiff()).to(CPU).to(CPU.autodiff()),
    "valid": lambda m: m.to(CPU.autodiff()).valid(),
    "the view of value_and_grad": lambda m: m._view(CPU.autodiff()),
    "conversion": lambda m: m.double(),
    "a load": lambda m: m.load_state_dict(m.state_dict()) and m,  # type: ignore[func-returns-value]
}


@needs_autodiff
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", FROZEN)
def test_what_a_pattern_freezes_stays_frozen(what: str, way: str) -> None:
    freeze, parameters, modules = FROZEN[what]
    model = net()
    freeze(model)
    model = WAYS[way](model)
    assert [name for name, p in model.named_parameters() if p.is_frozen] == parameters
    model.to(CPU.autodiff())
    assert [name for name, p in model.named_parameters() if not p.is_require_grad()] == parameters
    assert [name for name, module in model.named_modules() if not module.training] == modules


def test_a_pattern_that_matches_nothing_freezes_nothing() -> None:
    model = net()
    with pytest.raises(bb.ArgumentError, match="no name matches 'tail"):
        model.freeze("body", "tail.*")
    assert not any(p.is_frozen for p in model.parameters())


def test_a_parameter_can_be_made_frozen() -> None:
    model = nn.Module()
    model.table = nn.Parameter(bb.ones((2,)), requires_grad=False)  # type: ignore[attr-defined]
    assert model.table.is_frozen and copy.deepcopy(model).table.is_frozen  # type: ignore[attr-defined]
    assert list(model.state_dict()) == ["table"]
    assert not model.unfreeze("table").table.is_frozen  # type: ignore[attr-defined]


@needs_autodiff
@pytest.mark.parametrize("make", ["SGD", "AdamW"])
def test_frozen_parameters_never_move(make: str) -> None:  # B164
    from backburner import optim

    options: dict[str, Any] = {"momentum": 0.9} if make == "SGD" else {}
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 3), nn.Linear(3, 1)).to(CPU.autodiff())
    optimizer = getattr(optim, make)(model, lr=0.1, weight_decay=0.1, **options)

    def step() -> None:
        optimizer.step(model(bb.ones((4, 2))).sum().backward())

    step()  # so that there is momentum
    model.freeze("1", "0.bias")
    before = {name: value.numpy().copy() for name, value in model.state_dict().items()}
    step()
    step()
    moved = [name for name, value in model.state_dict().items() if not np.array_equal(value, before[name])]
    assert moved == ["0.weight", "2.weight", "2.bias"]
    model.unfreeze("1")
    step()
    assert not np.array_equal(model[1].weight.numpy(), before["1.weight"])  # type: ignore[union-attr]


class Tied(nn.Module):
    def __init__(self) -> None:
        self.embed = nn.Embedding(5, 4)
        self.head = nn.Linear(4, 5, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, indices: Any) -> bb.Tensor:
        return self.head(self.embed(indices))  # type: ignore[no-any-return]


def is_tied(model: Any) -> bool:
    return model.head.weight is model.embed.weight and model.num_parameters() == 20


@pytest.mark.parametrize(
    "way", [way for way in WAYS if "to" not in way and "valid" not in way and "grad" not in way]
)
def test_a_tie_survives(way: str) -> None:  # B137
    assert is_tied(WAYS[way](Tied()))


@needs_autodiff
@pytest.mark.parametrize("way", WAYS)
def test_a_tie_survives_on_an_autodiff_device(way: str) -> None:
    model: Any = WAYS[way](Tied().to(CPU.autodiff()))
    assert is_tied(model)
    indices = bb.tensor([1, 1, 4])
    other = copy.deepcopy(model)
    grads = model.to(CPU.autodiff())(indices).sum().backward()
    other.head.weight = nn.Parameter(other.embed.weight.inner())  # no longer tied
    parts = other.to(CPU.autodiff())(indices).sum().backward()
    both = parts[other.head.weight] + parts[other.embed.weight]
    np.testing.assert_allclose(grads[model.embed.weight].numpy(), both.numpy(), rtol=1e-5)


def test_a_tie_is_saved_once_and_restored_from_any_file_that_determines_it(
    tmp_path: Path,
) -> None:  # B137, B138
    model, path = Tied(), tmp_path / "tied.safetensors"
    values = np.arange(20, dtype=np.float32).reshape(5, 4)
    model.embed.weight.assign(values)
    bb.save(model, path)
    assert path.stat().st_size < 2 * values.nbytes + 300 and len(bb.record.read(path).arrays) == 2
    sources: list[Any] = [
        path,
        {"embed.weight": values},
        {"head.weight": values},
        {"embed.weight": values, "head.weight": values.copy()},
        model.state_dict(),
    ]
    for source in sources:
        other = Tied()
        report = bb.load(other, source)
        assert report.fits and report.loaded == ("embed.weight", "head.weight")
        assert is_tied(other) and np.array_equal(other.head.weight.numpy(), values)
    with pytest.raises(bb.RecordError, match="another copy than embed.weight"):
        bb.load(Tied(), {"embed.weight": values, "head.weight": values + 1})


@needs_autodiff
def test_a_tied_weight_takes_one_step_under_one_name() -> None:
    from backburner.optim import Adam

    model = Tied().to(CPU.autodiff())
    optimizer = Adam(model, lr=0.1)
    optimizer.step(model(bb.tensor([0, 1])).sum().backward())
    named = {name for name in optimizer.state_dict() if name.startswith(("embed", "head"))}
    assert named == {"embed.weight.step", "embed.weight.m", "embed.weight.v"}
    assert is_tied(model) and is_tied(model.freeze("head")) and model.embed.weight.is_frozen
    assert not model.embed._frozen and model.head._frozen
