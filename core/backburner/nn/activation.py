"""Activations as modules.

They take PyTorch's ``inplace`` and give it no meaning: tensors are immutable, so each returns a new one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from backburner._tensor import Tensor
from backburner.device import Device
from backburner.errors import ArgumentError, ShapeError
from backburner.nn import functional as F
from backburner.nn._checks import count, flag, within
from backburner.nn._module import Module
from backburner.nn._parameter import Parameter
from backburner.nn.functional._options import finite
from backburner.ops._operands import chosen, integer
from backburner.ops.creation import full


class _Plain(Module):
    """A function of one tensor without options."""

    _function: ClassVar[Callable[..., Tensor]]

    def forward(self, x: Tensor) -> Tensor:
        return self._function(x)


class _Inplace(_Plain):
    """A function of one tensor, which PyTorch can also write into its input.

    Args:
        inplace: taken and ignored: tensors are immutable.
    """

    _shows_inplace: ClassVar[bool] = True

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = flag(type(self).__name__, "inplace", inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace and self._shows_inplace else ""


class _Options(Module):
    """A function of one tensor with numbers as options, in the order in which ``repr`` shows them."""

    _function: ClassVar[Callable[..., Tensor]]
    _shown: ClassVar[tuple[str, ...]]
    inplace: bool = False

    def _take(self, inplace: bool, **options: Any) -> None:
        """Keep the options; ``inplace`` is taken and ignored."""
        name = type(self).__name__
        for option, value in options.items():
            finite(name, option, value)
            setattr(self, option, value)
        self.inplace = flag(name, "inplace", inplace)

    def forward(self, x: Tensor) -> Tensor:
        return self._function(x, *[getattr(self, name) for name in self._shown])

    def extra_repr(self) -> str:
        text = ", ".join(f"{name}={getattr(self, name)}" for name in self._shown)
        return f"{text}, inplace=True" if self.inplace else text


class _Along(Module):
    """A function of one tensor along an axis."""

    _function: ClassVar[Callable[..., Tensor]]

    def __init__(self, axis: int = -1) -> None:
        self.axis = integer(type(self).__name__, "axis", axis)

    def forward(self, x: Tensor) -> Tensor:
        return self._function(x, self.axis)

    def extra_repr(self) -> str:
        return f"axis={self.axis}"


class ReLU(_Inplace):
    """Keep what is positive: ``max(x, 0)``.

    Args:
        inplace: taken and ignored: tensors are immutable.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.ReLU()(bb.tensor([-1.0, 2.0])).tolist()
        [0.0, 2.0]
    """

    _function = staticmethod(F.relu)


class ReLU6(_Inplace):
    """Hold between 0 and 6; see ``functional.relu6``.

    Args:
        inplace: taken and ignored: tensors are immutable.
    """

    _function = staticmethod(F.relu6)


class SELU(_Inplace):
    """Apply ``functional.selu``, which keeps mean 0 and variance 1.

    Args:
        inplace: taken and ignored: tensors are immutable.
    """

    _function = staticmethod(F.selu)


class SiLU(_Inplace):
    """Multiply by the sigmoid: ``x * sigmoid(x)``; see ``functional.silu``.

    Args:
        inplace: taken and ignored: tensors are immutable.
    """

    _function = staticmethod(F.silu)


class Mish(_Inplace):
    """Apply ``functional.mish``: ``x * tanh(softplus(x))``.

    Args:
        inplace: taken and ignored: tensors are immutable.
    """

    _function = staticmethod(F.mish)


class Hardswish(_Inplace):
    """Apply ``functional.hardswish``: 0 up to -3 and ``x`` from 3 on.

    Args:
        inplace: taken and ignored: tensors are immutable.
    """

    _function = staticmethod(F.hardswish)
    _shows_inplace = False


class Hardsigmoid(_Inplace):
    """Apply ``functional.hardsigmoid``: ``x / 6 + 1 / 2`` held between 0 and 1.

    Args:
        inplace: taken and ignored: tensors are immutable.
    """

    _function = staticmethod(F.hardsigmoid)
    _shows_inplace = False


class Sigmoid(_Plain):
    """Apply ``1 / (1 + exp(-x))``."""

    _function = staticmethod(F.sigmoid)


class LogSigmoid(_Plain):
    """Apply the logarithm of the sigmoid, right also far from 0; see ``functional.logsigmoid``."""

    _function = staticmethod(F.logsigmoid)


class Tanh(_Plain):
    """Apply the hyperbolic tangent."""

    _function = staticmethod(F.tanh)


class Tanhshrink(_Plain):
    """Apply ``x - tanh(x)``; see ``functional.tanhshrink``."""

    _function = staticmethod(F.tanhshrink)


class Softsign(_Plain):
    """Apply ``x / (1 + abs(x))``; see ``functional.softsign``."""

    _function = staticmethod(F.softsign)


class GELU(Module):
    """Apply ``functional.gelu``: exact, or with ``approximate="tanh"`` the approximation.

    Args:
        approximate: ``"none"`` or ``"tanh"``.

    Raises:
        ArgumentError: it is neither.
    """

    def __init__(self, approximate: str = "none") -> None:
        chosen("GELU", "approximate", approximate, ("none", "tanh"))
        self.approximate = approximate

    def forward(self, x: Tensor) -> Tensor:
        return F.gelu(x, self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class ELU(_Options):
    """Apply ``functional.elu``: ``alpha * (exp(x) - 1)`` below 0.

    Args:
        alpha: minus the limit on the left.
        inplace: taken and ignored: tensors are immutable.
    """

    _function = staticmethod(F.elu)
    _shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        self._take(inplace, alpha=alpha)


class CELU(_Options):
    """Apply ``functional.celu``: ``alpha * (exp(x / alpha) - 1)`` below 0.

    Args:
        alpha: minus the limit on the left, not 0.
        inplace: taken and ignored: tensors are immutable.

    Raises:
        ArgumentError: ``alpha`` is 0.
    """

    _function = staticmethod(F.celu)
    _shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        if alpha == 0:
            raise ArgumentError("CELU: alpha must not be 0.")
        self._take(inplace, alpha=alpha)


class LeakyReLU(_Options):
    """Multiply what is negative by a slope; see ``functional.leaky_relu``.

    Args:
        negative_slope: the slope.
        inplace: taken and ignored: tensors are immutable.
    """

    _function = staticmethod(F.leaky_relu)
    _shown = ("negative_slope",)

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        self._take(inplace, negative_slope=negative_slope)


class Threshold(_Options):
    """Replace what is not above a threshold by a value; see ``functional.threshold``.

    Args:
        threshold: what the input is compared with.
        value: what stands for the rest.
        inplace: taken and ignored: tensors are immutable.
    """

    _function = staticmethod(F.threshold)
    _shown = ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        self._take(inplace, threshold=threshold, value=value)


class Hardtanh(_Options):
    """Hold between two numbers; see ``functional.hardtanh``.

    Args:
        min_val: the lower.
        max_val: the upper, above it.
        inplace: taken and ignored: tensors are immutable.

    Raises:
        ArgumentError: ``min_val`` is not below ``max_val``.
    """

    _function = staticmethod(F.hardtanh)
    _shown = ("min_val", "max_val")

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        self._take(inplace, min_val=min_val, max_val=max_val)
        if min_val >= max_val:
            raise ArgumentError(f"Hardtanh: min_val must be below max_val, got {min_val} and {max_val}.")


class RReLU(_Options):
    """Multiply what is negative by a slope: in training a drawn one for each element, else the mean of the limits.

    See ``functional.rrelu``.

    Args:
        lower: the least slope.
        upper: the largest slope.
        inplace: taken and ignored: tensors are immutable.

    Raises:
        ArgumentError: ``lower`` is above ``upper``.
    """

    _shown = ("lower", "upper")

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        self._take(inplace, lower=lower, upper=upper)
        if lower > upper:
            raise ArgumentError(f"RReLU: lower {lower} is above upper {upper}.")

    def forward(self, x: Tensor) -> Tensor:
        return F.rrelu(x, self.lower, self.upper, self.training)


class Softplus(_Options):
    """Apply ``log(1 + exp(beta * x)) / beta``, a smooth relu; see ``functional.softplus``.

    Args:
        beta: how sharp its bend is, not 0.
        threshold: where ``beta * x`` is larger the result is ``x``.

    Raises:
        ArgumentError: ``beta`` is 0.
    """

    _function = staticmethod(F.softplus)
    _shown = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        if beta == 0:
            raise ArgumentError("Softplus: beta must not be 0.")
        self._take(False, beta=beta, threshold=threshold)


class _Shrink(_Options):
    _shown = ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        self._take(False, lambd=lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class Hardshrink(_Shrink):
    """Make 0 of what is within ``lambd`` of it; see ``functional.hardshrink``.

    Args:
        lambd: how far from 0.
    """

    _function = staticmethod(F.hardshrink)


class Softshrink(_Shrink):
    """Bring everything nearer to 0 by ``lambd``, not beyond it; see ``functional.softshrink``.

    Args:
        lambd: by how much, not negative.

    Raises:
        ArgumentError: ``lambd`` is negative.
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


