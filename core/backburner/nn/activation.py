"""Smooth activations, relu, and the softmaxes as modules.

They take PyTorch's ``inplace`` and give it no meaning: tensors are immutable.
"""

from __future__ import annotations

from backburner._tensor import Tensor
from backburner.errors import ArgumentError, ShapeError
from backburner.nn import functional as F
from backburner.nn._bases import Along, Inplace, Options, Plain
from backburner.nn._module import Module
from backburner.ops._operands import chosen


class ReLU(Inplace):
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


class SELU(Inplace):
    """Apply ``functional.selu``, which keeps mean 0 and variance 1.

    Args:
        inplace: taken and ignored: tensors are immutable.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> [round(n, 3) for n in nn.SELU()(bb.tensor([-1.0, 0.0, 2.0])).tolist()]
        [-1.111, 0.0, 2.101]
    """

    _function = staticmethod(F.selu)


class SiLU(Inplace):
    """Multiply by the sigmoid: ``x * sigmoid(x)``; see ``functional.silu``.

    Args:
        inplace: taken and ignored: tensors are immutable.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> [round(n, 3) for n in nn.SiLU()(bb.tensor([-1.0, 0.0, 2.0])).tolist()]
        [-0.269, 0.0, 1.762]
    """

    _function = staticmethod(F.silu)


class Mish(Inplace):
    """Apply ``functional.mish``: ``x * tanh(softplus(x))``.

    Args:
        inplace: taken and ignored: tensors are immutable.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> [round(n, 3) for n in nn.Mish()(bb.tensor([-1.0, 0.0, 2.0])).tolist()]
        [-0.303, 0.0, 1.944]
    """

    _function = staticmethod(F.mish)


class Sigmoid(Plain):
    """Apply ``1 / (1 + exp(-x))``.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> [round(n, 3) for n in nn.Sigmoid()(bb.tensor([-2.0, 0.0, 2.0])).tolist()]
        [0.119, 0.5, 0.881]
    """

    _function = staticmethod(F.sigmoid)


class LogSigmoid(Plain):
    """Apply the logarithm of the sigmoid, right also far from 0; see ``functional.logsigmoid``.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> [round(n, 3) for n in nn.LogSigmoid()(bb.tensor([-100.0, 0.0])).tolist()]
        [-100.0, -0.693]
    """

    _function = staticmethod(F.logsigmoid)


class Tanh(Plain):
    """Apply the hyperbolic tangent.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> [round(n, 3) for n in nn.Tanh()(bb.tensor([-1.0, 0.0, 1.0])).tolist()]
        [-0.762, 0.0, 0.762]
    """

    _function = staticmethod(F.tanh)


class Tanhshrink(Plain):
    """Apply ``x - tanh(x)``; see ``functional.tanhshrink``.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> [round(n, 3) for n in nn.Tanhshrink()(bb.tensor([-1.0, 0.0, 1.0])).tolist()]
        [-0.238, 0.0, 0.238]
    """

    _function = staticmethod(F.tanhshrink)


class Softsign(Plain):
    """Apply ``x / (1 + abs(x))``; see ``functional.softsign``.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Softsign()(bb.tensor([-1.0, 0.0, 3.0]))
        tensor([-0.5 ,  0.  ,  0.75])
    """

    _function = staticmethod(F.softsign)


