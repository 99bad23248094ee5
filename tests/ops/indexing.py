"""Rows of the ops that pick elements by index."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import backburner as bb
from backburner.nn import functional
from ops._row import Array, Row, indices, mask, ones_of, real, sweep

BASIC: tuple[Any, ...] = (
    1,
    -1,
    slice(None),
    slice(2, 0, -1),
    slice(-100, 100, 2),
    slice(1, 1),
    (1, slice(None), -2),
    (..., 0),
    (None, slice(0, 2), None, ..., slice(None, None, -2)),
    (0, 1, 2),
    (),
    ...,
)
PICKED: tuple[Any, ...] = (
    [0, 2, 0],
    ([0, 1], [1, 1]),
    (slice(None), [1, 0, 1]),
    (slice(None), [[0], [1]], [0, 1]),
    ([0, 2, 2], slice(1, 3), [0, 1, 1]),
    (..., [-1, 0, -1]),
    ([2, -1], None, 0),
    (0, [1, 2]),
    [],
    [True, False, True],
    (slice(None), [False, True, True, True]),
    ([True, False, True], 1),
    ([True, False, True], [1, 3]),
)


def _numpys(index: Any) -> Any:
    """Return an index of lists as NumPy takes it."""
    if isinstance(index, tuple):
        return tuple(_numpys(part) for part in index)
    return np.array(index, np.int64 if index == [] else None) if isinstance(index, list) else index


def _by_place(x: Array, index: Any) -> Any:
    """Pick with NumPy from the places' numbers, then element by element."""
    places = np.arange(x.size).reshape(x.shape)[_numpys(index)]
    return np.array([x.ravel()[place] for place in places.ravel()], x.dtype).reshape(places.shape)


def _take(x: Array, places: Array, axis: int = 0) -> Any:
    lanes = np.moveaxis(x, axis, -1)
    picked = np.empty((*lanes.shape[:-1], *places.shape))
    for place in np.ndindex(*places.shape):
        picked[(..., *place)] = lanes[..., int(places[place])]
    axis %= x.ndim
    order = [*range(axis), *range(x.ndim - 1, picked.ndim), *range(axis, x.ndim - 1)]
    return picked.transpose(order)


def _rows(places: Array, table: Array, padding_idx: int | None = None, **options: Any) -> Any:
    if "max_norm" in options:
        sizes = np.linalg.norm(table, options.get("norm_type", 2), axis=1, keepdims=True)
        table = table * np.minimum(1, options["max_norm"] / (sizes + 1e-7))
    return np.array([table[i] for i in places.ravel()]).reshape(*places.shape, table.shape[1])


def _bags(
    places: Array,
    table: Array,
    mode: str = "mean",
    offsets: Any = None,
    weights: Array | None = None,
    padding_idx: int | None = None,
    include_last_offset: bool = False,
) -> Any:
    starts = range(0, places.size, places.shape[1] or 1) if offsets is None else offsets
    starts = [0] * places.shape[0] if offsets is None and not places.size else starts
    ends = [*starts[1:], places.size][: len(starts) - include_last_offset]
    factors = np.ones(places.size) if weights is None else weights.ravel()
    reduce = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode]
    out = np.zeros((len(ends), table.shape[1]))
    skipped = None if padding_idx is None else padding_idx % table.shape[0]
    for bag, end in enumerate(ends):
        kept = [k for k in range(starts[bag], end) if places.ravel()[k] != skipped]
        if kept:
            out[bag] = reduce([table[places.ravel()[k]] * factors[k] for k in kept], axis=0)
    return out


def _bags_call(places: Any, table: Any, offsets: Any = None, **options: Any) -> Any:
    return functional.embedding_bag(places, table, None if offsets is None else bb.tensor(offsets), **options)


_MEET: dict[str, Any] = {
    "set": lambda old, new: new,
    "add": lambda old, new: old + new,
    "multiply": lambda old, new: old * new,
    "min": min,
    "max": max,
}


def _at(x: Array, values: Array, index: Any, mode: str) -> Any:
    """Put one value after the other."""
    places = np.arange(x.size).reshape(x.shape)[_numpys(index)]
    out = x.copy().ravel()
    for place, value in zip(places.ravel(), (values + np.zeros(places.shape)).ravel(), strict=True):
        out[place] = _MEET[mode](out[place], value)
    return out.reshape(x.shape)


