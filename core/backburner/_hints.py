"""What people from elsewhere look for in a module, and what there is instead."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import NoReturn


def refuser(module: str, hints: Mapping[str, str]) -> Callable[[str], NoReturn]:
    """Return a ``__getattr__`` for a module: it says what to use in the place of a name that is not there.

    Args:
        module: its ``__name__``.
        hints: what to use, by the name that people look for.
    """

    def refuse(name: str) -> NoReturn:
        hint = f". Use {hints[name]}." if name in hints else ""
        message = f"module {module!r} has no attribute {name!r}{hint}"
        raise AttributeError(message, name=name, obj=sys.modules.get(module))

    return refuse
