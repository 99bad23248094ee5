"""Records: pickles that are broken, too large, or made to do harm. Nothing of them is ever executed.  # B142"""

from __future__ import annotations

import io
import os
import pickle
import sys
import time
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backburner import record
from backburner.errors import RecordError
from backburner.record import _arrays, _machine, _objects, _pickle
from records.make_pytorch import FOLDER
from records.pickles import (
    archive,
    legacy,
    many,
    mapping,
    named,
    number,
    numbers,
    storage,
    tensor,
    text,
    whole,
)

NOTHING = "nothing was executed"


class Harm:
    """What Python's pickle turns into a call of ``function``."""

    def __init__(self, function: Any, *arguments: Any, state: Any = None) -> None:
        self.made = function, arguments, state

    def __reduce__(self) -> Any:
        return self.made


def call(full: str, *arguments: bytes) -> bytes:
    return named(full) + many(*arguments) + b"R"


COMMAND = text("touch harmed")
STACK = text("os") + text("system") + b"\x93"

# What a pickle asks for: as it stands in the file, and what the error says.
ZOO: dict[str, tuple[bytes, str]] = {
    "os.system": (call("os.system", COMMAND), f"names os.system, which weights do not need; {NOTHING}"),
    "posix.system": (call("posix.system", COMMAND), "names posix.system"),
    "nt.system": (call("nt.system", COMMAND), "names nt.system"),
    "subprocess.Popen": (call("subprocess.Popen", COMMAND), "names subprocess.Popen"),
    "builtins.eval": (call("builtins.eval", text("1")), "names builtins.eval"),
    "__builtin__.eval": (call("__builtin__.eval", text("1")), "names __builtin__.eval"),
    "builtins.exec": (call("builtins.exec", text("1")), "names builtins.exec"),
    "builtins.getattr": (call("builtins.getattr", text("1"), text("real")), "names builtins.getattr"),
    "builtins.__import__": (call("builtins.__import__", text("antigravity")), "names builtins.__import__"),
    "builtins.open": (call("builtins.open", text("harmed"), text("w")), "names builtins.open"),
    "builtins.compile": (call("builtins.compile", text("1")), "names builtins.compile"),
    "torch.load": (call("torch.load", text("x")), "names torch.load"),
    "torch.hub.load": (call("torch.hub.load", text("x")), "names torch.hub.load"),
    "numpy.load": (call("numpy.load", text("x")), "names numpy.load"),
    "a module's import": (call("antigravity.geohash"), "names antigravity.geohash"),
    "runpy": (call("runpy._run_code", text("1")), "names runpy._run_code"),
    "operator.attrgetter": (call("operator.attrgetter", text("a")), "names operator.attrgetter"),
    "storage from bytes": (call("torch.storage._load_from_bytes", b"C\1x"), "names torch.storage._load_from_bytes"),
    "named but not called": (named("os.system"), "names os.system"),
    "in a list": (b"](" + call("os.system", COMMAND) + b"e", "names os.system"),
    "as a key": (b"}" + call("os.system", COMMAND) + b"Ns", "names os.system"),
    "as an argument": (call("collections.OrderedDict", call("os.system", COMMAND)), "names os.system"),
    "behind a good one": (mapping(a=tensor(), b=call("os.system", COMMAND)), "names os.system"),
    "stack": (STACK + many(COMMAND) + b"R", "names os.system"),
    "joined name": (text("torch") + text("_utils._rebuild_tensor_v2") + b"\x93", "names torch._utils._rebuild"),
    "dotted name": (text("collections") + text("OrderedDict.__init__.__globals__") + b"\x93", "names collections.Ord"),
    "joined module": (text("torch._utils._rebuild_tensor_v2") + text("") + b"\x93", "names torch._utils"),
    "empty names": (text("") + text("") + b"\x93", "names [.], which"),
    "wide letters": (text("builtins") + text("\uff45val") + b"\x93", r"names builtins..uff45val"),
    "direction": (text("collections") + text("\u202eOrderedDict") + b"\x93", r"names collections..u202eOrderedDict"),
    "newline in a name": (text("os\nsystem") + text("x") + b"\x93", r"names os.nsystem.x"),
    "nul in a name": (text("os") + text("system\0") + b"\x93", r"names os.system.x00"),
    "long name": (text("os" * 9999) + text("x") + b"\x93", "of a very long name"),
    "name of bytes": (b"C\2os" + text("system") + b"\x93", "by something that is not text"),
    "inst": (b"(" + COMMAND + b"ios\nsystem\n", "names os.system"),
    "obj": (b"(" + named("os.system") + COMMAND + b"o", "names os.system"),
    "newobj": (named("os.system") + many(COMMAND) + b"\x81", "names os.system"),
    "newobj_ex": (named("os.system") + many(COMMAND) + b"}\x92", "names os.system"),
    "newobj_ex options": (named("torch.Size") + b")" + mapping(a=b"N") + b"\x92", "options by name"),
    "extension 1": (b"\x82\1", "extension registry"),
    "extension 2": (b"\x83\1\0", "extension registry"),
    "extension 4": (b"\x84\1\0\0\0", "extension registry"),
    "call of text": (text("os.system") + many(COMMAND) + b"R", "calls a str"),
    "call of a pair": (many(text("os"), text("system")) + many(COMMAND) + b"R", "calls a tuple"),
    "call of a tensor": (tensor() + b")R", "calls a Tensor"),
    "call of a dtype": (call("torch.float32"), "calls torch.float32"),
    "call of a class": (call("torch.Tensor"), "calls torch.Tensor"),
    "call with a list": (named("torch.Size") + b"]R", "calls torch.Size in a way"),
    "state of a class": (named("collections.OrderedDict") + mapping(x=b"N") + b"b", "sets the state of a Global"),
    "state of a list": (b"]" + mapping(append=b"N") + b"b", "sets the state of a list"),
    "state of text": (text("x") + mapping(__class__=b"N") + b"b", "sets the state of a str"),
    "items of a class": (named("collections.OrderedDict") + text("a") + b"Ns", "sets items of a Global"),
    "append to a tensor": (tensor() + b"Na", "appends to a Tensor"),
    "add to a list": (b"](K\1\x90", "adds to a list"),
    "reduced set": (call("builtins.set", text("abc")), "makes a set of something that is no list"),
    "bytes of a number": (call("builtins.bytes", number(2**40)), "makes bytes of something"),
    "bytearray of a number": (call("builtins.bytearray", number(2**40)), "makes bytes of something"),
    "encode as a path": (call("_codecs.encode", text("x"), text("hex")), "makes bytes of something"),
    "encode what is wide": (call("_codecs.encode", text("\u1234"), text("latin1")), "bytes that are none"),
    "complex of text": (call("builtins.complex", text("1j"), text("")), "makes a complex number"),
    "dict of a number": (call("collections.OrderedDict", number(7)), "makes an OrderedDict of"),
    "dict of no pairs": (call("collections.OrderedDict", b"](K\1e"), "no list of pairs"),
    "size of text": (call("torch.Size", text("ab")), "torch.Size of something else"),
    "device of a list": (call("torch.device", b"]"), "torch.device of something"),
    "list as a key": (b"}]Ns", "a list as a key"),
    "tensor as a key": (b"}" + tensor() + b"Ns", "a Tensor as a key"),
    "tuple in a tuple as a key": (b"}" + many(many()) + b"Ns", "a tuple as a key"),
    "wide tuple as a key": (b"}" + numbers(*range(17)) + b"Ns", "a tuple as a key"),
    "huge number as a key": (b"}" + number(2**61 - 1) + b"Ns", "a int as a key"),
    "list in a set": (b"\x8f(]\x90", "a list as a key"),
    "list in a frozenset": (b"(]\x91", "a list as a key"),
    # -- numbers, text and the stack
    "long of 255 bytes": (b"\x8a\xff" + bytes(255), "an integer of 255 bytes"),
    "long of 2 GB": (b"\x8b\xff\xff\xff\x7f", "an integer of 2,147,483,647 bytes"),
    "many digits": (b"L" + b"9" * 4000 + b"L\n", "an integer of too many digits"),
    "no digits": (b"I1x\n", "an integer that is none"),
    "no float": (b"Fone\n", "a float that is none"),
    "text of 2^63 bytes": (b"\x8d" + b"\xff" * 7 + b"\x7f", "cut short"),
    "bytes of 2^63": (b"\x8e" + b"\xff" * 8, "cut short"),
    "bytearray of 2^63": (b"\x96" + b"\xff" * 8, "cut short"),
    "text of 4 GB": (b"X\xff\xff\xff\xff", "cut short"),
    "no utf-8": (b"X\1\0\0\0\xff", "not UTF-8"),
    "half a pair": (text("\ud800"), "not UTF-8"),
    "quoted with escapes": (b"S'\\x41'\n", "escapes"),
    "unquoted": (b"Sx\n", "escapes"),
    "unicode with escapes": (b"V\\u0041\n", "escapes"),
    "endless line": (b"I" + b"1" * 9999, "a very long line"),
    "protocol 6": (b"\x80\6N", "of protocol 6"),
    "unknown operation": (b"\xff", r"unknown operation b'.xff'"),
    "out-of-band buffer": (b"\x97", "buffers outside"),
    "read-only buffer": (b"\x98", "buffers outside"),
    "empty stack": (b"", "takes more than it made"),
    "pop from nothing": (b"0", "takes more than it made"),
    "tuple of nothing": (b"\x87", "takes more than it made"),
    "no mark": (b"t", "takes more than it made"),
    "obj of nothing": (b"(o", "takes more than it made"),
    "memo without entry": (b"h\7", "asks for 7 of its memo"),
    "memo by name": (b"gx\n", "an integer that is none"),
    "key without value": (b"}(K\1u", "a key without a value"),
    # -- storages and tensors
    "persistent number": (b"K\1Q", "refers to something that is no storage"),
    "persistent text": (b"Pstorage\n", "refers to something that is no storage"),
    "persistent module": (
        many(text("module"), named("torch.Tensor"), text("net.py"), text("import os")) + b"Q",
        f"holds a whole module .torch.Tensor.; {NOTHING}",
    ),
    "storage of a name": (many(text("storage"), text("x"), text("0"), text("cpu"), number(6)) + b"Q", "something else"),
    "storage of a function": (storage("torch._utils._rebuild_tensor_v2"), "by something else than type"),
    "storage of a negative size": (storage(size=-1), "by something else than type"),
    "storage that is missing": (storage(key="../../0"), "its storage '../../0' is missing"),
    "storage that is too small": (storage(size=7), "needs 28 bytes and has 24"),
    "storage of 10^18": (storage(size=10**18), "needs over 10.18 bytes"),
    "storage of a long name": (storage(key="0" * 999), "by something else than type"),
    "tensor of no storage": (tensor(of=text("0")), "makes a tensor of a str, not of a storage"),
    "tensor of a tensor": (tensor(of=tensor()), "makes a tensor of a Tensor"),
    "too large": (tensor(shape=numbers(3, 3)), r"goes beyond its storage '0': it takes element 8 of 6"),
    "beyond by its offset": (tensor(offset=number(1)), "takes element 6 of 6"),
    "beyond by its strides": (tensor(strides=numbers(4, 1)), "takes element 6 of 6"),
    "huge strides": (tensor(strides=numbers(2**62, 1)), "takes element over 10.18"),
    "negative strides": (tensor(strides=numbers(3, -1)), "gives a tensor the strides"),
    "negative offset": (tensor(offset=number(-1)), "gives a tensor the offset -1"),
    "negative shape": (tensor(shape=numbers(-2, -3)), "gives a tensor the shape"),
    "shape of bools": (tensor(shape=many(b"\x88", b"\x88")), "gives a tensor the shape"),
    "shape of text": (tensor(shape=text("23")), "gives a tensor the shape of a str"),
    "fewer strides": (tensor(strides=numbers(1)), "and 1 strides"),
    "shape of 2^62 twice": (tensor(shape=numbers(2**62, 2**62), strides=numbers(0, 0)), "NumPy cannot hold"),
    "nothing of 2^62": (tensor(shape=numbers(0, 2**62, 2**62), strides=numbers(0, 0, 0)), "NumPy cannot hold"),
    "65 axes": (tensor(shape=numbers(*[1] * 65), strides=numbers(*[1] * 65)), "NumPy cannot hold"),
    "10^12 of one": (mapping(x=tensor(shape=numbers(10**12), strides=numbers(0))), "take 4000000000000 bytes"),
    "few parts": (call("torch._utils._rebuild_tensor_v2", storage()), "of too few parts"),
    "untyped without a dtype": (tensor(of=storage("torch.storage.UntypedStorage")), "makes a tensor of None"),
    "parameter of text": (call("torch._utils._rebuild_parameter", text("x")), "something that is no tensor"),
    "from type by eval": (call("torch._tensor._rebuild_from_type_v2", named("builtins.eval")), "names builtins.eval"),
    "from type by a dict": (
        call("torch._tensor._rebuild_from_type_v2", named("collections.OrderedDict"), named("torch.Tensor"), b")"),
        "makes a tensor by collections.OrderedDict",
    ),
    "from a type of its own": (
        call("torch._tensor._rebuild_from_type_v2", named("torch.Size"), named("numpy.ndarray"), b")"),
        "of an unknown class",
    ),
    # -- NumPy
    "array of objects": (
        call("numpy._core.multiarray._reconstruct", named("numpy.ndarray"), numbers(0), b"C\1b")
        + many(number(1), numbers(1), call("numpy.dtype", text("O8")), b"\x89", b"](N)e")
        + b"b",
        "neither numbers nor bools",
    ),
    "array of 2^40": (
        mapping(x=call("numpy.core.multiarray._reconstruct", named("numpy.ndarray"), numbers(0), b"C\1b")
        + many(number(1), numbers(2**40), call("numpy.dtype", text("f8")), b"\x89", b"C\1x")
        + b"b"),
        r"of shape \[1099511627776\] and 1 bytes",
    ),
    "dtype of fields": (call("numpy.dtype", b"]"), "NumPy dtype of something that is no text"),
    "dtype of a program": (
        mapping(x=call("numpy.core.multiarray._reconstruct") + many(number(1), numbers(1), call("numpy.dtype", text("f4,(9,)")), b"\x89", b"C\4abcd") + b"b"),
        "neither numbers nor bools",
    ),
    "dtype that NumPy warns of": (
        mapping(x=call("numpy.core.multiarray._reconstruct") + many(number(1), numbers(1), call("numpy.dtype", text("a4")), b"\x89", b"C\4abcd") + b"b"),
        "neither numbers nor bools",
    ),
    "scalar of few bytes": (call("numpy.core.multiarray.scalar", call("numpy.dtype", text("f8")), b"C\1x"), "unknown parts"),
    "order of a dtype": (call("numpy.dtype", text("f8")) + many(number(3), b"]") + b"b", "of an unknown byte order"),
    # -- what the whole is
    "nothing": (b"N", "holds a NoneType without tensors"),
    "an empty list": (b"]", "holds a list without tensors"),
    "names that collide": (
        mapping(state_dict=b"}(" + text("a.b") + tensor() + text("a") + b"}(" + text("b") + tensor(offset=number(0), shape=numbers(1), strides=numbers(1)) + b"uu"),
        "two tensors called 'a.b'",
    ),
    "key of a tuple": (b"}" + many(text("a")) + tensor() + b"s", "under a key that is a tuple"),
    "several mappings": (
        mapping(model=mapping(w=tensor()), ema=mapping(w=tensor())), "Say which by key=: 'model', 'ema'"
    ),
    "several unusual ones": (
        mapping(one=mapping(w=tensor()), two=mapping(w=tensor())), "Say which by key=: 'one', 'two'"
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", ZOO)
@pytest.mark.parametrize("form", [archive, legacy])
def test_a_pickle_made_to_do_harm_is_refused_by_name(
    kind: str, form: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    body, message = ZOO[kind]
    path = tmp_path / "w.pt"
    path.write_bytes(form(whole(body)))
    if form is legacy:  # which sees its list of storages first
        message += "|elements, and not|truncated"
    with pytest.raises(RecordError, match=f"^record.read: {path}: .*({message})"):
        record.read(path)
    assert os.listdir(tmp_path) == ["w.pt"] and "antigravity" not in sys.modules


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "harm",
    [
        Harm(os.system, "touch harmed"),
        Harm(eval, "open('harmed', 'w')"),
        Harm(exec, "import antigravity"),
        Harm(print, "harmed", state={"__dict__": {}}),
    ],
    ids=["system", "eval", "exec", "state"],
)
def test_what_pythons_pickle_makes_of_harm_is_refused_in_every_protocol(
    protocol: int, harm: Harm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = harm.made[0].__name__
    for content in (pickle.dumps({"w": harm}, protocol), archive(pickle.dumps({"w": harm}, protocol), {})):
        (tmp_path / "w.bin").write_bytes(content)
        with pytest.raises(RecordError, match=f"names [a-z_]+.{name}, which weights do not need; {NOTHING}"):
            record.read("w.bin")
    assert os.listdir(tmp_path) == ["w.bin"]


def test_the_pickles_by_hand_are_good_ones_but_for_what_they_try(tmp_path: Path) -> None:
    for form in (archive, legacy):
        (tmp_path / "w").write_bytes(form(whole(mapping(w=tensor(), s=tensor(numbers(2), numbers(5))))))
        found = record.read(tmp_path / "w")
        assert found["w"].shape == (2, 3) and found["s"].shape == (2,)
        assert found["s"].tolist() == found["w"].ravel()[[0, 5]].tolist()


def test_options_beside_the_weights_are_left_alone(tmp_path: Path) -> None:
    node = (
        named("omegaconf.nodes.AnyNode")
        + b")\x81"
        + mapping(_val=number(3), ref_type=named("typing.Any"))
        + b"b"
    )
    old = named("__builtin__.long") + b"0"  # what protocol 2 calls an int
    config = named("omegaconf.dictconfig.DictConfig") + b")\x81" + mapping(_content=mapping(lr=node)) + b"b"
    path = tmp_path / "hydra.ckpt"
    path.write_bytes(archive(whole(old + mapping(state_dict=mapping(w=tensor()), hyper_parameters=config))))
    found = record.read(path)
    assert list(found) == ["w"] and found.key == "state_dict" and found.choices == ("state_dict",)


def test_every_name_in_the_table_is_inert() -> None:
    import inspect

    for name, found in _objects.TABLE.items():
        assert found.name == name
        if found.call is not None:
            assert inspect.getmodule(found.call) in (_objects, _arrays), name


# -- what a pickle may cost ------------------------------------------------------------------------------


def laughs(leaf: bytes, levels: int = 40) -> bytes:
    """A list of ten times a list of ten times ... ``leaf``, each of them there once."""
    body = leaf
    for level in range(levels):
        body = b"](" + body + b"r" + level.to_bytes(4, "little")
        body += (b"j" + level.to_bytes(4, "little")) * 9 + b"e"
    return body


COSTLY: dict[str, bytes] = {
    "laughs": laughs(b"N"),
    "laughs of tensors": laughs(tensor(), 30),
    "a long name again and again": mapping(**{"x" * 10**6: mapping(**{"y" * 10**6: laughs(tensor(), 4)})}),
    "a dict in itself": b"}q\0" + text("w") + tensor() + b"s" + text("me") + b"h\0s",
    "a list in itself": b"]q\0h\0a" + tensor() + b"a",
    "many lists in each other": b"]" * 10**5 + b"a" * (10**5 - 1),
    "many dicts in each other": b"}K\1" * 10**5 + tensor() + b"s" * 10**5,
    "many tuples in each other": b"N" + b"\x85" * 10**5,
    "many dicts": b"}" * 10**5,
    "a set of the same again and again": b"](" + b"K\1" * 10**5 + b"e\x85q\0" + (named("builtins.set") + b"h\0R0") * 2000,
    "bytes of the same again and again": named("_codecs.encode") + b"q\1" + many(text("x" * 10**6), text("latin1")) + b"q\0" + b"h\1h\0R0" * 1000,
    "states of the same again and again": (
        call("numpy._core.multiarray._reconstruct")
        + many(number(1), numbers(*[1] * 60), call("numpy.dtype", text("f8")), b"\x89", b"C\x08" + bytes(8)) + b"q\1b" + b"h\1b" * 10**5
    ),
    "many short lines in a long file": b"V\n0" * 3 * 10**5 + b"N",
    "a sparse memo": b"Nr\xff\xff\xff\xff" * 10**5,
    "frames that lie": b"\x95" + b"\xff" * 8 + b"N",
}  # fmt: skip


MUCH = "asks for too much work"
ANSWERS = {
    "laughs of tensors": MUCH,
    "a long name again and again": MUCH,
    "a dict in itself": "nested too deeply, or within themselves",
    "a list in itself": "nested too deeply, or within themselves",
    "many dicts in each other": "nested too deeply",
    "many dicts": MUCH,
    "a set of the same again and again": MUCH,
    "bytes of the same again and again": MUCH,
    "states of the same again and again": MUCH,
}


@pytest.mark.parametrize("kind", COSTLY)
def test_a_small_pickle_costs_little(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind == "many dicts":
        monkeypatch.setattr(_machine, "OPERATIONS", 99_999)
    (tmp_path / "w").write_bytes(archive(whole(COSTLY[kind])))
    begin = time.process_time()
    try:
        found = record.read(tmp_path / "w")
        assert len(found) <= 10**4
    except RecordError as error:
        assert len(str(error)) < 1000 and ANSWERS.get(kind, "without tensors") in str(error)
    assert time.process_time() - begin < 20  # a second or so, on a machine of any age


def test_a_hostile_pickle_takes_little_memory(tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        for kind in ("bytes of the same again and again", "a long name again and again"):
            (tmp_path / "w").write_bytes(archive(whole(COSTLY[kind])))
            with pytest.raises(RecordError):
                record.read(tmp_path / "w")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 256 * 2**20


# -- fuzzing ---------------------------------------------------------------------------------------------


def saved_by_numpy(save: Any) -> bytes:
    buffer = io.BytesIO()
    save(buffer, a=np.arange(6, dtype=">i4").reshape(2, 3), f=np.asfortranarray(np.eye(2)), s=np.float32(1))
    return buffer.getvalue()


QUICK = settings(max_examples=300, deadline=None, database=None)
SOURCES = [path.read_bytes() for path in sorted(FOLDER.glob("*.pt"))]
SOURCES += [
    saved_by_numpy(np.savez),
    saved_by_numpy(np.savez_compressed),
    archive(whole(mapping(w=tensor())), compression=zipfile.ZIP_DEFLATED),
    pickle.dumps({"a": np.arange(3), "b": np.float32(1), "c": {1, 2}, "d": [None, True, b"x", 2**70]}, 2),
    pickle.dumps({"a": np.arange(3), "b": np.float32(1), "c": {1, 2}, "d": [None, True, b"x", 2**70]}, 5),
]
# Single operations of a pickle, the hostile among them, in any order.
PIECES = st.sampled_from(
    [bytes([code]) for code in _pickle.OPERATION]
    + [body for body, _ in ZOO.values() if len(body) < 200]
    + [named(name) for name in _objects.TABLE]
    + [tensor(), storage(), numbers(1, 2), text("w"), number(3), b"q\0", b"h\0", b"}(", b"u", b")R", b"b"]
)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "w"


def survives(content: bytes, path: Path) -> None:
    """Read the content: a record whose arrays can be had, or a RecordError."""
    path.write_bytes(content)
    try:
        found = record.read(path)
        total = sum(array.size for array in found.values())
    except RecordError as error:
        assert len(str(error)) < 2000
        return
    assert total <= 100 * len(content)


@QUICK
@given(data=st.data())
def test_a_checkpoint_cut_short_or_with_wrong_bytes_is_read_or_refused(
    data: st.DataObject, scratch: Path
) -> None:
    content = bytearray(data.draw(st.sampled_from(SOURCES)))
    for _ in range(data.draw(st.integers(0, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    survives(bytes(content[: data.draw(st.integers(0, len(content)) | st.just(len(content)))]), scratch)


@QUICK
@given(pieces=st.lists(PIECES, max_size=30), form=st.sampled_from([archive, legacy, lambda pickled: pickled]))
def test_operations_in_any_order_are_read_or_refused(pieces: list[bytes], form: Any, scratch: Path) -> None:
    survives(form(whole(b"".join(pieces))), scratch)


@QUICK
@given(body=st.binary(max_size=60), form=st.sampled_from([archive, legacy, lambda pickled: pickled]))
def test_random_bytes_for_a_pickle_are_read_or_refused(body: bytes, form: Any, scratch: Path) -> None:
    survives(form(whole(body)), scratch)


@QUICK
@given(tail=st.binary(max_size=120))
def test_random_bytes_for_an_archive_are_refused(tail: bytes, scratch: Path) -> None:
    survives(b"PK\3\4" + tail + b"PK\5\6" + tail, scratch)
