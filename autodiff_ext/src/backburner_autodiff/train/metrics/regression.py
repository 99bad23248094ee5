"""Metrics of numbers against numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner import asarray
from backburner.errors import DTypeError, ShapeError
from backburner_autodiff._rule import Array
from backburner_autodiff.train.metrics._metric import Metric, Ratio, State, alike


class Loss(Ratio):
    """The mean of a loss over examples: ``sum(n_b loss(output_b, target_b)) / sum(n_b)`` over batches of ``n_b``.

    Args:
        loss: a module or a function from output and target to their mean loss.

    Shape:
        What ``loss`` takes; the first axis runs over examples.

    Raises:
        DTypeError: ``loss`` cannot be called.

    Example:
        >>> from backburner import nn
        >>> from backburner.train import metrics
        >>> metric = metrics.Loss(nn.L1Loss())
        >>> metric.update([1.0, 2.0], [1.0, 4.0])
        >>> metric.update([1.0], [5.0])
        >>> metric.compute()
        2.0
    """

    def __init__(self, loss: Any) -> None:
        super().__init__()
        if not callable(loss):
            raise DTypeError(f"Loss: {loss!r:.80} is not a module or a function (output, target).")
        self.loss = loss

    def _measured(self, output: Array, target: Array) -> State:
        if not target.ndim:
            raise ShapeError("Loss: target has no axis of examples.")
        if not len(target):  # whose mean is NaN
            return {"sum": np.array(0.0), "count": np.array(0)}
        found: Any = self.loss(asarray(output, copy=True), asarray(target, copy=True))
        value = float(found)
        return {"sum": np.array(value * len(target)), "count": np.array(len(target))}


class MAE(Ratio):
    """The mean absolute error, ``mean(|output - target|)`` over all elements.

    Shape:
        output and target ``[...]`` alike, or with a last axis of 1.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.MAE()
        >>> metric.update([1.0, 2.0], [1.0, 4.0])
        >>> round(metric.compute(), 4)
        1.0
    """

    def _measured(self, output: Array, target: Array) -> State:
        x, y = alike(self._op, output, target)
        return {"sum": np.asarray(np.abs(x - y).sum()), "count": np.array(x.size)}


class MSE(Ratio):
    """The mean squared error, ``mean((output - target)^2)`` over all elements.

    Shape:
        output and target ``[...]`` alike, or with a last axis of 1.

    Example:
        >>> from backburner.train import metrics
        >>> error = metrics.MSE()
        >>> error.update([1.0, 2.0], [1.0, 4.0])
        >>> error.compute()
        2.0
    """

    def _measured(self, output: Array, target: Array) -> State:
        x, y = alike(self._op, output, target)
        return {"sum": np.asarray(((x - y) ** 2).sum()), "count": np.array(x.size)}


class RMSE(MSE):
    """The root of the mean squared error over all elements.

    Shape:
        output and target ``[...]`` alike, or with a last axis of 1.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.RMSE()
        >>> metric.update([1.0, 5.0], [1.0, 1.0])
        >>> round(metric.compute(), 4)
        2.8284
    """

    def _value(self, state: State) -> float:
        return math.sqrt(super()._value(state))


class MAPE(Ratio):
    """The mean absolute error as a share of the target, ``mean(|output - target| / max(|target|, eps))``.

    ``eps`` is that of float64, as in scikit-learn; a share, not percent.

    Shape:
        output and target ``[...]`` alike, or with a last axis of 1.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.MAPE()
        >>> metric.update([1.0, 5.0], [2.0, 5.0])
        >>> round(metric.compute(), 4)
        0.25
    """

    def _measured(self, output: Array, target: Array) -> State:
        x, y = alike(self._op, output, target)
        shares = np.abs(x - y) / np.maximum(np.abs(y), np.finfo(np.float64).eps)
        return {"sum": np.asarray(shares.sum()), "count": np.array(x.size)}


class _Moments(Metric):
    """The base of metrics of variances, which are kept for each column of outputs.

    Of two parts the means and squared deviations become one by Chan, Golub and LeVeque (1979), which loses nothing
    where means are large beside the deviations.
    """

    def _measured(self, output: Array, target: Array) -> State:
        x, y = alike(self._op, output, target)
        if not x.size:
            return {}
        x, y = (v.reshape(len(v), -1) if v.ndim > 1 else v.reshape(-1, 1) for v in (x, y))
        values = {"x": x, "y": y, "e": y - x}
        # from the first row on: the mean of what is constant is exact, and what is away from it 0
        means = {f"mean_{k}": v[0] + (v - v[0]).mean(axis=0) for k, v in values.items()}
        away = {k: v - means[f"mean_{k}"] for k, v in values.items()}
        sums = {f"sum_{k}": np.sum(v * v, axis=0) for k, v in away.items()}
        return {"count": np.array(len(x)), "sum_xy": np.sum(away["x"] * away["y"], axis=0), **means, **sums}

    def _take(self, found: State) -> None:
        if found:
            super()._take(found)

    def _joined(self, x: State, y: State) -> State:
        if x["sum_y"].shape != y["sum_y"].shape:
            raise ShapeError(f"{self._op}: {x['sum_y'].size} columns before, {y['sum_y'].size} now.")
        n, m = int(x["count"]), int(y["count"])
        gap = {k: y[f"mean_{k}"] - x[f"mean_{k}"] for k in "xye"}
        made = {f"mean_{k}": x[f"mean_{k}"] + gap[k] * (m / (n + m)) for k in "xye"}
        made |= {f"sum_{k}": x[f"sum_{k}"] + y[f"sum_{k}"] + gap[k] ** 2 * (n * m / (n + m)) for k in "xye"}
        both = x["sum_xy"] + y["sum_xy"] + gap["x"] * gap["y"] * (n * m / (n + m))
        return {"count": np.array(n + m), "sum_xy": both, **made}


def _explained(unexplained: Array, total: Array) -> float:
    """Return ``mean(1 - unexplained / total)``; where the target is constant 1 if nothing is unexplained, else 0."""
    safe = np.where(total == 0, 1, total)
    values = np.where(total == 0, np.where(unexplained == 0, 1.0, 0.0), 1 - unexplained / safe)
    values = np.where(np.isnan(unexplained) | np.isnan(total), np.nan, values)
    return float(values.mean())


class R2(_Moments):
    """The coefficient of determination, ``1 - sum((y - x)^2) / sum((y - mean(y))^2)``, its mean over columns.

    Where targets are constant it is 1 for right outputs and 0 for others, as in scikit-learn; with fewer than two
    examples NaN.

    Shape:
        output and target ``[n]`` or ``[n, columns]`` alike, or with a last axis of 1.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.R2()
        >>> metric.update([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
        >>> round(metric.compute(), 4)
        0.7857
    """

    def _value(self, state: State) -> float:
        n = int(state["count"])
        if n < 2:
            return math.nan
        return _explained(state["sum_e"] + n * state["mean_e"] ** 2, state["sum_y"])


class ExplainedVariance(_Moments):
    """The share of the targets' variance that is explained, ``1 - var(y - x) / var(y)``, its mean over columns.

    Unlike R2 it forgives a constant error. Where targets are constant it is 1 for a constant error, else 0.

    Shape:
        output and target ``[n]`` or ``[n, columns]`` alike, or with a last axis of 1.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.ExplainedVariance()
        >>> metric.update([2.0, 3.0, 4.0], [1.0, 2.0, 3.0])
        >>> round(metric.compute(), 4)
        1.0
    """

    def _value(self, state: State) -> float:
        return _explained(state["sum_e"], state["sum_y"])


class PearsonCorrelation(_Moments):
    """Pearson's correlation of outputs and targets, ``cov(x, y) / sqrt(var(x) var(y))``, its mean over columns.

    NaN where one of them is constant.

    Shape:
        output and target ``[n]`` or ``[n, columns]`` alike, or with a last axis of 1.

    Example:
        >>> from backburner.train import metrics
        >>> metric = metrics.PearsonCorrelation()
        >>> metric.update([2.0, 3.0, 4.0], [1.0, 2.0, 3.0])
        >>> round(metric.compute(), 4)
        1.0
    """

    def _value(self, state: State) -> float:
        below = np.sqrt(state["sum_x"]) * np.sqrt(state["sum_y"])
        values = np.where(below == 0, np.nan, state["sum_xy"] / np.where(below == 0, 1, below))
        return float(np.clip(values, -1, 1).mean())