class GELU(Module):
    """Apply ``functional.gelu``: exact, or with ``approximate="tanh"`` the approximation.

    Args:
        approximate: ``"none"`` or ``"tanh"``.

    Raises:
        ArgumentError: it is neither.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> [round(n, 3) for n in nn.GELU("tanh")(bb.tensor([-1.0, 0.0, 2.0])).tolist()]
        [-0.159, 0.0, 1.955]
    """

    def __init__(self, approximate: str = "none") -> None:
        chosen("GELU", "approximate", approximate, ("none", "tanh"))
        self.approximate = approximate

    def forward(self, x: Tensor) -> Tensor:
        return F.gelu(x, self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class ELU(Options):
    """Apply ``functional.elu``: ``alpha * (exp(x) - 1)`` below 0.

    Args:
        alpha: minus the limit on the left.
        inplace: taken and ignored: tensors are immutable.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> [round(n, 3) for n in nn.ELU(alpha=2.0)(bb.tensor([-1.0, 0.0, 2.0])).tolist()]
        [-1.264, 0.0, 2.0]
    """

    _function = staticmethod(F.elu)
    _shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        self._take(inplace, alpha=alpha)


class CELU(Options):
    """Apply ``functional.celu``: ``alpha * (exp(x / alpha) - 1)`` below 0.

    Args:
        alpha: minus the limit on the left, not 0.
        inplace: taken and ignored: tensors are immutable.

    Raises:
        ArgumentError: ``alpha`` is 0.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> [round(n, 3) for n in nn.CELU(alpha=2.0)(bb.tensor([-1.0, 0.0, 2.0])).tolist()]
        [-0.787, 0.0, 2.0]
    """

    _function = staticmethod(F.celu)
    _shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        if alpha == 0:
            raise ArgumentError("CELU: alpha must not be 0.")
        self._take(inplace, alpha=alpha)


class Softplus(Options):
    """Apply ``log(1 + exp(beta * x)) / beta``, a smooth relu; see ``functional.softplus``.

    Args:
        beta: how sharp its bend is, not 0.
        threshold: where ``beta * x`` is larger the result is ``x``.

    Raises:
        ArgumentError: ``beta`` is 0.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> [round(n, 3) for n in nn.Softplus()(bb.tensor([-1.0, 0.0, 30.0])).tolist()]
        [0.313, 0.693, 30.0]
    """

    _function = staticmethod(F.softplus)
    _shown = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        if beta == 0:
            raise ArgumentError("Softplus: beta must not be 0.")
        self._take(False, beta=beta, threshold=threshold)


class GLU(Along):
    """Multiply the first half along an axis by the sigmoid of the second; see ``functional.glu``.

    Args:
        axis: which axis; its size is even.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.GLU()(bb.tensor([1.0, 2.0, 0.0, 0.0]))
        tensor([0.5, 1. ])
    """

    _function = staticmethod(F.glu)


class Softmax(Along):
    """Apply ``functional.softmax`` along an axis.

    Args:
        axis: which one; PyTorch leaves it out at its own risk, here it is the last by default.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Softmax(axis=0)(bb.tensor([0.0, 0.0, 0.0, 0.0]))
        tensor([0.25, 0.25, 0.25, 0.25])
    """

    _function = staticmethod(F.softmax)


class LogSoftmax(Along):
    """Apply ``functional.log_softmax`` along an axis.

    Args:
        axis: which one, by default the last.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.LogSoftmax()(bb.tensor([0.0, 1000.0]))
        tensor([-1000.,     0.])
    """

    _function = staticmethod(F.log_softmax)


class Softmin(Along):
    """Apply ``functional.softmin`` along an axis.

    Args:
        axis: which one, by default the last.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Softmin()(bb.tensor([0.0, 1000.0]))
        tensor([1., 0.])
    """

    _function = staticmethod(F.softmin)


class Softmax2d(Module):
    """Apply softmax over the channels of images.

    Shape:
        ``[n, c, h, w]`` or ``[c, h, w]``; so is the output.

    Raises:
        ShapeError: the input has another number of dimensions.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Softmax2d()(bb.zeros((1, 4, 1, 1))).flatten()
        tensor([0.25, 0.25, 0.25, 0.25])
    """

    def forward(self, x: Tensor) -> Tensor:
        if isinstance(x, Tensor) and x.ndim not in (3, 4):
            raise ShapeError(f"Softmax2d: the input must be [n, c, h, w] or [c, h, w], got {list(x.shape)}.")
        return F.softmax(x, -3)
