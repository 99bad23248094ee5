"""What the pickles of checkpoints may name, and what stands for it: tensors as descriptions, all else inert."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from backburner.record._dtypes import COMPLEX, Array, Malformed, dtype_name, raw_dtype
from backburner.record._format import product, short
from backburner.record._pickle import Dict, Global, Opaque, check_key

MAX_AXES = 64  # as NumPy
NAME_LIMIT = 500  # characters of a module and a name in it

# By PyTorch's words; the rest of its dtypes has no counterpart in NumPy.
TORCH_DTYPES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32",
    "int16": "I16", "int8": "I8", "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64",
    "bool": "BOOL", "complex64": "C64", "complex128": COMPLEX, "float8_e5m2": "F8_E5M2",
    "float8_e4m3fn": "F8_E4M3", "float8_e8m0fnu": "F8_E8M0", "float8_e4m3fnuz": "F8_E4M3FNUZ",
    "float8_e5m2fnuz": "F8_E5M2FNUZ",
}  # fmt: skip
_STORAGES = {
    "DoubleStorage": "F64", "FloatStorage": "F32", "HalfStorage": "F16", "BFloat16Storage": "BF16",
    "LongStorage": "I64", "IntStorage": "I32", "ShortStorage": "I16", "CharStorage": "I8",
    "ByteStorage": "U8", "BoolStorage": "BOOL", "ComplexFloatStorage": "C64", "ComplexDoubleStorage": COMPLEX,
}  # fmt: skip
_QUANTIZED = ("QInt8Storage", "QUInt8Storage", "QInt32Storage", "QUInt4x2Storage", "QUInt2x4Storage")


class Storage:
    """A block of bytes in a file.

    Args:
        key: which, by the file's name for it.
        dtype: of its elements; ``None`` if they are bytes of anything.
        size: how many elements it has.
        offset: how many elements of the block come before.
        data: the block, where the pickle itself holds it.
    """

    __slots__ = ("data", "dtype", "key", "offset", "size")

    def __init__(
        self, key: str, dtype: str | None, size: int, offset: int = 0, data: Array | None = None
    ) -> None:
        self.key = key
        self.dtype = dtype
        self.size = size
        self.offset = offset
        self.data = data

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return 1 if self.dtype is None else raw_dtype(self.dtype).itemsize


class StorageType(Global):
    """What stands for a class of storages."""

    __slots__ = ("dtype",)

    def __init__(self, name: str, dtype: str | None) -> None:
        super().__init__(name)
        self.dtype = dtype


class Tensor:
    """Where the elements of a tensor lie in a storage; offset and strides count elements.

    Raises:
        Malformed: not all of them lie in the storage.
    """

    __slots__ = ("dtype", "offset", "shape", "storage", "strides")

    def __init__(self, storage: Any, offset: Any, shape: Any, strides: Any, dtype: str | None = None) -> None:
        if not isinstance(storage, Storage):
            raise Malformed(f"its pickle makes a tensor of a {type(storage).__name__}, not of a storage")
        stored = storage.dtype
        found = dtype or stored
        if found is None or stored not in (None, found):
            raise Malformed(f"its pickle makes a tensor of {dtype} from a storage of {stored}")
        for what, sizes in (("shape", shape), ("strides", strides)):
            if type(sizes) not in (tuple, list) or not all(type(n) is int and n >= 0 for n in sizes):
                raise Malformed(f"its pickle gives a tensor the {what} {_told(sizes)}")
        if type(offset) is not int or offset < 0 or len(shape) != len(strides):
            raise Malformed(
                f"its pickle gives a tensor the offset {_told(offset)} and {len(strides)} strides"
            )
        itemsize = raw_dtype(found).itemsize
        if len(shape) > MAX_AXES or product([n for n in shape if n]) * itemsize > sys.maxsize:
            raise Malformed(f"a tensor has a shape that NumPy cannot hold: {short(list(shape))}")
        begin = offset + (storage.offset if stored else 0)
        if 0 not in shape:
            room = storage.size if stored else storage.size // itemsize
            last = offset + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
            if last >= room:
                raise Malformed(
                    f"a tensor of shape {short(list(shape))} goes beyond its storage {storage.key[:80]!r}: it takes element "
                    f"{short(last)} of {room:,}"
                )
        self.storage = storage
        self.dtype = found
        self.offset = begin
        self.shape: tuple[int, ...] = tuple(shape)
        # A stride along one element means nothing, and may be any number.
        self.strides = tuple(step if n > 1 else 0 for n, step in zip(shape, strides, strict=True))

    @property
    def place(self) -> object:
        """What is equal for tensors that are the same memory seen in the same way."""
        block = self.storage.key if self.storage.data is None else id(self.storage.data)
        return None if 0 in self.shape else (block, self.dtype, self.offset, self.shape, self.strides)

    def set_state(self, state: Any) -> None:
        """Forget what else hung on the tensor, such as hooks."""

    def make(self, block: Array, order: Literal["<", ">"]) -> Array:
        """Return the elements as they lie in the storage's block of bytes."""
        dtype = raw_dtype(self.dtype, order)
        if 0 in self.shape:
            return np.empty(self.shape, dtype)
        strides = tuple(step * dtype.itemsize for step in self.strides)
        return np.ndarray(self.shape, dtype, block.data, self.offset * dtype.itemsize, strides)


