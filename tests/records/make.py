"""Write the golden files anew with the format's own library: ``python tests/records/make.py``.

The tests read the files and compare them with what stands here, so they need no such library.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

HERE = Path(__file__).parent

# name: (safetensors dtype, what lies in the file, what reading gives)
CONTENT: dict[str, tuple[str, np.ndarray, np.ndarray]] = {}


def _plain(name: str, dtype: str, array: np.ndarray) -> None:
    CONTENT[name] = dtype, array, array


_plain("bool", "BOOL", np.array([True, False, True]))
_plain("u8", "U8", np.array([0, 255], "u1"))
_plain("i8", "I8", np.array([-128, 127], "i1"))
_plain("i16", "I16", np.array([-32768, 32767], "i2"))
_plain("u16", "U16", np.array([0, 65535], "u2"))
_plain("i32", "I32", np.array([[-(2**31)], [2**31 - 1]], "i4"))
_plain("u32", "U32", np.array([2**32 - 1], "u4"))
_plain("f32", "F32", np.arange(6, dtype="f4").reshape(2, 3) / 7)
_plain("c64", "C64", np.array([1 - 2j, 0.5j], "c8"))
_plain("f64", "F64", np.array([np.pi, -np.inf, np.nan, -0.0]))
_plain("i64", "I64", np.array([-(2**63), 2**63 - 1], "i8"))
_plain("u64", "U64", np.array([2**64 - 1], "u8"))
_plain("scalar", "F32", np.array(2.5, "f4"))
_plain("none", "F32", np.zeros((3, 0, 2), "f4"))
_plain('größe "1"\n/\x7f\U0001f525', "F32", np.array([1.5], "f4"))
CONTENT["f16"] = (
    "F16",
    np.array([1.5, -65504, 6e-8, np.inf], "f2"),
    np.array([1.5, -65504, np.float32(np.float16(6e-8)), np.inf], "f4"),
)
CONTENT["bf16"] = (
    "BF16",
    np.array([0x3F80, 0xC000, 0x4049, 0x7F80], "u2"),
    np.array([1, -2, 3.140625, np.inf], "f4"),
)

# The bits of eighths: 1.5, the largest or infinity with its sign, the smallest, NaN.
for _dtype, _bits, _values in (
    ("F8_E4M3", [0x3C, 0xFE, 0x01, 0x7F], [1.5, -448, 2.0**-9, np.nan]),
    ("F8_E5M2", [0x3E, 0xFC, 0x01, 0x7F], [1.5, -np.inf, 2.0**-16, np.nan]),
    ("F8_E8M0", [0x7F, 0xFE, 0x00, 0xFF], [1, 2.0**127, 2.0**-127, np.nan]),
    ("F8_E4M3FNUZ", [0x44, 0xFF, 0x01, 0x80], [1.5, -240, 2.0**-10, np.nan]),
    ("F8_E5M2FNUZ", [0x42, 0xFF, 0x01, 0x80], [1.5, -57344, 2.0**-17, np.nan]),
):
    CONTENT[_dtype.lower()] = _dtype, np.array(_bits, "u1"), np.array(_values, "f4")
BITS = {name: dtype for name, (dtype, _, _) in CONTENT.items() if dtype[:2] in ("BF", "F8")}

METADATA = {"format": "np", "note": 'ein "Wört"\n\x01/', "a": ""}

if __name__ == "__main__":
    from safetensors import TensorSpec, serialize

    LIBRARY = {"BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2"}
    LIBRARY |= {
        "F8_E8M0": "float8_e8m0fnu",
        "F8_E4M3FNUZ": "float8_e4m3fnuz",
        "F8_E5M2FNUZ": "float8_e5m2fnuz",
    }
    tensors = {}
    for name, (dtype, array, _) in CONTENT.items():
        library = LIBRARY.get(dtype, str(array.dtype))
        tensors[name] = TensorSpec(
            dtype=library, shape=list(array.shape), data_ptr=array.ctypes.data, data_len=array.nbytes
        )
    content = serialize(tensors, METADATA)
    while content.index(b'"a"') > content.index(b'"format"') or content.index(b'"format"') > content.index(
        b'"note"'
    ):
        content = serialize(
            tensors, METADATA
        )  # the library puts metadata in any order, we in that of the names
    (HERE / "all.safetensors").write_bytes(content)
    (HERE / "empty.safetensors").write_bytes(serialize({}, None))
