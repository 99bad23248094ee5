"""Which dtype tensors and numbers meet in, and the operators that they meet by."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner.device import Device
from backburner.dtype import ALL
from devices import KINDS, autodiff, device_of, leaf


@pytest.fixture(params=KINDS)
def device(request: pytest.FixtureRequest) -> Device:
    return device_of(request.param)


@pytest.fixture
def recording() -> Device:
    return Device.cpu().autodiff()


# -- promotion

SIGNED, UNSIGNED = ("int8", "int16", "int32", "int64"), ("uint8", "uint16", "uint32", "uint64")


def promoted(x: str, y: str) -> str | None:
    """Return what two dtypes meet in, by the standard's table and ours for what it leaves open."""
    if x == y:
        return x
    if x.startswith("float") or y.startswith("float"):
        floats = [d for d in (x, y) if d.startswith("float")]
        return max(floats, key=lambda d: int(d[5:]))
    if "bool" in (x, y):
        return x if y == "bool" else y
    for family in (SIGNED, UNSIGNED):
        if x in family and y in family:
            return max(x, y, key=family.index)
    signed, unsigned = (x, y) if x in SIGNED else (y, x)
    if unsigned == "uint64":
        return None
    return SIGNED[max(SIGNED.index(signed), UNSIGNED.index(unsigned) + 1)]


@pytest.mark.parametrize("x", ALL, ids=str)
def test_dtypes_meet_as_the_standard_and_pytorch_have_it(x: Any, device: Device) -> None:
    for y in ALL:
        a, b = bb.ones((2,), dtype=x, device=device), bb.ones((2,), dtype=y, device=device)
        wanted = promoted(str(x), str(y))
        for op in (bb.multiply, bb.add, bb.maximum):
            if wanted is None:
                with pytest.raises(bb.DTypeError, match="no common integer dtype"):
                    op(a, b)
            else:
                assert op(a, b).dtype == op(b, a).dtype == wanted, (x, y)


# tensor's dtype, number, result's dtype
NUMBERS: list[tuple[str, Any, str]] = [
    ("float32", 2, "float32"),
    ("float32", 2.5, "float32"),
    ("float32", True, "float32"),
    ("float32", np.float64(2.5), "float32"),
    ("float32", np.int64(2), "float32"),
    ("float64", np.float32(2.5), "float64"),
    ("int8", 2, "int8"),
    ("int8", True, "int8"),
    ("int8", np.int64(2), "int8"),
    ("int8", 2.5, "float32"),
    ("int64", np.float64(2.5), "float32"),
    ("bool", True, "bool"),
    ("bool", 2, "int64"),
    ("bool", 2.5, "float32"),
    ("uint64", 2, "uint64"),
]


@pytest.mark.parametrize("dtype, number, wanted", NUMBERS, ids=repr)
def test_a_number_takes_the_dtype_of_the_tensor(dtype: str, number: Any, wanted: str, device: Device) -> None:
    x = bb.ones((2,), dtype=dtype, device=device)
    assert (x * number).dtype == (number * x).dtype == wanted
    assert (x * number).tolist() == (number * x).tolist() == [number] * 2


FLOATING = (
    *"sin cos tan asin acos atan sinh cosh asinh acosh atanh erfc expm1 log1p log2 log10 reciprocal rsqrt".split(),
    "exp",
    "log",
    "sqrt",
    "tanh",
    "erf",
    "sigmoid",
    "gelu",
    "mean",
    "var",
    "logsumexp",
)


@pytest.mark.parametrize("method", FLOATING)
def test_a_function_of_floats_takes_integers_and_bools_as_float32(method: str) -> None:
    for data in ([1, 2], [True, False], np.array([1, 2], np.int8)):
        with np.errstate(all="ignore"):
            assert getattr(bb.tensor(data), method)().dtype == bb.float32


def test_integers_divide_to_floats_and_sum_in_64_bits() -> None:
    assert (bb.tensor([1]) / bb.tensor([2])).tolist() == [0.5]  # B068
    assert (bb.tensor([1]) / 2).dtype == bb.float32
    assert bb.tensor([100, 100], dtype="int8").sum().item() == 200
    assert bb.tensor([200, 100], dtype="uint8").sum().dtype == bb.uint64
    assert bb.tensor([True, True]).sum().item() == 2


