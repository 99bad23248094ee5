"""Write PyTorch's checkpoints anew: ``python tests/records/make_pytorch.py`` with PyTorch (made with 2.13).

``tests/test_record_pytorch.py`` reads them and compares them with what ``CONTENT`` says here.
"""

from __future__ import annotations

import argparse
import json
import zipfile
from collections import OrderedDict, defaultdict
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "pytorch"

# For each dtype of PyTorch: the name of safetensors, and the values, of which the file has two rows.
DTYPES: dict[str, tuple[str, list[Any]]] = {
    "float64": ("F64", [0.1, -2.5, float("inf"), float("nan")]),
    "float32": ("F32", [1.5, -2.25, 1e38, float("-inf")]),
    "float16": ("F16", [1.5, -65504.0, 2.0**-24, 0.0]),
    "bfloat16": ("BF16", [1.0, -2.0, 3.140625, 1e38]),
    "int64": ("I64", [-(2**63), 2**63 - 1, 0, 1]),
    "int32": ("I32", [-(2**31), 2**31 - 1, 0, 1]),
    "int16": ("I16", [-32768, 32767, 0, 1]),
    "int8": ("I8", [-128, 127, 0, 1]),
    "uint8": ("U8", [0, 255, 1, 2]),
    "uint16": ("U16", [0, 65535, 1, 2]),
    "uint32": ("U32", [0, 2**32 - 1, 1, 2]),
    "uint64": ("U64", [0, 2**64 - 1, 1, 2]),
    "bool": ("BOOL", [True, False, False, True]),
    "complex64": ("C64", [1 - 2j, 0.5j, 0, 3]),
    "complex128": ("C128", [1 - 2j, 0.1j, 0, 3]),
    "float8_e4m3fn": ("F8_E4M3", [1.5, -448.0, 2.0**-9, float("nan")]),
    "float8_e5m2": ("F8_E5M2", [1.5, -57344.0, 2.0**-16, float("inf")]),
    "float8_e4m3fnuz": ("F8_E4M3FNUZ", [1.5, -240.0, 2.0**-10, float("nan")]),
    "float8_e5m2fnuz": ("F8_E5M2FNUZ", [1.5, -57344.0, 2.0**-17, float("nan")]),
    "float8_e8m0fnu": ("F8_E8M0", [1.0, 2.0**-127, 2.0**127, float("nan")]),
}
# Tensors that are parts of others, by the expression that makes them of `base`, 24 numbers from 0 in [4, 6].
VIEWS = {
    "row": "base[2]",
    "column": "base[:, 1]",
    "transposed": "base.T",
    "stepped": "base[::2, ::3]",
    "reshaped": "base.view(2, 12)",
    "expanded": "base[1].expand(3, 6)",
    "scalar": "base[3, 4]",
    "none": "base[:0]",
    "one_more": "base[None, :, None]",
    "channels_last": "base.view(1, 2, 3, 4).contiguous(memory_format=torch.channels_last)",
}
# What training scripts save beside the weights.
NESTED: dict[str, Any] = {"epoch": 3, "best": 0.75, "arch": "resnet18", "done": True}


def _objects(torch: Any) -> dict[str, Any]:
    every = OrderedDict()
    for name, (_, values) in DTYPES.items():
        wide = np.array([values, values], name if name.startswith("uint") else None)
        every[name] = torch.from_numpy(wide).to(getattr(torch, name))
    base = torch.arange(24.0).view(4, 6)
    views = {name: eval(text, {"base": base, "torch": torch}) for name, text in VIEWS.items()}
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 3))
    model[2].weight = torch.nn.Parameter(model[0].weight.detach().T.contiguous())
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(2, 3)).sum().backward()
    optimizer.step()
    nested = {
        "state_dict": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        **NESTED,
        "best_of_numpy": np.float64(0.5),
        "args": argparse.Namespace(lr=0.1, layers=[1, 2], path=Path("x")),
        "random": {"numpy": np.random.get_state(), "torch": torch.get_rng_state()},
        "rest": [
            torch.device("cpu"),
            torch.float32,
            torch.Size([2, 3]),
            {1, 2},
            frozenset([1]),
            1 + 2j,
            b"x",
            None,
        ],
        "history": defaultdict(list, loss=[1.0, 0.5]),
    }
    tied = torch.nn.Embedding(3, 2).weight
    subclass = torch.ones(2)
    subclass.note = "an attribute of its own"
    return {
        "dtypes": every,
        "views": {"base": base, **views},
        "nested": nested,
        "parameters": {"tied": tied, "again": tied, "shared": tied.detach()[1:], "subclass": subclass},
        "tensor": torch.arange(3),
        "list": [torch.zeros(1), (torch.ones(2),)],
        "arrays": {
            "a": np.arange(6, dtype=">i4").reshape(2, 3),
            "f": np.asfortranarray(np.eye(2)),
            "t": torch.ones(1),
        },
    }


def _refused(torch: Any) -> dict[str, Any]:
    meta = torch.nn.Linear(2, 2, device="meta").state_dict()
    return {
        "module": torch.nn.Sequential(torch.nn.Linear(1, 1)),
        "sparse": {"x": torch.eye(2).to_sparse()},
        "csr": {"x": torch.eye(2).to_sparse_csr()},
        "quantised": {"x": torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)},
        "conjugated": {"x": torch.ones(2, dtype=torch.complex64).conj()},
        "meta": meta,
    }


if __name__ == "__main__":
    import warnings

    import torch

    def no_source(_: object) -> None:
        raise OSError("the source of PyTorch and its place on a disk belong in no file of ours")

    warnings.simplefilter("ignore")
    torch.serialization.get_source_lines_and_file = no_source
    FOLDER.mkdir(exist_ok=True)
    for name, held in _objects(torch).items():
        torch.save(held, FOLDER / f"{name}.pt")
        torch.save(held, FOLDER / f"{name}.legacy.pt", _use_new_zipfile_serialization=False)
    for name, held in _refused(torch).items():
        torch.save(held, FOLDER / f"refused-{name}.pt")
        if name != "meta":  # PyTorch itself cannot
            torch.save(held, FOLDER / f"refused-{name}.legacy.pt", _use_new_zipfile_serialization=False)
    torch.jit.save(torch.jit.script(torch.nn.Linear(1, 1)), FOLDER / "refused-script.pt")
    state = torch.load(FOLDER / "nested.pt", weights_only=False)["state_dict"]
    expected = {key: value.tolist() for key, value in state.items()}
    (FOLDER / "nested.json").write_text(json.dumps(expected))
    # A big-endian machine's: each storage's elements reversed, and the word that says so.
    with (
        zipfile.ZipFile(FOLDER / "dtypes.pt") as source,
        zipfile.ZipFile(FOLDER / "big-endian.pt", "w") as target,
    ):
        tensors = list(_objects(torch)["dtypes"].values())
        for entry in source.namelist():
            content = source.read(entry)
            if entry.endswith("byteorder"):
                content = b"big"
            elif "/data/" in entry:
                tensor = tensors[int(entry.rpartition("/")[2])]
                size = tensor.element_size() // (2 if tensor.is_complex() else 1)
                content = np.frombuffer(content, np.uint8).reshape(-1, size)[:, ::-1].tobytes()
            target.writestr(entry, content)
