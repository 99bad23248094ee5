"""From the names in a file to those in a module, and ``LoadReport``: how the two fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from backburner._names import choose
from backburner.errors import ArgumentError, DTypeError, RecordError
from backburner.record._format import NAME_SHOWN, quoted, shown

TRAINING = "__training__."
"""What the names begin with under which a snapshot keeps all but the model; `load` leaves them alone."""

Rename = Mapping[str, str] | Iterable[tuple[str, str]]
Patterns = str | Sequence[str]


def map_names(
    op: str, names: Iterable[str], prefix: str = "", rename: Rename | None = None
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return what each name becomes, and the names that are left alone.

    Args:
        op: who asks, for the message.
        names: those in a file.
        prefix: take only the names that begin with it, and without it.
        rename: regular expressions and what to put in the place of what they find, applied in this order.

    Raises:
        RecordError: no name begins with the prefix, or two become one.
        ArgumentError: something is no regular expression.
    """
    if not isinstance(prefix, str):
        raise DTypeError(f"{op}: prefix is text, not {prefix!r:.80}.")
    known = list(names)
    taken = {name: name[len(prefix) :] for name in known if _is_taken(name, prefix)}
    if prefix and not taken:
        some = ", ".join(map(shown, known[:8])) + (", ..." if len(known) > 8 else "")
        raise RecordError(
            f"{op}: no name in the file begins with prefix={prefix!r}. There are: {some or 'none'}."
        )
    for pattern, replacement in _rules(op, rename):
        for name, found in taken.items():
            try:
                taken[name] = pattern.sub(replacement, found)
            except (re.error, IndexError) as error:
                raise ArgumentError(
                    f"{op}: rename has {replacement!r} for {pattern.pattern!r}, which does not go: {error}."
                ) from None
    first: dict[str, str] = {}
    for name, found in taken.items():
        if first.setdefault(found, name) != name:
            raise RecordError(
                f"{op}: {quoted(first[found])} and {quoted(name)} in the file both become {quoted(found)}. Change rename."
            )
    return taken, tuple(name for name in known if name not in taken)


def _is_taken(name: str, prefix: str) -> bool:
    return name.startswith(prefix) and (prefix.startswith(TRAINING) or not name.startswith(TRAINING))


def _rules(op: str, rename: Rename | None) -> list[tuple[re.Pattern[str], str]]:
    if rename is None:
        return []
    if not isinstance(rename, Iterable):
        raise ArgumentError(
            f"{op}: rename is a dict of regular expressions and replacements, not {rename!r:.80}."
        )
    pairs: list[Any] = list(rename.items() if isinstance(rename, Mapping) else rename)
    found: list[tuple[re.Pattern[str], str]] = []
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(isinstance(x, str) for x in pair):
            raise ArgumentError(
                f"{op}: rename has {pair!r:.80}. It takes pairs of a regular expression and a replacement."
            )
        try:
            found.append((re.compile(pair[0]), pair[1]))
        except (re.error, OverflowError, RecursionError) as error:
            raise ArgumentError(
                f"{op}: rename has {pair[0]!r}, which is no regular expression: {error}."
            ) from None
    return found


def selected(op: str, names: Iterable[str], only: Patterns | None, ignore: Patterns | None) -> set[str]:
    """Return the names that patterns leave.

    Args:
        op: who asks, for the message.
        names: those there are.
        only: patterns of a shell, such as ``encoder.*``; take only what one of them matches.
        ignore: leave out what one of these matches.

    Raises:
        ArgumentError: a pattern matches none of the names.
    """
    known = list(dict.fromkeys(names))
    found = (
        set(known)
        if only is None
        else {name for p in _list(f"{op}: only", only) for name in choose(f"{op}: only", p, known)}
    )
    for pattern in _list(f"{op}: ignore", ignore or ()):
        found -= set(choose(f"{op}: ignore", pattern, known))
    return found


def _list(op: str, patterns: Patterns) -> list[str]:
    if isinstance(patterns, str):
        return [patterns]
    if not isinstance(patterns, Iterable):
        raise ArgumentError(f"{op} is a pattern or a list of them, not {patterns!r:.80}.")
    return list(patterns)


def near(name: str, others: Sequence[str]) -> str | None:
    """Return the one of ``others`` that a name may be meant for: a typo away, or with another beginning."""
    from difflib import get_close_matches

    ends = [other for other in others if other.endswith(f".{name}") or name.endswith(f".{other}")]
    if len(ends) == 1:
        return ends[0]
    if len(name) > NAME_SHOWN:  # the search takes the square of it
        return None
    close = get_close_matches(name, [o for o in others[:2000] if len(o) <= NAME_SHOWN], 1, 0.85)
    return close[0] if close else None


class Mismatch(NamedTuple):
    """What a name stands for in the file and in the module."""

    name: str
    file: str
    module: str

    def __str__(self) -> str:
        return f"{shown(self.name)}: {self.file} in the file, {self.module} in the module"


