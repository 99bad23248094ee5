"""Records: names mapped, parts loaded, several files, other dtypes, and what other libraries make of our files."""

from __future__ import annotations

import json
import re
import time
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn, record
from backburner.errors import ArgumentError, DTypeError, RecordError
from backburner.record import TRAINING
from records.make import CONTENT, HERE
from records.nets import NAMES, arrays, filled, net
from records.pickles import archive, legacy, mapping, numbers, storage, tensor, whole


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "w.safetensors"


# -- names -----------------------------------------------------------------------------------------------

PREFIXED = [f"module.{name}" for name in NAMES]
BLOCKS = [name.replace("0.", "blocks.0.").replace("2.", "blocks.1.") for name in NAMES]
MAPPED: dict[str, tuple[dict[str, np.ndarray], dict[str, Any], set[str], str]] = {
    "prefix": (arrays(names=PREFIXED), {"prefix": "module."}, set(NAMES), "4 loaded"),
    "prefix of a part": (
        arrays(names=PREFIXED, **{"head.w": np.ones(1)}), {"prefix": "module."}, set(NAMES), "4 loaded, 1 ignored",
    ),
    "rename in order": (
        arrays(names=BLOCKS), {"rename": {r"^blocks\.": "", r"^1\.": "2."}}, set(NAMES), "4 loaded",
    ),
    "rename by pairs": (
        arrays(names=BLOCKS), {"rename": [(r"^blocks\.(\d)", r"\1"), ("^1", "2")]}, set(NAMES), "4 loaded",
    ),
    "prefix before rename": (
        arrays(names=[f"module.{name}" for name in BLOCKS]),
        {"prefix": "module.", "rename": {"blocks.0": "0", "blocks.1": "2"}}, set(NAMES), "4 loaded",
    ),
    "only": (arrays(), {"only": "0.*"}, {"0.weight", "0.bias"}, "2 loaded, 2 ignored"),
    "only of several": (arrays(), {"only": ["0.*", "2.bias"]}, set(NAMES) - {"2.weight"}, "3 loaded, 1 ignored"),
    "ignore": (arrays(), {"ignore": "*.bias"}, {"0.weight", "2.weight"}, "2 loaded, 2 ignored"),
    "only and ignore": (arrays(), {"only": "0.*", "ignore": ["*.bias"]}, {"0.weight"}, "1 loaded, 3 ignored"),
    "ignore what is missing": (
        {k: v for k, v in arrays().items() if k[0] == "0"}, {"ignore": "2.*"}, {"0.weight", "0.bias"}, "2 loaded"
    ),
    "ignore another shape": (
        arrays() | {"2.weight": np.ones((9, 2), "f4")}, {"ignore": "2.weight"}, set(NAMES) - {"2.weight"},
        "3 loaded, 1 ignored",
    ),
    "ignore what is unexpected": (arrays(**{"x.y": np.ones(1)}), {"ignore": "x.*"}, set(NAMES), "4 loaded, 1 ignored"),
    "a snapshot": (
        arrays(**{f"{TRAINING}adam.m": np.ones(1)}), {}, set(NAMES), "4 loaded, 1 ignored",
    ),
    "a snapshot's other part": (
        {f"{TRAINING}ema.{name}": array for name, array in arrays().items()} | arrays(7.0),
        {"prefix": f"{TRAINING}ema."}, set(NAMES), "4 loaded, 4 ignored",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", MAPPED)
@pytest.mark.parametrize("as_file", [True, False])
def test_names_are_mapped_and_parts_left_alone(kind: str, as_file: bool, path: Path) -> None:
    given, options, loaded, told = MAPPED[kind]
    record.write(path, given)
    model = net()
    report = record.load(model, path if as_file else given, **options)
    assert set(report.loaded) == loaded and str(report) == f"load: {told}"
    assert filled(model) == {name: float(name in loaded) for name in NAMES}


UNMAPPED: dict[str, tuple[dict[str, np.ndarray], dict[str, Any], type[Exception], str]] = {
    "no such prefix": (arrays(), {"prefix": "model."}, RecordError, "no name in the file begins with prefix='model.'"),
    "two become one": (
        arrays(**{"1.bias": np.ones(2, "f4")}), {"rename": {"^1": "0"}}, RecordError,
        "'0.bias' and '1.bias' in the file both become '0.bias'. Change rename",
    ),
    "no expression": (arrays(), {"rename": {"(": ""}}, ArgumentError, r"rename has '\(', which is no regular expression"),
    "no group": (arrays(), {"rename": {"0": r"\3"}}, ArgumentError, "which does not go: invalid group reference"),
    "no pair": (arrays(), {"rename": ["a"]}, ArgumentError, "rename has 'a'. It takes pairs"),
    "no text": (arrays(), {"rename": {"a": 1}}, ArgumentError, "It takes pairs"),
    "no prefix": (arrays(), {"prefix": 1}, DTypeError, "prefix is text, not 1"),
    "only nothing": (arrays(), {"only": "encoder.*"}, ArgumentError, "load: only: no name matches 'encoder"),
    "ignore nothing": (arrays(), {"ignore": "encoder.*"}, ArgumentError, "load: ignore: no name matches 'encoder"),
    "a typo": (
        {name.replace("weight", "wieght"): array for name, array in arrays().items()}, {}, RecordError,
        r"Is it 0.wieght in the file for 0.weight, 2.wieght in the file for 2.weight\? Then pass rename",
    ),
    "one in a part": (
        {**arrays(names=("0.weight", "0.bias", "2.weight", "x.2.bias"))}, {}, RecordError, r"Pass prefix='x.'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", UNMAPPED)
def test_a_mapping_that_does_not_go_changes_nothing(kind: str, path: Path) -> None:
    given, options, error, message = UNMAPPED[kind]
    record.write(path, given)
    model = net()
    with pytest.raises(error, match=f"^load: .*{message}" if "load:" not in message else message):
        record.load(model, path, **options)
    assert set(filled(model).values()) == {0.0}


def test_a_file_that_another_program_never_ties_is_loaded_over_its_names() -> None:  # B138, B137
    weight = nn.Parameter(bb.zeros((2, 2)))
    embed, head = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
    embed.weight = head.weight = weight
    model = nn.Sequential(embed, head)
    assert record.load(model, {"module.0.weight": np.ones((2, 2), "f4")}, prefix="module.").loaded == (
        "0.weight",
        "1.weight",
    )
    assert record.load(model, {"1.weight": np.full((2, 2), 2, "f4")}, only="1.*").loaded == ("1.weight",)
    assert filled(model) == {"0.weight": 2.0, "1.weight": 2.0}


def test_a_shape_is_never_broadcast_whatever_the_file(tmp_path: Path) -> None:  # B139
    layer = nn.Linear(2, 3)
    for name, content in {"w.pt": archive, "w.legacy": legacy}.items():
        (tmp_path / name).write_bytes(content(whole(mapping(weight=tensor(), bias=tensor()))))
        with pytest.raises(
            RecordError, match=r"2 mismatched \(bias: \[2, 3\] in the file, \[3\] in the module"
        ):
            record.load(layer, tmp_path / name)


class Slot:
    """What `record` needs of a parameter."""

    shape, dtype = (1,), np.dtype("f4")

    def numpy(self) -> np.ndarray:
        return np.zeros(1, "f4")

    def assign(self, array: np.ndarray) -> None:
        assert array.shape == (1,)


class Many:
    """A module of 20,000 arrays."""

    def __init__(self) -> None:
        self.slots = {f"layer.{i}.weight": Slot() for i in range(20_000)}

    def named_state(self) -> Any:
        return self.slots.items()


def test_tens_of_thousands_of_names_take_no_time_that_grows_with_their_square() -> None:
    model = Many()
    one = np.ones(1, "f4")
    begin = time.process_time()
    assert len(record.load(model, dict.fromkeys(model.slots, one)).loaded) == 20_000
    with pytest.raises(RecordError, match="20000 missing .* Pass prefix='net.'"):
        record.load(model, {f"net.{name}": one for name in model.slots})
    assert time.process_time() - begin < 6  # a second; in the square of them, a minute


# -- keys ------------------------------------------------------------------------------------------------

KEYS: dict[str, tuple[bytes, str | None, str]] = {
    "usual beside others": (mapping(epoch=b"K\3", state_dict=mapping(w=tensor()), other=mapping(v=tensor())), None, "w"),
    "usual beside a tensor": (mapping(best=tensor(), model=mapping(w=tensor())), None, "w"),
    "the only one": (mapping(mine=mapping(w=tensor()), step=b"K\1"), None, "w"),
    "flat": (mapping(w=tensor(), v=b"N"), None, "w"),
    "parts in parts": (mapping(model=mapping(body=mapping(w=tensor()))), None, "body.w"),
    "by key": (mapping(model=mapping(w=tensor()), ema=mapping(v=tensor())), "ema", "v"),
    "by path": (mapping(nets=mapping(a=mapping(w=tensor()), b=mapping(v=tensor()))), "nets.b", "v"),
    "by a name with dots": (mapping(model=mapping(w=tensor())).replace(b"X\5\0\0\0model", b"X\7\0\0\0model.a"), "model.a", "w"),
    "in a list": (b"](" + mapping(w=tensor()) + mapping(v=tensor()) + b"e", "1", "v"),
    "the whole": (mapping(model=mapping(w=tensor())), "", "model.w"),
    "tensor and parts": (mapping(scale=tensor(), body=mapping(w=tensor())), None, "scale body.w"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KEYS)
def test_the_mapping_of_weights_is_found_or_named(kind: str, path: Path) -> None:
    body, key, names = KEYS[kind]
    path.write_bytes(archive(whole(body)))
    assert list(record.read(path, key=key)) == names.split()


MISSED = {
    "nowhere": "it has nothing at key='nowhere'. There are: 'model', 'ema'",
    "model.x": "it has nothing at key='model.x'",
    "epoch": "what it has at key='epoch' holds no tensors. There are: 'model', 'ema'",
}


@pytest.mark.parametrize("key", MISSED)
def test_a_key_that_is_not_there_lists_those_that_are(key: str, path: Path) -> None:
    path.write_bytes(
        archive(whole(mapping(model=mapping(w=tensor()), ema=mapping(w=tensor()), epoch=b"K\1")))
    )
    with pytest.raises(RecordError, match=f"^load: {path}: {re.escape(MISSED[key])}"):
        record.load(net(), path, key=key)


def test_a_key_is_for_a_checkpoint(path: Path) -> None:
    record.write(path, arrays())
    with pytest.raises(RecordError, match="it has no mapping at key='model'"):
        record.read(path, key="model")
    with pytest.raises(ArgumentError, match=r"key='model' is for a file. Pass source\['model'\]"):
        record.load(net(), arrays(), key="model")
    wrong: Any = 3
    with pytest.raises(RecordError, match="key is text, not 3"):
        record.read(path, key=wrong)


# -- records, optimizers and other sources ---------------------------------------------------------------


def test_a_record_is_a_mapping_and_a_source(path: Path) -> None:
    record.save(net(3), path)
    found = record.read(path)
    assert dict(found).keys() == set(NAMES) and len(found) == 4 and "0.bias" in found and "x" not in found
    assert found.get("x") is None and repr(found).startswith("<Record of 4 arrays: ")
    model = net()
    assert record.load(model, found).fits and filled(model)["2.bias"] == 3
    assert record.load(net(), found.arrays).fits and record.load(net(), dict(found)).fits
    with pytest.raises(KeyError):
        found["x"]


class Counter:
    """What has a state of its own making."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {"step": 3, "best": 0.5, "on": True, "m": np.ones(2)}

    def state_dict(self) -> dict[str, Any]:
        return self.state

    def load_state_dict(self, state: Any) -> None:
        self.state = dict(state)


def test_what_has_a_state_of_its_own_is_saved_and_loaded(path: Path) -> None:
    record.save(Counter(), path)  # type: ignore[arg-type]
    found = Counter()
    found.state = {}
    report = record.load(found, path, ignore="on")
    assert (report.loaded, report.ignored) == (("best", "m", "step"), ("on",))
    assert {name: array.tolist() for name, array in found.state.items()} == {
        "step": 3,
        "best": 0.5,
        "m": [1, 1],
    }
    with pytest.raises(
        ArgumentError, match="strict and convert are for modules; a Counter takes all or nothing"
    ):
        record.load(found, path, strict=False)
    with pytest.raises(RecordError, match="load: a list takes no arrays. Pass a module or an optimizer"):
        record.load([], path)  # type: ignore[arg-type]


@pytest.mark.feature_set("autodiff")
def test_an_optimizer_is_saved_and_loaded(path: Path) -> None:
    from backburner.optim import Adam

    device = bb.Device.cpu().autodiff()
    model = net(0.5).to(device)
    optimizer = Adam(model, lr=0.1)
    optimizer.step(model(bb.ones((2, 3), device=device)).sum().backward())
    bb.save(optimizer, path)
    other = Adam(model, lr=0.1)
    assert bb.load(other, path).loaded == tuple(sorted(optimizer.state_dict()))
    for name, array in optimizer.state_dict().items():
        np.testing.assert_array_equal(other.state_dict()[name], array)


def test_numpys_archives_are_read(tmp_path: Path) -> None:
    big = {
        "a": np.arange(6, dtype=">i4").reshape(2, 3),
        "f": np.asfortranarray(np.eye(2)),
        "s": np.float32(3),
    }
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "w.npz", **big, none=np.zeros((0, 2)), c=np.array([1j]))
        found = record.read(tmp_path / "w.npz")
        assert found.format == "npz" and set(found) == {"a", "f", "s", "none", "c"}
        for name, array in big.items():
            np.testing.assert_array_equal(found[name], array)
            assert found[name].dtype.isnative and found[name].shape == np.shape(array)
        assert found["none"].shape == (0, 2) and found["c"].tolist() == [1j]
    np.savez(tmp_path / "w.npz", **arrays(5))
    model = net()
    assert record.load(model, tmp_path / "w.npz").fits and filled(model)["0.weight"] == 5


def npy(header: bytes, data: bytes = bytes(8), version: bytes = b"\1\0") -> bytes:
    size = len(header).to_bytes(2 if version[0] == 1 else 4, "little")
    return b"\x93NUMPY" + version + size + header + data


NPY: dict[str, tuple[bytes, str]] = {
    "no magic": (b"x" * 40, "is no .npy file of a known version"),
    "version 4": (npy(b"{}", version=b"\4\0"), "is no .npy file of a known version"),
    "short": (npy(b"")[:12], "is one of neither numbers nor bools"),
    "cut short": (npy(b"x" * 9)[:15], "has a broken header"),
    "long": (npy(b" " * 20_000), "has a broken header"),
    "a program": (npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (__import__('os').getpid(),)}"), "broken header"),
    "no shape": (npy(b"{'descr': '<f8', 'fortran_order': False}"), "has a broken header"),
    "no order": (npy(b"{'descr': '<f8', 'shape': (1,)}"), "has a broken header"),
    "negative": (npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}"), "has a broken header"),
    "huge": (npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (%s,)}" % (b"9" * 30)), "has a broken header"),
    "more": (npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}"), r"of shape \[2\] has 8 bytes"),
    "objects": (npy(b"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"), "is one of objects, which are pickled"),
    "text": (npy(b"{'descr': '<U2', 'fortran_order': False, 'shape': (1,)}"), "is one of neither numbers nor bools"),
    "fields": (npy(b"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}"), "neither numbers nor bools"),
}  # fmt: skip


@pytest.mark.parametrize("kind", NPY)
def test_an_archive_of_numpy_that_is_broken_says_where(kind: str, path: Path) -> None:
    content, message = NPY[kind]
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("x.npy", content)
    with pytest.raises(RecordError, match=f"^record.read: {path}: its array 'x' .*{message}"):
        record.read(path)


# -- dtypes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "stored"), [("bfloat16", "BF16"), ("float16", "F16"), (bb.float32, "F32")])
def test_floats_are_saved_in_another_dtype_and_come_back(dtype: Any, stored: str, path: Path) -> None:  # B131
    given = {"w": np.array([1.0, -2.0, 3.140625]), "n": np.arange(3)}
    record.save(given, path, dtype=dtype)
    found = record.read(path)
    assert found.dtypes == {"n": "I64", "w": stored}
    assert found["w"].tolist() == [1.0, -2.0, 3.140625] and found["w"].dtype == np.float32
    if stored == "BF16":
        assert bytes.fromhex("803f00c04940") in path.read_bytes()


def test_a_number_too_large_for_a_dtype_leaves_the_old_file(path: Path) -> None:
    record.save({"w": np.ones(1, "f4")}, path)
    before = path.read_bytes()
    with pytest.raises(RecordError, match="tensor 'w': a number is too large for F16: 70000"):
        record.save({"w": np.full(1, 7e4, "f4")}, path, dtype="float16")
    assert path.read_bytes() == before
    with pytest.raises(ArgumentError, match="dtype is 'float32', 'float16' or 'bfloat16', not 'int8'"):
        record.save({"w": np.ones(1)}, path, dtype="int8")


def test_eighths_are_widened_and_kept_as_bits(path: Path) -> None:
    bits = np.arange(256, dtype="u1")
    names = ("F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ")
    record.write(path, dict.fromkeys(names, bits), dtypes={name: name for name in names})
    found, raw = record.read(path), record.read(path, half="raw")
    for name in names:
        assert raw[name].tolist() == bits.tolist() and found[name].dtype == np.float32
        assert len(np.unique(found[name][np.isfinite(found[name])])) == np.isfinite(found[name]).sum() - (
            "E4M3" == name[3:] or "E5M2" == name[3:]
        )
    layer = nn.Linear(16, 16, bias=False)
    report = record.load(layer, {"weight": found["F8_E5M2FNUZ"].reshape(16, 16)})
    assert report.fits


# -- memory ----------------------------------------------------------------------------------------------


N = 500_000
LARGE = mapping(weight=tensor(numbers(N, 1), numbers(1, 1), of=storage(size=N)))
VALUES = np.arange(N, dtype="f4").reshape(N, 1)


@pytest.mark.parametrize("form", ["safetensors", "archive", "legacy"])
@pytest.mark.parametrize("aligned", [True, False])
def test_a_large_file_is_mapped_and_a_load_makes_at_most_one_copy(
    form: str, aligned: bool, tmp_path: Path
) -> None:  # B143, B144
    path = tmp_path / "w"
    extra = int(form == "safetensors" and not aligned)
    if form == "safetensors":
        shape = {"dtype": "F32", "shape": [N, 1], "data_offsets": [extra, extra + VALUES.nbytes]}
        header = {"b": {"dtype": "U8", "shape": [extra], "data_offsets": [0, extra]}, "weight": shape}
        head = json.dumps(header).encode()
        head += b" " * (-len(head) % 8)
        content = len(head).to_bytes(8, "little") + head + b"." * extra + VALUES.tobytes()
    elif form == "archive":
        content = archive(whole(LARGE), {"data/0": VALUES.tobytes()}, align=64, shift=not aligned)
    else:
        held = N.to_bytes(8, "little") + VALUES.tobytes()
        content = legacy(whole(LARGE), storages=held, align=8, shift=not aligned)
    path.write_bytes(content)
    layer = nn.Linear(1, N, bias=False)
    tracemalloc.start()
    try:
        report = record.load(layer, path, mmap=True, ignore="b" if form == "safetensors" else None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert report.fits
    np.testing.assert_array_equal(layer.weight.numpy(), VALUES)
    assert peak < (0 if aligned else VALUES.nbytes) + 10**6


# -- other libraries -------------------------------------------------------------------------------------


def test_the_librarys_own_file_is_read_by_name_and_content() -> None:
    assert set(record.read(HERE / "all.safetensors")) == set(CONTENT)
