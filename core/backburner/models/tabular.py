"""Networks for tables: their layers, their files, and what they answer to a CSV file."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from backburner import data, nn, random, record
from backburner.contracts import Array
from backburner.data import Column, Table
from backburner.device import Device
from backburner.errors import DataError, RecordError
from backburner.models._columns import ENCODERS, Encoder, Rows
from backburner.models._target import Target, _float
from backburner.nn import functional as F
from backburner.ops.creation import asarray, zeros
from backburner.threads import one_blas_thread

NAME = "tabular"
MODEL, DETAILS = "backburner.model", "backburner.tabular"
"""In a file's metadata: which of these models it holds, and all else that a prediction needs, in JSON."""

VERSION = 1
LONGEST = 60  # characters of a column's name in a message
CHUNK = 512  # rows in one pass, always: a matrix product of another size may round otherwise


class Linears(nn.Module):
    """A linear layer for each member of an ensemble.

    Shape:
        input ``[members, n, inputs]`` or the same for all ``[n, inputs]``, output ``[members, n, outputs]``;
        weight ``[members, inputs, outputs]``, bias ``[members, 1, outputs]``.
    """

    def __init__(
        self, members: int, inputs: int, outputs: int, gain: float, device: Device | None = None
    ) -> None:
        bound = gain * math.sqrt(3 / max(inputs, 1))
        shape = members, inputs, outputs
        self.weight = nn.Parameter(
            random.uniform(shape, -bound, bound, device=device) if gain else zeros(shape, device=device)
        )
        self.bias = nn.Parameter(zeros((members, 1, outputs), device=device))

    def forward(self, x: Any) -> Any:
        return x @ self.weight + self.bias


class Ensemble(nn.Module):
    """Multilayer perceptrons side by side, each with a straight path from its inputs to its outputs.

    At first a member is its straight path: the last layer of the rest begins with zeros.

    Args:
        members: how many there are.
        inputs: features of a row.
        hidden: the widths of the hidden layers.
        outputs: numbers that it answers with.
        dropout: the share of a hidden layer that is zero in a training step.
        device: where the parameters are.

    Shape:
        input ``[members, n, inputs]`` or the same for all ``[n, inputs]``, output ``[members, n, outputs]``.

    Example:
        >>> import backburner as bb
        >>> from backburner.models.tabular import Ensemble
        >>> Ensemble(4, 3, (16, 16), 2)(bb.ones((5, 3))).shape
        (4, 5, 2)
    """

    def __init__(
        self,
        members: int,
        inputs: int,
        hidden: Sequence[int],
        outputs: int,
        dropout: float = 0.0,
        device: Device | None = None,
    ) -> None:
        self.dropout = dropout
        self.straight = Linears(members, inputs, outputs, 0.0, device)
        sizes = [inputs, *hidden]
        self.layers = [Linears(members, *pair, 1.0, device) for pair in zip(sizes, sizes[1:], strict=False)]
        self.last = Linears(members, sizes[-1], outputs, 0.0, device)

    def forward(self, x: Any) -> Any:
        h = x
        for layer in self.layers:
            h = F.dropout(F.gelu(layer(h)), self.dropout, self.training)
        return self.last(h) + self.straight(x)


class Details(NamedTuple):
    """What a file says beside the weights.

    Attributes:
        encoders: how columns become features.
        target: what is predicted.
        members: how many networks there are.
        hidden: the widths of their hidden layers.
        unused: names of columns that were there to learn from and say nothing, or were to be left out.
    """

    encoders: Sequence[Encoder]
    target: Target
    members: int
    hidden: Sequence[int]
    unused: Sequence[str] = ()

    def network(self, dropout: float = 0.0, device: Device | None = None) -> Ensemble:
        """Return a network of this form."""
        inputs = sum(encoder.width for encoder in self.encoders)
        return Ensemble(self.members, inputs, self.hidden, self.target.outputs, dropout, device)


def save(model: nn.Module, path: Any, details: Details) -> None:
    """Save a network and all that `Predictor` must know of it, by which its file is complete."""
    import json

    told = {
        "version": VERSION,
        "columns": [encoder.to_json() for encoder in details.encoders],
        "target": details.target.to_json(),
        "members": details.members,
        "hidden": list(details.hidden),
        "unused": list(details.unused),
    }
    text = json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    record.save(model, path, {MODEL: NAME, DETAILS: text})