class GLU(_Along):
    """Multiply the first half along an axis by the sigmoid of the second; see ``functional.glu``.

    Args:
        axis: which axis; its size is even.
    """

    _function = staticmethod(F.glu)


class Softmax(_Along):
    """Apply ``functional.softmax`` along an axis.

    Args:
        axis: which one; PyTorch leaves it out at its own risk, here it is the last by default.
    """

    _function = staticmethod(F.softmax)


class LogSoftmax(_Along):
    """Apply ``functional.log_softmax`` along an axis.

    Args:
        axis: which one, by default the last.
    """

    _function = staticmethod(F.log_softmax)


class Softmin(_Along):
    """Apply ``functional.softmin`` along an axis.

    Args:
        axis: which one, by default the last.
    """

    _function = staticmethod(F.softmin)


class Softmax2d(Module):
    """Apply softmax over the channels of images.

    Shape:
        ``[n, c, h, w]`` or ``[c, h, w]``; so is the output.

    Raises:
        ShapeError: the input has another number of dimensions.
    """

    def forward(self, x: Tensor) -> Tensor:
        if isinstance(x, Tensor) and x.ndim not in (3, 4):
            raise ShapeError(f"Softmax2d: the input must be [n, c, h, w] or [c, h, w], got {list(x.shape)}.")
        return F.softmax(x, -3)
