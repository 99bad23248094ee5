"""A trainer's state as a snapshot, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backburner import record
from backburner.errors import RecordError
from backburner_autodiff.train import _snapshot
from backburner_autodiff.train._running import Running
from backburner_autodiff.train.callbacks import plain
from backburner_autodiff.train.history import History

if TYPE_CHECKING:
    from backburner_autodiff.train._trainer import Trainer
    from backburner_autodiff.train.callbacks import Callback


def save(trainer: Trainer, path: Any) -> None:
    """Write a trainer's snapshot; see ``Trainer.save``."""
    now = trainer.model.device.seeds.state
    if not trainer._fitting and trainer._random is not None:
        now = trainer._random  # outside of fit the device's stream is not the training's
    data = {} if trainer._source is None else trainer._source.state()
    python = _snapshot.python_state()
    before = trainer._before_epoch or {"data": data, "random": now, "python": python}
    parts = {
        "optimizer": trainer.optimizer.state_dict(),
        "running": trainer._running.state_dict(),
        "python": python,
        "python-epoch": before["python"],
    }
    model = dict(trainer.model.named_state())
    if trainer.ema is not None:
        # the model's own names are for whoever serves the file: what was evaluated
        parts |= {"raw": model, "ema": trainer.ema.state_dict()}
        model = dict(trainer.evaluated.named_state())
    parts |= {f"callback-{name}": c.state_dict() for name, c in _named(trainer).items()}
    facts = {
        "optimizer": type(trainer.optimizer).__name__,
        "ema": trainer.ema is not None,
        "seed": trainer.seed,
        "steps": trainer.steps,
        "epoch": trainer.epoch,
        "batch": trainer.batch,
        "skipped": [trainer.skipped, trainer._skipped_before],
        "start": trainer._start,
        "trained": trainer._trained,
        "stopped": trainer._stopped,
        "seconds": trainer._seconds,
        "history": plain(trainer.history.rows),
        "data": {"now": data, "start": before["data"]},
        "random": now,
        "epoch_random": before["random"],
    }
    _snapshot.write(path, model, parts, facts)


def resume(trainer: Trainer, path: Any) -> None:
    """Take a trainer back to a snapshot; see ``Trainer.resume``."""
    model, parts, facts = _snapshot.read(path)
    for what, own in (
        ("optimizer", type(trainer.optimizer).__name__),
        ("ema", trainer.ema is not None),
        ("seed", trainer.seed),
    ):
        if facts[what] != own:
            raise RecordError(
                f"Trainer.resume: {path}: the snapshot's {what} is {facts[what]}, this trainer's {own}. "
                "Resume with what it was made with."
            )
    undo = _undo(trainer)
    try:
        trainer.optimizer.load_state_dict(parts["optimizer"])
        if trainer.ema is not None:
            trainer.ema.load_state_dict(parts["ema"])
        record.load(trainer.model, parts.get("raw", model))
    except Exception as error:
        undo()
        raise RecordError(f"Trainer.resume: {path}: it is of another model: {error}") from error
    running = Running(trainer._metrics)
    try:
        for name, callback in _named(trainer).items():
            if f"callback-{name}" in parts:
                callback.load_state_dict(parts[f"callback-{name}"])
        running.load_state_dict(parts["running"])
    except BaseException:
        undo()
        raise
    trainer.steps, trainer.epoch, trainer.batch = facts["steps"], facts["epoch"], facts["batch"]
    trainer.skipped, trainer._skipped_before = facts["skipped"]
    trainer._start = (facts["start"][0], facts["start"][1])
    trainer._trained, trainer._stopped = facts["trained"], facts["stopped"]
    trainer._seconds = facts["seconds"]
    trainer.history = History(facts["history"])
    trainer._running = running
    random = (int(facts["random"][0]), int(facts["random"][1]))
    trainer._random = None if trainer.seed is None else random
    trainer._pending = {
        **facts["data"],
        "random": random,
        "epoch_random": tuple(facts["epoch_random"]),
        "python": parts["python"],
        "epoch_python": parts.get("python-epoch", parts["python"]),
    }
    trainer.resumed = True


def _undo(trainer: Trainer) -> Callable[[], None]:
    """Return a function that gives model, optimizer and callbacks what they have now."""
    optimizer, weights = trainer.optimizer.state_dict(), trainer.weights()
    callbacks = [(callback, callback.state_dict()) for callback in trainer.callbacks]

    def undo() -> None:
        trainer.optimizer.load_state_dict(optimizer)
        trainer.load_weights(weights)
        for callback, state in callbacks:
            callback.load_state_dict(state)

    return undo


def _named(trainer: Trainer) -> dict[str, Callback]:
    """Return callbacks under the names that snapshots know them by: their kind, numbered from the second on."""
    found: dict[str, Callback] = {}
    for callback in trainer.callbacks:
        kind = type(callback).__name__
        number = sum(name.partition("-")[0] == kind for name in found) + 1
        found[kind if number == 1 else f"{kind}-{number}"] = callback
    return found
