"""What all schedules are, and how they compose."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from backburner.errors import ArgumentError
from backburner_autodiff.optim import _options
from backburner_autodiff.optim._options import Check, Rate

_step = _options.whole(0)


class Schedule(ABC):
    """A learning rate as a function of the number of steps done so far.

    It is a frozen value in a closed form: it has no state but that number, so that training which goes on after a
    load has the rates of training that was never interrupted. ``schedule * factor`` gives one that is ``factor``
    times as high; ``factor`` may be another function of the step, too.

    A schedule counts the steps of the optimizer, not epochs.
    """

    checks: ClassVar[Mapping[str, Check]] = {}
    """What each field may be."""

    def __post_init__(self) -> None:
        for name, check in self.checks.items():
            object.__setattr__(self, name, check(self._op, name, getattr(self, name)))

    @property
    def _op(self) -> str:
        return type(self).__name__

    def __call__(self, step: int) -> float:
        """Return the learning rate of the step after ``step`` steps.

        Raises:
            ArgumentError: ``step`` is not a whole number from 0 on.
        """
        return self._at(_step(self._op, "step", step))

    @abstractmethod
    def _at(self, step: int) -> float:
        """Return the learning rate after ``step`` steps, which is at least 0."""

    def __mul__(self, factor: Rate) -> scaled:
        return scaled(self, factor)

    __rmul__ = __mul__


def _rate(op: str, name: str, value: Any) -> Rate:
    return _options.learning_rate(op, name, value)


def value_at(rate: Rate, step: int) -> float:
    """Return a number, or what a function of the step gives."""
    return rate(step) if callable(rate) else rate


def stateful(rate: Any) -> Iterator[Any]:
    """Yield what in a learning rate remembers something, such as a plateau, also within schedules."""
    if hasattr(rate, "state_dict"):
        yield rate
    elif isinstance(rate, tuple):
        for entry in rate:
            yield from stateful(entry)
    elif isinstance(rate, Schedule) and dataclasses.is_dataclass(rate):
        for field in dataclasses.fields(rate):
            yield from stateful(getattr(rate, field.name))


@dataclass(frozen=True)
class scaled(Schedule):
    """A schedule times a factor; what ``schedule * factor`` gives.

    Args:
        schedule: a function of the step.
        factor: a number from 0 on, or a function of the step too.

    Raises:
        ArgumentError: the factor is a number below 0, or one of them is something else.

    Example:
        >>> from backburner.optim import schedules
        >>> (schedules.exponential(1.0, 0.5) * 3)(2)
        0.75
    """

    schedule: Callable[[int], float]
    factor: Rate

    checks = {"schedule": _rate, "factor": _rate}

    def _at(self, step: int) -> float:
        return value_at(self.schedule, step) * value_at(self.factor, step)


@dataclass(frozen=True)
class warmup(Schedule):
    """A straight rise to where a schedule starts, and then the schedule from its start.

    Args:
        schedule: a function of the step, or a number.
        steps: the number of steps of the rise; the schedule begins after them.
        start_factor: where the rise starts, as a share of where it ends; by default one part of ``steps + 1``,
            as if it came from 0, so that the first step is not lost.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> from backburner.optim import schedules
        >>> rise = schedules.warmup(schedules.linear(1.0, 0.0, steps=4), steps=3)
        >>> [rise(step) for step in range(6)]
        [0.25, 0.5, 0.75, 1.0, 0.75, 0.5]
    """

    schedule: Rate
    steps: int
    start_factor: float | None = None

    checks = {
        "schedule": _rate,
        "steps": _options.whole(1),
        "start_factor": lambda op, name, value: value if value is None else _options.rate(op, name, value),
    }

    def _at(self, step: int) -> float:
        if step >= self.steps:
            return value_at(self.schedule, step - self.steps)
        start = 1 / (self.steps + 1) if self.start_factor is None else self.start_factor
        return value_at(self.schedule, 0) * (start + (1 - start) * step / self.steps)


@dataclass(frozen=True)
class join(Schedule):
    """One schedule after the other, each from its own start; PyTorch's ``SequentialLR``.

    Args:
        schedules: functions of the step, or numbers.
        boundaries: the steps at which the second begins, the third and so on; they rise.

    Raises:
        ArgumentError: there are not as many boundaries as changes, or they do not rise.

    Example:
        >>> from backburner.optim import schedules
        >>> [schedules.join([0.1, schedules.exponential(1.0, 0.5)], [2])(step) for step in range(5)]
        [0.1, 0.1, 1.0, 0.5, 0.25]
    """

    schedules: tuple[Rate, ...]
    boundaries: tuple[int, ...]

    def __init__(self, schedules: Any, boundaries: Any) -> None:
        parts = entries("join", "schedules", schedules, _rate)
        places = entries("join", "boundaries", boundaries, _options.whole(1))
        if len(parts) != len(places) + 1 or any(a >= b for a, b in zip(places, places[1:], strict=False)):
            raise ArgumentError(
                f"join: {len(parts)} schedules need {max(len(parts) - 1, 0)} boundaries that rise, not "
                f"{list(places)}."
            )
        object.__setattr__(self, "schedules", parts)
        object.__setattr__(self, "boundaries", places)

    def _at(self, step: int) -> float:
        place = bisect_right(self.boundaries, step)
        return value_at(self.schedules[place], step - (self.boundaries[place - 1] if place else 0))


def entries(op: str, name: str, value: Any, check: Check) -> tuple[Any, ...]:
    """Return the entries of a list as a tuple, each checked."""
    try:
        found = list(value)
    except TypeError:
        found = None
    if found is None or isinstance(value, str):
        raise ArgumentError(f"{op}: {name} are a list, not {value!r:.80}.")
    return tuple(check(op, f"{name}[{place}]", entry) for place, entry in enumerate(found))
