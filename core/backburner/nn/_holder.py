"""The bases of the containers: entries of one kind, in a row or by name."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

from backburner._tensor import Tensor
from backburner.errors import DTypeError, IndexOutOfRange, MissingKey
from backburner.nn._module import Module
from backburner.nn._parameter import Parameter
from backburner.ops._operands import integer

E = TypeVar("E", bound="Module | Parameter")


def _instead(value: Any, kind: str) -> str:
    """Return what to give in the place of what is no entry."""
    if isinstance(value, type) and issubclass(value, Module):
        return f" Make one of the class: {value.__name__}()."
    if isinstance(value, (list, tuple)):
        return " Give the entries themselves: *entries."
    return " Wrap it in a Module with a forward." if kind == "Module" and callable(value) else ""


class Holder(Module, Generic[E]):
    """Entries of one kind, which are attributes under their names."""

    _kind: ClassVar[type]

    def _entries(self) -> dict[str, E]:
        return {name: cast(E, value) for name, value in vars(self).items() if isinstance(value, self._kind)}

    def _entry(self, value: Any, place: object) -> E:
        """Return what is to become an entry, or refuse it."""
        if self._kind is Parameter and isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        if not isinstance(value, self._kind):
            kind = self._kind.__name__
            raise DTypeError(
                f"{type(self).__name__}: entry {place} is a {type(value).__name__}, not a {kind}.{_instead(value, kind)}"
            )
        return cast(E, value)

    def __len__(self) -> int:
        return len(self._entries())

    def _repr_children(self) -> list[str]:
        shown = [
            f"({name}): Parameter {list(value.shape)} {value.dtype}"
            for name, value in vars(self).items()
            if isinstance(value, Parameter)
        ]
        return [*shown, *super()._repr_children()]


class Uncallable(Holder[E]):
    """Entries that compute nothing, unless a subclass says how."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise DTypeError(
            f"{type(self).__name__}: holds its entries and computes nothing. Call them from the forward of your module."
        )


class Listed(Holder[E]):
    """Entries named ``0``, ``1`` and so on, with what a list can do."""

    def __iter__(self) -> Iterator[E]:
        return iter(self._entries().values())

    def __contains__(self, entry: object) -> bool:
        return any(own is entry for own in self)

    def _place_of(self, index: int) -> int:
        place, length = integer(type(self).__name__, "an index", index), len(self)
        if not -length <= place < length:
            raise IndexOutOfRange(
                f"{type(self).__name__}: index {place} is out of range for {length} entries."
            )
        return place % length

    def _arrange(self, entries: list[E]) -> None:
        """Hold these entries in this order, numbered anew."""
        old = self._entries()
        for name in old:
            del self.__dict__[name]
        known = {id(entry) for entry in old.values()}
        for i, entry in enumerate(entries):
            if (
                id(entry) in known
            ):  # it stays as it is: setting it would freeze it where this module is frozen
                self.__dict__[str(i)] = entry
            else:
                setattr(self, str(i), entry)

    def __setitem__(self, index: int, value: Any) -> None:
        name = list(self._entries())[self._place_of(index)]
        setattr(self, name, self._entry(value, index))

    def __delitem__(self, index: int | slice) -> None:
        entries = list(self)
        del entries[index if isinstance(index, slice) else self._place_of(index)]
        self._arrange(entries)

    def append(self, value: Any) -> Self:
        """Add an entry at the end, and return this module."""
        return self.extend([value])

    def extend(self, values: Iterable[Any]) -> Self:
        """Add entries at the end, and return this module."""
        if not isinstance(values, Iterable):
            raise DTypeError(
                f"{type(self).__name__}.extend: needs several entries, got {type(values).__name__}. Use append."
            )
        length = len(self)
        entries = [self._entry(value, length + i) for i, value in enumerate(values)]
        first = length
        while any(str(first + i) in self.__dict__ for i in range(len(entries))):  # a slice keeps its names
            first += 1
        for i, entry in enumerate(entries):
            setattr(self, str(first + i), entry)
        return self

    def insert(self, index: int, value: Any) -> Self:
        """Put an entry before the one at ``index``, number all anew, and return this module."""
        place, length = integer(type(self).__name__, "an index", index), len(self)
        if not -length <= place <= length:
            raise IndexOutOfRange(
                f"{type(self).__name__}: index {place} is out of range to insert before one of {length} entries."
            )
        entries = list(self)
        entries.insert(place, self._entry(value, place))
        self._arrange(entries)
        return self

    def pop(self, index: int = -1) -> E:
        """Take the entry at ``index`` out and return it; the others are numbered anew."""
        place = self._place_of(index)
        entry = list(self)[place]
        del self[place]
        return entry

    def __iadd__(self, values: Iterable[Any]) -> Self:
        return self.extend(values)

    def _like(self, made: Module) -> None:
        """Give a part of this module its device, and freeze it if this is frozen."""
        object.__setattr__(made, "_device", self._device)
        object.__setattr__(made, "_frozen", self._frozen)


class Keyed(Uncallable[E]):
    """Entries by name, in the order in which they came, with what a dict can do."""

    def __getitem__(self, key: str) -> E:
        entries = self._entries()
        if key not in entries:
            raise MissingKey(
                f"{type(self).__name__}: there is no {key!r}. There are: {', '.join(entries) or 'none'}."
            )
        return entries[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._register("__setitem__", key, self._entry(value, repr(key)), self._kind)

    def __delitem__(self, key: str) -> None:
        self[key]  # refuses a key that is not there
        del self.__dict__[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries())

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._entries())

    def __contains__(self, key: object) -> bool:
        return key in self._entries()

    def keys(self) -> KeysView[str]:
        """Return the names."""
        return self._entries().keys()

    def values(self) -> ValuesView[E]:
        """Return the entries."""
        return self._entries().values()

    def items(self) -> ItemsView[str, E]:
        """Return pairs of a name and its entry."""
        return self._entries().items()

    def get(self, key: str, default: Any = None) -> Any:
        """Return an entry, or ``default`` where there is none of that name."""
        return self._entries().get(key, default)

    def pop(self, key: str) -> E:
        """Take an entry out and return it."""
        entry = self[key]
        del self[key]
        return entry

    def clear(self) -> None:
        """Take all entries out."""
        for name in self._entries():
            del self.__dict__[name]

    def update(self, entries: Mapping[str, Any] | Keyed[E] | Iterable[tuple[str, Any]]) -> None:
        """Set entries by name, from a mapping or from pairs; all of them or, on an error, none."""
        pairs: Any = entries.items() if isinstance(entries, (Mapping, Keyed)) else entries
        before = dict(self.__dict__)
        try:
            for key, value in pairs:
                self[key] = value
        except Exception:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
