"""Recurrent layers: the kernels of their gates, dropout between layers, and sequences in any order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import neural
import numpy as np
import pytest
from neural import Array

import backburner as bb
from backburner.nn import functional

autodiff = pytest.mark.feature_set("autodiff")
N, H, P = 21, 37, 5
COUNTS = (21, 21, 17, 8, 3, 1)


def _random(*shape: int, seed: int = 0, dtype: str = "float32") -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def _floats(*shapes: tuple[int, ...]) -> list[Array]:
    return [_random(*shape, seed=i) for i, shape in enumerate(shapes)]


def _spans() -> Array:
    starts = np.cumsum([0, *COUNTS[:-1]])
    return np.stack([starts, np.array(COUNTS)], axis=1)


def _packed(k: int, m: int) -> Array:
    from backburner_autodiff.kernels._product import pack

    return pack(_random(k, m) / 8)


def _room(columns: int) -> Array:
    return np.zeros((3, 8, columns), np.float32)


R = sum(COUNTS)
KERNELS: dict[str, Callable[[], Any]] = {
    "lstm_forward": lambda: (
        [_packed(P, 4 * H), _packed(H, P), _random(4 * H), _spans()],
        [*_floats((R, 4 * H), (N, P), (N, H), (R, P), (R, H)), _room(160), _room(H)],
    ),
    "lstm_backward": lambda: (
        [_packed(4 * H, P), _packed(P, H), _spans(), *_floats((R, 4 * H), (R, H), (N, H), (R, P))],
        [*_floats((N, P), (N, H), (R, 4 * H), (R, P)), _room(32), _room(64)],
    ),
    "gru_forward": lambda: (
        [_packed(H, 3 * H), _random(3 * H), _random(H), _spans()],
        [*_floats((R, 3 * H), (N, H), (R, H), (R, H)), _room(128)],
    ),
    "gru_backward": lambda: (
        [_packed(3 * H, H), _spans(), *_floats((R, 3 * H), (R, H), (R, H), (N, H), (R, H))],
        [*_floats((N, H), (R, 3 * H), (R, 3 * H)), _room(64)],
    ),
    "rnn_backward": lambda: (
        [_packed(H, H), _spans(), *_floats((R, H), (R, H)), True],
        [*_floats((N, H), (R, H)), _room(64)],
    ),
}


@autodiff
@pytest.mark.parametrize("name", KERNELS)
def test_threads_change_no_bit(name: str) -> None:
    from backburner_autodiff.kernels import recurrent as kernels

    neural.check_threads(getattr(kernels, name), KERNELS[name])


@autodiff
def test_every_kernel_is_tried() -> None:
    from backburner_autodiff.kernels import _jit
    from backburner_autodiff.kernels import recurrent as kernels

    assert {name for name, value in vars(kernels).items() if isinstance(value, _jit.Kernel)} == KERNELS.keys()


@autodiff
@pytest.mark.parametrize("dtype", neural.DTYPES)
@pytest.mark.parametrize(("k", "m"), [(1, 1), (37, 32), (8, 33), (130, 100)])
def test_a_product_of_a_few_rows_is_that_of_blas(k: int, m: int, dtype: str) -> None:
    from backburner_autodiff.kernels._product import ROWS, pack, product

    x, matrix = _random(11, k, dtype=dtype), _random(k, m, seed=1, dtype=dtype)
    packed = pack(matrix)
    alone = np.zeros((ROWS, packed.shape[0] * packed.shape[2]), dtype)
    for count in range(1, ROWS + 1):
        out = np.zeros_like(alone)
        product(x, 3, count, packed, out)
        wanted = x[3 : 3 + count].astype(np.float64) @ matrix.astype(np.float64)
        np.testing.assert_allclose(out[:count, :m], wanted, rtol=1e-5, atol=1e-5)
        product(x, 2 + count, 1, packed, alone)
        assert alone[0].tobytes() == out[count - 1].tobytes()


NETWORKS = [("rnn", 1, {}), ("rnn", 1, {"nonlinearity": "relu"}), ("gru", 3, {}), ("lstm", 4, {}),
            ("lstm", 4, {"proj_size": P})]  # fmt: skip


def _network(op: str, gates: int, bidirectional: bool, options: dict[str, Any]) -> list[bb.Tensor]:
    state, shapes = options.get("proj_size", H), []
    for _ in range(1 + bidirectional):
        shapes += [(gates * H, 6), (gates * H, state), (gates * H,), (gates * H,)]
        shapes += [(P, H)] if "proj_size" in options else []
    return [bb.asarray(_random(*shape, seed=i) / 8) for i, shape in enumerate(shapes)]


@pytest.mark.parametrize(("op", "gates", "options"), NETWORKS)
def test_blocks_of_sequences_are_the_sequences_by_themselves(op: str, gates: int, options: Any) -> None:
    weights, ends = _network(op, gates, True, options), np.random.default_rng(5).integers(0, 8, N).tolist()
    x = bb.asarray(_random(7, N, 6))
    out, _ = getattr(functional, op)(x, None, weights, bidirectional=True, lengths=ends, **options)
    for i, end in enumerate(ends):
        if end:
            alone, _ = getattr(functional, op)(x[:end, i], None, weights, bidirectional=True, **options)
            np.testing.assert_allclose(out[:end, i].numpy(), alone.numpy(), rtol=1e-5, atol=1e-6)
        assert not out[end:, i].numpy().any()


@autodiff
@pytest.mark.parametrize("ends", [None, [5, 2, 7, 7, 0, 1, 3, 6, 7, 4, 4, 7]])
@pytest.mark.parametrize(("op", "gates", "options"), NETWORKS)
def test_gradients_of_blocks_add_up(op: str, gates: int, options: Any, ends: list[int] | None) -> None:
    device, n = bb.Device.cpu().autodiff(), 12
    weights = [w.to(device).require_grad() for w in _network(op, gates, True, options)]
    x, g = bb.asarray(_random(7, n, 6)), bb.asarray(_random(7, n, 2 * options.get("proj_size", H), seed=3))

    def gradients(several: slice) -> list[Array]:
        part = bb.asarray(x[:, several].numpy(), device=device).require_grad()
        out, last = getattr(functional, op)(
            part,
            None,
            weights,
            bidirectional=True,
            lengths=None if ends is None else ends[several],
            **options,
        )
        total = (out * g[:, several]).sum() + (last[0] if op == "lstm" else last).sum()
        found = total.backward()
        return [found[y].numpy() for y in (part, *weights)]

    together, alone = gradients(slice(0, n)), [gradients(slice(i, i + 1)) for i in range(n)]
    dx = np.concatenate([found[0] for found in alone], axis=1)
    np.testing.assert_allclose(together[0], dx, rtol=1e-4, atol=1e-5)
    for i in range(1, len(together)):
        np.testing.assert_allclose(together[i], sum(found[i] for found in alone), rtol=1e-3, atol=1e-4)


@autodiff
@pytest.mark.parametrize(("op", "gates", "options"), NETWORKS)
def test_a_step_of_training_calls_one_kernel_each_way(
    op: str, gates: int, options: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from backburner_autodiff.kernels import recurrent as kernels

    calls: list[str] = []
    original = kernels.run
    monkeypatch.setattr(kernels, "run", lambda made, *args: (calls.append(made.name), original(made, *args)))
    device = bb.Device.cpu().autodiff()
    x = bb.asarray(_random(9, 3, 6), device=device).require_grad()
    getattr(functional, op)(x, None, _network(op, gates, False, options), **options)[0].sum().backward()
    assert calls == [f"{op}_backward"] if op == "rnn" else [f"{op}_forward", f"{op}_backward"]


def _weights(c: int, h: int, layers: int) -> list[bb.Tensor]:
    shapes = [s for i in range(layers) for s in ((3 * h, h if i else c), (3 * h, h), (3 * h,), (3 * h,))]
    return [bb.asarray(_random(*shape, seed=i) / 2) for i, shape in enumerate(shapes)]


def _gru(x: bb.Tensor, weights: list[bb.Tensor], **options: Any) -> Array:
    return functional.gru(x, None, weights, num_layers=2, **options)[0].numpy()


def test_dropout_is_between_layers_and_in_training_only() -> None:
    x, weights = bb.asarray(_random(4, 3, 2)), _weights(2, 5, 2)
    plain = _gru(x, weights)
    np.testing.assert_array_equal(_gru(x, weights, dropout=0.5, training=False), plain)
    nothing = functional.gru(bb.zeros((4, 3, 5)), None, weights[4:])[0].numpy()
    np.testing.assert_array_equal(_gru(x, weights, dropout=1.0), nothing)
    bb.Device.cpu().seed(1)
    some = _gru(x, weights, dropout=0.5)
    assert some.tobytes() != plain.tobytes()
    bb.Device.cpu().seed(1)
    assert _gru(x, weights, dropout=0.5).tobytes() == some.tobytes()
    first = functional.gru(x, None, weights[:4], dropout=1.0)[0].numpy()
    np.testing.assert_array_equal(first, functional.gru(x, None, weights[:4])[0].numpy())


def test_a_sequence_among_others_is_what_it_is_by_itself() -> None:
    x, weights, lengths = bb.asarray(_random(6, 5, 2)), _weights(2, 3, 2), [3, 6, 0, 1, 5]
    together = _gru(x, weights, lengths=lengths)
    for i, length in enumerate(lengths):
        assert not together[length:, i].any()
        if length:
            alone = _gru(x[:length, i], weights)
            np.testing.assert_allclose(together[:length, i], alone, rtol=1e-5, atol=1e-6)


@autodiff
def test_a_sequence_of_no_steps_passes_its_state_on() -> None:
    x, weights = bb.asarray(_random(3, 2, 2)), _weights(2, 3, 1)
    h0 = bb.asarray(_random(1, 2, 3), device=bb.Device.cpu().autodiff()).require_grad()
    out, h = functional.gru(x, h0, weights, lengths=[0, 3])
    np.testing.assert_array_equal(h[:, 0].numpy(), h0[:, 0].numpy())
    grads = (h.sum() + out.sum()).backward()
    np.testing.assert_array_equal(grads[h0].numpy()[:, 0], 1)
