"""Memory that the next step takes again, instead of the system.

glibc gives what is freed at the end of its heap back to the system, from some hundred kilobytes to 64 MB on, and
takes large arrays from the system one by one. A training step then gets the same memory anew each time, and each page
of it is a fault that the system serves with zeros: 7,000 faults and a quarter of the time of a step of a small GPT.
"""

from __future__ import annotations

import os
import sys

ARRAY = 32 << 20
"""Arrays of fewer bytes come from the heap; glibc comes to this by itself where such arrays are freed often."""

KEPT = 1 << 30
"""So many bytes of freed memory stay with the process. It never holds more than it had at its peak."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h


def keep() -> bool:
    """Make glibc keep freed memory, and say whether it does.

    Who sets malloc by the environment (``MALLOC_TRIM_THRESHOLD_``, ``MALLOC_MMAP_THRESHOLD_``, ``GLIBC_TUNABLES``), or
    ``BACKBURNER_KEEP_MEMORY=0``, chooses alone. Other C libraries have no such setting.
    """
    own = "MALLOC_TRIM_THRESHOLD_" in os.environ or "MALLOC_MMAP_THRESHOLD_" in os.environ
    if own or "malloc" in os.environ.get("GLIBC_TUNABLES", "") or sys.platform != "linux":
        return False
    if os.environ.get("BACKBURNER_KEEP_MEMORY") == "0":
        return False
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(_MMAP_THRESHOLD, ARRAY) and mallopt(_TRIM_THRESHOLD, KEPT))
