"""Recorders: an op of the inner backend and its rule become an op that records, specialised by arity."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from backburner.errors import GraphError
from backburner_autodiff._rule import Rule
from backburner_autodiff.checkpoint import Lazy
from backburner_autodiff.tape import Node, Variable

Op = Callable[..., Any]
_ndarray = np.ndarray


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
    if rule.forward is None and rule.outputs is None:
        parameters = list(inspect.signature(rule.function).parameters.values())[1:]
        inputs = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD or p.kind is p.POSITIONAL_ONLY]
        if len(parameters) == len(inputs) == 2:
            return _binary(forward, rule)
        if len(inputs) == 1 and all(p.kind is p.KEYWORD_ONLY for p in parameters[1:]):
            return _unary(forward, rule)
    return _any(forward, rule)


def _unary(forward: Op, rule: Rule) -> Op:
    function = rule.function

    def record(x: Any, /, **options: Any) -> Any:
        if x.__class__ is not Variable:
            return forward(x, **options)
        value = x.value
        out = forward(value, **options)
        if out.__class__ is not _ndarray:
            if out.__class__ is tuple:
                return _outputs(out, rule, (x.node,), (x.index,), function(out, value, **options))
            out = np.asarray(out)
        vjps = function(out, value, **options)
        return Variable(out, Node(rule, (x.node,), (x.index,), vjps, (out.shape,), out.dtype), 0)

    return record


def _binary(forward: Op, rule: Rule) -> Op:
    function = rule.function

    def record(x: Any, y: Any, /) -> Any:
        if x.__class__ is Variable:
            if y.__class__ is Variable:
                left, right = x.value, y.value
                out = forward(left, right)
                if out.__class__ is not _ndarray:
                    out = np.asarray(out)
                node = Node(
                    rule,
                    (x.node, y.node),
                    (x.index, y.index),
                    function(out, left, right),
                    (out.shape,),
                    out.dtype,
                )
                return Variable(out, node, 0)
            left = x.value
            out = forward(left, y)
            if out.__class__ is not _ndarray:
                out = np.asarray(out)
            vjps = function(out, left, y)
            if vjps.__class__ is tuple:
                vjps = vjps[:1]
                return Variable(out, Node(rule, (x.node,), (x.index,), vjps, (out.shape,), out.dtype), 0)
            return Variable(out, Node(rule, (x.node, None), (x.index, 0), vjps, (out.shape,), out.dtype), 0)
        if y.__class__ is not Variable:
            return forward(x, y)
        right = y.value
        out = forward(x, right)
        if out.__class__ is not _ndarray:
            out = np.asarray(out)
        vjps = function(out, x, right)
        if vjps.__class__ is tuple:
            vjps = vjps[1:]
            return Variable(out, Node(rule, (y.node,), (y.index,), vjps, (out.shape,), out.dtype), 0)
        return Variable(out, Node(rule, (None, y.node), (0, y.index), vjps, (out.shape,), out.dtype), 0)

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
        if tracked < len(values) and vjps.__class__ is tuple:  # an untracked input's closure is not kept
            vjps = tuple(
                [vjp if parent is not None else None for vjp, parent in zip(vjps, parents, strict=True)]
            )
        return _outputs(out, rule, tuple(parents), tuple(indices), vjps)

    return record


def _outputs(out: Any, rule: Rule, parents: Any, indices: tuple[int, ...], vjps: Any) -> Any:
    if out.__class__ is not tuple:
        return Variable(out, Node(rule, parents, indices, vjps, (out.shape,), out.dtype), 0)
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
        return forward(*[x.value if x.__class__ is Variable else x for x in inputs], **options)

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
