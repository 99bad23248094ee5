"""The loss and the metrics of the batches so far."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from backburner_autodiff.train.metrics import Metric


class Running:
    """Sums of loss and metrics over batches, each for as many examples as it has.

    Args:
        metrics: by name; this takes copies that have seen nothing.
    """

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self._metrics = {name: copy.deepcopy(metric) for name, metric in metrics.items()}
        for metric in self._metrics.values():
            metric.reset()
        self._loss = 0.0
        self.examples = 0

    def add(self, loss: float, examples: int, output: Any, target: Any) -> None:
        """Take up a batch, whose ``loss`` is a mean over ``examples``."""
        if output is not None:
            for metric in self._metrics.values():
                metric.update(output, target)
        if examples:  # the mean over none is NaN
            self._loss += loss * examples
        self.examples += examples

    @property
    def loss(self) -> float:
        """The mean loss of an example."""
        return self._loss / self.examples if self.examples else math.nan

    def values(self) -> dict[str, Any]:
        """Return the loss and each metric by name."""
        found: dict[str, Any] = {"loss": self.loss}
        for name, metric in self._metrics.items():
            found[name] = metric.compute()
        return found

    def state_dict(self) -> dict[str, Any]:
        """Return all sums as arrays by name."""
        state: dict[str, Any] = {"loss": np.array(self._loss), "examples": np.array(self.examples)}
        for name, metric in self._metrics.items():
            state |= {f"metric.{name}.{key}": value for key, value in metric.state_dict().items()}
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``state_dict`` returned; a metric that it does not have begins anew."""
        self._loss, self.examples = float(state["loss"]), int(state["examples"])
        found: dict[str, dict[str, Any]] = {name: {} for name in self._metrics}
        for key, value in state.items():
            # of metrics called "a" and "a.b" the second has "metric.a.b.sum"
            names = [name for name in found if key.startswith(f"metric.{name}.")]
            if names:
                name = max(names, key=len)
                found[name][key.removeprefix(f"metric.{name}.")] = value
        for name, metric in self._metrics.items():
            metric.load_state_dict(found[name])
