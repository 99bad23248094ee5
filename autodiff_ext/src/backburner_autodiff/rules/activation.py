"""Backward rules of the activations, and the forwards that training uses in place of the core's."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from backburner.backends.numpy import activation as numpy_activation
from backburner_autodiff.kernels import activation as kernels
from backburner_autodiff.rules._parts import in_parts
from backburner_autodiff.rules._rule import Array, Vjp, rule

Loop = Callable[..., None]


def _mapped(loop: Loop, *inputs: object, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
    """Return the new array that an elementwise kernel fills."""
    out = np.empty(shape, dtype)
    loop(*inputs, out)
    return out


@rule
def relu(out: Array, x: Array) -> tuple[Vjp]:
    def vjp(g: Array) -> Array:
        dx = np.empty(g.shape, g.dtype)
        flat, y, into = g.reshape(-1), out.reshape(-1), dx.reshape(-1)
        in_parts(lambda a, b: kernels.relu_backward.serial(flat[a:b], y[a:b], into[a:b]), g.size, g.size)
        return dx

    return (vjp,)


def sigmoid_forward(x: Array, /) -> tuple[Array, None]:
    return _mapped(kernels.sigmoid_forward, x, shape=x.shape, dtype=x.dtype), None


@rule(forward=sigmoid_forward)
def sigmoid(out: Array, x: Array, *, residuals: None) -> tuple[Vjp]:
    return (lambda g: _mapped(kernels.sigmoid_backward, g, out, shape=g.shape, dtype=g.dtype),)


def gelu_forward(x: Array, /, *, approximate: str) -> tuple[Array, None]:
    loop = kernels.gelu_tanh_forward if approximate == "tanh" else kernels.gelu_forward
    return _mapped(loop, x, shape=x.shape, dtype=x.dtype), None


@rule(forward=gelu_forward)
def gelu(out: Array, x: Array, *, approximate: str, residuals: None) -> tuple[Vjp]:
    loop = kernels.gelu_tanh_backward if approximate == "tanh" else kernels.gelu_backward
    return (lambda g: _mapped(loop, g, x, shape=g.shape, dtype=g.dtype),)


def silu_forward(x: Array, /) -> tuple[Array, None]:
    return _mapped(kernels.silu_forward, x, shape=x.shape, dtype=x.dtype), None


@rule(forward=silu_forward)
def silu(out: Array, x: Array, *, residuals: None) -> tuple[Vjp]:
    return (lambda g: _mapped(kernels.silu_backward, g, x, shape=g.shape, dtype=g.dtype),)


def elu_forward(x: Array, /, *, alpha: float, scale: float, input_scale: float) -> tuple[Array, None]:
    if input_scale < 0:  # the kernel's expm1 is for what is negative
        return numpy_activation.elu(x, alpha=alpha, scale=scale, input_scale=input_scale), None
    loop = kernels.elu_forward
    return _mapped(loop, x, scale, scale * alpha, input_scale, shape=x.shape, dtype=x.dtype), None


@rule(forward=elu_forward)
def elu(
    out: Array, x: Array, *, alpha: float, scale: float, input_scale: float, residuals: None
) -> tuple[Vjp]:
    options = scale, scale * alpha * input_scale, input_scale
    return (lambda g: _mapped(kernels.elu_backward, g, x, *options, shape=g.shape, dtype=g.dtype),)


def softplus_forward(x: Array, /, *, beta: float, threshold: float) -> tuple[Array, None]:
    return _mapped(kernels.softplus_forward, x, beta, threshold, shape=x.shape, dtype=x.dtype), None


@rule(forward=softplus_forward)
def softplus(out: Array, x: Array, *, beta: float, threshold: float, residuals: None) -> tuple[Vjp]:
    loop = kernels.softplus_backward
    return (lambda g: _mapped(loop, g, x, beta, threshold, shape=g.shape, dtype=g.dtype),)


def mish_forward(x: Array, /) -> tuple[Array, None]:
    return _mapped(kernels.mish_forward, x, shape=x.shape, dtype=x.dtype), None


@rule(forward=mish_forward)
def mish(out: Array, x: Array, *, residuals: None) -> tuple[Vjp]:
    return (lambda g: _mapped(kernels.mish_backward, g, x, shape=g.shape, dtype=g.dtype),)


@rule(singular=True)
def softsign(out: Array, x: Array) -> tuple[Vjp]:
    def vjp(g: Array) -> Array:
        root = 1 / (1 + np.abs(x))
        return np.asarray(g * (root * root))

    return (vjp,)


def _gated(shape: tuple[int, ...], axis: int) -> tuple[int, int]:
    """Return in how many pairs of halves a shape lies in memory, and how long a half is."""
    return math.prod(shape[:axis]), math.prod(shape[axis:]) // 2


def glu_forward(x: Array, /, *, axis: int) -> tuple[Array, None]:
    n, d = _gated(x.shape, axis)
    out = np.empty((*x.shape[:axis], x.shape[axis] // 2, *x.shape[axis + 1 :]), x.dtype)
    kernels.glu_forward(x.reshape(n, 2, d), out.reshape(n, d))
    return out, None


@rule(forward=glu_forward)
def glu(out: Array, x: Array, *, axis: int, residuals: None) -> tuple[Vjp]:
    def vjp(g: Array) -> Array:
        n, d = _gated(x.shape, axis)
        dx = np.empty(x.shape, x.dtype)
        kernels.glu_backward(g.reshape(n, d), x.reshape(n, 2, d), dx.reshape(n, 2, d))
        return dx

    return (vjp,)


def _split(shape: tuple[int, ...], axis: int) -> tuple[int, int, int]:
    """Return the sizes before, of and after an axis."""
    return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])


def _normalised(x: Array, axis: int, rows: Loop, columns: Loop) -> Array:
    """Return the new array that one of two kernels fills: for the last axis, or for another."""
    out = np.empty(x.shape, x.dtype)
    if out.size:
        a, n, b = _split(x.shape, axis)
        if b == 1:
            rows(x.reshape(a, n), out.reshape(a, n))
        else:
            columns(x.reshape(a, n, b), out.reshape(a, n, b), np.empty((a, b), x.dtype), np.zeros((a, b)))
    return out


def _denormalised(g: Array, out: Array, axis: int, rows: Loop, columns: Loop) -> Array:
    """Return the gradient that one of two kernels fills."""
    dx = np.empty(g.shape, g.dtype)
    if dx.size:
        a, n, b = _split(g.shape, axis)
        if b == 1:
            rows(g.reshape(a, n), out.reshape(a, n), dx.reshape(a, n))
        else:
            shape = a, n, b
            columns(g.reshape(shape), out.reshape(shape), dx.reshape(shape), np.zeros((a, b)))
    return dx


def softmax_forward(x: Array, /, *, axis: int) -> tuple[Array, None]:
    return _normalised(x, axis, kernels.softmax_forward, kernels.softmax_columns_forward), None


@rule(forward=softmax_forward)
def softmax(out: Array, x: Array, *, axis: int, residuals: None) -> tuple[Vjp]:
    rows, columns = kernels.softmax_backward, kernels.softmax_columns_backward
    return (lambda g: _denormalised(g, out, axis, rows, columns),)


def log_softmax_forward(x: Array, /, *, axis: int) -> tuple[Array, None]:
    return _normalised(x, axis, kernels.log_softmax_forward, kernels.log_softmax_columns_forward), None


@rule(forward=log_softmax_forward)
def log_softmax(out: Array, x: Array, *, axis: int, residuals: None) -> tuple[Vjp]:
    rows, columns = kernels.log_softmax_backward, kernels.log_softmax_columns_backward
    return (lambda g: _denormalised(g, out, axis, rows, columns),)
