"""The table job: from a CSV file to a file that predicts with NumPy alone."""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import backburner as bb
from backburner import data
from backburner.errors import ArgumentError, DataError
from backburner.models import _columns, _target
from backburner.models import tabular as model
from backburner.models._columns import Rows
from backburner.models._target import Target, Task
from backburner.nn import functional as F
from backburner_autodiff._rule import Array
from backburner_autodiff.optim import AdamW
from backburner_autodiff.train import _start
from backburner_autodiff.train._digits import _one_blas_thread, _seeded
from backburner_autodiff.train._folds import Draws, Folds, make
from backburner_autodiff.train._interrupt import Interrupt
from backburner_autodiff.train._linear import losses
from backburner_autodiff.train._progress import Progress

HIDDEN = (128, 128)
DROPOUT = {2_000: 0.5, 10_000: 0.25}  # by the most rows; of more rows LEAST_DROPOUT
LEAST_DROPOUT = 0.1
PEAK = 1e-3
WARMING = 0.05  # the share of all steps in which the rate rises
DECAY = 0.05
PATIENCE = 0.3  # the share of all steps without a better judgement after which it stops
FEWEST = 4  # rows
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
    all are judged by the same. The weights that did best there are saved; where a linear model does better than all
    of them, it is that. How columns become numbers is part of the file.

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
    place = _checked_output(output)
    _check(epochs, seed, valid_share, hidden, task)
    start = perf_counter()
    with Interrupt() as interrupt, _one_blas_thread():
        with Progress(None, show) as report:
            table = _read(path, target, task, ignore, {"delimiter": delimiter, "encoding": encoding})
            for line in table.told:
                report.line(line)
            trained = _train(table, epochs, seed, valid_share, tuple(hidden), interrupt, report)
            model.save(trained.network, place, trained.details)
            for line in _lines(table, trained):
                report.line(line)
            report.line(f"Wrote {place} after {perf_counter() - start:.1f} s")
    columns = tuple(encoder.name for encoder in table.encoders)
    return TabularTrained(table.target.task, columns, table.notes, trained.scores, (place,), interrupt.asked)


def _checked_output(output: str | os.PathLike[str]) -> Path:
    path = Path(output)
    if path.suffix != ".safetensors":
        raise ArgumentError(f"train: {path}: needs a file called .safetensors.")
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such directory", str(path.parent))
    if path.exists() and not path.is_file() or not os.access(path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, "no file can be written there", str(path))
    return path


def _check(epochs: Any, seed: Any, share: Any, hidden: Any, task: Any) -> None:
    whole = {"seed": (seed, 0), **({} if epochs is None else {"epochs": (epochs, 1)})}
    for name, (value, least) in whole.items():
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 1 << 63:
            raise ArgumentError(f"train: {name} is an integer from {least} on, not {value!r}.")
    if share is not None and not (isinstance(share, float) and 0 < share <= 0.5):
        raise ArgumentError(f"train: valid_share is above 0 and at most 0.5, not {share!r}.")
    sizes = list(hidden) if isinstance(hidden, list | tuple) else [0]
    if not all(isinstance(size, int) and 1 <= size <= 4096 for size in sizes):
        raise ArgumentError(f"train: hidden is widths from 1 to 4096, such as 64, 64; not {hidden!r}.")
    if task not in (None, "classification", "regression"):
        raise ArgumentError(f"train: task is 'classification' or 'regression', not {task!r}.")


class _Table(NamedTuple):
    """A table made ready: its features, its target, and what to say of them."""

    rows: Rows
    y: Array
    target: Target
    encoders: list[_columns.Encoder]
    notes: tuple[str, ...]
    told: tuple[str, ...]


def _read(
    path: str | os.PathLike[str], name: str, task: Task | None, ignore: Sequence[str], options: Any
) -> _Table:
    names = data.csv_names(path, **options)
    missing = [column for column in (name, *ignore) if column not in names]
    if missing:
        raise model.missing_columns("train", path, missing, names)
    if name in ignore:
        raise ArgumentError(f"train: {name!r} is the target and cannot be ignored.")
    wanted = [column for column in names if column not in ignore]
    table = data.read_csv(path, columns=wanted, **options)
    total = len(table)
    usable = _target.usable(table[name])
    count = int(usable.sum())
    if count < FEWEST:
        what = f"it has {total:,} rows" + (f", {total - count:,} of them without a {name!r}" if total else "")
        raise DataError(
            f"train: {path}: too few rows to learn from: {what}. At least {FEWEST} must have a target."
        )
    if count < total:
        table = table.take(usable)
    found, why = _target.find_task(table[name])
    column = table[name]
    chosen = task or found
    if (
        chosen == "classification"
        and column.kind == "number"
        and len(np.unique(column.values)) <= _target.CLASSES
    ):
        spelled = data.read_csv(path, columns=[name], kinds={name: "category"}, **options)[name]
        column = _merged(spelled.take(usable))
    target = _target.fit("train", name, column, chosen)
    others = table.select([column for column in table.names if column != name])
    encoders, column_notes = _columns.fit(others)
    if not encoders:
        raise DataError(
            f"train: {path}: no column is left to learn {name!r} from: {'; '.join(column_notes) or 'there is no other'}."
        )
    notes = [*table.notes]
    if count < total:
        notes.append(f"left out {total - count:,} rows without a {name!r}")
    notes += column_notes
    reason = f"--task says so; {why}" if task and task != found else why
    other = "regression" if chosen == "classification" else "classification"
    hint = "" if task or table[name].kind != "number" else f"; --task {other} changes that"
    what = f"{chosen} of {name!r}" + (f" into {len(target.labels)} classes" if target.labels else "")
    told = [f"{what}: {reason}{hint}"]
    told.append(f"{count:,} rows, {len(encoders)} columns: {_listed([e.name for e in encoders])}")
    told += [f"  {note}" for note in notes]
    y = target.encode(column)
    return _Table(Rows(encoders, table), y, target, encoders, tuple(notes), tuple(told))


