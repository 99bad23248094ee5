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
    listed = getattr(module, "__all__", None)
    # without a list what is there because the module needs it is not meant: only what lives in it, or beside it
    homes = "backburner" if listed else (f"{name}.", f"{name.rpartition('.')[0]}._")
    shown = name.replace("backburner_autodiff", "backburner")  # as people import it, by a door
    entries = []
    for public in listed or sorted(vars(module)):
        value = getattr(module, public)
        home = getattr(value, "__module__", "") or ""
        if public.startswith("_") or public in left_out or not f"{home}.".startswith(homes):
            continue
        entries.append(f"::: {home}.{value.__qualname__}\n    options:\n      heading: {shown}.{public}\n")
    return "\n".join(entries)
