"""What the tests of activation, norm and loss share: PyTorch's values, and one op run as training runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from backburner.backends.numpy import NumpyBackend

Array = np.ndarray[Any, np.dtype[Any]]
ARITY = {"layer_norm": 3, "batch_norm": 3, "cross_entropy": 3}
DTYPES = ("float32", "float64")
TOLERANCE = {"float32": 1e-5, "float64": 1e-12}


class Case(NamedTuple):
    """One case of golden/neural.npz, whose script says what the parts are."""

    op: str
    options: dict[str, Any]
    parts: dict[str, Array]

    def inputs(self, dtype: str) -> list[Array | None]:
        """Return the inputs, read-only, the float ones in ``dtype``."""
        return [self._cast(f"input{i}", dtype) for i in range(ARITY.get(self.op, 1))]

    def cotangent(self, dtype: str) -> Array:
        """Return the cotangent of the first output."""
        return np.asarray(self._cast("cotangent", dtype))

    def _cast(self, part: str, dtype: str) -> Array | None:
        x = self.parts.get(part)
        if x is None:
            return None
        whole = self.op == "cross_entropy" and part == "input1"
        x = x.astype(np.int64 if whole else dtype)
        x.flags.writeable = False
        return x


def golden(*ops: str) -> list[Any]:
    """Return the cases of some ops, named for pytest."""
    import pytest

    with np.load(Path(__file__).parents[1] / "golden" / "neural.npz") as file:
        index, values = json.loads(str(file["index"])), file["values"]
    cases, start = [], 0
    for number, (op, options, shapes) in enumerate(index):
        parts = {}
        for part, shape in shapes.items():
            stop = start + int(np.prod(shape))
            parts[part] = values[start:stop].reshape(shape)
            start = stop
        if op in ops:
            cases.append(pytest.param(Case(op, options, parts), id=f"{number}-{op}"))
    return cases


def core(op: str, inputs: list[Array | None], options: dict[str, Any]) -> tuple[Array, ...]:
    """Run the op of the core; return its outputs."""
    out = getattr(NumpyBackend(), op)(*inputs, **options)
    return out if isinstance(out, tuple) else (out,)


def train(
    op: str,
    inputs: list[Array | None],
    options: dict[str, Any],
    g: Array,
    needed: tuple[bool, ...] | None = None,
) -> tuple[tuple[Array, ...], tuple[Array | None, ...]]:
    """Run the op and its rule as the recorder does; return the outputs and the inputs' gradients."""
    from backburner_autodiff.rules import activation, loss, norm, regression  # noqa: F401  they enter their rules
    from backburner_autodiff.rules._rule import RULES

    rule = RULES[op]
    if rule.forward is None:
        out = getattr(NumpyBackend(), op)(*inputs, **options)
        vjps = rule.function(np.asarray(out), *inputs, **options)
    else:
        out, residuals = rule.forward(*inputs, **options)
        vjps = rule.function(out, *inputs, residuals=residuals, **options)
    if isinstance(vjps, tuple):
        gradients = tuple(None if vjp is None else vjp(g) for vjp in vjps)
    else:
        gradients = vjps(g, needed or tuple(x is not None for x in inputs))
    return (out if isinstance(out, tuple) else (out,)), gradients


def strided(x: Array) -> Array:
    """Return equal values that do not lie side by side."""
    spread = np.zeros((*x.shape, 2), x.dtype)
    spread[..., 0] = x
    view = spread[..., 0]
    view.flags.writeable = False
    return view


def check_forward(case: Case, dtype: str) -> None:
    """Compare the core's outputs, also of strided inputs."""
    inputs = case.inputs(dtype)
    for xs in (inputs, [x if x is None else strided(x) for x in inputs]):
        for i, y in enumerate(core(case.op, xs, case.options)):
            check(y, case.parts[f"output{i}"], dtype)


def check_training(case: Case, dtype: str) -> None:
    """Compare training's outputs and gradients, also of strided arrays."""
    inputs, g = case.inputs(dtype), case.cotangent(dtype)
    for xs, cotangent in ((inputs, g), ([x if x is None else strided(x) for x in inputs], strided(g))):
        outs, gradients = train(case.op, xs, case.options, cotangent)
        for i, y in enumerate(outs):
            check(y, case.parts[f"output{i}"], dtype)
        for i, dx in enumerate(gradients):
            expected = case.parts.get(f"gradient{i}")
            if expected is not None:
                assert dx is not None
                check(dx, expected, dtype)


def check(actual: Array, expected: Array, dtype: str) -> None:
    """Compare values, relative to the largest, and dtype and shape exactly."""
    actual = np.asarray(actual)
    assert (actual.dtype, actual.shape) == (np.dtype(dtype), expected.shape)
    finite = np.abs(expected[np.isfinite(expected)])
    scale = finite.max() if finite.size else 1.0
    np.testing.assert_allclose(actual, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * scale)


def difference_quotient(
    op: str, inputs: list[Array | None], options: dict[str, Any], which: int, g: Array
) -> Array:
    """Return the gradient of one float64 input by central differences of the core's op."""
    x = inputs[which]
    assert x is not None
    dx = np.zeros_like(x)
    for position in np.ndindex(x.shape):
        ends = []
        for step in (1e-6, -1e-6):
            moved = x.copy()
            moved[position] += step
            xs = [moved if i == which else y for i, y in enumerate(inputs)]
            ends.append((core(op, xs, options)[0] * g).sum())
        dx[position] = (ends[0] - ends[1]) / 2e-6
    return dx


def check_threads(kernel: Any, make: Any) -> None:
    """Compare the serial and the parallel version bit for bit; ``make`` returns inputs and outputs."""
    inputs, outputs = make()
    kernel.serial(*inputs, *outputs)
    _, others = make()
    kernel.parallel(*inputs, *others)
    for a, b in zip(outputs, others, strict=True):
        assert a.tobytes() == b.tobytes()
