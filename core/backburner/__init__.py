"""Deep learning for Python in two installs: inference on NumPy alone, training with the `autodiff` feature."""

from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi
from typing import TYPE_CHECKING, Any

from backburner import features as features
from backburner._tensor import Gradients as Gradients
from backburner._tensor import Tensor as Tensor
from backburner._version import __version__ as __version__
from backburner.autodiff import AutodiffBackend as AutodiffBackend
from backburner.autodiff import GradientCheckpointing as GradientCheckpointing
from backburner.backends.numpy import NumpyBackend as NumpyBackend
from backburner.device import Device as Device
from backburner.dtype import bool_ as _bool
from backburner.dtype import can_cast as can_cast
from backburner.dtype import finfo as finfo
from backburner.dtype import float32 as float32
from backburner.dtype import float64 as float64
from backburner.dtype import iinfo as iinfo
from backburner.dtype import int8 as int8
from backburner.dtype import int16 as int16
from backburner.dtype import int32 as int32
from backburner.dtype import int64 as int64
from backburner.dtype import isdtype as isdtype
from backburner.dtype import result_type as result_type
from backburner.dtype import uint8 as uint8
from backburner.dtype import uint16 as uint16
from backburner.dtype import uint32 as uint32
from backburner.dtype import uint64 as uint64
from backburner.errors import AnomalyError as AnomalyError
from backburner.errors import ArgumentError as ArgumentError
from backburner.errors import AxisError as AxisError
from backburner.errors import BackburnerError as BackburnerError
from backburner.errors import DeviceError as DeviceError
from backburner.errors import DTypeError as DTypeError
from backburner.errors import FeatureError as FeatureError
from backburner.errors import GradcheckError as GradcheckError
from backburner.errors import GraphError as GraphError
from backburner.errors import IndexOutOfRange as IndexOutOfRange
from backburner.errors import LinAlgError as LinAlgError
from backburner.errors import MissingGradient as MissingGradient
from backburner.errors import MissingKey as MissingKey
from backburner.errors import NonFiniteError as NonFiniteError
from backburner.errors import RecordError as RecordError
from backburner.errors import ShapeError as ShapeError
from backburner.ops.activation import gelu as gelu
from backburner.ops.activation import log_softmax as log_softmax
from backburner.ops.activation import relu as relu
from backburner.ops.activation import sigmoid as sigmoid
from backburner.ops.activation import softmax as softmax
from backburner.ops.bitwise import bitwise_and as bitwise_and
from backburner.ops.bitwise import bitwise_invert as bitwise_invert
from backburner.ops.bitwise import bitwise_left_shift as bitwise_left_shift
from backburner.ops.bitwise import bitwise_or as bitwise_or
from backburner.ops.bitwise import bitwise_right_shift as bitwise_right_shift
from backburner.ops.bitwise import bitwise_xor as bitwise_xor
from backburner.ops.comparison import equal as equal
from backburner.ops.comparison import greater as greater
from backburner.ops.comparison import greater_equal as greater_equal
from backburner.ops.comparison import less as less
from backburner.ops.comparison import less_equal as less_equal
from backburner.ops.comparison import logical_and as logical_and
from backburner.ops.comparison import logical_not as logical_not
from backburner.ops.comparison import logical_or as logical_or
from backburner.ops.comparison import logical_xor as logical_xor
from backburner.ops.comparison import not_equal as not_equal
from backburner.ops.creation import arange as arange
from backburner.ops.creation import asarray as asarray
from backburner.ops.creation import empty as empty
from backburner.ops.creation import empty_like as empty_like
from backburner.ops.creation import eye as eye
from backburner.ops.creation import from_dlpack as from_dlpack
from backburner.ops.creation import full as full
from backburner.ops.creation import full_like as full_like
from backburner.ops.creation import linspace as linspace
from backburner.ops.creation import meshgrid as meshgrid
from backburner.ops.creation import ones as ones
from backburner.ops.creation import ones_like as ones_like
from backburner.ops.creation import tensor as tensor
from backburner.ops.creation import tril as tril
from backburner.ops.creation import triu as triu
from backburner.ops.creation import zeros as zeros
from backburner.ops.creation import zeros_like as zeros_like
from backburner.ops.distance import cdist as cdist
from backburner.ops.elementwise import abs as abs
from backburner.ops.elementwise import add as add
from backburner.ops.elementwise import astype as astype
from backburner.ops.elementwise import clip as clip
from backburner.ops.elementwise import divide as divide
from backburner.ops.elementwise import erf as erf
from backburner.ops.elementwise import erfc as erfc
from backburner.ops.elementwise import erfinv as erfinv
from backburner.ops.elementwise import exp as exp
from backburner.ops.elementwise import expm1 as expm1
from backburner.ops.elementwise import hypot as hypot
from backburner.ops.elementwise import lerp as lerp
from backburner.ops.elementwise import log as log
from backburner.ops.elementwise import log1p as log1p
from backburner.ops.elementwise import log2 as log2
from backburner.ops.elementwise import log10 as log10
from backburner.ops.elementwise import logaddexp as logaddexp
from backburner.ops.elementwise import maximum as maximum
from backburner.ops.elementwise import minimum as minimum
from backburner.ops.elementwise import multiply as multiply
from backburner.ops.elementwise import negative as negative
from backburner.ops.elementwise import positive as positive
from backburner.ops.elementwise import pow as pow
from backburner.ops.elementwise import reciprocal as reciprocal
from backburner.ops.elementwise import rsqrt as rsqrt
from backburner.ops.elementwise import sqrt as sqrt
from backburner.ops.elementwise import square as square
from backburner.ops.elementwise import subtract as subtract
from backburner.ops.elementwise import tanh as tanh
from backburner.ops.elementwise import where as where
from backburner.ops.floating import allclose as allclose
from backburner.ops.floating import conj as conj
from backburner.ops.floating import copysign as copysign
from backburner.ops.floating import imag as imag
from backburner.ops.floating import isclose as isclose
from backburner.ops.floating import isfinite as isfinite
from backburner.ops.floating import isinf as isinf
from backburner.ops.floating import isnan as isnan
from backburner.ops.floating import nan_to_num as nan_to_num
from backburner.ops.floating import nextafter as nextafter
from backburner.ops.floating import real as real
from backburner.ops.floating import signbit as signbit
from backburner.ops.gamma import digamma as digamma
from backburner.ops.gamma import lgamma as lgamma
from backburner.ops.indexing import bincount as bincount
from backburner.ops.indexing import gather as gather
from backburner.ops.indexing import index_add as index_add
from backburner.ops.indexing import masked_fill as masked_fill
from backburner.ops.indexing import masked_select as masked_select
from backburner.ops.indexing import one_hot as one_hot
from backburner.ops.indexing import scatter_add as scatter_add
from backburner.ops.indexing import scatter_reduce as scatter_reduce
from backburner.ops.indexing import take as take
from backburner.ops.indexing import take_along_axis as take_along_axis
from backburner.ops.linalg import corrcoef as corrcoef
from backburner.ops.linalg import cov as cov
from backburner.ops.linalg import cross as cross
from backburner.ops.linalg import diagonal as diagonal
from backburner.ops.linalg import dot as dot
from backburner.ops.linalg import einsum as einsum
from backburner.ops.linalg import matmul as matmul
from backburner.ops.linalg import outer as outer
from backburner.ops.linalg import tensordot as tensordot
from backburner.ops.linalg import vecdot as vecdot
from backburner.ops.reduction import all as all
from backburner.ops.reduction import any as any
from backburner.ops.reduction import argmax as argmax
from backburner.ops.reduction import argmin as argmin
from backburner.ops.reduction import count_nonzero as count_nonzero
from backburner.ops.reduction import logsumexp as logsumexp
from backburner.ops.reduction import max as max
from backburner.ops.reduction import mean as mean
from backburner.ops.reduction import median as median
from backburner.ops.reduction import min as min
from backburner.ops.reduction import norm as norm
from backburner.ops.reduction import prod as prod
from backburner.ops.reduction import std as std
from backburner.ops.reduction import sum as sum
from backburner.ops.reduction import trace as trace
from backburner.ops.reduction import var as var
from backburner.ops.reduction import vector_norm as vector_norm
from backburner.ops.rounding import ceil as ceil
from backburner.ops.rounding import floor as floor
from backburner.ops.rounding import floor_divide as floor_divide
from backburner.ops.rounding import remainder as remainder
from backburner.ops.rounding import round as round
from backburner.ops.rounding import sign as sign
from backburner.ops.rounding import trunc as trunc
from backburner.ops.scan import cummax as cummax
from backburner.ops.scan import cummin as cummin
from backburner.ops.scan import cumulative_prod as cumulative_prod
from backburner.ops.scan import cumulative_sum as cumulative_sum
from backburner.ops.scan import diff as diff
from backburner.ops.shape import broadcast_arrays as broadcast_arrays
from backburner.ops.shape import broadcast_to as broadcast_to
from backburner.ops.shape import concat as concat
from backburner.ops.shape import expand_dims as expand_dims
from backburner.ops.shape import flatten as flatten
from backburner.ops.shape import flip as flip
from backburner.ops.shape import matrix_transpose as matrix_transpose
from backburner.ops.shape import moveaxis as moveaxis
from backburner.ops.shape import pad as pad
from backburner.ops.shape import permute_dims as permute_dims
from backburner.ops.shape import repeat as repeat
from backburner.ops.shape import reshape as reshape
from backburner.ops.shape import roll as roll
from backburner.ops.shape import split as split
from backburner.ops.shape import squeeze as squeeze
from backburner.ops.shape import stack as stack
from backburner.ops.shape import swapaxes as swapaxes
from backburner.ops.shape import tile as tile
from backburner.ops.shape import unstack as unstack
from backburner.ops.sorting import argsort as argsort
from backburner.ops.sorting import histogram as histogram
from backburner.ops.sorting import nonzero as nonzero
from backburner.ops.sorting import quantile as quantile
from backburner.ops.sorting import searchsorted as searchsorted
from backburner.ops.sorting import sort as sort
from backburner.ops.sorting import topk as topk
from backburner.ops.sorting import unique_all as unique_all
from backburner.ops.sorting import unique_counts as unique_counts
from backburner.ops.sorting import unique_inverse as unique_inverse
from backburner.ops.sorting import unique_values as unique_values
from backburner.ops.trigonometric import acos as acos
from backburner.ops.trigonometric import acosh as acosh
from backburner.ops.trigonometric import asin as asin
from backburner.ops.trigonometric import asinh as asinh
from backburner.ops.trigonometric import atan as atan
from backburner.ops.trigonometric import atan2 as atan2
from backburner.ops.trigonometric import atanh as atanh
from backburner.ops.trigonometric import cos as cos
from backburner.ops.trigonometric import cosh as cosh
from backburner.ops.trigonometric import sin as sin
from backburner.ops.trigonometric import sinh as sinh
from backburner.ops.trigonometric import tan as tan
from backburner.ops.windows import sliding_windows as sliding_windows

