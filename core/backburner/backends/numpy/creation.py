"""Ops that make arrays from nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from backburner.backends.numpy._draws import dirichlet, multinomial, trunc_normal
from backburner.contracts import Array, Shape
from backburner.dtype import DType


def full(*, shape: Shape, value: Any, dtype: DType) -> Array:
    """Return an array of one value."""
    return np.full(shape, value, dtype)


def arange(*, start: float, stop: float, step: float, dtype: DType) -> Array:
    """Return ``start + i * step`` up to before ``stop``, each rounded once.

    ``np.arange`` measures its step in the target dtype: float32 values drift, integers may all be equal.
    """
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and dtype.kind != "f":
        return np.arange(start, stop, step, dtype=dtype)
    n = max(0, math.ceil((stop - start) / step))
    values = np.arange(n, dtype=np.float64)
    values *= step
    values += start
    return values.astype(dtype, copy=False)


def linspace(*, start: float, stop: float, num: int, dtype: DType, endpoint: bool) -> Array:
    """Return ``num`` evenly spaced values, computed in float64."""
    if abs(stop / 2 - start / 2) >= 8e307:  # the range is beyond float64, half of it is not
        return (2 * np.linspace(start / 2, stop / 2, num, endpoint)).astype(dtype)
    return np.linspace(start, stop, num, endpoint, dtype=dtype)


def eye(*, rows: int, columns: int, k: int, dtype: DType) -> Array:
    """Return ones on the ``k``-th diagonal and zeros elsewhere."""
    return np.eye(rows, columns, k, dtype)


def random(*, distribution: str, shape: Shape, dtype: DType, options: Sequence[Any], seed: int) -> Array:
    """Return draws that ``seed`` decides, made in ``dtype`` itself."""
    generator = np.random.Generator(np.random.PCG64(seed))
    return np.asarray(_DRAWS[distribution](generator, shape, dtype, *options))


def _uniform(generator: np.random.Generator, shape: Shape, dtype: DType, low: float, high: float) -> Array:
    """Draw from ``[low, high)``: what rounds up to ``high`` becomes the number before it."""
    y = np.asarray(generator.random(shape, dtype))
    # half the range is in the dtype even where the range is beyond it
    scale = 1.0 if high - low <= float(np.finfo(dtype).max) else 0.5
    low, high = scale * low, scale * high
    y *= high - low
    y += low
    end = dtype.type(high)
    np.minimum(y, np.nextafter(end, dtype.type(low)), out=y)
    if scale != 1:
        y /= scale
    return y


def _normal(generator: np.random.Generator, shape: Shape, dtype: DType, mean: float, std: float) -> Array:
    y = np.asarray(generator.standard_normal(shape, dtype))
    y *= std
    y += mean
    return y


def _integers(generator: np.random.Generator, shape: Shape, dtype: DType, low: int, high: int) -> Array:
    if dtype.kind == "f":
        return generator.integers(low, high, shape).astype(dtype)
    return generator.integers(low, high, shape, dtype)


def _bernoulli(generator: np.random.Generator, shape: Shape, dtype: DType, p: Any) -> Array:
    return np.asarray(generator.random(shape) < p).astype(dtype)  # 53 bits, so that a small p is exact


def _permutation(generator: np.random.Generator, shape: Shape, dtype: DType, n: int) -> Array:
    return generator.permutation(n).astype(dtype)


_DRAWS: dict[str, Any] = {
    "uniform": _uniform,
    "normal": _normal,
    "integers": _integers,
    "bernoulli": _bernoulli,
    "permutation": _permutation,
    "trunc_normal": trunc_normal,
    "multinomial": multinomial,
    "dirichlet": dirichlet,
}
