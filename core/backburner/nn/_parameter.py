"""``Parameter`` and ``Buffer``: tensors of a module that stay themselves while their contents change."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar, cast

import numpy as np

from backburner._seeds import is_replaying
from backburner._tensor import Tensor
from backburner.autodiff import AutodiffBackend
from backburner.contracts import Array
from backburner.device import Device
from backburner.dtype import DType
from backburner.errors import DTypeError, ShapeError
from backburner.nn._checks import flag

S = TypeVar("S", bound="State")


class _SetElsewhere:
    """An attribute that people from elsewhere set; setting it says what to do instead."""

    def __init__(self, hint: str) -> None:
        self._hint = hint

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, state: object, owner: type | None = None) -> NoReturn:
        raise AttributeError(f"{self._name} is not there. {self._hint}")

    def __set__(self, state: State, value: object) -> NoReturn:
        raise AttributeError(f"{type(state).__name__}: {self._name} cannot be set. {self._hint}")


class State(Tensor):
    """What a module keeps: it is saved, moves with the module, and can be given new contents."""

    __slots__ = ("_trainable",)
    _trainable: bool

    data = _SetElsewhere("Give it new contents with assign(values).")
    requires_grad = _SetElsewhere("Use Module.freeze(pattern) and unfreeze, by module or by parameter.")

    def __init__(self, data: Tensor, trainable: bool) -> None:
        if not isinstance(data, Tensor):
            raise DTypeError(
                f"{type(self).__name__}: needs a Tensor, got {type(data).__name__}. Use bb.tensor."
            )
        super().__init__(data._array(), data.device.without_autodiff())
        self._trainable = trainable
        self._place(data.device)

    def assign(self, array: Array | Tensor) -> None:
        """Take other contents of the same shape and dtype, which nobody will write to.

        A graph recorded before refuses to run backward through this tensor.

        Raises:
            ShapeError: the shape differs.
            DTypeError: the dtype differs.
        """
        if isinstance(array, Tensor):
            array = array._array()
        elif not isinstance(array, (np.ndarray, np.generic)):
            raise DTypeError(
                f"assign: needs a tensor or an array, got {type(array).__name__}. Use bb.tensor."
            )
        array = np.asarray(array)
        if array.shape != self.shape:
            raise ShapeError(
                f"assign: the tensor has shape {list(self.shape)}, the new contents {list(array.shape)}."
            )
        if array.dtype != self.dtype:
            raise DTypeError(
                f"assign: the tensor is {self.dtype}, the new contents {array.dtype}. Use astype."
            )
        self._hold(array, self.device)

    def _place(self, device: Device) -> None:
        """Move to a device; on an autodiff device what is trainable is a leaf there."""
        leaf = device.is_autodiff() and self._trainable
        if device is not self.device or leaf != self.is_tracked():
            self._hold(self._array(), device)

    def _hold(self, array: Array, device: Device) -> None:
        held: Any = array
        if self.is_tracked():
            held = self._autodiff().replace(self._primitive, array)
        backend = cast(AutodiffBackend, device.backend)
        if device.is_autodiff() and self._trainable:
            held = backend.require_grad(held)  # a leaf stays what it is, and has the hooks of the one before
        else:
            held = array
        self._primitive, self.device = held, device

    def _convert(self, dtype: DType) -> None:
        """Take the same values in another dtype."""
        if self.dtype != dtype:
            self._hold(self._array().astype(dtype), self.device)

    def _mark(self) -> bool:
        """Return what a copy needs to know beside array and device: whether it trains, or is saved."""
        return self._trainable

    def _set_mark(self, mark: bool) -> None:
        self._trainable = mark

    def _view(self: S, device: Device) -> S:
        """Return another object over the same array, on another device."""
        return type(self)._made(self._array(), device, self._mark())

    @classmethod
    def _made(cls: type[S], array: Array, device: Device, mark: bool) -> S:
        made = cls.__new__(cls)
        State.__init__(made, Tensor(array, device.without_autodiff()), trainable=False)
        made._set_mark(mark)
        made._place(device)
        return made

    def __deepcopy__(self: S, memo: dict[int, Any]) -> S:
        copied = type(self)._made(self._array().copy(), self.device, self._mark())
        memo[id(self)] = copied
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._made, (self._array(), self.device, self._mark())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({super().__repr__()})"


class Parameter(State):
    """A tensor that training changes: on an autodiff device a leaf, unless it is frozen.

    A step or a load gives it new contents and a new leaf.

    Args:
        data: its first contents, floating.
        requires_grad: whether it trains; without, it is frozen from the start.

    Raises:
        DTypeError: ``data`` is not a floating tensor, or ``requires_grad`` not True or False.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.Parameter(bb.zeros((2,)), requires_grad=False).is_frozen
        True
    """

    __slots__ = ()

    def __init__(self, data: Tensor, requires_grad: bool = True) -> None:
        super().__init__(data, trainable=flag("Parameter", "requires_grad", requires_grad))
        if self.dtype.kind != "f":
            raise DTypeError(f"Parameter: must be floating, got {self.dtype}. Use nn.Buffer for other state.")

    @property
    def is_frozen(self) -> bool:
        """Whether training leaves it alone."""
        return not self._trainable

    def _freeze(self, frozen: bool) -> None:
        self._trainable = not frozen
        self._place(self.device)


class Buffer(State):
    """A tensor that is moved with its module but not trained, such as a running mean.

    When a region is recomputed for the backward pass ``assign`` does nothing: buffers change once.

    Args:
        data: its first contents.
        persistent: whether it is saved and loaded with its module, under PyTorch's name. Leave that off for
            what ``__init__`` makes again, such as a table of positions.

    Raises:
        DTypeError: ``data`` is not a tensor, or ``persistent`` not True or False.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> class Scale(nn.Module):
        ...     def __init__(self):
        ...         self.factor = nn.Buffer(bb.tensor([2.0]))
        >>> list(Scale().state_dict())
        ['factor']
    """

    __slots__ = ("persistent",)
    persistent: bool

    def __init__(self, data: Tensor, persistent: bool = True) -> None:
        super().__init__(data, trainable=False)
        self.persistent = flag("Buffer", "persistent", persistent)

    def _mark(self) -> bool:
        return self.persistent

    def _set_mark(self, mark: bool) -> None:
        self.persistent = mark

    def assign(self, array: Array | Tensor) -> None:
        if not is_replaying():
            super().assign(array)
