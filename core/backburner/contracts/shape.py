"""The contracts of what makes, cuts, orders and sums arrays, and of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from backburner.contracts import Array, Axes, Pair, Shape
from backburner.dtype import DType


class Creation(Protocol):
    """The ops of family ``creation``; ``backburner.backend`` says what they may rely on."""

    def full(self, *, shape: Shape, value: Any, dtype: DType) -> Array:
        """Return an array of one value."""
        ...

    def arange(self, *, start: float, stop: float, step: float, dtype: DType) -> Array:
        """Return ``start, start + step, ...`` up to before ``stop``."""
        ...

    def linspace(self, *, start: float, stop: float, num: int, dtype: DType, endpoint: bool) -> Array:
        """Return ``num`` evenly spaced values."""
        ...

    def eye(self, *, rows: int, columns: int, k: int, dtype: DType) -> Array:
        """Return ones on the ``k``-th diagonal and zeros elsewhere."""
        ...

    def random(
        self, *, distribution: str, shape: Shape, dtype: DType, options: Sequence[Any], seed: int
    ) -> Array:
        """Return draws that ``seed`` decides.

        ``distribution`` is ``"uniform"`` with options ``(low, high)``, ``"normal"`` with ``(mean, std)``,
        ``"integers"`` with ``(low, high)`` of the half-open range, ``"bernoulli"`` with ``(p,)``, a number or
        an array that broadcasts to ``shape``, ``"permutation"`` with ``(n,)``, ``"trunc_normal"`` with
        ``(mean, std, low, high)``, ``"multinomial"`` with ``(probabilities, replacement)``, float64 rows for
        ``shape[:-1]``, or ``"dirichlet"`` with ``(concentration,)``, float64 that broadcasts to ``shape``.
        """
        ...


class ShapeOps(Protocol):
    """The ops of family ``shape``; ``backburner.backend`` says what they may rely on."""

    def reshape(self, x: Array, /, *, shape: Shape) -> Array:
        """Return the elements in row-major order under another shape, of no ``-1``."""
        ...

    def permute_dims(self, x: Array, /, *, axes: Axes) -> Array:
        """Return a view with its axes in the order of ``axes``, a permutation."""
        ...

    def broadcast_to(self, x: Array, /, *, shape: Shape) -> Array:
        """Return a view repeated along dimensions of size 1 and new leading ones."""
        ...

    def concat(self, *xs: Array, axis: int) -> Array:
        """Return the arrays joined along an axis they have."""
        ...

    def stack(self, *xs: Array, axis: int) -> Array:
        """Return equally shaped arrays joined along a new axis."""
        ...

    def split(self, x: Array, /, *, sizes: tuple[int, ...], axis: int) -> tuple[Array, ...]:
        """Return views of ``sizes[i]`` entries each along ``axis``; the sizes add up to its length."""
        ...

    def pad(self, x: Array, /, *, pad_width: tuple[Pair, ...], value: float, mode: str = "constant") -> Array:
        """Return ``x`` in a frame, ``(before, after)`` entries wide on each axis, none negative.

        ``mode`` is ``"constant"``, for a frame of ``value``, or as in NumPy ``"edge"``, ``"reflect"``,
        ``"symmetric"`` or ``"wrap"``; then an axis that is empty is not padded.
        """
        ...


class Indexing(Protocol):
    """The ops of family ``indexing``; ``backburner.backend`` says what they may rely on."""

    def getitem(self, x: Array, /, *, index: tuple[Any, ...]) -> Array:
        """Return ``x[index]`` of ints, slices, ``None``, ``...``, and int64 or bool arrays, in range.

        A position that is picked twice gets the sum of both gradients.
        """
        ...

    def take(self, x: Array, indices: Array, /, *, axis: int) -> Array:
        """Return the entries ``indices`` (int64 of any rank, in ``[0, n)``) along ``axis``.

        Shape:
            x ``[a..., n, b...]``, indices ``[i...]``; result ``[a..., i..., b...]``.
        """
        ...

    def take_along_axis(self, x: Array, indices: Array, /, *, axis: int) -> Array:
        """Return from each line along ``axis`` the entries that the same line of ``indices`` names.

        Shape:
            x ``[a..., n, b...]``, indices ``[a..., k, b...]`` of int64 in ``[0, n)``; result like indices.
        """
        ...

    def at(self, x: Array, values: Array, /, *, index: tuple[Any, ...], mode: str) -> Array:
        """Return a copy of ``x`` with ``values`` (of its dtype) put at ``index``, which is as for ``getitem``.

        ``mode`` is ``"set"``, where the last of several values in one place stays and alone gets the gradient,
        or ``"add"``, ``"multiply"``, ``"min"`` or ``"max"``, where every value counts and ties share.

        Shape:
            values broadcast to ``x[index]``.
        """
        ...

    def embedding(self, weight: Array, indices: Array, /, *, padding_idx: int | None) -> Array:
        """Return the rows ``indices`` of ``weight``; row ``padding_idx`` gets no gradient.

        Shape:
            weight ``[n, d]``, indices ``[...]`` of int64 in ``[0, n)``; result ``[..., d]``.
        """
        ...

    def embedding_bag(self, weight: Array, indices: Array, bounds: Array, factors: Array | None, /) -> Array:
        """Return the sum of each bag of rows of ``weight``, each times its factor; of an empty bag 0.

        Shape:
            weight ``[n, d]``, indices ``[k]`` of int64 in ``[0, n)``, bounds ``[b + 1]`` of int64, which rise from 0 to
            ``k``: bag ``i`` holds the indices from ``bounds[i]`` to ``bounds[i + 1]``; factors ``[k]``; result ``[b, d]``.
        """
        ...


class Windows(Protocol):
    """The ops of family ``windows``; ``backburner.backend`` says what they may rely on."""

    def sliding_windows(self, x: Array, /, *, axis: int, size: int, step: int) -> Array:
        """Return all windows of ``size`` entries, ``step`` apart, along ``axis``; their entries are a new last axis.

        Shape:
            x ``[a..., n, b...]`` with ``n >= size``; result ``[a..., (n - size) // step + 1, b..., size]``.
        """
        ...


class Sorting(Protocol):
    """The ops of family ``sorting``; ``backburner.backend`` says what they may rely on."""

    def sort(self, x: Array, /, *, axis: int, descending: bool) -> Array:
        """Return the elements in order along ``axis``."""
        ...

    def argsort(self, x: Array, /, *, axis: int, descending: bool) -> Array:
        """Return the indices along ``axis``, int64, that ``sort`` goes by. No gradient."""
        ...

    def topk(self, x: Array, /, *, k: int, axis: int, largest: bool) -> tuple[Array, Array]:
        """Return the ``k`` largest or smallest elements in order and their indices, int64 without gradient.

        Of equal elements the first are taken, in their order. ``k`` is at most the length of ``axis``.
        """
        ...

    def searchsorted(self, x1: Array, x2: Array, /, *, side: str) -> Array:
        """Return for each of ``x2`` its place in the sorted ``x1``, int64. No gradient.

        ``side`` says whether before (``"left"``) or after (``"right"``) what is equal to it.

        Shape:
            x1 ``[n]``, x2 ``[...]`` of the same dtype; result ``[...]`` in ``[0, n]``.
        """
        ...

    def nonzero(self, x: Array, /) -> tuple[Array, ...]:
        """Return the indices of what is not 0 along each axis, int64, in row-major order. No gradient."""
        ...

    def unique_all(self, x: Array, /) -> tuple[Array, Array, Array, Array]:
        """Return what occurs, sorted, and int64 without gradient: first indices, inverse and counts.

        Indices are into the flattened array. Each NaN is one of its own. The gradient of a value goes to the
        first that equals it.

        Shape:
            x ``[...]``; values, indices and counts ``[u]``, inverse ``[...]``.
        """
        ...


class Scan(Protocol):
    """The ops of family ``scan``; ``backburner.backend`` says what they may rely on."""

    def cumulative_sum(self, x: Array, /, *, axis: int) -> Array:
        """Return the sums up to each element, accurate for 10^8 float32. Integers add up as in ``sum``."""
        ...

    def cumulative_prod(self, x: Array, /, *, axis: int) -> Array:
        """Return the products up to each element, integers as in ``prod``; the gradient is exact with zeros."""
        ...

    def cummax(self, x: Array, /, *, axis: int) -> tuple[Array, Array]:
        """Return the largest element up to each place and its last index, which alone gets the gradient.

        NaN counts as the largest. The index, int64, has no gradient.
        """
        ...

    def cummin(self, x: Array, /, *, axis: int) -> tuple[Array, Array]:
        """Return the smallest element up to each place and its last index, which alone gets the gradient.

        NaN counts as the smallest. The index, int64, has no gradient.
        """
        ...


class Reduction(Protocol):
    """The ops of family ``reduction``; ``backburner.backend`` says what they may rely on."""

    def sum(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the sum, accurate for 10^8 float32. Integers add up in int64 or uint64."""
        ...

    def mean(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the mean, of floats; NaN of nothing."""
        ...

    def max(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the largest element; ties share the gradient evenly. The reduced size is not 0."""
        ...

    def min(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the smallest element; ties share the gradient evenly. The reduced size is not 0."""
        ...

    def var(self, x: Array, /, *, axis: Axes, correction: float, keepdims: bool) -> Array:
        """Return the variance with divisor ``n - correction``, of floats, in two passes."""
        ...

    def logsumexp(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return ``log(sum(exp(x)))`` of floats; of all ``-inf``: ``-inf``, with gradient 0."""
        ...

    def argmax(self, x: Array, /, *, axis: int, keepdims: bool) -> Array:
        """Return the first index of the largest element along ``axis``, int64. No gradient."""
        ...

    def argmin(self, x: Array, /, *, axis: int, keepdims: bool) -> Array:
        """Return the first index of the smallest element along ``axis``, int64. No gradient."""
        ...

    def any(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return whether an element is not 0, as bool; of nothing False. No gradient."""
        ...

    def all(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return whether no element is 0, as bool; of nothing True. No gradient."""
        ...

    def prod(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the product, integers in int64 or uint64; the gradient is exact with zeros too."""
        ...

    def std(self, x: Array, /, *, axis: Axes, correction: float, keepdims: bool) -> Array:
        """Return the root of ``var``, of floats; where that is 0 the gradient is 0."""
        ...

    def vector_norm(self, x: Array, /, *, axis: Axes, ord: float, keepdims: bool) -> Array:
        """Return ``sum(|x|^ord)^(1/ord)`` of floats, ``ord`` finite, without overflow; for 0 how many are not 0.

        The gradient at 0 is 0: of the zero vector, and of elements that are 0.
        """
        ...

    def median(self, x: Array, /, *, axis: Axes, keepdims: bool) -> Array:
        """Return the middle element of floats, or the mean of the two; NaN if one is.

        What equals a middle element shares its gradient evenly. The reduced size is not 0.
        """
        ...


class Linalg(Protocol):
    """The ops of family ``linalg``; ``backburner.backend`` says what they may rely on."""

    def matmul(self, x: Array, y: Array, /) -> Array:
        """Return the matrix product, with batch dimensions broadcast and vectors as in NumPy.

        Shape:
            x ``[..., n, k]`` or ``[k]``, y ``[..., k, m]`` or ``[k]``.
        """
        ...

    def linear(self, x: Array, weight: Array, bias: Array | None, /) -> Array:
        """Return ``x @ weight.T + bias``.

        Shape:
            x ``[..., i]``, weight ``[o, i]``, bias ``[o]``; result ``[..., o]``.
        """
        ...


class Decompositions(Protocol):
    """The ops of family ``decompositions``; ``backburner.backend`` says what they may rely on.

    All are of floats and batched. What depends on the values alone they refuse themselves, by ``LinAlgError``:
    a matrix that is singular, not positive definite, or not finite.
    """

    def cholesky(self, x: Array, /, *, upper: bool) -> Array:
        """Return the lower factor ``L`` of ``L @ L.T``, from the lower triangle, or the upper from the upper.

        The gradient is symmetric.

        Shape:
            x and result ``[..., n, n]``.
        """
        ...

    def det(self, x: Array, /) -> Array:
        """Return the determinant; of no rows 1. The gradient is right for singular matrices too.

        Shape:
            x ``[..., n, n]``; result ``[...]``.
        """
        ...

    def eigh(self, x: Array, /) -> tuple[Array, Array]:
        """Return eigenvalues, ascending, and eigenvectors as columns, from the lower triangle.

        The gradient is symmetric, and among equal eigenvalues the eigenvectors have none.

        Shape:
            x ``[..., n, n]``; results ``[..., n]`` and ``[..., n, n]``.
        """
        ...

    def eigvalsh(self, x: Array, /) -> Array:
        """Return the eigenvalues of ``eigh``.

        Shape:
            x ``[..., n, n]``; result ``[..., n]``.
        """
        ...

    def inv(self, x: Array, /) -> Array:
        """Return the inverse.

        Shape:
            x and result ``[..., n, n]``.
        """
        ...

    def pinv(self, x: Array, /, *, rtol: Array) -> Array:
        """Return the inverse of what is left without the singular values up to ``rtol`` times the largest.

        Shape:
            x ``[..., n, m]``, rtol broadcasts to ``[...]``; result ``[..., m, n]``.
        """
        ...

    def qr(self, x: Array, /, *, mode: str) -> tuple[Array, Array]:
        """Return orthonormal columns and an upper triangle, whose product is ``x``.

        Shape:
            x ``[..., n, m]``; results ``[..., n, k]`` and ``[..., k, m]``, ``k`` being ``min(n, m)`` for mode
            ``"reduced"`` and ``n`` for ``"complete"``.
        """
        ...

    def slogdet(self, x: Array, /) -> tuple[Array, Array]:
        """Return the sign of the determinant and the logarithm of its size; of a singular matrix 0 and ``-inf``.

        Shape:
            x ``[..., n, n]``; results ``[...]``.
        """
        ...

    def solve(self, x1: Array, x2: Array, /) -> Array:
        """Return ``inv(x1) @ x2``, with batch dimensions broadcast.

        Shape:
            x1 ``[..., n, n]``, x2 and result ``[..., n, k]``.
        """
        ...

    def svd(self, x: Array, /, *, full_matrices: bool) -> tuple[Array, Array, Array]:
        """Return left vectors as columns, singular values, descending, and right vectors as rows.

        Among equal singular values, and of those that are 0, the vectors have no gradient.

        Shape:
            x ``[..., n, m]``; results ``[..., n, k]``, ``[..., min(n, m)]`` and ``[..., k, m]``, ``k`` being
            ``min(n, m)``, or for full matrices ``n`` here and ``m`` there.
        """
        ...

    def svdvals(self, x: Array, /) -> Array:
        """Return the singular values of ``svd``. The gradient of one that is 0 is 0, as that of ``abs``.

        Shape:
            x ``[..., n, m]``; result ``[..., min(n, m)]``.
        """
        ...
