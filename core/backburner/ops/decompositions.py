"""Decompositions of matrices, and what is computed by them; ``backburner.linalg`` has them.

They take batches: the last two dimensions are a matrix, or the last one a vector. Integers are taken as float32.
A matrix that is singular, not positive definite, or not finite is a ``LinAlgError`` that names its index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from backburner import _tensor
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.ops import comparison, elementwise, reduction
from backburner.ops._operands import broadcast_shape, chosen, flag, floating, integer, number, same_floats

if TYPE_CHECKING:
    from backburner._tensor import Tensor


class EighResult(NamedTuple):
    """What ``eigh`` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class QRResult(NamedTuple):
    """What ``qr`` returns."""

    Q: Tensor
    R: Tensor


class SlogdetResult(NamedTuple):
    """What ``slogdet`` returns."""

    sign: Tensor
    logabsdet: Tensor


class SVDResult(NamedTuple):
    """What ``svd`` returns."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def _matrix(op: str, x: Tensor) -> Any:
    """Return what a tensor holds, in floats and with two dimensions at least."""
    held = floating(op, x)
    if held.ndim < 2:
        raise ShapeError(f"{op}: needs at least two dimensions, got {list(held.shape)}.")
    return held


def _square(op: str, x: Tensor) -> Any:
    """Return what a tensor of square matrices holds, in floats."""
    held = _matrix(op, x)
    if held.shape[-2] != held.shape[-1]:
        raise ShapeError(f"{op}: needs square matrices, got {list(held.shape)}.")
    return held


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """Return the triangular factor ``L`` of positive definite matrices ``L @ L.T``, or ``L.T``.

    It is computed from the triangle that it is asked for, and the gradient is symmetric.

    Shape:
        x and result ``[..., n, n]``.

    Raises:
        LinAlgError: a matrix is not positive definite.
        ShapeError: the matrices are not square.
    """
    held = _square("cholesky", x)
    upper = flag("cholesky", "upper", upper)
    return _tensor.wrap(x.device.backend.cholesky(held, upper=upper), x.device)


def det(x: Tensor, /) -> Tensor:
    """Return the determinants; of no rows 1. The gradient, the cofactors, is right for singular matrices too.

    Shape:
        x ``[..., n, n]``; result ``[...]``.

    Raises:
        ShapeError: the matrices are not square.
    """
    held = _square("det", x)
    return _tensor.wrap(x.device.backend.det(held), x.device)


def slogdet(x: Tensor, /) -> SlogdetResult:
    """Return the signs of the determinants and the logarithms of their sizes, which do not overflow.

    A singular matrix has sign 0 and logarithm ``-inf``. The sign has no gradient.

    Shape:
        x ``[..., n, n]``; results ``[...]``.

    Raises:
        ShapeError: the matrices are not square.
    """
    held = _square("slogdet", x)
    return SlogdetResult(*(_tensor.wrap(y, x.device) for y in x.device.backend.slogdet(held)))


def inv(x: Tensor, /) -> Tensor:
    """Return the inverses. To multiply by one, ``solve`` is faster and more accurate.

    Shape:
        x and result ``[..., n, n]``.

    Raises:
        LinAlgError: a matrix is singular.
        ShapeError: the matrices are not square.
    """
    held = _square("inv", x)
    return _tensor.wrap(x.device.backend.inv(held), x.device)


def _rtol(op: str, rtol: float | Tensor | None, held: Any) -> Any:
    """Return relative tolerances as an array that broadcasts to the batch; by default they are rounding errors'."""
    if rtol is None:
        return np.asarray(max(held.shape[-2:]) * np.finfo(held.dtype).eps, held.dtype)
    if not isinstance(rtol, _tensor.Tensor):
        found = np.asarray(number(op, "rtol", rtol), held.dtype)
    else:
        found = rtol.detach().numpy()
        if found.dtype.kind == "b":
            raise DTypeError(f"{op}: rtol is bool. It must be numbers.")
        if len(broadcast_shape(op, found.shape, held.shape[:-2])) > held.ndim - 2:
            raise ShapeError(f"{op}: rtol {list(found.shape)} has more dimensions than the batch.")
        found = found.astype(held.dtype)
    if not (found >= 0).all():
        raise ArgumentError(f"{op}: rtol must not be negative or NaN, got {found.tolist()}.")
    return found


