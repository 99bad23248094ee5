"""The table of optimizers: one with new options gets its row here, and ``golden/make_optim.py`` freezes PyTorch's path.

Plain data, which that script reads too. An optimizer, or an option, without a row fails
``test_optim_formulas.py``.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any, NamedTuple


class Row(NamedTuple):
    """Fifty steps of one optimizer.

    Attributes:
        kind: the class, ours and PyTorch's.
        options: of the constructor; with ``groups`` PyTorch gets parameter groups.
        schedule: empty, or ``harmonic`` for a learning rate divided by 1 + the number of steps done.
        against: ``torch``, or ``paper`` for a reference of our own where PyTorch has none.
        tolerance: relative, in float32 and in float64; a tenth of it absolute.
    """

    kind: str
    options: dict[str, Any] = {}
    schedule: str = ""
    against: str = "torch"
    tolerance: tuple[float, float] = (2e-6, 1e-10)

    def __str__(self) -> str:
        options = "-".join(f"{name}={value}" for name, value in self.options.items())
        return "-".join(filter(None, (self.kind, options, self.schedule)))


SHAPES: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("weight", (3, 4)), ("bias", (3,)), ("seldom", (2, 1, 2)), ("tall", (5, 2)), ("scalar", ()), ("nothing", (0, 2))
)  # fmt: skip
"""Parameters; ``seldom`` has no gradient in steps whose number from 0 is divisible by 3."""

ROWS: tuple[Row, ...] = (
    Row("SGD", {"lr": 0.01}),
    Row("SGD", {"lr": 0.01, "weight_decay": 0.1}),
    Row("SGD", {"lr": 0.01, "momentum": 0.9}),
    Row("SGD", {"lr": 0.01, "momentum": 0.9, "weight_decay": 0.1}),
    Row("SGD", {"lr": 0.01, "momentum": 0.9, "dampening": 0.3, "maximize": True}),
    Row("SGD", {"lr": 0.01, "momentum": 0.9, "weight_decay": 0.1, "nesterov": True}),
    Row("SGD", {"lr": 0.01, "momentum": 0.5, "nesterov": True}, "harmonic"),
    Row("SGD", {"lr": 0.01, "maximize": True, "weight_decay": 0.1}),
    Row("SGD", {"lr": 0.01, "groups": {"bias": {"momentum": 0.9, "lr": 0.1}, "[ts]*": {"weight_decay": 0.5}}}),
    Row("Adam"),
    Row("Adam", {"lr": 0.1, "betas": (0.5, 0.9)}),
    Row("Adam", {"lr": 0.1, "betas": (0.0, 0.0)}),
    Row("Adam", {"lr": 0.1, "eps": 0.1, "weight_decay": 0.1}),
    Row("Adam", {"lr": 0.1}, "harmonic"),
    Row("Adam", {"lr": 0.1, "amsgrad": True, "betas": (0.9, 0.9)}),
    Row("Adam", {"lr": 0.1, "decoupled_weight_decay": True, "weight_decay": 0.1, "maximize": True}),
    Row("Adam", {"groups": {"bias": {"amsgrad": True, "betas": (0.5, 0.5)}, "*": {"lr": 0.1}}}),
    Row("AdamW"),
    Row("AdamW", {"lr": 0.1, "weight_decay": 0.5, "betas": (0.95, 0.99)}),
    Row("AdamW", {"lr": 0.1}, "harmonic"),
    Row("AdamW", {"lr": 0.1, "amsgrad": True, "maximize": True, "eps": 1e-3}),
    Row("NAdam"),
    Row("NAdam", {"lr": 0.1, "weight_decay": 0.1, "momentum_decay": 0.1}, "harmonic"),
    Row("NAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True,
                  "betas": (0.5, 0.9), "eps": 1e-3}),
    Row("RAdam"),
    Row("RAdam", {"lr": 0.1, "weight_decay": 0.1, "eps": 1e-3}, "harmonic"),
    Row("RAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True,
                  "betas": (0.5, 0.9)}),
    Row("Adamax"),
    Row("Adamax", {"lr": 0.1, "weight_decay": 0.1, "betas": (0.4, 0.7), "eps": 1e-3, "maximize": True}),
    Row("Adagrad"),
    Row("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5,
                    "eps": 1e-3, "maximize": True}),
    Row("Adadelta"),
    Row("Adadelta", {"lr": 0.5, "rho": 0.7, "eps": 1e-3, "weight_decay": 0.1, "maximize": True}),
    Row("RMSprop"),
    Row("RMSprop", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1, "alpha": 0.7}, "harmonic"),
    Row("RMSprop", {"centered": True, "eps": 1e-3}),
    Row("RMSprop", {"centered": True, "momentum": 0.5, "maximize": True, "eps": 1e-3}),
    Row("Lion", {}, against="paper"),
    Row("Lion", {"lr": 0.01, "betas": (0.5, 0.9), "weight_decay": 0.5, "maximize": True}, "harmonic", "paper"),
    Row("Adan", {}, against="paper"),
    Row("Adan", {"lr": 0.1, "betas": (0.9, 0.5, 0.7), "eps": 1e-3, "weight_decay": 0.3}, "harmonic", "paper"),
    Row("Adan", {"lr": 0.1, "weight_decay": 0.3, "no_prox": True, "maximize": True}, "", "paper", (5e-6, 1e-10)),
    Row("Muon"),
    Row("Muon", {"lr": 0.1, "momentum": 0.5, "nesterov": False, "weight_decay": 0.5, "eps": 1e-3,
                 "adjust_lr_fn": "match_rms_adamw"}, "harmonic"),
    Row("Muon", {"ns_steps": 3, "ns_coefficients": (2.0, -1.5, 0.5), "adjust_lr_fn": "original"}),
)  # fmt: skip

MATRICES = ("Muon",)
"""Kinds that take matrices alone."""


def shapes(kind: str) -> list[tuple[str, tuple[int, ...]]]:
    """Return the parameters that a kind of optimizer takes."""
    return [(name, shape) for name, shape in SHAPES if kind not in MATRICES or len(shape) == 2]


LBFGS: tuple[dict[str, Any], ...] = (
    {"max_iter": 4},
    {"lr": 0.3, "max_iter": 5, "history_size": 2},
    {"line_search_fn": "strong_wolfe"},
    {"line_search_fn": "strong_wolfe", "lr": 10.0, "history_size": 3, "max_eval": 7},
    {"line_search_fn": "strong_wolfe", "tolerance_grad": 0.3, "lr": 0.01},
    {"line_search_fn": "strong_wolfe", "tolerance_change": 0.05},
)
"""Options of L-BFGS, whose steps take a function; ``lbfgs/<...>`` in the golden file."""

SEEDS = (*range(4), *range(5, 15), *range(16, 24), 1136, 1274, 4440, 7205, 7437, 7655, 7901, 8088, 9938)
"""Of the lines that the line search is tried on; the last ones reach its rare branches."""


def wavy(seed: int) -> tuple[Callable[[float], float], Callable[[float], float], float]:
    """Return a bowl with waves and a cliff on it, that goes down at 0, its slope, and a first step."""
    draw = random.Random(seed)
    bowl, goal, height, pace = (
        draw.uniform(0.01, 2),
        draw.uniform(-1, 8),
        draw.uniform(0, 3),
        draw.uniform(1, 6),
    )
    tilt, cliff, steep = 2 * bowl * goal, draw.choice((0.0, 3.0)), 10 ** draw.uniform(0, 4)

    def f(t: float) -> float:
        return bowl * t * t - tilt * t + height * math.cos(pace * t) - cliff * math.tanh(steep * t)

    def slope(t: float) -> float:
        waves = height * pace * math.sin(pace * t)
        return 2 * bowl * t - tilt - waves - cliff * steep * (1 - math.tanh(steep * t) ** 2)

    return f, slope, 10 ** draw.uniform(-3, 1)


EACH: dict[str, tuple[str, dict[str, Any]]] = {
    "sgd": ("SGD", {"lr": 0.1, "weight_decay": 0.1}),
    "momentum": ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1}),
    "adam": ("Adam", {"lr": 0.1, "weight_decay": 0.1}),
    "amsgrad": ("Adam", {"lr": 0.1, "amsgrad": True}),
    "adamw": ("AdamW", {"lr": 0.1, "weight_decay": 0.1}),
    "nadam": ("NAdam", {"lr": 0.1, "weight_decay": 0.1}),
    "radam": ("RAdam", {"lr": 0.1, "weight_decay": 0.1}),
    "adamax": ("Adamax", {"lr": 0.1, "weight_decay": 0.1}),
    "adagrad": ("Adagrad", {"lr": 0.1, "weight_decay": 0.1, "lr_decay": 0.1}),
    "adadelta": ("Adadelta", {"weight_decay": 0.1, "eps": 1e-3}),
    "rmsprop": ("RMSprop", {"lr": 0.1, "momentum": 0.5, "weight_decay": 0.1}),
    "centered": ("RMSprop", {"lr": 0.1, "centered": True, "momentum": 0.5, "weight_decay": 0.1}),
    "lion": ("Lion", {"lr": 0.1, "weight_decay": 0.1}),
    "adan": ("Adan", {"lr": 0.1, "weight_decay": 0.1}),
    "muon": ("Muon", {"lr": 0.1}),
}
"""One of each for the laws that all obey: all state that there is, and decay."""
