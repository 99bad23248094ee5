"""Convolution: the core's forward, the backward rule, and the kernels."""

from __future__ import annotations

import tracemalloc
from typing import Any

import images
import neural
import numpy as np
import pytest
from images import LAYOUTS, Array, Image, expect, laid_out

from backburner.backends.numpy import _columns, conv

autodiff = pytest.mark.feature_set("autodiff")
dtypes = pytest.mark.parametrize("dtype", neural.DTYPES)
PLAIN: dict[str, Any] = {"stride": (1, 1), "padding": (0, 0), "dilation": (1, 1), "groups": 1}


def convolve(x: Array, weight: Array, bias: Array | None = None, **options: Any) -> Array:
    return conv.conv2d(x, weight, bias, **PLAIN | options)


def backward(
    x: Array,
    weight: Array,
    bias: Array | None,
    g: Array,
    needed: tuple[bool, ...] = (True, True, True),
    **options: Any,
) -> tuple[Array | None, ...]:
    return neural.train("conv2d", [x, weight, bias], PLAIN | options, g, needed)[1]


def sample(seed: int) -> tuple[Array, Array, Array, dict[str, Any]]:
    """Return random images, kernels and bias, and options that fit them."""
    rng = np.random.default_rng(seed)
    while True:
        kernel, stride, padding, dilation = rng.integers([1, 1, 0, 1], [5, 5, 4, 4], (2, 4)).T
        size = rng.integers(1, 15, 2)
        if (size + 2 * padding > dilation * (kernel - 1)).all():
            break
    groups, c, o = rng.integers(1, 4, 3) if seed % 3 else (rng.integers(2, 6), 1, rng.integers(1, 3))
    options = {"stride": stride, "padding": padding, "dilation": dilation}
    return (
        rng.standard_normal((rng.integers(1, 5), groups * c, *size)),
        rng.standard_normal((groups * o, c, *kernel)),
        rng.standard_normal(groups * o),
        {name: tuple(pair.tolist()) for name, pair in options.items()} | {"groups": int(groups)},
    )


