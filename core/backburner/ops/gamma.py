"""The gamma function's logarithm and its derivatives (Abramowitz and Stegun, chapter 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backburner import _tensor
from backburner.ops._operands import floating

if TYPE_CHECKING:
    from backburner._tensor import Tensor


def lgamma(x: Tensor, /) -> Tensor:
    """Return the logarithm of ``|Gamma(x)|``, infinite at 0 and the negative integers.

    Its gradient there is that of ``digamma``: infinite at 0, NaN at the negative integers.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("lgamma", x)
    return _tensor.wrap(x.device.backend.lgamma(held), x.device)


def digamma(x: Tensor, /) -> Tensor:
    """Return the derivative of ``lgamma``, the logarithmic derivative of the gamma function.

    At 0 it is ``-inf`` and at -0 ``inf``, as PyTorch has it, and NaN at the negative integers.

    Shape:
        x and the result ``[...]``.
    """
    held = floating("digamma", x)
    return _tensor.wrap(x.device.backend.digamma(held), x.device)
