"""Random tensors, decided by a seed.

Every function draws one seed, from ``generator`` or from the device's stream (``device.seed(n)`` starts it
anew), and its result is a pure function of that seed. None has a gradient.
Common arguments: ``shape`` of the result; ``dtype``; ``device``; ``generator``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from backburner._seeds import SeedStream
from backburner._tensor import Tensor, tensor
from backburner.device import Device
from backburner.dtype import DEFAULT_FLOAT, DEFAULT_INT, DType, bool_, canonical
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.ops._operands import broadcast_shape, element, flag, integer, number, primitive, shape_of

__all__ = [
    "Generator",
    "bernoulli",
    "dirichlet",
    "get_state",
    "multinomial",
    "normal",
    "permutation",
    "randint",
    "set_state",
    "trunc_normal",
    "uniform",
]


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


def get_state(device: Device | None = None) -> tuple[int, int]:
    """Return where a device's stream of seeds is: its seed, and how many were drawn since.

    Example:
        >>> import backburner as bb
        >>> bb.Device.cpu().seed(3)
        >>> before = bb.random.get_state()
        >>> first = bb.random.uniform((2,)).tolist()
        >>> bb.random.set_state(before)
        >>> bb.random.uniform((2,)).tolist() == first
        True
    """
    return Device(device).seeds.state


def set_state(state: Sequence[int], device: Device | None = None) -> None:
    """Let a device's stream of seeds go on from where ``get_state`` found it.

    Raises:
        ArgumentError: ``state`` is not two integers in [0, 2^64).
    """
    try:
        seed, count = state
    except (TypeError, ValueError):
        seed = count = -1
    for value in (seed, count):
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 64:
            raise ArgumentError(
                f"random.set_state: {state!r:.80} is not a seed and a count. Give it what get_state returned."
            )
    Device(device).seeds.state = seed, count


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

    Shape:
        That of ``shape``.

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

    Shape:
        That of ``shape``.

    Raises:
        ArgumentError: ``std`` is negative, or an option infinite in the dtype.
    """
    mean, std = number("normal", "mean", mean), number("normal", "std", std)
    if std < 0:
        raise ArgumentError(f"normal: std must not be negative, got {std}.")
    wanted = _float("normal", dtype, mean=mean, std=std)
    return _draw("normal", "normal", (mean, std), shape, wanted, device, generator)


