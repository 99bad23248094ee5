"""Gradient checkpointing: recompute in the backward pass what the forward pass did not keep.

``Lazy`` nodes are those of the ``BALANCED`` strategy: they keep the op instead of its residuals. A
``Region`` is one node for all that ``bb.checkpoint`` ran.
"""

from __future__ import annotations

import dis
import math
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, Final, cast

import numpy as np

from backburner.errors import GraphError
from backburner_autodiff._rule import Array, Rule
from backburner_autodiff.tape import Leaf, Node, Shape, Sweep, Variable, Watch, next_id, reachable

_by_id: Final = attrgetter("id")
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
        self.refuse()  # a hook or another thread may have consumed it since this sweep began
        rule, parents, indices, results = self.rule, self.parents, self.indices, self.results
        out: Any = None
        residuals = {}
        if rule.forward is None and not _uses(rule, 0):
            inputs = _input_values(self, rule)
        else:
            inputs = _input_values(self, None if results is None else rule)
            out, kept = self.forward(*inputs, **self.options) if results is None else results
            if rule.forward is not None:
                residuals = {"residuals": kept}
        vjps = rule.function(out, *inputs, **self.options, **residuals)
        self.passed(sweep.retain)
        if not sweep.retain:
            self.vjps, self.parents, self.inputs = None, (), ()
        del inputs, out, residuals, results
        sweep.pull(rule, vjps, parents, indices, g)

    def consume(self) -> None:
        self.passed(retain=False)
        self.vjps, self.parents, self.inputs = None, (), ()

    def keep(self, results: tuple[Any, Any]) -> None:
        """Take results that were computed again, which a node in front of this one needs."""
        self.results = results

    def passed(self, retain: bool) -> None:
        """Drop the results, which nothing older needs, unless they stay for another sweep."""
        if not (retain and self.kept):
            self.results = None


@cache
def _uses(rule: Rule, place: int) -> bool:
    """Say whether a rule looks at the output, place 0, or an input: else it need not be recomputed for it."""
    code = rule.function.__code__
    if place >= code.co_argcount:
        return True  # one of any number
    name = code.co_varnames[place]
    if name in code.co_cellvars:
        return True
    used = (i.argval if isinstance(i.argval, tuple) else (i.argval,) for i in dis.get_instructions(code))
    return any(name in names for names in used)


def _input_values(node: Lazy, rule: Rule | None) -> list[Any]:
    """Return the arrays of a node's inputs; of those to compute again only what ``rule``, if any, looks at."""
    values: list[Any] = []
    for place, parent in enumerate(node.parents):
        index = node.indices[place]
        if not isinstance(parent, Lazy):
            values.append(_held_value(parent, index, node.inputs[place]))
        elif rule is None or _uses(rule, place + 1):
            values.append(_output(parent, index, _results(parent)[0]))
        else:
            values.append(None)
    return values


def _output(node: Lazy, index: int, out: Any) -> Array:
    """Return the array of an output, ``out`` being all that the op gave."""
    if not isinstance(out, tuple):
        return cast(Array, out)
    return cast(Array, out[index if node.rule.outputs is None else node.rule.outputs[index]])


def _held_value(node: Node | None, index: int, constant: Any) -> Any:
    """Return the array of an input that is always there: a constant, a leaf or what came out of a region."""
    if node is None:
        return constant
    if isinstance(node, Leaf):
        return node.value
    assert isinstance(node, Region)
    node.refuse()
    return node.values[index]


def _results(node: Lazy) -> tuple[Any, Any]:
    """Return a node's output and residuals; compute again, oldest first, what they need and is not there."""
    held: dict[Lazy, tuple[Any, Any]] = {}
    missing: list[Lazy] = []
    users: dict[Lazy, int] = {}
    stack = [node]
    while stack:
        top = stack.pop()
        users[top] = users.get(top, 0) + 1
        if users[top] > 1:
            continue
        results = top.results  # read once: another thread may drop it
        if results is not None:
            held[top] = results
            continue
        top.refuse()
        missing.append(top)
        stack.extend(_lazy_parents(top))
    missing.sort(key=_by_id)
    for top in missing:
        values = [
            _output(parent, index, held[parent][0])
            if isinstance(parent, Lazy)
            else _held_value(parent, index, constant)
            for parent, index, constant in zip(top.parents, top.indices, top.inputs, strict=True)
        ]
        results = held[top] = top.forward(*values, **top.options)
        del values
        top.keep(results)
        for parent in _lazy_parents(top):
            users[parent] -= 1
            if not users[parent]:
                del held[parent]
    return held[node]


def _lazy_parents(node: Lazy) -> set[Lazy]:
    return {parent for parent in node.parents if isinstance(parent, Lazy)}