# -- operators

BINARY: list[tuple[str, Callable[[Any, Any], Any], Callable[..., bb.Tensor]]] = [
    ("+", operator.add, bb.add),
    ("-", operator.sub, bb.subtract),
    ("*", operator.mul, bb.multiply),
    ("/", operator.truediv, bb.divide),
    ("//", operator.floordiv, bb.floor_divide),
    ("%", operator.mod, bb.remainder),
    ("**", operator.pow, bb.pow),
    ("@", operator.matmul, bb.matmul),
    ("<", operator.lt, bb.less),
    ("<=", operator.le, bb.less_equal),
    (">", operator.gt, bb.greater),
    (">=", operator.ge, bb.greater_equal),
    ("==", operator.eq, bb.equal),
    ("!=", operator.ne, bb.not_equal),
]


@pytest.mark.parametrize("sign, operate, function", BINARY, ids=[sign for sign, _, _ in BINARY])
def test_an_operator_is_the_function(
    sign: str, operate: Callable[..., Any], function: Callable[..., bb.Tensor], device: Device
) -> None:
    x = bb.tensor([1.0, 2.0, 3.0], device=device)
    y = bb.tensor([3.0, 2.0, 0.5], device=device)
    assert operate(x, y).tolist() == function(x, y).tolist()
    assert operate(x, y).device is device
    if sign != "@":
        expected = operate(np.float32(2), np.array([1, 2, 3], np.float32)).tolist()
        assert operate(2, x).tolist() == expected
        assert operate(2.0, x).tolist() == expected
        assert operate(x, 2).tolist() == operate(np.array([1, 2, 3], np.float32), np.float32(2)).tolist()


@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "//", "%", "**"])
@autodiff
def test_a_reflected_operator_is_recorded(sign: str, recording: Device) -> None:
    operate = {sign_: operate for sign_, operate, _ in BINARY}[sign]
    x = leaf(recording, 3.0, "float64")
    right = {"+": 1, "-": -1, "*": 2, "/": -2 / 9, "//": 0, "%": 0, "**": 8 * np.log(2)}[sign]
    assert operate(2, x).backward()[x].item() == pytest.approx(right)
    assert operate(np.float64(2), x).backward()[x].item() == pytest.approx(right)


def test_unary_and_logical_operators(device: Device) -> None:
    x = bb.tensor([-1.0, 2.0], device=device)
    assert ((-x).tolist(), (+x) is x, abs(x).tolist()) == ([1, -2], True, [1, 2])
    p, q = bb.tensor([True, True, False], device=device), bb.tensor([True, False, False], device=device)
    assert (p & q).tolist() == [True, False, False] and (p | q).tolist() == [True, True, False]
    assert (~p).tolist() == [False, False, True]


BITS: list[tuple[str, Callable[[Any, Any], Any], Callable[..., bb.Tensor]]] = [
    ("&", operator.and_, bb.bitwise_and),
    ("|", operator.or_, bb.bitwise_or),
    ("^", operator.xor, bb.bitwise_xor),
    ("<<", operator.lshift, bb.bitwise_left_shift),
    (">>", operator.rshift, bb.bitwise_right_shift),
]


@pytest.mark.parametrize("sign, operate, function", BITS, ids=[sign for sign, _, _ in BITS])
def test_an_operator_of_bits_is_the_function_and_python(
    sign: str, operate: Callable[..., Any], function: Callable[..., bb.Tensor], device: Device
) -> None:
    x, y = [-7, 0, 6, 100], [1, 2, 0, 3]
    for dtype in ("int64", "int16", "int8"):
        a, b = bb.tensor(x, dtype=dtype, device=device), bb.tensor(y, dtype=dtype, device=device)
        wrapped = np.array([operate(i, j) for i, j in zip(x, y, strict=True)]).astype(dtype).tolist()
        assert operate(a, b).tolist() == function(a, b).tolist() == wrapped
        assert operate(a, b).dtype == dtype and operate(a, b).device is device
        assert operate(a, 2).tolist() == np.array([operate(i, 2) for i in x]).astype(dtype).tolist()
        assert operate(5, b).tolist() == [operate(5, j) for j in y]
    unsigned = bb.tensor([200, 3], dtype="uint8")
    assert (
        operate(unsigned, 1).tolist() == np.array([operate(200, 1), operate(3, 1)]).astype("uint8").tolist()
    )


