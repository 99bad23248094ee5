"""The contract of the `autodiff` feature, which is its stub too.

``AutodiffBackend`` says what an extension must implement. On an install without the extension it is what
answers: every method raises ``FeatureError``. Calling the class gives the extension's where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn

import numpy as np

from backburner import features
from backburner.contracts import Array
from backburner.errors import ArgumentError, FeatureError, GraphError

if TYPE_CHECKING:
    from backburner.backend import Backend

FEATURE: Final = "autodiff"


class GradientCheckpointing:
    """What an autodiff device keeps from the forward pass: a frozen value.

    ``DISABLED`` keeps what the backward rules ask for. ``BALANCED`` keeps the outputs of compute-bound ops
    (matrix products, convolutions, reductions) and recomputes those of memory-bound ones (elementwise and
    shape ops) in the backward pass. ``budget(n)`` keeps outputs of ops up to ``n`` bytes, beside leaves and
    constants, and recomputes the others, those that are cheap for their size first. Gradients are the same
    under each, bit for bit.
    """

    __slots__ = ("name", "budget_bytes")
    name: str
    budget_bytes: int | None
    DISABLED: ClassVar[GradientCheckpointing]
    BALANCED: ClassVar[GradientCheckpointing]

    def __init__(self, name: str, budget_bytes: int | None = None) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "budget_bytes", budget_bytes)

    @classmethod
    def budget(cls, budget_bytes: int) -> GradientCheckpointing:
        """Return the strategy that keeps at most so many bytes, counted for each thread.

        Raises:
            ArgumentError: it is not an integer of at least 0.
        """
        if (
            isinstance(budget_bytes, bool)
            or not isinstance(budget_bytes, (int, np.integer))
            or budget_bytes < 0
        ):
            raise ArgumentError(
                f"GradientCheckpointing: budget_bytes must be an integer, 0 or more, got {budget_bytes!r}."
            )
        return cls("BUDGET", int(budget_bytes))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"GradientCheckpointing is frozen: {name} cannot be set.")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradientCheckpointing) and other._key() == self._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, int | None]:
        return self.name, self.budget_bytes

    def __repr__(self) -> str:
        return f"GradientCheckpointing.{self}"

    def __str__(self) -> str:
        return self.name if self.budget_bytes is None else f"budget({self.budget_bytes})"

    def __reduce__(self) -> tuple[Any, ...]:
        return GradientCheckpointing, self._key()


GradientCheckpointing.DISABLED = GradientCheckpointing("DISABLED")
GradientCheckpointing.BALANCED = GradientCheckpointing("BALANCED")


class AutodiffBackend:
    """A backend that records: any inner backend's ops, and the backward pass through them.

    A primitive here is a bare array (a constant, an integer, a bool) or a tracked one, a *variable*, which
    has ``dtype``, ``shape``, ``ndim`` and ``size`` like an array. Every op of ``Backend`` takes both and
    gives a variable where an input that matters is one.

    Attributes:
        contract_version: the version of this contract that the class implements.
        modules: for each door of the core (``optim``, ``train``, ``gradcheck``) the module that stands behind it.
        inner_backend: the backend whose ops are recorded.
        strategy: what the forward pass keeps.
    """

    contract_version: ClassVar[int] = 1
    modules: ClassVar[Mapping[str, str]] = {}
    inner_backend: Backend
    strategy: GradientCheckpointing

    def __new__(cls, *args: Any, **kwargs: Any) -> AutodiffBackend:
        if cls is AutodiffBackend:
            try:
                cls = features.require(FEATURE)
            except FeatureError:
                pass  # the stub answers, with this very error, once a method is called
        return object.__new__(cls)

    def __init__(
        self, inner: Backend | None = None, strategy: GradientCheckpointing = GradientCheckpointing.DISABLED
    ) -> None:
        if inner is None:
            from backburner.backends.numpy import NumpyBackend

            inner = NumpyBackend()
        self.inner_backend = inner
        self.strategy = strategy

    def __getattr__(self, name: str) -> Any:
        """Find the ops: without variables, which a stub cannot make, they are the inner backend's."""
        if name.startswith("_") or name in ("inner_backend", "strategy"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.inner_backend, name)

    def backward(self, x: Any, gradient: Array | None = None, retain_graph: bool = False) -> Any:
        """Run the graph of ``x`` backward and return the gradients of its leaves.

        Args:
            x: a variable.
            gradient: the cotangent of ``x``, of its shape and dtype; ones if ``None``.
            retain_graph: keep the graph for another backward; otherwise it is consumed.

        Raises:
            GraphError: ``x`` is not tracked, part of its graph is consumed, or a leaf has been replaced.
        """
        _missing("AutodiffBackend.backward")

    def grad(self, x: Any, grads: Any) -> Array | None:
        """Return the gradient of the leaf ``x``, of its shape and dtype, or ``None`` if there is none."""
        _missing("AutodiffBackend.grad")

    def grad_remove(self, x: Any, grads: Any) -> Array | None:
        """Take the gradient of the leaf ``x`` out of ``grads`` and return it."""
        _missing("AutodiffBackend.grad_remove")

    def grad_replace(self, x: Any, grads: Any, gradient: Array) -> None:
        """Put another gradient for the leaf ``x`` into ``grads``.

        Raises:
            ShapeError: ``gradient`` has another shape than ``x``.
            DTypeError: it has another dtype.
        """
        _missing("AutodiffBackend.grad_replace")

    def inner(self, x: Any) -> Array:
        """Return the bare array of a primitive."""
        _missing("AutodiffBackend.inner")

    def from_inner(self, x: Array) -> Any:
        """Return an array of the inner backend as a constant of this one."""
        _missing("AutodiffBackend.from_inner")

    def require_grad(self, x: Any) -> Any:
        """Return a tracked leaf over the same array; a leaf as it is.

        Raises:
            DTypeError: ``x`` is not floating.
            GraphError: ``x`` is the result of an op.
        """
        _missing("AutodiffBackend.require_grad")

    def replace(self, x: Any, value: Array) -> Any:
        """Return a new leaf over ``value`` in the place of the leaf ``x``, through which no graph runs any more."""
        _missing("AutodiffBackend.replace")

    def detach(self, x: Any) -> Array:
        """Return ``x`` as a constant over the same array."""
        _missing("AutodiffBackend.detach")

    def is_tracked(self, x: Any) -> bool:
        """Say whether ``x`` has a graph."""
        _missing("AutodiffBackend.is_tracked")

    def is_leaf(self, x: Any) -> bool:
        """Say whether ``x`` is a leaf, marked by ``require_grad``."""
        _missing("AutodiffBackend.is_leaf")

    def register_hook(self, x: Any, hook: Callable[[Array], Array | None]) -> Callable[[], None]:
        """Call ``hook`` with the cotangent of ``x`` in every backward pass that reaches it, and return what ends that.

        What it returns, of the same shape and dtype, takes the place of the cotangent; ``None`` leaves it.

        Raises:
            GraphError: ``x`` is not tracked.
        """
        _missing("AutodiffBackend.register_hook")

    def anomaly_mode(self, eager: bool) -> AbstractContextManager[None]:
        """Return a context in which ``backward`` refuses NaN; see ``detect_anomaly``."""
        _missing("AutodiffBackend.anomaly_mode")

    def checkpoint(self, region: Callable[..., Any], *inputs: Any) -> Any:
        """Return ``region(*inputs)``, recomputed in the backward pass instead of kept.

        Args:
            region: from primitives to a primitive or a tuple of them (what is not an array passes through);
                it does the same each time it is called, and may use variables from outside.
            inputs: primitives.
        """
        _missing("AutodiffBackend.checkpoint")


def _missing(call: str) -> NoReturn:
    features.require(FEATURE, call)
    # Reached when the extension was installed after this stub was made, or by a subclass of the stub.
    raise GraphError(
        f"{call}: this backend is the stub. Make one with AutodiffBackend() now that the extension is there."
    )
