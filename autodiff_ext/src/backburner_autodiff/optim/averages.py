"""Averages of a model's weights over training, which often do better than the last ones: EMA and SWA."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.nn import Module
from backburner.nn._parameter import State
from backburner_autodiff._rule import Array
from backburner_autodiff.kernels import optim as kernels
from backburner_autodiff.optim import _options, _state

_decay = _options.number(0.0, 1.0)


class _Average(ABC):
    """What averages share: arrays by name, which begin as the model's."""

    numbers: ClassVar[tuple[str, ...]] = ()
    """Attributes from 0 to 1 that belong to the state."""

    def __init__(self, model: Module, use_buffers: bool) -> None:
        op = type(self).__name__
        if not isinstance(model, Module):
            raise DTypeError(f"{op}: needs a module, got {type(model).__name__}. Use {op}(model).")
        self._model = model
        self.use_buffers = _options.flag(op, "use_buffers", use_buffers)
        self.updates = 0
        self._arrays = {name: np.array(state._array(), order="C") for name, state in self._states(model)}

    @staticmethod
    def _states(model: Module) -> Iterator[tuple[str, State]]:
        return chain(model.named_parameters(), model.named_buffers())

    def update(self) -> None:
        """Take the model's present weights into the average, as after each step.

        Raises:
            ArgumentError: the model has other parameters or buffers than when this was made.
            ShapeError: one has another shape or dtype.
        """
        averaged = self._averaged(f"{type(self).__name__}.update", self._model)
        share = self._share()
        for name, state in self._states(self._model):
            new, average = state._array(), self._arrays[name]
            if name not in averaged or share == 1.0:
                np.copyto(average, new)
            else:
                # average - share * (average - new)
                kernels.sgd(new, -1.0, share, 1.0, average)
        self.updates += 1

    @abstractmethod
    def _share(self) -> float:
        """Return how much of the next average is the present weights, and note that it is taken."""

    def _contents(self, name: str) -> Array:
        """Return a copy of one average."""
        return self._arrays[name].copy()

    def _averaged(self, op: str, model: Module) -> set[str]:
        """Return the names of what is averaged, the rest is copied; refuse a model that does not fit."""
        states = dict(self._states(model))
        if states.keys() != self._arrays.keys():
            other = sorted(states.keys() ^ self._arrays.keys())
            raise ArgumentError(
                f"{op}: the model has changed, in {', '.join(other[:8])}. Make a new {type(self).__name__} of it."
            )
        for name, state in states.items():
            kept = self._arrays[name]
            if state.shape != kept.shape or state.dtype != kept.dtype:
                raise ShapeError(
                    f"{op}: {name} is {state.dtype}{list(state.shape)}, its average {kept.dtype}{list(kept.shape)}."
                )
        names = chain(model.named_parameters(), model.named_buffers() if self.use_buffers else ())
        return {name for name, state in names if state.dtype.kind == "f"}

    def model(self) -> Any:
        """Return a model of its own with the averages, on the plain device: for evaluation, or to be saved."""
        view = self._model.valid()
        self._put(view)
        return view

    def copy_to(self, model: Module | None = None) -> None:
        """Give a model the averages as its weights, the one that they are of unless another is named.

        Raises:
            ArgumentError: it has other parameters or buffers.
            ShapeError: one has another shape or dtype.
        """
        model = self._model if model is None else model
        self._averaged(f"{type(self).__name__}.copy_to", model)
        self._put(model)

    def _put(self, model: Module) -> None:
        for name, state in self._states(model):
            state.assign(self._contents(name))

    def state_dict(self) -> dict[str, Array]:
        """Return copies of all that is remembered: ``version``, ``kind``, ``step``, and ``average.<name>``."""
        state = _state.head(type(self).__name__, self.updates)
        state |= {name: np.array(getattr(self, name)) for name in self.numbers}
        return state | {f"average.{name}": array.copy() for name, array in self._arrays.items()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up what ``state_dict`` of the same kind of average returned, all of it or none.

        Raises:
            DTypeError: ``state`` is no mapping.
            ArgumentError: it is of another kind, or something is missing or too much.
            ShapeError: something does not fit.
        """
        op = f"{type(self).__name__}.load_state_dict"
        arrays, updates = _state.opened(op, type(self).__name__, state)
        loaded = {
            name: _state.array(op, f"average.{name}", (kept.shape, kept.dtype), arrays)
            for name, kept in self._arrays.items()
        }
        numbers = {}
        for name in self.numbers:
            number = arrays.pop(name, None)
            if number is None or number.shape or number.dtype != np.float64 or not 0 <= float(number) <= 1:
                raise ArgumentError(f"{op}: {name} is a float64 from 0 to 1, not {number!r}.")
            numbers[name] = float(number)
        _state.nothing_left(op, arrays)
        self._arrays, self.updates = loaded, updates
        for name, value in numbers.items():
            setattr(self, name, value)


class EMA(_Average):
    """The exponential moving average of a model's weights, as PyTorch's ``AveragedModel`` with ``get_ema_avg_fn``.

    Before the first update it is the weights that the model had when this was made, and the first update takes the
    present ones as they are.

    Args:
        model: a module.
        decay: how much of the average the next one keeps.
        warmup: keep no more than ``(1 + n) / (10 + n)`` after ``n`` updates, so that a short training is not
            dominated by its start.
        bias_correction: begin at 0, and divide by what the weights of all updates add up to, as Adam does.
        use_buffers: average floating buffers too, such as the running statistics of batch norm; otherwise they are
            the latest. Integers are always the latest.

    Attributes:
        updates: how many there were.
        left: how much of the average is still what it began with.

    Raises:
        DTypeError: ``model`` is no module.
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import EMA
        >>> model = nn.Linear(1, 1, bias=False)
        >>> ema = EMA(model, decay=0.75)
        >>> for value in (0.0, 4.0):
        ...     model.weight.assign(bb.full((1, 1), value))
        ...     ema.update()
        >>> ema.model().weight.item(), model.weight.item()
        (1.0, 4.0)
    """

    numbers = ("left",)

    def __init__(
        self,
        model: Module,
        decay: float = 0.999,
        *,
        warmup: bool = False,
        bias_correction: bool = False,
        use_buffers: bool = False,
    ) -> None:
        super().__init__(model, use_buffers)
        self.decay: float = _decay("EMA", "decay", decay)
        self.warmup = _options.flag("EMA", "warmup", warmup)
        self.bias_correction = _options.flag("EMA", "bias_correction", bias_correction)
        self.left = 1.0

    def update(self) -> None:
        if self.bias_correction and not self.updates:
            averaged = self._averaged("EMA.update", self._model)
            for name in averaged:
                self._arrays[name].fill(0)
        super().update()

    def _share(self) -> float:
        if not self.updates and not self.bias_correction:
            return 1.0
        keep = self.decay
        if self.warmup:
            keep = min(keep, (1 + self.updates) / (10 + self.updates))
        self.left *= keep
        return 1 - keep

    def _contents(self, name: str) -> Array:
        array = super()._contents(name)
        if self.bias_correction and self.updates and name in self._averaged("EMA", self._model):
            array /= array.dtype.type(1 - self.left)
        return array

    def __repr__(self) -> str:
        return (
            f"EMA(decay={self.decay!r}, warmup={self.warmup!r}, bias_correction={self.bias_correction!r}, "
            f"use_buffers={self.use_buffers!r})"
        )


class SWA(_Average):
    """The plain average of a model's weights (Izmailov and others, 2018), as PyTorch's ``AveragedModel``.

    Update it once an epoch or so, late in training with a high learning rate. The running statistics of batch norm
    do not fit averaged weights: run batches through the model on an autodiff device after ``copy_to``, or take
    ``use_buffers``.

    Args:
        model: a module.
        use_buffers: as for ``EMA``.

    Attributes:
        updates: how many there were.

    Raises:
        DTypeError: ``model`` is no module.
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import SWA
        >>> model = nn.Linear(1, 1, bias=False)
        >>> swa = SWA(model)
        >>> for value in (1.0, 2.0, 6.0):
        ...     model.weight.assign(bb.full((1, 1), value))
        ...     swa.update()
        >>> swa.model().weight.item()
        3.0
    """

    def __init__(self, model: Module, *, use_buffers: bool = False) -> None:
        super().__init__(model, use_buffers)

    def _share(self) -> float:
        return 1 / (self.updates + 1)

    def __repr__(self) -> str:
        return f"SWA(use_buffers={self.use_buffers!r})"
