"""Gradient checkpointing: less is kept, and every bit stays."""

from __future__ import annotations

import tracemalloc
import weakref
from collections.abc import Callable

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.nn import functional as F

pytestmark = pytest.mark.feature_set("autodiff")
DISABLED = bb.GradientCheckpointing.DISABLED


def devices() -> tuple[bb.Device, bb.Device]:
    plain = bb.Device.cpu().autodiff()
    return plain, plain.gradient_checkpointing()


def convnet(device: bb.Device, checkpoint: bool) -> list[bytes]:
    """One step's loss, gradients and buffers as bytes."""
    device.seed(11)
    body = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.GELU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.3),
    ).to(device)
    head = nn.Sequential(nn.Linear(64, 16), nn.LayerNorm(16), nn.Tanh(), nn.Linear(16, 5)).to(device)
    x = bb.random.normal((6, 1, 8, 8)).to(device)
    hidden = bb.checkpoint(body, x) if checkpoint else body(x)
    loss = F.cross_entropy(head(F.dropout(hidden, 0.2)), bb.tensor([0, 1, 2, 3, 4, 0]))
    grads = loss.backward()
    found = [grads[p] for p in (*body.parameters(), *head.parameters())]
    state = [*body.state_dict().values()]
    return [t.numpy().tobytes() for t in (loss, *found, *state)]


def test_balanced_and_regions_give_the_bits_of_plain_training() -> None:
    plain, balanced = devices()
    expected = convnet(plain, False)
    assert convnet(plain, True) == expected
    assert convnet(balanced, False) == expected
    assert convnet(balanced, True) == expected


def nested(device: bb.Device, depth: int) -> tuple[bytes, ...]:
    device.seed(5)
    w = bb.tensor(np.linspace(-1, 1, 12).reshape(3, 4), dtype="float32", device=device).require_grad()
    x = bb.tensor(np.linspace(0, 1, 12).reshape(4, 3), dtype="float32", device=device).require_grad()

    def inner(x: bb.Tensor) -> bb.Tensor:
        return F.dropout((x @ w).tanh(), 0.5)

    def outer(x: bb.Tensor) -> bb.Tensor:
        return F.dropout(bb.checkpoint(inner, x) if depth > 1 else inner(x), 0.3) * w.sum()

    y = bb.checkpoint(outer, x) if depth else outer(x)
    grads = (F.dropout(y, 0.5) * w.sum()).sum().backward()
    return y.numpy().tobytes(), grads[w].numpy().tobytes(), grads[x].numpy().tobytes()


def test_nested_regions_replay_their_random_draws_and_reach_closed_over_leaves() -> None:
    plain, balanced = devices()
    results = {nested(device, depth) for device in (plain, balanced) for depth in (0, 1, 2)}
    assert len(results) == 1


def test_the_mask_of_a_recomputed_dropout_is_the_forward_mask() -> None:
    for device in devices():  # B083
        x = bb.ones((64,), device=device).require_grad()
        y = bb.checkpoint(lambda x: F.dropout(x, 0.5) * 1.0, x)
        F.dropout(bb.ones((8,)), 0.5)  # other draws in between
        assert y.sum().backward()[x].tolist() == y.tolist()


def test_balanced_keeps_no_memory_bound_output() -> None:
    plain, balanced = devices()
    alive = {}
    for device in (plain, balanced):
        x = bb.ones((1000,), device=device).require_grad()
        y = x.exp()
        held = weakref.ref(y._primitive.value)
        z = (y * y).sum()
        del y
        alive[device] = held() is not None
        z.backward()
    assert alive == {plain: True, balanced: False}


def peak(device: bb.Device, f: Callable[[bb.Tensor], bb.Tensor]) -> int:
    x = bb.ones((100_000,), dtype="float64", device=device).require_grad()
    tracemalloc.start()
    y = f(x)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    y.backward()
    return kept


def test_both_kinds_keep_less_than_plain_training() -> None:
    plain, balanced = devices()

    def chain(x: bb.Tensor) -> bb.Tensor:
        for _ in range(10):
            x = (x * 0.5).tanh().exp() * 0.1
        return x

    usual = peak(plain, chain)
    assert peak(balanced, chain) < usual / 5
    assert peak(plain, lambda x: bb.checkpoint(chain, x)) < usual / 5


def test_a_long_chain_of_memory_bound_ops_is_recomputed_without_recursion() -> None:
    _, balanced = devices()
    x = bb.tensor(1.0, device=balanced).require_grad()
    y = x
    for _ in range(50_000):
        y = y * 1.0
    assert y.backward()[x].item() == 1.0


def test_what_the_sweep_recomputes_it_recomputes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    _, balanced = devices()
    from backburner_autodiff.checkpoint import Lazy

    x = bb.tensor([0.5], device=balanced).require_grad()
    y = x.exp()
    node = y._primitive.node
    assert isinstance(node, Lazy)
    calls = []
    forward = node.forward
    node.forward = lambda *a, **k: (calls.append(1), forward(*a, **k))[1]
    z = y * y + y * y.tanh() + y.exp()
    del y
    z.sum().backward()
    assert len(calls) == 1


