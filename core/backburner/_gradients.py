"""What a backward pass gives: gradients, keyed by the leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from backburner import _tensor
from backburner.autodiff import AutodiffBackend
from backburner.contracts import Array
from backburner.errors import DTypeError, GraphError, MissingGradient, ShapeError

if TYPE_CHECKING:
    from backburner._tensor import Tensor
    from backburner.device import Device


class Gradients:
    """The gradients of one backward pass, keyed by leaf: ``grads[x]`` is a plain tensor like ``x``.

    ``x in grads`` and ``grads.get(x)`` ask for one that may not be there: what the result does not depend
    on has none.
    """

    __slots__ = ("_grads", "_backend")

    def __init__(self, grads: Any, backend: AutodiffBackend) -> None:
        self._grads = grads
        self._backend = backend

    def get(self, x: Tensor) -> Tensor | None:
        """Return the gradient of a leaf, or ``None`` if there is none."""
        if not isinstance(x, _tensor.Tensor):
            raise DTypeError(f"Gradients: keyed by tensors, not by {type(x).__name__}.")
        found = self._backend.grad(x._primitive, self._grads) if x.device.is_autodiff() else None
        return None if found is None else _tensor.Tensor(found, x.device.without_autodiff())

    def __getitem__(self, x: Tensor) -> Tensor:
        found = self.get(x)
        if found is None:
            raise MissingGradient(
                "Gradients: the tensor is not a leaf. Gradients are kept for what require_grad marked."
                if not x.is_require_grad()
                else "Gradients: the result does not depend on this leaf, or a step has given the parameter a new "
                "one. Read gradients before the step, or use get."
            )
        return found

    def __contains__(self, x: object) -> bool:
        return isinstance(x, _tensor.Tensor) and self.get(x) is not None

    def __len__(self) -> int:
        return len(self._grads)

    def __repr__(self) -> str:
        return f"Gradients of {len(self)} leaves"

    def __reduce__(self) -> NoReturn:
        raise GraphError(
            "Gradients: keyed by the leaves of this process, they cannot be copied or pickled. Keep the tensors: "
            "{name: grads[p] for name, p in model.named_parameters()}."
        )


def known_gradients(call: str, grads: Gradients) -> Gradients:
    """Return gradients, checked to be such."""
    if not isinstance(grads, Gradients):
        raise DTypeError(
            f"{call}: grads must be what Tensor.backward returned, got {type(grads).__name__}. "
            "Keep its result: grads = loss.backward()."
        )
    return grads


def cotangent(call: str, gradient: Tensor, of: Tensor) -> Array:
    """Return a gradient's array, which has the shape and dtype of a tensor."""
    if not isinstance(gradient, _tensor.Tensor):
        raise DTypeError(f"{call}: gradient is a {type(gradient).__name__}, not a Tensor. Use bb.tensor.")
    if gradient.dtype != of.dtype:
        raise DTypeError(f"{call}: gradient is {gradient.dtype}, the tensor {of.dtype}. Use astype.")
    if gradient.shape != of.shape:
        raise ShapeError(f"{call}: gradient has shape {list(gradient.shape)}, the tensor {list(of.shape)}.")
    if gradient.is_tracked():
        raise GraphError(
            f"{call}: gradient is tracked, and only the first order is there. Use detach() on it."
        )
    return gradient.numpy()


def on_arrays(hook: Callable[[Tensor], Tensor | None], device: Device) -> Callable[[Array], Array | None]:
    """Return a hook of plain tensors as one of arrays."""
    if not callable(hook):
        raise DTypeError(f"Tensor.register_hook: {hook!r} is not a function.")

    def call(g: Array) -> Array | None:
        tensor = _tensor.Tensor(g, device)
        found = hook(tensor)
        return None if found is None else cotangent("Tensor.register_hook", found, tensor)

    return call