def trunc_normal(
    shape: int | Sequence[int],
    mean: float = 0.0,
    std: float = 1.0,
    low: float = -2.0,
    high: float = 2.0,
    *,
    dtype: Any = None,
    device: Device | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Draw from the normal distribution between ``low`` and ``high``, exactly also far out in a tail.

    Args:
        shape: see the module.
        mean: of the normal distribution, which may lie outside.
        std: of the normal distribution.
        low: no draw is below; it may be ``-inf``. PyTorch's ``a``.
        high: no draw is above; it may be ``inf``. PyTorch's ``b``.
        dtype: float32 unless said otherwise.
        device: see the module.
        generator: see the module.

    Shape:
        That of ``shape``.

    Raises:
        ArgumentError: ``std`` is not positive, ``low`` not below ``high``, or an option not in the dtype.
    """
    mean, std = number("trunc_normal", "mean", mean), number("trunc_normal", "std", std)
    low, high = number("trunc_normal", "low", low), number("trunc_normal", "high", high)
    if std <= 0:
        raise ArgumentError(f"trunc_normal: std must be positive, got {std}.")
    if not low < high or low == math.inf or high == -math.inf:
        raise ArgumentError(f"trunc_normal: low must be below high, got {low} and {high}.")
    bounds = {name: end for name, end in (("low", low), ("high", high)) if not math.isinf(end)}
    wanted = _float("trunc_normal", dtype, mean=mean, std=std, **bounds)
    return _draw("trunc_normal", "trunc_normal", (mean, std, low, high), shape, wanted, device, generator)


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

    Shape:
        That of ``shape``.

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
    p: float | Tensor = 0.5,
    *,
    dtype: Any = None,
    device: Device | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Draw ``True``, or 1, with probability ``p``; bool unless said otherwise.

    Args:
        shape: see the module.
        p: one probability, or a tensor of them that broadcasts to ``shape``.
        dtype: see the module.
        device: see the module; that of ``p`` if it is a tensor.
        generator: see the module.

    Shape:
        That of ``shape``.

    Raises:
        ArgumentError: ``p`` is not a probability.
        ShapeError: ``p`` does not broadcast to ``shape``.
    """
    chance: Any
    if isinstance(p, Tensor):
        device, chance, sizes = _where(device, p), p._array(), shape_of("bernoulli", shape)
        if broadcast_shape("bernoulli", chance.shape, sizes) != sizes:
            raise ShapeError(f"bernoulli: p of {list(chance.shape)} does not broadcast to {list(sizes)}.")
        if not ((chance >= 0) & (chance <= 1)).all():
            raise ArgumentError("bernoulli: p must be in [0, 1] everywhere.")
    else:
        chance = number("bernoulli", "p", p)
        if not 0 <= chance <= 1:
            raise ArgumentError(f"bernoulli: p must be in [0, 1], got {chance}.")
    wanted = bool_ if dtype is None else canonical(dtype, "bernoulli")
    return _draw("bernoulli", "bernoulli", (chance,), shape, wanted, device, generator)


def _where(device: Device | None, parameter: Tensor) -> Device:
    """Return the device of the draws: that of the parameter unless another is named."""
    return parameter.device if device is None else Device(device)


def multinomial(
    probabilities: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    device: Device | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Draw categories by their probabilities, int64, in the order in which they come.

    Args:
        probabilities: floats or integers, none negative, which need not add up to 1.
        num_samples: how many are drawn for each row.
        replacement: whether one may come again.
        device: see the module; by default that of ``probabilities``.
        generator: see the module.

    Shape:
        probabilities ``[n]`` or ``[m, n]``; result ``[num_samples]`` or ``[m, num_samples]`` in ``[0, n)``.

    Raises:
        ShapeError: ``probabilities`` has another number of axes.
        ArgumentError: one is negative or not finite, a row is all 0, or ``num_samples`` is negative or, without
            replacement, more than a row has categories of positive probability.
    """
    held = primitive("multinomial", probabilities)
    if held.ndim not in (1, 2):
        raise ShapeError(f"multinomial: needs a vector or rows of probabilities, got {list(held.shape)}.")
    again = flag("multinomial", "replacement", replacement)
    count = integer("multinomial", "num_samples", num_samples)
    rows = probabilities._array().astype(np.float64).reshape(math.prod(held.shape[:-1]), held.shape[-1])
    if not (np.isfinite(rows) & (rows >= 0)).all():
        raise ArgumentError("multinomial: a probability is negative or not finite.")
    possible = np.count_nonzero(rows, -1)
    if not possible.all():
        raise ArgumentError("multinomial: a row of probabilities is all 0.")
    least = int(possible.min()) if possible.size else 0
    if count < 0 or not again and possible.size and count > least:
        raise ArgumentError(
            f"multinomial: {count} of {least} categories cannot be drawn. Use replacement=True, or fewer."
        )
    rows /= rows.max(-1, keepdims=True, initial=0)  # so that no sum overflows
    shape = (*held.shape[:-1], count)
    place = _where(device, probabilities)
    return _draw("multinomial", "multinomial", (rows, again), shape, DEFAULT_INT, place, generator)


def dirichlet(
    concentration: Tensor | Sequence[float],
    shape: int | Sequence[int] = (),
    *,
    dtype: Any = None,
    device: Device | None = None,
    generator: Generator | None = None,
) -> Tensor:
    """Draw points whose coordinates, along the last axis, are not negative and add up to 1.

    Args:
        concentration: positive numbers, small for points near the corners; along other axes than the last they
            belong to different distributions.
        shape: of independent draws, in front of the axes of ``concentration``.
        dtype: that of ``concentration`` unless said otherwise.
        device: see the module; by default that of ``concentration``.
        generator: see the module.

    Shape:
        concentration ``[..., n]``; result ``[*shape, ..., n]``.

    Raises:
        ArgumentError: a number is not positive and finite.
        ShapeError: ``concentration`` is 0-d, or its last axis empty.
    """
    given = concentration if isinstance(concentration, Tensor) else tensor(concentration)
    alpha = given._array().astype(np.float64)
    if alpha.ndim == 0:
        raise ShapeError("dirichlet: concentration is 0-d. Give one number for each coordinate.")
    if alpha.shape[-1] == 0:
        raise ShapeError(
            f"dirichlet: concentration {list(alpha.shape)} has no coordinates, which add up to 1."
        )
    if not (np.isfinite(alpha) & (alpha > 0)).all():
        raise ArgumentError("dirichlet: concentration must be positive and finite everywhere.")
    kind = given.dtype if given.dtype.kind == "f" else DEFAULT_FLOAT
    wanted = _float("dirichlet", kind if dtype is None else dtype)
    sizes = (*shape_of("dirichlet", shape), *alpha.shape)
    place = _where(device, given)
    return _draw("dirichlet", "dirichlet", (alpha,), sizes, wanted, place, generator)


def permutation(n: int, *, device: Device | None = None, generator: Generator | None = None) -> Tensor:
    """Draw an order of ``0 ... n - 1``, int64.

    Shape:
        Result ``[n]``.
    """
    (size,) = shape_of("permutation", (n,))
    return _draw("permutation", "permutation", (size,), (size,), DEFAULT_INT, device, generator)


if not TYPE_CHECKING:  # or checkers would take any name
    from backburner._hints import refuser as _refuser

    __getattr__ = _refuser(
        __name__,
        {
            "choice": "permutation, randint or multinomial",
            "manual_seed": "Device.cpu().seed",
            "rand": "uniform",
            "randn": "normal",
            "randperm": "permutation",
            "seed": "Device.cpu().seed",
            "shuffle": "permutation",
        },
    )
