"""What may look on while a model trains, and step in: early stopping, snapshots, logs."""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from backburner.errors import ArgumentError
from backburner_autodiff.train.history import History, Row, greater_is_better

if TYPE_CHECKING:
    from backburner_autodiff.train._trainer import Trainer


class Callback:
    """The base of callbacks: each method is called at its time and does nothing by itself.

    A callback may call ``trainer.stop(why)``, and read ``trainer.steps``, ``trainer.epoch``, ``trainer.model`` and
    the rest. What it must remember across a resume it gives in ``state_dict``: numbers, text, lists of them, arrays.

    Example:
        >>> from backburner.train import Callback
        >>> class StopAt(Callback):
        ...     def on_step_end(self, trainer, logs):
        ...         if logs["loss"] < 0.1:
        ...             trainer.stop("the loss is low enough")
    """

    def on_fit_start(self, trainer: Trainer) -> None:
        """Called when a fit begins, or goes on after ``resume``."""

    def on_epoch_start(self, trainer: Trainer) -> None:
        """Called before the first batch of an epoch; not for an epoch that a resume enters in the middle."""

    def on_step_end(self, trainer: Trainer, logs: Row) -> None:
        """Called after each step of the optimizer, with its ``loss``, ``lr`` and ``steps``."""

    def on_evaluate_end(self, trainer: Trainer, logs: Row) -> None:
        """Called after each evaluation of the validation data, with its values, without ``valid_``."""

    def on_epoch_end(self, trainer: Trainer, row: Row) -> None:
        """Called after each whole epoch with its row, which ``trainer.history`` has already."""

    def on_fit_end(self, trainer: Trainer, history: History) -> None:
        """Called when a fit ends without an error, also after Ctrl-C."""

    def on_exception(self, trainer: Trainer, error: BaseException) -> None:
        """Called when an error ends a fit."""

    def state_dict(self) -> dict[str, Any]:
        """Return what a snapshot keeps of this callback."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``state_dict`` returned."""


def watched(who: str, monitor: str, row: Row) -> float:
    """Return the value that is watched in a row.

    Raises:
        ArgumentError: the row has no such number.
    """
    value = row.get(monitor)
    if not isinstance(value, (int, float)):
        numbers = ", ".join(name for name, v in row.items() if isinstance(v, (int, float)))
        raise ArgumentError(f"{who}: there is no {monitor!r} to watch. There are: {numbers}.")
    return float(value)


