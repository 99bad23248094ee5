"""Recorders: an op of the inner backend and its rule become an op that records, specialised by arity."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from backburner.errors import GraphError
from backburner_autodiff._rule import Rule
from backburner_autodiff.checkpoint import Lazy
from backburner_autodiff.tape import Node, Variable, recorded

Op = Callable[..., Any]
_ndarray = np.ndarray
_FIRST = (0,)


def recorder(forward: Op, rule: Rule, lazy: Callable[..., Lazy] | None) -> Op:
    """Return the op that records.

    Args:
        forward: the inner backend's op, for inputs without a graph and, if the rule has no forward of its
            own, for those with one.
        rule: the op's rule.
        lazy: what makes the nodes whose rule is called in the sweep; without it, it is called now.
    """
    if lazy is not None:
        return _lazy(forward, rule, lazy)
    parameters = list(inspect.signature(rule.function).parameters.values())[1:]
    inputs = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD or p.kind is p.POSITIONAL_ONLY]
    alone = len(inputs) == len(parameters) and rule.forward is None and rule.outputs is None
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return _any(forward, rule)
    if len(inputs) == 1:
        return (_one if alone else _one_with)(forward, rule)
    if len(inputs) == 2:
        return (_two if alone else _two_with)(forward, rule)
    return (_three if len(inputs) == 3 else _any)(forward, rule)


def _one(forward: Op, rule: Rule) -> Op:
    """Return the recorder of an op of one input, without options or a forward of its own."""
    function = rule.function

    def record(x: Any, /) -> Any:
        if x.__class__ is not Variable:
            return forward(x)
        value, index = x.value, x.index
        out = forward(value)
        if out.__class__ is not _ndarray:
            if out.__class__ is tuple:
                return _outputs(out, rule, (x.node,), (index,), function(out, value))
            out = np.asarray(out)
        return recorded(rule, (x.node,), (index,) if index else _FIRST, function(out, value), out)

    return record


def _one_with(forward: Op, rule: Rule) -> Op:
    """Return the recorder of an op of one input."""
    function, train = rule.function, rule.forward

    def record(x: Any, /, **options: Any) -> Any:
        if x.__class__ is not Variable:
            return forward(x, **options)
        value, index = x.value, x.index
        indices = (index,) if index else _FIRST
        if train is None:
            out = forward(value, **options)
            if out.__class__ is not _ndarray and out.__class__ is not tuple:
                out = np.asarray(out)
            vjps = function(out, value, **options)
        else:
            out, residuals = train(value, **options)
            vjps = function(out, value, residuals=residuals, **options)
        if out.__class__ is tuple:
            return _outputs(out, rule, (x.node,), indices, vjps)
        return recorded(rule, (x.node,), indices, vjps, out)

    return record


def _two(forward: Op, rule: Rule) -> Op:
    """Return the recorder of an op of two inputs, without options or a forward of its own."""
    function = rule.function

    def record(x: Any, y: Any, /) -> Any:
        if x.__class__ is Variable:
            left = x.value
            if y.__class__ is Variable:
                right = y.value
                out = forward(left, right)
                if out.__class__ is not _ndarray:
                    out = np.asarray(out)
                indices = (x.index, y.index)
                return recorded(rule, (x.node, y.node), indices, function(out, left, right), out)
            out = forward(left, y)
            if out.__class__ is not _ndarray:
                out = np.asarray(out)
            vjps = function(out, left, y)
            if vjps.__class__ is tuple:
                return recorded(rule, (x.node,), (x.index,), vjps[:1], out)
            return recorded(rule, (x.node, None), (x.index, 0), vjps, out)
        if y.__class__ is not Variable:
            return forward(x, y)
        right = y.value
        out = forward(x, right)
        if out.__class__ is not _ndarray:
            out = np.asarray(out)
        vjps = function(out, x, right)
        if vjps.__class__ is tuple:
            return recorded(rule, (y.node,), (y.index,), vjps[1:], out)
        return recorded(rule, (None, y.node), (0, y.index), vjps, out)

    return record


def _two_with(forward: Op, rule: Rule) -> Op:
    """Return the recorder of an op of two inputs."""
    function, train = rule.function, rule.forward

    def record(x: Any, y: Any, /, **options: Any) -> Any:
        first: Any = None
        second: Any = None
        i = j = 0
        if x.__class__ is Variable:
            x, first, i = x.value, x.node, x.index
        if y.__class__ is Variable:
            y, second, j = y.value, y.node, y.index
        if first is None and second is None:
            return forward(x, y, **options)
        if train is None:
            out = forward(x, y, **options)
            if out.__class__ is not _ndarray and out.__class__ is not tuple:
                out = np.asarray(out)
            vjps = function(out, x, y, **options)
        else:
            out, residuals = train(x, y, **options)
            vjps = function(out, x, y, residuals=residuals, **options)
        parents = (first, second)
        if vjps.__class__ is tuple:  # the closure of an untracked input is not kept
            vjps = (None if first is None else vjps[0], None if second is None else vjps[1])
        if out.__class__ is tuple:
            return _outputs(out, rule, parents, (i, j), vjps)
        return recorded(rule, parents, (i, j), vjps, out)

    return record


def _three(forward: Op, rule: Rule) -> Op:
    """Return the recorder of an op of three inputs."""
    function, train = rule.function, rule.forward

    def record(x: Any, y: Any, z: Any, /, **options: Any) -> Any:
        first: Any = None
        second: Any = None
        third: Any = None
        i = j = k = 0
        if x.__class__ is Variable:
            x, first, i = x.value, x.node, x.index
        if y.__class__ is Variable:
            y, second, j = y.value, y.node, y.index
        if z.__class__ is Variable:
            z, third, k = z.value, z.node, z.index
        if first is None and second is None and third is None:
            return forward(x, y, z, **options)
        if train is None:
            out = forward(x, y, z, **options)
            if out.__class__ is not _ndarray and out.__class__ is not tuple:
                out = np.asarray(out)
            vjps = function(out, x, y, z, **options)
        else:
            out, residuals = train(x, y, z, **options)
            vjps = function(out, x, y, z, residuals=residuals, **options)
        parents = (first, second, third)
        if vjps.__class__ is tuple and (first is None or second is None or third is None):
            a, b, c = vjps
            vjps = (None if first is None else a, None if second is None else b, None if third is None else c)
        if out.__class__ is tuple:
            return _outputs(out, rule, parents, (i, j, k), vjps)
        return recorded(rule, parents, (i, j, k), vjps, out)

    return record


def _any(forward: Op, rule: Rule) -> Op:
    function, train = rule.function, rule.forward

    def record(*inputs: Any, **options: Any) -> Any:
        values: list[Any] = []
        parents: list[Any] = []
        indices: list[int] = []
        tracked = 0
        for x in inputs:
            if x.__class__ is Variable:
                values.append(x.value)
                parents.append(x.node)
                indices.append(x.index)
                tracked += 1
            else:
                values.append(x)
                parents.append(None)
                indices.append(0)
        if not tracked:
            return forward(*values, **options)
        if train is None:
            out = forward(*values, **options)
            if out.__class__ is not _ndarray and out.__class__ is not tuple:
                out = np.asarray(out)
            vjps = function(out, *values, **options)
        else:
            out, residuals = train(*values, **options)
            vjps = function(out, *values, residuals=residuals, **options)
        if tracked < len(values) and vjps.__class__ is tuple:
            vjps = tuple(
                [vjp if parent is not None else None for vjp, parent in zip(vjps, parents, strict=True)]
            )
        if out.__class__ is not tuple:
            return recorded(rule, tuple(parents), tuple(indices), vjps, out)
        return _outputs(out, rule, tuple(parents), tuple(indices), vjps)

    return record


def _outputs(out: Any, rule: Rule, parents: Any, indices: tuple[int, ...], vjps: Any) -> Any:
    if out.__class__ is not tuple:
        return recorded(rule, parents, indices, vjps, out)
    tracked = _tracked(out, rule)
    shapes = tuple([out[i].shape for i in tracked])
    several = rule.outputs is None or len(tracked) > 1
    return _wrapped(out, Node(rule, parents, indices, vjps, shapes, out[tracked[0]].dtype, several), tracked)


def _wrapped(out: tuple[Any, ...], node: Node, tracked: Sequence[int]) -> tuple[Any, ...]:
    wrapped = list(out)
    for index, place in enumerate(tracked):
        wrapped[place] = Variable(np.asarray(out[place]), node, index)
    return tuple(wrapped)


def _tracked(out: tuple[Any, ...], rule: Rule) -> Sequence[int]:
    """Which of several outputs have gradients."""
    return range(len(out)) if rule.outputs is None else rule.outputs


def _lazy(forward: Op, rule: Rule, make: Callable[..., Lazy]) -> Op:
    train = rule.forward

    def run(*values: Any, **options: Any) -> tuple[Any, Any]:
        """The forward that is recorded, and run again in the sweep."""
        out, residuals = (forward(*values, **options), None) if train is None else train(*values, **options)
        return (out if out.__class__ is tuple else np.asarray(out)), residuals

    def record(*inputs: Any, **options: Any) -> Any:
        values = [x.value if x.__class__ is Variable else x for x in inputs]
        if not any([x.__class__ is Variable for x in inputs]):
            return forward(*values, **options)
        results = out, _ = run(*values, **options)
        if out.__class__ is not tuple:
            node = make(rule, run, inputs, options, results, (out.shape,), out.dtype, False)
            return Variable(out, node, 0)
        tracked = _tracked(out, rule)
        shapes = tuple([out[i].shape for i in tracked])
        several = rule.outputs is None or len(tracked) > 1
        node = make(rule, run, inputs, options, results, shapes, out[tracked[0]].dtype, several)
        return _wrapped(out, node, tracked)

    return record


def unwrapper(forward: Op) -> Op:
    """Return an op without gradient that takes variables too."""

    def op(*inputs: Any, **options: Any) -> Any:
        for x in inputs:
            if x.__class__ is Variable:
                return forward(*[x.value if x.__class__ is Variable else x for x in inputs], **options)
        return forward(*inputs, **options)

    return op


def ruleless(name: str, forward: Op) -> Op:
    """Return an op of an inner backend that has no rule: it refuses variables."""

    def op(*inputs: Any, **options: Any) -> Any:
        if any(x.__class__ is Variable for x in inputs):
            raise GraphError(
                f"{name}: this op has no backward rule. Use detach() on its inputs, or write one."
            )
        return forward(*inputs, **options)

    return op
