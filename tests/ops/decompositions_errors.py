"""What decompositions refuse; see ``errors.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

import backburner as bb
from backburner import linalg
from ops.errors import A, Bad, G, S, T, b, n, v, x

L = bb.LinAlgError
square = bb.ones((2, 2))
bad: Any = bb.tensor([[1.0, bb.nan], [0.0, 1.0]])
pair = bb.stack([bb.eye(2), square])


def _tracked(values: Any) -> bb.Tensor:
    return bb.asarray(values).to(bb.Device.cpu().autodiff()).require_grad()


REFUSED = (
    Bad(lambda: linalg.det(v), S, "det: needs at least two dimensions, got [3]."),
    Bad(lambda: linalg.inv(x), S, "inv: needs square matrices, got [2, 3]."),
    Bad(lambda: linalg.inv(np.eye(2)), T, "inv: the input is a NumPy array"),  # type: ignore[arg-type]
    Bad(lambda: linalg.inv(square), L, "inv: the matrix is singular: its columns depend on each other. Use linalg.pinv,"),
    Bad(lambda: linalg.inv(pair), L, "inv: the matrix at index [1] is singular"),
    Bad(lambda: linalg.inv(bb.stack([pair, pair])), L, "inv: the matrix at index [0, 1] is singular"),
    Bad(lambda: linalg.matrix_power(square, -1), L, "inv: the matrix is singular", "inverse power of singular"),
    Bad(lambda: linalg.matrix_power(square, 0.5), T, "matrix_power: n must be an integer, got 0.5."),  # type: ignore[arg-type]
    Bad(lambda: linalg.solve(pair, bb.ones((2,))), L, "solve: the matrix at index [1] is singular"),
    Bad(lambda: linalg.solve(square, bb.ones((3, 2, 2))), L, "solve: the matrix is singular"),
    Bad(lambda: linalg.solve(square, v), S, "solve: [3] has not as many rows as [2, 2]."),
    Bad(lambda: linalg.solve(square, bb.tensor(1.0)), S, "solve: [] has not as many rows as [2, 2]."),
    Bad(lambda: linalg.solve(x, v), S, "solve: needs square matrices, got [2, 3]."),
    Bad(lambda: linalg.solve(bb.ones((3, 2, 2)), bb.ones((2, 2, 1))), S, "solve: shapes do not broadcast: [3] and [2]."),
    Bad(lambda: linalg.cholesky(square - 2), L, "cholesky: the matrix is not positive definite. Symmetrise it,"),
    Bad(lambda: linalg.cholesky(pair * bb.tensor([[[1.0]], [[-1.0]]])), L,
        "cholesky: the matrix at index [1] is not positive definite."),
    Bad(lambda: linalg.cholesky(square, upper="U"), T, "cholesky: upper must be True or False, got str."),  # type: ignore[arg-type]
    Bad(lambda: linalg.svd(bad), L, "svd: the matrix holds NaN or infinities. Look for them with isfinite."),
    Bad(lambda: linalg.svdvals(bb.stack([square, bad])), L, "svdvals: the matrix at index [1] holds NaN"),
    Bad(lambda: linalg.matrix_norm(bad, ord=2), L, "svdvals: the matrix holds NaN"),
    Bad(lambda: linalg.pinv(bad), L, "pinv: the matrix holds NaN"),
    Bad(lambda: linalg.pinv(x, rtol=-1), A, "pinv: rtol must not be negative or NaN, got -1.0."),
    Bad(lambda: linalg.pinv(x, rtol=b), T, "pinv: rtol is bool. It must be numbers."),
    Bad(lambda: linalg.pinv(x, rtol=bb.ones((2,))), S, "pinv: rtol [2] has more dimensions than the batch."),
    Bad(lambda: linalg.matrix_rank(pair, rtol=v), S, "matrix_rank: shapes do not broadcast: [3] and [2]."),
    Bad(lambda: linalg.matrix_rank(x, rtol="small"), T, "matrix_rank: rtol: str is not a Tensor or a number."),  # type: ignore[arg-type]
    Bad(lambda: linalg.qr(x, mode="raw"), A, "qr: mode must be 'reduced' or 'complete', got 'raw'."),
    Bad(lambda: linalg.matrix_norm(x, ord=3), A, "matrix_norm: ord must be 'fro', 'nuc', 1, 2, inf, -1, -2 or -inf, got 3."),
    Bad(lambda: linalg.matrix_norm(x, ord=True), A, "matrix_norm: ord must be 'fro', 'nuc', 1, 2, inf, -1, -2 or -inf, got True."),
    Bad(lambda: linalg.matrix_norm(bb.zeros((0, 3)), ord=2), S,
        "matrix_norm: [0, 3] has nothing to take the largest or smallest of."),
    Bad(lambda: linalg.matrix_norm(x, keepdims=n), T, "matrix_norm: keepdims must be True or False, got "),  # type: ignore[arg-type]
)  # fmt: skip


def _squared(parts: linalg.SVDResult) -> bb.Tensor:
    return ((parts.U * parts.S) @ parts.Vh)[0].sum()


RANK_1 = bb.tensor([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])

REFUSED_GRAPHS = (
    Bad(lambda: linalg.qr(_tracked(square)).Q.backward(), L, "qr: backward needs linearly independent columns,"),
    Bad(lambda: linalg.qr(_tracked(bb.ones((3, 1))), mode="complete").Q[0, 1].backward(), G,
        "qr: the result depends on which basis the columns of Q beyond the first are, which is arbitrary"),
    Bad(lambda: linalg.svd(_tracked(bb.ones((3, 1)))).U[0, 1].backward(), G, "svd: the result depends on which basis the columns of U"),
    Bad(lambda: linalg.eigh(_tracked(bb.eye(2))).eigenvectors[:, 0].sum().backward(), G, "eigh: of two equal eigenvalues: "),
    Bad(lambda: _squared(linalg.svd(_tracked(bb.eye(2)))).backward(), G, "svd: of two equal singular values: "),
    Bad(lambda: linalg.svd(_tracked(RANK_1), full_matrices=False).U[2, 1].backward(), G, "svd: of a singular value 0: ",
        "svd-by-a-vector-of-0-that-is-arbitrary"),
    Bad(lambda: linalg.svd(_tracked(RANK_1.mT), full_matrices=False).Vh[1, 2].backward(), G, "svd: of a singular value 0: ",
        "svd-by-a-vector-of-0-of-a-wide-matrix"),
    Bad(lambda: _squared(linalg.svd(_tracked(RANK_1[:2]))).backward(), G, "svd: of a singular value 0: ", "svd-put-together-of-rank-1"),
    Bad(lambda: linalg.svd(_tracked(bb.ones((1, 3)))).Vh[1, 0].backward(), G, "svd: the result depends on which basis the columns of V"),
)  # fmt: skip
