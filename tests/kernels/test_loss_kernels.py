"""cross_entropy: the core's forward, training's forward and backward, and the kernels."""

from __future__ import annotations

from typing import Any

import neural
import numpy as np
import pytest
from neural import Array, Case

INF, NAN = np.inf, np.nan
autodiff = pytest.mark.feature_set("autodiff")
dtypes = pytest.mark.parametrize("dtype", neural.DTYPES)
reductions = pytest.mark.parametrize("reduction", ["none", "mean", "sum"])

LOGITS = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
TARGET = np.array([2, -100, 1])
WEIGHT = np.array([1.0, 2.0, 3.0])


def _options(**changed: Any) -> dict[str, Any]:
    return {"ignore_index": -100, "label_smoothing": 0.0, "reduction": "mean"} | changed


def _both(inputs: list[Array | None], options: dict[str, Any], g: Array | None = None) -> tuple[Array, Array]:
    """Return the value, on which core and training agree, and the gradient of the logits."""
    (value,) = neural.core("cross_entropy", inputs, options)
    value = np.asarray(value)
    outs, (dx, *_) = neural.train("cross_entropy", inputs, options, np.ones_like(value) if g is None else g)
    neural.check(outs[0], value, str(value.dtype))
    assert dx is not None
    return value, dx


@dtypes
@pytest.mark.parametrize("case", neural.golden("cross_entropy"))
def test_forward_is_that_of_pytorch(case: Case, dtype: str) -> None:
    neural.check_forward(case, dtype)


@autodiff
@dtypes
@pytest.mark.parametrize("case", neural.golden("cross_entropy"))
def test_training_is_that_of_pytorch(case: Case, dtype: str) -> None:
    neural.check_training(case, dtype)


@autodiff
@pytest.mark.parametrize(
    ("weight", "smoothing", "expected"),
    [(None, 0.3, 1.373575), (WEIGHT, 0.3, 1.155925), (WEIGHT, 0.0, 1.140381)],
)
def test_ignored_rows_stay_out_of_smoothing_and_weights(
    weight: Array | None, smoothing: float, expected: float
) -> None:
    value, dx = _both([LOGITS, TARGET, weight], _options(label_smoothing=smoothing))
    assert value == pytest.approx(expected, abs=1e-6)
    np.testing.assert_array_equal(dx[1], 0)
    if weight is not None and smoothing:
        np.testing.assert_allclose(dx[0], [0.028617, 0.092153, -0.120770], atol=1e-6)


@autodiff
@reductions
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_dropping_ignored_rows_changes_nothing(
    weight: Array | None, smoothing: float, reduction: str
) -> None:
    options = _options(label_smoothing=smoothing, reduction=reduction)
    kept = TARGET != -100
    value, dx = _both([LOGITS, TARGET, weight], options)
    value_kept, dx_kept = _both([LOGITS[kept], TARGET[kept], weight], options)
    np.testing.assert_allclose(value[kept] if reduction == "none" else value, value_kept, rtol=1e-14)
    np.testing.assert_allclose(dx[kept], dx_kept, rtol=1e-14)


@autodiff
@reductions
@pytest.mark.parametrize("ignore_index", [-100, -1, 0, 2, 10**12])
def test_what_an_ignored_row_holds_does_not_matter(ignore_index: int, reduction: str) -> None:
    target = np.array([1, ignore_index, 1])
    for poison in (NAN, INF, -INF):
        x = LOGITS.copy()
        x[1] = poison
        options = _options(ignore_index=ignore_index, reduction=reduction, label_smoothing=0.1)
        value, dx = _both([x, target, WEIGHT], options)
        np.testing.assert_array_equal(dx[1], 0)
        clean, dclean = _both([LOGITS, target, WEIGHT], options)
        np.testing.assert_array_equal(value, clean)
        np.testing.assert_array_equal(dx, dclean)


@autodiff
@reductions
@dtypes
@pytest.mark.parametrize("shape", [(3, 4), (0, 4), (2, 0)])
def test_without_any_row_the_mean_is_nan_and_the_gradient_0(
    shape: tuple[int, int], dtype: str, reduction: str
) -> None:
    x, target = np.ones(shape, dtype), np.full(shape[0], -100)
    for weight in (None, np.ones(shape[1], dtype)):
        for smoothing in (0.0, 0.1):
            options = _options(reduction=reduction, label_smoothing=smoothing)
            value, dx = _both([x, target, weight], options)
            expected = {"none": np.zeros(shape[0]), "sum": 0.0, "mean": NAN}[reduction]
            np.testing.assert_array_equal(value, expected)
            assert value.dtype == dx.dtype == np.dtype(dtype)
            np.testing.assert_array_equal(dx, np.zeros(shape))


