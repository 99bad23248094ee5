"""Backward rules of the ops that move elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backburner.backends.numpy import shape as shaping
from backburner_autodiff.kernels.indexing import scatter_add
from backburner_autodiff.rules._rule import Array, Vjp, rule

Joint = Callable[[Any, Any], tuple[Array | None, ...]]


@rule
def reshape(out: Array, x: Array, *, shape: tuple[int, ...]) -> tuple[Vjp]:
    source = x.shape
    return (lambda g: g.reshape(source),)


@rule
def permute_dims(out: Array, x: Array, *, axes: tuple[int, ...]) -> tuple[Vjp]:
    return (lambda g: g.transpose(np.argsort(axes)),)


@rule
def broadcast_to(out: Array, x: Array, *, shape: tuple[int, ...]) -> tuple[Vjp]:
    return (lambda g: g,)  # the sweep sums over what was repeated


@rule
def concat(out: Array, *xs: Array, axis: int) -> Joint:
    sizes = tuple([x.shape[axis] for x in xs])

    def vjp(g: Array, needed: Any) -> tuple[Array | None, ...]:
        return tuple(
            [
                part if wanted else None
                for part, wanted in zip(shaping.split(g, sizes=sizes, axis=axis), needed, strict=True)
            ]
        )

    return vjp


@rule
def stack(out: Array, *xs: Array, axis: int) -> Joint:
    def vjp(g: Array, needed: Any) -> tuple[Array | None, ...]:
        before: tuple[Any, ...] = (slice(None),) * axis
        return tuple(g[(*before, i, ...)] if wanted else None for i, wanted in enumerate(needed))

    return vjp


@rule
def split(out: tuple[Array, ...], x: Array, *, sizes: tuple[int, ...], axis: int) -> tuple[Vjp]:
    shape, dtype = x.shape, x.dtype

    def vjp(g: tuple[Array | None, ...]) -> Array:
        y = np.empty(shape, dtype)
        for part, cotangent in zip(shaping.split(y, sizes=sizes, axis=axis), g, strict=True):
            part[...] = 0 if cotangent is None else cotangent
        return y

    return (vjp,)


@rule
def pad(
    out: Array, x: Array, *, pad_width: tuple[tuple[int, int], ...], value: float, mode: str = "constant"
) -> tuple[Vjp]:
    shape = x.shape
    inside: tuple[Any, ...] = tuple(
        slice(before, before + n) for n, (before, _) in zip(shape, pad_width, strict=True)
    )
    if mode == "constant":
        return (lambda g: g[(*inside, ...)],)

    def vjp(g: Array) -> Array:
        y = g.copy()
        for axis in reversed(range(y.ndim)):
            n, (before, after) = shape[axis], pad_width[axis]
            if before or after:
                whole: tuple[Any, ...] = (slice(None),) * axis
                rest = inside[axis + 1 :]
                frame = np.r_[:before, before + n : before + n + after]
                sources = np.concatenate(
                    [
                        shaping.padding_sources(n, -before, before, mode),
                        shaping.padding_sources(n, n, after, mode),
                    ]
                )
                named, numbers = np.unique(sources, return_inverse=True)
                part = y[(*whole, frame, *rest)]
                sums = scatter_add(
                    part, numbers, (*part.shape[:axis], len(named), *part.shape[axis + 1 :]), axis
                )
                y[(*whole, before + named, *rest)] += sums
        return y[(*inside, ...)]

    return (vjp,)
