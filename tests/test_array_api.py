"""The Python Array API standard, 2024.12: every name, argument and default, result dtypes, and special values.

``STANDARD`` is the standard's own list, complex numbers and ``fft`` left out; ``bb.linalg`` has more than is listed.
"""

from __future__ import annotations

import inspect
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb

inf, nan = math.inf, math.nan

STANDARD = """
abs(x, /) acos(x, /) acosh(x, /) add(x1, x2, /) asin(x, /) asinh(x, /) atan(x, /) atan2(x1, x2, /) atanh(x, /)
bitwise_and(x1, x2, /) bitwise_left_shift(x1, x2, /) bitwise_invert(x, /) bitwise_or(x1, x2, /)
bitwise_right_shift(x1, x2, /) bitwise_xor(x1, x2, /) ceil(x, /) clip(x, /, min=None, max=None) conj(x, /)
copysign(x1, x2, /) cos(x, /) cosh(x, /) divide(x1, x2, /) equal(x1, x2, /) exp(x, /) expm1(x, /) floor(x, /)
floor_divide(x1, x2, /) greater(x1, x2, /) greater_equal(x1, x2, /) hypot(x1, x2, /) imag(x, /) isfinite(x, /)
isinf(x, /) isnan(x, /) less(x1, x2, /) less_equal(x1, x2, /) log(x, /) log1p(x, /) log2(x, /) log10(x, /)
logaddexp(x1, x2, /) logical_and(x1, x2, /) logical_not(x, /) logical_or(x1, x2, /) logical_xor(x1, x2, /)
maximum(x1, x2, /) minimum(x1, x2, /) multiply(x1, x2, /) negative(x, /) nextafter(x1, x2, /) not_equal(x1, x2, /)
positive(x, /) pow(x1, x2, /) real(x, /) reciprocal(x, /) remainder(x1, x2, /) round(x, /) sign(x, /) signbit(x, /)
sin(x, /) sinh(x, /) square(x, /) sqrt(x, /) subtract(x1, x2, /) tan(x, /) tanh(x, /) trunc(x, /)
arange(start, /, stop=None, step=1, *, dtype=None, device=None) asarray(obj, /, *, dtype=None, device=None, copy=None)
empty(shape, *, dtype=None, device=None) empty_like(x, /, *, dtype=None, device=None)
eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None) from_dlpack(x, /, *, device=None, copy=None)
full(shape, fill_value, *, dtype=None, device=None) full_like(x, /, fill_value, *, dtype=None, device=None)
linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True) meshgrid(*arrays, indexing='xy')
ones(shape, *, dtype=None, device=None) ones_like(x, /, *, dtype=None, device=None) tril(x, /, *, k=0)
triu(x, /, *, k=0) zeros(shape, *, dtype=None, device=None) zeros_like(x, /, *, dtype=None, device=None)
astype(x, dtype, /, *, copy=True, device=None) can_cast(from_, to, /) finfo(type, /) iinfo(type, /)
isdtype(dtype, kind) result_type(*arrays_and_dtypes) take(x, indices, /, *, axis=None)
take_along_axis(x, indices, /, *, axis=-1) __array_namespace_info__() matmul(x1, x2, /) matrix_transpose(x, /)
tensordot(x1, x2, /, *, axes=2) vecdot(x1, x2, /, *, axis=-1) broadcast_arrays(*arrays) broadcast_to(x, /, shape)
concat(arrays, /, *, axis=0) expand_dims(x, /, *, axis=0) flip(x, /, *, axis=None)
moveaxis(x, source, destination, /) permute_dims(x, /, axes) repeat(x, repeats, /, *, axis=None)
reshape(x, /, shape, *, copy=None) roll(x, /, shift, *, axis=None) squeeze(x, /, axis) stack(arrays, /, *, axis=0)
tile(x, repetitions, /) unstack(x, /, *, axis=0) argmax(x, /, *, axis=None, keepdims=False)
argmin(x, /, *, axis=None, keepdims=False) count_nonzero(x, /, *, axis=None, keepdims=False) nonzero(x, /)
searchsorted(x1, x2, /, *, side='left', sorter=None) where(condition, x1, x2, /) unique_all(x, /)
unique_counts(x, /) unique_inverse(x, /) unique_values(x, /)
argsort(x, /, *, axis=-1, descending=False, stable=True) sort(x, /, *, axis=-1, descending=False, stable=True)
cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False) max(x, /, *, axis=None, keepdims=False)
mean(x, /, *, axis=None, keepdims=False) min(x, /, *, axis=None, keepdims=False)
prod(x, /, *, axis=None, dtype=None, keepdims=False) std(x, /, *, axis=None, correction=0.0, keepdims=False)
sum(x, /, *, axis=None, dtype=None, keepdims=False) var(x, /, *, axis=None, correction=0.0, keepdims=False)
all(x, /, *, axis=None, keepdims=False) any(x, /, *, axis=None, keepdims=False)
diff(x, /, *, axis=-1, n=1, prepend=None, append=None)
linalg.matmul(x1, x2, /) linalg.cross(x1, x2, /, *, axis=-1) linalg.diagonal(x, /, *, offset=0)
linalg.matrix_transpose(x, /) linalg.outer(x1, x2, /) linalg.tensordot(x1, x2, /, *, axes=2)
linalg.trace(x, /, *, offset=0, dtype=None) linalg.vecdot(x1, x2, /, *, axis=-1)
linalg.vector_norm(x, /, *, axis=None, keepdims=False, ord=2)
Tensor.__array_namespace__(self, /, *, api_version=None) Tensor.to_device(self, device, /, *, stream=None)
Tensor.__dlpack__(self, /, *, stream=None, max_version=None, dl_device=None, copy=None)
Tensor.__dlpack_device__(self, /) Tensor.__setitem__(self, key, value, /) Tensor.__getitem__(self, key, /)
""" + " ".join(
    f"Tensor.__{name}__(self, /)" for name in "abs bool complex float index int invert neg pos".split()
) + " " + " ".join(
    f"Tensor.__{r}{name}__(self, other, /)"
    for r in ("", "r")
    for name in "add and floordiv lshift matmul mod mul or pow rshift sub truediv xor".split()
) + " " + " ".join(f"Tensor.__{name}__(self, other, /)" for name in "eq ge gt le lt ne".split())  # fmt: skip


