"""Clipping and accumulation of gradients: norms at the edges of what floats hold, and sums that are those of one batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.errors import ArgumentError, DTypeError, GraphError, ShapeError
from backburner.optim import (
    SGD,
    Accumulator,
    clip_by_global_norm,
    clip_by_norm,
    clip_by_value,
    grad_norm,
)

pytestmark = pytest.mark.feature_set("autodiff")

DEVICE = bb.Device.cpu().autodiff()
RNG = np.random.default_rng(5)
PARTS = {
    "w": RNG.normal(size=(3, 4)),
    "b": RNG.normal(size=5) * 10,
    "scalar": np.array(-2.5),
    "none": np.ones((0, 2)),
}
ORDERS = (0.5, 1.0, 2.0, 3.0, math.inf)


def named(parts: dict[str, Any], dtype: str = "float32") -> dict[str, bb.Tensor]:
    return {name: bb.tensor(np.asarray(part, dtype)) for name, part in parts.items()}


def recorded(parts: dict[str, Any], dtype: str = "float32") -> tuple[dict[str, bb.Tensor], bb.Gradients]:
    """Return leaves whose gradients are ``parts``, and these."""
    leaves = {
        name: bb.zeros(np.shape(part), dtype=dtype, device=DEVICE).require_grad()
        for name, part in parts.items()
    }
    total = bb.zeros((), dtype=dtype)
    for name, leaf in leaves.items():
        total = total + (leaf * bb.tensor(np.asarray(parts[name], dtype))).sum()
    return leaves, total.backward()


# -- norms


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("order", ORDERS)
def test_the_norm_is_that_of_all_elements_in_one_vector(order: float, dtype: str) -> None:
    flat = np.concatenate([np.ravel(part) for part in PARTS.values()])
    right = np.abs(flat).max() if order == math.inf else (np.abs(flat) ** order).sum() ** (1 / order)
    rtol = 1e-6 if dtype == "float32" else 1e-14
    assert grad_norm(named(PARTS, dtype), order) == pytest.approx(right, rel=rtol)
    assert grad_norm(recorded(PARTS, dtype)[1], order) == pytest.approx(right, rel=rtol)


@pytest.mark.parametrize(
    "values, dtype, right",
    [
        ([3e30, 4e30], "float32", 5e30),
        ([3e38] * 4, "float32", 6e38),  # more than a float32 holds
        ([3e-40, 4e-40], "float32", 5e-40),
        ([3e200, 4e200], "float64", 5e200),
        ([3e-200, 4e-200], "float64", 5e-200),
        ([0.0, 0.0], "float32", 0.0),
        ([], "float32", 0.0),
        ([1.0, math.inf], "float32", math.inf),
        ([-math.inf, 1.0], "float64", math.inf),
        ([1.0, math.nan], "float32", math.nan),
        ([math.inf, math.nan], "float64", math.nan),
    ],
)
@pytest.mark.parametrize("order", [2.0, 3.0, math.inf])
def test_the_norm_neither_overflows_nor_vanishes(values: Any, dtype: str, right: float, order: float) -> None:
    if order != 2 and math.isfinite(right) and right:
        most = max(map(abs, values))
        right = most if order == math.inf else most * sum((v / most) ** order for v in values) ** (1 / order)
    assert grad_norm(named({"w": values}, dtype), order) == pytest.approx(right, rel=1e-6, nan_ok=True)


def test_the_norm_has_the_same_bits_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    from backburner_autodiff.kernels._jit import Kernel

    grads = named({"w": RNG.normal(size=20000)})
    found = []
    for version in ("serial", "parallel"):
        monkeypatch.setattr(Kernel, "__call__", getattr(Kernel, version))
        found.append(grad_norm(grads))
    assert (
        found[0] == found[1] == pytest.approx(np.linalg.norm(grads["w"].numpy().astype("float64")), rel=1e-14)
    )


# -- clipping

CLIPS: dict[str, tuple[Callable[..., Any], Callable[[Any], Any]]] = {
    "value": (lambda g: clip_by_value(g, 1.5), lambda parts: {n: np.clip(p, -1.5, 1.5) for n, p in parts.items()}),
    "norm": (
        lambda g: clip_by_norm(g, 2.6),
        lambda parts: {n: p * min(1, 2.6 / (np.linalg.norm(np.ravel(p)) or 1)) for n, p in parts.items()},
    ),
    "norm of order 1": (
        lambda g: clip_by_norm(g, 3.0, 1.0),
        lambda parts: {n: p * min(1, 3 / (np.abs(p).sum() or 1)) for n, p in parts.items()},
    ),
    "global norm": (
        lambda g: clip_by_global_norm(g, 0.25)[0],
        lambda parts: {n: p * 0.25 / np.linalg.norm(np.concatenate([np.ravel(q) for q in parts.values()]))
                       for n, p in parts.items()},
    ),
    "greatest": (
        lambda g: clip_by_global_norm(g, 0.25, math.inf)[0],
        lambda parts: {n: p * 0.25 / max(np.abs(q).max(initial=0) for q in parts.values()) for n, p in parts.items()},
    ),
    "nothing": (lambda g: clip_by_global_norm(g, None)[0], lambda parts: parts),
    "no need": (lambda g: clip_by_global_norm(g, 1e6)[0], lambda parts: parts),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("clip, reference", CLIPS.values(), ids=CLIPS)
def test_both_forms_of_gradients_are_clipped_and_stay_as_they_were(
    clip: Any, reference: Any, dtype: str
) -> None:
    right = reference(PARTS)
    by_name = named(PARTS, dtype)
    leaves, grads = recorded(PARTS, dtype)
    before = {name: g.numpy().copy() for name, g in by_name.items()}
    first, second = clip(by_name), clip(grads)
    assert isinstance(second, bb.Gradients) and len(second) == len(PARTS)
    for name, leaf in leaves.items():
        for found in (first[name], second[leaf]):
            assert found.dtype == dtype
            np.testing.assert_allclose(found.numpy(), right[name], rtol=1e-6)
        assert np.array_equal(by_name[name].numpy(), before[name])
        assert np.array_equal(grads[leaf].numpy(), before[name])


@pytest.mark.parametrize(
    "dtype, size, limit",
    [
        ("float32", 1e30, 1.0),
        ("float32", 3e38, 1.0),
        ("float32", 3e38, 1e-7),  # the factor is no float32
        ("float64", 1e300, 1.0),
        ("float64", 1e300, 1e-20),
        ("float32", 1e-42, 1e-43),
    ],
)
def test_huge_gradients_are_shortened_to_the_limit(dtype: str, size: float, limit: float) -> None:
    grads = named({"w": np.array([size, -size, 0.0]), "b": np.array([size])}, dtype)
    clipped, norm = clip_by_global_norm(grads, limit)
    assert norm == pytest.approx(size * 3**0.5, rel=1e-3)
    rel = 1e-5 if size > 1 else 0.05  # the last ones have few bits
    assert grad_norm(clipped) == pytest.approx(limit, rel=rel)
    assert clipped["b"].tolist()[0] == pytest.approx(limit / 3**0.5, rel=rel)


@pytest.mark.parametrize(
    "limit, right", [(1e300, [3e38, -2.0]), (math.inf, [3e38, -2.0]), (1e-60, [1e-45, -1e-45])]
)
def test_a_limit_that_is_no_float32_clips_as_far_as_those_go(limit: float, right: list[float]) -> None:
    found = clip_by_value(named({"w": [3e38, -2.0]}), limit)["w"]
    np.testing.assert_array_equal(found.numpy(), np.array(right, "float32"))


def test_pytorchs_example_is_clipped_as_pytorch_does() -> None:
    # torch.nn.utils.clip_grad_norm_ of 2.13 on the gradients [3, 4], [12], with a limit of 2
    clipped, norm = clip_by_global_norm(named({"a": [3.0, 4.0], "b": [12.0]}), 2.0)
    assert norm == 13.0
    np.testing.assert_allclose(clipped["a"].numpy(), [0.46153843, 0.61538458], rtol=1e-6)
    np.testing.assert_allclose(clipped["b"].numpy(), [1.84615374], rtol=1e-6)


@pytest.mark.parametrize("bad", [math.inf, math.nan])
def test_gradients_that_are_not_finite_are_an_error_if_asked(bad: float) -> None:
    grads = named({"good": [1.0, 2.0], "bad": [bad, 1.0]})
    clipped, norm = clip_by_global_norm(grads, 1.0)
    assert norm == bad or math.isnan(norm)
    found = np.concatenate([clipped["good"].numpy(), clipped["bad"].numpy()])
    np.testing.assert_array_equal(found, [0, 0, math.nan, 0] if math.isinf(bad) else [math.nan] * 4)
    with pytest.raises(
        GraphError, match=f"clip_by_global_norm: the norm of the gradients is {bad}, for that of bad. Leave"
    ):
        clip_by_global_norm(grads, 1.0, error_if_nonfinite=True)
    assert np.array_equal(
        clip_by_value(grads, 1.5)["bad"].numpy(), [min(bad, 1.5) if bad == bad else bad, 1], True
    )


# B163
@pytest.mark.parametrize("limit", [0, 0.0, -1.0, math.nan, "1", True], ids=str)
@pytest.mark.parametrize(
    "clip, name", [(clip_by_value, "limit"), (clip_by_norm, "max_norm"), (clip_by_global_norm, "max_norm")]
)
def test_a_limit_of_zero_is_refused(clip: Any, name: str, limit: Any) -> None:
    with pytest.raises(ArgumentError, match=f"{clip.__name__}: {name} is a number above 0, not "):
        clip(named({"w": [1.0]}), limit)


def test_none_clips_nothing_and_tells_the_norm() -> None:
    grads = named({"w": [3.0, 4.0]})
    same, norm = clip_by_global_norm(grads, None)
    assert same is grads and norm == 5.0


@pytest.mark.parametrize("order", [0, -1.0, math.nan, "inf", None], ids=str)
def test_an_order_is_a_number_above_0(order: Any) -> None:
    for call in (
        grad_norm,
        lambda g, p: clip_by_norm(g, 1.0, p),
        lambda g, p: clip_by_global_norm(g, 1.0, p),
    ):
        with pytest.raises(ArgumentError, match="norm_type is a number above 0, not "):
            call(named({"w": [1.0]}), order)


@pytest.mark.parametrize(
    "grads, told",
    [
        (bb.ones(2), "grads is a Tensor. Give it what backward or value_and_grad returned"),
        (None, "grads is a NoneType"),
        ({"w": 1.0}, "the gradient of w is float, not a float tensor"),
        ({"w": bb.ones(2, dtype=bb.int32)}, "the gradient of w is int32, not a float tensor"),
    ],
)
def test_what_are_no_gradients_is_told(grads: Any, told: str) -> None:
    for call in (grad_norm, lambda g: clip_by_value(g, 1.0), lambda g: clip_by_norm(g, 1.0),
                 lambda g: clip_by_global_norm(g, 1.0), Accumulator().add):  # fmt: skip
        with pytest.raises(DTypeError, match=told):
            call(grads)


def test_clipped_gradients_make_a_step() -> None:
    model = nn.Linear(2, 1, bias=False).to(DEVICE)
    model.weight.assign(bb.zeros((1, 2)))
    grads, _ = clip_by_global_norm(model(bb.tensor([[3.0, 4.0]])).sum().backward(), 1.0)
    SGD(model, lr=1.0).step(grads)
    np.testing.assert_allclose(model.weight.numpy(), [[-0.6, -0.8]], rtol=1e-6)


# -- accumulation


def model_and_data() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 1)).to(DEVICE)
    return (
        model,
        bb.tensor(rng.normal(size=(11, 3)).astype("float32")),
        bb.tensor(rng.normal(size=(11, 1)).astype("float32")),
    )


def loss(model: Any, x: Any, y: Any) -> Any:
    return (model(x) - y).square().mean()


@pytest.mark.parametrize("by_name", [False, True])
def test_weighted_batches_add_up_to_the_gradient_of_one(by_name: bool) -> None:
    model, x, y = model_and_data()

    def gradients(start: int, stop: int) -> Any:
        if by_name:
            return bb.value_and_grad(loss)(model, x[start:stop], y[start:stop])[1]
        return loss(model, x[start:stop], y[start:stop]).backward()

    whole, total = gradients(0, 11), Accumulator()
    for start, stop in ((0, 4), (4, 8), (8, 11)):  # the last one is smaller
        total.add(gradients(start, stop), weight=stop - start)
    assert (total.count, total.weight) == (3, 11.0)
    mean, added = total.mean(), total.sum()
    for name, p in model.named_parameters():
        key: Any = name if by_name else p
        np.testing.assert_allclose(mean[key].numpy(), whole[key].numpy(), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(added[key].numpy(), 11 * whole[key].numpy(), rtol=1e-4, atol=1e-5)
    before = mean["0.bias" if by_name else model[0].bias].numpy().copy()
    total.add(gradients(0, 4))  # changes nothing that was given out
    assert np.array_equal(mean["0.bias" if by_name else model[0].bias].numpy(), before)
    SGD(model).step(mean)


# B160
def test_batch_norm_makes_of_small_batches_another_gradient() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1)).to(DEVICE)
    _, x, y = model_and_data()
    whole, total = loss(model, x, y).backward(), Accumulator()
    for start, stop in ((0, 6), (6, 11)):
        total.add(loss(model, x[start:stop], y[start:stop]).backward(), weight=stop - start)
    mean = total.mean()
    p: Any = model[0].weight  # type: ignore[attr-defined]
    assert not np.allclose(mean[p].numpy(), whole[p].numpy(), rtol=1e-2)
    assert model[1].num_batches_tracked.item() == 3  # type: ignore[attr-defined]
    assert "batch norm" in (Accumulator.__doc__ or "")


def test_what_a_batch_says_nothing_of_gets_nothing_from_it() -> None:
    total = Accumulator()
    total.add(named({"a": [1.0], "b": [2.0]}))
    total.add(named({"a": [3.0], "c": [4.0]}), weight=2)
    assert {name: g.tolist() for name, g in total.sum().items()} == {"a": [7.0], "b": [2.0], "c": [8.0]}
    assert repr(total) == "Accumulator of 2 gradients with a weight of 3"


def test_gradients_from_before_a_step_do_not_add_to_those_after_it() -> None:
    model, x, y = model_and_data()
    optimizer, total = SGD(model, lr=0.1), Accumulator()
    total.add(loss(model, x, y).backward())
    optimizer.step(total.mean())
    with pytest.raises(
        GraphError, match="Accumulator.add: a parameter has been changed since, by a step or a load"
    ):
        total.add(loss(model, x, y).backward())
    total.reset()
    total.add(loss(model, x, y).backward())
    optimizer.step(total.mean())


def test_what_does_not_add_up_is_told_and_changes_nothing() -> None:
    total = Accumulator()
    for call in (total.sum, total.mean):
        with pytest.raises(GraphError, match="nothing was added. Call add with what backward returned"):
            call()
    total.add(named({"w": [1.0]}))
    bad: list[tuple[Any, Any, type[Exception], str]] = [
        (recorded({"w": [1.0]})[1], 1, DTypeError, "gradients by name and those of backward do not add up"),
        (
            named({"v": [1.0], "w": [1.0, 2.0]}),
            1,
            ShapeError,
            r"the gradient of w has shape \[2\], before \[1\]",
        ),
        (
            named({"w": [1.0]}, "float64"),
            1,
            DTypeError,
            "the gradient of w is float64, before float32. Use astype",
        ),
        (named({"w": [1.0]}), 0, ArgumentError, "weight is a number above 0, not 0"),
    ]
    for grads, weight, error, told in bad:
        with pytest.raises(error, match=f"Accumulator.add: {told}"):
            total.add(grads, weight)
    assert {name: g.tolist() for name, g in total.sum().items()} == {"w": [1.0]} and total.count == 1
