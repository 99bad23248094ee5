"""Which of the mappings in a checkpoint holds the weights, and its tensors under one name each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from backburner.record._arrays import NumPyArray
from backburner.record._dtypes import Malformed, raw_dtype
from backburner.record._format import ALIASES, product, quoted, short
from backburner.record._machine import TOO_MUCH
from backburner.record._tensors import Refused, Tensor

USUAL = (
    "state_dict", "model_state_dict", "model", "module", "net", "network", "weights", "params", "params_ema",
    "ema", "ema_state_dict", "model_ema", "state_dict_ema", "generator", "backbone",
)  # fmt: skip
"""Where training scripts put the weights, beside the epoch, the optimizer and so on."""

VISITS = 10_000_000  # of values in containers
NAMES = 64 * 2**20  # characters of all names together, with
NAME = 240  # as many more for each
DEPTH = 100  # of containers in containers
SPARE = 256 * 2**20  # bytes that tensors may take beyond twice the storages, which they may share
_TEXT = 200  # characters of a value that is kept as metadata

Leaf = Tensor | Refused | NumPyArray


class Weights(NamedTuple):
    """The tensors of a checkpoint.

    Attributes:
        tensors: by name.
        aliases: the names of tied tensors, and under which name each stands in ``tensors``.
        orders: of NumPy's arrays, which have their own, the byte order.
        metadata: numbers and text beside them.
        key: the mapping that they are in, such as ``state_dict``; empty if it is the whole.
        choices: which there were to choose from.
    """

    tensors: dict[str, Tensor]
    aliases: dict[str, str]
    orders: dict[str, Literal["<", ">"]]
    metadata: dict[str, str]
    key: str
    choices: tuple[str, ...]


class _Visits:
    def __init__(self) -> None:
        self.left = VISITS

    def pay(self, cost: int = 1) -> None:
        self.left -= cost
        if self.left < 0:
            raise Malformed(TOO_MUCH)


def _children(value: Any) -> Iterator[tuple[Any, Any]] | None:
    if isinstance(value, dict):
        return iter(value.items())
    if type(value) in (list, tuple):
        return iter(enumerate(value))
    return None


def _holds_tensors(value: Any, visits: _Visits) -> bool:
    waiting, seen = [value], {id(value)}
    while waiting:
        found = waiting.pop()
        visits.pay()
        if isinstance(found, Leaf):
            return True
        for _, child in _children(found) or ():
            visits.pay()
            if id(child) not in seen:
                seen.add(id(child))
                waiting.append(child)
    return False


def _choose(root: Any, key: str | None, visits: _Visits) -> tuple[Any, str, tuple[str, ...]]:
    """Return the mapping to take, its key, and all keys there are."""
    if isinstance(root, Leaf):
        return {"tensor": root}, "", ()
    if not isinstance(root, dict):
        if _children(root) is None or not _holds_tensors(root, visits):
            raise Malformed(f"it holds a {type(root).__name__} without tensors")
        keys: tuple[str, ...] = ()
    else:
        keys = tuple(
            name
            for name, value in root.items()
            if type(name) is str and not isinstance(value, Leaf) and _holds_tensors(value, visits)
        )
    if key is not None:
        return _at(root, key, keys, visits), key, keys
    if not isinstance(root, dict):
        return root, "", keys
    direct = any(isinstance(value, Leaf) for value in root.values())
    usual = [name for name in keys if name in USUAL]
    if not keys and not direct and root and not _holds_tensors(root, visits):
        raise Malformed("it holds a dict without tensors")
    if not keys or direct and not usual:
        return root, "", keys
    if len(usual) == 1 or not usual and len(keys) == 1:
        name = (usual or keys)[0]
        return root[name], name, keys
    raise Malformed(f"it holds several mappings of tensors. Say which by key=: {_listed(usual or keys)}")


def _listed(keys: Any) -> str:
    shown = [repr(key[:80]) for key in keys[:12]]
    return ", ".join(shown) + (", ..." if len(keys) > 12 else "")


def _at(root: Any, key: str, keys: tuple[str, ...], visits: _Visits) -> Any:
    value, rest = root, key
    while rest:
        here: dict[Any, Any] = dict(_children(value) or ())
        names = {name if type(name) is str else str(name): name for name in here if type(name) in (str, int)}
        part = rest if rest in names else next((p for p in _prefixes(rest) if p in names), None)
        if part is None:
            there = (
                f"There are: {_listed(keys)}"
                if keys
                else "Its tensors are in no mapping by name: leave key out"
            )
            raise Malformed(f"it has nothing at key={short(repr(key))}. {there}")
        value, rest = here[names[part]], rest[len(part) + 1 :]
    if _children(value) is None or not _holds_tensors(value, visits):
        there = f". There are: {_listed(keys)}" if keys else ""
        raise Malformed(f"what it has at key={short(repr(key))} holds no tensors{there}")
    return value


def _prefixes(key: str) -> list[str]:
    parts = key.split(".")[:DEPTH]
    return [".".join(parts[:i]) for i in range(len(parts) - 1, 0, -1)]


def weights(root: Any, key: str | None, everything: bool = False) -> Weights:
    """Find the weights in the object that a checkpoint holds.

    Args:
        root: the object, whose tensors are descriptions.
        key: which mapping to take, a path with dots; by default the one under a usual name, if there is one.
        everything: take all of it where there is a choice and no ``key``.

    Raises:
        Malformed: there are none, or several and no ``key``, or a tensor of a kind that there is no array for.
    """
    visits = _Visits()
    try:
        chosen, key, keys = _choose(root, key, visits)
    except Malformed:
        if not everything or key is not None or not isinstance(root, dict):
            raise
        chosen, key, keys = root, "", tuple(name for name in root if type(name) is str)
    tensors: dict[str, Tensor] = {}
    aliases: dict[str, str] = {}
    orders: dict[str, Literal["<", ">"]] = {}
    first: dict[object, str] = {}
    odd = False
    for name, leaf in _flat(chosen, visits):
        if isinstance(leaf, Refused):
            raise Malformed(f"tensor {quoted(name)} {leaf.what}")
        tensor = leaf.tensor if isinstance(leaf, NumPyArray) else leaf
        if tensor is None:
            odd = True
            continue  # an array of text or of objects is no weight
        if name in tensors or name in aliases:
            raise Malformed(f"it has two tensors called {quoted(name)}")
        known = name if tensor.place is None else first.setdefault(tensor.place, name)
        if known != name:
            aliases[name] = known
            continue
        tensors[name] = tensor
        if isinstance(leaf, NumPyArray):
            orders[name] = leaf.order
    if not tensors and odd:
        raise Malformed("its arrays are of neither numbers nor bools")
    _check_room(tensors)
    return Weights(tensors, aliases, orders, _metadata(root), key, keys)


def _flat(root: Any, visits: _Visits) -> Iterator[tuple[str, Leaf]]:
    """Yield the tensors in containers, under the keys on the way to them, joined by dots."""
    characters = 0
    waiting: list[tuple[str, Iterator[tuple[Any, Any]]]] = [("", _children(root) or iter(()))]
    while waiting:
        prefix, entries = waiting[-1]
        entry = next(entries, None)
        if entry is None:
            waiting.pop()
            continue
        visits.pay()
        key, value = entry
        children = _children(value)
        if children is None and not isinstance(value, Leaf):
            continue
        if type(key) not in (str, int):
            kind = "tuple" if isinstance(key, tuple) else type(key).__name__
            raise Malformed(f"it has a tensor under a key that is a {kind}")
        name = f"{prefix}.{key}" if waiting[1:] else str(key)
        characters += NAME + len(name)
        if characters > NAMES:
            raise Malformed(TOO_MUCH)
        if isinstance(value, Leaf):
            yield name, value
        elif children is not None:
            if len(waiting) > DEPTH:
                raise Malformed("its containers are nested too deeply, or within themselves")
            waiting.append((name, children))


def _check_room(tensors: Mapping[str, Tensor]) -> None:
    blocks: dict[object, int] = {}
    total = wide = 0
    for tensor in tensors.values():
        storage = tensor.storage
        size = (storage.offset + storage.size) * storage.itemsize
        key = storage.key if storage.data is None else id(storage.data)
        blocks[key] = max(size, blocks.get(key, 0))
        total += product(tensor.shape) * raw_dtype(tensor.dtype).itemsize
        wide += product(tensor.shape) * 4 if tensor.dtype.startswith(("F8", "F16", "BF16")) else 0
    stored = sum(blocks.values())
    if total > 2 * stored + SPARE or wide > 8 * stored + SPARE:
        raise Malformed(
            f"its tensors take {short(total)} bytes, and there are only {stored:,} of them in the file"
        )


def _metadata(root: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in root.items() if isinstance(root, dict) else ():
        if type(name) is str and name != ALIASES and type(value) in (str, int, float, bool):
            text = str(value)
            if len(name) <= _TEXT and len(text) <= _TEXT:
                found[name] = text
    return found
