"""Running sums of long float32, and sorting where the fast way and the stable one could part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner.backends.numpy import sorting
from ops import Array

autodiff = pytest.mark.feature_set("autodiff")
nan, inf = np.nan, np.inf


def test_a_long_float32_running_sum_is_accurate() -> None:
    ones = bb.full((2**24 + 9,), 1.0).cumulative_sum()
    assert ones.dtype == bb.float32
    assert ones[-5:].tolist() == [float(np.float32(2**24 + i)) for i in range(5, 10)]
    x = np.random.default_rng(0).random((1_000_000, 1), np.float32)
    found = bb.asarray(x).cumulative_sum(axis=0).numpy()
    np.testing.assert_allclose(found, np.cumsum(x, 0, np.float64), 1e-7)


@autodiff
def test_the_gradient_of_a_long_float32_running_sum_is_accurate() -> None:
    x = bb.ones((2**24 + 9,), device=bb.Device.cpu().autodiff()).require_grad()
    assert x.cumulative_sum().backward()[x][0].item() == np.float32(2**24 + 9)


@autodiff
def test_a_gradient_that_many_running_maxima_share_is_accurate() -> None:
    x = bb.zeros((2**24 + 9,)).at[0].set(1.0).to(bb.Device.cpu().autodiff()).require_grad()
    assert x.cummax(0)[0].backward()[x][0].item() == np.float32(2**24 + 9)


def test_zeros_of_both_signs_keep_their_order() -> None:
    x = np.tile(np.array([0.0, -0.0, 1.0, -0.0, -1.0], np.float32), 40)
    for descending in (False, True):
        order = sorted(range(x.size), key=lambda i: -x[i] if descending else x[i])
        found = bb.sort(bb.asarray(x), descending=descending).numpy()
        assert found.tobytes() == x[order].tobytes()


def _strange(rows: int, n: int) -> Array:
    rng = np.random.default_rng(n)
    return rng.choice(np.array([-inf, -1, -0.0, 0.0, 2, inf], np.float32), (rows, n))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [1, 2, 12, 13, 100])
@pytest.mark.parametrize("with_nan", [True, False])
def test_topk_is_the_head_of_a_stable_sort(k: int, largest: bool, with_nan: bool) -> None:
    x = _strange(5, 100)
    if with_nan:
        x[2, 7] = nan
    values, indices = bb.topk(bb.asarray(x), k, largest=largest)
    order = bb.argsort(bb.asarray(x), descending=largest).numpy()[:, :k]
    np.testing.assert_array_equal(indices.numpy(), order)
    assert values.numpy().tobytes() == np.take_along_axis(x, order, 1).tobytes()


def test_topk_of_few_does_not_sort_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    whole = sorting.argsort

    def noted(x: Array, /, *, axis: int, descending: bool) -> Array:
        sizes.append(x.shape)
        return whole(x, axis=axis, descending=descending)

    monkeypatch.setattr(sorting, "argsort", noted)
    bb.topk(bb.asarray(_strange(5, 100)), 3)
    assert sizes == [(5, 3)]


@pytest.mark.parametrize("dtype", [bb.bool, bb.uint8, bb.int8, bb.int64])
def test_integers_and_bools_sort_too(dtype: Any) -> None:
    x = bb.tensor([[1, 0, 1, 0], [0, 1, 1, 1]]).astype(dtype)
    assert bb.sort(x, descending=True).astype(bb.int64).tolist() == [[1, 1, 0, 0], [1, 1, 1, 0]]
    assert bb.argsort(x, descending=True).tolist() == [[0, 2, 1, 3], [1, 2, 3, 0]]
    assert bb.topk(x, 2, largest=False)[1].tolist() == [[1, 3], [0, 1]]
    assert bb.unique_all(x).indices.tolist() == [1, 0]
    assert bb.cummax(x, 1)[1].tolist() == [[0, 0, 2, 2], [0, 1, 2, 3]]


def test_sums_and_products_of_integers_are_wide_or_of_the_dtype_that_was_asked_for() -> None:
    x = bb.tensor([[200, 2], [3, 5]], dtype="uint8")
    for y in (x.sum(), x.prod(), x.cumulative_sum(0), x.cumulative_prod(1), x.trace()):
        assert y.dtype == bb.uint64
    assert x.prod().item() == 6000 and x.cumulative_sum(0).tolist() == [[200, 2], [203, 7]]
    assert bb.tensor([True, True]).cumulative_sum().tolist() == [1, 2]
    for y in (
        x.sum(dtype=bb.int32),
        x.prod(dtype="int32"),
        x.cumulative_sum(0, "int32"),
        x.trace(0, "int32"),
    ):
        assert y.dtype == bb.int32
    y = x.cumulative_prod(1, bb.float32, include_initial=True)
    assert y.dtype == bb.float32 and y.tolist() == [[1, 200, 400], [1, 3, 15]]


def test_each_nan_is_one_of_its_own() -> None:
    found = bb.unique_all(bb.tensor([nan, 1.0, nan, 1.0]))
    np.testing.assert_array_equal(found.values.numpy(), [1, nan, nan])
    assert found.indices.tolist() == [1, 0, 2] and found.counts.tolist() == [2, 1, 1]
    assert found.inverse_indices.tolist() == [1, 0, 2, 0]
    assert bb.unique_counts(bb.tensor([nan, nan])).counts.tolist() == [1, 1]


def test_nan_is_not_zero_and_goes_to_the_end() -> None:
    x = bb.tensor([0.0, nan])
    assert x.any().item() is True and x.all().item() is False and x.count_nonzero().item() == 1
    assert bb.searchsorted(bb.tensor([0.0, 1.0, nan]), x).tolist() == [0, 2]
    assert bb.tensor([3.0, nan, 1.0]).argmin().item() == 1


FAR = (1,) * 62 + (2, 3)


@autodiff
@pytest.mark.parametrize(
    "call",
    [
        lambda x, index: x.sort(axis=-2),
        lambda x, index: x.sort(descending=True),
        lambda x, index: x.topk(2)[0],
        lambda x, index: x.take_along_axis(index),
        lambda x, index: x.gather(-2, index),
        lambda x, index: x.scatter_add(-1, index, x),
        lambda x, index: x.quantile(0.5, axis=-1),
    ],
)
def test_as_many_axes_as_there_can_be_are_searched_like_two(call: Callable[..., bb.Tensor]) -> None:
    found = []
    for shape in (FAR, (2, 3)):
        values = np.array([2.0, 9.0, 4.0, 7.0, 1.0, 5.0]).reshape(shape)
        x = bb.tensor(values, device=bb.Device.cpu().autodiff()).require_grad()
        y = call(x, np.zeros(shape, np.int64))
        dx = y.backward(bb.asarray(np.arange(1.0, y.size + 1).reshape(y.shape)))[x]
        found.append((y.flatten().tolist(), dx.flatten().tolist()))
    assert found[0] == found[1]
