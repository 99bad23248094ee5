"""Convolutions without columns: every way that the work is cut and laid out gives the sums of the definition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import neural
import numpy as np
import pytest
from test_conv_kernels import PLAIN, reference

import backburner as bb

pytestmark = pytest.mark.feature_set("autodiff")
Array = np.ndarray[Any, np.dtype[Any]]

CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "channels that fill blocks": ((3, 16, 16, 16), (16, 16, 3, 3), {"padding": (1, 1)}),
    "channels that do not": ((2, 5, 9, 11), (11, 5, 3, 3), {"padding": (1, 1)}),
    "one channel, many outputs": ((2, 1, 12, 12), (40, 1, 5, 5), {"padding": (2, 2)}),
    "one output": ((2, 6, 12, 12), (1, 6, 3, 3), {}),
    "stride": ((2, 4, 17, 16), (9, 4, 3, 3), {"stride": (2, 2), "padding": (1, 1)}),
    "stride beyond the kernel": ((1, 3, 31, 40), (4, 3, 2, 2), {"stride": (3, 5), "padding": (1, 0)}),
    "one tap": ((2, 7, 8, 9), (10, 7, 1, 1), {}),
    "one tap and stride": ((2, 7, 15, 16), (10, 7, 1, 1), {"stride": (2, 2)}),
    "one tap and padding": ((1, 3, 7, 8), (4, 3, 1, 1), {"padding": (2, 1)}),
    "padding beyond the kernel": ((1, 2, 5, 4), (3, 2, 3, 2), {"padding": (4, 5)}),
    "dilation": ((1, 3, 14, 13), (4, 3, 3, 3), {"dilation": (2, 3), "padding": (1, 3)}),
    "dilation and stride": ((1, 3, 23, 21), (4, 3, 3, 2), {"dilation": (3, 2), "stride": (2, 2)}),
    "groups": ((2, 6, 9, 8), (9, 2, 3, 3), {"groups": 3, "padding": (1, 1)}),
    "groups and stride": ((2, 4, 18, 16), (20, 2, 3, 3), {"groups": 2, "stride": (2, 1), "padding": (0, 1)}),
    "row": ((2, 4, 1, 130), (9, 4, 1, 5), {"padding": (0, 2)}),
    "row, long kernel": ((1, 2, 1, 120), (3, 2, 1, 31), {"padding": (0, 15)}),
    "column": ((2, 4, 60, 1), (9, 4, 5, 1), {"padding": (2, 0), "stride": (1, 1)}),
    "wide": ((1, 8, 6, 300), (8, 8, 3, 3), {"padding": (1, 1), "stride": (1, 2)}),
}
cases = pytest.mark.parametrize("case", CASES)


def sample(case: str, dtype: str) -> tuple[Array, Array, Array, dict[str, Any]]:
    shape, kernel, options = CASES[case]
    rng = np.random.default_rng(0)
    x, weight, bias = (rng.standard_normal(size).astype(dtype) for size in (shape, kernel, kernel[:1]))
    return x, weight, bias, PLAIN | options


@pytest.fixture(params=["whole", "bands", "strips"])
def cut(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a task have whole images, or bands of rows, or those in strips, and sums of few places."""
    from backburner_autodiff.rules import _direct

    if request.param != "whole":
        monkeypatch.setattr(_direct, "PLANES_BYTES", 6000 if request.param == "bands" else 100)
        monkeypatch.setattr(_direct, "PLACES", 150)
        monkeypatch.setattr(_direct, "NARROW", 16)
        monkeypatch.setattr(_direct, "FEWEST_BLOCKS", 1)
    plans = (_direct._plan, _direct._weight_plan)
    for plan in plans:
        plan.cache_clear()
    yield
    for plan in plans:
        plan.cache_clear()


def direct(case: str, dtype: str) -> tuple[Array, Array, Array, Array]:
    """Return the output, a cotangent, and the gradients of x and the kernels."""
    from backburner_autodiff.rules import _direct

    x, weight, bias, options = sample(case, dtype)
    out = _direct.direct_forward(x, weight, bias, **options)
    g = np.random.default_rng(1).standard_normal(out.shape).astype(dtype)
    dx = _direct.direct_input(g, x.shape, weight, **options)
    return out, g, dx, _direct.direct_weight(g, x, weight, **options)


@cases
@pytest.mark.parametrize("dtype", neural.DTYPES)
@pytest.mark.usefixtures("cut")
def test_values_and_gradients_are_those_of_the_definition(case: str, dtype: str) -> None:
    from backburner_autodiff.rules.conv import _in_pieces

    x, weight, bias, options = sample(case, "float64")
    out, g, dx, dweight = direct(case, dtype)
    with_bias = reference(*(a.astype(dtype).astype("float64") for a in (x, weight, bias)), **options)
    expected = [with_bias, *_in_pieces(g.astype("float64"), *(a.astype(dtype).astype("float64") for a in (x, weight)),
                                       *options.values(), True, True)]  # fmt: skip
    for found, right in zip((out, dx, dweight), expected, strict=True):
        neural.check(found, np.asarray(right), dtype)


