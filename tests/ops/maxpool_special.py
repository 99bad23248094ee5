"""Ties, NaN, infinities and padding of the max pooling ops."""

from __future__ import annotations

from typing import Any

import backburner as bb
from backburner.nn import functional as F
from ops.special import Special, inf, nan


def _image(row: Any) -> Any:
    """Return one image of one channel and one row."""
    return [[[row]]]


def _weighted(values: bb.Tensor, indices: bb.Tensor) -> bb.Tensor:
    """Return values and indices in one, whose gradient is that of the values."""
    assert indices.dtype == bb.int64 and not indices.is_tracked()
    return values + 100 * indices.astype(values.dtype)


SPECIALS = (
    Special("B004-max_pool2d-of-ones", lambda x: F.max_pool2d(x, 2), ([[[[1, 1, 1, 1]] * 2]],), [[[[1, 1]]]],
            ([[[[1, 0, 1, 0], [0, 0, 0, 0]]]],)),
    Special("B004-max_pool3d-of-ones", lambda x: F.max_pool3d(x, 2), ([[[[1, 1], [1, 1]], [[1, 1], [1, 1]]]],), [[[[1]]]],
            ([[[[1, 0], [0, 0]], [[0, 0], [0, 0]]]],)),
    Special("max_pool3d-first-by-frame-then-row-then-column", lambda x: _weighted(*F.max_pool3d(x, 2, return_indices=True)),
            ([[[[0, 0], [0, 5]], [[5, 5], [5, 5]]]],), [[[[305]]]], ([[[[0, 0], [0, 1]], [[0, 0], [0, 0]]]],)),
    Special("max_pool2d-first-by-row-then-column", lambda x: _weighted(*F.max_pool2d(x, 2, return_indices=True)),
            ([[[0, 5], [5, 0]]],), [[[105]]], ([[[0, 1], [0, 0]]],)),
    Special("max_pool2d-of-many-taps-first-by-row", lambda x: _weighted(*F.max_pool2d(x, (2, 200), return_indices=True)),
            ([[[0] * 199 + [5], [5] * 200]],), [[[19905]]], ([[[0] * 199 + [1], [0] * 200]],)),
    Special("B056-max_pool1d-pads-with-the-lowest", lambda x: F.max_pool1d(x, 3, 1, 1), ([[[-1, -2]]],), [[[-1, -1]]],
            ([[[2, 0]]],)),
    Special("B056-max_pool3d-pads-with-the-lowest", lambda x: F.max_pool3d(x, 3, 1, 1), ([[[[-1, -2]]]],), [[[[-1, -1]]]],
            ([[[[2, 0]]]],)),
    Special("max_pool2d-last-nan", lambda x: _weighted(*F.max_pool2d(x, 2, return_indices=True)),
            ([[[1, nan], [nan, 5]]],), [[[nan]]], ([[[0, 0], [1, 0]]],)),
    Special("max_pool2d-last-nan-of-sliding-windows", lambda x: F.max_pool2d(x, (2, 2), 1), ([[[1, nan, 2, 3], [nan, 5, nan, 4]]],),
            [[[nan, nan, nan]]], ([[[0, 0, 0, 0], [1, 0, 2, 0]]],)),
    Special("max_pool2d-last-nan-of-many-taps", lambda x: F.max_pool2d(x, (2, 200)), ([[[nan, 7] * 100, [nan, 8] * 100]],),
            [[[nan]]], ([[[0] * 200, [0] * 198 + [1, 0]]],)),
    Special("max_pool3d-last-nan", lambda x: _weighted(*F.max_pool3d(x, (2, 1, 2), return_indices=True)),
            ([[[[1, nan]], [[nan, 2]]]],), [[[[nan]]]], ([[[[0, 0]], [[1, 0]]]],)),
    Special("max_pool1d-of-infinities", lambda x: _weighted(*F.max_pool1d(x, 2, 1, 1, return_indices=True)),
            ([[[-inf, -inf, inf]]],), [[[-inf, -inf, inf, inf]]], ([[[2, 0, 2]]],)),
    Special("max_pool1d-of-windows-without-an-element", lambda x: _weighted(*F.max_pool1d(x, 2, 1, 1, 3, return_indices=True)),
            ([[[4, 5]]],), [[[-inf]]], ([[[0, 0]]],)),
    Special("max_pool2d-of-windows-without-an-element", lambda x: F.max_pool2d(x, 2, 1, 1, 3), ([[[4, 5], [6, 7]]],), [[[-inf]]],
            ([[[0, 0], [0, 0]]],)),
    Special("max_pool2d-of-a-kernel-larger-than-its-image", lambda x: F.max_pool2d(x, (1, 300), (1, 2), (0, 150)), (_image([1, 9, 2]),),
            _image([9, 9]), (_image([0, 2, 0]),)),
    Special("adaptive_max_pool1d-of-ties-and-nan", lambda x: _weighted(*F.adaptive_max_pool1d(x, 2, True)),
            ([[[3, 3, 3, 3, 1], [1, nan, nan, 2, 0]]],), [[[3, 203], [nan, nan]]], ([[[1, 0, 1, 0, 0], [0, 0, 2, 0, 0]]],)),
    Special("adaptive_max_pool2d-of-more-parts-than-elements", lambda x: F.adaptive_max_pool2d(x, (2, 3)), ([[[1, 2]]],),
            [[[1, 2, 2], [1, 2, 2]]], ([[[2, 4]]],)),
)  # fmt: skip
