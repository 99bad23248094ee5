"""Convolutions and their adjoints part by part: chunks, planes and pieces change neither values nor an image's bits."""

from __future__ import annotations

import tracemalloc
from typing import Any

import neural
import numpy as np
import pytest

import backburner as bb
from backburner.backends.numpy import _columns, conv

autodiff = pytest.mark.feature_set("autodiff")
Array = np.ndarray[Any, np.dtype[Any]]

SAME: dict[str, Any] = {"stride": (1, 1), "padding": (1, 1), "dilation": (1, 1), "groups": 1}
TWO: dict[str, Any] = {"stride": (1, 2), "padding": (0, 1), "dilation": (1, 1), "groups": 2}
ROW: dict[str, Any] = {"stride": (1, 2), "padding": (0, 3), "dilation": (1, 2), "groups": 1}
THREE: dict[str, Any] = {"stride": (2, 1, 1), "padding": (1, 1, 0), "dilation": (1, 2, 1), "groups": 2}
CASES: dict[str, tuple[str, tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "image": ("conv2d", (3, 4, 9, 8), (6, 2, 3, 3), SAME | {"groups": 2}),
    "dilated-image": ("conv2d", (3, 2, 9, 8), (6, 2, 3, 3), SAME | {"padding": (2, 2), "dilation": (2, 2)}),
    "inner-image": ("conv2d", (3, 2, 9, 8), (4, 2, 3, 2), SAME | {"padding": (0, 0)}),
    "widened-image": ("conv2d", (3, 2, 5, 4), (4, 2, 3, 3), SAME | {"padding": (1, 3)}),
    "strided-image": ("conv2d", (3, 3, 9, 8), (4, 3, 3, 3), SAME | {"stride": (2, 2)}),
    "strided-dilated-image": (
        *("conv2d", (3, 2, 11, 13), (4, 2, 4, 5)),
        {"stride": (3, 2), "padding": (2, 1), "dilation": (2, 2), "groups": 1},
    ),
    "patches": ("conv2d", (3, 2, 9, 8), (4, 2, 2, 2), SAME | {"stride": (3, 2), "padding": (1, 1)}),
    "channels": ("conv2d", (3, 6, 9, 8), (6, 1, 3, 3), SAME | {"groups": 6}),
    "signal": ("conv2d", (3, 2, 1, 21), (4, 2, 1, 3), ROW),
    "signal-within-its-padding": ("conv2d", (1, 1, 1, 2), (2, 1, 1, 2), ROW | {"padding": (0, 9)}),
    "volume": ("conv3d", (3, 4, 5, 6, 5), (4, 2, 3, 2, 2), THREE),
    "transposed-signal": ("conv_transpose2d", (3, 2, 1, 21), (2, 4, 1, 3), ROW | {"output_padding": (0, 1)}),
    "transposed-image": ("conv_transpose2d", (3, 4, 5, 6), (4, 3, 3, 3), TWO | {"output_padding": (0, 1)}),
    "transposed-patches": (
        *("conv_transpose2d", (3, 2, 4, 5), (2, 3, 2, 2)),
        {"stride": (2, 3), "padding": (0, 0), "dilation": (1, 1), "groups": 1, "output_padding": (0, 0)},
    ),
    "transposed-volume": (
        *("conv_transpose3d", (3, 4, 5, 3, 4), (4, 2, 3, 2, 2)),
        THREE | {"output_padding": (1, 0, 0)},
    ),
}
every_case = pytest.mark.parametrize("case", CASES)


def sample(case: str, dtype: str = "float64") -> tuple[str, list[Array | None], dict[str, Any]]:
    """Return an op, its inputs and its options."""
    op, shape, kernel, options = CASES[case]
    rng = np.random.default_rng(0)
    x, weight = rng.standard_normal(shape).astype(dtype), rng.standard_normal(kernel).astype(dtype)
    outputs = kernel[1] * options["groups"] if "transpose" in op else kernel[0]
    return op, [x, weight, rng.standard_normal(outputs).astype(dtype)], options


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CHUNK_BYTES", "BAND_BYTES", "PIECE_BYTES", "FRAME_BYTES"):
        monkeypatch.setattr(conv, name, 700)
    monkeypatch.setattr(_columns, "BAND_BYTES", 700)
    monkeypatch.setattr(_columns, "BLOCK_BYTES", 700)
    monkeypatch.setattr(_columns, "BLOCK_PLACES", 1)
    monkeypatch.setattr(_columns, "SHARED", 0)


@every_case
def test_parts_give_the_values_of_the_whole(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    op, inputs, options = sample(case)
    (whole,) = neural.core(op, inputs, options)
    small(monkeypatch)
    (parts,) = neural.core(op, inputs, options)
    np.testing.assert_allclose(parts, whole, rtol=1e-12, atol=1e-12)


@autodiff
@every_case
def test_parts_give_the_gradients_of_the_whole(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    op, inputs, options = sample(case)
    (out,) = neural.core(op, inputs, options)
    g = np.random.default_rng(1).standard_normal(out.shape)
    _, whole = neural.train(op, inputs, options, g)
    small(monkeypatch)
    _, parts = neural.train(op, inputs, options, g)
    for dx, expected in zip(parts, whole, strict=True):
        np.testing.assert_allclose(dx, expected, rtol=1e-12, atol=1e-12)


@every_case
def test_one_of_a_batch_has_the_same_bits_alone(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    op, (x, *others), options = sample(case, "float32")
    assert x is not None
    for change in (lambda _: None, small):
        change(monkeypatch)
        (whole,) = neural.core(op, [x, *others], options)
        for part in (slice(0, 1), slice(1, 3)):
            (alone,) = neural.core(op, [x[part], *others], options)
            assert alone.tobytes() == whole[part].tobytes()


@every_case
def test_bits_do_not_depend_on_the_number_of_threads(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    op, inputs, options = sample(case, "float32")
    small(monkeypatch)
    before = bb.get_num_threads()
    found = set()
    try:
        for count in (1, 2, 3):
            bb.set_num_threads(count)
            found.add(neural.core(op, inputs, options)[0].tobytes())
    finally:
        bb.set_num_threads(before)
    assert len(found) == 1


def test_the_product_of_a_small_image_with_many_channels_has_the_same_bits_in_a_batch() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3, 128, 14, 14), np.float32)
    weight = rng.standard_normal((128, 128, 3, 3), np.float32)
    assert _columns._cuts(128, 128 * 9, 14 * 14) > 1
    (whole,) = neural.core("conv2d", [x, weight, None], SAME)
    (alone,) = neural.core("conv2d", [x[1:2], weight, None], SAME)
    assert alone.tobytes() == whole[1:2].tobytes()


def test_columns_of_a_long_signal_take_bounded_memory() -> None:
    x, weight = np.ones((1, 8, 1, 1 << 18), np.float32), np.ones((1, 8, 1, 9), np.float32)
    options = {"stride": (1, 1), "padding": (0, 4), "dilation": (1, 1), "groups": 1}
    tracemalloc.start()
    try:
        neural.core("conv2d", [x, weight, None], options)
        neural.core(
            "conv_transpose2d", [x, weight.swapaxes(0, 1), None], options | {"output_padding": (0, 0)}
        )
        assert tracemalloc.get_traced_memory()[1] < 2 * x.nbytes
    finally:
        tracemalloc.stop()
