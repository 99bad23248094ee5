"""How ``einsum`` reads its equation, and how it makes one matrix product after another of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from backburner.contracts import Shape
from backburner.errors import ArgumentError, ShapeError
from backburner.ops._operands import rank

if TYPE_CHECKING:
    from backburner.backend import Backend

Labels = tuple[str | int, ...]
"""A letter for each axis; an axis under ``...`` has a number, the last being -1."""


def parse(op: str, equation: str, shapes: Sequence[Shape]) -> tuple[list[Labels], Labels]:
    """Return the labels of each operand and of the result.

    Raises:
        ArgumentError: the equation is malformed, or describes another number of operands.
        ShapeError: an operand has another number of axes, or sizes of one letter do not broadcast.
    """
    if not isinstance(equation, str):
        raise ArgumentError(f"{op}: the equation must be a string, got {equation!r}.")
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    for term in (*terms, right):
        letters = term.replace("...", "", 1)
        if letters and not (letters.isascii() and letters.isalpha()):
            raise ArgumentError(f"{op}: {term!r} in {equation!r} is not letters and at most one '...'.")
    if len(terms) != len(shapes):
        raise ArgumentError(f"{op}: {equation!r} describes {len(terms)} operands, got {len(shapes)}.")
    inputs = [_labels(op, term, shape) for term, shape in zip(terms, shapes, strict=True)]
    sizes: dict[str | int, int] = {}
    for labels, shape in zip(inputs, shapes, strict=True):
        for label, n in zip(labels, shape, strict=True):
            if sizes.setdefault(label, n) == 1:
                sizes[label] = n
            elif n not in (1, sizes[label]):
                name = "..." if isinstance(label, int) else label
                raise ShapeError(f"{op}: {name!r} of {equation!r} is {sizes[label]} and {n} long.")
    dots = tuple(sorted(label for label in sizes if isinstance(label, int)))
    if arrow:
        before, ellipsis, after = right.partition("...")
        result: Labels = (*before, *(dots if ellipsis else ()), *after)
        if len(set(result)) != len(result) or not sizes.keys() >= set(result):
            raise ArgumentError(f"{op}: the result of {equation!r} has a letter twice, or one of no operand.")
        if dots and not ellipsis:
            raise ArgumentError(f"{op}: the result of {equation!r} lacks the '...' of its operands.")
    else:
        count = Counter(label for labels in inputs for label in labels)
        result = (*dots, *sorted(label for label in count if isinstance(label, str) and count[label] == 1))
    rank(op, len(sizes))
    return inputs, result


def _labels(op: str, term: str, shape: Shape) -> Labels:
    before, ellipsis, after = term.partition("...")
    hidden = len(shape) - len(before) - len(after)
    if hidden < 0 or hidden and not ellipsis:
        raise ShapeError(f"{op}: {term!r} has {len(before + after)} letters for {list(shape)}.")
    return (*before, *range(-hidden, 0), *after)


def contract(backend: Backend, operands: Sequence[Any], inputs: Sequence[Labels], result: Labels) -> Any:
    """Return the sum of products of operands whose axes are labelled."""
    terms = [_diagonal(backend, x, labels) for x, labels in zip(operands, inputs, strict=True)]
    sizes: dict[str | int, int] = {}
    for x, labels in terms:
        for label, n in zip(labels, x.shape, strict=True):
            sizes[label] = n if sizes.get(label, 1) == 1 else sizes[label]
    while len(terms) > 1:
        first, second = _cheapest(terms, result, sizes)
        others = [terms[i] for i in range(len(terms)) if i not in (first, second)]
        wanted = {*result, *(label for _, labels in others for label in labels)}
        a, b = (
            _summed(backend, *terms[i], wanted | {*terms[j][1]})
            for i, j in ((first, second), (second, first))
        )
        terms = [*others, _product(backend, a, b, wanted, sizes)]
    x, labels = _summed(backend, *terms[0], set(result))
    return backend.permute_dims(x, axes=tuple(labels.index(label) for label in result))


def _diagonal(backend: Backend, x: Any, labels: Labels) -> tuple[Any, Labels]:
    """Take the diagonal of axes that have the same letter."""
    for label in dict.fromkeys(labels):
        if labels.count(label) > 1:
            places = [i for i, other in enumerate(labels) if other == label]
            n = next((x.shape[i] for i in places if x.shape[i] != 1), 1)
            wide = tuple(n if i in places else size for i, size in enumerate(x.shape))
            if x.shape != wide:
                x = backend.broadcast_to(x, shape=wide)
            rest = [i for i in range(x.ndim) if i not in places]
            x = backend.permute_dims(x, axes=(*places, *rest))
            x = backend.getitem(x, index=(np.arange(n),) * len(places))
            labels = (label, *(labels[i] for i in rest))
    return x, labels


def _summed(backend: Backend, x: Any, labels: Labels, wanted: set[Any]) -> tuple[Any, Labels]:
    """Sum over the axes that nobody wants."""
    axes = tuple(i for i, label in enumerate(labels) if label not in wanted)
    if axes:
        dtype = x.dtype
        x = backend.sum(x, axis=axes, keepdims=False)
        if x.dtype != dtype:  # a sum of integers is wider
            x = backend.astype(x, dtype=dtype)
    return x, tuple(label for label in labels if label in wanted)


def _cheapest(terms: Sequence[tuple[Any, Labels]], result: Labels, sizes: dict[Any, int]) -> tuple[int, int]:
    """Return the pair whose product is the smallest, the first of equals."""
    best, least = (0, 1), math.inf
    if len(terms) > 2:
        for i in range(len(terms)):
            for j in range(i + 1, len(terms)):
                others = {label for k, (_, labels) in enumerate(terms) if k not in (i, j) for label in labels}
                kept = {label for label in (*terms[i][1], *terms[j][1]) if label in others or label in result}
                size = math.prod(sizes[label] for label in kept)
                if size < least:
                    best, least = (i, j), size
    return best


def _product(
    backend: Backend, a: tuple[Any, Labels], b: tuple[Any, Labels], wanted: set[Any], sizes: dict[Any, int]
) -> tuple[Any, Labels]:
    """Multiply two operands and sum over what both have and nobody wants, by one batched matrix product."""
    (x, left), (y, right) = a, b
    batch = tuple(label for label in left if label in right and label in wanted)
    inner = tuple(label for label in left if label in right and label not in wanted)
    rows = tuple(label for label in left if label not in right)
    columns = tuple(label for label in right if label not in left)
    labels = (*batch, *rows, *columns)
    shared = {*batch, *inner}
    x = _arranged(backend, x, left, (*batch, *rows, *inner), shared, sizes)
    y = _arranged(backend, y, right, (*batch, *inner, *columns), shared, sizes)
    outside = x.shape[: len(batch)]
    r, i = x.shape[len(batch) : len(batch) + len(rows)], y.shape[len(batch) : len(batch) + len(inner)]
    c = y.shape[len(batch) + len(inner) :]
    if not inner:
        x = backend.reshape(x, shape=(*outside, *r, *(1 for _ in c)))
        y = backend.reshape(y, shape=(*outside, *(1 for _ in r), *c))
        return backend.multiply(x, y), labels
    stack = (math.prod(outside),) if batch else ()
    x = backend.reshape(x, shape=(*stack, math.prod(r), math.prod(i)))
    y = backend.reshape(y, shape=(*stack, math.prod(i), math.prod(c)))
    return backend.reshape(backend.matmul(x, y), shape=(*outside, *r, *c)), labels


def _arranged(
    backend: Backend, x: Any, labels: Labels, order: Labels, shared: set[Any], sizes: dict[Any, int]
) -> Any:
    """Put axes in order, and repeat those of size 1 that the other operand has too."""
    x = backend.permute_dims(x, axes=tuple(labels.index(label) for label in order))
    shape = tuple(sizes[label] if label in shared else n for label, n in zip(order, x.shape, strict=True))
    return x if x.shape == shape else backend.broadcast_to(x, shape=shape)
