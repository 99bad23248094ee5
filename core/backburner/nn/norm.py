"""Normalisation as modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from backburner._tensor import Tensor
from backburner.device import Device
from backburner.errors import ArgumentError, ShapeError
from backburner.nn import functional as F
from backburner.nn._checks import count, flag, within
from backburner.nn._module import Module
from backburner.nn._parameter import Buffer, Parameter
from backburner.nn.functional._options import finite
from backburner.ops._operands import shape_of
from backburner.ops.creation import ones, zeros


class _RunningNorm(Module):
    """What batch and instance norm share: options, a weight and a bias, and running statistics."""

    _ranks: ClassVar[tuple[int, ...]]

    def _take(
        self,
        num_features: int,
        eps: float,
        momentum: float | None,
        affine: bool,
        track_running_stats: bool,
        bias: bool,
        device: Device | None,
        dtype: Any,
    ) -> None:
        name = type(self).__name__
        size = (count(name, "num_features", num_features, 0),)
        self.num_features = size[0]
        self.eps = within(name, "eps", eps, 0)
        self.momentum = None if momentum is None else finite(name, "momentum", momentum)
        self.affine = flag(name, "affine", affine)
        self.track_running_stats = tracks = flag(name, "track_running_stats", track_running_stats)
        has_bias = flag(name, "bias", bias) and self.affine
        self.weight = Parameter(ones(size, dtype=dtype, device=device)) if self.affine else None
        self.bias = Parameter(zeros(size, dtype=dtype, device=device)) if has_bias else None
        self.running_mean = Buffer(zeros(size, dtype=dtype, device=device)) if tracks else None
        self.running_var = Buffer(ones(size, dtype=dtype, device=device)) if tracks else None
        self.num_batches_tracked = Buffer(zeros((), dtype="int64", device=device)) if tracks else None

    def _check(self, x: Tensor, axis: int) -> None:
        if isinstance(x, Tensor) and x.ndim not in self._ranks:
            ranks = " or ".join(map(str, self._ranks))
            raise ShapeError(f"{type(self).__name__}: needs {ranks} dimensions, got {list(x.shape)}.")
        state = (self.weight, self.running_mean)
        if isinstance(x, Tensor) and x.shape[axis] != self.num_features and any(s is not None for s in state):
            raise ShapeError(
                f"{type(self).__name__}: takes {self.num_features} channels, got {list(x.shape)} with "
                f"{x.shape[axis]}."
            )

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_RunningNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device | None = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        self._take(num_features, eps, momentum, affine, track_running_stats, bias, device, dtype)

    def forward(self, x: Tensor) -> Tensor:
        self._check(x, 1)
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


class _InstanceNorm(_RunningNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Device | None = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        self._take(num_features, eps, momentum, affine, track_running_stats, bias, device, dtype)

    def forward(self, x: Tensor) -> Tensor:
        single, batch = self._ranks
        self._check(x, 0 if isinstance(x, Tensor) and x.ndim == single else 1)
        if isinstance(x, Tensor) and x.ndim == single:
            return self._normalised(x.reshape((1, *x.shape))).reshape(x.shape)
        return self._normalised(x)

    def _normalised(self, x: Tensor) -> Tensor:
        mean, var = self.running_mean, self.running_var
        by_input = self.training or mean is None
        momentum = self.momentum or 0.0
        out, new_mean, new_var = F.instance_norm(
            x, mean, var, self.weight, self.bias, by_input, momentum, self.eps
        )
        if self.training and mean is not None and var is not None and new_mean is not mean:
            assert new_mean is not None and new_var is not None
            mean.assign(new_mean)
            var.assign(new_var)
        return out


class BatchNorm1d(_BatchNorm):
    """Normalise each channel, axis 1, over the batch; see ``functional.batch_norm``.

    While the module trains it normalises by the batch and moves its running statistics; otherwise it uses
    them. When a region is recomputed for the backward pass they stay as they are. Gradients of several small
    batches that are added up are not those of one large batch: each was normalised by its own statistics.

    Args:
        num_features: the number of channels.
        eps: added to the variance.
        momentum: the share of a batch in the running statistics; ``None`` makes them the mean of all batches.
        affine: whether there are a weight and a bias.
        track_running_stats: without, the batch's own statistics are used always.
        device: where the parameters are.
        dtype: theirs; float32 by default.
        bias: with ``affine``, whether there is a bias too.

    Shape:
        ``[n, c]`` or ``[n, c, l]``; weight, bias, running_mean and running_var ``[c]``.

    Raises:
        ShapeError: the input has another shape, or in training one value per channel.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> layer = nn.BatchNorm1d(1).to(bb.Device.cpu().autodiff())
        >>> layer(bb.tensor([[1.0], [3.0]])).round().tolist()  # by the batch, while it trains
        [[-1.0], [1.0]]
        >>> layer.running_mean.tolist()
        [0.20000000298023224]
    """

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalise each channel of images, axis 1, over the batch; its options are those of ``BatchNorm1d``.

    Shape:
        ``[n, c, h, w]``; weight, bias, running_mean and running_var ``[c]``.

    Raises:
        ShapeError: the input has another shape, or in training one value per channel.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.BatchNorm2d(3)(bb.ones((2, 3, 4, 5))).shape
        (2, 3, 4, 5)
    """

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalise each channel of volumes, axis 1, over the batch; its options are those of ``BatchNorm1d``.

    Shape:
        ``[n, c, d, h, w]``; weight, bias, running_mean and running_var ``[c]``.

    Raises:
        ShapeError: the input has another shape, or in training one value per channel.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.BatchNorm3d(3)(bb.ones((2, 3, 4, 5, 6))).shape
        (2, 3, 4, 5, 6)
    """

    _ranks = (5,)


class InstanceNorm1d(_InstanceNorm):
    """Normalise each channel of each example by itself; see ``functional.instance_norm``.

    With ``track_running_stats`` the running statistics move while the module trains, and are used otherwise.

    Args:
        num_features: the number of channels; without ``affine`` and ``track_running_stats`` nothing depends on it.
        eps: added to the variance.
        momentum: the share of a batch in the running statistics; with ``None`` they stay.
        affine: whether there are a weight and a bias.
        track_running_stats: whether there are running statistics.
        device: where the parameters are.
        dtype: theirs; float32 by default.
        bias: with ``affine``, whether there is a bias too.

    Shape:
        ``[n, c, l]`` or ``[c, l]``; weight, bias, running_mean and running_var ``[c]``.

    Raises:
        ShapeError: the input has another shape, or one value per channel.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.InstanceNorm1d(1)(bb.tensor([[[1.0, 3.0]]])).round().tolist()
        [[[-1.0, 1.0]]]
    """

    _ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalise each channel of each image by itself; its options are those of ``InstanceNorm1d``.

    Shape:
        ``[n, c, h, w]`` or ``[c, h, w]``; weight, bias, running_mean and running_var ``[c]``.

    Raises:
        ShapeError: the input has another shape, or one value per channel.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.InstanceNorm2d(1)(bb.tensor([[[[1.0, 3.0]]]])).round().tolist()
        [[[[-1.0, 1.0]]]]
    """

    _ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalise each channel of each volume by itself; its options are those of ``InstanceNorm1d``.

    Shape:
        ``[n, c, d, h, w]`` or ``[c, d, h, w]``; weight, bias, running_mean and running_var ``[c]``.

    Raises:
        ShapeError: the input has another shape, or one value per channel.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.InstanceNorm3d(1)(bb.tensor([[[[[1.0, 3.0]]]]])).round().tolist()
        [[[[[-1.0, 1.0]]]]]
    """

    _ranks = (4, 5)


class GroupNorm(Module):
    """Normalise groups of channels of each example by themselves; see ``functional.group_norm``.

    Args:
        num_groups: into how many groups of neighbours the channels are divided.
        num_channels: the number of channels, a multiple of it; without ``affine`` another multiple does as well.
        eps: added to the variance.
        affine: whether there are a weight and a bias.
        device: where the parameters are.
        dtype: theirs; float32 by default.
        bias: with ``affine``, whether there is a bias too.

    Shape:
        ``[n, num_channels, ...]``; weight and bias ``[num_channels]``.

    Raises:
        ArgumentError: the channels do not divide into the groups.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.GroupNorm(2, 6)(bb.ones((1, 6, 4))).shape
        (1, 6, 4)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Device | None = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        self.num_groups = count("GroupNorm", "num_groups", num_groups)
        self.num_channels = count("GroupNorm", "num_channels", num_channels)
        if self.num_channels % self.num_groups:
            raise ArgumentError(
                f"GroupNorm: {self.num_channels} channels do not divide into {self.num_groups} groups."
            )
        self.eps = within("GroupNorm", "eps", eps, 0)
        self.affine = flag("GroupNorm", "affine", affine)
        has_bias = flag("GroupNorm", "bias", bias) and self.affine
        size = (self.num_channels,)
        self.weight = Parameter(ones(size, dtype=dtype, device=device)) if self.affine else None
        self.bias = Parameter(zeros(size, dtype=dtype, device=device)) if has_bias else None

    def forward(self, x: Tensor) -> Tensor:
        has_state = self.weight is not None
        if has_state and isinstance(x, Tensor) and x.ndim > 1 and x.shape[1] != self.num_channels:
            raise ShapeError(
                f"GroupNorm: takes {self.num_channels} channels, got {list(x.shape)} with {x.shape[1]}."
            )
        return F.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LayerNorm(Module):
    """Normalise the last dimensions by themselves; see ``functional.layer_norm``.

    Args:
        normalized_shape: their sizes.
        eps: added to the variance.
        elementwise_affine: whether there is a weight.
        bias: whether there is a bias too.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        ``[..., *normalized_shape]``; weight and bias ``normalized_shape``.

    Raises:
        ShapeError: the input ends in other sizes.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> [round(n, 3) for n in nn.LayerNorm(2)(bb.tensor([1.0, 3.0])).tolist()]
        [-1.0, 1.0]
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
        self.eps = within("LayerNorm", "eps", eps, 0)
        self.elementwise_affine = affine = flag("LayerNorm", "elementwise_affine", elementwise_affine)
        has_bias = flag("LayerNorm", "bias", bias) and affine
        self.weight = Parameter(ones(shape, dtype=dtype, device=device)) if affine else None
        self.bias = Parameter(zeros(shape, dtype=dtype, device=device)) if has_bias else None

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Divide by the root of the mean square over the last dimensions; see ``functional.rms_norm``.

    Args:
        normalized_shape: their sizes.
        eps: added to the mean square; by default the machine epsilon of the input's dtype.
        elementwise_affine: whether there is a weight.
        device: where the weight is.
        dtype: its dtype; float32 by default.

    Shape:
        ``[..., *normalized_shape]``; weight ``normalized_shape``.

    Raises:
        ShapeError: the input ends in other sizes.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.RMSNorm(4)(bb.full((2, 4), 3.0)).tolist()[0]
        [1.0, 1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        self.normalized_shape = shape = shape_of("RMSNorm", normalized_shape)
        self.eps = None if eps is None else within("RMSNorm", "eps", eps, 0)
        self.elementwise_affine = flag("RMSNorm", "elementwise_affine", elementwise_affine)
        self.weight = Parameter(ones(shape, dtype=dtype, device=device)) if self.elementwise_affine else None

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LocalResponseNorm(Module):
    """Divide by a power of the mean square over neighbouring channels; see ``functional.local_response_norm``.

    Args:
        size: of how many channels.
        alpha: by what the mean square is multiplied.
        beta: the power.
        k: added to the mean square.

    Shape:
        ``[n, c, ...]`` with at least three dimensions; so is the output.

    Raises:
        ArgumentError: ``size`` is less than 1.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.LocalResponseNorm(3)(bb.ones((1, 6, 4))).shape
        (1, 6, 4)
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        name = type(self).__name__
        self.size = count(name, "size", size)
        for option, value in (("alpha", alpha), ("beta", beta), ("k", k)):
            finite(name, option, value)
            setattr(self, option, value)

    def forward(self, x: Tensor) -> Tensor:
        return F.local_response_norm(x, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
