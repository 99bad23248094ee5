"""Running a case of the table: on arrays, to its results or to the gradients of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

import backburner as bb
from ops._row import Array, Case

Arrays = Sequence[Array | None]

TOLERANCE: dict[str, dict[str, float]] = {
    "float64": {"rtol": 1e-12, "atol": 1e-12},
    "float32": {"rtol": 1e-5, "atol": 2e-6},
}


@contextmanager
def told(case: object) -> Iterator[None]:
    """Name the case in whatever is raised inside."""
    try:
        yield
    except Exception as e:
        e.add_note(f"case {case}")
        raise


def tensors(arrays: Arrays, device: bb.Device | None = None) -> list[bb.Tensor | None]:
    """Return tensors over the very arrays."""
    return [None if x is None else bb.asarray(x, copy=False, device=device) for x in arrays]


def evaluate(case: Case, arrays: Arrays, device: bb.Device | None = None) -> list[Array]:
    """Return the results as arrays."""
    return [y.numpy() for y in case(*tensors(arrays, device))]


def leaves(case: Case, arrays: Arrays, device: bb.Device) -> list[bb.Tensor | None]:
    """Return tensors over the very arrays, those marked that have a gradient."""
    wanted = case.differentiable()
    return [
        x if x is None or i not in wanted else x.require_grad() for i, x in enumerate(tensors(arrays, device))
    ]


def backward(
    outputs: Sequence[bb.Tensor], cotangents: Sequence[Array], retain_graph: bool = False
) -> bb.Gradients:
    """Run the graph of all outputs backward at once."""
    seeds = [bb.asarray(c, copy=False) for c in cotangents]
    if len(outputs) == 1:
        return outputs[0].backward(seeds[0], retain_graph)
    total = (outputs[0] * seeds[0]).sum()
    for y, seed in zip(outputs[1:], seeds[1:], strict=True):
        total = total + (y * seed).sum()
    return total.backward(retain_graph=retain_graph)


def differentiate(
    case: Case,
    arrays: Arrays,
    device: bb.Device,
    apply: Callable[..., tuple[bb.Tensor, ...]] | None = None,
    zero: bool = False,
) -> list[Array]:
    """Return the gradients of the inputs that have one, for the case's cotangents or for zeros."""
    marked = leaves(case, arrays, device)
    outputs = (apply or case)(*marked)
    cotangents = case.cotangents(outputs)
    grads = backward(case.carried(outputs), [np.zeros_like(c) for c in cotangents] if zero else cotangents)
    found: list[Any] = [marked[i] for i in case.differentiable()]
    return [grads[x].numpy() for x in found]


def bits(arrays: Sequence[Array]) -> list[tuple[Any, ...]]:
    """Return what equals only for the same dtypes, shapes and bits."""
    return [(x.dtype.str, x.shape, x.tobytes()) for x in arrays]


def strided(x: Array) -> Array:
    """Return the same values as every other element of something larger."""
    if x.ndim == 0:
        return x.copy()
    large = np.full((*x.shape[:-1], 2 * x.shape[-1]), 99, x.dtype)
    large[..., ::2] = x
    return large[..., ::2]


def backwards(x: Array) -> Array:
    """Return the same values with negative strides."""
    turn = (slice(None, None, -1),) * x.ndim
    return np.asarray(x[turn]).copy()[turn] if x.ndim else x.copy()


def read_only(x: Array) -> Array:
    """Return a copy that cannot be written to."""
    y = x.copy()
    y.flags.writeable = False
    return y


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "strided": strided,
    "backwards": backwards,
    "column-major": lambda x: np.array(x, order="F"),
    "read-only": read_only,
}


def close(found: Array, wanted: Any, dtype: str = "float64", scale: float = 1.0) -> None:
    """Compare, with an absolute tolerance for numbers of the size of ``scale``."""
    tolerance = TOLERANCE[dtype]
    np.testing.assert_allclose(found, wanted, tolerance["rtol"], tolerance["atol"] * max(1.0, scale))


def largest(x: Array) -> float:
    """Return the size of the largest number that is finite."""
    finite = np.abs(x[np.isfinite(x)]) if x.size else x
    return float(finite.max()) if finite.size else 0.0