def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Return the pseudo-inverses of Moore and Penrose; singular values of rounding error count as 0.

    Args:
        x: a tensor.
        rtol: singular values up to ``rtol`` times the largest count as 0; one number, or one for each matrix.
            By default it is the larger side of a matrix times the dtype's ``eps``.

    Shape:
        x ``[..., n, m]``, rtol broadcasts to ``[...]``; result ``[..., m, n]``.

    Raises:
        LinAlgError: a matrix is not finite.
        ArgumentError: ``rtol`` is negative.
    """
    held = _matrix("pinv", x)
    tolerance = _rtol("pinv", rtol, held)
    return _tensor.wrap(x.device.backend.pinv(held, rtol=tolerance), x.device)


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Return the solutions ``y`` of ``x1 @ y = x2``.

    Shape:
        x1 ``[..., n, n]``, x2 ``[n]`` for one vector or ``[..., n, k]``, with batch dimensions that broadcast;
        result ``[..., n]`` or ``[..., n, k]``.

    Raises:
        LinAlgError: a matrix is singular.
        ShapeError: the matrices are not square, or the shapes do not fit.
    """
    _square("solve", x1)
    (a, b), device = same_floats("solve", x1, x2, required=2)
    vector = b.ndim == 1
    if b.ndim == 0 or b.shape[0 if vector else -2] != a.shape[-1]:
        raise ShapeError(f"solve: {list(b.shape)} has not as many rows as {list(a.shape)}.")
    if vector:
        b = device.backend.reshape(b, shape=(b.size, 1))
    broadcast_shape("solve", a.shape[:-2], b.shape[:-2])
    y = device.backend.solve(a, b)
    if vector:
        y = device.backend.reshape(y, shape=y.shape[:-1])
    return _tensor.wrap(y, device)


def eigh(x: Tensor, /) -> EighResult:
    """Return the eigenvalues, ascending, and the eigenvectors, columns of length 1, of symmetric matrices.

    They are computed from the lower triangle, and the gradient is symmetric. Vectors of equal eigenvalues are one
    of many bases: a gradient through them is a ``GraphError`` in backward.

    Shape:
        x ``[..., n, n]``; eigenvalues ``[..., n]``, eigenvectors ``[..., n, n]``.

    Raises:
        LinAlgError: a matrix is not finite.
        ShapeError: the matrices are not square.
    """
    held = _square("eigh", x)
    return EighResult(*(_tensor.wrap(y, x.device) for y in x.device.backend.eigh(held)))


def eigvalsh(x: Tensor, /) -> Tensor:
    """Return the eigenvalues of symmetric matrices, ascending. See ``eigh``.

    Shape:
        x ``[..., n, n]``; result ``[..., n]``.

    Raises:
        LinAlgError: a matrix is not finite.
        ShapeError: the matrices are not square.
    """
    held = _square("eigvalsh", x)
    return _tensor.wrap(x.device.backend.eigvalsh(held), x.device)


def qr(x: Tensor, /, *, mode: str = "reduced") -> QRResult:
    """Return orthonormal columns ``Q`` and an upper triangle ``R`` whose product is ``x``.

    Args:
        x: a tensor.
        mode: ``"reduced"``, or ``"complete"`` for as many columns in ``Q`` as rows. A gradient through those
            that are more, in whatever depends on which of many bases they are, is a ``GraphError`` in backward.

    Shape:
        x ``[..., n, m]``; Q ``[..., n, k]``, R ``[..., k, m]`` with ``k = min(n, m)``, or ``n`` if complete.

    Raises:
        ArgumentError: ``mode`` is something else.
        LinAlgError: in backward: the first ``min(n, m)`` columns depend on each other.
    """
    chosen("qr", "mode", mode, ("reduced", "complete"))
    held = _matrix("qr", x)
    return QRResult(*(_tensor.wrap(y, x.device) for y in x.device.backend.qr(held, mode=mode)))


def svd(x: Tensor, /, *, full_matrices: bool = True) -> SVDResult:
    """Return the singular value decomposition ``U @ diag(S) @ Vh``, singular values descending.

    Vectors of equal singular values, 0 included, are one of many bases: a gradient through them is a
    ``GraphError`` in backward.

    Args:
        x: a tensor.
        full_matrices: whether ``U`` and ``Vh`` are square. A gradient through the vectors that are more than
            ``k``, in whatever depends on which of many bases they are, is a ``GraphError`` in backward.

    Shape:
        x ``[..., n, m]``; U ``[..., n, k]``, S ``[..., k]``, Vh ``[..., k, m]`` with ``k = min(n, m)``; if full U
        ``[..., n, n]`` and Vh ``[..., m, m]``.

    Raises:
        LinAlgError: a matrix is not finite.
    """
    held = _matrix("svd", x)
    full = flag("svd", "full_matrices", full_matrices)
    return SVDResult(*(_tensor.wrap(y, x.device) for y in x.device.backend.svd(held, full_matrices=full)))


