"""The graph and the backward sweep.

A graph is ordinary objects that own their parents, so it dies with the last tensor that came out of it. Ids
come from one counter and grow: a node is newer than its parents, and the sweep goes from new to old.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import count
from operator import attrgetter
from typing import Any, ClassVar, Final, cast

import numpy as np

from backburner.backends.numpy import NumpyBackend
from backburner.errors import GraphError
from backburner_autodiff._rule import Array, Rule

Shape = tuple[int, ...]
Vjps = tuple["Callable[[Any], Array] | None", ...] | Callable[[Any, tuple[bool, ...]], tuple[Any, ...]]
Gradients = dict["Leaf", Array]
Hook = Callable[[Array], "Array | None"]

next_id: Final = count(1).__next__
_by_id: Final = attrgetter("id")
_zero_sum: Final = np.add.reduce


class Variable:
    """A tracked array: one output of a node.

    Attributes:
        value: the array.
        node: what made it.
        index: which of the node's outputs it is.
        shape: that of the array, as checks ask for it often.
        dtype: likewise.
    """

    __slots__ = ("value", "node", "index", "shape", "dtype")
    made: ClassVar[Callable[[Variable], None] | None] = None
    """Told of every variable while somebody looks for anomalies."""

    def __init__(self, value: Array, node: Node, index: int) -> None:
        self.value = value
        self.node = node
        self.index = index
        self.shape: Shape = value.shape
        self.dtype: np.dtype[Any] = value.dtype
        if self.made is not None:
            self.made()

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return self.value.size


class Watch:
    """What a node has only if somebody asked: hooks, and where it was made.

    Attributes:
        hooks: for an output, by its index, the functions that see its cotangent; what they return takes its place.
        op: its name; of a region the op inside that made the first NaN.
        line: the lines of the user's code that recorded it, the innermost first.
        nan: whether an output has NaN.
        first: whether no input of the op had.
    """

    __slots__ = ("hooks", "op", "line", "nan", "first")

    def __init__(self) -> None:
        self.hooks: dict[int, list[Hook]] = {}
        self.op = ""
        self.line: tuple[tuple[str, int, str], ...] = ()
        self.nan = self.first = False


class Node:
    """One recorded op.

    Attributes:
        id: larger than that of every parent.
        rule: the op's rule.
        parents: the node of each input, ``None`` for an untracked one; empty once consumed.
        indices: which output of its node each input was.
        vjps: what the rule returned; ``None`` once consumed.
        shapes: the shape of each output.
        dtype: the dtype of the outputs.
        several: whether the vjps take a tuple of cotangents, one for each output, ``None`` for the unused.
        watch: hooks, and what anomaly mode notes.
    """

    __slots__ = ("id", "rule", "parents", "indices", "vjps", "shapes", "dtype", "several", "watch")

    def __init__(
        self,
        rule: Rule,
        parents: tuple[Node | None, ...],
        indices: tuple[int, ...],
        vjps: Vjps | None,
        shapes: tuple[Shape, ...],
        dtype: np.dtype[Any],
        several: bool = False,
    ) -> None:
        self.id = next_id()
        self.rule = rule
        self.parents = parents
        self.indices = indices
        self.vjps = vjps
        self.shapes = shapes
        self.dtype = dtype
        self.several = several
        self.watch: Watch | None = None

    def refuse(self) -> None:
        """Raise ``GraphError`` where the sweep may not pass."""
        if self.vjps is None:
            raise GraphError(
                f"backward: the graph is consumed, from an earlier backward through {self.rule.name!r}. "
                "Compute it again, or keep it with backward(retain_graph=True)."
            )

    def expand(self, sweep: Sweep, g: Any) -> None:
        """Send the cotangents of the outputs on to the parents."""
        parents, indices = self.parents, self.indices
        vjps = self.vjps
        if vjps is None:  # since this sweep began: by a hook, or by another thread
            self.refuse()
            return
        if not sweep.retain:
            self.vjps, self.parents = None, ()
        sweep.pull(self.rule, vjps, parents, indices, g)

    def consume(self) -> None:
        """Let go of all that another sweep would need."""
        self.vjps, self.parents = None, ()


_new: Final = object.__new__


def recorded(
    rule: Rule, parents: tuple[Node | None, ...], indices: tuple[int, ...], vjps: Vjps, out: Array
) -> Variable:
    """Return the one output of a new node: ``Variable(out, Node(...), 0)`` without the cost of calling two classes."""
    shape, dtype = out.shape, out.dtype
    node: Node = _new(Node)
    node.id = next_id()
    node.rule = rule
    node.parents = parents
    node.indices = indices
    node.vjps = vjps
    node.shapes = (shape,)
    node.dtype = dtype
    node.several = False
    node.watch = None
    x: Variable = _new(Variable)
    x.value = out
    x.node = node
    x.index = 0
    x.shape = shape
    x.dtype = dtype
    if Variable.made is not None:
        x.made()  # type: ignore[misc]
    return x


LEAF: Final = Rule("leaf", lambda out: ())


class Leaf(Node):
    """A tensor that the user marked; its gradient is what the sweep returns.

    Attributes:
        value: the array.
        retired: a step or a load has put another leaf in its place.
    """

    __slots__ = ("value", "retired")

    def __init__(self, value: Array) -> None:
        super().__init__(LEAF, (), (), (), (value.shape,), value.dtype)
        self.value = value
        self.retired = False

    def refuse(self) -> None:
        if self.retired:
            raise GraphError(
                "backward: a parameter in this graph has been changed since, by a step or a load, or moved or frozen. "
                "Compute the result again."
            )

    def expand(self, sweep: Sweep, g: Any) -> None:
        sweep.gradients[self] = g

    def consume(self) -> None:
        """Stay: a leaf takes part in any number of graphs."""


def renewed(old: Leaf, value: Array) -> Variable:
    """Retire a leaf, and return a variable over a new one with its hooks."""
    old.retired = True
    leaf: Leaf = _new(Leaf)
    leaf.id = next_id()
    leaf.rule = LEAF
    leaf.parents = leaf.indices = leaf.vjps = ()
    leaf.shapes = (value.shape,)
    leaf.dtype = value.dtype
    leaf.several = leaf.retired = False
    leaf.watch = old.watch
    leaf.value = value
    return Variable(value, leaf, 0)


def reachable(roots: Iterable[Node], oldest: int = 0) -> tuple[list[Node], list[Node]]:
    """Return the nodes that the roots lead to, oldest first, and beyond them those older than ``oldest``."""
    inside: list[Node] = []
    outside: list[Node] = []
    seen = set(roots)
    stack = list(seen)
    while stack:
        node = stack.pop()
        if node.id < oldest:
            outside.append(node)
            continue
        inside.append(node)
        for parent in node.parents:
            if parent is not None and parent not in seen:
                seen.add(parent)
                stack.append(parent)
    inside.sort(key=_by_id)
    outside.sort(key=_by_id)
    return inside, outside


class Sweep:
    """One backward pass.

    Attributes:
        retain: leave the graph as it is.
        gradients: what the leaves got.
        node: the one that is passed.
    """

    __slots__ = ("retain", "gradients", "node", "_stack", "_cotangents", "_own")

    def __init__(self, retain: bool) -> None:
        self.retain = retain
        self.gradients: Gradients = {}
        self.node: Node | None = None
        self._stack: list[Node] = []  # oldest first, so that the newest is popped
        self._cotangents: dict[Node, Any] = {}  # an array, or a list of them for several outputs
        self._own: set[tuple[Node, int]] = (
            set()
        )  # sums that were allocated here, and may be added to in place

    def run(self, root: Node, index: int, g: Array) -> Gradients:
        """Return the gradients of all leaves under ``root``, whose output ``index`` has the cotangent ``g``."""
        nodes, _ = reachable((root,))
        for node in nodes:
            node.refuse()  # before anything is consumed
        self._stack = nodes
        del nodes
        with np.errstate(all="ignore"):
            self.give(root, index, g)
            stack, cotangents = self._stack, self._cotangents
            while stack:
                node = stack.pop()
                cotangent = cotangents.pop(node, None)
                if cotangent is not None:
                    if node.watch is not None:
                        cotangent = _hooked(node, cotangent)
                    if cotangent.__class__ is list:
                        cotangent = tuple(cotangent)
                    self.node = node
                    node.expand(self, cotangent)
                elif not self.retain:
                    node.consume()
        return self.gradients

    def splice(self, nodes: list[Node]) -> None:
        """Sweep new nodes next: they are newer than all that is left."""
        self._stack.extend(nodes)

    def pull(
        self,
        rule: Rule,
        vjps: Vjps,
        parents: tuple[Node | None, ...],
        indices: tuple[int, ...],
        g: Any,
    ) -> None:
        """Give each tracked parent what the vjps make of the cotangent ``g``."""
        if isinstance(vjps, tuple):
            for parent, index, vjp in zip(parents, indices, vjps, strict=True):
                if parent is not None and vjp is not None:
                    dx = vjp(g)
                    if rule.singular:
                        dx = _zero_where_zero(dx, g)
                    self.give(parent, index, dx, rule)
            return
        needed = tuple([parent is not None for parent in parents])
        for parent, index, dx in zip(parents, indices, vjps(g, needed), strict=True):
            if parent is not None and dx is not None:
                self.give(parent, index, dx, rule)

    def give(self, node: Node, index: int, g: Array, rule: Rule = LEAF) -> None:
        """Add ``g``, which may have been broadcast, to the cotangent of a node's output."""
        shape = node.shapes[index]
        if g.__class__ is not np.ndarray:
            g = np.asarray(g)
        if g.shape != shape:
            g = _unbroadcast(g, shape, rule)
        if g.dtype != node.dtype:
            raise GraphError(
                f"backward: the rule of {rule.name!r} made {g.dtype} of {node.dtype}. This is a bug."
            )
        cotangents = self._cotangents
        if not node.several:
            held = cotangents.get(node)
            cotangents[node] = g if held is None else self._sum(node, 0, held, g)
            return
        outputs = cotangents.get(node)
        if outputs is None:
            outputs = cotangents[node] = cast("list[Array | None]", [None] * len(node.shapes))
        held = outputs[index]
        outputs[index] = g if held is None else self._sum(node, index, held, g)

    def _sum(self, node: Node, index: int, held: Array, g: Array) -> Array:
        key = (node, index)
        if key in self._own:
            return cast(Array, np.add(held, g, out=held))
        self._own.add(key)
        return np.asarray(np.add(held, g))


