"""Dropout as modules, which do nothing but while they train.

They take PyTorch's ``inplace`` and give it no meaning: tensors are immutable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from backburner._tensor import Tensor
from backburner.nn import functional as F
from backburner.nn._checks import flag
from backburner.nn._module import Module
from backburner.nn.functional._options import probability


class _Dropout(Module):
    """A function that drops while the module trains, with probability ``p``."""

    _function: ClassVar[Callable[..., Tensor]]

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        name = type(self).__name__
        self.p = probability(name, p)
        self.inplace = flag(name, "inplace", inplace)

    def forward(self, x: Tensor) -> Tensor:
        return self._function(x, self.p, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """Zero elements while the module trains, and scale the others up; see ``functional.dropout``.

    Args:
        p: the probability of a zero.
        inplace: taken and ignored: tensors are immutable.

    Raises:
        ArgumentError: ``p`` is not a probability.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Dropout(0.9)(bb.ones(2)).tolist()  # on a plain device nothing trains
        [1.0, 1.0]
    """

    _function = staticmethod(F.dropout)


class Dropout1d(_Dropout):
    """Zero whole channels of signals while the module trains; see ``functional.dropout1d``.

    Args:
        p: the probability of a zero.
        inplace: taken and ignored: tensors are immutable.

    Shape:
        ``[n, c, l]`` or ``[c, l]``; so is the output.

    Raises:
        ArgumentError: ``p`` is not a probability.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> layer = nn.Dropout1d(0.5).to(bb.Device.cpu().autodiff())
        >>> channel = layer(bb.ones((1, 1, 4))).tolist()[0][0]
        >>> channel in ([0.0] * 4, [2.0] * 4)
        True
    """

    _function = staticmethod(F.dropout1d)


class Dropout2d(_Dropout):
    """Zero whole channels of images while the module trains; see ``functional.dropout2d``.

    Args:
        p: the probability of a zero.
        inplace: taken and ignored: tensors are immutable.

    Shape:
        ``[n, c, h, w]`` or ``[n, c, l]``; so is the output.

    Raises:
        ArgumentError: ``p`` is not a probability.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> layer = nn.Dropout2d(0.5).to(bb.Device.cpu().autodiff())
        >>> layer(bb.ones((1, 1, 1, 2))).tolist() in ([[[[0.0, 0.0]]]], [[[[2.0, 2.0]]]])
        True
    """

    _function = staticmethod(F.dropout2d)


class Dropout3d(_Dropout):
    """Zero whole channels of volumes while the module trains; see ``functional.dropout3d``.

    Args:
        p: the probability of a zero.
        inplace: taken and ignored: tensors are immutable.

    Shape:
        ``[n, c, d, h, w]`` or ``[c, d, h, w]``; so is the output.

    Raises:
        ArgumentError: ``p`` is not a probability.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> layer = nn.Dropout3d(0.5).to(bb.Device.cpu().autodiff())
        >>> layer(bb.ones((1, 1, 1, 1, 2))).tolist() in ([[[[[0.0, 0.0]]]]], [[[[[2.0, 2.0]]]]])
        True
    """

    _function = staticmethod(F.dropout3d)


class AlphaDropout(_Dropout):
    """Drop elements so that mean 0 and variance 1 stay, as selu wants; see ``functional.alpha_dropout``.

    Args:
        p: the probability of being dropped.
        inplace: taken and ignored: tensors are immutable.

    Raises:
        ArgumentError: ``p`` is not a probability.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.AlphaDropout(0.2)(bb.ones((2,))).tolist()  # on a plain device nothing trains
        [1.0, 1.0]
    """

    _function = staticmethod(F.alpha_dropout)


class FeatureAlphaDropout(_Dropout):
    """Drop whole channels so that mean 0 and variance 1 stay; see ``functional.feature_alpha_dropout``.

    Args:
        p: the probability of being dropped.
        inplace: taken and ignored: tensors are immutable.

    Shape:
        ``[n, c, ...]``; so is the output.

    Raises:
        ArgumentError: ``p`` is not a probability.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.FeatureAlphaDropout(0.2)(bb.ones((1, 2))).tolist()  # on a plain device nothing trains
        [[1.0, 1.0]]
    """

    _function = staticmethod(F.feature_alpha_dropout)
