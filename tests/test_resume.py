"""A training that goes on where something stood in its way: data that draws, parts that move, folders that vanish."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import data, nn, optim
from backburner.errors import ArgumentError
from backburner.optim import SGD, Adam
from backburner.train import Callback, EarlyStopping, Snapshots, Trainer
from snapshot_cases import SOURCES, X, Y, everything, make

pytestmark = pytest.mark.feature_set("autodiff")


@pytest.mark.parametrize(
    "draw", [lambda: np.random.permutation(50), lambda: np.array(random.sample(range(50), 50))]
)
def test_data_that_draws_from_numpy_or_python_goes_on_in_the_middle_of_an_epoch(
    draw: Any, tmp_path: Path
) -> None:
    class Ordered:
        def __iter__(self) -> Any:
            order = draw()
            yield from ((X[order[i : i + 10]], Y[order[i : i + 10]]) for i in range(0, 50, 10))

    def run(start: int, *steps: int, **options: Any) -> dict[str, Any]:
        np.random.seed(start)
        random.seed(start)
        for most in steps:
            trainer = make(**options)
            trainer.fit(Ordered(), max_steps=most, resume="snapshots" in options)
            np.random.seed(9)
            random.seed(9)
        return everything(trainer)

    assert run(1, 3, 8, 13, snapshots=tmp_path) == run(1, 13)
    assert run(1, 13) != run(2, 13)


def test_data_without_a_length_that_ends_within_an_accumulated_step_goes_on(tmp_path: Path) -> None:
    class Endless:
        def __iter__(self) -> Any:
            return zip(X, Y, strict=True)

    def run(*steps: int, **options: Any) -> dict[str, Any]:
        for most in steps:
            trainer = make(accumulate=3, **options)
            loader = data.Loader(Endless(), batch_size=10)
            trainer.fit(loader, max_steps=most, resume="snapshots" in options)
        return everything(trainer)

    assert run(2, 4, 5, snapshots=tmp_path) == run(5)


def test_a_snapshot_of_tied_weights_beside_the_best_weights_is_read_again(tmp_path: Path) -> None:
    def run(steps: int, **options: Any) -> dict[str, Any]:
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
        model[1].weight = model[0].weight
        stopping = EarlyStopping("loss")
        trainer = Trainer(
            model, SGD(model), nn.CrossEntropyLoss(), (), [stopping], seed=0, progress="off", **options
        )
        trainer.fit((X, Y % 4), max_steps=steps, resume="snapshots" in options)
        return everything(trainer)

    bb.Device.cpu().seed(0)
    run(2, snapshots=tmp_path)  # an epoch's end, where the best weights are the model's
    seen = run(5, snapshots=tmp_path)
    bb.Device.cpu().seed(0)
    assert seen == run(5)


def test_a_norm_over_parts_that_move_in_another_order_goes_on(tmp_path: Path) -> None:
    def run(*steps: int, **options: Any) -> list[bytes]:
        for most in steps:
            bb.Device.cpu().seed(0)
            layers = [nn.Linear(width, width + 3) for width in (4, 7, 10)]
            model = nn.Sequential(*layers, nn.Linear(13, 2)).astype(np.float64)
            parts = optim.Partition(model, {"3.*": Adam, "1.*": Adam, "*": Adam})
            trainer = Trainer(
                model, parts, nn.CrossEntropyLoss(), clip=1e-3, seed=0, progress="off", **options
            )
            trainer.fit((X, Y), max_steps=most, batch_size=10, resume="snapshots" in options)
        return [p.numpy().tobytes() for p in model.parameters()]

    assert run(*range(1, 31), snapshots=tmp_path) == run(30)


def test_metrics_whose_names_begin_alike_go_on(tmp_path: Path) -> None:
    def run(*steps: int, **options: Any) -> dict[str, Any]:
        for most in steps:
            trainer = make(metrics={"a.b": "accuracy", "a": "auc"}, **options)
            trainer.fit(SOURCES["batches"](), max_steps=most, resume="snapshots" in options)
        return everything(trainer)

    assert run(3, 9, snapshots=tmp_path) == run(9)


def test_a_resumed_fit_that_could_not_begin_may_be_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    first, whole = make(), make()
    first.fit((X, Y), max_steps=3, batch_size=8)
    first.save(path)
    whole.fit((X, Y), max_steps=11, batch_size=8)
    second = make(log=tmp_path)
    second.resume(path)
    with pytest.raises(ArgumentError, match="batch_size was 8 and is 9"):
        second.fit((X, Y), max_steps=11, batch_size=9)
    with pytest.raises(OSError):  # the log is a folder
        second.fit((X, Y), max_steps=11, batch_size=8)
    second.callbacks.clear()
    second.fit((X, Y), max_steps=11, batch_size=8)
    assert everything(second) == everything(whole)


@pytest.mark.parametrize("what", ["fit", "resume"])
def test_a_fit_within_a_fit_is_refused(what: str, tmp_path: Path) -> None:
    class Inner(Callback):
        def on_step_end(self, trainer: Trainer, logs: Any) -> None:
            trainer.fit((X, Y), epochs=1) if what == "fit" else trainer.resume(tmp_path / "a")

    trainer = make(callbacks=[Inner()])
    trainer.save(tmp_path / "a")
    with pytest.raises(ArgumentError, match=f"Trainer.{what}: a fit of this trainer is running"):
        trainer.fit((X, Y), epochs=1)


def test_a_folder_that_was_removed_meanwhile_is_made_again(tmp_path: Path) -> None:
    class Tidy(Callback):
        def on_step_end(self, trainer: Trainer, logs: Any) -> None:
            shutil.rmtree(tmp_path / "run", ignore_errors=True)

    make(callbacks=[Tidy()], snapshots=Snapshots(tmp_path / "run", every_epochs=2, monitor="loss")).fit(
        (X, Y), epochs=1
    )
    assert sorted(p.name for p in (tmp_path / "run").iterdir()) == ["best.safetensors", "last.safetensors"]


def test_lines_that_somebody_else_wrote_stay_in_a_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    make(snapshots=tmp_path, log=log).fit((X, Y), epochs=1)
    theirs = '{"steps": "many", "note": "\u2028"}\n{"event": "epoch"}\n'
    log.write_text(theirs + log.read_text(encoding="utf-8"), encoding="utf-8")
    before = log.read_text(encoding="utf-8")
    make(snapshots=tmp_path, log=log).fit((X, Y), epochs=1, resume=True)
    assert log.read_text(encoding="utf-8") == before
