"""The second table: kinks, ties, infinities, NaN and other people's faults, with the values that are right.

An id that starts with a ``B`` and digits is that of a fault met in another library.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import backburner as bb
from backburner.nn import functional

inf, nan = math.inf, math.nan


@dataclass(frozen=True)
class Special:
    """Inputs by value, and what must come out.

    Attributes:
        name: what it is about.
        call: from one tensor for each input to the result.
        inputs: floats; all of them have a gradient.
        value: of the result; ``None`` where it is not the point.
        gradients: one for each input; empty for none to look at, ``None`` for one that is not the point.
        cotangent: of the result; ones by default.
        atol: what the values may be off.
    """

    name: str
    call: Callable[..., bb.Tensor]
    inputs: tuple[Any, ...]
    value: Any = None
    gradients: tuple[Any, ...] = ()
    cotangent: Any = None
    atol: float = 1e-6

    def __str__(self) -> str:
        return self.name


def _images(rows: Any) -> Any:
    """Return one image of one channel and one row."""
    return [[[rows]]]


LOGITS = [[1, 2, 3], [0, 0, 0], [2, 0, 0]]
LABELS = [2, -100, 1]


def _entropy(x: bb.Tensor, **options: Any) -> bb.Tensor:
    weight = options.pop("weight", None)
    if weight is not None:
        weight = bb.tensor(weight, dtype=x.dtype)
    return functional.cross_entropy(x, bb.tensor(LABELS), weight, **options)


def _layer_norm(x: bb.Tensor, weight: bb.Tensor, bias: bb.Tensor) -> bb.Tensor:
    return functional.layer_norm(x, weight.shape, weight, bias)


def _c(values: Any, like: bb.Tensor) -> bb.Tensor:
    """Return a constant in the dtype of another tensor."""
    return bb.tensor(values, dtype=like.dtype)


TIES = (
    Special("B002-max-of-ties", lambda x: x.max(), ([3, 1, 3],), 3, ([0.5, 0, 0.5],)),
    Special("B002-min-of-ties", lambda x: x.min(), ([1, 1, 3, 1],), 1, ([1 / 3, 1 / 3, 0, 1 / 3],)),
    Special("B002-max-along-an-axis", lambda x: x.max(axis=1), ([[3, 1, 3], [2, 5, 4]],), [3, 5],
            ([[0.5, 0, 0.5], [0, 1, 0]],)),
    Special("B004-max-of-ones", lambda x: x.max(axis=0).sum(), ([[1, 1, 1]] * 4,), 3, ([[0.25] * 3] * 4,)),
    Special("B004-min-of-ones", lambda x: x.min(axis=0).sum(), ([[1, 1, 1]] * 4,), 3, ([[0.25] * 3] * 4,)),
    Special("maximum-of-equals", bb.maximum, ([1, 2], [1, 3]), [1, 3], ([0.5, 0], [0.5, 1])),
    Special("minimum-of-equals", bb.minimum, ([1, 2], [1, 3]), [1, 2], ([0.5, 1], [0.5, 0])),
    Special("maximum-of-equal-infinities", bb.maximum, ([inf, -inf], [inf, -inf]), [inf, -inf], ([0.5, 0.5], [0.5, 0.5])),
    Special("maximum-of-nan", bb.maximum, ([nan, 1], [2, nan]), [nan, nan], ([1, 0], [0, 1])),
    Special("max-of-nan", lambda x: x.max(), ([1, nan, 3],), nan, ([0, 1, 0],)),
    Special("max-of-infinities", lambda x: x.max(), ([-inf, -inf],), -inf, ([0.5, 0.5],)),
    Special("max_pool2d-takes-the-first", lambda x: functional.max_pool2d(x, (1, 2), (1, 1)), (_images([2, 2, 2]),),
            _images([2, 2]), (_images([1, 1, 0]),)),
    Special("max_pool2d-of-nan", lambda x: functional.max_pool2d(x, (1, 3)), (_images([1, nan, 3]),),
            _images([nan]), (_images([0, 1, 0]),)),
    Special("max_pool2d-of-lowest", lambda x: functional.max_pool2d(x, (1, 2)), (_images([-inf, -inf]),),
            _images([-inf]), (_images([1, 0]),)),
)  # fmt: skip

KINKS = (
    Special("B074-sqrt-at-0", bb.sqrt, ([0, 4],), [0, 2], ([inf, 0.25],)),
    Special("B074-abs-at-0", bb.abs, ([0, -0.0, -2],), [0, 0, 2], ([0, 0, -1],)),
    Special("B074-relu-at-0", bb.relu, ([0, -0.0, 1, -1],), [0, 0, 1, 0], ([0, 0, 1, 0],)),
    Special("relu-of-nan-and-infinities", bb.relu, ([nan, inf, -inf],), [nan, inf, 0], (None,)),
    Special("B026-clip-on-its-closed-interval", lambda x: bb.clip(x, 0, 1), ([0, 0.5, 1, 2, -1],), [0, 0.5, 1, 1, 0],
            ([1, 1, 1, 0, 0],)),
    Special("B028-clip-between-equal-bounds", lambda x: bb.clip(x, 1, 1), ([0, 1, 2],), [1, 1, 1], ([0, 1, 0],)),
    Special("clip-of-infinities", lambda x: bb.clip(x, -1, 1), ([inf, -inf],), [1, -1], ([0, 0],)),
    Special("clip-of-nan", lambda x: bb.clip(x, -1, 1), ([nan],), [nan], ([0],)),
    Special("B014-pow-at-base-0", bb.pow, ([0] * 5, [2, 1, 0, 0.5, -1]), [0, 0, 1, 0, inf],
            ([0, 1, 0, inf, -inf], None)),
    *(Special(f"B014-pow-0-to-the-number-{e}", lambda x, e=e: x**e, ([0],), [y], ([dx],))
      for e, y, dx in ((2, 0, 0), (3, 0, 0), (1, 0, 1), (0, 1, 0), (0.5, 0, inf), (-1, inf, -inf))),
    Special("pow-0-to-infinity", bb.pow, ([0], [inf]), [0], ([0], [0])),
    Special("B015-exponent-at-base-0", bb.pow, ([0, 0], [2, 0]), [0, 1], (None, [0, 0])),
    Special("B015-exponent-of-a-negative-base", bb.pow, ([-2], [2]), [4], ([-4], [nan])),
    Special("square-by-pow-of-a-negative-base", lambda x: x**2, ([-3],), [9], ([-6],)),
)  # fmt: skip

MASKED = (
    Special("B006-where-drops-an-overflow", lambda x: bb.where(x <= 0, bb.exp(x), 3 * x), ([200],), [600], ([3],)),
    Special("B006-where-drops-a-nan", lambda x: bb.where(x > 0, bb.sqrt(x), x), ([-1, -4, 9],), [-1, -4, 3],
            ([1, 1, 1 / 6],)),
    Special("where-drops-x-log-x", lambda x: bb.where(x > 0, x * bb.log(x), 0), ([0, 1, -1],), [0, 0, 0], ([0, 1, 0],)),
    Special("where-drops-a-division", lambda x: bb.where(x != 0, 1 / x, 0.0), ([0, 2],), [0, 0.5], ([0, -0.25],)),
    Special("where-drops-a-power", lambda x: bb.where(x > 0, x**-0.5, x), ([0, 4],), [0, 0.5], ([1, -1 / 16],)),
    Special("B019-logsumexp-of-what-is-not-masked",
            lambda x: bb.logsumexp(bb.where(bb.tensor([True, False]), x, -inf)), ([0, 100],), 0, ([1, 0],)),
    Special("logsumexp-of-all-minus-infinity", lambda x: x.logsumexp(axis=1), ([[-inf, -inf], [0, -inf]],), [-inf, 0],
            ([[0, 0], [1, 0]],)),
    Special("logsumexp-without-overflow", bb.logsumexp, ([1000, 1000],), 1000 + math.log(2), ([0.5, 0.5],), atol=1e-4),
    Special("softmax-without-overflow", bb.softmax, ([1000, 1000, -1000],), [0.5, 0.5, 0], ([0, 0, 0],)),
    Special("softmax-with-a-masked-score", bb.softmax, ([0, -inf, 0],), [0.5, 0, 0.5], ([0.25, 0, -0.25],), [1, 0, 0]),
    Special("B075-log_softmax-of-far-scores", bb.log_softmax, ([1000, 0],), [0, -1000], ([-1, 1],)),
    Special("B075-log_softmax-of-the-far-score", bb.log_softmax, ([1000, 0],), [0, -1000], ([0, 0],), [1, 0]),
    Special("sigmoid-without-overflow", bb.sigmoid, ([1000, -1000, 0],), [1, 0, 0.5], ([0, 0, 0.25],)),
    Special("tanh-saturates", bb.tanh, ([inf, -inf, 1000],), [1, -1, 1], ([0, 0, 0],)),
    Special("erf-saturates", bb.erf, ([inf, -inf, 30],), [1, -1, 1], ([0, 0, 0],)),
    Special("gelu-saturates", bb.gelu, ([40, -40, 0],), [40, 0, 0], ([1, 0, 0.5],)),
    Special("gelu-tanh-saturates", lambda x: bb.gelu(x, "tanh"), ([40, -40, 0],), [40, 0, 0], ([1, 0, 0.5],)),
    Special("gelu-of-the-largest-numbers", bb.gelu, ([3e38, -3e38],), [3e38, 0], ([1, 0],)),
    Special("gelu-tanh-of-the-largest-numbers", lambda x: bb.gelu(x, "tanh"), ([3e38, -3e38],), [3e38, 0], ([1, 0],)),
    Special("log-at-0", bb.log, ([0],), [-inf], ([inf],)),
    Special("divide-by-0", bb.divide, ([1, 0], [0, 0]), [inf, nan], ([inf, inf], None)),
    Special("divide-by-a-small-number", bb.divide, ([1e-30], [1e-30]), [1], (None, None)),
)  # fmt: skip

BROADCAST = (
    Special("B034-a-sum-of-row-and-column", bb.add, ([[1], [2]], [[1, 2, 3]]), None, ([[3], [3]], [[2, 2, 2]])),
    Special("B034-a-product-with-one-element", bb.multiply, ([2], [[1, 2], [3, 4]]), [[2, 4], [6, 8]],
            ([10], [[2, 2], [2, 2]])),
    Special("B035-broadcast_to", lambda x: bb.broadcast_to(x, (4, 3)).sum(), ([1, 1, 1],), 12, ([4, 4, 4],)),
    Special("B044-against-a-zero-size", lambda b: (bb.zeros((4, 0), dtype=b.dtype) + b[:, None]).sum(), ([1, 2, 3, 4],),
            0, ([0, 0, 0, 0],)),
    Special("B071-a-matrix-with-its-transpose", lambda x: x @ x.T, ([[3]],), [[9]], ([[6]],)),
    Special("B072-a-weight-used-twice", lambda w: w * (w * 3), (2,), 12, (12,)),
    Special("a-cotangent-that-goes-to-two-inputs", lambda x, y: x * 2 + (x + y), ([1], [1]), [4], ([3], [1])),
    Special("a-tensor-with-itself", bb.multiply, ([3], [3]), [9], ([3], [3])),
)  # fmt: skip

INDICES = (
    Special("B029-take-of-one-place-twice", lambda x: x.take([0, 0]), ([4],), [4, 4], ([5],), [2, 3]),
    Special("B029-getitem-of-one-place-twice", lambda x: x[[0, 0]], ([4],), [4, 4], ([5],), [2, 3]),
    Special("B030-places-add-up", lambda x: x[[1, 1, 2]], ([0, 0, 0],), [0, 0, 0], ([0, 11, 100],), [1, 10, 100]),
    Special("B029-gather-of-one-place-twice", lambda x: x.gather(0, [0, 0]), ([4],), [4, 4], ([5],), [2, 3]),
    Special("B029-take_along_axis-of-one-place-twice", lambda x: x.take_along_axis([0, 0]), ([4],), [4, 4], ([5],), [2, 3]),
    *(Special(f"B030-{name}-adds-up-in-one-place", call, ([0, 0, 0], [1, 10, 100]), [0, 11, 100],
              ([1, 2, 3], [2, 2, 3]), [1, 2, 3])
      for name, call in (("at", lambda x, v: x.at[[1, 1, 2]].add(v)),
                         ("scatter_add", lambda x, v: x.scatter_add(0, [1, 1, 2], v)),
                         ("index_add", lambda x, v: x.index_add(0, [1, 1, 2], v)))),
    Special("B030-bincount-adds-up", lambda w: bb.tensor([1, 1, 2]).bincount(w), ([1, 10, 100],), [0, 11, 100],
            ([2, 2, 3],), [1, 2, 3]),
    Special("B031-the-last-of-two-values-stays", lambda x, v: x.at[[0, 0]].set(v), ([0, 0], [5, 7]), [7, 0],
            ([0, 1], [0, 1])),
    Special("B031-one-number-set-twice", lambda x, v: x.at[[1, 1]].set(v), ([1, 2], 5), [1, 5], ([1, 0], 1)),
    Special("B032-scatter_add-of-a-part", lambda x, v: x.scatter_add(0, [1], v), ([0, 0, 0], [1, 2, 3]), [0, 1, 0],
            ([1, 1, 1], [1, 0, 0])),
    Special("B033-two-factors-in-one-place", lambda x, v: x.at[[0, 0]].multiply(v), ([2], [3, 5]), [30], ([15], [10, 6])),
    Special("at-multiply-by-zeros-in-one-place", lambda x, v: x.at[[0, 0, 0]].multiply(v), ([2, 4], [3, 0, 5]), [0, 4],
            ([0, 1], [0, 30, 0])),
    Special("at-multiply-of-an-infinity-that-nobody-wants", lambda x, v: x.at[0].multiply(v), ([inf, 1], inf), [inf, 1],
            ([0, 1], 0), [0, 1]),
    Special("at-min-shares-among-ties", lambda x, v: x.at[[0, 0, 1]].min(v), ([2, 5, 1], [2, 2, 6]), [2, 5, 1],
            ([1, 1, 1], [1, 1, 0]), [3, 1, 1]),
    Special("at-max-takes-the-largest", lambda x, v: x.at[[0, 0]].max(v), ([2, 5], [3, 4]), [4, 5], ([0, 1], [0, 1])),
    Special("at-max-of-nan", lambda x, v: x.at[0].max(v), ([2, 5], nan), [nan, 5], ([0, 1], 1)),
    Special("B036-the-trace-by-einsum", lambda x: bb.einsum("ii->", x), ([[1, 2], [3, 4]],), 5, ([[1, 0], [0, 1]],)),
    Special("B036-a-diagonal-summed-by-einsum", lambda x: bb.einsum("iij->i", x),
            ([[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]],), [3, 30],
            ([[[1, 1, 1], [0, 0, 0]], [[0, 0, 0], [1, 1, 1]]],)),
    Special("B036-a-diagonal-with-another-operand", lambda x, w: bb.einsum("nd,nn->d", x, w), ([[1], [2]], [[3, 4], [5, 6]]),
            [15], ([[3], [6]], [[1, 0], [0, 2]])),
    Special("masked_fill-covers-a-nan", lambda x: x.masked_fill(bb.tensor([True, False]), 0).sum(), ([nan, 2],), 2, ([0, 1],)),
    Special("tril-drops-a-nan", lambda x: x.tril(), ([[1, nan], [3, inf]],), [[1, 0], [3, inf]], ([[1, 0], [1, 1]],)),
    Special("B064-embedding-leaves-out-its-padding",
            lambda w: functional.embedding(bb.tensor([0, 1, 1]), w, padding_idx=0), ([[9], [1], [2]],),
            [[9], [1], [1]], ([[0], [2], [0]],)),
    Special("embedding-counts-its-padding-from-the-end",
            lambda w: functional.embedding(bb.tensor([2, 1, 1]), w, padding_idx=-1), ([[9], [1], [2]],),
            [[2], [1], [1]], ([[0], [2], [0]],)),
)  # fmt: skip

WINDOWS = (
    Special("B046-conv2d-with-a-tail", lambda x, w: functional.conv2d(x, w, stride=(1, 3)),
            (_images([1, 2, 3, 4, 5, 6, 7]), _images([1, 1])), _images([3, 9]),
            (_images([1, 1, 0, 1, 1, 0, 0]), _images([5, 7]))),
    Special("B049-conv2d-same-pads-more-on-the-right", lambda x, w: functional.conv2d(x, w, padding="same"),
            (_images([1, 2, 3]), _images([1, 1])), _images([3, 5, 3]), (_images([1, 2, 2]), _images([6, 5]))),
    Special("B050-conv2d-stride-and-dilation", lambda x, w: functional.conv2d(x, w, stride=(1, 2), dilation=(1, 2)),
            (_images([1, 2, 3, 4, 5]), _images([1, 1])), _images([4, 8]),
            (_images([1, 0, 2, 0, 1]), _images([4, 8]))),
    Special("B053-conv2d-depthwise", lambda x, w: functional.conv2d(x, w, groups=2),
            ([[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]], [[[[1]]], [[[1]]]]), None, (None, [[[[10]]], [[[26]]]])),
    Special("B054-avg_pool2d-leaves-out-the-overhang",
            lambda x: functional.avg_pool2d(x, (1, 2), (1, 2), ceil_mode=True), (_images([2, 4, 6, 8, 10]),),
            _images([3, 7, 10]), (_images([0.5, 0.5, 0.5, 0.5, 1]),)),
    Special("B054-avg_pool2d-counts-its-padding",
            lambda x: functional.avg_pool2d(x, (1, 3), (1, 2), (0, 1), True), (_images([1, 2, 3, 4]),),
            _images([1, 3, 2]), (_images([1 / 3, 2 / 3, 1 / 3, 5 / 6]),)),
    Special("B054-avg_pool2d-without-its-padding",
            lambda x: functional.avg_pool2d(x, (1, 3), (1, 2), (0, 1), True, False), (_images([1, 2, 3, 4]),),
            _images([1.5, 3, 4])),
    Special("B056-max_pool2d-pads-with-the-lowest", lambda x: functional.max_pool2d(x, (1, 3), 1, (0, 1)),
            (_images([-1, -2]),), _images([-1, -1]), (_images([2, 0]),)),
)  # fmt: skip

NORMS = (
    Special("B061-layer_norm-of-three-dimensions", _layer_norm, ([[[1, 3], [2, 2]], [[0, 4], [5, 1]]], [1, 2], [0, 0]),
            [[[-1, 2], [0, 0]], [[-1, 2], [1, -2]]], (None, [2, -1], [12, 16]), [[[0, 1], [2, 3]], [[4, 5], [6, 7]]],
            atol=1e-4),
    Special("B061-layer_norm-of-a-constant-row", lambda x: _layer_norm(x, _c([1, 2], x), _c([0, 0], x)),
            ([[2, 2]],), [[0, 0]], ([[-632.46, 632.46]],), [[2, 3]], atol=0.01),
    Special("B062-layer_norm-of-one-element", _layer_norm, ([1e6], [2], [3]), [3], ([0], [0], [1])),
    Special("layer_norm-far-from-0", lambda x: functional.layer_norm(x, (4,)),
            ([1e6, 1e6 + 1, 1e6 + 2, 1e6 + 3],), [-1.3416355, -0.4472118, 0.4472118, 1.3416355], ([0, 0, 0, 0],),
            atol=1e-5),
)  # fmt: skip

LOSSES = (
    Special("B023-smoothing-leaves-out-ignored-rows", lambda x: _entropy(x, label_smoothing=0.3), (LOGITS,), 1.373575),
    Special("B023-and-gives-them-no-gradient", lambda x: _entropy(x, label_smoothing=0.3)[None], (LOGITS,), None,
            ([[-0.004984, 0.072364, -0.06738], [0, 0, 0], [0.343493, -0.346747, 0.003253]],)),
    Special("B024-weights-and-smoothing", lambda x: _entropy(x, weight=[1, 2, 3], label_smoothing=0.3), (LOGITS,),
            1.155925, ([[0.028617, 0.092153, -0.120770], [0, 0, 0], None],)),
    Special("B024-weights", lambda x: _entropy(x, weight=[1, 2, 3]), (LOGITS,), 1.140381),
    Special("cross_entropy-of-ignored-rows-alone",
            lambda x: functional.cross_entropy(x, bb.tensor([-100, -100])), ([[1, 2], [3, 4]],), nan,
            ([[0, 0], [0, 0]],)),
    Special("cross_entropy-sum-of-ignored-rows-alone",
            lambda x: functional.cross_entropy(x, bb.tensor([-100]), reduction="sum"), ([[1, 2]],), 0, ([[0, 0]],)),
    Special("cross_entropy-of-far-scores", lambda x: functional.cross_entropy(x, bb.tensor([1, 0])),
            ([[1000, 0], [0, -1000]],), 500, ([[0.5, -0.5], [0, 0]],)),
    Special("cross_entropy-of-nan-in-an-ignored-row",
            lambda x: functional.cross_entropy(x, bb.tensor([0, -100])), ([[0, 0], [nan, inf]],), math.log(2),
            ([[-0.5, 0.5], [0, 0]],)),
)  # fmt: skip

NUMBERS = (
    Special("astype-there-and-back", lambda x: x.astype("float32").astype("float64"), ([1.5, -2],), None, ([1, 1],)),
    Special("astype-to-integers-ends-the-graph", lambda x: x * x.astype("int64"), ([1.5, -2],), [1.5, 4], ([1, -2],)),
    Special("a-comparison-ends-the-graph", lambda x: x * (x > 0), ([1.5, -2],), [1.5, 0], ([1, 0],)),
    Special("argmax-ends-the-graph", lambda x: x * x.argmax(), ([1.5, 2],), [1.5, 2], ([1, 1],)),
    Special("mean-of-nothing", lambda x: x[:0].mean(), ([1],), nan, ([0],)),
    Special("sum-of-nothing", lambda x: x[:0].sum(), ([1],), 0, ([0],)),
)  # fmt: skip

SORTED = (
    Special("B002-median-of-ties", bb.median, ([2, 2, 2, 9],), 2, ([1 / 3, 1 / 3, 1 / 3, 0],)),
    Special("B003-median-along-an-axis-shares-too", lambda x: x.median(axis=0), ([[2, 1], [2, 5], [9, 3]],), [2, 3],
            ([[0.5, 0], [0.5, 0], [0, 1]],)),
    Special("median-of-an-even-number", bb.median, ([1, 5, 2, 9],), 3.5, ([0, 0.5, 0.5, 0],)),
    Special("median-of-two-ties", bb.median, ([1, 3, 3, 1],), 2, ([0.25, 0.25, 0.25, 0.25],)),
    Special("median-of-nan", bb.median, ([1, nan, 2],), nan, ([0, 1, 0],)),
    Special("median-of-infinities", bb.median, ([inf, inf, 1],), inf, ([0.5, 0.5, 0],)),
    *(Special(f"B010-cumulative_prod-of-{x}", bb.cumulative_prod, (x,), y, (dx,))
      for x, y, dx in (([3, 0, 4], [3, 0, 0], [1, 15, 0]), ([0, 5, 2], [0, 0, 0], [16, 0, 0]),
                       ([2, 0, 0, 5], [2, 0, 0, 0], [1, 2, 0, 0]))),
    Special("B011-prod-with-a-zero", bb.prod, ([5, 0, 2],), 0, ([0, 10, 0],)),
    Special("B011-prod-with-two-zeros", bb.prod, ([0, 0, 7],), 0, ([0, 0, 0],)),
    Special("B011-prod-along-an-axis", lambda x: x.prod(axis=1), ([[5, 0, 2], [0, 0, 7], [1, 2, 3]],), [0, 0, 6],
            ([[0, 10, 0], [0, 0, 0], [6, 3, 2]],)),
    Special("prod-beyond-the-dtype-on-the-way", bb.prod, ([1e30, 1e30, 1e-30, 1e-30],), 1,
            ([1e-30, 1e-30, 1e30, 1e30],), atol=0),
    Special("std-of-equal-elements", bb.std, ([[0.1, 0.1, 0.1], [0.1, 0.1, 0.1]],), 0, ([[0, 0, 0], [0, 0, 0]],)),
    Special("std-of-equal-elements-in-one-row", lambda x: x.std(axis=1), ([[0.3, 0.3], [1, 3]],), [0, 1],
            ([[0, 0], [-0.5, 0.5]],)),
    Special("std-of-one-element", bb.std, ([3],), 0, ([0],)),
    Special("B009-norm-of-the-zero-vector", bb.norm, ([0, 0],), 0, ([0, 0],)),
    *(Special(f"norm-{p}-of-the-zero-vector", lambda x, p=p: x.norm(p), ([0, 0],), 0, ([0, 0],))
      for p in (1, 1.5, 0.5, 3, inf)),
    Special("norm-along-an-axis-with-a-zero-row", lambda x: x.norm(axis=1), ([[0, 0], [3, -4]],), [0, 5],
            ([[0, 0], [0.6, -0.8]],)),
    Special("norm-half-of-a-zero-element", lambda x: x.norm(0.5), ([0, 4],), 4, ([0, 1],)),
    Special("norm-inf-of-ties", lambda x: x.norm(inf), ([3, -3, 1],), 3, ([0.5, -0.5, 0],)),
    Special("norm-without-overflow", bb.norm, ([3e30, 4e30],), 5e30, ([0.6, 0.8],)),
    Special("norm-without-underflow", bb.norm, ([3e-30, 4e-30],), 5e-30, ([0.6, 0.8],), atol=0),
    Special("norm-of-infinity", bb.norm, ([inf, 1],), inf),
    Special("norm-of-nan", bb.norm, ([nan, 1],), nan),
    Special("cummax-of-ties", lambda x: x.cummax(0)[0], ([1, 3, 3, 2],), [1, 3, 3, 3], ([1, 1, 2, 0],)),
    Special("cummin-of-ties", lambda x: x.cummin(0)[0], ([2, 1, 1, 3],), [2, 1, 1, 1], ([1, 1, 2, 0],)),
    Special("cummax-of-nan", lambda x: x.cummax(0)[0], ([1, nan, 2, nan],), [1, nan, nan, nan], ([1, 2, 0, 1],)),
    Special("cummin-of-nan", lambda x: x.cummin(0)[0], ([1, nan, 0],), [1, nan, nan], ([1, 2, 0],)),
    Special("sort-of-ties", bb.sort, ([2, 1, 2, 1],), [1, 1, 2, 2], ([3, 1, 4, 2],), [1, 2, 3, 4]),
    Special("sort-of-ties-descending", lambda x: x.sort(descending=True), ([2, 1, 2, 1],), [2, 2, 1, 1],
            ([1, 3, 2, 4],), [1, 2, 3, 4]),
    Special("sort-of-nan", bb.sort, ([nan, 1, -inf],), [-inf, 1, nan], ([3, 2, 1],), [1, 2, 3]),
    Special("sort-of-nan-descending", lambda x: x.sort(descending=True), ([inf, nan, 1],), [nan, inf, 1],
            ([2, 1, 3],), [1, 2, 3]),
    Special("topk-of-ties", lambda x: x.topk(2)[0], ([3, 1, 3, 3],), [3, 3], ([1, 0, 2, 0],), [1, 2]),
    Special("topk-of-ties-smallest", lambda x: x.topk(2, largest=False)[0], ([3, 1, 1, 1],), [1, 1], ([0, 1, 2, 0],),
            [1, 2]),
    Special("topk-of-many-ties", lambda x: x.topk(2)[0], ([0, 1] * 20,), [1, 1], ([0, 1, 0, 2] + [0] * 36,), [1, 2]),
    Special("topk-of-nan", lambda x: x.topk(2)[0], ([0, 1] * 20 + [nan],), [nan, 1], ([0, 2] + [0] * 38 + [1],), [1, 2]),
    Special("unique_values-go-to-the-first", bb.unique_values, ([2, 1, 2, 2],), [1, 2], ([1, 10, 0, 0],), [10, 1]),
    Special("unique_all-go-to-the-first", lambda x: x.unique_all().values, ([2, 1, 2, 2],), [1, 2], ([1, 10, 0, 0],),
            [10, 1]),
    Special("unique_values-of-nan", bb.unique_values, ([nan, 1, nan],), [1, nan, nan], ([2, 1, 3],), [1, 2, 3]),
    Special("quantile-at-an-element", lambda x: x.quantile(0.5), ([1, inf, 2],), 2, ([0, 0, 1],)),
    Special("quantile-between-infinities", lambda x: x.quantile(bb.tensor([0.0, 0.5, 0.75])), ([1, inf, inf],), [1, inf, inf],
            ([1, 1.5, 0.5],)),
    Special("quantile-beside-minus-infinity", lambda x: x.quantile(0.75, method="midpoint"), ([3, -inf, 1],), 2, ([0.5, 0, 0.5],)),
    Special("quantile-of-nan", lambda x: x.quantile(0.1), ([1, nan, 2],), nan),
    Special("argmin-ends-the-graph", lambda x: x * x.argmin(), ([2, 1.5],), [2, 1.5], ([1, 1],)),
)  # fmt: skip

SIGNS = (
    Special("B074-sign-at-0", bb.sign, ([0, -0.0, 3, -inf, nan],), [0, 0, 1, -1, nan], ([0, 0, 0, 0, 0],)),
    Special("floor-at-integers", bb.floor, ([2, -2, -0.5, inf, nan],), [2, -2, -1, inf, nan], ([0, 0, 0, 0, 0],)),
    Special("ceil-at-integers", bb.ceil, ([2, -2, -0.5, -inf],), [2, -2, 0, -inf], ([0, 0, 0, 0],)),
    Special("round-to-even", bb.round, ([0.5, 1.5, 2.5, -0.5, -1.5],), [0, 2, 2, 0, -2], ([0, 0, 0, 0, 0],)),
    Special("trunc-to-zero", bb.trunc, ([1.5, -1.5, 2],), [1, -1, 2], ([0, 0, 0],)),
    Special("floor_divide-has-python-signs", bb.floor_divide, ([7, -7, 7, -7], [2, 2, -2, -2]), [3, -4, -4, 3],
            ([0, 0, 0, 0], [0, 0, 0, 0])),
    Special("floor_divide-at-infinity", bb.floor_divide, ([inf, -inf, -1, inf], [2, 2, inf, inf]), [inf, -inf, 0, nan],
            ([0] * 4, [0] * 4)),
    Special("clip-by-tensors", bb.clip, ([0, 0.5, 1, 2, -1, nan], [0.0] * 6, [1, 1, 1, 1, 1, nan]),
            [0, 0.5, 1, 1, 0, nan], ([1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 1, 0, 1])),
    Special("clip-by-nan", lambda x: bb.clip(x, nan, 3), ([1, 5],), [nan, nan], ([0, 0],)),
    Special("floor_divide-by-0", bb.floor_divide, ([1, -1, 0], [0, 0, 0]), [inf, -inf, nan], ([0, 0, 0], [0, 0, 0])),
    Special("remainder-has-python-signs", bb.remainder, ([7, -7, 7, -7], [2, 2, -2, -2]), [1, 1, -1, -1],
            ([1, 1, 1, 1], [-3, 4, 4, -3])),
    Special("remainder-by-infinity", bb.remainder, ([1, -1], [inf, inf]), [1, inf], ([1, 1], [0, 1])),
    Special("remainder-by-0", bb.remainder, ([1], [0]), [nan], ([1], None)),
    Special("copysign-of-zeros", bb.copysign, ([0, -0.0, 2, -2], [-1, 1, -0.0, 0]), [0, 0, -2, 2],
            ([0, 0, -1, -1], [0, 0, 0, 0])),
    Special("nextafter-of-equals", bb.nextafter, ([1, 2], [1, nan]), [1, nan], ([1, 1], [0, 0])),
)  # fmt: skip

CURVES = (
    Special("hypot-at-the-origin", bb.hypot, ([0, 3], [0, 4]), [0, 5], ([0, 0.6], [0, 0.8])),
    Special("hypot-at-infinity", bb.hypot, ([inf, -inf, inf, 1], [1, 2, inf, -inf]), [inf, inf, inf, inf],
            ([1, -1, math.sqrt(0.5), 0], [0, 0, math.sqrt(0.5), -1])),
    Special("hypot-without-overflow", bb.hypot, ([3e30], [4e30]), [5e30], ([0.6], [0.8])),
    Special("hypot-of-nan-and-infinity", bb.hypot, ([inf, nan], [nan, 1]), [inf, nan]),
    Special("atan2-at-the-origin", bb.atan2, ([0, 1, 0], [0, 0, -1]), [0, math.pi / 2, math.pi],
            ([0, 0, -1], [0, -1, 0])),
    Special("atan2-at-infinity", bb.atan2, ([inf, 1, nan], [1, inf, inf]), [math.pi / 2, 0, nan], ([0, 0, nan], [0, 0, nan])),
    Special("atan2-far-and-near", bb.atan2, ([1e30, 1e-30], [1e30, 1e-30]), [math.pi / 4] * 2,
            ([5e-31, 5e29], [-5e-31, -5e29]), atol=0),
    Special("logaddexp-without-overflow", bb.logaddexp, ([1000, -1000, 1e8], [0, 0, 1e8]), [1000, 0, 1e8 + math.log(2)],
            ([1, 0, 0.5], [0, 1, 0.5]), atol=1e-4),
    Special("logaddexp-of-infinities", bb.logaddexp, ([-inf, -inf, inf, inf], [-inf, 2, inf, -inf]), [-inf, 2, inf, inf],
            ([0, 0, 0.5, 1], [0, 1, 0.5, 0])),
    Special("logaddexp-of-nan", bb.logaddexp, ([-inf, nan], [nan, 1]), [nan, nan], ([nan, nan], [nan, nan])),
    Special("expm1-and-log1p-near-0", lambda x: bb.log1p(bb.expm1(x)), ([1e-20],), [1e-20], ([1],), atol=0),
    Special("expm1-far-below-0", bb.expm1, ([-40, -inf],), [-1, -1], ([math.exp(-40), 0],), atol=0),
    Special("log1p-at--1", bb.log1p, ([-1, -2],), [-inf, nan]),
    Special("log2-and-log10-of-powers", lambda x: bb.log2(x) + bb.log10(1 / x), ([1, 0],), [0, nan]),
    Special("log2-at-0", bb.log2, ([0, 8],), [-inf, 3], ([inf, 1 / (8 * math.log(2))],)),
    Special("log10-at-0", bb.log10, ([0, 1000],), [-inf, 3], ([inf, 1e-3 / math.log(10)],)),
    Special("erfc-has-its-tail", bb.erfc, ([9, inf, -inf, 0],), [4.13703175e-37, 0, 2, 1],
            ([-2 / math.sqrt(math.pi) * math.exp(-81), 0, 0, -2 / math.sqrt(math.pi)],), atol=1e-42),
    Special("asin-at-its-ends", bb.asin, ([1, -1, 2],), [math.pi / 2, -math.pi / 2, nan], ([inf, inf, nan],)),
    Special("acos-at-its-ends", bb.acos, ([1, -1, 2],), [0, math.pi, nan], ([-inf, -inf, nan],)),
    Special("acosh-at-its-end", bb.acosh, ([1, 0],), [0, nan], ([inf, nan],)),
    Special("atanh-at-its-ends", bb.atanh, ([1, -1, 2],), [inf, -inf, nan]),
    Special("asinh-of-a-large-number", bb.asinh, ([1e30],), [math.asinh(1e30)], ([1e-30],), atol=0),
    Special("acosh-of-a-large-number", bb.acosh, ([1e30],), [math.acosh(1e30)], ([1e-30],), atol=0),
    Special("atan-saturates", bb.atan, ([inf, -inf, 1e30],), [math.pi / 2, -math.pi / 2, math.pi / 2], ([0, 0, 0],)),
    Special("sin-of-infinity", bb.sin, ([inf, nan],), [nan, nan], ([nan, nan],)),
    Special("reciprocal-at-0", bb.reciprocal, ([0, -0.0, inf],), [inf, -inf, 0], ([-inf, -inf, 0],)),
    Special("rsqrt-at-0", bb.rsqrt, ([0, 4, inf, -1],), [inf, 0.5, 0, nan], ([-inf, -1 / 16, 0, nan],)),
    Special("lerp-is-exact-at-its-ends", lambda x, y: bb.lerp(x, y, _c([0, 1], x)), ([0.1, 1e8], [1e8, 0.1]), [0.1, 0.1],
            ([1, 0], [0, 1]), atol=0),
    Special("nan_to_num-drops-gradients", lambda x: bb.nan_to_num(x, posinf=5, neginf=6), ([nan, inf, -inf, 2],),
            [0, 5, 6, 2], ([0, 0, 0, 1],)),
    Special("where-drops-asin", lambda x: bb.where(x < 1, bb.asin(x), 0), ([1, 2, 0],), [0, 0, 0], ([0, 0, 1],)),
)  # fmt: skip

SCATTERED = (
    Special("B032-scatter-with-an-index-smaller-than-src", lambda x, y: x.scatter_reduce(0, [1], y, "prod"),
            ([2, 3, 4], [5, 6, 7]), [2, 15, 4], ([1, 5, 1], [3, 0, 0])),
    Special("B033-scatter-multiplies-by-every-one", lambda x, y: x.scatter_reduce(0, [0, 0], y, "prod"), ([2], [3, 5]),
            [30], ([15], [10, 6])),
    Special("scatter-prod-with-zeros", lambda x, y: x.scatter_reduce(0, [0, 0, 1], y, "prod"), ([2, 0], [0, 5, 4]),
            [0, 0], ([0, 4], [10, 0, 0])),
    Special("scatter-amax-of-ties", lambda x, y: x.scatter_reduce(0, [0, 0, 1], y, "amax"), ([3, 1], [3, 3, 2]), [3, 2],
            ([1 / 3, 0], [1 / 3, 1 / 3, 1])),
    Special("scatter-amin-of-ties-without-self",
            lambda x, y: x.scatter_reduce(0, [0, 0, 1], y, "amin", include_self=False), ([3, 1], [3, 3, -inf]), [3, -inf],
            ([0, 0], [0.5, 0.5, 1])),
    Special("scatter-amax-of-minus-infinities",
            lambda x, y: x.scatter_reduce(0, [0, 0], y, "amax", include_self=False), ([3], [-inf, -inf]), [-inf],
            ([0], [0.5, 0.5])),
)  # fmt: skip

SPECIALS: tuple[Special, ...] = (
    *SORTED, *TIES, *KINKS, *MASKED, *BROADCAST, *INDICES, *WINDOWS, *NORMS, *LOSSES, *NUMBERS, *SIGNS, *CURVES, *SCATTERED,
)  # fmt: skip

EXTREMES = (0.0, -0.0, 1.0, -1.0, inf, -inf, nan, 1e30, -1e30, 1e-30)
"""What elementwise ops meet when a zero cotangent must still give a zero gradient."""

UNARY: dict[str, Callable[..., bb.Tensor]] = {
    "abs": bb.abs, "exp": bb.exp, "log": bb.log, "sqrt": bb.sqrt, "square": bb.square, "tanh": bb.tanh,
    "erf": bb.erf, "negative": bb.negative, "relu": bb.relu, "sigmoid": bb.sigmoid, "gelu": bb.gelu,
    "gelu-tanh": lambda x: bb.gelu(x, "tanh"), "clip": lambda x: bb.clip(x, -1, 1),
    "pow-2": lambda x: x**2, "pow-3": lambda x: x**3, "pow-half": lambda x: x**0.5, "pow--1": lambda x: x**-1,
    "base": lambda x: 2**x, "base-0": lambda x: 0**x, "base--1": lambda x: (-1) ** x,
    "divided": lambda x: 1 / x, "divided-by-0": lambda x: x / 0, "times-inf": lambda x: x * inf,
    "sin": bb.sin, "cos": bb.cos, "tan": bb.tan, "asin": bb.asin, "acos": bb.acos, "atan": bb.atan, "sinh": bb.sinh,
    "cosh": bb.cosh, "asinh": bb.asinh, "acosh": bb.acosh, "atanh": bb.atanh, "expm1": bb.expm1, "log1p": bb.log1p,
    "log2": bb.log2, "log10": bb.log10, "erfc": bb.erfc, "reciprocal": bb.reciprocal, "rsqrt": bb.rsqrt,
    "erfinv": bb.erfinv, "lgamma": bb.lgamma, "digamma": bb.digamma,
    "silu": functional.silu, "mish": functional.mish, "elu": functional.elu, "selu": functional.selu,
    "softplus": functional.softplus, "logsigmoid": functional.logsigmoid, "softsign": functional.softsign,
    "tanhshrink": functional.tanhshrink, "hardswish": functional.hardswish, "relu6": functional.relu6,
    "leaky_relu": functional.leaky_relu, "softshrink": functional.softshrink, "rrelu": functional.rrelu,
    "sign": bb.sign, "floor": bb.floor, "ceil": bb.ceil, "round": bb.round, "trunc": bb.trunc,
    "nan_to_num": bb.nan_to_num, "lerp": lambda x: bb.lerp(x, x * 2, 0.3), "positive": bb.positive,
    "dropout": lambda x: functional.dropout(x, 0.5), "astype": lambda x: x.astype("float32") * inf,
}  # fmt: skip

BINARY: dict[str, Callable[..., bb.Tensor]] = {
    "add": bb.add, "subtract": bb.subtract, "multiply": bb.multiply, "divide": bb.divide, "pow": bb.pow,
    "maximum": bb.maximum, "minimum": bb.minimum, "where": lambda x, y: bb.where(x > y, x, y),
    "atan2": bb.atan2, "hypot": bb.hypot, "logaddexp": bb.logaddexp, "copysign": bb.copysign,
    "nextafter": bb.nextafter, "floor_divide": bb.floor_divide, "remainder": bb.remainder,
    "lerp": lambda x, y: bb.lerp(x, y, y), "glu": lambda x, y: functional.glu(bb.stack(bb.broadcast_arrays(x, y)), 0)[0],
}  # fmt: skip
