"""Kernels follow ``bb.set_num_threads``, from the moment this is imported."""

from __future__ import annotations

from backburner import threads
from backburner.threads import get_num_threads as get_num_threads
from backburner.threads import set_num_threads as set_num_threads
from backburner_autodiff.kernels import _pool

threads.followers.append(_pool.set_count)
if threads._count is not None:  # it was set before the extension came
    _pool.set_count(threads._count)
