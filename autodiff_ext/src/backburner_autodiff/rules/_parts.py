"""Kernels run in parts on the core's threads: what is compiled is the plain version alone.

Numba takes three times as long for a threaded version, 7 s for a convolution's, and a kernel releases the GIL.
"""

from __future__ import annotations

from collections.abc import Callable

from backburner.threads import share

WORK = 1 << 20
"""Quarters of nanoseconds from which threads pay."""

MOST = 8


def in_parts(run: Callable[[int, int], None], count: int, work: float) -> None:
    """Do ``run(first, last)`` for all of ``count``, in parts where ``work`` pays for threads.

    ``run`` must give each place the same bits in whatever part it is.
    """
    if work < WORK:
        run(0, count)
        return
    parts = min(count, MOST)
    share(lambda i: run(count * i // parts, count * (i + 1) // parts), parts)
