"""The real ``AutodiffBackend``: a backend that records the ops of another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, ClassVar

import numpy as np

from backburner.autodiff import AutodiffBackend as Contract
from backburner.autodiff import GradientCheckpointing
from backburner.backend import Backend
from backburner.errors import ArgumentError, DTypeError, GraphError, ShapeError
from backburner_autodiff import anomaly, checkpoint
from backburner_autodiff._record import recorder, ruleless, unwrapper
from backburner_autodiff._rule import Array
from backburner_autodiff.budget import Budgeted, Ledgers
from backburner_autodiff.checkpoint import Lazy
from backburner_autodiff.rules import NONDIFFERENTIABLE, RULES
from backburner_autodiff.tape import Gradients, Hook, Leaf, Variable, Watch, renewed

DISABLED, BALANCED = GradientCheckpointing.DISABLED, GradientCheckpointing.BALANCED


class AutodiffBackend(Contract):
    """Records every op of the inner backend that has a rule; the contract's docstrings hold.

    The ops are attributes of the instance, made from the rules when it is made.
    """

    contract_version: ClassVar[int] = 1
    modules: ClassVar[Mapping[str, str]] = {
        "optim": "backburner_autodiff.optim",
        "train": "backburner_autodiff.train",
        "gradcheck": "backburner_autodiff.gradcheck",
    }

    def __init__(self, inner: Backend | None = None, strategy: GradientCheckpointing = DISABLED) -> None:
        super().__init__(inner, strategy)
        lazy = self._lazy(strategy)
        for name, rule in RULES.items():
            op = recorder(getattr(self.inner_backend, name), rule, lazy)
            setattr(self, name, _float_only(op) if name == "astype" else op)
        for name in NONDIFFERENTIABLE:
            setattr(self, name, unwrapper(getattr(self.inner_backend, name)))

    @staticmethod
    def _lazy(strategy: GradientCheckpointing) -> Callable[..., Lazy] | None:
        """Return what makes the nodes of a strategy that recomputes."""
        if strategy == DISABLED:
            return None
        if strategy == BALANCED:
            return Lazy
        if not isinstance(strategy, GradientCheckpointing) or strategy.budget_bytes is None:
            raise ArgumentError(
                f"AutodiffBackend: {strategy!r} is not one of DISABLED, BALANCED or a budget."
            )
        return partial(Budgeted, ledgers=Ledgers(strategy.budget_bytes))

    def __getattr__(self, name: str) -> Any:
        """Find an op that the inner backend has beyond the contract: it works, but not on variables."""
        found = super().__getattr__(name)
        return ruleless(name, found) if callable(found) else found

    def backward(self, x: Any, gradient: Array | None = None, retain_graph: bool = False) -> Gradients:
        _refuse_integers("backward", x)
        if x.__class__ is not Variable:
            raise GraphError(
                "backward: the tensor has no graph: nothing it was computed from is marked by require_grad, or it "
                "was detached, or every parameter is frozen. Of gradients there is only the first order."
            )
        g = np.ones(x.shape, x.dtype) if gradient is None else _like("backward", gradient, x)
        return anomaly.sweep(retain_graph).run(x.node, x.index, g)

    def grad(self, x: Any, grads: Gradients) -> Array | None:
        return grads.get(x.node) if self.is_leaf(x) else None

    def grad_remove(self, x: Any, grads: Gradients) -> Array | None:
        return grads.pop(x.node, None) if self.is_leaf(x) else None

    def grad_replace(self, x: Any, grads: Gradients, gradient: Array) -> None:
        if not self.is_leaf(x):
            raise GraphError("grad_replace: the tensor is not a leaf, which require_grad marks.")
        grads[x.node] = _like("grad_replace", gradient, x)

    def inner(self, x: Any) -> Array:
        array: Array = x.value if x.__class__ is Variable else x
        return array

    def from_inner(self, x: Array) -> Array:
        return x

    def require_grad(self, x: Any) -> Variable:
        _refuse_integers("require_grad", x)
        if x.__class__ is not Variable:
            return Variable(x, Leaf(x), 0)
        if not self.is_leaf(x):
            raise GraphError(
                f"require_grad: the tensor is the result of {x.node.rule.name!r}, and tracked already. "
                "Use detach() first for a new leaf."
            )
        leaf: Variable = x
        return leaf

    def replace(self, x: Any, value: Array) -> Any:
        if x.__class__ is not Variable or x.node.__class__ is not Leaf:
            return value
        return renewed(x.node, value)

    def detach(self, x: Any) -> Array:
        return self.inner(x)

    def is_tracked(self, x: Any) -> bool:
        return x.__class__ is Variable

    def is_leaf(self, x: Any) -> bool:
        return x.__class__ is Variable and x.node.__class__ is Leaf

    def register_hook(self, x: Any, hook: Hook) -> Callable[[], None]:
        if x.__class__ is not Variable:
            raise GraphError(
                "register_hook: the tensor has no graph, so no gradient will come. Use require_grad."
            )
        if x.node.watch is None:
            x.node.watch = Watch()
        hooks = x.node.watch.hooks.setdefault(x.index, [])
        hooks.append(hook)
        return lambda: hooks.remove(hook) if hook in hooks else None

    def anomaly_mode(self, eager: bool) -> AbstractContextManager[None]:
        return anomaly.Mode(eager)

    def checkpoint(self, region: Callable[..., Any], *inputs: Any) -> Any:
        return checkpoint.checkpoint(region, inputs)


def _float_only(astype: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``astype`` that leaves the graph on the way to integers and bools, which are never tracked."""

    def op(x: Any, /, *, dtype: np.dtype[Any]) -> Any:
        if dtype.kind != "f" and x.__class__ is Variable:
            x = x.value
        return astype(x, dtype=dtype)

    return op


def _refuse_integers(call: str, x: Any) -> None:
    if x.dtype.kind != "f":
        raise DTypeError(f"{call}: only floating tensors have gradients, this one is {x.dtype}. Use astype.")


def _like(call: str, g: Array, x: Variable) -> Array:
    if g.shape != x.shape:
        raise ShapeError(f"{call}: the gradient has shape {list(g.shape)}, the tensor {list(x.shape)}.")
    if g.dtype != x.dtype:
        raise DTypeError(f"{call}: the gradient is {g.dtype}, the tensor {x.dtype}. Use astype.")
    return g
