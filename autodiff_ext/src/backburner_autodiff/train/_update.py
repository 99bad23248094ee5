"""One step of the optimizer: the gradients of one batch or of several, checked and clipped."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from backburner import Gradients, Tensor
from backburner.errors import DTypeError, NonFiniteError, ShapeError
from backburner.nn import Buffer, Parameter
from backburner_autodiff._rule import Array
from backburner_autodiff.optim import LBFGS, Accumulator, Optimizer, Partition, clip_by_global_norm

if TYPE_CHECKING:
    from backburner_autodiff.train._source import Source
    from backburner_autodiff.train._trainer import Trainer

NONFINITE = ("raise", "skip", "ignore")


class Seen(NamedTuple):
    """What became of one batch: its mean loss over so many examples, and what metrics compare."""

    loss: float
    examples: int
    output: Any
    target: Any


class Taken(NamedTuple):
    """What became of a step: how many batches it took, what was seen of them, and whether it was skipped."""

    batches: int
    seen: list[Seen]
    skipped: bool


def checked_loss(found: Any) -> tuple[Tensor, Any, Any]:
    """Return loss, output and target of what a step returned.

    Raises:
        DTypeError: there is no loss.
        ShapeError: the loss is not one number.
    """
    loss, output, target = found if isinstance(found, tuple) and len(found) == 3 else (found, None, None)
    if not isinstance(loss, Tensor) or loss.dtype.kind != "f":
        kind = str(loss.dtype) if isinstance(loss, Tensor) else type(loss).__name__
        raise DTypeError(
            f"Trainer.step: must return the loss, a float tensor, or (loss, output, target), got {kind}."
        )
    if loss.size != 1:
        raise ShapeError(
            f"Trainer.step: the loss has shape {list(loss.shape)}, not one number. Use reduction='mean', or mean()."
        )
    return loss, output, target


def plateaus(optimizer: Optimizer) -> Iterator[Any]:
    """Yield each plateau among an optimizer's learning rates once."""
    parts = optimizer.optimizers.values() if isinstance(optimizer, Partition) else (optimizer,)
    rates = [rate for part in parts for rate in part._rates().values()]
    yield from {id(rate): rate for rate in rates if hasattr(rate, "update")}.values()


class Update:
    """Takes steps for a trainer.

    Args:
        trainer: whose model, optimizer and options they are.
    """

    def __init__(self, trainer: Trainer) -> None:
        self._trainer = trainer
        self._parameters: list[tuple[str, Parameter]] = []
        self._buffers: list[Buffer] = []

    def refresh(self) -> None:
        """Look again which parameters and buffers there are."""
        self._parameters = list(self._trainer.optimizer._parameters())
        self._buffers = [buffer for _, buffer in self._trainer.model.named_buffers()]

    def __call__(self, batches: Iterator[Any], source: Source) -> Taken | None:
        """Take the next step and return what became of it, or ``None`` if there is no batch left.

        Raises:
            NonFiniteError: a loss or a gradient is not finite, and the trainer is not to skip or ignore that. The
                model is as before the step.
        """
        trainer = self._trainer
        checking, several = trainer.nonfinite != "ignore", trainer.accumulate > 1
        before = [(buffer, buffer._array()) for buffer in self._buffers]
        drawn = trainer.model.device.seeds.state
        seen: list[Seen] = []
        total = Accumulator() if several else None
        step: Any = None
        batch: Any = None
        fault, count = "", 0
        for raw in islice(batches, trainer.accumulate):
            count += 1
            if fault:
                continue  # the whole step is skipped, and its batches are used up with it
            batch = source.tensors(raw)
            examples = trainer.count(batch)
            loss, output, target = checked_loss(trainer.step(trainer.model, batch))
            value = loss.item()
            if checking and not math.isfinite(value):
                fault = f"the loss is {value}"
            else:
                step = loss.backward()
                if checking:
                    fault = self._fault(step)
                if total is not None:
                    total.add(step, examples)
            if fault and trainer.nonfinite == "raise":
                self._refuse(fault, before, drawn, count - 1, batch)
            seen.append(Seen(value, examples, output, target))
        if not count:
            return None
        if fault:
            _restore(before)
            return Taken(count, [], True)
        if total is not None:
            step = total.mean()
        if trainer.clip is not None:
            step, _ = clip_by_global_norm(step, trainer.clip)
        if isinstance(trainer.optimizer, LBFGS):
            trainer.optimizer.step(lambda: self._again(batch))
        else:
            trainer.optimizer.step(step)
        return Taken(count, seen, False)

    def _again(self, batch: Any) -> tuple[Tensor, Gradients]:
        loss, _, _ = checked_loss(self._trainer.step(self._trainer.model, batch))
        return loss, loss.backward()

    def _fault(self, grads: Gradients) -> str:
        """Say which gradient is not finite, if one is."""
        with np.errstate(over="ignore", invalid="ignore"):
            for g in grads._grads.values():
                flat = g.reshape(-1)
                # a product is one quick pass; where it overflows the values themselves decide
                if not math.isfinite(flat.dot(flat)) and not np.isfinite(flat).all():
                    bad = int(flat.size - np.isfinite(flat).sum())
                    name = next((n for n, p in self._parameters if _is(grads.get(p), g)), "an input")
                    return f"the gradient of {name} has {bad} of {flat.size} values that are NaN or infinite"
        return ""

    def _refuse(
        self, fault: str, before: list[tuple[Buffer, Array]], drawn: tuple[int, int], index: int, batch: Any
    ) -> NoReturn:
        trainer = self._trainer
        _restore(before)
        step, epoch, place = trainer.steps + 1, trainer.epoch + 1, trainer.batch + index
        raise NonFiniteError(
            f"Trainer.fit: {fault} in step {step}: epoch {epoch}, batch {place} from 0. The model, the optimizer "
            "and the last snapshot are as before the step. Use a lower lr or clip=1.0; look whether the batch "
            "(error.batch) is sound; bb.detect_anomaly() around trainer.step(trainer.model, error.batch) and its "
            "backward names the op; nonfinite='skip' leaves such steps out.",
            step=step,
            epoch=epoch,
            batch_index=place,
            batch=batch,
            random_state=drawn,
        )


def _is(gradient: Tensor | None, array: Array) -> bool:
    return gradient is not None and gradient._array() is array


def _restore(before: list[tuple[Buffer, Array]]) -> None:
    """Give buffers, such as running means, what they had before a step that is not taken."""
    for buffer, array in before:
        if buffer._array() is not array:
            buffer.assign(array)
