"""Rows of the products of vectors, matrices and tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

import backburner as bb
from ops._row import Array, Row, indices, ones_of, positive, real, sweep


def _matmul(x: Array, y: Array) -> Any:
    """Multiply row by column, over broadcast batches, in float64 sums of elementwise products."""
    row, column = x.ndim == 1, y.ndim == 1
    x, y = (x[None] if row else x), (y[:, None] if column else y)
    out = (x[..., :, :, None] * y[..., None, :, :]).sum(axis=-2)
    if row:
        out = out[..., 0, :]
    return out[..., 0] if column else out


def _linear(x: Array, weight: Array, bias: Array | None) -> Any:
    out = (x[..., None, :] * weight).sum(axis=-1)
    return out if bias is None else out + bias


def _tensordot(x: Array, y: Array, axes: Any = 2) -> Any:
    """Sum over a loop through all elements of both."""
    if isinstance(axes, int):
        axes = range(x.ndim - axes, x.ndim), range(axes)
    left, right = [a % x.ndim for a in axes[0]], [a % y.ndim for a in axes[1]]
    rows, columns = [i for i in range(x.ndim) if i not in left], [i for i in range(y.ndim) if i not in right]
    out = np.zeros([x.shape[i] for i in rows] + [y.shape[i] for i in columns])
    for p in np.ndindex(*x.shape):
        for q in np.ndindex(*y.shape):
            if [p[i] for i in left] == [q[i] for i in right]:
                out[tuple([p[i] for i in rows] + [q[i] for i in columns])] += x[p] * y[q]
    return out


def _crossed(x: Array, y: Array, axis: int = -1) -> Any:
    (a, b, c), (d, e, f) = np.moveaxis(x, axis, 0), np.moveaxis(y, axis, 0)
    return np.stack([b * f - c * e, c * d - a * f, a * e - b * d], axis)


def _cov(
    x: Array,
    y: Array | None = None,
    f: Array | None = None,
    a: Array | None = None,
    rowvar: bool = True,
    ddof: float = 1,
    bias: bool = False,
    correction: float | None = None,
) -> Any:
    """Count each observation as often as it counts, in plain sums."""
    parts = [np.atleast_2d(part) for part in (x, y) if part is not None]
    rows = np.concatenate(
        [part if rowvar or part.ndim < 2 or 1 in part.shape[:1] else part.T for part in parts]
    )
    n = rows.shape[1]
    f, a = (np.ones(n) if w is None else w * 1.0 for w in (f, a))
    total = (f * a).sum()
    rows = rows - (rows * f * a).sum(1, keepdims=True) / total
    less = 0 if bias else ddof if correction is None else correction
    divisor = max(total - less * (f * a * a).sum() / total, 0)
    with np.errstate(all="ignore"):
        out = (
            np.array([[(u * v * f * a).sum() for v in rows] for u in rows]).reshape(len(rows), len(rows))
            / divisor
        )
    return out[0, 0] if out.shape == (1, 1) else out


def _corrcoef(x: Array, y: Array | None = None, rowvar: bool = True) -> Any:
    c = np.atleast_2d(_cov(x, y, rowvar=rowvar))
    out = np.array([[c[i, j] / np.sqrt(c[i, i] * c[j, j]) for j in range(len(c))] for i in range(len(c))])
    return out[0, 0] if out.shape == (1, 1) else out.reshape(c.shape)


def _einsum(equation: str, *xs: Array) -> Any:
    return np.einsum(equation, *xs, optimize=False)


ROWS = (
    Row(
        "matmul",
        (real, real),
        sweep(
            [
                ((2, 3), (3, 4)),
                ((3,), (3,)),
                ((3,), (3, 4)),
                ((2, 3), (3,)),
                ((3,), (5, 3, 2)),
                ((5, 2, 3), (3,)),
                ((5, 2, 3), (3, 4)),
                ((2, 3), (5, 3, 2)),
                ((5, 2, 3), (5, 3, 2)),
                ((2, 1, 2, 3), (4, 3, 2)),
                ((33, 17), (17, 20)),
                ((0, 3), (3, 2)),
                ((2, 0), (0, 3)),
                ((4, 0, 3), (3, 2)),
                ((0,), (0,)),
            ]
        ),
        _matmul,
        exact=False,
    ),
    Row(
        "linear",
        (real, real, real),
        sweep(
            [
                ((4, 3), (2, 3), (2,)),
                ((4, 3), (2, 3), None),
                ((3,), (2, 3), (2,)),
                ((2, 5, 3), (4, 3), (4,)),
                ((2, 5, 3), (4, 3), None),
                ((0, 3), (2, 3), (2,)),
                ((2, 0), (3, 0), (3,)),
                ((2, 3), (0, 3), (0,)),
            ]
        ),
        _linear,
        exact=False,
    ),
    Row(
        "linear",
        (real, real, real),
        sweep([((2, 4, 3), (3,), ()), ((3,), (3,), None)]),
        lambda x, weight, bias: (x * weight).sum(axis=-1) + (0 if bias is None else bias),
        exact=False,
        name="linear_to_one",
    ),
    Row(
        "bilinear",
        (real, real, real, real),
        sweep(
            [
                ((4, 3), (4, 2), (5, 3, 2), (5,)),
                ((2, 2, 3), (2, 2, 4), (1, 3, 4), None),
                ((3,), (2,), (2, 3, 2), (2,)),
                ((0, 3), (0, 2), (2, 3, 2), (2,)),
            ]
        ),
        lambda x1, x2, weight, bias: (
            (x1[..., None, :, None] * weight * x2[..., None, None, :]).sum(axis=(-2, -1))
            + (0 if bias is None else bias)
        ),
        exact=False,
    ),
    Row(
        "vecdot",
        (real, real),
        (
            *sweep([((3,), (3,)), ((2, 3), (3,)), ((2, 1, 3), (4, 3)), ((2, 0), (2, 0)), ((0, 3), (3,))]),
            *sweep([((3, 2), (3, 2))], [{"axis": 0}, {"axis": -2}]),
        ),
        lambda x, y, axis=-1: (np.moveaxis(x, axis, -1) * np.moveaxis(y, axis, -1)).sum(-1),
        exact=False,
    ),
    Row(
        "outer",
        (real, real),
        sweep([((2,), (3,)), ((0,), (3,))]),
        lambda x, y: [[a * b for b in y] for a in x] if x.size else np.zeros((0, y.size)),
    ),
    Row(
        "tensordot",
        (real, real),
        (
            *sweep([((2, 3, 4), (3, 4, 5))], [{}, {"axes": 2}]),
            *sweep([((2, 3), (3, 4))], [{"axes": 1}, {"axes": 0}, {"axes": ((1,), (0,))}]),
            *sweep([((2, 3, 4), (4, 2))], [{"axes": ((0, 2), (1, 0))}, {"axes": ((-1,), (0,))}]),
            *sweep([((2, 3), (2, 3))], [{"axes": 2}]),
            *sweep([((0, 3), (3, 2)), ((2, 0), (0, 3))], [{"axes": 1}]),
        ),
        _tensordot,
        exact=False,
    ),
    Row(
        "dot",
        (real, real),
        sweep(
            [
                ((3,), (3,)),
                ((2, 3), (3, 4)),
                ((2, 3), (3,)),
                ((2, 3), (5, 3, 2)),
                ((), (2, 3)),
                ((0, 3), (3, 2)),
            ]
        ),
        lambda x, y: x * y if not x.ndim or not y.ndim else _tensordot(x, y, ((-1,), (max(y.ndim - 2, 0),))),
        exact=False,
    ),
    Row(
        "cross",
        (real, real),
        (
            *sweep([((3,), (3,)), ((2, 3), (3,)), ((2, 1, 3), (4, 3)), ((0, 3), (3,))]),
            *sweep([((3, 2), (3, 2))], [{"axis": 0}]),
        ),
        _crossed,
    ),
    Row(
        "diagonal",
        (real,),
        ones_of(
            [(3, 3), (2, 4), (4, 2), (2, 3, 2), (0, 3)], [{}, {"offset": 1}, {"offset": -1}, {"offset": 9}]
        ),
        lambda x, offset=0: (
            np.array(
                [
                    [m[i, i + offset] for i in range(x.shape[-2]) if 0 <= i + offset < x.shape[-1]]
                    for m in x.reshape(-1, *x.shape[-2:])
                ]
            ).reshape(*x.shape[:-2], -1)
            if x.size
            else np.zeros((0,))
        ),
    ),
    Row(
        "cov",
        (real, real, indices(1, 4), positive),
        (
            *sweep(
                [((3, 4), None, None, None), ((4,), None, None, None)], [{}, {"ddof": 0}, {"correction": 1.5}]
            ),
            *sweep([((3, 4), (2, 4), None, None), ((4,), (4,), None, None)], [{}, {"bias": True}]),
            *sweep(
                [((3, 4), None, (4,), None), ((3, 4), None, None, (4,)), ((3, 4), (4,), (4,), (4,))],
                [{}, {"ddof": 0}],
            ),
            *sweep([((3, 4), (3, 2), None, None), ((0, 4), None, None, None)], [{"rowvar": False}]),
            *sweep([((0, 4), None, None, None)]),
        ),
        _cov,
        call=lambda x, y, f, a, **options: bb.cov(x, y, fweights=f, aweights=a, **options),
        exact=False,
    ),
    Row(
        "corrcoef",
        (real, real),
        (
            *sweep([((3, 4), None), ((4,), None), ((2, 4), (4,)), ((0, 4), None)]),
            *sweep([((4, 3), None)], [{"rowvar": False}]),
        ),
        _corrcoef,
        exact=False,
    ),
    Row(
        "einsum",
        (real, real),
        tuple(
            (shapes, {"equation": equation})
            for equation, *shapes in (
                ("ij,jk->ik", (2, 3), (3, 4)),
                ("ij,jk", (2, 3), (3, 4)),
                ("ji,jk->ki", (2, 3), (2, 4)),
                ("i,j->ji", (2,), (3,)),
                ("i,i", (3,), (3,)),
                ("i,i->i", (3,), (3,)),
                ("bij,bjk->bik", (2, 3, 2), (2, 2, 3)),
                ("bij,bij->b", (2, 3, 2), (2, 3, 2)),
                ("...ij,...jk->...ik", (2, 2, 3), (3, 2)),
                ("...ij,j", (2, 2, 3), (3,)),
                ("i...,i...->...", (2, 3), (2, 1)),
                ("ij,ij->i", (2, 3), (1, 3)),
                ("ij,kl->", (2, 3), (3, 2)),
                ("nd,nn->d", (2, 1), (2, 2)),
                ("ijk,k->ij", (2, 3, 1), (4,)),
                ("ij,ij->", (0, 3), (0, 3)),
                ("aab,bcc->ac", (2, 2, 3), (3, 2, 2)),
            )
        ),
        lambda x, y, equation: _einsum(equation, x, y),
        call=lambda x, y, equation: bb.einsum(equation, x, y),
        exact=False,
    ),
    Row(
        "einsum",
        (real,),
        tuple(
            ((shape,), {"equation": equation})
            for equation, shape in (
                ("ij->ji", (2, 3)),
                ("ba", (2, 3)),
                ("ii->i", (3, 3)),
                ("ii", (3, 3)),
                ("iij->i", (2, 2, 3)),
                ("iji->j", (2, 3, 2)),
                ("iii->i", (2, 2, 2)),
                ("...ii->...i", (2, 3, 3)),
                ("i->", (0,)),
                ("ijk->k", (2, 3, 4)),
                ("->", ()),
                (" i j -> i", (2, 3)),
            )
        ),
        lambda x, equation: _einsum(equation, x),
        call=lambda x, equation: bb.einsum(equation, x),
        exact=False,
        name="einsum_of_one",
    ),
    Row(
        "einsum",
        (real, real, real),
        tuple(
            (shapes, {"equation": equation})
            for equation, *shapes in (
                ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
                ("i,j,k->kij", (2,), (3,), (2,)),
                ("bi,bj,ij->b", (2, 3), (2, 2), (3, 2)),
                ("i,i,i->", (4,), (4,), (4,)),
            )
        ),
        lambda x, y, z, equation: _einsum(equation, x, y, z),
        call=lambda x, y, z, equation: bb.einsum(equation, x, y, z),
        exact=False,
        name="einsum_of_three",
    ),
)
