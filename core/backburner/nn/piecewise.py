"""Activations made of lines, and those whose slope is learned or drawn, as modules.

They take PyTorch's ``inplace`` and give it no meaning: tensors are immutable.
"""

from __future__ import annotations

from typing import Any

from backburner._tensor import Tensor
from backburner.device import Device
from backburner.errors import ArgumentError
from backburner.nn import functional as F
from backburner.nn._bases import Inplace, Options
from backburner.nn._checks import count, within
from backburner.nn._module import Module
from backburner.nn._parameter import Parameter
from backburner.nn.functional._options import finite
from backburner.ops.creation import full


class ReLU6(Inplace):
    """Hold between 0 and 6; see ``functional.relu6``.

    Args:
        inplace: taken and ignored: tensors are immutable.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ReLU6()(bb.tensor([-1.0, 3.0, 9.0]))
        tensor([0., 3., 6.])
    """

    _function = staticmethod(F.relu6)


class Hardswish(Inplace):
    """Apply ``functional.hardswish``: 0 up to -3 and ``x`` from 3 on.

    Args:
        inplace: taken and ignored: tensors are immutable.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> [round(n, 3) for n in nn.Hardswish()(bb.tensor([-4.0, 0.0, 1.0, 5.0])).tolist()]
        [0.0, 0.0, 0.667, 5.0]
    """

    _function = staticmethod(F.hardswish)
    _shows_inplace = False


class Hardsigmoid(Inplace):
    """Apply ``functional.hardsigmoid``: ``x / 6 + 1 / 2`` held between 0 and 1.

    Args:
        inplace: taken and ignored: tensors are immutable.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Hardsigmoid()(bb.tensor([-4.0, 0.0, 4.0]))
        tensor([0. , 0.5, 1. ])
    """

    _function = staticmethod(F.hardsigmoid)
    _shows_inplace = False


class LeakyReLU(Options):
    """Multiply what is negative by a slope; see ``functional.leaky_relu``.

    Args:
        negative_slope: the slope.
        inplace: taken and ignored: tensors are immutable.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.LeakyReLU(0.5)(bb.tensor([-1.0, 0.0, 2.0]))
        tensor([-0.5,  0. ,  2. ])
    """

    _function = staticmethod(F.leaky_relu)
    _shown = ("negative_slope",)

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        self._take(inplace, negative_slope=negative_slope)


class Threshold(Options):
    """Replace what is not above a threshold by a value; see ``functional.threshold``.

    Args:
        threshold: what the input is compared with.
        value: what stands for the rest.
        inplace: taken and ignored: tensors are immutable.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Threshold(1.0, value=-5.0)(bb.tensor([0.0, 1.0, 2.0]))
        tensor([-5., -5.,  2.])
    """

    _function = staticmethod(F.threshold)
    _shown = ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        self._take(inplace, threshold=threshold, value=value)


class Hardtanh(Options):
    """Hold between two numbers; see ``functional.hardtanh``.

    Args:
        min_val: the lower.
        max_val: the upper, above it.
        inplace: taken and ignored: tensors are immutable.

    Raises:
        ArgumentError: ``min_val`` is not below ``max_val``.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Hardtanh(-2, 2)(bb.tensor([-3.0, 0.5, 9.0]))
        tensor([-2. ,  0.5,  2. ])
    """

    _function = staticmethod(F.hardtanh)
    _shown = ("min_val", "max_val")

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        self._take(inplace, min_val=min_val, max_val=max_val)
        if min_val >= max_val:
            raise ArgumentError(f"Hardtanh: min_val must be below max_val, got {min_val} and {max_val}.")


class RReLU(Options):
    """Multiply what is negative by a slope: in training a drawn one for each element, else the mean of the limits.

    See ``functional.rrelu``.

    Args:
        lower: the least slope.
        upper: the largest slope.
        inplace: taken and ignored: tensors are immutable.

    Raises:
        ArgumentError: ``lower`` is above ``upper``.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.RReLU(0.25, 0.75)(bb.tensor([-1.0, 2.0]))
        tensor([-0.5,  2. ])
    """

    _shown = ("lower", "upper")

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        self._take(inplace, lower=lower, upper=upper)
        if lower > upper:
            raise ArgumentError(f"RReLU: lower {lower} is above upper {upper}.")

    def forward(self, x: Tensor) -> Tensor:
        return F.rrelu(x, self.lower, self.upper, self.training)


class _Shrink(Options):
    _shown = ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        self._take(False, lambd=lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class Hardshrink(_Shrink):
    """Make 0 of what is within ``lambd`` of it; see ``functional.hardshrink``.

    Args:
        lambd: how far from 0.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Hardshrink()(bb.tensor([-1.0, 0.25, 2.0]))
        tensor([-1.,  0.,  2.])
    """

    _function = staticmethod(F.hardshrink)


class Softshrink(_Shrink):
    """Bring everything nearer to 0 by ``lambd``, not beyond it; see ``functional.softshrink``.

    Args:
        lambd: by how much, not negative.

    Raises:
        ArgumentError: ``lambd`` is negative.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Softshrink()(bb.tensor([-1.0, 0.25, 2.0]))
        tensor([-0.5,  0. ,  1.5])
    """

    _function = staticmethod(F.softshrink)

    def __init__(self, lambd: float = 0.5) -> None:
        within("Softshrink", "lambd", lambd, 0)
        super().__init__(lambd)


class PReLU(Module):
    """Multiply what is negative by a learned slope; see ``functional.prelu``.

    Args:
        num_parameters: the number of slopes: 1, or one for each channel.
        init: what they start with.
        device: where they are.
        dtype: theirs; float32 by default.

    Shape:
        input any with one slope, else ``[n, c, ...]``; weight ``[num_parameters]``.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.PReLU()(bb.tensor([-1.0, 2.0])).tolist()
        [-0.25, 2.0]
    """

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Device | None = None, dtype: Any = None
    ) -> None:
        slopes = (count("PReLU", "num_parameters", num_parameters),)
        self.init = finite("PReLU", "init", init)
        self.weight = Parameter(full(slopes, self.init, dtype=dtype or "float32", device=device))

    def forward(self, x: Tensor) -> Tensor:
        return F.prelu(x, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.weight.size}"
