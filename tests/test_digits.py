"""The main job: digits from images to a file, the same file from the same seed, and answers without Numba."""

from __future__ import annotations

import csv
import importlib.util
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import cli, data
from backburner.errors import ArgumentError
from backburner.models import digits as model
from backburner.threads import is_deterministic
from backburner.train import Trained, digits, warmup
from backburner_autodiff.train import _curve, _digits, _warmup
from fakes import python

pytestmark = pytest.mark.feature_set("autodiff")

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
FILES = ["digits.safetensors", "digits.loss.csv"] + ["digits.loss.png"] * HAS_MATPLOTLIB
# Refuses what a core-only installation does not have.
BARE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "llvmlite", "backburner_autodiff"):
            raise ModuleNotFoundError(f"{name} was asked for", name=name)

sys.meta_path.insert(0, Refuse())
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """Return what the job leaves as it comes, without options."""
    return digits(tmp_path_factory.mktemp("trained") / "digits.safetensors", show=False)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let epochs be three steps."""
    monkeypatch.setattr(_digits, "BATCH", 500)
    yield


def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "backburner", *arguments]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, timeout=300
    )


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def interrupting_at(monkeypatch: pytest.MonkeyPatch, *steps: int) -> None:
    """Press Ctrl-C in the middle of these steps, counted from 1."""
    taken = 0
    true = _digits.F.cross_entropy

    def pressed(*args: Any) -> Any:
        nonlocal taken
        taken += 1
        if taken in steps:
            interrupt()
        return true(*args)

    monkeypatch.setattr(_digits.F, "cross_entropy", pressed)


# -- what it reaches and leaves


def test_the_network_names_98_of_100_digits_that_it_has_not_seen(trained: Trained) -> None:
    assert trained.epochs[-1].accuracy >= 0.98
    assert [e.epoch for e in trained.epochs] == list(range(1, 21))
    assert trained.epochs[-1].loss < trained.epochs[0].loss / 20
    assert not trained.interrupted


def test_it_leaves_weights_a_table_and_a_picture_if_that_can_be_drawn(trained: Trained) -> None:
    assert [path.name for path in trained.files] == FILES
    with open(trained.files[1], newline="") as file:
        rows = list(csv.DictReader(file))
    assert [tuple(row) for row in rows] == [("epoch", "steps", "loss", "accuracy")] * 20
    for row, epoch in zip(rows, trained.epochs, strict=True):
        assert (int(row["epoch"]), int(row["steps"])) == (epoch.epoch, 45)
        assert float(row["loss"]) == pytest.approx(epoch.loss, abs=1e-6)
        assert float(row["accuracy"]) == pytest.approx(epoch.accuracy, abs=1e-6)
    for path in trained.files[2:]:
        assert path.read_bytes().startswith(b"\x89PNG")
    assert sorted(os.listdir(trained.files[0].parent)) == sorted(FILES)


def test_the_last_accuracy_is_that_of_the_saved_weights(trained: Trained) -> None:
    images, labels = data.digits()
    held_out = data.digits_split()[1]
    answers, _ = model.Classifier(trained.files[0])(images[held_out])
    assert np.mean(answers.argmax(axis=1) == labels[held_out]) == trained.epochs[-1].accuracy


def test_an_installation_without_numba_answers_with_the_bits_of_the_trainers_evaluation(
    trained: Trained,
) -> None:
    code = BARE + (
        "from backburner import data\n"
        "from backburner.models.digits import Classifier\n"
        "images = data.digits()[0][data.digits_split()[1]]\n"
        "print(Classifier(sys.argv[1])(images)[0].tobytes().hex())"
    )
    done = python("-c", code, str(trained.files[0]))
    assert done.returncode == 0, done.stderr
    inputs = model.prepare(data.digits()[0][data.digits_split()[1]])
    assert done.stdout.strip() == model.logits(trained.model.valid(), inputs).tobytes().hex()


def test_the_command_answers_without_numba(trained: Trained, tmp_path: Path) -> None:
    np.save(tmp_path / "mine.npy", data.digits()[0][data.digits_split()[1][:2]])
    labels = data.digits()[1][data.digits_split()[1]]
    for rest, told in (
        (["--sample", "7"], f"truly {labels[7]}"),
        ([str(tmp_path / "mine.npy")], "image 1: "),
    ):
        code = BARE + f"from backburner import cli\nsys.exit(cli.main(['predict', sys.argv[1], *{rest}]))"
        done = python("-c", code, str(trained.files[0]))
        assert (done.returncode, done.stderr) == (0, "")
        assert told in done.stdout


def test_a_seed_decides_every_byte_whatever_the_number_of_threads(tmp_path: Path) -> None:
    def bytes_of(name: str, seed: int, **variables: str) -> bytes:
        done = run(tmp_path, "train", "digits", "--epochs", "1", "--seed", str(seed), "-o", name, **variables)
        assert (done.returncode, done.stderr) == (0, "")
        return (tmp_path / name).read_bytes()

    first = bytes_of("a.safetensors", 5)
    one = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "NUMBA")}
    assert bytes_of("b.safetensors", 5, **one) == first
    assert bytes_of("c.safetensors", 6) != first
    assert (tmp_path / "a.loss.csv").read_bytes() == (tmp_path / "b.loss.csv").read_bytes()


@pytest.mark.usefixtures("few")
def test_the_seed_decides_whatever_was_drawn_before_and_nothing_that_is_drawn_after(tmp_path: Path) -> None:
    seeds = bb.Device.cpu().seeds
    contents = []
    for before in range(2):
        seeds.seed(before)
        seeds.next()
        state = seeds.state
        made = digits(tmp_path / "digits.safetensors", epochs=1, seed=1, show=False)
        contents.append(made.files[0].read_bytes())
        assert seeds.state == state
    assert contents[0] == contents[1]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("on", [False, True])
def test_blas_is_left_as_it_was(on: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside: list[bool] = []
    save = model.save
    monkeypatch.setattr(model, "save", lambda *args: inside.append(is_deterministic()) or save(*args))
    bb.deterministic(on)
    try:
        digits(tmp_path / "digits.safetensors", epochs=1, show=False)
        assert (inside, is_deterministic()) == ([True], on)
    finally:
        bb.deterministic(False)


def test_the_command_shows_each_epoch_and_says_what_is_next(tmp_path: Path) -> None:
    done = run(tmp_path, "train", "digits", "--epochs", "2")
    assert (done.returncode, done.stderr) == (0, "")
    head, first, second, *rest = done.stdout.splitlines()
    assert head.startswith("Training 12,730 parameters on 1,437 digits, seed 0.")
    for number, line in enumerate((first, second), 1):
        assert line.startswith(f"epoch  {number}/2   loss ") and "held-out accuracy " in line
    assert rest[0] == f"Wrote {', '.join(FILES)}"
    assert rest[-1] == "Now: backburner predict digits.safetensors --sample 7"
    assert len(rest) == 3 - HAS_MATPLOTLIB


@pytest.mark.usefixtures("few")
def test_without_matplotlib_the_table_is_there_and_the_command_that_brings_the_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_digits, "can_draw", lambda: False)
    assert cli.main(["train", "digits", "--epochs", "1"]) == 0
    assert sorted(os.listdir()) == ["digits.loss.csv", "digits.safetensors"]
    assert 'pip install "backburner-autodiff[plot]"' in capsys.readouterr().out


@pytest.mark.usefixtures("few")
def test_the_users_own_images_and_pictures_stay(tmp_path: Path) -> None:
    mine = [tmp_path / f"digits.{kind}" for kind in ("csv", "npy", "png")]
    for path in mine:
        path.write_bytes(b"mine")
    made = digits(tmp_path / "digits.safetensors", epochs=1, show=False)
    assert [path.name for path in made.files] == FILES
    assert [path.read_bytes() for path in mine] == [b"mine"] * 3


# -- how it trains


def test_images_move_by_a_pixel_at_most_and_otherwise_in_each_epoch() -> None:
    inputs = model.prepare(data.digits()[0][:200])
    padded = np.pad(inputs, ((0, 0), (0, 0), (1, 1), (1, 1)))
    moves = []
    for epoch in range(2):
        moved = _digits._shift(inputs, 0, epoch)
        assert (moved.shape, moved.dtype) == (inputs.shape, inputs.dtype)
        found = []
        for i, image in enumerate(moved):
            places = [(y, x) for y in range(3) for x in range(3)
                      if np.array_equal(padded[i, :, y : y + 8, x : x + 8], image)]  # fmt: skip
            found.append(places[0])
        assert len(set(found)) == 9
        moves.append(found)
    assert moves[0] != moves[1]


# -- Ctrl-C


@pytest.mark.usefixtures("few")
def test_ctrl_c_lets_the_step_finish_and_saves_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    interrupting_at(monkeypatch, 5)
    saved: list[Any] = []
    save = model.save
    monkeypatch.setattr(model, "save", lambda *args: saved.append(args) or save(*args))
    before = signal.getsignal(signal.SIGINT)
    made = digits(tmp_path / "digits.safetensors", epochs=9, show=False)
    assert signal.getsignal(signal.SIGINT) is before
    assert made.interrupted
    assert [(e.epoch, e.steps) for e in made.epochs] == [(1, 3), (2, 2)]
    assert len(saved) == 1
    assert "Interrupted: the step is finished, then the weights are saved." in capfd.readouterr().err
    answers, _ = model.Classifier(made.files[0])(data.digits()[0][:5])
    inputs = model.prepare(data.digits()[0][:5])
    assert answers.tobytes() == model.logits(made.model.valid(), inputs).tobytes()


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("closed", [False, True])
def test_ctrl_c_that_cannot_be_answered_saves_all_the_same(
    closed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupting_at(monkeypatch, 2)

    def write(descriptor: int, text: bytes) -> int:
        assert not closed, "2 is the number of some other file"
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(os, "write", write)
    if closed:
        monkeypatch.setattr(sys, "stderr", None)
    made = digits(tmp_path / "digits.safetensors", epochs=9, show=False)
    assert made.interrupted and made.files[0].is_file()


@pytest.mark.usefixtures("few")
def test_ctrl_c_in_the_last_step_interrupts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupting_at(monkeypatch, 3)
    assert not digits(tmp_path / "digits.safetensors", epochs=1, show=False).interrupted


@pytest.mark.usefixtures("few")
def test_a_second_ctrl_c_while_saving_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("digits.safetensors").write_bytes(b"old")
    interrupting_at(monkeypatch, 2)
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: interrupt() or fsync(descriptor))
    assert cli.main(["train", "digits"]) == 130
    assert capfd.readouterr().err.endswith("backburner: stopped\n")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"digits.safetensors": b"old"}


@pytest.mark.usefixtures("few")
def test_a_second_ctrl_c_while_training_stops_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = _digits.F.cross_entropy
    monkeypatch.setattr(_digits.F, "cross_entropy", lambda *args: (interrupt(), interrupt(), true(*args))[2])
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        digits(tmp_path / "digits.safetensors", show=False)
    assert signal.getsignal(signal.SIGINT) is before
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_on_the_command_saves_and_exits_with_130(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "backburner", "train", "digits", "--epochs", "1000"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    while not process.stdout.readline().startswith("epoch  1/1000"):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.strip().startswith("Interrupted") and "Traceback" not in err
    assert f"Wrote {', '.join(FILES)}" in out
    assert model.Classifier(tmp_path / "digits.safetensors")(data.digits()[0][:1])[0].shape == (1, 10)


@pytest.mark.usefixtures("few")
def test_it_trains_in_a_thread_of_its_own_too(tmp_path: Path) -> None:
    made: list[Trained] = []
    thread = threading.Thread(
        target=lambda: made.append(digits(tmp_path / "digits.safetensors", epochs=1, show=False))
    )
    thread.start()
    thread.join(120)
    assert len(made) == 1 and made[0].files[0].is_file()


# -- what it refuses, before it trains

BAD: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "no epoch": ({"epochs": 0}, ArgumentError, "train: epochs is an integer from 1 on, not 0."),
    "half an epoch": ({"epochs": 1.5}, ArgumentError, "train: epochs is an integer from 1 on, not 1.5."),
    "a negative seed": ({"seed": -1}, ArgumentError, "train: seed is an integer from 0 on, not -1."),
    "true as a seed": ({"seed": True}, ArgumentError, "train: seed is an integer from 0 on, not True."),
    "another ending": ({"output": "digits.npz"}, ArgumentError, "train: digits.npz: needs a file called .safetensors."),
    "no folder": ({"output": "no/d.safetensors"}, FileNotFoundError, "[Errno 2] there is no such directory: 'no'"),
    "a folder": (
        {"output": "folder.safetensors"},
        PermissionError,
        "[Errno 13] no file can be written there: 'folder.safetensors'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("arguments, error, told", BAD.values(), ids=BAD)
def test_what_cannot_be_done_is_refused_before_training(
    arguments: dict[str, Any],
    error: type[Exception],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.safetensors").mkdir()
    monkeypatch.setattr(_digits, "_train", lambda *args: pytest.fail("it trained"))
    with pytest.raises(error) as caught:
        digits(**arguments)
    assert str(caught.value) == told


@pytest.mark.usefixtures("few")
def test_a_disk_that_is_full_is_told_and_the_old_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("digits.safetensors").write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert cli.main(["train", "digits", "--epochs", "1"]) == 1
    err = capsys.readouterr().err
    assert err == "backburner: digits.safetensors: No space left on device\n"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"digits.safetensors": b"old"}


# -- the curve


@pytest.mark.usefixtures("few")
def test_a_curve_of_one_epoch_is_written(tmp_path: Path) -> None:
    made = digits(tmp_path / "digits.safetensors", epochs=1, show=False)
    assert made.files[1].read_text().splitlines() == [
        "epoch,steps,loss,accuracy",
        f"1,3,{made.epochs[0].loss:.6f},{made.epochs[0].accuracy:.6f}",
    ]
    assert _curve.can_draw() == HAS_MATPLOTLIB == (len(made.files) == 3)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("name", ["write_table", "draw"])
def test_a_disk_that_is_full_after_the_weights_is_told_with_the_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_digits, "can_draw", lambda: True)
    monkeypatch.setattr(_digits, "draw", lambda *_: None)
    monkeypatch.setattr(_digits, name, full)
    with pytest.raises(OSError) as caught:
        digits(tmp_path / "digits.safetensors", epochs=1, show=False)
    assert caught.value.filename == str(tmp_path / f"digits.loss.{'csv' if name == 'write_table' else 'png'}")
    assert model.Classifier(tmp_path / "digits.safetensors").model.num_parameters()


# -- warmup


def test_warmup_counts_the_kernels_and_names_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Any] = []

    def two(dtypes: Any) -> Iterator[tuple[str, float]]:
        asked.append(dtypes)
        yield "adam float32 serial", 1.25
        yield "adam float32 parallel", 0.01

    monkeypatch.setattr(_warmup, "warm_up", two)
    monkeypatch.setenv("BACKBURNER_CACHE_DIR", str(tmp_path / "made" / "kernels"))
    assert cli.main(["warmup", "--dtype", "float64", "float32"]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first == "  1.25 s  adam float32 serial"
    assert last.startswith("2 kernels are ready after ") and last.endswith(
        f" kept in {tmp_path}/made/kernels"
    )
    assert asked == [("float64", "float32")]


def test_warmup_leaves_nothing_to_compile_for_training(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from backburner.train import digits, warmup\n"
        "from backburner_autodiff.kernels._jit import KERNELS\n"
        "warmup(show=False)\n"
        "before = {name: sorted(kernel.versions()) for name, kernel in KERNELS.items()}\n"
        "digits(sys.argv[1], epochs=1, show=False)\n"
        "assert len(before) > 10 and all(before.values())\n"
        "assert before == {name: sorted(kernel.versions()) for name, kernel in KERNELS.items()}\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "digits.safetensors")],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "dtypes, told", [(["float16"], "warmup: no kernels are for ['float16']."), ([], "nothing")]
)
def test_warmup_knows_two_dtypes(dtypes: list[str], told: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        warmup(dtypes)
    assert told in str(caught.value)


def test_warmup_without_a_place_for_kernels_compiles_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_warmup, "warm_up", lambda dtypes: pytest.fail("it compiled"))
    monkeypatch.setattr(_warmup, "find_root", lambda: None)
    assert cli.main(["warmup"]) == 1
    assert "no home directory to keep kernels in. Set BACKBURNER_CACHE_DIR." in capsys.readouterr().err
    (tmp_path / "file").touch()
    monkeypatch.setattr(_warmup, "find_root", lambda: tmp_path / "file")
    assert cli.main(["warmup"]) == 1
    assert f"backburner: {tmp_path}/file: File exists\n" == capsys.readouterr().err
