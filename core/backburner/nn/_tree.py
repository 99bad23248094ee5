"""``Tree``: what is in a module, under which names; the half of ``Module`` that computes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from backburner import _names
from backburner.errors import ArgumentError
from backburner.nn._parameter import Buffer, Parameter, State

if TYPE_CHECKING:
    from backburner.nn._module import Module

T = TypeVar("T")
_PLAIN = frozenset({int, float, bool, str, type(None)})


class Tree:
    """Attributes that are parameters, buffers or modules, also in lists, tuples and dicts, and their names."""

    # -- modules ----------------------------------------------------------------------------------------

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield the modules directly in this one, each once, under its first name."""
        return _once(self._children())

    def children(self) -> Iterator[Module]:
        """Yield the modules directly in this one, each once."""
        return (module for _, module in self.named_children())

    def named_modules(self, prefix: str = "", remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """Yield this module, whose name is empty, and all below it, a module before what is in it.

        Args:
            prefix: put in front of every name, with a dot.
            remove_duplicate: yield a module that is used in several places once, under its first name.
        """
        named = self._walk(prefix)
        return _once(named) if remove_duplicate else named

    def modules(self) -> Iterator[Module]:
        """Yield this module and all below it, each once."""
        return (module for _, module in self.named_modules())

    def get_submodule(self, target: str) -> Module:
        """Return the module of that name below this one; the empty name is this one's.

        Raises:
            ArgumentError: there is none.

        Example:
            >>> from backburner import nn
            >>> nn.Sequential(nn.Sequential(nn.ReLU())).get_submodule("0.0")
            ReLU()
        """
        return _get("get_submodule", target, self._walk(""))

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call a function with every module below this one and then with this one, and return this one.

        Args:
            fn: it gets the modules one by one, a module after what is in it, each once.

        Example:
            >>> from backburner import nn
            >>> def to_zero(module):
            ...     if isinstance(module, nn.Linear):
            ...         nn.init.zeros_(module.weight)
            >>> model = nn.Sequential(nn.Linear(2, 1)).apply(to_zero)
            >>> model[0].weight.tolist()
            [[0.0, 0.0]]
        """
        done: set[int] = set()

        def visit(module: Tree) -> None:
            if id(module) not in done:
                done.add(id(module))
                for _, child in module._children():
                    visit(child)
                fn(cast("Module", module))

        visit(self)
        return self

    # -- parameters and buffers -------------------------------------------------------------------------

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield the parameters, a module's own before those below it.

        Args:
            prefix: put in front of every name, with a dot.
            recurse: yield those below this module too.
            remove_duplicate: yield a parameter with several names, as a tied weight, once, under the first.
        """
        named = self._named_of(Parameter, prefix, recurse)
        return _once(named) if remove_duplicate else named

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield each parameter once; without ``recurse`` only this module's own."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Buffer]]:
        """Yield the buffers, also those that are not saved; the arguments are as in ``named_parameters``."""
        named = self._named_of(Buffer, prefix, recurse)
        return _once(named) if remove_duplicate else named

    def buffers(self, recurse: bool = True) -> Iterator[Buffer]:
        """Yield each buffer once; without ``recurse`` only this module's own."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def named_state(self) -> Iterator[tuple[str, State]]:
        """Yield what is saved, parameters and persistent buffers, under every name it has: a tied one comes again."""
        for name, state in self._named_of(State, "", True):
            if not isinstance(state, Buffer) or state.persistent:
                yield name, state

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter of that name, any of its names if it is tied.

        Raises:
            ArgumentError: there is none.
        """
        return _get("get_parameter", target, self._named_of(Parameter, "", True))

    def get_buffer(self, target: str) -> Buffer:
        """Return the buffer of that name.

        Raises:
            ArgumentError: there is none.
        """
        return _get("get_buffer", target, self._named_of(Buffer, "", True))

    def num_parameters(self) -> int:
        """Count the numbers in all parameters; tied ones once."""
        return sum(parameter.size for parameter in self.parameters())

    def parameter_groups(self, patterns: Iterable[str]) -> dict[str | None, list[str]]:
        """Return which parameters each pattern of names gets: those that it matches and none before it does.

        This is how an optimizer divides them by its ``groups``. A tied parameter is matched under any of its
        names and stands under its first.

        Args:
            patterns: as the shell's, where ``*`` is any text, dots included.

        Returns:
            The names of parameters by pattern; under ``None`` those that no pattern matches, if any.

        Raises:
            ArgumentError: a pattern matches nothing, or nothing that is left for it.

        Example:
            >>> from backburner import nn
            >>> nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3)).parameter_groups(["*.bias", "1.*"])
            {'*.bias': ['0.bias', '1.bias'], '1.*': ['1.weight'], None: ['0.weight']}
        """
        if isinstance(patterns, str):
            patterns = (patterns,)
        firsts = {id(parameter): name for name, parameter in self.named_parameters()}
        named = {
            name: firsts[id(parameter)] for name, parameter in self.named_parameters(remove_duplicate=False)
        }
        left = dict.fromkeys(firsts.values())
        groups: dict[str | None, list[str]] = {}
        for pattern in patterns:
            matched = {named[name] for name in _names.choose("Module.parameter_groups", pattern, named)}
            groups[pattern] = [name for name in left if name in matched]
            if not groups[pattern]:
                raise ArgumentError(
                    f"Module.parameter_groups: all that {pattern!r} matches belongs to patterns before it: "
                    f"{', '.join(sorted(matched))}. Put it first, or leave it out."
                )
            for name in groups[pattern]:
                del left[name]
        if left:
            groups[None] = list(left)
        return groups

    # -- the ways through it ----------------------------------------------------------------------------

    def _named(self) -> Iterator[tuple[str, Module | State]]:
        """Yield what is directly in this module under its name; again, if it is there twice."""
        return parts(vars(self))

    def _children(self) -> Iterator[tuple[str, Module]]:
        for name, part in self._named():
            if isinstance(part, Tree):
                yield name, part

    def _named_of(self, kind: type[T], prefix: str, recurse: bool) -> Iterator[tuple[str, T]]:
        """Yield the states of a kind under every name, a module's parameters before its buffers, as PyTorch does."""
        waiting: list[tuple[str, Tree]] = [(prefix, self)]
        while waiting:  # in the order of `_walk`, which would look at each module twice
            path, module = waiting.pop()
            buffers: list[tuple[str, Any]] = []
            below: list[tuple[str, Tree]] = []
            for name, part in module._named():
                if isinstance(part, Tree):
                    below.append((_joined(path, name), part))
                elif not isinstance(part, kind):
                    continue
                elif isinstance(part, Buffer):
                    buffers.append((_joined(path, name), part))
                else:
                    yield _joined(path, name), part
            yield from buffers
            if recurse:
                waiting += reversed(below)

    def _walk(self, prefix: str) -> Iterator[tuple[str, Module]]:
        """Yield this module and all below it, one that is used twice twice."""
        yield prefix, cast("Module", self)
        for name, child in self._children():
            yield from child._walk(_joined(prefix, name))

    def _everything(self) -> Iterator[Module | State]:
        """Yield this module and all that is in it once, by whatever names it goes."""
        seen: set[int] = set()
        waiting: list[Module | State] = [cast("Module", self)]
        while waiting:
            part = waiting.pop()
            if id(part) not in seen:
                seen.add(id(part))
                yield part
                if isinstance(part, Tree):
                    waiting += [inside for _, inside in parts(vars(part))]


def parts(value: Any, name: str = "") -> Iterator[tuple[str, Module | State]]:
    """Yield the modules and states that ``value`` is, or that are in it if it is a list, a tuple or a dict."""
    if isinstance(value, (Tree, State)):
        yield name, cast("Module | State", value)
    elif isinstance(value, (list, tuple, dict)):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            if entry.__class__ in _PLAIN:  # most of what a module holds: a step looks at it each time
                continue
            if isinstance(entry, (Tree, State)):
                yield _joined(name, str(key)), cast("Module | State", entry)
            elif isinstance(entry, (list, tuple, dict)):
                yield from parts(entry, _joined(name, str(key)))


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _once(entries: Iterator[tuple[str, T]]) -> Iterator[tuple[str, T]]:
    seen: set[int] = set()
    for name, entry in entries:
        if id(entry) not in seen:
            seen.add(id(entry))
            yield name, entry


def _get(op: str, target: str, entries: Iterator[tuple[str, T]]) -> T:
    found = dict(entries)
    if target not in found:
        names = [name for name in found if name]
        some = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
        raise ArgumentError(f"Module.{op}: there is no {target!r}. There are: {some or 'none'}.")
    return found[target]