def _read(path: Any, metadata: Mapping[str, str]) -> Details:
    """Return what `save` wrote.

    Raises:
        RecordError: it is of another version, or damaged.
    """
    import json

    try:
        told = json.loads(metadata[DETAILS])
        if told["version"] != VERSION:
            raise RecordError(
                f"predict: {path}: {DETAILS} in its metadata is of version {told['version']!r}, and this Backburner "
                f"reads version {VERSION}. Train again, or install the Backburner that wrote it."
            )
        encoders = tuple(ENCODERS[column["kind"]].from_json(column) for column in told["columns"])
        members, hidden = int(told["members"]), tuple(int(size) for size in told["hidden"])
        names = [encoder.name for encoder in encoders]
        if not names or members < 1 or min(hidden, default=1) < 1 or len(set(names)) < len(names):
            raise ValueError("sizes and names")
        unused = tuple(map(str, told.get("unused", ())))  # which older files do not tell
        return Details(encoders, Target.from_json(told["target"]), members, hidden, unused)
    except RecordError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        raise RecordError(f"predict: {path}: {DETAILS} in its metadata is damaged. Train again.") from None


class Answer(NamedTuple):
    """What a network says of a table.

    Attributes:
        values: of a classification the shares of the classes; of a regression the numbers.
        truths: the target as `Target.encode` gives it, of a regression in its own units; ``None`` where the table
            does not have it.
        known: which of the truths are there; ``None`` where the table does not have them.
        notes: sentences on what was left out.

    Shape:
        values ``[n, classes]`` or ``[n]``; truths ``[n]``; known ``[n]``.
    """

    values: Array
    truths: Array | None
    known: Array | None
    notes: tuple[str, ...]


class Predictor:
    """A trained network from its file.

    Attributes:
        model: the network, on the plain device.
        target: what it predicts.

    Args:
        path: a file that `save` wrote.

    Raises:
        RecordError: the file cannot be read, or holds something else.
        OSError: it cannot be opened.
    """

    def __init__(self, path: Any) -> None:
        stored = record.read(path)
        name = stored.metadata.get(MODEL)
        if name != NAME:
            what = f"the model {name!r}" if name else f"no {MODEL!r} in its metadata"
            raise RecordError(
                f"predict: {path}: it has {what}, so it holds no network for tables. "
                "Make one with: backburner train data.csv --target COLUMN"
            )
        self._details = _read(path, stored.metadata)
        self.target = self._details.target
        self.model = self._details.network()
        try:
            record.load(self.model, stored.arrays)
        except RecordError as error:
            raise RecordError(f"predict: {path}: {error}") from None

    def __call__(
        self, path: str | os.PathLike[str], *, delimiter: str | None = None, encoding: str | None = None
    ) -> Answer:
        """Return what the network says of each row of a CSV file, whose columns it finds by their names.

        Args:
            path: the file.
            delimiter: as for `backburner.data.read_csv`.
            encoding: as for `backburner.data.read_csv`.

        Raises:
            DataError: the file is no CSV, lacks a column, or has text where the network needs numbers.
            OSError: it cannot be read.
        """
        table, notes = self._table(path, {"delimiter": delimiter, "encoding": encoding})
        rows = Rows(self._details.encoders, table)
        with one_blas_thread():  # the same bits everywhere; and for so small products several take longer
            values = predict(self.model, rows, self.target)
        if not np.isfinite(values).all():
            raise RecordError("predict: the network answers with NaN or infinity: its weights are damaged.")
        return Answer(values, *self._truths(table), notes)

    def _table(self, path: str | os.PathLike[str], options: Any) -> tuple[Table, tuple[str, ...]]:
        """Return the columns that the network uses, as the kinds that they were learned as, and the target."""
        names = data.csv_names(path, **options)
        target = self.target.name
        kinds: Any = {encoder.name: encoder.kind for encoder in self._details.encoders}
        missing = [name for name in kinds if name not in names]
        if missing:
            raise missing_columns("predict", path, missing, names)
        notes: list[str] = []
        known = {*kinds, target, *self._details.unused}
        extra = [name for name in names if name not in known]
        if extra:
            some = ", ".join(map(shown, extra[:8])) + (
                f" and {len(extra) - 8:,} more" if len(extra) > 8 else ""
            )
            notes.append(f"columns that the network does not use: {some}")
        if target not in names:
            return data.read_csv(path, columns=list(kinds), kinds=kinds, **options), tuple(notes)
        told = kinds | {target: "category" if self.target.labels else "number"}
        try:
            return data.read_csv(path, columns=list(told), kinds=told, **options), tuple(notes)
        except DataError as error:
            if repr(target) not in str(error):
                raise
        notes.append(f"no score: {target!r} is not a number in every row")
        return data.read_csv(path, columns=list(kinds), kinds=kinds, **options), tuple(notes)

    def _truths(self, table: Table) -> tuple[Array | None, Array | None]:
        column: Column | None = table.get(self.target.name)
        if column is None:
            return None, None
        truths = self.target.encode(column) if self.target.labels else column.values
        return truths, ~column.missing & np.isfinite(truths)


