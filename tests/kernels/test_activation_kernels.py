"""Activations: the core's forward, training's forward and backward, and the kernels."""

from __future__ import annotations

from typing import Any

import neural
import numpy as np
import pytest
from neural import Case

INF, NAN = np.inf, np.nan
LONG = 3_000_000
OPS = ("relu", "sigmoid", "gelu", "softmax", "log_softmax")
GELUS = ({"approximate": "none"}, {"approximate": "tanh"})
autodiff = pytest.mark.feature_set("autodiff")
dtypes = pytest.mark.parametrize("dtype", neural.DTYPES)

EXTREMES: list[tuple[str, dict[str, Any], list[float], list[float]]] = [
    ("relu", {}, [NAN, -INF, INF, -1.0, 3.0], [NAN, 0, INF, 0, 3]),
    ("sigmoid", {}, [NAN, -INF, INF, -1e4, 1e4, 0], [NAN, 0, 1, 0, 1, 0.5]),
    ("gelu", GELUS[0], [NAN, INF, 3e38, -3e38, 1e30, 50, -50], [NAN, INF, 3e38, 0, 1e30, 50, 0]),
    ("gelu", GELUS[1], [NAN, INF, 3e38, -3e38, 1e30, 50, -50], [NAN, INF, 3e38, 0, 1e30, 50, 0]),
    ("softmax", {"axis": 0}, [1e4, 0, -INF], [1, 0, 0]),
    ("softmax", {"axis": 0}, [-1e4, -1e4], [0.5, 0.5]),
    ("softmax", {"axis": 0}, [-INF, -INF], [NAN, NAN]),
    ("softmax", {"axis": 0}, [0, NAN, 1], [NAN, NAN, NAN]),
    ("softmax", {"axis": 0}, [INF, 0], [NAN, NAN]),
    ("log_softmax", {"axis": 0}, [1e4, 0, -INF], [0, -1e4, -INF]),
    ("log_softmax", {"axis": 0}, [-INF, -INF], [NAN, NAN]),
    ("log_softmax", {"axis": 0}, [0, NAN], [NAN, NAN]),
]


@dtypes
@pytest.mark.parametrize("case", neural.golden(*OPS))
def test_forward_is_that_of_pytorch(case: Case, dtype: str) -> None:
    neural.check_forward(case, dtype)


@autodiff
@dtypes
@pytest.mark.parametrize("case", neural.golden(*OPS))
def test_training_is_that_of_pytorch(case: Case, dtype: str) -> None:
    neural.check_training(case, dtype)


@dtypes
@pytest.mark.parametrize(("op", "options", "x", "expected"), EXTREMES)
def test_forward_is_right_at_the_extremes_without_a_warning(
    op: str, options: dict[str, Any], x: list[float], expected: list[float], dtype: str
) -> None:
    neural.check(neural.core(op, [np.array(x, dtype)], options)[0], np.array(expected), dtype)


@autodiff
@dtypes
@pytest.mark.parametrize(("op", "options", "x", "expected"), EXTREMES)
def test_training_forward_is_right_at_the_extremes(
    op: str, options: dict[str, Any], x: list[float], expected: list[float], dtype: str
) -> None:
    for shape in ((len(x),), (len(x), 1)):
        outs, _ = neural.train(op, [np.array(x, dtype).reshape(shape)], options, np.zeros(shape, dtype))
        neural.check(outs[0].ravel(), np.array(expected), dtype)


@autodiff
@pytest.mark.parametrize("op", ["softmax", "log_softmax"])
def test_an_axis_in_the_middle_meets_extremes_as_the_last_one_does(op: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4, 3, 70)).astype(np.float32) * 10
    x[0, :, 1], x[1, 1, 2], x[2, 0, 69], x[3, 2, 5] = -INF, -INF, NAN, INF
    g = rng.standard_normal(x.shape).astype(np.float32)
    outs, gradients = neural.train(op, [x], {"axis": 1}, g)
    last_outs, last_gradients = neural.train(op, [x.transpose(0, 2, 1)], {"axis": 2}, g.transpose(0, 2, 1))
    for middle, last in ((outs, last_outs), (gradients, last_gradients)):
        assert middle[0] is not None and last[0] is not None
        np.testing.assert_allclose(middle[0].transpose(0, 2, 1), last[0], rtol=2e-5, atol=2e-5)


