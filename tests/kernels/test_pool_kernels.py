"""Pooling: the core's forwards, the backward rules, and the kernels."""

from __future__ import annotations

from typing import Any

import images
import neural
import numpy as np
import pytest
from images import LAYOUTS, Array, Image, expect, laid_out

from backburner.backends.numpy import maxpool, pool

INF, NAN = np.inf, np.nan
autodiff = pytest.mark.feature_set("autodiff")
dtypes = pytest.mark.parametrize("dtype", neural.DTYPES)
POOLINGS = images.golden("max_pool2d") + images.golden("avg_pool2d")


def options(op: str, kernel: int, stride: int, padding: int = 0, **more: Any) -> dict[str, Any]:
    """Return the options of a pooling along the last axis."""
    plain = {"dilation": (1, 1)} if op == "max_pool2d" else {"count_include_pad": True}
    return {
        "kernel_size": (1, kernel), "stride": (1, stride), "padding": (0, padding), "ceil_mode": False,
    } | plain | images.LATER[op] | more  # fmt: skip


@dtypes
@pytest.mark.parametrize("case", POOLINGS)
def test_forward_is_that_of_pytorch_in_any_layout(case: Image, dtype: str) -> None:
    for layout in LAYOUTS:
        out = neural.core(case.op, [laid_out(x, layout) for x in case.inputs(dtype)], case.options)[0]
        expect(out, case.parts["output"], dtype, divided=case.op == "avg_pool2d")


@autodiff
@dtypes
@pytest.mark.parametrize("case", POOLINGS)
def test_training_is_that_of_pytorch_in_any_layout(case: Image, dtype: str) -> None:
    for layout in LAYOUTS:
        inputs = [laid_out(x, layout) for x in case.inputs(dtype)]
        g = laid_out(case.cotangent(dtype), layout)
        assert g is not None
        outs, gradients = neural.train(case.op, inputs, case.options, g)
        expect(outs[0], case.parts["output"], dtype, divided=case.op == "avg_pool2d")
        expect(gradients[0], case.parts["gradient0"], dtype, divided=case.op == "avg_pool2d")


ROWS: list[tuple[str, str, dict[str, Any], Any, Any, Any]] = [
    # case, op, options, x, output, gradient of its sum
    (
        *("B054 overhang", "avg_pool2d", options("avg_pool2d", 2, 2, ceil_mode=True)),
        *([2, 4, 6, 8, 10], [3, 7, 10], [0.5, 0.5, 0.5, 0.5, 1]),
    ),
    (
        *("B054 padding", "avg_pool2d", options("avg_pool2d", 3, 2, 1, ceil_mode=True)),
        *([1, 2, 3, 4], [1, 3, 2], [1 / 3, 2 / 3, 1 / 3, 5 / 6]),
    ),
    (
        "B054 input alone",
        "avg_pool2d",
        options("avg_pool2d", 3, 2, 1, ceil_mode=True, count_include_pad=False),
        *([1, 2, 3, 4], [1.5, 3, 4], [1 / 2, 1 / 2 + 1 / 3, 1 / 3, 1 / 3 + 1]),
    ),
    ("B056", "max_pool2d", options("max_pool2d", 3, 1, 1), [-1, -2], [-1, -1], [2, 0]),
    (
        "first of equals",
        "max_pool2d",
        options("max_pool2d", 3, 3),
        [1, 7, 7, 5, 5, 5],
        [7, 5],
        [0, 1, 0, 1, 0, 0],
    ),
    (
        "signs of zero are equal",
        "max_pool2d",
        options("max_pool2d", 2, 2),
        [0.0, -0.0, -0.0, 0.0],
        [0, 0],
        [1, 0, 1, 0],
    ),
    ("all -inf", "max_pool2d", options("max_pool2d", 3, 2, 1), [-INF, -INF, -INF], [-INF, -INF], [1, 1, 0]),
    (
        "NaN",
        "max_pool2d",
        options("max_pool2d", 2, 2),
        [NAN, 9, 9, NAN, 1, 2],
        [NAN, NAN, 2],
        [1, 0, 0, 1, 0, 1],
    ),
    (
        *("no tap in the input", "max_pool2d", options("max_pool2d", 2, 1, 1, dilation=(1, 3))),
        *([4, 5], [-INF], [0, 0]),
    ),
]


@autodiff
@dtypes
@pytest.mark.parametrize("case, op, how, x, out, dx", ROWS, ids=[row[0] for row in ROWS])
def test_a_row_is_pooled_by_hand(
    case: str, op: str, how: dict[str, Any], x: Any, out: Any, dx: Any, dtype: str
) -> None:
    row = np.array(x, dtype).reshape(1, 1, 1, -1)
    outs, gradients = neural.train(op, [row], how, np.ones((1, 1, 1, len(out)), dtype))
    expect(outs[0], np.array(out, float).reshape(1, 1, 1, -1), dtype, divided=op == "avg_pool2d")
    expect(gradients[0], np.array(dx, float).reshape(1, 1, 1, -1), dtype, divided=op == "avg_pool2d")


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64", "bool"])
def test_integers_are_padded_with_their_lowest_value(dtype: str) -> None:
    low = False if dtype == "bool" else np.iinfo(dtype).min
    x = np.array([low, low, low, 1], dtype).reshape(1, 1, 1, 4)
    for wanted in (False, True):
        y, indices = maxpool.max_pool2d(x, **options("max_pool2d", 3, 1, 1, return_indices=wanted))
        assert y.dtype == x.dtype
        np.testing.assert_array_equal(y[0, 0, 0], np.array([low, low, 1, 1], dtype))
        assert indices is None or indices.tolist() == [[[[0, 0, 3, 3]]]]


