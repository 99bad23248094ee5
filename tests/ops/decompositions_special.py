"""Matrices at which other libraries give NaN, infinities or a wrong 0: singular, repeated values, huge, not finite."""

from __future__ import annotations

from typing import Any

import backburner as bb
from backburner import linalg
from ops.special import Special, inf, nan

ONE = [[1, 2, 3], [2, 4, 6], [3, 6, 9]]
TWO = [[1, 2, 3], [2, 4, 6], [1, 0, 0]]
I2: Any = [[1, 0], [0, 1]]
Z2: Any = [[0, 0], [0, 0]]


def _restored(x: bb.Tensor) -> bb.Tensor:
    u, s, vh = linalg.svd(x, full_matrices=False)
    return (u * s) @ vh


SPECIALS = (
    Special("det-of-zeros", linalg.det, (Z2,), 0, (Z2,)),
    Special("det-of-zeros-3", linalg.det, ([[0] * 3] * 3,), 0, ([[0] * 3] * 3,)),
    Special("det-of-rank-1", linalg.det, (ONE,), 0, ([[0] * 3] * 3,), atol=1e-5),
    Special("det-of-rank-2", linalg.det, (TWO,), 0, ([[0, 6, -4], [0, -3, 2], [0, 0, 0]],), atol=3e-6),
    Special("det-of-rank-2-with-two-rows-exchanged", linalg.det, ([TWO[1], TWO[0], TWO[2]],), 0,
            ([[0, 3, -2], [0, -6, 4], [0, 0, 0]],), atol=3e-6),
    Special("det-of-a-singular-in-a-batch", linalg.det, ([[[1, 2], [2, 4]], [[2, 0], [0, 3]]],), [0, 6],
            ([[[4, -2], [-2, 1]], [[3, 0], [0, 2]]],)),
    Special("det-of-a-number-0", linalg.det, ([[0]],), 0, ([[1]],)),
    Special("det-of-nearly-singular", linalg.det, ([[1, 1], [1, 1 + 2**-20]],), 2**-20, ([[1 + 2**-20, -1], [-1, 1]],)),
    Special("det-of-large-and-small", linalg.det, ([[1e25, 0], [0, 1e-25]],), 1, ([[1e-25, 0], [0, 1e25]],), atol=1e-30),
    Special("det-below-what-there-is", linalg.det, ([[1e-30, 0], [0, 1e-30]],), 1e-60, ([[1e-30, 0], [0, 1e-30]],), atol=1e-36),
    Special("det-of-nan", linalg.det, ([[[nan, 1], [1, 1]], [[2, 0], [0, 3]]],), [nan, 6], ([None, [[3, 0], [0, 2]]],)),
    Special("slogdet-of-nan", lambda x: linalg.slogdet(x).logabsdet, ([[nan, 1], [1, 1]],), nan, (None,)),
    Special("slogdet-of-singular", lambda x: linalg.slogdet(x).logabsdet, ([[1, 2], [2, 4]],), -inf,
            ([[inf, -inf], [-inf, inf]],)),
    Special("slogdet-of-what-stays-singular", lambda x: linalg.slogdet(x).logabsdet, ([[1, 0], [0, 0]],), -inf,
            ([[0, 0], [0, inf]],)),
    Special("slogdet-of-singular-that-is-dropped",
            lambda x: bb.where(bb.tensor([False, True]), linalg.slogdet(x).logabsdet, 0.0), ([Z2, [[2, 0], [0, 4]]],),
            [0, 2.0794415], ([Z2, [[0.5, 0], [0, 0.25]]],)),
    Special("pinv-of-zeros", linalg.pinv, (Z2,), Z2, (Z2,)),
    Special("pinv-of-rank-1", linalg.pinv, ([[1, 0], [0, 0]],), [[1, 0], [0, 0]], ([[-1, 1], [1, 0]],)),
    Special("pinv-without-what-is-below-rtol", lambda x: linalg.pinv(x, rtol=0.9), ([[2, 0], [0, 1]],), [[0.5, 0], [0, 0]],
            ([[-0.25, 0.5], [0.5, 0]],)),
    Special("pinv-of-tiny", linalg.pinv, ([[1e-15, 0], [0, 1e-15]],), [[1e15, 0], [0, 1e15]], ([[-1e30, -1e30]] * 2,)),
    Special("eigvalsh-of-equal", lambda x: linalg.eigvalsh(x).sum(), (I2,), 2, (I2,)),
    Special("eigh-of-equal", lambda x: (lambda w, v: (v * w) @ v.mT)(*linalg.eigh(x)).sum(), (Z2,), 0, (None,)),
    Special("eigh-of-equal-by-eigenvalues", lambda x: (linalg.eigh(x).eigenvalues ** 2).sum(), ([[3, 0], [0, 3]],), 18,
            ([[6, 0], [0, 6]],)),
    Special("singular-values-of-rank-1-by-svd", lambda x: linalg.svd(x).S.sum(), (ONE,), 14,
            ([[r * c / 14 for c in (1, 2, 3)] for r in (1, 2, 3)],), atol=1e-5),
    Special("svd-of-different", _restored, ([[3, 0], [0, 2]],), [[3, 0], [0, 2]], ([[1, 1], [1, 1]],)),
    Special("svdvals-of-equal", lambda x: linalg.svdvals(x).sum(), (I2,), 2, (I2,)),
    Special("nuclear-norm-of-zeros", lambda x: linalg.matrix_norm(x, ord="nuc"), (Z2,), 0, (Z2,)),
    Special("nuclear-norm-of-rank-1", lambda x: linalg.matrix_norm(x, ord="nuc"), (ONE,), 14,
            ([[r * c / 14 for c in (1, 2, 3)] for r in (1, 2, 3)],), atol=1e-5),
    Special("spectral-norm-of-rank-1", lambda x: linalg.matrix_norm(x, ord=2), (ONE,), 14,
            ([[r * c / 14 for c in (1, 2, 3)] for r in (1, 2, 3)],), atol=1e-5),
    Special("spectral-norm-of-equal", lambda x: linalg.matrix_norm(x, ord=2), (I2,), 1, ([[0.5, 0], [0, 0.5]],)),
    Special("smallest-singular-value-0", lambda x: linalg.matrix_norm(x, ord=-2), ([[1, 0], [0, 0]],), 0, (Z2,)),
    Special("frobenius-norm-of-zeros", linalg.matrix_norm, (Z2,), 0, (Z2,)),
    Special("frobenius-norm-of-huge", linalg.matrix_norm, ([[3e30, 4e30]],), 5e30, ([[0.6, 0.8]],)),
    Special("matrix-norm-of-ties", lambda x: linalg.matrix_norm(x, ord=1), ([[1, -1]],), 1, ([[0.5, -0.5]],)),
    Special("matrix_power-0-of-singular", lambda x: linalg.matrix_power(x, 0), ([[0, inf], [nan, 0]],), I2, (Z2,)),
    Special("matrix_power-2-of-zeros", lambda x: linalg.matrix_power(x, 2), (Z2,), Z2, (Z2,)),
    Special("vector_norm-of-order-0", lambda x: bb.vector_norm(x, ord=0), ([0, -2, nan],), 2, ([0, 0, 0],)),
    Special("vector_norm-of-negative-order-at-0", lambda x: bb.vector_norm(x, ord=-1), ([0, 3],), 0, ([0, 0],)),
    Special("vector_norm-of-negative-order-of-tiny", lambda x: bb.vector_norm(x, ord=-2), ([3e-30, 4e-30],), 2.4e-30,
            ([0.512, 0.216],)),
    Special("vector_norm-of-order-minus-infinity", lambda x: bb.vector_norm(x, ord=-inf), ([-2, 2, 3],), 2,
            ([-0.5, 0.5, 0],)),
)  # fmt: skip
