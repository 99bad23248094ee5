"""What reductions, scans, sorting and searching refuse; see ``errors.py``."""

from __future__ import annotations

import math

import backburner as bb
from ops.errors import A, Bad, G, I, S, T, array, b, leaf, n, v, x

zero = bb.tensor(1.0)
nothing = bb.zeros((0, 3))

REFUSED = (
    Bad(lambda: nothing.norm(-1, axis=0), S, "norm: nothing to reduce: axis (0,) of [0, 3].", "negative norm"),
    Bad(lambda: x.sum(keepdims=array), T, "sum: keepdims must be True or False, got ndarray."),  # type: ignore[arg-type]
    Bad(lambda: x.argmin(keepdims=array), T, "argmin: keepdims must be True or False, got ndarray."),  # type: ignore[arg-type]
    Bad(lambda: x.sort(descending=array), T, "sort: descending must be True or False, got ndarray."),  # type: ignore[arg-type]
    Bad(lambda: x.argsort(stable=array), T, "argsort: stable must be True or False, got ndarray."),  # type: ignore[arg-type]
    Bad(lambda: x.topk(1, largest=array), T, "topk: largest must be True or False, got ndarray."),  # type: ignore[arg-type]
    Bad(lambda: x.topk(1, sorted=2), T, "topk: sorted must be True or False, got int."),
    Bad(lambda: bb.isclose(v, v, equal_nan=array), T, "isclose: equal_nan must be True or False, got ndarray."),  # type: ignore[arg-type]
    Bad(lambda: v.cumulative_sum(include_initial=array), T,  # type: ignore[arg-type]
        "cumulative_sum: include_initial must be True or False, got ndarray."),
    Bad(lambda: bb.norm(3, 2), T, "norm: the input is a int, not a Tensor. Use bb.tensor."),
    Bad(lambda: nothing.norm(math.inf, axis=0), S, "norm: nothing to reduce: axis (0,) of [0, 3]."),
    Bad(lambda: nothing.median(), S, "median: nothing to reduce: axis (0, 1) of [0, 3]."),
    Bad(lambda: nothing.argmin(), S, "argmin: nothing to reduce: axis (0,) of [0]."),
    Bad(lambda: v.trace(), S, "trace: needs at least two dimensions, got [3]."),
    Bad(lambda: x.trace(0.5), T, "trace: offset must be an integer, got 0.5."),
    Bad(lambda: x.cumulative_sum(), S, "cumulative_sum: [2, 3] has 2 axes. Name one with axis."),
    Bad(lambda: x.cumulative_prod(), S, "cumulative_prod: [2, 3] has 2 axes. Name one with axis."),
    Bad(lambda: v.diff(n=-1), A, "diff: n must not be negative, got -1."),
    Bad(lambda: v.diff(prepend=1.0), T, "diff: the input is a float, not a Tensor. Use bb.tensor."),
    Bad(lambda: x.diff(append=v), S, "diff: shapes differ outside of axis 1: [3] and [2, 3]."),
    Bad(lambda: b.diff(), T, "diff: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: v.topk(4), A, "topk: k 4 is outside [0, 3], the length of axis -1."),
    Bad(lambda: v.topk(-1), A, "topk: k -1 is outside [0, 3], the length of axis -1."),
    Bad(lambda: bb.searchsorted(v, v, side="middle"), A,
        "searchsorted: side must be 'left' or 'right', got 'middle'."),
    Bad(lambda: bb.searchsorted(x, v), S, "searchsorted: x1 must be 1-d, got [2, 3]."),
    Bad(lambda: bb.searchsorted(v, v, sorter=n[:2] * 0), S, "searchsorted: sorter has shape [2], x1 [3]."),
    Bad(lambda: bb.searchsorted(v, v, sorter=n), I, "searchsorted: index 3 is out of range [-3, 3)."),
    Bad(lambda: zero.nonzero(), S, "nonzero: the tensor is 0-d and has no indices. Use x != 0."),
    Bad(lambda: v.histogram(["a", "b"]), T, "histogram: the edges must be numbers, got ['a', 'b']."),  # type: ignore[list-item]
    Bad(lambda: v.histogram(0), A, "histogram: there must be at least one bin, got 0."),
    Bad(lambda: v.histogram("many"), A, "histogram: bins must be a number, edges or, without weights, one of auto, doane,"),
    Bad(lambda: v.histogram("auto", weights=v), A, "histogram: bins must be a number, edges or, without weights, one of"),
    Bad(lambda: v.histogram(x), S, "histogram: the edges must be a vector of at least two, got [2, 3]."),
    Bad(lambda: v.histogram([1, 0]), A, "histogram: the edges must not fall, nor be NaN. Sort them."),
    Bad(lambda: v.histogram(range=(1, 0)), A, "histogram: the range from 1.0 to 0.0 is not finite, or falls."),
    Bad(lambda: bb.tensor([1.0, math.inf]).histogram(), A,
        "histogram: the range from 1.0 to inf is not finite, or falls. Name another with range."),
    Bad(lambda: v.histogram(range=3), A, "histogram: range must be a pair (low, high), got 3."),  # type: ignore[arg-type]
    Bad(lambda: v.histogram(weights=x), S, "histogram: weights of [2, 3] for [3], the shape of x."),
    Bad(lambda: v.quantile(1.5), A, "quantile: q must be in [0, 1], got 1.5."),
    Bad(lambda: v.quantile(0.5, method="weibull"), A,
        "quantile: method must be one of linear, lower, higher, midpoint, nearest, got 'weibull'."),
    Bad(lambda: v.quantile(x), S, "quantile: q must have at most one axis, got [2, 3]."),
    Bad(lambda: nothing.quantile(0.5), S, "quantile: nothing to reduce: axis (0, 1) of [0, 3]."),
)  # fmt: skip

REFUSED_GRAPHS = (
    Bad(
        lambda: v.quantile(leaf() / 4),
        G,
        "quantile: q is a constant and takes no gradient. Use detach() on it.",
    ),
)
