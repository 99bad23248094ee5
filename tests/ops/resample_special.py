"""Special values of the resampling ops; see ``special.py``."""

from __future__ import annotations

from typing import Any

import backburner as bb
from backburner.nn import functional as F
from ops.special import Special, inf, nan

LINE = [[[[1, 2, 4]]]]


def _resized(*args: Any, **options: Any) -> Any:
    return lambda x: F.interpolate(x, *args, **options)


def _at(*places: float, **options: Any) -> Any:
    """Return the row of an image at these x, and y = 0."""

    def call(x: bb.Tensor) -> bb.Tensor:
        grid = bb.tensor([[[[place, 0.0] for place in places]]], dtype=x.dtype)
        return F.grid_sample(x, grid, **options)[0, 0, 0]

    return call


def _moved(**options: Any) -> Any:
    """Return an image's row at the x of a tensor."""

    def call(places: bb.Tensor) -> bb.Tensor:
        x = bb.tensor(LINE, dtype=places.dtype)
        grid = bb.stack([places, places * 0], axis=1)
        return F.grid_sample(x, bb.reshape(grid, (1, 1, -1, 2)), **options)[0, 0, 0]

    return call


def _constant(mode: str, *size: int, **options: Any) -> Special:
    name = "-".join([mode, *map(str, size), *options])
    image = [[[[7.0, 7.0, 7.0]] * 2]]
    return Special(
        f"B060-a-constant-image-stays-constant-{name}", _resized(size, mode=mode, **options), (image,), 7
    )


SPECIALS = (
    Special("B059-linear-to-five-times-the-size", _resized(10, mode="linear", align_corners=True), ([[[2, 3]]],),
            gradients=([[[5, 5]]],)),
    Special("B059-linear-of-aligned-corners", _resized(4, mode="linear", align_corners=True), ([[[0, 9]]],),
            [[[0, 3, 6, 9]]]),
    Special("B059-linear-between-pixels", _resized(4, mode="linear"), ([[[0, 8]]],), [[[0, 2, 6, 8]]],
            ([[[3.25, 6.75]]],), [[[1, 2, 3, 4]]]),
    *(
        _constant(mode, *size, **options)
        for mode in ("nearest", "nearest-exact", "area", "bilinear", "bicubic", "lanczos")
        for size in ((5, 2), (1, 7))
        for options in (
            ({"antialias": True},) if mode == "lanczos"
            else ({}, {"align_corners": True}, {"antialias": True}) if mode.startswith("bi")
            else ({},)
        )
    ),
    Special("B060-a-single-pixel-does-not-overshoot", _resized((3, 3), mode="bicubic"), ([[[[7]]]],), 7, ([[[[9]]]],)),
    Special("a-row-keeps-to-itself-where-the-width-becomes-1", _resized((3, 1), mode="bilinear", antialias=True),
            ([[[[0, 0], [2, 4]]]],), [[[[0], [1.5], [3]]]]),
    Special("interpolate-lets-an-infinity-into-its-windows-only", _resized(5, mode="linear", align_corners=True),
            ([[[1, inf, 3]]],), [[[1, inf, inf, inf, 3]]], ([[[1.5, 2, 1.5]]],)),
    Special("interpolate-lets-nan-into-its-windows-only", _resized(2, mode="area"), ([[[nan, 1, 3, 5]]],), [[[nan, 4]]]),
    Special("a-pixel-that-becomes-many-gets-all-of-their-gradient", _resized(10**5), ([[[1]]],), 1,
            ([[[1e4]]],), [[[0.1] * 10**5]]),
    Special("interpolate-picks-from-integers", lambda x: F.interpolate(x.astype(bb.int64), 4).astype(x.dtype),
            ([[[1, 2]]],), [[[1, 1, 2, 2]]]),
    Special("grid_sample-of-ties-takes-the-even-pixel", _at(-1 / 3, 1 / 3, mode="nearest", align_corners=False), (LINE,),
            [1, 4], ([[[[1, 0, 1]]]],)),
    Special("grid_sample-is-0-outside-also-far", _at(-5, inf, -inf, 1e30), (LINE,), [0] * 4, ([[[[0, 0, 0]]]],)),
    Special("grid_sample-stops-at-the-border", _at(inf, -inf, -1e30, 2, padding_mode="border"), (LINE,), [4, 1, 1, 4],
            ([[[[2, 0, 2]]]],)),
    Special("grid_sample-stops-at-the-border-of-four-taps", _at(inf, -1e30, mode="bicubic", padding_mode="border"), (LINE,),
            [4, 1], ([[[[1, 0, 1]]]],)),
    Special("grid_sample-mirrors", _at(2, 4 / 3, 3, padding_mode="reflection"), (LINE,), [2, 4, 1],
            ([[[[1, 1, 1]]]],)),
    *(
        Special(f"grid_sample-of-nan-{mode}-{padding_mode}", _at(nan, 0, mode=mode, padding_mode=padding_mode), (LINE,),
                [nan, 2], ([[[[0, 1, 0]]]],))
        for mode in ("bilinear", "nearest", "bicubic")
        for padding_mode in ("zeros", "border", "reflection")
    ),
    Special("grid_sample-has-no-slope-beyond-the-border", _moved(padding_mode="border"), ([-2, 1, 1e30, 0.5],),
            [1, 4, 4, 3.5], ([0, 0, 0, 3],)),
    Special("grid_sample-has-the-slope-to-the-right-on-a-pixel", _moved(align_corners=True), ([-1, 0],), [1, 2], ([1, 2],)),
    Special("grid_sample-of-nearest-has-no-slope", _moved(mode="nearest"), ([0.1, 0.7],), [2, 4], ([0, 0],)),
    Special("grid_sample-outside-of-an-infinite-image", _at(-3, 0), ([[[[inf, 2, 4]]]],), [0, 2], ([[[[0, 1, 0]]]],)),
    Special("affine_grid-of-one-pixel", lambda x: F.affine_grid(x, (1, 1, 1, 1), align_corners=True),
            ([[[2, 3, 5], [7, 11, 13]]],), [[[[5, 13]]]], ([[[0, 0, 1], [0, 0, 1]]],)),
)  # fmt: skip
