"""``Placed``: where a module is, in which dtype, and which parts of it train."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any, Self, cast

from backburner import _names
from backburner._tensor import Tensor
from backburner.device import Device
from backburner.dtype import canonical
from backburner.errors import DTypeError
from backburner.nn._parameter import Buffer, Parameter, State
from backburner.nn._tree import Tree


class Placed(Tree):
    """A device, set by ``to``, and parts that are frozen."""

    _device: Device | None = None
    _frozen: bool = False

    @property
    def device(self) -> Device:
        """Where the module is: what ``to`` said, before that where its first parameter is."""
        if self._device is not None:
            return self._device
        for _, state in self._named_of(State, "", True):
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
            DTypeError: ``device`` is something else, such as a dtype.
        """
        if not isinstance(device, (Device, str)):
            raise DTypeError(f"Module.to: takes a device, not {device!r:.80}. Use astype for a dtype.")
        device = Device(device)
        for part in self._everything():
            if isinstance(part, State):
                part._place(device)
            else:
                object.__setattr__(part, "_device", device)
        return self

    def astype(self, dtype: Any) -> Self:
        """Convert all floating parameters and buffers, in place, and return the module.

        Each parameter stays the same object, with a new leaf on an autodiff device. An optimizer that has
        taken steps must be made again.

        Args:
            dtype: float32 or float64.

        Raises:
            DTypeError: it is no dtype of floats.

        Example:
            >>> from backburner import nn
            >>> nn.Linear(2, 1).astype("float64").weight.dtype
            dtype('float64')
        """
        wanted = canonical(dtype, "Module.astype")
        if wanted.kind != "f":
            raise DTypeError(f"Module.astype: {wanted} holds no floats. Use float32 or float64.")
        for part in self._everything():
            if isinstance(part, State) and part.dtype.kind == "f":
                part._convert(wanted)
        return self

    def float(self) -> Self:
        """Return ``astype(float32)``."""
        return self.astype("float32")

    def double(self) -> Self:
        """Return ``astype(float64)``."""
        return self.astype("float64")

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
            if isinstance(value, Placed):
                return copied(value)
            if isinstance(value, Tensor) and not device.is_autodiff():
                return value.inner()
            if not isinstance(value, (list, tuple, dict)):
                return value
            entries = list(value.values()) if isinstance(value, dict) else list(value)
            seen = [seen_on(entry) for entry in entries]
            if all(new is old for new, old in zip(seen, entries, strict=True)):
                return value
            if isinstance(value, dict):
                return dict(zip(value, seen, strict=True))
            make = cast(Callable[..., Any], type(value))
            return make(*seen) if hasattr(value, "_fields") else make(seen)

        def copied(module: Placed) -> Any:
            view = memo[id(module)] = object.__new__(type(module))
            view.__dict__.update({name: seen_on(value) for name, value in vars(module).items()})
            view.__dict__["_device"] = device
            if keep_mode and not module.training:
                view.__dict__["_frozen"] = True  # the mode alone: its parameters are leaves
            return view

        return copied(self)  # type: ignore[no-any-return]

    def freeze(self, *patterns: str) -> Self:
        """Keep parameters as they are, and modules in inference mode, while the rest trains.

        Args:
            patterns: names of modules and of parameters, as a shell's patterns, where ``*`` is any text, dots
                included. A module is frozen whole, with all below it: its dropout does nothing and its batch
                statistics stay. Of a parameter that is matched alone only the contents stay. Without a
                pattern this module is frozen whole.

        Returns:
            The module.

        Raises:
            ArgumentError: a pattern matches nothing; then nothing is frozen.

        Example:
            >>> from backburner import nn
            >>> model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Linear(2, 1))
            >>> _ = model.freeze("[01]", "*.bias")
            >>> [name for name, p in model.named_parameters() if not p.is_frozen]
            ['2.weight']
        """
        return self._set_frozen("freeze", patterns, True)

    def unfreeze(self, *patterns: str) -> Self:
        """Let modules and parameters train again; the patterns are as in ``freeze``, and the last call counts."""
        return self._set_frozen("unfreeze", patterns, False)

    def _set_frozen(self, call: str, patterns: tuple[str, ...], frozen: bool) -> Self:
        for chosen in self._chosen(call, patterns):
            for part in chosen._everything() if isinstance(chosen, Placed) else (chosen,):
                if isinstance(part, Placed):
                    object.__setattr__(part, "_frozen", frozen)
                elif isinstance(part, Parameter):
                    part._freeze(frozen)
        return self

    def _chosen(self, call: str, patterns: tuple[str, ...]) -> list[Placed | State]:
        if not patterns:
            return [self]
        named: dict[str, Placed | State] = {
            name: module for name, module in self.named_modules(remove_duplicate=False) if name
        }
        named.update(self.named_parameters(remove_duplicate=False))
        chosen: list[Placed | State] = []
        for pattern in patterns:
            chosen += [named[name] for name in _names.choose(f"Module.{call}", pattern, named)]
            if fnmatchcase("", pattern):
                chosen.append(self)
        return chosen
