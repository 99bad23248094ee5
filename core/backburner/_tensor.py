"""``Tensor``: an immutable array on a device, with operators, methods and the way to its gradients.

The methods come from ``backburner.ops``, which looks the class up here when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn, cast

import numpy as np

from backburner import features
from backburner._gradients import Gradients as Gradients
from backburner._gradients import cotangent, known_gradients, on_arrays
from backburner._held import Held
from backburner._methods import Elementwise
from backburner.autodiff import FEATURE, AutodiffBackend
from backburner.contracts import Array
from backburner.device import Device
from backburner.errors import ArgumentError, DeviceError, DTypeError, GraphError, ShapeError
from backburner.ops import (
    activation,
    comparison,
    creation,
    indexing,
    linalg,
    reduction,
    scan,
    sorting,
    windows,
)
from backburner.ops import shape as shaping
from backburner.ops.creation import tensor as tensor


class Tensor(Held, Elementwise):
    """An array that never changes, on a device. Make one with ``bb.tensor`` or ``bb.asarray``.

    Attributes:
        device: where it lives, and whether ops on it are recorded.
    """

    __slots__ = ()
    __array_ufunc__ = None  # so that `ndarray * tensor` comes here and loses no gradient
    __hash__ = object.__hash__

    # -- what it is ------------------------------------------------------------------------------------

    @property
    def at(self) -> indexing.At:
        """Names elements for a new tensor that differs there: ``x.at[index].set(values)``, or ``add``,
        ``multiply``, ``min``, ``max``."""
        return indexing.At(self)

    @property
    def T(self) -> Tensor:  # the standard's name
        """The transpose of a matrix."""
        if self.ndim != 2:
            raise ShapeError(f"T: needs two dimensions, got {list(self.shape)}. Use mT or permute_dims.")
        return shaping.matrix_transpose(self)

    @property
    def mT(self) -> Tensor:  # the standard's name
        """The tensor with its last two axes exchanged."""
        return shaping.matrix_transpose(self)

    def __repr__(self) -> str:
        text = np.array2string(self._array(), separator=", ", prefix="tensor(", threshold=100, edgeitems=3)
        parts = [text]
        if self.dtype not in (np.float32, np.int64, np.bool_) or self.size == 0:
            parts.append(f"dtype={self.dtype}")
        if self.size == 0 and self.ndim != 1:
            parts.append(f"shape={self.shape}")
        if self.is_autodiff():
            parts.append("require_grad" if self.is_require_grad() else f"device={self.device!r}")
        return f"tensor({', '.join(parts)})"

    def __len__(self) -> int:
        if not self.shape:
            raise DTypeError("len: the tensor is 0-d.")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    # -- device and autodiff ----------------------------------------------------------------------------

    def _recording(self, call: str, remedy: str = "move it: x.to(x.device.autodiff())") -> AutodiffBackend:
        """The backend of an autodiff device; else the first reason why not: feature, then device."""
        if not self.device.is_autodiff():
            features.require(FEATURE, call)
            raise DeviceError(
                f"{call}: the tensor is on {self.device}, where nothing is recorded. "
                f"Call Device.autodiff and {remedy}."
            )
        return self._autodiff()

    def is_require_grad(self) -> bool:
        """Say whether it is a leaf that ``require_grad`` marked."""
        return self.device.is_autodiff() and self._autodiff().is_leaf(self._primitive)

    def require_grad(self) -> Tensor:
        """Return a tracked leaf over the same array; a leaf returns itself.

        Raises:
            FeatureError: the `autodiff` feature is not there.
            DeviceError: the tensor is on a plain device.
            DTypeError: it is not floating.
            GraphError: it is the result of an op.
        """
        backend = self._recording("Tensor.require_grad")
        leaf = backend.require_grad(self._primitive)
        return self if leaf is self._primitive else Tensor(leaf, self.device)

    def backward(self, gradient: Tensor | None = None, retain_graph: bool = False) -> Gradients:
        """Run the graph that made this tensor backward, and return the gradients of its leaves.

        Args:
            gradient: the cotangent of this tensor, of its shape and dtype; by default ones, so that a
                non-scalar is differentiated as its sum.
            retain_graph: keep the graph for another backward; otherwise it is consumed.

        Raises:
            FeatureError: the `autodiff` feature is not there.
            DeviceError: the tensor is on a plain device.
            GraphError: it has no graph, or part of that is consumed, or a parameter in it was replaced.

        Example:
            >>> import backburner as bb
            >>> x = bb.tensor([1.0, 2.0], device=bb.Device.cpu().autodiff()).require_grad()
            >>> (x * x).sum().backward()[x].tolist()
            [2.0, 4.0]
        """
        before = (
            "move the model or the leaves there before they compute: model.to(bb.Device.cpu().autodiff())"
        )
        backend = self._recording("Tensor.backward", before)
        seed = None if gradient is None else cotangent("Tensor.backward", gradient, self)
        return Gradients(backend.backward(self._primitive, seed, retain_graph), backend)

    def grad(self, grads: Gradients) -> Tensor | None:
        """Return this leaf's gradient as a plain tensor, or ``None`` if there is none."""
        return known_gradients("Tensor.grad", grads).get(self)

    def grad_remove(self, grads: Gradients) -> Tensor | None:
        """Take this leaf's gradient out of ``grads`` and return it as a plain tensor, or ``None``."""
        backend = self._recording("Tensor.grad_remove")
        found = backend.grad_remove(self._primitive, known_gradients("Tensor.grad_remove", grads)._grads)
        return None if found is None else Tensor(found, self.device.without_autodiff())

    def grad_replace(self, grads: Gradients, gradient: Tensor) -> None:
        """Put another gradient for this leaf into ``grads``.

        Raises:
            ShapeError: it has another shape than the leaf.
            DTypeError: it has another dtype.
        """
        backend = self._recording("Tensor.grad_replace")
        held = known_gradients("Tensor.grad_replace", grads)._grads
        backend.grad_replace(self._primitive, held, cotangent("Tensor.grad_replace", gradient, self))

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> Callable[[], None]:
        """Call ``hook`` with the gradient by this tensor, a plain one, in every backward pass that reaches it.

        Args:
            hook: what it returns, of the same shape and dtype, is used in the gradient's place; ``None`` leaves it.

        Returns:
            A function that takes the hook away. A parameter keeps its hooks over steps, loads
            and a move to another strategy; a move to the plain device and freezing end them.

        Raises:
            FeatureError: the `autodiff` feature is not there.
            DeviceError: the tensor is on a plain device.
            GraphError: it is not tracked.

        Example:
            >>> import backburner as bb
            >>> x = bb.tensor([3.0], device=bb.Device.cpu().autodiff()).require_grad()
            >>> y = x * x
            >>> remove = y.register_hook(lambda g: g * 10)
            >>> y.backward()[x].tolist()
            [60.0]
        """
        backend = self._recording("Tensor.register_hook")
        return backend.register_hook(self._primitive, on_arrays(hook, self.device.without_autodiff()))

    def detach(self) -> Tensor:
        """Return a constant over the same array on the same device."""
        return Tensor(self._autodiff().detach(self._primitive), self.device) if self.is_autodiff() else self

    def inner(self) -> Tensor:
        """Return the values on the plain device, over the same array."""
        return Tensor(self._array(), self.device.without_autodiff()) if self.is_autodiff() else self

    without_autodiff = inner

    @staticmethod
    def from_inner(x: Tensor) -> Tensor:
        """Return a plain tensor as a constant on the autodiff device.

        Raises:
            FeatureError: the `autodiff` feature is not there.
        """
        features.require(FEATURE, "Tensor.from_inner")
        if not isinstance(x, Tensor):
            raise DTypeError(f"Tensor.from_inner: needs a Tensor, got {type(x).__name__}. Use bb.asarray.")
        if x.device.is_autodiff():
            return x
        return x.to(x.device.autodiff())

    def to(self, device: Device) -> Tensor:
        """Return the tensor on another device, over the same array.

        A plain tensor becomes a constant of the autodiff device.

        Raises:
            DeviceError: a tracked tensor to a plain device or to one with another strategy; detach it first.
            DTypeError: ``device`` is a dtype.
        """
        if isinstance(device, (np.dtype, type)):
            raise DTypeError(f"Tensor.to: takes a device, not {device!r}. Use astype for a dtype.")
        device = Device(device)
        if device is self.device:
            return self
        if self.is_tracked():
            raise DeviceError(
                f"Tensor.to: the tensor is tracked and {device} would lose its graph. Use detach()."
            )
        if device.kind != self.device.kind:
            raise DeviceError(f"Tensor.to: there is no way from {self.device} to {device}.")
        held = self._array()
        return Tensor(
            cast(AutodiffBackend, device.backend).from_inner(held) if device.is_autodiff() else held, device
        )

    def to_device(self, device: Device, /, *, stream: None = None) -> Tensor:
        """Return ``to(device)``: the standard's name for it. There are no streams."""
        if stream is not None:
            raise ArgumentError(f"Tensor.to_device: there are no streams, got {stream!r}. Leave it out.")
        return self.to(device)

    # -- copying ----------------------------------------------------------------------------------------

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if self.is_tracked() and not self.is_require_grad():
            raise GraphError("deepcopy: the tensor is the result of a recorded op. Use detach() on it first.")
        copied = memo[id(self)] = _restore(self._array().copy(), self.device, self.is_require_grad())
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        if self.is_tracked() and not self.is_require_grad():
            raise GraphError("pickle: the tensor is the result of a recorded op. Use detach() on it first.")
        return _restore, (self._array(), self.device, self.is_require_grad())

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        raise DTypeError(
            "Tensor: tensors are immutable. Use x.at[index].set(value), which returns another, or bb.where."
        )

    # -- operators --------------------------------------------------------------------------------------

    __matmul__ = linalg.matmul
    __getitem__ = indexing.getitem

    def __rmatmul__(self, other: Any) -> Tensor:
        return linalg.matmul(other, self)

    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        return comparison.equal(self, cast(Any, other)) if isinstance(other, _MEET) else NotImplemented

    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        return comparison.not_equal(self, cast(Any, other)) if isinstance(other, _MEET) else NotImplemented

    # -- methods ----------------------------------------------------------------------------------------

    relu = activation.relu
    sigmoid = activation.sigmoid
    gelu = activation.gelu
    softmax = activation.softmax
    log_softmax = activation.log_softmax

    sum = reduction.sum
    mean = reduction.mean
    max = reduction.max
    min = reduction.min
    var = reduction.var
    logsumexp = reduction.logsumexp
    argmax = reduction.argmax
    argmin = reduction.argmin
    any = reduction.any
    all = reduction.all
    count_nonzero = reduction.count_nonzero
    prod = reduction.prod
    std = reduction.std
    norm = reduction.norm
    vector_norm = reduction.vector_norm
    median = reduction.median
    trace = reduction.trace

    cumulative_sum = scan.cumulative_sum
    cumulative_prod = scan.cumulative_prod
    cummax = scan.cummax
    cummin = scan.cummin
    diff = scan.diff

    sort = sorting.sort
    argsort = sorting.argsort
    topk = sorting.topk
    quantile = sorting.quantile
    histogram = sorting.histogram
    nonzero = sorting.nonzero
    unique_all = sorting.unique_all
    unique_counts = sorting.unique_counts
    unique_inverse = sorting.unique_inverse
    unique_values = sorting.unique_values

    matmul = linalg.matmul
    vecdot = linalg.vecdot
    tensordot = linalg.tensordot
    outer = linalg.outer
    dot = linalg.dot
    cross = linalg.cross
    cov = linalg.cov
    corrcoef = linalg.corrcoef
    diagonal = linalg.diagonal

    reshape = shaping.reshape
    permute_dims = shaping.permute_dims
    matrix_transpose = shaping.matrix_transpose
    expand_dims = shaping.expand_dims
    squeeze = shaping.squeeze
    flatten = shaping.flatten
    broadcast_to = shaping.broadcast_to
    split = shaping.split
    pad = shaping.pad
    flip = shaping.flip
    roll = shaping.roll
    repeat = shaping.repeat
    tile = shaping.tile
    unstack = shaping.unstack
    moveaxis = shaping.moveaxis
    swapaxes = shaping.swapaxes
    sliding_windows = unfold = windows.sliding_windows
    tril = creation.tril
    triu = creation.triu

    take = indexing.take
    take_along_axis = indexing.take_along_axis
    gather = indexing.gather
    scatter_add = indexing.scatter_add
    scatter_reduce = indexing.scatter_reduce
    index_add = indexing.index_add
    masked_fill = indexing.masked_fill
    masked_select = indexing.masked_select
    bincount = indexing.bincount


# What `==` takes or refuses with an error; of anything else Python asks the other operand, then identity.
_MEET: Final = (Tensor, bool, int, float, np.bool_, np.integer, np.floating, np.ndarray, list, tuple)


_new = object.__new__
_ndarray, _scalar = np.ndarray, np.generic


def wrap(primitive: Any, device: Device) -> Tensor:
    """Return ``Tensor(primitive, device)`` without the cost of calling a class, which is that of a small op."""
    if primitive.__class__ is not _ndarray and isinstance(primitive, _scalar):
        primitive = np.asarray(primitive)
    x: Tensor = _new(Tensor)
    x._primitive = primitive
    x.device = device
    return x


def _restore(array: Array, device: Device, require_grad: bool) -> Tensor:
    x = Tensor(array, device)
    return x.require_grad() if require_grad else x