class EarlyStopping(Callback):
    """Stop when a value has not become better for some epochs, and go back to the best weights.

    Args:
        monitor: a name in the epoch's row.
        mode: ``"min"``, ``"max"``, or ``"auto"``: by the name.
        patience: so many epochs in a row without a better value stop the fit.
        min_delta: what is better by no more than this counts as not better.
        restore_best: whether at the end of the fit, however it ends, the model gets the weights, buffers and running
            mean of weights of the best epoch. Snapshots keep those that training goes on with.

    Raises:
        ArgumentError: an option that makes no sense.

    Example:
        >>> from backburner.train import EarlyStopping
        >>> EarlyStopping("valid_accuracy", patience=3).patience
        3
    """

    def __init__(
        self,
        monitor: str = "valid_loss",
        mode: str = "auto",
        patience: int = 10,
        min_delta: float = 0.0,
        restore_best: bool = True,
    ) -> None:
        if not isinstance(patience, int) or isinstance(patience, bool) or patience < 1:
            raise ArgumentError(f"EarlyStopping: patience is an integer from 1 on, not {patience!r}.")
        if not isinstance(min_delta, (int, float)) or not 0 <= min_delta < math.inf:
            raise ArgumentError(f"EarlyStopping: min_delta is a number from 0 on, not {min_delta!r}.")
        self.monitor = monitor
        self.patience = patience
        self.min_delta = float(min_delta)
        self.restore_best = restore_best
        self._sign = -1.0 if greater_is_better(monitor, mode) else 1.0
        self.best: float | None = None
        self.best_epoch = 0
        self.waited = 0
        self._weights: dict[str, Any] = {}

    def on_fit_start(self, trainer: Trainer) -> None:
        if not trainer.resumed:
            self.best, self.best_epoch, self.waited, self._weights = None, 0, 0, {}

    def on_epoch_end(self, trainer: Trainer, row: Row) -> None:
        value = watched("EarlyStopping", self.monitor, row)
        better = self.best is None or self._sign * value < self._sign * self.best - self.min_delta
        if better and not math.isnan(value):
            self.best, self.best_epoch, self.waited = value, trainer.epoch, 0
            if self.restore_best:
                self._weights = trainer.weights()
            return
        self.waited += 1
        if self.waited >= self.patience:
            found = "is NaN"
            if self.best is not None:
                found = f"was best with {self.best:.6g} in epoch {self.best_epoch}, {self.waited} epochs ago"
            trainer.stop(f"early stopping: {self.monitor} {found}")

    def on_fit_end(self, trainer: Trainer, history: History) -> None:
        if self.restore_best and self._weights:
            trainer.load_weights(self._weights)

    def state_dict(self) -> dict[str, Any]:
        kept = {"best": self.best, "best_epoch": self.best_epoch, "waited": self.waited}
        return kept | {f"weights.{name}": array for name, array in self._weights.items()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.best, self.best_epoch, self.waited = state["best"], state["best_epoch"], state["waited"]
        self._weights = {k.removeprefix("weights."): v for k, v in state.items() if k.startswith("weights.")}


class Snapshots(Callback):
    """Save all of a training in a folder, so that it can go on from there bit for bit.

    ``last.safetensors`` is the newest; with ``keep`` the ones before it stay as ``step-<number>.safetensors``; with
    ``monitor`` the best epoch's is ``best.safetensors``. Each is written beside and then put in place: a crash, a kill
    or a full disk leaves the old one. As weights they load as they are: ``bb.load(model, "run/best.safetensors")``.

    Args:
        folder: where they go; made if it is not there.
        every_epochs: how many epochs are between two; ``None`` for none by epochs.
        every_steps: the same in steps of the optimizer.
        every_seconds: the same in seconds.
        keep: how many of the newest stay.
        monitor: a name in the epoch's row by which the best is chosen; ``None`` for no ``best.safetensors``.
        mode: ``"min"``, ``"max"``, or ``"auto"``: by the name.

    Raises:
        ArgumentError: an option that makes no sense.

    Example:
        >>> from backburner.train import Snapshots
        >>> Snapshots("run", every_steps=1000, keep=3, monitor="valid_accuracy").last.name
        'last.safetensors'
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        every_epochs: int | None = 1,
        every_steps: int | None = None,
        every_seconds: float | None = None,
        keep: int = 1,
        monitor: str | None = None,
        mode: str = "auto",
    ) -> None:
        for name, value in (("every_epochs", every_epochs), ("every_steps", every_steps), ("keep", keep)):
            if value is None and name != "keep":
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ArgumentError(f"Snapshots: {name} is an integer from 1 on, not {value!r}.")
        if every_seconds is not None and not every_seconds > 0:
            raise ArgumentError(f"Snapshots: every_seconds is a positive number, not {every_seconds!r}.")
        self.folder = Path(folder)
        self.every_epochs = every_epochs
        self.every_steps = every_steps
        self.every_seconds = every_seconds
        self.keep = keep
        self.monitor = monitor
        self._sign = -1.0 if monitor is not None and greater_is_better(monitor, mode) else 1.0
        self.best: float | None = None
        self._saved: tuple[int, int, int] | None = None
        self._older: list[Path] = []
        self._time = 0.0

    @property
    def last(self) -> Path:
        """The newest snapshot's file."""
        return self.folder / "last.safetensors"

    def on_fit_start(self, trainer: Trainer) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._saved = trainer.position if trainer.resumed else None
        if trainer.resumed:  # those of another training in this folder are not ours to remove
            paths = sorted(self.folder.glob("step-*.safetensors"))
            self._older = [path for path in paths if path.stem <= f"step-{trainer.steps:08d}"]
        self._time = monotonic()

    def on_step_end(self, trainer: Trainer, logs: Row) -> None:
        steps = self.every_steps is not None and trainer.steps % self.every_steps == 0
        if steps or self.every_seconds is not None and monotonic() - self._time >= self.every_seconds:
            self._save(trainer)

    def on_epoch_end(self, trainer: Trainer, row: Row) -> None:
        better = False
        if self.monitor is not None:
            value = watched("Snapshots", self.monitor, row)
            better = value == value and (self.best is None or self._sign * value < self._sign * self.best)
            self.best = value if better else self.best
        if self.every_epochs is not None and trainer.epoch % self.every_epochs == 0:
            self._save(trainer)
        if better:
            self.folder.mkdir(parents=True, exist_ok=True)
            trainer.save(self.folder / "best.safetensors")

    def on_fit_end(self, trainer: Trainer, history: History) -> None:
        self._save(trainer)

    def _save(self, trainer: Trainer) -> None:
        if self._saved == trainer.position:
            return
        steps = self._saved[0] if self._saved is not None else trainer.steps
        if self.keep > 1 and steps != trainer.steps and self.last.exists():
            older = self.folder / f"step-{steps:08d}.safetensors"
            _link(self.last, older)
            self._older = [path for path in self._older if path != older] + [older]
        self.folder.mkdir(parents=True, exist_ok=True)  # somebody may have tidied up
        trainer.save(self.last)
        self._saved, self._time = trainer.position, monotonic()
        while len(self._older) > self.keep - 1:
            self._older.pop(0).unlink(missing_ok=True)

    def state_dict(self) -> dict[str, Any]:
        return {"best": self.best}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.best = state["best"]


def _link(path: Path, name: Path) -> None:
    """Give a file another name, in the place of what has it; where there are no links, copy it."""
    part = name.with_suffix(".part")
    part.unlink(missing_ok=True)
    try:
        try:
            os.link(path, part)
        except OSError:
            shutil.copyfile(path, part)
        os.replace(part, name)
    finally:
        part.unlink(missing_ok=True)


class JSONLines(Callback):
    """Write what is logged to a file, one JSON object a line, at once.

    An epoch's line is its row of the history, and has ``"event": "epoch"``; a step's has ``steps``, ``epoch``, ``loss``
    and ``lr``. NaN and infinities are ``null``. A new fit appends; one that is resumed first drops the lines of what
    came after its snapshot, and a line that a kill cut short.

    Args:
        path: the file.
        every_steps: how many steps are between two lines of steps; ``None`` for epochs alone.

    Raises:
        ArgumentError: ``every_steps`` is not an integer from 1 on.

    Example:
        >>> from backburner.train import JSONLines
        >>> JSONLines("run/log.jsonl", every_steps=100).path.name
        'log.jsonl'
    """

    def __init__(self, path: str | os.PathLike[str], every_steps: int | None = None) -> None:
        whole = isinstance(every_steps, int) and not isinstance(every_steps, bool) and every_steps > 0
        if every_steps is not None and not whole:
            raise ArgumentError(f"JSONLines: every_steps is an integer from 1 on, not {every_steps!r}.")
        self.path = Path(path)
        self.every_steps = every_steps
        self._file: Any = None

    def on_fit_start(self, trainer: Trainer) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if trainer.resumed and self.path.exists():
            self._drop_after(trainer.steps, trainer.epoch)
        self._file = open(self.path, "a", encoding="utf-8")

    def _drop_after(self, steps: int, epoch: int) -> None:
        kept = []
        text = self.path.read_text(encoding="utf-8", errors="replace")
        for line in text.split("\n")[
            :-1
        ]:  # not splitlines, which divides at characters within JSON's texts too
            try:
                entry = json.loads(line)
            except ValueError:
                entry = None
            if not isinstance(entry, dict) or entry.get("partial"):
                continue
            last = epoch if entry.get("event") == "epoch" else math.inf
            if _number(entry.get("steps")) <= steps and _number(entry.get("epoch")) <= last:
                kept.append(line + "\n")
        part = self.path.with_name(self.path.name + ".part")
        part.write_text("".join(kept), encoding="utf-8")
        os.replace(part, self.path)

    def on_step_end(self, trainer: Trainer, logs: Row) -> None:
        if self.every_steps is not None and trainer.steps % self.every_steps == 0:
            self._write({"event": "step", "epoch": trainer.epoch + 1, **logs})

    def on_epoch_end(self, trainer: Trainer, row: Row) -> None:
        self._write({"event": "epoch", **row})

    def on_fit_end(self, trainer: Trainer, history: History) -> None:
        if len(history) and history[-1].get("partial"):
            self._write({"event": "epoch", **history[-1]})
        self._close()

    def on_exception(self, trainer: Trainer, error: BaseException) -> None:
        with suppress(OSError):  # a disk that is full still is, and the error that is told says so
            self._close()

    def _write(self, entry: Row) -> None:
        self._file.write(json.dumps(plain(entry, strict=True), ensure_ascii=False) + "\n")
        self._file.flush()

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()


def _number(value: Any) -> float:
    """Return a number of a line; one that somebody else wrote may have any kind of value, and stays."""
    return value if isinstance(value, (int, float)) else 0


def plain(value: Any, strict: bool = False) -> Any:
    """Return a value of a row as JSON has it: arrays as lists, and if ``strict`` no NaN or infinity."""
    if isinstance(value, dict):
        return {str(key): plain(entry, strict) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry, strict) for entry in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist(), strict)
    if isinstance(value, float) and strict and not math.isfinite(value):
        return None
    return value
