"""Gradients that are too large made smaller: by value, by their own norms, by the norm of all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from backburner import Gradients, Tensor
from backburner.errors import ArgumentError, GraphError
from backburner_autodiff._rule import Array
from backburner_autodiff.kernels import optim as kernels
from backburner_autodiff.optim import _options
from backburner_autodiff.optim._gradients import G, arrays_of, changed, named

_TINY = 1e-30  # a factor below it may not be a normal float32
_order = _options.number(above=True, below=math.inf)


def grad_norm(grads: Gradients | Mapping[str, Tensor], norm_type: float = 2.0) -> float:
    """Return the norm of all gradients together, as of one long vector.

    It is computed in float64, scaled where squares would overflow or vanish, so that it is right for all
    gradients whose norm is a float64.

    Args:
        grads: what ``backward`` returned, or gradients by name.
        norm_type: the order of the norm, above 0; ``math.inf`` for the greatest size.

    Returns:
        The norm: 0 if there are no gradients, infinite if one of them is, NaN if one of them is.

    Raises:
        DTypeError: ``grads`` are no gradients.
        ArgumentError: the order is not a number above 0.

    Example:
        >>> import backburner as bb
        >>> from backburner.optim import grad_norm
        >>> round(grad_norm({"w": bb.tensor([3e30, 0.0]), "b": bb.tensor([4e30])}) / 1e30, 6)
        5.0
    """
    return _norm(arrays_of("grad_norm", grads).values(), _checked_order("grad_norm", norm_type))


def clip_by_value(grads: G, limit: float) -> G:
    """Return gradients whose elements are brought into ``[-limit, limit]``; NaN stays.

    Args:
        grads: what ``backward`` returned, or gradients by name. They stay as they are.
        limit: the greatest size of an element.

    Raises:
        DTypeError: ``grads`` are no gradients.
        ArgumentError: ``limit`` is not a number above 0.

    Example:
        >>> import backburner as bb
        >>> from backburner.optim import clip_by_value
        >>> clip_by_value({"w": bb.tensor([3.0, -0.5])}, 1.0)["w"].tolist()
        [1.0, -0.5]
    """
    arrays = arrays_of("clip_by_value", grads)
    most = _limit("clip_by_value", "limit", limit)

    def clip(g: Array) -> Array:
        if most == math.inf:
            return g
        numbers = np.finfo(g.dtype)
        # as near as the dtype comes: neither infinity nor 0, which would train nothing
        bound = g.dtype.type(min(max(most, float(numbers.smallest_subnormal)), float(numbers.max)))
        return np.clip(g, -bound, bound)

    return changed(grads, arrays, clip)


def clip_by_norm(grads: G, max_norm: float, norm_type: float = 2.0) -> G:
    """Return gradients each of which is shortened to a norm of ``max_norm`` at most.

    Args:
        grads: what ``backward`` returned, or gradients by name. They stay as they are.
        max_norm: the greatest norm of a gradient.
        norm_type: the order of the norm; see ``grad_norm``.

    Raises:
        DTypeError: ``grads`` are no gradients.
        ArgumentError: ``max_norm`` or the order is not a number above 0.

    Example:
        >>> import backburner as bb
        >>> from backburner.optim import clip_by_norm
        >>> clipped = clip_by_norm({"w": bb.tensor([3.0, 4.0]), "b": bb.tensor([0.5])}, 2.5)
        >>> clipped["w"].tolist(), clipped["b"].tolist()
        ([1.5, 2.0], [0.5])
    """
    arrays = arrays_of("clip_by_norm", grads)
    most, order = _limit("clip_by_norm", "max_norm", max_norm), _checked_order("clip_by_norm", norm_type)
    return changed(grads, arrays, lambda g: _times(g, most, _norm([g], order)))


def clip_by_global_norm(
    grads: G, max_norm: float | None, norm_type: float = 2.0, *, error_if_nonfinite: bool = False
) -> tuple[G, float]:
    """Return gradients whose norm together is ``max_norm`` at most, and the norm that they had.

    All are multiplied by ``max_norm / norm`` where the norm is greater, and are as they were where it is not.
    PyTorch's ``clip_grad_norm_`` divides by ``norm + 1e-6``. All gradients count, those of inputs that are leaves
    too. An infinite gradient makes the finite ones zeros and itself NaN, a NaN makes all of them NaN: ask for an
    error, or look at the norm before the step.

    Args:
        grads: what ``backward`` returned, or gradients by name. They stay as they are.
        max_norm: the greatest norm; ``None`` leaves the gradients alone, 0 is refused.
        norm_type: the order of the norm; see ``grad_norm``.
        error_if_nonfinite: raise where the norm is infinite or NaN.

    Raises:
        DTypeError: ``grads`` are no gradients.
        ArgumentError: ``max_norm`` or the order is not a number above 0.
        GraphError: the norm is not finite, under ``error_if_nonfinite``.

    Example:
        >>> import backburner as bb
        >>> from backburner.optim import clip_by_global_norm
        >>> grads, norm = clip_by_global_norm({"w": bb.tensor([30.0]), "b": bb.tensor([40.0])}, 25.0)
        >>> norm, grads["w"].tolist(), grads["b"].tolist()
        (50.0, [15.0], [20.0])
    """
    op = "clip_by_global_norm"
    arrays = arrays_of(op, grads)
    most = math.inf if max_norm is None else _limit(op, "max_norm", max_norm)
    norm = _norm(arrays.values(), _checked_order(op, norm_type))
    if error_if_nonfinite and not math.isfinite(norm):
        guilty = [named(key) for key, g in arrays.items() if not np.isfinite(g).all()]
        raise GraphError(
            f"{op}: the norm of the gradients is {norm}, for that of {', '.join(guilty[:8]) or 'all together'}. "
            "Leave out this step, or lower the learning rate."
        )
    if max_norm is None or norm <= most:
        return grads, norm
    return changed(grads, arrays, lambda g: _times(g, most, norm)), norm


def _limit(op: str, name: str, value: Any) -> float:
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not real or not float(value) > 0:
        raise ArgumentError(
            f"{op}: {name} is a number above 0, not {value!r}. Zeros for gradients would train nothing; leave the "
            "call out to clip nothing."
        )
    return float(value)


def _checked_order(op: str, value: Any) -> float:
    if isinstance(value, float) and value == math.inf:
        return value
    order: float = _order(op, "norm_type", value)
    return order


def _times(g: Array, most: float, norm: float) -> Array:
    """Return a gradient times ``most / norm``, if that is below 1."""
    if norm <= most:
        return g
    factor = most / norm
    with np.errstate(invalid="ignore", under="ignore"):  # an infinity times 0 is NaN, as the docstring says
        if factor < _TINY and math.isfinite(norm):
            return (g.astype(np.float64) / norm * most).astype(g.dtype)
        return np.asarray(g * g.dtype.type(factor))


def _norm(arrays: Iterable[Array], order: float) -> float:
    found = [g for g in arrays if g.size]
    if order == 2:
        # Sorted, for the order of gradients is that in which parameters last moved, which a resume does not know.
        total = math.sqrt(sum(sorted(_squares(g) for g in found)))
        # Squares of float32 fit float64; those of float64 may have overflowed, or vanished.
        if 1e-140 < total < math.inf:
            return total
    most = max((float(np.abs(g).max()) for g in found), default=0.0)
    if any(np.isnan(g).any() for g in found):
        return math.nan
    if order == math.inf or most == 0 or math.isinf(most):
        return most
    with np.errstate(under="ignore"):
        shares = (np.abs(g.astype(np.float64)) / most for g in found)
        total = sum(sorted(float(np.sum(np.power(share, order))) for share in shares))
    return float(most * total ** (1 / order))


def _squares(g: Array) -> float:
    """Return the sum of squares in float64, in one order for any number of threads."""
    total = np.zeros(-(-g.size // kernels.BLOCK))
    kernels.squares(g, total)
    return float(total.sum())
