"""What people from elsewhere call, and what there is instead: read where a name is missing, never before."""

from __future__ import annotations

from collections.abc import Collection

# Other words for functions of arrays, by PyTorch and NumPy. Where the tensor has a method it has the same name.
RENAMED = {
    "absolute": "abs", "amax": "max", "amin": "min", "arccos": "acos", "arcsin": "asin", "arctan": "atan",
    "arctan2": "atan2", "bitwise_not": "bitwise_invert", "clamp": "clip", "cumprod": "cumulative_prod",
    "cumsum": "cumulative_sum", "div": "divide", "eq": "equal", "fix": "trunc", "ge": "greater_equal",
    "ger": "outer", "gt": "greater", "index_select": "take", "le": "less_equal", "lt": "less",
    "movedim": "moveaxis", "mul": "multiply", "ne": "not_equal", "neg": "negative", "permute": "permute_dims",
    "repeat_interleave": "repeat", "sub": "subtract", "swapdims": "swapaxes", "true_divide": "divide",
    "unbind": "unstack", "unsqueeze": "expand_dims",
}  # fmt: skip
# Arguments of some of them, for the methods.
_ARGUMENTS = {
    "clamp": "min, max", "cumprod": "axis", "cumsum": "axis", "index_select": "indices, axis", "permute": "axes",
    "repeat_interleave": "repeats, axis", "unbind": "axis", "unsqueeze": "axis",
}  # fmt: skip

_PARTS = "split(size, axis), where size is that of a part"
_FLOATS = "float32 or float64: there are no others"
_PLAIN = "detach, or a plain device: Module.valid, Tensor.inner"
_CPU = "the CPU: there is nothing else"
_VALUES = "tensor(values), or asarray(values, dtype=...)"

_PACKAGE = {
    "addmm": "matmul and add",
    "argwhere": "nonzero, one tensor of indices for each axis",
    "as_tensor": "asarray",
    "autograd": "grad, value_and_grad or Tensor.backward",
    "baddbmm": "matmul and add",
    "bernoulli": "random.bernoulli",
    "bfloat16": _FLOATS,
    "bmm": "matmul",
    "cat": "concat",
    "chunk": _PARTS,
    "clone": "the tensor as it is: it never changes",
    "compile": "the function as it is: there is nothing to compile",
    "concatenate": "concat",
    "cuda": _CPU,
    "double": "float64",
    "float": "float32",
    "float16": _FLOATS,
    "from_numpy": "asarray",
    "half": _FLOATS,
    "histc": "histogram",
    "hstack": "concat",
    "inference_mode": _PLAIN,
    "int": "int32",
    "is_tensor": "isinstance(x, Tensor)",
    "long": "int64",
    "manual_seed": "Device.cpu().seed",
    "mm": "matmul",
    "multinomial": "random.multinomial",
    "mv": "matmul",
    "no_grad": _PLAIN,
    "numel": "x.size",
    "rand": "random.uniform",
    "rand_like": "random.uniform(x.shape)",
    "randint": "random.randint",
    "randn": "random.normal",
    "randn_like": "random.normal(x.shape)",
    "randperm": "random.permutation",
    "set_grad_enabled": _PLAIN,
    "transpose": "swapaxes, permute_dims or matrix_transpose",
    "unique": "unique_values, unique_counts, unique_inverse or unique_all",
    "vstack": "concat",
    **{f"{kind}Tensor": _VALUES for kind in ("Bool", "Byte", "Double", "Float", "Int", "Long")},
}

