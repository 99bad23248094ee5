"""Normalisation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from backburner._tensor import Tensor, wrap
from backburner.device import Device, merge
from backburner.errors import ArgumentError, ShapeError
from backburner.nn.functional._options import finite, parameter
from backburner.nn.functional.pool import avg_pool2d
from backburner.ops._operands import (
    flag,
    floating,
    integer,
    number,
    primitive,
    same_floats,
    shape_of,
    three_floats,
)
from backburner.ops.shape import pad


def batch_norm(
    x: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """Normalise each channel: in training by the statistics of this batch, else by the running ones (Ioffe and
    Szegedy 2015).

    Args:
        x: the batch.
        running_mean: the running mean; with ``training`` it may be ``None``, as the next.
        running_var: the running variance.
        weight: scales each channel afterwards.
        bias: is added to each channel last.
        training: whose statistics are used.
        momentum: the share of this batch in the new running statistics.
        eps: added to the variance.

    Returns:
        The normalised batch and the new running mean and variance, the old ones if not ``training``. Tensors
        are immutable, so nothing is changed in place. The batch is normalised by its biased variance; the
        running one gets the unbiased variance. An empty batch changes no statistics.

    Shape:
        x ``[n, c, ...]``; the others ``[c]``.

    Raises:
        ShapeError: the shapes do not fit, or with ``training`` there is one value per channel.
        ArgumentError: without ``training`` there are no running statistics.
    """
    eps = number("batch_norm", "eps", eps)
    momentum = number("batch_norm", "momentum", momentum)
    (held, w, b), device = same_floats("batch_norm", x, weight, bias)
    if held.ndim < 2:
        raise ShapeError(f"batch_norm: the input must be [n, c, ...], got {list(held.shape)}.")
    channels = held.shape[1:2]
    for name, given in (("running_mean", running_mean), ("running_var", running_var)):
        if given is not None:
            parameter("batch_norm", name, primitive(f"batch_norm: {name}", given), channels)
            device = merge("batch_norm", device, given.device)
    parameter("batch_norm", "weight", w, channels)
    parameter("batch_norm", "bias", b, channels)
    if not flag("batch_norm", "training", training):
        if running_mean is None or running_var is None:
            raise ArgumentError("batch_norm: without running statistics it takes training=True.")
        return _normalised(x, running_mean, running_var, weight, bias, eps), running_mean, running_var
    count = held.shape[0] * math.prod(held.shape[2:])
    if count == 1:
        raise ShapeError(
            f"batch_norm: one value per channel has no variance: {list(held.shape)}. Use a larger batch; to evaluate, training=False or a module's valid()."
        )
    out, mean, var = device.backend.batch_norm(held, w, b, eps=eps)
    if count == 0:
        return Tensor(out, device), running_mean, running_var
    plain = device.without_autodiff()
    new_mean = _moved(running_mean, Tensor(mean, plain), momentum)
    new_var = _moved(running_var, Tensor(var, plain) * (count / (count - 1)), momentum)
    return Tensor(out, device), new_mean, new_var


def _moved(running: Tensor | None, batch: Tensor, momentum: float) -> Tensor | None:
    if running is None:
        return None
    return (running.inner() * (1 - momentum) + batch.astype(running.dtype) * momentum).to(running.device)


def _normalised(
    x: Tensor, mean: Tensor, var: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float
) -> Tensor:
    held, device = same_floats("batch_norm", x, mean, var, weight, bias, required=3)
    return Tensor(device.backend.normalize_channels(*held, eps=eps), device)


def layer_norm(
    x: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise the last dimensions by their own mean and biased variance (Ba, Kiros and Hinton 2016).

    Args:
        x: a tensor.
        normalized_shape: the sizes of those dimensions.
        weight: scales each element afterwards.
        bias: is added to each element last.
        eps: added to the variance.

    Shape:
        x ``[..., *normalized_shape]``, weight and bias ``normalized_shape``; result as x.

    Raises:
        ShapeError: the shapes do not fit.
    """
    sizes = shape_of("layer_norm", normalized_shape)
    held, w, b, device = three_floats("layer_norm", x, weight, bias)
    if not sizes or held.shape[-len(sizes) :] != sizes:
        raise ShapeError(f"layer_norm: {list(held.shape)} does not end in normalized_shape {list(sizes)}.")
    parameter("layer_norm", "weight", w, sizes)
    parameter("layer_norm", "bias", b, sizes)
    eps = number("layer_norm", "eps", eps)
    return wrap(device.backend.layer_norm(held, w, b, ndim=len(sizes), eps=eps), device)


