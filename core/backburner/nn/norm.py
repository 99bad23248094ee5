"""Normalisation as modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from backburner._tensor import Tensor
from backburner.device import Device
from backburner.errors import ShapeError
from backburner.nn import functional as F
from backburner.nn._module import Module
from backburner.nn._parameter import Buffer, Parameter
from backburner.ops._operands import number, shape_of
from backburner.ops.creation import ones, zeros


class _BatchNorm(Module):
    """``functional.batch_norm`` over the channels, axis 1.

    While the module trains it normalises by the batch and moves its running statistics; otherwise it uses
    them. When a region is recomputed for the backward pass they stay as they are.

    Args:
        num_features: the number of channels.
        eps: added to the variance.
        momentum: the share of a batch in the running statistics; ``None`` makes them the mean of all batches.
        affine: whether there are a weight and a bias.
        track_running_stats: without, the batch's own statistics are used always.
        device: where the parameters are.
        dtype: theirs; float32 by default.
    """

    _ranks: ClassVar[tuple[int, ...]]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        name = type(self).__name__
        size = shape_of(name, (num_features,))
        self.num_features = size[0]
        self.eps = number(name, "eps", eps)
        self.momentum = None if momentum is None else number(name, "momentum", momentum)
        self.affine = affine
        self.track_running_stats = track_running_stats
        self.weight = Parameter(ones(size, dtype=dtype, device=device)) if affine else None
        self.bias = Parameter(zeros(size, dtype=dtype, device=device)) if affine else None
        self.running_mean = Buffer(zeros(size, dtype=dtype, device=device)) if track_running_stats else None
        self.running_var = Buffer(ones(size, dtype=dtype, device=device)) if track_running_stats else None
        self.num_batches_tracked = (
            Buffer(zeros((), dtype="int64", device=device)) if track_running_stats else None
        )

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim not in self._ranks:
            ranks = " or ".join(map(str, self._ranks))
            raise ShapeError(f"{type(self).__name__}: needs {ranks} dimensions, got {list(x.shape)}.")
        if x.shape[1] != self.num_features:
            raise ShapeError(
                f"{type(self).__name__}: takes {self.num_features} channels, got {list(x.shape)} with {x.shape[1]}."
            )
        mean, var, batches = self.running_mean, self.running_var, self.num_batches_tracked
        if mean is None or var is None or batches is None:
            return F.batch_norm(x, None, None, self.weight, self.bias, True, 0.0, self.eps)[0]
        share = 1 / (int(batches) + 1) if self.momentum is None else self.momentum
        out, new_mean, new_var = F.batch_norm(
            x, mean, var, self.weight, self.bias, self.training, share, self.eps
        )
        if self.training and new_mean is not None and new_mean is not mean:
            assert new_var is not None
            mean.assign(new_mean)
            var.assign(new_var)
            batches.assign(batches + 1)
        return out

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    __doc__ = (_BatchNorm.__doc__ or "") + "\n    Shape:\n        ``[n, c]`` or ``[n, c, l]``.\n    "
    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    __doc__ = (_BatchNorm.__doc__ or "") + "\n    Shape:\n        ``[n, c, h, w]``.\n    "
    _ranks = (4,)


class LayerNorm(Module):
    """``functional.layer_norm`` over the last dimensions.

    Args:
        normalized_shape: their sizes.
        eps: added to the variance.
        elementwise_affine: whether there is a weight.
        bias: whether there is a bias too.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        ``[..., *normalized_shape]``; weight and bias ``normalized_shape``.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        shape = shape_of("LayerNorm", normalized_shape)
        self.normalized_shape = shape
        self.eps = number("LayerNorm", "eps", eps)
        self.elementwise_affine = elementwise_affine
        self.weight = Parameter(ones(shape, dtype=dtype, device=device)) if elementwise_affine else None
        self.bias = (
            Parameter(zeros(shape, dtype=dtype, device=device)) if elementwise_affine and bias else None
        )

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        text = f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        return f"{text}, bias=False" if self.elementwise_affine and self.bias is None else text
