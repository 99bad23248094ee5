"""What looks on while a model trains: callbacks, averages of weights, the history, logs and progress."""

from __future__ import annotations

import io
import json
import math
import re
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.errors import ArgumentError, NonFiniteError
from backburner.nn import functional as F
from backburner.optim import EMA, SGD, schedules
from backburner.train import Callback, EarlyStopping, History, JSONLines, Trainer
from trainer_cases import XV, YV, X, Y, batches, bits, make, network, spoiled

pytestmark = pytest.mark.feature_set("autodiff")


# -- callbacks


class Diary(Callback):
    def __init__(self) -> None:
        self.said: list[Any] = []

    def on_fit_start(self, trainer: Trainer) -> None:
        self.said.append("fit")

    def on_epoch_start(self, trainer: Trainer) -> None:
        self.said.append(f"epoch {trainer.epoch}")

    def on_step_end(self, trainer: Trainer, logs: Any) -> None:
        assert set(logs) == {"steps", "lr", "loss"}
        self.said.append(logs["steps"])

    def on_evaluate_end(self, trainer: Trainer, logs: Any) -> None:
        self.said.append(sorted(logs))

    def on_epoch_end(self, trainer: Trainer, row: Any) -> None:
        self.said.append(f"done {trainer.epoch} {row['epoch']} {len(trainer.history)}")

    def on_fit_end(self, trainer: Trainer, history: History) -> None:
        self.said.append(repr(history))

    def on_exception(self, trainer: Trainer, error: BaseException) -> None:
        self.said.append(type(error).__name__)


def test_callbacks_are_called_in_order() -> None:
    diary = Diary()
    make(callbacks=[diary]).fit(batches(25), (XV, YV), epochs=2)
    assert diary.said == [
        *("fit", "epoch 0", 1, 2, ["loss"], "done 1 1 1"),
        *("epoch 1", 3, 4, ["loss"], "done 2 2 2", "History of 2 epochs"),
    ]
    trainer, parts = spoiled(1, callbacks=[diary])
    with pytest.raises(NonFiniteError):
        trainer.fit(parts, epochs=1)
    assert diary.said[-1] == "NonFiniteError"


def test_without_snapshots_sigterm_is_nobodys_concern() -> None:
    class Looks(Callback):
        def on_step_end(self, trainer: Trainer, logs: Any) -> None:
            assert signal.getsignal(signal.SIGTERM) is before

    before = signal.getsignal(signal.SIGTERM)
    make(callbacks=[Looks()]).fit(batches(), epochs=1)


def test_a_callback_may_stop_in_the_middle_of_an_epoch() -> None:
    class Enough(Callback):
        def on_step_end(self, trainer: Trainer, logs: Any) -> None:
            if trainer.steps == 6:
                trainer.stop("enough")

    trainer = make(callbacks=[Enough()])
    history = trainer.fit(batches(), epochs=9)
    assert (trainer.steps, history.stopped, len(history), history[-1]["partial"]) == (6, "enough", 2, True)


class Says(Trainer):
    """A trainer whose validation loss is what a list says."""

    says: list[float] = []

    def step(self, model: nn.Module, batch: Any) -> Any:
        if model is self.model:  # in training
            return super().step(model, batch)
        return bb.tensor(self.says[self.epoch], dtype="float64"), None, None


@pytest.mark.parametrize(
    "losses, options, epochs, best",
    [
        ([3, 2, 1, 4, 5, 0], {"patience": 2}, 5, 3),
        ([3, 2, 1, 4, 5, 0], {"patience": 3}, 6, 6),
        ([3, 2.95, 2.9, 1], {"patience": 2, "min_delta": 0.5}, 3, 1),
        ([1, 2, 3, 0, 0, 9], {"patience": 2, "mode": "max"}, 5, 3),
        ([math.nan, 1, math.nan, math.nan, 0], {"patience": 2}, 4, 2),
    ],
    ids=["stops", "waits", "little gains", "greater", "NaN"],
)
def test_early_stopping_stops_and_restores_the_best(
    losses: Any, options: Any, epochs: int, best: int
) -> None:
    weights = []

    class Keep(Callback):
        def on_epoch_end(self, trainer: Trainer, row: Any) -> None:
            weights.append(bits(trainer.model))

    trainer = make(network(nn.BatchNorm1d(8)), kind=Says, callbacks=[Keep(), EarlyStopping(**options)])
    trainer.says = losses
    history = trainer.fit(batches(25), (XV, YV), epochs=len(losses))
    assert len(history) == epochs
    assert bits(trainer.model) == weights[best - 1]
    assert bool(history.stopped) == (epochs < len(losses))