@cases
@pytest.mark.usefixtures("cut")
def test_threads_change_no_bit(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from backburner_autodiff.rules import _parts

    monkeypatch.setattr(_parts, "WORK", 0)
    found = []
    before = bb.get_num_threads()
    try:
        for count in (1, 3):
            bb.set_num_threads(count)
            found.append([part.tobytes() for part in direct(case, "float32")])
    finally:
        bb.set_num_threads(before)
    assert found[0] == found[1]


@cases
@pytest.mark.usefixtures("cut")
def test_an_image_has_the_same_output_and_gradient_in_whatever_batch(case: str) -> None:
    from backburner_autodiff.rules import _direct

    x, weight, bias, options = sample(case, "float32")
    out, g, dx, _ = direct(case, "float32")
    last = x[-1:].copy(), g[-1:].copy()
    assert _direct.direct_forward(last[0], weight, bias, **options).tobytes() == out[-1:].tobytes()
    assert _direct.direct_input(last[1], last[0].shape, weight, **options).tobytes() == dx[-1:].tobytes()


def counted(monkeypatch: pytest.MonkeyPatch, *names: str) -> list[str]:
    """Note each call of these functions of the rules."""
    from backburner_autodiff.rules import conv as rules

    calls: list[str] = []
    for name in names:
        function = getattr(rules, name)
        monkeypatch.setattr(
            rules, name, lambda *xs, n=name, f=function, **more: (calls.append(n), f(*xs, **more))[1]
        )
    return calls


@pytest.mark.parametrize(
    "side, ways", [(8, ["direct_forward", "direct_input", "direct_weight"]), (4, ["_in_pieces"])]
)
def test_tiny_maps_go_by_columns(side: int, ways: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, "direct_forward", "direct_input", "direct_weight", "_in_pieces")
    x, weight = np.ones((1, 2, side, side), np.float32), np.ones((3, 2, 3, 3), np.float32)
    neural.train(
        "conv2d", [x, weight, None], PLAIN | {"padding": (1, 1)}, np.ones((1, 3, side, side), np.float32)
    )
    assert calls == ways


def test_infinities_and_nan_reach_what_meets_them_and_nothing_else() -> None:
    rng = np.random.default_rng(0)
    for value in (np.inf, -np.inf, np.nan):
        for where in ("x", "weight", "g"):
            x, weight = rng.standard_normal((2, 3, 9, 9)), rng.standard_normal((4, 3, 3, 3))
            g = rng.standard_normal((2, 4, 9, 9))
            {"x": x, "weight": weight, "g": g}[where][1, 2, 1, 2] = value
            (out,), (dx, dweight, _) = neural.train(
                "conv2d", [x, weight, None], PLAIN | {"padding": (1, 1)}, g, (True, True, False)
            )
            assert dx is not None and dweight is not None
            met = {
                "x": (slice(1, 2), slice(None), slice(0, 3), slice(1, 4)),
                "weight": (slice(None), slice(1, 2)),
                "g": (slice(0), slice(None)),
            }[where]
            spoilt = np.zeros(out.shape, bool)
            spoilt[met] = True
            assert (np.isfinite(out) == ~spoilt).all()
            spoilt = np.zeros(dx.shape, bool)
            if where == "weight":
                spoilt[:, 2, :8, 1:] = True  # from where this tap meets an output, its row 0 to its row 8
                spoilt[:, 2, 8, 1:] = True
            if where == "g":
                spoilt[1, :, 0:3, 1:4] = True
            assert (np.isfinite(dx) == ~spoilt).all()
            spoilt = np.zeros(dweight.shape, bool)
            if where == "x":
                spoilt[:, 2, :, :] = True
            if where == "g":
                spoilt[2] = True
            assert (np.isfinite(dweight) == ~spoilt).all()


def test_long_sums_of_the_gradient_of_kernels_keep_small_terms() -> None:
    from backburner_autodiff.rules import _direct

    x = np.full((1, 1, 1024, 1024), 0.1, np.float32)
    weight = np.ones((1, 1, 1, 1), np.float32)
    dweight = _direct.direct_weight(x, x, weight, (1, 1), (0, 0), (1, 1), 1)
    np.testing.assert_allclose(dweight, float(np.float32(0.1)) ** 2 * x.size, rtol=3e-6)


def test_the_twins_refuse_a_place_outside() -> None:
    from backburner_autodiff.kernels import _tiles

    x = np.zeros(10, np.float32)
    _tiles._copy_twin(x, 2, np.ones(8, np.float32), 0, 8)
    _tiles._copy_every_twin(x, 0, np.arange(9, dtype=np.float32), 0, 5)
    assert x.tolist() == [0, 2, 4, 6, 8, 1, 1, 1, 1, 1]
    for first, count in ((3, 8), (-1, 2)):
        with pytest.raises(IndexError):
            _tiles._copy_twin(x, first, x, 0, count)
