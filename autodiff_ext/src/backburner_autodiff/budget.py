"""Gradient checkpointing within a budget of bytes: keep what fits, recompute the rest, the cheapest first.

A node keeps its output as long as all outputs kept on its device, by its thread, stay within the budget. When they
would not, outputs are dropped in the order of what it would cost to have a byte of them again. That cost counts the
dropped neighbours, which would have to be computed too, as in dynamic tensor rematerialization (Kirisame et al.
2021): so what is kept of a long chain of equal ops is spread evenly over it.
"""

from __future__ import annotations

import math
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from backburner_autodiff._rule import Array, Rule
from backburner_autodiff.checkpoint import Lazy
from backburner_autodiff.tape import Shape, Variable

FAN = 8
"""How many ops may use an output before it no longer makes one set of them: they do not lean on each other."""


class Ledger:
    """What one thread keeps on a device, and what of it to drop first.

    Attributes:
        budget: how many bytes may be kept.
        total: how many are, but for those in ``freed``.
        freed: the bytes of nodes that died since, in whatever thread and at whatever moment.
    """

    __slots__ = ("budget", "total", "freed", "_heap", "_room", "_lock")

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.total = 0
        self.freed: deque[int] = deque()
        self._heap: list[tuple[float, int, weakref.ref[Budgeted]]] = []
        self._room = 64
        self._lock = threading.RLock()

    def enter(self, node: Budgeted) -> None:
        """Count what a node keeps, and drop what goes beyond the budget."""
        with self._lock:
            while self.freed:
                self.total -= self.freed.pop()
            self.total += node.size
            heappush(self._heap, (node.worth(), node.id, weakref.ref(node)))
            while self.total > self.budget and self._heap:
                self._drop_cheapest()
            if len(self._heap) > self._room:
                self._heap = [entry for entry in self._heap if _kept(entry[2]) is not None]
                heapify(self._heap)
                self._room = 2 * len(self._heap) + 64

    def _drop_cheapest(self) -> None:
        worth, number, reference = heappop(self._heap)
        node = _kept(reference)
        if node is None:
            return
        now = node.worth()
        if now > worth and self._heap and now > self._heap[0][0]:
            heappush(self._heap, (now, number, reference))  # a neighbour has been dropped since
        else:
            node.drop()
            self.total -= node.size


class Ledgers(threading.local):
    """The ledger of each thread."""

    def __init__(self, budget: int) -> None:
        self.own = Ledger(budget)


def _kept(reference: weakref.ref[Budgeted]) -> Budgeted | None:
    node = reference()
    return None if node is None or node.results is None else node


class Run:
    """What it costs to compute a set of dropped nodes that lean on each other; sets that met are joined."""

    __slots__ = ("cost", "joined")

    def __init__(self, cost: float) -> None:
        self.cost = cost
        self.joined: Run | None = None

    def whole(self) -> Run:
        """Return the set that this one has become a part of."""
        run = self
        while run.joined is not None:
            if run.joined.joined is not None:
                run.joined = run.joined.joined
            run = run.joined
        return run

    def join(self, other: Run) -> None:
        """Make one set of two."""
        ours, theirs = self.whole(), other.whole()
        if ours is not theirs:
            theirs.cost += ours.cost
            ours.joined = theirs


class Budgeted(Lazy):
    """A node that keeps its output while the budget has room for it.

    Attributes:
        ledger: where it is counted.
        size: the bytes that the results take, without views of the inputs.
        cost: what computing them takes, in elements touched or multiplied.
        children: the nodes whose input it is, unless it is shared.
        shared: whether these are more than ``FAN``.
        run: while the results are dropped, the set it belongs to.
    """

    __slots__ = ("ledger", "size", "cost", "children", "shared", "run", "__weakref__")

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
        ledgers: Ledgers,
    ) -> None:
        super().__init__(rule, forward, inputs, options, results, shapes, dtype, several)
        self.ledger = ledgers.own
        self.children: list[weakref.ref[Budgeted]] = []
        self.shared = False
        self.run: Run | None = None
        own = weakref.ref(self)
        for parent in self.parents:
            if isinstance(parent, Budgeted):
                parent.adopt(own)
        values = [x.value if x.__class__ is Variable else x for x in inputs]
        arrays = [x for x in values if isinstance(x, np.ndarray)]
        made = list(_arrays(results))
        self.size = sum(y.nbytes for y in made if not any(np.may_share_memory(y, x) for x in arrays))
        self.cost = _cost(rule, arrays, made)
        self.results = results
        if self.size:
            self.ledger.enter(self)
        else:  # a view keeps the memory of its input, and costs nothing to have again
            self.cost = 0.0
            self.drop()

    def __del__(self) -> None:
        if getattr(self, "results", None) is not None:
            self.ledger.freed.append(self.size)

    def keep(self, results: tuple[Any, Any]) -> None:
        run, self.run = self.run, None
        if run is not None:
            run.whole().cost -= self.cost
        self.results = results
        if self.size:
            self.ledger.enter(self)
        else:
            self.drop()

    def passed(self, retain: bool) -> None:
        if not retain and self.results is not None:
            self.ledger.freed.append(self.size)
            self.results = None

    def adopt(self, child: weakref.ref[Budgeted]) -> None:
        """Note another node whose input this is."""
        if len(self.children) == FAN:
            self.children = [reference for reference in self.children if reference() is not None]
        if self.shared or len(self.children) == FAN:
            self.children, self.shared = [], True
        else:
            self.children.append(child)

    def drop(self) -> None:
        """Let go of the results; the ledger does the counting."""
        self.results = None
        own = self.run = Run(self.cost)
        for node in self._neighbours():
            if (run := node.run) is not None and not node.shared:
                own.join(run)

    def worth(self) -> float:
        """Return what a byte of the results would cost to have again, dropped neighbours included."""
        dropped = [run.whole() for node in self._neighbours() if (run := node.run) is not None]
        runs = {id(run): run for run in dropped}
        return (self.cost + sum(run.cost for run in runs.values())) / self.size

    def _neighbours(self) -> Iterator[Budgeted]:
        yield from [parent for parent in self.parents if isinstance(parent, Budgeted)]
        yield from [child for reference in self.children if (child := reference()) is not None]


def _arrays(results: Any) -> Iterator[Array]:
    """Go through the arrays in outputs and residuals."""
    if isinstance(results, np.ndarray):
        yield results
    elif isinstance(results, Iterable) and not isinstance(results, (str, bytes)):
        for part in results.values() if isinstance(results, dict) else results:
            yield from _arrays(part)


def _cost(rule: Rule, inputs: list[Array], made: list[Array]) -> float:
    """Estimate the work of an op.

    The root of the product of three sizes is the number of multiplications of a matrix product; other ops touch
    each element once, and those that are worth keeping a few times.
    """
    sizes = sorted((x.size for x in (*inputs, *made[:1])), reverse=True)
    if rule.compute_bound and len(inputs) > 1 and len(sizes) > 2:
        return 2 * math.sqrt(math.prod(sizes[:3]))
    return float(sum(sizes)) * (4 if rule.compute_bound else 1)
