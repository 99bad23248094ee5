"""What the ops that move, pick, multiply and make elements refuse, and the questions about dtypes; see ``errors.py``."""

from __future__ import annotations

import numpy as np

import backburner as bb
from ops.errors import INT8, A, Bad, I, S, T, X, array, b, n, v, x

cube = bb.zeros((2, 3, 3))
zero = bb.tensor(0.0)
deep = bb.zeros((1,) * 64)


class Far:
    """An array in another machine's memory."""

    def __dlpack__(self, **options: object) -> object:
        raise BufferError("it is far away")

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


MOVED = (
    Bad(lambda: bb.tensor([2**63, 5]), A, "tensor: an element 9223372036854775808 does not fit into int64. Use another dtype."),
    Bad(lambda: bb.asarray([bb.ones((2,)), v]), S, "stack: shapes differ: [2], [3]"),
    Bad(lambda: bb.concat(1.5, None), A, "concat: needs a sequence of at least one tensor."),  # type: ignore[arg-type]
    Bad(lambda: x.permute_dims((1, 0)).reshape(6, copy=False), A, "reshape: [3, 2] to [6] takes a copy. Leave out copy=False."),
    Bad(lambda: bb.from_dlpack([1.0]), T, "from_dlpack: list has no __dlpack__. Use bb.asarray."),
    Bad(lambda: bb.from_dlpack(Far()), A, "from_dlpack: the Far does not give its memory away: it is far away"),
    Bad(lambda: bb.from_dlpack(np.ones(2, np.complex64)), T, "from_dlpack: dtype('complex64') is not a dtype here. Use one of: bool,"),
    Bad(lambda: x.to_device(bb.Device.cpu(), stream=1), A, "Tensor.to_device: there are no streams, got 1. Leave it out."),  # type: ignore[arg-type]
    Bad(lambda: x.flip(axis=2), X, "flip: axis 2 is out of range for 2 dimensions."),
    Bad(lambda: x.roll((1, 2)), S, "roll: 2 shifts and no axes. Name them with axis."),
    Bad(lambda: x.roll((1, 2), axis=0), S, "roll: 2 shifts for 1 axes."),
    Bad(lambda: x.roll(1.0), T, "roll: shift must be an integer, got 1.0."),
    Bad(lambda: x.repeat(v), T, "repeat: repeats must be integers of at most one dimension, got float32 of [3]."),
    Bad(lambda: x.repeat(bb.ones((2, 2), dtype="int64")), T,
        "repeat: repeats must be integers of at most one dimension, got int64 of [2, 2]."),
    Bad(lambda: x.repeat((1, 2), axis=1), S, "repeat: 2 repeats for the 3 entries of axis 1."),
    Bad(lambda: x.repeat(-1), A, "repeat: repeats must not be negative, got -1."),
    Bad(lambda: x.repeat(2**60, axis=0), S, "repeat: a shape has more elements than fit into memory: [2305843009213693952, 3]."),
    Bad(lambda: x.repeat(1.5), T, "repeat: repeats must be an integer, got 1.5."),
    Bad(lambda: deep.repeat(2, axis=0), S, "repeat: 65 dimensions are more than 64, the most there can be."),
    Bad(lambda: x.tile((2, -1)), S, "tile: a shape has a negative size: [2, -1]."),
    Bad(lambda: x.tile(2**60), S, "tile: a shape has more elements than fit into memory: "),
    Bad(lambda: zero.unstack(), X, "unstack: axis 0 is out of range for 0 dimensions."),
    Bad(lambda: x.moveaxis((0, 1), 0), X, "moveaxis: axes (0, 1) cannot go to 0: name as many, and each once."),
    Bad(lambda: x.moveaxis((0, 0), (0, 1)), X, "moveaxis: axes (0, 0) cannot go to (0, 1): name as many, and each once."),
    Bad(lambda: x.swapaxes(0, 2), X, "swapaxes: axis 2 is out of range for 2 dimensions."),
    Bad(lambda: bb.broadcast_arrays(x, bb.ones((2,))), S, "broadcast_arrays: shapes do not broadcast: [2, 3] and [2]."),
    Bad(lambda: bb.broadcast_arrays(x, array), T, "broadcast_arrays: the input is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: bb.meshgrid(v, indexing="yx"), A, "meshgrid: indexing must be 'xy' or 'ij', got 'yx'."),
    Bad(lambda: bb.meshgrid(v, x), S, "meshgrid: needs vectors, got [2, 3]. Use reshape(x, -1)."),
    Bad(lambda: bb.meshgrid(v, n), T, "meshgrid: the inputs are float32 and int64. Use astype."),
    Bad(lambda: v.tril(), S, "tril: needs at least two dimensions, got [3]."),
    Bad(lambda: v.triu(), S, "triu: needs at least two dimensions, got [3]."),
    Bad(lambda: x.triu(k=0.5), T, "triu: k must be an integer, got 0.5."),
    Bad(lambda: bb.empty_like(array), T, "empty_like: the input is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
)  # fmt: skip

PICKED = (
    Bad(lambda: x.at[2].set(1), I, "at.set: axis 0: index 2 is out of range [-2, 2)."),
    Bad(lambda: b.at[0].add(True), T, "at.add: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: x.at[0].set(bb.ones((2,))), S, "at.set: shapes do not broadcast: [2] and [3]."),
    Bad(lambda: x.at[0].set(bb.ones((1, 3))), S, "at.set: values of [1, 3] do not broadcast to [3]."),
    Bad(lambda: x.at[:, 0].min(x), S, "at.min: values of [2, 3] do not broadcast to [2]."),
    Bad(lambda: n.at[0].set(v[0]), T, "at.set: values are float32 and do not fit into int64. Use astype."),
    Bad(lambda: n.at[0].multiply(0.5), T, "at.multiply: a value 0.5 is not an integer, as int64 is. Use another dtype."),
    Bad(lambda: INT8.at[0].set(300), A, "at.set: a value 300 does not fit into int8. Use another dtype."),
    Bad(lambda: INT8.at[0].set(n[0]), T, "at.set: values are int64 and do not fit into int8. Use astype."),
    Bad(lambda: v.at[0].set([1.0]), T, "at.set: a value: list is not a Tensor or a number. Use bb.tensor."),
    Bad(lambda: x.take_along_axis(n), S, "take_along_axis: indices must have as many dimensions as x: [3] for [2, 3]."),
    Bad(lambda: v.take_along_axis(n), I, "take_along_axis: index 3 is out of range [-3, 3)."),
    Bad(lambda: v.take_along_axis(v), T, "take_along_axis: indices must be integers, got float32. Use astype(bb.int64)."),
    Bad(lambda: x.take_along_axis(bb.zeros((3, 1), dtype="int64")), S,
        "take_along_axis: shapes do not broadcast: [2, 1] and [3, 1]."),
    Bad(lambda: x.gather(0, [0]), S, "gather: index must have the rank of x and be no larger outside of axis 0: [1] for [2, 3]."),
    Bad(lambda: x.gather(0, [[0] * 4]), S,
        "gather: index must have the rank of x and be no larger outside of axis 0: [1, 4] for [2, 3]."),
    Bad(lambda: x.gather(1, [[3]]), I, "gather: index 3 is out of range [-3, 3)."),
    Bad(lambda: v.scatter_add(0, [3], v), I, "scatter_add: index 3 is out of range [-3, 3)."),
    Bad(lambda: v.scatter_add(0, [0, 0, 0, 0], v), S, "scatter_add: src must be at least as large as index: [3] for [4]."),
    Bad(lambda: v.scatter_add(0, [0], 1.0), T, "scatter_add: src: the input is a float, not a Tensor. Use bb.tensor."),  # type: ignore[arg-type]
    Bad(lambda: n.scatter_add(0, [0], v), T, "scatter_add: values are float32 and do not fit into int64. Use astype."),
    Bad(lambda: b.scatter_add(0, [0], b), T, "scatter_add: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: v.scatter_reduce(0, [0], v, "median"), A,
        "scatter_reduce: reduce must be one of sum, mean, prod, amax, amin, got 'median'."),
    Bad(lambda: v.scatter_reduce(0, [3], v, "sum"), I, "scatter_reduce: index 3 is out of range [-3, 3)."),
    Bad(lambda: v.scatter_reduce(0, [0], v, "sum", include_self=None), T,  # type: ignore[arg-type]
        "scatter_reduce: include_self must be True or False, got NoneType."),
    Bad(lambda: x.sliding_windows(1, 4), S, "sliding_windows: size 4 is longer than axis 1 of [2, 3]."),
    Bad(lambda: x.unfold(1, 2, 0), A, "sliding_windows: size must not be negative, and step positive: 2 and 0."),
    Bad(lambda: zero.sliding_windows(0, 1), X, "sliding_windows: axis 0 is out of range for 0 dimensions."),
    Bad(lambda: deep.sliding_windows(0, 1), S, "sliding_windows: 65 dimensions are more than 64, the most there can be."),
    Bad(lambda: b.index_add(0, [0], b[:1]), T, "index_add: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: x.index_add(0, [0], x[:1], alpha=bb.tensor(1.0)), T,  # type: ignore[arg-type]
        "index_add: alpha: takes a number here, not a Tensor. Use item() on it."),
    Bad(lambda: x.index_add(0, [0, 2], x), I, "index_add: index 2 is out of range [-2, 2)."),
    Bad(lambda: x.index_add(0, [0], x), S, "index_add: source must be [1, 3], and index a vector; got [2, 3] and [1]."),
    Bad(lambda: x.index_add(0, [[0, 1]], x), S, "index_add: source must be [2, 3], and index a vector; got [2, 3] and [1, 2]."),
    Bad(lambda: v.index_add(0, [0], array), T,  # type: ignore[arg-type]
        "index_add: source: the input is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: v.index_add(0, [0], v[:1], alpha="a"), T,  # type: ignore[arg-type]
        "index_add: alpha: str is not a Tensor or a number. Use bb.tensor."),
    Bad(lambda: v.masked_fill(v, 0), T, "masked_fill: needs bool, got float32. Compare, or use astype(bb.bool)."),
    Bad(lambda: v.masked_fill(b, v), S, "masked_fill: value must be 0-d, got [3]. Use where."),
    Bad(lambda: v.masked_fill(x > 0, 0), S, "masked_fill: a mask of [2, 3] does not broadcast to [3]."),
    Bad(lambda: bb.ones((1,)).masked_fill(b, 0), S, "masked_fill: a mask of [3] does not broadcast to [1]."),
    Bad(lambda: x.masked_select(b[:2]), S, "masked_select: shapes do not broadcast: [2, 3] and [2]."),
    Bad(lambda: v.masked_select(n), T, "masked_select: needs bool, got int64. Compare, or use astype(bb.bool)."),
    Bad(lambda: bb.one_hot(n, 3), I, "one_hot: index 3 is out of range [0, 3)."),
    Bad(lambda: bb.one_hot([-1]), I, "one_hot: index -1 is out of range [0, 0)."),
    Bad(lambda: bb.one_hot([]), S, "one_hot: there are no indices. Give num_classes."),
    Bad(lambda: bb.one_hot(v), T, "one_hot: indices must be integers, got float32. Use astype(bb.int64)."),
    Bad(lambda: bb.one_hot([0], 2**60), S, "one_hot: a shape has more elements than fit into memory: [1, 1152921504606846976]."),
    Bad(lambda: v.bincount(), T, "bincount: indices must be integers, got float32. Use astype(bb.int64)."),
    Bad(lambda: bb.zeros((2, 2), dtype="int64").bincount(), S, "bincount: needs a vector, got [2, 2]."),
    Bad(lambda: n.bincount(minlength=-1), A, "bincount: minlength must not be negative, got -1."),
    Bad(lambda: (-n).bincount(), I, "bincount: index -3 is out of range [0, 0)."),
    Bad(lambda: n.bincount(v[:2]), S, "bincount: weights of [2] for [3] numbers."),
    Bad(lambda: n.bincount(b), T, "bincount: weights: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: bb.tensor([2**60]).bincount(), S, "bincount: a shape has more elements than fit into memory: [1152921504606846977]."),
)  # fmt: skip

PRODUCTS = (
    Bad(lambda: v.vecdot(bb.ones((2,))), S, "vecdot: lengths of vectors differ: [3] and [2]."),
    Bad(lambda: x.vecdot(v, axis=0), X, "vecdot: axis 0 is not the same in [2, 3] and [3]."),
    Bad(lambda: cube.vecdot(x[:1].broadcast_to((4, 3))), S, "vecdot: shapes do not broadcast: [2, 3] and [4]."),
    Bad(lambda: b.vecdot(b), T, "vecdot: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: v.vecdot(zero), X, "vecdot: axis -1 is out of range for 0 dimensions."),
    Bad(lambda: x.outer(v), S, "outer: needs two vectors, got [2, 3] and [3]."),
    Bad(lambda: x.tensordot(v, axes=2), X, "tensordot: [2, 3] and [3] have not 2 axes to sum over."),
    Bad(lambda: x.tensordot(v, axes=(0, 1)), X, "tensordot: axes must be a number or two sequences, got (0, 1)."),  # type: ignore[arg-type]
    Bad(lambda: x.tensordot(x, axes=((0, 0), (0, 1))), X, "tensordot: an axis is named twice: ((0, 0), (0, 1))."),
    Bad(lambda: x.tensordot(x, axes=((0,), (1,))), S, "tensordot: axes [0] of [2, 3] and [1] of [2, 3] do not pair up."),
    Bad(lambda: bb.zeros((1,) * 40).tensordot(bb.zeros((1,) * 40), axes=0), S,
        "tensordot: 80 dimensions are more than 64, the most there can be."),
    Bad(lambda: x.dot(x), S, "dot: inner dimensions differ: [2, 3] and [2, 3]."),
    Bad(lambda: x.cross(v, axis=1), X, "cross: axis 1 is not the same in [2, 3] and [3]."),
    Bad(lambda: x.cross(bb.ones((2,))), S, "cross: vectors must have 3 elements: [2, 3] and [2]."),
    Bad(lambda: x.cross(bb.ones((4, 3))), S, "cross: shapes do not broadcast: [2, 3] and [4, 3]."),
    Bad(lambda: v.diagonal(), S, "diagonal: needs at least two dimensions, got [3]."),
    Bad(lambda: x.diagonal(offset=0.5), T, "diagonal: offset must be an integer, got 0.5."),
    Bad(lambda: bb.einsum(3, v), A, "einsum: the equation must be a string, got 3."),  # type: ignore[arg-type]
    Bad(lambda: bb.einsum("i1,j", v, v), A, "einsum: 'i1' in 'i1,j' is not letters and at most one '...'."),
    Bad(lambda: bb.einsum("......", v), A, "einsum: '......' in '......' is not letters and at most one '...'."),
    Bad(lambda: bb.einsum("i", v, v), A, "einsum: 'i' describes 1 operands, got 2."),
    Bad(lambda: bb.einsum("i->j", v), A, "einsum: the result of 'i->j' has a letter twice, or one of no operand."),
    Bad(lambda: bb.einsum("i->ii", v), A, "einsum: the result of 'i->ii' has a letter twice, or one of no operand."),
    Bad(lambda: bb.einsum("...i->i", x), A, "einsum: the result of '...i->i' lacks the '...' of its operands."),
    Bad(lambda: bb.einsum("ij", v), S, "einsum: 'ij' has 2 letters for [3]."),
    Bad(lambda: bb.einsum("i", x), S, "einsum: 'i' has 1 letters for [2, 3]."),
    Bad(lambda: bb.einsum("ii", x), S, "einsum: 'i' of 'ii' is 2 and 3 long."),
    Bad(lambda: bb.einsum("...,...", x, bb.ones((2,))), S, "einsum: '...' of '...,...' is 3 and 2 long."),
    Bad(lambda: bb.einsum("i,i", b, b), T, "einsum: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: bb.einsum("i"), A, "einsum: needs a sequence of at least one tensor."),
)  # fmt: skip

ASKED = (
    Bad(lambda: bb.isdtype(bb.int8, "integer"), T, "isdtype: there is no kind 'integer'. Use one of: 'bool', 'signed integer',"),
    Bad(lambda: bb.isdtype("complex64", "numeric"), T, "isdtype: 'complex64' is not a dtype here. Use one of: bool, int8,"),
    Bad(lambda: bb.result_type(2.5, 1), T, "result_type: needs at least one tensor or dtype."),
    Bad(lambda: bb.result_type(bb.uint64, n), T, "result_type: uint64 and int64 have no common integer dtype. "),
    Bad(lambda: bb.result_type("long double"), T, "result_type: 'long double' is not a dtype here."),
    Bad(lambda: bb.finfo(n), T, "finfo: needs a float dtype, got int64. Use iinfo."),
    Bad(lambda: bb.iinfo(bb.float32), T, "iinfo: needs an integer dtype, got float32. Use finfo."),
    Bad(lambda: bb.can_cast(np.complex64, bb.float32), T, "can_cast: "),
    Bad(lambda: bb.__array_namespace_info__().dtypes(kind="float"), T, "dtypes: there is no kind 'float'. Use one of: 'bool',"),
)  # fmt: skip

REFUSED = (*MOVED, *PICKED, *PRODUCTS, *ASKED)