@pytest.mark.parametrize("op", ["max_pool2d", "avg_pool2d"])
def test_windows_of_one_tap_give_a_new_array(op: str) -> None:
    x = np.arange(12.0).reshape(1, 1, 3, 4)
    y = neural.core(op, [x], options(op, 1, 1))[0]
    np.testing.assert_array_equal(y, x)
    assert not np.shares_memory(x, y)


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("dilation", [1, 3])
@pytest.mark.parametrize(
    ("size", "kernel", "stride"), [(4, 9, 1), (5, 9, 4), (7, 5, 9), (5, 8, 3), (1, 6, 1)]
)
def test_the_taps_that_are_tried_are_those_that_meet_the_input(
    size: int, kernel: int, stride: int, dilation: int, ceil_mode: bool
) -> None:
    padding = dilation * (kernel - 1) // 2
    windows = pool.pool2d_size((size, 1), (kernel, 1), (stride, 1), (padding, 0), (dilation, 1), ceil_mode)[0]
    places = {t: [i * stride + t * dilation - padding for i in range(windows)] for t in range(kernel)}
    expected = [t for t, met in places.items() if any(0 <= place < size for place in met)]
    if kernel > windows:
        assert sorted(pool._meeting(size, windows, kernel, stride, padding, dilation)) == expected
    else:
        assert set(expected) <= set(pool._meeting(size, windows, kernel, stride, padding, dilation))


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("stride", [1, 1 << 29])
def test_a_window_of_a_billion_taps_tries_few_of_them(stride: int, ceil_mode: bool) -> None:
    kernel = 1 << 30
    x = np.arange(1.0, 5.0).reshape(1, 1, 1, 4)
    how = {"stride": (1, stride), "padding": (0, kernel // 2), "ceil_mode": ceil_mode}
    assert len(list(pool._meeting(4, 2, kernel, stride, kernel // 2, 1))) <= 8
    for op, expected in (("max_pool2d", 4), ("avg_pool2d", 10 / kernel)):
        y = neural.core(op, [x], options(op, kernel, 1) | how)[0]
        np.testing.assert_array_equal(y[0, 0, 0, 0], expected)


@autodiff
@pytest.mark.parametrize("case", POOLINGS)
def test_empty_batches_and_no_channels_are_pooled(case: Image) -> None:
    x = case.inputs("float32")[0]
    assert x is not None
    for part in (x[:0], x[:, :0]):
        shape = (*part.shape[:2], *case.parts["output"].shape[2:])
        outs, gradients = neural.train(case.op, [part], case.options, np.zeros(shape, np.float32))
        assert outs[0].shape == shape
        assert gradients[0] is not None and gradients[0].shape == part.shape


@autodiff
@pytest.mark.parametrize("case", images.golden("max_pool2d"))
@pytest.mark.parametrize("spoiled", [False, True])
def test_training_finds_what_the_core_finds(case: Image, spoiled: bool) -> None:
    from backburner_autodiff.rules.maxpool import max_pool2d_forward

    x = case.inputs("float32")[0]
    assert x is not None
    if spoiled:
        x = np.where(np.arange(x.size).reshape(x.shape) % 7 < 2, np.float32(NAN), x)
    how = case.options | {"return_indices": True}
    (out, indices), _ = max_pool2d_forward(x, **how)
    y, places = maxpool.max_pool2d(x, **how)
    np.testing.assert_array_equal(out, y)
    np.testing.assert_array_equal(indices, places)
    assert indices is not None and indices.dtype == np.int64
    assert np.array_equal(neural.core("max_pool2d", [x], case.options)[0], y, equal_nan=True)
    flat = np.take_along_axis(x.reshape(*x.shape[:2], -1), indices.reshape(*x.shape[:2], -1), 2)
    np.testing.assert_array_equal(flat.reshape(out.shape), out)


def test_planes_are_searched_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(1).integers(0, 4, (2, 5, 6, 7)).astype(float)
    how = options("max_pool2d", 2, 1) | {"kernel_size": (3, 2), "return_indices": True}
    whole = maxpool.max_pool2d(x, **how)
    monkeypatch.setattr(maxpool, "_CHUNK", 100)
    for y, expected in zip(maxpool.max_pool2d(x, **how), whole, strict=True):
        np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("kernel", [(3, 2), (16, 16), (300, 300)])  # numbered in one, two and eight bytes
def test_a_window_without_an_element_has_the_index_of_none(kernel: tuple[int, int]) -> None:
    x = np.zeros((1, 1, 2, 2))
    apart = max(kernel)  # so far that the taps stand around the input
    padding = tuple((apart * (k - 1)) // 2 for k in kernel)
    how = options("max_pool2d", 1, 1) | {
        "kernel_size": kernel,
        "dilation": (apart, apart),
        "padding": padding,
    }
    y, indices = maxpool.max_pool2d(x, **how | {"return_indices": True})
    assert indices is not None and (indices < 0).any() and ((y == -INF) == (indices < 0)).all()


@autodiff
def test_training_keeps_one_byte_for_a_window() -> None:
    from backburner_autodiff.rules.maxpool import max_pool2d_forward

    x = np.random.default_rng(0).standard_normal((2, 3, 20, 20), dtype=np.float32)
    how = options("max_pool2d", 2, 2) | {"kernel_size": (2, 2), "stride": (2, 2)}
    (out, _), taps = max_pool2d_forward(x, **how)
    assert taps.nbytes == out.size


@autodiff
@pytest.mark.parametrize("kernel", [(2, 127), (5, 51), (15, 17), (16, 16)])
def test_the_number_of_any_tap_survives(kernel: tuple[int, int]) -> None:
    taps = kernel[0] * kernel[1]
    x = np.eye(taps, dtype=np.float32).reshape(taps, 1, *kernel)
    how = options("max_pool2d", 1, 1) | {"kernel_size": kernel}
    _, (dx,) = neural.train("max_pool2d", [x], how, np.full((taps, 1, 1, 1), 3, np.float32))
    np.testing.assert_array_equal(dx, 3 * x)


@autodiff
def test_the_gradient_of_average_pooling_is_adjoint_to_it() -> None:
    rng = np.random.default_rng(0)
    for case in images.golden("avg_pool2d"):
        (image,) = case.values
        x = rng.standard_normal(image.parts["input0"].shape)
        g = rng.standard_normal(image.parts["output"].shape)
        (y,), (dx,) = neural.train("avg_pool2d", [x], image.options, g)
        np.testing.assert_allclose((y * g).sum(), (x * dx).sum(), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("include", [True, False])
def test_every_divisor_counts_a_tap(include: bool) -> None:
    for size in range(1, 9):
        for kernel in range(1, size + 2):
            for stride in range(1, 6):
                for padding in range(kernel // 2 + 1):
                    if size + 2 * padding < kernel:
                        continue
                    pair = ((size, size), (kernel, kernel), (stride, stride), (padding, padding))
                    divisors, _ = pool.avg_pool2d_divisors(*pair, True, include)
                    assert len(divisors) == pool.pool2d_size(*pair, ceil_mode=True)[0]
                    assert (1 <= divisors).all() and (divisors <= kernel).all()


def _planes(*shape: int, dtype: str = "float32") -> Array:
    rng = np.random.default_rng(4)
    return rng.integers(0, 6, shape).astype(dtype)


OFFSETS = np.add.outer(np.arange(3) * 9, np.arange(2) * 2).ravel()
WINDOW = (3, 2, 2, 1, 0, 0, 1, 2)
FEW_OVERLAP = (3, 4, 2, 4, 1, 1, 1, 1)
THREADED: dict[str, Any] = {
    "max_pool2d_taps": lambda: (
        [_planes(6, 8, 9), *WINDOW],
        [np.zeros((6, 3, 8), np.float32), np.zeros((6, 3, 8), np.uint8)],
    ),
    "max_pool2d_fours": lambda: (
        [_planes(6, 8, 9)],
        [np.zeros((6, 4, 4), np.float32), np.zeros((6, 4, 4), np.uint8)],
    ),
    "max_pool2d_indices": lambda: (
        [_planes(6, 8, 9), *FEW_OVERLAP],
        [np.zeros((6, 4, 2), np.float32), np.zeros((6, 4, 2), np.int64)],
    ),
    "max_pool2d_scatter_taps": lambda: (
        [_planes(6, 3, 7), _planes(6, 3, 7, dtype="uint8"), OFFSETS, 9, 2, 1, 0, 0],
        [np.zeros((6, 72), np.float32)],
    ),
    "max_pool2d_scatter": lambda: (
        [_planes(6, 21), _planes(6, 21, dtype="int64")],
        [np.zeros((6, 72), np.float32)],
    ),
    "avg_pool2d_scatter": lambda: (
        [_planes(6, 3, 8), np.array([2, 3, 3]), np.full(8, 2), 3, 2, 2, 1, 1, 0],
        [np.zeros((6, 8, 9), np.float32)],
    ),
}


def _kernels() -> dict[str, Any]:
    from backburner_autodiff.kernels import _jit
    from backburner_autodiff.kernels import maxpool as of_max
    from backburner_autodiff.kernels import pool as of_mean

    members = vars(of_max) | vars(of_mean)
    return {name: value for name, value in members.items() if isinstance(value, _jit.Kernel)}


@autodiff
@pytest.mark.parametrize("name", THREADED)
def test_threads_change_no_bit(name: str) -> None:
    neural.check_threads(_kernels()[name], THREADED[name])


@autodiff
def test_every_kernel_is_tried_with_threads() -> None:
    assert _kernels().keys() == THREADED.keys()
