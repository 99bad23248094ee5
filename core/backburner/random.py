"""Random tensors, decided by a seed.

Every function draws one seed, from ``generator`` or from the device's stream (``device.seed(n)`` starts it
anew), and its result is a pure function of that seed. None has a gradient.
Common arguments: ``shape`` of the result; ``dtype``; ``device``; ``generator``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from backburner._seeds import SeedStream
from backburner._tensor import Tensor
from backburner.device import Device
from backburner.dtype import DEFAULT_FLOAT, DEFAULT_INT, DType, bool_, canonical
from backburner.errors import ArgumentError, DTypeError
from backburner.ops._operands import element, integer, number, shape_of

__all__ = ["Generator", "bernoulli", "normal", "permutation", "randint", "uniform"]


class Generator(SeedStream):
    """A stream of seeds of one's own, beside the device's.

    Args:
        seed: a non-negative int below 2^64; without one the stream starts at random.

    Example:
        >>> import backburner as bb
        >>> a = bb.random.uniform((2,), generator=bb.random.Generator(7))
        >>> b = bb.random.uniform((2,), generator=bb.random.Generator(7))
        >>> a.tolist() == b.tolist()
        True
    """


def _draw(
    op: str,
    distribution: str,
    options: Sequence[Any],
    shape: int | Sequence[int],
    dtype: DType,
    device: Device | None,
    generator: Generator | None,
) -> Tensor:
    device = Device(device)
    if generator is not None and not isinstance(generator, SeedStream):
        raise DTypeError(f"{op}: generator is a {type(generator).__name__}. Use bb.random.Generator.")
    sizes = shape_of(op, shape)
    seed = (device.seeds if generator is None else generator).next()
    held = device.backend.random(
        distribution=distribution, shape=sizes, dtype=dtype, options=options, seed=seed
    )
    return Tensor(held, device)


def _float(op: str, dtype: Any, **options: float) -> DType:
    """Return the dtype of floats to draw, in which the options are finite."""
    wanted = DEFAULT_FLOAT if dtype is None else canonical(dtype, op)
    if wanted.kind != "f":
        raise DTypeError(f"{op}: draws floats, not {wanted}. Use astype on the result.")
    with np.errstate(over="ignore"):
        for name, value in options.items():
            if not np.isfinite(wanted.type(value)):
                raise ArgumentError(f"{op}: {name} {value} is not finite in {wanted}. Use a smaller one.")
    return wanted


def uniform(
    shape: int | Sequence[int],
    low: float = 0.0,
    high: float = 1.0,
    *,
    dtype: Any = None,
    device: Device | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Draw from the half-open interval from ``low`` to ``high``.

    Raises:
        ArgumentError: ``low`` is above ``high``, or one of them infinite in the dtype.
    """
    low, high = number("uniform", "low", low), number("uniform", "high", high)
    if low > high:
        raise ArgumentError(f"uniform: low {low} is above high {high}.")
    wanted = _float("uniform", dtype, low=low, high=high)
    return _draw("uniform", "uniform", (low, high), shape, wanted, device, generator)


def normal(
    shape: int | Sequence[int],
    mean: float = 0.0,
    std: float = 1.0,
    *,
    dtype: Any = None,
    device: Device | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Draw from the normal distribution.

    Raises:
        ArgumentError: ``std`` is negative, or an option infinite in the dtype.
    """
    mean, std = number("normal", "mean", mean), number("normal", "std", std)
    if std < 0:
        raise ArgumentError(f"normal: std must not be negative, got {std}.")
    wanted = _float("normal", dtype, mean=mean, std=std)
    return _draw("normal", "normal", (mean, std), shape, wanted, device, generator)


def randint(
    low: int,
    high: int,
    shape: int | Sequence[int],
    *,
    dtype: Any = None,
    device: Device | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Draw integers from ``low`` up to before ``high``, int64 unless said otherwise.

    Raises:
        ArgumentError: there is none between them.
        DTypeError: the dtype is not an integer's.
    """
    first, last = integer("randint", "low", low), integer("randint", "high", high)
    if first >= last:
        raise ArgumentError(f"randint: no integer from {low} up to before {high}.")
    wanted = DEFAULT_INT if dtype is None else canonical(dtype, "randint")
    if wanted.kind not in "iu":
        raise DTypeError(f"randint: draws integers, not {wanted}. Use astype on the result.")
    element("randint", "low", first, wanted)
    element("randint", "high - 1", last - 1, wanted)
    return _draw("randint", "integers", (first, last), shape, wanted, device, generator)


def bernoulli(
    shape: int | Sequence[int],
    p: float = 0.5,
    *,
    dtype: Any = None,
    device: Device | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Draw ``True``, or 1, with probability ``p``; bool unless said otherwise.

    Raises:
        ArgumentError: ``p`` is not a probability.
    """
    p = number("bernoulli", "p", p)
    if not 0 <= p <= 1:
        raise ArgumentError(f"bernoulli: p must be in [0, 1], got {p}.")
    wanted = bool_ if dtype is None else canonical(dtype, "bernoulli")
    return _draw("bernoulli", "bernoulli", (p,), shape, wanted, device, generator)


def permutation(n: int, *, device: Device | None = None, generator: Generator | None = None) -> Tensor:
    """Draw an order of ``0 ... n - 1``, int64."""
    (size,) = shape_of("permutation", (n,))
    return _draw("permutation", "permutation", (size,), (size,), DEFAULT_INT, device, generator)