def _signatures() -> dict[str, inspect.Signature]:
    """Read the list: a signature ends with the first closing bracket."""
    found = {}
    for text in STANDARD.replace("\n", " ").split(")")[:-1]:
        name, arguments = text.strip().split("(")
        scope: dict[str, Any] = {}
        exec(f"def function({arguments}): ...", scope)
        found[name] = inspect.signature(scope["function"])
    return found


SIGNATURES = _signatures()


def test_the_list_is_read() -> None:
    assert len(SIGNATURES) == 190
    assert str(SIGNATURES["where"]) == "(condition, x1, x2, /)"


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_name_takes_the_standards_arguments(name: str) -> None:
    function = operator.attrgetter(name)(bb)
    ours = list(inspect.signature(function).parameters.values())
    theirs = list(SIGNATURES[name].parameters.values())
    by_name = {p.name: p for p in ours}
    for place, p in enumerate(theirs):
        if p.kind is p.POSITIONAL_ONLY:
            assert ours[place].kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
            mine = ours[place]
        elif p.kind is p.VAR_POSITIONAL:
            assert ours[place].kind is p.VAR_POSITIONAL
            continue
        else:
            mine = by_name[p.name]
            assert mine.kind is p.POSITIONAL_OR_KEYWORD or p.kind is p.KEYWORD_ONLY is mine.kind
            if p.kind is p.POSITIONAL_OR_KEYWORD:
                assert mine is ours[place]
        if p.default is not p.empty:
            assert mine.default == p.default and type(mine.default) is type(p.default)
    for p in ours[len(theirs) :]:
        assert p.default is not p.empty or p.kind is p.VAR_POSITIONAL  # what is more may be left out


@pytest.mark.parametrize("name", ["e", "inf", "nan", "newaxis", "pi", "__array_api_version__"])
def test_a_constant_is_there(name: str) -> None:
    assert hasattr(bb, name)


