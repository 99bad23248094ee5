"""Optimizers that move each parameter by its own gradient and its own state."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from backburner import Gradients, Tensor
from backburner.errors import ShapeError
from backburner.nn import Module, Parameter
from backburner_autodiff._rule import Array
from backburner_autodiff.optim import _state
from backburner_autodiff.optim._memory import room
from backburner_autodiff.optim._optimizer import Move, Optimizer
from backburner_autodiff.optim._options import Groups, Rate
from backburner_autodiff.optim._state import Slots
from backburner_autodiff.tape import Variable

SMALL = 4096
"""Parameters of up to so many elements move together."""


def _end_to_end(arrays: list[Array]) -> Array:
    """Return the elements of arrays in one, which is new."""
    return np.concatenate([array.reshape(-1) for array in arrays])


def _renew(parameter: Parameter, contents: Array) -> None:
    """Do what ``assign`` does with contents that fit: put a new leaf over them in the place of the old one."""
    held = parameter._primitive
    if held.__class__ is Variable and parameter.__class__ is Parameter:
        parameter._primitive = parameter._autodiff().replace(held, contents)
    else:
        parameter.assign(contents)


class _Planned(NamedTuple):
    """A move that has been checked."""

    move: Move
    slots: Slots
    options: dict[str, Any]


class Each(Optimizer):
    """The base of optimizers that move each parameter by itself; see ``Optimizer``."""

    letters: ClassVar[tuple[str, ...]] = ()
    """What is remembered of each parameter, by the letters of the algorithm's paper."""

    scalars: ClassVar[tuple[str, ...]] = ()
    """What is one number for a parameter, of float64."""

    elementwise: ClassVar[bool] = False
    """Whether each element moves by itself, as small parameters may then be moved together as one."""

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate,
        options: Mapping[str, Any],
        groups: Groups | None = None,
    ) -> None:
        super().__init__(model, lr, options, groups)
        self._state: dict[str, Slots] = {}
        self._wholes: dict[str, tuple[tuple[str, ...], dict[str, Array]]] = {}  # by the first of the names

    def step(self, grads: Gradients | Mapping[str, Tensor]) -> None:
        self._take(self._planned(self._moves(f"{self._op}.step", grads)))

    def _planned(self, moves: Iterable[Move]) -> list[_Planned]:
        """Check moves, all of them before the first is taken."""
        moves = list(moves)
        options = self._options_now()
        return [
            _Planned(move, self._slots(move.name, move.parameter), options[self._members.get(move.name)])
            for move in moves
        ]

    def _take(self, planned: list[_Planned]) -> None:
        moved = self._together(planned) if self.elementwise and not self.scalars else {}
        for (name, parameter, gradient), slots, options in planned:
            contents = room(parameter)
            if name in moved:
                np.copyto(contents, moved[name])
            else:
                self._update(gradient, contents, slots.arrays, slots.steps + 1, **options)
            slots.steps += 1
            self._state[name] = slots
            _renew(parameter, contents)
        self.steps += 1

    def _together(self, planned: list[_Planned]) -> dict[str, Array]:
        """Move small parameters that have the same options as one long one, and return their next contents by name.

        To call a kernel takes longer than to move some thousand elements, whose bits are the same either way.
        """
        groups: dict[Any, list[_Planned]] = {}
        for one in planned:
            g = one.move.gradient
            if g.size <= SMALL:
                groups.setdefault((g.dtype.char, id(one.options), one.slots.steps), []).append(one)
        moved: dict[str, Array] = {}
        for ones in groups.values():
            if len(ones) == 1:
                continue
            names = tuple([one.move.name for one in ones])
            states = [one.slots.arrays for one in ones]
            wholes = self._wholes_of(names, states)
            p = _end_to_end([one.move.parameter._array() for one in ones])
            g = _end_to_end([one.move.gradient for one in ones])
            self._update(g, p, wholes, ones[0].slots.steps + 1, **ones[0].options)
            start = 0
            for name, one in zip(names, ones, strict=True):
                g = one.move.gradient
                end = start + g.size
                moved[name] = p[start:end].reshape(g.shape)
                start = end
        return moved

    def _wholes_of(self, names: tuple[str, ...], states: list[dict[str, Array]]) -> dict[str, Array]:
        """Return the state of several parameters end to end, by letter; from then on theirs are parts of it."""
        known, wholes = self._wholes.get(names[0], ((), {}))
        if known == names and all(
            [arrays[letter].base is whole for letter, whole in wholes.items() for arrays in states]
        ):
            return wholes
        wholes = {letter: _end_to_end([arrays[letter] for arrays in states]) for letter in states[0]}
        for letter, whole in wholes.items():
            start = 0
            for arrays in states:
                shape, end = arrays[letter].shape, start + arrays[letter].size
                arrays[letter] = whole[start:end].reshape(shape)
                start = end
        self._wholes[names[0]] = names, wholes
        return wholes

    @abstractmethod
    def _update(
        self, g: Array, p: Array, state: dict[str, Array], step: int, *args: Any, **options: Any
    ) -> None:
        """Write the next contents of a parameter into ``p``, which holds the present ones, and its state.

        Args:
            g: the gradient.
            p: of float32 or float64, as are ``g`` and the state.
            state: what ``_start`` gave, as the last step left it.
            step: which step of this parameter it is, from 1.
            args: none; a subclass names the options.
            options: all of them, ``lr`` the number of this step.
        """

    def _start(self, p: Array, *args: Any, **options: Any) -> dict[str, Array]:
        """Return the state before the first step: arrays like ``p``, or of float64 without dimensions."""
        return {letter: np.zeros(p.shape, p.dtype) for letter in self.letters}

    # -- what is remembered ------------------------------------------------------------------------------

    def _fresh(self, name: str, parameter: Parameter) -> dict[str, Array]:
        group = self._groups.get(self._members.get(name, ""))
        return self._start(parameter._array(), **(self._options if group is None else group.options))

    def _slots(self, name: str, parameter: Parameter) -> Slots:
        kept = self._state.get(name)
        if kept is None:
            return Slots(0, self._fresh(name, parameter))
        held = parameter._primitive
        shape, dtype = held.shape, held.dtype
        for letter, array in kept.arrays.items():
            if (array.shape != shape or array.dtype != dtype) and letter not in self.scalars:
                raise ShapeError(
                    f"{self._op}.step: {name} is {parameter.dtype}{list(parameter.shape)}, and what is kept of it "
                    f"({letter}) {array.dtype}{list(array.shape)}. Make a new optimizer for the changed model."
                )
        return kept

    def _remembered(self) -> dict[str, Array]:
        state = {}
        for name, kept in self._state.items():
            state[f"{name}.step"] = np.array(kept.steps)
            state |= {f"{name}.{letter}": array.copy() for letter, array in kept.arrays.items()}
        return state

    def _recalled(self, op: str, arrays: dict[str, Array]) -> Callable[[], None]:
        loaded: dict[str, Slots] = {}
        for name, parameter in self._parameters():
            fresh = self._fresh(name, parameter)
            if any(f"{name}.{letter}" in arrays for letter in ("step", *fresh)):
                loaded[name] = _state.taken(op, name, fresh, arrays)

        def commit() -> None:
            self._state = loaded

        return commit
