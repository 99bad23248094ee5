"""Make metrics.npz, the values that scikit-learn (1.9.1) gives for the rows of tests/test_metrics.py.

Run it in an environment that has scikit-learn: python tests/golden/make_metrics.py
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
from sklearn import metrics as m

rng = np.random.default_rng(4)
N = 97
target = rng.integers(0, 4, N)
target[target == 2] = np.where(rng.random((target == 2).sum()) < 0.5, 2, 0)
logits = rng.normal(size=(N, 5)) + 1.5 * np.eye(5)[target]  # class 4 is never right, and sometimes answered
probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
yes = rng.integers(0, 2, N)
score = np.clip(np.round(0.25 + 0.4 * yes + 0.3 * rng.normal(size=N), 1), 0.05, 0.95)  # many ties
numbers = 100 + rng.normal(size=(N, 2))
guesses = numbers + 0.5 * rng.normal(size=(N, 2)) + 0.2
answer = logits.argmax(axis=1)
binary = (score > 0.5).astype(int)
four = probabilities[:, :4] / probabilities[:, :4].sum(axis=1, keepdims=True)

VALUES = {
    "accuracy": m.accuracy_score(target, answer),
    "top_2_accuracy": m.top_k_accuracy_score(target, logits, k=2, labels=range(5)),
    "top_5_accuracy": 1.0,
    "binary_accuracy": m.accuracy_score(yes, binary),
    "confusion_matrix": m.confusion_matrix(target, answer, labels=range(5)).tolist(),
    "mae": m.mean_absolute_error(numbers, guesses),
    "mse": m.mean_squared_error(numbers, guesses),
    "rmse": m.mean_squared_error(numbers.ravel(), guesses.ravel()) ** 0.5,
    "mape": m.mean_absolute_percentage_error(numbers, guesses),
    "r2": m.r2_score(numbers, guesses),
    "explained_variance": m.explained_variance_score(numbers, guesses),
    "pearson_correlation": float(
        np.mean([np.corrcoef(guesses[:, i], numbers[:, i])[0, 1] for i in range(2)])
    ),
    "loss": m.mean_squared_error(numbers, guesses),
    "matthews_correlation": m.matthews_corrcoef(target, answer),
    "matthews_correlation, binary": m.matthews_corrcoef(yes, binary),
    "cohen_kappa": m.cohen_kappa_score(target, answer),
    "cohen_kappa, binary": m.cohen_kappa_score(yes, binary),
    "auc": m.roc_auc_score(yes, score),
    "auc, classes": m.roc_auc_score(target, four, multi_class="ovr"),
    "auc, weighted": m.roc_auc_score(target, four, multi_class="ovr", average="weighted"),
    "auc, each": m.roc_auc_score(np.eye(4)[target], four, average=None).tolist(),
    "average_precision": m.average_precision_score(yes, score),
    "average_precision, classes": m.average_precision_score(np.eye(4)[target], four),
    "average_precision, weighted": m.average_precision_score(np.eye(4)[target], four, average="weighted"),
    "average_precision, each": m.average_precision_score(np.eye(4)[target], four, average=None).tolist(),
    "cross_entropy": m.log_loss(target, probabilities, labels=range(5)),
    "cross_entropy, probabilities": m.log_loss(target, probabilities, labels=range(5)),
    "perplexity": float(np.exp(m.log_loss(target, probabilities, labels=range(5)))),
    "log_loss": m.log_loss(yes, score),
    "log_loss, logits": m.log_loss(yes, score),
}
for normalize in ("true", "pred", "all"):
    VALUES[f"confusion_matrix, {normalize}"] = m.confusion_matrix(
        target, answer, labels=range(5), normalize=normalize
    ).tolist()
SCORES = {"precision": m.precision_score, "recall": m.recall_score, "f1": m.f1_score}
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for name, function in SCORES.items():
        VALUES[name] = function(target, answer, average="macro", zero_division=0)
        for average in ("micro", "weighted"):
            VALUES[f"{name}, {average}"] = function(target, answer, average=average, zero_division=0)
        VALUES[f"{name}, one"] = function(target, answer, average="macro", zero_division=1)
        VALUES[f"{name}, nan"] = function(target, answer, average="macro", zero_division=np.nan)
        each = function(target, answer, average=None, labels=range(5), zero_division=0)
        VALUES[f"{name}, each"] = each.tolist()
        VALUES[f"{name}, binary"] = function(yes, binary)

np.savez_compressed(
    Path(__file__).with_name("metrics.npz"),
    target=target,
    logits=logits,
    yes=yes,
    score=score,
    numbers=numbers,
    guesses=guesses,
    values=json.dumps(VALUES),
)
