"""The backward rules of elementwise, reduction, shape, indexing and linalg ops, as functions of arrays."""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np
import pytest

from backburner.backend import Backend
from backburner.backends.numpy import NumpyBackend

pytestmark = pytest.mark.feature_set("autodiff")

Array = np.ndarray[Any, Any]
backend = NumpyBackend()
inf, nan = math.inf, math.nan
ALL = slice(None)


def table() -> dict[str, Any]:
    from backburner_autodiff.rules import RULES

    return RULES


def of(*shape: int, seed: int = 0, low: float = 0.2, high: float = 1.8) -> Array:
    """Draw floats that keep their distance from the kinks and singularities at 0."""
    return np.random.default_rng(seed).uniform(low, high, shape)


def signed(*shape: int, seed: int = 0) -> Array:
    return of(*shape, seed=seed) * np.random.default_rng(seed + 99).choice([-1.0, 1.0], shape)


def forward(op: str, inputs: Any, options: Any) -> Any:
    with np.errstate(all="ignore"):
        out = getattr(backend, op)(*inputs, **options)
    return tuple(map(np.asarray, out)) if isinstance(out, tuple) else np.asarray(out)


def gradients(op: str, inputs: Any, options: Any, g: Any) -> list[Array | None]:
    """Return the cotangent of each input, as the rule gives them and with broadcasting undone."""
    for array in (*inputs, *(g if isinstance(g, tuple) else (g,))):
        if isinstance(array, np.ndarray):
            array.setflags(write=False)
    out = forward(op, inputs, options)
    vjps = table()[op].function(out, *inputs, **options)
    with np.errstate(all="ignore"):
        if callable(vjps):
            found = vjps(g, [True] * len(inputs))
        else:
            found = [None if vjp is None else vjp(g) for vjp in vjps]
    assert len(found) == len(inputs)
    return [
        None if d is None else reduced(np.asarray(d), x.shape) for d, x in zip(found, inputs, strict=True)
    ]


def reduced(d: Array, shape: tuple[int, ...]) -> Array:
    if d.shape == shape:
        return d
    d = d.sum(tuple(range(d.ndim - len(shape))))
    return d.sum(tuple(i for i, n in enumerate(shape) if n == 1 and d.shape[i] != 1), keepdims=True)


