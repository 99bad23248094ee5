"""Kernels follow ``bb.set_num_threads``, from the moment this is imported."""

from __future__ import annotations

from backburner import threads
from backburner_autodiff.kernels import _pool

threads.follow(_pool.set_count)