def reference(
    x: Array, weight: Array, bias: Array, stride: Any, padding: Any, dilation: Any, groups: int
) -> Array:
    """Sum window by window over the definition."""
    x = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, weight.shape[2:], strict=True)]
    windows = np.lib.stride_tricks.sliding_window_view(x, reach, (2, 3))
    windows = windows[:, :, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]
    n, c, oh, ow = windows.shape[:4]
    windows = windows.reshape(n, groups, c // groups, oh, ow, *weight.shape[2:])
    kernels = weight.reshape(groups, -1, *weight.shape[1:])
    return np.einsum("ngcyxij,gocij->ngoyx", windows, kernels).reshape(n, -1, oh, ow) + bias[:, None, None]


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make chunks of few images, bands of few rows and pieces of few places of samples."""
    monkeypatch.setattr(_columns, "BAND_BYTES", 2000)
    monkeypatch.setattr(_columns, "BLOCK_BYTES", 2000)
    monkeypatch.setattr(_columns, "BLOCK_PLACES", 1)
    monkeypatch.setattr(_columns, "SMALL", 10000)
    monkeypatch.setattr(_columns, "SHARED", 0)
    monkeypatch.setattr(conv, "CHUNK_BYTES", 2000)
    monkeypatch.setattr(conv, "BAND_BYTES", 3000)
    monkeypatch.setattr(conv, "PIECE_BYTES", 400)


@dtypes
@pytest.mark.parametrize("case", images.golden("conv2d"))
def test_forward_is_that_of_pytorch_in_any_layout(case: Image, dtype: str) -> None:
    for layout in LAYOUTS:
        inputs = [laid_out(x, layout) for x in case.inputs(dtype)]
        (out,) = neural.core("conv2d", inputs, case.options)
        expect(out, case.parts["output"], dtype)


@autodiff
@dtypes
@pytest.mark.parametrize("case", images.golden("conv2d"))
def test_gradients_are_those_of_pytorch_in_any_layout(case: Image, dtype: str) -> None:
    for layout in LAYOUTS:
        inputs = [laid_out(x, layout) for x in case.inputs(dtype)]
        g = laid_out(case.cotangent(dtype), layout)
        assert g is not None
        _, gradients = neural.train("conv2d", inputs, case.options, g)
        for i, x in enumerate(inputs):
            if x is not None:
                expect(gradients[i], case.parts[f"gradient{i}"], dtype)


ROWS: list[tuple[str, Any, Any, dict[str, Any], Any, Any, Any]] = [
    # case, x, weight, options, output, and with a cotangent of ones gradients of x and weight, all of one row
    ("B046", [range(1, 8)], [[[1, 1]]], {"stride": (1, 3)}, [[3, 9]], [[1, 1, 0, 1, 1, 0, 0]], [[[5, 7]]]),
    (
        *("B050", [range(1, 6)], [[[1, 1]]], {"stride": (1, 2), "dilation": (1, 2)}),
        *([[4, 8]], [[1, 0, 2, 0, 1]], [[[4, 8]]]),
    ),
    (
        *("B053", [[1, 2, 3, 4], [5, 6, 7, 8]], [[[1]], [[1]]], {"groups": 2}),
        *([[1, 2, 3, 4], [5, 6, 7, 8]], [[1] * 4, [1] * 4], [[[10]], [[26]]]),
    ),
]


@autodiff
@pytest.mark.parametrize("case, x, weight, options, out, dx, dweight", ROWS, ids=[row[0] for row in ROWS])
def test_a_known_fault_of_other_libraries_is_absent(
    case: str, x: Any, weight: Any, options: dict[str, Any], out: Any, dx: Any, dweight: Any
) -> None:
    images_, kernels = np.array(x, float)[None, :, None], np.array(weight, float)[:, :, None]
    y = convolve(images_, kernels, **options)
    gradients = backward(images_, kernels, None, np.ones_like(y), **options)
    np.testing.assert_array_equal(y[0, :, 0], out)
    np.testing.assert_array_equal(np.asarray(gradients[0])[0, :, 0], dx)
    np.testing.assert_array_equal(np.asarray(gradients[1])[:, :, 0], dweight)


@pytest.mark.parametrize("seed", range(60))
def test_forward_is_the_sum_over_each_window(seed: int) -> None:
    x, weight, bias, options = sample(seed)
    np.testing.assert_allclose(
        conv.conv2d(x, weight, bias, **options), reference(x, weight, bias, **options), rtol=1e-11, atol=1e-12
    )


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.usefixtures("small_chunks")
def test_chunks_and_bands_give_the_same_values(seed: int) -> None:
    x, weight, bias, options = sample(seed)
    np.testing.assert_allclose(
        conv.conv2d(x, weight, bias, **options), reference(x, weight, bias, **options), rtol=1e-11, atol=1e-12
    )


def check_adjoint(seed: int) -> None:
    """Compare products: a convolution is linear in its input and in its weight, and gradients are its adjoints."""
    x, weight, bias, options = sample(seed)
    rng = np.random.default_rng(seed)
    zero = np.zeros_like(bias)
    g = rng.standard_normal(conv.conv2d(x, weight, bias, **options).shape)
    dx, dweight, dbias = backward(x, weight, bias, g, **options)
    x_, weight_ = rng.standard_normal(x.shape), rng.standard_normal(weight.shape)
    for moved, of, with_ in (
        (conv.conv2d(x_, weight, zero, **options), x_, dx),
        (conv.conv2d(x, weight_, zero, **options), weight_, dweight),
        (np.broadcast_to(bias[:, None, None], g.shape), bias, dbias),
    ):
        assert with_ is not None
        np.testing.assert_allclose((moved * g).sum(), (of * with_).sum(), rtol=1e-9, atol=1e-9)


@autodiff
@pytest.mark.parametrize("seed", range(60))
def test_gradients_are_adjoint_to_the_forward(seed: int) -> None:
    check_adjoint(seed)


@autodiff
@pytest.mark.parametrize("seed", range(30))
@pytest.mark.usefixtures("small_chunks")
def test_gradients_of_chunks_and_bands_are_adjoint_to_the_forward(seed: int) -> None:
    check_adjoint(seed)


@pytest.mark.parametrize(
    "c, o, kernel, options",
    [
        (1, 6, 5, {"padding": (2, 2)}),
        (16, 32, 3, {"padding": (1, 1)}),
        (16, 8, 3, {"stride": (2, 2)}),
        (16, 8, 1, {}),
        (16, 16, 3, {"groups": 16}),
        (16, 16, 7, {"groups": 16, "padding": (3, 3)}),
    ],
)
def test_an_image_has_the_same_bits_in_whatever_batch(
    c: int, o: int, kernel: int, options: dict[str, Any]
) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((9, c, 20, 20), dtype=np.float32)
    shape = (o, c // options.get("groups", 1), kernel, kernel)
    weight, bias = rng.standard_normal(shape, dtype=np.float32), rng.standard_normal(o, dtype=np.float32)
    whole = convolve(x, weight, bias, **options)
    for part in (slice(4, 5), slice(2, 7)):
        assert convolve(x[part], weight, bias, **options).tobytes() == whole[part].tobytes()


def _peak(run: Any) -> int:
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_columns_of_large_images_take_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_columns, "BAND_BYTES", 1 << 17)
    monkeypatch.setattr(_columns, "BLOCK_BYTES", 1 << 17)
    x, weight = np.ones((2, 8, 128, 128), np.float32), np.ones((1, 8, 3, 3), np.float32)
    columns = 9 * x.nbytes
    assert _peak(lambda: convolve(x, weight)) < 1 << 20 < columns


@autodiff
def test_columns_of_gradients_take_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    from backburner_autodiff.rules import conv as rules

    monkeypatch.setattr(rules, "is_direct", lambda *_: False)
    monkeypatch.setattr(_columns, "BAND_BYTES", 1 << 17)
    monkeypatch.setattr(_columns, "BLOCK_BYTES", 1 << 17)
    monkeypatch.setattr(conv, "CHUNK_BYTES", 1 << 16)
    monkeypatch.setattr(conv, "BAND_BYTES", 1 << 18)
    x, weight = np.ones((2, 8, 128, 128), np.float32), np.ones((1, 8, 3, 3), np.float32)
    g = np.ones((2, 1, 126, 126), np.float32)
    backward(x[:, :, :9, :9], weight, None, g[:, :, :7, :7])  # compiles
    assert _peak(lambda: backward(x, weight, None, g)) < x.nbytes + (1 << 20)


def test_a_kernel_of_one_tap_makes_no_columns() -> None:
    x, weight = np.ones((1, 64, 64, 64), np.float32), np.ones((1, 64, 1, 1), np.float32)
    assert _peak(lambda: convolve(x, weight)) < x.nbytes / 8


def test_infinities_stay_in_the_windows_that_hold_them_and_warn_of_nothing() -> None:
    x = np.ones((1, 1, 4, 6))
    x[0, 0, 1, 5], x[0, 0, 2, 0] = np.inf, -np.inf
    y = convolve(x, np.array([[[[1.0, 0.5]]]]))
    expected = np.full((4, 5), 1.5)
    expected[1, 4], expected[2, 0] = np.inf, -np.inf
    np.testing.assert_array_equal(y[0, 0], expected)


@autodiff
@pytest.mark.parametrize("groups", [1, 2])
def test_an_infinite_input_leaves_the_gradient_of_other_taps_finite(groups: int) -> None:
    x = np.ones((1, groups, 3, 6))
    x[0, 0, 1, 5] = np.inf
    _, dweight, _ = backward(x, np.ones((groups, 1, 1, 2)), None, np.ones((1, groups, 3, 5)), groups=groups)
    np.testing.assert_array_equal(dweight, [[[[15, np.inf]]], [[[15, 15]]]][:groups])


@autodiff
@pytest.mark.parametrize("groups", [1, 2])
def test_what_is_not_needed_is_not_computed(groups: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from backburner_autodiff.rules import _depthwise
    from backburner_autodiff.rules import conv as rules

    calls: list[str] = []
    for place, names in (
        (rules, ("conv2d_gather", "conv2d_scatter")),
        (_depthwise, ("conv2d_depthwise", "conv2d_depthwise_weight")),
    ):
        for name in names:
            kernel = getattr(place, name)
            monkeypatch.setattr(place, name, lambda *xs, n=name, k=kernel: (calls.append(n), k(*xs)))
    x, weight, bias = np.ones((1, 2, 4, 4)), np.ones((2, 2 // groups, 2, 2)), np.ones(2)
    g = np.ones((1, 2, 3, 3))
    kernels = ["conv2d_scatter", "conv2d_gather"]
    if groups > 1:
        kernels = ["conv2d_depthwise", "conv2d_depthwise_weight"]
    for which in range(3):
        needed = tuple(i == which for i in range(3))
        calls.clear()
        gradients = backward(x, weight, bias, g, needed, groups=groups)
        forward = calls[: groups - 1]
        assert tuple(y is not None for y in gradients) == needed
        assert forward == ["conv2d_depthwise"][: groups - 1]
        assert calls[groups - 1 :] == kernels[which : which + 1]


@autodiff
def test_a_bias_gets_an_accurate_float32_gradient_from_many_images() -> None:
    g = np.full((1, 1, 1, 1), 0.1, np.float32)
    n = 1 << 20
    x, g = np.broadcast_to(np.zeros_like(g), (n, 1, 1, 1)), np.broadcast_to(g, (n, 1, 1, 1))
    dbias = backward(x, np.ones((1, 1, 1, 1), np.float32), np.zeros(1, np.float32), g, (False, False, True))[
        2
    ]
    np.testing.assert_allclose(dbias, [n * float(np.float32(0.1))], rtol=1e-7)


@autodiff
@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("groups", [1, 2])
def test_the_layout_of_a_cotangent_changes_no_bit_of_the_gradients(groups: int, kernel: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1, 2, 302, 302), dtype=np.float32)
    weight = rng.standard_normal((2, 2 // groups, kernel, kernel), dtype=np.float32)
    side = 303 - kernel
    full = rng.standard_normal((1, side, side, 2), dtype=np.float32).transpose(0, 3, 1, 2)
    broadcast = [np.broadcast_to(part, full.shape) for part in (full[:, :1, :1, :1], full[..., :1, :1])]
    for g in (*broadcast, full, full[..., ::-1]):
        found = backward(x, weight, weight[:, 0, 0, 0], g, groups=groups)
        plain = backward(x, weight, weight[:, 0, 0, 0], np.ascontiguousarray(g), groups=groups)
        for dx, expected in zip(found, plain, strict=True):
            np.testing.assert_array_equal(dx, expected)


def _arrays(*shapes: tuple[int, ...]) -> list[Array]:
    rng = np.random.default_rng(3)
    return [rng.standard_normal(shape, dtype=np.float32) for shape in shapes]


WINDOW = (2, 1, 1, 2, 1, 2)
THREADED: dict[str, Any] = {
    "conv2d_gather": lambda: (
        [*_arrays((5, 3, 9, 8)), *WINDOW, 1],
        [np.empty((3, 3, 2, 5, 4, 10), np.float32)],
    ),
    "conv2d_scatter": lambda: (
        [*_arrays((3, 3, 2, 5, 4, 10)), *WINDOW, 1],
        [np.zeros((5, 3, 9, 8), np.float32)],
    ),
    "conv2d_depthwise": lambda: (
        [*_arrays((30, 90), (6, 3)), np.array([0, 9, 20]), 2, 1, 70],
        [np.zeros((15, 80), np.float32)],
    ),
    "conv2d_depthwise_weight": lambda: (
        [*_arrays((30, 5000), (15, 5010)), np.array([0, 7]), 2, 5000],
        [np.zeros((6, 2))],
    ),
}


@autodiff
@pytest.mark.parametrize("name", THREADED)
def test_threads_change_no_bit(name: str) -> None:
    from backburner_autodiff.kernels import conv as kernels

    neural.check_threads(getattr(kernels, name), THREADED[name])


@autodiff
def test_every_kernel_is_tried_with_threads() -> None:
    from backburner_autodiff.kernels import _jit
    from backburner_autodiff.kernels import conv as kernels

    assert {k for k, v in vars(kernels).items() if isinstance(v, _jit.Kernel)} == THREADED.keys()