@pytest.mark.parametrize("name", ["dtype", "device", "mT", "ndim", "shape", "size", "T"])
def test_an_attribute_of_the_array_is_there(name: str) -> None:
    assert hasattr(bb.ones((2, 2)), name)


BOOL = ("bool",)
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")
NUMERIC = (*INTEGERS, *FLOATS)
ALL = (*BOOL, *NUMERIC)

UNARY = {
    (FLOATS, "same"): "acos acosh asin asinh atan atanh cos cosh exp expm1 log log1p log2 log10 reciprocal sin sinh "
                      "sqrt tan tanh",
    (NUMERIC, "same"): "abs ceil floor negative positive round sign square trunc conj real imag",
    ((*BOOL, *INTEGERS), "same"): "bitwise_invert",
    (BOOL, "bool"): "logical_not",
    (NUMERIC, "bool"): "isfinite isinf isnan",
    (FLOATS, "bool"): "signbit",
}  # fmt: skip
BINARY = {
    (FLOATS, "same"): "atan2 copysign divide hypot logaddexp nextafter",
    (NUMERIC, "same"): "add floor_divide maximum minimum multiply pow remainder subtract",
    ((*BOOL, *INTEGERS), "same"): "bitwise_and bitwise_or bitwise_xor",
    (INTEGERS, "same"): "bitwise_left_shift bitwise_right_shift",
    (BOOL, "bool"): "logical_and logical_or logical_xor",
    (ALL, "bool"): "equal not_equal",
    (NUMERIC, "bool"): "greater greater_equal less less_equal",
}
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "floor_divide": operator.floordiv, "remainder": operator.mod, "pow": operator.pow, "equal": operator.eq,
    "not_equal": operator.ne, "greater": operator.gt, "greater_equal": operator.ge, "less": operator.lt,
    "less_equal": operator.le, "bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor,
    "bitwise_left_shift": operator.lshift, "bitwise_right_shift": operator.rshift,
}  # fmt: skip
IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.iadd, "subtract": operator.isub, "multiply": operator.imul, "divide": operator.itruediv,
    "floor_divide": operator.ifloordiv, "remainder": operator.imod, "pow": operator.ipow, "bitwise_and": operator.iand,
    "bitwise_or": operator.ior, "bitwise_xor": operator.ixor, "bitwise_left_shift": operator.ilshift,
    "bitwise_right_shift": operator.irshift,
}  # fmt: skip


def _promoted(a: str, b: str) -> str | None:
    """Return the standard's answer for two dtypes, ``None`` where it has none."""
    if a == b:
        return a
    if a in FLOATS and b in FLOATS:
        return "float64"
    if a not in INTEGERS or b not in INTEGERS:
        return None
    (wide, sign), (bits, other) = sorted(
        ((int(name.strip("uint")), name[0] == "u") for name in (a, b)), reverse=True
    )
    if sign == other:
        return f"{'u' if sign else ''}int{wide}"
    unsigned = wide if sign else bits
    signed = bits if sign else wide
    return None if unsigned == 64 else f"int{max(signed, 2 * unsigned)}"


@pytest.mark.parametrize(
    ("name", "dtypes", "result"),
    [(name, dtypes, result) for (dtypes, result), names in UNARY.items() for name in names.split()],
)
def test_a_function_of_one_array_has_the_standards_dtype_and_shape(
    name: str, dtypes: tuple[str, ...], result: str
) -> None:
    for dtype, shape in itertools.product(dtypes, ((), (0, 2), (2, 1))):
        with np.errstate(divide="ignore"):
            y = getattr(bb, name)(bb.ones(shape, dtype=dtype))
        assert y.shape == shape and y.dtype == (dtype if result == "same" else result)


