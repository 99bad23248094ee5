"""What the pickles of checkpoints may name, and what stands for it: tensors as descriptions, all else inert."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backburner.record import _arrays
from backburner.record._dtypes import COMPLEX, Malformed
from backburner.record._format import short
from backburner.record._machine import Dict, Global, Opaque, check_key
from backburner.record._tensors import Refused, Tensor

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


class StorageType(Global):
    """What stands for a class of storages."""

    __slots__ = ("dtype",)

    def __init__(self, name: str, dtype: str | None) -> None:
        super().__init__(name)
        self.dtype = dtype


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


# -- the table -------------------------------------------------------------------------------------------

_TENSOR_CLASSES = (
    "torch.Tensor",
    "torch.nn.parameter.Parameter",
    "torch.nn.parameter.Buffer",
    "torch._tensor.Tensor",
)
# What Hydra's options are made of, which Lightning and fairseq save beside the weights.
_OMEGACONF = (
    "base.ContainerMetadata", "base.Metadata", "base.UnionNode", "dictconfig.DictConfig", "listconfig.ListConfig",
    "nodes.AnyNode", "nodes.BooleanNode", "nodes.BytesNode", "nodes.EnumNode", "nodes.FloatNode",
    "nodes.IntegerNode", "nodes.PathNode", "nodes.StringNode",
)  # fmt: skip
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
    **{f"omegaconf.{name}": _opaque("options of OmegaConf") for name in _OMEGACONF},
    "pathlib.Path": _opaque("a path"),
    "pathlib.PosixPath": _opaque("a path"),
    "pathlib.WindowsPath": _opaque("a path"),
    "pathlib.PurePosixPath": _opaque("a path"),
    "pathlib._local.PosixPath": _opaque("a path"),
    "datetime.datetime": _opaque("a time"),
    "datetime.timedelta": _opaque("a time"),
    "numpy.dtype": _arrays.dtype,
    **{
        f"numpy.{core}.{name}": call
        for core in ("core", "_core")
        for name, call in (
            ("multiarray._reconstruct", _arrays.new),
            ("multiarray.scalar", _arrays.scalar),
            ("numeric._frombuffer", _arrays.of_buffer),
        )
    },
}
_VALUES = (
    *_TENSOR_CLASSES,
    "numpy.ndarray",
    *(
        f"builtins.{name}"
        for name in ("list", "dict", "int", "long", "float", "bool", "str", "tuple", "object")
    ),
    "typing.Any",
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
