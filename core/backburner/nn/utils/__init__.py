"""Helpers around layers."""

from typing import TYPE_CHECKING as _TYPES

from backburner.nn.utils import rnn as rnn

if not _TYPES:  # or checkers would take any name

    def __getattr__(name: str) -> None:
        from backburner._hints import of_nn

        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}.{of_nn('utils', name, globals())}"
        )
