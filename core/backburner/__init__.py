"""Deep learning for Python in two installs: inference on NumPy alone, training with the `autodiff` feature."""

from typing import TYPE_CHECKING, Any

from backburner import features as features
from backburner._tensor import Gradients as Gradients
from backburner._tensor import Tensor as Tensor
from backburner._version import __version__ as __version__
from backburner.autodiff import AutodiffBackend as AutodiffBackend
from backburner.autodiff import GradientCheckpointing as GradientCheckpointing
from backburner.backends.numpy import NumpyBackend as NumpyBackend
from backburner.device import Device as Device
from backburner.dtype import bool_ as bool  # noqa: F401
from backburner.dtype import float32 as float32
from backburner.dtype import float64 as float64
from backburner.dtype import int8 as int8
from backburner.dtype import int16 as int16
from backburner.dtype import int32 as int32
from backburner.dtype import int64 as int64
from backburner.dtype import uint8 as uint8
from backburner.dtype import uint16 as uint16
from backburner.dtype import uint32 as uint32
from backburner.dtype import uint64 as uint64
from backburner.errors import ArgumentError as ArgumentError
from backburner.errors import AxisError as AxisError
from backburner.errors import BackburnerError as BackburnerError
from backburner.errors import DeviceError as DeviceError
from backburner.errors import DTypeError as DTypeError
from backburner.errors import FeatureError as FeatureError
from backburner.errors import GraphError as GraphError
from backburner.errors import IndexOutOfRange as IndexOutOfRange
from backburner.errors import MissingGradient as MissingGradient
from backburner.errors import RecordError as RecordError
from backburner.errors import ShapeError as ShapeError
from backburner.ops.activation import gelu as gelu
from backburner.ops.activation import log_softmax as log_softmax
from backburner.ops.activation import relu as relu
from backburner.ops.activation import sigmoid as sigmoid
from backburner.ops.activation import softmax as softmax
from backburner.ops.creation import arange as arange
from backburner.ops.creation import asarray as asarray
from backburner.ops.creation import eye as eye
from backburner.ops.creation import full as full
from backburner.ops.creation import full_like as full_like
from backburner.ops.creation import linspace as linspace
from backburner.ops.creation import ones as ones
from backburner.ops.creation import ones_like as ones_like
from backburner.ops.creation import tensor as tensor
from backburner.ops.creation import zeros as zeros
from backburner.ops.creation import zeros_like as zeros_like
from backburner.ops.elementwise import abs as abs
from backburner.ops.elementwise import add as add
from backburner.ops.elementwise import astype as astype
from backburner.ops.elementwise import clip as clip
from backburner.ops.elementwise import divide as divide
from backburner.ops.elementwise import equal as equal
from backburner.ops.elementwise import erf as erf
from backburner.ops.elementwise import exp as exp
from backburner.ops.elementwise import greater as greater
from backburner.ops.elementwise import greater_equal as greater_equal
from backburner.ops.elementwise import less as less
from backburner.ops.elementwise import less_equal as less_equal
from backburner.ops.elementwise import log as log
from backburner.ops.elementwise import logical_and as logical_and
from backburner.ops.elementwise import logical_not as logical_not
from backburner.ops.elementwise import logical_or as logical_or
from backburner.ops.elementwise import maximum as maximum
from backburner.ops.elementwise import minimum as minimum
from backburner.ops.elementwise import multiply as multiply
from backburner.ops.elementwise import negative as negative
from backburner.ops.elementwise import not_equal as not_equal
from backburner.ops.elementwise import pow as pow
from backburner.ops.elementwise import sqrt as sqrt
from backburner.ops.elementwise import square as square
from backburner.ops.elementwise import subtract as subtract
from backburner.ops.elementwise import tanh as tanh
from backburner.ops.elementwise import where as where
from backburner.ops.indexing import take as take
from backburner.ops.linalg import matmul as matmul
from backburner.ops.reduction import argmax as argmax
from backburner.ops.reduction import logsumexp as logsumexp
from backburner.ops.reduction import max as max
from backburner.ops.reduction import mean as mean
from backburner.ops.reduction import min as min
from backburner.ops.reduction import sum as sum
from backburner.ops.reduction import var as var
from backburner.ops.shape import broadcast_to as broadcast_to
from backburner.ops.shape import concat as concat
from backburner.ops.shape import expand_dims as expand_dims
from backburner.ops.shape import flatten as flatten
from backburner.ops.shape import matrix_transpose as matrix_transpose
from backburner.ops.shape import pad as pad
from backburner.ops.shape import permute_dims as permute_dims
from backburner.ops.shape import reshape as reshape
from backburner.ops.shape import split as split
from backburner.ops.shape import squeeze as squeeze
from backburner.ops.shape import stack as stack

if TYPE_CHECKING:
    from backburner import data as data
    from backburner import nn as nn
    from backburner import optim as optim
    from backburner import random as random
    from backburner import record as record
    from backburner import train as train
    from backburner.record import load as load
    from backburner.record import save as save
    from backburner.threads import deterministic as deterministic
    from backburner.threads import get_num_threads as get_num_threads
    from backburner.threads import set_num_threads as set_num_threads
    from backburner.transforms import checkpoint as checkpoint
    from backburner.transforms import grad as grad
    from backburner.transforms import value_and_grad as value_and_grad

# Fetched on first use, because `import backburner` alone should cost little more than `import numpy`.
_MODULES = ("data", "nn", "optim", "random", "record", "train")
_NAMES = {
    "checkpoint": "transforms",
    "deterministic": "threads",
    "get_num_threads": "threads",
    "grad": "transforms",
    "load": "record",
    "save": "record",
    "set_num_threads": "threads",
    "value_and_grad": "transforms",
}
# What people from elsewhere look for.
_HINTS = {
    "cat": "concat",
    "manual_seed": "Device.cpu().seed",
    "no_grad": "detach, or a plain device: Module.valid, Tensor.inner",
    "permute": "permute_dims",
    "rand": "random.uniform",
    "randn": "random.normal",
    "transpose": "permute_dims or matrix_transpose",
    "unsqueeze": "expand_dims",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"backburner.{name}")
    if name not in _NAMES:
        hint = f" Use {_HINTS[name]}." if name in _HINTS else ""
        raise AttributeError(f"module 'backburner' has no attribute {name!r}.{hint}")
    found = getattr(import_module(f"backburner.{_NAMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_NAMES} - {"Any", "TYPE_CHECKING"})
