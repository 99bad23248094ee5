"""The kinds of device that a test of tensors goes through, and leaves on them."""

from __future__ import annotations

from typing import Any

import pytest

import backburner as bb
from backburner.device import Device

autodiff = pytest.mark.feature_set("autodiff")
KINDS = ["plain", pytest.param("autodiff", marks=autodiff), pytest.param("balanced", marks=autodiff)]


def device_of(kind: str) -> Device:
    """Return the device of a kind."""
    plain = Device.cpu()
    if kind == "plain":
        return plain
    return plain.autodiff() if kind == "autodiff" else plain.autodiff().gradient_checkpointing()


def leaf(device: Device, values: Any = (1.0, 2.0, 3.0), dtype: Any = None) -> bb.Tensor:
    """Return a new leaf."""
    return bb.tensor(values, dtype=dtype, device=device).require_grad()
