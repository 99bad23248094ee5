"""Decompositions of matrices, and what is computed by them, batched, by NumPy's LAPACK."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from backburner.contracts import Array
from backburner.errors import GraphError, LinAlgError

_MANY = 32
"""Of more dimensions NumPy's gufuncs take some and refuse others."""

SINGULAR = "is singular: its columns depend on each other. Use linalg.pinv, or add to its diagonal."
INDEFINITE = "is not positive definite. Symmetrise it, or add to its diagonal."
DIVERGED = "has no decomposition that LAPACK finds. Scale it, or use float64."
NOT_FINITE = "holds NaN or infinities. Look for them with isfinite."


def _guarded(op: str, fault: str, function: Callable[[Array], Any], x: Array) -> Any:
    """Call LAPACK, and name the first matrix of the batch at which it gives up."""
    if x.ndim > _MANY:
        batch = x.shape[:-2]
        found = _guarded(op, fault, function, x.reshape(math.prod(batch), *x.shape[-2:]))
        if not isinstance(found, tuple):
            return found.reshape(*batch, *found.shape[1:])
        return tuple([y.reshape(*batch, *y.shape[1:]) for y in found])
    try:
        return function(x)
    except np.linalg.LinAlgError:
        raise _refusal(op, fault, function, x) from None


def _refusal(op: str, fault: str, function: Callable[[Array], Any], x: Array) -> LinAlgError:
    for index in np.ndindex(x.shape[:-2]):
        try:
            function(x[index])
        except np.linalg.LinAlgError:
            where = f" at index {list(index)}" if index else ""
            return LinAlgError(
                f"{op}: the matrix{where} {fault if np.isfinite(x[index]).all() else NOT_FINITE}"
            )
    return LinAlgError(f"{op}: a matrix {fault}")


def refuse_dependent(op: str) -> NoReturn:
    """Refuse a gradient through columns that depend on each other."""
    raise LinAlgError(
        f"{op}: backward needs linearly independent columns, and these are not. Use svd, or detach() the input."
    )


def refuse_choice(op: str, which: str) -> NoReturn:
    """Refuse a gradient that hangs on which of many bases LAPACK has chosen."""
    raise GraphError(
        f"{op}: the result depends on which basis the columns of {which} beyond the first are, which is arbitrary "
        "and has no gradient. Use the reduced form, or detach() them."
    )


def refuse_equal(op: str, fault: str) -> NoReturn:
    """Refuse a gradient through vectors of equal values, or of 0, of which LAPACK has chosen some."""
    raise GraphError(
        f"{op}: {fault}: the vectors are any basis of one space, and a gradient through them is not known. "
        "Use the values alone, or detach() the vectors."
    )


def cholesky(x: Array, /, *, upper: bool) -> Array:
    """Return the lower or the upper factor, from that triangle."""
    lower: Array = _guarded("cholesky", INDEFINITE, np.linalg.cholesky, x.swapaxes(-1, -2) if upper else x)
    return lower.swapaxes(-1, -2) if upper else lower


