"""The functional side of autodiff: ``value_and_grad``, ``grad`` and ``checkpoint``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from backburner import features
from backburner._seeds import recording, replaying
from backburner._tensor import Gradients, Tensor
from backburner.autodiff import FEATURE, AutodiffBackend
from backburner.device import Device
from backburner.errors import ArgumentError, DTypeError, GraphError, ShapeError
from backburner.ops.creation import zeros_like

if TYPE_CHECKING:
    from backburner.nn import Module

T = TypeVar("T")


def value_and_grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., tuple[Any, Any]]:
    """Return a function that gives what ``f`` gives, and the gradient of that.

    Args:
        f: from tensors and modules (and whatever else) to one tensor with one element, or with ``has_aux``
            to a pair of that and anything.
        argnums: the argument, or the arguments, to differentiate by: each a float tensor or a module.
        has_aux: whether ``f`` returns such a pair.

    Returns:
        ``g(*args, **kwargs) -> (value, gradient)``: plain tensors, whatever the device of the arguments. The
        gradient of a tensor is a tensor, zeros if the result does not depend on it; that of a module is a
        dict by parameter name, without the parameters that it does not depend on. For several ``argnums`` it
        is a tuple of them.

    A module keeps its mode: one on an autodiff device trains, so that dropout is on and running statistics move;
    one on the plain device, such as what ``valid`` returns, is differentiated as it infers.

    Raises:
        FeatureError: the `autodiff` feature is not there.
        ShapeError: the result is not one element.
        GraphError: an argument is tracked already, as for gradients of gradients.

    Example:
        >>> import backburner as bb
        >>> value, gradient = bb.value_and_grad(lambda x: (x * x).sum())(bb.tensor([1.0, 3.0]))
        >>> value.item(), gradient.tolist()
        (10.0, [2.0, 6.0])
    """
    features.require(FEATURE, "value_and_grad")
    if not callable(f):
        raise DTypeError(f"value_and_grad: {f!r} is not a function.")
    places = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    @functools.wraps(f)
    def evaluate(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        lifted = list(args)
        for place in places:
            if not -len(args) <= place < len(args):
                raise ArgumentError(f"value_and_grad: argnums has {place}, f got {len(args)} arguments.")
            lifted[place] = _lift(args[place])
        result = f(*lifted, **kwargs)
        if has_aux and not (isinstance(result, tuple) and len(result) == 2):
            raise ArgumentError("value_and_grad: with has_aux f must return a pair.")
        value, aux = result if has_aux else (result, None)
        if not isinstance(value, Tensor) or value.size != 1:
            shape = f"a tensor of shape {list(value.shape)}" if isinstance(value, Tensor) else repr(value)
            raise ShapeError(f"value_and_grad: f must return one element, got {shape}. Use sum or mean.")
        if value.dtype.kind != "f":
            raise DTypeError(f"value_and_grad: f must return a float, got {value.dtype}. It has no gradient.")
        grads = value.backward() if value.is_tracked() else None
        found = tuple(_gradient(lifted[place], grads) for place in places)
        plain = value.inner()
        aux = _map_tensors(Tensor.inner, aux)
        return (plain, aux) if has_aux else plain, found[0] if isinstance(argnums, int) else found

    return evaluate


def grad(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a function that gives the gradient of ``f``; see ``value_and_grad``.

    With ``has_aux`` it gives a pair of the gradient and what ``f`` returned beside its value.

    Example:
        >>> import backburner as bb
        >>> bb.grad(lambda x: x**3)(bb.tensor(2.0)).item()
        12.0
    """
    features.require(FEATURE, "grad")
    evaluate = value_and_grad(f, argnums, has_aux)

    @functools.wraps(f)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, found = evaluate(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def _lift(argument: Any) -> Any:
    """Return an argument as a leaf; a module on its autodiff device."""
    from backburner.nn import Module

    if isinstance(argument, Module):
        return (
            argument
            if argument.device.is_autodiff()
            else argument._view(argument.device.autodiff(), keep_mode=True)
        )
    if not isinstance(argument, Tensor):
        raise DTypeError(
            f"value_and_grad: an argument is a {type(argument).__name__}, not a tensor or a module."
        )
    if argument.dtype.kind != "f":
        raise DTypeError(f"value_and_grad: an argument is {argument.dtype}, and only floats have gradients.")
    if argument.is_tracked():
        raise GraphError(
            "value_and_grad: the argument is tracked already. Gradients of gradients are not there, only the "
            "first order is; otherwise use detach() on it."
        )
    device = argument.device if argument.is_autodiff() else argument.device.autodiff()
    return argument.to(device).require_grad()


def _gradient(argument: Any, grads: Gradients | None) -> Any:
    if isinstance(argument, Tensor):
        found = None if grads is None else grads.get(argument)
        return zeros_like(argument.inner()) if found is None else found
    named = cast("Module", argument).named_parameters()
    pairs = ((name, None if grads is None else grads.get(p)) for name, p in named)
    return {name: g for name, g in pairs if g is not None}


def checkpoint(region: Callable[..., T], *inputs: Any) -> T:
    """Return ``region(*inputs)``, whose inside is computed again in the backward pass instead of kept.

    What the region draws from the devices' random streams comes again, in the thread that runs it, and buffers
    change once.

    Args:
        region: a function that does the same each time. It may use other tensors, and modules; in its result
            tensors may stand in tuples, lists and dicts, of one float dtype.
        inputs: tensors, or anything that the region takes.

    Returns:
        What the region returned. On a plain device there is nothing to compute again, and that is all.

    Raises:
        FeatureError: the `autodiff` feature is not there.
        GraphError: in the backward pass, if the region did something else when it was run again: used other
            tensors, drew other random numbers, or gave values that differ by more than rounding.

    Example:
        >>> import backburner as bb
        >>> x = bb.tensor([1.0, 2.0], device=bb.Device.cpu().autodiff()).require_grad()
        >>> bb.checkpoint(lambda x: x.exp().exp(), x).sum().backward()[x].shape
        (2,)
    """
    features.require(FEATURE, "checkpoint")
    places = [i for i, x in enumerate(inputs) if isinstance(x, Tensor)]
    device = Device().autodiff()
    for i in places:
        device = inputs[i].device if inputs[i].is_autodiff() else device
    seeds: list[int] | None = None
    result: Any = None
    devices: list[Device] = []

    def run(*primitives: Any) -> tuple[Any, ...]:
        """The region on primitives: its tensors in the order in which ``result`` has them."""
        nonlocal seeds, result
        arguments = list(inputs)
        for i, held in zip(places, primitives, strict=True):
            arguments[i] = Tensor(held, inputs[i].device)
        if seeds is None:
            with recording() as seeds:
                found = region(*arguments)
            result = found
        else:
            with replaying(seeds):
                found = region(*arguments)
        tensors: list[Tensor] = []
        _map_tensors(tensors.append, found)
        if not devices:
            devices.extend(x.device for x in tensors)
        return tuple(x._primitive for x in tensors)

    backend = cast(AutodiffBackend, device.backend)
    outputs = iter(backend.checkpoint(run, *(inputs[i]._primitive for i in places)))
    order = iter(devices)
    shape, result = result, None  # the region's own tensors would keep its inside
    return cast(T, _map_tensors(lambda x: Tensor(next(outputs), next(order)), shape))


def _map_tensors(f: Callable[[Tensor], Any], value: Any) -> Any:
    """Return ``value`` with ``f(x)`` for every tensor in it, also in tuples, lists and dicts."""
    if isinstance(value, Tensor):
        return f(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_map_tensors(f, v) for v in value])
    if isinstance(value, (tuple, list)):
        return type(value)([_map_tensors(f, v) for v in value])
    if isinstance(value, dict):
        return {key: _map_tensors(f, v) for key, v in value.items()}
    return value
