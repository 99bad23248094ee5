"""What all optimizers share: which parameter gets which gradient, state by name, and the learning rate."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from backburner import Gradients, Tensor
from backburner.errors import ArgumentError, DeviceError, DTypeError, GraphError, ShapeError
from backburner.nn import Module, Parameter
from backburner_autodiff._rule import Array
from backburner_autodiff.optim._memory import room

Rate = float | Callable[[int], float]


class Slots:
    """What an optimizer remembers of one parameter.

    Attributes:
        steps: how many steps it has taken.
        arrays: by letter, like the parameter in shape and dtype.
    """

    __slots__ = ("steps", "arrays")

    def __init__(self, steps: int, arrays: dict[str, Array]) -> None:
        self.steps = steps
        self.arrays = arrays


class _Move(NamedTuple):
    name: str
    parameter: Parameter
    gradient: Array


class Optimizer(ABC):
    """The base of optimizers.

    The state is kept by parameter name, a tied parameter's once. A parameter that gets no gradient stays
    exactly as it is, and so does a frozen one: neither momentum nor weight decay moves it.

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it.

    Raises:
        ArgumentError: an option has a value that makes no sense.
    """

    letters: tuple[str, ...] = ()
    """What is remembered of each parameter, by the letters of the algorithm's paper."""

    def __init__(self, model: Module | Mapping[str, Parameter], lr: Rate) -> None:
        self._model = model
        self._state: dict[str, Slots] = {}
        self.steps = 0
        self.lr = lr
        for _ in self._parameters():  # refuses what is no model
            break

    @property
    def lr(self) -> Rate:
        """The learning rate, or the function from the number of steps done so far to it; it may be set."""
        return self._lr

    @lr.setter
    def lr(self, lr: Rate) -> None:
        self._lr = lr if callable(lr) else self._rate(lr)

    def _rate(self, value: object) -> float:
        return option(self, "lr", value, 0.0)

    def step(self, grads: Gradients | Mapping[str, Tensor]) -> None:
        """Take one step: every parameter that has a gradient gets new contents.

        What does not fit is refused before the first parameter changes.

        A graph recorded before refuses to run backward through them. Arrays that anybody else can see keep
        their contents. No other thread may use the model meanwhile.

        Args:
            grads: what ``backward`` returned, or a gradient by parameter name, as from ``value_and_grad``.

        Raises:
            GraphError: no parameter has a gradient.
            DeviceError: a parameter that is not frozen is not on an autodiff device, so that ``backward``
                cannot have seen it.
            ArgumentError: a name that is no parameter's, or a learning rate that is not a number.
            ShapeError: a gradient has another shape than its parameter.
            DTypeError: it has another dtype.
        """
        moves = list(self._moves(grads))
        rate = self._rate(self._lr(self.steps)) if callable(self._lr) else self._lr
        slots = [self._slots(move.name, move.parameter) for move in moves]
        for (name, parameter, gradient), kept in zip(moves, slots, strict=True):
            contents = room(parameter)
            self._update(gradient, rate, kept.steps + 1, contents, kept.arrays)
            kept.steps += 1
            self._state[name] = kept
            parameter.assign(contents)
        self.steps += 1

    @abstractmethod
    def _update(self, g: Array, lr: float, step: int, p: Array, state: dict[str, Array]) -> None:
        """Write the next contents of a parameter into ``p``, which holds the present ones, and its state.

        Args:
            g: the gradient.
            lr: the learning rate of this step.
            step: which step of this parameter it is, from 1.
            p: of float32 or float64, as are ``g`` and the state.
            state: an array for each of ``letters``, zeros before the first step.
        """

    # -- which parameter gets which gradient -------------------------------------------------------------

    @property
    def _op(self) -> str:
        return type(self).__name__

    def _parameters(self) -> Iterator[tuple[str, Parameter]]:
        """Yield each parameter once, under its first name."""
        if isinstance(self._model, Module):
            yield from self._model.named_parameters()
            return
        if not isinstance(self._model, Mapping):
            raise DTypeError(
                f"{self._op}: needs a module, or parameters by name, got {type(self._model).__name__}. Use {self._op}(model)."
            )
        seen: set[int] = set()
        for name, parameter in self._model.items():
            if not isinstance(parameter, Parameter):
                raise DTypeError(
                    f"{self._op}: {name!r} is a {type(parameter).__name__}, not an nn.Parameter."
                )
            if id(parameter) not in seen:
                seen.add(id(parameter))
                yield name, parameter

    def _moves(self, grads: Any) -> Iterator[_Move]:
        op = f"{self._op}.step"
        parameters = dict(self._parameters())
        if isinstance(grads, Gradients):
            found = self._recorded(op, parameters, grads)
        elif isinstance(grads, Mapping):
            found = self._named(op, parameters, grads)
        else:
            raise DTypeError(
                f"{op}: grads is a {type(grads).__name__}. Give it what backward or value_and_grad returned."
            )
        if not found:
            raise GraphError(
                f"{op}: no gradient belongs to a parameter of the model, which has {len(parameters)}; there are "
                f"{len(grads)} gradients. They are of another model, or from before the last step or load, or "
                "all parameters are frozen."
            )
        for name, gradient in found.items():
            parameter = parameters[name]
            array = gradient._array() if isinstance(gradient, Tensor) else gradient
            if not isinstance(array, np.ndarray):
                raise DTypeError(
                    f"{op}: the gradient of {name} is a {type(gradient).__name__}, not a tensor."
                )
            if array.shape != parameter.shape:
                raise ShapeError(
                    f"{op}: the gradient of {name} has shape {list(array.shape)}, the parameter "
                    f"{list(parameter.shape)}."
                )
            if array.dtype != parameter.dtype:
                raise DTypeError(
                    f"{op}: the gradient of {name} is {array.dtype}, the parameter {parameter.dtype}. Use astype."
                )
            yield _Move(name, parameter, array)

    def _recorded(self, op: str, parameters: dict[str, Parameter], grads: Gradients) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, parameter in parameters.items():
            if parameter.is_frozen:
                continue
            if not parameter.is_tracked():
                raise DeviceError(
                    f"{op}: {name} is on {parameter.device}, where nothing is recorded. "
                    "Move the model with to(device.autodiff()) before the forward pass, or freeze it."
                )
            gradient = grads.get(parameter)
            if gradient is not None:
                found[name] = gradient
        return found

    def _named(self, op: str, parameters: dict[str, Parameter], grads: Mapping[str, Any]) -> dict[str, Any]:
        unknown = sorted(str(name) for name in grads if name not in parameters)
        if unknown:
            raise ArgumentError(
                f"{op}: no parameter is called {', '.join(unknown)}. The model has {', '.join(parameters)}."
            )
        return {name: g for name, g in grads.items() if not parameters[name].is_frozen}

    # -- what is remembered ------------------------------------------------------------------------------

    def _slots(self, name: str, parameter: Parameter) -> Slots:
        kept = self._state.get(name)
        if kept is None:
            return Slots(0, {letter: np.zeros(parameter.shape, parameter.dtype) for letter in self.letters})
        for letter, array in kept.arrays.items():
            if array.shape != parameter.shape or array.dtype != parameter.dtype:
                raise ShapeError(
                    f"{self._op}.step: {name} is {parameter.dtype}{list(parameter.shape)}, and what is kept of it "
                    f"({letter}) {array.dtype}{list(array.shape)}. Make a new optimizer for the changed model."
                )
        return kept

    def state_dict(self) -> dict[str, Array]:
        """Return copies of all that is remembered: ``step``, and for each parameter ``<name>.step`` and its letters."""
        state: dict[str, Array] = {"step": np.array(self.steps)}
        for name, kept in self._state.items():
            state[f"{name}.step"] = np.array(kept.steps)
            state |= {f"{name}.{letter}": array.copy() for letter, array in kept.arrays.items()}
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up what ``state_dict`` of the same kind of optimizer returned, all of it or none.

        Raises:
            DTypeError: ``state`` is no mapping.
            ArgumentError: something is missing or too much.
            ShapeError: something does not fit its parameter.
        """
        op = f"{self._op}.load_state_dict"
        if not isinstance(state, Mapping):
            raise DTypeError(f"{op}: takes arrays by name, not {state!r:.80}.")
        arrays = {
            name: value.numpy() if isinstance(value, Tensor) else np.asarray(value)
            for name, value in state.items()
        }
        steps = _whole(op, "step", arrays)
        loaded: dict[str, Slots] = {}
        for name, parameter in self._parameters():
            keys = {letter: f"{name}.{letter}" for letter in ("step", *self.letters)}
            if not any(key in arrays for key in keys.values()):
                continue
            taken = _whole(op, keys.pop("step"), arrays)
            slots: dict[str, Array] = {}
            for letter, key in keys.items():
                if key not in arrays:
                    raise ArgumentError(f"{op}: {key} is missing.")
                array = arrays.pop(key)
                if array.shape != parameter.shape or array.dtype != parameter.dtype:
                    raise ShapeError(
                        f"{op}: {key} is {array.dtype}{list(array.shape)}, the parameter "
                        f"{parameter.dtype}{list(parameter.shape)}."
                    )
                slots[letter] = np.array(array, order="C")
            loaded[name] = Slots(taken, slots)
        if arrays:
            raise ArgumentError(
                f"{op}: no parameter and no state is called {', '.join(sorted(map(str, arrays)))}."
            )
        self._state, self.steps = loaded, steps

    def _options(self) -> dict[str, Any]:
        return {}

    def __repr__(self) -> str:
        options = ", ".join(
            f"{name}={value!r}" for name, value in {"lr": self._lr, **self._options()}.items()
        )
        return f"{self._op}({options})"


def option(owner: Optimizer, name: str, value: object, least: float, below: float = math.inf) -> float:
    """Return an option as a float; ``least`` is allowed, ``below`` is not."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not least <= float(value) < below:  # type: ignore[arg-type]  # a number
        limit = f" and below {below:g}" if below < math.inf else ""
        raise ArgumentError(
            f"{type(owner).__name__}: {name} is a number from {least:g} on{limit}, not {value!r}."
        )
    return float(value)  # type: ignore[arg-type]


def _whole(op: str, key: str, arrays: dict[str, Array]) -> int:
    if key not in arrays:
        raise ArgumentError(f"{op}: {key} is missing.")
    value = arrays.pop(key)
    if value.ndim or value.dtype.kind not in "iu" or value < 0:
        raise ArgumentError(f"{op}: {key} is a number of steps, not {value!r}.")
    return int(value)
