"""The machine of a pickle: its stack, what it may cost, and the inert values that it builds."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from backburner.record._dtypes import Malformed

OPERATIONS = 4_000_000  # of one pickle; the largest checkpoints need some 10^5
COPIES = 4  # how often all text and bytes of a pickle may be copied by its calls
INTEGER_BYTES = 64  # of one integer; seeds and states of generators have 16
KEY_LIMIT = 2**60  # below it no two integers have the same hash, so that dicts stay quick
TEXT = 16 * 2**20  # bytes of a text in wide letters; arrays in old pickles are in Latin-1
KEY_PARTS = 16  # of a tuple that is a key
TOO_MUCH = "its pickle asks for too much work. It is broken, or made to do harm"


class Global:
    """What stands for a function or a class that a pickle names.

    Args:
        name: its name in full.
        call: what a call of it gives; ``None`` where it is a value alone.
    """

    __slots__ = ("call", "name")

    def __init__(self, name: str, call: Callable[[list[Any]], Any] | None = None) -> None:
        self.name = name
        self.call = call


class Opaque:
    """What stands for an object that weights have no use for, such as the options of a program."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def set_state(self, state: Any) -> None:
        """Forget the state."""


class Dict(dict[Any, Any]):
    """A dict that a class such as OrderedDict made, whose attributes are of no use."""

    __slots__ = ()

    def set_state(self, state: Any) -> None:
        """Forget the attributes, such as the ``_metadata`` of a state dict."""


class Machine:
    """The stack, the marks and the memo of one pickle."""

    __slots__ = ("budget", "copies", "data", "find", "marks", "memo", "persistent", "position", "stack")

    def __init__(
        self,
        data: memoryview,
        position: int,
        find: Callable[[str, str], Global],
        persistent: Callable[[Any], Any],
    ) -> None:
        self.data = data
        self.position = position
        self.find = find
        self.persistent = persistent
        self.budget = OPERATIONS
        self.copies = COPIES * len(data)
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []
        self.memo: dict[int, Any] = {}

    def pay(self, cost: int) -> None:
        self.budget -= cost
        if self.budget < 0:
            raise Malformed(TOO_MUCH)

    # -- bytes ------------------------------------------------------------------------------------------

    def take(self, count: int) -> memoryview:
        end = self.position + count
        if count < 0 or end > len(self.data):
            raise Malformed("its pickle is cut short")
        found = self.data[self.position : end]
        self.position = end
        return found

    def number(self, layout: str) -> Any:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))[0]

    def text(self, count: int) -> str:
        data = self.take(count)
        # One character beyond Latin-1 makes all of a text two or four times as large.
        if count > TEXT and np.frombuffer(data, np.uint8).max() > 0xC3:
            raise Malformed(f"its pickle has a text of {count:,} bytes")
        try:
            return str(data, "utf-8")
        except UnicodeDecodeError:
            raise Malformed("its pickle has text that is not UTF-8") from None

    def line(self, limit: int = 4096) -> str:
        """Return what stands before the next newline, as the operations of protocol 0 have it."""
        window, size, end = b"", 64, -1
        while end < 0 and size < 4 * limit:  # a little at first, as lines are short and files long
            window = bytes(self.data[self.position : self.position + size])
            end = window.find(b"\n")
            size *= 4
        if not 0 <= end < limit:
            raise Malformed("its pickle is cut short, or has a very long line")
        self.position += end + 1
        try:
            return window[:end].decode("utf-8")
        except UnicodeDecodeError:
            raise Malformed("its pickle has text that is not UTF-8") from None

    # -- stack ------------------------------------------------------------------------------------------

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def pop(self) -> Any:
        if not self.stack:
            raise Malformed("its pickle takes more than it made")
        return self.stack.pop()

    def top(self) -> Any:
        if not self.stack:
            raise Malformed("its pickle takes more than it made")
        return self.stack[-1]

    def pop_mark(self) -> list[Any]:
        if not self.marks:
            raise Malformed("its pickle takes more than it made")
        found = self.stack
        self.stack = self.marks.pop()
        return found

    def remember(self, index: int) -> None:
        self.memo[index] = self.top()

    def recall(self, index: int) -> None:
        if index not in self.memo:
            raise Malformed(f"its pickle asks for {index} of its memo, which has no such entry")
        self.push(self.memo[index])

    # -- calls ------------------------------------------------------------------------------------------

    def call(self, function: Any, arguments: Any) -> None:
        if not isinstance(function, Global):
            raise Malformed(f"its pickle calls a {type(function).__name__}. Nothing was executed")
        if function.call is None or type(arguments) is not tuple:
            raise Malformed(f"its pickle calls {function.name} in a way no weights do. Nothing was executed")
        self.charge(arguments)
        self.push(function.call(list(arguments)))

    def charge(self, arguments: tuple[Any, ...]) -> None:
        """Let a call pay for what it looks through and what it copies, which may be the same again and again."""
        self.pay(_length(arguments))
        for inner in arguments:
            if type(inner) is tuple:  # the arguments of another call, perhaps
                self.pay(_length(inner))
        self.copies -= sum(len(x) for x in arguments if isinstance(x, (str, bytes)))
        if self.copies < 0:
            raise Malformed(TOO_MUCH)


def _length(values: tuple[Any, ...]) -> int:
    """Return how many values are in the containers among ``values``."""
    return sum(len(x) for x in values if isinstance(x, (list, tuple, dict, set, frozenset)))


class Key(tuple[Any, ...]):
    """A tuple as a key. Hashes of tuples of numbers can be made equal, which makes dicts slow; those of text cannot."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash(repr([hash(x) if type(x) in (str, bytes) else x for x in self]))


def _is_scalar(value: Any) -> bool:
    kind = type(value)
    return kind in (str, bool, float, bytes) or value is None or kind is int and abs(value) < KEY_LIMIT


def check_key(key: Any) -> Any:
    """Return a key of a dict or an element of a set, if it can be one at little cost."""
    if not _is_scalar(key) and not isinstance(key, Global):
        if type(key) is not tuple or len(key) > KEY_PARTS or not all(map(_is_scalar, key)):
            raise Malformed(f"its pickle has a {type(key).__name__} as a key, which no weights need")
        return Key(key)
    return key


def fill(target: Any, pairs: list[Any]) -> None:
    """Put keys and values that lie side by side into a dict."""
    if not isinstance(target, dict):
        raise Malformed(f"its pickle sets items of a {type(target).__name__}. Nothing was executed")
    if len(pairs) % 2:
        raise Malformed("its pickle has a key without a value")
    for i in range(0, len(pairs), 2):
        target[check_key(pairs[i])] = pairs[i + 1]
