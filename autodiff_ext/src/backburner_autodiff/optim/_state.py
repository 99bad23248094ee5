"""The state of optimizers as arrays by name: how it is written, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from backburner import Tensor
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner_autodiff._rule import Array

VERSION = 1
"""Of the form of the state; another one is refused."""


class Slots:
    """What an optimizer remembers of one parameter.

    Attributes:
        steps: how many steps it has taken.
        arrays: by letter, like the parameter in shape and dtype, or of float64 without dimensions.
    """

    __slots__ = ("steps", "arrays")

    def __init__(self, steps: int, arrays: dict[str, Array]) -> None:
        self.steps = steps
        self.arrays = arrays


def head(kind: str, steps: int) -> dict[str, Array]:
    """Return the entries that every state begins with."""
    return {
        "version": np.array(VERSION),
        "kind": np.frombuffer(kind.encode(), np.uint8).copy(),
        "step": np.array(steps),
    }


def opened(op: str, kind: str, state: Any) -> tuple[dict[str, Array], int]:
    """Return the arrays of a state after its head, and its number of steps.

    Raises:
        DTypeError: ``state`` is no mapping.
        ArgumentError: it is of another kind or version.
    """
    if not isinstance(state, Mapping):
        raise DTypeError(f"{op}: takes arrays by name, not {state!r:.80}.")
    arrays = {
        name: value.numpy() if isinstance(value, Tensor) else np.asarray(value)
        for name, value in state.items()
    }
    version = count(op, "version", arrays)
    if version != VERSION:
        raise ArgumentError(
            f"{op}: the state has version {version}, this release reads {VERSION}. Use the release that wrote it."
        )
    if "kind" not in arrays:
        raise ArgumentError(f"{op}: kind is missing.")
    found = arrays.pop("kind").astype(np.uint8).tobytes().decode(errors="replace")
    if found != kind:
        raise ArgumentError(f"{op}: the state is that of {found}, not of {kind}. Make the same kind again.")
    return arrays, count(op, "step", arrays)


def count(op: str, key: str, arrays: dict[str, Array]) -> int:
    """Take a whole number out of arrays."""
    if key not in arrays:
        raise ArgumentError(f"{op}: {key} is missing.")
    value = arrays.pop(key)
    if value.ndim or value.dtype.kind not in "iu" or value < 0:
        raise ArgumentError(f"{op}: {key} is a number of steps, not {value!r}.")
    return int(value)


def number(op: str, key: str, arrays: dict[str, Array]) -> float:
    """Take a number of float64 out of arrays."""
    return float(array(op, key, ((), np.dtype(np.float64)), arrays))


def array(op: str, key: str, fits: tuple[tuple[int, ...], np.dtype[Any]], arrays: dict[str, Array]) -> Array:
    """Take an array of a shape and dtype out of arrays."""
    if key not in arrays:
        raise ArgumentError(f"{op}: {key} is missing.")
    found = arrays.pop(key)
    shape, dtype = fits
    if found.shape != shape or found.dtype != dtype:
        raise ShapeError(
            f"{op}: {key} is {found.dtype}{list(found.shape)}, and should be {dtype}{list(shape)}."
        )
    return np.array(found, order="C")


def taken(op: str, name: str, fresh: dict[str, Array], arrays: dict[str, Array]) -> Slots:
    """Take what is remembered of one parameter out of arrays; ``fresh`` is what it would begin with."""
    steps = count(op, f"{name}.step", arrays)
    slots: dict[str, Array] = {}
    for letter, like in fresh.items():
        slots[letter] = array(op, f"{name}.{letter}", (like.shape, like.dtype), arrays)
    return Slots(steps, slots)


def below(arrays: dict[str, Array], prefix: str) -> dict[str, Array]:
    """Take out of arrays those whose names begin with a prefix and a dot, under the rest of their names."""
    found = [key for key in arrays if key.startswith(f"{prefix}.")]
    return {key[len(prefix) + 1 :]: arrays.pop(key) for key in found}


def nothing_left(op: str, arrays: Mapping[str, Any]) -> None:
    """Refuse what nothing took.

    Raises:
        ArgumentError: there is something.
    """
    if arrays:
        raise ArgumentError(
            f"{op}: no parameter and no state is called {', '.join(sorted(map(str, arrays)))}."
        )