@dtypes
@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (1,), (2, 0, 4)])
def test_forward_keeps_shape_and_dtype_of_small_and_empty_arrays(
    op: str, shape: tuple[int, ...], dtype: str
) -> None:
    options = {"gelu": GELUS[0], "softmax": {"axis": 0}, "log_softmax": {"axis": 0}}.get(op, {})
    (out,) = neural.core(op, [np.ones(shape, dtype)], options)
    assert (out.shape, out.dtype) == (shape, np.dtype(dtype))


@autodiff
@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (2, 0, 4)])
def test_training_takes_empty_arrays(op: str, shape: tuple[int, ...]) -> None:
    options = {"gelu": GELUS[0], "softmax": {"axis": 0}, "log_softmax": {"axis": 0}}.get(op, {})
    outs, gradients = neural.train(op, [np.ones(shape)], options, np.ones(shape))
    assert gradients[0] is not None
    assert outs[0].shape == gradients[0].shape == shape


@autodiff
@pytest.mark.parametrize(("op", "options"), [("relu", {}), ("sigmoid", {}), *(("gelu", o) for o in GELUS)])
def test_a_zero_cotangent_gives_a_zero_gradient_whatever_the_input(op: str, options: dict[str, Any]) -> None:
    x = np.array([NAN, INF, -INF, 1e38, -1e38, 0, 1], np.float32)
    _, (dx,) = neural.train(op, [x], options, np.zeros_like(x))
    np.testing.assert_array_equal(dx, 0)


@dtypes
def test_relu_of_long_arrays_is_that_of_short_ones(dtype: str) -> None:
    x = np.random.default_rng(0).standard_normal((5, 2049)).astype(dtype)
    x[2, 7], x[4, -1] = NAN, INF
    (out,) = neural.core("relu", [x], {})
    np.testing.assert_array_equal(out, np.where(x < 0, 0, x))
    assert out.dtype == np.dtype(dtype)


@autodiff
def test_relu_has_gradient_0_at_0_and_lets_infinite_cotangents_through_elsewhere() -> None:
    x = np.array([0.0, -0.0, -1.0, 1.0])
    _, (dx,) = neural.train("relu", [x], {}, np.full(4, INF))
    np.testing.assert_array_equal(dx, [0, 0, 0, INF])


@autodiff
@pytest.mark.parametrize("options", GELUS)
def test_gelu_has_slope_1_or_0_far_out(options: dict[str, Any]) -> None:
    x = np.array([20.0, 1e19, 3e38, -20.0, -1e19, -3e38], np.float32)
    _, (dx,) = neural.train("gelu", [x], options, np.ones_like(x))
    np.testing.assert_array_equal(np.abs(np.asarray(dx)), [1, 1, 1, 0, 0, 0])


@autodiff
def test_softmax_of_masked_logits_has_no_gradient_at_the_mask() -> None:
    x = np.array([[0.0, -INF, 1.0]])
    for op in ("softmax", "log_softmax"):
        _, (dx,) = neural.train(op, [x], {"axis": 1}, np.array([[1.0, 0.0, 2.0]]))
        assert dx is not None and dx[0, 1] == 0 and np.isfinite(dx).all()


@autodiff
@pytest.mark.parametrize("shape", [(1, LONG), (LONG, 2)], ids=["row", "columns"])
def test_float32_softmax_stays_accurate_over_millions_of_values(shape: tuple[int, int]) -> None:
    axis = shape.index(LONG)
    x = np.full(shape, 0.1, np.float32)
    x[0] = 1  # so that every other exp is rounded, and always in one direction
    total = 1 + (LONG - 1) * np.exp(np.float64(x[-1, -1]) - 1)
    g = np.full(shape, 0.1, np.float32)
    (p,), (dx,) = neural.train("softmax", [x], {"axis": axis}, g)
    assert dx is not None
    np.testing.assert_allclose(p[0] * total, 1, rtol=1e-6)
    np.testing.assert_allclose(dx / (p * g), 0, atol=5e-6)  # a constant cotangent has no gradient
    (out,), _ = neural.train("log_softmax", [x], {"axis": axis}, g)
    np.testing.assert_allclose(out[0], -np.log(total), rtol=1e-6)
    _, (dx,) = neural.train("log_softmax", [np.zeros_like(x)], {"axis": axis}, g)
    np.testing.assert_allclose(np.asarray(dx), 0, atol=5e-7)


