"""Gradient checkpointing: recompute in the backward pass what the forward pass did not keep.

``Lazy`` nodes are those of the ``BALANCED`` strategy: they keep the op instead of its residuals. A
``Region`` is one node for all that ``bb.checkpoint`` ran.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

from backburner.errors import GraphError
from backburner_autodiff._rule import Array, Rule
from backburner_autodiff.tape import Leaf, Node, Shape, Sweep, Variable, next_id, reachable

REGION = Rule("checkpoint", lambda out: ())


class Lazy(Node):
    """A node whose rule is called in the sweep.

    The output is kept if the op is compute-bound, otherwise recomputed from the inputs' nodes when the
    sweep first asks for it, and kept until the sweep has passed: nothing older needs it.

    Attributes:
        forward: from the inputs to ``(out, residuals)``, where ``out`` is an array or a tuple of them.
        inputs: for each input its array if it is a constant, else ``None``.
        options: the op's options.
        results: ``(out, residuals)``, or ``None`` while not computed.
        kept: whether ``results`` stay for good.
    """

    __slots__ = ("forward", "inputs", "options", "results", "kept")

    def __init__(
        self,
        rule: Rule,
        forward: Callable[..., tuple[Any, Any]],
        inputs: tuple[Any, ...],
        options: dict[str, Any],
        results: tuple[Any, Any],
        shapes: tuple[Shape, ...],
        dtype: np.dtype[Any],
        several: bool,
    ) -> None:
        parents = tuple(x.node if x.__class__ is Variable else None for x in inputs)
        indices = tuple(x.index if x.__class__ is Variable else 0 for x in inputs)
        super().__init__(rule, parents, indices, (), shapes, dtype, several)
        self.forward = forward
        self.inputs = tuple(None if x.__class__ is Variable else x for x in inputs)
        self.options = options
        self.kept = rule.compute_bound
        self.results = results if self.kept else None

    def expand(self, sweep: Sweep, g: Any) -> None:
        inputs = _input_values(self)
        residuals = {}
        out: Any = None
        if self.rule.forward is not None or _uses_out(self.rule):
            out, kept = _results(self)
            if self.rule.forward is not None:
                residuals = {"residuals": kept}
        vjps = self.rule.function(out, *inputs, **self.options, **residuals)
        parents, indices = self.parents, self.indices
        if not self.kept:
            self.results = None
        if not sweep.retain:
            self.vjps, self.parents, self.inputs, self.results = None, (), (), None
        del inputs, out, residuals
        sweep.pull(self.rule, vjps, parents, indices, g)


@cache
def _uses_out(rule: Rule) -> bool:
    """Say whether a rule looks at the output, which may not have to be recomputed for it."""
    code = rule.function.__code__
    out = code.co_varnames[0]
    if out in code.co_cellvars:
        return True
    used = (i.argval if isinstance(i.argval, tuple) else (i.argval,) for i in dis.get_instructions(code))
    return any(out in names for names in used)


def _input_values(node: Lazy) -> list[Any]:
    """Return the arrays of a node's inputs."""
    return [
        constant if parent is None else _value(parent, index)
        for parent, index, constant in zip(node.parents, node.indices, node.inputs, strict=True)
    ]


def _value(node: Node, index: int) -> Array:
    """Return an output of a node, recomputed if it was not kept."""
    if isinstance(node, Leaf):
        return node.value
    if isinstance(node, Lazy):
        out = _results(node)[0]
        if not isinstance(out, tuple):
            return cast(Array, out)
        return cast(Array, out[index if node.rule.outputs is None else node.rule.outputs[index]])
    assert isinstance(node, Region)
    return node.values[index]


def _results(node: Lazy) -> tuple[Any, Any]:
    """Return a node's output and residuals; recompute, oldest first, what they need and is not there."""
    stack = [node]
    while stack:
        top = stack[-1]
        if top.results is not None:
            stack.pop()
            continue
        missing = [p for p in top.parents if isinstance(p, Lazy) and p.results is None]
        if missing:
            stack.extend(missing)
        else:
            top.results = top.forward(*_input_values(top), **top.options)
    assert node.results is not None
    return node.results


class Region(Node):
    """What ``checkpoint`` ran, as one node: the sweep runs it again and goes on through its inside.

    Attributes:
        region: the function.
        inputs: its arguments.
        tracked: which entries of its result have gradients.
        values: those entries' arrays, only if a ``Lazy`` node may ask for them.
    """

    __slots__ = ("region", "inputs", "tracked", "values")

    def __init__(
        self,
        region: Callable[..., Any],
        inputs: tuple[Any, ...],
        tracked: tuple[int, ...],
        values: tuple[Array, ...],
        parents: tuple[Node, ...],
        keep: bool,
    ) -> None:
        shapes = tuple(value.shape for value in values)
        super().__init__(REGION, parents, (0,) * len(parents), (), shapes, values[0].dtype, len(shapes) > 1)
        self.region = region
        self.inputs = inputs
        self.tracked = tracked
        self.values = values if keep else ()

    def expand(self, sweep: Sweep, g: Any) -> None:
        region, inputs, known = self.region, self.inputs, set(self.parents)
        if not sweep.retain:
            self.vjps, self.parents, self.inputs, self.values = None, (), (), ()
        oldest = next_id()
        outputs = _as_tuple(region(*inputs))
        cotangents = g if isinstance(g, tuple) else (g,)
        roots = []
        for place, shape, cotangent in zip(self.tracked, self.shapes, cotangents, strict=True):
            output: Any = outputs[place] if place < len(outputs) else None
            if output.__class__ is not Variable or output.shape != shape or output.dtype != self.dtype:
                raise GraphError(
                    "checkpoint: the region gave another result when it was recomputed. It must do the same each time."
                )
            if cotangent is not None:
                roots.append((output, cotangent))
        inside, outside = reachable([output.node for output, _ in roots], oldest)
        if not known.issuperset(outside):
            raise GraphError(
                "checkpoint: the region used another tensor when it was recomputed. It must do the same each time."
            )
        sweep.splice(inside)
        for output, cotangent in roots:
            sweep.give(output.node, output.index, cotangent, REGION)


def checkpoint(region: Callable[..., Any], inputs: tuple[Any, ...], keep: bool) -> Any:
    """Return ``region(*inputs)`` as the outputs of one ``Region`` node.

    Args:
        region: see ``AutodiffBackend.checkpoint``.
        inputs: primitives.
        keep: whether nodes outside may ask for the values, as ``Lazy`` ones do.
    """
    oldest = next_id()
    result = region(*inputs)
    outputs = _as_tuple(result)
    tracked = tuple(i for i, output in enumerate(outputs) if output.__class__ is Variable)
    if not tracked:
        return result
    dtypes = {outputs[i].dtype for i in tracked}
    if len(dtypes) > 1:
        raise GraphError(
            f"checkpoint: the results have different dtypes: {', '.join(map(str, dtypes))}. Cast them."
        )
    _, outside = reachable([outputs[i].node for i in tracked], oldest)
    values = tuple(outputs[i].value for i in tracked)
    node = Region(region, inputs, tracked, values, tuple(outside), keep)
    wrapped = list(outputs)
    for index, (place, value) in enumerate(zip(tracked, values, strict=True)):
        wrapped[place] = Variable(value, node, index)
    return tuple(wrapped) if isinstance(result, tuple) else wrapped[0]


def _as_tuple(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)
