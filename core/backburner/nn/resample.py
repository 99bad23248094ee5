"""Resampling as modules."""

from __future__ import annotations

from backburner._tensor import Tensor
from backburner.nn import functional as F
from backburner.nn._module import Module
from backburner.nn.functional.resample import Scale, Size


class Upsample(Module):
    """``functional.interpolate`` with these options; it makes images smaller as well."""

    def __init__(
        self,
        size: Size | None = None,
        scale_factor: Scale | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, x: Tensor) -> Tensor:
        return F.interpolate(
            x, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )

    def extra_repr(self) -> str:
        wanted = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{wanted}, mode={self.mode!r}"