def _along(x: Array, places: Array, axis: int = -1) -> Any:
    x, places = np.moveaxis(x, axis, -1), np.moveaxis(places, axis, -1)
    lines = np.broadcast_shapes(x.shape[:-1], places.shape[:-1])
    x, places = (np.broadcast_to(a, (*lines, a.shape[-1])) for a in (x, places))
    out = np.empty(places.shape)
    for place in np.ndindex(*places.shape):
        out[place] = x[(*place[:-1], places[place])]
    return np.moveaxis(out, -1, axis)


def _scatter_added(x: Array, index: Array, src: Array, axis: int) -> Any:
    out = x.copy()
    for place in np.ndindex(*index.shape):
        target = list(place)
        target[axis] = index[place]
        out[tuple(target)] += src[place]
    return out


def _scatter_reduced(
    x: Array, index: Array, src: Array, axis: int, reduce: str, include_self: bool = True
) -> Any:
    met: dict[tuple[int, ...], list[float]] = {place: [] for place in np.ndindex(*x.shape)}
    for place in np.ndindex(*index.shape):
        target = list(place)
        target[axis] = index[place] % x.shape[axis]
        met[tuple(target)].append(src[place])
    out = x.copy()
    for place, values in met.items():
        if values:
            values += [x[place]] * include_self
            out[place] = {"sum": sum, "prod": math.prod, "mean": np.mean, "amax": max, "amin": min}[reduce](
                values
            )
    return out


