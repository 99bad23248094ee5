"""Backward rules of unfold and fold, each the other's adjoint."""

from __future__ import annotations

from backburner.backends.numpy import folding
from backburner_autodiff.rules._rule import Array, Vjp, rule

Pair = tuple[int, int]


@rule
def unfold(
    out: Array, x: Array, *, kernel_size: Pair, dilation: Pair, padding: Pair, stride: Pair
) -> tuple[Vjp]:
    size = x.shape[2], x.shape[3]
    return (
        lambda g: folding.fold(
            g, output_size=size, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride
        ),
    )


@rule
def fold(
    out: Array, x: Array, *, output_size: Pair, kernel_size: Pair, dilation: Pair, padding: Pair, stride: Pair
) -> tuple[Vjp]:
    return (
        lambda g: folding.unfold(
            g, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride
        ),
    )