if TYPE_CHECKING:
    from backburner import data as data
    from backburner import linalg as linalg
    from backburner import nn as nn
    from backburner import optim as optim
    from backburner import random as random
    from backburner import record as record
    from backburner import train as train
    from backburner._info import __array_namespace_info__ as __array_namespace_info__
    from backburner.debug import detect_anomaly as detect_anomaly
    from backburner.debug import gradcheck as gradcheck
    from backburner.nn._summary import Summary as Summary
    from backburner.nn._summary import summary as summary
    from backburner.record import load as load
    from backburner.record import save as save
    from backburner.threads import deterministic as deterministic
    from backburner.threads import get_num_threads as get_num_threads
    from backburner.threads import set_num_threads as set_num_threads
    from backburner.transforms import checkpoint as checkpoint
    from backburner.transforms import grad as grad
    from backburner.transforms import value_and_grad as value_and_grad

bool = _bool  # assigned, as type checkers take an import under another name for private
__array_api_version__ = "2024.12"
newaxis = None  # the standard's name, as an index

# Fetched on first use, because `import backburner` alone should cost little more than `import numpy`.
_MODULES = ("data", "linalg", "nn", "optim", "random", "record", "train")
_NAMES = {
    "Summary": "nn._summary",
    "__array_namespace_info__": "_info",
    "checkpoint": "transforms",
    "detect_anomaly": "debug",
    "deterministic": "threads",
    "get_num_threads": "threads",
    "grad": "transforms",
    "gradcheck": "debug",
    "load": "record",
    "save": "record",
    "set_num_threads": "threads",
    "summary": "nn._summary",
    "value_and_grad": "transforms",
}
_NO_GRAD = "detach, or a plain device: Module.valid, Tensor.inner"
# What people from elsewhere look for.
_HINTS = {
    "BoolTensor": "tensor",
    "DoubleTensor": "tensor(x, dtype='float64')",
    "FloatTensor": "tensor",
    "Generator": "random.Generator",
    "IntTensor": "tensor(x, dtype='int32')",
    "LongTensor": "tensor",
    "Module": "nn.Module",
    "Parameter": "nn.Parameter",
    "absolute": "abs",
    "addmm": "matmul and add",
    "amax": "max",
    "amin": "min",
    "arccos": "acos",
    "arcsin": "asin",
    "arctan": "atan",
    "arctan2": "atan2",
    "argwhere": "nonzero",
    "array": "tensor",
    "as_tensor": "asarray",
    "autograd": "Tensor.backward, grad or value_and_grad",
    "baddbmm": "matmul and add",
    "bernoulli": "random.bernoulli",
    "bfloat16": "float32 or float64",
    "bitwise_not": "bitwise_invert",
    "bmm": "matmul",
    "cat": "concat",
    "chunk": "split(x, size, axis), where size is that of one part",
    "clamp": "clip",
    "clone": "the tensor as it is: it never changes",
    "compile": "the function as it is: there is nothing to compile",
    "concatenate": "concat",
    "cpu": "Device.cpu()",
    "cuda": "Device.cpu(): there is nothing else",
    "cumprod": "cumulative_prod",
    "cumsum": "cumulative_sum",
    "div": "divide",
    "double": "float64",
    "enable_grad": "an autodiff device: model.to(Device.cpu().autodiff())",
    "eq": "equal",
    "float": "float32",
    "float16": "float32 or float64",
    "from_numpy": "asarray",
    "functional": "nn.functional",
    "ge": "greater_equal",
    "ger": "outer",
    "gt": "greater",
    "half": "float32 or float64",
    "histc": "histogram",
    "hstack": "concat",
    "index_select": "take",
    "inference_mode": _NO_GRAD,
    "int": "int32",
    "is_tensor": "isinstance(x, Tensor)",
    "le": "less_equal",
    "long": "int64",
    "lt": "less",
    "manual_seed": "Device.cpu().seed",
    "mm": "matmul",
    "movedim": "moveaxis",
    "mul": "multiply",
    "multinomial": "random.multinomial",
    "mv": "matmul",
    "ne": "not_equal",
    "neg": "negative",
    "no_grad": _NO_GRAD,
    "numel": "x.size",
    "permute": "permute_dims",
    "rand": "random.uniform",
    "rand_like": "random.uniform(x.shape)",
    "randint": "random.randint",
    "randn": "random.normal",
    "randn_like": "random.normal(x.shape)",
    "randperm": "random.permutation",
    "repeat_interleave": "repeat",
    "seed": "Device.cpu().seed",
    "set_grad_enabled": _NO_GRAD,
    "sub": "subtract",
    "swapdims": "swapaxes",
    "transpose": "swapaxes, permute_dims or matrix_transpose",
    "true_divide": "divide",
    "unbind": "unstack",
    "unique": "unique_values, unique_counts, unique_inverse or unique_all",
    "unsqueeze": "expand_dims",
    "utils": "data for utils.data, checkpoint for utils.checkpoint, nn.utils for the rest",
    "version": "__version__",
    "vstack": "concat",
}

# pyright: reportUnsupportedDunderAll=false
_TYPING = {"Any", "TYPE_CHECKING"}
_own = {name for name, found in globals().items() if name[0] != "_" and not hasattr(found, "__spec__")}
# What help() and the star tell of: other modules are there because something imported them.
__all__ = sorted({"features", *_MODULES, *_NAMES, *_own} - _TYPING)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"backburner.{name}")
    if name not in _NAMES:
        hint = f" Use {_HINTS[name]}." if name in _HINTS else ""
        if not hint and name[0] != "_" and name in import_module("backburner.nn.functional").__all__:
            hint = f" Use nn.functional.{name}."
        raise AttributeError(f"module 'backburner' has no attribute {name!r}.{hint}")
    found = getattr(import_module(f"backburner.{_NAMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_NAMES} - _TYPING)
