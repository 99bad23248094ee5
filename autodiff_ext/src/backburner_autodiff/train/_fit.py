"""One fit of a trainer: epochs, their steps, evaluation, and who is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Any

from backburner.errors import ArgumentError, NonFiniteError
from backburner_autodiff.train import _snapshot
from backburner_autodiff.train._evaluate import measure
from backburner_autodiff.train._interrupt import Interrupt
from backburner_autodiff.train._report import Report
from backburner_autodiff.train._running import Running
from backburner_autodiff.train._source import Source
from backburner_autodiff.train._update import Update, plateaus
from backburner_autodiff.train.callbacks import Callback, watched
from backburner_autodiff.train.history import History, Row

if TYPE_CHECKING:
    from backburner_autodiff.train._trainer import Trainer

_END = object()


class Fit:
    """Runs a trainer's fit; what must outlive it is the trainer's.

    Args:
        trainer: whose state it moves on.
        source: what to train on.
        held_out: what to evaluate on after each epoch, if anything.
        most: at how many epochs and steps it is over.
        interrupt: whether somebody wants to stop.
        report: where progress is shown.
    """

    def __init__(
        self,
        trainer: Trainer,
        source: Source,
        held_out: Source | None,
        most: tuple[float, float],
        interrupt: Interrupt,
        report: Report,
    ) -> None:
        self._trainer = trainer
        self._source = source
        self._held_out = held_out
        self._most = most
        self._interrupt = interrupt
        self._report = report
        self._update = Update(trainer)

    def run(self) -> History:
        """Train until it is over, and return the history."""
        trainer = self._trainer
        partial = None
        try:
            batches = self._entered()
            for callback in trainer.callbacks:
                callback.on_fit_start(trainer)
            trainer._pending = (
                None  # only now: a fit that could not begin may be tried again, with other data
            )
            while not self._over():
                if batches is None and not trainer._trained:
                    batches = self._next_epoch()
                whole = trainer._trained or self._train(batches or iter(()))
                row = self._row(self._held_out)
                if row is None or not whole:
                    partial = {**(row or self._row(None) or {}), "partial": True}
                    break
                self._close_epoch(row)
                batches = None
            trainer.interrupted = self._asked() and not self._finished()
            history = History(trainer.history, "interrupted" if trainer.interrupted else trainer._stopped)
            if partial is not None:
                history.rows.append(partial)
                self._report.epoch(partial, trainer._running.examples)
            for callback in reversed(trainer.callbacks):
                callback.on_fit_end(trainer, history)
        except BaseException as error:
            for callback in trainer.callbacks:
                callback.on_exception(trainer, error)
            trainer.resumed = trainer._pending is not None
            raise
        trainer.resumed = False
        return history

    def _asked(self) -> bool:
        return self._interrupt.asked

    def _finished(self) -> bool:
        trainer = self._trainer
        return trainer.epoch >= self._most[0] or trainer.steps >= self._most[1]

    def _over(self) -> bool:
        return self._finished() or bool(self._trainer._stopped) or self._asked()

    def _entered(self) -> Iterator[Any] | None:
        """Take data and random state back to where a snapshot found them; return what is left of its epoch."""
        trainer = self._trainer
        if trainer._pending is None:
            return None
        pending = trainer._pending
        stream = trainer.model.device.seeds
        batches: Iterator[Any] | None = None
        if trainer._trained or not trainer.batch:
            self._source.resume(pending["now"])
        elif self._source.resume(pending["now"] if "loader" in pending["now"] else pending["start"]):
            batches = iter(self._source.given)
        else:
            # data that draws from a stream when an epoch begins, or for each batch, does it again
            stream.state = pending["epoch_random"]
            _snapshot.set_python_state(pending["epoch_python"])
            batches = self._source.skipping(trainer.batch)
        trainer._before_epoch = {
            "data": pending["start"],
            "random": pending["epoch_random"],
            "python": pending["epoch_python"],
        }
        stream.state = pending["random"]
        _snapshot.set_python_state(pending["python"])
        return batches

    def _next_epoch(self) -> Iterator[Any]:
        trainer = self._trainer
        trainer._running = Running(trainer._metrics)
        trainer.batch, trainer._seconds, trainer._skipped_before = 0, 0.0, trainer.skipped
        for callback in trainer.callbacks:
            callback.on_epoch_start(trainer)
        trainer._before_epoch = {
            "data": self._source.state(),
            "random": trainer.model.device.seeds.state,
            "python": _snapshot.python_state(),
        }
        return iter(self._source.given)

    def _train(self, batches: Iterator[Any]) -> bool:
        """Run through the rest of an epoch, and say whether it is whole."""
        trainer = self._trainer
        self._update.refresh()
        hooks = [c for c in trainer.callbacks if type(c).on_step_end is not Callback.on_step_end]
        length, before, begin = len(self._source), trainer._seconds, perf_counter()
        while True:
            taken = self._update(batches, self._source)
            if taken is None:
                break
            trainer.batch += taken.batches
            count = 0
            for one in taken.seen:
                trainer._running.add(one.loss, one.examples, one.output, one.target)
                count += one.examples
            if taken.skipped:
                trainer.skipped += 1
            else:
                trainer.steps += 1
                if trainer.ema is not None:
                    trainer.ema.update()
            if taken.batches < trainer.accumulate:
                trainer._trained = (
                    True  # there was no other batch for the step: a loader is at the next epoch's start
                )
            elif length and trainer.batch >= length:
                # A loader that is run through is at the next epoch's start: there is no doubt where it is.
                extra = next(batches, _END)
                trainer._trained = extra is _END
                batches, length = chain([extra], batches), 0
            trainer._seconds = before + perf_counter() - begin
            if hooks and not taken.skipped:
                mean = sum(one.loss * one.examples for one in taken.seen) / max(count, 1)
                logs = {"steps": trainer.steps, "lr": self._rate(), "loss": mean}
                for callback in hooks:
                    callback.on_step_end(trainer, logs)
            self._report.step(trainer.epoch + 1, trainer.steps, count, self._shown)
            if trainer._trained:
                break
            if trainer.steps >= self._most[1] or trainer._stopped or self._asked():
                return False
        if not trainer.batch:
            raise ArgumentError(
                "Trainer.fit: train has no batch. An iterator gives them once: use a list, data.batches or a loader."
            )
        if not trainer._running.examples:
            raise NonFiniteError(
                f"Trainer.fit: each step of epoch {trainer.epoch + 1} was skipped because of NaN or infinity. Use a "
                "lower lr or clip=1.0; nonfinite='raise' stops at the first.",
                step=trainer.steps + 1,
                epoch=trainer.epoch + 1,
            )
        trainer._trained = True
        return True

    def _shown(self) -> Mapping[str, Any]:
        return {"loss": self._trainer._running.loss}

    def _rate(self) -> float:
        """Return the learning rate of the last step."""
        trainer = self._trainer
        rate = trainer.optimizer.lr
        return float(rate(max(trainer.optimizer.steps - 1, 0)) if callable(rate) else rate)

    def _row(self, held_out: Source | None) -> Row | None:
        """Return the row of the present epoch, ``None`` if Ctrl-C came before all of it was there."""
        trainer = self._trainer
        row: Row = {
            "epoch": trainer.epoch + 1,
            "steps": trainer.steps,
            "seconds": trainer._seconds,
            "lr": self._rate(),
            **trainer._running.values(),
        }
        if trainer.skipped > trainer._skipped_before:
            row["skipped"] = trainer.skipped - trainer._skipped_before
        if held_out is None:
            return row
        begin = perf_counter()
        found = measure(trainer, held_out, self._asked)
        if found is None:
            return None
        row["seconds"] += perf_counter() - begin
        for callback in trainer.callbacks:
            callback.on_evaluate_end(trainer, found)
        return row | {f"valid_{name}": value for name, value in found.items()}

    def _close_epoch(self, row: Row) -> None:
        trainer = self._trainer
        count = trainer._running.examples
        trainer.history.rows.append(row)
        trainer.epoch += 1
        trainer.batch, trainer._trained = 0, False
        for plateau in plateaus(trainer.optimizer):
            name = trainer.monitor or ("valid_loss" if "valid_loss" in row else "loss")
            plateau.update(watched("Trainer: the plateau", name, row))
        self._report.epoch(row, count)
        for callback in trainer.callbacks:
            callback.on_epoch_end(trainer, row)
