"""What a row of the table is, and the case that a shape and a set of options make of it."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import backburner as bb
from backburner.nn import functional

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]
Sample = Callable[[np.random.Generator, Shape], Array]
Combination = tuple[Sequence[Shape | None], dict[str, Any]]


def public(op: str) -> Callable[..., Any]:
    """Return the function that a user calls: of one of the namespaces, or a Tensor's own."""
    for place in (bb, functional, bb.linalg, bb.random, bb.Tensor):
        found = getattr(place, op, None)
        if callable(found):
            return found
    return bb.Tensor.__getitem__ if op == "getitem" else getattr(bb, op)


@dataclass(frozen=True)
class Row:
    """One public op, and all that the laws need to know of it.

    Attributes:
        op: its public name.
        inputs: how each tensor is drawn.
        combinations: for each case the shape of every input (``None``: it is left out) and the options.
        reference: the same in plain NumPy, of float64 arrays, written apart from the code under test.
        call: from tensors and options to the result, where that is not the public function itself.
        differentiable: which inputs have a gradient; by default all floats.
        outputs: which of several results carry it; by default all.
        result: the dtype of the result; by default that of the inputs.
        exact: whether it gives the same bits whatever the strides of its inputs.
        random: whether it draws from the device's stream.
        name: told apart by this where an op has several rows.
    """

    op: str
    inputs: tuple[Sample, ...]
    combinations: tuple[Combination, ...]
    reference: Callable[..., Any]
    call: Callable[..., Any] | None = None
    differentiable: tuple[int, ...] | None = None
    outputs: tuple[int, ...] | None = None
    result: str = ""
    exact: bool = True
    random: bool = False
    name: str = ""

    def cases(self) -> list[Case]:
        """Return one case for each combination."""
        return [Case(self, tuple(shapes), options) for shapes, options in self.combinations]


@dataclass(frozen=True)
class Case:
    """A row with the shapes of its inputs and its options."""

    row: Row
    shapes: tuple[Shape | None, ...]
    options: dict[str, Any]

    def __str__(self) -> str:
        shapes = ",".join(
            "none" if shape is None else "x".join(map(str, shape)) or "scalar" for shape in self.shapes
        )
        options = [f"{name}={value}".replace(" ", "") for name, value in self.options.items()]
        return "-".join([self.row.name or self.row.op, *([shapes] if shapes else []), *options])

    @property
    def empty(self) -> bool:
        """Whether an input has no elements."""
        return any(shape is not None and 0 in shape for shape in self.shapes)

    def rng(self, purpose: str = "") -> np.random.Generator:
        """Return a generator that the name of the case and the purpose decide."""
        return np.random.default_rng(zlib.crc32(f"{self} {purpose}".encode()))

    def arrays(self, dtype: str = "float64") -> list[Array | None]:
        """Return the inputs, floats in ``dtype`` and of the same values in either."""
        rng = self.rng()
        drawn = [
            None if shape is None else np.asarray(sample(rng, shape))
            for sample, shape in zip(self.row.inputs, self.shapes, strict=True)
        ]
        return [
            x if x is None or x.dtype.kind != "f" else x.astype(np.float32).astype(dtype, order="C")
            for x in drawn
        ]

    def differentiable(self) -> list[int]:
        """Return which inputs have a gradient."""
        floats = [i for i, x in enumerate(self.arrays()) if x is not None and x.dtype.kind == "f"]
        wanted = self.row.differentiable
        return floats if wanted is None else [i for i in floats if i in wanted]

    def __call__(self, *tensors: bb.Tensor | None) -> tuple[bb.Tensor, ...]:
        """Apply the op; a random one starts its stream anew."""
        if self.row.random:
            bb.Device.cpu().seed(20)
        return self.apply(*tensors)

    def apply(self, *tensors: bb.Tensor | None) -> tuple[bb.Tensor, ...]:
        """Apply the op and return its results, those that are there."""
        out = (self.row.call or public(self.row.op))(*tensors, **self.options)
        return tuple(y for y in out if y is not None) if isinstance(out, tuple) else (out,)

    def expected(self) -> tuple[Array, ...]:
        """Return the results of the reference in float64."""
        with np.errstate(all="ignore"):
            out = self.row.reference(*self.arrays(), **self.options)
        return tuple(np.asarray(y) for y in (out if isinstance(out, tuple) else (out,)) if y is not None)

    def carried(self, outputs: Sequence[Any]) -> list[Any]:
        """Return those of the results that carry gradients."""
        wanted = self.row.outputs
        return [y for i, y in enumerate(outputs) if wanted is None or i in wanted]

    def cotangents(self, outputs: Sequence[Any]) -> list[Array]:
        """Return a random cotangent for each result that carries gradients, in its dtype."""
        rng = self.rng("cotangent")
        return [rng.uniform(-1, 1, y.shape).astype(np.float32).astype(y.dtype) for y in self.carried(outputs)]


def sweep(
    shapes: Iterable[Sequence[Shape | None]], options: Iterable[dict[str, Any]] = ({},)
) -> tuple[Combination, ...]:
    """Return every shape with every set of options."""
    return tuple(itertools.product(list(shapes), list(options)))


def ones_of(shapes: Iterable[Shape], options: Iterable[dict[str, Any]] = ({},)) -> tuple[Combination, ...]:
    """Return ``sweep`` for ops of one tensor."""
    return sweep([(shape,) for shape in shapes], options)


def spread(low: float, high: float) -> Sample:
    """Draw distinct, evenly spaced values in random order; 0 is not one of them."""

    def draw(rng: np.random.Generator, shape: Shape) -> Array:
        n = int(np.prod(shape))
        places = rng.permutation(n) + rng.uniform(0.2, 0.4)
        return (low + (high - low) * places / max(n, 1)).reshape(shape)

    return draw


real = spread(-2, 2)
positive = spread(0.5, 2.5)
wide = spread(-6, 6)


def away_from_zero(rng: np.random.Generator, shape: Shape) -> Array:
    """Draw floats of either sign that are at least 0.5 large."""
    return np.asarray(positive(rng, shape) * rng.choice([-1.0, 1.0], shape))


def tied(rng: np.random.Generator, shape: Shape) -> Array:
    """Draw floats of few values, so that some are equal."""
    return np.asarray(rng.integers(-1, 2, shape).astype(np.float64))


def mask(rng: np.random.Generator, shape: Shape) -> Array:
    """Draw bools."""
    return np.asarray(rng.random(shape) < 0.5)


def indices(low: int, high: int) -> Sample:
    """Draw integers from ``low`` up to before ``high``."""
    return lambda rng, shape: np.asarray(rng.integers(low, high, shape))
