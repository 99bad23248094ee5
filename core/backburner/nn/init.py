"""The first values of parameters: PyTorch's defaults."""

from __future__ import annotations

import math
from typing import Any

from backburner import random
from backburner.contracts import Shape
from backburner.device import Device
from backburner.nn._parameter import Parameter


def uniform_fan_in(shape: Shape, fan_in: int, dtype: Any, device: Device | None) -> Parameter:
    """Return a parameter drawn evenly from ``-1 / sqrt(fan_in)`` to ``1 / sqrt(fan_in)``.

    PyTorch's default for linear layers and convolutions: He's uniform initialisation (2015) with the gain of
    a leaky relu of slope ``sqrt(5)``.
    """
    bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
    return Parameter(random.uniform(shape, -bound, bound, dtype=dtype, device=device))


def standard_normal(shape: Shape, dtype: Any, device: Device | None) -> Parameter:
    """Return a parameter drawn from the standard normal distribution, PyTorch's default for embeddings."""
    return Parameter(random.normal(shape, dtype=dtype, device=device))