_CAST = "astype(dtype)"
_NOT_NEEDED = "the tensor as it is: it never changes"
_LIKE_THIS = "dtype=x.dtype, device=x.device)"
_TENSOR = {
    **{name: _CAST for name in ("bfloat16", "bool", "byte", "char", "double", "float", "half", "int", "long", "short")},
    "addmm": "@ and +",
    "baddbmm": "@ and +",
    "bmm": "@",
    "chunk": _PARTS,
    "clone": _NOT_NEEDED,
    "contiguous": _NOT_NEEDED,
    "cpu": "numpy(), or to(device)",
    "cuda": _CPU,
    "data": "detach(), or numpy() for the values; nn.init and assign give a parameter others",
    "dim": "ndim",
    "element_size": "dtype.itemsize",
    "expand": "broadcast_to(shape)",
    "expand_as": "broadcast_to(other.shape)",
    "grad_fn": "is_tracked()",
    "is_cuda": _CPU,
    "is_floating_point": "bb.isdtype(x.dtype, 'real floating')",
    "is_leaf": "is_require_grad()",
    "masked_scatter": "bb.where",
    "mm": "@",
    "mv": "@",
    "narrow": "a slice",
    "ndimension": "ndim",
    "nelement": "size",
    "new_empty": f"bb.empty(shape, {_LIKE_THIS}",
    "new_full": f"bb.full(shape, value, {_LIKE_THIS}",
    "new_ones": f"bb.ones(shape, {_LIKE_THIS}",
    "new_tensor": f"bb.asarray(values, {_LIKE_THIS}",
    "new_zeros": f"bb.zeros(shape, {_LIKE_THIS}",
    "numel": "size",
    "requires_grad": "is_require_grad(); for a parameter is_frozen",
    "requires_grad_": "require_grad(); for parameters Module.freeze(pattern) and unfreeze",
    "reshape_as": "reshape(other.shape)",
    "retain_grad": "register_hook, which shows the gradient of any tensor",
    "scatter": "at[index].set(values)",
    "select": "an index: x[:, i]",
    "t": "T",
    "transpose": "swapaxes(a, b)",
    "type": _CAST,
    "type_as": "astype(other.dtype)",
    "unflatten": "reshape(shape)",
    "unique": "unique_values(), unique_counts(), unique_inverse() or unique_all()",
    "view": "reshape(shape)",
    "view_as": "reshape(other.shape)",
    "where": "bb.where(condition, x, y)",
}  # fmt: skip

_NN = {
    "DataParallel": "the module itself: its ops use all cores",
    "SyncBatchNorm": "BatchNorm1d, BatchNorm2d or BatchNorm3d: there is one process",
    "modules": "nn itself: all layers are there",
    "parameter": "nn.Parameter",
}
_FUNCTIONAL = {
    "multi_head_attention_forward": "nn.MultiheadAttention, or scaled_dot_product_attention",
    "upsample": "interpolate",
}
_UTILS = {
    "clip_grad_norm_": "optim.clip_by_global_norm(grads, max_norm)",
    "clip_grad_value_": "optim.clip_by_value(grads, ...)",
}


def of_tensor(name: str) -> str:
    """Return the sentence for a method or an attribute that tensors lack, or nothing."""
    found = _TENSOR.get(name)
    if found is None and name in RENAMED:
        found = f"{RENAMED[name]}({_ARGUMENTS[name]})" if name in _ARGUMENTS else RENAMED[name]
    return _sentence(found)


def of_package(name: str) -> str:
    """Return the sentence for a name that the package lacks, or nothing."""
    return _sentence(_PACKAGE.get(name, RENAMED.get(name)))


def of_nn(module: str, name: str, known: Collection[str]) -> str:
    """Return the sentence for a name that ``nn`` or a module in it lacks beside what it has, or nothing."""
    if name.startswith("Lazy") and name[4:] in known:
        return _sentence(f"{name[4:]}, with the size of its input")
    if name.endswith("_") and name[:-1] in known:
        return _sentence(f"{name[:-1]}: tensors are immutable")
    return _sentence({"nn": _NN, "functional": _FUNCTIONAL, "utils": _UTILS}[module].get(name))


def _sentence(found: str | None) -> str:
    return "" if found is None else f" Use {found}."
