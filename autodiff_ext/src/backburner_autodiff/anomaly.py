"""Anomaly mode: which op made the first NaN, and which line of the user's code recorded it."""

from __future__ import annotations

import linecache
import sys
import threading
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


class Mode:
    """A context that looks for NaN in what it records and sweeps.

    Blocks may end in another order than they began in, as those of generators do, and elsewhere: each ends itself.
    """

    __slots__ = ("eager", "_entered")

    def __init__(self, eager: bool) -> None:
        self.eager = eager
        self._entered: list[_Block] = []

    def __enter__(self) -> None:
        block = _Block(self.eager)
        self._entered.append(block)
        _blocks.set((*_blocks.get(), block))
        with _lock:
            _open.add(block)
            Variable.made = _note

    def __exit__(self, *error: object) -> None:
        block = self._entered.pop()
        with _lock:
            _open.discard(block)
            if not _open:
                Variable.made = None
        _blocks.set(tuple([other for other in _blocks.get() if other in _open]))


class _Block:
    """One entry into the mode."""

    __slots__ = ("eager",)

    def __init__(self, eager: bool) -> None:
        self.eager = eager


_blocks: ContextVar[tuple[_Block, ...]] = ContextVar("backburner_anomaly", default=())
_open: Final[set[_Block]] = set()  # of all threads; variables are looked at while there is one
_lock = threading.Lock()


def _eager() -> bool | None:
    """Say whether this context is in the mode, and how."""
    for block in reversed(_blocks.get()):
        if block in _open:
            return block.eager
    return None


def sweep(retain: bool) -> Sweep:
    """Return a backward pass, in the mode one that looks for NaN."""
    return Sweep(retain) if _eager() is None else WatchfulSweep(retain)


class WatchfulSweep(Sweep):
    """A backward pass that stops at the first NaN."""

    __slots__ = ()

    def run(self, root: Node, index: int, g: Array) -> Gradients:
        if has_nan(g):
            raise AnomalyError("backward: the gradient that was given has NaN.")
        if _had_nan(root):
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
    eager = _eager()
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
    nan = (has_nan(x.value) if isinstance(x, Leaf) else x.watch is not None and x.watch.first for x in nodes)
    first = next((node for node, has in zip(nodes, nan, strict=True) if has), None)
    if first is None:  # what led to it is consumed
        for node in nodes:
            node.refuse()
        return "Put the forward pass inside detect_anomaly to see where it began."
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
