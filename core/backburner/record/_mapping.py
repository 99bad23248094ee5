"""From the names in a file to those in a module: prefixes, renaming, and what is to be left alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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
