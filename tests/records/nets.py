"""A small network, and the arrays that fit it."""

from __future__ import annotations

from typing import Any

import numpy as np

from backburner import nn


def net(fill: float = 0.0) -> nn.Module:
    made = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 2))
    for parameter in made.parameters():
        parameter.assign(np.full(parameter.shape, fill, "f4"))
    return made


NAMES = ("0.weight", "0.bias", "2.weight", "2.bias")


def arrays(fill: float = 1.0, names: Any = NAMES, **more: Any) -> dict[str, np.ndarray]:
    shapes = {name: array.shape for name, array in net().state_dict().items()}
    return {new: np.full(shapes[old], fill, "f4") for new, old in zip(names, NAMES, strict=True)} | more


def filled(model: nn.Module) -> dict[str, float]:
    return {name: float(value.numpy().mean()) for name, value in model.state_dict().items()}
