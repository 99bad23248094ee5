"""What optimizers remember: saved by name, loaded whole or not at all, and going on with the same bits."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn, optim
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.optim import Adam
from optimizers import EACH

pytestmark = pytest.mark.feature_set("autodiff")

DEVICE = bb.Device.cpu().autodiff()


def parameter(values: Any) -> nn.Parameter:
    return nn.Parameter(bb.tensor(values, device=DEVICE))


def ones_like(*parameters: bb.Tensor) -> bb.Gradients:
    """Return gradients that are 1 everywhere."""
    total = bb.zeros((), dtype=parameters[0].dtype)
    for p in parameters:
        total = total + p.sum()
    return total.backward()


GROUPS: dict[str, Any] = {"1.*": {"lr": lambda step: 0.5 / (1 + step)}}


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["all alike", "groups"])
@pytest.mark.parametrize("kind, options", EACH.values(), ids=EACH)
def test_state_that_is_saved_and_loaded_goes_on_with_the_same_bits(
    kind: str, options: dict[str, Any], groups: Any, tmp_path: Path
) -> None:
    def batch(model: Any, step: int) -> Any:
        return model(bb.tensor([[1.0, float(step)]])).square().sum().backward()

    def make(model: Any) -> Any:
        lr = options.get("lr", 1.0)
        return getattr(optim, kind)(
            model, **{**options, "lr": lambda step: lr / (1 + step), "groups": groups}
        )

    whole = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)).to(DEVICE)
    first = make(whole)
    for step in range(5):
        first.step(batch(whole, step))
    bb.save(first, tmp_path / "state.safetensors")
    resumed = copy.deepcopy(whole)
    second = make(resumed)
    bb.load(second, tmp_path / "state.safetensors")
    for step in range(5, 8):
        first.step(batch(whole, step))
        second.step(batch(resumed, step))
    assert (first.steps, second.steps) == (8, 8)
    for name, array in first.state_dict().items():
        assert array.tobytes() == second.state_dict()[name].tobytes()
    for name, entry in whole.state_dict().items():
        assert entry.numpy().tobytes() == resumed.state_dict()[name].numpy().tobytes()


def test_state_is_a_copy() -> None:
    w = parameter([1.0])
    optimizer = Adam({"w": w})
    optimizer.step(ones_like(w))
    state = optimizer.state_dict()
    assert {name: array.tolist() for name, array in state.items() if "step" in name} == {
        "step": 1,
        "w.step": 1,
    }
    kept = state["w.m"].tolist()
    optimizer.step(ones_like(w))
    assert state["w.m"].tolist() == kept


LOADS: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "no step": (lambda s: s.pop("step"), ArgumentError, "Adam.load_state_dict: step is missing."),
    "no letter": (lambda s: s.pop("w.v"), ArgumentError, "Adam.load_state_dict: w.v is missing."),
    "no step of a parameter": (lambda s: s.pop("w.step"), ArgumentError, "Adam.load_state_dict: w.step is missing."),
    "too much": (
        lambda s: s.update({"b.m": np.ones(1)}),
        ArgumentError,
        "Adam.load_state_dict: no parameter and no state is called b.m.",
    ),
    "another shape": (
        lambda s: s.update({"w.m": np.ones(2, np.float32)}),
        ShapeError,
        "Adam.load_state_dict: w.m is float32[2], and should be float32[1].",
    ),
    "another version": (
        lambda s: s.update({"version": np.array(2)}),
        ArgumentError,
        "Adam.load_state_dict: the state has version 2, this release reads 1. Use the release that wrote it.",
    ),
    "no version": (lambda s: s.pop("version"), ArgumentError, "Adam.load_state_dict: version is missing."),
    "no kind": (lambda s: s.pop("kind"), ArgumentError, "Adam.load_state_dict: kind is missing."),
    "another kind": (
        lambda s: s.update(optim.SGD({"w": parameter([1.0])}).state_dict()),
        ArgumentError,
        "Adam.load_state_dict: the state is that of SGD, not of Adam. Make the same kind again.",
    ),
    "half a step": (
        lambda s: s.update({"step": np.array(0.5)}),
        ArgumentError,
        "Adam.load_state_dict: step is a number of steps, not array(0.5).",
    ),
}  # fmt: skip


@pytest.mark.parametrize("spoil, error, told", LOADS.values(), ids=LOADS)
def test_state_that_does_not_fit_changes_nothing(spoil: Any, error: Any, told: str) -> None:
    w = parameter([1.0])
    optimizer = Adam({"w": w})
    optimizer.step(ones_like(w))
    state = optimizer.state_dict()
    before = {name: array.tolist() for name, array in state.items()}
    spoil(state)
    with pytest.raises(error) as caught:
        optimizer.load_state_dict(state)
    assert str(caught.value) == told
    assert {name: array.tolist() for name, array in optimizer.state_dict().items()} == before


def test_state_of_other_options_is_told() -> None:
    w = parameter([1.0])
    plain, amsgrad = Adam({"w": w}), Adam({"w": w}, amsgrad=True)
    for optimizer in (plain, amsgrad):
        optimizer.step(ones_like(w))
    with pytest.raises(ArgumentError, match="w.vmax is missing"):
        amsgrad.load_state_dict(plain.state_dict())
    with pytest.raises(ArgumentError, match="no parameter and no state is called w.vmax"):
        plain.load_state_dict(amsgrad.state_dict())


def test_a_number_that_is_remembered_of_a_parameter_is_one_number() -> None:
    optimizer = optim.NAdam({"w": parameter([1.0, 2.0])})
    optimizer.step({"w": bb.ones(2)})
    state = {**optimizer.state_dict(), "w.mu_product": np.ones(2)}
    with pytest.raises(ShapeError) as caught:
        optimizer.load_state_dict(state)
    assert str(caught.value) == "NAdam.load_state_dict: w.mu_product is float64[2], and should be float64[]."


@pytest.mark.parametrize("state", [None, "state.safetensors", [("step", 1)]])
def test_state_is_arrays_by_name(state: Any) -> None:
    with pytest.raises(DTypeError, match="^Adam.load_state_dict: takes arrays by name, not "):
        Adam({"w": parameter([1.0])}).load_state_dict(state)


def test_a_part_of_another_shape_under_a_known_name_is_told() -> None:
    model = nn.Sequential(nn.Linear(2, 2)).to(DEVICE)
    optimizer = Adam(model)
    optimizer.step(model(bb.ones((1, 2))).sum().backward())
    setattr(model, "0", nn.Linear(2, 3))
    with pytest.raises(
        ShapeError, match=r"Adam.step: 0.weight is float32\[3, 2\], and what is kept of it \(m\)"
    ):
        optimizer.step(model(bb.ones((1, 2))).sum().backward())


COPIED: dict[str, Callable[[Any], Any]] = {
    "adam": lambda model: Adam(model, lr=0.1),
    "a schedule and groups": lambda model: Adam(
        model, lr=optim.schedules.warmup(0.1, 1, 1.0), groups={"weight": {"eps": 1e-3}}
    ),
    "a partition": lambda model: optim.Partition(
        model, {"bias": lambda part: Adam(part, lr=0.1), "*": optim.Muon}
    ),
}


@pytest.mark.parametrize("make", COPIED.values(), ids=COPIED)
def test_an_optimizer_and_its_model_copy_and_pickle_together(make: Any) -> None:
    model = nn.Linear(2, 1).to(DEVICE)
    optimizer = make(model)
    optimizer.step(model(bb.ones((1, 2))).sum().backward())
    for again in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        twin: Any = again._model
        assert twin is not model and again.steps == 1
        before = twin.bias.item()
        again.step(twin(bb.ones((1, 2))).sum().backward())
        assert twin.bias.item() == pytest.approx(before - 0.1)
    assert optimizer.steps == 1