class Refused:
    """A tensor of a kind that there is no array for.

    Args:
        what: a clause that says what it is, and a sentence that says what to do.
    """

    __slots__ = ("what",)

    def __init__(self, what: str) -> None:
        self.what = what

    def set_state(self, state: Any) -> None:
        """Forget the state."""


def _told(value: Any) -> str:
    """Return a value for a message: its contents only where they are few."""
    plain = type(value) is int
    if type(value) in (tuple, list) and len(value) < 10:
        plain = all(type(x) is int for x in value)
    return short(value) if plain else f"of a {type(value).__name__}"


# -- what PyTorch's pickles call -------------------------------------------------------------------------


def _rebuild(arguments: list[Any]) -> Any:
    if len(arguments) < 4:
        raise Malformed("its pickle makes a tensor of too few parts")
    metadata = arguments[6] if len(arguments) > 6 else None
    if isinstance(metadata, dict) and (metadata.get("conj") or metadata.get("neg")):
        return Refused("is conjugated or negated only when it is used. Save x.resolve_conj().resolve_neg()")
    if isinstance(arguments[0], Refused):
        return arguments[0]
    return Tensor(*arguments[:4])


def _rebuild_typed(arguments: list[Any]) -> Any:
    if len(arguments) < 7 or not isinstance(arguments[6], Global):
        raise Malformed("its pickle makes a tensor of too few parts")
    name = arguments[6].name.removeprefix("torch.")
    if name not in TORCH_DTYPES:
        return Refused(f"has the dtype {name}, which NumPy lacks. Save it as another")
    storage, offset, shape, strides = arguments[:4]
    return Tensor(storage, offset, shape, strides, TORCH_DTYPES[name])


def _rebuild_parameter(arguments: list[Any]) -> Any:
    if not arguments or not isinstance(arguments[0], (Tensor, Refused)):
        raise Malformed("its pickle makes a parameter of something that is no tensor")
    return arguments[0]


def _rebuild_from_type(arguments: list[Any]) -> Any:
    if len(arguments) < 3 or not isinstance(arguments[0], Global) or type(arguments[2]) is not tuple:
        raise Malformed("its pickle makes a tensor of too few parts")
    if not isinstance(arguments[1], Global) or arguments[1].name not in _TENSOR_CLASSES:
        raise Malformed("its pickle makes a tensor of an unknown class")
    rebuild = arguments[0].call
    if rebuild is None or rebuild not in (_rebuild, _rebuild_typed, _rebuild_parameter):
        raise Malformed(f"its pickle makes a tensor by {arguments[0].name}")
    return rebuild(list(arguments[2]))


def _refuse(what: str) -> Callable[[list[Any]], Any]:
    return lambda arguments: Refused(what)


