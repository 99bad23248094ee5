"""Backburner whose results do not depend on the number of threads."""

from __future__ import annotations

import backburner as bb
from benchmarks.libraries import ours


class Library(ours.Library):
    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        bb.deterministic(True)
