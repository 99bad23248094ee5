"""A kernel that lets LLVM reorder sums gives the same bits wherever its arrays lie.

A loop that LLVM makes vector code of only where arrays lie apart sums in another order where they are neighbours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner_autodiff.kernels import _jit
from ops import CASES
from ops._run import differentiate

pytestmark = pytest.mark.feature_set("autodiff")
PLACES = 12


def _placed(args: tuple[Any, ...], random: np.random.Generator) -> list[Any]:
    """Return the arguments with their arrays as neighbours in one block, in random order and with small gaps."""
    arrays = [i for i, x in enumerate(args) if isinstance(x, np.ndarray)]
    block = np.zeros(sum(args[i].nbytes + 32 for i in arrays), np.uint8)
    found, start = list(args), 0
    for i in random.permutation(arrays):
        start = (start + 7) // 8 * 8 + 8 * int(random.integers(3))
        stop = start + args[i].nbytes
        found[i] = block[start:stop].view(args[i].dtype).reshape(args[i].shape)
        found[i][...] = args[i]
        start = stop
    return found


def _answers(kernel: _jit.Kernel, args: tuple[Any, ...]) -> set[tuple[bytes, ...]]:
    """Return what a kernel leaves in its arrays, for each way to place them."""
    random = np.random.default_rng(0)
    found = set()
    for _ in range(PLACES):
        placed = _placed(args, random)
        kernel.serial(*placed)
        found.add(tuple(x.tobytes() for x in placed if isinstance(x, np.ndarray)))
    return found


def test_reordered_sums_do_not_hang_on_where_arrays_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    called, wrong = set(), set()

    def call(kernel: _jit.Kernel, *args: Any) -> None:
        if kernel._fastmath:
            called.add(kernel.name)
            if len(_answers(kernel, args)) > 1:
                wrong.add(kernel.name)
        kernel.serial(*args)

    monkeypatch.setattr(_jit.Kernel, "__call__", call)
    device = bb.Device.cpu().autodiff()
    for dtype in ("float32", "float64"):
        for case in CASES:
            if case.differentiable():
                differentiate(case, case.arrays(dtype), device)
        for width in (3, 5, 6, 9, 17, 33):
            x = np.random.default_rng(width).standard_normal((2, 3, width)).astype(dtype)
            slopes = bb.tensor(x[0, :, 0], device=device).require_grad()
            y = bb.nn.functional.prelu(bb.tensor(x, device=device).require_grad(), slopes)
            (y * bb.tensor(x[::-1])).sum().backward()
    assert not wrong
    assert {"prelu_backward", "softmax_forward", "layer_norm_backward", "cross_entropy_forward"} <= called
