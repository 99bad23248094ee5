"""Ctrl-C as a wish: the loop looks for it where it can stop."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Self

MESSAGE = b"\nInterrupted: the step is finished, then the weights are saved. Ctrl-C again stops at once.\n"


class Interrupt:
    """Note the first Ctrl-C inside a ``with``; the second raises ``KeyboardInterrupt`` as usual.

    Outside the main thread, which alone gets the signal, it does nothing.

    Attributes:
        asked: whether there was one.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        if sys.stderr is not None:  # otherwise 2 may be any file
            with suppress(OSError):  # nobody reads it
                os.write(2, MESSAGE)  # print would fail where the signal came in the middle of a print
