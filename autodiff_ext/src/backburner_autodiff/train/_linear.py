"""Linear models with a penalty on their weights, from their normal equations: where a network for a table starts."""

from __future__ import annotations

import math

import numpy as np

from backburner_autodiff._rule import Array

ITERATIONS = 300
CLOSE = 1e-5  # how little the weights move at the end


def ridge(x: Array, y: Array, penalty: float) -> tuple[Array, Array]:
    """Return the weights and biases that minimise the squared error plus ``penalty`` times the squared weights.

    Shape:
        x ``[n, d]``, y ``[n, outputs]``; weights ``[d, outputs]``, biases ``[outputs]``. All float64.
    """
    center, mean = x.mean(axis=0), y.mean(axis=0)
    a = x - center
    weights = np.linalg.solve(a.T @ a + penalty * np.eye(x.shape[1]), a.T @ (y - mean))
    return weights, mean - center @ weights


def logistic(x: Array, y: Array, penalty: float) -> tuple[Array, Array]:
    """Return the weights and biases of multinomial logistic regression.

    They minimise the sum of cross entropies plus half of ``penalty`` times the squared weights. The Hessian is at
    most half of ``x.T @ x`` for each class (Boehning, "Multinomial logistic regression algorithm", 1992), so one
    inverse serves all iterations, and each goes down; Nesterov's momentum, begun anew where it goes up, makes
    them few.

    Args:
        x: features.
        y: a 1 for the class of each row, otherwise 0.
        penalty: positive.

    Shape:
        x ``[n, d]``, y ``[n, classes]``; weights ``[d, classes]``, biases ``[classes]``. All float64.
    """
    n, d = x.shape
    a = np.concatenate([x, np.ones((n, 1))], axis=1)
    penalties = np.full(d + 1, float(penalty))
    penalties[-1] = 1e-6  # hardly any on the biases, enough for an inverse
    bound = np.linalg.inv(a.T @ a / 2 + np.diag(penalties))
    w = ahead = np.zeros((d + 1, y.shape[1]))
    momentum = 1.0
    for _ in range(ITERATIONS):
        slope = a.T @ (softmax(a @ ahead) - y) + penalties[:, None] * ahead
        after = ahead - bound @ slope
        if (slope * (after - w)).sum() > 0:
            momentum, following = 1.0, after
        else:
            larger = (1 + math.sqrt(1 + 4 * momentum * momentum)) / 2
            following = after + (momentum - 1) / larger * (after - w)
            momentum = larger
        moved = float(np.abs(after - w).max())
        w, ahead = after, following
        if moved < CLOSE:
            break
    w = w - w.mean(axis=1, keepdims=True)  # what is added to all classes changes no answer
    return w[:-1], w[-1]


def softmax(z: Array) -> Array:
    """Return the shares along the last axis."""
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    shares: Array = e / e.sum(axis=-1, keepdims=True)
    return shares


def losses(z: Array, y: Array) -> Array:
    """Return the loss of each row: cross entropy for classes, the squared error for numbers.

    Shape:
        z ``[n, outputs]``, y ``[n]`` of integers or floats, result ``[n]``.
    """
    if y.dtype.kind == "f":
        squared: Array = (z[:, 0] - y) ** 2
        return squared
    shares = softmax(z.astype(np.float64))[np.arange(len(y)), y]
    found: Array = -np.log(np.maximum(shares, 1e-30))
    return found
