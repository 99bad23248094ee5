"""Convolutions as modules."""

from __future__ import annotations

from typing import Any

from backburner._tensor import Tensor
from backburner.device import Device
from backburner.errors import ArgumentError
from backburner.nn import functional as F
from backburner.nn._module import Module
from backburner.nn.functional._options import Size2, pair
from backburner.nn.init import uniform_fan_in
from backburner.ops._operands import integer, shape_of


class Conv2d(Module):
    """``functional.conv2d`` with its own kernels and bias.

    Args:
        in_channels: the channels of the input.
        out_channels: those of the output.
        kernel_size: one int, or one for height and one for width; as the next three.
        stride: the step between windows.
        padding: zeros on either side, ``"same"`` or ``"valid"``.
        dilation: the distance between taps.
        groups: how many parts the channels are divided into.
        bias: whether there is one.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        input ``[n, in_channels, h, w]``, output ``[n, out_channels, oh, ow]``; weight
        ``[out_channels, in_channels / groups, kh, kw]``, bias ``[out_channels]``.

    Raises:
        ArgumentError: ``groups`` does not divide both numbers of channels.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size2,
        stride: Size2 = 1,
        padding: Size2 | str = 0,
        dilation: Size2 = 1,
        groups: int = 1,
        bias: bool = True,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        self.in_channels, self.out_channels = shape_of("Conv2d", (in_channels, out_channels))
        groups = integer("Conv2d", "groups", groups)
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ArgumentError(
                f"Conv2d: groups={groups} does not divide {in_channels} and {out_channels} channels."
            )
        self.kernel_size = pair("Conv2d", "kernel_size", kernel_size, 1)
        self.stride = pair("Conv2d", "stride", stride, 1)
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ArgumentError(f"Conv2d: padding must be numbers, 'same' or 'valid', got {padding!r}.")
        self.padding = padding if isinstance(padding, str) else pair("Conv2d", "padding", padding, 0)
        self.dilation = pair("Conv2d", "dilation", dilation, 1)
        self.groups = groups
        fan_in = in_channels // groups * self.kernel_size[0] * self.kernel_size[1]
        self.weight = uniform_fan_in(
            (out_channels, in_channels // groups, *self.kernel_size), fan_in, dtype, device
        )
        self.bias = uniform_fan_in((out_channels,), fan_in, dtype, device) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return F.conv2d(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        )
        for name, usual in (("padding", (0, 0)), ("dilation", (1, 1)), ("groups", 1)):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)!r}"
        return text if self.bias is not None else f"{text}, bias=False"