def svdvals(x: Tensor, /) -> Tensor:
    """Return the singular values, descending. The gradient of one that is 0 is 0, as that of ``abs``.

    Shape:
        x ``[..., n, m]``; result ``[..., min(n, m)]``.

    Raises:
        LinAlgError: a matrix is not finite.
    """
    held = _matrix("svdvals", x)
    return _tensor.wrap(x.device.backend.svdvals(held), x.device)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: float | str | None = "fro") -> Tensor:
    """Return the norms of matrices.

    Args:
        x: a tensor.
        keepdims: keep the last two dimensions with size 1.
        ord: ``"fro"``, or ``None``, for the root of the sum of squares; ``"nuc"`` for the sum of singular values;
            2 and -2 for the largest and the smallest of these; 1 and -1 for the largest and the smallest sum of
            sizes of a column, ``inf`` and ``-inf`` of a row.

    Shape:
        x ``[..., n, m]``; result ``[...]``.

    Raises:
        ArgumentError: ``ord`` is something else.
        ShapeError: there is nothing to take the largest of.
        LinAlgError: for ``"nuc"``, 2 and -2: a matrix is not finite.
    """
    held = _matrix("matrix_norm", x)
    keepdims = flag("matrix_norm", "keepdims", keepdims)
    y = _tensor.wrap(held, x.device)
    known = not isinstance(ord, bool) and isinstance(ord, (str, int, float, np.integer, np.floating))
    if ord is None or (known and ord == "fro"):
        return reduction.vector_norm(y, (-2, -1), keepdims)
    values = known and ord in ("nuc", 2, -2)
    if not values and not (known and ord in (1, -1, np.inf, -np.inf)):
        raise ArgumentError(f"matrix_norm: ord must be 'fro', 'nuc', 1, 2, inf, -1, -2 or -inf, got {ord!r}.")
    axis = -1 if values else -2 if ord in (1, -1) else -1
    sums = svdvals(y) if values else reduction.sum(elementwise.abs(y), axis)
    if ord == "nuc":
        found = reduction.sum(sums, -1)
    elif sums.shape[-1] == 0:
        raise ShapeError(f"matrix_norm: {list(held.shape)} has nothing to take the largest or smallest of.")
    else:
        found = (reduction.max if float(ord) > 0 else reduction.min)(sums, -1)
    return found.reshape((*held.shape[:-2], 1, 1)) if keepdims else found


def matrix_rank(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """Return how many singular values are above rounding error, int64. It has no gradient.

    Args:
        x: a tensor.
        rtol: as in ``pinv``.

    Shape:
        x ``[..., n, m]``, rtol broadcasts to ``[...]``; result ``[...]``.

    Raises:
        LinAlgError: a matrix is not finite.
        ArgumentError: ``rtol`` is negative.
    """
    held = _matrix("matrix_rank", x)
    tolerance = _rtol("matrix_rank", rtol, held)
    values = svdvals(_tensor.wrap(held, x.device).detach())
    if values.shape[-1] == 0:
        return reduction.count_nonzero(values, -1)
    least = values[..., :1] * _tensor.tensor(tolerance[..., None], device=x.device)
    return reduction.count_nonzero(comparison.greater(values, least), -1)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """Return the product of ``n`` times the same matrix, of its inverse for negative ``n``; for 0 the identity.

    Shape:
        x and result ``[..., m, m]``.

    Raises:
        LinAlgError: ``n`` is negative and a matrix is singular.
        ShapeError: the matrices are not square.
    """
    held = _square("matrix_power", x)
    power = integer("matrix_power", "n", n)
    backend = x.device.backend
    if power == 0:
        identity = np.broadcast_to(np.eye(held.shape[-1], dtype=held.dtype), held.shape)
        return _tensor.wrap(backend.where(np.zeros((), np.bool_), held, identity), x.device)
    if power < 0:
        held, power = backend.inv(held), -power
    y = None
    while power:
        if power & 1:
            y = held if y is None else backend.matmul(y, held)
        power >>= 1
        if power:
            held = backend.matmul(held, held)
    return _tensor.wrap(y, x.device)
