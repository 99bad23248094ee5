"""``Partition``: each parameter with the optimizer that is for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from backburner import Gradients, Tensor
from backburner.errors import ArgumentError, DTypeError
from backburner.nn import Module, Parameter
from backburner_autodiff._rule import Array
from backburner_autodiff.optim import _options, _state
from backburner_autodiff.optim._each import Each
from backburner_autodiff.optim._optimizer import Move, Optimizer
from backburner_autodiff.optim._options import Rate

Make = Callable[[dict[str, Parameter]], Optimizer]


class Partition(Optimizer):
    """Several optimizers, each for the parameters whose names a shell's pattern matches.

    The first pattern that matches a parameter counts, and each needs one. The state of all is one state.

    Args:
        model: a module, or parameters by name.
        parts: by pattern, a function from parameters by name to their optimizer, such as a class.

    Attributes:
        optimizers: the optimizers by pattern.

    Raises:
        ArgumentError: a pattern matches no parameter that is left for it, or a parameter is left over.
        DTypeError: a function gives something else than an optimizer.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import SGD, Adam, Partition
        >>> model = nn.Linear(2, 1).to(bb.Device.cpu().autodiff())
        >>> optimizer = Partition(model, {"bias": SGD, "*": lambda part: Adam(part, lr=0.1)})
        >>> optimizer.step(model(bb.ones((4, 2))).mean().backward())
        >>> sorted(optimizer.optimizers)
        ['*', 'bias']
    """

    def __init__(self, model: Module | Mapping[str, Parameter], parts: Mapping[str, Make]) -> None:
        if not isinstance(parts, Mapping) or not parts:
            raise ArgumentError(
                f"Partition: parts are optimizers by pattern of names, such as {{'*': Adam}}, not {parts!r:.80}."
            )
        self.optimizers: dict[str, Each] = {}
        super().__init__(model, None, {})
        self._patterns = list(parts)
        self._parts: dict[str, dict[str, Parameter]] = {pattern: {} for pattern in parts}
        self._divide("Partition")
        for pattern, make in parts.items():
            made = make(self._parts[pattern]) if callable(make) else make
            if not isinstance(made, Each):
                raise DTypeError(
                    f"Partition: what {pattern!r} stands for gave a {type(made).__name__}, not an optimizer that takes "
                    "gradients. Give a function of parameters by name, such as lambda part: Adam(part, lr=0.1)."
                )
            self.optimizers[pattern] = made

    @property
    def lr(self) -> Rate:
        """The learning rate of the first part; set those of ``optimizers``."""
        return next(iter(self.optimizers.values())).lr if self.optimizers else 0.0

    @lr.setter
    def lr(self, lr: Rate) -> None:
        raise ArgumentError(
            f"Partition: each part has its own lr. Set optimizers[pattern].lr, of {', '.join(self._patterns)}."
        )

    def _divide(self, op: str) -> dict[str, str]:
        """Give each part the parameters that are its own now, and return their patterns."""
        parameters = dict(self._parameters())
        chosen = _options.members(op, self._patterns, list(parameters))
        left = [name for name in parameters if name not in chosen]
        if left:
            raise ArgumentError(
                f"{op}: no pattern matches {', '.join(left[:8])}. End with one for the rest, such as {{'*': Adam}}."
            )
        for pattern, part in self._parts.items():
            part.clear()
            part |= {name: parameters[name] for name, its in chosen.items() if its == pattern}
        return chosen

    def step(self, grads: Gradients | Mapping[str, Tensor]) -> None:
        op = "Partition.step"
        chosen = self._divide(op)
        moves: dict[str, list[Move]] = {pattern: [] for pattern in self._patterns}
        for move in self._moves(op, grads):
            moves[chosen[move.name]].append(move)
        planned = [(part, part._planned(moves[pattern])) for pattern, part in self.optimizers.items()]
        for part, its in planned:
            part._take(its)
        self.steps += 1

    def _rates(self) -> dict[str, Any]:
        return {}  # they are in the states of the parts

    def _remembered(self) -> dict[str, Array]:
        return {
            f"parts.{i}.{key}": array
            for i, part in enumerate(self.optimizers.values())
            for key, array in part.state_dict().items()
        }

    def _recalled(self, op: str, arrays: dict[str, Array]) -> Callable[[], None]:
        self._divide(op)
        commits = [
            part._loaded(f"{op}: {pattern!r}", _state.below(arrays, f"parts.{i}"))
            for i, (pattern, part) in enumerate(self.optimizers.items())
        ]

        def commit() -> None:
            for take in commits:
                take()

        return commit

    def __repr__(self) -> str:
        return (
            f"Partition({', '.join(f'{pattern!r}: {part!r}' for pattern, part in self.optimizers.items())})"
        )
