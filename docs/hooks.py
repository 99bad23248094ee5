"""Makes the pages of the API whole: a line ``!each backburner.nn`` becomes an entry for each public name in it."""

from __future__ import annotations

import importlib
import re
from typing import Any


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the lines; mkdocs calls it."""
    return re.sub(r"^!each ([\w.]+)(?: without ([\w, ]+))?$", _entries, markdown, flags=re.MULTILINE)


def _entries(found: re.Match[str]) -> str:
    name = found[1]
    module = importlib.import_module(name)
    left_out = set((found[2] or "").replace(",", " ").split())
    entries = []
    for public in getattr(module, "__all__", None) or sorted(vars(module)):
        value = getattr(module, public)
        home = getattr(value, "__module__", "") or ""
        if public.startswith("_") or public in left_out or not home.startswith("backburner"):
            continue
        entries.append(f"::: {home}.{value.__qualname__}\n    options:\n      heading: {name}.{public}\n")
    return "\n".join(entries)
