"""What a tensor holds, and how that leaves for Python and NumPy."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from backburner.autodiff import AutodiffBackend
from backburner.contracts import Array, Shape
from backburner.device import Device
from backburner.dtype import DType
from backburner.errors import ArgumentError, DTypeError, GraphError, ShapeError

_CAST = "astype(dtype)"
_NOT_NEEDED = "the tensor as it is: it never changes"
# What people from elsewhere look for.
_HINTS = {
    "absolute": "abs",
    "addmm": "x @ y + z",
    "amax": "max(axis)",
    "amin": "min(axis)",
    "baddbmm": "x @ y + z",
    "bfloat16": _CAST,
    "bmm": "matmul, or @",
    "bool": _CAST,
    "byte": _CAST,
    "char": _CAST,
    "chunk": "split(size, axis), where size is that of one part",
    "clamp": "clip(min, max)",
    "clone": _NOT_NEEDED,
    "contiguous": _NOT_NEEDED,
    "cpu": "numpy(), or to(device)",
    "cuda": "the CPU: there is nothing else",
    "cumprod": "cumulative_prod(axis)",
    "cumsum": "cumulative_sum(axis)",
    "data": "detach(), or numpy() for the values; nn.init and assign give a parameter others",
    "dim": "ndim",
    "div": "divide, or /",
    "double": _CAST,
    "element_size": "dtype.itemsize",
    "eq": "equal, or ==",
    "expand": "broadcast_to(shape)",
    "expand_as": "broadcast_to(other.shape)",
    "float": _CAST,
    "ge": "greater_equal, or >=",
    "grad_fn": "is_tracked()",
    "gt": "greater, or >",
    "half": _CAST,
    "index_select": "take(indices, axis)",
    "indices": "argmax or argmin: max and min return values alone; argsort beside sort",
    "int": _CAST,
    "is_cuda": "the CPU: there is nothing else",
    "is_floating_point": "bb.isdtype(x.dtype, 'real floating')",
    "is_leaf": "is_require_grad()",
    "le": "less_equal, or <=",
    "long": _CAST,
    "lt": "less, or <",
    "masked_scatter": "bb.where(mask, values, x)",
    "mm": "matmul, or @",
    "movedim": "moveaxis",
    "mul": "multiply, or *",
    "mv": "matmul, or @",
    "narrow": "a slice",
    "ndimension": "ndim",
    "ne": "not_equal, or !=",
    "neg": "negative, or -",
    "nelement": "size",
    "new_empty": "bb.empty(shape, dtype=x.dtype, device=x.device)",
    "new_full": "bb.full(shape, value, dtype=x.dtype, device=x.device)",
    "new_ones": "bb.ones(shape, dtype=x.dtype, device=x.device)",
    "new_tensor": "bb.asarray(values, dtype=x.dtype, device=x.device)",
    "new_zeros": "bb.zeros(shape, dtype=x.dtype, device=x.device)",
    "numel": "size",
    "permute": "permute_dims(axes)",
    "repeat_interleave": "repeat(times, axis)",
    "requires_grad": "is_require_grad(); for a parameter is_frozen",
    "requires_grad_": "require_grad(); for parameters Module.freeze(pattern) and unfreeze",
    "reshape_as": "reshape(other.shape)",
    "retain_grad": "register_hook(f), which is given the gradient",
    "scatter": "at[index].set(values), or scatter_add, scatter_reduce",
    "select": "an index: x[:, i]",
    "short": _CAST,
    "sub": "subtract, or -",
    "swapdims": "swapaxes(a, b)",
    "t": "T",
    "transpose": "swapaxes(a, b)",
    "type": _CAST,
    "type_as": "astype(other.dtype)",
    "unbind": "unstack(axis)",
    "unflatten": "reshape(shape)",
    "unique": "unique_values, unique_counts, unique_inverse or unique_all",
    "unsqueeze": "expand_dims(axis)",
    "values": "the result as it is: max and min return values alone, argmax and argmin where they are",
    "view": "reshape(shape)",
    "view_as": "reshape(other.shape)",
    "where": "bb.where(condition, x, y)",
}


class Held:
    """A primitive and a device: what of ``Tensor`` needs no op."""

    __slots__ = ("_primitive", "device", "__weakref__")

    def __init__(self, primitive: Any, device: Device) -> None:
        """Wrap what a backend returned."""
        self._primitive: Any = np.asarray(primitive) if isinstance(primitive, np.generic) else primitive
        self.device = device

    if not TYPE_CHECKING:  # or checkers would take any name

        def __getattr__(self, name: str) -> NoReturn:
            hint = f" Use {_HINTS[name]}." if name in _HINTS else ""
            if name.endswith("_") and not name.startswith("_") and not hint:
                hint = " Tensors are immutable: use a function that returns another, or nn.init and assign for a parameter."
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}.{hint}")

    @property
    def shape(self) -> Shape:
        """The sizes of the axes."""
        found: Shape = self._primitive.shape
        return found

    @property
    def dtype(self) -> DType:
        """The kind of the elements."""
        found: DType = self._primitive.dtype
        return found

    @property
    def ndim(self) -> int:
        """The number of axes."""
        found: int = self._primitive.ndim
        return found

    @property
    def size(self) -> int:
        """The number of elements."""
        found: int = self._primitive.size
        return found

    def _autodiff(self) -> AutodiffBackend:
        """The device's backend, which is an autodiff one."""
        return cast(AutodiffBackend, self.device.backend)

    def is_autodiff(self) -> bool:
        """Say whether ops on this tensor are recorded."""
        return self.device.is_autodiff()

    def is_tracked(self) -> bool:
        """Say whether it has a graph: it is a leaf, or the result of an op on one."""
        return self.device.is_autodiff() and self._autodiff().is_tracked(self._primitive)

    def _array(self) -> Array:
        """The bare array, whatever the device."""
        held = self._primitive
        return held if isinstance(held, np.ndarray) else self._autodiff().inner(held)

    def numpy(self) -> Array:
        """Return the values as a read-only NumPy array over the same memory, leaving any graph."""
        view = self._array().view()
        view.flags.writeable = False
        return view

    def item(self) -> bool | int | float:
        """Return the one element as a Python number.

        Raises:
            ShapeError: there is not exactly one element.
        """
        if self.size != 1:
            raise ShapeError(f"item: needs exactly one element, got shape {list(self.shape)}. Use tolist.")
        return cast("bool | int | float", self._array().item())

    def tolist(self) -> Any:
        """Return the values as nested lists, of a 0-d tensor as a number."""
        return self._array().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        self._refuse_tracked("np.asarray")
        if dtype is None or np.dtype(dtype) == self.dtype:
            return self._array().copy() if copy else self.numpy()
        if copy is False:
            raise ArgumentError(f"np.asarray: from {self.dtype} to {np.dtype(dtype)} takes a copy.")
        return self._array().astype(dtype)

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        self._refuse_tracked("__dlpack__")
        wanted = {"stream": stream, "max_version": max_version, "dl_device": dl_device, "copy": copy}
        options: Any = wanted if np.lib.NumpyVersion(np.__version__) >= "2.1.0" else {"stream": stream}
        try:
            return self.numpy().__dlpack__(**options)
        except BufferError:
            # A protocol from before 1.0, as NumPy 2.0's, cannot say that an array is read-only.
            if copy is False:
                raise
            return self._array().copy().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, index = self._array().__dlpack_device__()
        return int(kind), int(index)

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        import backburner

        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
            raise ArgumentError(f"__array_namespace__: there is no version {api_version!r}. Use '2024.12'.")
        return backburner

    def _refuse_tracked(self, call: str) -> None:
        if self.is_tracked():
            raise GraphError(
                f"{call}: the tensor is tracked and would lose its graph. Use detach() or numpy()."
            )

    def __bool__(self) -> bool:
        return bool(self._one("bool"))

    def __int__(self) -> int:
        return int(self._one("int"))

    def __float__(self) -> float:
        return float(self._one("float"))

    def __complex__(self) -> complex:
        return complex(self._one("complex"))

    def __format__(self, spec: str) -> str:
        return format(self.item() if spec else str(self), spec)

    def __index__(self) -> int:
        if self.dtype.kind not in "iu":
            raise DTypeError(f"index: needs an integer, got {self.dtype}.")
        return int(self._one("index"))

    def _one(self, call: str) -> bool | int | float:
        if self.size != 1:
            hint = " Use any() or all(), & for and, | for or." if call == "bool" else ""
            raise ShapeError(f"{call}: needs exactly one element, got shape {list(self.shape)}.{hint}")
        return cast("bool | int | float", self._array().item())
