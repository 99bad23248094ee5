"""The command's networks beat linear models on the tables of scikit-learn, on rows that neither has seen."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from backburner.models.tabular import Predictor
from backburner.train import tabular

pytestmark = pytest.mark.feature_set("autodiff")

SEEDS = range(20)  # the defaults were chosen on the splits of seeds from 100 on


def write(path: Path, x: Any, y: list[object]) -> None:
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"column {i}" for i in range(x.shape[1])), "target"])
        writer.writerows([*map(repr, row), label] for row, label in zip(x.tolist(), y, strict=True))


def answers(folder: Path, x: Any, y: Any, seed: int, classes: bool) -> tuple[Any, Any, Any]:
    """Return the held-out targets, what a linear model says of them, and what the network says."""
    train_x, test_x, train_y, test_y = train_test_split(
        x, y, test_size=0.25, random_state=seed, stratify=y if classes else None
    )
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000) if classes else Ridge())
    linear.fit(train_x, train_y)
    said = linear.predict_proba(test_x) if classes else linear.predict(test_x)
    spelled = (
        (lambda y: [f"class {label}" for label in y]) if classes else (lambda y: [repr(float(v)) for v in y])
    )
    write(folder / "train.csv", train_x, spelled(train_y))
    write(folder / "test.csv", test_x, spelled(test_y))
    tabular(folder / "train.csv", folder / "model.safetensors", target="target", seed=seed, show=False)
    return test_y, said, Predictor(folder / "model.safetensors")(folder / "test.csv").values


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_classes_are_told_better_than_by_logistic_regression(load: Any, tmp_path: Path) -> None:
    x, y = load(return_X_y=True)
    accuracy, loss = [], []
    for seed in SEEDS:
        truth, *both = answers(tmp_path, x, y, seed, True)
        accuracy.append([np.mean(said.argmax(axis=1) == truth) for said in both])
        loss.append([-np.log(np.maximum(said[np.arange(len(truth)), truth], 1e-15)).mean() for said in both])
    (linear, network), (linear_loss, network_loss) = np.mean(accuracy, axis=0), np.mean(loss, axis=0)
    print(f"\naccuracy {linear:.4f} {network:.4f}, log loss {linear_loss:.4f} {network_loss:.4f}")
    assert network > linear
    assert network_loss < linear_loss


def test_numbers_are_predicted_better_than_by_ridge_regression(tmp_path: Path) -> None:
    x, y = load_diabetes(return_X_y=True)
    explained = []
    for seed in SEEDS:
        truth, *both = answers(tmp_path, x, y, seed, False)
        explained.append([1 - ((said - truth) ** 2).mean() / truth.var() for said in both])
    linear, network = np.mean(explained, axis=0)
    print(f"\nR2 {linear:.4f} {network:.4f}")
    assert network > linear
