"""``Plateau``: the learning rate that falls when a metric stays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from backburner import Tensor
from backburner.errors import ArgumentError, DTypeError
from backburner_autodiff._rule import Array
from backburner_autodiff.optim import _options


class Plateau:
    """A learning rate that falls when a metric gets no better; PyTorch's ``ReduceLROnPlateau``.

    Give it to an optimizer as ``lr`` and tell it the metric after each epoch; the optimizer's state has its state
    in it. As a factor, ``schedule * Plateau(1.0)``, it lowers another schedule.

    Args:
        lr: the first learning rate.
        mode: ``"min"`` if a lower metric is better, ``"max"`` if a higher one is.
        factor: what the rate is multiplied by, below 1.
        patience: how many updates in a row may bring nothing better before it falls.
        threshold: how much better counts.
        threshold_mode: ``"rel"`` for a share of the best so far, ``"abs"`` for a difference.
        cooldown: how many updates after a fall do not count.
        min_lr: it does not fall below this.
        eps: a fall by less than this is left out.

    Attributes:
        value: the learning rate now.
        best: the best metric so far.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> from backburner.optim import schedules
        >>> plateau = schedules.Plateau(1.0, factor=0.5, patience=1)
        >>> [plateau.update(loss) for loss in (3.0, 2.0, 2.0, 2.0)], plateau.value
        ([False, False, False, True], 0.5)
    """

    def __init__(
        self,
        lr: float,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float = 0.0,
        eps: float = 1e-8,
    ) -> None:
        checks: dict[str, _options.Check] = {
            "lr": _options.rate,
            "mode": _options.one_of("min", "max"),
            "factor": _options.number(0.0, 1.0),
            "patience": _options.whole(0),
            "threshold": _options.number(),
            "threshold_mode": _options.one_of("rel", "abs"),
            "cooldown": _options.whole(0),
            "min_lr": _options.rate,
            "eps": _options.number(),
        }
        given = (lr, mode, factor, patience, threshold, threshold_mode, cooldown, min_lr, eps)
        self._options = _options.checked("Plateau", checks, dict(zip(checks, given, strict=True)))
        self.value: float = self._options["lr"]
        self.best = math.inf if mode == "min" else -math.inf
        self._bad = 0  # updates in a row that brought nothing better
        self._cooling = 0  # updates that will not count

    def __call__(self, step: int) -> float:
        """Return the learning rate now, whatever the step is."""
        return self.value

    def update(self, metric: float | Tensor) -> bool:
        """Take note of a metric, and say whether the learning rate fell. NaN is not better than anything.

        Raises:
            DTypeError: ``metric`` is not one number.
        """
        try:
            value = float(metric.item() if isinstance(metric, Tensor) else metric)
        except (TypeError, ValueError):
            raise DTypeError(f"Plateau.update: a metric is one number, not {metric!r:.80}.") from None
        better = self._is_better(value)
        if better:
            self.best = value
        self._bad = 0 if better else self._bad + 1
        if self._cooling:
            self._cooling -= 1
            self._bad = 0
        if self._bad <= self._options["patience"]:
            return False
        self._bad, self._cooling = 0, self._options["cooldown"]
        lower = max(self.value * self._options["factor"], self._options["min_lr"])
        falls: bool = self.value - lower > self._options["eps"]
        if falls:
            self.value = lower
        return falls

    def _is_better(self, value: float) -> bool:
        relative = self._options["threshold_mode"] == "rel"
        if self._options["mode"] == "min":
            share, margin = 1 - self._options["threshold"], -self._options["threshold"]
        else:
            share, margin = 1 + self._options["threshold"], self._options["threshold"]
        bound = self.best if math.isinf(self.best) else self.best * share if relative else self.best + margin
        return bool(value < bound if self._options["mode"] == "min" else value > bound)

    def state_dict(self) -> dict[str, Array]:
        """Return what it remembers: ``value``, ``best``, ``bad`` and ``cooling``."""
        return {
            "value": np.array(self.value),
            "best": np.array(self.best),
            "bad": np.array(self._bad),
            "cooling": np.array(self._cooling),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up what ``state_dict`` returned.

        Raises:
            DTypeError: ``state`` is no mapping.
            ArgumentError: something is missing or too much, or no number.
        """
        if not isinstance(state, Mapping):
            raise DTypeError(f"Plateau.load_state_dict: takes numbers by name, not {state!r:.80}.")
        names = ("value", "best", "bad", "cooling")
        if set(state) != set(names):
            raise ArgumentError(
                f"Plateau.load_state_dict: needs {', '.join(names)}, got {', '.join(map(str, state)) or 'nothing'}."
            )
        try:
            value, best, bad, cooling = (float(np.asarray(state[name]).item()) for name in names)
        except (TypeError, ValueError):
            raise ArgumentError(f"Plateau.load_state_dict: not numbers: {dict(state)!r:.80}.") from None
        self.value, self.best, self._bad, self._cooling = value, best, int(bad), int(cooling)

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self._options.items())
        return f"Plateau({options})"
