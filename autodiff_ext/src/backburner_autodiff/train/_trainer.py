"""``Trainer``: from a model, an optimizer and a loss to a trained model."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from backburner import record
from backburner.errors import ArgumentError, DTypeError
from backburner.nn import Module
from backburner_autodiff._rule import Array
from backburner_autodiff.optim import EMA, LBFGS, Optimizer
from backburner_autodiff.train._evaluate import measure, predict
from backburner_autodiff.train._fit import Fit
from backburner_autodiff.train._interrupt import Interrupt
from backburner_autodiff.train._report import Report, checked_mode
from backburner_autodiff.train._resume import resume, save
from backburner_autodiff.train._running import Running
from backburner_autodiff.train._source import Source, examples, is_cut
from backburner_autodiff.train._update import NONFINITE
from backburner_autodiff.train.callbacks import Callback, JSONLines, Snapshots
from backburner_autodiff.train.history import History
from backburner_autodiff.train.metrics import collect

STOPPING = b"\nInterrupted: the step is finished. Ctrl-C again stops at once.\n"
SAVING = b"\nInterrupted: the step is finished, then all is saved. Ctrl-C again stops at once.\n"


class Trainer:
    """Trains a model: steps, validation, progress, logs, snapshots.

    A model on a plain device is moved to its autodiff device, in place. Validation runs on ``model.valid()``: without
    dropout, with running statistics as they are. The same seed and data give the same bits, also where a fit was
    interrupted or killed and goes on from a snapshot in another process.

    Batches are tuples ``(input, target)``, ``(input, input, ..., target)``, or dicts, of which ``target`` names the
    entry that is the target while the others go to the model by name. For anything else give ``step``, or override it.

    Args:
        model: the module.
        optimizer: over its parameters. A schedule is its ``lr``, a function of the step. ``LBFGS`` takes each batch as
            if it were all data.
        loss: a module or a function ``(output, target)`` that returns the mean over the examples of a batch; ``None``
            if there is a ``step`` of yours.
        metrics: names or objects of ``train.metrics``, or a dict of them by names of yours.
        callbacks: what looks on, such as ``EarlyStopping``.
        accumulate: over how many batches the gradients of a step go. They are weighted by their examples, so the step
            is that of one large batch, but for layers that look at the batch as a whole: BatchNorm normalises each
            batch by itself.
        clip: the largest norm of all gradients together; larger ones are scaled down to it.
        ema: how much of a running mean of the weights each step keeps, or ``optim.EMA`` with options. Evaluation,
            predictions and what a snapshot serves then use the mean, ``trainer.ema.model()``.
        monitor: the name in an epoch's row that a ``Plateau`` in the learning rate watches; by default
            ``valid_loss``, or ``loss`` without validation data.
        seed: decides what is drawn inside ``fit``, dropout for instance, and the order of batches that are made of
            arrays; the device's own stream is left as it was. Without one the device's stream goes on.
        nonfinite: what a NaN or infinity in loss or gradients does: ``"raise"``, ``"skip"`` the step, or ``"ignore"``.
        target: the key of the target in batches that are dicts.
        step: a function ``(model, batch)`` in the place of the method ``step``, which see.
        snapshots: a folder for ``last.safetensors``, or ``Snapshots`` with options.
        log: a file for JSON lines, or ``JSONLines`` with options.
        progress: ``"bar"``, ``"plain"`` lines, ``"off"``, or ``"auto"``: a bar on a terminal or in a notebook.

    Attributes:
        steps: how many the optimizer has taken in this training.
        epoch: how many epochs are done.
        batch: how many batches of the present epoch are.
        history: the rows of the epochs that are done.
        skipped: how many steps were left out because of NaN or infinity.

    Raises:
        DTypeError: something is of the wrong kind.
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import data, nn
        >>> from backburner.optim import Adam
        >>> from backburner.train import Trainer
        >>> images, labels = data.digits()
        >>> x = (images.reshape(-1, 64) / 16).astype("float32")
        >>> bb.Device.cpu().seed(0)
        >>> model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
        >>> trainer = Trainer(model, Adam(model, lr=3e-3), nn.CrossEntropyLoss(), ["accuracy"], progress="off")
        >>> history = trainer.fit((x[:1500], labels[:1500]), (x[1500:], labels[1500:]), epochs=3)
        >>> history[-1]["valid_accuracy"] > 0.8
        True
    """

    def __init__(
        self,
        model: Module,
        optimizer: Optimizer,
        loss: Callable[[Any, Any], Any] | None = None,
        metrics: Any = (),
        callbacks: Iterable[Callback] = (),
        *,
        accumulate: int = 1,
        clip: float | None = None,
        ema: float | EMA | None = None,
        monitor: str | None = None,
        seed: int | None = None,
        nonfinite: str = "raise",
        target: str | None = None,
        step: Callable[[Module, Any], Any] | None = None,
        snapshots: str | os.PathLike[str] | Snapshots | None = None,
        log: str | os.PathLike[str] | JSONLines | None = None,
        progress: str = "auto",
    ) -> None:
        if not isinstance(model, Module):
            raise DTypeError(f"Trainer: model is a {type(model).__name__}, not an nn.Module.")
        if not isinstance(optimizer, Optimizer):
            name = getattr(optimizer, "__name__", "")
            told = f"the class {name}. Make one of it: {name}(model)" if isinstance(optimizer, type) else ""
            told = told or f"a {type(optimizer).__name__}. Use one of backburner.optim"
            raise DTypeError(f"Trainer: optimizer is {told}.")
        if step is not None and not callable(step):
            raise DTypeError(f"Trainer: step is {step!r:.80}, not a function (model, batch).")
        if loss is None and step is None and type(self).step is Trainer.step:
            raise ArgumentError("Trainer: there is no loss. Give one, or a step of yours.")
        if isinstance(loss, type):
            raise DTypeError(
                f"Trainer: loss is the class {loss.__name__}. Make one of it: {loss.__name__}()."
            )
        if loss is not None and not callable(loss):
            raise DTypeError(f"Trainer: loss is {loss!r:.80}, not a module or a function (output, target).")
        if not isinstance(accumulate, int) or isinstance(accumulate, bool) or accumulate < 1:
            raise ArgumentError(f"Trainer: accumulate is an integer from 1 on, not {accumulate!r}.")
        if clip is not None and not (isinstance(clip, (int, float)) and clip > 0):
            raise ArgumentError(f"Trainer: clip is a positive norm, or None for none, not {clip!r}.")
        if isinstance(optimizer, LBFGS) and (accumulate > 1 or clip is not None):
            raise ArgumentError(
                "Trainer: LBFGS computes its gradients itself, of one batch a step: leave out accumulate and clip."
            )
        if ema is not None and not isinstance(ema, (int, float, EMA)):
            raise DTypeError(f"Trainer: ema is a share from 0 to 1 or an optim.EMA, not {ema!r:.80}.")
        if nonfinite not in NONFINITE:
            raise ArgumentError(
                f"Trainer: nonfinite is {', '.join(map(repr, NONFINITE))}, not {nonfinite!r}."
            )
        whole = isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < 1 << 64
        if seed is not None and not whole:
            raise ArgumentError(f"Trainer: seed is an integer in [0, 2^64), not {seed!r}.")
        if isinstance(callbacks, Callback):
            callbacks = [callbacks]
        found = list(callbacks)
        for callback in found:
            if not isinstance(callback, Callback):
                of_class = isinstance(callback, type) and issubclass(callback, Callback)
                use = "Make one of the class." if of_class else "Use a subclass of train.Callback."
                raise DTypeError(f"Trainer: {callback!r:.80} is no callback. {use}")
        own = {id(parameter) for parameter in model.parameters()}
        if own and not any(id(parameter) in own for _, parameter in optimizer._parameters()):
            raise ArgumentError(
                "Trainer: the optimizer has no parameter of the model, so nothing would train. Make it of this model: "
                f"{type(optimizer).__name__}(model)."
            )
        self._metrics = collect("Trainer", metrics)
        self._mode = checked_mode(progress)
        if log is not None:
            found.append(log if isinstance(log, JSONLines) else JSONLines(log))
        if snapshots is not None:
            found.append(snapshots if isinstance(snapshots, Snapshots) else Snapshots(snapshots))
        self.ema = EMA(model, ema) if isinstance(ema, (int, float)) else ema
        self.model = model if model.device.is_autodiff() else model.to(model.device.autodiff())
        self.optimizer = optimizer
        self.monitor = monitor
        self.loss = loss
        # what others have learned in an epoch belongs in its snapshot
        self.callbacks = sorted(found, key=lambda callback: isinstance(callback, Snapshots))
        self.accumulate = accumulate
        self.clip = clip
        self.seed = seed
        self.nonfinite = nonfinite
        self.target = target
        self._own_step = step

        self.steps = self.epoch = self.batch = self.skipped = 0
        self.history = History()
        self.interrupted = self.resumed = False
        self._start = (0, 0)
        self._stopped = ""
        self._trained = False  # whether the present epoch has no batches left, but was not evaluated
        self._seconds = 0.0
        self._skipped_before = 0
        self._running = Running(self._metrics)
        self._random: tuple[int, int] | None = None if seed is None else (seed, 0)
        self._before_epoch: dict[str, Any] = {}
        self._pending: dict[str, Any] | None = None
        self._source: Source | None = None
        self._fitting = False

    # -- what may be overridden

    def step(self, model: Module, batch: Any) -> Any:
        """Return the loss of a batch, or ``(loss, output, target)``, of which metrics compare the last two.

        Called in training with the model, in evaluation with its plain view.

        Args:
            model: the module to use.
            batch: tensors, in the structure that the data gave.

        Raises:
            ArgumentError: the batch is not of the usual kind.
        """
        if self._own_step is not None:
            return self._own_step(model, batch)
        inputs, named, target = self._split("Trainer.step", batch)
        output = model(*inputs, **named)
        assert self.loss is not None  # or there would be a step of another's
        return self.loss(output, target), output, target

    def count(self, batch: Any) -> int:
        """Return how many examples a batch has, which is the weight of its mean loss: the length of its first tensor."""
        return examples(batch)

    def _split(self, op: str, batch: Any) -> tuple[Sequence[Any], Mapping[str, Any], Any]:
        if isinstance(batch, Mapping):
            if self.target is None or self.target not in batch:
                raise ArgumentError(
                    f"{op}: the batch is a dict of {', '.join(map(str, batch))}, and target is {self.target!r}. "
                    "Say which entry is the target: Trainer(..., target=...)."
                )
            return (), {k: v for k, v in batch.items() if k != self.target}, batch[self.target]
        if not isinstance(batch, (tuple, list)) or len(batch) < 2:
            kind = f"{type(batch).__name__}{f' of {len(batch)}' if isinstance(batch, (tuple, list)) else ''}"
            raise ArgumentError(
                f"{op}: a batch is a tuple (input, ..., target), not a {kind}. Override step for other batches."
            )
        return batch[:-1], {}, batch[-1]

    # -- training

    def fit(
        self,
        train: Any,
        valid: Any = None,
        *,
        epochs: int | None = None,
        max_steps: int | None = None,
        batch_size: int | None = None,
        shuffle: bool = True,
        resume: bool | str | os.PathLike[str] = False,
    ) -> History:
        """Train, and return what was reached.

        Ctrl-C lets the step finish and, where there are ``snapshots``, saves once; then this returns, with
        ``history.stopped``. A second one stops at once, and what was saved before stays whole. Where there are
        ``snapshots`` SIGTERM lets the step finish and saves too, before it ends the process.

        Args:
            train: an iterable of batches, such as ``data.batches`` or ``data.Loader``, run through once per epoch; or
                a tuple of arrays, or with ``batch_size`` a data set, which are cut into batches. NumPy's floats become
                the model's dtype.
            valid: the same, to evaluate on after each epoch.
            epochs: so many, from here; for a training that is resumed, from where its fit began.
            max_steps: likewise steps of the optimizer. Whichever is reached first ends the fit.
            batch_size: examples in a batch that is cut from arrays, 32 by default, or from a data set.
            shuffle: whether such batches of ``train`` have another order in each epoch.
            resume: a snapshot to go on from; ``True`` for the last one of ``snapshots``, if there is one.

        Returns:
            The history, with a row for each epoch since the training began.

        Raises:
            ArgumentError: neither ``epochs`` nor ``max_steps``, or data without a batch.
            NonFiniteError: a loss or a gradient is NaN or infinite.
            RecordError: the snapshot is of another model or optimizer, or none.
            OSError: a file cannot be read or written; the snapshot before is as it was.
        """
        if self._fitting:
            raise ArgumentError(
                "Trainer.fit: a fit of this trainer is running. Wait for its end, or use another trainer."
            )
        for name, value in (("epochs", epochs), ("max_steps", max_steps)):
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                raise ArgumentError(f"Trainer.fit: {name} is an integer from 1 on, not {value!r}.")
        if epochs is None and max_steps is None:
            raise ArgumentError("Trainer.fit: how long? Say epochs or max_steps.")
        source = self._made("Trainer.fit", train, batch_size, shuffle)
        size = batch_size if is_cut(valid) else None  # it is of train's batches; valid may have its own
        held_out = None if valid is None else self._made("Trainer.fit: valid", valid, size, False)
        if resume is True:
            newest = next((c.last for c in self.callbacks if isinstance(c, Snapshots)), None)
            if newest is None:
                raise ArgumentError("Trainer.fit: resume=True takes snapshots=. Or name the file.")
            if newest.exists():
                self.resume(newest)
        elif resume is not False:
            self.resume(resume)
        if self._pending is None:
            self._start, self._stopped = (self.epoch, self.steps), ""
            self.batch, self._trained = 0, False
        most = (
            math.inf if epochs is None else self._start[0] + epochs,
            math.inf if max_steps is None else self._start[1] + max_steps,
        )
        self._source, self.interrupted = source, False
        stream = self.model.device.seeds
        outside = stream.state
        if self._random is not None:
            stream.state = self._random
        saves = any(isinstance(callback, Snapshots) for callback in self.callbacks)
        stopping = Interrupt(SAVING if saves else STOPPING, terminate=saves)
        try:
            with stopping as interrupt, self._report(source, most) as report:
                self._fitting = True
                return Fit(self, source, held_out, most, interrupt, report).run()
        finally:
            if self.seed is not None:
                self._random, stream.state = stream.state, outside
            self._fitting = False

    def stop(self, why: str) -> None:
        """End the fit after this step or, called at an epoch's end, before the next one; for callbacks.

        Args:
            why: what ``history.stopped`` is to say.
        """
        self._stopped = why

    def _made(self, op: str, given: Any, batch_size: int | None, shuffle: bool) -> Source:
        dtype = next((p.dtype for p in self.model.parameters()), np.dtype(np.float32))
        return Source(op, given, batch_size, shuffle, 0 if self.seed is None else self.seed, dtype)

    def _report(self, source: Source, most: tuple[float, float]) -> Report:
        per_epoch = -(-len(source) // self.accumulate)
        ends = [most[1]] + ([self.steps + (most[0] - self.epoch) * per_epoch] if per_epoch else [])
        total = min(ends)
        epochs = None if most[0] == math.inf else int(most[0])
        return Report(self._mode, epochs, None if total == math.inf else int(total), self.steps)

    # -- using the model

    @property
    def evaluated(self) -> Module:
        """The plain view of the model that is evaluated, with ``ema`` the mean: what a step changes it does not see."""
        if self.ema is None:
            return self.model.valid()
        averaged: Module = self.ema.model()
        return averaged

    def evaluate(self, given: Any, *, batch_size: int | None = None) -> dict[str, Any]:
        """Return the loss and the metrics over data, by name.

        Args:
            given: batches or a tuple of arrays, as for ``fit``.
            batch_size: examples in a batch that is cut from arrays; 32 by default.

        Raises:
            ArgumentError: there is no batch.
        """
        found = measure(self, self._made("Trainer.evaluate", given, batch_size, False), lambda: False)
        assert found is not None  # nobody stops it
        return found

    def predict(self, given: Any, *, batch_size: int | None = None) -> Any:
        """Return what the model answers, for all batches after each other: a plain tensor, or a tuple of tensors.

        Args:
            given: one tensor or array of inputs, which is cut into batches; or batches as for ``fit``, whose target is
                left out; a batch that is one tensor, or a tuple of one, has no target.
            batch_size: examples in a batch that is cut from arrays; 32 by default.

        Raises:
            ArgumentError: there is no batch.
        """
        return predict(self, given, batch_size)

    # -- keeping it

    @property
    def position(self) -> tuple[int, int, int]:
        """Steps, epochs, and batches of the present epoch, that are done."""
        return self.steps, self.epoch, self.batch

    def weights(self) -> dict[str, Array]:
        """Return the model's state and that of ``ema`` by name: what a later step changes they do not see."""
        found = {f"model.{name}": state._array() for name, state in self.model.named_state()}
        if self.ema is not None:
            found |= {f"ema.{name}": array for name, array in self.ema.state_dict().items()}
        return found

    def load_weights(self, weights: Mapping[str, Array]) -> None:
        """Go back to what ``weights`` returned.

        Raises:
            RecordError: they are of another model.
        """
        own = {k.removeprefix("model."): v for k, v in weights.items() if k.startswith("model.")}
        record.load(self.model, own)
        if self.ema is not None:
            self.ema.load_state_dict(
                {k.removeprefix("ema."): v for k, v in weights.items() if k[:4] == "ema."}
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save all of the training as a snapshot; ``path`` is the old file or the whole new one, whatever happens.

        As weights it loads as it is, by ``bb.load(model, path)``; with ``ema`` those are the mean. It is a safetensors
        file: the model's arrays under their names, optimizer, metrics and callbacks under names that begin with
        ``__training__.``, and in the metadata as JSON where the data, the random state and the history are.

        Args:
            path: the file. Its directory exists.

        Raises:
            RecordError: a callback's or a loader's state is neither arrays nor what JSON has.
            OSError: the file cannot be written.
        """
        save(self, path)

    def resume(self, path: str | os.PathLike[str]) -> None:
        """Go back to where a snapshot was taken: the next ``fit``, with the same data, goes on from there.

        Model, optimizer, callbacks and history have the snapshot's state at once, or on an error the one before;
        data and random state follow when the fit begins. A callback that the snapshot does not know begins anew. A fit
        that a callback had stopped is over.

        Args:
            path: a file from ``save`` or ``Snapshots``.

        Raises:
            RecordError: it is no snapshot, or one of another model, optimizer or seed.
            OSError: the file cannot be opened.
        """
        if self._fitting:
            raise ArgumentError(
                "Trainer.resume: a fit of this trainer is running. Call it before, or after its end."
            )
        resume(self, path)
