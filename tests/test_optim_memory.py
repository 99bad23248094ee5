"""Whose memory a step writes to: nobody who holds a parameter's array may see it change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.optim import SGD, Adam
from backburner_autodiff.optim import _memory

pytestmark = pytest.mark.feature_set("autodiff")

every = pytest.mark.parametrize(
    "make",
    [
        lambda model: SGD(model, lr=0.1),
        lambda model: SGD(model, lr=0.1, momentum=0.9),
        lambda model: Adam(model, lr=0.1),
    ],
    ids=["sgd", "momentum", "adam"],
)
DEVICE = bb.Device.cpu().autodiff()


def parameter(values: Any, device: bb.Device = DEVICE, dtype: Any = None) -> nn.Parameter:
    return nn.Parameter(bb.tensor(values, dtype=dtype, device=device))


def ones_like(*parameters: bb.Tensor) -> bb.Gradients:
    """Return gradients that are 1 everywhere."""
    total = bb.zeros((), dtype=parameters[0].dtype)
    for p in parameters:
        total = total + p.sum()
    return total.backward()


HOLDERS: dict[str, Callable[[nn.Parameter], Any]] = {
    "np.asarray of the plain values": lambda w: np.asarray(w.inner()),
    "numpy": lambda w: w.numpy(),
    "a slice of it": lambda w: w.numpy()[:1],
    "inner": lambda w: w.inner(),
    "detach": lambda w: w.detach(),
    "a view of the parameter": lambda w: w._view(w.device.without_autodiff()),
    "a reshaped constant": lambda w: w.detach().reshape((3, 1)),
    "DLPack": lambda w: np.from_dlpack(w.inner()),
    "a memoryview": lambda w: memoryview(w._array()),
    "a tensor over the same variable": lambda w: bb.Tensor(w._primitive, w.device),
    "a recorded op's residual": lambda w: w * bb.tensor([1.0, 1.0, 1.0]) * w,
    "another parameter": lambda w: nn.Parameter(w.detach()),
}  # fmt: skip


def seen(holder: Any) -> list[float]:
    return (holder._array() if isinstance(holder, bb.Tensor) else np.asarray(holder)).ravel().tolist()


@every
@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
def test_nobody_who_holds_the_array_sees_it_change(hold: Any, make: Any) -> None:
    w = parameter([1.0, 2.0, 3.0])
    optimizer = make({"w": w})
    optimizer.step(ones_like(w))
    holder = hold(w)
    before = seen(holder)
    for _ in range(3):
        optimizer.step(ones_like(w))
    assert seen(holder) == before
    assert w.tolist()[:1] != before[:1]


def test_a_valid_view_keeps_the_weights_it_was_made_of() -> None:
    model = nn.Linear(3, 2).to(DEVICE)
    optimizer = Adam(model, lr=0.1)
    x = bb.ones((1, 3))
    optimizer.step(model(x).sum().backward())
    view = model.valid()
    before = view(x).tolist()
    optimizer.step(model(x).sum().backward())
    assert view(x).tolist() == before
    assert model.valid()(x).tolist() != before


def test_a_graph_that_is_retained_keeps_its_residuals() -> None:
    w, x = parameter([1.0, 2.0]), parameter([3.0, 4.0])
    product = (w * x).sum()
    first = product.backward(retain_graph=True)[x].tolist()
    residual = product._primitive.node.parents[0].vjps[1].__closure__[0].cell_contents
    assert residual is w._array()
    SGD({"w": w}, lr=1.0).step(ones_like(w))
    assert residual.tolist() == first


def test_data_that_became_a_parameter_without_a_copy_stays() -> None:
    data = np.ones(3, np.float32)
    w = nn.Parameter(bb.asarray(data, copy=False, device=DEVICE))
    SGD({"w": w}, lr=0.5).step(ones_like(w))
    assert (data.tolist(), w.tolist()) == ([1.0] * 3, [0.5] * 3)


@pytest.mark.parametrize("device", [DEVICE, bb.Device.cpu()], ids=str)
@pytest.mark.parametrize("kind", [SGD, Adam])
def test_an_array_that_nobody_else_holds_is_written_again(kind: Any, device: bb.Device) -> None:
    w = parameter([1.0, 2.0, 3.0], device)
    optimizer = kind({"w": w}, lr=0.1)
    places = set()
    for _ in range(10):
        optimizer.step({"w": bb.ones(3)})
        places.add(id(w._array()))
    assert len(places) == 1


def test_the_usual_loop_writes_the_same_memory_again() -> None:
    model = nn.Linear(3, 2).to(DEVICE)
    optimizer = Adam(model, lr=0.1)
    places = set()
    for _ in range(10):
        loss = model(bb.ones((4, 3))).square().mean()
        grads = loss.backward()
        optimizer.step(grads)
        places.add(id(model.weight._array()))
    assert len(places) == 1


@pytest.mark.parametrize("tracked", [True, False])
def test_one_reference_more_is_seen(tracked: bool) -> None:
    w = parameter([1.0], DEVICE if tracked else bb.Device.cpu())
    assert _memory.sole_owner(w)
    array = w._array()
    assert not _memory.sole_owner(w)
    del array
    variable = w._primitive
    assert not _memory.sole_owner(w)
    del variable
    assert _memory.sole_owner(w)


def test_a_frozen_parameter_on_an_autodiff_device_counts_like_a_plain_one() -> None:
    w = parameter([1.0])
    w._freeze(True)
    assert _memory.sole_owner(w)
    array = w._array()
    assert not _memory.sole_owner(w)
    del array


def test_where_counts_say_nothing_every_step_takes_new_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_memory, "_count", None)
    w = parameter([1.0])
    first = id(w._array())
    other = np.empty(1, np.float32)  # keeps malloc from giving the same place again
    SGD({"w": w}, lr=0.1).step(ones_like(w))
    assert id(w._array()) != first and other.size == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda a: np.asarray(memoryview(a)),
        lambda a: np.array(a.T, order="K", copy=True),
        lambda a: a.setflags(write=False) or a,
        lambda a: a[::-1],
    ],
    ids=["a buffer of somebody else's", "columns first", "read-only", "strided"],
)  # fmt: skip
def test_an_array_that_cannot_be_written_in_place_is_copied(change: Any) -> None:
    array = change(np.arange(4, dtype=np.float32).reshape(2, 2))
    before = array.copy()
    w = nn.Parameter(bb.Tensor(array, DEVICE))
    Adam({"w": w}, lr=1.0).step(ones_like(w))
    assert np.array_equal(array, before)
    np.testing.assert_allclose(w.numpy(), before - 1, atol=1e-6)
