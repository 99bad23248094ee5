"""The table job: from a CSV file to a file that predicts with NumPy alone."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import backburner as bb
from backburner.errors import ArgumentError
from backburner.models import tabular as model
from backburner.models._columns import Rows
from backburner.models._target import Target, Task
from backburner.nn import functional as F
from backburner.threads import one_blas_thread
from backburner_autodiff._rule import Array
from backburner_autodiff.optim import AdamW
from backburner_autodiff.train import _start
from backburner_autodiff.train._folds import Draws, Folds, make
from backburner_autodiff.train._job import check_whole, checked_output, seeded
from backburner_autodiff.train._linear import losses
from backburner_autodiff.train._progress import Progress
from backburner_autodiff.train._table import Table, read
from backburner_autodiff.train._trainer import Trainer
from backburner_autodiff.train.callbacks import Callback
from backburner_autodiff.train.history import History, Row

HIDDEN = (128, 128)
DROPOUT = {2_000: 0.5, 10_000: 0.25}  # by the most rows; of more rows LEAST_DROPOUT
LEAST_DROPOUT = 0.1
PEAK = 1e-3
WARMING = 0.05  # the share of all steps in which the rate rises
DECAY = 0.05
SMOOTHING = 0.1  # of labels, which makes better classes; what it takes from the shares `FACTORS` give back
FACTORS = tuple(2 ** (k / 5) for k in range(-3, 11))
ENOUGH = 500_000  # numbers to choose a factor by
PATIENCE = 0.3  # the share of all steps without a better judgement after which it stops
SILENCE = 30.0  # seconds after which a line tells that it is still at work
MARGIN = (
    0.95  # of the loss of one network: together they have less, so a linear model must do better than that
)


class TabularTrained(NamedTuple):
    """What training on a table leaves.

    Attributes:
        task: ``"classification"`` or ``"regression"``.
        columns: the names of the columns that are used.
        notes: what was left out or changed, in sentences.
        scores: of the network, of the linear model and of always saying the same, on rows that each did not learn
            from: measures by name.
        files: what was written.
        interrupted: whether Ctrl-C ended it early; the best weights until then are saved.
    """

    task: Task
    columns: tuple[str, ...]
    notes: tuple[str, ...]
    scores: dict[str, dict[str, float]]
    files: tuple[Path, ...]
    interrupted: bool


def tabular(
    path: str | os.PathLike[str],
    output: str | os.PathLike[str] = "model.safetensors",
    *,
    target: str,
    task: Task | None = None,
    ignore: Sequence[str] = (),
    epochs: int | None = None,
    seed: int = 0,
    valid_share: float | None = None,
    hidden: Sequence[int] = HIDDEN,
    delimiter: str | None = None,
    encoding: str | None = None,
    show: bool = True,
) -> TabularTrained:
    """Train a network to predict one column of a CSV file from the others, and save it.

    The network is an ensemble of small multilayer perceptrons, each with a straight path from input to output. In a
    table of up to 10,000 rows each member is judged by rows of its own and learns from all others, in a larger one
    all are judged by the same. The weights that did best there are saved; where a linear model does clearly better
    than all of them, it is that. How columns become numbers is part of the file.

    The same seed and table give the same bytes. Ctrl-C lets the step finish and saves the best weights so far.

    Args:
        path: the CSV file.
        output: the file for the network, ``*.safetensors``.
        target: the column to predict.
        task: by default found from the values: texts and few whole numbers are classes.
        ignore: columns to leave out.
        epochs: how often each row is seen; by default less often the more there are.
        seed: decides the first weights, dropout, and the order of the rows.
        valid_share: the share of rows that judge a member; by default an eighth, of large tables a tenth.
        hidden: the widths of the hidden layers.
        delimiter: as for `backburner.data.read_csv`.
        encoding: as for `backburner.data.read_csv`.
        show: whether to show progress.

    Raises:
        ArgumentError: an argument that makes no sense, or a target from which nothing can be learned.
        DataError: the file is no CSV, has no such column, or too few rows.
        OSError: a file cannot be read or written.
    """
    place = checked_output(output)
    _check(epochs, seed, valid_share, hidden, task)
    start = perf_counter()
    with one_blas_thread(), Progress(None, show) as report:
        table = read("train", path, target, task, ignore, {"delimiter": delimiter, "encoding": encoding})
        for line in table.told:
            report.line(line)
        trained = _train(table, epochs, seed, valid_share, tuple(hidden), report)
        model.save(trained.network, place, trained.details)
        for line in _lines(trained):
            report.line(line)
        report.line(f"Wrote {place} after {perf_counter() - start:.1f} s")
    columns = tuple(encoder.name for encoder in table.encoders)
    return TabularTrained(
        table.target.task, columns, table.notes, trained.scores, (place,), trained.interrupted
    )


def _check(epochs: Any, seed: Any, share: Any, hidden: Any, task: Any) -> None:
    check_whole("seed", seed, 0)
    if epochs is not None:
        check_whole("epochs", epochs, 1)
    if share is not None and not (isinstance(share, float) and 0 < share <= 0.5):
        raise ArgumentError(f"train: valid_share is above 0 and at most 0.5, not {share!r}.")
    sizes = list(hidden) if isinstance(hidden, list | tuple) else [0]
    if not all(isinstance(size, int) and 1 <= size <= 4096 for size in sizes):
        raise ArgumentError(f"train: hidden is widths from 1 to 4096, such as 64, 64; not {hidden!r}.")
    if task not in (None, "classification", "regression"):
        raise ArgumentError(f"train: task is 'classification' or 'regression', not {task!r}.")


class _Result(NamedTuple):
    """A trained network, and how good it is beside simpler things."""

    network: model.Ensemble
    details: model.Details
    scores: dict[str, dict[str, float]]
    told: str
    interrupted: bool


class _Batches:
    """What the trainer goes through: the batches of a round each time, and with the last the end."""

    def __init__(self, table: Table, draws: Draws) -> None:
        self._table = table
        self._draws = draws
        self._left = iter(draws)

    def __len__(self) -> int:
        return self._draws.round

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        for rows in islice(self._left, self._draws.round):
            yield self._table.rows[rows], self._table.y[rows].reshape(-1)


class _Best(Callback):
    """Judges the members by their held-out rows after each round, and keeps the weights that did best."""

    def __init__(
        self, network: model.Ensemble, table: Table, folds: Folds, draws: Draws, report: Progress
    ) -> None:
        self._network = network
        self._table = table
        self._folds = folds
        self._patience = max(PATIENCE * draws.steps, 3 * draws.round)
        self._report = report
        self._told = perf_counter()
        self._judged = 0
        self.loss = math.inf
        self.step = 0
        self.factor = 1.0
        self.weights: dict[str, Array] = {}
        self.answers: tuple[Array, ...] = ()

    def on_step_end(self, trainer: Trainer, logs: Row) -> None:
        """Move the bar."""
        self._report.advance("training")

    def on_epoch_end(self, trainer: Trainer, row: Row) -> None:
        """Judge, and stop when nothing became better for long."""
        loss = self._judge(trainer.steps)
        if trainer.steps - self.step > self._patience:
            trainer.stop("no longer better")
        if perf_counter() - self._told > SILENCE:
            self._told = perf_counter()
            self._report.line(f"step {trainer.steps:,}   loss {row['loss']:.4g}   held-out loss {loss:.4g}")

    def on_fit_end(self, trainer: Trainer, history: History) -> None:
        """Judge what the last steps did, if they were no whole round."""
        if self._judged < trainer.steps:
            self._judge(trainer.steps)

    def _judge(self, step: int) -> float:
        answers = held_out_answers(self._network.valid(), self._table.rows, self._folds)
        truths = [self._table.y[rows] for rows in self._folds.held_out]
        factor = _sharpness(answers, truths) if self._table.target.labels else 1.0
        answers = tuple(z * np.float32(factor) for z in answers)
        loss = _mean_loss(answers, truths)
        self._judged = step
        if loss < self.loss:
            self.loss, self.step, self.answers, self.factor = loss, step, answers, factor
            self.weights = {name: value.numpy() for name, value in self._network.state_dict().items()}
        return loss

    def put(self) -> None:
        """Give the network the weights that did best, and answers as sharp as they did best."""
        scaled = {
            name: array * np.float32(self.factor) if name.startswith(("last.", "straight.")) else array
            for name, array in self.weights.items()
        }
        self._network.load_state_dict(scaled)


def _sharpness(answers: Sequence[Array], truths: Sequence[Array]) -> float:
    """Return by what to multiply logits: labels that were smoothed leave them flatter than the classes are."""
    every = -(-sum(z.size for z in answers) // ENOUGH)
    some = [(z[::every], y[::every]) for z, y in zip(answers, truths, strict=True)]
    return min(FACTORS, key=lambda factor: _mean_loss([z * factor for z, _ in some], [y for _, y in some]))


def _mean_loss(answers: Sequence[Array], truths: Sequence[Array]) -> float:
    return float(np.concatenate([losses(z, y) for z, y in zip(answers, truths, strict=True)]).mean())


def held_out_answers(network: Any, rows: Rows, folds: Folds) -> tuple[Array, ...]:
    """Return what each member answers to the rows that judge it, ``[n, outputs]`` each."""
    longest = max(map(len, folds.held_out))
    parts: list[list[Array]] = [[] for _ in folds.held_out]
    for start in range(0, longest, 4096):
        some = [held[start : start + 4096] for held in folds.held_out]
        padded = np.zeros((len(some), max(map(len, some))), np.int64)
        for line, held in zip(padded, some, strict=True):
            line[: len(held)] = held
        x = rows[padded[0]] if folds.shared else rows[padded]
        for part, z, held in zip(parts, network(bb.tensor(x)).numpy(), some, strict=True):
            part.append(z[: len(held)])
    return tuple(np.concatenate(part) for part in parts)


def _train(
    table: Table,
    epochs: int | None,
    seed: int,
    share: float | None,
    hidden: tuple[int, ...],
    report: Progress,
) -> _Result:
    rows, y, target = table.rows, table.y, table.target
    folds = make(y, share, seed)
    draws = Draws(folds, epochs, seed)
    details = model.Details(table.encoders, target, folds.members, hidden, table.unused)
    device = bb.Device.cpu().autodiff()
    with seeded(device, seed):
        network = details.network(_dropout(len(rows)), device)
    linear = _start.linear(rows, y, len(target.labels), folds)
    if linear is not None:
        _put(network, _halved(linear[1]))
    report.line(
        f"Training {folds.members} networks of {network.num_parameters() // folds.members:,} parameters, at most "
        f"{draws.steps:,} steps of {draws.size} rows ({draws.epochs:.3g} epochs), seed {seed}"
        + (". A table of this size is not seen more often; --epochs changes that" if draws.capped else "")
    )
    report.total(draws.steps)

    def loss(z: bb.Tensor, wanted: bb.Tensor) -> bb.Tensor:
        z = z.reshape((-1, target.outputs))
        if target.labels:
            return F.cross_entropy(z, wanted, label_smoothing=SMOOTHING)
        return F.mse_loss(z[:, 0], wanted)

    best = _Best(network, table, folds, draws, report)
    optimizer = AdamW(network, lr=_schedule(draws.steps), weight_decay=DECAY)
    trainer = Trainer(network, optimizer, loss, callbacks=[best], seed=seed, progress="off")
    trainer.fit(_Batches(table, draws), max_steps=draws.steps)
    if not best.weights:
        raise ArgumentError("train: the network answers with NaN or infinity from the first step on.")
    best.put()
    answers = best.answers
    told = f"stopped after {trainer.steps:,} steps; the best weights are those of step {best.step:,}"
    if linear is not None and linear[0].loss < MARGIN * best.loss:
        _put(network, linear[0])
        for state in (network.last.weight, network.last.bias):
            state.assign(np.zeros(state.shape, np.float32))
        answers = linear[0].answers
        told = (
            f"the networks of {trainer.steps:,} steps do not reach the linear model, so that is what is saved"
        )
    scores = _scores(table, folds, answers, linear[0].answers if linear else None)
    return _Result(network, details, scores, told, trainer.interrupted)


def _dropout(count: int) -> float:
    return next((share for most, share in DROPOUT.items() if count <= most), LEAST_DROPOUT)


def _put(network: model.Ensemble, linear: _start.Linear) -> None:
    network.straight.weight.assign(linear.weights)
    network.straight.bias.assign(linear.biases)


def _halved(linear: _start.Linear) -> _start.Linear:
    """Return the models with every second one zero: starts that differ make better ensembles."""
    keep = (np.arange(len(linear.weights)) % 2 == 0)[:, None, None]
    return linear._replace(
        weights=np.where(keep, linear.weights, np.float32(0)),
        biases=np.where(keep, linear.biases, np.float32(0)),
    )


def _schedule(total: int) -> Any:
    """Return a cosine from the peak to 0, times a straight rise over the first steps."""
    rise = max(1, math.ceil(WARMING * total))
    return lambda step: PEAK * min(1.0, (step + 1) / rise) * (1 + math.cos(math.pi * step / total)) / 2


def _scores(
    table: Table, folds: Folds, answers: tuple[Array, ...], linear: tuple[Array, ...] | None
) -> dict[str, dict[str, float]]:
    """Return the scores of the network and of simpler things, each on rows that it did not learn from."""
    target, y = table.target, table.y
    truths = y[folds.held_out[0] if folds.shared else np.concatenate(folds.held_out)]

    def measured(members: tuple[Array, ...]) -> dict[str, float]:
        if folds.shared:
            values = model.combine(np.stack(members), target)
        else:
            values = np.concatenate([model.combine(z[None], target) for z in members])
        return _score(values, truths, target)

    found = {"network": measured(answers)}
    if linear is not None:
        found["linear model"] = measured(linear)
    learned = folds.train[0] if folds.shared else np.arange(len(y))
    if target.labels:
        shares = np.bincount(y[learned], minlength=len(target.labels)) / len(learned)
        found["most frequent class"] = _score(np.tile(shares, (len(truths), 1)), truths, target)
    else:
        found["mean"] = _score(np.full((len(truths), 1), y[learned].mean()), truths, target)
    return found


def _score(values: Array, truths: Array, target: Target) -> dict[str, float]:
    if target.labels:
        return model.score(values, truths, target)
    guesses, truths = values[:, 0].astype(np.float64), truths.astype(np.float64)
    return model.score(guesses * target.std + target.mean, truths * target.std + target.mean, target)


def _lines(trained: _Result) -> list[str]:
    lines = [trained.told[0].upper() + trained.told[1:]]
    width = max(map(len, trained.scores))
    lines.append("On rows that a network has not learned from:")
    for who, measures in trained.scores.items():
        shown = "   ".join(f"{name} {_shown(name, value)}" for name, value in measures.items())
        lines.append(f"  {who:{width}}   {shown}")
    network, *_, same = trained.scores.values()
    measure = "log loss" if "log loss" in network else "RMSE"
    if network[measure] >= same[measure]:
        lines.append(
            "Nothing was found in these columns that tells of the target: the last line does as well."
        )
    return lines


def _shown(name: str, value: float) -> str:
    return f"{value:.2%}" if name == "accuracy" else f"{value:.4g}"
