"""``save`` and ``load``: modules, and what a file lacks or has too much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol

import numpy as np

from backburner.errors import RecordError
from backburner.record._format import DTYPES, Array, Malformed, dtype_name
from backburner.record._record import ALIASES, Path, Record, read_for, write_for
from backburner.record._report import Conversion, LoadReport, Mismatch


class Entry(Protocol):
    """A parameter or a buffer."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype."""
        ...

    def numpy(self) -> Array:
        """Return the contents."""
        ...

    def assign(self, array: Array, /) -> None:
        """Take a read-only array of this shape and dtype, which nobody will write to, as the contents."""
        ...


class Stateful(Protocol):
    """What `save` and `load` need of a module."""

    def named_state(self) -> Iterable[tuple[str, Entry]]:
        """Yield every parameter and buffer under every name it has: a tied one is the same object again."""
        ...


def save(source: Stateful | Mapping[str, Any], path: Path, metadata: Mapping[str, str] | None = None) -> None:
    """Save a module, or a dict of tensors and arrays, to a safetensors file.

    ``path`` is the old file or the whole new one, whatever happens on the way. What has several names, such
    as a tied weight, is stored once, under the first; so are several tensors over the same memory.

    Args:
        source: a module, or tensors and arrays by name.
        path: the file. Its directory exists.
        metadata: text to go along.

    Raises:
        RecordError: a name or a dtype that the format lacks.
        OSError: the file cannot be written.
    """
    op = "save"
    first: dict[object, str] = {}
    arrays: dict[str, Array] = {}
    aliases: dict[str, str] = {}
    try:
        for name, entry in _named(source, op):
            known = first.setdefault(id(entry), name)
            if known == name:
                array = _array(name, entry)
                known = first.setdefault(_memory(array), name)
                if known == name:
                    arrays[name] = array
            if known != name:
                aliases[name] = known
    except Malformed as error:
        raise RecordError(f"{op}: {error}.") from None
    text = dict(metadata or {})
    if ALIASES in text:
        raise RecordError(f"{op}: the metadata key {ALIASES!r} is kept for tied weights. Use another key.")
    if aliases:
        import json

        text[ALIASES] = json.dumps(dict(sorted(aliases.items())), ensure_ascii=False, separators=(",", ":"))
    write_for(op, path, arrays, text, {})


def _memory(array: Array) -> object:
    """Return what is equal for arrays that are the same memory seen in the same way."""
    if array.size == 0:
        return object()
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str


def _named(source: Stateful | Mapping[str, Any], op: str) -> list[tuple[str, Any]]:
    if not isinstance(source, Mapping) and not hasattr(source, "named_state"):
        raise RecordError(f"{op}: a {type(source).__name__} has no named arrays. Pass a module or a dict.")
    named = source.items() if isinstance(source, Mapping) else source.named_state()
    found: dict[str, Any] = {}
    for name, entry in named:
        if found.setdefault(name, entry) is not entry:
            raise RecordError(f"{op}: two different arrays are called {name!r}. Rename one.")
    return list(found.items())


def _array(name: str, value: Any) -> Array:
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    to_numpy = getattr(value, "numpy", None)
    if to_numpy is None:
        raise Malformed(f"{name!r} is a {type(value).__name__}, not a tensor or an array")
    return np.asarray(to_numpy())


def load(
    model: Stateful,
    source: Path | Mapping[str, Any],
    *,
    strict: bool = True,
    convert: bool = True,
    mmap: Literal["auto"] | bool = "auto",
) -> LoadReport:
    """Give a module the contents of a safetensors file, all of them or, on an error, none.

    Nothing is broadcast. A tied weight is found under any of its names; several copies must be equal.

    Args:
        model: the module.
        source: the file, or tensors and arrays by name.
        strict: whether a name too many, too few, or of another shape is an error. Otherwise what fits is
            loaded, and the report says what did not.
        convert: convert floats of other widths, and integers whose values fit, to the module's dtypes.
            Otherwise another dtype is a mismatch.
        mmap: as in `backburner.record.read`. Where the dtypes agree the module uses the mapped file itself.

    Returns:
        What was loaded, and what was missing, unexpected, mismatched or converted.

    Raises:
        RecordError: the file cannot be read, or does not fit and ``strict`` is set.
        OSError: the file cannot be opened.
    """
    record = _given(source) if isinstance(source, Mapping) else read_for("load", source, mmap)
    groups: dict[int, tuple[Entry, list[str]]] = {}
    for name, entry in _named(model, "load"):
        groups.setdefault(id(entry), (entry, []))[1].append(name)

    ready: list[tuple[Entry, Array]] = []
    loaded: list[str] = []
    missing: list[str] = []
    mismatched: list[Mismatch] = []
    converted: list[Conversion] = []
    for entry, names in groups.values():
        found = list({record.aliases.get(n, n): n for n in reversed(names) if n in record.arrays}.values())[
            ::-1
        ]
        if not found:
            missing += names
            continue
        array, wrong = _merge(record, found, entry, convert)
        if array is None:
            mismatched += wrong
            continue
        ready.append((entry, array))
        loaded += names
        for name in found:
            before = _dtype(record.dtypes[name])
            if before != str(entry.dtype):
                converted.append(Conversion(name, before, str(entry.dtype)))

    names_in_module = {name for _, names in groups.values() for name in names}
    report = LoadReport(
        loaded=tuple(sorted(loaded)),
        missing=tuple(sorted(missing)),
        unexpected=tuple(sorted(name for name in record.arrays if name not in names_in_module)),
        mismatched=tuple(sorted(mismatched)),
        converted=tuple(sorted(converted)),
    )
    if strict and not report.fits:
        raise RecordError(str(report))
    for entry, array in ready:
        entry.assign(array)
    return report


def _given(source: Mapping[str, Any]) -> Record:
    arrays: dict[str, Array] = {}
    dtypes: dict[str, str] = {}
    try:
        for name, value in source.items():
            array = _array(name, value)
            if array.flags.writeable or array.base is not None:
                array = array.copy()  # somebody else may write to it
                array.flags.writeable = False
            arrays[name], dtypes[name] = array, dtype_name(array.dtype)
    except Malformed as error:
        raise RecordError(f"load: {error}.") from None
    return Record(arrays, {}, dtypes, {})


def _dtype(name: str) -> str:
    return "bfloat16" if name == "BF16" else str(DTYPES[name])


def _merge(
    record: Record, names: list[str], entry: Entry, convert: bool
) -> tuple[Array | None, list[Mismatch]]:
    """Return the one array that all ``names`` in the file give the entry, or why there is none."""
    arrays: list[Array] = []
    wrong: list[Mismatch] = []
    for name in names:
        array = record.arrays[name]
        before = _dtype(record.dtypes[name])
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
            wrong.append(Mismatch(name, f"another copy than {names[0]}", "tied to it"))
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
    return bool(np.all((x == y) | ((x != x) & (y != y))))
