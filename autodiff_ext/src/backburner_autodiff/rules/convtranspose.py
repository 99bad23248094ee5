"""Backward rules of the transposed convolutions: a convolution of the cotangent, and its weights' gradient."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy import conv
from backburner_autodiff.rules._rule import Array, rule
from backburner_autodiff.rules.conv import (
    Joint,
    Pair,
    Triple,
    bias_gradient,
    conv2d_gradients,
    conv3d_gradients,
)


@rule(compute_bound=True)
def conv_transpose2d(
    out: Array, x: Array, weight: Array, bias: Array | None,
    *, stride: Pair, padding: Pair, output_padding: Pair, dilation: Pair, groups: int,
) -> Joint:  # fmt: skip
    biased = bias is not None

    def vjp(g: Array, needed: tuple[bool, ...]) -> tuple[Array | None, ...]:
        g, dx, dweight = np.ascontiguousarray(g), None, None
        if needed[0]:
            dx = conv.conv2d(
                g, weight, None, stride=stride, padding=padding, dilation=dilation, groups=groups
            )
            dx = dx[:, :, : x.shape[2], : x.shape[3]]  # output_padding beyond the stride makes room for more
        if needed[1]:
            cotangent = np.ascontiguousarray(x)
            _, dweight = conv2d_gradients(
                cotangent, g, weight, stride, padding, dilation, groups, False, True
            )
        return dx, dweight, bias_gradient(g) if biased and needed[2] else None

    return vjp


@rule(compute_bound=True)
def conv_transpose3d(
    out: Array, x: Array, weight: Array, bias: Array | None,
    *, stride: Triple, padding: Triple, output_padding: Triple, dilation: Triple, groups: int,
) -> Joint:  # fmt: skip
    biased = bias is not None

    def vjp(g: Array, needed: tuple[bool, ...]) -> tuple[Array | None, ...]:
        g, dx, dweight = np.ascontiguousarray(g), None, None
        if needed[0]:
            dx = conv.conv3d(
                g, weight, None, stride=stride, padding=padding, dilation=dilation, groups=groups
            )
            dx = dx[:, :, : x.shape[2], : x.shape[3], : x.shape[4]]
        if needed[1]:
            cotangent = np.ascontiguousarray(x)
            _, dweight = conv3d_gradients(
                cotangent, g, weight, stride, padding, dilation, groups, False, True
            )
        return dx, dweight, bias_gradient(g) if biased and needed[2] else None

    return vjp
