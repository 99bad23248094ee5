"""The command: its answers, its exit statuses, and what it says of files that it cannot use."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import cli, data, features, record
from backburner.models import digits
from fakes import python

without = pytest.mark.feature_set("core", "locked", "broken")


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a network that is as good as untrained: its answers are arbitrary but fixed."""
    path = tmp_path_factory.mktemp("weights") / "digits.safetensors"
    state = bb.Device.cpu().seeds.state
    bb.Device.cpu().seed(3)
    digits.save(digits.network(), path)
    bb.Device.cpu().seeds.state = state
    return path


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def claim(shape: str) -> bytes:
    """Return an .npy file whose header promises a shape, and that ends there."""
    return npy(np.zeros((2, 8, 8))).replace(b"(2, 8, 8), }  ", f"{shape}, }}  ".encode().ljust(14))[:128]


def headed(text: str) -> bytes:
    """Return an .npy file with a header of one's own, and bytes for one image."""
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + bytes(64)


def lines(rows: Any) -> bytes:
    return "".join(",".join(f"{v:g}" for v in row) + "\n" for row in rows).encode()


# -- the command line itself


@pytest.mark.parametrize("row", cli.COMMANDS, ids=[row.name for row in cli.COMMANDS])
def test_each_subcommand_helps_with_examples_that_parse(row: cli.Command, command: Any) -> None:
    status, out, _ = command(row.name, "--help")
    assert status == 0
    assert len(row.examples) > 1
    for example in row.examples:
        assert f"\n  {example}\n" in out
        words = [word for word in shlex.split(example) if not word.startswith("BACKBURNER_")]
        assert words[:2] == ["backburner", row.name]
        cli.parser(cli.COMMANDS).parse_args(words[1:])


WRONG: dict[str, tuple[tuple[str, ...], str]] = {
    "no data": (("train",), "the following arguments are required: DATA"),
    "no target": (("train", "cifar"), "the following arguments are required: --target, the column of cifar to predict"),
    "no number": (("train", "digits", "--seed", "x"), "argument --seed: invalid integer value: 'x'"),
    "no image": (("predict", "m"), "one of the arguments DATA --sample is required"),
    "half a sample": (("predict", "m", "--sample", "1.5"), "argument --sample: invalid integer value: '1.5'"),
    "another dtype": (("warmup", "--dtype", "float16"), "argument --dtype: invalid choice: 'float16'"),
}  # fmt: skip


@pytest.mark.parametrize("arguments, told", WRONG.values(), ids=WRONG)
def test_a_wrong_option_exits_with_2_and_names_it(
    arguments: tuple[str, ...], told: str, command: Any
) -> None:
    status, out, err = command(*arguments)
    assert (status, out) == (2, "")
    assert told in err


@without
@pytest.mark.parametrize("name, arguments", [("train", ["digits"]), ("warmup", [])])
def test_what_needs_the_feature_says_so_where_it_is_not_there(name: str, arguments: list[str]) -> None:
    found = features.status("autodiff")
    done = python("-m", "backburner", name, *arguments)
    told = f"backburner: Requires `autodiff` feature for backburner {name}: {found.reason}. {found.remedy}\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", told)


