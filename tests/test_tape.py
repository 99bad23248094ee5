"""The graph and the sweep: what must hold for any op."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import backburner as bb

pytestmark = pytest.mark.feature_set("autodiff")


@pytest.fixture
def device() -> bb.Device:
    return bb.Device.cpu().autodiff()


def leaf(values: object, device: bb.Device, dtype: object = None) -> bb.Tensor:
    return bb.tensor(values, dtype=dtype, device=device).require_grad()


def test_b077_a_chain_of_a_million_nodes_runs_backward_and_is_freed(device: bb.Device) -> None:
    x = leaf(1.0, device, "float64")
    y = x
    gc.disable()  # it would walk the growing graph again and again
    try:
        for _ in range(1_000_000):
            y = y + 0.5
        grads = y.backward()
        assert grads[x].item() == 1.0
        del y, grads
        y = x
        for _ in range(1_000_000):
            y = y * 1.0
        del y  # never run backward: nothing recurses here either
    finally:
        gc.enable()


def test_forward_only_loops_keep_memory_flat_without_the_collector(device: bb.Device) -> None:
    weight = leaf(np.ones((16, 16), np.float32), device)
    x = bb.ones((4, 16))

    def step() -> None:
        ((x @ weight).relu() * 2.0).sum()

    for _ in range(50):
        step()
    gc.disable()
    try:
        objects = len(gc.get_objects())
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(10_000):
            step()
        grown = tracemalloc.get_traced_memory()[0] - before
        assert len(gc.get_objects()) - objects < 100
    finally:
        tracemalloc.stop()
        gc.enable()
    assert grown < 50_000


def test_a_graph_dies_with_its_last_tensor_and_leaves_no_cycle(device: bb.Device) -> None:
    x = leaf(np.ones(4, np.float32), device)
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        y = (x * 2.0).exp().sum()
        assert len(gc.get_objects()) > before
        del y
        assert len(gc.get_objects()) <= before
    finally:
        gc.enable()


def test_a_second_backward_is_an_error_that_names_the_remedy(device: bb.Device) -> None:
    x = leaf(3.0, device)
    y = x * x
    y.backward()
    with pytest.raises(bb.GraphError, match="consumed.*retain_graph=True"):
        y.backward()


def test_a_second_backward_through_a_shared_part_gives_no_partial_gradients(device: bb.Device) -> None:
    x = leaf(3.0, device)
    shared = x * x
    first, second = shared * 2.0, shared * 3.0
    assert first.backward()[x].item() == 12.0
    with pytest.raises(bb.GraphError, match="consumed"):
        second.backward()


def test_retain_graph_gives_each_backward_its_own_gradients(device: bb.Device) -> None:
    x = leaf(3.0, device)  # B080
    y = x * x
    assert y.backward(retain_graph=True)[x].item() == 6.0
    assert y.backward(retain_graph=True)[x].item() == 6.0
    assert y.backward()[x].item() == 6.0
    with pytest.raises(bb.GraphError, match="consumed"):
        y.backward()


def test_a_refused_backward_consumes_nothing(device: bb.Device) -> None:
    x = leaf(3.0, device)
    used = x * x
    fresh = x * 5.0
    used.backward()
    with pytest.raises(bb.GraphError):
        (used + fresh).backward()
    assert fresh.backward()[x].item() == 5.0


def test_an_exception_in_the_sweep_leaves_other_graphs_usable_and_its_own_consumed(
    device: bb.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    from backburner_autodiff import tape  # B087

    x, z = leaf(2.0, device), leaf(5.0, device)
    y = x * z
    with monkeypatch.context() as patch:
        patch.setattr(tape.Sweep, "give", lambda *a: (_ for _ in ()).throw(MemoryError))
        with pytest.raises(MemoryError):
            y.backward()
    assert (x * z).backward()[x].item() == 5.0

    def boom(g: object) -> object:
        raise MemoryError

    y = (x * z) * 1.0
    node = y._primitive.node
    node.vjps = (boom,)
    with pytest.raises(MemoryError):
        y.backward()
    with pytest.raises(bb.GraphError, match="consumed"):
        y.backward()
    assert (x * z).backward()[z].item() == 2.0


def test_a_non_scalar_is_seeded_with_ones_and_another_cotangent_can_be_given(device: bb.Device) -> None:
    x = leaf([1.0, 2.0], device)
    assert (x * x).backward()[x].tolist() == [2.0, 4.0]
    assert (x * x).backward(gradient=bb.tensor([1.0, 10.0]))[x].tolist() == [2.0, 40.0]


@pytest.mark.parametrize(
    ("gradient", "error", "message"),
    [
        (lambda: bb.ones((3,)), bb.ShapeError, r"shape \[3\], the tensor \[2\]"),
        (lambda: bb.ones((2,), dtype="float64"), bb.DTypeError, "float64, the tensor float32"),
        (lambda: np.ones(2), bb.DTypeError, "ndarray, not a Tensor"),
    ],
)
def test_a_cotangent_that_does_not_fit_is_refused(
    device: bb.Device, gradient: object, error: type[Exception], message: str
) -> None:
    x = leaf([1.0, 2.0], device)
    y = x * x
    with pytest.raises(error, match=message):
        y.backward(gradient=gradient())  # type: ignore[operator]
    assert y.backward()[x].tolist() == [2.0, 4.0]


def test_what_has_no_graph_says_so(device: bb.Device) -> None:
    with pytest.raises(bb.GraphError, match="no graph"):
        bb.ones((2,), device=device).sum().backward()
    with pytest.raises(bb.DTypeError, match="only floating tensors"):
        bb.arange(3, device=device).backward()
    with pytest.raises(bb.DeviceError, match="call Device.autodiff|Call Device.autodiff"):
        bb.ones((2,)).backward()


def test_gradients_are_plain_and_keyed_by_leaf(device: bb.Device) -> None:
    x, other = leaf([1.0, 2.0], device), leaf([1.0], device)
    y = x * x
    total = y.sum()
    grads = total.backward()
    assert grads[x].device is bb.Device.cpu() and not grads[x].is_tracked()
    assert x in grads and other not in grads and len(grads) == 1
    assert other.grad(grads) is None and grads.get(other) is None
    with pytest.raises(bb.MissingGradient, match="does not depend on this leaf"):
        grads[other]
    with pytest.raises(bb.MissingGradient, match="not a leaf"):
        grads[y]
    with pytest.raises(bb.MissingGradient, match="not a leaf"):
        grads[bb.ones((2,))]


def test_a_gradient_can_be_replaced_and_removed(device: bb.Device) -> None:
    x = leaf([1.0, 2.0], device)
    grads = (x * x).backward()
    x.grad_replace(grads, bb.tensor([7.0, 8.0]))
    assert grads[x].tolist() == [7.0, 8.0]
    with pytest.raises(bb.ShapeError):
        x.grad_replace(grads, bb.ones((3,)))
    removed = x.grad_remove(grads)
    assert removed is not None and removed.tolist() == [7.0, 8.0]
    assert x.grad_remove(grads) is None and x not in grads


def test_contributions_add_up_and_write_into_nobody_elses_array(device: bb.Device) -> None:
    x = leaf([1.0, 2.0], device)
    seed = bb.tensor([1.0, 1.0])
    y = x + x + x + x * 1.0
    grads = y.backward(gradient=seed)
    assert grads[x].tolist() == [4.0, 4.0]
    assert seed.tolist() == [1.0, 1.0]


def test_both_uses_of_one_tensor_in_one_op_count(device: bb.Device) -> None:
    x = leaf([[3.0]], device)  # B071
    assert (x @ x.T).sum().backward()[x].item() == 6.0
    w = leaf(2.0, device)  # B072
    assert (w * (w * 3.0)).backward()[w].item() == 12.0


@pytest.mark.parametrize("other", [[[1.0, 2.0, 3.0]], [[5.0]], 2.0, [1.0, 2.0, 3.0]])
def test_broadcasting_is_undone_to_the_shape_of_each_input(device: bb.Device, other: object) -> None:
    x, y = leaf([[1.0], [2.0]], device), leaf(other, device)
    grads = (x * y).backward()
    wide = np.broadcast_to(y.numpy(), np.broadcast_shapes((2, 1), y.shape))
    full = np.broadcast_to(x.numpy(), wide.shape)
    assert grads[x].shape == (2, 1) and grads[y].shape == y.shape
    np.testing.assert_allclose(grads[x].numpy(), wide.sum(1, keepdims=True))
    np.testing.assert_allclose(grads[y].numpy(), full.sum() if y.ndim == 0 else _summed_to(full, y.shape))


def _summed_to(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


def test_untracked_inputs_record_nothing_and_are_not_held(device: bb.Device) -> None:
    constant = bb.ones((3,), device=device)
    assert not (constant * constant).is_tracked()
    import weakref

    x = leaf(np.ones(3, np.float32), device)
    y = x + constant  # the sum's derivative needs neither
    held = weakref.ref(constant)
    del constant
    assert held() is None
    y.backward()


def test_residuals_are_freed_as_the_sweep_goes(device: bb.Device) -> None:
    x = leaf(np.ones(10_000, np.float64), device)
    y = x
    for _ in range(50):
        y = y.exp() * 1e-3
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    grads = y.backward()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert x in grads
    assert after - before < 5 * 80_000  # one gradient and change, though 50 cotangents passed


def test_two_threads_have_their_own_graphs(device: bb.Device) -> None:
    wrong: list[object] = []

    def work(seed: int) -> None:  # B093
        x = leaf(np.full(8, float(seed)), device)
        for _ in range(200):
            got = (x * x * 2.0).sum().backward()[x].tolist()
            if got != [4.0 * seed] * 8:
                wrong.append(got)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_b088_what_a_worker_thread_records_depends_on_its_tensors_alone(device: bb.Device) -> None:
    x = bb.ones((2,), device=device).require_grad()
    with ThreadPoolExecutor(1) as pool:
        plain, tracked = pool.submit(lambda: x.inner() * 2).result(), pool.submit(lambda: x * 2).result()
    assert not plain.is_tracked() and tracked.is_tracked()


def test_b089_a_suspended_generator_leaves_its_caller_recording(device: bb.Device) -> None:
    x = bb.ones((2,), device=device).require_grad()

    def plain_inside() -> Iterator[bb.Tensor]:
        yield x.inner() * 2

    inner = next(plain_inside())
    assert not inner.is_tracked() and (x * 2).is_tracked()


def test_a_rule_with_a_wrong_dtype_or_shape_is_an_error_not_a_gradient(device: bb.Device) -> None:
    x = leaf([1.0, 2.0], device)
    for bad, message in ((lambda g: g.astype("float64"), "float64 of float32"), (lambda g: g[:1], "shape")):
        y = x * 3.0
        y._primitive.node.vjps = (bad,)
        with pytest.raises(bb.GraphError, match=message):
            y.backward()


def test_an_op_of_an_inner_backend_without_a_rule_works_on_constants_and_refuses_variables() -> None:
    class Wider(type(bb.Device.cpu().backend)):  # type: ignore[misc]
        @staticmethod
        def cube(x: np.ndarray) -> np.ndarray:
            return x**3

    backend = bb.AutodiffBackend(Wider())
    assert backend.cube(np.array([2.0])).tolist() == [8.0]
    with pytest.raises(bb.GraphError, match="cube: this op has no backward rule"):
        backend.cube(backend.require_grad(np.array([2.0])))  # B035, B063, B092


def test_comparisons_and_integers_keep_the_context_and_record_nothing(device: bb.Device) -> None:
    x = leaf([1.0, 3.0, 2.0], device)  # B091
    for y in (x > 1.5, x.argmax(), x.argmax().astype("float32")):
        assert y.is_autodiff() and not y.is_tracked()
    assert (x.argmax().astype("float32") + bb.ones(())).item() == 2.0
    with pytest.raises(bb.DTypeError, match="only floating tensors have gradients"):
        x.argmax().require_grad()  # B069


def test_require_grad_marks_leaves_alone(device: bb.Device) -> None:
    x = bb.ones((2,), device=device)
    marked = x.require_grad()
    assert marked is not x and marked.is_require_grad() and not x.is_tracked()
    assert np.shares_memory(marked.numpy(), x.numpy())
    assert marked.require_grad() is marked
    with pytest.raises(bb.GraphError, match="result of 'multiply'"):
        (marked * 2.0).require_grad()
    assert not marked.detach().is_tracked() and marked.detach().is_autodiff()


def test_where_trains_over_infinite_derivatives(device: bb.Device) -> None:
    with np.errstate(all="ignore"):
        x = leaf([0.0, 1.0, 4.0], device)
        grad = bb.where(x > 0, x * x.log(), 0.0).sum().backward()[x]
        np.testing.assert_allclose(grad.numpy(), [0.0, 1.0, 1 + np.log(4.0)], rtol=1e-6)
        x = leaf([200.0], device)  # B006
        assert bb.where(x <= 0, x.exp(), 3 * x).sum().backward()[x].tolist() == [3.0]
        x = leaf([-1.0, -4.0, 9.0], device, "float64")
        np.testing.assert_allclose(
            bb.where(x > 0, x.sqrt(), x).sum().backward()[x].numpy(), [1, 1, 1 / 6], rtol=1e-15
        )


def test_index_arrays_are_copied_so_that_later_writes_change_no_gradient(device: bb.Device) -> None:
    from backburner.nn import functional as F

    for pick in (lambda x, i: x[i], lambda x, i: x.take(i), lambda x, i: F.embedding(i, x.reshape((3, 1)))):
        x, index = leaf([1.0, 2.0, 3.0], device), np.array([0, 1])
        y = pick(x, index).sum()
        index[:] = 10**9
        assert y.backward()[x].tolist() == [1.0, 1.0, 0.0]
    x, mask = leaf([1.0, 2.0], device), np.array([True, False])
    y = x[mask].sum()
    mask[:] = True
    assert y.backward()[x].tolist() == [1.0, 0.0]


def test_a_float_cast_to_an_integer_leaves_the_graph_and_can_index(device: bb.Device) -> None:
    x = leaf([1.0, 0.0], device)
    whole = x.astype("int64")
    assert not whole.is_tracked() and whole.is_autodiff() and not (x.astype(bb.bool)).is_tracked()
    assert x[whole].tolist() == [0.0, 1.0] and x.take(whole).is_tracked()
    assert (bb.tensor([2, 3]) ** whole).tolist() == [2, 1]


def test_gradients_are_neither_copied_nor_pickled(device: bb.Device) -> None:
    import copy
    import pickle

    x = leaf([1.0], device)
    grads = (x * x).backward()
    for duplicate in (copy.deepcopy, pickle.dumps):
        with pytest.raises(bb.GraphError, match="cannot be copied or pickled"):
            duplicate(grads)
    with pytest.raises(bb.DTypeError, match="keyed by tensors, not by ndarray"):
        grads[np.ones(1)]  # type: ignore[index]


def test_a_cotangent_with_a_graph_is_refused(device: bb.Device) -> None:
    x = leaf([1.0], device)
    with pytest.raises(bb.GraphError, match="only the first order is"):
        (x * x).backward(gradient=x * 2.0)


def test_parts_that_are_not_used_and_no_parts_at_all(device: bb.Device) -> None:
    x = leaf([1.0, 2.0, 3.0], device)
    first, _, last = x.split([1, 1, 1])
    assert (first * 2.0 + last).sum().backward()[x].tolist() == [2.0, 0.0, 1.0]
    assert leaf(np.ones((0,), np.float32), device).split([]) == ()


def test_index_tensors_and_statistics_bring_their_context() -> None:
    from backburner.nn import functional as F

    plain, device = bb.Device.cpu(), bb.Device.cpu().autodiff()
    x, index = bb.ones((3, 2)), bb.tensor([0, 2], device=device)
    for y in (x[index], x.take(index, axis=0), F.embedding(index, x)):
        assert y.device is device
    stats = bb.ones((2,), device=device)
    assert F.batch_norm(x, stats, stats, training=True)[0].device is device
    assert x[bb.tensor([0, 2])].device is plain
    with pytest.raises(bb.DeviceError, match="strategy mismatch"):
        x.to(device)[bb.tensor([0], device=device.gradient_checkpointing())]


def test_the_backend_itself_refuses_what_tensors_never_send_it() -> None:
    backend = bb.AutodiffBackend()
    x = backend.require_grad(np.ones(2))
    grads = backend.backward(backend.multiply(x, x))
    for call, error, message in (
        (lambda: bb.AutodiffBackend(None, "all"), bb.ArgumentError, "'all' is not one of"),  # type: ignore[arg-type]
        (lambda: backend.grad_replace(np.ones(2), grads, np.ones(2)), bb.GraphError, "not a leaf"),
        (lambda: backend.grad_replace(x, grads, np.ones(3)), bb.ShapeError, r"shape \[3\], the tensor \[2\]"),
        (
            lambda: backend.grad_replace(x, grads, np.ones(2, np.float32)),
            bb.DTypeError,
            "float32, the tensor",
        ),
        (lambda: backend._x, AttributeError, "no attribute '_x'"),
    ):
        with pytest.raises(error, match=message):
            call()
    assert backend.grad(np.ones(2), grads) is None and backend.replace(np.ones(2), np.zeros(2)).tolist() == [
        0,
        0,
    ]


def test_a_rule_has_one_place() -> None:
    from backburner_autodiff.rules import _rule

    with pytest.raises(ValueError, match="multiply has one already"):

        @_rule.rule
        def multiply(out: object) -> None: ...


def test_the_extension_overrides_every_method_of_the_contract_with_its_signature() -> None:
    import inspect

    from backburner import autodiff, features

    real = features.require("autodiff")
    methods = [
        name for name, f in vars(autodiff.AutodiffBackend).items() if inspect.isfunction(f) and name[0] != "_"
    ]
    assert {"backward", "grad", "grad_remove", "grad_replace", "inner", "from_inner", "require_grad", "detach"} | {
        "is_tracked", "checkpoint"
    } <= set(methods)  # fmt: skip
    for name in methods:
        assert name in vars(real), f"{name} is the stub's"
        contract, own = (
            inspect.signature(getattr(autodiff.AutodiffBackend, name)),
            inspect.signature(getattr(real, name)),
        )
        assert [*contract.parameters] == [*own.parameters], name
        defaults = [(p.default, p.kind) for p in contract.parameters.values()]
        assert defaults == [(p.default, p.kind) for p in own.parameters.values()], name
