"""Convolutions as modules."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

from backburner._tensor import Tensor
from backburner.device import Device
from backburner.errors import ArgumentError
from backburner.nn import functional as F
from backburner.nn._checks import count, flag
from backburner.nn._module import Module
from backburner.nn.functional._options import Size, per_axis
from backburner.nn.init import uniform_fan_in
from backburner.ops._operands import chosen

_MODES = ("zeros", "reflect", "replicate", "circular")


class _Kernels(Module):
    """What convolutions share: kernels over ``_axes`` spatial axes, a bias, and the options of both."""

    _axes: ClassVar[int]
    _function: ClassVar[Callable[..., Tensor]]
    padding: tuple[int, ...] | str
    output_padding: tuple[int, ...]

    def _take(
        self, sizes: tuple[int, int], kernel_size: Size, stride: Size, dilation: Size, groups: int
    ) -> None:
        name, axes = type(self).__name__, self._axes
        self.in_channels = count(name, "in_channels", sizes[0])
        self.out_channels = count(name, "out_channels", sizes[1])
        self.groups = count(name, "groups", groups)
        if self.in_channels % self.groups or self.out_channels % self.groups:
            raise ArgumentError(
                f"{name}: groups={groups} does not divide {self.in_channels} and {self.out_channels} channels."
            )
        self.kernel_size = per_axis(name, "kernel_size", kernel_size, axes, 1)
        self.stride = per_axis(name, "stride", stride, axes, 1)
        self.dilation = per_axis(name, "dilation", dilation, axes, 1)
        self.output_padding = (0,) * axes

    def _make(self, shape: tuple[int, int], bias: bool, device: Device | None, dtype: Any) -> None:
        """Make the parameters; PyTorch counts as inputs what the second axis of the weight says."""
        fan_in = shape[1] * math.prod(self.kernel_size)
        has_bias = flag(type(self).__name__, "bias", bias)
        self.weight = uniform_fan_in((*shape, *self.kernel_size), fan_in, dtype, device)
        self.bias = uniform_fan_in((self.out_channels,), fan_in, dtype, device) if has_bias else None

    def extra_repr(self) -> str:
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        )
        none, one = (0,) * self._axes, (1,) * self._axes
        usual = {"padding": none, "dilation": one, "output_padding": none, "groups": 1}
        shown = [name for name, value in usual.items() if getattr(self, name) != value]
        text = ", ".join([text, *(f"{name}={getattr(self, name)}" for name in shown)])
        if self.bias is None:
            text += ", bias=False"
        return text if self.padding_mode == "zeros" else f"{text}, padding_mode={self.padding_mode}"


class _Conv(_Kernels):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size | str = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        name, axes = type(self).__name__, self._axes
        self._take((in_channels, out_channels), kernel_size, stride, dilation, groups)
        chosen(name, "padding_mode", padding_mode, _MODES)
        self.padding_mode = padding_mode
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ArgumentError(f"{name}: padding must be numbers, 'same' or 'valid', got {padding!r}.")
            if padding == "same" and self.stride != (1,) * axes:
                raise ArgumentError(f"{name}: padding='same' takes stride 1, got {stride}.")
            self.padding = padding
        else:
            self.padding = per_axis(name, "padding", padding, axes, 0)
        self._make((self.out_channels, self.in_channels // self.groups), bias, device, dtype)

    def _frame(self) -> tuple[int, ...]:
        """Return how much goes before and after each axis, the last one first, as ``functional.pad`` takes it."""
        if self.padding == "valid":
            sides = [(0, 0)] * self._axes
        elif self.padding == "same":
            more = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
            sides = [(n // 2, n - n // 2) for n in more]
        else:
            sides = [(int(n), int(n)) for n in self.padding]
        return tuple(n for side in reversed(sides) for n in side)

    def forward(self, x: Tensor) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            x, padding = F.pad(x, self._frame(), self.padding_mode), (0,) * self._axes
        return self._function(x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_Conv):
    """Convolve signals with learned kernels; see ``functional.conv1d``.

    Args:
        in_channels: the channels of the input.
        out_channels: those of the output.
        kernel_size: the length of a kernel.
        stride: the step between windows.
        padding: how much goes on either side, ``"same"`` or ``"valid"``; see ``Conv2d``.
        dilation: the distance between taps.
        groups: how many parts the channels are divided into.
        bias: whether there is one.
        padding_mode: ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        input ``[n, in_channels, l]`` or ``[in_channels, l]``, output ``[n, out_channels, ol]``; weight
        ``[out_channels, in_channels / groups, k]``, bias ``[out_channels]``.

    Raises:
        ArgumentError: ``groups`` does not divide both numbers of channels, or an option has no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Conv1d(2, 4, 3, padding="same", padding_mode="circular")(bb.ones((1, 2, 8))).shape
        (1, 4, 8)
    """

    _axes = 1
    _function = staticmethod(F.conv1d)


class Conv2d(_Conv):
    """Convolve images with learned kernels; see ``functional.conv2d``.

    Args:
        in_channels: the channels of the input.
        out_channels: those of the output.
        kernel_size: one int, or one for height and one for width; as the next three.
        stride: the step between windows.
        padding: how much goes on either side; ``"same"`` keeps the size, ``"valid"`` is 0.
        dilation: the distance between taps.
        groups: how many parts the channels are divided into.
        bias: whether there is one.
        padding_mode: what the padding is: ``"zeros"``, or as in ``functional.pad`` ``"reflect"``, ``"replicate"`` or
            ``"circular"``.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        input ``[n, in_channels, h, w]`` or ``[in_channels, h, w]``, output ``[n, out_channels, oh, ow]``; weight
        ``[out_channels, in_channels / groups, kh, kw]``, bias ``[out_channels]``.

    Raises:
        ArgumentError: ``groups`` does not divide both numbers of channels, or an option has no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Conv2d(3, 8, (3, 5), stride=2, padding=1)(bb.ones((3, 16, 16))).shape
        (8, 8, 7)
    """

    _axes = 2
    _function = staticmethod(F.conv2d)


class Conv3d(_Conv):
    """Convolve volumes with learned kernels; see ``functional.conv3d``.

    Args:
        in_channels: the channels of the input.
        out_channels: those of the output.
        kernel_size: one int, or one each for depth, height and width; as the next three.
        stride: the step between windows.
        padding: how much goes on either side, ``"same"`` or ``"valid"``; see ``Conv2d``.
        dilation: the distance between taps.
        groups: how many parts the channels are divided into.
        bias: whether there is one.
        padding_mode: ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        input ``[n, in_channels, d, h, w]`` or ``[in_channels, d, h, w]``, output ``[n, out_channels, od, oh, ow]``;
        weight ``[out_channels, in_channels / groups, kd, kh, kw]``, bias ``[out_channels]``.

    Raises:
        ArgumentError: ``groups`` does not divide both numbers of channels, or an option has no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Conv3d(1, 2, 3)(bb.ones((1, 1, 4, 5, 6))).shape
        (1, 2, 2, 3, 4)
    """

    _axes = 3
    _function = staticmethod(F.conv3d)


class _ConvTranspose(_Kernels):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        name, axes = type(self).__name__, self._axes
        if padding_mode != "zeros":
            raise ArgumentError(f"{name}: padding_mode must be 'zeros', got {padding_mode!r}.")
        self.padding_mode = padding_mode
        self._take((in_channels, out_channels), kernel_size, stride, dilation, groups)
        self.padding = per_axis(name, "padding", padding, axes, 0)
        self.output_padding = per_axis(name, "output_padding", output_padding, axes, 0)
        limits = [max(s, d) for s, d in zip(self.stride, self.dilation, strict=True)]
        if any(n >= limit for n, limit in zip(self.output_padding, limits, strict=True)):
            raise ArgumentError(
                f"{name}: output_padding must be less than stride or dilation, got {output_padding}, stride "
                f"{stride}, dilation {dilation}."
            )
        self._make((self.in_channels, self.out_channels // self.groups), bias, device, dtype)

    def _missing(self, x: Tensor, output_size: Any) -> tuple[int, ...]:
        """Return by how much the result is to be larger than without output padding."""
        name, axes = type(self).__name__, self._axes
        wanted = tuple(output_size)
        if len(wanted) == x.ndim:
            wanted = wanted[x.ndim - axes :]
        if len(wanted) != axes:
            raise ArgumentError(
                f"{name}: output_size has {axes} sizes, or all {x.ndim} of the output, got {output_size}."
            )
        assert not isinstance(self.padding, str)
        options = zip(
            x.shape[-axes:], self.stride, self.padding, self.dilation, self.kernel_size, strict=True
        )
        least = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in options]
        more = tuple(size - low for size, low in zip(wanted, least, strict=True))
        if any(not 0 <= m < s for m, s in zip(more, self.stride, strict=True)):
            most = [low + s - 1 for low, s in zip(least, self.stride, strict=True)]
            raise ArgumentError(
                f"{name}: output_size {list(wanted)} cannot come from {list(x.shape)}: it is from {least} to {most}."
            )
        return more

    def forward(self, x: Tensor, output_size: Any = None) -> Tensor:
        more = self.output_padding
        if output_size is not None and isinstance(x, Tensor) and x.ndim in (self._axes + 1, self._axes + 2):
            more = self._missing(x, output_size)
        return self._function(
            x, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation
        )


class ConvTranspose1d(_ConvTranspose):
    """Spread signals by learned kernels, the adjoint of ``Conv1d``; see ``functional.conv_transpose1d``.

    Args:
        in_channels: the channels of the input.
        out_channels: those of the output.
        kernel_size: the length of a kernel.
        stride: the step between kernels.
        padding: how much is cut off on either side.
        output_padding: how much longer the result is at its end.
        groups: how many parts the channels are divided into.
        bias: whether there is one.
        dilation: the distance between taps.
        padding_mode: ``"zeros"``, there is no other.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        input ``[n, in_channels, l]`` or ``[in_channels, l]``, output ``[n, out_channels, ol]``; weight
        ``[in_channels, out_channels / groups, k]``, bias ``[out_channels]``. ``forward(x, output_size=...)`` says which
        of the possible sizes is meant, in place of ``output_padding``.

    Raises:
        ArgumentError: ``groups`` does not divide both numbers of channels, or an option has no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ConvTranspose1d(2, 4, 3, stride=2)(bb.ones((1, 2, 8)), output_size=[18]).shape
        (1, 4, 18)
    """

    _axes = 1
    _function = staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_ConvTranspose):
    """Spread images by learned kernels, the adjoint of ``Conv2d``; see ``functional.conv_transpose2d``.

    Args:
        in_channels: the channels of the input.
        out_channels: those of the output.
        kernel_size: one int, or one for height and one for width; as the next three and ``dilation``.
        stride: the step between kernels.
        padding: how much is cut off on either side.
        output_padding: how much larger the result is at its lower and right side.
        groups: how many parts the channels are divided into.
        bias: whether there is one.
        dilation: the distance between taps.
        padding_mode: ``"zeros"``, there is no other.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        input ``[n, in_channels, h, w]`` or ``[in_channels, h, w]``, output ``[n, out_channels, oh, ow]``; weight
        ``[in_channels, out_channels / groups, kh, kw]``, bias ``[out_channels]``. ``forward(x, output_size=...)`` says
        which of the possible sizes is meant, in place of ``output_padding``.

    Raises:
        ArgumentError: ``groups`` does not divide both numbers of channels, or an option has no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ConvTranspose2d(8, 3, 4, stride=2, padding=1)(bb.ones((1, 8, 7, 7))).shape
        (1, 3, 14, 14)
    """

    _axes = 2
    _function = staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_ConvTranspose):
    """Spread volumes by learned kernels, the adjoint of ``Conv3d``; see ``functional.conv_transpose3d``.

    Args:
        in_channels: the channels of the input.
        out_channels: those of the output.
        kernel_size: one int, or one each for depth, height and width; as the next three and ``dilation``.
        stride: the step between kernels.
        padding: how much is cut off on either side.
        output_padding: how much larger the result is at the end of each axis.
        groups: how many parts the channels are divided into.
        bias: whether there is one.
        dilation: the distance between taps.
        padding_mode: ``"zeros"``, there is no other.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        input ``[n, in_channels, d, h, w]`` or ``[in_channels, d, h, w]``, output ``[n, out_channels, od, oh, ow]``;
        weight ``[in_channels, out_channels / groups, kd, kh, kw]``, bias ``[out_channels]``.
        ``forward(x, output_size=...)`` says which of the possible sizes is meant, in place of ``output_padding``.

    Raises:
        ArgumentError: ``groups`` does not divide both numbers of channels, or an option has no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ConvTranspose3d(2, 1, 2, stride=2)(bb.ones((1, 2, 2, 3, 4))).shape
        (1, 1, 4, 6, 8)
    """

    _axes = 3
    _function = staticmethod(F.conv_transpose3d)