def _dict_of(arguments: list[Any]) -> Any:
    made = Dict()
    pairs = arguments[0] if arguments else []
    if len(arguments) > 1 or type(pairs) is not list:
        raise Malformed("its pickle makes an OrderedDict of something that is no list")
    for pair in pairs:
        if type(pair) not in (list, tuple) or len(pair) != 2:
            raise Malformed("its pickle makes an OrderedDict of something that is no list of pairs")
        made[check_key(pair[0])] = pair[1]
    return made


def _default_dict(arguments: list[Any]) -> Any:
    return _dict_of(arguments[1:])


def _set_of(kind: Callable[[Any], Any]) -> Callable[[list[Any]], Any]:
    def make(arguments: list[Any]) -> Any:
        if len(arguments) != 1 or type(arguments[0]) not in (list, tuple):
            raise Malformed("its pickle makes a set of something that is no list")
        return kind(map(check_key, arguments[0]))

    return make


def _bytes_of(arguments: list[Any]) -> Any:
    if not arguments:
        return b""
    if type(arguments[0]) is bytes:
        return arguments[0]
    if type(arguments[0]) is not str or arguments[1:] not in (["latin1"], ["latin-1"]):
        raise Malformed("its pickle makes bytes of something that is neither bytes nor latin-1")
    try:
        return arguments[0].encode("latin-1")
    except UnicodeEncodeError:
        raise Malformed("its pickle has bytes that are none") from None


def _complex(arguments: list[Any]) -> Any:
    if len(arguments) != 2 or not all(type(part) is float for part in arguments):
        raise Malformed("its pickle makes a complex number of something else than two floats")
    return complex(*arguments)


def _size(arguments: list[Any]) -> Any:
    sizes = arguments[0] if arguments else ()
    if type(sizes) not in (tuple, list) or not all(type(n) is int for n in sizes):
        raise Malformed("its pickle has a torch.Size of something else than integers")
    return tuple(sizes)


def _device(arguments: list[Any]) -> Any:
    if not arguments or type(arguments[0]) is not str or len(arguments[0]) > 80:
        raise Malformed("its pickle has a torch.device of something that is no text")
    return ":".join([arguments[0], *(str(n) for n in arguments[1:2] if type(n) is int)])


def _opaque(name: str) -> Callable[[list[Any]], Any]:
    return lambda arguments: Opaque(name)


# -- what NumPy's pickles call ---------------------------------------------------------------------------


class _DType:
    """A NumPy dtype that gets its byte order afterwards."""

    __slots__ = ("code", "order")

    def __init__(self, code: str) -> None:
        self.code = code
        self.order: Literal["<", ">"] = "<"

    def set_state(self, state: Any) -> None:
        if type(state) is not tuple or len(state) < 2 or state[1] not in ("<", ">", "|", "="):
            raise Malformed("its pickle has a NumPy dtype of an unknown byte order")
        self.order = ">" if state[1] == ">" else "<"

    def numpy(self) -> np.dtype[Any] | None:
        """Return the dtype if it is one of numbers or bools."""
        try:
            found = np.dtype(self.code).newbyteorder(self.order)
        except (TypeError, ValueError, SyntaxError):
            raise Malformed(f"its pickle has the NumPy dtype {self.code!r}") from None
        return found if found.kind in "biufc" and found.names is None and found.itemsize <= 16 else None


def _numpy_dtype(arguments: list[Any]) -> Any:
    if not arguments or type(arguments[0]) is not str or not 0 < len(arguments[0]) <= 8:
        raise Malformed("its pickle has a NumPy dtype of something that is no text")
    return _DType(arguments[0])


