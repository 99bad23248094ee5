"""``Parameter`` and ``Buffer``: tensors of a module that stay themselves while their contents change."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np

from backburner._seeds import is_replaying
from backburner._tensor import Tensor
from backburner.autodiff import AutodiffBackend
from backburner.contracts import Array
from backburner.device import Device
from backburner.errors import DTypeError, ShapeError

S = TypeVar("S", bound="State")


class State(Tensor):
    """What a module keeps: it is saved, moves with the module, and can be given new contents."""

    __slots__ = ("_trainable",)
    _trainable: bool

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

    def _view(self: S, device: Device) -> S:
        """Return another object over the same array, on another device."""
        return type(self)._made(self._array(), device, self._trainable)

    @classmethod
    def _made(cls: type[S], array: Array, device: Device, trainable: bool) -> S:
        made = cls.__new__(cls)
        State.__init__(made, Tensor(array, device.without_autodiff()), trainable)
        made._place(device)
        return made

    def __deepcopy__(self: S, memo: dict[int, Any]) -> S:
        copied = type(self)._made(self._array().copy(), self.device, self._trainable)
        memo[id(self)] = copied
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._made, (self._array(), self.device, self._trainable)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({super().__repr__()})"


class Parameter(State):
    """A tensor that training changes: on an autodiff device a leaf, unless it is frozen.

    A step or a load gives it new contents and a new leaf.

    Args:
        data: its first contents, floating.

    Raises:
        DTypeError: ``data`` is not a floating tensor.
    """

    __slots__ = ()

    def __init__(self, data: Tensor) -> None:
        super().__init__(data, trainable=True)
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
    """A tensor that is saved and moved with its module but not trained, such as a running mean.

    When a region is recomputed for the backward pass ``assign`` does nothing: buffers change once.

    Args:
        data: its first contents.
    """

    __slots__ = ()

    def __init__(self, data: Tensor) -> None:
        super().__init__(data, trainable=False)

    def assign(self, array: Array | Tensor) -> None:
        if not is_replaying():
            super().assign(array)
