"""The third table: what is refused, with which error and which words. ``test_op_errors.py`` goes through it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import backburner as bb
from backburner import random
from backburner._seeds import replaying
from backburner.device import Device, merge
from backburner.nn import functional as F


@dataclass(frozen=True)
class Bad:
    """A call that is refused.

    Attributes:
        call: without arguments.
        error: the class, exactly.
        text: how the message begins, after which may come no more than a full stop.
        name: for the id, where the text will not do.
    """

    call: Callable[[], Any]
    error: type[Exception]
    text: str
    name: str = ""

    def __str__(self) -> str:
        return (self.name or self.text).replace(" ", "_")


x = bb.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
v = bb.tensor([1.0, 2.0, 3.0])
n = bb.tensor([1, 2, 3])
b = bb.tensor([True, False, True])
image = bb.zeros((1, 2, 4, 4))
kernel = bb.zeros((3, 2, 3, 3))
table = bb.zeros((5, 2))
scores = bb.zeros((2, 3))
array = np.ones((2, 3), np.float32)
INT8 = bb.tensor([1], dtype="int8")
S, A, T, D = bb.ShapeError, bb.ArgumentError, bb.DTypeError, bb.DeviceError
I, X, G = bb.IndexOutOfRange, bb.AxisError, bb.GraphError  # noqa: E741


def elsewhere() -> Device:
    """Return a device of hardware that this machine does not have."""
    device = object.__new__(Device)
    for slot, value in (("kind", "gpu"), ("backend", None), ("seeds", None), ("_strategy", None)):
        object.__setattr__(device, slot, value)
    return device


def _set(target: Any, name: str, value: Any) -> None:
    setattr(target, name, value)


def _assign(target: Any, index: Any) -> None:
    target[index] = 1.0


OPERANDS = (
    Bad(lambda: bb.add(1, 2), T, "add: no operand is a Tensor: int, int. Use bb.tensor."),
    Bad(lambda: v + "a", T, "add: str is not a Tensor or a number. Use bb.tensor."),
    Bad(lambda: v * None, T, "multiply: NoneType is not a Tensor or a number. Use bb.tensor."),
    Bad(lambda: v * 1j, T, "multiply: complex is not a Tensor or a number. Use bb.tensor."),
    Bad(lambda: v + [1.0, 2.0, 3.0], T, "add: list is not a Tensor or a number. Use bb.tensor."),
    Bad(lambda: x * array, T, "multiply: an operand is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: array * x, T, "multiply: an operand is a NumPy array of shape [2, 3]. Use bb.asarray on it.",
        "an-array-on-the-left"),
    Bad(lambda: array - x, T, "subtract: an operand is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: array == x, T, "equal: an operand is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: array < x, T, "greater: an operand is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: v / np.array(2.5), T, "divide: an operand is a NumPy array of shape []. Use bb.asarray on it."),
    Bad(lambda: array @ x, T, "matmul: the input is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: bb.exp(array), T, "exp: the input is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: bb.sum(array), T, "sum: the input is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: bb.relu([1.0]), T, "relu: the input is a list, not a Tensor. Use bb.tensor."),
    Bad(lambda: bb.softmax(1.0), T, "softmax: the input is a float, not a Tensor. Use bb.tensor."),
    Bad(lambda: bb.logical_not(True), T, "logical_not: the input is a bool, not a Tensor. Use bb.tensor."),
    Bad(lambda: bb.astype([1.0], "float64"), T, "astype: the input is a list, not a Tensor. Use bb.tensor."),
    Bad(lambda: F.linear(v, None), T, "linear: the input is a NoneType, not a Tensor. Use bb.tensor."),
    Bad(lambda: F.conv2d(None, kernel), T, "conv2d: the input is a NoneType, not a Tensor. Use bb.tensor."),
    Bad(lambda: F.layer_norm(x, 3, array[0]), T, "layer_norm: the input is a NumPy array of shape [3]. Use bb.asarray on it."),
    Bad(lambda: F.batch_norm(x, [0.0] * 3, None), T, "batch_norm: running_mean: the input is a list, not a Tensor. Use bb.tensor."),
    Bad(lambda: F.cross_entropy(scores, bb.tensor([0, 1]), [1.0] * 3), T,
        "cross_entropy: weight: the input is a list, not a Tensor. Use bb.tensor."),
    Bad(lambda: INT8 + 300, A, "add: 300 does not fit into int8. Cast the tensor first."),
    Bad(lambda: bb.tensor([1], dtype="uint8") - -1, A, "subtract: -1 does not fit into uint8. Cast the tensor first."),
    Bad(lambda: x + bb.zeros((2, 4)), S, "add: shapes do not broadcast: [2, 3] and [2, 4]."),
    Bad(lambda: bb.where(bb.tensor([True, False]), v, v), S, "where: shapes do not broadcast: [2] and [3]."),
    Bad(lambda: bb.tensor([1], dtype="uint64") + n, T, "add: uint64 and int64 have no common integer dtype. Cast one with astype first."),
    Bad(lambda: b - b, T, "subtract: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: -b, T, "negative: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: b**b, T, "pow: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: b @ b, T, "matmul: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: n**-1, A, "pow: an integer to a negative power is not an integer. Cast to a float first."),
    Bad(lambda: v & v, T, "bitwise_and: needs integers or bools, got float32. Compare, or use astype."),
    Bad(lambda: bb.logical_or(n, b), T, "logical_or: needs bool, got int64. Compare, or use astype(bb.bool)."),
    Bad(lambda: bb.logical_not(n), T, "logical_not: needs bool, got int64. Compare, or use astype(bb.bool)."),
    Bad(lambda: bb.where(n, v, v), T, "where: needs bool, got int64. Compare, or use astype(bb.bool)."),
    Bad(lambda: bb.where(b, 1.0, array[0]), T, "where: an operand is a NumPy array of shape [3]. Use bb.asarray on it."),
    Bad(lambda: bb.clip(v, 2, 1), A, "clip: min 2 is above max 1."),
    Bad(lambda: bb.clip(n, float("nan")), T, "clip: min is float32, x int64. Use astype on one of them."),
    Bad(lambda: bb.clip(n, max=v), T, "clip: max is float32, x int64. Use astype on one of them."),
    Bad(lambda: bb.clip(v, max=v[:2]), S, "clip: shapes do not broadcast: [3] and [2]."),
    Bad(lambda: bb.clip(n, 0.5), T, "clip: min 0.5 is not an integer, as x is. Use astype first."),
    Bad(lambda: bb.clip(v, 10**400), A, "clip: min does not fit into a float."),
    Bad(lambda: bb.gelu(v, approximate="fast"), A, "gelu: approximate must be 'none' or 'tanh', got 'fast'."),
)  # fmt: skip

DTYPES = (
    Bad(lambda: v.astype("float16"), T, "astype: 'float16' is not a dtype here. Use one of: bool, int8, int16"),
    Bad(lambda: v.astype("complex64"), T, "astype: 'complex64' is not a dtype here."),
    Bad(lambda: v.astype(str), T, "astype: <class 'str'> is not a dtype here."),
    Bad(lambda: v.astype(None and 0 or "nonsense"), T, "astype: 'nonsense' is not a dtype here."),
    Bad(lambda: bb.zeros((2,), dtype="O"), T, "zeros: 'O' is not a dtype here."),
    Bad(lambda: bb.tensor(np.zeros(2, np.float16)), T, "tensor: dtype('float16') is not a dtype here."),
    Bad(lambda: bb.tensor([1 + 2j]), T, "tensor: data of complex128 is neither numbers nor bools. Convert it first."),
    Bad(lambda: bb.tensor(["a"]), T, "tensor: data of <U1 is neither numbers nor bools. Convert it first."),
    Bad(lambda: bb.tensor([None]), T, "tensor: data of object is neither numbers nor bools. Convert it first."),
    Bad(lambda: bb.asarray(object()), T, "tensor: data of object is neither numbers nor bools. Convert it first.", "asarray-of-an-object"),
    Bad(lambda: bb.tensor([[1.0], [1.0, 2.0]]), S, "tensor: nested lists have different lengths, or hold arrays that do: "),
    Bad(lambda: bb.tensor([300], dtype="uint8"), A, "tensor: an element np.int64(300) does not fit into uint8. Use another dtype."),
    Bad(lambda: bb.tensor([1, -1], dtype="uint64"), A, "tensor: an element np.int64(-1) does not fit into uint64."),
    Bad(lambda: F.cross_entropy(scores, [0.0, 1.0]), T, "cross_entropy: indices must be integers, got float64. Use astype(bb.int64)."),
)  # fmt: skip

AXES = (
    Bad(lambda: x.sum(axis=2), X, "sum: axis 2 is out of range for 2 dimensions."),
    Bad(lambda: x.mean(axis=-3), X, "mean: axis -3 is out of range for 2 dimensions."),
    Bad(lambda: x.var(axis=(0, 5)), X, "var: axis 5 is out of range for 2 dimensions."),
    Bad(lambda: x.max(axis=(0, -2)), X, "max: an axis is named twice: (0, -2)."),
    Bad(lambda: x.sum(axis=""), T, "sum: axis must be an integer, got ''."),  # type: ignore[arg-type]
    Bad(lambda: x.sum(axis=1.0), T, "sum: axis must be an integer, got 1.0."),
    Bad(lambda: x.sum(axis=np.array([0, 1])), T, "sum: axis must be an integer, got array([0, 1])."),
    Bad(lambda: x.sum(axis=True), T, "sum: axis must be an integer, got True."),
    Bad(lambda: x.softmax(axis=2), X, "softmax: axis 2 is out of range for 2 dimensions."),
    Bad(lambda: bb.tensor(1.0).softmax(), S, "softmax: the input is 0-d and has no axis. Use reshape."),
    Bad(lambda: bb.tensor(1.0).log_softmax(), S, "log_softmax: the input is 0-d and has no axis. Use reshape."),
    Bad(lambda: bb.zeros((0, 3)).max(axis=0), S, "max: nothing to reduce: axis (0,) of [0, 3]."),
    Bad(lambda: bb.zeros((0, 3)).min(), S, "min: nothing to reduce: axis (0, 1) of [0, 3]."),
    Bad(lambda: bb.zeros((0,)).argmax(), S, "argmax: nothing to reduce: axis (0,) of [0]."),
    Bad(lambda: x.var(correction=float("nan")), A, "var: correction is NaN."),
)  # fmt: skip

SHAPES = (
    Bad(lambda: bb.tensor(1.0) @ v, S, "matmul: an operand is 0-d: [] @ [3]. Use multiply."),
    Bad(lambda: bb.zeros((3, 4)) @ bb.zeros((5, 2)), S, "matmul: inner dimensions differ: [3, 4] @ [5, 2]"),
    Bad(lambda: bb.zeros((2, 1, 3)) @ bb.zeros((4, 2, 3, 1, 1)), S, "matmul: inner dimensions differ: [2, 1, 3] @ [4, 2, 3, 1, 1]"),
    Bad(lambda: bb.zeros((2, 1, 3)) @ bb.zeros((4, 3, 1)), S, "matmul: batch dimensions do not broadcast: [2, 1, 3] @ [4, 3, 1]"),
    Bad(lambda: x.reshape((4, 2)), S, "reshape: [2, 3] has 6 elements and does not fit [4, 2]."),
    Bad(lambda: x.reshape((-1, 4)), S, "reshape: [2, 3] has 6 elements and does not fit [-1, 4]."),
    Bad(lambda: x.reshape((-1, -1)), S, "reshape: [2, 3] has 6 elements and does not fit [-1, -1]."),
    Bad(lambda: x.reshape((-1, 0)), S, "reshape: [2, 3] has 6 elements and does not fit [-1, 0]."),
    Bad(lambda: x.reshape((-2, -3)), S, "reshape: [2, 3] has 6 elements and does not fit [-2, -3]."),
    Bad(lambda: x.reshape((2.0, 3)), T, "reshape: a size must be an integer, got 2.0."),
    Bad(lambda: x.permute_dims((0, 0)), X, "permute_dims: (0, 0) is not a permutation of 2 axes."),
    Bad(lambda: x.permute_dims((1,)), X, "permute_dims: (1,) is not a permutation of 2 axes."),
    Bad(lambda: x.permute_dims(1), X, "permute_dims: axes must be a sequence, got 1."),
    Bad(lambda: v.matrix_transpose(), S, "matrix_transpose: needs at least two dimensions, got [3]."),
    Bad(lambda: v.mT, S, "matrix_transpose: needs at least two dimensions, got [3].", "mT-of-a-vector"),
    Bad(lambda: v.T, S, "T: needs two dimensions, got [3]. Use mT or permute_dims."),
    Bad(lambda: v.expand_dims(3), X, "expand_dims: axis 3 is out of range for 2 dimensions."),
    Bad(lambda: v.expand_dims((0, 0)), X, "expand_dims: an axis is named twice: (0, 0)."),
    Bad(lambda: v.expand_dims(0.5), T, "expand_dims: axis must be an integer, got 0.5."),
    Bad(lambda: x.squeeze(0), S, "squeeze: axis 0 of [2, 3] has not size 1."),
    Bad(lambda: x.flatten(1, 0), X, "flatten: start_axis 1 comes after end_axis 0."),
    Bad(lambda: x.flatten(2), X, "flatten: axis 2 is out of range for 2 dimensions."),
    Bad(lambda: v.broadcast_to((2, 4)), S, "broadcast_to: shapes do not broadcast: [3] and [2, 4]."),
    Bad(lambda: x.broadcast_to((3,)), S, "broadcast_to: [2, 3] does not broadcast to [3]."),
    Bad(lambda: x.broadcast_to((4, -1, -1)), S, "broadcast_to: -1 is no size, in [4, -1, -1]. Take it from [2, 3]."),
    Bad(lambda: x.broadcast_to((2, 1)), S, "broadcast_to: [2, 3] does not broadcast to [2, 1]."),
    Bad(lambda: bb.concat([]), A, "concat: needs a sequence of at least one tensor. Give a list, concat([x, y])."),
    Bad(lambda: bb.stack(x, x), A, "stack: needs a sequence of at least one tensor. Give a list, stack([x, y])."),  # type: ignore[call-overload]
    Bad(lambda: bb.concat(v), A, "concat: needs a sequence of at least one tensor.", "concat-of-a-tensor"),
    Bad(lambda: bb.stack(None), A, "stack: needs a sequence of at least one tensor."),
    Bad(lambda: bb.concat([x, bb.zeros((2, 4))]), S, "concat: shapes differ outside of axis 0: [2, 3], [2, 4]"),
    Bad(lambda: bb.concat([x, v]), S, "concat: shapes differ outside of axis 0: [2, 3], [3]"),
    Bad(lambda: bb.concat([bb.tensor(1.0)]), X, "concat: axis 0 is out of range for 0 dimensions."),
    Bad(lambda: bb.concat([v, array[0]]), T, "concat: the input is a NumPy array of shape [3]. Use bb.asarray on it."),
    Bad(lambda: bb.concat([array[0], v]), T, "concat: the input is a NumPy array of shape [3]. Use bb.asarray on it.", "concat-array-first"),
    Bad(lambda: bb.stack([v, x]), S, "stack: shapes differ: [3], [2, 3]"),
    Bad(lambda: v.split(0), A, "split: the size of a part must be positive, got 0."),
    Bad(lambda: v.split((1, 1)), S, "split: [1, 1] does not add up to 3, the length of axis 0."),
    Bad(lambda: v.split((4, -1)), S, "split: a shape has a negative size: [4, -1]."),
    Bad(lambda: v.split(1.5), T, "split: the size of a part must be an integer, got 1.5."),
    Bad(lambda: x.pad(1, mode="mirror"), A, "pad: there is no mode 'mirror'. Use one of constant, edge, reflect, symmetric, wrap."),
    Bad(lambda: x.pad(1, mode="wrap", constant_values=2), A, "pad: mode 'wrap' takes no value, got 2."),
    Bad(lambda: bb.zeros((0, 3)).pad(1, mode="edge"), S,
        "pad: mode 'edge' has nothing to repeat along an empty axis: [0, 3]."),
    Bad(lambda: x.pad(((1, 1),)), S, "pad: 1 pairs for the 2 axes of [2, 3]."),
    Bad(lambda: x.pad(((1, 1), (1,))), S, "pad: (1,) is not a pair (before, after)."),
    Bad(lambda: x.pad(((1, 1), 1)), S, "pad: 1 is not a pair (before, after)."),
    Bad(lambda: x.pad(-1), A, "pad: a width is negative: ((-1, -1), (-1, -1)). Use a slice to cut."),
    Bad(lambda: x.pad(0.5), T, "pad: a width must be an integer, got 0.5."),
    Bad(lambda: n.pad(1, constant_values=0.5), T, "pad: constant_values 0.5 is not an integer, as int64 is. Use another dtype."),
    Bad(lambda: INT8.pad(1, constant_values=200), A, "pad: constant_values 200 does not fit into int8. Use another dtype."),
    Bad(lambda: x.pad(1, constant_values="a"), T, "pad: constant_values: str is not a Tensor or a number."),
    Bad(lambda: bb.zeros((2, -1)), S, "zeros: a shape has a negative size: [2, -1]."),
    Bad(lambda: bb.zeros(2**70), S, "zeros: a shape has more elements than fit into memory: [1180591620717411303424]."),
    Bad(lambda: bb.zeros((0, 2**62)), S, "zeros: a shape has more elements than fit into memory: "),
    Bad(lambda: bb.asarray(x, copy=array), T, "asarray: copy must be True or False, got ndarray."),  # type: ignore[arg-type]
    Bad(lambda: bb.zeros((2**40, 2**40)), S, "zeros: a shape has more elements than fit into memory: "),
    Bad(lambda: bb.zeros((2.0,)), T, "zeros: a size must be an integer, got 2.0."),
    Bad(lambda: bb.zeros(None), T, "zeros: a size must be an integer, got None."),
)  # fmt: skip

INDICES = (
    Bad(lambda: v[3], I, "getitem: axis 0: index 3 is out of range [-3, 3)."),
    Bad(lambda: v[-4], I, "getitem: axis 0: index -4 is out of range [-3, 3)."),
    Bad(lambda: x[0, 2**70], I, "getitem: axis 1: index 1180591620717411303424 is out of range [-3, 3)."),
    Bad(lambda: v[[0, 3]], I, "getitem: axis 0: index 3 is out of range [-3, 3)."[:40], "list-out-of-range"),
    Bad(lambda: x[:, [-4]], I, "getitem: axis 1: index -4 is out of range [-3, 3)."),
    Bad(lambda: v[np.array([2**63], np.uint64)], I, "getitem: axis 0: index 9223372036854775808 is out of range [-3, 3)."),
    Bad(lambda: bb.zeros((0,))[0], I, "getitem: axis 0: index 0 is out of range [0, 0)."),
    Bad(lambda: bb.zeros((0,))[[0]], I, "getitem: axis 0: index 0 is out of range [0, 0).", "list-into-nothing"),
    Bad(lambda: v[0, 0], I, "getitem: 2 indices for the 1 axes of [3]."),
    Bad(lambda: bb.tensor(1.0)[0], I, "getitem: 1 indices for the 0 axes of []."),
    Bad(lambda: x[..., ...], I, "getitem: an index can have a single ellipsis ('...')."),
    Bad(lambda: v[1.0], T, "getitem: an index must be an integer, got 1.0."),
    Bad(lambda: v["a"], T, "getitem: an index must be an integer, got 'a'."),
    Bad(lambda: v[[0.5]], T, "getitem: indices must be integers, got float64. Use astype(bb.int64)."),
    Bad(lambda: v[v], T, "getitem: indices must be integers, got float32. Use astype(bb.int64)."),
    Bad(lambda: v[0.5:], T, "getitem: a slice bound must be an integer, got 0.5."),
    Bad(lambda: v[::0], A, "getitem: the step of a slice must not be 0."),
    Bad(lambda: v.at[::0].add(1), A, "at.add: the step of a slice must not be 0."),
    Bad(lambda: v[True], T, "getitem: a single bool is not an index. Use None to add an axis."),
    Bad(lambda: v[np.True_, 0], T, "getitem: a single bool is not an index. Use None to add an axis.", "a-numpy-bool"),
    Bad(lambda: v[[True, False]], I, "getitem: a mask of [2] covers axes of [3]."),
    Bad(lambda: x[bb.tensor([[True, False]])], I, "getitem: a mask of [1, 2] covers axes of [2, 3]."),
    Bad(lambda: x[[0, 1], [0, 1, 2]], S, "getitem: shapes do not broadcast: [2] and [3]."),
    Bad(lambda: x.take([0]), S, "take: [2, 3] has 2 axes. Name one with axis."),
    Bad(lambda: v.take([3]), I, "take: index 3 is out of range [-3, 3)."),
    Bad(lambda: v.take([-4]), I, "take: index -4 is out of range [-3, 3)."),
    Bad(lambda: v.take(bb.tensor([2**63 + 1], dtype="uint64")), I, "take: index 9223372036854775809 is out of range [-3, 3)."),
    Bad(lambda: v.take([0.0]), T, "take: indices must be integers, got float64. Use astype(bb.int64)."),
    Bad(lambda: v.take([True]), T, "take: indices must be integers, got bool. Use astype(bb.int64)."),
    Bad(lambda: x.take([0], axis=2), X, "take: axis 2 is out of range for 2 dimensions."),
    Bad(lambda: F.embedding([5], table), I, "embedding: index 5 is out of range [0, 5)."),
    Bad(lambda: F.embedding([-1], table), I, "embedding: index -1 is out of range [0, 5)."),
    Bad(lambda: F.embedding([0.0], table), T, "embedding: indices must be integers, got float64."),
    Bad(lambda: F.embedding([0], v), S, "embedding: weight must be [n, d], got [3]."),
    Bad(lambda: F.embedding([0], table, padding_idx=5), I, "embedding: padding_idx 5 is out of range [-5, 5)."),
    Bad(lambda: F.embedding([0], table, padding_idx=0.5), T, "embedding: padding_idx must be an integer, got 0.5."),
    Bad(lambda: F.cross_entropy(scores, [0, 3]), I, "cross_entropy: target: index 3 is out of range [0, 3)."),
    Bad(lambda: F.cross_entropy(scores, [0, -1]), I, "cross_entropy: target: index -1 is out of range [0, 3)."),
    Bad(lambda: F.cross_entropy(scores, [-100, 3], ignore_index=0), I, "cross_entropy: target: index -100 is out of range [0, 3)."),
)  # fmt: skip

NEURAL = (
    Bad(lambda: F.linear(v, bb.zeros((2, 4))), S,
        "linear: weight [2, 4] takes [..., 4], got [3]. A layer for it has 3 inputs, not 4."),
    Bad(lambda: F.linear(x, bb.zeros((2, 6))), S,
        "linear: weight [2, 6] takes [..., 6], got [2, 3]. Flatten or reshape the input first."),
    Bad(lambda: F.linear(v, v[:2]), S, "linear: weight [2] takes [..., 2], got [3]."),
    Bad(lambda: F.linear(v, bb.tensor(1.0)), S, "linear: weight [] takes [..., ?], got [3]."),
    Bad(lambda: F.linear(v, bb.zeros((2, 3)), v), S, "linear: bias must have shape [2], got [3]."),
    Bad(lambda: F.conv2d(x, kernel), S, "conv2d: the input must be [n, c, h, w] or [c, h, w], got [2, 3]."),
    Bad(lambda: F.conv2d(bb.zeros((1, 3, 4, 4)), kernel), S, "conv2d: weight [3, 2, 3, 3] with groups=1 does not fit the 3 channels of "),
    Bad(lambda: F.conv2d(image, kernel, groups=2), S, "conv2d: weight [3, 2, 3, 3] with groups=2 does not fit the 2 channels of "),
    Bad(lambda: F.conv2d(image, kernel, groups=0), A, "conv2d: groups must be at least 1, got 0."),
    Bad(lambda: F.conv2d(image, kernel, v[:2]), S, "conv2d: bias must have shape [3], got [2]."),
    Bad(lambda: F.conv2d(image, kernel, stride=0), A, "conv2d: stride must be at least 1, got 0."),
    Bad(lambda: F.conv2d(image, kernel, stride=2**40), A, "conv2d: stride must be at most 2147483647, got 1099511627776."),
    Bad(lambda: F.conv2d(image, kernel, dilation=(1, 2, 3)), A, "conv2d: dilation takes one int or two, got (1, 2, 3)."),
    Bad(lambda: F.conv2d(image, kernel, padding=-1), A, "conv2d: padding must be at least 0, got -1."),
    Bad(lambda: F.conv2d(image, kernel, padding="full"), A, "conv2d: padding must be numbers, 'same' or 'valid', got 'full'."),
    Bad(lambda: F.conv2d(image, kernel, padding="same", stride=2), A, "conv2d: padding='same' takes stride 1, got 2."),
    Bad(lambda: F.conv2d(image, kernel, stride=1.5), T, "conv2d: stride must be an integer, got 1.5."),
    Bad(lambda: F.conv2d(image, kernel, dilation=2), S,
        "conv2d: a kernel spans [5, 5], more than the padded image: [1, 2, 4, 4], padding 0."),
    Bad(lambda: F.max_pool2d(x, 2), S, "max_pool2d: the input must be [n, c, h, w] or [c, h, w], got [2, 3]."),
    Bad(lambda: F.max_pool2d(image > 0, 2), T, "max_pool2d: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: F.max_pool2d(image, 0), A, "max_pool2d: kernel_size must be at least 1, got 0."),
    Bad(lambda: F.max_pool2d(image, 5), S, "max_pool2d: windows that span [5, 5] do not fit into [4, 4], padding [0, 0]."),
    Bad(lambda: F.max_pool2d(image, 2, padding=2), A, "max_pool2d: padding 2 is over half the kernel, [2, 2].", "B057-max_pool2d"),
    Bad(lambda: F.avg_pool2d(image, 2, padding=2), A, "avg_pool2d: padding 2 is over half the kernel, [2, 2].", "B057-avg_pool2d"),
    Bad(lambda: F.batch_norm(v, None, None, training=True), S, "batch_norm: the input must be [n, c, ...], got [3]."),
    Bad(lambda: F.batch_norm(x, None, None), A, "batch_norm: without running statistics it takes training=True."),
    Bad(lambda: F.batch_norm(x[:1], None, None, training=True), S,
        "batch_norm: one value per channel has no variance: [1, 3]. Use a larger batch; "),
    Bad(lambda: F.batch_norm(x, v[:2], v), S, "batch_norm: running_mean must have shape [3], got [2]."),
    Bad(lambda: F.batch_norm(x, v, v, eps=float("nan")), A, "batch_norm: eps is NaN."),
    Bad(lambda: F.batch_norm(x, v, v, momentum=None), T, "batch_norm: momentum: NoneType is not a Tensor or a number."),
    Bad(lambda: F.layer_norm(x, 4), S, "layer_norm: [2, 3] does not end in normalized_shape [4]."),
    Bad(lambda: F.layer_norm(x, ()), S, "layer_norm: [2, 3] does not end in normalized_shape []."),
    Bad(lambda: F.layer_norm(x, 3, v[:2]), S, "layer_norm: weight must have shape [3], got [2]."),
    Bad(lambda: F.dropout(v, 1.5), A, "dropout: p must be in [0, 1], got 1.5."),
    Bad(lambda: F.dropout(v, float("nan")), A, "dropout: p is NaN."),
    Bad(lambda: F.cross_entropy(scores, [0, 1], reduction="all"), A, "cross_entropy: reduction must be one of mean, sum, none, got 'all'."),
    Bad(lambda: F.cross_entropy(scores, [0, 1], label_smoothing=2), A, "cross_entropy: label_smoothing must be in [0, 1], got 2."),
    Bad(lambda: F.cross_entropy(bb.tensor(1.0), 0), S, "cross_entropy: the scores are 0-d. They must be [n, c, ...] or [c]."),
    Bad(lambda: F.cross_entropy(scores, [0]), S, "cross_entropy: scores [2, 3] take a target of [2], got [1]."),
    Bad(lambda: F.cross_entropy(scores, [0, 1], bb.zeros((2,))), S, "cross_entropy: weight must have shape [3], got [2]."),
)  # fmt: skip

CREATION = (
    Bad(lambda: bb.full((2,), "a"), T, "full: str is not a Tensor or a number. Use bb.tensor."),
    Bad(lambda: bb.full((2,), array), T, "full: an operand is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: bb.full((2,), 300, dtype="uint8"), A, "full: fill_value 300 does not fit into uint8. Use another dtype."),
    Bad(lambda: bb.full((2,), float("nan"), dtype="int64"), T, "full: fill_value nan is not an integer, as int64 is."),
    Bad(lambda: bb.full_like(n, 0.5), T, "full_like: fill_value 0.5 is not an integer, as int64 is. Use another dtype."),
    Bad(lambda: bb.zeros_like([1.0]), T, "zeros_like: the input is a list, not a Tensor. Use bb.tensor."),
    Bad(lambda: bb.arange(0, 1, 0), A, "arange: step is 0."),
    Bad(lambda: bb.arange(3, dtype="bool"), T, "arange: bool has no range. Use an integer dtype."),
    Bad(lambda: bb.arange(float("inf")), A, "arange: there is no end from 0 to inf by 1."),
    Bad(lambda: bb.arange(float("nan")), A, "arange: stop is NaN."),
    Bad(lambda: bb.arange("a"), T, "arange: str is not a Tensor or a number. Use bb.tensor."),
    Bad(lambda: bb.linspace(0, 1, -1), A, "linspace: num must not be negative, got -1."),
    Bad(lambda: bb.linspace(0, 1, 2.5), T, "linspace: num must be an integer, got 2.5."),
    Bad(lambda: bb.eye(-1), S, "eye: a shape has a negative size: [-1, -1]."),
    Bad(lambda: bb.eye(2, k=0.5), T, "eye: k must be an integer, got 0.5."),
    Bad(lambda: bb.asarray([1.0], copy=False), A, "asarray: copy=False takes a NumPy array of the dtype that is asked for."),
    Bad(lambda: bb.asarray(array, dtype="float64", copy=False), A,
        "asarray: copy=False takes a NumPy array of the dtype that is asked for.", "asarray-of-another-dtype"),
    Bad(lambda: bb.asarray(v, dtype="float64", copy=False), A, "asarray: from float32 to float64 takes a copy. Leave out copy=False."),
    Bad(lambda: random.uniform((2,), 1, 0), A, "uniform: low 1.0 is above high 0.0."),
    Bad(lambda: random.uniform((2,), 0, float("inf")), A, "uniform: high inf is not finite in float32. Use a smaller one."),
    Bad(lambda: random.uniform((2,), -1e39, 0), A, "uniform: low -1e+39 is not finite in float32. Use a smaller one."),
    Bad(lambda: random.uniform((2,), dtype="int64"), T, "uniform: draws floats, not int64. Use astype on the result."),
    Bad(lambda: random.normal((2,), std=-1), A, "normal: std must not be negative, got -1.0."),
    Bad(lambda: random.normal((2,), mean=float("nan")), A, "normal: mean is NaN."),
    Bad(lambda: random.randint(3, 3, (2,)), A, "randint: no integer from 3 up to before 3."),
    Bad(lambda: random.randint(0, 3, (2,), dtype="float32"), T, "randint: draws integers, not float32. Use astype on the result."),
    Bad(lambda: random.randint(0, 300, (2,), dtype="uint8"), A, "randint: high - 1 299 does not fit into uint8. Use another dtype."),
    Bad(lambda: random.bernoulli((2,), 2), A, "bernoulli: p must be in [0, 1], got 2.0."),
    Bad(lambda: random.permutation(-1), S, "permutation: a shape has a negative size: [-1]."),
    Bad(lambda: random.Generator(-1), A, "seed: -1 is not an integer in [0, 2^64)."),
    Bad(lambda: Device.cpu().seed(1.5), A, "seed: 1.5 is not an integer in [0, 2^64)."),
)  # fmt: skip


def _drawn_too_seldom() -> None:
    with replaying([1]):
        pass


def _drawn_too_often() -> None:
    with replaying([]):
        random.uniform((2,))


DEVICES = (
    Bad(lambda: Device("gpu"), D, "Device: there is no 'gpu'. Use one of: cpu."),
    Bad(lambda: Device(0), D, "Device: there is no 0. Use one of: cpu."),
    Bad(lambda: bb.zeros((2,), device="gpu"), D, "Device: there is no 'gpu'. Use one of: cpu.", "zeros-on-no-device"),
    Bad(lambda: v.to("gpu"), D, "Device: there is no 'gpu'. Use one of: cpu.", "to-no-device"),
    Bad(lambda: v.to([]), D, "Device: there is no []. Use one of: cpu."),
    Bad(lambda: v.to(elsewhere()), D, "Tensor.to: there is no way from Device('cpu') to Device('gpu')."),
    Bad(lambda: merge("add", Device.cpu(), elsewhere()), D, "add: operands are on Device('cpu') and Device('gpu'). Move one with to(device)."),
    Bad(lambda: _set(Device.cpu(), "kind", "gpu"), AttributeError, "Device is immutable: kind cannot be set."),
    Bad(_drawn_too_often, G, "checkpoint: the region draws more random numbers than at first. It must do the same each time."),
    Bad(_drawn_too_seldom, G, "checkpoint: the region draws fewer random numbers than at first. It must do the same each time."),
)  # fmt: skip

TENSORS = (
    Bad(lambda: x.item(), S, "item: needs exactly one element, got shape [2, 3]. Use tolist."),
    Bad(lambda: bool(x), S, "bool: needs exactly one element, got shape [2, 3]."),
    Bad(lambda: int(x), S, "int: needs exactly one element, got shape [2, 3]."),
    Bad(lambda: float(bb.zeros((0,))), S, "float: needs exactly one element, got shape [0]."),
    Bad(lambda: [0][v[0]], T, "index: needs an integer, got float32."),
    Bad(lambda: [0][n], S, "index: needs exactly one element, got shape [3]."),
    Bad(lambda: len(bb.tensor(1.0)), T, "len: the tensor is 0-d."),
    Bad(lambda: list(bb.tensor(1.0)), T, "len: the tensor is 0-d.", "iterating-a-number"),
    Bad(lambda: _assign(v, 0), T, "Tensor: tensors are immutable. Use x.at[index].set(value), which returns another, or bb.where."),
    Bad(lambda: np.array(v, dtype="float64", copy=False), A, "np.asarray: from float32 to float64 takes a copy."),
    Bad(lambda: v.__array_namespace__(api_version="2020.12"), A,
        "__array_namespace__: there is no version '2020.12'. Use '2024.12'."),
)  # fmt: skip

DEEP = bb.zeros((1,) * 64)
DEEP_INDICES = bb.zeros((1,) * 64, dtype="int64")
RAGGED: Any = [[1], [1, 2]]
TOO_MANY = "dimensions are more than 64, the most there can be."
LIMITS = (
    Bad(lambda: bb.zeros((1 << 62, 4)), S, "zeros: a shape has more elements than fit into memory: [4611686018427387904, 4].",
        "B113-a-size-that-overflows"),
    Bad(lambda: bb.zeros((1,) * 65), S, f"zeros: 65 {TOO_MANY}"),
    Bad(lambda: x.reshape((1,) * 63 + (2, 3)), S, f"reshape: 65 {TOO_MANY}"),
    Bad(lambda: x.broadcast_to((1,) * 70), S, f"broadcast_to: 70 {TOO_MANY}"),
    Bad(lambda: bb.expand_dims(DEEP, 0), S, f"expand_dims: 65 {TOO_MANY}"),
    Bad(lambda: bb.stack([DEEP]), S, f"stack: 65 {TOO_MANY}"),
    Bad(lambda: x[(None,) * 70], S, f"getitem: 72 {TOO_MANY}"),
    Bad(lambda: x[DEEP_INDICES], S, f"getitem: 65 {TOO_MANY}"),
    Bad(lambda: bb.take(DEEP, DEEP_INDICES, axis=0), S, f"take: 127 {TOO_MANY}"),
    Bad(lambda: F.embedding(DEEP_INDICES, table), S, f"embedding: 65 {TOO_MANY}"),
    Bad(lambda: x[RAGGED], S, "getitem: indices are nested lists of different lengths."),
    Bad(lambda: x.take(RAGGED, axis=0), S, "take: indices are nested lists of different lengths."),
    Bad(lambda: F.embedding(RAGGED, table), S, "embedding: indices are nested lists of different lengths."),
    Bad(lambda: F.cross_entropy(scores, RAGGED), S, "cross_entropy: indices are nested lists of different lengths."),
    Bad(lambda: F.cross_entropy(scores, [0, 1], ignore_index=2**70), A, f"cross_entropy: ignore_index {2**70} does not fit into int64. "),
    Bad(lambda: x.reshape(None), T, "reshape: a size must be an integer, got None."),  # type: ignore[arg-type]
    Bad(lambda: x.reshape((np.ones(2),)), T, "reshape: a size must be an integer, got array("),  # type: ignore[arg-type]
    Bad(lambda: random.uniform((2,), generator=3), T, "uniform: generator is a int. Use bb.random.Generator."),  # type: ignore[arg-type]
    Bad(lambda: bb.arange(-1, 2, dtype="uint8"), A, "arange: start -1 does not fit into uint8. Use another dtype."),
    Bad(lambda: bb.arange(0, 300, dtype="uint8"), A, "arange: the last value 299 does not fit into uint8. "),
    Bad(lambda: bb.linspace(0, 1, 2**70), S, "linspace: a shape has more elements than fit into memory: "),
    Bad(lambda: bb.zeros(b"ab"), T, "zeros: a size must be an integer, got b'ab'."),  # type: ignore[arg-type]
    Bad(lambda: F.conv2d(image, kernel, padding=2**31 - 1), S, "conv2d: a shape has more elements than fit into memory: "),
)  # fmt: skip

REFUSED: tuple[Bad, ...] = (
    *OPERANDS, *DTYPES, *AXES, *SHAPES, *INDICES, *NEURAL, *CREATION, *DEVICES, *TENSORS, *LIMITS,
)  # fmt: skip


# -- what only an autodiff device refuses


def auto() -> Device:
    return Device.cpu().autodiff()


def leaf(dtype: str = "float32") -> bb.Tensor:
    return bb.tensor([1.0, 2.0, 3.0], dtype=dtype, device=auto()).require_grad()


def _again() -> None:
    y = leaf().sum()
    y.backward()
    y.backward()


def _replace(gradient: Any) -> None:
    y = leaf()
    y.grad_replace((y * y).backward(), gradient)


NOWHERE = "the tensor is on Device('cpu'), where nothing is recorded. Call Device.autodiff and move it: x.to(x.device.autodiff())."
REFUSED_GRAPHS: tuple[Bad, ...] = (
    Bad(lambda: v.require_grad(), D, f"Tensor.require_grad: {NOWHERE}"),
    Bad(lambda: v.backward(), D, "Tensor.backward: the tensor is on Device('cpu'), where nothing is recorded. Call Device.autodiff and move the model "),
    Bad(lambda: v.grad_remove(leaf().sum().backward()), D, f"Tensor.grad_remove: {NOWHERE}"),
    Bad(lambda: v.grad_replace(leaf().sum().backward(), v), D, f"Tensor.grad_replace: {NOWHERE}"),
    Bad(lambda: v.grad(None), T, "Tensor.grad: grads must be what Tensor.backward returned, got NoneType. Keep its "),  # type: ignore[arg-type]
    Bad(lambda: leaf().grad_remove(2), T, "Tensor.grad_remove: grads must be what Tensor.backward returned, got int. "),  # type: ignore[arg-type]
    Bad(lambda: leaf().grad_replace({}, v), T, "Tensor.grad_replace: grads must be what Tensor.backward returned, got dict. "),  # type: ignore[arg-type]
    Bad(lambda: Device.cpu().gradient_checkpointing(), D,
        "Device.gradient_checkpointing requires autodiff; call Device.autodiff first"),
    Bad(lambda: auto().gradient_checkpointing("BALANCED"), A,
        "Device.gradient_checkpointing: 'BALANCED' is not a strategy. Use GradientCheckpointing.BALANCED or GradientCheckpointing.DISABLED."),
    Bad(lambda: auto().gradient_checkpointing(budget_bytes=-1), A,
        "GradientCheckpointing: budget_bytes must be an integer, 0 or more, got -1."),
    Bad(lambda: auto().gradient_checkpointing(bb.GradientCheckpointing.BALANCED, budget_bytes=1), A,
        "Device.gradient_checkpointing: got a strategy and a budget. Leave one out."),
    Bad(lambda: leaf() + bb.zeros((3,), device=auto().gradient_checkpointing()), D,
        "add: Gradient checkpointing strategy mismatch: GradientCheckpointing.DISABLED and GradientCheckpointing.BALANCED. "
        "Move one with detach() and to(device)."),
    Bad(lambda: bb.tensor([1, 2], device=auto()).require_grad(), T,
        "require_grad: only floating tensors have gradients, this one is int64. Use astype.", "B069-integers"),
    Bad(lambda: bb.tensor([True], device=auto()).require_grad(), T,
        "require_grad: only floating tensors have gradients, this one is bool. Use astype.", "B069-bools"),
    Bad(lambda: (leaf() * 2).require_grad(), G, "require_grad: the tensor is the result of 'multiply', and tracked already. "),
    Bad(lambda: v.to(auto()).backward(), G, "backward: the tensor has no graph: "),
    Bad(lambda: bb.tensor([1], device=auto()).backward(), T, "backward: only floating tensors have gradients, this one is int64."),
    Bad(lambda: leaf().backward([1.0, 1.0, 1.0]), T, "Tensor.backward: gradient is a list, not a Tensor. Use bb.tensor."),
    Bad(lambda: leaf().backward(bb.ones((3,), dtype="float64")), T, "Tensor.backward: gradient is float64, the tensor float32. Use astype."),
    Bad(lambda: leaf().backward(bb.ones((2,))), S, "Tensor.backward: gradient has shape [2], the tensor [3]."),
    Bad(lambda: _replace(bb.ones((2,))), S, "Tensor.grad_replace: gradient has shape [2], the tensor [3]."),
    Bad(lambda: _replace(bb.ones((3,), dtype="float64")), T, "Tensor.grad_replace: gradient is float64, the tensor float32. Use astype."),
    Bad(_again, G, "backward: the graph is consumed, from an earlier backward through 'sum'. "),
    Bad(lambda: leaf().sum().backward()[leaf()], bb.MissingGradient,
        "Gradients: the result does not depend on this leaf, or a step has given the parameter a new one. "),
    Bad(lambda: leaf().sum().backward()[v], bb.MissingGradient,
        "Gradients: the tensor is not a leaf. Gradients are kept for what require_grad marked."),
    Bad(lambda: leaf().sum().backward()[np.ones(3)], T, "Gradients: keyed by tensors, not by ndarray."),
    Bad(lambda: pickle.dumps(leaf().sum().backward()), G, "Gradients: keyed by the leaves of this process, "),
    Bad(lambda: leaf().backward(gradient=leaf()), G, "Tensor.backward: gradient is tracked, and only the first order is there. "),
    Bad(lambda: bb.Tensor.from_inner(np.ones(3)), T, "Tensor.from_inner: needs a Tensor, got ndarray. Use bb.asarray."),
    Bad(lambda: np.asarray(leaf()), G, "np.asarray: the tensor is tracked and would lose its graph. Use detach() or numpy()."),
    Bad(lambda: np.from_dlpack(leaf()), G, "__dlpack__: the tensor is tracked and would lose its graph. Use detach() or numpy()."),
    Bad(lambda: leaf().to(Device.cpu()), D, "Tensor.to: the tensor is tracked and Device('cpu') would lose its graph. Use detach()."),
    Bad(lambda: leaf().to(auto().gradient_checkpointing()), D, "Tensor.to: the tensor is tracked and Device('cpu', autodiff, BALANCED) would lose"),
    Bad(lambda: copy.deepcopy(leaf() * 2), G, "deepcopy: the tensor is the result of a recorded op. Use detach() on it first."),
    Bad(lambda: pickle.dumps(leaf() * 2), G, "pickle: the tensor is the result of a recorded op. Use detach() on it first."),
    Bad(lambda: bb.tensor(leaf()), G, "tensor: the data is tracked. Use detach() on it first."),
    Bad(lambda: F.cross_entropy(bb.zeros((2, 3)), [0, 1], leaf()), G,
        "cross_entropy: weight is a constant and takes no gradient. Use detach() on it."),
    Bad(lambda: np.ones(3) * leaf(), T, "multiply: an operand is a NumPy array of shape [3]. Use bb.asarray on it.", "B067-array-times-leaf"),
    Bad(lambda: leaf() / np.array([2, 2, 2]), T, "divide: an operand is a NumPy array of shape [3]. Use bb.asarray on it.",
        "B067-leaf-by-array"),
)  # fmt: skip