def test_early_stopping_may_leave_the_last_weights() -> None:
    trainer = make(kind=Says, callbacks=[EarlyStopping(patience=1, restore_best=False)])
    trainer.says = [1, 2, 3]
    history = trainer.fit(batches(25), (XV, YV), epochs=3)
    plain = make()
    plain.fit(batches(25), epochs=2)
    assert bits(trainer.model) == bits(plain.model)
    assert history.stopped == "early stopping: valid_loss was best with 1 in epoch 1, 1 epochs ago"


def test_early_stopping_restores_the_best_after_ctrl_c_too(capfd: pytest.CaptureFixture[str]) -> None:
    class Press(Callback):
        def on_step_end(self, trainer: Trainer, logs: Any) -> None:
            if trainer.steps == 5:
                signal.raise_signal(signal.SIGINT)

    trainer = make(kind=Says, callbacks=[EarlyStopping(patience=9), Press()])
    trainer.says = [1, 2, 3]
    assert trainer.fit(batches(25), (XV, YV), epochs=3).stopped == "interrupted"
    assert capfd.readouterr().err == "\nInterrupted: the step is finished. Ctrl-C again stops at once.\n"
    plain = make()
    plain.fit(batches(25), epochs=1)
    assert bits(trainer.model) == bits(plain.model)


def test_a_new_fit_begins_to_wait_anew() -> None:
    trainer = make(kind=Says, callbacks=[EarlyStopping(patience=2)])
    trainer.says = [1, 2, 3, 4, 5, 6]
    assert len(trainer.fit(batches(25), (XV, YV), epochs=6)) == 3
    assert len(trainer.fit(batches(25), (XV, YV), epochs=6)) == 6


def test_what_is_watched_must_be_there() -> None:
    with pytest.raises(ArgumentError) as caught:
        make(callbacks=[EarlyStopping("valid_f1")]).fit(batches(), epochs=2)
    assert str(caught.value).startswith(
        "EarlyStopping: there is no 'valid_f1' to watch. There are: epoch, steps,"
    )


@pytest.mark.parametrize(
    "valid, monitor, falls", [(False, None, True), (True, None, False), (True, "loss", True)]
)
def test_a_plateau_watches_the_validation_loss_if_there_is_one_or_what_it_is_told(
    valid: bool, monitor: Any, falls: bool
) -> None:
    class Flat(Says):
        says = [5.0, 4.0, 3.0, 2.0, 1.0]

        def step(self, model: nn.Module, batch: Any) -> Any:
            loss = super().step(model, batch)[0]
            return loss if model is not self.model else loss * 0 + 1

    trainer = make(kind=Flat, lr=schedules.Plateau(1.0, patience=1, factor=0.5), monitor=monitor)
    history = trainer.fit(batches(), (XV, YV) if valid else None, epochs=5)
    assert history["lr"] == ([1.0, 1.0, 1.0, 0.5, 0.5] if falls else [1.0] * 5)


def test_averages_of_weights_are_evaluated_and_kept_beside() -> None:
    trainer, plain = make(ema=0.5), make()
    history = trainer.fit(batches(), (XV, YV), epochs=2)
    plain.fit(batches(), epochs=2)
    assert bits(trainer.model) == bits(plain.model)
    by_hand = EMA(model := network().to(bb.Device.cpu().autodiff()), 0.5)
    optimizer = SGD(model, lr=0.1, momentum=0.9)
    for _ in range(2):
        for x, y in batches():
            optimizer.step(F.cross_entropy(model(x), y).backward())
            by_hand.update()
    assert bits(trainer.evaluated) == bits(by_hand.model())
    loss = F.cross_entropy(by_hand.model()(bb.tensor(XV)), bb.tensor(YV))
    assert history[-1]["valid_loss"] == pytest.approx(float(loss), rel=1e-5)
    found = trainer.predict(XV).numpy()
    np.testing.assert_allclose(found, by_hand.model()(bb.tensor(XV)).numpy(), rtol=1e-5, atol=1e-6)


def test_early_stopping_restores_averages_too() -> None:
    kept = []

    class Keep(Callback):
        def on_epoch_end(self, trainer: Trainer, row: Any) -> None:
            kept.append((bits(trainer.model), bits(trainer.evaluated)))

    trainer = make(kind=Says, ema=0.7, callbacks=[Keep(), EarlyStopping(patience=1)])
    trainer.says = [2, 1, 3]
    trainer.fit(batches(25), (XV, YV), epochs=3)
    assert (bits(trainer.model), bits(trainer.evaluated)) == kept[1]


# -- history and logs


