"""Attention: its blocks, the memory that they save, and its kernels."""

from __future__ import annotations

import tracemalloc
from typing import Any

import neural
import numpy as np
import pytest
from neural import Array

import backburner as bb
from backburner import threads
from backburner.backends.numpy import attention
from backburner.nn.functional import scaled_dot_product_attention

autodiff = pytest.mark.feature_set("autodiff")


def _random(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _tensors(*shapes: tuple[int, ...]) -> list[bb.Tensor]:
    return [bb.asarray(_random(*shape, seed=i)) for i, shape in enumerate(shapes)]


def _trained(inputs: list[bb.Tensor], **options: Any) -> list[Array]:
    """Return the result and the gradients of all inputs."""
    marked = [x.to(x.device.autodiff()).require_grad() for x in inputs]
    bb.Device.cpu().seed(3)
    out = scaled_dot_product_attention(*marked, **options)
    grads = (out * out).sum().backward()
    return [out.numpy(), *(grads[x].numpy() for x in marked)]


OPTIONS = [{}, {"is_causal": True}, {"dropout_p": 0.5}, {"is_causal": True, "dropout_p": 0.5}]
SHAPES = (2, 4, 11, 3), (2, 2, 13, 3), (2, 2, 13, 2), (2, 1, 11, 13)


@autodiff
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("most", [1, 100, 800])
def test_the_size_of_blocks_does_not_matter(
    options: dict[str, Any], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = _tensors(*SHAPES)
    whole = _trained(inputs, enable_gqa=True, **options)
    bb.Device.cpu().seed(3)
    plain = scaled_dot_product_attention(*inputs, enable_gqa=True, **options).numpy()
    np.testing.assert_allclose(plain, whole[0], rtol=1e-5, atol=1e-6)
    monkeypatch.setattr(attention, "BLOCK", most)
    monkeypatch.setattr(attention, "CAUSAL_ROWS", 3)
    for found, wanted in zip(_trained(inputs, enable_gqa=True, **options), whole, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_one_of_a_batch_does_not_depend_on_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "BLOCK", 1 << 12)
    q, k, v = _tensors((7, 3, 40, 8), (7, 3, 50, 8), (7, 3, 50, 8))
    factors = np.ones((7, 1, 1, 1), np.float32)
    factors[1], factors[4] = 200, 1e30  # far scores, and such as overflow
    q = q * bb.asarray(factors)
    for options in OPTIONS[:2]:
        out = scaled_dot_product_attention(q, k, v, **options).numpy()
        for i in range(7):
            one = scaled_dot_product_attention(*(x[i : i + 1] for x in (q, k, v)), **options).numpy()
            assert one.tobytes() == out[i : i + 1].tobytes()


@autodiff
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_blocks_on_threads_give_the_same_bits(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "BLOCK", 100)
    monkeypatch.setattr(attention, "CAUSAL_ROWS", 3)
    inputs = _tensors(*SHAPES[:3])
    count = threads.get_num_threads()
    found = []
    try:
        for number in (1, 2, 3):
            threads.set_num_threads(number)
            bb.Device.cpu().seed(3)
            plain = scaled_dot_product_attention(*inputs, enable_gqa=True, **options).numpy()
            found.append([x.tobytes() for x in (plain, *_trained(inputs, enable_gqa=True, **options))])
    finally:
        threads.set_num_threads(count)
    assert found[0] == found[1] == found[2]


def test_heads_are_shared_out_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    heads: list[int] = []

    def share(task: Any, count: int) -> None:
        heads.append(count)
        for i in range(count):
            task(i)

    monkeypatch.setattr(attention, "share", share)
    for count in (1, 9, 12, 17):
        scaled_dot_product_attention(*_tensors(*[(1, count, 128, 8)] * 3))
    assert heads == [1, 2, 2, 4]


def _peak(length: int, train: bool, **options: Any) -> int:
    """Return the bytes at the peak beyond the inputs."""
    inputs = _tensors(*[(1, length, 4)] * 3)
    mask = bb.asarray(np.ones((1, length), bool))
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    if train:
        marked = [x.to(x.device.autodiff()).require_grad() for x in inputs]
        scaled_dot_product_attention(*marked, mask, **options).sum().backward()
    else:
        scaled_dot_product_attention(*inputs, mask, **options)
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return peak


@autodiff
@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("options", [{}, {"is_causal": True, "dropout_p": 0.1}], ids=str)
def test_memory_is_linear_in_the_length(
    train: bool, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "BLOCK", 1 << 14)
    monkeypatch.setattr(attention, "CAUSAL_ROWS", 4)
    _peak(64, train, **options)  # which compiles
    short, long = _peak(512, train, **options), _peak(2048, train, **options)
    assert long < 2048 * 2048 * 4 / 10  # of what the scores would take
    assert long < 4 * short


@autodiff
@pytest.mark.parametrize("shape", [(), (4, 1), (3, 1, 1), (2, 3, 4, 1)])
def test_a_bias_that_is_the_same_for_all_keys_has_no_gradient(shape: tuple[int, ...]) -> None:
    inputs = _tensors((2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 2), shape)
    *_, found = _trained(inputs, is_causal=True)
    assert found.shape == shape
    np.testing.assert_allclose(found, 0, atol=1e-5)


# -- kernels -----------------------------------------------------------------------------------------------


def _bools(*shape: int) -> Array:
    return np.random.default_rng(9).random(shape) < 0.7


N = 90
NONE = np.empty((0, 0), bool)


def _forward(keys: int, mask: Array, kept: Array) -> Any:
    scores = _random(N, keys)
    return [scores, mask, kept, 3, 30], [scores, *np.zeros((2, N), np.float32)]


def _backward(keys: int, mask: Array, kept: Array) -> Any:
    scores, rows = _random(N, keys), [np.abs(_random(N, seed=i)) for i in range(3)]
    return [scores, mask, kept, *rows, 2.0, 3, 30], [scores, _random(N, keys, seed=7)]


@autodiff
@pytest.mark.parametrize(
    ("keys", "masked", "dropped"), [(37, False, False), (37, True, True), (2100, True, False)]
)
@pytest.mark.parametrize("name", ["attention_forward", "attention_backward"])
def test_threads_change_no_bit(name: str, keys: int, masked: bool, dropped: bool) -> None:
    from backburner_autodiff.kernels import attention as kernels

    arguments = _forward if name == "attention_forward" else _backward
    mask, kept = _bools(30, keys) if masked else NONE, _bools(N, keys) if dropped else NONE
    neural.check_threads(getattr(kernels, name), lambda: arguments(keys, mask, kept))


@autodiff
def test_every_kernel_is_tried_with_threads() -> None:
    from backburner_autodiff.kernels import _jit
    from backburner_autodiff.kernels import attention as kernels

    found = {name for name, value in vars(kernels).items() if isinstance(value, _jit.Kernel)}
    assert found == {"attention_forward", "attention_backward"}


@autodiff
def test_long_rows_of_weights_add_up_to_one() -> None:
    inputs = _tensors((1, 3, 2), (1, 5000, 2))
    ones = bb.ones((1, 5000, 1))
    out, *_ = _trained([*inputs, ones])
    np.testing.assert_allclose(out, 1, rtol=1e-6)
