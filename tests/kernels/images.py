"""What the tests of convolution and pooling share: PyTorch's values, and layouts of one array."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import neural
import numpy as np
import pytest

Array = np.ndarray[Any, np.dtype[Any]]


class Image(NamedTuple):
    """One case of golden/images.npz, whose script says what the parts are."""

    op: str
    options: dict[str, Any]
    parts: dict[str, Array]

    def inputs(self, dtype: str) -> list[Array | None]:
        """Return the inputs, in ``dtype``."""
        names = [f"input{i}" for i in range(3 if self.op == "conv2d" else 1)]
        return [self.parts[name].astype(dtype) if name in self.parts else None for name in names]

    def cotangent(self, dtype: str) -> Array:
        """Return the cotangent of the output."""
        return self.parts["cotangent"].astype(dtype)


LATER: dict[str, dict[str, Any]] = {
    "max_pool2d": {"return_indices": False},
    "avg_pool2d": {"divisor_override": None},
}
"""Options that the file does not have."""


def golden(op: str) -> list[Any]:
    """Return the cases of an op, named for pytest."""
    with np.load(Path(__file__).parents[1] / "golden" / "images.npz") as file:
        index, values = json.loads(str(file["index"])), file["values"]
    cases, start = [], 0
    for number, (name, options, shapes) in enumerate(index):
        parts = {}
        for part, shape in shapes.items():
            stop = start + int(np.prod(shape))
            parts[part] = values[start:stop].reshape(shape)
            start = stop
        if name == op:
            options = {k: tuple(v) if isinstance(v, list) else v for k, v in options.items()} | LATER.get(
                op, {}
            )
            cases.append(pytest.param(Image(name, options, parts), id=f"{number}"))
    return cases


def _backwards(x: Array) -> Array:
    flip = (slice(None, None, -1),) * x.ndim
    return np.ascontiguousarray(x[flip])[flip]


LAYOUTS: dict[str, Any] = {
    "contiguous": np.ascontiguousarray,
    "fortran": np.asfortranarray,
    "backwards": _backwards,
    "strided": neural.strided,
}


def laid_out(x: Array | None, layout: str) -> Array | None:
    """Return the values in another layout, read-only."""
    if x is None:
        return None
    y: Array = LAYOUTS[layout](x).view()
    y.flags.writeable = False
    return y


def expect(actual: Array | None, expected: Array, dtype: str, *, divided: bool = False) -> None:
    """Compare dtype, shape and values, exactly unless something was divided."""
    assert actual is not None
    assert (actual.dtype, actual.shape) == (np.dtype(dtype), expected.shape)
    if divided:
        tolerance = 1e-6 if dtype == "float32" else 1e-14
        scale = np.abs(expected).max(initial=1)
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance * scale)
    else:
        np.testing.assert_array_equal(actual, expected)
