"""The NumPy ops at the level of the backend: what their contracts promise beyond NumPy itself."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest

from backburner.backend import Backend
from backburner.backends.numpy import NumpyBackend
from backburner.backends.numpy._windows import windows

backend = NumpyBackend()
inf, nan = math.inf, math.nan


def same(got: Any, right: Any) -> None:
    """Fail unless both have one dtype, one shape and the same values."""
    got, right = np.asarray(got), np.asarray(right)
    assert (got.dtype, got.shape) == (right.dtype, right.shape)
    np.testing.assert_allclose(
        got, right, rtol=4 * np.finfo(np.float32).eps if right.dtype.kind == "f" else 0
    )


def f32(*values: Any) -> np.ndarray[Any, Any]:
    return np.array(values[0] if len(values) == 1 else values, np.float32)


def members(of: type) -> set[str]:
    return {name for name in dir(of) if not name.startswith("_")}


def test_the_index_has_every_op_of_the_contract_and_no_other() -> None:
    assert members(NumpyBackend) == members(Backend)


@pytest.mark.parametrize("op", ["add", "multiply", "pow", "maximum", "exp", "tanh", "less"])
def test_an_op_that_numpy_has_is_numpys_own_function(op: str) -> None:
    name = {"pow": "power"}.get(op, op)
    assert getattr(backend, op) is getattr(np, name)


VALUES = [
    # op, inputs, options, result
    ("clip", [f32(-2, 0.5, 9, nan)], {"min": 0, "max": 1}, f32(0, 0.5, 1, nan)),
    ("clip", [f32(-2, 9)], {"min": None, "max": 1}, f32(-2, 1)),
    ("clip", [f32(-2, 9)], {"min": 0.1, "max": None}, f32(0.1, 9)),
    ("clip", [f32(-2, 9)], {"min": None, "max": None}, f32(-2, 9)),
    ("clip", [f32(0, 5)], {"min": 3, "max": 1}, f32(1, 1)),
    ("clip", [np.array([-128, 7, 127], np.int8)], {"min": -1000, "max": 5}, np.array([-128, 5, 5], np.int8)),
    ("clip", [np.array([0, 7], np.uint8)], {"min": -3, "max": 1000}, np.array([0, 7], np.uint8)),
    ("astype", [f32(1.9, -1.9)], {"dtype": np.dtype("int64")}, np.array([1, -1])),
    ("maximum", [f32(nan, 1), f32(1, nan)], {}, f32(nan, nan)),
    ("where", [np.array([True, False]), f32(1, 1), np.array(2, np.float32)], {}, f32(1, 2)),
    # B068: a division of integers was cast before; float32 stays float32 against weak scalars
    ("multiply", [f32(1, 2), 0.5], {}, f32(0.5, 1)),
    ("sum", [np.full(3, 200, np.uint8)], {"axis": (0,), "keepdims": False}, np.uint64(600)),
    ("sum", [np.full(3, -100, np.int8)], {"axis": (0,), "keepdims": False}, np.int64(-300)),
    ("sum", [np.array([True, True])], {"axis": (0,), "keepdims": True}, np.array([2])),
    ("sum", [np.zeros((2, 0, 3), np.float32)], {"axis": (1,), "keepdims": False}, np.zeros((2, 3), np.float32)),
    ("sum", [f32(7)], {"axis": (), "keepdims": False}, f32(7)),
    ("mean", [np.zeros((2, 0), np.float32)], {"axis": (1,), "keepdims": False}, f32(nan, nan)),
    ("mean", [f32([[1, 2], [3, 6]])], {"axis": (0, 1), "keepdims": True}, f32([[3]])),
    ("var", [f32(1, 2, 4)], {"axis": (0,), "correction": 0, "keepdims": False}, np.float32(14 / 9)),
    ("var", [f32(1, 2, 4)], {"axis": (0,), "correction": 1, "keepdims": True}, f32([7 / 3])),
    ("var", [f32(1, 2)], {"axis": (0,), "correction": 2, "keepdims": False}, np.float32(inf)),
    ("var", [f32(1, 2)], {"axis": (0,), "correction": 5, "keepdims": False}, np.float32(inf)),
    ("var", [f32([3])], {"axis": (0,), "correction": 1, "keepdims": False}, np.float32(nan)),
    ("var", [np.zeros(0, np.float32)], {"axis": (0,), "correction": 0, "keepdims": False}, np.float32(nan)),
    ("logsumexp", [f32(1e4, 1e4)], {"axis": (0,), "keepdims": False}, np.float32(1e4 + math.log(2))),
    ("logsumexp", [f32([[-inf, -inf], [-inf, 3]])], {"axis": (1,), "keepdims": False}, f32(-inf, 3)),
    ("logsumexp", [f32(inf, 1e4)], {"axis": (0,), "keepdims": True}, f32([inf])),
    ("logsumexp", [f32(nan, 0)], {"axis": (0,), "keepdims": False}, np.float32(nan)),
    ("logsumexp", [np.zeros((0, 2), np.float32)], {"axis": (0,), "keepdims": False}, f32(-inf, -inf)),
    ("max", [f32([[1, nan], [3, 2]])], {"axis": (0,), "keepdims": False}, f32(3, nan)),
    ("argmax", [f32([[1, 5, 5]])], {"axis": 1, "keepdims": True}, np.array([[1]])),
    ("linear", [f32(1, 2), f32([[3, 4]]), f32([5])], {}, f32([16])),
    ("linear", [np.ones((2, 3, 2), np.float32), f32([[3, 4]]), None], {}, np.full((2, 3, 1), 7, np.float32)),
    ("linear", [np.ones((0, 3, 2), np.float32), f32([[3, 4]]), f32([1])], {}, np.ones((0, 3, 1), np.float32)),
    ("linear", [np.ones((2, 1, 0), np.float32), np.ones((2, 0), np.float32), f32(1, 2)], {},
     f32([[[1, 2]], [[1, 2]]])),
    ("pad", [f32([[1, 2]])], {"pad_width": ((0, 1), (2, 0)), "value": -inf},
     f32([[-inf, -inf, 1, 2], [-inf] * 4])),
    ("pad", [np.array([1])], {"pad_width": ((1, 1),), "value": 0.0}, np.array([0, 1, 0])),
    ("concat", [f32(1, 2), f32([3])], {"axis": 0}, f32(1, 2, 3)),
    ("stack", [f32(1, 2), f32(3, 4)], {"axis": 1}, f32([[1, 3], [2, 4]])),
    ("take", [f32([[1, 2, 3]]), np.array([[2, 0], [1, 1]])], {"axis": 1}, f32([[[3, 1], [2, 2]]])),
    # B064: the padding row is a row as any other in the forward
    ("embedding", [f32([[9], [1], [2]]), np.array([0, 1, 1])], {"padding_idx": 0}, f32([[9], [1], [1]])),
    ("getitem", [f32(1, 2, 3)], {"index": (np.array([0, 0, -1]),)}, f32(1, 1, 3)),
    ("full", [], {"shape": (2,), "value": 3, "dtype": np.dtype("float32")}, f32(3, 3)),
    ("arange", [], {"start": 5, "stop": 0, "step": -2, "dtype": np.dtype("int64")}, np.array([5, 3, 1])),
    ("arange", [], {"start": 3, "stop": 0, "step": 1, "dtype": np.dtype("float32")}, np.zeros(0, np.float32)),
    # np.arange gives five zeros here
    ("arange", [], {"start": 0, "stop": 2.5, "step": 0.5, "dtype": np.dtype("int64")}, np.array([0, 0, 1, 1, 2])),
    ("linspace", [], {"start": 0, "stop": 1, "num": 4, "dtype": np.dtype("float32"), "endpoint": False},
     f32(0, 0.25, 0.5, 0.75)),
    ("eye", [], {"rows": 2, "columns": 3, "k": 1, "dtype": np.dtype("float32")}, f32([[0, 1, 0], [0, 0, 1]])),
]  # fmt: skip


@pytest.mark.parametrize(
    "op, inputs, options, result", VALUES, ids=[f"{i}-{row[0]}" for i, row in enumerate(VALUES)]
)
def test_an_op_gives_the_value_of_its_contract(op: str, inputs: Any, options: Any, result: Any) -> None:
    for x in inputs:
        if isinstance(x, np.ndarray):
            x.setflags(write=False)
    same(getattr(backend, op)(*inputs, **options), result)


def test_split_gives_views() -> None:
    x = np.arange(10.0).reshape(2, 5)
    parts = backend.split(x, sizes=(2, 0, 3), axis=1)
    assert [part.shape for part in parts] == [(2, 2), (2, 0), (2, 3)]
    assert np.shares_memory(parts[0], x) and np.shares_memory(parts[2], x)
    same(np.concatenate(parts, 1), x)


# -- sums ----------------------------------------------------------------------------------------------


def spread(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).uniform(0.5, 1.5, shape).astype(np.float32)


LONG_SUMS = {
    # what float32 sums of NumPy get wrong in the fourth digit or so, and layouts around it
    "rows": (lambda: spread(1_000_003, 3), (0,)),
    "rows of everything": (lambda: spread(1_000_003, 3), (0, 1)),
    "columns": (lambda: spread(3, 1_000_003), (1,)),
    "transposed": (lambda: spread(3, 1_000_003).T, (0,)),
    "every second column": (lambda: spread(500_000, 6)[:, ::2], (0, 1)),
    "backwards": (lambda: spread(500_000, 6)[::-1, ::-1], (0, 1)),
    "first and last axis": (lambda: spread(2000, 3, 500), (0, 2)),
    "first and last axis, the last short": (lambda: spread(300_000, 3, 2), (0, 2)),
    "first two of three": (lambda: spread(1500, 700, 2), (0, 1)),
    "permuted": (lambda: spread(1500, 2, 700).transpose(2, 0, 1), (0, 1)),
    "one repeated": (lambda: np.broadcast_to(np.float32(0.1), (20_000_003,)), (0,)),
    "a row repeated": (lambda: np.broadcast_to(spread(3), (3_000_000, 3)), (0,)),
    "just over a block": (lambda: spread(1025, 5), (0,)),
    "two blocks": (lambda: spread(2048, 5), (0,)),
}


@pytest.mark.parametrize("case", LONG_SUMS)
@pytest.mark.parametrize("keepdims", [False, True])
def test_a_long_float32_sum_is_accurate_along_any_axes(case: str, keepdims: bool) -> None:
    make, axis = LONG_SUMS[case]
    x = make()
    got = np.asarray(backend.sum(x, axis=axis, keepdims=keepdims))
    right = x.sum(axis, np.float64, keepdims=keepdims)
    assert (got.dtype, got.shape) == (np.float32, right.shape)
    np.testing.assert_allclose(got, right, rtol=2e-6)


def test_float32_ones_are_counted_beyond_two_to_the_24() -> None:
    x = np.ones((2**24 + 2**20, 2), np.float32)
    assert np.add.reduce(x, 0)[0] == 2**24  # what the op is for
    assert (backend.sum(x, axis=(0,), keepdims=False) == 2**24 + 2**20).all()
    assert (backend.mean(x, axis=(0,), keepdims=False) == 1).all()


def test_a_long_sum_makes_no_copy() -> None:
    x = np.ones((2**22, 3), np.float32)
    tracemalloc.start()
    backend.sum(x, axis=(0,), keepdims=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < x.nbytes / 20


def test_a_long_sum_keeps_infinities_and_nan() -> None:
    x = np.ones((5000, 3), np.float32)
    x[7, 0], x[4999, 1] = inf, nan
    same(backend.sum(x, axis=(0,), keepdims=False), f32(inf, nan, 5000))


# -- erf -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype, ulp", [("float32", 1.6), ("float64", 3)]
)  # the reference may be one off itself
def test_erf_is_within_two_units_in_the_last_place(dtype: str, ulp: float) -> None:
    wide = np.linspace(-7, 7, 40_001)
    fine = np.exp(np.linspace(-60, 2, 20_001))
    x = np.concatenate([wide, fine, 1 + np.linspace(-1e-6, 1e-6, 101)]).astype(dtype)
    right = np.array([math.erf(v) for v in x.tolist()])
    got = backend.erf(x)
    assert got.dtype == dtype
    unit = np.spacing(np.abs(right).astype(dtype)).astype(np.float64)
    assert np.max(np.abs(got.astype(np.float64) - right) / np.where(unit, unit, 1)) <= ulp


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_erf_keeps_the_special_values_and_the_layout(dtype: str) -> None:
    x = np.array([inf, -inf, 0.0, -0.0, nan, 1e30], dtype)
    got = backend.erf(x)
    np.testing.assert_array_equal(got, np.array([1, -1, 0, 0, nan, 1], dtype))
    assert np.signbit(got[3])
    y = np.linspace(-2, 2, 60_000).astype(dtype).reshape(300, 200)
    np.testing.assert_array_equal(backend.erf(y[:, ::2].T), backend.erf(y)[:, ::2].T)
    assert backend.erf(np.zeros((0, 3), dtype)).shape == (0, 3)
    assert np.asarray(backend.erf(np.array(0.5, dtype))).dtype == dtype


@pytest.mark.parametrize(
    "dtype, ulp", [("float32", 1.6), ("float64", 7)]
)  # the reference may be two off itself
def test_erfc_is_accurate_into_its_tail(dtype: str, ulp: float) -> None:
    end = 9.1 if dtype == "float32" else 26  # from where results are subnormal
    x = np.concatenate([np.linspace(-7, end, 40_001), np.exp(np.linspace(-60, 2, 5_001))]).astype(dtype)
    right = np.array([math.erfc(v) for v in x.tolist()])
    got = backend.erfc(x)
    assert got.dtype == dtype
    unit = np.spacing(right.astype(dtype)).astype(np.float64)
    assert np.max(np.abs(got.astype(np.float64) - right) / unit) <= ulp


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_erfc_keeps_the_special_values_and_the_layout(dtype: str) -> None:
    x = np.array([inf, -inf, 0.0, -0.0, nan, 1e30, -30], dtype)
    np.testing.assert_array_equal(backend.erfc(x), np.array([0, 2, 1, 1, nan, 0, 2], dtype))
    y = np.linspace(-2, 2, 60_000).astype(dtype).reshape(300, 200)
    np.testing.assert_array_equal(backend.erfc(y[:, ::2].T), backend.erfc(y)[:, ::2].T)
    assert backend.erfc(np.zeros((0, 3), dtype)).shape == (0, 3)
    assert np.asarray(backend.erfc(np.array(0.5, dtype))).dtype == dtype


# -- creation ------------------------------------------------------------------------------------------


def test_a_long_float32_range_does_not_drift() -> None:
    got = backend.arange(start=0, stop=100_000, step=0.1, dtype=np.dtype("float32"))
    np.testing.assert_array_equal(got, (np.arange(1_000_000) * 0.1).astype(np.float32))


DRAWS = {
    # distribution: (options, dtypes, test of 10,000 draws)
    "uniform": ((-2.0, 3.0), "fd", lambda y: y.min() >= -2 and y.max() < 3 and abs(y.mean() - 0.5) < 0.05),
    "normal": ((1.0, 2.0), "fd", lambda y: abs(y.mean() - 1) < 0.1 and abs(y.std() - 2) < 0.1),
    "integers": ((-3, 4), "bilfd", lambda y: set(y.tolist()) == set(range(-3, 4))),
    "bernoulli": ((0.25,), "?lf", lambda y: set(y.tolist()) == {0, 1} and abs(y.mean() - 0.25) < 0.03),
    "permutation": ((10_000,), "li", lambda y: sorted(y.tolist()) == list(range(10_000))),
}


@pytest.mark.parametrize(
    "distribution, dtype", [(name, np.dtype(char)) for name, row in DRAWS.items() for char in row[1]], ids=str
)
def test_draws_follow_their_distribution_and_the_seed_alone(distribution: str, dtype: Any) -> None:
    options, _, holds = DRAWS[distribution]

    def draw(seed: int) -> np.ndarray[Any, Any]:
        return backend.random(
            distribution=distribution, shape=(10_000,), dtype=dtype, options=options, seed=seed
        )

    y = draw(3)
    assert (y.dtype, y.shape) == (dtype, (10_000,))
    assert holds(y)
    np.testing.assert_array_equal(y, draw(3))
    assert (y != draw(4)).any()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_uniform_draws_never_round_up_to_the_end(dtype: str) -> None:
    one = np.dtype(dtype).type(1)
    high = np.nextafter(np.nextafter(one, one + 1), one + 1)
    y = backend.random(
        distribution="uniform",
        shape=(1000,),
        dtype=np.dtype(dtype),
        options=(float(one), float(high)),
        seed=0,
    )
    assert set(y.tolist()) == {1.0, float(np.nextafter(one, one + 1))}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_uniform_draws_spread_over_a_range_beyond_the_dtype(dtype: str) -> None:
    most = float(np.finfo(dtype).max)
    y = backend.random(
        distribution="uniform", shape=(10_000,), dtype=np.dtype(dtype), options=(-most, most), seed=0
    )
    assert np.isfinite(y).all() and y.max() < most
    assert abs((y / most).mean()) < 0.03 and abs((y / most).std() - 1 / math.sqrt(3)) < 0.03


def test_a_draw_of_no_dimensions_is_an_array() -> None:
    for distribution, options in (
        ("uniform", (0, 1)),
        ("normal", (0, 1)),
        ("integers", (0, 9)),
        ("bernoulli", (0.5,)),
    ):
        y = backend.random(
            distribution=distribution, shape=(), dtype=np.dtype("float32"), options=options, seed=1
        )
        assert isinstance(y, np.ndarray) and (y.dtype, y.shape) == (np.float32, ())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nearest_tells_entries_apart_that_float32_cannot_count(dtype: str) -> None:
    n = (1 << 25) + 2
    for mode, wanted in (("nearest", [0, n // 2]), ("nearest-exact", [n // 4, 3 * n // 4])):
        taps, _ = windows(n, 2, mode, None, False, False, np.dtype(dtype))
        assert taps.ravel().tolist() == wanted