def test_a_region_may_return_a_tuple_with_what_has_no_gradient() -> None:
    for device in devices():  # B086
        x = bb.tensor([3.0, 1.0], device=device).require_grad()
        y, best, note, unused = bb.checkpoint(lambda x: (x * x, x.argmax(), "note", x.exp()), x)
        assert (best.item(), note) == (0, "note") and unused.is_tracked()
        assert y.sum().backward()[x].tolist() == [6.0, 2.0]


def test_a_region_that_gives_back_its_input_passes_the_gradient() -> None:
    for device in devices():
        x = bb.tensor([3.0, 1.0], device=device).require_grad()
        assert (bb.checkpoint(lambda x: x, x) * 2.0).sum().backward()[x].tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "change", ["shape", "more tensors", "fewer tensors", "more draws", "fewer draws", "values"]
)
def test_a_region_that_does_something_else_the_second_time_is_an_error(change: str) -> None:
    device = devices()[0]
    x = bb.tensor([3.0, 1.0], device=device).require_grad()
    other = bb.tensor([1.0, 1.0], device=device).require_grad()
    runs: list[int] = []

    def region(x: bb.Tensor) -> bb.Tensor:
        runs.append(1)
        again = len(runs) > 1
        if change == "shape":
            return (x * 2.0).sum() if again else x * 2.0
        if change == "values":
            return x * float(len(runs))
        if change.endswith("draws"):
            F.dropout(x, 0.5)
            if again == (change == "more draws"):
                F.dropout(x, 0.5)
            return x * 2.0
        return x * other if again == (change == "more tensors") else x * 1.0

    y = bb.checkpoint(region, x)
    with pytest.raises(bb.GraphError, match="same each time"):
        y.sum().backward()


def test_a_constant_that_changed_since_is_noticed() -> None:
    device = devices()[0]
    weight = nn.Parameter(bb.tensor([2.0], device=device))
    x = bb.tensor([3.0], device=device).require_grad()
    y = bb.checkpoint(lambda x: x * weight.detach(), x)
    weight.assign(np.array([100.0], np.float32))
    with pytest.raises(bb.GraphError, match="another result"):
        y.backward()


def test_a_consumed_region_holds_nothing() -> None:
    device = devices()[0]
    x = bb.ones((3,), device=device).require_grad()
    big = bb.ones((3,))
    held = weakref.ref(big)
    y = bb.checkpoint(lambda x, big=big: x * big, x)
    del big
    assert held() is not None
    y.sum().backward()
    assert held() is None and y is not None


def test_a_region_of_a_plain_batch_trains_the_module_and_keeps_structures() -> None:
    for device in devices():
        model = nn.Linear(2, 2).to(device)
        found = bb.checkpoint(lambda x, model=model: {"y": [model(x), (x, 3)]}, bb.ones((4, 2)))
        assert found["y"][1][1] == 3 and not found["y"][1][0].is_autodiff()
        assert model.weight in found["y"][0].sum().backward()


def test_results_that_the_region_did_not_make_pass_through_and_twins_are_one() -> None:
    for device in devices():
        x = bb.tensor([3.0, 1.0], device=device).require_grad()
        y, same, _ = bb.checkpoint(lambda x: ((y := x * x), x, y), x)
        assert same.is_require_grad()
        a, b = bb.checkpoint(lambda x: ((y := x * x), y), x)
        assert (a * 2.0 + b).sum().backward()[x].tolist() == [18.0, 6.0]
        assert y.sum().backward()[x].tolist() == [6.0, 2.0]


def test_results_of_two_dtypes_are_refused() -> None:
    x = bb.tensor([3.0], device=devices()[0]).require_grad()
    with pytest.raises(bb.GraphError, match="different dtypes: float32, float64"):
        bb.checkpoint(lambda x: (x * 2.0, x.astype("float64")), x)


def test_on_a_plain_device_a_region_is_just_called() -> None:
    assert bb.checkpoint(lambda x: x * 2.0, bb.ones((2,))).device is bb.Device.cpu()


def test_buffers_of_a_region_change_once() -> None:
    for device in devices():
        norm = nn.BatchNorm1d(3).to(device)
        counter = nn.Buffer(bb.zeros((), device=device))

        def region(x: bb.Tensor, norm: nn.Module = norm, counter: nn.Buffer = counter) -> bb.Tensor:
            counter.assign(counter + 1.0)
            return norm(x) * counter

        x = bb.random.normal((8, 3)).to(device).require_grad()
        bb.checkpoint(region, x).sum().backward()
        assert norm.num_batches_tracked is not None and norm.num_batches_tracked.item() == 1
        assert counter.item() == 1.0


def test_retain_graph_recomputes_again() -> None:
    for device in devices():
        x = bb.tensor([2.0], device=device).require_grad()
        y = bb.checkpoint(lambda x: (x * x).exp().log(), x).tanh().exp()
        first = y.backward(retain_graph=True)[x].tolist()
        assert y.backward()[x].tolist() == first
        with pytest.raises(bb.GraphError, match="consumed"):
            y.backward()


def test_two_strategies_do_not_meet() -> None:
    plain, balanced = devices()
    with pytest.raises(bb.DeviceError, match="Gradient checkpointing strategy mismatch"):
        bb.ones((2,), device=plain) + bb.ones((2,), device=balanced)
    assert balanced.gradient_checkpointing(DISABLED) is plain
