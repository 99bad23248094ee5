"""The gradients of several batches added up, for a step as of one large batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from backburner import Gradients, Tensor
from backburner.errors import DTypeError, GraphError, ShapeError
from backburner_autodiff._rule import Array
from backburner_autodiff.optim import _options
from backburner_autodiff.optim._gradients import arrays_of, like, named
from backburner_autodiff.tape import Leaf

_weight = _options.number(above=True)


class Accumulator:
    """The sum of gradients of several batches.

    With a loss that is the mean over a batch, and the number of rows as ``weight``, ``mean`` is the gradient of
    the one large batch to within rounding, also where the last batch is smaller. It is not where rows of a batch
    meet: batch norm normalises each small batch by its own statistics, and moves its running ones once for each.
    Use ``GroupNorm`` or ``LayerNorm`` there, or freeze the batch norms.

    A parameter that a batch says nothing of gets nothing from it.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import SGD, Accumulator
        >>> model = nn.Linear(2, 1).to(bb.Device.cpu().autodiff())
        >>> optimizer, total = SGD(model), Accumulator()
        >>> for rows in (3, 3, 2):
        ...     total.add(model(bb.ones((rows, 2))).mean().backward(), weight=rows)
        >>> optimizer.step(total.mean())
        >>> total.reset()
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all that was added, as after a step."""
        self._sums: dict[Any, Array] = {}
        self._like: Gradients | Mapping[str, Tensor] | None = None
        self.weight = 0.0
        self.count = 0

    def add(self, grads: Gradients | Mapping[str, Tensor], weight: float = 1.0) -> None:
        """Add ``weight`` times some gradients.

        Args:
            grads: what ``backward`` returned, or gradients by parameter name, always the same of the two.
            weight: how much they count, such as the number of rows of the batch.

        Raises:
            DTypeError: ``grads`` are no gradients, or not of the kind or dtype that was added before.
            ShapeError: one has another shape than before.
            ArgumentError: ``weight`` is not a number above 0.
            GraphError: a step or a load since the first ``add`` has given a parameter another leaf.
        """
        op = "Accumulator.add"
        arrays = arrays_of(op, grads)
        factor = _weight(op, "weight", weight)
        if self._like is not None and isinstance(grads, Gradients) != isinstance(self._like, Gradients):
            raise DTypeError(
                f"{op}: gradients by name and those of backward do not add up. Take one of the two."
            )
        if any(isinstance(key, Leaf) and key.retired for key in (*self._sums, *arrays)):
            raise GraphError(
                f"{op}: a parameter has been changed since, by a step or a load. Call reset after each step."
            )
        for key, g in arrays.items():
            total = self._sums.get(key)
            if total is not None and total.shape != g.shape:
                raise ShapeError(
                    f"{op}: the gradient of {named(key)} has shape {list(g.shape)}, before {list(total.shape)}."
                )
            if total is not None and total.dtype != g.dtype:
                raise DTypeError(
                    f"{op}: the gradient of {named(key)} is {g.dtype}, before {total.dtype}. Use astype."
                )
        for key, g in arrays.items():
            share = np.asarray(g * g.dtype.type(factor))
            if key in self._sums:
                self._sums[key] += share
            else:
                self._sums[key] = share
        self._like = like(grads, {})  # the form alone: the arrays are not kept alive
        self.weight += factor
        self.count += 1

    def sum(self) -> Any:
        """Return the sum in the form of what was added: ``Gradients``, or a dict by name.

        Raises:
            GraphError: nothing was added.
        """
        return self._over("sum", 1.0)

    def mean(self) -> Any:
        """Return the sum over the sum of weights, in the form of what was added.

        Raises:
            GraphError: nothing was added.
        """
        return self._over("mean", self.weight)

    def _over(self, op: str, weight: float) -> Any:
        if self._like is None:
            raise GraphError(f"Accumulator.{op}: nothing was added. Call add with what backward returned.")
        return like(
            self._like,
            {key: np.asarray(total / total.dtype.type(weight)) for key, total in self._sums.items()},
        )

    def __repr__(self) -> str:
        return f"Accumulator of {self.count} gradients with a weight of {self.weight:g}"
