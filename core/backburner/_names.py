"""Names of modules and parameters chosen by patterns, for freezing, groups of parameters, partial loads and the like."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from backburner.errors import ArgumentError


def choose(op: str, pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that a shell's pattern matches: ``*`` is any text, dots included.

    ``encoder.*`` is all below ``encoder``, ``*.bias`` every bias but one at the top.

    Args:
        op: who asks, for the message.
        pattern: with ``*``, ``?`` and ``[...]``; case counts.
        names: to choose from; their order is kept.

    Raises:
        ArgumentError: the pattern matches none of them, which would silently do nothing.
    """
    if not isinstance(pattern, str):
        raise ArgumentError(f"{op}: a pattern of names is text, not {pattern!r:.80}.")
    known = list(names)
    found = [name for name in known if fnmatchcase(name, pattern)]
    if not found:
        some = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
        raise ArgumentError(f"{op}: no name matches {pattern!r}. There are: {some or 'none'}.")
    return found
