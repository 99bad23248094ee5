"""Small trainings, for test_trainer.py and test_callbacks.py."""

from __future__ import annotations

from typing import Any

import numpy as np

import backburner as bb
from backburner import data, nn
from backburner.optim import SGD
from backburner.train import Trainer

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 4)).astype(np.float32)
Y = (X @ np.array([1.0, -2.0, 0.5, 0.0]) > 0).astype(np.int64)
XV, YV = X[:13] + 0.1, Y[:13]


def network(*middle: nn.Module, seed: int = 0) -> nn.Sequential:
    bb.Device.cpu().seed(seed)
    return nn.Sequential(nn.Linear(4, 8), *middle, nn.Tanh(), nn.Linear(8, 2))


def make(model: nn.Module | None = None, lr: Any = 0.1, **options: Any) -> Trainer:
    model = network() if model is None else model
    options = {"loss": nn.CrossEntropyLoss(), "seed": 1, "progress": "off", **options}
    kind = options.pop("kind", Trainer)
    return kind(model, options.pop("optimizer", None) or SGD(model, lr=lr, momentum=0.9), **options)


def bits(model: nn.Module) -> dict[str, bytes]:
    return {name: x.numpy().tobytes() for name, x in model.state_dict().items()}


def batches(size: int = 16, **options: Any) -> Any:
    return data.batches(X, Y, batch_size=size, **options)


def spoiled(at: int, model: nn.Module | None = None, **options: Any) -> tuple[Trainer, list[Any]]:
    parts = [(X[i : i + 10].copy(), Y[i : i + 10]) for i in range(0, 50, 10)]
    parts[at][0][3, 1] = np.nan
    return make(model if model is not None else network(nn.BatchNorm1d(8)), **options), parts
