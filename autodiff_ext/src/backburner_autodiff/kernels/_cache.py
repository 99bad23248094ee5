"""Compiled kernels on disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Store:
    """Keep the versions of one kernel, in the interface of a Numba dispatcher's ``_cache``."""

    def __init__(self, function: Callable[..., None], name: str, options: dict[str, Any]) -> None:
        self._name = name

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the compiled version, or ``None``."""
        target.refresh()
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled version."""
