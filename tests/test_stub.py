"""Without the feature each way in says so, names the call, and gives the remedy; what needs none works."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import autodiff, nn

pytestmark = pytest.mark.feature_set("core", "locked", "broken")

METHODS = [
    name for name, f in vars(autodiff.AutodiffBackend).items() if inspect.isfunction(f) and name[0] != "_"
]
CALLS: dict[str, Callable[[], Any]] = {
    "Device.autodiff": lambda: bb.Device.cpu().autodiff(),
    "Device.gradient_checkpointing": lambda: bb.Device.cpu().gradient_checkpointing(),
    "Tensor.backward": lambda: bb.ones((2,)).backward(),
    "Tensor.require_grad": lambda: bb.ones((2,)).require_grad(),
    "Tensor.from_inner": lambda: bb.Tensor.from_inner(bb.ones((2,))),
    "value_and_grad": lambda: bb.value_and_grad(bb.sum),
    "grad": lambda: bb.grad(bb.sum),
    "Tensor.register_hook": lambda: bb.ones((2,)).register_hook(print),
    "detect_anomaly": lambda: bb.detect_anomaly(),
    "gradcheck": lambda: bb.gradcheck(bb.exp, bb.ones((2,), dtype="float64")),
    "checkpoint": lambda: bb.checkpoint(bb.exp, bb.ones((2,))),
    "backburner.optim.Adam": lambda: importlib.import_module("backburner.optim").Adam,
    "backburner.train.digits": lambda: importlib.import_module("backburner.train").digits,
}


def method(name: str) -> Callable[[], Any]:
    def call() -> Any:
        f = getattr(bb.AutodiffBackend(), name)
        needed = [p for p in inspect.signature(f).parameters.values() if p.default is p.empty and p.kind < 2]
        return f(*[np.ones(2)] * len(needed))

    return call


CALLS |= {f"AutodiffBackend.{name}": method(name) for name in METHODS}


@pytest.mark.parametrize("name", CALLS)
def test_each_way_in_raises_with_the_call_and_the_remedy(name: str) -> None:
    status = bb.features.status("autodiff")
    with pytest.raises(bb.FeatureError) as caught:
        CALLS[name]()
    error = caught.value
    assert str(error).startswith(f"Requires `autodiff` feature for {name}: ")
    assert str(error).endswith(status.remedy) and (error.state, error.call) == (status.state, name)
    assert isinstance(error, (ImportError, NotImplementedError))


def test_the_contract_has_the_methods_that_are_promised() -> None:
    assert {
        "backward", "grad", "grad_remove", "grad_replace", "inner", "from_inner", "require_grad", "detach",
        "is_tracked", "checkpoint",
    } <= set(METHODS)  # fmt: skip


def test_what_needs_no_feature_works() -> None:
    device, x = bb.Device.cpu(), bb.ones((2,))
    assert device.inner() is device and not device.is_autodiff()
    assert device.gradient_checkpointing_strategy() is None
    assert x.inner() is x and x.detach() is x and not x.is_tracked() and not x.is_require_grad()
    assert bb.AutodiffBackend().add(np.ones(1), np.ones(1)).tolist() == [2.0]
    assert not nn.Linear(2, 2).training and nn.Linear(2, 2).valid()(x).shape == (2,)
    assert not hasattr(importlib.import_module("backburner.optim"), "Adamw")
