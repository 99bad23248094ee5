"""Options that a layer is made with are refused where they are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.nn._checks import count, flag, within


@pytest.mark.parametrize("value", ["no", 1, 0, None, [], 1.0, np.int64(1)])
def test_a_flag_is_a_bool_and_nothing_else(value: Any) -> None:
    with pytest.raises(bb.DTypeError, match="^Linear: bias must be True or False, got "):
        nn.Linear(2, 3, bias=value)


def test_numpys_bools_are_flags() -> None:
    assert flag("Layer", "on", np.True_) is True and flag("Layer", "on", False) is False


BAD = [
    (lambda: count("Layer", "num_layers", 0), bb.ArgumentError, "Layer: num_layers must be at least 1, got 0."),
    (lambda: count("Layer", "skip", -1, 0), bb.ArgumentError, "Layer: skip must be at least 0, got -1."),
    (lambda: count("Layer", "num_layers", 2.0), bb.DTypeError, "Layer: num_layers must be an integer, got 2.0."),
    (lambda: count("Layer", "num_layers", True), bb.DTypeError, "Layer: num_layers must be an integer, got True."),
    (lambda: within("Layer", "p", 1.5, 0, 1), bb.ArgumentError, "Layer: p must be in [0, 1], got 1.5."),
    (lambda: within("Layer", "eps", -1e-3, 0), bb.ArgumentError, "Layer: eps must be at least 0, got -0.001."),
    (lambda: within("Layer", "eps", float("nan"), 0), bb.ArgumentError, "Layer: eps is NaN."),
    (lambda: within("Layer", "eps", "1e-5"), bb.DTypeError, "Layer: eps: str is not a Tensor or a number. Use bb.tensor."),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "text"), BAD, ids=[row[2] for row in BAD])
def test_a_wrong_option_says_what_it_must_be(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == text


def test_a_right_option_comes_back_as_a_python_number() -> None:
    assert [count("Layer", "n", np.int32(3)), within("Layer", "p", 1, 0, 1)] == [3, 1.0]
    assert (
        type(count("Layer", "n", np.int32(3))) is int and type(within("Layer", "p", np.float32(0.5))) is float
    )
