"""Initialisers that fill a parameter, by PyTorch's names: those of ``init`` that end in ``_``."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np

from backburner import random
from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.nn import _initial as init
from backburner.nn._checks import within
from backburner.nn._parameter import State
from backburner.ops._operands import element, integer

S = TypeVar("S", bound=State)

__all__ = [
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

Generator = random.Generator | None


def _state(op: str, tensor: Any) -> None:
    if not isinstance(tensor, State):
        shape = list(tensor.shape) if isinstance(tensor, Tensor) else "shape"
        other = getattr(init, op[:-1], None)
        remedy = f"init.{op[:-1]}({shape}, ...)" if other else "nn.Parameter"
        raise DTypeError(
            f"{op}: fills an nn.Parameter or nn.Buffer, not a {type(tensor).__name__}; tensors are immutable. "
            f"Use {remedy}."
        )


def _drawn(op: str, tensor: State, generator: Generator) -> dict[str, Any]:
    """Return the options with which the contents of a floating parameter or buffer are drawn."""
    _state(op, tensor)
    if tensor.dtype.kind != "f":
        raise DTypeError(f"{op}: draws floats, and the buffer is {tensor.dtype}.")
    return {"dtype": tensor.dtype, "device": tensor.device, "generator": generator}


def _filled(tensor: S, contents: Tensor | Array) -> S:
    tensor.assign(contents)
    return tensor


def uniform_(tensor: S, a: float = 0.0, b: float = 1.0, generator: Generator = None) -> S:
    """Fill a parameter with draws from ``[a, b)`` and return it.

    All functions here that draw do so from the stream of the parameter's device, which ``device.seed`` starts,
    or from ``generator``. All give the parameter new contents, as a load does, so that a graph from before
    refuses to run backward through it.

    Args:
        tensor: an ``nn.Parameter`` or a floating ``nn.Buffer``.
        a: the lower end.
        b: the upper end.
        generator: where the seed comes from instead.

    Raises:
        ArgumentError: ``a`` is above ``b``, or one of them infinite.
        DTypeError: ``tensor`` is neither a parameter nor a floating buffer.

    Example:
        >>> from backburner import nn
        >>> layer = nn.Linear(3, 2)
        >>> nn.init.uniform_(layer.weight, -1, 1) is layer.weight
        True
    """
    return _filled(tensor, random.uniform(tensor.shape, a, b, **_drawn("uniform_", tensor, generator)))


def normal_(tensor: S, mean: float = 0.0, std: float = 1.0, generator: Generator = None) -> S:
    """Fill a parameter with draws from a normal distribution and return it; see ``uniform_``."""
    return _filled(tensor, random.normal(tensor.shape, mean, std, **_drawn("normal_", tensor, generator)))


def trunc_normal_(
    tensor: S,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator = None,
) -> S:
    """Fill a parameter with draws from a normal distribution between ``a`` and ``b`` and return it.

    Args:
        tensor: see ``uniform_``.
        mean: of the normal distribution before it is cut.
        std: likewise.
        a: the lower end, a value and not a number of ``std``; it may be ``-inf``.
        b: the upper end, likewise.
        generator: see ``uniform_``.

    Raises:
        ArgumentError: ``std`` is not positive, or ``a`` not below ``b``.
    """
    options = _drawn("trunc_normal_", tensor, generator)
    return _filled(tensor, random.trunc_normal(tensor.shape, mean, std, a, b, **options))


def constant_(tensor: S, val: float) -> S:
    """Fill a parameter or a buffer with one value and return it."""
    _state("constant_", tensor)
    value = element("constant_", "val", val, tensor.dtype)
    return _filled(tensor, np.full(tensor.shape, value, tensor.dtype))


def ones_(tensor: S) -> S:
    """Fill a parameter or a buffer with ones and return it."""
    _state("ones_", tensor)
    return _filled(tensor, np.ones(tensor.shape, tensor.dtype))


def zeros_(tensor: S) -> S:
    """Fill a parameter or a buffer with zeros and return it."""
    _state("zeros_", tensor)
    return _filled(tensor, np.zeros(tensor.shape, tensor.dtype))


def eye_(tensor: S) -> S:
    """Fill a matrix with ones on its diagonal and zeros elsewhere, and return it.

    Raises:
        ShapeError: it has other than two dimensions.
    """
    _state("eye_", tensor)
    if tensor.ndim != 2:
        raise ShapeError(f"eye_: needs two dimensions, got {list(tensor.shape)}.")
    return _filled(tensor, np.eye(*tensor.shape, dtype=tensor.dtype))


def dirac_(tensor: S, groups: int = 1) -> S:
    """Fill the weight of a convolution so that it passes on its channels, as many as it can, and return it.

    Args:
        tensor: ``[outputs, inputs / groups, *kernel]`` with one to three kernel dimensions.
        groups: those of the convolution; each passes on its own channels.

    Raises:
        ShapeError: there are fewer or more dimensions.
        ArgumentError: ``groups`` does not divide the outputs.
    """
    _state("dirac_", tensor)
    if tensor.ndim not in (3, 4, 5):
        raise ShapeError(f"dirac_: needs three to five dimensions, got {list(tensor.shape)}.")
    count = integer("dirac_", "groups", groups)
    outputs, inputs, *kernel = tensor.shape
    if count < 1 or outputs % count:
        raise ArgumentError(f"dirac_: groups={count} does not divide {outputs} outputs.")
    weight = np.zeros(tensor.shape, tensor.dtype)
    channels = np.arange(min(outputs // count, inputs))
    middle: Any = tuple([size // 2 for size in kernel])
    for group in range(count):
        weight[(group * (outputs // count) + channels, channels, *middle)] = 1
    return _filled(tensor, weight)


def xavier_uniform_(tensor: S, gain: float = 1.0, generator: Generator = None) -> S:
    """Fill a weight as ``init.xavier_uniform`` draws one, and return it."""
    return _filled(
        tensor, init.xavier_uniform(tensor.shape, gain, **_drawn("xavier_uniform_", tensor, generator))
    )


def xavier_normal_(tensor: S, gain: float = 1.0, generator: Generator = None) -> S:
    """Fill a weight as ``init.xavier_normal`` draws one, and return it."""
    return _filled(
        tensor, init.xavier_normal(tensor.shape, gain, **_drawn("xavier_normal_", tensor, generator))
    )


def kaiming_uniform_(
    tensor: S,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator = None,
) -> S:
    """Fill a weight as ``init.kaiming_uniform`` draws one, and return it."""
    options = _drawn("kaiming_uniform_", tensor, generator)
    return _filled(tensor, init.kaiming_uniform(tensor.shape, a, mode, nonlinearity, **options))


def kaiming_normal_(
    tensor: S,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator = None,
) -> S:
    """Fill a weight as ``init.kaiming_normal`` draws one, and return it."""
    options = _drawn("kaiming_normal_", tensor, generator)
    return _filled(tensor, init.kaiming_normal(tensor.shape, a, mode, nonlinearity, **options))


def orthogonal_(tensor: S, gain: float = 1.0, generator: Generator = None) -> S:
    """Fill a weight as ``init.orthogonal`` draws one, and return it."""
    return _filled(tensor, init.orthogonal(tensor.shape, gain, **_drawn("orthogonal_", tensor, generator)))


def sparse_(tensor: S, sparsity: float, std: float = 0.01, generator: Generator = None) -> S:
    """Fill a matrix with normal draws, of which some in each column are zeros instead, and return it.

    Martens (2010), "Deep learning via Hessian-free optimization".

    Args:
        tensor: ``[outputs, inputs]``.
        sparsity: the share of zeros in each column, rounded up to a whole number of them.
        std: of the others.
        generator: see ``uniform_``.

    Raises:
        ShapeError: it has other than two dimensions.
        ArgumentError: ``sparsity`` is no share.
    """
    options = _drawn("sparse_", tensor, generator)
    if tensor.ndim != 2:
        raise ShapeError(f"sparse_: needs two dimensions, got {list(tensor.shape)}.")
    share = within("sparse_", "sparsity", sparsity, 0, 1)
    weight = random.normal(tensor.shape, 0.0, std, **options).numpy().copy()
    places = random.uniform(tensor.shape, **options).numpy().argsort(0, kind="stable")
    np.put_along_axis(weight, places[: math.ceil(share * tensor.shape[0])], 0, 0)
    return _filled(tensor, weight)
