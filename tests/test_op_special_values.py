"""The second table: kinks, ties, infinities, NaN and other people's faults give the values that are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import backburner as bb
from ops import Array, collected
from ops.special import BINARY, EXTREMES, UNARY, Special

SPECIALS: tuple[Special, ...] = collected("special", "SPECIALS")

autodiff = pytest.mark.feature_set("autodiff")
both_floats = pytest.mark.parametrize("dtype", ["float32", "float64"])


@pytest.fixture
def device() -> bb.Device:
    return bb.Device.cpu().autodiff()


@pytest.mark.parametrize("special", SPECIALS, ids=str)
@both_floats
def test_a_special_value_is_right(special: Special, dtype: str) -> None:
    if special.value is None:
        return
    with np.errstate(all="ignore"):
        y = special.call(*(bb.tensor(x, dtype=dtype) for x in special.inputs)).numpy()
    np.testing.assert_allclose(y, special.value, 1e-6, special.atol)


@autodiff
@pytest.mark.parametrize("special", SPECIALS, ids=str)
@both_floats
def test_a_special_value_is_right_in_training(special: Special, dtype: str, device: bb.Device) -> None:
    """Training has forwards of its own for many ops."""
    if special.value is None:
        return
    with np.errstate(all="ignore"):
        y = special.call(*(bb.tensor(x, dtype=dtype, device=device).require_grad() for x in special.inputs))
    np.testing.assert_allclose(y.detach().numpy(), special.value, 1e-6, special.atol)


WITH_GRADIENTS = [special for special in SPECIALS if special.gradients]


def gradients_of(special: Special, dtype: str, device: bb.Device) -> list[Array]:
    marked = [bb.tensor(x, dtype=dtype, device=device).require_grad() for x in special.inputs]
    with np.errstate(all="ignore"):
        y = special.call(*marked)
        cotangent = None if special.cotangent is None else bb.tensor(special.cotangent, dtype=y.dtype)
        grads = y.backward(cotangent)
    return [grads[x].numpy() for x in marked]


@autodiff
@pytest.mark.parametrize("special", WITH_GRADIENTS, ids=str)
@both_floats
@pytest.mark.parametrize("strategy", ["DISABLED", "BALANCED"])
def test_a_special_gradient_is_right(special: Special, dtype: str, strategy: str, device: bb.Device) -> None:
    device = device.gradient_checkpointing(getattr(bb.GradientCheckpointing, strategy))
    found = gradients_of(special, dtype, device)
    for dx, wanted in zip(found, special.gradients, strict=True):
        assert dx.dtype == dtype  # B067
        if wanted is not None:
            for part, right in zip(dx, wanted, strict=True) if dx.ndim > 1 else [(dx, wanted)]:
                if right is not None:
                    np.testing.assert_allclose(part, right, 1e-5, special.atol)


@autodiff
@pytest.mark.parametrize("op", UNARY)
@both_floats
def test_a_zero_cotangent_stops_even_an_infinite_slope(op: str, dtype: str, device: bb.Device) -> None:
    with np.errstate(all="ignore"):
        x = bb.tensor(EXTREMES, dtype=dtype, device=device).require_grad()
        y = UNARY[op](x)
        dx = y.backward(bb.zeros(y.shape, dtype=y.dtype))[x].numpy()
        np.testing.assert_array_equal(dx, 0)
        for i in range(len(EXTREMES)):  # and one that is not zero elsewhere changes nothing about it
            y = UNARY[op](x)
            g = np.zeros(y.shape, y.dtype)
            g[2] = 1
            dx = y.backward(bb.asarray(g))[x].numpy()
            assert i == 2 or dx[i] == 0


@autodiff
@pytest.mark.parametrize("op", BINARY)
@both_floats
def test_a_zero_cotangent_stops_infinite_slopes_of_two_inputs(op: str, dtype: str, device: bb.Device) -> None:
    with np.errstate(all="ignore"):
        x = bb.tensor(EXTREMES, dtype=dtype, device=device).require_grad()
        for shape in ((-1, 1), (-1,)):
            y = bb.tensor(EXTREMES, dtype=dtype, device=device).require_grad()
            out = BINARY[op](x, y.reshape(shape))
            grads = out.backward(bb.zeros(out.shape, dtype=dtype))
            np.testing.assert_array_equal(grads[x].numpy(), 0)
            np.testing.assert_array_equal(grads[y].numpy(), 0)


@autodiff
@pytest.mark.parametrize("number", [2.5, np.float64(2.5), np.float32(2.5), 2, np.int64(2)], ids=repr)
def test_B067_a_number_as_operand_keeps_float32_forward_and_backward(number: Any, device: bb.Device) -> None:
    x = bb.ones((2,), device=device).require_grad()
    for y in (x * number, number * x, x / number, number / x, x + number, x - number, x**number):
        assert y.dtype == bb.float32
        assert y.backward()[x].dtype == bb.float32


@autodiff
def test_B067_a_gradient_through_a_float64_operand_comes_back_in_float32(device: bb.Device) -> None:
    x = bb.ones((2,), device=device).require_grad()
    y = x * bb.tensor([2.0, 3.0], dtype=bb.float64)
    assert y.dtype == bb.float64
    dx = y.backward()[x]
    assert dx.dtype == bb.float32 and dx.tolist() == [2, 3]


@autodiff
def test_batch_norm_stores_the_unbiased_variance_and_normalises_by_the_biased_one(device: bb.Device) -> None:
    x = bb.tensor([[0.0], [2.0]], dtype="float64", device=device).require_grad()
    zero, one = bb.zeros((1,), dtype="float64"), bb.ones((1,), dtype="float64")
    out, mean, var = bb.nn.functional.batch_norm(x, zero, one, training=True, momentum=1.0, eps=0.0)
    assert out.tolist() == [[-1], [1]]
    assert mean is not None and mean.tolist() == [1] and not mean.is_tracked()
    assert var is not None and var.tolist() == [2] and not var.is_tracked()


def test_an_empty_batch_changes_no_statistics() -> None:
    mean, var = bb.tensor([3.0]), bb.tensor([2.0])
    _, new_mean, new_var = bb.nn.functional.batch_norm(bb.zeros((0, 1)), mean, var, training=True)
    assert new_mean is not None and new_mean.tolist() == [3]
    assert new_var is not None and new_var.tolist() == [2]


@pytest.mark.feature_set("autodiff")
@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1e-30, 0], "float32"),
        ([1e20, -1e20], "float32"),
        ([3e38, -3e38], "float32"),
        ([1e-300, 0], "float64"),
        ([1.0, 3.0], "float32"),
    ],
)
def test_std_neither_overflows_nor_vanishes_with_the_squares(values: list[float], dtype: str) -> None:
    x = bb.tensor(values, dtype=dtype, device=bb.Device.cpu().autodiff()).require_grad()
    y = bb.std(x)
    np.testing.assert_allclose(y.item(), abs(values[0] - values[1]) / 2, rtol=1e-6)
    np.testing.assert_allclose(np.abs(y.backward()[x].numpy()), 0.5, rtol=1e-6)