def _merged(column: data.Column) -> data.Column:
    """Return a column of spelled numbers in which those of one value have the spelling that most have."""
    counts = np.bincount(column.values, minlength=len(column.categories))
    order = np.argsort(-counts, kind="stable")
    spelling: dict[Any, int] = {}
    for i in order.tolist():
        spelling.setdefault(_target._float(column.categories[i]), i)
    place = np.array([spelling[_target._float(text)] for text in column.categories], np.int64)
    return column._replace(values=place[column.values])


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (f" and {len(names) - 12:,} more" if len(names) > 12 else "")


class _Result(NamedTuple):
    """A trained network, and how good it is beside simpler things."""

    network: model.Ensemble
    details: model.Details
    scores: dict[str, dict[str, float]]
    told: str


class _Best:
    """Judges the members by their held-out rows, and keeps the weights that did best."""

    def __init__(self, network: model.Ensemble, table: _Table, folds: Folds) -> None:
        self._network = network
        self._table = table
        self._folds = folds
        self.loss = math.inf
        self.step = 0
        self.weights: dict[str, Array] = {}
        self.answers: tuple[Array, ...] = ()

    def judge(self, step: int) -> None:
        """Look at the present weights."""
        answers = held_out_answers(self._network.valid(), self._table.rows, self._folds)
        rows = self._folds.held_out
        each = [losses(z, self._table.y[r]) for z, r in zip(answers, rows, strict=True)]
        loss = float(np.concatenate(each).mean())
        if loss < self.loss:
            self.loss, self.step, self.answers = loss, step, answers
            self.weights = {name: value.numpy() for name, value in self._network.state_dict().items()}


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
    table: _Table,
    epochs: int | None,
    seed: int,
    share: float | None,
    hidden: tuple[int, ...],
    interrupt: Interrupt,
    report: Progress,
) -> _Result:
    rows, y, target = table.rows, table.y, table.target
    folds = make(y, share, seed)
    draws = Draws(folds, epochs, seed)
    details = model.Details(table.encoders, target, folds.members, hidden)
    device = bb.Device.cpu().autodiff()
    with _seeded(device, seed):
        network = details.network(_dropout(len(rows)), device)
        linear = _start.linear(rows, y, len(target.labels), folds)
        best = _Best(network, table, folds)
        if linear is not None:
            _put(network, _halved(linear[1]))
        report.line(
            f"Training {folds.members} networks of {network.num_parameters() // folds.members:,} parameters, at most "
            f"{draws.steps:,} steps of {draws.size} rows ({draws.epochs:.3g} epochs), seed {seed}"
            + (". A table of this size is not seen more often; --epochs changes that" if draws.capped else "")
        )
        report.total(draws.steps)
        optimizer = AdamW(network, lr=_schedule(draws.steps), weight_decay=DECAY)
        step = 0
        for step, batch in enumerate(draws, 1):
            x = bb.tensor(rows[batch], device=device)
            z = network(x).reshape((batch.size, target.outputs))
            wanted = bb.tensor(y[batch].reshape(-1), device=device)
            loss = F.cross_entropy(z, wanted) if target.labels else F.mse_loss(z[:, 0], wanted)
            optimizer.step(loss.backward())
            report.advance("training")
            if step % draws.round == 0 or interrupt.asked:
                best.judge(step)
            if interrupt.asked or step - best.step > max(PATIENCE * draws.steps, 3 * draws.round):
                break
    if not best.weights:
        raise ArgumentError("train: the network answers with NaN or infinity from the first step on.")
    network.load_state_dict(best.weights)
    answers = best.answers
    told = f"stopped after {step:,} steps; the best weights are those of step {best.step:,}"
    if linear is not None and linear[0].loss < MARGIN * best.loss:
        _put(network, linear[0])
        for state in (network.last.weight, network.last.bias):
            state.assign(np.zeros(state.shape, np.float32))
        answers = linear[0].answers
        told = f"the networks of {step:,} steps do not reach the linear model, so that is what is saved"
    scores = _scores(table, folds, answers, linear[0].answers if linear else None)
    return _Result(network, details, scores, told)


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
    """Return a rate that rises in a line to its peak, and falls to 0 along a cosine."""
    rise = max(1, math.ceil(WARMING * total))
    return lambda step: PEAK * min(1.0, (step + 1) / rise) * (1 + math.cos(math.pi * step / total)) / 2


def _scores(
    table: _Table, folds: Folds, answers: tuple[Array, ...], linear: tuple[Array, ...] | None
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
    return model.score(values[:, 0] * target.std + target.mean, truths * target.std + target.mean, target)


def _lines(table: _Table, trained: _Result) -> list[str]:
    lines = [trained.told[0].upper() + trained.told[1:]]
    width = max(map(len, trained.scores))
    lines.append("On rows that a network has not learned from:")
    for who, measures in trained.scores.items():
        shown = "   ".join(f"{name} {_shown(name, value)}" for name, value in measures.items())
        lines.append(f"  {who:{width}}   {shown}")
    return lines


def _shown(name: str, value: float) -> str:
    return f"{value:.2%}" if name == "accuracy" else f"{value:.4g}"
