"""Normalisation."""

from __future__ import annotations

import math
from collections.abc import Sequence

from backburner._tensor import Tensor
from backburner.device import merge
from backburner.errors import ArgumentError, ShapeError
from backburner.nn.functional._options import parameter
from backburner.ops._operands import number, primitive, same_floats, shape_of


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
    if not training:
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
    wide = (-1,) + (1,) * (x.ndim - 2)
    scale = 1 / (var + eps).sqrt()
    if weight is not None:
        scale = scale * weight
    out = (x - mean.reshape(wide)) * scale.reshape(wide)
    return out if bias is None else out + bias.reshape(wide)


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
    (held, w, b), device = same_floats("layer_norm", x, weight, bias)
    if not sizes or held.shape[-len(sizes) :] != sizes:
        raise ShapeError(f"layer_norm: {list(held.shape)} does not end in normalized_shape {list(sizes)}.")
    parameter("layer_norm", "weight", w, sizes)
    parameter("layer_norm", "bias", b, sizes)
    eps = number("layer_norm", "eps", eps)
    return Tensor(device.backend.layer_norm(held, w, b, ndim=len(sizes), eps=eps), device)
