"""What an op costs over the bare NumPy call, plain and tracked, in nanoseconds.

    python benchmarks/overhead.py [--tracked] [PART OF A NAME ...]

Each row times the call and what it runs on arrays in turns, and prints the medians of many rounds. An op that is
no single NumPy call is measured against the backend's function, and tracked against the forward of training.
"""

from __future__ import annotations

import argparse
import gc
import math
import statistics
import timeit
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import backburner as bb
from backburner.backends.numpy import NumpyBackend

NUMBER, ROUNDS = 500, 40
F = bb.nn.functional
NP: Any = NumpyBackend


class Row(NamedTuple):
    """A call, and what it comes to on arrays."""

    name: str
    ours: Callable[..., Any]
    bare: Callable[..., Any]
    inputs: tuple[str, ...] = ("x",)
    op: str = ""
    """The op whose forward in training is another one; ``bare`` then takes that in the backend's place."""


def _arrays() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "x": rng.random((4, 4), np.float32) + 0.5,
        "y": rng.random((4, 4), np.float32) + 0.5,
        "row": rng.random(4, np.float32),
        "cube": rng.random((2, 4, 4), np.float32),
        "image": rng.random((1, 2, 6, 6), np.float32),
        "filters": rng.random((2, 2, 3, 3), np.float32),
        "mask": rng.random((4, 4)) > 0.5,
        "indices": np.array([0, 2, 1]),
        "classes": np.array([0, 2, 1, 3]),
    }


_REDUCED: dict[str, Any] = {"axis": (0,), "keepdims": False}
_LOSS: dict[str, Any] = {"ignore_index": -100, "label_smoothing": 0.0, "reduction": "mean"}
_CONV: dict[str, Any] = {"stride": (1, 1), "padding": (1, 1), "dilation": (1, 1), "groups": 1}
_XY = ("x", "y")
ROWS = [
    Row("x + y", lambda x, y: x + y, lambda x, y: np.add(x, y), _XY),
    Row("x - y", lambda x, y: x - y, lambda x, y: np.subtract(x, y), _XY),
    Row("x * y", lambda x, y: x * y, lambda x, y: np.multiply(x, y), _XY),
    Row("x / y", lambda x, y: x / y, lambda x, y: np.true_divide(x, y), _XY),
    Row("x + row", lambda x, y: x + y, lambda x, y: np.add(x, y), ("x", "row")),
    Row("x * 2.0", lambda x: x * 2.0, lambda x: np.multiply(x, 2.0)),
    Row("1 - x", lambda x: 1 - x, lambda x: np.subtract(1, x)),
    Row("x ** 2", lambda x: x**2, lambda x: np.square(x)),
    Row("-x", lambda x: -x, lambda x: np.negative(x)),
    Row("x > y", lambda x, y: x > y, lambda x, y: np.greater(x, y), _XY),
    Row("x > 0", lambda x: x > 0, lambda x: np.greater(x, 0)),
    Row("x == y", lambda x, y: x == y, lambda x, y: np.equal(x, y), _XY),
    Row("maximum(x, y)", bb.maximum, lambda x, y: np.maximum(x, y), _XY),
    Row("where(mask, x, y)", bb.where, lambda m, x, y: np.where(m, x, y), ("mask", "x", "y")),
    Row("where(mask, x, 0.0)", lambda m, x: bb.where(m, x, 0.0), lambda m, x: np.where(m, x, 0), ("mask", "x")),
    Row("x.clip(0.2, 0.8)", lambda x: x.clip(0.2, 0.8), lambda x: NP.clip(x, min=0.2, max=0.8)),
    Row("x.exp()", lambda x: x.exp(), lambda x: np.exp(x)),
    Row("x.log()", lambda x: x.log(), lambda x: np.log(x)),
    Row("x.sqrt()", lambda x: x.sqrt(), lambda x: np.sqrt(x)),
    Row("x.tanh()", lambda x: x.tanh(), lambda x: np.tanh(x)),
    Row("x.abs()", lambda x: x.abs(), lambda x: np.absolute(x)),
    Row("x.relu()", lambda x: x.relu(), lambda x: NP.relu(x)),
    Row("x.sigmoid()", lambda x: x.sigmoid(), lambda x, f=NP.sigmoid: f(x), op="sigmoid"),
    Row("x.gelu()", lambda x: x.gelu(), lambda x, f=NP.gelu: f(x, approximate="none"), op="gelu"),
    Row("x.softmax()", lambda x: x.softmax(), lambda x, f=NP.softmax: f(x, axis=1), op="softmax"),
    Row("x.astype(float64)", lambda x: x.astype(bb.float64), lambda x: x.astype(np.float64)),
    Row("x.sum()", lambda x: x.sum(), lambda x: NP.sum(x, axis=(0, 1), keepdims=False)),
    Row("x.sum(axis=0)", lambda x: x.sum(axis=0), lambda x: NP.sum(x, **_REDUCED)),
    Row("x.mean()", lambda x: x.mean(), lambda x: NP.mean(x, axis=(0, 1), keepdims=False)),
    Row("x.max(axis=0)", lambda x: x.max(axis=0), lambda x: NP.max(x, **_REDUCED)),
    Row("x.argmax(axis=1)", lambda x: x.argmax(axis=1), lambda x: x.argmax(1)),
    Row("x[1]", lambda x: x[1], lambda x: x[1]),
    Row("x[1:3]", lambda x: x[1:3], lambda x: x[1:3]),
    Row("x[:, -1]", lambda x: x[:, -1], lambda x: x[:, -1]),
    Row("x[..., None]", lambda x: x[..., None], lambda x: x[..., None]),
    Row("x.reshape((2, 8))", lambda x: x.reshape((2, 8)), lambda x: x.reshape((2, 8))),
    Row("x.reshape(-1, 2)", lambda x: x.reshape(-1, 2), lambda x: x.reshape(-1, 2)),
    Row("x.permute_dims((1, 0))", lambda x: x.permute_dims((1, 0)), lambda x: x.transpose((1, 0))),
    Row("cube.swapaxes(1, 2)", lambda x: x.swapaxes(1, 2), lambda x: x.swapaxes(1, 2), ("cube",)),
    Row("x.mT", lambda x: x.mT, lambda x: x.mT),
    Row("x.expand_dims(1)", lambda x: x.expand_dims(1), lambda x: x.reshape((4, 1, 4))),
    Row("cube.flatten(1)", lambda x: x.flatten(1), lambda x: x.reshape((2, 16)), ("cube",)),
    Row("row.broadcast_to((4, 4))", lambda x: x.broadcast_to((4, 4)), lambda x: np.broadcast_to(x, (4, 4)), ("row",)),
    Row("concat([x, y])", lambda x, y: bb.concat([x, y]), lambda x, y: np.concatenate((x, y), 0), _XY),
    Row("stack([x, y])", lambda x, y: bb.stack([x, y]), lambda x, y: np.stack((x, y), 0), _XY),
    Row("x.split(2)", lambda x: x.split(2), lambda x: NP.split(x, sizes=(2, 2), axis=0)),
    Row("x.take(indices, 0)", lambda x, i: x.take(i, 0), lambda x, i: x.take(i, 0), ("x", "indices")),
    Row("embedding(indices, x)", lambda x, i: F.embedding(i, x), lambda x, i: x.take(i, 0), ("x", "indices")),
    Row("x @ y", lambda x, y: x @ y, lambda x, y: NP.matmul(x, y), _XY),
    Row("linear(x, y, row)", F.linear, lambda x, y, b: NP.linear(x, y, b), ("x", "y", "row")),
    Row(
        "layer_norm(x, 4, row, row)",
        lambda x, w, b: F.layer_norm(x, 4, w, b),
        lambda x, w, b, f=NP.layer_norm: f(x, w, b, ndim=1, eps=1e-5),
        ("x", "row", "row"),
        "layer_norm",
    ),
    Row(
        "conv2d(image, filters)",
        lambda x, w: F.conv2d(x, w, padding=1),
        lambda x, w, f=NP.conv2d: f(x, w, None, **_CONV),
        ("image", "filters"),
        "conv2d",
    ),
    Row("cross_entropy(x, classes)", F.cross_entropy,
        lambda x, t, f=NP.cross_entropy: f(x, t, None, **_LOSS), ("x", "classes"), "cross_entropy"),
    Row("mse_loss(x, y)", F.mse_loss, lambda x, y: NP.mean(NP.huber_loss(x, y, delta=math.inf, divisor=0.5), axis=(0, 1), keepdims=False), _XY),
]  # fmt: skip


