"""Whether a step may write where a parameter's numbers are."""

from __future__ import annotations

import sys
import sysconfig
import weakref
from typing import Any, Final

import numpy as np

from backburner import Device, Tensor
from backburner.nn import Parameter
from backburner_autodiff._rule import Array
from backburner_autodiff.tape import Variable

_count: Final[Any] = (
    None if sysconfig.get_config_var("Py_GIL_DISABLED") else getattr(sys, "getrefcount", None)
)
"""``None`` where counts say nothing: threads without a lock change them, other interpreters have none."""

_MOST: Final = {False: (0, 3), True: (3, 4)}
"""What holds an unshared one, the local name in ``_references`` and the argument make no more than this."""


_MANY: Final = (1 << 30, 1 << 30)
# Bits of `ndarray.flags.num`.
_PLAIN: Final = 0x001 | 0x004 | 0x100 | 0x400  # C_CONTIGUOUS, OWNDATA, ALIGNED, WRITEABLE


def _references(parameter: Parameter) -> tuple[int, int]:
    """Count the references to the variable that a parameter holds, if it is tracked, and to its array.

    What may not be written to, or is watched, has many.
    """
    held = parameter._primitive
    array = held.value if held.__class__ is Variable else held
    if array.flags.num & _PLAIN != _PLAIN or weakref.getweakrefcount(array):
        return _MANY
    if held is array:
        del held
        return 0, _count(array)
    return _count(held), _count(array)


def _unshared(device: Device) -> tuple[int, int]:
    """Count for a parameter that nobody shares: interpreters differ in what their own stack adds."""
    found = _references(Parameter(Tensor(np.zeros(2, np.float32), device)))
    # A debugger that looks on may hold more for now, and less later.
    held, array = map(min, found, _MOST[device.is_autodiff()])
    return held, array


_UNSHARED: Final[dict[bool, tuple[int, int]]] = (
    {} if _count is None else {False: _unshared(Device.cpu()), True: _unshared(Device.cpu().autodiff())}
)


def sole_owner(parameter: Parameter) -> bool:
    """Say whether nobody but the parameter holds its array: no view, no tensor, no residual of a graph."""
    if _count is None:
        return False
    held, array = _references(parameter)
    most_held, most_array = _UNSHARED[held > 0]
    return held <= most_held and array <= most_array


def room(parameter: Parameter) -> Array:
    """Return an array with the parameter's contents to write the next ones into: its own, or a copy."""
    if sole_owner(parameter):
        return parameter._array()
    return np.array(parameter._array(), order="C")
