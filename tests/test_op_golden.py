"""Results and gradients equal PyTorch's, frozen in ``golden/ops/<family>.npz``."""

from __future__ import annotations

import inspect
import json
import math
from pathlib import Path

import numpy as np
import pytest

import backburner as bb
from backburner.nn import functional
from ops import CASES, ROWS, Array, Case
from ops._run import backward, close, evaluate, largest, leaves

autodiff = pytest.mark.feature_set("autodiff")
both_floats = pytest.mark.parametrize("dtype", ["float32", "float64"])
GOLDEN = Path(__file__).parent / "golden" / "ops"


@pytest.fixture
def device() -> bb.Device:
    return bb.Device.cpu().autodiff()


def golden() -> dict[str, dict[str, Array]]:
    """Return the parts of each case in the files, by its name."""
    found: dict[str, dict[str, Array]] = {}
    for path in sorted(GOLDEN.glob("*.npz")):
        with np.load(path) as file:
            index, values = json.loads(str(file["index"])), file["values"]
        start = 0
        for name, shapes in index:
            parts = found[name] = {}
            for part, shape in shapes.items():
                stop = start + math.prod(shape)
                parts[part] = values[start:stop].reshape(shape)
                start = stop
    return found


FROZEN = golden()
FROZEN_OPS = {name.split("-")[0] for name in FROZEN}
FROZEN_CASES = [case for case in CASES if str(case) in FROZEN]


def _frozen_inputs(case: Case, dtype: str) -> list[Array | None]:
    parts = FROZEN[str(case)]
    return [
        None if x is None else parts[f"input{i}"].astype(dtype if x.dtype.kind == "f" else x.dtype)
        for i, x in enumerate(case.arrays())
    ]


def test_every_case_of_an_op_that_pytorch_has_is_frozen() -> None:
    wanted = {str(case) for case in CASES if (case.row.name or case.row.op) in FROZEN_OPS and not case.empty}
    assert wanted == set(FROZEN)
    assert len(FROZEN_OPS) >= 40


RANDOM_OR_NOT_IN_PYTORCH = {
    "alpha_dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
    "dropout",
    "gumbel_softmax",
}


def test_every_neural_op_is_frozen_or_has_a_reason_not_to_be() -> None:
    frozen = {row.op for row in ROWS if (row.name or row.op) in FROZEN_OPS}
    neural = {
        name for name, f in vars(functional).items() if inspect.isfunction(f) and not name.startswith("_")
    }
    assert neural - frozen == RANDOM_OR_NOT_IN_PYTORCH


@pytest.mark.parametrize("case", FROZEN_CASES, ids=str)
@both_floats
def test_the_result_is_pytorchs(case: Case, dtype: str) -> None:
    for i, y in enumerate(evaluate(case, _frozen_inputs(case, dtype))):
        close(y, FROZEN[str(case)][f"output{i}"], dtype)


@autodiff
@pytest.mark.parametrize("case", [case for case in FROZEN_CASES if case.differentiable()], ids=str)
@both_floats
def test_the_gradient_is_pytorchs(case: Case, dtype: str, device: bb.Device) -> None:
    arrays, parts = _frozen_inputs(case, dtype), FROZEN[str(case)]
    marked = leaves(case, arrays, device)
    outputs = case.carried(case(*marked))
    grads = backward(outputs, [parts[f"cotangent{i}"].astype(y.dtype) for i, y in enumerate(outputs)])
    for i in case.differentiable():
        x = marked[i]
        assert x is not None
        wanted = parts[f"gradient{i}"]
        close(grads[x].numpy(), wanted, dtype, scale=largest(wanted))
