"""Records: PyTorch's checkpoints, both forms of them, read on NumPy alone.  # B141"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backburner import nn, record
from backburner.errors import RecordError
from records.make_pytorch import DTYPES, FOLDER, NESTED, VIEWS

FORMS = {"pt": "pytorch", "legacy.pt": "pytorch-legacy"}
BASE = np.arange(24, dtype="f4").reshape(4, 6)


def read(name: str, **options: Any) -> record.Record:
    return record.read(FOLDER / name, **options)


@pytest.mark.parametrize("file", ["dtypes.pt", "dtypes.legacy.pt", "big-endian.pt"])
@pytest.mark.parametrize("mmap", [True, False])
def test_each_dtype_reads_as_pytorch_wrote_it(file: str, mmap: bool) -> None:
    found = read(file, mmap=mmap)
    assert list(found) == list(DTYPES)
    for name, (stored, values) in DTYPES.items():
        dtype = np.dtype("f4" if "bfloat" in name or "float8" in name or name == "float16" else name)
        expected = np.array([values, values], dtype)
        if stored == "BF16":
            expected = (expected.view("u4") + 0x8000 & 0xFFFF0000).view("f4")
        array = found[name]
        assert (found.dtypes[name], array.dtype, found.shapes[name]) == (stored, dtype, (2, 4)), name
        np.testing.assert_array_equal(array, expected, name)
        assert array.flags.aligned and not array.flags.writeable and array.dtype.isnative


def test_raw_halves_and_eighths_are_the_bits_in_the_file() -> None:
    for file in ("dtypes.pt", "big-endian.pt"):
        found = read(file, half="raw")
        assert found["bfloat16"][0, :3].tolist() == [0x3F80, 0xC000, 0x4049]
        assert found["float16"].dtype == np.float16
        assert found["float8_e4m3fn"][0].tolist() == [0x3C, 0xFE, 0x01, 0x7F]


@pytest.mark.parametrize("form", FORMS)
def test_views_and_strides_are_what_they_were(form: str) -> None:
    found = read(f"views.{form}")
    expected = {
        "row": BASE[2],
        "column": BASE[:, 1],
        "transposed": BASE.T,
        "stepped": BASE[::2, ::3],
        "reshaped": BASE.reshape(2, 12),
        "expanded": np.tile(BASE[1], (3, 1)),
        "scalar": BASE[3, 4],
        "none": BASE[:0],
        "one_more": BASE[None, :, None],
        "channels_last": BASE.reshape(1, 2, 3, 4),
    }
    assert set(found) - {"base"} == expected.keys() == VIEWS.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, name)
        assert found[name].flags.c_contiguous, name
    assert found.format == FORMS[form]


def test_views_of_one_storage_are_views_of_the_file() -> None:
    found = read("views.pt", mmap=True)
    assert np.shares_memory(found["base"], found["row"]) and np.shares_memory(
        found["base"], found["reshaped"]
    )
    assert not found["row"].flags.owndata


@pytest.mark.parametrize("form", FORMS)
def test_the_weights_are_found_beside_all_else_that_scripts_save(form: str) -> None:
    found = read(f"nested.{form}")
    expected = json.loads((FOLDER / "nested.json").read_text())
    assert (found.key, found.choices) == ("state_dict", ("state_dict", "optimizer", "random"))
    assert {name: array.tolist() for name, array in found.items()} == expected
    assert found.metadata == {**{k: str(v) for k, v in NESTED.items()}, "best_of_numpy": "0.5"}
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 3))
    report = record.load(model, FOLDER / f"nested.{form}")
    assert report.fits and len(report.loaded) == 9
    assert model[0].bias.tolist() == expected["0.bias"]


def test_any_other_mapping_is_had_by_its_key() -> None:
    assert read("nested.pt", key="optimizer.state.0")["exp_avg"].shape == (4, 3)
    assert read("nested.pt", key="random")["numpy.1"].shape == (624,)
    assert "optimizer.state.0.step" in read("nested.pt", key="")


@pytest.mark.parametrize("form", FORMS)
def test_tied_parameters_are_found_tied(form: str) -> None:
    found = read(f"parameters.{form}")
    assert found.aliases == {"again": "tied"} and found["again"] is found["tied"]
    np.testing.assert_array_equal(found["shared"], found["tied"][1:])
    assert found["subclass"].tolist() == [1, 1]


@pytest.mark.parametrize("form", FORMS)
def test_a_tensor_a_list_and_numpy_arrays_have_names_too(form: str) -> None:
    assert read(f"tensor.{form}")["tensor"].tolist() == [0, 1, 2]
    assert {name: array.tolist() for name, array in read(f"list.{form}").items()} == {"0": [0], "1.0": [1, 1]}
    found = read(f"arrays.{form}")
    assert found["a"].tolist() == [[0, 1, 2], [3, 4, 5]] and found["a"].dtype == np.int32
    assert found["f"].tolist() == [[1, 0], [0, 1]] and found["t"].tolist() == [1]


REFUSED = {
    "module": r"it holds a whole module \(torch.nn.modules.container.Sequential\).*nothing was executed.*state_dict",
    "sparse": "tensor 'x' is sparse.*to_dense",
    "csr": "tensor 'x' is sparse.*to_dense",
    "quantised": r"tensor 'x' is quantised. Save x.dequantize",
    "conjugated": "tensor 'x' is conjugated.*resolve_conj",
    "meta": "tensor 'weight' is on the device 'meta'",
    "script": r"it is a TorchScript archive \(torch.jit.save\).*nothing was executed",
}


@pytest.mark.parametrize("file", sorted(path.name for path in FOLDER.glob("refused-*")))
def test_what_is_no_array_is_refused_by_name(file: str) -> None:
    kind = file.removeprefix("refused-").partition(".")[0]
    with pytest.raises(RecordError, match=f"^record.read: .*{file}: {REFUSED[kind]}"):
        read(file)


def test_every_file_that_the_script_makes_is_there() -> None:
    kept = {path.name for path in FOLDER.glob("*.pt")}
    good = {"dtypes", "views", "nested", "parameters", "tensor", "list", "arrays"}
    expected = {f"{name}.{form}" for name in good for form in FORMS} | {"big-endian.pt"}
    expected |= {f"refused-{kind}.pt" for kind in REFUSED}
    expected |= {f"refused-{kind}.legacy.pt" for kind in REFUSED if kind not in ("meta", "script")}
    assert kept == expected


def test_the_name_of_a_file_tells_nothing(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    path.write_bytes((FOLDER / "tensor.legacy.pt").read_bytes())
    assert record.read(path).format == "pytorch-legacy"
