"""Hooks, anomaly mode and ``gradcheck``: looking at gradients, and for their faults."""

from __future__ import annotations

import contextvars
import gc
import math
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.optim import SGD

pytestmark = pytest.mark.feature_set("autodiff")
of_nan = pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")

DEVICES = {
    "kept": lambda: bb.Device.cpu().autodiff(),
    "recomputed": lambda: bb.Device.cpu().autodiff().gradient_checkpointing(),
}


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> bb.Device:
    made: bb.Device = DEVICES[request.param]()
    return made


def leaf(values: Any, device: bb.Device) -> bb.Tensor:
    return bb.tensor(values, dtype="float32", device=device).require_grad()


# -- hooks


def test_a_hook_sees_the_whole_gradient_of_an_intermediate_result(device: bb.Device) -> None:
    x, seen = leaf([1.0, 2.0], device), []
    y = x * 3
    y.register_hook(lambda g: seen.append(g))
    (y * y + y).sum().backward()
    assert [g.tolist() for g in seen] == [[7.0, 13.0]]
    assert not seen[0].is_autodiff()


def test_what_a_hook_returns_takes_the_gradients_place(device: bb.Device) -> None:
    x = leaf([1.0, 2.0], device)
    y = x * 3
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: -g)
    assert y.sum().backward()[x].tolist() == [-33.0, -33.0]


def test_a_hook_belongs_to_one_of_several_outputs(device: bb.Device) -> None:
    x = leaf([1.0, 2.0, 3.0], device)
    first, second = bb.split(x, [1, 2])
    first.register_hook(lambda g: g * 10)
    assert (bb.concat([first, second]) * 2).sum().backward()[x].tolist() == [20.0, 2.0, 2.0]


def test_a_hook_that_was_taken_away_or_not_reached_is_not_called(device: bb.Device) -> None:
    x, seen = leaf([1.0], device), []
    remove = x.register_hook(seen.append)
    other = leaf([1.0], device)
    other.register_hook(seen.append)
    remove()
    remove()
    x.sum().backward()
    assert seen == []


def test_a_hook_is_called_once_in_each_backward(device: bb.Device) -> None:
    x, seen = leaf([1.0], device), []
    x.register_hook(lambda g: seen.append(g.item()))
    y = (x * x).sum()
    for _ in range(3):
        y.backward(retain_graph=True)
    assert seen == [2.0] * 3


def test_hooks_work_in_and_on_a_checkpointed_region(device: bb.Device) -> None:
    x, seen = leaf([2.0], device), []

    def region(x: bb.Tensor) -> bb.Tensor:
        y = x * x
        y.register_hook(lambda g: seen.append(("inside", g.item())))
        return y * 3

    z = bb.checkpoint(region, x)
    z.register_hook(lambda g: g * 2)
    assert z.sum().backward()[x].item() == 24.0
    assert seen == [("inside", 6.0)]


def test_a_parameter_keeps_its_hooks_over_a_step() -> None:
    layer, seen = nn.Linear(2, 1, bias=False).to(bb.Device.cpu().autodiff()), []
    layer.weight.register_hook(lambda g: seen.append(g.tolist()))
    opt = SGD(layer, lr=0.1)
    for _ in range(2):
        opt.step(layer(bb.tensor([[1.0, 2.0]])).sum().backward())
    assert seen == [[[1.0, 2.0]]] * 2


def test_a_hook_that_fails_leaves_everything_usable(device: bb.Device) -> None:
    x = leaf([1.0], device)
    y = x * 2

    def fail(g: bb.Tensor) -> None:
        raise KeyError("mine")

    remove = y.register_hook(fail)
    z = y.sum()
    with pytest.raises(KeyError, match="mine"):
        z.backward()
    with pytest.raises(bb.GraphError, match="consumed"):
        z.backward()
    remove()
    assert (x * 2).sum().backward()[x].item() == 2.0


@pytest.mark.parametrize("region", [False, True])
def test_a_hook_that_consumes_what_the_sweep_still_needs_is_an_error(device: bb.Device, region: bool) -> None:
    x = leaf([1.0], device)
    y = bb.checkpoint(lambda x: x.exp() * 2, x) if region else x.exp()
    z, w = y * 3, y * y
    z.register_hook(lambda g: y.backward() and None)
    with pytest.raises(bb.GraphError, match="the graph is consumed"):
        (z + w).backward()
    z = (v := x.exp()) * 3
    z.register_hook(lambda g: v.backward(retain_graph=True)[x])
    assert z.backward()[x].item() == pytest.approx(3 * math.exp(2))