@pytest.mark.parametrize(
    ("name", "dtypes", "result"),
    [(name, dtypes, result) for (dtypes, result), names in BINARY.items() for name in names.split()],
)
def test_a_function_of_two_arrays_promotes_and_broadcasts(
    name: str, dtypes: tuple[str, ...], result: str
) -> None:
    function = getattr(bb, name)
    for a, b in itertools.product(dtypes, dtypes):
        dtype = _promoted(a, b)
        if dtype is None:
            continue
        assert bb.result_type(getattr(bb, a), bb.ones((), dtype=b)) == dtype
        for left, right, shape in (((), (), ()), ((3, 1), (2,), (3, 2)), ((0, 2), (1,), (0, 2))):
            x, y = bb.ones(left, dtype=a), bb.ones(right, dtype=b)
            for f in (function, OPERATORS.get(name, function), IN_PLACE.get(name, function)):
                z = f(x, y)
                assert z.shape == shape and z.dtype == (dtype if result == "same" else result)
    for dtype in dtypes:  # a Python number of the kind takes the array's dtype, on either side
        kind: Any = bool if dtype == "bool" else float if dtype in FLOATS else int
        x = bb.ones((2,), dtype=dtype)
        for f in (function, OPERATORS.get(name, function)):
            for z in (f(x, kind(1)), f(kind(1), x)):
                assert z.dtype == (dtype if result == "same" else result)


def test_sums_and_products_of_integers_are_in_64_bits() -> None:
    for dtype in NUMERIC:
        wide = dtype if dtype in FLOATS else "uint64" if dtype[0] == "u" else "int64"
        x = bb.ones((2, 0), dtype=dtype)
        for name in ("sum", "prod", "cumulative_sum", "cumulative_prod"):
            function = getattr(bb, name)
            assert function(x, axis=1).dtype == wide
            for other in NUMERIC:
                assert function(x, axis=1, dtype=other).dtype == other


