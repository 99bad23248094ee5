"""Learning rates as functions of the number of steps done so far: ``lr=schedules.cosine(0.1, steps=1000)``.

They are frozen values with closed forms, named like the functions they are. Where they end, the last value stays.
They compose: ``warmup(cosine(0.1, steps=1000), steps=100) * 0.5``, ``join([0.1, 0.01], [500])``. ``Plateau``, the
one that waits for a metric, remembers what it saw.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backburner.errors import ArgumentError
from backburner_autodiff.optim import _options
from backburner_autodiff.optim._plateau import Plateau as Plateau
from backburner_autodiff.optim._schedule import Schedule as Schedule
from backburner_autodiff.optim._schedule import entries
from backburner_autodiff.optim._schedule import join as join
from backburner_autodiff.optim._schedule import scaled as scaled
from backburner_autodiff.optim._schedule import warmup as warmup

__all__ = [
    "Plateau",
    "Schedule",
    "constant",
    "cosine",
    "cosine_restarts",
    "exponential",
    "inverse_sqrt",
    "join",
    "linear",
    "multi_step",
    "noam",
    "one_cycle",
    "polynomial",
    "scaled",
    "step",
    "warmup",
]

_rate, _count = _options.rate, _options.whole(1)


@dataclass(frozen=True)
class constant(Schedule):
    """The same learning rate at every step.

    Args:
        lr: the learning rate.

    Raises:
        ArgumentError: it is not a number from 0 on.

    Example:
        >>> from backburner.optim import schedules
        >>> schedules.constant(0.1)(1000)
        0.1
    """

    lr: float

    checks = {"lr": _rate}

    def _at(self, step: int) -> float:
        return self.lr


@dataclass(frozen=True)
class linear(Schedule):
    """A straight line from one learning rate to another.

    Args:
        start: the learning rate of the first step.
        end: that after ``steps`` steps, and from then on.
        steps: how many steps it takes.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> from backburner.optim import schedules
        >>> [schedules.linear(1.0, 0.0, steps=2)(step) for step in range(4)]
        [1.0, 0.5, 0.0, 0.0]
    """

    start: float
    end: float
    steps: int

    checks = {"start": _rate, "end": _rate, "steps": _count}

    def _at(self, step: int) -> float:
        part = min(step / self.steps, 1.0)
        return self.start * (1 - part) + self.end * part


@dataclass(frozen=True)
class cosine(Schedule):
    """Half a wave of the cosine down from ``lr``; PyTorch's ``CosineAnnealingLR``, which goes up again.

    Args:
        lr: the learning rate of the first step.
        steps: how many steps it takes.
        end: the learning rate after ``steps`` steps, and from then on.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> from backburner.optim import schedules
        >>> [round(schedules.cosine(1.0, steps=4)(step), 3) for step in (0, 2, 4, 6)]
        [1.0, 0.5, 0.0, 0.0]
    """

    lr: float
    steps: int
    end: float = 0.0

    checks = {"lr": _rate, "steps": _count, "end": _rate}

    def _at(self, step: int) -> float:
        return _wave(self.lr, self.end, min(step / self.steps, 1.0))


def _wave(start: float, end: float, part: float) -> float:
    """Return where half a wave of the cosine from ``start`` to ``end`` is."""
    return end + (start - end) * (1 + math.cos(math.pi * part)) / 2


@dataclass(frozen=True)
class cosine_restarts(Schedule):
    """Half a wave of the cosine down, again and again (Loshchilov and Hutter, 2017).

    PyTorch's ``CosineAnnealingWarmRestarts``.

    Args:
        lr: the learning rate of the first step, and at every restart.
        steps: how many steps the first wave takes.
        t_mult: how many times as many the next one takes, a whole number.
        end: what it comes near to before a restart.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> from backburner.optim import schedules
        >>> waves = schedules.cosine_restarts(1.0, steps=2, t_mult=2)
        >>> [round(waves(step), 3) for step in range(7)]
        [1.0, 0.5, 1.0, 0.854, 0.5, 0.146, 1.0]
    """

    lr: float
    steps: int
    t_mult: int = 1
    end: float = 0.0

    checks = {"lr": _rate, "steps": _count, "t_mult": _count, "end": _rate}

    def _at(self, step: int) -> float:
        if self.t_mult == 1:
            return _wave(self.lr, self.end, step % self.steps / self.steps)
        length = self.steps
        while step >= length:
            step -= length
            length *= self.t_mult
        return _wave(self.lr, self.end, step / length)


@dataclass(frozen=True)
class exponential(Schedule):
    """A learning rate that each step multiplies by ``gamma``; PyTorch's ``ExponentialLR``.

    Args:
        lr: the learning rate of the first step.
        gamma: the factor of a step.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> from backburner.optim import schedules
        >>> schedules.exponential(1.0, 0.5)(3)
        0.125
    """

    lr: float
    gamma: float

    checks = {"lr": _rate, "gamma": _options.number()}

    def _at(self, step: int) -> float:
        return self.lr * self.gamma**step


@dataclass(frozen=True)
class polynomial(Schedule):
    """A power of what is left of the steps; PyTorch's ``PolynomialLR``, with an end of its own.

    Args:
        lr: the learning rate of the first step.
        steps: how many steps it takes.
        power: 1 is a straight line.
        end: the learning rate after ``steps`` steps, and from then on.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> from backburner.optim import schedules
        >>> [schedules.polynomial(1.0, steps=2, power=2.0)(step) for step in range(3)]
        [1.0, 0.25, 0.0]
    """

    lr: float
    steps: int
    power: float = 1.0
    end: float = 0.0

    checks = {"lr": _rate, "steps": _count, "power": _options.number(above=True), "end": _rate}

    def _at(self, step: int) -> float:
        left = 1 - min(step / self.steps, 1.0)
        return self.end + (self.lr - self.end) * math.pow(left, self.power)


@dataclass(frozen=True)
class step(Schedule):
    """A learning rate that is multiplied by ``gamma`` every ``step_size`` steps; PyTorch's ``StepLR``.

    Args:
        lr: the learning rate of the first step.
        step_size: how many steps have the same rate.
        gamma: the factor.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> from backburner.optim import schedules
        >>> [schedules.step(1.0, 2, gamma=0.5)(n) for n in range(5)]
        [1.0, 1.0, 0.5, 0.5, 0.25]
    """

    lr: float
    step_size: int
    gamma: float = 0.1

    checks = {"lr": _rate, "step_size": _count, "gamma": _options.number()}

    def _at(self, step: int) -> float:
        return self.lr * self.gamma ** (step // self.step_size)


def _rising(op: str, name: str, value: Any) -> tuple[int, ...]:
    found = entries(op, name, value, _options.whole(0))
    if list(found) != sorted(found):
        raise ArgumentError(f"{op}: {name} rise, and these do not: {list(found)}.")
    return found


@dataclass(frozen=True)
class multi_step(Schedule):
    """A learning rate that is multiplied by ``gamma`` at each milestone; PyTorch's ``MultiStepLR``.

    Args:
        lr: the learning rate before the first milestone.
        milestones: numbers of steps, which rise; one that comes twice counts twice.
        gamma: the factor.

    Raises:
        ArgumentError: an option has a value that makes no sense, or the milestones do not rise.

    Example:
        >>> from backburner.optim import schedules
        >>> [schedules.multi_step(1.0, [1, 3], gamma=0.5)(n) for n in range(4)]
        [1.0, 0.5, 0.5, 0.25]
    """

    lr: float
    milestones: tuple[int, ...]
    gamma: float = 0.1

    checks = {"lr": _rate, "milestones": _rising, "gamma": _options.number()}

    def _at(self, step: int) -> float:
        return self.lr * self.gamma ** bisect_right(self.milestones, step)


@dataclass(frozen=True)
class one_cycle(Schedule):
    """Up to ``max_lr`` and down far below the start (Smith and Topin, 2018); PyTorch's ``OneCycleLR``.

    Momentum is not cycled.

    Args:
        max_lr: the greatest learning rate.
        total_steps: the number of steps of all; the last rate stays after them.
        pct_start: the share of the steps that goes up.
        anneal_strategy: ``"cos"`` or ``"linear"``.
        div_factor: the first rate is ``max_lr`` over this.
        final_div_factor: the last one is the first over this.
        three_phase: come down to the first rate as fast as up, and then to the last.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> from backburner.optim import schedules
        >>> cycle = schedules.one_cycle(1.0, total_steps=11, pct_start=0.5, anneal_strategy="linear")
        >>> [round(cycle(step), 3) for step in (0, 4, 5, 10)]
        [0.04, 0.893, 0.909, 0.0]
    """

    max_lr: float
    total_steps: int
    pct_start: float = 0.3
    anneal_strategy: str = "cos"
    div_factor: float = 25.0
    final_div_factor: float = 1e4
    three_phase: bool = False

    checks = {
        "max_lr": _rate,
        "total_steps": _count,
        "pct_start": _options.number(to=1.0),
        "anneal_strategy": _options.one_of("cos", "linear"),
        "div_factor": _options.number(above=True),
        "final_div_factor": _options.number(above=True),
        "three_phase": _options.flag,
    }

    def _at(self, step: int) -> float:
        first, top, last = (
            self.max_lr / self.div_factor,
            self.pct_start * self.total_steps,
            self.total_steps - 1,
        )
        phases = [(top - 1, first, self.max_lr)]
        if self.three_phase:
            phases += [(2 * top - 2, self.max_lr, first), (last, first, first / self.final_div_factor)]
        else:
            phases += [(last, self.max_lr, first / self.final_div_factor)]
        step = min(step, last)
        begin = 0.0
        for end, start, goal in phases:
            if step <= end or end == last:
                part = (step - begin) / (end - begin) if end > begin else 1.0
                return (
                    _wave(start, goal, part)
                    if self.anneal_strategy == "cos"
                    else start + (goal - start) * part
                )
            begin = end
        raise AssertionError("the last phase ends at the last step")


@dataclass(frozen=True)
class inverse_sqrt(Schedule):
    """A straight rise to ``lr``, and from there down with the root of the number of the step, from 1.

    Args:
        lr: the learning rate of step number ``warmup_steps``, the greatest.
        warmup_steps: how many steps go up.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> from backburner.optim import schedules
        >>> [schedules.inverse_sqrt(1.0, 4)(step) for step in (0, 1, 3, 15)]
        [0.25, 0.5, 1.0, 0.5]
    """

    lr: float
    warmup_steps: int

    checks = {"lr": _rate, "warmup_steps": _count}

    def _at(self, step: int) -> float:
        number = step + 1
        return self.lr * min(number / self.warmup_steps, math.sqrt(self.warmup_steps / number))


@dataclass(frozen=True)
class noam(Schedule):
    """The schedule of the first transformers (Vaswani and others, 2017, section 5.3), an ``inverse_sqrt``.

    Args:
        model_size: the width of the model, whose root the rates are divided by.
        warmup_steps: how many steps go up.
        factor: of all rates.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> from backburner.optim import schedules
        >>> round(schedules.noam(512, 4000)(3999), 6)
        0.000699
    """

    model_size: int
    warmup_steps: int
    factor: float = 1.0

    checks = {"model_size": _count, "warmup_steps": _count, "factor": _options.number()}

    def _at(self, step: int) -> float:
        number = step + 1
        height = min(1 / math.sqrt(number), number * math.pow(self.warmup_steps, -1.5))
        return self.factor / math.sqrt(self.model_size) * height


if not TYPE_CHECKING:  # or checkers would take any name
    from backburner._hints import refuser as _refuser

    __getattr__ = _refuser(
        "backburner.optim.schedules",
        {
            "ConstantLR": "constant",
            "CosineAnnealingLR": "cosine(lr, steps)",
            "CosineAnnealingWarmRestarts": "cosine_restarts",
            "ExponentialLR": "exponential",
            "LRScheduler": "Schedule",
            "LambdaLR": "a function of the step as it is: Adam(model, lr=lambda step: 0.1 / (1 + step))",
            "LinearLR": "linear",
            "MultiStepLR": "multi_step",
            "MultiplicativeLR": "a function of the step",
            "OneCycleLR": "one_cycle",
            "PolynomialLR": "polynomial",
            "ReduceLROnPlateau": "Plateau",
            "SequentialLR": "join",
            "StepLR": "step",
            "plateau": "Plateau",
        },
    )
