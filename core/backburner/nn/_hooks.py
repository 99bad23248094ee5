"""Functions that a module calls before and after its ``forward``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from backburner.errors import DTypeError

if TYPE_CHECKING:
    from backburner.nn._module import Module

Function = Callable[..., Any]


class Hook(NamedTuple):
    """A function, and what it is called with."""

    function: Function
    with_kwargs: bool


class Hooks:
    """The hooks of a module; adding and taking away give other ``Hooks``, so that views keep theirs."""

    __slots__ = ("before", "after")

    def __init__(self, before: tuple[Hook, ...] = (), after: tuple[Hook, ...] = ()) -> None:
        self.before = before
        self.after = after

    def run(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return what ``forward`` returns, or what the hooks make of that."""
        for function, with_kwargs in self.before:
            if with_kwargs:
                given = function(module, args, kwargs)
                if given is not None:
                    args, kwargs = _both(module, given)
            else:
                given = function(module, args)
                if given is not None:
                    args = given if isinstance(given, tuple) else (given,)
        result = module.forward(*args, **kwargs)
        for function, with_kwargs in self.after:
            given = function(module, args, kwargs, result) if with_kwargs else function(module, args, result)
            if given is not None:
                result = given
        return result


def _both(module: Module, given: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if (
        isinstance(given, tuple)
        and len(given) == 2
        and isinstance(given[0], tuple)
        and isinstance(given[1], dict)
    ):
        return given
    raise DTypeError(
        f"{type(module).__name__}: a hook with kwargs returns None or (args, kwargs), not {given!r:.80}."
    )


class RemovableHandle:
    """What registering a hook returns: ``remove()`` takes the hook away, as does leaving a ``with`` block."""

    __slots__ = ("_module", "_hook")

    def __init__(self, module: Module, hook: Hook) -> None:
        self._module = module
        self._hook = hook

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        hooks = self._module._hooks
        if hooks is not None:
            before, after = (
                tuple([hook for hook in kept if hook is not self._hook])
                for kept in (hooks.before, hooks.after)
            )
            object.__setattr__(self._module, "_hooks", Hooks(before, after) if before or after else None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def register(
    module: Module, call: str, function: Any, prepend: bool, with_kwargs: bool, first: bool
) -> RemovableHandle:
    """Add a hook before or after ``forward`` and return its handle."""
    if not callable(function):
        raise DTypeError(f"Module.{call}: a hook is a function, not {function!r:.80}.")
    hook = Hook(function, with_kwargs)
    hooks = module._hooks or Hooks()
    kept = hooks.before if first else hooks.after
    kept = (hook, *kept) if prepend else (*kept, hook)
    object.__setattr__(module, "_hooks", Hooks(kept, hooks.after) if first else Hooks(hooks.before, kept))
    return RemovableHandle(module, hook)
