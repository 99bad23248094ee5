"""A model over data without training: its loss and metrics, and its answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from backburner import Tensor, concat
from backburner.errors import ArgumentError
from backburner_autodiff.train._running import Running
from backburner_autodiff.train._source import Source
from backburner_autodiff.train._update import checked_loss

if TYPE_CHECKING:
    from backburner_autodiff.train._trainer import Trainer


def measure(trainer: Trainer, source: Source, stopped: Callable[[], bool]) -> dict[str, Any] | None:
    """Return loss and metrics of a trainer's model over data, ``None`` if it was stopped on the way.

    Raises:
        ArgumentError: there is no batch.
    """
    model = trainer.evaluated
    running = Running(trainer._metrics)
    for raw in source.given:
        if stopped():
            return None
        batch = source.tensors(raw)
        loss, output, target = checked_loss(trainer.step(model, batch))
        running.add(loss.item(), trainer.count(batch), output, target)
    if not running.examples:
        raise ArgumentError(
            "Trainer.evaluate: there is no batch. An iterator gives them once: use a list, data.batches or a loader."
        )
    return None if stopped() else running.values()


def predict(trainer: Trainer, given: Any, batch_size: int | None) -> Any:
    """Return what a trainer's model answers to data; see ``Trainer.predict``."""
    model = trainer.evaluated
    if isinstance(given, (np.ndarray, Tensor)):
        given = (given,)
    source = trainer._made("Trainer.predict", given, batch_size, False)
    answers = []
    for raw in source.given:
        batch = source.tensors(raw)
        if isinstance(batch, Tensor):
            batch = (batch,)
        if isinstance(batch, Mapping):
            answers.append(model(**{k: v for k, v in batch.items() if k != trainer.target}))
        elif isinstance(batch, (tuple, list)) and batch:
            answers.append(model(*(batch if len(batch) == 1 else batch[:-1])))
        else:
            raise ArgumentError(
                f"Trainer.predict: a batch is a tensor, a tuple or a dict, not a {type(batch).__name__}."
            )
    if not answers:
        raise ArgumentError("Trainer.predict: there is no batch. An iterator gives them once.")
    return _joined(answers)


def _joined(answers: list[Any]) -> Any:
    first = answers[0]
    if isinstance(first, Tensor):
        return concat(answers, axis=0) if len(answers) > 1 else first
    if isinstance(first, (tuple, list)):
        return tuple(_joined([answer[i] for answer in answers]) for i in range(len(first)))
    if isinstance(first, Mapping):
        return {key: _joined([answer[key] for answer in answers]) for key in first}
    raise ArgumentError(
        f"Trainer.predict: the model answers with a {type(first).__name__}, not with tensors. Call it batch by batch."
    )