# -- dropout -----------------------------------------------------------------------------------------------


def test_dropout_zeroes_its_share_and_scales_the_rest() -> None:
    x = np.full((500, 400), 3, np.float32)
    (out,) = neural.core("dropout", [x], {"p": 0.25, "seed": 5})
    assert out.dtype == np.float32
    assert set(np.unique(out)) == {np.float32(0), np.float32(4)}
    assert abs((out == 0).mean() - 0.25) < 0.005


def test_dropout_is_a_function_of_its_seed() -> None:
    x = np.ones((20, 30))
    first, again, other = (neural.core("dropout", [x], {"p": 0.5, "seed": s})[0] for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_dropout_draws_by_position_whatever_the_strides_and_the_dtype() -> None:
    x = np.ones((20, 30))
    options = {"p": 0.5, "seed": 1}
    expected = neural.core("dropout", [x], options)[0]
    for same in (np.asfortranarray(x), neural.strided(x), x.astype(np.float32)):
        np.testing.assert_array_equal(neural.core("dropout", [same], options)[0], expected)


@dtypes
def test_dropout_drops_infinities_and_nan_too(dtype: str) -> None:
    x = np.full(1000, INF, dtype)
    x[::2] = NAN
    (out,) = neural.core("dropout", [x], {"p": 0.5, "seed": 1})
    assert 300 < (out == 0).sum() < 700 and np.isnan(out).any() and np.isinf(out).any()


def test_dropout_of_nothing_and_of_everything() -> None:
    x = np.ones(5, np.float32)
    assert neural.core("dropout", [x], {"p": 0, "seed": 1})[0] is x
    np.testing.assert_array_equal(neural.core("dropout", [x], {"p": 1, "seed": 1})[0], np.zeros(5))


@autodiff
@dtypes
@pytest.mark.parametrize("p", [0, 0.0, 0.3, 1, 1.0])
def test_the_gradient_of_dropout_has_its_mask(p: float, dtype: str) -> None:
    x = np.random.default_rng(0).standard_normal((30, 40)).astype(dtype)
    x[0, 0] = 0  # a zero that is kept still has a gradient
    g = np.ones_like(x)
    outs, (dx,) = neural.train("dropout", [x], {"p": p, "seed": 0}, g)
    np.testing.assert_array_equal(outs[0], neural.core("dropout", [x], {"p": p, "seed": 0})[0])
    expected = neural.core("dropout", [np.ones_like(x)], {"p": p, "seed": 0})[0]
    np.testing.assert_array_equal(dx, expected)
    assert np.asarray(dx).dtype == np.dtype(dtype)


# -- kernels -----------------------------------------------------------------------------------------------


def _flat(n: int, count: int, *extra: Any) -> Any:
    rng = np.random.default_rng(n)
    xs = [rng.standard_normal(n).astype(np.float32) for _ in range(count)]
    return lambda: ((*xs, *extra), (np.zeros(n, np.float32),))


def _cube(count: int, scratch: int) -> Any:
    """Return inputs and outputs of a kernel that works along the middle axis, with an uneven rest of columns."""
    rng = np.random.default_rng(7)
    xs = [rng.standard_normal((3, 5, 150)).astype(np.float32) for _ in range(count)]
    return lambda: (
        xs,
        [
            np.zeros((3, 5, 150), np.float32),
            *[np.zeros((3, 150), d) for d in ("float32", "float64")[2 - scratch :]],
        ],
    )


def _rows(count: int, shape: tuple[int, int] = (33, 101)) -> Any:
    rng = np.random.default_rng(8)
    xs = [rng.standard_normal(shape).astype(np.float32) for _ in range(count)]
    return lambda: (xs, [np.zeros(shape, np.float32)])


IMAGES = (7, 5, 2100)


def _images(count: int) -> list[Any]:
    """Return so many images and a slope for each channel."""
    rng = np.random.default_rng(9)
    return [rng.standard_normal(shape).astype(np.float32) for shape in (*[IMAGES] * count, IMAGES[1:2])]


OTHERS: dict[str, Any] = {
    "dropout_backward": _flat(10007, 1, np.arange(10007) % 3 == 0, 2.0),
    "piecewise_forward": _flat(10007, 1, -1.0, 1.0, 0.5, 0.1, 0.2, 0.3, 0.4, 2.0, -0.5),
    "piecewise_backward": _flat(10007, 2, -1.0, 1.0, 0.5, 0.2, 0.3, 2.0),
    "prelu_forward": lambda: (_images(1), [np.zeros(IMAGES, np.float32)]),
    "prelu_backward": lambda: (_images(2), [np.zeros(IMAGES, np.float32), np.zeros(IMAGES[:2])]),
}
PAIRS = [
    np.random.default_rng(4).standard_normal(shape).astype(np.float32) for shape in ((7, 2, 2100), (7, 2100))
]
THREADED: dict[str, Any] = {
    "silu_forward": _flat(10007, 1),
    "silu_backward": _flat(10007, 2),
    "elu_forward": _flat(10007, 1, 1.1, 1.5, 0.7),
    "elu_backward": _flat(10007, 2, 1.1, 1.5, 0.7),
    "softplus_forward": _flat(10007, 1, 1.5, 1.0),
    "softplus_backward": _flat(10007, 2, 1.5, 1.0),
    "glu_forward": lambda: (PAIRS[:1], [np.zeros((7, 2100), np.float32)]),
    "glu_backward": lambda: (PAIRS[::-1], [np.zeros((7, 2, 2100), np.float32)]),
    "mish_forward": _flat(10007, 1),
    "mish_backward": _flat(10007, 2),
    "relu_backward": _flat(10007, 2),
    "sigmoid_forward": _flat(10007, 1),
    "sigmoid_backward": _flat(10007, 2),
    "gelu_forward": _flat(10007, 1),
    "gelu_backward": _flat(10007, 2),
    "gelu_tanh_forward": _flat(10007, 1),
    "gelu_tanh_backward": _flat(10007, 2),
    "softmax_forward": _rows(1),
    "softmax_backward": _rows(2),
    "log_softmax_forward": _rows(1),
    "log_softmax_backward": _rows(2),
    "softmax_columns_forward": _cube(1, 2),
    "softmax_columns_backward": _cube(2, 1),
    "log_softmax_columns_forward": _cube(1, 2),
    "log_softmax_columns_backward": _cube(2, 1),
}


@autodiff
@pytest.mark.parametrize("name", [*THREADED, *OTHERS])
def test_threads_change_no_bit(name: str) -> None:
    from backburner_autodiff.kernels import activation, dropout, piecewise

    (home,) = [module for module in (activation, dropout, piecewise) if hasattr(module, name)]
    neural.check_threads(getattr(home, name), (THREADED | OTHERS)[name])


@autodiff
@pytest.mark.parametrize(("name", "inputs"), [
    ("softmax_forward", 1), ("softmax_backward", 2), ("log_softmax_forward", 1), ("log_softmax_backward", 2),
])  # fmt: skip
def test_threads_change_no_bit_of_rows_of_several_chunks(name: str, inputs: int) -> None:
    from backburner_autodiff.kernels import activation

    neural.check_threads(getattr(activation, name), _rows(inputs, (5, 2 * activation.CHUNK + 100)))


@autodiff
def test_every_kernel_is_tried_with_threads() -> None:
    from backburner_autodiff.kernels import _jit, activation

    assert {k for k, v in vars(activation).items() if isinstance(v, _jit.Kernel)} == THREADED.keys()
