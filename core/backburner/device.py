"""``Device``: the hardware a tensor lives on, and whether ops on it are recorded."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn, cast

from backburner import features
from backburner._seeds import SeedStream
from backburner.autodiff import FEATURE, GradientCheckpointing
from backburner.backends.numpy import NumpyBackend
from backburner.dtype import ALL, DEFAULT_FLOAT, DEFAULT_INT, DType, bool_
from backburner.errors import ArgumentError, DeviceError

if TYPE_CHECKING:
    from backburner.backend import Backend

VARIABLE = "BACKBURNER_DEVICE"
_lock = threading.RLock()


class DeviceSettings(NamedTuple):
    """What a device gives to data that names no dtype."""

    float_dtype: DType
    int_dtype: DType
    bool_dtype: DType


class Device:
    """The CPU, plain or with autodiff.

    Devices are interned, so ``is`` compares them; they are immutable, hashable, and pickle. Autodiff is a
    property of the device: what is computed on ``Device.cpu().autodiff()`` can be run backward.

    Attributes:
        kind: the hardware, ``"cpu"``.
        backend: what runs the ops.
        seeds: where the random functions get their seeds, shared by the plain and the autodiff device.

    Args:
        name: the hardware; without one the environment variable ``BACKBURNER_DEVICE`` decides, then ``"cpu"``.

    Example:
        >>> import backburner as bb
        >>> bb.Device() is bb.Device.cpu()
        True
        >>> bb.Device.cpu().is_autodiff()
        False
    """

    __slots__ = ("kind", "backend", "seeds", "_strategy", "__weakref__")
    kind: str
    backend: Backend
    seeds: SeedStream
    _strategy: GradientCheckpointing | None
    _interned: ClassVar[dict[tuple[str, GradientCheckpointing | None], Device]] = {}

    def __new__(cls, name: str | Device | None = None) -> Device:
        if isinstance(name, Device):
            return name
        wanted = os.environ.get(VARIABLE) or "cpu" if name is None else name
        found = cls._interned.get((wanted, None)) if isinstance(wanted, str) else None
        if found is None:
            where = f" ({VARIABLE})" if name is None else ""
            known = ", ".join(d.kind for d in cls.enumerate())
            hint = " For autodiff take Device.cpu().autodiff()." if wanted == "autodiff" else ""
            raise DeviceError(f"Device: there is no {wanted!r}{where}. Use one of: {known}.{hint}")
        return found

    @classmethod
    def _new(
        cls, kind: str, backend: Backend, seeds: SeedStream, strategy: GradientCheckpointing | None
    ) -> Device:
        device = object.__new__(cls)
        values = {"kind": kind, "backend": backend, "seeds": seeds, "_strategy": strategy}
        for slot, value in values.items():
            object.__setattr__(device, slot, value)
        return device

    @classmethod
    def _make(
        cls, kind: str, backend: Backend, seeds: SeedStream, strategy: GradientCheckpointing | None
    ) -> Device:
        with _lock:
            device = cls._interned.get((kind, strategy))
            if device is None:
                device = cls._interned[kind, strategy] = cls._new(kind, backend, seeds, strategy)
            return device

    @classmethod
    def cpu(cls) -> Device:
        """Return the plain CPU device."""
        return cls("cpu")

    @classmethod
    def enumerate(cls) -> list[Device]:
        """List the plain devices of this machine."""
        return [device for (_, strategy), device in cls._interned.items() if strategy is None]

    def autodiff(self) -> Device:
        """Return the same hardware with autodiff enabled; an autodiff device returns itself.

        Raises:
            FeatureError: the `autodiff` feature is not there.
        """
        if self._strategy is not None:
            return self
        return self._with_strategy(GradientCheckpointing.DISABLED, "Device.autodiff")

    def _with_strategy(self, strategy: GradientCheckpointing, call: str) -> Device:
        found = self._interned.get((self.kind, strategy))
        if found is not None:
            return found
        implementation = features.require(FEATURE, call)
        backend = cast("Backend", implementation(self.without_autodiff().backend, strategy))
        return self._make(self.kind, backend, self.seeds, strategy)

    def without_autodiff(self) -> Device:
        """Return the plain device of the same hardware; a plain device returns itself."""
        return self._interned[self.kind, None]

    inner = without_autodiff

    def is_autodiff(self) -> bool:
        """Say whether ops on this device are recorded."""
        return self._strategy is not None

    def gradient_checkpointing(
        self, strategy: GradientCheckpointing | None = None, *, budget_bytes: int | None = None
    ) -> Device:
        """Return the autodiff device with another strategy of what the forward pass keeps.

        Args:
            strategy: by default ``GradientCheckpointing.BALANCED``.
            budget_bytes: instead of a strategy, how many bytes of ops' outputs to keep; the others are computed
                again in the backward pass, those that are cheap for their size first.

        Raises:
            FeatureError: the `autodiff` feature is not there.
            DeviceError: this is a plain device.
            ArgumentError: not a strategy, or both a strategy and a budget.

        Example:
            >>> import backburner as bb
            >>> bb.Device.cpu().autodiff().gradient_checkpointing(budget_bytes=1 << 20)
            Device('cpu', autodiff, budget(1048576))
        """
        if self._strategy is None:
            features.require(FEATURE, "Device.gradient_checkpointing")
            raise DeviceError("Device.gradient_checkpointing requires autodiff; call Device.autodiff first")
        if budget_bytes is not None:
            if strategy is not None:
                raise ArgumentError(
                    "Device.gradient_checkpointing: got a strategy and a budget. Leave one out."
                )
            strategy = GradientCheckpointing.budget(budget_bytes)
        elif strategy is None:
            strategy = GradientCheckpointing.BALANCED
        if not isinstance(strategy, GradientCheckpointing):
            raise ArgumentError(
                f"Device.gradient_checkpointing: {strategy!r} is not a strategy. "
                "Use GradientCheckpointing.BALANCED or GradientCheckpointing.DISABLED."
            )
        return self._with_strategy(strategy, "Device.gradient_checkpointing")

    def gradient_checkpointing_strategy(self) -> GradientCheckpointing | None:
        """Return what the forward pass keeps, ``None`` on a plain device."""
        return self._strategy

    def seed(self, seed: int) -> None:
        """Start the random functions of this hardware anew, from ``seed``."""
        self.seeds.seed(seed)

    def sync(self) -> None:
        """Wait until all work on the device is done: on a CPU it is, when an op returns."""

    def supports_dtype(self, dtype: Any) -> bool:
        """Say whether tensors of ``dtype`` can live here."""
        return dtype is not None and dtype in ALL

    def settings(self) -> DeviceSettings:
        """Return the dtypes for data that names none."""
        return DeviceSettings(DEFAULT_FLOAT, DEFAULT_INT, bool_)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"Device is immutable: {name} cannot be set.")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.kind, self._strategy)

    def __repr__(self) -> str:
        if self._strategy is None:
            return f"Device({self.kind!r})"
        kept = "" if self._strategy == GradientCheckpointing.DISABLED else f", {self._strategy}"
        return f"Device({self.kind!r}, autodiff{kept})"


def _restore(kind: str, strategy: GradientCheckpointing | None) -> Device:
    device = Device(kind)
    return device if strategy is None else device._with_strategy(strategy, "Device.autodiff")


def beside(device: Device, backend: Backend, seeds: SeedStream) -> Device:
    """Return a plain device of the same hardware with another backend and stream, which only its holder knows.

    Where its tensors meet plain ones it wins, so that its backend sees all that comes of what it was given.
    """
    return Device._new(device.kind, backend, seeds, None)


def merge(op: str, x: Device, y: Device) -> Device:
    """Return the device on which operands from two devices meet: autodiff wins over plain.

    Raises:
        DeviceError: other hardware, or two autodiff devices with different strategies.
    """
    if x is y:
        return x
    if x.kind != y.kind:
        raise DeviceError(f"{op}: operands are on {x} and {y}. Move one with to(device).")
    if not x.is_autodiff():
        return x if y is x.without_autodiff() else y  # unequal and both plain: one is `beside` the other
    if not y.is_autodiff():
        return x
    raise DeviceError(
        f"{op}: Gradient checkpointing strategy mismatch: {x._strategy!r} and {y._strategy!r}. "
        "Move one with detach() and to(device)."
    )


Device._make("cpu", NumpyBackend(), SeedStream(), None)
