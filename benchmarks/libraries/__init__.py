"""One module per library: each turns the tasks of the rows into functions to time.

A module has `Library(threads)`, whose methods are named as tasks are; it is imported in that library's own process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Outputs = dict[str, Array]

LEARNING_RATE = 1e-3
BETAS = (0.9, 0.999)
EPSILON = 1e-8
CHECKED_STEPS = 3


class Task(NamedTuple):
    """What is timed, and what it computes, asked for once before the timing."""

    run: Callable[[], object]
    outputs: Callable[[], Outputs]


class Library(Protocol):
    """What a process of a library can do; a library has the tasks that it has methods for."""

    def __init__(self, threads: int) -> None: ...


def inputs(data: str) -> tuple[list[Array], Array | None]:
    """Return the inputs of a model and its targets."""
    with np.load(Path(data) / "inputs.npz") as file:
        names = sorted(name for name in file if name.startswith("x"))
        return [file[name] for name in names], file["target"] if "target" in file else None


def weights(data: str) -> Outputs:
    """Return a model's weights, by PyTorch's names."""
    with np.load(Path(data) / "weights.npz") as file:
        return {name: file[name] for name in file}


def trained(
    step: Callable[[], Any],
    gradients: Callable[[], tuple[float, Outputs]],
    parameters: Callable[[], Outputs],
    number: Callable[[Any], float],
) -> Callable[[], Outputs]:
    """Return what a training task computes: gradients at the start, parameters after a step, the first losses.

    Args:
        step: what is timed; it returns the loss, from before the step.
        gradients: the loss and the gradients where it stands, without a step.
        parameters: the parameters where it stands, copied.
        number: a loss as a number.
    """

    def outputs() -> Outputs:
        loss, grads = gradients()
        found = _named("gradient", grads.items()) | _named("before", parameters().items())
        losses = [number(step())]
        found |= _named("after", parameters().items())
        losses += [number(step()) for _ in range(CHECKED_STEPS - 1)]
        return found | {"loss": np.array(loss), "losses": np.array(losses)}

    return outputs


def _named(kind: str, arrays: Iterable[tuple[str, Array]]) -> Outputs:
    return {f"{kind}/{name}": array for name, array in arrays}
