"""Rows of the decompositions. Where signs are LAPACK's choice, ``call`` makes elements positive that are not 0."""

from __future__ import annotations

from typing import Any

import numpy as np

import backburner as bb
from backburner import linalg
from ops import _matrices as textbook
from ops._matrices import batched, gapped
from ops._row import Array, Row, ones_of, real, sweep

SQUARE = ((3, 3), (2, 2, 2), (1, 1), (0, 0), (0, 2, 2), (2, 0, 0))
ANY = ((3, 2), (2, 3), (2, 2, 2), (0, 2), (2, 0), (0, 2, 3))
ORDERS: tuple[dict[str, Any], ...] = tuple({"ord": order} for order in ("nuc", 1, 2, -1, -2, np.inf, -np.inf))


def symmetric(x: Any) -> Any:
    return (x + x.mT) * 0.5


def _mirrored(x: Array) -> Array:
    return (x + x.swapaxes(-1, -2)) / 2


def _cholesky(x: Array, upper: bool = False) -> Any:
    y = batched(textbook.lower_factor)(_mirrored(x))
    return y.swapaxes(-1, -2) if upper else y


def sign_of(x: bb.Tensor) -> bb.Tensor:
    return bb.sign(x.detach())


def call_eigh(x: bb.Tensor) -> tuple[bb.Tensor, bb.Tensor]:
    w, v = linalg.eigh(symmetric(x))
    return w, v * sign_of(v[..., :1, :])


def call_svd(x: bb.Tensor, full_matrices: bool = False) -> tuple[bb.Tensor, ...]:
    u, s, vh = linalg.svd(x, full_matrices=full_matrices)
    k = s.shape[-1]
    sign = sign_of(u[..., :1, :k]) if x.shape[-2] else bb.ones((1, k), dtype=x.dtype)
    return u[..., :k] * sign, s, vh[..., :k, :] * sign.mT


def call_qr(x: bb.Tensor, mode: str = "reduced") -> tuple[bb.Tensor, bb.Tensor]:
    q, r = linalg.qr(x, mode=mode)
    k = min(x.shape[-2:])
    sign = sign_of(linalg.diagonal(r))[..., bb.newaxis]
    return q[..., :k] * sign.mT, r[..., :k, :] * sign


def _beyond(x: Array, call: Any = None) -> Any:
    """Return the one column that is at right angles to those of ``x``, by their cross product."""
    y = np.cross(x[:, 0], x[:, 1])
    return y / np.sqrt((y * y).sum())


def call_beyond(x: bb.Tensor, op: str) -> bb.Tensor:
    y = (linalg.qr(x, mode="complete").Q if op == "qr" else linalg.svd(x).U)[:, 2]
    return y * sign_of(y[2])


def _slogdet(x: Array) -> Any:
    y = batched(textbook.determinant)(x)
    return np.sign(y), np.log(np.abs(y))


def _solve(x1: Array, x2: Array) -> Any:
    vector = x2.ndim == 1
    right = x2[:, None] if vector else x2
    batch = np.broadcast_shapes(x1.shape[:-2], right.shape[:-2])
    left = np.broadcast_to(x1, (*batch, *x1.shape[-2:]))
    right = np.broadcast_to(right, (*batch, *right.shape[-2:]))
    y = np.zeros(right.shape)
    for index in np.ndindex(*batch):
        y[index] = textbook.solved(left[index], right[index])
    return y[..., 0] if vector else y


def _pinv(x: Array, rtol: float = 0) -> Any:
    def one(a: Array) -> Array:
        u, s, vh = textbook.singular(a)
        kept = s > rtol * s.max(initial=0)
        return np.asarray((vh.T[:, kept] / s[kept]) @ u[:, kept].T)

    return batched(one)(x)


def _matrix_norm(x: Array, keepdims: bool = False, ord: Any = "fro") -> Any:
    s = batched(lambda a: textbook.singular(a)[1])(x)
    if ord == "fro":
        y = np.sqrt((x * x).sum((-2, -1)))
    elif ord in ("nuc", 2, -2):
        y = s.sum(-1) if ord == "nuc" else s[..., 0] if ord == 2 else s[..., -1]
    else:
        sums = np.abs(x).sum(-2 if abs(ord) == 1 else -1)
        y = sums.max(-1) if ord > 0 else sums.min(-1)
    return y[..., None, None] if keepdims else y


def _matrix_power(x: Array, n: int) -> Any:
    def one(a: Array) -> Array:
        y = np.eye(len(a))
        for _ in range(abs(n)):
            y = y @ (a if n > 0 else textbook.inverse(a))
        return y

    return batched(one)(x)


