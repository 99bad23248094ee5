"""Masks of attention put together: which keys take part, and what is added to the scores."""

from __future__ import annotations

import math

import numpy as np

from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.device import Device
from backburner.errors import DTypeError
from backburner.ops._operands import primitive
from backburner.ops.elementwise import where


class Masks:
    """What is known of the scores so far.

    Attributes:
        keep: which keys take part; ``None`` for all.
        bias: what is added; ``None`` for nothing.
    """

    __slots__ = ("keep", "bias")

    def __init__(self) -> None:
        self.keep: Array | None = None
        self.bias: Tensor | None = None

    def show(self, keep: Array) -> None:
        """Let only keys take part for which ``keep`` is true."""
        self.keep = keep if self.keep is None else self.keep & keep

    def hide_or_add(self, op: str, name: str, mask: Tensor) -> None:
        """Take a mask in PyTorch's form: a bool one is true where a key takes no part, a float one is added."""
        kind = primitive(f"{op}: {name}", mask).dtype.kind
        if kind == "b":
            self.show(~mask._array())
        elif kind == "f":
            self.bias = mask if self.bias is None else self.bias + mask
        else:
            raise DTypeError(f"{op}: {name} must be bool or float, got {mask.dtype}. Compare, or use astype.")

    def merged(self) -> Tensor | None:
        """Return one mask as ``scaled_dot_product_attention`` takes it: true, or added, where a key takes part."""
        keep = None if self.keep is None else Tensor(self.keep, Device.cpu())
        if self.bias is None or keep is None:
            return keep if self.bias is None else self.bias
        return where(keep, self.bias, -math.inf)


def causal_mask(queries: int, keys: int, past: int) -> Array | None:
    """Return which keys each query may see, itself and what is before, ``None`` for all.

    The first query stands at position ``past``.
    """
    return None if past + 1 >= keys else np.tri(queries, keys, past, dtype=np.bool_)
