"""Looking for faults in gradients: ``detect_anomaly`` and ``gradcheck``."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any, cast

from backburner import features
from backburner.autodiff import FEATURE, AutodiffBackend
from backburner.device import Device
from backburner.errors import ArgumentError, GradcheckError
from backburner.ops._operands import flag, number


def detect_anomaly(eager: bool = False) -> AbstractContextManager[None]:
    """Return a context in which a NaN in a backward pass is an error that names the line which is to blame.

    Put the forward and the backward pass inside. ``backward`` then raises ``AnomalyError`` if the result has
    NaN, with the op that made the first one, or when a gradient becomes NaN, with the op whose it is; both with the
    lines of your code that recorded that op. What is NaN only where ``where`` or a mask leaves it out is no error.

    Only this thread, or task, is watched, and each op costs a walk up the stack and a look at its result.

    Args:
        eager: raise in the forward pass too, at once, when an op on tracked tensors makes NaN of none.

    Raises:
        FeatureError: the `autodiff` feature is not there.

    Example:
        >>> import backburner as bb
        >>> x = bb.tensor([1.0, 2.0], device=bb.Device.cpu().autodiff()).require_grad()
        >>> with bb.detect_anomaly():
        ...     try:
        ...         (x * 0.0).sqrt().sum().backward()
        ...     except bb.AnomalyError as error:
        ...         print(str(error).partition(" It was")[0])
        backward: 'multiply' made NaN of a gradient that had none.
    """
    features.require(FEATURE, "detect_anomaly")
    at_once = flag("detect_anomaly", "eager", eager)
    return cast(AutodiffBackend, Device().autodiff().backend).anomaly_mode(at_once)


def gradcheck(
    f: Callable[..., Any],
    *inputs: Any,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    directional: bool = False,
    raise_exception: bool = True,
) -> bool:
    """Compare the gradients of a function with central finite differences.

    Args:
        f: a function of the inputs that gives a floating tensor or several. It does the same each time; random
            ops in it draw the same numbers each time.
        inputs: float64 tensors, which are differentiated by, and anything else, which is passed on.
        eps: half the distance of the two points of a difference.
        atol: how far a gradient may be off.
        rtol: how far it may be off in proportion.
        directional: look along one random direction through all inputs, at the cost of three calls, instead of
            at every element of every input and output.
        raise_exception: raise when they differ; otherwise return False.

    Returns:
        Whether they agree. At a kink they may differ: a gradient there is a convention.

    Raises:
        GradcheckError: they differ, or ``f`` is not a function of its inputs alone.
        DTypeError: a floating input or output is not float64.
        FeatureError: the `autodiff` feature is not there.

    Example:
        >>> import backburner as bb
        >>> bb.gradcheck(lambda x, y: (x @ y).tanh(), bb.ones((2, 3), dtype="float64"), bb.ones((3,), dtype="float64"))
        True
    """
    implementation = features.require(FEATURE, "gradcheck")
    for name, value in (("eps", eps), ("atol", atol), ("rtol", rtol)):
        if not 0 <= number("gradcheck", name, value) < math.inf or (name == "eps" and value == 0):
            raise ArgumentError(f"gradcheck: {name} must be positive and finite, got {value}.")
    one_direction, raises = (
        flag("gradcheck", name, value)
        for name, value in (("directional", directional), ("raise_exception", raise_exception))
    )
    check = import_module(implementation.modules["gradcheck"]).gradcheck
    try:
        check(f, inputs, eps, atol, rtol, one_direction)
    except GradcheckError:
        if raises:
            raise
        return False
    return True