def is_float(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind == "f"


REDUCED = {"axis": (1,), "keepdims": False}
KEPT = {"axis": (0, 2), "keepdims": True}
TWO = np.array([[0, 2], [1, 1]])
MASK = np.array([[True, False, True], [False, False, True]])

# op, inputs, options; every float input gets a gradient
LAWS: list[tuple[str, list[Any], dict[str, Any]]] = [
    *((op, [signed(2, 3), of(3, seed=1)], {}) for op in ("add", "subtract", "multiply", "divide")),
    *((op, [of(2, 1), signed(1, 3, seed=1)], {}) for op in ("add", "multiply", "divide", "pow")),  # B034
    *((op, [signed(2, 3), signed(1, 3, seed=1)], {}) for op in ("maximum", "minimum")),
    *((op, [of(4, 0), of(4, 1)], {}) for op in ("add", "multiply", "maximum", "pow")),  # B044
    *((op, [of(), signed(2, seed=1)], {}) for op in ("subtract", "divide", "pow", "minimum")),
    *((op, [signed(2, 3)], {}) for op in ("negative", "abs", "exp", "square", "tanh", "erf")),
    *((op, [of(2, 3)], {}) for op in ("log", "sqrt")),
    *((op, [signed(2, 3)], {}) for op in "sin cos tan atan sinh cosh asinh erfc expm1".split()),
    *((op, [of(2, 3, high=0.9)], {}) for op in "asin acos atanh log1p log2 log10".split()),
    *((op, [of(2, 3, low=1.2)], {}) for op in ("acosh", "log2", "log10", "log1p")),
    *((op, [signed(2, 3), signed(3, seed=1)], {}) for op in ("atan2", "hypot", "logaddexp", "copysign", "nextafter", "remainder")),
    *((op, [of(2, 3, low=0.1, high=0.9)], {}) for op in ("sign", "floor", "ceil", "trunc")),
    *((op, [of()], {}) for op in ("negative", "exp", "sqrt", "square", "erf")),
    *((op, [of(0, 3)], {}) for op in ("abs", "log", "tanh", "erf")),
    ("where", [MASK, of(2, 3), of(3, seed=1)], {}),
    ("clip", [signed(3, 4)], {"min": -1.1, "max": 0.9}),
    ("clip", [signed(3, 4)], {"min": None, "max": 0.9}),
    ("clip", [signed(3, 4)], {"min": -1.1, "max": None}),
    ("clip", [signed(3, 4)], {"min": None, "max": None}),
    *((op, [signed(2, 3, 2)], options) for op in ("sum", "mean", "max", "min", "logsumexp") for options in (REDUCED, KEPT)),
    *((op, [of(2, 0, 3)], {"axis": (0,), "keepdims": False}) for op in ("sum", "mean", "max", "logsumexp")),
    *((op, [of()], {"axis": (), "keepdims": False}) for op in ("sum", "mean", "max", "min", "logsumexp")),
    ("sum", [of(2, 0)], REDUCED),
    ("mean", [of(2, 0)], REDUCED),
    ("logsumexp", [of(2, 0)], REDUCED),
    ("var", [signed(2, 3, 2)], REDUCED | {"correction": 1}),
    ("var", [signed(2, 3, 2)], KEPT | {"correction": 0}),
    ("var", [signed(2, 3, 2)], KEPT | {"correction": 0.5}),
    ("matmul", [of(2, 3), of(3, 4, seed=1)], {}),
    ("matmul", [of(3), of(3, seed=1)], {}),
    ("matmul", [of(3), of(3, 4, seed=1)], {}),
    ("matmul", [of(2, 3), of(3, seed=1)], {}),
    ("matmul", [of(2, 2, 3), of(3, seed=1)], {}),
    ("matmul", [of(3), of(2, 3, 4, seed=1)], {}),
    ("matmul", [of(2, 2, 3), of(3, 4, seed=1)], {}),
    ("matmul", [of(2, 3), of(2, 3, 4, seed=1)], {}),
    ("matmul", [of(2, 1, 2, 3), of(3, 3, 2, seed=1)], {}),
    ("matmul", [of(0, 3), of(3, 4, seed=1)], {}),
    ("matmul", [of(2, 0), of(0, 4, seed=1)], {}),
    ("linear", [of(2, 3), of(4, 3, seed=1), of(4, seed=2)], {}),
    ("linear", [of(3), of(4, 3, seed=1), of(4, seed=2)], {}),
    ("linear", [of(2, 2, 3), of(4, 3, seed=1), of(4, seed=2)], {}),
    ("linear", [of(0, 2, 3), of(4, 3, seed=1), of(4, seed=2)], {}),
    ("reshape", [of(2, 3, 2)], {"shape": (4, 3)}),
    ("permute_dims", [of(2, 3, 4)], {"axes": (2, 0, 1)}),
    ("broadcast_to", [of(3)], {"shape": (4, 3)}),  # B035
    ("broadcast_to", [of(2, 1)], {"shape": (3, 2, 4)}),
    ("concat", [of(2, 1), of(2, 0), of(2, 3, seed=1)], {"axis": 1}),
    ("stack", [of(2), of(2, seed=1)], {"axis": 1}),
    ("stack", [of(), of(seed=1)], {"axis": 0}),
    ("split", [of(2, 5)], {"sizes": (1, 0, 4), "axis": 1}),
    ("pad", [of(2, 3)], {"pad_width": ((1, 0), (0, 2)), "value": 7.0}),
    ("pad", [of()], {"pad_width": (), "value": 7.0}),
    *(("getitem", [of(3, 4)], {"index": index}) for index in (
        (), (1,), (-1, 2), (slice(2, None, -2),), (..., None, 1), (None, ALL, slice(1, 3)),
        (np.array([0, 0, -1]),), (TWO,), (ALL, np.array([3, -4, 3])), (..., np.array([1, 1])),
        (TWO, TWO + 1), (np.array([0, 1]), np.array([[2], [2]])), (1, np.array([2, 2])), (np.array(1), ALL),
        (slice(1, 3), np.array([1, 1])), (None, np.array([1, 1])), (True,),
        (np.array([True, False, True]),), (np.array([True, False, True]), 1), (ALL, np.array([True] * 3 + [False])),
        (np.array([True, False, True]), np.array([1, 1])), (np.array([True, False, True]), np.array([[1], [1]])), (np.zeros(0, np.int64),), (of(3, 4) > 1,),
    )),
    *(("getitem", [of(2, 3, 4)], {"index": index}) for index in (
        (TWO % 2, ALL, TWO), (ALL, TWO, TWO), (ALL, 1, TWO), (ALL, TWO), (MASK,), (MASK, slice(1, 3)), (0, ALL, TWO),
    )),
    ("take", [of(2, 3, 2), TWO], {"axis": 1}),
    ("take", [of(4), np.zeros(0, np.int64)], {"axis": 0}),
    ("take", [of(4), np.array(2)], {"axis": 0}),
    ("take", [of(3, 0), TWO], {"axis": 0}),
    ("embedding", [of(3, 2), TWO], {"padding_idx": None}),
]  # fmt: skip
LAW_IDS = [f"{i}-{op}" for i, (op, *_) in enumerate(LAWS)]


def cotangent(out: Any) -> Any:
    if isinstance(out, tuple):
        return tuple(signed(*o.shape, seed=7 + i) for i, o in enumerate(out))
    return signed(*out.shape, seed=7)


def inner_product(g: Any, out: Any) -> float:
    if isinstance(out, tuple):
        return math.fsum(inner_product(*pair) for pair in zip(g, out, strict=True))
    return float(np.sum(np.where(g == 0, 0, g * out)))


@pytest.mark.parametrize("op, inputs, options", LAWS, ids=LAW_IDS)
def test_a_gradient_is_the_slope_that_finite_differences_find(op: str, inputs: Any, options: Any) -> None:
    g = cotangent(forward(op, inputs, options))
    found = gradients(op, inputs, options, g)
    for position, x in enumerate(inputs):
        if not is_float(x):
            assert found[position] is None
            continue
        slope = np.zeros(x.shape)
        for place in np.ndindex(x.shape):
            ends = []
            for step in (1e-6, -1e-6):
                moved = x.copy()
                moved[place] += step
                ends.append(
                    inner_product(
                        g, forward(op, [*inputs[:position], moved, *inputs[position + 1 :]], options)
                    )
                )
            slope[place] = (ends[0] - ends[1]) / 2e-6
        assert found[position].shape == x.shape
        np.testing.assert_allclose(found[position], slope, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("op, inputs, options", LAWS, ids=LAW_IDS)
def test_float32_stays_float32(op: str, inputs: Any, options: Any) -> None:  # B067
    inputs = [x.astype(np.float32) if is_float(x) else x for x in inputs]
    out = forward(op, inputs, options)
    g = cotangent(out)
    g = tuple(part.astype(np.float32) for part in g) if isinstance(g, tuple) else g.astype(np.float32)
    for x, d in zip(inputs, gradients(op, inputs, options, g), strict=True):
        assert d is None or (d.dtype, d.shape) == (np.float32, x.shape)


ROW = {"axis": (0,), "keepdims": False}
EXACT: list[tuple[str, str, list[Any], dict[str, Any], Any, list[Any]]] = [
    # case, op, inputs, options, cotangent, gradients
    ("B002", "max", [[3, 1, 3]], ROW, 1, [[0.5, 0, 0.5]]),
    ("B002", "min", [[1, 3, 1, 1]], ROW, 3, [[1, 0, 1, 1]]),
    ("B003", "max", [[[3, 1, 3]]], {"axis": (1,), "keepdims": True}, [[1]], [[[0.5, 0, 0.5]]]),
    ("B004", "max", [np.ones((4, 3))], ROW, [1, 2, 4], [np.tile([0.25, 0.5, 1], (4, 1))]),
    ("nan-takes-it", "max", [[nan, 1, nan]], ROW, 1, [[0.5, 0, 0.5]]),
    ("nan-of-one-row", "min", [[[nan, 1], [2, 1]]], ROW, [1, 1], [[[1, 0.5], [0, 0.5]]]),
    ("tie", "maximum", [[1, 2, 0], [1, 0, 2]], {}, [4, 4, 4], [[2, 4, 0], [2, 0, 4]]),
    ("tie", "minimum", [[1, 2, 0], [1, 0, 2]], {}, [4, 4, 4], [[2, 0, 4], [2, 4, 0]]),
    ("nan", "maximum", [[nan, 1, nan], [1, nan, nan]], {}, [4, 4, 4], [[4, 0, 2], [0, 4, 2]]),
    ("nan", "minimum", [[nan, 1, nan], [1, nan, nan]], {}, [4, 4, 4], [[4, 0, 2], [0, 4, 2]]),
    ("infinite-cotangent", "maximum", [[1, 2], [2, 1]], {}, [inf, inf], [[0, inf], [inf, 0]]),
    ("B014", "pow", [[0, 0, 0, 0, 0], [2, 1, 0, 0.5, -1]], {}, [1] * 5, [[0, 1, 0, inf, -inf], [0, 0, 0, 0, -inf]]),
    ("infinite-exponent", "pow", [[0, 0.5, 1, 2], [inf, inf, inf, -inf]], {}, [1] * 4, [[0, 0, inf, 0], [0, 0, 0, 0]]),
    ("B015", "pow", [[0, 0, -2], [2, 0, 2]], {}, [1] * 3, [[0, 0, -4], [0, 0, nan]]),
    ("B026", "clip", [[0, 0.5, 1, 2, nan]], {"min": 0, "max": 1}, [1] * 5, [[1, 1, 1, 0, 0]]),
    ("B028", "clip", [[0, 1, 2]], {"min": 1, "max": 1}, [1] * 3, [[0, 1, 0]]),
    ("B029", "take", [[4], np.array([0, 0])], {"axis": 0}, [2, 3], [[5], None]),
    ("B030", "getitem", [[0, 0, 0]], {"index": (np.array([1, 1, 2]),)}, [1, 10, 100], [[0, 11, 100]]),
    ("B064", "embedding", [[[9], [1], [2]], np.array([0, 1, 1])], {"padding_idx": 0}, [[1]] * 3, [[[0], [2], [0]], None]),
    ("B071", "matmul", [[[3]], [[3]]], {}, [[1]], [[[3]], [[3]]]),
    ("B074", "sqrt", [[0, 4]], {}, [1, 1], [[inf, 0.25]]),
    ("B074", "abs", [[0, -3]], {}, [1, 1], [[0, -1]]),
    ("B006", "where", [np.array([True, False]), [nan, 1], [1, inf]], {}, [nan, 5], [None, [nan, 0], [0, 5]]),
    ("all-masked", "logsumexp", [[[-inf, -inf], [-inf, 0]]], {"axis": (1,), "keepdims": False}, [1, 1], [[[0, 0], [0, 1]]]),
    ("large", "logsumexp", [[1e4, 1e4]], ROW, 1, [[0.5, 0.5]]),
    ("one-value", "var", [[3]], ROW | {"correction": 1}, 1, [[nan]]),
    ("small-divisor", "divide", [[1e-300], [1e-200]], {}, [1e-200], [[1], [-1e-100]]),
    ("B037", "getitem", [np.zeros((3, 2))], {"index": (np.arange(2), np.arange(2))}, [1, 1], [[[1, 0], [0, 1], [0, 0]]]),
]  # fmt: skip


@pytest.mark.parametrize(
    "op, inputs, options, g, right", [row[1:] for row in EXACT], ids=[f"{row[0]}-{row[1]}" for row in EXACT]
)
def test_a_kink_a_tie_or_a_singularity_follows_its_convention(
    op: str, inputs: Any, options: Any, g: Any, right: Any
) -> None:
    inputs = [x if isinstance(x, np.ndarray) else np.array(x, np.float64) for x in inputs]
    found = gradients(op, inputs, options, np.array(g, np.float64))
    for d, r in zip(found, right, strict=True):
        assert (d is None) == (r is None)
        if d is not None:
            np.testing.assert_allclose(d, np.array(r, np.float64), rtol=1e-12)


UNARY = ["negative", "abs", "exp", "log", "sqrt", "square", "tanh", "erf"]
UNARY += "erfc expm1 log1p log2 log10 sin cos tan asin acos atan sinh cosh asinh acosh atanh".split()
UNARY += "sign floor ceil round trunc".split()
BINARY = ["add", "subtract", "multiply", "divide", "pow", "maximum", "minimum"]
BINARY += "atan2 hypot logaddexp copysign nextafter floor_divide remainder".split()
STRANGE = [nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 1e300, -1e-300]


@pytest.mark.parametrize("op", [*UNARY, *BINARY, "clip", "where"])
def test_a_rule_is_marked_singular_just_where_a_zero_cotangent_can_come_out_as_nan(op: str) -> None:
    x, y = (a.ravel() for a in np.meshgrid(STRANGE, STRANGE))
    inputs = {"where": [y > 0, x, y]}.get(op, [x] if op in UNARY or op == "clip" else [x, y])
    found = gradients(op, inputs, {"min": 0.0, "max": 1.0} if op == "clip" else {}, np.zeros(x.shape))
    spoiled = any(np.isnan(d).any() for d in found if d is not None)
    assert table()[op].singular == spoiled


@pytest.mark.parametrize(
    "op", ["sum", "mean", "max", "min", "var", "std", "prod", "median", "logsumexp", "matmul", "linear"]
)
def test_reductions_and_contractions_are_compute_bound(op: str) -> None:
    assert table()[op].compute_bound


@pytest.mark.parametrize(
    "op", ["add", "exp", "where", "reshape", "permute_dims", "concat", "getitem", "embedding"]
)
def test_elementwise_and_moving_ops_are_recomputed(op: str) -> None:
    assert not table()[op].compute_bound


def test_every_op_of_the_backend_has_a_rule_or_is_listed_as_without_gradient() -> None:
    from backburner_autodiff.rules import NONDIFFERENTIABLE

    ops = {name for name in dir(Backend) if not name.startswith("_")}
    assert not NONDIFFERENTIABLE & table().keys()
    assert NONDIFFERENTIABLE | table().keys() == ops


HELD = [
    # op, inputs, options, per input: which of (x, y, ..., out) its vjp keeps alive
    ("add", [of(2), of(2)], {}, ["", ""]),
    ("multiply", [of(2), of(2)], {}, ["y", "x"]),
    ("divide", [of(2), of(2)], {}, ["y", "y out"]),
    ("exp", [of(2)], {}, ["out"]),
    ("log", [of(2)], {}, ["x"]),
    ("tanh", [of(2)], {}, ["out"]),
    ("tan", [of(2)], {}, ["out"]),
    ("sin", [of(2)], {}, ["x"]),
    ("floor", [of(2)], {}, [""]),
    ("nextafter", [of(2), of(2)], {}, ["", ""]),
    ("remainder", [of(2), of(2)], {}, ["", "x y"]),
    ("copysign", [of(2), of(2)], {}, ["x out", ""]),
    ("logaddexp", [of(2), of(2)], {}, ["x y", "x y"]),
    ("clip", [of(2)], {"min": 0, "max": 1}, ["x"]),
    ("astype", [of(2)], {"dtype": np.dtype("float32")}, [""]),
    ("sum", [of(2, 3)], REDUCED, [""]),
    ("mean", [of(2, 3)], REDUCED, [""]),
    ("prod", [of(2, 3)], REDUCED, ["x"]),
    ("std", [of(2, 3)], REDUCED | {"correction": 1}, ["x out"]),
    ("vector_norm", [of(2, 3)], REDUCED | {"ord": 2}, ["x out"]),
    ("median", [of(2, 3)], REDUCED, ["x"]),
    ("cumulative_sum", [of(2, 3)], {"axis": 0}, [""]),
    ("cumulative_prod", [of(2, 3)], {"axis": 0}, ["x"]),
    ("matmul", [of(2, 3), of(3, 2)], {}, ["y", "x"]),
    ("linear", [of(2, 3), of(2, 3), of(2)], {}, ["y", "x", ""]),
    ("reshape", [of(2, 3)], {"shape": (6,)}, [""]),
    ("pad", [of(2)], {"pad_width": ((1, 1),), "value": 0.0}, [""]),
    ("split", [of(2)], {"sizes": (1, 1), "axis": 0}, [""]),
    ("getitem", [of(2)], {"index": (slice(1),)}, [""]),
    ("take", [of(2), np.array([0, 1])], {"axis": 0}, ["y", None]),
]  # fmt: skip


@pytest.mark.parametrize("op, inputs, options, held", HELD, ids=[row[0] for row in HELD])
def test_a_vjp_holds_the_residuals_that_it_needs_and_no_others(
    op: str, inputs: Any, options: Any, held: Any
) -> None:
    for i, right in enumerate(held):
        fresh = [x.copy() for x in inputs]
        out = forward(op, fresh, options)
        out = out if isinstance(out, tuple) else out.copy()
        names = dict(zip(("x", "y", "z"), map(weakref.ref, fresh), strict=False))
        if isinstance(out, np.ndarray):
            names["out"] = weakref.ref(out)
        vjp = table()[op].function(out, *fresh, **options)[i]
        del fresh, out
        alive = " ".join(name for name, array in names.items() if array() is not None)
        assert (alive, vjp is None) == (right or "", right is None)


def test_an_output_of_split_that_was_not_used_counts_as_zero() -> None:
    x = of(2, 3).astype(np.float32)
    (d,) = gradients("split", [x], {"sizes": (1, 2), "axis": 1}, (None, np.ones((2, 2), np.float32)))
    np.testing.assert_array_equal(d, np.array([[0, 1, 1], [0, 1, 1]], np.float32))


def test_what_concat_and_stack_need_not_give_is_left_out() -> None:
    x, g = of(2), of(4)
    for op, cotangent in (("concat", g), ("stack", g.reshape(2, 2))):
        joint = table()[op].function(None, x, x, axis=0)
        assert [d is None for d in joint(cotangent, (False, True))] == [True, False]


def test_a_plain_float_gives_back_float_gradients_of_its_own_dtype() -> None:
    x, g = of(3).astype(np.float32), of(3, seed=1)
    (d,) = gradients("astype", [x], {"dtype": np.dtype("float64")}, g)
    assert d is not None and d.dtype == np.float32
    np.testing.assert_array_equal(d, g.astype(np.float32))
    assert gradients("astype", [x], {"dtype": np.dtype("int64")}, g) == [None]
    assert gradients("astype", [MASK], {"dtype": np.dtype("float32")}, g) == [None]


# -- scatter-add ---------------------------------------------------------------------------------------


SCATTERS = [
    # shape of the table, axis, number of picks
    ((50, 300), 0, 4000),
    ((3, 40, 70), 1, 3000),
    ((2, 5, 30), 2, 5000),
    ((6,), 0, 3000),
]


@pytest.mark.parametrize("shape, axis, picks", SCATTERS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scatter_add_sums_what_meets_in_one_place(shape: Any, axis: int, picks: int, dtype: str) -> None:
    indices = np.random.default_rng(1).integers(0, shape[axis], picks)
    g = signed(*shape[:axis], picks, *shape[axis + 1 :]).astype(dtype)
    right = np.zeros(shape)
    np.add.at(right, (*(ALL,) * axis, indices), g.astype(np.float64))
    (got, _) = gradients("take", [np.zeros(shape, dtype), indices], {"axis": axis}, g)
    assert got is not None and got.dtype == dtype
    np.testing.assert_allclose(got, right, rtol=1e-5 if dtype == "float32" else 1e-12, atol=2e-5)


@pytest.mark.parametrize("often", [False, True])
def test_scatter_add_gives_the_same_bits_on_threads(often: bool) -> None:
    from backburner_autodiff.kernels.indexing import scatter_rows

    g = signed(2, 3000, 200).astype(np.float32)
    indices = np.random.default_rng(1).integers(0, 5, 3000)
    slots = np.array([-1, 0, -1, 1, -1]) if often else np.zeros(0, np.int64)
    results = []
    for run in (scatter_rows.serial, scatter_rows.parallel):
        out, totals = np.zeros((2, 5, 200), np.float32), np.zeros((2, 2 * often, 200))
        run(g, indices, slots, out, totals)
        results.append((out.tobytes(), totals.tobytes()))
    assert results[0] == results[1]


def test_a_row_that_is_picked_a_million_times_gets_an_accurate_float32_gradient() -> None:
    indices = np.zeros(1_000_000, np.int64)
    indices[7] = 2
    g = np.full((1_000_000, 3), 0.1, np.float32)
    (d, _) = gradients("embedding", [np.zeros((4, 3), np.float32), indices], {"padding_idx": None}, g)
    assert d is not None and d.dtype == np.float32
    np.testing.assert_allclose(d[:, 0], [99999.9, 0, 0.1, 0], rtol=1e-6)


def test_a_bias_gets_an_accurate_float32_gradient_from_a_long_batch() -> None:
    x, weight, bias = np.zeros((1_000_000, 1)), np.zeros((2, 1)), np.zeros(2)
    g = np.full((1_000_000, 2), 0.1, np.float32)
    inputs = [array.astype(np.float32) for array in (x, weight, bias)]
    d = gradients("linear", inputs, {}, g)[2]
    assert d is not None
    np.testing.assert_allclose(d, [1e5, 1e5], rtol=2e-6)
