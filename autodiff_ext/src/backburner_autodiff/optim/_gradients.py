"""Gradients as arrays: what ``backward`` returned or a dict by parameter name, and others of the same form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from backburner import Device, Gradients, Tensor
from backburner.errors import DTypeError
from backburner_autodiff._rule import Array

G = TypeVar("G", bound=Gradients | Mapping[str, Tensor])


def arrays_of(op: str, grads: Gradients | Mapping[str, Tensor]) -> dict[Any, Array]:
    """Return the arrays by what identifies them: a leaf of the graph, or a parameter's name.

    Raises:
        DTypeError: ``grads`` is neither of the two, or an entry is not a float tensor.
    """
    if isinstance(grads, Gradients):
        return dict(grads._grads)
    if not isinstance(grads, Mapping):
        raise DTypeError(
            f"{op}: grads is a {type(grads).__name__}. Give it what backward or value_and_grad returned."
        )
    found = {}
    for name, gradient in grads.items():
        array = gradient._array() if isinstance(gradient, Tensor) else gradient
        if not isinstance(array, np.ndarray) or array.dtype.kind != "f":
            kind = array.dtype if isinstance(array, np.ndarray) else type(gradient).__name__
            raise DTypeError(f"{op}: the gradient of {name} is {kind}, not a float tensor.")
        found[name] = array
    return found


def like(grads: Gradients | Mapping[str, Tensor], arrays: Mapping[Any, Array]) -> Any:
    """Return arrays in the form of ``grads``."""
    if isinstance(grads, Gradients):
        return Gradients(dict(arrays), grads._backend)
    device = Device().without_autodiff()
    return {name: Tensor(array, device) for name, array in arrays.items()}


def changed(grads: G, arrays: Mapping[Any, Array], change: Callable[[Array], Array]) -> G:
    """Return gradients in the form of ``grads``, each array changed."""
    made: G = like(grads, {key: change(array) for key, array in arrays.items()})
    return made


def named(key: Any) -> str:
    """Return how a message calls a gradient."""
    return key if isinstance(key, str) else "a leaf"