class NumPyArray:
    """A NumPy array that gets its contents afterwards.

    Attributes:
        tensor: what it is; ``None`` for arrays of anything but numbers and bools.
        order: the byte order of its elements.
    """

    __slots__ = ("order", "tensor")

    def __init__(self) -> None:
        self.tensor: Tensor | None = None
        self.order: Literal["<", ">"] = "<"

    def set_state(self, state: Any) -> None:
        """Take version, shape, dtype, whether the order is Fortran's, and the bytes."""
        if type(state) is not tuple or len(state) != 5:
            raise Malformed("its pickle has a NumPy array of unknown parts")
        _, shape, dtype, fortran, data = state
        self.fill(shape, dtype, bool(fortran), data)

    def fill(self, shape: Any, dtype: Any, fortran: bool, data: Any) -> None:
        if not isinstance(dtype, _DType) or type(shape) is not tuple:
            raise Malformed("its pickle has a NumPy array of unknown parts")
        found = dtype.numpy()
        if found is None:
            return
        if type(data) is str:  # of Python 2
            data = data.encode("utf-8")
        if type(data) is not bytes or not all(type(n) is int and n >= 0 for n in shape):
            raise Malformed("its pickle has a NumPy array whose contents are no bytes")
        if product(shape) * found.itemsize != len(data):
            raise Malformed(
                f"its pickle has a NumPy array of shape {short(list(shape))} and {len(data):,} bytes"
            )
        steps = []
        step = 1
        for n in shape if fortran else reversed(shape):
            steps.append(step)
            step *= n
        name = COMPLEX if found.kind == "c" and found.itemsize == 16 else dtype_name(found)
        storage = Storage("", name, product(shape), data=np.frombuffer(data, np.uint8))
        self.tensor = Tensor(storage, 0, shape, steps if fortran else steps[::-1])
        self.order = dtype.order


def _new_array(arguments: list[Any]) -> Any:
    return NumPyArray()


def _array_of_buffer(arguments: list[Any]) -> Any:
    if len(arguments) != 4:
        raise Malformed("its pickle has a NumPy array of unknown parts")
    data, dtype, shape, order = arguments
    made = NumPyArray()
    made.fill(shape, dtype, order == "F", data)
    return made


def _numpy_scalar(arguments: list[Any]) -> Any:
    if len(arguments) != 2 or not isinstance(arguments[0], _DType):
        raise Malformed("its pickle has a NumPy number of unknown parts")
    dtype, data = arguments[0].numpy(), arguments[1]
    if dtype is None:
        return Opaque("a NumPy scalar")
    if type(data) is str:  # of Python 2
        data = data.encode("utf-8")
    if type(data) is not bytes or len(data) != dtype.itemsize:
        raise Malformed("its pickle has a NumPy number of unknown parts")
    return np.frombuffer(data, dtype)[0].item()


# -- the table -------------------------------------------------------------------------------------------

