"""Pooling as modules. The functions of ``functional`` tell shapes and conventions.

``repr`` shows what PyTorch's does, and an option that PyTorch leaves out where it is not what it is by default.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from backburner._tensor import Tensor
from backburner.errors import ArgumentError
from backburner.nn import functional as F
from backburner.nn._bases import constant
from backburner.nn._checks import flag
from backburner.nn._module import Module
from backburner.nn.functional._options import Size, per_axis
from backburner.nn.functional._windows import OutputSize, window
from backburner.ops._operands import integer, number


class _Pool(Module):
    """A pooling function of ``_axes`` spatial axes with its options, which the module shows."""

    _axes: ClassVar[int]
    _function: ClassVar[Callable[..., Any]]
    _shown: ClassVar[tuple[str, ...]]
    _usual: ClassVar[dict[str, Any]] = {}

    def extra_repr(self) -> str:
        names = [*self._shown, *(name for name, value in self._usual.items() if getattr(self, name) != value)]
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)

    def _flags(self, **flags: bool) -> None:
        for name, value in flags.items():
            setattr(self, name, flag(type(self).__name__, name, value))


class _MaxPool(_Pool):
    _shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
    _usual = {"return_indices": False}

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
        window(name, self._axes, kernel_size, stride, padding)
        per_axis(name, "dilation", dilation, self._axes, 1)
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self._flags(return_indices=return_indices, ceil_mode=ceil_mode)

    def forward(self, x: Tensor) -> Any:
        return self._function(
            x, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )


class MaxPool1d(_MaxPool):
    """``functional.max_pool1d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.MaxPool1d(3, stride=2, padding=1)(bb.ones((1, 2, 8))).shape
        (1, 2, 4)
    """

    _axes = 1
    _function = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPool):
    """``functional.max_pool2d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.MaxPool2d(3, stride=2, padding=1)(bb.ones((1, 2, 8, 6))).shape
        (1, 2, 4, 3)
    """

    _axes = 2
    _function = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPool):
    """``functional.max_pool3d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.MaxPool3d(3, stride=2, padding=1)(bb.ones((1, 2, 4, 8, 6))).shape
        (1, 2, 2, 4, 3)
    """

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
    """``functional.max_unpool1d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> y, places = nn.MaxPool1d(2, return_indices=True)(bb.ones((1, 2, 8)))
        >>> nn.MaxUnpool1d(2)(y, places).shape
        (1, 2, 8)
    """

    _axes = 1
    _function = staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpool):
    """``functional.max_unpool2d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> y, places = nn.MaxPool2d(2, return_indices=True)(bb.ones((1, 2, 8, 6)))
        >>> nn.MaxUnpool2d(2)(y, places).shape
        (1, 2, 8, 6)
    """

    _axes = 2
    _function = staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpool):
    """``functional.max_unpool3d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> y, places = nn.MaxPool3d(2, return_indices=True)(bb.ones((1, 2, 4, 8, 6)))
        >>> nn.MaxUnpool3d(2)(y, places).shape
        (1, 2, 4, 8, 6)
    """

    _axes = 3
    _function = staticmethod(F.max_unpool3d)


class AvgPool1d(_Pool):
    """``functional.avg_pool1d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.AvgPool1d(2)(bb.ones((1, 2, 8))).shape
        (1, 2, 4)
    """

    _axes = 1
    _shown = ("kernel_size", "stride", "padding")
    _usual = {"ceil_mode": False, "count_include_pad": True}

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        self.kernel_size, self.stride, self.padding = window("AvgPool1d", 1, kernel_size, stride, padding)
        self._flags(ceil_mode=ceil_mode, count_include_pad=count_include_pad)

    def forward(self, x: Tensor) -> Tensor:
        return F.avg_pool1d(
            x, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class _AvgPool(_Pool):
    _shown = ("kernel_size", "stride", "padding")
    _usual = {"ceil_mode": False, "count_include_pad": True, "divisor_override": None}

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
        window(name, self._axes, kernel_size, stride, padding)
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding = padding
        self._flags(ceil_mode=ceil_mode, count_include_pad=count_include_pad)
        if divisor_override is not None and integer(name, "divisor_override", divisor_override) == 0:
            raise ArgumentError(f"{name}: divisor_override must not be 0.")
        self.divisor_override = divisor_override

    def forward(self, x: Tensor) -> Tensor:
        window = (self.kernel_size, self.stride, self.padding, self.ceil_mode)
        out: Tensor = self._function(x, *window, self.count_include_pad, self.divisor_override)
        return out


class AvgPool2d(_AvgPool):
    """``functional.avg_pool2d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.AvgPool2d(2)(bb.ones((1, 2, 8, 6))).shape
        (1, 2, 4, 3)
    """

    _axes = 2
    _function = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPool):
    """``functional.avg_pool3d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.AvgPool3d(2)(bb.ones((1, 2, 4, 8, 6))).shape
        (1, 2, 2, 4, 3)
    """

    _axes = 3
    _function = staticmethod(F.avg_pool3d)


class _LPPool(_Pool):
    _shown = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(
        self, norm_type: float, kernel_size: Size, stride: Size | None = None, ceil_mode: bool = False
    ) -> None:
        name = type(self).__name__
        number(name, "norm_type", norm_type)
        window(name, self._axes, kernel_size, stride, 0)
        self.norm_type, self.kernel_size, self.stride = norm_type, kernel_size, stride
        self._flags(ceil_mode=ceil_mode)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self._function(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)
        return out


class LPPool1d(_LPPool):
    """``functional.lp_pool1d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.LPPool1d(2, 2)(bb.ones((1, 2, 8))).shape
        (1, 2, 4)
    """

    _axes = 1
    _function = staticmethod(F.lp_pool1d)


class LPPool2d(_LPPool):
    """``functional.lp_pool2d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.LPPool2d(2, 2)(bb.ones((1, 2, 8, 6))).shape
        (1, 2, 4, 3)
    """

    _axes = 2
    _function = staticmethod(F.lp_pool2d)


class LPPool3d(_LPPool):
    """``functional.lp_pool3d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.LPPool3d(2, 2)(bb.ones((1, 2, 4, 8, 6))).shape
        (1, 2, 2, 4, 3)
    """

    _axes = 3
    _function = staticmethod(F.lp_pool3d)


def _parts(name: str, axes: int, output_size: OutputSize) -> OutputSize:
    """Return the sizes that adaptive pooling is to give, as they were written; ``None`` keeps one."""
    sizes = output_size if isinstance(output_size, Sequence) else (output_size,)
    if isinstance(sizes, str) or len(sizes) not in (1, axes):
        raise ArgumentError(f"{name}: output_size takes one int or None, or {axes}, got {output_size!r}.")
    for size in sizes:
        if size is not None and integer(name, "output_size", size) < 1:
            raise ArgumentError(f"{name}: output_size must be at least 1, got {output_size!r}.")
    return output_size


class _AdaptiveMaxPool(_Pool):
    _shown = ("output_size",)
    _usual = {"return_indices": False}

    def __init__(self, output_size: OutputSize, return_indices: bool = False) -> None:
        self.output_size = _parts(type(self).__name__, self._axes, output_size)
        self._flags(return_indices=return_indices)

    def forward(self, x: Tensor) -> Any:
        return self._function(x, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """``functional.adaptive_max_pool1d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.AdaptiveMaxPool1d(3)(bb.ones((1, 2, 8))).shape
        (1, 2, 3)
    """

    _axes = 1
    _function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """``functional.adaptive_max_pool2d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.AdaptiveMaxPool2d(3)(bb.ones((1, 2, 8, 6))).shape
        (1, 2, 3, 3)
    """

    _axes = 2
    _function = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """``functional.adaptive_max_pool3d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.AdaptiveMaxPool3d(3)(bb.ones((1, 2, 4, 8, 6))).shape
        (1, 2, 3, 3, 3)
    """

    _axes = 3
    _function = staticmethod(F.adaptive_max_pool3d)


class _FractionalMaxPool(_Pool):
    _shown = ("kernel_size",)
    _usual = {"output_size": None, "output_ratio": None, "return_indices": False}

    def __init__(
        self,
        kernel_size: Size,
        output_size: Size | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        name = type(self).__name__
        self.kernel_size = per_axis(name, "kernel_size", kernel_size, self._axes, 1)
        if (output_size is None) == (output_ratio is None):
            raise ArgumentError(f"{name}: takes either output_size or output_ratio.")
        if output_size is not None:
            output_size = per_axis(name, "output_size", output_size, self._axes, 1)
        else:
            ratios = output_ratio if isinstance(output_ratio, Sequence) else (output_ratio,) * self._axes
            output_ratio = tuple([number(name, "output_ratio", ratio) for ratio in ratios])
            if len(output_ratio) != self._axes or not all(0 < ratio < 1 for ratio in output_ratio):
                raise ArgumentError(
                    f"{name}: output_ratio must be in (0, 1), one number or {self._axes}, got {output_ratio}."
                )
        self.output_size, self.output_ratio = output_size, output_ratio
        self._flags(return_indices=return_indices)
        self._random_samples = constant(name, "_random_samples", _random_samples)

    def forward(self, x: Tensor) -> Any:
        options = (self.output_size, self.output_ratio, self.return_indices, self._random_samples)
        return self._function(x, self.kernel_size, *options)


class FractionalMaxPool2d(_FractionalMaxPool):
    """``functional.fractional_max_pool2d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.FractionalMaxPool2d(2, output_ratio=0.5)(bb.ones((1, 2, 8, 6))).shape
        (1, 2, 4, 3)
    """

    _axes = 2
    _function = staticmethod(F.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPool):
    """``functional.fractional_max_pool3d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.FractionalMaxPool3d(2, output_ratio=0.5)(bb.ones((1, 2, 4, 8, 6))).shape
        (1, 2, 2, 4, 3)
    """

    _axes = 3
    _function = staticmethod(F.fractional_max_pool3d)


class _AdaptiveAvgPool(_Pool):
    _shown = ("output_size",)

    def __init__(self, output_size: OutputSize) -> None:
        self.output_size = _parts(type(self).__name__, self._axes, output_size)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self._function(x, self.output_size)
        return out


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """``functional.adaptive_avg_pool1d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.AdaptiveAvgPool1d(1)(bb.ones((1, 2, 8))).shape
        (1, 2, 1)
    """

    _axes = 1
    _function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """``functional.adaptive_avg_pool2d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.AdaptiveAvgPool2d(1)(bb.ones((1, 2, 8, 6))).shape
        (1, 2, 1, 1)
    """

    _axes = 2
    _function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """``functional.adaptive_avg_pool3d`` with these options.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.AdaptiveAvgPool3d(1)(bb.ones((1, 2, 4, 8, 6))).shape
        (1, 2, 1, 1, 1)
    """

    _axes = 3
    _function = staticmethod(F.adaptive_avg_pool3d)
