"""Backward rules of the decompositions of matrices.

Where not said otherwise they are those of Giles, "Collected matrix derivative results for forward and reverse mode
algorithmic differentiation", 2008.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from backburner.backends.numpy import decompositions
from backburner.backends.numpy.linalg import matmul
from backburner_autodiff.rules._rule import Array, Vjp, rule

_BLOCK = 16
"""So many rows at most a triangular system has that goes to LAPACK whole."""


def _t(x: Array) -> Array:
    y: Array = x.swapaxes(-1, -2)
    return y


def _skew(x: Array) -> Array:
    y: Array = x - _t(x)
    return y


def _halved_symmetric(x: Array) -> Array:
    y: Array = (x + _t(x)) * x.dtype.type(0.5)
    return y


def _diagonal(x: Array) -> Array:
    """Return the diagonals of matrices as a view that can be written to."""
    y: Array = np.einsum("...ii->...i", x)
    return y


def _solved_upper(u: Array, y: Array) -> Array:
    """Return ``inv(u) @ y`` for upper triangles, by halves, so that most of it is matrix products."""
    n = u.shape[-1]
    if n <= _BLOCK:
        return np.linalg.solve(u, y)
    half = n // 2
    low = _solved_upper(u[..., half:, half:], y[..., half:, :])
    top = _solved_upper(u[..., :half, :half], y[..., :half, :] - matmul(u[..., :half, half:], low))
    return np.concatenate([top, low], -2)


def _reciprocal(x: Array, noise: Array) -> Array:
    """Return ``1 / x``, and 0 where ``x`` is not above noise."""
    sound = np.abs(x) > noise
    return np.where(sound, 1 / np.where(sound, x, 1), 0)


def _noise(values: Array, n: int) -> Array:
    """Return how large a rounding error of eigenvalues or singular values is."""
    largest = np.maximum.reduce(np.abs(values), -1, keepdims=True, initial=0)
    return np.asarray(largest * values.dtype.type(n * np.finfo(values.dtype).eps))


ZERO = "of a singular value 0"


def _refuse_where(void: Array, turned: Array, scale: Array, op: str, fault: str) -> None:
    """Refuse a cotangent that turns vectors, by more than rounding for its ``scale``, where they are arbitrary."""
    if (void & (np.abs(turned) > np.sqrt(np.finfo(turned.dtype).eps) * scale)).any():
        decompositions.refuse_equal(op, fault)


def _inverse_gaps(op: str, which: str, values: Array, n: int, turned: Array) -> Array:
    """Return one over the differences of values, 0 on the diagonal.

    Where two values are equal, or differ by a rounding error, the quotient of what the cotangent turns one vector by
    towards the other and their difference is 0 / 0: of what it depends on nothing is left in it, so it is refused.
    """
    gap = values[..., None, :] - values[..., :, None]
    equal = np.abs(gap) <= _noise(values, n)[..., None]
    others = equal & ~np.eye(values.shape[-1], dtype=bool)
    _refuse_where(others, turned, np.abs(turned).max(initial=0), op, f"of two equal {which}")
    return np.where(equal, 0, 1 / np.where(equal, 1, gap))


@rule(compute_bound=True)
def cholesky(out: Array, x: Array, *, upper: bool) -> tuple[Vjp]:
    """Murray, "Differentiation of the Cholesky decomposition", 2016."""

    def vjp(g: Array) -> Array:
        u, g = (out, _t(g)) if upper else (_t(out), g)
        inner = np.tril(matmul(u, g))
        _diagonal(inner)[...] *= inner.dtype.type(0.5)
        return _halved_symmetric(_solved_upper(u, _t(_solved_upper(u, inner))))

    return (vjp,)


@rule(compute_bound=True)
def det(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: decompositions.cofactors(x) * g[..., None, None],)


@rule(compute_bound=True, outputs=(1,))
def slogdet(out: tuple[Array, Array], x: Array) -> tuple[Vjp]:
    """Where the matrix is singular the slope is infinite, or 0 along what leaves it singular."""
    sign = np.asarray(out[0])

    def vjp(g: Array) -> Array:
        regular = np.abs(sign) == 1
        if regular.all():
            return np.asarray(_t(np.linalg.inv(x)) * g[..., None, None])
        y = np.zeros(x.shape, x.dtype)
        y[regular] = _t(np.linalg.inv(x[regular])) * g[regular, None, None]
        slope = decompositions.cofactors(x[~regular]) * g[~regular, None, None]
        y[~regular] = np.where(slope == 0, 0, slope / 0)
        return y

    return (vjp,)


@rule(compute_bound=True)
def inv(out: Array, x: Array) -> tuple[Vjp]:
    return (lambda g: -matmul(matmul(_t(out), g), _t(out)),)


@rule(compute_bound=True)
def solve(
    out: Array, x1: Array, x2: Array
) -> Callable[[Array, tuple[bool, ...]], tuple[Array | None, Array]]:
    def joint(g: Array, needed: tuple[bool, ...]) -> tuple[Array | None, Array]:
        dx2 = decompositions.solve(_t(x1), g)
        if not needed[0]:
            return None, dx2
        if x1.ndim == 2 < g.ndim:  # the batch is columns of one system
            columns = (np.moveaxis(y, -2, 0).reshape(len(x1), g.size // max(len(x1), 1)) for y in (dx2, out))
            left, right = columns
            return -matmul(left, right.T), dx2
        return -matmul(dx2, _t(out)), dx2

    return joint


@rule(compute_bound=True)
def eigh(out: tuple[Array, Array], x: Array) -> tuple[Vjp]:
    w, v = out

    def vjp(g: tuple[Array | None, Array | None]) -> Array:
        dw, dv = g
        if dv is None:
            assert dw is not None
            return matmul(v * dw[..., None, :], _t(v))
        turned = matmul(_t(v), dv)
        inverse = _inverse_gaps("eigh", "eigenvalues", w, w.shape[-1], turned)
        inner = _skew(turned) * inverse * inverse.dtype.type(0.5)
        if dw is not None:
            _diagonal(inner)[...] = dw
        return matmul(matmul(v, inner), _t(v))

    return (vjp,)


def _eigvalsh(x: Array, /) -> tuple[Array, Array]:
    return decompositions.eigh(x)


@rule(compute_bound=True, forward=_eigvalsh)
def eigvalsh(out: Array, x: Array, *, residuals: Array) -> tuple[Vjp]:
    return (lambda g: matmul(residuals * g[..., None, :], _t(residuals)),)


def _led_by_the_first(op: str, which: str, basis: Array, g: Array, k: int) -> Array:
    """Return the cotangent of the first ``k`` columns of a basis that stands for that of all.

    The others span what is left, and turn with it: by minus the transpose of what the first turn by. Within that
    space they are arbitrary, and a cotangent that is not symmetric there asks for what does not exist.
    """
    if basis.shape[-1] == k:
        return g
    rest, dy = basis[..., k:], g[..., k:]
    inside = matmul(_t(rest), dy)
    if np.abs(_skew(inside)).max(initial=0) > np.sqrt(np.finfo(g.dtype).eps) * np.abs(dy).max(initial=0):
        decompositions.refuse_choice(op, which)
    return g[..., :k] - matmul(rest, matmul(_t(dy), basis[..., :k]))


@rule(compute_bound=True)
def qr(out: tuple[Array, Array], x: Array, *, mode: str) -> tuple[Vjp]:
    """Walter and Lehmann, "On evaluating higher-order derivatives of the QR decomposition", 2010.

    Of a wide matrix the first columns alone decide ``Q``.
    """
    q, r = out

    def vjp(g: tuple[Array | None, Array | None]) -> Array:
        k = min(x.shape[-2:])
        first, square = q[..., :k], r[..., :k, :k]
        dq = np.zeros_like(first) if g[0] is None else _led_by_the_first("qr", "Q", q, g[0], k)
        dr = np.zeros_like(r[..., :k, :]) if g[1] is None else g[1][..., :k, :]
        beyond = dr[..., k:]
        dq = dq + matmul(x[..., k:], _t(beyond))
        lower = np.tril(matmul(square, _t(dr[..., :k])) - matmul(_t(dq), first))
        inner = lower + _t(np.tril(lower, -1))
        try:
            y = _t(_solved_upper(square, _t(dq + matmul(first, inner))))
        except np.linalg.LinAlgError:
            decompositions.refuse_dependent("qr")
        return np.concatenate([y, matmul(first, beyond)], -1) if beyond.shape[-1] else y

    return (vjp,)


@rule(compute_bound=True)
def svd(out: tuple[Array, Array, Array], x: Array, *, full_matrices: bool) -> tuple[Vjp]:
    """Townsend, "Differentiating the singular value decomposition", 2016.

    There both bases' parts are over differences of squares. Their sum and their difference are over the difference
    and the sum of the values themselves, of which the latter is sound for equal values too.
    """
    u, s, vh = out

    def vjp(g: tuple[Array | None, Array | None, Array | None]) -> Array:
        k = s.shape[-1]
        left, right = u[..., :k], _t(vh)[..., :k]
        du = np.zeros_like(left) if g[0] is None else _led_by_the_first("svd", "U", u, g[0], k)
        dv = np.zeros_like(right) if g[2] is None else _led_by_the_first("svd", "V", _t(vh), _t(g[2]), k)
        noise = _noise(s, max(x.shape[-2:]))
        by_left, by_right = matmul(_t(left), du), matmul(_t(right), dv)
        turned_left, turned_right = _skew(by_left), _skew(by_right)
        half, wide = s.dtype.type(0.5), noise[..., None]
        inverse_gaps = _inverse_gaps("svd", "singular values", s, max(x.shape[-2:]), by_left + by_right)
        inner = (turned_left + turned_right) * inverse_gaps
        largest = np.maximum(np.abs(du).max(initial=0), np.abs(dv).max(initial=0))
        nought = s <= noise
        both = nought[..., None, :] & nought[..., :, None] & ~np.eye(k, dtype=bool)
        _refuse_where(both, by_left - by_right, largest, "svd", ZERO)
        inner += (turned_left - turned_right) * _reciprocal(s[..., None, :] + s[..., :, None], wide)
        inner *= half
        inverse = _reciprocal(s, noise)
        if g[1] is not None:
            if largest > 0:  # what depends on the values alone may take the slope of 0
                _refuse_where(nought, g[1], np.abs(g[1]).max(initial=0), "svd", ZERO)
            _diagonal(inner)[...] = np.where(s > noise, g[1], 0)
        y = matmul(matmul(left, inner), _t(right))
        if x.shape[-2] > k and g[0] is not None:
            across = du - matmul(left, by_left)
            _refuse_where(nought[..., None, :], across, largest, "svd", ZERO)
            across *= inverse[..., None, :]
            y += matmul(across, _t(right))
        if x.shape[-1] > k and g[2] is not None:
            across = dv - matmul(right, by_right)
            _refuse_where(nought[..., None, :], across, largest, "svd", ZERO)
            across *= inverse[..., None, :]
            y += matmul(left, _t(across))
        return y

    return (vjp,)


def _svdvals(x: Array, /) -> tuple[Array, tuple[Array, Array]]:
    u, s, vh = decompositions.svd(x, full_matrices=False)
    return s, (u, vh)


@rule(compute_bound=True, forward=_svdvals)
def svdvals(out: Array, x: Array, *, residuals: tuple[Array, Array]) -> tuple[Vjp]:
    u, vh = residuals
    n = max(x.shape[-2:])

    def vjp(g: Array) -> Array:
        sound = np.where(out > _noise(out, n), g, 0)
        return matmul(u * sound[..., None, :], vh)

    return (vjp,)


def _pinv(x: Array, /, *, rtol: Array) -> tuple[Array, tuple[Array, Array, Array, Array]]:
    return decompositions.pinv_parts(x, rtol)


@rule(compute_bound=True, forward=_pinv)
def pinv(out: Array, x: Array, *, rtol: Array, residuals: tuple[Array, Array, Array, Array]) -> tuple[Vjp]:
    """Differentiate ``1/s`` of the kept singular values and 0 of the others, which need not be small.

    With ``f`` for either, an element of the inner matrix is moved by half the sum of the slopes
    ``(f(a) - f(b)) / (a - b)`` and ``(f(a) + f(b)) / (a + b)``, its mirror by half their difference (Noferini, "A
    formula for the Frechet derivative of a generalized matrix function", 2017).
    """
    u, s, vh, kept = residuals
    tall, wide = x.shape[-2] > s.shape[-1], x.shape[-1] > s.shape[-1]

    def vjp(g: Array) -> Array:
        v, h = _t(vh), _t(g)
        inverse = np.where(kept, 1 / np.where(kept, s, 1), 0)
        both = kept[..., :, None] & kept[..., None, :]
        one = kept[..., :, None] ^ kept[..., None, :]
        large = np.maximum(inverse[..., :, None], inverse[..., None, :])  # of the one that is kept
        ratio = np.where(one, np.minimum(s[..., :, None], s[..., None, :]) * large, 0)
        straight = np.where(one, large * large / (1 - ratio * ratio), 0)
        mirrored = np.where(both, -inverse[..., :, None] * inverse[..., None, :], straight * ratio)
        middle = matmul(matmul(_t(u), h), v)
        y = matmul(matmul(u, straight * middle + mirrored * _t(middle)), vh)
        squares = (inverse * inverse)[..., None, :]
        if tall:
            across = matmul(h, v)
            y += matmul((across - matmul(u, matmul(_t(u), across))) * squares, vh)
        if wide:
            across = matmul(_t(h), u)
            y += matmul(u, _t((across - matmul(v, matmul(vh, across))) * squares))
        return y

    return (vjp,)
