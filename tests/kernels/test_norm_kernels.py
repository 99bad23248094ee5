"""Normalisations: the core's forward, training's forward and backward, and the kernels."""

from __future__ import annotations

from typing import Any

import neural
import numpy as np
import pytest
from neural import Array, Case

autodiff = pytest.mark.feature_set("autodiff")
dtypes = pytest.mark.parametrize("dtype", neural.DTYPES)

LAYER = {"ndim": 1, "eps": 1e-5}
BATCH = {"eps": 1e-5}
IMAGES = [(2, 3), (7, 70), (3, 2, 5), (2, 3, 8, 8), (3, 2, 31), (3, 2, 32), (130, 66, 2), (2, 3, 40, 40)]
"""Shapes on both sides of the bounds of the kernels of batch norm: 32 pixels, 64 rows, 64 columns, 1024 values."""


def _random(shape: tuple[int, ...], seed: int = 0, dtype: str = "float64") -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@dtypes
@pytest.mark.parametrize("case", neural.golden("layer_norm", "batch_norm"))
def test_forward_is_that_of_pytorch(case: Case, dtype: str) -> None:
    neural.check_forward(case, dtype)


@autodiff
@dtypes
@pytest.mark.parametrize("case", neural.golden("layer_norm", "batch_norm"))
def test_training_is_that_of_pytorch(case: Case, dtype: str) -> None:
    neural.check_training(case, dtype)


@autodiff
@pytest.mark.parametrize(
    ("op", "shape", "inner", "options"),
    [
        ("layer_norm", (3, 2, 5), (5,), LAYER),
        ("layer_norm", (3, 2, 5), (2, 5), {"ndim": 2, "eps": 0.1}),
        ("batch_norm", (5, 3), (3,), BATCH),
        ("batch_norm", (2, 3, 4), (3,), {"eps": 0.1}),
        ("batch_norm", (1, 2, 6, 6), (2,), BATCH),
    ],
)
def test_gradients_are_difference_quotients(
    op: str, shape: tuple[int, ...], inner: tuple[int, ...], options: dict[str, Any]
) -> None:
    inputs: list[Array | None] = [_random(shape), _random(inner, 1), _random(inner, 2)]
    g = _random(shape, 3)
    _, gradients = neural.train(op, inputs, options, g)
    for which, dx in enumerate(gradients):
        expected = neural.difference_quotient(op, inputs, options, which, g)
        assert dx is not None
        np.testing.assert_allclose(dx, expected, rtol=1e-5, atol=1e-7)


@autodiff
@pytest.mark.parametrize("shape", IMAGES)
def test_batch_norm_trains_as_the_core_normalises(shape: tuple[int, ...]) -> None:
    c = shape[1]
    inputs: list[Array | None] = [_random(shape) + 5, _random((c,), 1), _random((c,), 2)]
    g = _random(shape, 3)
    outs, gradients = neural.train("batch_norm", inputs, BATCH, g)
    for actual, expected in zip(outs, neural.core("batch_norm", inputs, BATCH), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9)
    axes = (0, *range(2, len(shape)))
    x, weight, _ = inputs
    assert x is not None and weight is not None
    y = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)
    wide = (c, *(1,) * (len(shape) - 2))
    centred = g - g.mean(axes, keepdims=True) - y * (g * y).mean(axes, keepdims=True)
    scale = weight.reshape(wide) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)
    for actual, expected in zip(gradients, (scale * centred, (g * y).sum(axes), g.sum(axes)), strict=True):
        np.testing.assert_allclose(np.asarray(actual), expected, rtol=1e-8, atol=1e-8)


@autodiff
@pytest.mark.parametrize(("n", "d"), [(1, 3000), (63, 5), (64, 5), (65, 5), (4097, 2), (9000, 3)])
def test_layer_norm_sums_over_all_rows(n: int, d: int) -> None:
    x, weight, bias, g = _random((n, d)), _random((d,), 1), _random((d,), 2), _random((n, d), 3)
    _, (_, dweight, dbias) = neural.train("layer_norm", [x, weight, bias], LAYER, g)
    y = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(np.asarray(dweight), (g * y).sum(0), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.asarray(dbias), g.sum(0), rtol=1e-9, atol=1e-9)


@autodiff
def test_layer_norm_of_three_dimensions_and_a_constant_row() -> None:
    x = np.array([[[1.0, 3.0], [2.0, 2.0]], [[0.0, 4.0], [5.0, 1.0]]])
    g = np.arange(8.0).reshape(2, 2, 2)
    _, (dx, dweight, dbias) = neural.train("layer_norm", [x, np.array([1.0, 2.0]), np.zeros(2)], LAYER, g)
    assert dx is not None
    np.testing.assert_allclose(np.asarray(dbias), [12, 16])
    np.testing.assert_allclose(np.asarray(dweight), [2, -1], atol=1e-4)
    np.testing.assert_allclose(dx[0, 1], [-632.4555, 632.4555], rtol=1e-6)


