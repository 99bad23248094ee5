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
TERMINATED = b"\nTerminated: the step is finished, then all is saved.\n"


class Interrupt:
    """Note the first Ctrl-C inside a ``with``; the second raises ``KeyboardInterrupt`` as usual.

    Outside the main thread, which alone gets the signal, it does nothing.

    Args:
        message: what the first one says.
        terminate: whether the first SIGTERM is noted in the same way. At the end of the ``with`` it comes again,
            to whom it would have come.

    Attributes:
        asked: whether there was one.
    """

    def __init__(self, message: bytes = MESSAGE, terminate: bool = False) -> None:
        self.asked = False
        self._message = message
        self._numbers = [signal.SIGINT, signal.SIGTERM] if terminate else [signal.SIGINT]
        self._before: dict[int, Any] = {}
        self._terminated = False

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in self._numbers:
                # a handler that was not set from Python (None) could not be put back
                if number == signal.SIGINT or signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            if handler is not None:
                signal.signal(number, handler)
        if self._terminated:
            signal.raise_signal(signal.SIGTERM)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGTERM:
            if self._terminated:  # somebody is in a hurry: end as without us
                signal.signal(number, self._before.pop(number))
                signal.raise_signal(signal.SIGTERM)
                return
            self._terminated = True
        elif self.asked:
            raise KeyboardInterrupt
        self.asked = True
        if sys.stderr is not None:  # otherwise 2 may be any file
            with suppress(OSError):  # nobody reads it
                # print would fail where the signal came in the middle of a print
                os.write(2, TERMINATED if number == signal.SIGTERM else self._message)