def test_a_history_is_rows_and_columns_and_knows_the_best() -> None:
    rows = [
        {"epoch": i, "valid_loss": v, "valid_accuracy": v} for i, v in enumerate([3.0, math.nan, 1.0, 1.0])
    ]
    history = History(rows)
    assert history[0]["epoch"] == 0 and history["valid_loss"][2] == 1.0 and len(history[1:]) == 3
    assert history.best()["epoch"] == 2
    assert history.best("valid_accuracy")["epoch"] == 0
    assert history.best("valid_accuracy", "min")["epoch"] == 2
    with pytest.raises(
        ArgumentError, match="History: there is no 'f1'. There are: epoch, valid_accuracy, valid_loss"
    ):
        history["f1"]
    with pytest.raises(ArgumentError, match="History.best: there is no value of 'f1' in 4 rows"):
        history.best("f1")


def test_curves_are_a_picture_in_the_terminal() -> None:
    history = History(
        [{"epoch": i, "loss": float(9 - i), "valid_loss": 5.0, "accuracy": 1.0} for i in range(10)]
    )
    lines = history.show(width=20, height=5).splitlines()
    assert lines[0].startswith("9 |*") and lines[4].startswith("0 |") and lines[4].endswith("*")
    assert "+" * 20 in lines[2]
    assert lines[-2].split() == ["1", "10"] and lines[-1].split() == ["*", "loss", "+", "valid_loss"]
    assert History([{"loss": math.nan}]).show() == "nothing to draw"
    assert "2" in History([{"loss": 2.0}]).show()


def test_curves_are_a_png_where_matplotlib_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = make(metrics=["accuracy"]).fit(batches(), (XV, YV), epochs=2)
    from backburner_autodiff.train import _curve

    if _curve.can_draw():
        history.plot(tmp_path / "a.png")
        assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    monkeypatch.setattr(_curve, "can_draw", lambda: False)
    with pytest.raises(ArgumentError, match=r'pip install "backburner-autodiff\[plot\]"'):
        history.plot(tmp_path / "b.png")
    assert not (tmp_path / "b.png").exists()


def test_a_log_has_a_json_object_for_each_epoch_and_step(tmp_path: Path) -> None:
    log = tmp_path / "made" / "log.jsonl"
    trainer = make(log=JSONLines(log, every_steps=2), metrics=["confusion_matrix"], nonfinite="ignore")
    history = trainer.fit(batches(), epochs=2)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(e["event"], e["epoch"], e["steps"]) for e in lines] == [
        *(("step", 1, 2), ("step", 1, 4), ("epoch", 1, 4)),
        *(("step", 2, 6), ("step", 2, 8), ("epoch", 2, 8)),
    ]
    assert lines[2]["loss"] == history[0]["loss"]
    assert lines[2]["confusion_matrix"] == history[0]["confusion_matrix"].tolist()
    make(log=log, nonfinite="ignore").fit([(X * np.float32(np.nan), Y)], epochs=1)  # appended; NaN is no JSON
    last = json.loads(log.read_text().splitlines()[-1], parse_constant=lambda c: pytest.fail(c))
    assert last["loss"] is None


# -- progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("mode, codes", [("auto", False), ("plain", False), ("bar", True)])
def test_a_log_file_gets_plain_lines(mode: str, codes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", out := io.StringIO())
    make(progress=mode, metrics=["accuracy"]).fit(batches(), (XV, YV), epochs=2)
    assert ("\x1b" in out.getvalue()) == codes
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", out.getvalue())
    lines = [line for line in text.splitlines() if "valid_loss" in line]
    assert len(lines) >= 2
    for word in ("1/2", "loss ", "accuracy ", "valid_loss ", " examples/s", " s "):
        assert word in lines[0]


def test_a_terminal_gets_a_bar_with_speed_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    from backburner_autodiff.train import _report

    monkeypatch.setattr(_report, "REFRESH", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "stdout", out := Terminal())
    monkeypatch.setattr(_report.Progress, "start", lambda self: self.live.start(refresh=True))
    make(progress="auto").fit(batches(), epochs=2)
    for word in ("\x1b", "epoch 2/2", "/8", " steps/s", " examples/s", " left", "loss "):
        assert word in out.getvalue()


def test_a_long_epoch_tells_in_a_log_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from backburner_autodiff.train import _report

    monkeypatch.setattr(_report, "LINE", 0.0)
    monkeypatch.setattr(sys, "stdout", out := io.StringIO())
    make(progress="plain").fit(batches(), epochs=1)
    assert "epoch 1/1   step 2/4   " in out.getvalue()


@pytest.mark.parametrize("seconds, told", [(1.26, "1.3 s"), (61, "1:01 min"), (7325, "2:02:05 h")])
def test_durations(seconds: float, told: str) -> None:
    from backburner_autodiff.train._report import duration

    assert duration(seconds) == told
