"""Pooling as modules. The functions of ``functional`` tell shapes and conventions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from backburner._tensor import Tensor
from backburner.nn import functional as F
from backburner.nn._module import Module
from backburner.nn.functional._options import Size, per_axis
from backburner.nn.functional._windows import OutputSize, window
from backburner.ops._operands import number


class _Pool(Module):
    """A pooling function of ``_axes`` spatial axes with its options, which the module shows."""

    _axes: ClassVar[int]
    _function: ClassVar[Callable[..., Any]]
    _shown: ClassVar[tuple[str, ...]]

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self._shown)


class _MaxPool(_Pool):
    _shown = ("kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode")

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        dilation: Size = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        name = type(self).__name__
        self.kernel_size, self.stride, self.padding = window(name, self._axes, kernel_size, stride, padding)
        self.dilation = per_axis(name, "dilation", dilation, self._axes, 1)
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, x: Tensor) -> Any:
        return self._function(
            x, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )


class MaxPool1d(_MaxPool):
    """``functional.max_pool1d`` with these options."""

    _axes = 1
    _function = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPool):
    """``functional.max_pool2d`` with these options."""

    _axes = 2
    _function = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPool):
    """``functional.max_pool3d`` with these options."""

    _axes = 3
    _function = staticmethod(F.max_pool3d)


class _MaxUnpool(_Pool):
    _shown = ("kernel_size", "stride", "padding")

    def __init__(self, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> None:
        name = type(self).__name__
        self.kernel_size, self.stride, self.padding = window(name, self._axes, kernel_size, stride, padding)

    def forward(self, x: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        out: Tensor = self._function(x, indices, self.kernel_size, self.stride, self.padding, output_size)
        return out


class MaxUnpool1d(_MaxUnpool):
    """``functional.max_unpool1d`` with these options."""

    _axes = 1
    _function = staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpool):
    """``functional.max_unpool2d`` with these options."""

    _axes = 2
    _function = staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpool):
    """``functional.max_unpool3d`` with these options."""

    _axes = 3
    _function = staticmethod(F.max_unpool3d)


class AvgPool1d(_Pool):
    """``functional.avg_pool1d`` with these options."""

    _axes = 1
    _shown = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        self.kernel_size, self.stride, self.padding = window("AvgPool1d", 1, kernel_size, stride, padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, x: Tensor) -> Tensor:
        return F.avg_pool1d(
            x, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class _AvgPool(_Pool):
    _shown = (*AvgPool1d._shown, "divisor_override")

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        name = type(self).__name__
        self.kernel_size, self.stride, self.padding = window(name, self._axes, kernel_size, stride, padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, x: Tensor) -> Tensor:
        window = (self.kernel_size, self.stride, self.padding, self.ceil_mode)
        out: Tensor = self._function(x, *window, self.count_include_pad, self.divisor_override)
        return out


class AvgPool2d(_AvgPool):
    """``functional.avg_pool2d`` with these options."""

    _axes = 2
    _function = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPool):
    """``functional.avg_pool3d`` with these options."""

    _axes = 3
    _function = staticmethod(F.avg_pool3d)


class _LPPool(_Pool):
    _shown = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(
        self, norm_type: float, kernel_size: Size, stride: Size | None = None, ceil_mode: bool = False
    ) -> None:
        name = type(self).__name__
        self.norm_type = number(name, "norm_type", norm_type)
        self.kernel_size, self.stride, _ = window(name, self._axes, kernel_size, stride, 0)
        self.ceil_mode = ceil_mode

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self._function(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)
        return out


class LPPool1d(_LPPool):
    """``functional.lp_pool1d`` with these options."""

    _axes = 1
    _function = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPool):
    """``functional.lp_pool2d`` with these options."""

    _axes = 2
    _function = staticmethod(F.lp_pool2d)


class LPPool3d(_LPPool):
    """``functional.lp_pool3d`` with these options."""

    _axes = 3
    _function = staticmethod(F.lp_pool3d)


class _AdaptiveMaxPool(_Pool):
    _shown = ("output_size", "return_indices")

    def __init__(self, output_size: OutputSize, return_indices: bool = False) -> None:
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, x: Tensor) -> Any:
        return self._function(x, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """``functional.adaptive_max_pool1d`` with these options."""

    _function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """``functional.adaptive_max_pool2d`` with these options."""

    _function = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """``functional.adaptive_max_pool3d`` with these options."""

    _function = staticmethod(F.adaptive_max_pool3d)


class _FractionalMaxPool(_Pool):
    _shown = ("kernel_size", "output_size", "output_ratio", "return_indices")

    def __init__(
        self,
        kernel_size: Size,
        output_size: Size | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        self.kernel_size = per_axis(type(self).__name__, "kernel_size", kernel_size, self._axes, 1)
        self.output_size = output_size
        self.output_ratio = output_ratio
        self.return_indices = return_indices
        self._random_samples = _random_samples

    def forward(self, x: Tensor) -> Any:
        options = (self.output_size, self.output_ratio, self.return_indices, self._random_samples)
        return self._function(x, self.kernel_size, *options)


class FractionalMaxPool2d(_FractionalMaxPool):
    """``functional.fractional_max_pool2d`` with these options."""

    _axes = 2
    _function = staticmethod(F.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPool):
    """``functional.fractional_max_pool3d`` with these options."""

    _axes = 3
    _function = staticmethod(F.fractional_max_pool3d)


class _AdaptiveAvgPool(_Pool):
    _shown = ("output_size",)

    def __init__(self, output_size: OutputSize) -> None:
        self.output_size = output_size

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self._function(x, self.output_size)
        return out


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """``functional.adaptive_avg_pool1d`` with these options."""

    _function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """``functional.adaptive_avg_pool2d`` with these options."""

    _function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """``functional.adaptive_avg_pool3d`` with these options."""

    _function = staticmethod(F.adaptive_avg_pool3d)