def det(x: Array, /) -> Array:
    """Return the determinant."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        y: Array = np.linalg.det(x)
    return np.where(_absent(x, y), np.nan, y).astype(x.dtype, copy=False) if (y == 0).any() else y


def slogdet(x: Array, /) -> tuple[Array, Array]:
    """Return the sign of the determinant and the logarithm of its size."""
    with np.errstate(invalid="ignore", divide="ignore"):
        sign, logabsdet = np.linalg.slogdet(x)
    if (sign == 0).any():
        absent = _absent(x, sign)
        sign, logabsdet = (np.where(absent, np.nan, y).astype(x.dtype, copy=False) for y in (sign, logabsdet))
    return sign, logabsdet


def _absent(x: Array, y: Array) -> Array:
    """Say where LAPACK has found 0 because it met NaN as a pivot."""
    return np.asarray((y == 0) & np.isnan(x).any((-2, -1)))


def inv(x: Array, /) -> Array:
    """Return the inverse."""
    y: Array = _guarded("inv", SINGULAR, np.linalg.inv, x)
    return y


def solve(x1: Array, x2: Array, /) -> Array:
    """Return ``inv(x1) @ x2``; one matrix that meets a batch is factored once."""
    try:
        if x1.ndim == 2 < x2.ndim and x2.size:
            columns = np.moveaxis(x2, -2, 0)
            flat = np.linalg.solve(x1, columns.reshape(len(x1), -1))
            return np.moveaxis(flat.reshape(columns.shape), 0, -2)
        return np.linalg.solve(x1, x2)
    except np.linalg.LinAlgError:
        raise _refusal("solve", SINGULAR, np.linalg.inv, x1) from None


def eigh(x: Array, /) -> tuple[Array, Array]:
    """Return eigenvalues and eigenvectors."""
    w, v = _guarded("eigh", DIVERGED, np.linalg.eigh, x)
    return w, v


def eigvalsh(x: Array, /) -> Array:
    """Return the eigenvalues."""
    y: Array = _guarded("eigvalsh", DIVERGED, np.linalg.eigvalsh, x)
    return y


def qr(x: Array, /, *, mode: str) -> tuple[Array, Array]:
    """Return orthonormal columns and an upper triangle."""
    q, r = np.linalg.qr(x, mode)  # type: ignore[call-overload]
    return q, r


def svd(x: Array, /, *, full_matrices: bool) -> tuple[Array, Array, Array]:
    """Return left vectors, singular values and right vectors."""
    u, s, vh = _guarded("svd", DIVERGED, lambda a: np.linalg.svd(a, full_matrices), x)
    return u, s, vh


def svdvals(x: Array, /) -> Array:
    """Return the singular values."""
    y: Array = _guarded("svdvals", DIVERGED, lambda a: np.linalg.svd(a, compute_uv=False), x)
    return y


def pinv(x: Array, /, *, rtol: Array) -> Array:
    """Return the inverse of what is left without small singular values."""
    return pinv_parts(x, rtol)[0]


def pinv_parts(x: Array, rtol: Array) -> tuple[Array, tuple[Array, Array, Array, Array]]:
    """Return ``pinv``, and of what it is made: the reduced ``svd``, and which singular values are kept."""
    u, s, vh = _guarded("pinv", DIVERGED, lambda a: np.linalg.svd(a, False), x)
    largest = np.maximum.reduce(s, axis=-1, keepdims=True, initial=0)
    kept = s > np.asarray(rtol, s.dtype)[..., None] * largest
    inverse = np.where(kept, 1 / np.where(kept, s, 1), 0)
    y = np.matmul(vh.swapaxes(-1, -2) * inverse[..., None, :], u.swapaxes(-1, -2))
    return y, (u, s, vh, kept)


def cofactors(x: Array) -> Array:
    """Return the gradient of the determinant: of each element the signed determinant of what is beside it.

    It is ``det(x) * inv(x).T``, whose factors' errors cancel even if ``x`` is nearly singular. Where that is 0/0 or
    overflows on the way it is made by ``svd``, of whose factors the cofactors are known. Computed in float64.
    """
    n = x.shape[-1]
    rows = x.astype(np.float64).reshape(math.prod(x.shape[:-2]), n, n)
    y = np.full(rows.shape, np.nan)
    finite = np.asarray(np.isfinite(rows).all((-2, -1)))
    sign, size = np.linalg.slogdet(np.where(finite[:, None, None], rows, 0))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        value = sign * np.exp(size)
        plain = finite & (value != 0) & np.isfinite(value)
        y[plain] = value[plain, None, None] * np.linalg.inv(rows[plain]).swapaxes(-1, -2)
    left = finite & ~np.isfinite(y).all((-2, -1))
    if left.any():
        y[left] = _cofactors_by_svd(rows[left])
    return y.reshape(x.shape).astype(x.dtype, copy=False)


def _cofactors_by_svd(x: Array) -> Array:
    """Multiply all singular values but one, their exponents apart, so that nothing overflows on the way."""
    u, s, vh = np.linalg.svd(x)
    mantissa, exponent = np.frexp(s)
    others = np.ones(s.shape)
    np.multiply.accumulate(mantissa[:, :-1], -1, None, others[:, 1:])
    after = np.ones(s.shape)
    np.multiply.accumulate(mantissa[:, :0:-1], -1, None, after[:, -2::-1])
    others *= after
    powers = (np.add.reduce(exponent, -1, keepdims=True) - exponent).astype(np.int32)
    with np.errstate(over="ignore", under="ignore"):
        others = np.ldexp(others, powers)
    others *= (np.linalg.slogdet(u)[0] * np.linalg.slogdet(vh)[0])[:, None]
    y: Array = np.matmul(u * others[:, None, :], vh)
    return y
