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


def test_a_right_option_comes_back_as_a_python_number() -> None:
    assert [count("Layer", "n", np.int32(3)), within("Layer", "p", 1, 0, 1)] == [3, 1.0]
    assert (
        type(count("Layer", "n", np.int32(3))) is int and type(within("Layer", "p", np.float32(0.5))) is float
    )