class Region(Node):
    """What ``checkpoint`` ran, as one node: the sweep runs it again and goes on through its inside.

    Attributes:
        region: the function; ``None`` once consumed.
        inputs: its arguments.
        places: where in its result are the variables that it made, each once.
        prints: of each of these what tells whether a second run made the same.
        values: their arrays, only if a ``Lazy`` node may ask for them.
    """

    __slots__ = ("region", "inputs", "places", "prints", "values")

    def __init__(
        self, region: Callable[..., Any], inputs: tuple[Any, ...], outputs: tuple[Any, ...], oldest: int
    ) -> None:
        self.places = _made(outputs, oldest)
        made = [outputs[place] for place in self.places]
        _, outside = reachable([output.node for output in made], oldest)
        shapes = tuple([output.shape for output in made])
        several = len(made) > 1
        super().__init__(REGION, tuple(outside), (0,) * len(outside), (), shapes, made[0].dtype, several)
        self.region: Callable[..., Any] | None = region
        self.inputs = inputs
        self.prints = tuple([_print(output.value) for output in made])
        keep = any(output.node.__class__ is not Node for output in made)
        self.values = tuple([output.value for output in made]) if keep else ()

    def expand(self, sweep: Sweep, g: Any) -> None:
        region, inputs, known = self.region, self.inputs, set(self.parents)
        self.refuse()  # a hook or another thread may have consumed it since this sweep began
        assert region is not None
        if not sweep.retain:
            self.consume()
        oldest = next_id()
        outputs = _as_tuple(region(*inputs))
        places = _made(outputs, oldest)
        made = [outputs[place] for place in places]
        if (
            places != self.places
            or self.shapes != tuple([output.shape for output in made])
            or any(output.dtype != self.dtype for output in made)
            or not all(map(_alike, self.prints, [_print(output.value) for output in made]))
        ):
            raise GraphError(
                "checkpoint: the region gave another result when it was recomputed. It must do the same each time."
            )
        _, outside = reachable([output.node for output in made], oldest)
        if known != set(outside):
            raise GraphError(
                "checkpoint: the region used other tensors when it was recomputed. It must do the same each time."
            )
        cotangents = g if isinstance(g, tuple) else (g,)
        roots = [(output, c) for output, c in zip(made, cotangents, strict=True) if c is not None]
        inside, _ = reachable([output.node for output, _ in roots], oldest)
        sweep.splice(inside)
        for output, cotangent in roots:
            sweep.give(output.node, output.index, cotangent, REGION)

    def consume(self) -> None:
        self.vjps, self.parents, self.region, self.inputs, self.values = None, (), None, (), ()


def checkpoint(region: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    """Return ``region(*inputs)``, its variables as the outputs of one ``Region`` node.

    What the region did not make, but was given or found outside, passes through as it is.

    Args:
        region: see ``AutodiffBackend.checkpoint``.
        inputs: primitives.
    """
    oldest = next_id()
    result = region(*inputs)
    outputs = _as_tuple(result)
    places = _made(outputs, oldest)
    if not places:
        return result
    dtypes = {str(outputs[place].dtype) for place in places}
    if len(dtypes) > 1:
        raise GraphError(
            f"checkpoint: the results have different dtypes: {', '.join(sorted(dtypes))}. Cast them."
        )
    node = Region(region, inputs, outputs, oldest)
    if Variable.made is not None:
        node.watch = _blamed(outputs, oldest)
    new = {
        (outputs[place].node, outputs[place].index): Variable(outputs[place].value, node, index)
        for index, place in enumerate(places)
    }
    wrapped = tuple(new.get((x.node, x.index), x) if x.__class__ is Variable else x for x in outputs)
    return wrapped if isinstance(result, tuple) else wrapped[0]


def _blamed(outputs: tuple[Any, ...], oldest: int) -> Watch | None:
    """Return what anomaly mode noted of the op inside that made the first NaN."""
    inside, _ = reachable([x.node for x in outputs if x.__class__ is Variable], oldest)
    for watch in [node.watch for node in inside if node.watch is not None and node.watch.first]:
        blamed = Watch()
        blamed.op, blamed.line = watch.op, watch.line
        return blamed
    return None


def _made(outputs: tuple[Any, ...], oldest: int) -> tuple[int, ...]:
    """Return the places of the variables that are newer than ``oldest``, each variable once."""
    first: dict[tuple[Node, int], int] = {}
    for place, output in enumerate(outputs):
        if output.__class__ is Variable and output.node.id > oldest:
            first.setdefault((output.node, output.index), place)
    return tuple(first.values())


def _print(value: Array) -> tuple[float, float]:
    """Return two sums that a change of the values would change."""
    with np.errstate(all="ignore"):
        total = np.add.reduce(value, axis=None, dtype=np.float64)
        return float(total), float(np.add.reduce(np.abs(value), axis=None, dtype=np.float64))


def _alike(first: tuple[float, float], second: tuple[float, float]) -> bool:
    """Compare prints, with room for the last bits that another number of BLAS threads may change."""
    if not math.isfinite(first[1]):
        return math.isfinite(second[1]) is False
    return all(abs(a - b) <= 1e-5 * first[1] for a, b in zip(first, second, strict=True))


def _as_tuple(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)
