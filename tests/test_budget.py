"""Gradient checkpointing within a budget of bytes: what is kept, what is computed again, and the same bits."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.nn import functional as F

pytestmark = pytest.mark.feature_set("autodiff")


class Counting:
    """A backend that counts the calls of its ops."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.inner = bb.NumpyBackend()

    def __getattr__(self, name: str) -> Any:
        op = getattr(self.inner, name)

        def call(*args: Any, **options: Any) -> Any:
            self.calls[name] += 1
            return op(*args, **options)

        return call


def recomputed(budget: int, program: Callable[[Any, Any], Any], x: Any) -> tuple[Counter[str], bytes]:
    """Return how often each op runs in the backward pass, and the bits of the gradient."""
    counting = Counting()
    backend: Any = bb.AutodiffBackend(counting, bb.GradientCheckpointing.budget(budget))  # type: ignore[arg-type]
    leaf = backend.require_grad(x)
    y = program(backend, leaf)
    counting.calls.clear()
    grads = backend.backward(y)
    return counting.calls, backend.grad(leaf, grads).tobytes()


def mixed(b: Any, x: Any) -> Any:
    """Two matrix products with cheap ops between them; each output has 4 kB."""
    w = np.linspace(-1, 1, 1024, dtype=np.float32).reshape(32, 32)
    y = b.tanh(b.matmul(x, w))
    y = b.exp(b.multiply(y, y))
    y = b.tanh(b.matmul(y, w))
    return b.sum(b.multiply(y, y), axis=(0, 1), keepdims=False)


X = np.random.default_rng(0).uniform(-1, 1, (32, 32)).astype(np.float32)


def test_with_room_for_all_nothing_is_computed_again() -> None:
    calls, _ = recomputed(1 << 20, mixed, X)
    assert calls.total() == 0


def test_what_is_cheap_for_its_size_goes_first() -> None:
    calls, _ = recomputed(5 * 4096, mixed, X)
    assert calls.total() > 0 and calls["matmul"] == 0
    calls, _ = recomputed(0, mixed, X)
    assert calls["matmul"] > 0


def test_a_smaller_budget_means_more_to_compute_and_the_same_bits() -> None:
    found = [recomputed(pages * 4096, mixed, X) for pages in (0, 2, 4, 6, 8, 20)]
    totals = [calls.total() for calls, _ in found]
    assert totals == sorted(totals, reverse=True) and totals[0] > totals[-1]
    assert len({gradient for _, gradient in found}) == 1


def chain(b: Any, x: Any, length: int = 200) -> Any:
    for _ in range(length):
        x = b.tanh(x)
    return b.sum(x, axis=(0, 1), keepdims=False)


def test_a_chain_in_the_room_of_its_root_is_computed_about_once_more() -> None:
    calls, gradient = recomputed(2 * 15 * 4096, chain, X)
    assert 100 < calls["tanh"] < 3 * 200
    assert gradient == recomputed(1 << 30, chain, X)[1]


def peak(device: bb.Device) -> int:
    """Return the most memory that a chain of 64 outputs of 1 MB takes, forward and backward."""
    x = bb.tensor(np.linspace(0, 1, 1 << 18, dtype=np.float32), device=device).require_grad()

    def train() -> None:
        y = x
        for _ in range(64):
            y = y.tanh()
        y.sum().backward()

    train()
    tracemalloc.start()
    train()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_memory_stays_near_the_budget_forward_and_backward() -> None:
    device = bb.Device.cpu().autodiff()
    everything, little = peak(device), peak(device.gradient_checkpointing(budget_bytes=16 << 20))
    assert everything > 60 << 20
    assert little < 24 << 20


def network(device: bb.Device) -> list[bytes]:
    device.seed(7)
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.GELU(), nn.Dropout(0.3), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(64, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 5),
    ).to(device)  # fmt: skip
    images = bb.random.normal((6, 1, 8, 8))
    hidden = bb.checkpoint(model, images.to(device))
    loss = F.cross_entropy(hidden + model(images), bb.tensor([0, 1, 2, 3, 4, 0]))
    grads = loss.backward()
    state = model.state_dict().values()
    return [t.numpy().tobytes() for t in (loss, *(grads[p] for p in model.parameters()), *state)]


@pytest.mark.parametrize("budget", [0, 1, 3_000, 20_000, 1 << 30])
def test_a_network_has_the_bits_of_plain_training_under_any_budget(budget: int) -> None:
    device = bb.Device.cpu().autodiff()
    assert network(device.gradient_checkpointing(budget_bytes=budget)) == network(device)


def test_a_graph_can_be_swept_twice_under_a_budget() -> None:
    device = bb.Device.cpu().autodiff()
    for budget in (0, 50, 1000):
        x = bb.tensor(
            [1.0, 2.0, 3.0], device=device.gradient_checkpointing(budget_bytes=budget)
        ).require_grad()
        y = (x.exp() * x).tanh().sum()
        first, second = (y.backward(retain_graph=True)[x].numpy().tobytes() for _ in range(2))
        assert first == second == y.backward()[x].numpy().tobytes()
        with pytest.raises(bb.GraphError, match="consumed"):
            y.backward()


