"""Makes the pages of the API whole: a line ``!each backburner.nn`` becomes an entry for each public name in it."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the lines; mkdocs calls it."""
    pattern = r"^!each ([\w.]+)(?: (without|only) ([\w, ]+))?$"
    return re.sub(pattern, _entries, markdown, flags=re.MULTILINE)


def _entries(found: re.Match[str]) -> str:
    name, how = found[1], found[2]
    module = importlib.import_module(name)
    named = (found[3] or "").replace(",", " ").split()
    listed = named if how == "only" else getattr(module, "__all__", None)
    # without a list what is there because the module needs it is not meant: only what lives in it, or beside it
    homes = "backburner" if listed else (f"{name}.", f"{name.rpartition('.')[0]}._")
    shown = name.replace("backburner_autodiff", "backburner")  # as people import it, by a door
    entries = []
    for public in listed or sorted(vars(module)):
        value = getattr(module, public)
        home = getattr(value, "__module__", "") or ""
        if public.startswith("_") or not f"{home}.".startswith(homes):
            continue
        if how == "without" and public in named:
            continue
        options = [f"heading: {shown}.{public}", f"toc_label: {public}"]
        inherited = _inherited(value) if isinstance(value, type) else []
        if inherited:
            options.append(f"inherited_members: [{', '.join(inherited)}]")
        lines = "".join(f"      {option}\n" for option in options)
        entries.append(f"::: {home}.{value.__qualname__}\n    options:\n{lines}")
    return "\n".join(entries)


def _inherited(kind: type) -> list[str]:
    """Return the public names that a class has from bases of ours that have no entry of their own."""
    names: dict[str, None] = {}
    for base in kind.__mro__[1:]:
        if not base.__module__.startswith("backburner") or _has_an_entry(base):
            break
        for name, member in vars(base).items():
            told = inspect.isfunction(member) or isinstance(member, (property, classmethod, staticmethod))
            is_op = getattr(member, "__module__", "").startswith(
                "backburner.ops"
            )  # is a function's entry too
            if told and member.__doc__ and not name.startswith("_") and not is_op:
                names[name] = None
    return [name for name in names if name not in vars(kind)]


def _has_an_entry(kind: type) -> bool:
    """Say whether a class is public: whether a module of ours that has no underscore lists it."""
    package = kind.__module__.partition("._")[0]
    return getattr(importlib.import_module(package), kind.__name__, None) is kind