def test_a_parameter_keeps_its_hooks_over_a_move_to_another_strategy(device: bb.Device) -> None:
    layer, seen = nn.Linear(1, 1, bias=False).to(bb.Device.cpu().autodiff()), []
    remove = layer.weight.register_hook(lambda g: seen.append(g.item()))
    old = layer(bb.tensor([[3.0]]))
    layer.to(device.gradient_checkpointing(budget_bytes=10))
    layer(bb.tensor([[2.0]])).backward()
    with pytest.raises(bb.GraphError, match="has been changed since"):
        old.backward()
    remove()
    layer(bb.tensor([[2.0]])).backward()
    assert seen == [2.0]


def test_what_a_sweep_leaves_out_is_let_go(device: bb.Device) -> None:
    x, kept = leaf([1.0, 2.0], device), bb.tensor([3.0, 4.0])
    array = weakref.ref(kept._primitive)
    y = bb.checkpoint(lambda x, c: x.exp() * c, x * kept, kept)
    used, _ = bb.checkpoint(lambda x: (x.exp(), y * 2), x)
    del kept
    used.backward()
    gc.collect()
    assert array() is None


# -- anomaly mode


@of_nan
def test_a_result_with_nan_names_the_op_and_the_line_of_the_first(device: bb.Device) -> None:
    x = leaf([4.0, -1.0], device)
    with bb.detect_anomaly(), pytest.raises(bb.AnomalyError) as caught:
        y = x.sqrt()  # here
        (y * 2).exp().sum().backward()
    told = str(caught.value)
    assert told.startswith(
        "backward: the result has NaN. The first seen came out of 'sqrt'. It was recorded at test_debug.py:"
    )
    assert told.endswith("y = x.sqrt()  # here")


@of_nan
def test_a_gradient_that_becomes_nan_names_the_op_whose_rule_made_it(device: bb.Device) -> None:
    x = leaf([0.0, 1.0], device)
    with bb.detect_anomaly(), pytest.raises(bb.AnomalyError) as caught:
        y = x * bb.tensor([0.0, 1.0])  # 0 times the infinite slope of the root
        y.sqrt().sum().backward()
    told = str(caught.value)
    assert told.startswith(
        "backward: 'multiply' made NaN of a gradient that had none. It was recorded at test_debug.py:"
    )
    assert told.endswith("y = x * bb.tensor([0.0, 1.0])  # 0 times the infinite slope of the root")


@of_nan
def test_nan_that_a_mask_leaves_out_is_no_anomaly(device: bb.Device) -> None:
    x = leaf([4.0, -1.0], device)
    with bb.detect_anomaly():
        grads = bb.where(x > 0, x.log(), 0.0).sum().backward()
    assert grads[x].tolist() == [0.25, 0.0]


@of_nan
def test_eager_anomaly_mode_stops_in_the_forward_pass(device: bb.Device) -> None:
    x = leaf([4.0, -1.0], device)
    with (
        bb.detect_anomaly(eager=True),
        pytest.raises(bb.AnomalyError, match="^log: the result has NaN, the inputs"),
    ):
        x.log()
    bad = leaf([math.nan], device)
    with bb.detect_anomaly(eager=True):
        bad.exp()


@of_nan
def test_the_line_inside_a_checkpointed_region_is_named(device: bb.Device) -> None:
    x = leaf([-1.0], device)
    with bb.detect_anomaly(), pytest.raises(bb.AnomalyError) as caught:
        bb.checkpoint(lambda x: x.exp() + x.log() * 2, x).sum().backward()
    assert "came out of 'log'" in str(caught.value)


