"""Makes the examples of docstrings whole: mkdocstrings knows the section ``Example:`` under the name ``Examples:``."""

from __future__ import annotations

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Renames the section before a page is made; griffe calls it for each object."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rename it in one docstring."""
        if obj.docstring is not None:
            obj.docstring.value = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.MULTILINE)
