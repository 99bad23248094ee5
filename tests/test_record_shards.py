"""Records: models in several files, what is told of a file, and files written anew."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backburner import record
from backburner.errors import ArgumentError, RecordError
from backburner.record import _files
from records.make import HERE
from records.make_pytorch import FOLDER
from records.nets import filled, net
from records.pickles import archive, legacy, mapping, tensor, whole


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "w.safetensors"


# -- several files ---------------------------------------------------------------------------------------


def test_a_model_in_shards_is_written_as_a_directory_and_read_by_index_and_directory(tmp_path: Path) -> None:
    big = {f"layer.{i}.weight": np.full((10, 10), i, "f4") for i in range(5)} | {"tied": None}
    big["tied"] = big["layer.0.weight"]
    record.save(big, tmp_path / "out", {"note": "x"}, max_shard_size=900)
    names = [f"model-0000{i}-of-00003.safetensors" for i in (1, 2, 3)]
    assert sorted(os.listdir(tmp_path / "out")) == [*names, "model.safetensors.index.json"]
    index = json.loads((tmp_path / "out" / "model.safetensors.index.json").read_text())
    assert index["metadata"] == {"total_size": 2000} and index["weight_map"]["layer.4.weight"] == names[2]
    for place in ("out", "out/model.safetensors.index.json"):
        found = record.read(tmp_path / place)
        assert {name: float(array.mean()) for name, array in found.items()} == {
            name: float(array.mean()) for name, array in big.items()
        }
        assert found.aliases == {"tied": "layer.0.weight"} and found.metadata == {"note": "x"}
        assert [os.path.basename(file) for file in found.files] == ["model.safetensors.index.json", *names]
        assert found.shapes["tied"] == (10, 10) and found.dtypes["tied"] == "F32"


def test_one_shard_needs_no_index(tmp_path: Path) -> None:
    record.save(net(2), tmp_path / "out", max_shard_size="1 GiB", dtype="bfloat16")
    assert os.listdir(tmp_path / "out") == ["model.safetensors"]
    model = net()
    assert record.load(model, tmp_path / "out").fits and filled(model)["0.bias"] == 2


SIZES = {"2GB": 2 * 10**9, " 1.5 kb ": 1500, "3MiB": 3 * 2**20, "7": 7, 9: 9}


@pytest.mark.parametrize("size", SIZES)
def test_sizes_are_numbers_or_text(size: Any) -> None:
    from backburner.record._save import _bytes

    assert _bytes("save", size) == SIZES[size]


@pytest.mark.parametrize("size", [0, -1, True, "2 TB", "GB", "", "nan", "inf", 1.5, "-2GB"])
def test_what_is_no_size_is_refused(size: Any, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="max_shard_size is a number of bytes"):
        record.save(net(), tmp_path / "out", max_shard_size=size)
    assert os.listdir(tmp_path) == []


def test_shards_replace_nothing_and_an_error_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # B166
    record.save(net(1), tmp_path / "out", max_shard_size=10)  # where each array is alone in a file
    assert len(os.listdir(tmp_path / "out")) == 4 + 1
    before = {name: (tmp_path / "out" / name).read_bytes() for name in os.listdir(tmp_path / "out")}
    with pytest.raises(
        RecordError, match="out: it exists, and several files replace nothing. Name a new directory"
    ):
        record.save(net(2), tmp_path / "out", max_shard_size=10)
    with pytest.raises(RecordError, match="a number is too large for F16"):
        record.save(
            {"a": np.ones(9), "b": np.full(9, 1e9)}, tmp_path / "new", max_shard_size=20, dtype="float16"
        )
    (tmp_path / "empty").mkdir()
    record.save(net(2), tmp_path / "empty", max_shard_size=10)
    replace, calls = _files.replace, []

    def interrupted(path: str, chunks: Any) -> None:
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(path)
        replace(path, chunks)

    monkeypatch.setattr(_files, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        record.save(net(2), tmp_path / "new", max_shard_size=10)
    assert sorted(os.listdir(tmp_path)) == ["empty", "out"]
    assert {name: (tmp_path / "out" / name).read_bytes() for name in os.listdir(tmp_path / "out")} == before


def indexed(folder: Path, weight_map: Any, **files: dict[str, Any]) -> Path:
    for name, held in files.items():
        record.write(folder / f"{name}.safetensors", held)
    index = folder / "model.safetensors.index.json"
    index.write_text(weight_map if isinstance(weight_map, str) else json.dumps({"weight_map": weight_map}))
    return index


ONE = {"a": np.ones(2, "f4")}
SHARDS: dict[str, tuple[Any, dict[str, dict[str, Any]], str]] = {
    "missing": ({"a": "x.safetensors", "b": "y.safetensors"}, {"x": ONE}, r"needs 2 files beside it, of which 1 are missing \(y.safetensors\)"),
    "in two": ({"a": "x.safetensors", "b": "y.safetensors"}, {"x": ONE, "y": {**ONE, "b": np.ones(1)}}, "tensor 'a' is in two files, x.safetensors and y"),
    "in another": ({"a": "y.safetensors", "b": "x.safetensors"}, {"x": ONE, "y": {"b": np.ones(1)}}, "tensor 'a' is to be in y.safetensors, and it is in x"),
    "in none": ({"a": "x.safetensors", "b": "x.safetensors"}, {"x": ONE}, "tensor 'b' is to be in x.safetensors, and it is in none"),
    "above": ({"a": "../x.safetensors"}, {"x": ONE}, "puts 'a' into '../x.safetensors', which is no file beside it"),
    "absolute": ({"a": "/etc/passwd"}, {}, "puts 'a' into '/etc/passwd', which is no file beside it"),
    "of windows": ({"a": "..\\x"}, {}, "which is no file beside it"),
    "a stream": ({"a": "x:y"}, {}, "which is no file beside it"),
    "itself": ({"a": "."}, {}, "which is no file beside it"),
    "nul": ({"a": "x\0"}, {}, "which is no file beside it"),
    "number": ({"a": 3}, {}, "which is no file beside it"),
    "twice": ('{"weight_map": {"a": "x", "a": "y"}}', {}, "its header has 'a' twice"),
    "broken": ('{"weight_map": ', {}, "it is JSON text that is broken"),
    "no map": ('{"weight_map": []}', {}, "it is JSON text. Read the file of weights"),
    "an index of an index": ({"a": "model.safetensors.index.json"}, {}, "model.safetensors.index.json: it is JSON text"),
}  # fmt: skip


@pytest.mark.parametrize("kind", SHARDS)
def test_an_index_that_does_not_fit_its_files_is_refused(kind: str, tmp_path: Path) -> None:
    weight_map, files, message = SHARDS[kind]
    index = indexed(tmp_path, weight_map, **files)
    with pytest.raises(RecordError, match=f"^record.read: {index}: .*{message}"):
        record.read(index)


INDEXES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["w.safetensors", "..", "/", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "weight_map", "b"]), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=200, deadline=None, database=None)
@given(index=INDEXES | INDEXES.map(lambda found: {"weight_map": found}))
def test_an_index_of_anything_is_read_or_refused(index: Any, scratch: Path) -> None:
    (scratch / "index.json").write_text("{" + json.dumps(index)[1:])
    try:
        assert list(record.read(scratch / "index.json")) in ([], ["a"])
    except RecordError as error:
        assert len(str(error)) < 1000


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("index")
    record.write(made / "w.safetensors", ONE)
    return made


def test_shards_of_pytorch_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model-1.bin").write_bytes(archive(whole(mapping(a=tensor()))))
    (tmp_path / "pytorch_model-2.bin").write_bytes(legacy(whole(mapping(b=tensor()))))
    index = {"weight_map": {"a": "pytorch_model-1.bin", "b": "pytorch_model-2.bin"}}
    (tmp_path / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    found = record.read(tmp_path)
    assert found.format == "pytorch" and found["a"].tolist() == found["b"].tolist()


def test_a_directory_gives_its_only_file_or_asks(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="it is a directory, and no file of weights is in it"):
        record.read(tmp_path)
    (tmp_path / "__0_0.distcp").write_bytes(b"")
    with pytest.raises(RecordError, match="it is a checkpoint of torch.distributed in parts. Make one file"):
        record.read(tmp_path)
    record.write(tmp_path / "a.safetensors", ONE)
    assert list(record.read(tmp_path)) == ["a"]
    record.write(tmp_path / "b.safetensors", ONE)
    with pytest.raises(
        RecordError, match="several files of weights. Name one of a.safetensors, b.safetensors"
    ):
        record.read(tmp_path)
    record.write(tmp_path / "model.safetensors", {"m": np.ones(1)})
    assert list(record.read(tmp_path)) == ["m"]


# -- describe and convert --------------------------------------------------------------------------------


def test_a_description_tells_what_is_in_a_file_of_any_format() -> None:
    found = record.describe(FOLDER / "nested.pt")
    assert (found.format, found.key, found.choices) == (
        "pytorch",
        "state_dict",
        ("state_dict", "optimizer", "random"),
    )
    assert found.tensors[0] == ("0.weight", "float32", (4, 3), 48, "")
    assert found.size == (FOLDER / "nested.pt").stat().st_size and found.metadata["epoch"] == "3"
    assert found.num_elements == 12 + 4 * 5 + 1 + 12 + 3 and found.nbytes == 4 * (found.num_elements + 1)
    tied = record.describe(FOLDER / "parameters.legacy.pt")
    assert [t.alias_of for t in tied.tensors] == ["", "", "", "tied"] and tied.nbytes == 4 * (6 + 4 + 2)
    every = {t.name: t.dtype for t in record.describe(FOLDER / "dtypes.pt").tensors}
    assert every == {name: name for name in every}
    assert record.describe(HERE / "all.safetensors").format == "safetensors"


def test_a_description_does_not_ask_which_mapping(path: Path) -> None:
    path.write_bytes(archive(whole(mapping(model=mapping(w=tensor()), ema=mapping(w=tensor())))))
    found = record.describe(path)
    assert [t.name for t in found.tensors] == ["model.w", "ema.w"] and found.choices == ("model", "ema")
    assert [t.name for t in record.describe(path, key="ema").tensors] == ["w"]
    with pytest.raises(RecordError, match="^record.describe: .*nothing at key='x'"):
        record.describe(path, key="x")
    with pytest.raises(FileNotFoundError):
        record.describe(path.parent / "gone")


def test_a_checkpoint_is_converted_bit_for_bit(path: Path) -> None:
    kept = [name for name in record.read(FOLDER / "dtypes.pt") if name != "complex128"]
    record.convert(FOLDER / "dtypes.pt", path, ignore="complex128")
    before, after = (record.read(file, half="raw") for file in (FOLDER / "dtypes.pt", path))
    for name in kept:
        assert after.dtypes[name] == before.dtypes[name]
        assert after[name].tobytes() == before[name].tobytes(), name
    with pytest.raises(
        RecordError, match="tensor 'complex128': dtype complex128 has no place in safetensors"
    ):
        record.convert(FOLDER / "dtypes.pt", path)


def test_a_conversion_maps_names_keeps_ties_and_text_and_cuts_into_shards(tmp_path: Path) -> None:
    told = record.convert(
        FOLDER / "parameters.pt", tmp_path / "w", rename={"^": "net."}, metadata={"by": "me"}
    )
    assert told.metadata == {"by": "me"} and told.format == "safetensors"
    assert {t.name: t.alias_of for t in told.tensors} == {
        "net.shared": "", "net.subclass": "", "net.tied": "", "net.again": "net.tied",
    }  # fmt: skip
    told = record.convert(
        FOLDER / "nested.pt", tmp_path / "out", prefix="0.", dtype="bfloat16", max_shard_size=9
    )
    assert [(t.name, t.dtype) for t in told.tensors] == [("weight", "bfloat16"), ("bias", "bfloat16")]
    assert told.metadata["arch"] == "resnet18" and len(told.files) == 3
    part = record.convert(FOLDER / "parameters.pt", tmp_path / "part", only="again")
    assert [(t.name, t.alias_of) for t in part.tensors] == [("again", "")]