class Conversion(NamedTuple):
    """The dtype of an array in the file, and what it became."""

    name: str
    source: str
    target: str

    def __str__(self) -> str:
        return f"{shown(self.name)}: {self.source} to {self.target}"


TIED = "tied to it"  # what a parameter of several names is in the module
_SHOWN = 8  # names of each kind in a message; the report has them all
_TRIED = 100  # names whose beginnings may be the prefix
_NEAR = 4  # names for which a message tells what they may be


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What `load` found; as text, its message.

    Names are those in the module, and of the file those that ``prefix`` and ``rename`` made of them.

    Attributes:
        loaded: names in the module that have new contents.
        missing: names in the module that the file lacks.
        unexpected: names in the file that the module lacks.
        mismatched: names of another shape, of a dtype that does not convert, or tied in the module and not
            equal in the file.
        converted: names whose dtype was converted to the module's.
        ignored: names in the file that were left alone: without the ``prefix``, not in ``only``, in ``ignore``, or
            of a snapshot's training.
    """

    loaded: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    mismatched: tuple[Mismatch, ...] = ()
    converted: tuple[Conversion, ...] = ()
    ignored: tuple[str, ...] = ()

    if not TYPE_CHECKING:  # or checkers would take any name

        def __getattr__(self, name: str) -> NoReturn:
            ours = {"missing_keys": "missing", "unexpected_keys": "unexpected"}.get(name)
            raise AttributeError(f"LoadReport has no attribute {name!r}.{f' Use {ours}.' if ours else ''}")

    @property
    def fits(self) -> bool:
        """Whether file and module have the same names with the same shapes."""
        return not (self.missing or self.unexpected or self.mismatched)

    def refusal(self) -> str:
        """Return the message of a load that is refused, so that nothing was loaded."""
        return self._told(())

    def __str__(self) -> str:
        return self._told(self.loaded)

    def _told(self, loaded: tuple[str, ...]) -> str:
        kinds: dict[str, tuple[object, ...]] = {
            "missing": self.missing,
            "unexpected": self.unexpected,
            "mismatched": self.mismatched,
        }
        if self.fits:
            kinds = {"converted": self.converted}
        parts = [_count(items, kind) for kind, items in kinds.items() if items]
        if self.fits or loaded:
            parts.insert(0, f"{len(loaded)} loaded")
        if self.ignored:
            parts.append(f"{len(self.ignored)} ignored")
        return (
            f"load: {', '.join(parts)}{self._prefix_hint() or self._near_hint() or self._shape_hint(loaded)}"
        )

    def _prefix_hint(self) -> str:
        for longer, shorter, where in (
            (self.unexpected, self.missing, "file"),
            (self.missing, self.unexpected, "module"),
        ):
            tail, there = max(shorter, key=len, default=""), set(longer)
            ending = [name for name in longer if tail and name.endswith("." + tail)]
            prefixes = [name[: -len(tail)] for name in ending[:_TRIED]]
            fitting = [p for p in prefixes if sum(p + name in there for name in shorter) * 2 > len(shorter)]
            if not fitting:
                continue
            told = " or ".join(map(quoted, fitting[:_NEAR])) + (" or others" if len(fitting) > _NEAR else "")
            begins = f". The names in the {where} begin with {told}"
            which = quoted(fitting[0]) + (", or another of these," if len(fitting) > 1 else "")
            if where == "module":
                return f"{begins}. Pass rename={{'^': {quoted(fitting[0])}}} to bb.load."
            why = ", as DataParallel saves them" if fitting == ["module."] else ""
            return f"{begins}{why}. Pass prefix={which} to bb.load."
        return ""

    def _near_hint(self) -> str:
        pairs = ((name, near(name, self.unexpected)) for name in self.missing[:_NEAR])
        told = [f"{shown(found)} in the file for {name}" for name, found in pairs if found]
        if not told:
            return ""
        return f". Is it {', '.join(told)}? Then pass rename={{pattern: replacement}} to bb.load."

    def _shape_hint(self, loaded: tuple[str, ...]) -> str:
        if loaded or not self.mismatched or self.missing or self.unexpected:
            return ""
        untied = [entry.name for entry in self.mismatched if entry.module == TIED]
        if untied:
            return f". Give the module two parameters, as the file has, or pass ignore={untied} to bb.load."
        parts = dict.fromkeys(entry.name.rpartition(".")[0] for entry in self.mismatched)
        patterns = [f"{part}.*" if part else "*" for part in parts]
        if len(patterns) > _NEAR or "*" in patterns:
            return ""
        return f". Pass ignore={patterns} to bb.load to leave the module's own."


def _count(items: tuple[object, ...], kind: str) -> str:
    told = ", ".join(shown(item) if isinstance(item, str) else str(item) for item in items[:_SHOWN])
    rest = f", and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return f"{len(items)} {kind} ({told}{rest})"
