"""``Module``: parameters, buffers and other modules under names, and the function they are for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from backburner._tensor import Tensor
from backburner.device import Device
from backburner.errors import ArgumentError, DTypeError, GraphError
from backburner.nn._parameter import Buffer, Parameter, State

if TYPE_CHECKING:
    from backburner.record import LoadReport

T = TypeVar("T")
# What people from elsewhere call, and what there is instead.
_SWITCH = " There is no switch: a module trains on an autodiff device, see Module.to, valid and freeze."
_HINTS = {
    "forward": " Define forward in the class.",
    "eval": _SWITCH,
    "train": _SWITCH,
    "zero_grad": " There is nothing to reset: each backward returns its own gradients.",
    "cuda": " There is the CPU alone.",
}


class Module:
    """The base of layers and models.

    Attributes that are parameters, buffers or modules, or lists, tuples and dicts of these, belong to the
    module, under PyTorch's names: ``0.weight``, ``encoder.bias``. A subclass sets them in its ``__init__``
    and defines ``forward``.

    A module trains when its own device is an autodiff device and it is not frozen; ``to`` sets the device,
    also of modules without parameters. There is no other switch.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> class Net(nn.Module):
        ...     def __init__(self):
        ...         self.hidden = nn.Linear(4, 8)
        ...         self.out = nn.Linear(8, 2)
        ...
        ...     def forward(self, x):
        ...         return self.out(self.hidden(x).relu())
        >>> net = Net()
        >>> net(bb.ones((3, 4))).shape, net.num_parameters()
        ((3, 2), 58)
    """

    _device: Device | None = None
    _frozen: bool = False

    forward: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run ``forward``."""
        return self.forward(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        hint = _HINTS.get(name, "")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}.{hint}")

    def __setattr__(self, name: str, value: Any) -> None:
        old = self.__dict__.get(name)
        if isinstance(old, State) and value is not None and not isinstance(value, State):
            kind = type(old).__name__
            raise DTypeError(
                f"{type(self).__name__}: {name} is a {kind} and stays one. Use {name}.assign(values), or set a "
                f"new nn.{kind}."
            )
        for _, part in _parts(value, ""):
            if isinstance(part, Module):
                if part is self or any(module is self for _, module in part.named_modules()):
                    raise ArgumentError(
                        f"{type(self).__name__}: {name} would make the module a part of itself."
                    )
                if self._device is not None:
                    part.to(self._device)
                if self._frozen:
                    part.freeze()
            else:
                if self._frozen and isinstance(part, Parameter):
                    part._freeze(True)
                if self._device is not None:
                    part._place(self._device)
        object.__setattr__(self, name, value)

    # -- what is in it ----------------------------------------------------------------------------------

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield the modules that are attributes, or in lists and dicts that are."""
        for name, part in _parts(vars(self), ""):
            if isinstance(part, Module):
                yield name, part

    def _own_state(self) -> Iterator[tuple[str, State]]:
        for name, part in _parts(vars(self), ""):
            if isinstance(part, State):
                yield name, part

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """Yield this module, whose name is empty, and all below it, each once."""
        seen: set[int] = set()
        for name, module in _walk(self, prefix):
            if id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def named_state(self) -> Iterator[tuple[str, State]]:
        """Yield every parameter and buffer under every name it has: a tied one comes again."""
        for prefix, module in _walk(self, ""):
            for name, state in module._own_state():
                yield f"{prefix}.{name}" if prefix else name, state

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """Yield each parameter once, under its first name."""
        return _once(self.named_state(), Parameter)

    def named_buffers(self) -> Iterator[tuple[str, Buffer]]:
        """Yield each buffer once, under its first name."""
        return _once(self.named_state(), Buffer)

    def parameters(self) -> Iterator[Parameter]:
        """Yield each parameter once."""
        return (parameter for _, parameter in self.named_parameters())

    def num_parameters(self) -> int:
        """Count the numbers in all parameters; tied ones once."""
        return sum(parameter.size for parameter in self.parameters())

    def state_dict(self) -> dict[str, Tensor]:
        """Return the contents of all parameters and buffers as plain tensors, under PyTorch's keys."""
        return {name: state.inner() if state.is_autodiff() else Tensor(state._primitive, state.device)
                for name, state in self.named_state()}  # fmt: skip

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> LoadReport:
        """Give parameters and buffers the contents of ``state``, all or none; see ``bb.load``.

        Args:
            state: tensors or NumPy arrays by name.
            strict: refuse missing and unexpected names and other shapes.

        Returns:
            A ``LoadReport`` of what was missing, unexpected, mismatched or converted.

        Raises:
            DTypeError: ``state`` is no mapping.
            RecordError: something does not fit, under ``strict``.
        """
        from backburner.record import load

        if not isinstance(state, Mapping):
            raise DTypeError(
                f"Module.load_state_dict: takes arrays by name, not {state!r:.80}. Use bb.load for a file."
            )
        return load(self, state, strict=strict)

    # -- where it is and whether it trains --------------------------------------------------------------

    @property
    def device(self) -> Device:
        """Where the module is: what ``to`` said, before that where its first parameter is."""
        if self._device is not None:
            return self._device
        for _, state in self.named_state():
            return state.device
        return Device()

    @property
    def training(self) -> bool:
        """Whether the module trains: its device is an autodiff device and it is not frozen."""
        return not self._frozen and self.device.is_autodiff()

    def to(self, device: Device) -> Self:
        """Move the module and all in it, in place, and return it.

        On an autodiff device its parameters are leaves, and it trains.

        Raises:
            DeviceError: there is no such device.
        """
        device = Device(device)
        for _, module in self.named_modules():
            object.__setattr__(module, "_device", device)
            for _, state in module._own_state():
                state._place(device)
        return self

    def valid(self) -> Self:
        """Return a snapshot over the same weights on the plain device, for evaluation, without a copy.

        What later changes this module, a step or a load, does not change the snapshot: take another then.
        """
        return self._view(self.device.without_autodiff())

    def _view(self, device: Device, keep_mode: bool = False) -> Self:
        """Return the same tree over the same weights on another device.

        Args:
            device: where the parameters are.
            keep_mode: neither train on an autodiff device, if this module does not, nor have other buffers.
        """
        memo: dict[int, Any] = {}

        def seen_on(value: Any) -> Any:
            if id(value) in memo:
                return memo[id(value)]
            if isinstance(value, Buffer) and keep_mode:
                return value
            if isinstance(value, State):
                view = memo[id(value)] = value._view(device)
                return view
            if isinstance(value, Module):
                return copied(value)
            if isinstance(value, Tensor) and not device.is_autodiff():
                return value.inner()
            if not any(True for _ in _parts(value, "")):
                return value
            if isinstance(value, dict):
                return {key: seen_on(v) for key, v in value.items()}
            entries = [seen_on(v) for v in value]
            make = cast(Callable[..., Any], type(value))
            return make(*entries) if hasattr(value, "_fields") else make(entries)

        def copied(module: Module) -> Any:
            view = memo[id(module)] = object.__new__(type(module))
            view.__dict__.update({name: seen_on(value) for name, value in vars(module).items()})
            view.__dict__["_device"] = device
            if keep_mode and not module.training:
                view.__dict__["_frozen"] = True  # the mode alone: its parameters are leaves
            return view

        return copied(self)  # type: ignore[no-any-return]

    def freeze(self) -> Self:
        """Keep the parameters as they are and the module in inference mode while the rest trains."""
        return self._set_frozen(True)

    def unfreeze(self) -> Self:
        """Let the module train again."""
        return self._set_frozen(False)

    def _set_frozen(self, frozen: bool) -> Self:
        for _, module in self.named_modules():
            object.__setattr__(module, "_frozen", frozen)
            for _, state in module._own_state():
                if isinstance(state, Parameter):
                    state._freeze(frozen)
        return self

    # -- copying and showing ----------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        for name, value in vars(self).items():
            if isinstance(value, Tensor) and value.is_tracked() and not value.is_require_grad():
                raise GraphError(
                    f"{type(self).__name__}: the attribute {name!r} is the result of a recorded op and cannot be "
                    "copied or pickled. Keep its detach(), or delete it."
                )
        return vars(self)

    def extra_repr(self) -> str:
        """Return the options that ``repr`` shows."""
        return ""

    def __repr__(self) -> str:
        lines = [f"  ({name}): " + repr(child).replace("\n", "\n  ") for name, child in self.named_children()]
        options = self.extra_repr()
        if not lines:
            return f"{type(self).__name__}({options})"
        return "\n".join([f"{type(self).__name__}({options}", *lines, ")"])


def _parts(value: Any, name: str) -> Iterator[tuple[str, Module | State]]:
    """Yield the modules and states that ``value`` is, or that are in it if it is a list, a tuple or a dict."""
    if isinstance(value, (Module, State)):
        yield name, value
    elif isinstance(value, (list, tuple, dict)):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _parts(entry, f"{name}.{key}" if name else str(key))


def _walk(module: Module, prefix: str) -> Iterator[tuple[str, Module]]:
    """Yield a module and all below it, one that is used twice twice."""
    yield prefix, module
    for name, child in module.named_children():
        yield from _walk(child, f"{prefix}.{name}" if prefix else name)


def _once(entries: Iterator[tuple[str, Any]], kind: type[T]) -> Iterator[tuple[str, T]]:
    seen: set[int] = set()
    for name, entry in entries:
        if isinstance(entry, kind) and id(entry) not in seen:
            seen.add(id(entry))
            yield name, entry
