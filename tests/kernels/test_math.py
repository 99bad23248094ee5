"""Elementary functions of kernels: error bounds, special values, and that they are vector code."""

import re

import numba
import numpy as np
import pytest
import sample_kernels
import ulps
from own_process import run

from backburner_autodiff.kernels import _jit
from backburner_autodiff.kernels import math as km

pytestmark = pytest.mark.feature_set("autodiff")

DTYPES = ("float32", "float64")
BOUNDS = {"exp": 1.1, "log": 1.0, "tanh": 2.0, "sigmoid": 2.5, "erf": 1.5}
INF, NAN = np.inf, np.nan

# Arguments, values in float32 and in float64; one value if they are the same.
SPECIAL = [
    ("exp", [0.0, -0.0, INF, -INF, NAN, 1e30, -1e30], [1, 1, INF, 0, NAN, INF, 0]),
    ("log", [0.0, -0.0, 1.0, INF, -INF, -1.0, NAN], [-INF, -INF, 0, INF, NAN, NAN, NAN]),
    ("tanh", [0.0, -0.0, INF, -INF, NAN, 1e30, -1e30], [0, -0.0, 1, -1, NAN, 1, -1]),
    ("sigmoid", [0.0, -0.0, INF, -INF, NAN, 1e30, -1e30], [0.5, 0.5, 1, 0, NAN, 1, 0]),
    ("erf", [0.0, -0.0, INF, -INF, NAN, 1e30, -1e30], [0, -0.0, 1, -1, NAN, 1, -1]),
]


def apply(name, x):
    y = np.empty_like(x)
    getattr(sample_kernels, f"sample_{name}").serial(x, y)
    return y


def test_the_table_in_the_docstring_is_what_is_tested():
    rows = re.findall(r"^``(\w+)`` +([\d.]+) +([\d.]+)$", km.__doc__, re.M)
    assert {name: {float(a), float(b)} for name, a, b in rows} == {
        name: {bound} for name, bound in BOUNDS.items()
    }


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BOUNDS)
def test_the_error_is_within_its_bound(name, dtype):
    error, at = ulps.worst(name, dtype, 1000)
    assert error <= BOUNDS[name], f"at {at!r}"


