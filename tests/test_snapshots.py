"""Snapshots: what goes on from one is, bit for bit, what was never interrupted."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn, optim, record
from backburner.optim import SGD, Adam, schedules
from backburner.train import Callback, EarlyStopping, JSONLines, Snapshots, Trainer
from backburner_autodiff.train._update import plateaus
from snapshot_cases import SOURCES, Drawing, X, Y, everything, make, python, schedule, size_of

pytestmark = pytest.mark.feature_set("autodiff")

# -- the same bits


@pytest.mark.parametrize("accumulate", [1, 2])
@pytest.mark.parametrize("at", [3, 4, 7, 8])
@pytest.mark.parametrize("source", SOURCES)
def test_steps_before_and_after_a_snapshot_are_those_of_one_fit(
    source: str, at: int, accumulate: int, tmp_path: Path
) -> None:
    """B170, at each kind of place: in an epoch of 7 batches, at its end, and in the next one."""
    steps = 13
    whole = make(accumulate=accumulate)
    whole.fit(SOURCES[source](), (X, Y), max_steps=steps, **size_of(source))

    first = make(accumulate=accumulate)
    first.fit(SOURCES[source](), (X, Y), max_steps=at, **size_of(source))
    first.save(tmp_path / "a.safetensors")
    second = make(accumulate=accumulate)
    history = second.fit(
        SOURCES[source](), (X, Y), max_steps=steps, resume=tmp_path / "a.safetensors", **size_of(source)
    )
    assert everything(second) == everything(whole)
    assert len(history) == len(second.history) + bool(history[-1].get("partial"))


RUN = """
import sys
sys.path.insert(0, sys.argv[1])
import snapshot_cases as t
trainer = t.make(accumulate=2)
trainer.fit(t.SOURCES["batches"](), (t.X, t.Y), max_steps=10, resume=sys.argv[2])
trainer.save(sys.argv[3])
"""


def test_a_new_process_goes_on_bit_for_bit(tmp_path: Path) -> None:
    """B170: ten steps are five, a save, a new process, and five."""
    whole = make(accumulate=2)
    whole.fit(SOURCES["batches"](), (X, Y), max_steps=10)
    first = make(accumulate=2)
    first.fit(SOURCES["batches"](), (X, Y), max_steps=5)
    first.save(tmp_path / "a.safetensors")
    process = python(RUN, tmp_path / "a.safetensors", tmp_path / "b.safetensors")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (0, "", "")
    second = make(accumulate=2)
    second.resume(tmp_path / "b.safetensors")
    assert everything(second) == everything(whole)


MADE: dict[str, Callable[[nn.Module], Any]] = {
    "Muon": lambda model: optim.Partition(model, {"*.weight": optim.Muon, "*": SGD}),
    "Partition": lambda model: optim.Partition(
        model, {"0.*": optim.Lion, "*": lambda part: Adam(part, lr=schedule)}
    ),
    "LBFGS": lambda model: optim.LBFGS(model, lr=0.5, max_iter=3, line_search_fn="strong_wolfe"),
}


def optimizers() -> list[str]:
    found = [name for name in optim.__all__ if inspect.isclass(getattr(optim, name))]
    return [
        name for name in found if issubclass(getattr(optim, name), optim.Optimizer) and name != "Optimizer"
    ]


@pytest.mark.parametrize("name", optimizers())
def test_each_optimizer_goes_on_bit_for_bit(name: str, tmp_path: Path) -> None:
    def run(steps: int, **options: Any) -> dict[str, Any]:
        bb.Device.cpu().seed(0)
        model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2))
        optimizer = MADE.get(name, getattr(optim, name))(model)
        trainer = Trainer(model, optimizer, nn.CrossEntropyLoss(), progress="off", snapshots=tmp_path)
        trainer.fit([(X, Y)] * 3, max_steps=steps, **options)
        return everything(trainer)

    whole = run(7)
    (tmp_path / "last.safetensors").unlink()
    run(4)
    assert run(7, resume=True) == whole
    assert whole["history"][-1]["loss"] < whole["history"][0]["loss"]


def test_data_that_draws_from_the_streams_goes_on_at_an_epochs_end(tmp_path: Path) -> None:
    np.random.seed(1)
    whole = make()
    whole.fit(Drawing(), epochs=4)
    np.random.seed(1)
    first = make(snapshots=tmp_path)
    first.fit(Drawing(), epochs=2)
    np.random.seed(2)
    second = make(snapshots=tmp_path)
    second.resume(tmp_path / "last.safetensors")
    second._start = (0, 0)
    second.fit(Drawing(), epochs=4)
    assert everything(second) == everything(whole)


def test_data_that_draws_its_order_goes_on_in_the_middle_of_an_epoch(tmp_path: Path) -> None:
    class Ordered:
        def __iter__(self) -> Any:
            order = bb.random.permutation(50).numpy()
            yield from ((X[order[i : i + 10]], Y[order[i : i + 10]]) for i in range(0, 50, 10))

    whole = make()
    whole.fit(Ordered(), max_steps=13)
    make(snapshots=tmp_path).fit(Ordered(), max_steps=8)
    second = make(snapshots=tmp_path)
    second.fit(Ordered(), max_steps=13, resume=True)
    assert everything(second) == everything(whole)


def test_without_a_seed_the_devices_stream_is_kept_too(tmp_path: Path) -> None:
    def run(trainer: Trainer, steps: int, resume: Any = False) -> dict[str, Any]:
        if not resume:
            bb.Device.cpu().seed(5)
        trainer.fit(SOURCES["batches"](), max_steps=steps, resume=resume)
        trainer.save(tmp_path / "a.safetensors")
        return everything(trainer) | {"stream": bb.random.get_state()}

    whole = run(make(None), 10)
    run(make(None), 4)
    assert run(make(None), 10, tmp_path / "a.safetensors") == whole


def test_learning_rates_after_a_resume_are_those_of_one_run(tmp_path: Path) -> None:
    """B157: a schedule is a function of the step, so nothing lags or starts over."""

    class Rates(Callback):
        def __init__(self) -> None:
            self.rates: list[float] = []

        def on_step_end(self, trainer: Trainer, logs: Any) -> None:
            self.rates.append(logs["lr"])

    whole, first, second = Rates(), Rates(), Rates()
    make(callbacks=[whole]).fit(SOURCES["batches"](), max_steps=14)
    make(callbacks=[first], snapshots=tmp_path).fit(SOURCES["batches"](), max_steps=3)
    make(callbacks=[second], snapshots=tmp_path).fit(SOURCES["batches"](), max_steps=14, resume=True)
    assert first.rates + second.rates == whole.rates == [schedule(step) for step in range(14)]
    assert len(set(whole.rates)) == 4


@pytest.mark.parametrize("divided", [False, True])
def test_a_plateau_goes_on_counting(divided: bool, tmp_path: Path) -> None:
    def run(**options: Any) -> Trainer:
        trainer = make(snapshots=tmp_path)
        plateau = schedules.Plateau(0.1, patience=0, threshold=0.5, factor=0.5)
        if divided:
            parts = {"0.*": SGD, "*": lambda part: Adam(part, lr=plateau)}
            trainer.optimizer = optim.Partition(trainer.model, parts)
        else:
            trainer.optimizer.lr = plateau
        trainer.fit(SOURCES["batches"](), (X, Y), **options)
        return trainer

    whole = run(epochs=6)
    run(epochs=3)
    second = run(max_steps=42, resume=True)
    assert everything(second) == everything(whole)
    rate = next(plateaus(whole.optimizer))
    assert rate.value < 0.05 and rate.state_dict() == next(plateaus(second.optimizer)).state_dict()


def test_early_stopping_goes_on_counting_and_has_the_best_weights(tmp_path: Path) -> None:
    def stopping() -> Any:
        return [EarlyStopping("valid_loss", patience=3, min_delta=0.02)]

    whole = make(callbacks=stopping())
    end = whole.fit((X, Y), (X, Y), epochs=40, batch_size=16)
    assert end.stopped
    first = make(callbacks=stopping(), snapshots=tmp_path)
    stop = len(end) - 1
    first.fit((X, Y), (X, Y), max_steps=4 * stop + 1, batch_size=16)
    second = make(callbacks=stopping(), snapshots=tmp_path)
    second.resume(tmp_path / "last.safetensors")
    found = second.fit((X, Y), (X, Y), epochs=40, batch_size=16)
    assert found.stopped == end.stopped
    assert everything(second) == everything(whole)
    # a fit that was stopped is over
    third = make(callbacks=stopping(), snapshots=tmp_path)
    again = third.fit((X, Y), (X, Y), epochs=40, batch_size=16, resume=True)
    assert (again.stopped, len(again)) == (end.stopped, len(end))
    assert everything(third) == everything(whole)


def test_callbacks_of_one_kind_go_on_each_with_its_own_state(tmp_path: Path) -> None:
    def stopping() -> list[Callback]:
        return [EarlyStopping("loss"), EarlyStopping("lr", mode="min"), EarlyStopping("accuracy")]

    first, second = make(callbacks=stopping()), make(callbacks=stopping())
    first.fit(SOURCES["batches"](), epochs=2)
    first.save(tmp_path / "a.safetensors")
    second.resume(tmp_path / "a.safetensors")
    bests = [callback.state_dict()["best"] for callback in second.callbacks]
    assert len(set(bests)) == 3
    assert bests == [callback.state_dict()["best"] for callback in first.callbacks]


# -- the files


def test_a_snapshot_serves_as_weights(tmp_path: Path) -> None:
    trainer = make(snapshots=tmp_path)
    trainer.fit(SOURCES["batches"](), epochs=1)
    plain = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.4), nn.Linear(8, 2))
    report = bb.load(plain, tmp_path / "last.safetensors")
    assert report.fits and not report.unexpected
    assert trainer.ema is not None  # which is what was evaluated
    for name, x in plain.state_dict().items():
        assert x.numpy().tobytes() == trainer.ema.model().state_dict()[name].numpy().tobytes()
    stored = record.read(tmp_path / "last.safetensors")
    names = [name for name in stored.arrays if not name.startswith(record.TRAINING)]
    assert sorted(names) == sorted(plain.state_dict())
    facts = json.loads(stored.metadata["backburner.training"])
    assert (facts["version"], facts["steps"], facts["epoch"], facts["batch"]) == (1, 7, 1, 0)


def test_tied_weights_stay_tied(tmp_path: Path) -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
            self.b.weight = self.a.weight

        def forward(self, x: Any) -> Any:
            return self.b(self.a(x))

    def run(steps: int, **options: Any) -> Trainer:
        bb.Device.cpu().seed(0)
        model = Tied()
        trainer = Trainer(model, Adam(model), nn.MSELoss(), progress="off", snapshots=tmp_path)
        trainer.fit([(X, X)], max_steps=steps, **options)
        return trainer

    whole = everything(run(4))
    (tmp_path / "last.safetensors").unlink()
    run(2)
    second = run(4, resume=True)
    assert everything(second) == whole
    assert second.model.a.weight is second.model.b.weight


def test_the_newest_stay_and_the_best(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "here"
    trainer = make(snapshots=Snapshots(folder, every_steps=2, keep=3, monitor="valid_accuracy"))
    history = trainer.fit(SOURCES["batches"](), (X, Y), epochs=3)
    names = sorted(path.name for path in folder.iterdir())
    assert names == [
        "best.safetensors",
        "last.safetensors",
        "step-00000018.safetensors",
        "step-00000020.safetensors",
    ]
    for name, steps in ((names[1], 21), (names[2], 18), (names[3], 20)):
        other = make()
        other.resume(folder / name)
        assert other.steps == steps
    best = make()
    best.resume(folder / "best.safetensors")
    assert best.epoch == history.best("valid_accuracy")["epoch"]


def test_snapshots_of_another_training_stay_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "step-99999999.safetensors").write_bytes(b"theirs")
    for steps, resume in ((4, False), (7, True)):
        trainer = make(snapshots=Snapshots(tmp_path, every_steps=1, keep=2))
        trainer.fit(SOURCES["batches"](), max_steps=steps, resume=resume)
        names = sorted(path.name for path in tmp_path.iterdir())
        assert names == ["last.safetensors", f"step-{steps - 1:08d}.safetensors", "step-99999999.safetensors"]
    assert (tmp_path / "step-99999999.safetensors").read_bytes() == b"theirs"


def test_older_snapshots_are_kept_where_files_have_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*args: Any) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    make(snapshots=Snapshots(tmp_path, every_steps=1, keep=2)).fit(SOURCES["batches"](), max_steps=3)
    other = make()
    other.resume(tmp_path / "step-00000002.safetensors")
    assert other.steps == 2 and len(list(tmp_path.iterdir())) == 2


def test_a_snapshot_is_taken_every_so_many_epochs_or_seconds(tmp_path: Path) -> None:
    saved: list[tuple[int, int]] = []

    class Noting(Trainer):
        def save(self, path: Any) -> None:
            saved.append((self.epoch, self.steps))

    def run(snapshots: Snapshots) -> list[tuple[int, int]]:
        saved.clear()
        model = nn.Linear(4, 2)
        trainer = Noting(model, SGD(model), nn.CrossEntropyLoss(), progress="off", snapshots=snapshots)
        trainer.fit([(X, Y)] * 2, epochs=5)
        return list(saved)

    assert run(Snapshots(tmp_path)) == [(i, 2 * i) for i in range(1, 6)]
    assert run(Snapshots(tmp_path, every_epochs=2)) == [(2, 4), (4, 8), (5, 10)]
    assert run(Snapshots(tmp_path, every_epochs=None, every_seconds=1e-9))[:3] == [(0, 1), (0, 2), (1, 3)]
    assert run(Snapshots(tmp_path, every_epochs=None, every_seconds=1e9)) == [(5, 10)]


def test_resume_true_begins_where_there_is_no_snapshot(tmp_path: Path) -> None:
    first, second = make(snapshots=tmp_path / "a"), make()
    first.fit(SOURCES["batches"](), epochs=1, resume=True)
    second.fit(SOURCES["batches"](), epochs=1)
    assert everything(first) == everything(second)


def test_a_log_that_goes_on_has_each_line_once(tmp_path: Path) -> None:
    def run(name: str, **options: Any) -> None:
        trainer = make(log=JSONLines(tmp_path / name, every_steps=1), snapshots=tmp_path)
        trainer.fit(SOURCES["batches"](), **options)

    def lines(name: str) -> list[Any]:
        entries = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        return [{k: v for k, v in entry.items() if k != "seconds"} for entry in entries]

    run("whole.jsonl", epochs=3)
    run("parts.jsonl", max_steps=10)
    assert lines("parts.jsonl")[-1]["partial"]
    with open(tmp_path / "parts.jsonl", "a") as file:  # what a kill leaves: later steps, and half a line
        file.write(
            '{"event": "step", "epoch": 2, "steps": 11}\n{"event": "epoch", "epoch": 2, "steps": 14}\n{"ev'
        )
    run("parts.jsonl", max_steps=21, resume=True)
    assert lines("parts.jsonl") == lines("whole.jsonl")
