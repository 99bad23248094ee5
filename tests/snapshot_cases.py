"""Trainings with all that a snapshot must keep, for test_snapshots.py and test_interruptions.py."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import backburner as bb
from backburner import data, nn
from backburner.optim import Adam
from backburner.train import Trainer

X = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
Y = (X.sum(axis=1) > 0).astype(np.int64)
MILESTONES = (4, 9, 13)


def schedule(step: int) -> float:
    return 0.05 * 0.5 ** sum(step >= m for m in MILESTONES)


def make(seed: int | None = 3, **options: Any) -> Trainer:
    """Return a trainer of all that a snapshot must keep: dropout, running statistics, moments, a schedule, averages."""
    bb.Device.cpu().seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.4), nn.Linear(8, 2))
    options = {"metrics": ["accuracy", "auc"], "clip": 1.0, "ema": 0.9, "progress": "off", **options}
    trainer = Trainer(model, Adam(model, lr=schedule), nn.CrossEntropyLoss(), seed=seed, **options)
    bb.Device.cpu().seed(os.getpid())  # what else draws has drawn other numbers in each process
    bb.random.uniform((len(options),))
    return trainer


def everything(trainer: Trainer) -> dict[str, Any]:
    """Return all that a training comes down to."""
    found: dict[str, Any] = {k: v.numpy().tobytes() for k, v in trainer.model.state_dict().items()}
    found |= {f"optimizer.{k}": np.asarray(v).tobytes() for k, v in trainer.optimizer.state_dict().items()}
    if trainer.ema is not None:
        found |= {f"ema.{k}": v.tobytes() for k, v in trainer.ema.state_dict().items()}
    rows = [{k: v for k, v in row.items() if k != "seconds"} for row in trainer.history]
    return found | {"history": rows, "position": trainer.position, "random": trainer._random}


class Drawing:
    """Data of the user's own, which draws its order from the device's stream and noise from NumPy's."""

    def __iter__(self) -> Any:
        order = bb.random.permutation(50).numpy()
        for i in range(0, 50, 10):
            yield X[order[i : i + 10]] + np.random.normal(size=(1, 4)), Y[order[i : i + 10]]


SOURCES: dict[str, Callable[[], Any]] = {
    "batches": lambda: data.batches(X, Y, batch_size=8, shuffle=True, seed=2),
    "a list": lambda: [(X[i : i + 8], Y[i : i + 8]) for i in range(0, 50, 8)],
    "arrays": lambda: (X, Y),
    "a loader": lambda: data.Loader(data.ArrayDataset(X, Y), batch_size=8, shuffle=True, seed=2),
    "a loader with threads": lambda: data.Loader(
        data.ArrayDataset(X, Y), batch_size=8, shuffle=True, seed=2, workers=2, threads=True
    ),
}


def size_of(source: str) -> dict[str, Any]:
    return {"batch_size": 8} if source == "arrays" else {}


def python(code: str, *arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, str(Path(__file__).parent), *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
