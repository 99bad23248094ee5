"""Full disks, Ctrl-C and kills: what was saved stays whole, and goes on bit for bit."""

from __future__ import annotations

import os
import resource
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backburner.train import Callback, Snapshots, Trainer
from snapshot_cases import SOURCES, X, Y, everything, make, python

pytestmark = pytest.mark.feature_set("autodiff")


# -- full disks, Ctrl-C, kills


def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)


def limited_size(monkeypatch: pytest.MonkeyPatch) -> None:
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    monkeypatch.setattr(Limit, "size", (2000, hard))


class Limit(Callback):
    """Let no file grow beyond a size from the fourth step on."""

    size: tuple[int, int] | None = None

    def on_step_end(self, trainer: Trainer, logs: Any) -> None:
        if self.size is not None and trainer.steps == 4:
            resource.setrlimit(resource.RLIMIT_FSIZE, self.size)


@pytest.mark.parametrize("spoiled", [full_disk, limited_size])
def test_a_full_disk_is_an_error_and_the_old_snapshot_lives(
    spoiled: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B166."""
    trainer = make(snapshots=Snapshots(tmp_path, every_steps=3), callbacks=[Limit()])
    trainer.fit(SOURCES["batches"](), max_steps=3)
    old = (tmp_path / "last.safetensors").read_bytes()
    spoiled(monkeypatch)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with pytest.raises(OSError) as caught:
            trainer.fit(SOURCES["batches"](), max_steps=3)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "last.safetensors" in str(caught.value)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"last.safetensors": old}
    other = make()
    other.resume(tmp_path / "last.safetensors")
    assert other.steps == 3


class Pressing(Callback):
    """Press Ctrl-C in these steps."""

    def __init__(self, *steps: int) -> None:
        self.steps = steps

    def on_step_end(self, trainer: Trainer, logs: Any) -> None:
        if trainer.steps in self.steps:
            signal.raise_signal(signal.SIGINT)


def test_ctrl_c_finishes_the_step_and_saves_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """B167, and the rest is as if nothing had been."""
    saved: list[int] = []
    true = Trainer.save
    monkeypatch.setattr(Trainer, "save", lambda self, path: saved.append(self.steps) or true(self, path))
    before = signal.getsignal(signal.SIGINT)
    first = make(accumulate=2, callbacks=[Pressing(2)], snapshots=tmp_path)
    history = first.fit(SOURCES["batches"](), (X, Y), epochs=3)
    assert (history.stopped, first.interrupted, saved) == ("interrupted", True, [2])
    assert history[-1]["partial"] and "valid_loss" not in history[-1]
    assert signal.getsignal(signal.SIGINT) is before
    assert "Interrupted: the step is finished, then all is saved." in capfd.readouterr().err
    second = make(accumulate=2, snapshots=tmp_path)
    second.fit(SOURCES["batches"](), (X, Y), epochs=3, resume=True)
    assert not second.interrupted
    whole = make(accumulate=2)
    whole.fit(SOURCES["batches"](), (X, Y), epochs=3)
    assert everything(second) == everything(whole)


@pytest.mark.parametrize("where", ["the last step of an epoch", "evaluation"])
def test_ctrl_c_before_an_epoch_is_evaluated_evaluates_it_later(where: str, tmp_path: Path) -> None:
    class Valid:
        def __iter__(self) -> Any:
            for i in range(2):
                if where == "evaluation" and not i and pressing:
                    signal.raise_signal(signal.SIGINT)
                yield X, Y

    pressing = True
    first = make(callbacks=[Pressing(7)] if where != "evaluation" else [], snapshots=tmp_path)
    history = first.fit(SOURCES["batches"](), Valid(), epochs=2)
    assert history.stopped == "interrupted" and first.position == (7, 0, 7)
    pressing = False
    second, whole = make(snapshots=tmp_path), make()
    second.fit(SOURCES["batches"](), Valid(), epochs=2, resume=True)
    whole.fit(SOURCES["batches"](), Valid(), epochs=2)
    assert everything(second) == everything(whole)


def test_ctrl_c_in_the_last_step_of_all_interrupts_nothing() -> None:
    trainer = make(callbacks=[Pressing(7)])
    assert trainer.fit(SOURCES["batches"](), epochs=1).stopped == ""


def test_a_second_ctrl_c_while_saving_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B167."""
    make(snapshots=tmp_path).fit(SOURCES["batches"](), max_steps=1)
    old = (tmp_path / "last.safetensors").read_bytes()
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda d: signal.raise_signal(signal.SIGINT) or fsync(d))
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        make(callbacks=[Pressing(3)], snapshots=tmp_path).fit(SOURCES["batches"](), epochs=3)
    assert signal.getsignal(signal.SIGINT) is before
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"last.safetensors": old}


def test_a_second_ctrl_c_while_training_stops_at_once() -> None:
    trainer = make(callbacks=[Pressing(2), Pressing(2)])
    with pytest.raises(KeyboardInterrupt):
        trainer.fit(SOURCES["batches"](), epochs=3)


KILLED = """
import sys, time
sys.path.insert(0, sys.argv[1])
import snapshot_cases as t
from backburner.train import Callback, Snapshots

class Slow(Callback):
    def on_step_end(self, trainer, logs):
        print(trainer.steps, flush=True)
        # on a busy machine the signal may be late: there is something left to interrupt for 5 s
        time.sleep(0.01 if trainer.steps != 20 or sys.argv[4] == "None" else 5)

trainer = t.make(callbacks=[Slow()], snapshots=Snapshots(sys.argv[2], every_steps=1, keep=2))
trainer.fit(t.SOURCES["batches"](), (t.X, t.Y), epochs=int(sys.argv[3]), resume=True)
"""


def test_kills_and_sigterm_lose_nothing_that_was_saved(tmp_path: Path) -> None:
    """B166: whatever the moment of the kill, what goes on is bit for bit the run that was never killed."""
    kills = np.random.default_rng(0)
    for number in (signal.SIGKILL, signal.SIGTERM, None):
        process = python(KILLED, tmp_path, "4", str(number))
        assert process.stdout is not None
        if number is not None:
            process.stdout.readline()
            time.sleep(float(kills.uniform(0.02, 0.08)))
            process.send_signal(number)
        _, err = process.communicate(timeout=120)
        assert process.returncode == (0 if number is None else -number), err
        assert err == (
            "\nTerminated: the step is finished, then all is saved.\n" if number == signal.SIGTERM else ""
        )
    found, whole = make(), make()
    found.resume(tmp_path / "last.safetensors")
    whole.fit(SOURCES["batches"](), (X, Y), epochs=4)
    assert everything(found) == everything(whole)
