"""Random programs: their slopes are those of finite differences, and keeping less changes no bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner.nn import functional as F

pytestmark = pytest.mark.feature_set("autodiff")
Step = Callable[[bb.Tensor, bb.Tensor], bb.Tensor]

# From two tensors of shape [3, 4] to another; what could leave the range of the smooth is tamed first.
STEPS: dict[str, Step] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y * 0.5,
    "multiply": lambda x, y: x.tanh() * y,
    "divide": lambda x, y: x / (y * y + 1.0),
    "pow": lambda x, y: (x * x + 0.5) ** y.tanh(),
    "exp": lambda x, y: (x * 0.1).exp() + y,
    "log": lambda x, y: (x * x + 1.0).log(),
    "sqrt": lambda x, y: (y * y + 1.0).sqrt(),
    "sin": lambda x, y: x.sin(),
    "atan2": lambda x, y: bb.atan2(x, y * y + 1.0),
    "maximum": lambda x, y: bb.maximum(x, y),
    "where": lambda x, y: bb.where(x > y, x, y * 2.0),
    "sum": lambda x, y: x.sum(axis=1, keepdims=True) * y,
    "mean": lambda x, y: x - x.mean(axis=0),
    "var": lambda x, y: x * y.var(axis=1, keepdims=True),
    "max": lambda x, y: x.max(axis=0) + y,
    "logsumexp": lambda x, y: y - bb.logsumexp(x, axis=1, keepdims=True),
    "prod": lambda x, y: x + y.tanh().prod(axis=0),
    "norm": lambda x, y: x / (bb.norm(y, axis=1, keepdims=True) + 1.0),
    "matmul": lambda x, y: x @ y.mT @ x * 0.1,
    "einsum": lambda x, y: bb.einsum("ij,kj,kl->il", x, y, x) * 0.1,
    "softmax": lambda x, y: F.softmax(x, axis=1) * y,
    "gelu": lambda x, y: F.gelu(x) + y,
    "layer_norm": lambda x, y: F.layer_norm(x + y, (4,)),
    "concat": lambda x, y: bb.concat([x[1:], y[:1]]),
    "stack": lambda x, y: bb.stack([x, y], axis=1).sum(axis=1),
    "reshape": lambda x, y: x.reshape((4, 3)).mT + y,
    "flip": lambda x, y: x.flip(axis=0) * y.roll(1, axis=1).tanh(),
    "take": lambda x, y: x.take(bb.tensor([2, 0, 2]), axis=0) + y,
    "getitem": lambda x, y: x[::-1, [3, 1, 1, 0]] - y,
    "sort": lambda x, y: x.sort(axis=1) + y,
    "topk": lambda x, y: bb.concat([bb.topk(x, 2, axis=1)[0], y[:, 2:]], axis=1),
    "cumulative_sum": lambda x, y: bb.cumulative_sum(x, axis=1) * 0.3 + y,
    "cumulative_prod": lambda x, y: bb.cumulative_prod(x.tanh(), axis=0) + y,
    "at": lambda x, y: x.at[1:, bb.tensor([0, 2])].add(y[:2, :2]),
    "pad": lambda x, y: bb.pad(x[1:], ((1, 0), (0, 0))) + y,
    "dropout": lambda x, y: F.dropout(x, 0.25) + y,
    "silu": lambda x, y: F.silu(x) - F.mish(y),
    "elu": lambda x, y: F.elu(x) + F.softplus(y),
    "lerp": lambda x, y: bb.lerp(x, y, 0.3),
    "conv1d": lambda x, y: F.conv1d(x[None], bb.stack([y[:, :3], y[:, 1:]], axis=2), padding="same")[0] * 0.2,
    "conv_transpose1d": lambda x, y: F.conv_transpose1d(x[None, :, :2], y[:, :3, None].tanh(), stride=3)[0],
    "avg_pool1d": lambda x, y: F.avg_pool1d(x[None], 3, 1, padding=1)[0] + y,
    "max_pool1d": lambda x, y: F.max_pool1d(x[None], 3, 1, padding=1)[0] + y,
    "group_norm": lambda x, y: F.group_norm((x + y)[None], 3)[0],
    "attention": lambda x, y: F.scaled_dot_product_attention(x, y, x),
    "interpolate": lambda x, y: F.interpolate(x[None], size=7, mode="linear")[0, :, 1:5] * y,
    "reflect": lambda x, y: F.pad(x[None, :, 1:3], (1, 1), mode="reflect")[0] + y,
    "solve": lambda x, y: bb.linalg.solve(x @ x.mT + bb.eye(3, dtype=x.dtype) * 3.0, y),
    "svdvals": lambda x, y: bb.linalg.svdvals(x)[:, None] * 0.1 + y,
    "cross_entropy": lambda x, y: F.cross_entropy(x, bb.tensor([1, 0, 3])) + y,
    "smooth_l1": lambda x, y: F.smooth_l1_loss(x, y, reduction="none") + x,
}


def program(seed: int) -> Callable[..., bb.Tensor]:
    """Return a program of 5 to 30 steps on values that were made before, the newer ones more often."""
    rng = np.random.default_rng(seed)
    names = rng.choice(sorted(STEPS), int(rng.integers(5, 31)))
    places = [
        (int(rng.integers(max(0, i - 3), i + 2)), int(rng.integers(0, i + 2))) for i in range(len(names))
    ]
    weights = rng.uniform(-1, 1, (3, 4))

    def run(x: bb.Tensor, y: bb.Tensor) -> bb.Tensor:
        made = [x, y]
        for name, (a, b) in zip(names, places, strict=True):
            made.append(STEPS[name](made[a], made[b]))
        return sum((value.tanh() for value in made[2:]), start=made[-1]) * bb.tensor(weights, dtype=x.dtype)

    return run


@pytest.mark.parametrize("seed", range(60))
def test_the_slope_of_a_program_is_that_of_finite_differences(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    x, y = (bb.tensor(rng.uniform(-2, 2, (3, 4)), dtype="float64") for _ in range(2))
    assert bb.gradcheck(program(seed), x, y, atol=1e-7, rtol=1e-6, directional=True)


def bits_of(run: Callable[..., bb.Tensor], device: bb.Device, seed: int) -> list[bytes]:
    device.seed(seed)
    rng = np.random.default_rng(2000 + seed)
    x, y = (
        bb.tensor(rng.uniform(-2, 2, (3, 4)), dtype="float32", device=device).require_grad() for _ in range(2)
    )
    out = run(x, y)
    grads = out.sum().backward()
    found: list[Any] = [out, *(grads.get(leaf) for leaf in (x, y))]
    return [b"" if t is None else t.numpy().tobytes() for t in found]


@pytest.mark.parametrize("seed", range(30))
def test_keeping_less_changes_no_bit_of_a_program(seed: int) -> None:
    run, device = program(seed), bb.Device.cpu().autodiff()
    expected = bits_of(run, device, seed)
    assert bits_of(run, device.gradient_checkpointing(), seed) == expected
    for budget in (0, 200, 600):
        assert bits_of(run, device.gradient_checkpointing(budget_bytes=budget), seed) == expected

    def in_regions(x: bb.Tensor, y: bb.Tensor) -> bb.Tensor:
        return bb.checkpoint(lambda x, y: bb.checkpoint(run, x, y), x, y)

    assert bits_of(in_regions, device, seed) == expected
    assert bits_of(in_regions, device.gradient_checkpointing(budget_bytes=200), seed) == expected
