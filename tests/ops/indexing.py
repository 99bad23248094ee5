"""Rows of the ops that pick elements by index."""

from __future__ import annotations

from typing import Any

import numpy as np

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


def _rows(places: Array, table: Array, padding_idx: int | None = None) -> Any:
    return np.array([table[i] for i in places.ravel()]).reshape(*places.shape, table.shape[1])


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
            [{}, {"padding_idx": None}],
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
)
