"""Snapshots that do not fit are refused by name, and change nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn, record
from backburner.errors import ArgumentError, RecordError
from backburner.optim import SGD, Adam
from backburner.train import Callback, EarlyStopping, Snapshots, Trainer
from snapshot_cases import SOURCES, X, Y, everything, make

pytestmark = pytest.mark.feature_set("autodiff")


def spoil(path: Path, **facts: Any) -> None:
    stored = record.read(path)
    metadata = dict(stored.metadata)
    metadata["backburner.training"] = json.dumps(json.loads(metadata["backburner.training"]) | facts)
    record.write(path, {k: np.array(v) for k, v in stored.arrays.items()}, metadata)


def of_another_model(path: Path) -> Trainer:
    model = nn.Linear(4, 2)
    return Trainer(model, Adam(model), nn.CrossEntropyLoss(), ema=0.9, seed=3, progress="off")


def of_another_optimizer(path: Path) -> Trainer:
    model = make().model
    return Trainer(model, SGD(model), nn.CrossEntropyLoss(), seed=3, progress="off")


def of_weights(path: Path) -> Trainer:
    bb.save(make().model, path)
    return make()


def of_a_later_version(path: Path) -> Trainer:
    spoil(path, version=9)
    return make()


def of_facts_that_lack_one(path: Path) -> Trainer:
    stored = record.read(path)
    facts = json.loads(stored.metadata["backburner.training"])
    del facts["steps"]
    arrays = {k: np.array(v) for k, v in stored.arrays.items()}
    record.write(path, arrays, {"backburner.training": json.dumps(facts)})
    return make()


def of_damaged_facts(path: Path) -> Trainer:
    stored = record.read(path)
    record.write(path, {k: np.array(v) for k, v in stored.arrays.items()}, {"backburner.training": "{"})
    return make()


REFUSED: dict[str, tuple[Callable[[Path], Trainer], str]] = {
    "another model": (of_another_model, "it is of another model: "),
    "another optimizer": (of_another_optimizer, "the snapshot's optimizer is Adam, this trainer's SGD."),
    "no averages": (lambda path: make(ema=None), "the snapshot's ema is True, this trainer's False."),
    "another seed": (lambda path: make(4), "the snapshot's seed is 3, this trainer's 4."),
    "weights": (of_weights, "it holds weights alone, no training. Use bb.load"),
    "a later version": (of_a_later_version, "it is a snapshot of version 9, this is a reader of 1."),
    "facts that lack one": (of_facts_that_lack_one, "backburner.training in its metadata lacks steps."),
    **{
        f"{name} of {value!r}": (
            lambda path, facts={name: value}: (spoil(path, **facts), make())[1],  # type: ignore[misc]
            f"backburner.training in its metadata has {name} {value!r}.",
        )
        for name, value in {
            "optimizer": 1,
            "ema": None,
            "seed": "x",
            "steps": -1,
            "epoch": 1.5,
            "batch": True,
            "skipped": [1],
            "start": None,
            "trained": 0,
            "seconds": "1",
            "history": [1],
            "data": {},
            "random": [1, "x"],
            "epoch_random": {},
            "parts": [],
        }.items()
    },
    "parts that are lost": (
        lambda path: (spoil(path, parts={}), make())[1],
        "the state of python is not there.",
    ),
    "damaged facts": (of_damaged_facts, "backburner.training in its metadata is damaged."),
}


@pytest.mark.parametrize("other, told", REFUSED.values(), ids=REFUSED)
def test_a_snapshot_of_something_else_is_refused(other: Any, told: str, tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    trainer = make()
    trainer.fit(SOURCES["batches"](), max_steps=2)
    trainer.save(path)
    found = other(path)
    before = everything(found)
    with pytest.raises(RecordError) as caught:
        found.resume(path)
    assert str(caught.value).startswith(f"Trainer.resume: {path}: {told}")
    assert everything(found) == before


def test_a_callback_that_fails_to_go_on_leaves_all_as_it_was(tmp_path: Path) -> None:
    class Fails(Callback):
        def load_state_dict(self, state: Any) -> None:
            if state:
                raise LookupError("no such state")

        def state_dict(self) -> dict[str, Any]:
            return {"a": 1} if saving else {}

    saving, path = True, tmp_path / "a.safetensors"
    first = make(callbacks=[EarlyStopping("loss"), Fails()])
    first.fit(SOURCES["batches"](), epochs=1)
    first.save(path)
    saving, found = False, make(callbacks=[EarlyStopping("loss"), Fails()])
    before = everything(found)
    with pytest.raises(LookupError, match="no such state"):
        found.resume(path)
    assert everything(found) == before and found.callbacks[0].state_dict()["best"] is None


def test_other_data_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    trainer = make()
    trainer.fit(SOURCES["a list"](), max_steps=5)
    trainer.save(path)
    with pytest.raises(
        ArgumentError, match="the snapshot was taken after 5 batches of an epoch, and this data has 2"
    ):
        make().fit([(X, Y)] * 2, epochs=2, resume=path)
    with pytest.raises(ArgumentError, match="Trainer.fit: resume=True takes snapshots="):
        make().fit([(X, Y)], epochs=2, resume=True)
    with pytest.raises(FileNotFoundError):
        make().fit([(X, Y)], epochs=2, resume=tmp_path / "none.safetensors")


def test_a_state_that_no_file_can_hold_is_named(tmp_path: Path) -> None:
    class Odd(Callback):
        def state_dict(self) -> dict[str, Any]:
            return {"it": print}

    with pytest.raises(RecordError, match="^Trainer.save: a state is neither an array nor what JSON has"):
        make(callbacks=[Odd()]).save(tmp_path / "a.safetensors")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options, told",
    [
        ({"every_epochs": 0}, "every_epochs is an integer from 1 on, not 0."),
        ({"every_steps": 1.5}, "every_steps is an integer from 1 on, not 1.5."),
        ({"every_seconds": 0}, "every_seconds is a positive number, not 0."),
        ({"keep": None}, "keep is an integer from 1 on, not None."),
    ],
)
def test_options_that_make_no_sense_are_refused(options: Any, told: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        Snapshots("a", **options)
    assert str(caught.value) == f"Snapshots: {told}"
