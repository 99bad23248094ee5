"""huber_loss: training against the core, and the kernels."""

from __future__ import annotations

import math
from typing import Any

import neural
import numpy as np
import pytest

autodiff = pytest.mark.feature_set("autodiff")


@autodiff
@pytest.mark.parametrize("dtype", neural.DTYPES)
@pytest.mark.parametrize(
    ("delta", "divisor"), [(1.0, 1.0), (0.3, 0.3), (math.inf, 0.5), (math.inf, 1.0), (1e-30, 1e-30)]
)
def test_training_has_the_values_of_the_core_and_the_slope_of_them(
    delta: float, divisor: float, dtype: str
) -> None:
    x = np.array([0.5, -3, math.inf, -math.inf, math.nan, 1e-20, 0], dtype)
    options = {"delta": delta, "divisor": divisor}
    (value,) = neural.core("huber_loss", [x, np.zeros_like(x)], options)
    outs, (dx, dt) = neural.train("huber_loss", [x, np.zeros_like(x)], options, np.ones_like(x))
    np.testing.assert_allclose(outs[0], value, neural.TOLERANCE[dtype])
    assert dx is not None and dt is not None
    np.testing.assert_allclose(dx, np.clip(x, -delta, delta) / divisor, neural.TOLERANCE[dtype])
    np.testing.assert_array_equal(dx, -dt)


@autodiff
@pytest.mark.parametrize("g", [0.0, 0.25, -2.0])
def test_a_cotangent_that_is_the_same_for_all_is_no_special_case(g: float) -> None:
    x = np.random.default_rng(0).standard_normal((5, 7))
    for shape in ((5, 7), (1, 1)):
        cotangent = np.broadcast_to(np.full(shape, g), x.shape)
        _, (dx, _) = neural.train("huber_loss", [x, 0 * x], {"delta": 1.0, "divisor": 1.0}, cotangent)
        assert dx is not None
        np.testing.assert_allclose(dx, g * np.clip(x, -1, 1), 1e-15)


def _arrays() -> tuple[list[Any], list[Any]]:
    x = np.random.default_rng(0).standard_normal((2, 1013)).astype(np.float32)
    return [x[0], x[1], 0.7, 0.3], [np.zeros_like(x[0])]


THREADED = ("huber_loss_forward", "huber_loss_backward")


@autodiff
@pytest.mark.parametrize("name", THREADED)
def test_threads_change_no_bit(name: str) -> None:
    from backburner_autodiff.kernels import regression

    neural.check_threads(getattr(regression, name), _arrays)


@autodiff
def test_every_kernel_is_tried_with_threads() -> None:
    from backburner_autodiff.kernels import _jit, regression

    assert {k for k, v in vars(regression).items() if isinstance(v, _jit.Kernel)} == set(THREADED)
