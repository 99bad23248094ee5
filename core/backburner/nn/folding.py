"""Windows as columns and back, and the shuffles of channels and pixels, as modules."""

from __future__ import annotations

from backburner._tensor import Tensor
from backburner.nn import functional as F
from backburner.nn._checks import count
from backburner.nn._module import Module
from backburner.nn.functional._options import Size, pair


class Unfold(Module):
    """Lay the windows of images out as columns; see ``functional.unfold``.

    Args:
        kernel_size: the size of a window; one int, or one for height and one for width, as the rest.
        dilation: the distance between the taps of a window.
        padding: zeros on either side.
        stride: the step between windows.

    Shape:
        input ``[n, c, h, w]`` or ``[c, h, w]``, output ``[n, c * kh * kw, oh * ow]``.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Unfold(2)(bb.ones((1, 3, 4, 5))).shape
        (1, 12, 12)
    """

    def __init__(self, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1) -> None:
        for name, value, least in (
            ("kernel_size", kernel_size, 1),
            ("dilation", dilation, 1),
            ("padding", padding, 0),
            ("stride", stride, 1),
        ):
            pair("Unfold", name, value, least)
            setattr(self, name, value)

    def forward(self, x: Tensor) -> Tensor:
        return F.unfold(x, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        names = ("kernel_size", "dilation", "padding", "stride")
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class Fold(Module):
    """Add columns up to images, the adjoint of ``Unfold``; see ``functional.fold``.

    Args:
        output_size: height and width of an image; one int, or one for each, as the rest.
        kernel_size: the size of a window.
        dilation: the distance between the taps of a window.
        padding: how far windows reach over each side.
        stride: the step between windows.

    Shape:
        input ``[n, c * kh * kw, oh * ow]`` or ``[c * kh * kw, oh * ow]``, output ``[n, c, *output_size]``.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Fold((4, 5), 2)(bb.ones((1, 12, 12))).shape
        (1, 3, 4, 5)
    """

    def __init__(
        self, output_size: Size, kernel_size: Size, dilation: Size = 1, padding: Size = 0, stride: Size = 1
    ) -> None:
        for name, value, least in (
            ("output_size", output_size, 1),
            ("kernel_size", kernel_size, 1),
            ("dilation", dilation, 1),
            ("padding", padding, 0),
            ("stride", stride, 1),
        ):
            pair("Fold", name, value, least)
            setattr(self, name, value)

    def forward(self, x: Tensor) -> Tensor:
        return F.fold(x, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        names = ("output_size", "kernel_size", "dilation", "padding", "stride")
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)


class PixelShuffle(Module):
    """Make images larger by channels that become squares of pixels; see ``functional.pixel_shuffle``.

    Args:
        upscale_factor: the side ``r`` of a square.

    Shape:
        input ``[..., c * r ** 2, h, w]``, output ``[..., c, h * r, w * r]``.

    Raises:
        ArgumentError: ``upscale_factor`` is below 1.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.PixelShuffle(2)(bb.ones((1, 8, 3, 3))).shape
        (1, 2, 6, 6)
    """

    def __init__(self, upscale_factor: int) -> None:
        self.upscale_factor = count("PixelShuffle", "upscale_factor", upscale_factor)

    def forward(self, x: Tensor) -> Tensor:
        return F.pixel_shuffle(x, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Make images smaller by squares of pixels that become channels; see ``functional.pixel_unshuffle``.

    Args:
        downscale_factor: the side ``r`` of a square.

    Shape:
        input ``[..., c, h * r, w * r]``, output ``[..., c * r ** 2, h, w]``.

    Raises:
        ArgumentError: ``downscale_factor`` is below 1.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.PixelUnshuffle(2)(bb.ones((1, 2, 6, 6))).shape
        (1, 8, 3, 3)
    """

    def __init__(self, downscale_factor: int) -> None:
        self.downscale_factor = count("PixelUnshuffle", "downscale_factor", downscale_factor)

    def forward(self, x: Tensor) -> Tensor:
        return F.pixel_unshuffle(x, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Deal out channels in turns from each of several runs of them; see ``functional.channel_shuffle``.

    Args:
        groups: how many runs the channels are divided into.

    Shape:
        ``[n, c, ...]``, ``c`` a multiple of ``groups``; so is the output.

    Raises:
        ArgumentError: ``groups`` is below 1.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ChannelShuffle(2)(bb.arange(4.0).reshape((1, 4, 1))).flatten().tolist()
        [0.0, 2.0, 1.0, 3.0]
    """

    def __init__(self, groups: int) -> None:
        self.groups = count("ChannelShuffle", "groups", groups)

    def forward(self, x: Tensor) -> Tensor:
        return F.channel_shuffle(x, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
