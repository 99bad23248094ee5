"""``load``: what a file of weights gives a module, and what it lacks or has too much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from backburner.errors import ArgumentError, RecordError
from backburner.record._dtypes import Array, Malformed, dtype_name, word
from backburner.record._format import shown
from backburner.record._mapping import (
    TIED,
    Conversion,
    LoadReport,
    Mismatch,
    Patterns,
    Rename,
    map_names,
    selected,
)
from backburner.record._record import LazyArrays, Path, Record, read_for
from backburner.record._state import Entry, Restorable, Stateful, as_array, named


def load(
    model: Stateful | Restorable,
    source: Path | Mapping[str, Any],
    *,
    key: str | None = None,
    prefix: str = "",
    rename: Rename | None = None,
    only: Patterns | None = None,
    ignore: Patterns | None = None,
    strict: bool = True,
    convert: bool = True,
    mmap: Literal["auto"] | bool = "auto",
) -> LoadReport:
    """Give a module the contents of a file of weights, all of them or, on an error, none.

    The file is one of `save`, or a checkpoint from elsewhere: safetensors, PyTorch's ``.pt``, ``.pth``, ``.bin`` and
    ``.ckpt``, several files with an index, or a directory of these; see `backburner.record.read`. PyTorch need not
    be there, and nothing in the file is executed.

    Layers have PyTorch's names, so that a ``state_dict`` mostly loads as it is. Where it does not, the error says
    which names do not fit; ``prefix``, ``rename``, ``only`` and ``ignore`` mend that, in this order. Nothing is
    broadcast. The ``num_batches_tracked`` of a batch norm may be missing beside its statistics, as in PyTorch, and stays
    what it is. A tied weight is found under any of its names; several copies must be equal. What a snapshot
    of the trainer holds beside the model (``__training__.*``) is left alone.

    Args:
        model: the module; or what has a ``load_state_dict``, such as an optimizer, which gets all that is left
            after ``key`` to ``ignore`` and checks it itself.
        source: the file or directory; or tensors and arrays by name, such as a `Record`.
        key: which mapping of a PyTorch checkpoint to take; see `backburner.record.read`.
        prefix: take only the names that begin with this, and without it: ``"module."`` for what DataParallel saved,
            ``"encoder."`` for a part of a larger model.
        rename: regular expressions and their replacements, as in ``re.sub``, applied to each name in this order:
            ``{r"^blocks\\.(\\d+)": r"layers.\\1"}``. Two names that become one are an error.
        only: patterns of names as a shell has them, such as ``"encoder.*"``: load these alone, in the module's names.
        ignore: patterns of names to leave as they are, such as ``"head.*"`` for a head of another size.
        strict: whether a name too many, too few, or of another shape is an error. Otherwise what fits is
            loaded, and the report says what did not.
        convert: convert floats of other widths, and integers whose values fit, to the module's dtypes.
            Otherwise another dtype is a mismatch.
        mmap: as in `backburner.record.read`. Where the dtypes agree the module uses the mapped file itself.

    Returns:
        What was loaded, and what was missing, unexpected, mismatched, converted or ignored.

    Raises:
        RecordError: the file cannot be read, or does not fit and ``strict`` is set.
        ArgumentError: a pattern matches nothing, or is no regular expression.
        OSError: the file cannot be opened.

    Example:
        >>> import os, tempfile
        >>> import backburner as bb
        >>> from backburner import nn
        >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
        >>> bb.save({"module.weight": bb.ones((2, 3)), "module.bias": bb.zeros((2,))}, path)
        >>> layer = nn.Linear(3, 2)
        >>> print(bb.load(layer, path, prefix="module."))
        load: 2 loaded
        >>> print(bb.load(layer, path, rename={r"^module\\.": ""}, ignore="bias"))
        load: 1 loaded, 1 ignored
    """
    record = _given(source) if isinstance(source, Mapping) else read_for("load", source, mmap, key=key)
    if key is not None and isinstance(source, Mapping):
        raise ArgumentError(f"load: key={key!r:.80} is for a file. Pass source[{key!r:.80}].")
    taken, dropped = map_names("load", record.arrays, prefix, rename)
    file = _File(record, {new: old for old, new in taken.items()})
    if not hasattr(model, "named_state"):
        return _restore(model, file, only, ignore, dropped, strict and convert)
    groups: dict[int, tuple[Entry, list[str]]] = {}
    for name, entry in named(model, "load"):
        groups.setdefault(id(entry), (entry, []))[1].append(name)
    names_in_module = {name for _, names in groups.values() for name in names}
    wanted = selected("load", [*names_in_module, *file.names], only, ignore)

    ready: list[tuple[Entry, Array]] = []
    loaded: list[str] = []
    missing: list[str] = []
    mismatched: list[Mismatch] = []
    converted: list[Conversion] = []
    for entry, every_name in groups.values():
        names = [name for name in every_name if name in wanted]
        found = list({file.stored(n): n for n in reversed(names) if n in file.names}.values())[::-1]
        if not found:
            missing += names
            continue
        array, wrong = _merge(file, found, entry, convert)
        if array is None:
            mismatched += wrong
            continue
        ready.append((entry, array))
        loaded += names
        for name in found:
            before = file.dtype(name)
            if before != str(entry.dtype):
                converted.append(Conversion(name, before, str(entry.dtype)))

    given = set(loaded)
    report = LoadReport(
        loaded=tuple(sorted(loaded)),
        missing=tuple(sorted(name for name in missing if not _is_counter(name, given))),
        unexpected=tuple(sorted(wanted.intersection(file.names) - names_in_module)),
        mismatched=tuple(sorted(mismatched)),
        converted=tuple(sorted(converted)),
        ignored=tuple(sorted([*dropped, *(name for name in file.names if name not in wanted)])),
    )
    if strict and not report.fits:
        raise RecordError(report.refusal())
    for entry, array in ready:
        entry.assign(array)
    return report


def _is_counter(name: str, loaded: set[str]) -> bool:
    """Whether a name is the count of a batch norm whose statistics were loaded: checkpoints from before 2018 have none."""
    parent, _, last = name.rpartition("num_batches_tracked")
    return not last and f"{parent}running_mean" in loaded


class _File:
    """A record under other names."""

    def __init__(self, record: Record, names: dict[str, str]) -> None:
        self.record = record
        self.names = names  # to those in the record

    def array(self, name: str) -> Array:
        return self.record.arrays[self.names[name]]

    def dtype(self, name: str) -> str:
        return word(self.record.dtypes[self.names[name]])

    def stored(self, name: str) -> str:
        """Return what is equal for names of the same array."""
        return self.record.aliases.get(self.names[name], self.names[name])


def _restore(
    target: Any,
    file: _File,
    only: Patterns | None,
    ignore: Patterns | None,
    dropped: tuple[str, ...],
    usual: bool,
) -> LoadReport:
    if not hasattr(target, "load_state_dict"):
        raise RecordError(f"load: a {type(target).__name__} takes no arrays. Pass a module or an optimizer.")
    if not usual:
        raise ArgumentError(
            f"load: strict and convert are for modules; a {type(target).__name__} takes all or nothing."
        )
    wanted = selected("load", file.names, only, ignore)
    target.load_state_dict({name: file.array(name) for name in file.names if name in wanted})
    ignored = [*dropped, *(name for name in file.names if name not in wanted)]
    return LoadReport(loaded=tuple(sorted(wanted)), ignored=tuple(sorted(ignored)))


def _given(source: Mapping[str, Any]) -> Record:
    if isinstance(source, Record):
        return source
    arrays: dict[str, Array] = {}
    dtypes: dict[str, str] = {}
    try:
        for name, value in source.items():
            if not isinstance(name, str):
                raise Malformed(f"a name is text, not {name!r:.80}")
            array = as_array(name, value)
            if not isinstance(source, LazyArrays) and (array.flags.writeable or array.base is not None):
                array = array.copy()  # somebody else may write to it
                array.flags.writeable = False
            arrays[name], dtypes[name] = array, dtype_name(array.dtype)
    except Malformed as error:
        raise RecordError(f"load: {error}.") from None
    return Record(arrays, {}, dtypes, {})


def _merge(file: _File, names: list[str], entry: Entry, convert: bool) -> tuple[Array | None, list[Mismatch]]:
    """Return the one array that all ``names`` in the file give the entry, or why there is none."""
    arrays: list[Array] = []
    wrong: list[Mismatch] = []
    for name in names:
        array = file.array(name)
        before = file.dtype(name)
        fitted: Array | str
        if array.shape != entry.shape:
            wrong.append(Mismatch(name, str(list(array.shape)), str(list(entry.shape))))
        elif not convert and before != str(entry.dtype):
            wrong.append(Mismatch(name, before, str(entry.dtype)))
        elif isinstance(fitted := _cast(array, entry.dtype), str):
            wrong.append(Mismatch(name, before + fitted, str(entry.dtype)))
        else:
            arrays.append(fitted)
    for name, array in zip(names[1:], arrays[1:], strict=False):
        if not wrong and not _same(arrays[0], array):
            wrong.append(Mismatch(name, f"another copy than {shown(names[0])}", TIED))
    return (None, wrong) if wrong else (arrays[0], [])


def _cast(array: Array, dtype: np.dtype[Any]) -> Array | str:
    """Return the array in another dtype of its kind, or what of it does not fit."""
    if array.dtype == dtype:
        return array
    kinds = {array.dtype.kind, dtype.kind}
    if kinds == {"f"}:
        with np.errstate(over="ignore"):
            cast = array.astype(dtype)
        if not np.array_equal(np.isfinite(cast), np.isfinite(array)):
            return " with numbers too large"
    elif kinds <= {"i", "u"}:
        cast = array.astype(dtype)
        if not np.array_equal(cast, array):
            return " with numbers out of range"
    else:
        return ""
    cast.flags.writeable = False
    return cast


def _same(x: Array, y: Array) -> bool:
    return np.array_equal(x, y, equal_nan=True)