def test_without_fused_instructions_the_bounds_hold_too():
    code = (
        "import ulps\n"
        f"bounds = {BOUNDS}\n"
        "print([(name, dtype) for name in bounds for dtype in ('float32', 'float64')"
        " if ulps.worst(name, dtype, 200)[0] > bounds[name]])"
    )
    assert run(code, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") == "[]"


def test_float32_holds_its_bound_at_a_million_points():
    rng = np.random.default_rng(1)
    bits = rng.integers(-(2**31), 2**31, 500_000, dtype="int32").view("float32")
    x = np.concatenate([bits[np.isfinite(bits)], rng.uniform(-20, 20, 500_000).astype("float32")])
    with np.errstate(over="ignore", under="ignore"):
        wide = x.astype("float64")
        right = {"exp": np.exp(wide), "tanh": np.tanh(wide), "sigmoid": 1 / (1 + np.exp(-wide))}
        right["log"] = np.log(np.abs(wide) + (wide == 0))
        for name, value in right.items():
            y = apply(name, np.abs(x) + (x == 0) if name == "log" else x)
            rounded = value.astype("float32")
            finite = np.isfinite(rounded)
            assert np.array_equal(np.isfinite(y), finite), name
            units = np.spacing(np.abs(rounded[finite])).astype("float64")
            assert (np.abs(y[finite] - value[finite]) / units).max() <= BOUNDS[name], name


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "x", "right"), SPECIAL, ids=[row[0] for row in SPECIAL])
def test_special_values_come_out_as_ieee_says(name, x, right, dtype):
    # Once in the bulk of a loop and once in its remainder.
    for copies in (1, 64):
        y = apply(name, np.repeat(np.array(x, dtype), copies))
        expected = np.repeat(np.array(right, dtype), copies)
        np.testing.assert_array_equal(y, expected)
        numbers = ~np.isnan(expected)
        assert np.array_equal(np.signbit(y[numbers]), np.signbit(expected[numbers]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_subnormal_arguments_and_results_are_kept(dtype):
    tiny = np.finfo(dtype).smallest_subnormal
    x = np.array([tiny, 12345 * tiny], dtype)
    for name in ("tanh",):
        np.testing.assert_array_equal(apply(name, x), x)
    np.testing.assert_allclose(
        apply("log", x).astype("float64"), np.log(x.astype("longdouble")).astype("float64"), rtol=1e-7
    )
    below = np.array([np.log(np.finfo(dtype).tiny) - 5], dtype)
    assert 0 < apply("exp", below)[0] < np.finfo(dtype).tiny
    assert 0 < apply("sigmoid", below)[0] < np.finfo(dtype).tiny
    near_zero = apply("erf", x).astype("float64") / tiny
    np.testing.assert_allclose(near_zero, np.array([1, 12345]) * 1.1283791670955126, atol=0.6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_fastmath_around_them_changes_no_bit(dtype):
    x = ulps.points("exp", dtype, 500)
    x = np.concatenate([x, np.array([INF, -INF, NAN, 0, -0.0], dtype)])
    fast = [np.empty_like(x) for _ in BOUNDS]
    sample_kernels.sample_fast.serial(x, *fast)
    for name, y in zip(BOUNDS, fast, strict=True):
        assert y.tobytes() == apply(name, x).tobytes(), name


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*BOUNDS, "max"])
def test_a_loop_over_them_is_vector_code_without_calls_of_libm(name, dtype):
    kernel = _jit.KERNELS[f"sample_{name}"]
    dispatcher = numba.njit(**_jit._options(False))(kernel.py_func)
    dispatcher.compile(kernel._types(np.dtype(dtype).char))
    (code,) = dispatcher.inspect_asm().values()
    suffix, lanes = {"float32": ("s", "4s"), "float64": ("d", "2d")}[dtype]
    if name == "max":  # integers, compared in lanes or by one instruction
        packed = r"pmaxs[dq]|pcmpgt[dq]|smax\s+v|cmgt\s+v"
    else:
        packed = (
            rf"mulp{suffix}\b|vfn?m(?:add|sub)\d+p{suffix}\b|fml[as]\s+v\d+\.{lanes}|fmul\s+v\d+\.{lanes}"
        )
    assert re.search(packed, code)
    assert not re.search(
        r"\b(?:exp|log|tanh|erf|fma)f?\b", "\n".join(re.findall(r"(?:call|jmp|bl)\s+.*", code))
    )


ROWS = [
    ([3, 1, 2], 3), ([-3, -1, -2], -1), ([], -INF), ([-INF, -INF], -INF), ([1, INF], INF), ([-0.0, 0.0], 0.0),
    ([0, NAN, 1], NAN), ([INF, -NAN, 1], NAN), ([NAN], NAN), ([1e-45, -1e-45], 1e-45),
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("repeat", [1, 40])
@pytest.mark.parametrize(("row", "largest"), ROWS)
def test_the_largest_of_a_row(row, largest, repeat, dtype):
    x = np.array([row * repeat], dtype).reshape(1, -1)
    y = np.empty(1, dtype)
    for run_as in (sample_kernels.sample_max.serial, sample_kernels.sample_max.py_func):
        run_as(x, y)
        np.testing.assert_array_equal(y, np.array([largest], dtype))
        assert (
            np.isnan(largest)
            or np.signbit(y[0]) == (largest < 0)
            or run_as is sample_kernels.sample_max.py_func
        )


BITS = """
import hashlib
import warnings
import numpy as np
import sample_kernels
warnings.simplefilter("ignore")
rng = np.random.default_rng(5)
for name in {names}:
    for dtype in ("float32", "float64"):
        tiny = np.finfo(dtype).tiny
        special = [0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30, tiny, tiny / 8, -tiny, 1, 88.5, -87.5, -103, 709, -745]
        drawn = [rng.uniform(-12, 12, 150), np.exp(rng.uniform(-40, 40, 100)), rng.uniform(-1e-3, 1e-3, 50)]
        x = np.concatenate([special, *drawn]).astype(dtype)
        y = np.empty_like(x)
        getattr(sample_kernels, "sample_" + name).serial(x, y)
        y[np.isnan(y)] = np.nan  # of which there are many
        print(name, dtype, hashlib.sha256(y.tobytes()).hexdigest()[:16])
"""


def test_without_the_compiler_they_have_the_same_bits():
    code = BITS.format(names=tuple(BOUNDS))
    assert run(code, NUMBA_DISABLE_JIT="1") == run(code)
