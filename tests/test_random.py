"""Distributions that the table's moments do not settle, and the first values of parameters."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner.nn import init

inf = math.inf


def _below(z: float) -> float:
    return math.erfc(-z / math.sqrt(2))


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (-2, 2),
        (-inf, inf),
        (0.5, inf),
        (-inf, -9),
        (3, 3.2),
        (-0.1, 0.3),
        (20, 20.1),
        (-12, -11),
        (0.25, 0.75),
        (1, 30),
    ],
)
def test_truncated_draws_follow_the_distribution_function(low: float, high: float) -> None:
    n = 20_000
    x = bb.random.trunc_normal(
        (n,), 1.0, 2.0, 1 + 2 * low, 1 + 2 * high, dtype="float64", generator=bb.random.Generator(3)
    ).numpy()
    assert x.min() >= 1 + 2 * low and x.max() <= 1 + 2 * high
    z = np.sort((x - 1) / 2)
    if low > 0:  # the tail whose function has digits
        low, high, z = -high, -low, -z[::-1]
    below, all_of_it = _below(low), _below(high) - _below(low)
    cdf = np.array([(_below(v) - below) / all_of_it for v in z.tolist()])
    assert np.abs(cdf - (np.arange(n) + 0.5) / n).max() < 1.95 / math.sqrt(n)  # Kolmogorov and Smirnov, 0.1 %


def test_truncated_draws_so_far_out_that_only_the_end_is_left() -> None:
    assert bb.random.trunc_normal((2,), 0, 1e-300, 1.0, inf).tolist() == [1, 1]
    assert bb.random.trunc_normal((2,), 0, 1e-300, -inf, -1.0).tolist() == [-1, -1]


def test_draws_without_replacement_are_different_and_possible() -> None:
    p = bb.tensor([[1.0, 0.0, 5.0, 2.0], [0.0, 1e-30, 1e30, 1.0]] * 500)
    found = bb.random.multinomial(p, 3, generator=bb.random.Generator(0)).numpy()
    assert found.shape == (1000, 3)
    assert all(len(set(row)) == 3 for row in found.tolist())
    assert not (found[::2] == 1).any() and not (found[1::2] == 0).any()
    np.testing.assert_array_equal(found[1::2], [[2, 3, 1]] * 500)
    first = np.bincount(found[::2, 0], minlength=4) / 500
    np.testing.assert_allclose(first, [1 / 8, 0, 5 / 8, 2 / 8], atol=0.08)
    second = found[::2][found[::2, 0] == 2][:, 1]  # of what is left
    np.testing.assert_allclose((second == 3).mean(), 2 / 3, atol=0.1)


def test_a_category_of_no_probability_is_never_drawn() -> None:
    p = bb.tensor([0.0, 1.0, 0.0, 1e-40, 0.0], dtype="float64")
    assert set(bb.random.multinomial(p, 10_000, True).tolist()) <= {1, 3}
    assert bb.random.multinomial(bb.tensor([[1, 0], [0, 1]]), 2, True).tolist() == [[0, 0], [1, 1]]


def test_points_of_a_simplex_add_up_to_1_however_small_the_concentration() -> None:
    generator = bb.random.Generator(1)
    x = bb.random.dirichlet(
        bb.tensor([[1e-4, 1e-4], [3.0, 1.0]], dtype="float64"), 5000, generator=generator
    ).numpy()
    assert x.shape == (5000, 2, 2) and x.dtype == np.float64
    np.testing.assert_allclose(x.sum(-1), 1, 1e-15)
    np.testing.assert_allclose(x.mean(0), [[0.5, 0.5], [0.75, 0.25]], atol=0.03)
    np.testing.assert_allclose(x[:, 1, 0].std(), math.sqrt(0.75 * 0.25 / 5), rtol=0.05)
    assert (np.minimum(x[:, 0, 0], x[:, 0, 1]) < 1e-30).mean() > 0.9


@pytest.mark.feature_set("autodiff")
def test_a_region_draws_the_same_again() -> None:
    device = bb.Device.cpu().autodiff()
    weights = bb.tensor([1.0, 2.0, 3.0], device=device).require_grad()

    def region(w: bb.Tensor) -> bb.Tensor:
        picked = w.take(bb.random.multinomial(w, 2))
        share = bb.random.dirichlet(w.detach())[:2]
        return (
            picked * share * bb.random.trunc_normal((2,)) * bb.random.bernoulli((2,), share, dtype="float32")
        )

    found = []
    for call in (region, lambda w: bb.checkpoint(region, w)):
        device.seed(5)
        found.append(call(weights).sum().backward()[weights].tolist())
    assert found[0] == found[1]


SCHEMES: dict[str, tuple[Callable[..., bb.Tensor], dict[str, Any], float]] = {
    "kaiming_uniform": (init.kaiming_uniform, {"a": math.sqrt(5)}, 1 / math.sqrt(3 * 60)),
    "kaiming_normal": (init.kaiming_normal, {"mode": "fan_out", "nonlinearity": "relu"}, math.sqrt(2 / 300)),
    "xavier_uniform": (init.xavier_uniform, {"gain": 5 / 3}, 5 / 3 * math.sqrt(2 / 360)),
    "xavier_normal": (init.xavier_normal, {}, math.sqrt(2 / 360)),
    "trunc_normal": (init.trunc_normal, {"std": 0.02}, 0.02),
    "orthogonal": (init.orthogonal, {"gain": 2.0}, 2 / math.sqrt(100)),
}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_scheme_gives_the_deviation_that_pytorch_gives(scheme: str) -> None:
    function, options, std = SCHEMES[scheme]
    w = function((100, 20, 3), **options, generator=bb.random.Generator(2))
    again = function((100, 20, 3), **options, generator=bb.random.Generator(2))
    assert w.shape == (100, 20, 3) and w.dtype == bb.float32 and w.tolist() == again.tolist()
    assert float(w.numpy().std()) == pytest.approx(std, rel=0.03) and abs(float(w.numpy().mean())) < 0.1 * std
    if scheme.endswith("uniform"):
        assert float(abs(w.numpy()).max()) == pytest.approx(std * math.sqrt(3), rel=0.01)


@pytest.mark.parametrize("shape", [(5, 2, 4), (8, 3), (4, 4), (0, 3)])
def test_orthogonal_rows_or_columns_are_orthonormal(shape: tuple[int, ...]) -> None:
    w = init.orthogonal(shape, dtype="float64").numpy().reshape(shape[0], math.prod(shape[1:]))
    product = w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w
    np.testing.assert_allclose(product, np.eye(len(product)), atol=1e-12)


def test_gains_are_pytorchs_and_constants_are_constant() -> None:
    gains = {"linear": 1, "conv2d": 1, "sigmoid": 1, "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 0.75}
    assert {name: init.calculate_gain(name) for name in gains} == gains
    assert init.calculate_gain("leaky_relu") == math.sqrt(2 / 1.0001)
    assert init.calculate_gain("leaky_relu", 2) == math.sqrt(0.4)
    assert init.constant((2,), 3.0).tolist() == [3, 3]
    assert init.zeros((1,)).tolist() == [0] and init.ones((1,)).tolist() == [1]


def test_the_state_of_the_stream_comes_back() -> None:
    bb.Device.cpu().seed(11)
    bb.random.uniform((2,))
    state = bb.random.get_state()
    assert state == (11, 1)
    first = bb.random.normal((3,)).tolist()
    bb.Device.cpu().seed(0)
    bb.random.set_state(list(state), bb.Device.cpu())
    assert bb.random.normal((3,)).tolist() == first


@pytest.mark.parametrize("state", [3, (1,), (1, 2, 3), (-1, 0), (0, 1 << 64), (1.0, 2), (True, 0), "ab"])
def test_what_is_no_state_of_a_stream_is_refused(state: Any) -> None:
    before = bb.random.get_state()
    with pytest.raises(bb.ArgumentError, match="^random.set_state: .* is not a seed and a count"):
        bb.random.set_state(state)
    assert bb.random.get_state() == before


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda stream: pickle.loads(pickle.dumps(stream))])
def test_a_copied_generator_goes_on_where_the_first_one_is(way: Callable[[Any], Any]) -> None:
    stream = bb.random.Generator(3)
    bb.random.uniform((2,), generator=stream)
    twin = way(stream)
    assert type(twin) is bb.random.Generator
    first, second = (bb.random.uniform((2,), generator=g).tolist() for g in (stream, twin))
    assert first == second and twin is not stream
