"""The contracts of family ``decompositions``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


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
