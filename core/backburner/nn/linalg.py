"""The linear layer."""

from __future__ import annotations

from typing import Any

from backburner._tensor import Tensor
from backburner.device import Device
from backburner.nn import functional as F
from backburner.nn._checks import flag
from backburner.nn._module import Module
from backburner.nn.init import uniform_fan_in
from backburner.ops._operands import shape_of


class Linear(Module):
    """``x @ weight.T + bias``.

    Args:
        in_features: the size of the last axis of the input.
        out_features: that of the output.
        bias: whether there is one.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Raises:
        DTypeError: ``bias`` is neither True nor False.

    Shape:
        input ``[..., in_features]``, output ``[..., out_features]``; weight ``[out_features, in_features]``,
        bias ``[out_features]``.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        self.in_features, self.out_features = shape_of("Linear", (in_features, out_features))
        self.weight = uniform_fan_in((out_features, in_features), in_features, dtype, device)
        has_bias = flag("Linear", "bias", bias)
        self.bias = uniform_fan_in((out_features,), in_features, dtype, device) if has_bias else None

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )
