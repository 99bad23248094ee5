"""Normalised vectors, their angles, and distances."""

from __future__ import annotations

import numpy as np

from backburner._tensor import Tensor
from backburner.errors import ArgumentError, ShapeError
from backburner.ops import distance, elementwise, reduction, shape
from backburner.ops._operands import broadcast_shape, flag, floating, number, one_axis, same_floats


def _at_least(norms: Tensor, op: str, eps: float) -> Tensor:
    """Return norms that it is safe to divide by."""
    least = number(op, "eps", eps)
    if least < 0:
        raise ArgumentError(f"{op}: eps must not be negative, got {eps!r}.")
    return elementwise.clip(norms, least, None)


def normalize(x: Tensor, p: float = 2.0, axis: int = 1, eps: float = 1e-12) -> Tensor:
    """Return each vector along ``axis`` over its p-norm, or over ``eps`` where that is larger.

    The gradient at the zero vector is that of ``x / eps``.

    Shape:
        The result has the shape of ``x``, which is not 0-d.

    Raises:
        ArgumentError: ``eps`` is negative, or ``p`` NaN.
    """
    held = floating("normalize", x)
    place = one_axis("normalize", axis, held.ndim)
    y = Tensor(held, x.device)
    norms = reduction.vector_norm(y, place, True, number("normalize", "p", p))
    return elementwise.divide(y, _at_least(norms, "normalize", eps))


def cosine_similarity(x1: Tensor, x2: Tensor, axis: int = 1, eps: float = 1e-8) -> Tensor:
    """Return the cosine of the angle between vectors along ``axis``; of zero vectors 0.

    A norm below ``eps`` counts as ``eps``.

    Shape:
        x1 and x2 broadcast to ``[a..., n, b...]``; result ``[a..., b...]``.

    Raises:
        ArgumentError: ``eps`` is negative.
        ShapeError: the shapes do not broadcast.
    """
    (a, b), device = same_floats("cosine_similarity", x1, x2, required=2)
    common = broadcast_shape("cosine_similarity", a.shape, b.shape)
    place = one_axis("cosine_similarity", axis, len(common))
    sides = []
    for held in (a, b):
        y = shape.reshape(Tensor(held, device), (*(1,) * (len(common) - held.ndim), *held.shape))
        if y.shape[place] != common[place]:
            y = shape.broadcast_to(y, (*y.shape[:place], common[place], *y.shape[place + 1 :]))
        norms = reduction.vector_norm(y, place, True)
        sides.append(elementwise.divide(y, _at_least(norms, "cosine_similarity", eps)))
    return reduction.sum(elementwise.multiply(*sides), place)


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdims: bool = False
) -> Tensor:
    """Return the p-norm of ``x1 - x2 + eps`` along the last axis.

    Shape:
        x1 and x2 broadcast to ``[..., d]``; result ``[...]``, or ``[..., 1]`` with ``keepdims``.

    Raises:
        ShapeError: the shapes do not broadcast, or both inputs are 0-d.
    """
    (a, b), device = same_floats("pairwise_distance", x1, x2, required=2)
    if not broadcast_shape("pairwise_distance", a.shape, b.shape):
        raise ShapeError("pairwise_distance: the inputs are 0-d and have no axis. Use reshape.")
    difference = elementwise.subtract(Tensor(a, device), Tensor(b, device))
    moved = elementwise.add(difference, number("pairwise_distance", "eps", eps))
    kept = flag("pairwise_distance", "keepdims", keepdims)
    return reduction.vector_norm(moved, -1, kept, number("pairwise_distance", "p", p))


def pdist(x: Tensor, p: float = 2.0) -> Tensor:
    """Return the distance of each row to each later one, in the order of ``cdist``'s upper triangle.

    Shape:
        x ``[n, d]``; result ``[n * (n - 1) / 2]``.

    Raises:
        ShapeError: ``x`` is no matrix.
        ArgumentError: ``p`` is negative.
    """
    held = floating("pdist", x)
    if held.ndim != 2:
        raise ShapeError(f"pdist: needs a matrix, [n, d], got {list(held.shape)}.")
    if number("pdist", "p", p) < 0:
        raise ArgumentError(f"pdist: p must not be negative, got {p!r}.")
    y = Tensor(held, x.device)
    # a mask, which the graph keeps in an eighth of what places would take
    return distance.cdist(y, y, p)[~np.tri(held.shape[0], dtype=np.bool_)]