def test_bools_and_integers_meet_in_bitwise_operators() -> None:
    p, n = bb.tensor([True, False]), bb.tensor([6, 7], dtype="int8")
    assert ((p & n).dtype, (p & n).tolist()) == (bb.int8, [0, 0])
    assert (True & p).tolist() == [True, False] and (p ^ True).tolist() == [False, True]
    assert (p ^ p).dtype == bb.bool
    assert (~n).tolist() == [-7, -8]
    assert (~bb.tensor([0], dtype="uint8")).tolist() == [255]


def test_a_shift_by_all_the_bits_leaves_the_sign_alone() -> None:
    x = bb.tensor([-3, 3], dtype="int8")
    assert (x << 8).tolist() == [0, 0] and (x >> 100).tolist() == [-1, 0]


def test_operators_in_place_make_another_tensor() -> None:
    x = y = bb.tensor([7, 8])
    y //= 2
    y %= 3
    y <<= 2
    y |= 1
    y ^= 2
    y &= 7
    y >>= 1
    assert (x.tolist(), y.tolist()) == ([7, 8], [1, 3])


def test_rounding_keeps_integers_as_they_are() -> None:
    x = bb.tensor([1, -2], dtype="int16")
    for function in (bb.floor, bb.ceil, bb.round, bb.trunc):
        assert function(x) is x
    assert bb.sign(bb.tensor([0, 9], dtype="uint8")).dtype == bb.uint8


def test_close_integers_are_compared_without_wrapping_and_beyond_float32() -> None:
    x, y = bb.tensor([0, 1], dtype="uint8"), bb.tensor([255, 1], dtype="uint8")
    assert bb.isclose(x, y, rtol=0, atol=1).tolist() == [False, True]  # uint8 would find 0 - 255 to be 1
    assert bb.isclose(bb.tensor([2**24]), 2**24 + 1, rtol=0).tolist() == [False]


def test_infinities_and_nan_are_close_to_themselves_alone() -> None:
    inf, nan = float("inf"), float("nan")
    x = bb.tensor([inf, -inf, inf, nan, 1.0, nan])
    y = bb.tensor([inf, inf, 1.0, nan, inf, 1.0])
    assert bb.isclose(x, y).tolist() == [True, False, False, False, False, False]
    assert bb.isclose(x, y, equal_nan=True).tolist() == [True, False, False, True, False, False]
    assert bb.allclose(x[:1], inf) and not bb.allclose(x, y)
    assert bb.allclose(bb.zeros((0,)), 1.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_infinities_become_the_ends_of_the_dtype(dtype: str) -> None:
    x = bb.tensor([float("inf"), float("-inf"), float("nan"), 1.0], dtype=dtype)
    limits = np.finfo(dtype)
    assert bb.nan_to_num(x).tolist() == [float(limits.max), float(limits.min), 0, 1]
    assert bb.nan_to_num(x).dtype == dtype
    assert np.isnan(bb.nan_to_num(x, nan=float("nan")).numpy()[2])
    n = bb.tensor([1])
    assert bb.nan_to_num(n) is n


@autodiff
def test_what_has_no_gradient_is_not_tracked(recording: Device) -> None:
    x = leaf(recording, 3.0, "float64")
    for y in (x.isnan(), x.isinf(), x.isfinite(), x.signbit(), x.isclose(3.0)):
        assert not y.is_tracked() and y.dtype == bb.bool and y.device is recording
    assert bb.allclose(x, 3.0) is True


def test_transposes(device: Device) -> None:
    x = bb.tensor([[1, 2, 3], [4, 5, 6]], device=device)
    assert x.T.tolist() == x.mT.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert bb.zeros((2, 3, 4), device=device).mT.shape == (2, 4, 3)


def test_b112_large_uint64_are_compared_exactly_and_do_not_meet_int64() -> None:
    x, y = (bb.tensor([n], dtype="uint64") for n in (1721142608025344941, 1721142608025339990))
    assert not (x >= y + 5000).item()
    with pytest.raises(bb.DTypeError, match="uint64 and int64 have no common integer dtype"):
        x + bb.tensor([1])
