"""Anomaly mode: which op made the first NaN, and which line of the user's code recorded it."""

from __future__ import annotations

import linecache
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Final

import numpy as np

import backburner
from backburner.errors import AnomalyError
from backburner_autodiff._rule import Array, Rule
from backburner_autodiff.tape import LEAF, Gradients, Leaf, Node, Sweep, Variable, Watch, reachable

OURS: Final = tuple(f"{Path(file).parent}/" for file in (__file__, str(backburner.__file__)))
DEPTH: Final = 8
"""How many lines of the user's code a message can name."""

_eager: ContextVar[bool | None] = ContextVar("backburner_anomaly", default=None)
_looking = 0  # how many contexts are in the mode; variables are looked at while there is one
_lock = threading.Lock()


@contextmanager
def mode(eager: bool) -> Iterator[None]:
    """Look for NaN in what this context records and sweeps."""
    global _looking
    token = _eager.set(eager)
    with _lock:
        _looking += 1
        Variable.made = _note
    try:
        yield
    finally:
        with _lock:
            _looking -= 1
            if not _looking:
                Variable.made = None
        _eager.reset(token)


def sweep(retain: bool) -> Sweep:
    """Return a backward pass, in the mode one that looks for NaN."""
    return Sweep(retain) if _eager.get() is None else WatchfulSweep(retain)


class WatchfulSweep(Sweep):
    """A backward pass that stops at the first NaN."""

    __slots__ = ()

    def run(self, root: Node, index: int, g: Array) -> Gradients:
        if has_nan(g):
            raise AnomalyError("backward: the gradient that was given has NaN.")
        if root.watch is not None and root.watch.nan:
            raise AnomalyError(f"backward: the result has NaN. {_first(root)}")
        return super().run(root, index, g)

    def give(self, node: Node, index: int, g: Array, rule: Rule = LEAF) -> None:
        if rule is not LEAF and has_nan(g):
            made = self.node
            assert made is not None
            raise AnomalyError(
                f"backward: {rule.name!r} made NaN of a gradient that had none. {_where(made)}"
            )
        super().give(node, index, g, rule)


def has_nan(x: Array) -> bool:
    """Say whether an array of floats has NaN."""
    return x.dtype.kind == "f" and bool(np.isnan(x).any())


def _note(variable: Variable) -> None:
    """Note where a variable is made, and whether it has NaN."""
    eager = _eager.get()
    if eager is None:
        return
    node = variable.node
    watch = node.watch
    if watch is None:
        watch = node.watch = Watch()
    if not watch.line and not isinstance(node, Leaf):
        watch.op, watch.line = node.rule.name, _lines()
    if has_nan(variable.value):
        watch.nan = True
        watch.first = not any(parent is not None and _had_nan(parent) for parent in node.parents)
        if eager and watch.first and not isinstance(node, Leaf):
            raise AnomalyError(f"{node.rule.name}: the result has NaN, the inputs have none. {_where(node)}")


def _had_nan(node: Node) -> bool:
    if isinstance(node, Leaf):
        return has_nan(node.value)
    return node.watch is not None and node.watch.nan


def _first(root: Node) -> str:
    """Tell which node under one with NaN was the first to have it: an op's is noted, a leaf has it by itself."""
    nodes, _ = reachable((root,))
    first = next(
        node
        for node in nodes
        if (has_nan(node.value) if isinstance(node, Leaf) else node.watch is not None and node.watch.first)
    )
    if first.watch is None or not first.watch.op:
        return f"A leaf of shape {list(first.shapes[0])} has it."
    return f"The first seen came out of {first.watch.op!r}. {_where(first)}"


def _where(node: Node) -> str:
    """Tell which lines of the user's code recorded a node."""
    if node.watch is None or not node.watch.line:
        return "Put the forward pass inside detect_anomaly to see its line."
    lines = [
        f'  File "{file}", line {number}, in {name}\n    {linecache.getline(file, number).strip()}'
        for file, number, name in reversed(node.watch.line)
    ]
    return "\n".join([f"It was recorded at {_short(node)}:", *lines])


def _short(node: Node) -> str:
    assert node.watch is not None
    file, number, _ = node.watch.line[0]
    return f"{Path(file).name}:{number}"


def _lines() -> tuple[tuple[str, int, str], ...]:
    """Return the lines of the caller's code that lead here, the innermost first, without those of the packages."""
    found: list[tuple[str, int, str]] = []
    frame = sys._getframe(2)
    while frame is not None and len(found) < DEPTH:
        code = frame.f_code
        if not code.co_filename.startswith(OURS):
            found.append((code.co_filename, frame.f_lineno, code.co_name))
        frame = frame.f_back  # type: ignore[assignment]
    return tuple(found)
