"""The linear and the bilinear layer, and the gated feed-forward network made of the first."""

from __future__ import annotations

from typing import Any

from backburner._tensor import Tensor
from backburner.device import Device
from backburner.nn import functional as F
from backburner.nn._checks import count, flag
from backburner.nn._module import Module
from backburner.nn.init import uniform_fan_in


class Linear(Module):
    """Apply ``x @ weight.T + bias``.

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

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Linear(4, 2)(bb.ones((3, 4))).shape
        (3, 2)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        self.in_features = count("Linear", "in_features", in_features, 0)
        self.out_features = count("Linear", "out_features", out_features, 0)
        has_bias = flag("Linear", "bias", bias)
        self.weight = uniform_fan_in((self.out_features, self.in_features), self.in_features, dtype, device)
        self.bias = (
            uniform_fan_in((self.out_features,), self.in_features, dtype, device) if has_bias else None
        )

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )


class Bilinear(Module):
    """Apply ``x1 @ weight[k] @ x2 + bias[k]`` for each output ``k``.

    Args:
        in1_features: the size of the last axis of the first input.
        in2_features: that of the second.
        out_features: that of the output.
        bias: whether there is one.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        inputs ``[..., in1_features]`` and ``[..., in2_features]``, output ``[..., out_features]``; weight
        ``[out_features, in1_features, in2_features]``, bias ``[out_features]``.

    Raises:
        ArgumentError: ``in1_features`` is less than 1.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Bilinear(4, 3, 2)(bb.ones((5, 4)), bb.ones((5, 3))).shape
        (5, 2)
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        self.in1_features = n = count("Bilinear", "in1_features", in1_features)
        self.in2_features = count("Bilinear", "in2_features", in2_features, 0)
        self.out_features = o = count("Bilinear", "out_features", out_features, 0)
        has_bias = flag("Bilinear", "bias", bias)
        self.weight = uniform_fan_in((o, n, self.in2_features), n, dtype, device)
        self.bias = uniform_fan_in((o,), n, dtype, device) if has_bias else None

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class SwiGLU(Module):
    """Apply ``down_proj(silu(gate_proj(x)) * up_proj(x))``, the feed-forward network of Llama (Shazeer 2020).

    PyTorch has no such layer. The names of the parameters are those of Hugging Face's ``LlamaMLP``; Meta's own
    checkpoints call the three ``w1``, ``w3`` and ``w2``.

    Args:
        in_features: the size of the last axis of the input.
        hidden_features: the size in between.
        out_features: the size of the last axis of the output, by default ``in_features``.
        bias: whether the three have one; Llama's have none.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        input ``[..., in_features]``, output ``[..., out_features]``; gate_proj.weight and up_proj.weight
        ``[hidden_features, in_features]``, down_proj.weight ``[out_features, hidden_features]``.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.SwiGLU(4, 8)(bb.ones((3, 4))).shape
        (3, 4)
    """

    def __init__(
        self,
        in_features: int,
        hidden_features: int,
        out_features: int | None = None,
        bias: bool = False,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        n = count("SwiGLU", "in_features", in_features)
        hidden = count("SwiGLU", "hidden_features", hidden_features)
        out = n if out_features is None else count("SwiGLU", "out_features", out_features)
        has_bias = flag("SwiGLU", "bias", bias)
        self.gate_proj = Linear(n, hidden, has_bias, device, dtype)
        self.up_proj = Linear(n, hidden, has_bias, device, dtype)
        self.down_proj = Linear(hidden, out, has_bias, device, dtype)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
        return out
