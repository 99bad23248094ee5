"""Textbook algorithms on matrices, as references, and how matrices are drawn."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ops._row import Array, Shape, real


def gapped(rng: np.random.Generator, shape: Shape) -> Array:
    """Draw matrices near diagonal ones with 2, 3, 4 ...: regular, of singular values well apart, if symmetric definite."""
    x = np.array(real(rng, shape)) * 0.25
    for i in range(min(shape[-2:])):
        x[..., i, i] += i + 2
    return x


def batched(function: Callable[..., Any]) -> Callable[..., Any]:
    """Apply a function of one matrix to each of a batch, and stack what it returns, also if that is nothing."""

    def apply(x: Array, *rest: Any, **options: Any) -> Any:
        batch = x.shape[:-2]
        if not math.prod(batch):
            one = function(np.eye(*x.shape[-2:]), *rest, **options)
            made = one if isinstance(one, tuple) else (one,)
            empty = tuple(np.zeros((*batch, *np.shape(y))) for y in made)
            return empty if isinstance(one, tuple) else empty[0]
        found = [function(x[index], *rest, **options) for index in np.ndindex(*batch)]
        parts = list(zip(*found, strict=True)) if isinstance(found[0], tuple) else [found]
        stacked = tuple(np.reshape(np.stack(part), (*batch, *np.shape(part[0]))) for part in parts)
        return stacked if isinstance(found[0], tuple) else stacked[0]

    return apply


def solved(a: Array, b: Array) -> Array:
    """Eliminate by Gauss and Jordan, with pivots."""
    a, b = a.copy(), b.copy()
    for i in range(len(a)):
        p = i + int(np.argmax(np.abs(a[i:, i])))
        a[[i, p]], b[[i, p]] = a[[p, i]], b[[p, i]]
        b[i] /= a[i, i]
        a[i] /= a[i, i]
        for j in range(len(a)):
            if j != i:
                b[j] -= a[j, i] * b[i]
                a[j] -= a[j, i] * a[i]
    return b


def inverse(x: Array) -> Array:
    """Solve for the identity."""
    return solved(x, np.eye(len(x)))


def determinant(x: Array) -> Any:
    """Sum over all permutations, as Leibniz."""
    total = 0.0
    for order in itertools.permutations(range(len(x))):
        turns = sum(order[i] > order[j] for i in range(len(x)) for j in range(i + 1, len(x)))
        total += (-1) ** turns * math.prod(float(x[i, j]) for i, j in enumerate(order))
    return np.array(total)


def lower_factor(x: Array) -> Array:
    """Return Cholesky's factor, element by element."""
    y = np.zeros(x.shape)
    for i in range(len(x)):
        for j in range(i + 1):
            rest = x[i, j] - y[i, :j] @ y[j, :j]
            y[i, j] = math.sqrt(rest) if i == j else rest / y[j, j]
    return y


def eigen(x: Array) -> tuple[Array, Array]:
    """Rotate off-diagonal elements away, as Jacobi; the first element of each vector is positive."""
    a, v = x.copy(), np.eye(len(x))
    for _ in range(30):
        for i, j in itertools.combinations(range(len(a)), 2):
            angle = 0.5 * math.atan2(2 * a[i, j], a[j, j] - a[i, i])
            turn = np.eye(len(a))
            turn[i, i] = turn[j, j] = math.cos(angle)
            turn[i, j], turn[j, i] = math.sin(angle), -math.sin(angle)
            a, v = turn.T @ a @ turn, v @ turn
    order = np.argsort(np.diag(a))
    v = v[:, order]
    return np.diag(a)[order], v * _signs(v)


def _signs(vectors: Array) -> Array:
    """Return the sign of each vector's first element, as a row."""
    return np.asarray(np.sign(vectors[:1])) if len(vectors) else np.ones((1, vectors.shape[1]))


def singular(x: Array) -> tuple[Array, Array, Array]:
    """Rotate columns until they are orthogonal, as Hestenes; the first element of each left vector is positive."""
    if x.shape[0] < x.shape[1]:
        u, s, vh = singular(x.T)
        sign = _signs(vh.T)
        return vh.T * sign, s, u.T * sign.T
    a, v = x.copy(), np.eye(x.shape[1])
    for _ in range(30):
        for i, j in itertools.combinations(range(a.shape[1]), 2):
            angle = 0.5 * math.atan2(2 * a[:, i] @ a[:, j], a[:, j] @ a[:, j] - a[:, i] @ a[:, i])
            turn = np.eye(a.shape[1])
            turn[i, i] = turn[j, j] = math.cos(angle)
            turn[i, j], turn[j, i] = math.sin(angle), -math.sin(angle)
            a, v = a @ turn, v @ turn
    s = np.sqrt((a * a).sum(0))
    order = np.argsort(-s)
    u, s, v = (a / s)[:, order], s[order], v[:, order]
    sign = _signs(u)
    return u * sign, s, (v * sign).T


def orthogonal(x: Array) -> tuple[Array, Array]:
    """Project columns away one after another, as Gram and Schmidt; the diagonal of the triangle is positive."""
    k = min(x.shape)
    q, r = np.zeros((x.shape[0], k)), np.zeros((k, x.shape[1]))
    for j in range(x.shape[1]):
        column = x[:, j].copy()
        for i in range(min(j, k)):
            r[i, j] = q[:, i] @ column
            column -= r[i, j] * q[:, i]
        if j < k:
            r[j, j] = math.sqrt(column @ column)
            q[:, j] = column / r[j, j]
    return q, r