@autodiff
@dtypes
def test_layer_norm_of_one_element_is_its_bias_and_passes_nothing_on(dtype: str) -> None:
    x, weight, bias = (np.array(v, dtype) for v in ([[1e6], [0.1]], [1.7], [3.3]))
    outs, (dx, dweight, dbias) = neural.train(
        "layer_norm", [x, weight, bias], LAYER, np.array([[0.3], [0.7]], dtype)
    )
    np.testing.assert_array_equal(outs[0], bias * np.ones((2, 1), dtype))
    np.testing.assert_array_equal(neural.core("layer_norm", [x, weight, bias], LAYER)[0], outs[0])
    np.testing.assert_array_equal(dx, [[0], [0]])
    np.testing.assert_array_equal(dweight, [0])
    np.testing.assert_allclose(np.asarray(dbias), [1], rtol=1e-6)


@autodiff
@pytest.mark.parametrize("shape", [(8, 6), (4, 6, 50)])
def test_float32_loses_nothing_where_the_mean_is_large(shape: tuple[int, ...]) -> None:
    noise = np.round(_random(shape) * 16) / 16  # so that adding 1e5 is exact
    shifted = (noise + 1e5).astype(np.float32)
    g = _random(shape, 1, "float32")
    for op, options in (("layer_norm", LAYER), ("batch_norm", BATCH)):
        (out, *_), (dx, *_) = neural.train(op, [shifted, None, None], options, g)
        wanted, (dwanted, *_) = neural.train(op, [noise, None, None], options, g.astype(np.float64))
        np.testing.assert_allclose(out, wanted[0], rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(
            neural.core(op, [shifted, None, None], options)[0], wanted[0], rtol=1e-5, atol=1e-5
        )
        np.testing.assert_allclose(np.asarray(dx), np.asarray(dwanted), rtol=1e-4, atol=1e-4)


@autodiff
@pytest.mark.parametrize("shape", [(300_000, 3), (20, 3, 20_000)])
def test_float32_sums_stay_accurate_over_very_many_values(shape: tuple[int, ...]) -> None:
    x = _random(shape, 0, "float32") * 3 + 100
    g = np.abs(_random(shape, 1, "float32"))
    axes = (0, *range(2, len(shape)))
    for outs in (
        neural.core("batch_norm", [x, None, None], BATCH),
        neural.train("batch_norm", [x, np.ones(3, np.float32), None], BATCH, g)[0],
    ):
        np.testing.assert_allclose(outs[1], x.mean(axes, dtype=np.float64), rtol=1e-6)
        np.testing.assert_allclose(outs[2], x.var(axes, dtype=np.float64), rtol=2e-6)
    one = np.ones(3, np.float32)
    _, (_, _, dbias) = neural.train("batch_norm", [x, one, one], BATCH, g)
    np.testing.assert_allclose(np.asarray(dbias), g.sum(axes, dtype=np.float64), rtol=1e-6)
    rows = g.reshape(-1, 3)
    _, (_, _, dbias) = neural.train("layer_norm", [x.reshape(-1, 3), one, one], LAYER, rows)
    np.testing.assert_allclose(np.asarray(dbias), rows.sum(0, dtype=np.float64), rtol=1e-6)


@autodiff
def test_a_constant_cotangent_of_a_long_layer_norm_has_no_gradient() -> None:
    x = _random((1, 3_000_000), 0, "float32")
    tenth = np.full(x.shape[1], 0.1, np.float32)
    _, (dx, *_) = neural.train("layer_norm", [x, tenth, tenth], LAYER, np.full_like(x, 3))
    np.testing.assert_allclose(np.asarray(dx), 0, atol=1e-6)


@autodiff
@pytest.mark.parametrize(("op", "options"), [("layer_norm", LAYER), ("batch_norm", BATCH)])
def test_only_what_is_needed_is_returned(op: str, options: dict[str, Any]) -> None:
    x, v, g = _random((4, 3)), _random((3,), 1), _random((4, 3), 2)
    _, (everything, *_) = neural.train(op, [x, v, v], options, g)
    for needed in ((True, False, False), (True, False, True), (True, True, False)):
        _, gradients = neural.train(op, [x, v, v], options, g, needed)
        np.testing.assert_array_equal(gradients[0], everything)
        assert tuple(dx is not None for dx in gradients) == needed


@autodiff
@dtypes
@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (2, 0, 5), (0, 2, 3)])
def test_layer_norm_takes_empty_arrays(shape: tuple[int, ...], dtype: str) -> None:
    x, v = np.ones(shape, dtype), np.ones(shape[-1:], dtype)
    assert neural.core("layer_norm", [x, v, v], LAYER)[0].shape == shape
    outs, (dx, dweight, dbias) = neural.train("layer_norm", [x, v, v], LAYER, x)
    assert dx is not None
    assert outs[0].shape == dx.shape == shape
    for dv in (dweight, dbias):
        np.testing.assert_array_equal(dv, np.zeros(shape[-1:], dtype))