ROWS = (
    Row(
        "cholesky",
        (gapped,),
        (*ones_of(SQUARE), *ones_of([(3, 3)], [{"upper": True}]), *ones_of([(18, 18)], [{"upper": True}])),
        _cholesky,
        call=lambda x, upper=False: linalg.cholesky(symmetric(x), upper=upper),
        exact=False,
    ),
    Row("det", (gapped,), ones_of(SQUARE), batched(textbook.determinant), exact=False),
    Row("slogdet", (gapped,), ones_of(SQUARE), _slogdet, outputs=(1,), exact=False),
    Row("inv", (gapped,), ones_of(SQUARE), batched(textbook.inverse), exact=False),
    Row("pinv", (gapped,), ones_of(ANY), _pinv, exact=False),
    # PyTorch differentiates as if what is dropped were 0
    Row(
        "pinv",
        (gapped,),
        ones_of([(2, 3), (3, 3)], [{"rtol": 0.7}]),
        _pinv,
        exact=False,
        name="pinv_truncated",
    ),
    Row(
        "solve",
        (gapped, real),
        sweep(
            [
                ((2, 2), (2,)),
                ((3, 3), (3, 2)),
                ((2, 2, 2), (2,)),
                ((2, 2), (3, 2, 1)),
                ((2, 1, 2, 2), (2, 2, 1)),
                ((0, 0), (0, 2)),
                ((0, 2, 2), (2, 1)),
                ((2, 2), (2, 0)),
            ]
        ),
        _solve,
        exact=False,
    ),
    Row(
        "eigh",
        (gapped,),
        ones_of(SQUARE),
        lambda x: batched(textbook.eigen)(_mirrored(x)),
        call=call_eigh,
        exact=False,
    ),
    Row(
        "eigvalsh",
        (gapped,),
        ones_of(SQUARE),
        lambda x: batched(textbook.eigen)(_mirrored(x))[0],
        call=lambda x: linalg.eigvalsh(symmetric(x)),
        exact=False,
    ),
    Row(
        "qr",
        (gapped,),
        (*ones_of(ANY), *ones_of([(3, 3), (4, 2)], [{"mode": "complete"}])),
        lambda x, mode="reduced": batched(textbook.orthogonal)(x),
        call=call_qr,
        exact=False,
    ),
    Row(
        "qr",
        (gapped,),
        ones_of([(3, 2)], [{"op": "qr"}]),
        lambda x, op: _beyond(x),
        call=call_beyond,
        exact=False,
        name="qr_beyond",
    ),
    Row(
        "svd",
        (gapped,),
        (*ones_of(ANY), *ones_of([(4, 2), (2, 2)], [{"full_matrices": True}])),
        lambda x, full_matrices=False: batched(textbook.singular)(x),
        call=call_svd,
        exact=False,
    ),
    Row(
        "svd",
        (gapped,),
        ones_of([(3, 2)], [{"op": "svd"}]),
        lambda x, op: _beyond(x),
        call=call_beyond,
        exact=False,
        name="svd_beyond",
    ),
    Row("svdvals", (gapped,), ones_of(ANY), lambda x: batched(textbook.singular)(x)[1], exact=False),
    Row(
        "matrix_norm",
        (gapped,),
        (
            *ones_of([(3, 2), (0, 2), (0, 2, 2)]),
            *ones_of([(2, 2, 3)], [{"ord": "fro", "keepdims": True}, {"ord": "nuc", "keepdims": True}]),
            *ones_of([(3, 2), (2, 2, 3)], ORDERS),
        ),
        _matrix_norm,
        exact=False,
    ),
    Row(
        "matrix_rank",
        (gapped,),
        (*ones_of([(3, 2), (2, 2, 3), (0, 2), (0, 2, 2)]), *ones_of([(3, 3)], [{"rtol": 0.7}])),
        lambda x, rtol=0: (lambda s: (s > rtol * s.max(-1, keepdims=True, initial=0)).sum(-1))(
            batched(lambda a: textbook.singular(a)[1])(x)
        ),
        differentiable=(),
        result="int64",
    ),
    Row(
        "matrix_power",
        (gapped,),
        (
            *ones_of([(2, 2)], [{"n": n} for n in (-3, -1, 0, 1, 2, 5)]),
            *ones_of([(2, 2, 2), (0, 0)], [{"n": 0}, {"n": 3}, {"n": -2}]),
        ),
        _matrix_power,
        call=lambda x, n: linalg.matrix_power(x, n),
        exact=False,
    ),
)