def _hooked(node: Node, cotangents: Any) -> Any:
    """Return the cotangent of a node, or the list of them, as the hooks leave it."""
    assert node.watch is not None
    for index, hooks in node.watch.hooks.items():
        g = cotangents[index] if node.several else cotangents
        if g is None:
            continue
        for hook in tuple(hooks):
            changed = hook(g)
            g = g if changed is None else changed
        if node.several:
            cotangents[index] = g
        else:
            cotangents = g
    return cotangents


def _zero_where_zero(dx: Array, g: Array) -> Array:
    """Return ``dx`` with 0 where ``g`` is 0, even where a derivative was infinite or NaN: 0 * inf is 0 here.

    The sum is a cheap test: one infinity or NaN makes it one too.
    """
    if math.isfinite(_zero_sum(dx, axis=None)) or np.shape(dx) != np.shape(g):
        return dx
    return cast(Array, np.where(g == 0, np.zeros((), dx.dtype), dx))


def _unbroadcast(g: Array, shape: Shape, rule: Rule) -> Array:
    """Sum ``g`` over the axes along which an input of ``shape`` was broadcast."""
    extra = g.ndim - len(shape)
    axes = [*range(extra)]
    for i, n in enumerate(shape, extra):
        if i < 0 or n != g.shape[i]:
            if i < 0 or n != 1:
                raise GraphError(
                    f"backward: the rule of {rule.name!r} made shape {list(g.shape)} of {list(shape)}. This is a bug."
                )
            axes.append(i)
    return np.asarray(NumpyBackend.sum(g, axis=tuple(axes), keepdims=False)).reshape(shape)