def rms_norm(
    x: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Divide by the root of the mean square over the last dimensions (Zhang and Sennrich 2019).

    Args:
        x: a tensor.
        normalized_shape: the sizes of those dimensions.
        weight: scales each element afterwards.
        eps: added to the mean square; by default the machine epsilon of the dtype.

    Shape:
        x ``[..., *normalized_shape]``, weight ``normalized_shape``; result as x.

    Raises:
        ShapeError: the shapes do not fit.
    """
    sizes = shape_of("rms_norm", normalized_shape)
    (held, w), device = same_floats("rms_norm", x, weight)
    if not sizes or held.shape[-len(sizes) :] != sizes:
        raise ShapeError(f"rms_norm: {list(held.shape)} does not end in normalized_shape {list(sizes)}.")
    parameter("rms_norm", "weight", w, sizes)
    eps = float(np.finfo(held.dtype).eps) if eps is None else number("rms_norm", "eps", eps)
    return wrap(device.backend.rms_norm(held, w, ndim=len(sizes), eps=eps), device)


def group_norm(
    x: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise groups of channels by their own mean and biased variance (Wu and He 2018).

    Args:
        x: the batch.
        num_groups: into how many groups of neighbours the channels are divided.
        weight: scales each channel afterwards.
        bias: is added to each channel last.
        eps: added to the variance.

    Shape:
        x ``[n, c, ...]``, weight and bias ``[c]``; result as x.

    Raises:
        ShapeError: the shapes do not fit, or the channels do not divide, or a single example has one value per group;
            with more examples that value becomes the bias, as in PyTorch.
    """
    groups, eps = integer("group_norm", "num_groups", num_groups), number("group_norm", "eps", eps)
    (held, w, b), device = same_floats("group_norm", x, weight, bias)
    if held.ndim < 2:
        raise ShapeError(f"group_norm: the input must be [n, c, ...], got {list(held.shape)}.")
    n, channels = held.shape[:2]
    if groups < 1 or channels % groups:
        raise ShapeError(f"group_norm: {channels} channels do not divide into {groups} groups.")
    parameter("group_norm", "weight", w, (channels,))
    parameter("group_norm", "bias", b, (channels,))
    if n * math.prod(held.shape[1:]) == groups:
        raise ShapeError(
            f"group_norm: one value per group of one example has no variance: {list(held.shape)}, {groups} groups."
        )
    return wrap(device.backend.group_norm(held, w, b, groups=groups, eps=eps), device)


def instance_norm(
    x: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """Normalise each channel of each example by its own statistics (Ulyanov, Vedaldi and Lempitsky 2016).

    Args:
        x: the batch.
        running_mean: the running mean; without ``use_input_stats`` it is what is subtracted.
        running_var: the running variance, alike.
        weight: scales each channel afterwards.
        bias: is added to each channel last.
        use_input_stats: normalise by the statistics of the input, not by the running ones.
        momentum: the share of this batch in the new running statistics.
        eps: added to the variance.

    Returns:
        What ``batch_norm`` does: the normalised batch and the new running statistics, which take the means over
        the examples.

    Shape:
        x ``[n, c, ...]``; the others ``[c]``.

    Raises:
        ShapeError: the shapes do not fit, or with ``use_input_stats`` there is one value per channel.
        ArgumentError: without ``use_input_stats`` there are no running statistics.
    """
    eps, momentum = number("instance_norm", "eps", eps), number("instance_norm", "momentum", momentum)
    (held, w, b), device = same_floats("instance_norm", x, weight, bias)
    if held.ndim < 2:
        raise ShapeError(f"instance_norm: the input must be [n, c, ...], got {list(held.shape)}.")
    n, channels = held.shape[:2]
    for name, given in (("running_mean", running_mean), ("running_var", running_var)):
        if given is not None:
            parameter("instance_norm", name, primitive(f"instance_norm: {name}", given), (channels,))
            device = merge("instance_norm", device, given.device)
    parameter("instance_norm", "weight", w, (channels,))
    parameter("instance_norm", "bias", b, (channels,))
    if not flag("instance_norm", "use_input_stats", use_input_stats):
        if running_mean is None or running_var is None:
            raise ArgumentError("instance_norm: without running statistics it takes use_input_stats=True.")
        return _normalised(x, running_mean, running_var, weight, bias, eps), running_mean, running_var
    count = math.prod(held.shape[2:])
    if count == 1:
        raise ShapeError(f"instance_norm: one value per channel has no variance: {list(held.shape)}.")
    backend = device.backend
    w, b = (p if p is None else _repeated(p, n, device) for p in (w, b))
    # as so many channels of one example
    single = backend.reshape(held, shape=(1, n * channels, count))
    normal, mean, var = backend.batch_norm(single, w, b, eps=eps)
    out = Tensor(backend.reshape(normal, shape=held.shape), device)
    if count == 0 or n == 0:
        return out, running_mean, running_var
    plain = device.without_autodiff()
    means, variances = (Tensor(s.reshape(n, channels), plain).mean(axis=0) for s in (mean, var))
    unbiased = variances * (count / (count - 1))
    return out, _moved(running_mean, means, momentum), _moved(running_var, unbiased, momentum)


def _repeated(x: Any, n: int, device: Device) -> Any:
    """Return ``n`` copies of a vector, one after another."""
    backend, c = device.backend, x.shape[0]
    return backend.reshape(backend.broadcast_to(x, shape=(n, c)), shape=(n * c,))


def local_response_norm(
    x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divide by ``(k + alpha * s)**beta``, ``s`` being the mean square over neighbouring channels (Krizhevsky 2012).

    Args:
        x: the batch.
        size: of how many channels the mean is, ``size // 2`` of them before; those outside count as 0.
        alpha: see above.
        beta: see above.
        k: see above.

    Shape:
        x ``[n, c, ...]`` with at least three dimensions; result as x.

    Raises:
        ShapeError: ``x`` has less than three dimensions.
        ArgumentError: ``size`` is less than 1.
    """
    size = integer("local_response_norm", "size", size)
    alpha, beta, k = (
        finite("local_response_norm", name, value)
        for name, value in (("alpha", alpha), ("beta", beta), ("k", k))
    )
    x = Tensor(floating("local_response_norm", x), x.device)
    if x.ndim < 3:
        raise ShapeError(f"local_response_norm: the input must be [n, c, l, ...], got {list(x.shape)}.")
    if size < 1:
        raise ArgumentError(f"local_response_norm: size must be at least 1, got {size}.")
    if x.size == 0:
        return x
    n, channels = x.shape[:2]
    # of a window beyond all channels only the divisor grows
    before, after = min(size // 2, channels - 1), min((size - 1) // 2, channels - 1)
    window = before + 1 + after
    columns = pad((x * x).reshape((n, 1, channels, -1)), ((0, 0), (0, 0), (before, after), (0, 0)))
    mean = avg_pool2d(columns, (window, 1), 1).reshape(x.shape)
    return x / (mean * (alpha * (window / size)) + k) ** beta