def shown(name: str) -> str:
    """Return the name of a column for a message: of one line, and not long."""
    short = name if len(name) <= LONGEST else name[:LONGEST] + "..."
    return short if short.isprintable() else repr(short)


def missing_columns(op: str, path: Any, missing: Sequence[str], names: Sequence[str]) -> DataError:
    """Return the error that a table lacks columns, with the names that are nearest to them."""
    from difflib import get_close_matches

    told = []
    for name in missing[:8]:
        near = get_close_matches(name, names, n=1) or [n for n in names if n.lower() == name.lower()]
        told.append(_quoted(name) + (f" (is it {_quoted(near[0])}?)" if near else ""))
    more = f" and {len(missing) - 8:,} more" if len(missing) > 8 else ""
    word = "is no column" if len(missing) == 1 else "are no columns"
    some = ", ".join(map(_quoted, names[:20])) + (", ..." if len(names) > 20 else "")
    hint = ""
    if len(names) == 1:
        hint = (
            " If there are more, tell with --delimiter what is between them. If that is a title or a comment, delete "
            "it: the first line has the names."
        )
    elif sum(isinstance(_float(name), float) for name in names) * 2 >= len(names):
        hint = " Those are no names: put a line with the names of the columns at its top."
    return DataError(f"{op}: {path}: there {word} {', '.join(told)}{more}. It has: {some}.{hint}")


def _quoted(name: str) -> str:
    return repr(name if len(name) <= LONGEST else name[:LONGEST] + "...")


def predict(model: nn.Module, rows: Rows, target: Target) -> Array:
    """Return what an ensemble says of rows: the mean of what its members say.

    Shape:
        ``[n, classes]`` for a classification, ``[n]`` in the target's own units for a regression; float64.
    """
    found = np.empty((len(rows), target.outputs), np.float64)
    device = model.device.without_autodiff()
    for start in range(0, len(rows), CHUNK):
        some = rows[slice(start, start + CHUNK)]
        x = np.zeros((CHUNK, rows.width), np.float32)
        x[: len(some)] = some
        found[start : start + CHUNK] = combine(model(asarray(x, device=device)).numpy(), target)[: len(some)]
    return found if target.labels else found[:, 0] * target.std + target.mean


def combine(answers: Array, target: Target) -> Array:
    """Return the mean of the members' answers, of a classification of their shares.

    Shape:
        answers ``[members, n, outputs]``, result ``[n, outputs]``, float64.
    """
    z = answers.astype(np.float64)
    if target.labels:
        z = np.exp(z - z.max(axis=-1, keepdims=True))
        z /= z.sum(axis=-1, keepdims=True)
    mean: Array = z.mean(axis=0)
    return mean


def _unit(*arrays: Array) -> float:
    """Return a power of two of the size of the largest number, by which to divide changes no digit."""
    largest = max(float(np.abs(array).max()) for array in arrays)
    return 2.0 ** max(math.frexp(largest)[1] - 1, -1020) if 0 < largest < math.inf else 1.0


def score(values: Array, truths: Array, target: Target) -> dict[str, float]:
    """Return how good predictions are, by the names of the measures, the most telling first.

    Args:
        values: as `predict` gives them.
        truths: as `Target.encode` gives them, of a regression in its own units. A class that the network does not
            know counts as missed.
        target: what was predicted.
    """
    if target.labels:
        hit = values.argmax(axis=1) == truths
        share = np.where(truths >= 0, values[np.arange(len(truths)), truths], 0.0)
        return {
            "accuracy": float(hit.mean()),
            "log loss": float(-np.log(np.maximum(share, 1e-15)).mean()),
        }
    size = _unit(values, truths)  # in which sums do not overflow
    error, away = values / size - truths / size, truths / size - (truths / size).mean()
    unit = _unit(error, away)
    error, away = error / unit, away / unit  # whose squares neither overflow nor vanish
    unit *= size
    spread, square = float((away**2).mean()), float((error**2).mean())
    found = {"R2": 1 - square / spread} if spread > 0 else {}
    return found | {
        "RMSE": math.sqrt(square) * unit,
        "mean absolute error": float(np.abs(error).mean()) * unit,
    }