def test_dropped_graphs_give_their_room_back() -> None:
    from backburner_autodiff.budget import Budgeted

    device = bb.Device.cpu().autodiff().gradient_checkpointing(budget_bytes=10_000_000)
    x = bb.ones((1000,), device=device).require_grad()
    y = x.exp()
    node = y._primitive.node
    assert isinstance(node, Budgeted)
    ledger = node.ledger
    start = ledger.total
    for _ in range(3000):
        y = x.exp().tanh()
    del y, node
    gc.collect()
    x.exp()  # counts what was given back
    assert ledger.total <= start + 4000
    assert len(ledger._heap) < 300


def test_an_output_that_many_ops_use_makes_no_one_set_of_them() -> None:
    def program(b: Any, x: Any) -> Any:
        shared = b.exp(x)
        y = shared
        for _ in range(60):
            y = b.multiply(b.add(b.tanh(shared), y), shared)
        return b.sum(y, axis=(0, 1), keepdims=False)

    calls, gradient = recomputed(30 * 4096, program, X * 0.1)
    assert calls.total() < 180 * 8  # about 180 * 60 if all of them look equally dear
    assert gradient == recomputed(1 << 30, program, X * 0.1)[1]


def test_an_output_that_is_used_again_and_again_does_not_grow() -> None:
    device = bb.Device.cpu().autodiff().gradient_checkpointing(budget_bytes=1000)
    y = bb.ones((4,), device=device).require_grad().exp()
    node = y._primitive.node
    users = [y * 2.0 for _ in range(5)]
    for _ in range(100):
        y * 2.0
    assert len(node.children) <= 8 and not node.shared
    users += [y * 2.0 for _ in range(5)]
    assert node.shared and not node.children


@pytest.mark.parametrize("budget", [0, None])
def test_an_input_that_the_rule_does_not_look_at_is_not_computed_again(budget: int | None) -> None:
    def program(b: Any, x: Any) -> Any:
        for _ in range(5):
            x = b.add(x, b.negative(x))
        return b.exp(x)

    strategy = (
        bb.GradientCheckpointing.BALANCED if budget is None else bb.GradientCheckpointing.budget(budget)
    )
    counting = Counting()
    backend: Any = bb.AutodiffBackend(counting, strategy)  # type: ignore[arg-type]
    y = backend.add(program(backend, backend.require_grad(X)), X)
    counting.calls.clear()
    backend.backward(y)
    assert counting.calls == Counter(add=5, negative=5, exp=1)


def test_a_long_chain_is_dropped_and_swept_without_recursion() -> None:
    device = bb.Device.cpu().autodiff().gradient_checkpointing(budget_bytes=1000)
    x = bb.tensor([1.0], device=device).require_grad()
    y = x
    for _ in range(5_000):
        y = y + 0.001
    assert y.sum().backward()[x].item() == 1.0
    for _ in range(30_000):
        y = y + 0.001
    del y


def test_each_thread_has_a_budget_of_its_own() -> None:
    device = bb.Device.cpu().autodiff().gradient_checkpointing(budget_bytes=100_000)
    ledgers = []

    def work() -> None:
        x = bb.ones((10,), device=device).require_grad()
        y = x.exp()
        ledgers.append(y._primitive.node.ledger)
        y.sum().backward()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledgers[0] is not ledgers[1]


def test_a_graph_may_be_swept_by_another_thread_while_its_own_goes_on() -> None:
    device = bb.Device.cpu().autodiff().gradient_checkpointing(budget_bytes=2000)
    x = bb.tensor(np.linspace(-1, 1, 40, dtype=np.float32), device=device).require_grad()

    def program() -> bb.Tensor:
        y = x
        for _ in range(20):
            y = (y.exp() * 0.1 + y.tanh()) * 0.5
        return y.sum()

    expected, found = program().backward()[x].numpy().tobytes(), []
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for _ in range(10):
            y = program()
            thread = threading.Thread(target=lambda y=y: found.append(y.backward()[x].numpy().tobytes()))
            thread.start()
            program()
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert found == [expected] * 10


def test_a_budget_is_a_value() -> None:
    assert bb.GradientCheckpointing.budget(np.int64(100)) == bb.GradientCheckpointing.budget(100)  # type: ignore[arg-type]
    device = bb.Device.cpu().autodiff()
    budget = bb.GradientCheckpointing.budget(100)
    assert device.gradient_checkpointing(budget_bytes=100) is device.gradient_checkpointing(budget)
    assert device.gradient_checkpointing(budget_bytes=100) != device.gradient_checkpointing(budget_bytes=101)
    assert budget == bb.GradientCheckpointing.budget(100) != bb.GradientCheckpointing.BALANCED
    assert repr(budget) == "GradientCheckpointing.budget(100)"
    assert device.gradient_checkpointing(budget_bytes=100).gradient_checkpointing_strategy() == budget