ROWS = (
    Row(
        "getitem",
        (real,),
        ones_of([(3, 4, 5)], [{"index": index} for index in BASIC]),
        _by_place,
        call=lambda x, index: x[index],
    ),
    Row(
        "getitem",
        (real,),
        ones_of([(3, 4, 5)], [{"index": index} for index in PICKED]),
        _by_place,
        call=lambda x, index: x[index],
        name="getitem_of_arrays",
    ),
    Row(
        "getitem",
        (real,),
        ones_of([(0, 3)], [{"index": index} for index in (slice(None), (..., 1), [], (slice(None), [0, 0]))]),
        _by_place,
        call=lambda x, index: x[index],
        name="getitem_of_nothing",
    ),
    Row(
        "getitem",
        (real,),
        ones_of([()], [{"index": index} for index in ((), ..., None)]),
        _by_place,
        call=lambda x, index: x[index],
        name="getitem_of_0d",
    ),
    Row(
        "getitem",
        (real, indices(-3, 3)),
        sweep([((3, 4), (5,)), ((3, 4), (2, 2)), ((3,), ())]),
        _by_place,
        call=lambda x, index: x[index],
        name="getitem_by_tensor",
    ),
    Row(
        "getitem",
        (real, mask),
        sweep([((3, 4), (3, 4)), ((3, 4), (3,)), ((5,), (5,))]),
        _by_place,
        call=lambda x, index: x[index],
        name="getitem_by_mask",
    ),
    Row(
        "take",
        (real, indices(-3, 3)),
        (
            *sweep(
                [((3, 3, 3), (4,)), ((3, 3, 3), (2, 2)), ((3, 3, 3), ())], [{"axis": a} for a in (0, 1, -1)]
            ),
            *sweep([((3,), (5,)), ((3,), (0,))]),
            *sweep([((0, 3), (4,))], [{"axis": 1}]),
        ),
        _take,
    ),
    Row(
        "embedding",
        (indices(0, 5), real),
        sweep(
            [((4,), (5, 3)), ((2, 6), (5, 3)), ((), (5, 2)), ((0,), (5, 3)), ((2,), (5, 0))],
            [{}, {"padding_idx": None}, {"sparse": True}],
        ),
        _rows,
    ),
    Row(
        "embedding",
        (indices(0, 4), real),
        sweep([((2, 6), (5, 3))], [{"padding_idx": 4}, {"padding_idx": -1}]),
        _rows,
        name="embedding_without_padding_met",
    ),
    Row(
        "embedding",
        (indices(0, 5), real),
        sweep(
            [((2, 6), (5, 3))],
            [{"max_norm": 1.5}, {"max_norm": 2, "norm_type": 1.0}, {"scale_grad_by_freq": True}],
        ),
        _rows,
        differentiable=(),
        name="embedding_of_scaled_rows",
    ),
    Row(
        "embedding_bag",
        (indices(0, 5), real),
        sweep([((3, 4), (5, 3)), ((0, 2), (5, 3)), ((2, 0), (5, 3))], [{}, {"mode": "sum"}, {"mode": "max"}]),
        _bags,
        exact=False,
    ),
    Row(
        "embedding_bag",
        (indices(0, 5), real),
        (
            *sweep(
                [((7,), (5, 3))], [{"offsets": [0, 2, 2, 5], "mode": mode} for mode in ("sum", "mean", "max")]
            ),
            *sweep(
                [((7,), (5, 3))], [{"offsets": [0, 0, 7], "include_last_offset": True, "padding_idx": -1}]
            ),
            *sweep([((7,), (5, 3))], [{"offsets": [0, 5], "mode": "max", "padding_idx": 0}]),
            *sweep([((0,), (5, 3))], [{"offsets": [0, 0], "mode": "max"}]),
        ),
        _bags,
        call=_bags_call,
        exact=False,
        name="embedding_bag_by_offsets",
    ),
    Row(
        "embedding_bag",
        (indices(0, 5), real, real),
        (
            *sweep([((3, 4), (5, 2), (3, 4))], [{"mode": "sum"}, {"mode": "sum", "padding_idx": 1}]),
            *sweep([((6,), (5, 2), (6,))], [{"mode": "sum", "offsets": [0, 1, 6]}]),
        ),
        lambda places, table, weights, **options: _bags(places, table, weights=weights, **options),
        call=lambda places, table, weights, **options: _bags_call(
            places, table, per_sample_weights=weights, **options
        ),
        exact=False,
        name="embedding_bag_with_weights",
    ),
    *(
        Row(
            "at",
            (real, real),
            (
                *sweep(
                    [((3, 4), (4,))], [{"index": index} for index in (1, -1, slice(1, 1), ([0, 2, 0],), ...)]
                ),
                *sweep([((3, 4), ())], [{"index": index} for index in ((0, 1), slice(None), [2, 2, 2], [])]),
                *sweep([((3, 4), (3,))], [{"index": (slice(None), 1)}, {"index": ([0, 2, 0], [1, 3, 1])}]),
                *sweep([((3, 4), (2, 1))], [{"index": (slice(0, 2), [3, 3, 0])}]),
                *sweep([((3, 4), ())], [{"index": [True, False, True]}]),
                *sweep([((), ())], [{"index": ()}, {"index": ...}]),
                *sweep([((0, 3), (3,))], [{"index": slice(None)}, {"index": []}]),
            ),
            lambda x, values, index, mode=mode: _at(x, values, index, mode),
            call=lambda x, values, index, mode=mode: getattr(x.at[index], mode)(values),
            name=f"at_{mode}",
        )
        for mode in ("set", "add", "multiply", "min", "max")
    ),
    Row(
        "at",
        (real, indices(-3, 3), real),
        sweep([((3, 2), (5,), (5, 2)), ((3,), (2, 2), (2,)), ((3, 2), (0,), (2,))]),
        lambda x, index, values: _at(x, values, (index,), "add"),
        call=lambda x, index, values: x.at[index].add(values),
        name="at_by_tensor",
    ),
    Row(
        "take_along_axis",
        (real, indices(-3, 3)),
        (
            *sweep(
                [((3, 3, 3), (3, 3, 3)), ((3, 3, 3), (1, 3, 1)), ((3, 3, 1), (3, 1, 3))],
                [{"axis": a} for a in (0, 1, -1)],
            )[:7],
            *sweep(
                [((2, 3), (2, 5)), ((3,), (4,)), ((1, 3), (2, 2)), ((2, 3), (2, 0)), ((0, 3), (0, 2))], [{}]
            ),
        ),
        _along,
    ),
    Row(
        "gather",
        (real, indices(-3, 3)),
        sweep(
            [((3, 4), (5, 4)), ((3, 4), (2, 2)), ((3,), (4,)), ((3, 0), (2, 0)), ((3, 4), (0, 4))],
            [{"axis": 0}],
        )
        + sweep([((2, 3), (1, 4)), ((2, 3), (2, 3))], [{"axis": -1}]),
        lambda x, index, axis: _along(
            x[tuple(slice(None if a == axis % x.ndim else n) for a, n in enumerate(index.shape))], index, axis
        ),
        call=lambda x, index, axis: bb.gather(x, axis, index),
    ),
    Row(
        "scatter_add",
        (real, indices(-3, 3), real),
        sweep(
            [
                ((3, 4), (5, 4), (5, 4)),
                ((3, 4), (2, 2), (3, 4)),
                ((3,), (4,), (4,)),
                ((3, 0), (2, 0), (2, 0)),
                ((3, 4), (0, 4), (0, 4)),
            ],
            [{"axis": 0}],
        )
        + sweep([((2, 3), (1, 4), (2, 4))], [{"axis": -1}]),
        _scatter_added,
        call=lambda x, index, src, axis: bb.scatter_add(x, axis, index, src),
    ),
    Row(
        "scatter_reduce",
        (real, indices(-3, 3), real),
        sweep(
            [((3, 4), (5, 2), (6, 2))],
            [
                {"axis": 0, "reduce": reduce, **more}
                for reduce in ("sum", "prod", "mean", "amax", "amin")
                for more in ({}, {"include_self": False})
            ],
        )
        + sweep([((2, 3), (1, 4), (2, 4))], [{"axis": -1, "reduce": "prod", "include_self": False}])
        + sweep([((3, 4), (0, 4), (0, 4)), ((3, 0), (2, 0), (2, 0))], [{"axis": 0, "reduce": "amax"}]),
        _scatter_reduced,
        call=lambda x, index, src, axis, reduce, **more: bb.scatter_reduce(
            x, axis, index, src, reduce, **more
        ),
    ),
    Row(
        "index_add",
        (real, indices(-3, 3), real),
        sweep(
            [((3, 4), (5,), (5, 4)), ((3,), (2,), (2,)), ((3, 4), (0,), (0, 4))],
            [{"axis": 0}, {"axis": 0, "alpha": 2.5}],
        )
        + sweep([((2, 3), (4,), (2, 4)), ((0, 3), (4,), (0, 4))], [{"axis": -1}]),
        lambda x, index, source, axis, alpha=1: _at(
            np.moveaxis(x, axis, 0), alpha * np.moveaxis(source, axis, 0), (index,), "add"
        ).swapaxes(0, axis),
        call=lambda x, index, source, axis, **options: bb.index_add(x, axis, index, source, **options),
    ),
    Row(
        "masked_fill",
        (real, mask, real),
        sweep(
            [((3, 4), (3, 4), ()), ((3, 4), (4,), ()), ((3, 4), (3, 1), ()), ((), (), ()), ((0, 3), (3,), ())]
        ),
        lambda x, mask, value: np.array(
            [
                v * (1 - m) + value * m
                for v, m in zip(x.ravel(), (mask & np.ones(x.shape, bool)).ravel(), strict=True)
            ]
        ).reshape(x.shape),
    ),
    Row(
        "masked_select",
        (real, mask),
        sweep([((3, 4), (3, 4)), ((3, 4), (4,)), ((4,), (3, 4)), ((), ()), ((0, 3), (3,))]),
        lambda x, mask: np.array([v for v, m in np.nditer([x, mask], ["zerosize_ok"]) if m]),
    ),
    Row(
        "one_hot",
        (indices(0, 4),),
        ones_of([(3,), (2, 2), (), (0,)], [{"num_classes": 4}, {"num_classes": 6}]) + ones_of([(3,)], [{}]),
        lambda places, num_classes=-1: np.array(
            [
                [i == p for i in range(num_classes if num_classes > 0 else places.max() + 1)]
                for p in places.ravel()
            ]
        ).reshape(*places.shape, num_classes if num_classes > 0 else places.max() + 1),
        result="int64",
    ),
    Row(
        "bincount",
        (indices(0, 4),),
        ones_of([(7,), (0,)], [{}, {"minlength": 6}, {"minlength": 1}]),
        lambda x, minlength=0: [sum(x == i) for i in range(max([minlength, *(x + 1)]))],
        result="int64",
    ),
    Row(
        "bincount",
        (indices(0, 4), real),
        sweep([((7,), (7,)), ((0,), (0,))], [{}, {"minlength": 6}]),
        lambda x, weights, minlength=0: np.array(
            [sum(weights[x == i]) for i in range(max([minlength, *(x + 1)]))]
        ),
        name="bincount_of_weights",
    ),
)