@autodiff
def test_batch_norm_takes_no_channels() -> None:
    x, v = np.ones((4, 0, 2)), np.ones(0)
    outs, (dx, dweight, _) = neural.train("batch_norm", [x, v, v], BATCH, x)
    for actual, expected in zip(outs, neural.core("batch_norm", [x, v, v], BATCH), strict=True):
        assert actual.shape == expected.shape
    assert dx is not None and dweight is not None
    assert (dx.shape, dweight.shape) == (x.shape, (0,))


def test_a_constant_row_and_an_infinity_give_no_warning() -> None:
    for op, options in (("layer_norm", LAYER), ("batch_norm", BATCH)):
        x = np.array([[2.0, 2.0], [2.0, 2.0]])
        np.testing.assert_array_equal(neural.core(op, [x, None, None], options)[0], np.zeros((2, 2)))
        out = neural.core(op, [np.array([[1.0, np.inf], [1.0, np.inf]]), None, None], options)[0]
        assert np.isnan(out).any()


# -- kernels -----------------------------------------------------------------------------------------------


def _floats(*shapes: tuple[int, ...]) -> list[Array]:
    return [_random(shape, i, "float32") + 1 for i, shape in enumerate(shapes)]


def _zeros(*shapes: tuple[int, ...], totals: tuple[tuple[int, ...], ...] = ()) -> list[Array]:
    return [np.zeros(shape, np.float32) for shape in shapes] + [np.zeros(shape) for shape in totals]


ROWS, D, SMALL, LARGE, C = (300, 37), (37,), (140, 150), (5, 50, 70), (50,)
THREADED: dict[str, Any] = {
    "layer_norm_forward": lambda: ([*_floats(ROWS, D, D), 1e-5, True], _zeros(ROWS, ROWS[:1], ROWS[:1])),
    "layer_norm_backward": lambda: (
        [*_floats(ROWS, ROWS, D, ROWS[:1], ROWS[:1]), 64, True],
        _zeros(ROWS, (5, 37), (5, 37), totals=((5, 37), (5, 37))),
    ),
    "group_norm_forward": lambda: ([*_floats(LARGE, C, C), 1e-5, 1], _zeros(LARGE, LARGE[:1], LARGE[:1])),
    "group_norm_backward": lambda: (
        [*_floats(LARGE, LARGE, C, LARGE[:1], LARGE[:1]), 1],
        _zeros(LARGE, totals=(LARGE[:2], LARGE[:2])),
    ),
    "batch_norm_forward": lambda: ([*_floats(LARGE, C, C), 1e-5], _zeros(LARGE, C, C, C)),
    "batch_norm_backward": lambda: (_floats(LARGE, LARGE, C, C, C), _zeros(LARGE, C, C)),
    "batch_norm_rows_forward": lambda: (
        [*_floats(SMALL, C, C), 1e-5, 3],
        _zeros(SMALL, C, C, C, (5, 150), totals=((150,),)),
    ),
    "batch_norm_rows_backward": lambda: (
        [*_floats(SMALL, SMALL, C, C, C), 3],
        _zeros(SMALL, C, C, (6, 150), totals=((2, 150),)),
    ),
}


@autodiff
@pytest.mark.parametrize("name", THREADED)
def test_threads_change_no_bit(name: str) -> None:
    from backburner_autodiff.kernels import norm

    neural.check_threads(getattr(norm, name), THREADED[name])


@autodiff
def test_threads_change_no_bit_of_layer_norms_rows_of_several_chunks() -> None:
    from backburner_autodiff.kernels import norm

    d = 2 * norm.CHUNK + 100
    rows, inner, none = (70, d), (d,), (2, 0)
    neural.check_threads(
        norm.layer_norm_backward,
        lambda: (
            [*_floats(rows, rows, inner, rows[:1], rows[:1]), 64, False],
            _zeros(rows, none, none, totals=(none, none)),
        ),
    )


@autodiff
def test_every_kernel_is_tried_with_threads() -> None:
    from backburner_autodiff.kernels import _jit, norm

    assert {k for k, v in vars(norm).items() if isinstance(v, _jit.Kernel)} == THREADED.keys()
