"""Rows of the functions that make tensors. Random ones draw: the reference gives bounds, mean and deviation."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import backburner as bb
from ops._row import Row, ones_of, real, sweep

NONE: tuple[Any, ...] = ()


def _made(op: str, calls: Any, reference: Any, **more: Any) -> Row:
    """Return a row of a function without tensors: each call is its arguments, the options its keywords."""
    function = getattr(bb, op)
    return Row(
        op,
        (),
        tuple((NONE, {"arguments": arguments, **options}) for arguments, options in calls),
        lambda arguments, **options: reference(*arguments, **options),
        call=lambda arguments, **options: function(*arguments, **options),
        result="reference",
        **more,
    )


def _filled(shape: Any, value: Any, dtype: Any = None) -> Any:
    kind = "float32" if isinstance(value, float) else "bool" if isinstance(value, bool) else "int64"
    return np.array([value] * int(np.prod(shape)), dtype or kind).reshape(shape)


def _range(start: float, stop: float | None = None, step: float = 1, dtype: Any = None) -> Any:
    if stop is None:
        start, stop = 0, start
    values = [start + i * step for i in range(max(0, math.ceil((stop - start) / step)))]
    whole = all(isinstance(v, int) for v in (start, stop, step))
    return np.array(values, dtype or ("int64" if whole else "float32"))


def _linspace(start: float, stop: float, num: int, dtype: str = "float32", endpoint: bool = True) -> Any:
    step = (stop - start) / max(num - endpoint, 1)
    return np.array([start + i * step for i in range(num)], dtype)


def _eye(rows: int, columns: int | None = None, k: int = 0, dtype: str = "float32") -> Any:
    columns = rows if columns is None else columns
    return np.array([[float(j - i == k) for j in range(columns)] for i in range(rows)], dtype).reshape(
        rows, columns
    )


def _grids(*xs: Any, indexing: str = "xy") -> Any:
    order = [1, 0, 2][: len(xs)] if indexing == "xy" and len(xs) > 1 else [*range(len(xs))]
    shape = [xs[i].size for i in order]
    grids = [np.array([x.ravel()[p[i]] for p in np.ndindex(*shape)]) for i, x in zip(order, xs, strict=True)]
    return tuple(grid.reshape(shape) for grid in grids)


ROWS = (
    _made("zeros", [(((2, 3),), {}), ((4,), {"dtype": "int8"}), (((),), {}), (((0, 2),), {"dtype": "bool"})],
          lambda shape, dtype="float32": _filled(shape, 0, dtype)),
    _made("ones", [(((2, 3),), {}), ((4,), {"dtype": "float64"})],
          lambda shape, dtype="float32": _filled(shape, 1, dtype)),
    _made("full", [(((2, 3), 1.5), {}), ((4, 7), {}), (((), True), {}), ((2, 7), {"dtype": "uint8"})], _filled),
    _made("arange", [((4,), {}), ((1, 5, 2), {}), ((5, 1, -2), {}), ((0.0, 1.0, 0.25), {}), ((3, 3), {}),
                     ((4,), {"dtype": "float64"}), ((3,), {"dtype": "uint8"})], _range),
    _made("linspace", [((0.0, 1.0, 5), {}), ((2, -2, 4), {"endpoint": False, "dtype": "float64"}), ((1, 2, 1), {}),
                       ((1, 2, 0), {})], _linspace),
    _made("eye", [((3,), {}), ((2, 4), {"k": 1}), ((3, 2), {"k": -1, "dtype": "int64"}), ((0, 2), {})], _eye),
    _made("tensor", [(([[1, 2], [3, 4]],), {}), (([0.5],), {}), ((True,), {}), (([],), {}),
                     (([1, 2],), {"dtype": "float64"}), ((np.float64(0.5),), {})],
          lambda data, dtype=None: np.array(data, dtype or {
              "[[1, 2], [3, 4]]": "int64", "True": "bool"}.get(str(data),
              "float64" if isinstance(data, np.generic) else "float32"))),
    _made("asarray", [(([[1, 2]],), {}), ((np.arange(3.0),), {}), ((np.arange(3.0),), {"dtype": "float32"})],
          lambda data, dtype=None: np.array(data, dtype)),
    Row("zeros_like", (real,), ones_of([(2, 3), (), (0, 2)]), lambda x: 0 * x, differentiable=()),
    Row("ones_like", (real,), ones_of([(2, 3), (), (0, 2)]), lambda x: 0 * x + 1, differentiable=()),
    Row("full_like", (real,), ones_of([(2, 3), (), (0, 2)], [{"fill_value": 2.5}]),
        lambda x, fill_value: 0 * x + fill_value, differentiable=()),
    _made("from_dlpack", [((np.arange(6.0).reshape(2, 3),), {}), ((np.arange(3, dtype="int8"),), {"copy": True}),
                          ((bb.zeros((0, 2)),), {})], lambda x, copy=None: np.array(x)),
    _made("empty", [(((2, 3),), {}), ((4,), {"dtype": "int8"}), (((),), {}), (((0, 2),), {"dtype": "bool"})],
          lambda shape, dtype="float32": _filled(shape, 0, dtype)),
    Row("empty_like", (real,), ones_of([(2, 3), (), (0, 2)]), lambda x: 0 * x, differentiable=()),
    Row("meshgrid", (real, real, real),
        sweep([((2,), (3,), (4,)), ((), (3,), (2,)), ((0,), (3,), (2,))], [{}, {"indexing": "xy"}, {"indexing": "ij"}]), _grids),
    Row("meshgrid", (real,), ones_of([(3,), ()]), _grids, name="meshgrid_of_one"),
    *(Row(op, (real,), ones_of([(3, 4), (4, 2), (2, 2, 3), (0, 3)], [{}, {"k": 1}, {"k": -1}, {"k": 9}, {"k": -9}]),
          lambda x, k=0, sign=sign: np.array([v if sign * (place[-1] - place[-2] - k) >= 0 else 0.0
                                              for place, v in np.ndenumerate(x)]).reshape(x.shape))
      for op, sign in (("tril", -1), ("triu", 1))),
)  # fmt: skip


class Draw(NamedTuple):
    """A random function, its arguments, and what its draws must be like.

    Attributes:
        op: the function of ``bb.random``.
        arguments: without the shape.
        dtype: of the result.
        low: no draw is below.
        high: no draw is above.
        mean: the expectation.
        std: the standard deviation.
    """

    op: str
    arguments: dict[str, Any]
    dtype: str
    low: float
    high: float
    mean: float
    std: float


DRAWS = (
    Draw("uniform", {}, "float32", 0, np.nextafter(np.float32(1), np.float32(0)), 0.5, math.sqrt(1 / 12)),
    Draw("uniform", {"low": -1.0, "high": 3.0, "dtype": "float64"}, "float64", -1, 3, 1, math.sqrt(16 / 12)),
    Draw("normal", {}, "float32", -7, 7, 0, 1),
    Draw("normal", {"mean": 2.0, "std": 0.5, "dtype": "float64"}, "float64", -1.5, 5.5, 2, 0.5),
    Draw("normal", {"mean": 2.0, "std": 0.0}, "float32", 2, 2, 2, 0),
    Draw("randint", {"low": -2, "high": 3}, "int64", -2, 2, 0, math.sqrt(2)),
    Draw(
        "randint",
        {"low": 0, "high": 256, "dtype": "uint8"},
        "uint8",
        0,
        255,
        127.5,
        math.sqrt((256**2 - 1) / 12),
    ),
    Draw("bernoulli", {}, "bool", 0, 1, 0.5, 0.5),
    Draw("bernoulli", {"p": 0.1, "dtype": "float32"}, "float32", 0, 1, 0.1, 0.3),
    Draw("bernoulli", {"p": 1}, "bool", 1, 1, 1, 0),
    Draw("bernoulli", {"p": bb.tensor([[0.2], [0.8]] * 50)}, "bool", 0, 1, 0.5, 0.5),
    Draw("trunc_normal", {}, "float32", -2, 2, 0, 0.8796256610342398),
    Draw(
        "trunc_normal",
        {"mean": -3.0, "std": 0.5, "low": 1.0, "high": math.inf, "dtype": "float64"},
        "float64",
        1,
        2,
        1.06068405611809,
        0.05984330255506351,
    ),
    Draw(
        "multinomial",
        {"probabilities": bb.tensor([1.0, 2.0, 3.0, 4.0, 0.0]), "replacement": True},
        "int64",
        0,
        3,
        2,
        1,
    ),
    Draw("dirichlet", {"concentration": [2.0] * 4}, "float32", 0, 1, 0.25, math.sqrt(1 / 48)),
    Draw("permutation", {}, "int64", 0, 9999, 4999.5, math.sqrt((10000**2 - 1) / 12)),
)
