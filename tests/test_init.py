"""What the fillers of ``nn.init`` put into a parameter, against theory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.nn import _fill, init

CPU = bb.Device.cpu()
SHAPE = (64, 48, 3)  # fan in 144, fan out 192
INF = math.inf


class Drawn(NamedTuple):
    """A filler of a weight of ``SHAPE``, and the mean, the deviation and the limits of what it draws."""

    fill: Callable[..., nn.Parameter]
    mean: float
    std: float
    low: float = -INF
    high: float = INF


def cut(a: float, b: float) -> tuple[float, float]:
    """Return mean and deviation of a standard normal variable between ``a`` and ``b``."""
    density = [0.0 if math.isinf(z) else math.exp(-z * z / 2) / math.sqrt(2 * math.pi) for z in (a, b)]
    below = math.erfc(a / math.sqrt(2)) / 2 - math.erfc(b / math.sqrt(2)) / 2
    mean = (density[0] - density[1]) / below
    ends = [0.0 if math.isinf(z) else z * d for z, d in zip((a, b), density, strict=True)]
    return mean, math.sqrt(1 + (ends[0] - ends[1]) / below - mean**2)


DRAWN: dict[str, Drawn] = {
    "uniform_": Drawn(init.uniform_, 0.5, 1 / math.sqrt(12), 0, 1),
    "uniform_ -3 1": Drawn(lambda p, **o: init.uniform_(p, -3, 1, **o), -1, 4 / math.sqrt(12), -3, 1),
    "normal_": Drawn(init.normal_, 0, 1),
    "normal_ 2 0.1": Drawn(lambda p, **o: init.normal_(p, 2, 0.1, **o), 2, 0.1),
    "trunc_normal_": Drawn(init.trunc_normal_, 0, cut(-2, 2)[1], -2, 2),
    "trunc_normal_ 0.02": Drawn(lambda p, **o: init.trunc_normal_(p, std=0.02, **o), 0, 0.02, -2, 2),
    # a half line, and one far out in the tail, where float32's distribution function has no resolution left
    "trunc_normal_ 0 inf": Drawn(lambda p, **o: init.trunc_normal_(p, a=0, b=INF, **o), *cut(0, INF), 0),
    "trunc_normal_ 6 inf": Drawn(lambda p, **o: init.trunc_normal_(p, a=6, b=INF, **o), *cut(6, INF), 6),
    "trunc_normal_ -inf -1": Drawn(lambda p, **o: init.trunc_normal_(p, a=-INF, b=-1, **o), *cut(-INF, -1), -INF, -1),
    "xavier_uniform_": Drawn(init.xavier_uniform_, 0, math.sqrt(2 / 336), -math.sqrt(6 / 336), math.sqrt(6 / 336)),
    "xavier_uniform_ gain": Drawn(lambda p, **o: init.xavier_uniform_(p, 2.0, **o), 0, 2 * math.sqrt(2 / 336)),
    "xavier_normal_": Drawn(init.xavier_normal_, 0, math.sqrt(2 / 336)),
    "xavier_normal_ gain": Drawn(lambda p, **o: init.xavier_normal_(p, gain=0.5, **o), 0, math.sqrt(2 / 336) / 2),
    "kaiming_uniform_": Drawn(init.kaiming_uniform_, 0, math.sqrt(2 / 144), -math.sqrt(6 / 144), math.sqrt(6 / 144)),
    "kaiming_uniform_ a": Drawn(lambda p, **o: init.kaiming_uniform_(p, math.sqrt(5), **o), 0, 1 / math.sqrt(3 * 144)),
    "kaiming_normal_ fan_out": Drawn(lambda p, **o: init.kaiming_normal_(p, mode="fan_out", **o), 0, math.sqrt(2 / 192)),
    "kaiming_normal_ tanh": Drawn(lambda p, **o: init.kaiming_normal_(p, nonlinearity="tanh", **o), 0, 5 / 3 / 12),
    "orthogonal_": Drawn(lambda p, **o: init.orthogonal_(p, 3.0, **o), 0, 3 / 12),
}  # fmt: skip


def weight(device: bb.Device = CPU, shape: tuple[int, ...] = SHAPE) -> nn.Parameter:
    return nn.Parameter(bb.zeros(shape, device=device))


@pytest.mark.parametrize("name", DRAWN)
def test_draws_have_the_moments_and_the_limits_of_theory(name: str) -> None:
    drawn, held = DRAWN[name], weight()
    assert drawn.fill(held, generator=bb.random.Generator(3)) is held
    values = held.numpy().astype(np.float64)
    count = values.size
    assert abs(values.mean() - drawn.mean) < 5 * drawn.std / math.sqrt(count)
    assert values.std() == pytest.approx(drawn.std, rel=5 / math.sqrt(count))
    assert values.min() >= np.float32(drawn.low) and values.max() <= np.float32(drawn.high)
    if drawn.low > -INF and drawn.high < INF and "trunc" not in name:
        assert values.min() < drawn.low + 0.01 * drawn.std and values.max() > drawn.high - 0.01 * drawn.std


def test_a_cut_normal_is_distributed_as_that_in_each_part_of_its_tail() -> None:
    held = init.trunc_normal_(weight(), a=3, b=INF, generator=bb.random.Generator(0)).numpy()
    for z in (3.1, 3.3, 3.7, 4.2):
        share = math.erfc(z / math.sqrt(2)) / math.erfc(3 / math.sqrt(2))
        assert abs((held > z).mean() - share) < 5 * math.sqrt(share / held.size)


@pytest.mark.feature_set("autodiff")
@pytest.mark.parametrize("name", DRAWN)
def test_a_device_with_autodiff_draws_the_same_and_older_graphs_refuse(name: str) -> None:
    found = []
    for device in (CPU, CPU.autodiff()):
        device.seed(8)
        held = weight(device, (6, 5, 2))
        loss = (held * 2).sum() if device.is_autodiff() else None
        DRAWN[name].fill(held)
        found.append(held.tolist())
        if loss is not None:
            assert held.is_require_grad()
            with pytest.raises(bb.GraphError, match="changed since"):
                loss.backward()
    assert found[0] == found[1]


FILLED: dict[str, tuple[Callable[[Any], Any], tuple[int, ...], Any]] = {
    "constant_": (lambda p: init.constant_(p, 0.5), (2,), [0.5, 0.5]),
    "ones_": (init.ones_, (1, 2), [[1, 1]]),
    "zeros_": (init.zeros_, (2, 1), [[0], [0]]),
    "eye_": (init.eye_, (2, 3), [[1, 0, 0], [0, 1, 0]]),
    "dirac_": (init.dirac_, (3, 2, 2), [[[0, 1], [0, 0]], [[0, 0], [0, 1]], [[0, 0], [0, 0]]]),
    "dirac_ of groups": (
        lambda p: init.dirac_(p, 2),
        (4, 1, 1, 3),
        [[[[0, 1, 0]]], [[[0, 0, 0]]], [[[0, 1, 0]]], [[[0, 0, 0]]]],
    ),
}


@pytest.mark.parametrize("name", FILLED)
def test_a_filler_without_chance_gives_exactly_this(name: str) -> None:
    fill, shape, values = FILLED[name]
    held = nn.Parameter(bb.full(shape, 9.0, dtype="float64"))
    assert fill(held) is held and held.tolist() == values and held.dtype == bb.float64


def test_buffers_of_integers_take_constants() -> None:
    assert init.constant_(nn.Buffer(bb.zeros((2,), dtype="int64")), 3).tolist() == [3, 3]


@pytest.mark.parametrize("axes", [1, 2])
def test_a_dirac_convolution_passes_its_input_on(axes: int) -> None:
    kernel = init.dirac_(weight(shape=(4, 2, *[3] * axes)), groups=2)
    x = bb.random.normal((2, 4, *[5] * axes))
    y = getattr(nn.functional, f"conv{axes}d")(x, kernel, padding=1, groups=2)
    assert y.tolist() == x.tolist()


def test_sparse_columns_have_their_share_of_zeros() -> None:
    held = init.sparse_(weight(shape=(50, 40)), 0.33, std=2.0, generator=bb.random.Generator(1)).numpy()
    assert ((held == 0).sum(0) == 17).all()
    places = {tuple(np.flatnonzero(column == 0)) for column in held.T}
    assert len(places) == 40 and held[held != 0].std() == pytest.approx(2, rel=0.1)
    assert not init.sparse_(weight(shape=(3, 2)), 1.0).numpy().any()


def test_every_filler_is_in_a_table() -> None:
    tested = {name.partition(" ")[0] for name in (*DRAWN, *FILLED)} | {"sparse_"}
    assert (
        tested == set(_fill.__all__) == {name for name in vars(init) if name.endswith("_") and name[0] != "_"}
    )
