"""Where random ops get their seeds, and how a recomputation gets the same ones again.

A random op is a pure function of a seed. Seeds come from a stream, so that ``device.seed(0)`` decides
every later draw, and the state of a stream is two integers.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from backburner.errors import ArgumentError, GraphError

_MASK = (1 << 64) - 1
_tape = (
    threading.local()
)  # .seeds: the lists that this thread's draws are noted in; .replay: where they come from


class SeedStream:
    """A stream of 64-bit seeds that its own seed decides; one that nobody seeded starts at random."""

    def __init__(self, seed: int | None = None) -> None:
        self._lock = threading.Lock()
        self.seed(int.from_bytes(os.urandom(8), "little") if seed is None else seed)

    def seed(self, seed: int) -> None:
        """Start anew from ``seed``, a non-negative int below 2^64."""
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= _MASK:
            raise ArgumentError(f"seed: {seed!r} is not an integer in [0, 2^64).")
        with self._lock:
            self._seed, self._count = seed, 0

    def next(self) -> int:
        """Return the next seed; inside ``replaying`` the one that was drawn the first time."""
        replay = getattr(_tape, "replay", None)
        if replay is None:
            with self._lock:
                self._count += 1
                seed = _mix(self._seed, self._count)
        else:
            try:
                seed = next(replay)
            except StopIteration:
                raise GraphError(
                    "checkpoint: the region draws more random numbers than at first. It must do the same each time."
                ) from None
        for seeds in getattr(_tape, "seeds", ()):
            seeds.append(seed)
        return seed

    @property
    def state(self) -> tuple[int, int]:
        """The seed and how many were drawn since: all there is to restore."""
        with self._lock:
            return self._seed, self._count

    @state.setter
    def state(self, state: tuple[int, int]) -> None:
        with self._lock:
            self._seed, self._count = state

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), *self.state)


def _restored(kind: type[SeedStream], seed: int, count: int) -> SeedStream:
    stream = kind(seed)
    stream.state = seed, count
    return stream


def _mix(seed: int, count: int) -> int:
    """SplitMix64 (Steele, Lea, Flood 2014): well-spread values from a counter."""
    z = (seed + count * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


@contextmanager
def recording() -> Iterator[list[int]]:
    """Collect the seeds that this thread draws."""
    seeds: list[int] = []
    outer = getattr(_tape, "seeds", ())
    _tape.seeds = (*outer, seeds)
    try:
        yield seeds
    finally:
        _tape.seeds = outer


@contextmanager
def replaying(seeds: list[int]) -> Iterator[None]:
    """Give this thread the seeds of a recorded run again."""
    outer = getattr(_tape, "replay", None), getattr(_tape, "seeds", ())
    _tape.replay, _tape.seeds = iter(seeds), ()
    try:
        yield
        if next(_tape.replay, None) is not None:
            raise GraphError(
                "checkpoint: the region draws fewer random numbers than at first. It must do the same each time."
            )
    finally:
        _tape.replay, _tape.seeds = outer


def is_replaying() -> bool:
    """Say whether this thread recomputes a region, so that buffers which the first run changed stay."""
    return getattr(_tape, "replay", None) is not None
