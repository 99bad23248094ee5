"""Random streams of examples: which numbers an example gets depends on its epoch and place alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


class _Current(threading.local):
    """The example that this thread is making: its key, and how many streams it has handed out."""

    key: tuple[int, ...] | None = None
    handed_out = 0


_current = _Current()


@contextmanager
def example(*key: int) -> Iterator[None]:
    """Make an example whose streams the key decides: seed, epoch, and its place in the epoch."""
    before = _current.key, _current.handed_out
    _current.key, _current.handed_out = key, 0
    try:
        yield
    finally:
        _current.key, _current.handed_out = before


def is_making() -> bool:
    """Say whether an example is being made in this thread."""
    return _current.key is not None


def generator() -> np.random.Generator:
    """Return the next stream of the example that is being made."""
    place = _current.handed_out
    _current.handed_out += 1
    assert _current.key is not None
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(_current.key, spawn_key=(place,))))
