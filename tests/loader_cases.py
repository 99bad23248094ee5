"""Datasets that worker processes import, and so without pytest."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from typing import Any, NamedTuple

import numpy as np

from backburner import threads
from backburner.data import Mapped


class Pair(NamedTuple):
    image: Any
    name: str


class Numbered:
    """Examples that hold their number, in every form that is put together."""

    def __init__(self, n: int = 10) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < self.n:
            raise IndexError(index)
        image = np.full((2, 3), index, np.float32)
        return {"number": index, "half": index / 2, "even": index % 2 == 0, "pair": Pair(image, f"n{index}")}


def noisy(example: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    return {**example, "noise": rng.normal(size=3), "more": rng.integers(0, 2**40)}


def noisier(example: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    return {**example, "noisier": rng.normal(size=3)}


def augmented(n: int = 10) -> Mapped:
    return Mapped(Mapped(Numbered(n), noisy), noisier)


class Careless(Numbered):
    """Draws from the global generators, as old code does."""

    def __getitem__(self, index: int) -> Any:
        return np.random.randint(0, 2**40), random.getrandbits(40), os.getpid()


class Large(Numbered):
    """Batches of more bytes than a pipe holds."""

    def __getitem__(self, index: int) -> Any:
        return np.full(200_000, index, np.float32), np.zeros((0, 3)), np.float64(index)


class Odd(Exception):
    """An exception that cannot be made again from its pickle."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"odd {one + two}")


class Trouble(Numbered):
    """Does something bad at one example."""

    def __init__(self, what: str, at: int = 5, n: int = 10) -> None:
        super().__init__(n)
        self.what = what
        self.at = at

    def __getitem__(self, index: int) -> Any:
        if index == self.at:
            getattr(self, self.what)()
        return index

    def value_error(self) -> None:
        raise ValueError("the file is odd")

    def odd(self) -> None:
        raise Odd(1, 2)

    def exits(self) -> None:
        sys.exit("enough")

    def killed(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def leaves(self) -> None:
        os._exit(3)

    def sleeps(self) -> None:
        time.sleep(600)

    def holds_on(self) -> None:
        """Dies, and leaves a child behind that holds all its pipes open."""
        if os.fork() == 0:
            time.sleep(40)
            os._exit(0)
        os.kill(os.getpid(), signal.SIGKILL)


class Several(Trouble):
    """Raises something else at each of several examples."""

    def __init__(self) -> None:
        super().__init__("", n=5)

    def __getitem__(self, index: int) -> Any:
        {1: self.value_error, 2: self.odd, 3: self.exits}.get(index, int)()
        return index


class Modules:
    """Says whether the compiler of kernels is in the process, and how many threads BLAS uses."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> tuple[bool, int, bool]:
        return "numba" in sys.modules, threads.get_num_threads(), threads.is_deterministic()


class Unreadable:
    """A dataset that can be pickled and not unpickled."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        return index

    def __reduce__(self) -> Any:
        return refuse, ()


def refuse() -> None:
    raise LookupError("the disk is not there")
