"""Docstrings as the sources have them: a wheel of the core has the first paragraph of each alone."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Iterator
from pathlib import Path

CORE = Path(__file__).resolve().parent.parent / "core"
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@functools.cache
def docstrings(module: str) -> dict[str, str]:
    """Return what a module of the core says of itself, which is "", and of each name in it."""
    path = CORE.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return dict(_within(ast.parse(file.read_text(encoding="utf-8")), ""))


def _within(node: ast.AST, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, DOCUMENTED):
        yield name, ast.get_docstring(node) or ""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, DOCUMENTED[1:]):
            between = "." if name else ""
            yield from _within(child, f"{name}{between}{child.name}")
        elif isinstance(child, ast.stmt):
            yield from _within(child, name)


def docstring(thing: object) -> str:
    """Return the docstring that the sources give a function or class of the core."""
    home, name = getattr(thing, "__module__", ""), getattr(thing, "__qualname__", "")
    return docstrings(home)[name] if home.startswith("backburner.") else inspect.getdoc(thing) or ""
