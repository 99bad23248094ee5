"""Refuse a kernel whose iterations are not independent of each other."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable


def find_races(function: Callable[..., None]) -> list[str]:
    """Return the scalars that one iteration of a ``prange`` loop would take from another.

    Numba would make a reduction of such a scalar, whose result depends on the number of threads, or leave it
    to chance. That is a name which the loop assigns and reads before, or which is read after the loop. Arrays
    are not looked into.
    """
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):  # a frozen program has no sources; they were checked where they were written
        return []
    (definition,) = ast.parse(textwrap.dedent(source)).body
    if not isinstance(definition, ast.FunctionDef):
        return []
    races: list[str] = []
    for loop in ast.walk(definition):
        if isinstance(loop, ast.For) and _is_prange(loop.iter):
            inside = _stored(loop.body)
            early: set[str] = set()
            _follow(loop.body, set(_stored([loop.target])), early)
            after = [node for node in definition.body if node.lineno > (loop.end_lineno or loop.lineno)]
            late: set[str] = set()
            _follow(after, set(), late)
            races += sorted(inside & (early | late))
    return races


def _is_prange(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    return (called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")) == "prange"


def _stored(nodes: Iterable[ast.AST]) -> set[str]:
    return {
        name.id
        for node in nodes
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }


def _follow(statements: Iterable[ast.stmt], known: set[str], early: set[str]) -> None:
    """Walk statements in order; collect into ``early`` the names that are read before they are ``known``."""

    def read(*nodes: ast.AST | None) -> None:
        for node in nodes:
            for name in ast.walk(node) if node else ():
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load) and name.id not in known:
                    early.add(name.id)

    for statement in statements:
        if isinstance(statement, ast.AugAssign):
            read(statement.value, statement.target)
            if isinstance(statement.target, ast.Name) and statement.target.id not in known:
                early.add(statement.target.id)
        elif isinstance(statement, ast.For):
            read(statement.iter)
            known |= _stored([statement.target])
            _follow(statement.body, known, early)
            _follow(statement.orelse, known, early)
        elif isinstance(statement, (ast.If, ast.While)):
            read(statement.test)
            branch = set(known)
            _follow(statement.body, branch, early)
            other = set(known)
            _follow(statement.orelse, other, early)
            # What only one branch assigns, the other leaves as the last iteration had it.
            known |= branch & other if isinstance(statement, ast.If) else set()
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            read(statement.value, *targets)
            known |= _stored(targets)
        else:
            read(statement)
