"""The single ops of the suite: a line for each, with three sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.models import Api, Array, Random

SIZES = ("small", "medium", "large")
Size = tuple[int, ...]


class Op(NamedTuple):
    """An op.

    Attributes:
        sizes: three.
        draw: draws its inputs; those of floats are differentiated.
        call: the op on a library's tensors; or, with `layer`, `None`.
        layer: makes the layer that is the op, from the size; its parameters are differentiated too.
    """

    sizes: tuple[Size, Size, Size]
    draw: Callable[..., tuple[Array, ...]]
    call: Callable[..., Any] | None = None
    layer: Callable[..., Any] | None = None


def inputs(name: str, size: str) -> tuple[Array, ...]:
    """Return an op's inputs of a size, the same in every process."""
    op = OPS[name]
    return op.draw(np.random.default_rng(1), *op.sizes[SIZES.index(size)])


def layer(api: Api, name: str, size: str) -> Any:
    """Return the layer that an op is, or `None`; its parameters are still to be drawn."""
    op = OPS[name]
    return None if op.layer is None else op.layer(api.nn, *op.sizes[SIZES.index(size)])


def parameter(name: str, shape: tuple[int, ...]) -> Array:
    """Return the values of a layer's parameter."""
    values = np.random.default_rng(len(name)).standard_normal(shape, np.float32)
    return values / np.float32(math.sqrt(shape[-1]))


def call(api: Api, name: str, made: Any, xs: Any) -> Any:
    """Return the op's first result."""
    op = OPS[name]
    if op.call is not None:
        return op.call(api, *xs)
    y = made(*xs)
    return y[0] if isinstance(y, tuple) else y


def cotangent(shape: Any) -> Array:
    """Return what the backward pass of an op with such a result begins with."""
    return np.random.default_rng(2).standard_normal(tuple(shape)).astype(np.float32)


def heads(length: int) -> tuple[Array, ...]:
    """Return queries, keys and values of 4 heads, 64 wide."""
    return _heads(np.random.default_rng(1), 1, 4, length, 64)


def _normal(*shapes: Callable[..., tuple[int, ...]]) -> Callable[..., tuple[Array, ...]]:
    """Return what draws an array for each shape, from the size."""

    def draw(rng: Random, *size: int) -> tuple[Array, ...]:
        return tuple(rng.standard_normal(shape(*size), np.float32) for shape in shapes)

    return draw


def _classified(rng: Random, rows: int, classes: int) -> tuple[Array, ...]:
    return rng.standard_normal((rows, classes), np.float32), rng.integers(0, classes, rows)


def _looked_up(rng: Random, count: int, width: int, rows: int) -> tuple[Array, ...]:
    return rng.integers(0, count, rows), rng.standard_normal((count, width), np.float32)


def _attention(api: Api, q: Any, k: Any, v: Any) -> Any:
    return api.F.scaled_dot_product_attention(q, k, v)


_array = _normal(lambda *size: size)
_two = _normal(lambda *size: size, lambda *size: size)
_heads = _normal(*[lambda n, h, t, d: (n, h, t, d)] * 3)
_rows = _normal(lambda n, d: (n, d), lambda n, d: (d,), lambda n, d: (d,))
_maps = _normal(lambda n, c, h: (n, c, h, h))
_FLAT: tuple[Size, Size, Size] = ((32, 128), (512, 512), (2048, 2048))
_MAPS: tuple[Size, Size, Size] = ((8, 16, 32), (8, 64, 56), (8, 256, 56))
_CHANNELS: tuple[Size, Size, Size] = ((8, 32, 32), (8, 64, 56), (8, 256, 28))
_STEPS: tuple[Size, Size, Size] = ((1, 32, 64), (32, 50, 128), (32, 100, 256))
_filtered = _normal(lambda n, c, h, k: (n, c, h, h), lambda n, c, h, k: (k, c, 3, 3), lambda n, c, h, k: (k,))
_spread = _normal(lambda n, c, h, k: (n, c, h, h), lambda n, c, h, k: (c, k, 4, 4), lambda n, c, h, k: (k,))
_by_channel = _normal(lambda n, c, h: (n, c, h, h), lambda n, c, h: (c, 1, 3, 3))
_grouped = _normal(lambda n, c, h: (n, c, h, h), lambda n, c, h: (c,), lambda n, c, h: (c,))
_sequence = _normal(lambda n, t, d: (n, t, d))