_TENSOR_CLASSES = (
    "torch.Tensor",
    "torch.nn.parameter.Parameter",
    "torch.nn.parameter.Buffer",
    "torch._tensor.Tensor",
)
_SPARSE = "is sparse, and there are no sparse arrays here. Save x.to_dense()"
_CALLS: dict[str, Callable[[list[Any]], Any]] = {
    "torch._utils._rebuild_tensor": _rebuild,
    "torch._utils._rebuild_tensor_v2": _rebuild,
    "torch._utils._rebuild_tensor_v3": _rebuild_typed,
    "torch._utils._rebuild_parameter": _rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": _rebuild_parameter,
    "torch._tensor._rebuild_from_type": _rebuild_from_type,
    "torch._tensor._rebuild_from_type_v2": _rebuild_from_type,
    "torch._utils._rebuild_sparse_tensor": _refuse(_SPARSE),
    "torch._utils._rebuild_sparse_csr_tensor": _refuse(_SPARSE),
    "torch._utils._rebuild_qtensor": _refuse("is quantised. Save x.dequantize()"),
    "torch._utils._rebuild_nested_tensor": _refuse("is nested. Save its parts"),
    "torch._utils._rebuild_meta_tensor_no_storage": _refuse("is on the device 'meta' and has no contents"),
    "torch.Size": _size,
    "torch.device": _device,
    "torch.serialization._get_layout": _opaque("a layout"),
    "collections.OrderedDict": _dict_of,
    "collections.defaultdict": _default_dict,
    "collections.Counter": _opaque("a Counter"),
    "pytorch_lightning.utilities.parsing.AttributeDict": _dict_of,
    "lightning.pytorch.utilities.parsing.AttributeDict": _dict_of,
    "lightning_fabric.utilities.data.AttributeDict": _dict_of,
    "lightning.fabric.utilities.data.AttributeDict": _dict_of,
    "easydict.EasyDict": _dict_of,
    "torch.torch_version.TorchVersion": _opaque("a version"),
    "builtins.set": _set_of(set),
    "builtins.frozenset": _set_of(frozenset),
    "builtins.bytes": _bytes_of,
    "builtins.bytearray": _bytes_of,
    "builtins.complex": _complex,
    "_codecs.encode": _bytes_of,
    "argparse.Namespace": _opaque("a Namespace"),
    "types.SimpleNamespace": _opaque("a Namespace"),
    "pathlib.Path": _opaque("a path"),
    "pathlib.PosixPath": _opaque("a path"),
    "pathlib.WindowsPath": _opaque("a path"),
    "pathlib.PurePosixPath": _opaque("a path"),
    "pathlib._local.PosixPath": _opaque("a path"),
    "datetime.datetime": _opaque("a time"),
    "datetime.timedelta": _opaque("a time"),
    "numpy.dtype": _numpy_dtype,
    **{
        f"numpy.{core}.{name}": call
        for core in ("core", "_core")
        for name, call in (
            ("multiarray._reconstruct", _new_array),
            ("multiarray.scalar", _numpy_scalar),
            ("numeric._frombuffer", _array_of_buffer),
        )
    },
}
_VALUES = (
    *_TENSOR_CLASSES,
    "numpy.ndarray",
    *(f"builtins.{name}" for name in ("list", "dict", "int", "float", "bool", "str", "tuple", "object")),
    *(f"torch.{name}" for name in TORCH_DTYPES),
    *(
        f"torch.{name}"
        for name in ("strided", "sparse_coo", "sparse_csr", "contiguous_format", "channels_last")
    ),
    *(f"torch.{name}" for name in ("qint8", "quint8", "qint32", "quint4x2", "quint2x4", "per_tensor_affine")),
    *(
        f"torch.{name}"
        for name in ("per_channel_affine", "complex32", "bits8", "bits16", "bits1x8", "bits2x4")
    ),
    *(f"torch.{name}" for name in ("bits4x2", "float4_e2m1fn_x2")),
    *(f"torch.{kind}int{bits}" for kind in ("", "u") for bits in range(1, 8)),
)
TABLE: dict[str, Global] = {name: Global(name) for name in _VALUES}
TABLE |= {name: Global(name, call) for name, call in _CALLS.items()}
for _module in ("torch", "torch.cuda"):
    for _name, _dtype in _STORAGES.items():
        TABLE[f"{_module}.{_name}"] = StorageType(f"{_module}.{_name}", _dtype)
    for _name in _QUANTIZED:
        TABLE[f"{_module}.{_name}"] = StorageType(f"{_module}.{_name}", "U8")
for _name in ("torch.storage.UntypedStorage", "torch.UntypedStorage"):
    TABLE[_name] = StorageType(_name, None)
_RENAMED = {"__builtin__": "builtins", "copy_reg": "copyreg"}  # since Python 2
REMEDY = "Save model.state_dict() where PyTorch is, and read that"


def find(module: str, name: str) -> Global:
    """Return what stands for a function or a class that a pickle names.

    Raises:
        Malformed: weights need no such thing.
    """
    if len(module) + len(name) > NAME_LIMIT:
        raise Malformed("its pickle names something of a very long name; nothing was executed")
    full = f"{_RENAMED.get(module, module)}.{name}"
    found = TABLE.get(full)
    # The module must be the module: `a.b` and `c` are not `a` and `b.c`, though they look the same.
    if found is not None and "." not in name:
        return found
    told = short(ascii(f"{module}.{name}")[1:-1])
    if full.startswith(("torch.nn.", "torchvision.", "timm.", "transformers.")):
        raise Malformed(
            f"it holds a whole module ({told}), which only its own code could bring back; nothing was executed. {REMEDY}"
        )
    raise Malformed(f"its pickle names {told}, which weights do not need; nothing was executed. {REMEDY}")
