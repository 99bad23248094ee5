"""Averages of weights: PyTorch's numbers, buffers, what is remembered, and models that do not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.optim import EMA, SWA

pytestmark = pytest.mark.feature_set("autodiff")

GOLDEN = np.load(Path(__file__).parent / "golden" / "optim.npz")
SEEN = GOLDEN["average/seen"]
DEVICE = bb.Device.cpu().autodiff()


def network() -> Any:
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).to(DEVICE)


def show(model: Any, flat: Any) -> None:
    """Give a model the numbers of one update."""
    for _, state in model.named_state():
        if state.dtype.kind == "f":
            part, flat = flat[: state.size], flat[state.size :]
            state.assign(np.asarray(part.reshape(state.shape), state.dtype))
        else:
            state.assign(np.asarray(state.numpy() + 1))


def flat(model: Any) -> Any:
    return np.concatenate([s.numpy().ravel() for s in model.state_dict().values() if s.dtype.kind == "f"])


MADE: dict[str, Any] = {
    "ema": lambda model: EMA(model, 0.9),
    "ema buffers": lambda model: EMA(model, 0.9, use_buffers=True),
    "swa": lambda model: SWA(model),
    "swa buffers": lambda model: SWA(model, use_buffers=True),
}
every = pytest.mark.parametrize("kind", MADE)


@every
def test_an_average_is_pytorchs_after_every_update(kind: str) -> None:
    model = network()
    average = MADE[kind](model)
    for numbers, right in zip(SEEN, GOLDEN[f"average/{kind}"], strict=True):
        show(model, numbers)
        average.update()
        np.testing.assert_allclose(flat(average.model()), right, rtol=1e-6)
    assert average.updates == len(SEEN)


def test_a_corrected_average_is_the_weighted_mean_of_all_that_it_saw() -> None:
    model = network()
    average = EMA(model, 0.9, bias_correction=True)
    np.testing.assert_array_equal(flat(average.model()), flat(model))  # before the first update
    for count, numbers in enumerate(SEEN, 1):
        show(model, numbers)
        average.update()
        weights = 0.9 ** np.arange(count)[::-1]
        right = weights @ SEEN[:count] / weights.sum()
        n = len(flat(model)) - 6  # without the running statistics, which are the latest
        np.testing.assert_allclose(flat(average.model())[:n], right[:n], rtol=1e-5)
        np.testing.assert_allclose(flat(average.model())[n:], numbers[n:], rtol=1e-6)


def test_a_warmup_keeps_little_at_first() -> None:
    model = nn.Linear(1, 1, bias=False)
    average = EMA(model, 0.2, warmup=True)
    right = None
    for n, value in enumerate([1.0, 2.0, 4.0, 8.0]):
        model.weight.assign(bb.full((1, 1), value))
        average.update()
        keep = min(0.2, (1 + n) / (10 + n))
        right = value if right is None else keep * right + (1 - keep) * value
        assert average.model().weight.item() == pytest.approx(right)


def test_counts_of_batches_are_the_latest() -> None:
    model = network()
    average = EMA(model, 0.5, use_buffers=True)
    for numbers in SEEN[:3]:
        show(model, numbers)
        average.update()
    assert average.model()[1].num_batches_tracked.item() == model[1].num_batches_tracked.item() == 3


@every
def test_the_model_of_averages_is_its_own(kind: str) -> None:
    model = network()
    average = MADE[kind](model)
    show(model, SEEN[0])
    average.update()
    taken, before = average.model(), flat(average.model())
    assert not taken.training and not taken[0].weight.is_autodiff()
    show(model, SEEN[1])
    average.update()
    np.testing.assert_array_equal(flat(taken), before)
    np.testing.assert_allclose(flat(model), SEEN[1], rtol=1e-6)


def test_copy_to_gives_the_model_or_another_one_the_averages() -> None:
    model, other = network(), network()
    model[0].freeze()  # which an average does not mind
    average = SWA(model)
    for numbers in SEEN[:2]:
        show(model, numbers)
        average.update()
    right = flat(average.model())
    average.copy_to(other)
    np.testing.assert_array_equal(flat(other), right)
    assert not np.array_equal(flat(model), right)
    average.copy_to()
    np.testing.assert_array_equal(flat(model), right)
    assert model[1].weight.is_require_grad()


def test_a_tied_parameter_is_averaged_once_and_stays_tied() -> None:
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    model[1].weight = model[0].weight  # type: ignore[attr-defined]
    average = EMA(model, 0.5)
    average.update()
    made = average.model()
    assert made[0].weight is made[1].weight
    assert [name for name in average.state_dict() if name.startswith("average.")] == ["average.0.weight"]


@pytest.mark.parametrize("kind", [*MADE, "corrected"])
def test_an_average_goes_on_with_the_same_bits_after_a_load(kind: str, tmp_path: Path) -> None:
    def make(model: Any) -> Any:
        return MADE[kind](model) if kind in MADE else EMA(model, 0.9, warmup=True, bias_correction=True)

    model = network()
    first = make(model)
    for numbers in SEEN[:3]:
        show(model, numbers)
        first.update()
    bb.save(first, tmp_path / "average.safetensors")
    second = make(model)
    bb.load(second, tmp_path / "average.safetensors")
    for numbers in SEEN[3:]:
        show(model, numbers)
        for average in (first, second):
            average.update()
    assert second.updates == len(SEEN)
    assert flat(first.model()).tobytes() == flat(second.model()).tobytes()


def test_what_does_not_fit_is_told_and_changes_nothing() -> None:
    model = nn.Linear(2, 1)
    average = EMA(model, 0.9)
    state = average.state_dict()
    bad: list[tuple[Any, type[Exception], str]] = [
        (None, DTypeError, "EMA.load_state_dict: takes arrays by name, not None."),
        (SWA(model).state_dict(), ArgumentError, "EMA.load_state_dict: the state is that of SWA, not of EMA. "),
        ({k: v for k, v in state.items() if k != "left"}, ArgumentError,
         "EMA.load_state_dict: left is a float64 from 0 to 1, not None."),
        ({**state, "left": np.array(2.0)}, ArgumentError,
         r"EMA.load_state_dict: left is a float64 from 0 to 1, not array\(2.\)."),
        ({k: v for k, v in state.items() if k != "average.bias"}, ArgumentError,
         "EMA.load_state_dict: average.bias is missing."),
        ({**state, "average.bias": np.ones(2)}, ShapeError,
         r"EMA.load_state_dict: average.bias is float64\[2\], and should be float32\[1\]."),
        ({**state, "more": np.ones(2)}, ArgumentError,
         "EMA.load_state_dict: no parameter and no state is called more."),
    ]  # fmt: skip
    average.update()
    for wrong, error, told in bad:
        with pytest.raises(error, match=told):
            average.load_state_dict(wrong)
    assert average.updates == 1
    with pytest.raises(
        ShapeError, match=r"EMA.copy_to: weight is float32\[1, 3\], its average float32\[1, 2\]"
    ):
        average.copy_to(nn.Linear(3, 1))
    model.more = nn.Linear(1, 1)  # type: ignore[attr-defined]
    with pytest.raises(
        ArgumentError, match="EMA.update: the model has changed, in more.bias, more.weight. Make"
    ):
        average.update()


def test_options_that_make_no_sense_are_told() -> None:
    model = nn.Linear(2, 1)
    with pytest.raises(DTypeError, match=r"EMA: needs a module, got dict. Use EMA\(model\)."):
        EMA({})  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="EMA: decay is a number from 0 on and below 1, not 1.0"):
        EMA(model, 1.0)
    for name in ("warmup", "bias_correction", "use_buffers"):
        with pytest.raises(ArgumentError, match=f"EMA: {name} is True or False, not 1."):
            EMA(model, **{name: 1})
    assert repr(EMA(model)) == "EMA(decay=0.999, warmup=False, bias_correction=False, use_buffers=False)"
    assert repr(SWA(model)) == "SWA(use_buffers=False)"