# x, and f(x); a zero has its sign
SPECIAL_UNARY: dict[str, list[tuple[float, float]]] = {
    "abs": [(-0.0, 0.0), (-inf, inf)],
    "acos": [(2, nan), (-2, nan), (1, 0.0)],
    "acosh": [(0.5, nan), (1, 0.0), (inf, inf)],
    "asin": [(2, nan), (-2, nan), (0.0, 0.0), (-0.0, -0.0)],
    "asinh": [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "atan": [(0.0, 0.0), (-0.0, -0.0), (inf, math.pi / 2), (-inf, -math.pi / 2)],
    "atanh": [(-2, nan), (2, nan), (-1, -inf), (1, inf), (0.0, 0.0), (-0.0, -0.0)],
    "ceil": [(inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0), (-0.5, -0.0)],
    "cos": [(0.0, 1), (-0.0, 1), (inf, nan), (-inf, nan)],
    "cosh": [(0.0, 1), (-0.0, 1), (inf, inf), (-inf, inf)],
    "exp": [(0.0, 1), (-0.0, 1), (inf, inf), (-inf, 0.0)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -1)],
    "floor": [(inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0)],
    "log": [(-1, nan), (0.0, -inf), (-0.0, -inf), (1, 0.0), (inf, inf)],
    "log1p": [(-2, nan), (-1, -inf), (0.0, 0.0), (-0.0, -0.0), (inf, inf)],
    "log2": [(-1, nan), (0.0, -inf), (-0.0, -inf), (1, 0.0), (inf, inf)],
    "log10": [(-1, nan), (0.0, -inf), (-0.0, -inf), (1, 0.0), (inf, inf)],
    "negative": [(0.0, -0.0), (-0.0, 0.0), (inf, -inf), (-inf, inf)],
    "reciprocal": [(inf, 0.0), (-inf, -0.0), (0.0, inf), (-0.0, -inf)],
    "round": [(inf, inf), (-inf, -inf), (-0.0, -0.0), (0.5, 0.0), (1.5, 2), (2.5, 2), (-0.5, -0.0)],
    "sign": [(0.0, 0.0), (-0.0, 0.0), (inf, 1), (-inf, -1)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "sqrt": [(-1, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf)],
    "square": [(-0.0, 0.0), (-inf, inf)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (inf, 1), (-inf, -1)],
    "trunc": [(inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0), (-0.5, -0.0)],
}
PI = math.pi
SPECIAL_BINARY: dict[str, list[tuple[float, float, float]]] = {
    "add": [(inf, -inf, nan), (inf, inf, inf), (-inf, 3, -inf), (-0.0, -0.0, -0.0), (-0.0, 0.0, 0.0), (3, -3, 0.0)],
    "atan2": [(3, 0.0, PI / 2), (3, -0.0, PI / 2), (0.0, 3, 0.0), (0.0, 0.0, 0.0), (0.0, -0.0, PI), (0.0, -3, PI),
              (-0.0, 3, -0.0), (-0.0, 0.0, -0.0), (-0.0, -0.0, -PI), (-0.0, -3, -PI), (-3, 0.0, -PI / 2),
              (3, inf, 0.0), (3, -inf, PI), (-3, inf, -0.0), (-3, -inf, -PI), (inf, 3, PI / 2), (-inf, 3, -PI / 2),
              (inf, inf, PI / 4), (inf, -inf, 3 * PI / 4), (-inf, inf, -PI / 4), (-inf, -inf, -3 * PI / 4)],
    "copysign": [(3, -0.0, -3), (-3, 0.0, 3), (nan, -1, nan), (0.0, -2, -0.0)],
    "divide": [(inf, -inf, nan), (0.0, -0.0, nan), (0.0, 3, 0.0), (-0.0, 3, -0.0), (0.0, -3, -0.0), (-0.0, -3, 0.0),
               (3, 0.0, inf), (3, -0.0, -inf), (-3, 0.0, -inf), (-3, -0.0, inf), (inf, 3, inf), (inf, -3, -inf),
               (3, inf, 0.0), (3, -inf, -0.0), (-3, inf, -0.0), (-3, -inf, 0.0)],
    "floor_divide": [(inf, -inf, nan), (0.0, -0.0, nan), (0.0, 3, 0.0), (-0.0, 3, -0.0), (0.0, -3, -0.0),
                     (3, 0.0, inf), (3, -0.0, -inf), (-3, 0.0, -inf), (inf, 3, inf), (inf, -3, -inf), (-inf, 3, -inf),
                     (-inf, -3, inf), (3, inf, 0.0), (3, -inf, -0.0), (-3, inf, -0.0), (-3, -inf, 0.0), (-7, 2, -4)],
    "hypot": [(inf, nan, inf), (nan, -inf, inf), (nan, 3, nan), (-3, 0.0, 3), (-inf, 2, inf)],
    "logaddexp": [(nan, 1, nan), (inf, 3, inf), (-inf, -inf, -inf)],
    "maximum": [(nan, 1, nan), (1, nan, nan), (-inf, 2, 2)],
    "minimum": [(nan, 1, nan), (1, nan, nan), (inf, 2, 2)],
    "multiply": [(inf, 0.0, nan), (-inf, -0.0, nan), (inf, -inf, -inf), (inf, -3, -inf), (-0.0, 3, -0.0)],
    "nextafter": [(nan, 1, nan), (-0.0, 0.0, 0.0), (0.0, -0.0, -0.0)],
    "pow": [(nan, 3, nan), (3, nan, nan), (nan, 0.0, 1), (nan, -0.0, 1), (2, inf, inf), (2, -inf, 0.0), (1, inf, 1),
            (-1, -inf, 1), (1, nan, 1), (0.5, inf, 0.0), (0.5, -inf, inf), (inf, 3, inf), (inf, -3, 0.0),
            (-inf, 3, -inf), (-inf, 2, inf), (-inf, 0.5, inf), (-inf, -3, -0.0), (-inf, -2, 0.0), (0.0, 3, 0.0),
            (0.0, -3, inf), (-0.0, 3, -0.0), (-0.0, 2, 0.0), (-0.0, 0.5, 0.0), (-0.0, -3, -inf), (-0.0, -2, inf),
            (-3, 0.5, nan)],
    "remainder": [(inf, inf, nan), (inf, 3, nan), (0.0, 0.0, nan), (0.0, 3, 0.0), (-0.0, 3, 0.0), (0.0, -3, -0.0),
                  (3, 0.0, nan), (3, inf, 3), (3, -inf, -inf), (-3, inf, inf), (-3, -inf, -3), (-7, 2, 1), (7, -2, -1)],
    "subtract": [(inf, inf, nan), (-0.0, 0.0, -0.0), (0.0, 0.0, 0.0), (3, inf, -inf)],
}  # fmt: skip


def _same(found: bb.Tensor, wanted: list[float]) -> None:
    values = found.numpy()
    np.testing.assert_allclose(values, wanted, 1e-6, 0)
    zero = np.equal(wanted, 0)
    np.testing.assert_array_equal(np.signbit(values)[zero], np.signbit(wanted)[zero])


@pytest.mark.parametrize("name", SPECIAL_UNARY)
@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values_of_one_array_are_the_standards(name: str, dtype: str) -> None:
    xs, ys = zip(*[*SPECIAL_UNARY[name], (nan, nan)], strict=True)
    with np.errstate(all="ignore"):
        _same(getattr(bb, name)(bb.tensor(xs, dtype=dtype)), list(ys))


@pytest.mark.parametrize("name", SPECIAL_BINARY)
@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values_of_two_arrays_are_the_standards(name: str, dtype: str) -> None:
    xs, ys, zs = zip(*SPECIAL_BINARY[name], strict=True)
    x, y = bb.tensor(xs, dtype=dtype), bb.tensor(ys, dtype=dtype)
    with np.errstate(all="ignore"):
        for function in (getattr(bb, name), OPERATORS.get(name)):
            if function is not None:
                _same(function(x, y), list(zs))


def test_reductions_of_nothing_and_of_nan_are_the_standards() -> None:
    nothing, unknown = bb.zeros((0,)), bb.tensor([1.0, nan])
    assert bb.sum(nothing).item() == 0 and bb.prod(nothing).item() == 1
    assert bb.any(nothing).item() is False and bb.all(nothing).item() is True
    assert math.isnan(bb.mean(nothing).item())
    for name in ("sum", "prod", "mean", "max", "min", "std", "var", "cumulative_sum", "cumulative_prod"):
        assert bb.isnan(getattr(bb, name)(unknown)).numpy().reshape(-1)[-1]
    assert bb.any(unknown).item() and bb.all(unknown).item()


def test_a_mask_that_is_empty_along_an_axis_picks_nothing() -> None:
    x = bb.ones((2, 3))
    assert x[bb.zeros((2, 0), dtype="bool")].shape == (0,)
    assert x[bb.zeros((0,), dtype="bool")].shape == (0, 3)
    assert x[bb.tensor(True)].shape == (1, 2, 3) and x[bb.tensor(False)].shape == (0, 2, 3)
    with pytest.raises(IndexError):
        x[bb.ones((3,), dtype="bool")]


def test_in_place_operators_make_another_tensor() -> None:
    x = before = bb.tensor([1, 2])
    x += 1
    x @= bb.tensor([[1, 0], [0, 1]])
    assert x.tolist() == [2, 3] and before.tolist() == [1, 2]


def test_python_takes_the_one_element() -> None:
    assert complex(bb.tensor(2.5)) == 2.5 and int(bb.tensor([7])) == 7 and [0, 1, 2][bb.tensor(1)] == 1
    assert bool(bb.tensor(0.0)) is False and float(bb.tensor(3)) == 3.0


def test_dlpack_shares_memory_and_says_that_it_is_read_only() -> None:
    x = bb.tensor([1.0, 2.0])
    y = np.from_dlpack(x)
    says_read_only = np.lib.NumpyVersion(np.__version__) >= "2.1.0"  # before it gets a copy
    assert np.shares_memory(x.numpy(), y) == says_read_only and not y.flags.writeable
    for version in (None, (0, 0), (1, 0), (2, 0)):
        for copy in (None, True):
            assert x.__dlpack__(max_version=version, copy=copy, dl_device=x.__dlpack_device__())
    with pytest.raises(BufferError):  # which could not say so
        x.__dlpack__(max_version=(0, 8), copy=False)


def test_bounds_and_ranges_beyond_what_a_dtype_holds() -> None:
    x = bb.tensor([-128, 5, 127], dtype="int8")
    assert bb.clip(x, bb.tensor([-300, 6, 300]), 10**6).tolist() == [-128, 6, 127]
    assert bb.clip(x, max=bb.tensor([1], dtype="uint64")).dtype == bb.int8
    assert bb.linspace(-1.7e308, 1.7e308, 3, dtype="float64").tolist() == [-1.7e308, 0, 1.7e308]
    assert bb.eye(2, k=10**30).tolist() == bb.eye(2, k=-(10**30)).tolist() == [[0, 0], [0, 0]]
