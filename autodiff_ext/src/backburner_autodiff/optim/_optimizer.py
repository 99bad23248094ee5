"""What all optimizers share: which parameter gets which gradient, options by group, and the learning rate."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn

import numpy as np

from backburner import Gradients, Tensor
from backburner.errors import ArgumentError, DeviceError, DTypeError, GraphError, ShapeError
from backburner.nn import Module, Parameter
from backburner_autodiff._rule import Array
from backburner_autodiff.optim import _options, _state
from backburner_autodiff.optim._options import Check, Group, Groups, Rate
from backburner_autodiff.optim._schedule import stateful
from backburner_autodiff.tape import Variable


class Move(NamedTuple):
    """A parameter and the gradient that it moves by."""

    name: str
    parameter: Parameter
    gradient: Array


# What people from elsewhere look for.
_HINTS = {
    "add_param_group": "groups={pattern: options} when it is made",
    "defaults": "options",
    "param_groups": "lr, options and, when it is made, groups={pattern: options}",
    "update": "step",
    "zero_grad": "nothing: each backward returns its own gradients, optimizer.step(loss.backward())",
}


class Optimizer(ABC):
    """The base of optimizers.

    The state is kept by parameter name, a tied parameter's once. A parameter that gets no gradient stays
    exactly as it is, and so does a frozen one: neither momentum nor weight decay moves it. One whose gradient
    is zeros moves.

    Args:
        model: a module, or parameters by name.
        lr: the learning rate, or a function from the number of steps done so far to it; ``None`` if a subclass
            finds it elsewhere.
        options: the other options by name.
        groups: options of their own for the parameters whose names a shell's pattern matches, such as
            ``{"*.bias": {"weight_decay": 0.0}}``; ``lr`` among them. The first pattern that matches counts; a
            tied parameter goes by its first name.

    Raises:
        ArgumentError: an option has a value that makes no sense, or a pattern matches no parameter.
    """

    checks: ClassVar[Mapping[str, Check]] = {}
    """What each option but ``lr`` may be."""

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate | None,
        options: Mapping[str, Any],
        groups: Groups | None = None,
    ) -> None:
        self._model = model
        self.steps = 0
        self._options = self._checked(self._op, options)
        if lr is not None:
            self.lr = lr
        self._groups = self._grouped(groups)
        names = [name for name, _ in self._parameters()]  # refuses what is no model
        self._members = _options.members(self._op, self._groups, names)
        self._grouped_names = names

    if not TYPE_CHECKING:  # or checkers would take any name

        def __getattr__(self, name: str) -> NoReturn:
            hint = f" Use {_HINTS[name]}." if name in _HINTS else ""
            raise AttributeError(
                f"{type(self).__name__} has no attribute {name!r}.{hint}", name=name, obj=self
            )

    @property
    def lr(self) -> Rate:
        """The learning rate, or the function from the number of steps done so far to it; it may be set."""
        return self._lr

    @lr.setter
    def lr(self, lr: Rate) -> None:
        self._lr = _options.learning_rate(self._op, "lr", lr)

    @abstractmethod
    def step(self, grads: Gradients | Mapping[str, Tensor]) -> Any:
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

    # -- options -----------------------------------------------------------------------------------------

    @property
    def _op(self) -> str:
        return type(self).__name__

    @property
    def options(self) -> dict[str, Any]:
        """The options by name, without the learning rate and those of groups; a copy."""
        return dict(self._options)

    def _checked(self, op: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options, checked; a subclass adds what they must be together."""
        return _options.checked(op, self.checks, options)

    def _grouped(self, groups: Groups | None) -> dict[str, Group]:
        if groups is None:
            return {}
        if not isinstance(groups, Mapping):
            raise ArgumentError(
                f"{self._op}: groups are options by pattern of names, such as "
                f"{{'*.bias': {{'lr': 0.01}}}}, not {groups!r:.80}."
            )
        made = {}
        for pattern, given in groups.items():
            op = f"{self._op}: groups[{pattern!r}]"
            if not isinstance(given, Mapping):
                raise ArgumentError(f"{op} are options by name, such as {{'lr': 0.01}}, not {given!r:.80}.")
            checks = {"lr": _options.learning_rate, **self.checks}
            found = _options.checked(op, checks, given)
            others = {name: value for name, value in found.items() if name != "lr"}
            made[pattern] = Group(found, self._checked(op, {**self._options, **others}))
        return made

    def _options_now(self) -> dict[str | None, dict[str, Any]]:
        """Return the options of this step, with its learning rate, by the pattern of a group; ``None`` for the rest."""
        usual = self._number(self._op, self._lr)
        now: dict[str | None, dict[str, Any]] = {None: {"lr": usual, **self._options}}
        for pattern, group in self._groups.items():
            own = group.given.get("lr")
            number = usual if own is None else self._number(f"{self._op}: groups[{pattern!r}]", own)
            now[pattern] = {"lr": number, **group.options}
        return now

    def _number(self, op: str, lr: Rate) -> float:
        number: float = _options.rate(op, "lr", lr(self.steps)) if callable(lr) else lr
        return number

    # -- which parameter gets which gradient -------------------------------------------------------------

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

    def _moves(self, op: str, grads: Any) -> Iterator[Move]:
        parameters = dict(self._parameters())
        if self._groups and list(parameters) != self._grouped_names:
            names = list(parameters)
            self._members = _options.members(op, self._groups, names)
            self._grouped_names = names
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
            held = parameter._primitive
            if array.shape != held.shape:
                raise ShapeError(
                    f"{op}: the gradient of {name} has shape {list(array.shape)}, the parameter "
                    f"{list(parameter.shape)}."
                )
            if array.dtype is not held.dtype and array.dtype != held.dtype:
                raise DTypeError(
                    f"{op}: the gradient of {name} is {array.dtype}, the parameter {parameter.dtype}. Use astype."
                )
            yield Move(name, parameter, array)

    def _recorded(self, op: str, parameters: dict[str, Parameter], grads: Gradients) -> dict[str, Any]:
        found: dict[str, Any] = {}
        held = grads._grads
        for name, parameter in parameters.items():
            if not parameter._trainable:
                continue
            leaf = parameter._primitive
            if leaf.__class__ is not Variable:
                raise DeviceError(
                    f"{op}: {name} is on {parameter.device}, where nothing is recorded. "
                    "Move the model with to(device.autodiff()) before the forward pass, or freeze it."
                )
            gradient = held.get(leaf.node)
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

    @abstractmethod
    def _remembered(self) -> dict[str, Array]:
        """Return copies of what is remembered but for the number of steps and what learning rates remember."""

    @abstractmethod
    def _recalled(self, op: str, arrays: dict[str, Array]) -> Callable[[], None]:
        """Take what ``_remembered`` returned out of arrays, and return the function that takes it up."""

    def _rates(self) -> dict[str, Any]:
        """Return what in the learning rates remembers something, such as a plateau, by its prefix in the state."""
        rates: dict[str, Any] = {"lr": self._lr}
        rates |= {f"groups.{i}.lr": group.given.get("lr") for i, group in enumerate(self._groups.values())}
        return {
            f"{prefix}.{i}": found for prefix, rate in rates.items() for i, found in enumerate(stateful(rate))
        }

    def state_dict(self) -> dict[str, Array]:
        """Return copies of all that is remembered, to be saved by ``bb.save`` and taken up by ``load_state_dict``.

        Returns:
            By name: ``version`` of this form, ``kind`` of optimizer (its name in UTF-8), ``step``, and for each
            parameter ``<name>.step`` and its letters; also what a learning rate remembers, as a plateau's does.
            Options are not among them: they stand in the program that makes the optimizer.
        """
        state = {**_state.head(self._op, self.steps), **self._remembered()}
        for prefix, lr in self._rates().items():
            state |= {f"{prefix}.{key}": np.array(value) for key, value in lr.state_dict().items()}
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up what ``state_dict`` of the same kind of optimizer returned, all of it or none.

        Raises:
            DTypeError: ``state`` is no mapping.
            ArgumentError: it is of another kind of optimizer or another version, or something is missing or
                too much.
            ShapeError: something does not fit its parameter.
        """
        self._loaded(f"{self._op}.load_state_dict", state)()

    def _loaded(self, op: str, state: Any) -> Callable[[], None]:
        """Check a state, and return the function that takes it up."""
        arrays, steps = _state.opened(op, self._op, state)
        commit = self._recalled(op, arrays)
        rates = [(lr, _state.below(arrays, prefix)) for prefix, lr in self._rates().items()]
        _state.nothing_left(op, arrays)
        for lr, found in rates:
            copy.deepcopy(lr).load_state_dict(found)  # what this refuses is refused before anything changes

        def take() -> None:
            commit()
            for lr, found in rates:
                lr.load_state_dict(found)
            self.steps = steps

        return take

    def __repr__(self) -> str:
        shown = {"lr": self._lr, **self._options}
        if self._groups:
            shown["groups"] = {pattern: group.given for pattern, group in self._groups.items()}
        options = ", ".join(f"{name}={value!r}" for name, value in shown.items())
        return f"{self._op}({options})"