@autodiff
@dtypes
def test_large_logits_and_masked_classes_are_exact(dtype: str) -> None:
    x = np.array([[1e6, 1e6, -1e6], [1e6, 0, 0], [0.0, -INF, 0.0], [0.0, -INF, 0.0]], dtype)
    value, dx = _both([x, np.array([0, 1, 0, 1]), None], _options(reduction="none"))
    np.testing.assert_allclose(value, [np.log(2), 1e6, np.log(2), INF], rtol=1e-6)
    expected = [[-0.5, 0.5, 0], [1, -1, 0], [-0.5, 0, 0.5], [0.5, -1, 0.5]]
    np.testing.assert_allclose(dx, expected, atol=1e-6)


@autodiff
def test_a_row_without_a_cotangent_has_no_gradient_whatever_it_holds() -> None:
    x = np.array([[NAN, 1.0], [INF, 0.0], [-INF, -INF], [1.0, 2.0]])
    g = np.array([0.0, 0.0, 0.0, 2.0])
    _, dx = _both([x, np.zeros(4, np.int64), None], _options(reduction="none"), g)
    np.testing.assert_array_equal(dx[:3], 0)
    np.testing.assert_allclose(dx[3].sum(), 0, atol=1e-15)


@autodiff
@pytest.mark.parametrize("smoothing", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("weight", [None, WEIGHT])
@reductions
def test_the_gradient_is_a_difference_quotient(
    weight: Array | None, smoothing: float, reduction: str
) -> None:
    inputs = [LOGITS, TARGET, weight]
    options = _options(label_smoothing=smoothing, reduction=reduction)
    g = np.array([0.5, 1.0, -2.0]) if reduction == "none" else np.array(1.5)
    _, dx = _both(inputs, options, g)
    expected = neural.difference_quotient("cross_entropy", inputs, options, 0, g)
    np.testing.assert_allclose(dx, expected, atol=1e-8)


@autodiff
def test_the_gradient_of_each_row_sums_to_0() -> None:
    rng = np.random.default_rng(0)
    x, target = rng.standard_normal((50, 1000)).astype(np.float32) * 5, rng.integers(0, 1000, 50)
    _, dx = _both([x, target, None], _options(label_smoothing=0.1, reduction="sum"))
    np.testing.assert_allclose(dx.sum(1, dtype=np.float64), 0, atol=2e-6)


@autodiff
@pytest.mark.parametrize("smoothing", [0.0, 0.9])
def test_float32_losses_stay_accurate_over_millions_of_classes(smoothing: float) -> None:
    c = 3_000_000
    x, weight = np.full((1, c), 0.1, np.float32), np.full(c, 0.1, np.float32)
    x[0, 0] = 1  # so that every other exp is rounded, and always in one direction
    outs, (dx, *_) = neural.train(
        "cross_entropy",
        [x, np.array([5]), weight],
        _options(label_smoothing=smoothing, reduction="sum"),
        np.ones(1, np.float32),
    )
    wide = x.astype(np.float64) - 1
    total = np.exp(wide).sum()
    expected = 0.1 * (np.log(total) - (1 - smoothing) * wide[0, 5] - smoothing * wide.mean())
    np.testing.assert_allclose(outs[0], expected, rtol=1e-6)
    assert dx is not None
    np.testing.assert_allclose(dx[0, 0], 0.1 * (1 / total - smoothing / c), rtol=2e-6)


# -- kernels -----------------------------------------------------------------------------------------------


def _forward(classes: int = 45) -> tuple[list[Any], list[Array]]:
    rng = np.random.default_rng(0)
    x, weight = rng.standard_normal((70, classes)).astype(np.float32), rng.random(classes).astype(np.float32)
    target = rng.integers(0, classes, 70)
    target[::7] = -100
    return [x, target, weight, -100, 0.1, weight.sum()], [*np.zeros((3, 70), np.float32), np.zeros(2)]


def _backward() -> tuple[list[Any], list[Array]]:
    (x, *rest), rows = _forward()
    g, highest, scale = (np.random.default_rng(i).random(70).astype(np.float32) for i in range(3))
    return [x, g, *rest, highest + 3, scale], [np.zeros_like(x)]


THREADED: dict[str, Any] = {"cross_entropy_forward": _forward, "cross_entropy_backward": _backward}


@autodiff
def test_threads_change_no_bit_of_rows_of_several_chunks() -> None:
    from backburner_autodiff.kernels import loss

    neural.check_threads(loss.cross_entropy_forward, lambda: _forward(2 * loss.CHUNK + 100))


@autodiff
@pytest.mark.parametrize("name", THREADED)
def test_threads_change_no_bit(name: str) -> None:
    from backburner_autodiff.kernels import loss

    neural.check_threads(getattr(loss, name), THREADED[name])


@autodiff
def test_every_kernel_is_tried_with_threads() -> None:
    from backburner_autodiff.kernels import _jit, loss

    assert {k for k, v in vars(loss).items() if isinstance(v, _jit.Kernel)} == THREADED.keys()
