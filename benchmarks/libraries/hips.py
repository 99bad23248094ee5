"""HIPS autograd: NumPy's functions, differentiated, and Adam as its examples write it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from benchmarks import models
from benchmarks.libraries import BETAS, EPSILON, LEARNING_RATE, Outputs, Task, inputs, trained, weights

autograd: Any = import_module("autograd")
anp: Any = import_module("autograd.numpy")
threadpoolctl: Any = import_module("threadpoolctl")


class Library:
    def __init__(self, threads: int) -> None:
        threadpoolctl.threadpool_limits(threads)

    def train(self, model: str, data: str) -> Task:
        """Train a perceptron."""
        spec = models.MODELS[model]
        (x,), target = inputs(data)
        params = weights(data)
        names = sorted({int(name.split(".")[0]) for name in params})

        def loss(params: Any) -> Any:
            y = x
            for i in names:
                y = anp.dot(y, params[f"{i}.weight"].T) + params[f"{i}.bias"]
                y = y if i == names[-1] else anp.maximum(y, 0)
            if spec.loss == "mse":
                return anp.mean((y - target) ** 2)
            shifted = y - anp.max(y, axis=1, keepdims=True)
            logs = shifted - anp.log(anp.sum(anp.exp(shifted), axis=1, keepdims=True))
            return -anp.mean(logs[anp.arange(len(y)), target])

        graded = autograd.value_and_grad(loss)
        m = {name: np.zeros_like(w) for name, w in params.items()}
        v = {name: np.zeros_like(w) for name, w in params.items()}
        steps = 0

        def run() -> Any:
            nonlocal steps
            value, grads = graded(params)
            steps += 1
            for name, g in grads.items():
                m[name] = (1 - BETAS[0]) * g + BETAS[0] * m[name]
                v[name] = (1 - BETAS[1]) * g**2 + BETAS[1] * v[name]
                mean = m[name] / (1 - BETAS[0] ** steps)
                square = v[name] / (1 - BETAS[1] ** steps)
                params[name] = params[name] - LEARNING_RATE * mean / (np.sqrt(square) + EPSILON)
            return value

        def gradients() -> tuple[float, Outputs]:
            value, grads = graded(params)
            return float(value), dict(grads)

        return Task(run, trained(run, gradients, lambda: dict(params), float))
