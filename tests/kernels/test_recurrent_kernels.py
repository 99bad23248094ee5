"""Recurrent layers: the kernels of their gates, dropout between layers, and sequences in any order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import neural
import numpy as np
import pytest
from neural import Array

import backburner as bb
from backburner.backends.numpy import recurrent
from backburner.nn import functional

autodiff = pytest.mark.feature_set("autodiff")
N, H = 5, 37


def _random(*shape: int, seed: int = 0, dtype: str = "float32") -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def _floats(*widths: int, dtype: str = "float32") -> list[Array]:
    return [_random(N, width, seed=i, dtype=dtype) for i, width in enumerate(widths)]


KERNELS: dict[str, Callable[[], Any]] = {
    "lstm_forward": lambda: (_floats(4 * H), _floats(4 * H, H, H)),
    "lstm_backward": lambda: (_floats(4 * H, H, H, H), _floats(H, 4 * H)),
    "gru_forward": lambda: (_floats(3 * H), _floats(3 * H, H)),
    "gru_backward": lambda: (_floats(3 * H, H, H), _floats(H, 3 * H, 3 * H)),
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
@pytest.mark.parametrize(("name", "gates", "states"), [("lstm", 4, 2), ("gru", 3, 1)])
def test_gates_are_those_of_the_core(name: str, gates: int, states: int, dtype: str) -> None:
    from backburner_autodiff.kernels import recurrent as kernels

    past, *found = _floats(gates * H, gates * H, *[H] * states, dtype=dtype)
    wanted = [x.copy() for x in found]
    getattr(kernels, f"{name}_forward")(past, *found)
    getattr(recurrent, f"_{name}_gates")(past, *wanted)
    for x, y in zip(found, wanted, strict=True):
        np.testing.assert_allclose(x, y, rtol=neural.TOLERANCE[dtype], atol=neural.TOLERANCE[dtype] / 10)


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
