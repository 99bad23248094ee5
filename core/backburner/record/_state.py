"""``save`` and ``load``: modules, and what a file lacks or has too much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol

import numpy as np

from backburner.errors import ArgumentError, RecordError
from backburner.record._dtypes import Array, Malformed, dtype_name, word
from backburner.record._mapping import Patterns, Rename, map_names, selected
from backburner.record._record import ALIASES, LazyArrays, Path, Record, read_for
from backburner.record._report import Conversion, LoadReport, Mismatch
from backburner.record._save import save_for


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


class Restorable(Protocol):
    """What has a state of its own making, such as an optimizer."""

    def state_dict(self) -> Mapping[str, Any]:
        """Return the state, arrays and numbers by name."""
        ...

    def load_state_dict(self, state: Mapping[str, Any], /) -> object:
        """Take up what ``state_dict`` returned."""
        ...


Source = Stateful | Restorable | Mapping[str, Any]


def save(
    source: Source,
    path: Path,
    metadata: Mapping[str, str] | None = None,
    *,
    dtype: Any = None,
    max_shard_size: int | str | None = None,
) -> None:
    """Save a module, an optimizer, or a dict of tensors and arrays, to a safetensors file.

    PyTorch (``safetensors.torch.load_file``) and all else that reads safetensors can open it.

    ``path`` is the old file or the whole new one, whatever happens on the way. What has several names, such
    as a tied weight, is stored once, under the first; so are several tensors over the same memory.

    Args:
        source: a module, what has a ``state_dict`` such as an optimizer, or tensors and arrays by name.
        path: the file. Its directory exists.
        metadata: text to go along.
        dtype: ``"bfloat16"`` or ``"float16"``, half the size, or ``"float32"``: what the floats are rounded to.
        max_shard_size: bytes, or text such as ``"2GB"``. Then ``path`` becomes a new directory of files no larger
            than this, if no tensor is, and an index of them, which `load` and other programs read as one.

    Raises:
        RecordError: a name or a dtype that the format lacks, or a number too large for ``dtype``.
        OSError: the file cannot be written.

    Example:
        >>> import os, tempfile
        >>> import backburner as bb
        >>> from backburner import nn
        >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
        >>> bb.save(nn.Linear(3, 2), path, {"epoch": "7"}, dtype="bfloat16")
        >>> bb.record.read(path).dtypes
        {'bias': 'BF16', 'weight': 'BF16'}
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
    dtypes = float_dtypes(op, arrays, dtype)
    save_for(op, path, arrays, text, dtypes, aliases, max_shard_size)


def float_dtypes(op: str, arrays: Mapping[str, Array], dtype: Any) -> dict[str, str]:
    """Return the dtype in the file of all floats, if they are to have one.

    Raises:
        ArgumentError: there is no such dtype of floats.
    """
    if dtype is None:
        return {}
    wanted = {"bfloat16": "BF16", "float16": "F16", "float32": "F32"}.get(str(dtype))
    if wanted is None:
        raise ArgumentError(f"{op}: dtype is 'float32', 'float16' or 'bfloat16', not {dtype!r:.80}.")
    return {name: wanted for name, array in arrays.items() if array.dtype.kind == "f"}


def _memory(array: Array) -> object:
    """Return what is equal for arrays that are the same memory seen in the same way."""
    if array.size == 0:
        return object()
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str


def _named(source: Any, op: str) -> list[tuple[str, Any]]:
    if hasattr(source, "named_state"):
        named = source.named_state()
    elif isinstance(source, Mapping):
        named = source.items()
    elif hasattr(source, "state_dict"):
        named = source.state_dict().items()
    else:
        raise RecordError(
            f"{op}: a {type(source).__name__} has no named arrays. Pass a module, an optimizer or a dict."
        )
    found: dict[str, Any] = {}
    for name, entry in named:
        if found.setdefault(name, entry) is not entry:
            raise RecordError(f"{op}: two different arrays are called {name!r}. Rename one.")
    return list(found.items())


def _array(name: str, value: Any) -> Array:
    if isinstance(value, np.ndarray | np.generic | bool | int | float):
        return np.asarray(value)
    to_numpy = getattr(value, "numpy", None)
    if to_numpy is None:
        raise Malformed(f"{name!r} is a {type(value).__name__}, not a tensor or an array")
    return np.asarray(to_numpy())


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
    for name, entry in _named(model, "load"):
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

    missing = [name for name in missing if not _counter(name, loaded)]
    report = LoadReport(
        loaded=tuple(sorted(loaded)),
        missing=tuple(sorted(missing)),
        unexpected=tuple(sorted(name for name in file.names if name in wanted - names_in_module)),
        mismatched=tuple(sorted(mismatched)),
        converted=tuple(sorted(converted)),
        ignored=tuple(sorted([*dropped, *(name for name in file.names if name not in wanted)])),
    )
    if strict and not report.fits:
        raise RecordError(str(report))
    for entry, array in ready:
        entry.assign(array)
    return report


def _counter(name: str, loaded: list[str]) -> bool:
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
            array = _array(name, value)
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