def test_ctrl_c_exits_with_130_and_no_traceback(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(name: str) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(features, "status", stop)
    assert command("features")[::2] == (130, "backburner: stopped\n")


@pytest.mark.parametrize("module", ["backburner.cli", "argparse", "backburner.models.digits"])
def test_ctrl_c_while_it_is_imported_exits_with_130_and_no_traceback(module: str, tmp_path: Path) -> None:
    code = (
        "import sys, runpy, backburner\n"
        "class Stop:\n"
        "    def find_spec(self, name, *rest):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\n"
        f"sys.modules.pop({module!r}, None)\n"
        "sys.argv = ['backburner', 'predict', 'none', '--sample', '0']\n"
        "runpy.run_module('backburner', run_name='__main__', alter_sys=True)\n"
    )
    done = python("-c", code)
    assert done.returncode == 130
    assert done.stderr in ("", "backburner: stopped\n")


STREAMS: dict[str, tuple[str, int, str]] = {
    "no stdout": (">&-", 0, ""),
    "no stderr": ("2>&-", 0, ""),
    "a full disk": ("> /dev/full", 1, "backburner: [Errno 28] No space left on device\n"),
    "a full disk for all": ("> /dev/full 2>&1", 1, ""),
    "a reader who has gone": ("| true", 0, ""),
}


@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("redirection, status, told", STREAMS.values(), ids=STREAMS)
def test_streams_that_take_nothing_bring_no_traceback(
    redirection: str, status: int, told: str, buffered: bool, weights: Path
) -> None:
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f'"$@" {redirection}', "bash", sys.executable, "-m", "backburner",
         "predict", str(weights), "--sample", "7"],
        env={**os.environ, "PYTHONUNBUFFERED": "" if buffered else "1"},
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (status, told)


