"""What an op costs in Python: how many functions of ours one call of it goes through.

Small models spend their time here, as a few calls in Python cost as much as NumPy takes for a small array. The
numbers are what the ops need now: one that goes through more has become slower.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import pytest

import backburner as bb
from backburner.nn import functional as F


class Calls(NamedTuple):
    """An op on inputs by name, and the most functions it may go through, plain and tracked."""

    name: str
    op: Callable[..., Any]
    inputs: str
    plain: int
    tracked: int


ROWS = [
    Calls("add", lambda x, y: x + y, "x y", 3, 6),
    Calls("multiply-by-number", lambda x: x * 2.0, "x", 4, 7),
    Calls("divide", lambda x, y: x / y, "x y", 4, 7),
    Calls("add-row", lambda x, y: x + y, "x row", 3, 6),
    Calls("compare", lambda x, y: x > y, "x y", 3, 4),
    Calls("where", bb.where, "mask x y", 3, 6),
    Calls("clip", lambda x: x.clip(0.2, 0.8), "x", 8, 11),
    Calls("exp", lambda x: x.exp(), "x", 3, 6),
    Calls("relu", lambda x: x.relu(), "x", 4, 7),
    Calls("astype", lambda x: x.astype(bb.float64), "x", 4, 8),
    Calls("sum", lambda x: x.sum(), "x", 6, 10),
    Calls("row-of", lambda x: x[1], "x", 4, 7),
    Calls("slice", lambda x: x[:, 1:-1], "x", 4, 7),
    Calls("reshape", lambda x: x.reshape(-1, 2), "x", 4, 8),
    Calls("permute", lambda x: x.permute_dims((1, 0)), "x", 4, 8),
    Calls("concat", lambda x, y: bb.concat([x, y]), "x y", 5, 9),
    Calls("take", lambda x, i: x.take(i, 0), "x indices", 8, 11),
    Calls("matmul", lambda x, y: x @ y, "x y", 4, 7),
    Calls("linear", F.linear, "x y row", 6, 9),
]
ARRAYS = {
    "x": np.arange(16, dtype=np.float32).reshape(4, 4),
    "y": np.ones((4, 4), np.float32),
    "row": np.ones(4, np.float32),
    "mask": np.eye(4, dtype=np.bool_),
    "indices": np.array([0, 2, 1]),
}
OURS = tuple(f"{os.sep}{package}{os.sep}" for package in ("backburner", "backburner_autodiff"))


def counted(call: Callable[[], Any]) -> int:
    """Return how many functions of ours a call goes through; comprehensions, inlined since Python 3.12, not."""
    count = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        code = frame.f_code
        if (
            event == "call"
            and code.co_name != "<listcomp>"
            and any(part in code.co_filename for part in OURS)
        ):
            count += 1

    call()
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_an_op_goes_through_few_functions(row: Calls) -> None:
    inputs = [bb.asarray(ARRAYS[name]) for name in row.inputs.split()]
    assert 1 < counted(lambda: row.op(*inputs)) <= row.plain


@pytest.mark.feature_set("autodiff")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_tracked_op_goes_through_few_functions(row: Calls) -> None:
    device = bb.Device.cpu().autodiff()
    inputs = []
    for name in row.inputs.split():
        x = bb.asarray(ARRAYS[name], device=device)
        inputs.append(x.require_grad() if x.dtype.kind == "f" else x)
    assert 1 < counted(lambda: row.op(*inputs)) <= row.tracked