@of_nan
def test_what_came_from_before_or_from_a_leaf_or_a_cotangent_is_told(device: bb.Device) -> None:
    x = leaf([-1.0], device)
    y = x.log()
    with bb.detect_anomaly():
        z = y * 2
        with pytest.raises(bb.AnomalyError, match="The first seen came out of 'multiply'"):
            z.backward()
        with pytest.raises(bb.AnomalyError, match="A leaf of shape .1. has it"):
            (leaf([math.nan], device) * 2).backward()
        with pytest.raises(bb.AnomalyError, match="the gradient that was given has NaN"):
            (x * 2).backward(bb.tensor([math.nan]))
    w = x * 0 / 0.0
    with (
        bb.detect_anomaly(),
        pytest.raises(bb.AnomalyError, match="Put the forward pass inside detect_anomaly"),
    ):
        w.backward()


@of_nan
def test_the_mode_ends_with_its_block_also_after_an_error_and_is_this_threads_own(device: bb.Device) -> None:
    x, found = leaf([-1.0], device), []

    def elsewhere() -> None:
        found.append(bb.log(x).sum().backward()[x].item())

    with pytest.raises(ZeroDivisionError), bb.detect_anomaly():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        raise ZeroDivisionError
    assert found == [-1.0]
    assert x.log().sum().backward()[x].item() == -1.0


@of_nan
def test_a_consumed_graph_with_nan_says_that_it_is_consumed(device: bb.Device) -> None:
    with bb.detect_anomaly():
        y = leaf([-1.0], device).log() * 2
    y.backward()
    with bb.detect_anomaly(), pytest.raises(bb.GraphError, match="the graph is consumed"):
        y.backward()


@of_nan
def test_blocks_that_end_in_another_order_or_place_leave_nothing_behind(device: bb.Device) -> None:
    def block(eager: bool) -> Iterator[None]:
        with bb.detect_anomaly(eager):
            yield

    first, second = block(True), block(False)
    next(first), next(second)
    first.close()  # type: ignore[attr-defined]
    y = leaf([-1.0], device).log()  # the eager one is over
    with pytest.raises(bb.AnomalyError, match="the result has NaN"):
        y.backward()
    second.close()  # type: ignore[attr-defined]
    leaf([-1.0], device).log().backward(bb.tensor([math.nan]))
    mode = bb.detect_anomaly()
    contextvars.copy_context().run(mode.__enter__)
    mode.__exit__(None, None, None)
    with mode, mode, pytest.raises(bb.AnomalyError):
        leaf([-1.0], device).log().backward()
    leaf([-1.0], device).log().backward()


# -- gradcheck


def f64(*shape: int) -> bb.Tensor:
    return bb.tensor(np.random.default_rng(3).uniform(0.5, 2, shape), dtype="float64")


@pytest.mark.parametrize("directional", [False, True])
def test_gradcheck_agrees_with_right_gradients(directional: bool) -> None:
    def f(x: bb.Tensor, y: bb.Tensor, n: int) -> tuple[bb.Tensor, bb.Tensor]:
        return (x @ y).tanh() * n, nn.functional.dropout(x, 0.5).log1p()

    assert bb.gradcheck(f, f64(2, 3), f64(3, 2), 4, directional=directional)


@pytest.mark.parametrize("directional", [False, True])
def test_gradcheck_finds_a_wrong_gradient(directional: bool) -> None:
    def f(x: bb.Tensor) -> bb.Tensor:
        return x * x.detach()

    with pytest.raises(bb.GradcheckError, match="by the graph and"):
        bb.gradcheck(f, f64(3), directional=directional)
    assert bb.gradcheck(f, f64(3), directional=directional, raise_exception=False) is False


def test_gradcheck_sees_one_wrong_element_among_many() -> None:
    def f(x: bb.Tensor) -> bb.Tensor:
        return bb.concat([x[:5], x[5:6].detach(), x[6:]]).square()

    with pytest.raises(bb.GradcheckError, match=r"d output 0\[5\] / d input 0\[5\] is 0 by the graph and"):
        bb.gradcheck(f, f64(8))


def test_gradcheck_refuses_a_result_too_coarse_for_differences() -> None:
    with pytest.raises(bb.DTypeError, match="f returned float32, too coarse"):
        bb.gradcheck(lambda x: x.astype("float32").exp(), f64(2))


def test_gradcheck_wants_a_function_of_its_inputs_alone() -> None:
    calls = iter(range(100))
    with pytest.raises(bb.GradcheckError, match="another result when it is called again"):
        bb.gradcheck(lambda x: x * next(calls), f64(2))