def test_a_complaint_without_a_stderr_does_not_go_to_stdout(
    command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert command("predict", "none", "--sample", 0)[:2] == (1, "")


def test_a_full_disk_is_told_without_a_traceback(
    command: Any, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Any) -> Any:
        raise OSError(28, "No space left on device", "big.safetensors")

    monkeypatch.setattr(digits, "Classifier", full)
    told = "backburner: big.safetensors: No space left on device\n"
    assert command("predict", weights, "--sample", 1) == (1, "", told)


# -- predict: what it answers


def test_a_sample_is_drawn_named_and_weighed(command: Any, weights: Path) -> None:
    status, out, err = command("predict", weights, "--sample", 7)
    assert (status, err) == (0, "")
    head, *rest = out.splitlines()
    number = int(data.digits_split()[1][7])
    image, label = data.digits()[0][number], data.digits()[1][number]
    _, shares = digits.Classifier(weights)(image[None])
    best = int(shares.argmax())
    assert head == (
        f"sample 7 of the held-out digits, number {number} of the set: {best} with {shares[0, best]:.1%}, "
        f"truly {label}"
    )
    drawn, weighed = rest[:8], rest[8:]
    assert [[cell != " " for cell in line[2::2]] for line in drawn] == (image * 9 // 16 > 0).tolist()
    assert [line.split()[:2] for line in weighed] == [[str(i), f"{p:.1%}"] for i, p in enumerate(shares[0])]


IMAGES = data.digits()[0][:3]
FORMS: dict[str, tuple[str, bytes]] = {
    "npy of bytes": ("x.npy", npy(IMAGES)),
    "npy of rows of 64": ("x.npy", npy(IMAGES.reshape(3, 64).astype(np.int64))),
    "npy of float32": ("x.npy", npy(IMAGES.astype(np.float32))),
    "npy of float64 the other way round": ("x.npy", npy(IMAGES.astype(">f8"))),
    "npy by columns": ("X.NPY", npy(np.asfortranarray(IMAGES))),
    "csv of rows of 64": ("x.csv", lines(IMAGES.reshape(3, 64))),
    "csv of rows of 8": ("x.csv", lines(IMAGES.reshape(24, 8))),
    "csv with blank lines": ("x.csv", b"\n".join([b"", lines(IMAGES[0]), b" ", lines(IMAGES[1:].reshape(16, 8))])),
    "csv of a spreadsheet": (
        "X.CSV",
        b"\xef\xbb\xbf" + lines(IMAGES.reshape(3, 64)).replace(b"\n", b"\r\n").replace(b"16", b'"16.0"'),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name, content", FORMS.values(), ids=FORMS)
def test_every_form_of_the_same_images_gets_the_same_answer(
    name: str, content: bytes, command: Any, weights: Path
) -> None:
    Path(name).write_bytes(content)
    _, shares = digits.Classifier(weights)(IMAGES)
    told = [f"image {i}: {p.argmax()} with {p.max():.1%}" for i, p in enumerate(shares)]
    assert command("predict", weights, name) == (0, "\n".join(told) + "\n", "")


@pytest.mark.parametrize("name, content", [("x.npy", npy(IMAGES[0])), ("x.npy", npy(IMAGES[0].ravel()))])
def test_one_image_needs_no_axis_of_its_own(name: str, content: bytes, command: Any, weights: Path) -> None:
    Path(name).write_bytes(content)
    status, out, _ = command("predict", weights, name)
    assert status == 0
    assert out.startswith("image 0: ") and len(out.splitlines()) == 19


def test_an_image_gets_the_same_bits_alone_and_in_company(weights: Path) -> None:
    classify = digits.Classifier(weights)
    images = data.digits()[0][data.digits_split()[1]]
    together, _ = classify(images)
    for few in (images[7:8], images[7:9], images[5:42]):
        first = 5 if len(few) == 37 else 7
        assert classify(few)[0].tobytes() == together[first : first + len(few)].tobytes()


def test_an_image_gets_the_same_bits_for_any_number_of_threads(weights: Path) -> None:
    code = (
        "import sys; from backburner.models.digits import Classifier; from backburner import data;"
        "print(Classifier(sys.argv[1])(data.digits()[0][:20])[0].tobytes().hex())"
    )
    one, three = (python("-c", code, str(weights), OPENBLAS_NUM_THREADS=n) for n in "13")
    assert one.stdout == three.stdout and len(one.stdout) == 20 * 10 * 8 + 1


# -- predict: what it cannot use

R64 = IMAGES.reshape(3, 64)
SHAPES = "Each image is 64 numbers, or 8 rows of 8."
RANGE = "Pixels go from 0 (black) to 16 (white)."
BAD_FILES: dict[str, tuple[str, bytes, str]] = {
    "another ending": ("x.png", b"", "x.png: needs a file called .npy or .csv."),
    "npy: empty": ("x.npy", b"", "x.npy: it is no .npy file: it is empty. Write one with numpy.save."),
    "npy: a zip": ("x.npy", b"PK\3\4rest", r"x.npy: it is no .npy file: it begins with b'PK\x03\x04re'."),
    "npy: objects": ("x.npy", npy(np.array([{}])), "x.npy: it is damaged, or holds objects: "),
    "npy: cut in the header": ("x.npy", npy(IMAGES)[:50], "x.npy: it is damaged, or holds objects: "),
    "npy: cut in the data": ("x.npy", npy(IMAGES)[:-1], "x.npy: it is damaged, or holds objects: "),
    "npy: promises far too much": ("x.npy", claim("(9000000000, 8, 8)"), "x.npy: it is damaged, or holds objects: "),
    **{f"npy: damaged, {name}": ("x.npy", headed(text), "x.npy: it is damaged, or holds objects: ") for name, text in {
        "a shape past any integer": "{'descr': '|u1', 'fortran_order': False, 'shape': (1" + "0" * 30 + ", 64), }",
        "an open bracket": "{'descr': '|u1', 'fortran_order': False, 'shape': (1L, 64",
        "a shape of text": "{'descr': '|u1', 'fortran_order': False, 'shape': (1, [])}",
        "a list for a key": "{[]: 1}",
        "brackets without end": "(" * 900,
        "signs without end": "-" * 9000 + "1",
        "a negative shape": "{'descr': '|u1', 'fortran_order': False, 'shape': (-1, 64), }",
        "no dtype": "{'descr': 'what', 'fortran_order': False, 'shape': (1, 64), }",
        "a dtype of lists": "{'descr': [1, [2]], 'fortran_order': False, 'shape': (1, 64), }",
    }.items()},
    "npy: complex": ("x.npy", npy(IMAGES * 1j), "x.npy: it holds complex128, not real numbers."),
    "npy: text": ("x.npy", npy(np.array(["7"])), "x.npy: it holds <U1, not real numbers."),
    "npy: 28x28": ("x.npy", npy(np.zeros((5, 28, 28))), f"x.npy: its shape is [5, 28, 28]. {SHAPES}"),
    "npy: a channel": ("x.npy", npy(np.zeros((5, 1, 8, 8))), f"x.npy: its shape is [5, 1, 8, 8]. {SHAPES}"),
    "npy: a number": ("x.npy", npy(np.array(3.0)), f"x.npy: its shape is []. {SHAPES}"),
    "npy: no image": ("x.npy", npy(np.zeros((0, 64))), "x.npy: there is no image in it: its shape is [0, 64]."),
    "npy: NaN": ("x.npy", npy(np.where(np.eye(8) > 0, np.nan, 0)), f"x.npy: pixel [0, 0] is nan. {RANGE}"),
    "npy: too bright": ("x.npy", npy(IMAGES + np.uint8(1)), "x.npy: pixel [1, 1, 4] is 17. "),
    "npy: negative": ("x.npy", npy(R64 - 1.0), f"x.npy: pixel [0, 0] is -1. {RANGE}"),
    "csv: empty": ("x.csv", b"", f"x.csv: it is empty. {SHAPES}"),
    "csv: blank": ("x.csv", b"\n \n", f"x.csv: it is empty. {SHAPES}"),
    "csv: headings": (
        "x.csv", b"p0,p1\n" + lines(R64),
        "x.csv: line 1, column 1: 'p0' is not a number. Remove the line of headings.",
    ),
    "csv: a word": ("x.csv", lines(R64[:1]) + b"1,2,three\n", "x.csv: line 2, column 3: 'three' is not a number."),
    "csv: a hole": ("x.csv", b"1,,3\n", "x.csv: line 1, column 2: '' is not a number."),
    "csv: NaN": ("x.csv", b"0,nan" + b",0" * 62, f"x.csv: line 1, column 2: 'nan' is no pixel. {RANGE}"),
    "csv: too bright": ("x.csv", lines(R64) + b"\n255\n", f"x.csv: line 5, column 1: '255' is no pixel. {RANGE}"),
    "csv: negative": ("x.csv", b"0,0,-1", f"x.csv: line 1, column 3: '-1' is no pixel. {RANGE}"),
    "csv: from 0 to 1": (
        "x.csv",
        b"0,0.5" + b",1" * 62,
        f"x.csv: no pixel is above 1. {RANGE} Multiply by 16 if yours go to 1.",
    ),
    "csv: infinite": ("x.csv", b"inf", f"x.csv: line 1, column 1: 'inf' is no pixel. {RANGE}"),
    "csv: labels": (
        "x.csv", lines(np.c_[R64, [1, 2, 3]]),
        f"x.csv: line 1: it has 65 numbers. {SHAPES} Remove the column of labels.",
    ),
    "csv: semicolons": ("x.csv", lines(R64).replace(b",", b";"), "x.csv: line 1, column 1: '0;0;"),
    "csv: ragged": (
        "x.csv", lines(R64[:2]) + lines(R64[2:, :63]),
        f"x.csv: line 3: it has 63 numbers, the lines before 64. {SHAPES}",
    ),
    "csv: both forms": (
        "x.csv", lines(IMAGES[0]) + lines(R64), f"x.csv: line 9: it has 64 numbers, the lines before 8. {SHAPES}",
    ),
    "csv: a part of an image": (
        "x.csv", lines(IMAGES.reshape(24, 8)[:15]), f"x.csv: 15 rows of 8 numbers are no whole images. {SHAPES}",
    ),
    "csv: Latin-1": ("x.csv", b"1,2\xe9", "x.csv: it is no CSV file in UTF-8: "),
    "csv: UTF-16": ("x.csv", "1,2\n".encode("utf-16"), "x.csv: it is no CSV file in UTF-8: "),
    "csv: one endless field": ("x.csv", b"1" * 200_000, "x.csv: it is no CSV file in UTF-8: field larger than"),
}  # fmt: skip


@pytest.mark.parametrize("name, content, told", BAD_FILES.values(), ids=BAD_FILES)
def test_images_that_cannot_be_used_are_told(
    name: str, content: bytes, told: str, command: Any, weights: Path
) -> None:
    Path(name).write_bytes(content)
    status, out, err = command("predict", weights, name)
    assert (status, out) == (1, "")
    assert err.startswith(f"backburner: predict: {told}")


def metadata(**changes: str | None) -> dict[str, str]:
    usual: dict[str, str | None] = {digits.MODEL: "digits", digits.OFFSET: "0", digits.SCALE: "16"}
    merged = usual | {f"backburner.{name.replace('_', '.')}": value for name, value in changes.items()}
    return {name: value for name, value in merged.items() if value is not None}


def spoilt(**changes: Any) -> dict[str, Any]:
    """Return the weights with some exchanged, or without those that are ``None``."""
    named = {name.replace("_", ".", 1): value for name, value in changes.items()}
    state = {name: tensor.numpy() for name, tensor in digits.network().state_dict().items()} | named
    return {name: value for name, value in state.items() if value is not None}


MODELS: dict[str, tuple[Callable[[], Any], dict[str, str], str]] = {
    "no metadata": (spoilt, {}, "it has no 'backburner.model' in its metadata, so it does not hold the digits network."),
    "another model": (spoilt, metadata(model="resnet"), "it has the model 'resnet', so it does not hold the digits"),
    "no scale": (spoilt, metadata(input_scale=None), "backburner.input.scale in its metadata is None, not a number."),
    "no number": (spoilt, metadata(input_offset="x"), "backburner.input.offset in its metadata is 'x', not a number."),
    "infinite": (spoilt, metadata(input_scale="inf"), "backburner.input.scale in its metadata is 'inf', not a number."),
    "zero": (spoilt, metadata(input_scale="0"), "backburner.input.scale in its metadata is 0."),
    "a weight too few": (lambda: spoilt(**{"9_bias": None}), metadata(), "load: 1 missing (9.bias)"),
    "another shape": (
        lambda: spoilt(**{"9_bias": np.zeros(9, np.float32)}), metadata(), "load: 1 mismatched (9.bias: [9] in the file"
    ),
}  # fmt: skip


@pytest.mark.parametrize("make, text, told", MODELS.values(), ids=MODELS)
def test_a_file_that_does_not_hold_the_network_is_told(
    make: Any, text: dict[str, str], told: str, command: Any
) -> None:
    record.write("m.safetensors", make(), text)
    status, out, err = command("predict", "m.safetensors", "--sample", 0)
    assert (status, out) == (1, "")
    assert err.startswith(f"backburner: predict: m.safetensors: {told}")


def test_weights_that_answer_with_nan_are_told(command: Any) -> None:
    record.write("m.safetensors", spoilt(**{"9_bias": np.full(10, np.nan, np.float32)}), metadata())
    told = "backburner: predict: the network answers with NaN or infinity: its weights are damaged.\n"
    assert command("predict", "m.safetensors", "--sample", 0) == (1, "", told)


def test_the_scale_in_the_file_is_the_one_that_counts(command: Any, weights: Path) -> None:
    stored = record.read(weights)
    record.write("m.safetensors", stored.arrays, metadata(input_scale="8", input_offset="-1"))
    logits, _ = digits.Classifier("m.safetensors")(IMAGES)
    same, _ = digits.Classifier(weights)(2.0 * IMAGES + 2)
    assert logits.tobytes() == same.tobytes()


@pytest.mark.parametrize("path", ["none.safetensors", "none.npy", "none.csv"])
def test_a_file_that_is_not_there_is_named(path: str, command: Any, weights: Path) -> None:
    model, rest = (path, ["--sample", "0"]) if "safe" in path else (weights, [path])
    assert command("predict", model, *rest) == (1, "", f"backburner: {path}: No such file or directory\n")


@pytest.mark.parametrize("sample", [-1, 360, 10**30])
def test_a_sample_that_is_not_there_is_told_with_those_that_are(
    sample: int, command: Any, weights: Path
) -> None:
    told = f"backburner: predict: there is no sample {sample}. Use 0 to 359.\n"
    assert command("predict", weights, "--sample", sample) == (1, "", told)
