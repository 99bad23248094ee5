"""The user's calls around graphs, on plain and autodiff devices."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner.device import Device
from devices import autodiff, device_of, leaf


@pytest.fixture
def recording() -> Device:
    return Device.cpu().autodiff()


def test_a_plain_tensor_answers_every_question_about_graphs() -> None:
    x = bb.tensor([1.0])
    assert not x.is_autodiff() and not x.is_tracked() and not x.is_require_grad()
    assert x.detach() is x and x.inner() is x and x.without_autodiff() is x and x.to(Device.cpu()) is x


@pytest.mark.feature_set("core", "locked", "broken")
@pytest.mark.parametrize(
    "call, use",
    [
        ("Tensor.require_grad", lambda x: x.require_grad()),
        ("Tensor.backward", lambda x: x.backward()),
        ("Tensor.grad_remove", lambda x: x.grad_remove(None)),
        ("Tensor.grad_replace", lambda x: x.grad_replace(None, x)),
        ("Tensor.from_inner", lambda x: bb.Tensor.from_inner(x)),
        ("value_and_grad", lambda x: bb.value_and_grad(lambda x: x)),
        ("grad", lambda x: bb.grad(lambda x: x)),
        ("checkpoint", lambda x: bb.checkpoint(lambda x: x, x)),
        ("Device.autodiff", lambda x: x.device.autodiff()),
        ("Device.gradient_checkpointing", lambda x: x.device.gradient_checkpointing()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_without_the_feature_each_call_says_what_it_needs(call: str, use: Callable[[bb.Tensor], Any]) -> None:
    with pytest.raises(bb.FeatureError) as caught:
        use(bb.tensor([1.0]))
    assert str(caught.value).startswith(f"Requires `autodiff` feature for {call}: ")
    assert caught.value.remedy and str(caught.value).endswith(caught.value.remedy)


@autodiff
def test_require_grad_makes_a_leaf_over_the_same_array(recording: Device) -> None:
    constant = bb.tensor([1.0, 2.0], device=recording)
    x = constant.require_grad()
    assert x is not constant and np.shares_memory(x.numpy(), constant.numpy())
    assert x.is_require_grad() and x.is_tracked() and x.is_autodiff() and x.require_grad() is x
    assert constant.is_autodiff() and not constant.is_tracked() and not constant.is_require_grad()
    y = x * 2
    assert y.is_tracked() and not y.is_require_grad()
    assert not (constant * 2).is_tracked() and (constant * 2).is_autodiff()


@autodiff
def test_a_detached_leaf_is_a_constant_over_the_same_array(recording: Device) -> None:
    x = leaf(recording)
    for y in (x.detach(), (x * 1.0).detach()):
        assert y.is_autodiff() and not y.is_tracked()
    assert np.shares_memory(x.detach().numpy(), x.numpy())
    assert (x * x.detach()).sum().backward()[x].tolist() == [1, 2, 3]


@autodiff
def test_inner_and_from_inner_leave_and_enter_the_context(recording: Device) -> None:
    x = leaf(recording)
    plain = (x * 2).inner()
    assert plain.device is Device.cpu() and not plain.is_autodiff()
    assert (x * 2).without_autodiff().tolist() == [2, 4, 6]
    back = bb.Tensor.from_inner(plain)
    assert (
        back.device is recording and not back.is_tracked() and np.shares_memory(back.numpy(), plain.numpy())
    )
    assert bb.Tensor.from_inner(back) is back


@autodiff
def test_to_moves_constants_between_contexts_over_the_same_array(recording: Device) -> None:
    x, balanced = bb.tensor([1.0]), recording.gradient_checkpointing()
    moved = x.to(recording).to(balanced).to(Device.cpu())
    assert moved.device is Device.cpu() and np.shares_memory(moved.numpy(), x.numpy())


@autodiff
@pytest.mark.parametrize("kind", ["autodiff", "balanced"])
def test_backward_is_seeded_with_ones_or_with_a_cotangent(kind: str) -> None:
    x = leaf(device_of(kind))
    assert (x * x).backward()[x].tolist() == [2, 4, 6]
    assert (x * x).backward(gradient=bb.tensor([1.0, 0.0, -1.0]))[x].tolist() == [2, 0, -6]
    assert (x * x).backward(bb.tensor([1.0, 1.0, 2.0], device=x.device))[x].tolist() == [2, 4, 12]
    assert x.backward()[x].tolist() == [1, 1, 1]


@autodiff
@pytest.mark.parametrize("kind", ["autodiff", "balanced"])
def test_B080_a_graph_that_is_retained_gives_the_same_again_and_one_that_is_not_is_consumed(
    kind: str,
) -> None:
    x = leaf(device_of(kind), 3.0)
    y = x * x
    assert [y.backward(retain_graph=True)[x].item() for _ in range(2)] == [6, 6]
    y.backward()
    with pytest.raises(bb.GraphError, match="consumed"):
        y.backward()
    with pytest.raises(bb.GraphError, match="consumed"):
        (y + 1).backward()


@autodiff
def test_a_second_backward_through_a_shared_part_is_refused_before_anything_is_consumed(
    recording: Device,
) -> None:
    x = leaf(recording)
    shared = x.exp()
    other = x * 2
    shared.sum().backward()
    both = shared + other
    with pytest.raises(bb.GraphError, match="consumed"):
        both.backward()
    assert other.backward()[x].tolist() == [2, 2, 2]


@autodiff
def test_gradients_are_keyed_by_leaf(recording: Device) -> None:
    x, y, unused = leaf(recording), leaf(recording), leaf(recording)
    grads = (x * y).sum().backward()
    assert grads[x].tolist() == [1, 2, 3] and grads[x].device is Device.cpu()
    assert grads.get(y) is not None and x.grad(grads) is not None
    assert x in grads and unused not in grads and bb.tensor(1.0) not in grads and "x" not in grads
    assert grads.get(unused) is None and unused.grad(grads) is None and bb.tensor(1.0).grad(grads) is None
    assert len(grads) == 2 and repr(grads) == "Gradients of 2 leaves"
    with pytest.raises(KeyError, match="does not depend"):
        grads[unused]


@autodiff
def test_a_gradient_can_be_taken_out_and_replaced(recording: Device) -> None:
    x = leaf(recording)
    grads = (x * x).backward()
    taken = x.grad_remove(grads)
    assert taken is not None and taken.tolist() == [2, 4, 6]
    assert x not in grads and x.grad_remove(grads) is None
    x.grad_replace(grads, bb.tensor([0.5, 0.5, 0.5]))
    assert grads[x].tolist() == [0.5, 0.5, 0.5]


@autodiff
def test_contexts_merge_and_plain_tensors_are_constants(recording: Device) -> None:
    x, plain = leaf(recording), bb.tensor([2.0, 2.0, 2.0])
    for y in (x * plain, plain * x):
        assert y.device is recording and y.backward()[x].tolist() == [2, 2, 2]
    assert (bb.tensor([1, 2, 3], device=recording) + 1).device is recording
    assert (x > 2).device is recording and not (x > 2).is_tracked()


@autodiff
def test_a_gradient_does_not_change_with_what_is_done_to_it_later(recording: Device) -> None:
    x = leaf(recording)
    grads = (x + x.sum()).backward()
    first = grads[x]
    assert not first.numpy().flags.writeable
    assert (first * 2).tolist() == [8, 8, 8] and grads[x].tolist() == [4, 4, 4]


@autodiff
def test_value_and_grad_takes_and_gives_plain_tensors(recording: Device) -> None:
    def f(x: bb.Tensor, y: bb.Tensor) -> bb.Tensor:
        return (x * x * y).sum()

    x, y = bb.tensor([1.0, 2.0]), bb.tensor([3.0, 4.0])
    for a in (x, x.to(recording)):
        value, dx = bb.value_and_grad(f)(a, y)
        assert (value.item(), dx.tolist()) == (19, [6, 16])
        assert value.device is Device.cpu() and dx.device is Device.cpu()
    value, (dx, dy) = bb.value_and_grad(f, argnums=(0, 1))(x, y)
    assert (dx.tolist(), dy.tolist()) == ([6, 16], [1, 4])
    assert bb.grad(f, argnums=1)(x, y).tolist() == [1, 4]
    assert bb.grad(lambda x: bb.tensor(1.0))(x).tolist() == [0, 0]
    (value, aux), dx = bb.value_and_grad(lambda x: (x.sum(), "aux"), has_aux=True)(x)
    assert (value.item(), aux, dx.tolist()) == (3, "aux", [1, 1])
    assert bb.grad(lambda x: (x.sum(), "aux"), has_aux=True)(x)[1] == "aux"


@autodiff
@pytest.mark.parametrize("kind", ["autodiff", "balanced"])
def test_a_checkpointed_region_is_run_again_in_the_backward_pass(kind: str) -> None:
    runs = []

    def region(x: bb.Tensor) -> bb.Tensor:
        runs.append(1)
        return x.exp().tanh()

    x, weight = leaf(device_of(kind)), leaf(device_of(kind))
    grads = (bb.checkpoint(lambda x: region(x) * weight, x)).backward()
    assert len(runs) == 2
    plain = (region(x) * weight).backward()
    assert grads[x].tolist() == plain[x].tolist() and grads[weight].tolist() == plain[weight].tolist()


@autodiff
def test_a_graph_dies_with_the_last_tensor_that_came_out_of_it(recording: Device) -> None:  # B081
    x = leaf(recording)
    y = x.exp()
    held = weakref.ref(y.numpy().base)
    z = y * 2
    gc.disable()
    try:
        del y
        assert held() is not None  # the rule of exp needs its result
        del z
        assert held() is None
    finally:
        gc.enable()
