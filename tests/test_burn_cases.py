"""Gradients as Burn's own tests expect them, kept in full, by the balanced strategy and within no bytes at all."""

from __future__ import annotations

import numpy as np
import pytest

import backburner as bb
from burn_cases import CASES, Case

pytestmark = pytest.mark.feature_set("autodiff")

PLAIN = bb.Device.cpu()
KINDS = {
    "plain": lambda: PLAIN.autodiff(),
    "balanced": lambda: PLAIN.autodiff().gradient_checkpointing(),
    "no budget": lambda: PLAIN.autodiff().gradient_checkpointing(budget_bytes=0),
}


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_gradients_are_those_that_burn_expects(case: Case) -> None:
    assert len(case.inputs) == len(case.grads)
    for kind, make in KINDS.items():
        device = make()
        inputs = [bb.tensor(np.asarray(values), dtype="float32", device=device) for values in case.inputs]
        leaves = [x if grad is None else x.require_grad() for x, grad in zip(inputs, case.grads, strict=True)]
        found = case.program(*leaves).backward()
        for at, (x, grad) in enumerate(zip(leaves, case.grads, strict=True)):
            if grad is None:
                continue
            got = found[x].numpy()
            assert (got.shape, got.dtype) == (x.shape, np.float32)
            part = got[case.pick]
            expected = np.broadcast_to(np.asarray(grad, dtype=np.float64), part.shape)
            np.testing.assert_allclose(part, expected, 1e-4, 1e-4, err_msg=f"input {at}, {kind}")


def test_every_case_has_its_own_name() -> None:
    names = [case.name for case in CASES]
    assert sorted(set(names)) == sorted(names)