def measured(rows: list[Row], tracked: bool) -> Iterator[tuple[str, float, float]]:
    """Yield of each row its name, and the nanoseconds of what it runs on arrays and of the call."""
    arrays = _arrays()
    tensors = {name: bb.asarray(array) for name, array in arrays.items()}
    forwards: dict[str, Any] = {}
    if tracked:
        from backburner_autodiff.rules import RULES

        device = bb.Device.cpu().autodiff()
        for name, x in tensors.items():
            moved = x.to(device)
            tensors[name] = moved.require_grad() if x.dtype.kind == "f" else moved
        forwards = {name: rule.forward for name, rule in RULES.items() if rule.forward is not None}
    for row in rows:
        ours, bare = _bound(row.ours, [tensors[n] for n in row.inputs]), row.bare
        given = [arrays[n] for n in row.inputs]
        if row.op in forwards:
            forward = forwards[row.op]
            run = _bound(lambda *xs, f=forward, bare=bare: bare(*xs, f), given)
        else:
            run = _bound(bare, given)
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(ROUNDS):
            for call, into in ((run, times[0]), (ours, times[1])):
                into.append(timeit.timeit(call, number=NUMBER) / NUMBER * 1e9)
        yield row.name, statistics.median(times[0]), statistics.median(times[1])


def _bound(call: Callable[..., Any], inputs: list[Any]) -> Callable[[], Any]:
    """Return a function of no arguments, whose own cost is that of one call on either side."""
    if len(inputs) == 1:
        (x,) = inputs
        return lambda: call(x)
    if len(inputs) == 2:
        x, y = inputs
        return lambda: call(x, y)
    x, y, z = inputs
    return lambda: call(x, y, z)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of the names of rows")
    parser.add_argument("--tracked", action="store_true", help="the tracked ones alone")
    parser.add_argument("--plain", action="store_true", help="the plain ones alone")
    given = parser.parse_args()
    rows = [row for row in ROWS if not given.names or any(name in row.name for name in given.names)]
    kinds = [False] * (not given.tracked) + [True] * (not given.plain)
    if bb.features.status("autodiff").state != "available":
        kinds = [False]
    gc.disable()
    for tracked in kinds:
        print(f"{'tracked' if tracked else 'plain':30}{'arrays':>8}{'ours':>8}{'over':>8}")
        for name, under, over in measured(rows, tracked):
            print(f"{name:30}{under:8.0f}{over:8.0f}{over - under:8.0f}", flush=True)


if __name__ == "__main__":
    main()