OPS: dict[str, Op] = {
    "matmul": Op(((64,), (256,), (1024,)), _normal(*[lambda n: (n, n)] * 2), lambda api, x, y: x @ y),
    "linear": Op(
        ((32, 128, 128), (512, 512, 512), (1024, 384, 1536)),
        _normal(lambda n, i, o: (n, i), lambda n, i, o: (o, i), lambda n, i, o: (o,)),
        lambda api, x, w, b: api.F.linear(x, w, b),
    ),
    "conv2d": Op(
        ((8, 16, 32, 16), (8, 64, 56, 64), (8, 256, 14, 256)),
        _filtered,
        lambda api, x, w, b: api.F.conv2d(x, w, b, padding=1),
    ),
    "conv2d-depthwise": Op(
        _CHANNELS, _by_channel, lambda api, x, w: api.F.conv2d(x, w, padding=1, groups=x.shape[1])
    ),
    "conv_transpose2d": Op(
        ((8, 16, 16, 16), (8, 64, 28, 32), (8, 128, 28, 64)),
        _spread,
        lambda api, x, w, b: api.F.conv_transpose2d(x, w, b, stride=2, padding=1),
    ),
    "max_pool2d": Op(_MAPS, _maps, lambda api, x: api.F.max_pool2d(x, 2)),
    "avg_pool2d": Op(_MAPS, _maps, lambda api, x: api.F.avg_pool2d(x, 2)),
    "batch_norm": Op(_MAPS, _maps, layer=lambda nn, n, c, h: nn.BatchNorm2d(c)),
    "group_norm": Op(_CHANNELS, _grouped, lambda api, x, w, b: api.F.group_norm(x, 8, w, b)),
    "layer_norm": Op(_FLAT, _rows, lambda api, x, w, b: api.F.layer_norm(x, (x.shape[-1],), w, b)),
    "softmax": Op(_FLAT, _array, lambda api, x: api.F.softmax(x, -1)),
    "log_softmax": Op(_FLAT, _array, lambda api, x: api.F.log_softmax(x, -1)),
    "cross_entropy": Op(_FLAT, _classified, lambda api, x, target: api.F.cross_entropy(x, target)),
    "relu": Op(_FLAT, _array, lambda api, x: api.F.relu(x)),
    "gelu": Op(_FLAT, _array, lambda api, x: api.F.gelu(x)),
    "silu": Op(_FLAT, _array, lambda api, x: api.F.silu(x)),
    "sigmoid": Op(_FLAT, _array, lambda api, x: x.sigmoid()),
    "tanh": Op(_FLAT, _array, lambda api, x: x.tanh()),
    "exp": Op(_FLAT, _array, lambda api, x: x.exp()),
    "add": Op(_FLAT, _two, lambda api, x, y: x + y),
    "multiply": Op(_FLAT, _two, lambda api, x, y: x * y),
    "sum": Op(_FLAT, _array, lambda api, x: x.sum()),
    "mean-rows": Op(_FLAT, _array, lambda api, x: x.mean(0)),
    "attention": Op(((1, 4, 64, 32), (8, 12, 128, 32), (4, 8, 512, 64)), _heads, _attention),
    "embedding": Op(
        ((65, 128, 64), (10000, 128, 1024), (30522, 384, 4096)),
        _looked_up,
        lambda api, indices, w: api.F.embedding(indices, w),
    ),
    "lstm": Op(_STEPS, _sequence, layer=lambda nn, n, t, d: nn.LSTM(d, d, batch_first=True)),
    "gru": Op(_STEPS, _sequence, layer=lambda nn, n, t, d: nn.GRU(d, d, batch_first=True)),
}
STEPS = {"small": 100, "medium": 500, "large": 2000}
"""The sides of the square matrix that an optimizer's step is about."""
