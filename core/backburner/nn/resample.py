"""Resampling as modules."""

from __future__ import annotations

from collections.abc import Sequence

from backburner._tensor import Tensor
from backburner.errors import ArgumentError
from backburner.nn import functional as F
from backburner.nn._checks import count, flag
from backburner.nn._module import Module
from backburner.nn.functional._options import finite
from backburner.nn.functional.resample import Scale, Size
from backburner.ops._operands import chosen

_MODES = ("nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area")


class Upsample(Module):
    """Bring signals, images or volumes to another size, also a smaller one; see ``functional.interpolate``.

    Args:
        size: the new size: one int, or one for each spatial axis.
        scale_factor: instead of it, by what the size is multiplied.
        mode: ``"nearest"``, ``"nearest-exact"``, ``"linear"``, ``"bilinear"``, ``"trilinear"``, ``"bicubic"`` or ``"area"``.
        align_corners: whether the first and the last output lie on the first and the last input.
        recompute_scale_factor: take the factor from the sizes.

    Shape:
        input ``[n, c, l]``, ``[n, c, h, w]`` or ``[n, c, d, h, w]``; output alike.

    Raises:
        ArgumentError: neither or both of ``size`` and ``scale_factor`` are given, or an option has no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Upsample(scale_factor=2)(bb.ones((1, 3, 4, 5))).shape
        (1, 3, 8, 10)
    """

    def __init__(
        self,
        size: Size | None = None,
        scale_factor: Scale | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        name = type(self).__name__
        if (size is None) == (scale_factor is None):
            raise ArgumentError(f"{name}: takes either size or scale_factor, got {size} and {scale_factor}.")
        for n in size if isinstance(size, Sequence) else () if size is None else (size,):
            count(name, "size", n)
        self.size = size
        self.scale_factor: Scale | None = None
        if isinstance(scale_factor, Sequence):
            self.scale_factor = tuple([float(finite(name, "scale_factor", n)) for n in scale_factor])
        elif scale_factor is not None:
            self.scale_factor = finite(name, "scale_factor", scale_factor)
        chosen(name, "mode", mode, _MODES)
        self.mode = mode
        self.align_corners = None if align_corners is None else flag(name, "align_corners", align_corners)
        self.recompute_scale_factor = (
            None
            if recompute_scale_factor is None
            else flag(name, "recompute_scale_factor", recompute_scale_factor)
        )

    def forward(self, x: Tensor) -> Tensor:
        return F.interpolate(
            x, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )

    def extra_repr(self) -> str:
        wanted = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{wanted}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Bring images to another size by repeating pixels.

    Args:
        size: the new size: one int, or one for height and one for width.
        scale_factor: instead of it, by what the size is multiplied.

    Shape:
        input ``[n, c, h, w]``, output ``[n, c, oh, ow]``.

    Raises:
        ArgumentError: neither or both are given.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.UpsamplingNearest2d(scale_factor=2)(bb.ones((1, 3, 4, 5))).shape
        (1, 3, 8, 10)
    """

    def __init__(self, size: Size | None = None, scale_factor: Scale | None = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Bring images to another size by straight lines between pixels, the corners staying where they are.

    Args:
        size: the new size: one int, or one for height and one for width.
        scale_factor: instead of it, by what the size is multiplied.

    Shape:
        input ``[n, c, h, w]``, output ``[n, c, oh, ow]``.

    Raises:
        ArgumentError: neither or both are given.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.UpsamplingBilinear2d(size=(8, 9))(bb.ones((1, 3, 4, 5))).shape
        (1, 3, 8, 9)
    """

    def __init__(self, size: Size | None = None, scale_factor: Scale | None = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
