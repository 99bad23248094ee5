"""Transposed convolutions: of ramps, by ramps."""

from __future__ import annotations

from typing import Any

from backburner.nn import functional as F
from burn_cases._case import Case, ramp


def conv(
    name: str, x: tuple[int, ...], weight: tuple[int, ...], grads: tuple[Any, ...], **options: Any
) -> Case:
    """Return a case of a transposed convolution; in three dimensions its ramps end at one.

    Args:
        name: what is special.
        x: the input's shape.
        weight: the weight's shape.
        grads: of the input, for one of the batch where all are alike; of the weight; of the bias.
        options: of the function.
    """
    rank = len(x) - 2
    function = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}[rank]
    image, kernel = ramp(*x), ramp(*weight)
    if rank == 3:
        image, kernel = image / image.size, kernel / kernel.size
    inputs = (image, kernel, ramp(weight[1] * options.get("groups", 1)))
    return Case(f"conv_transpose{rank}d, {name}", lambda x, w, b: function(x, w, b, **options), inputs, grads)


def edged(height: int, width: int, corner: float, top: float, left: float, inner: float) -> list[list[float]]:
    """Return a plane that differs in its first row and its first column."""
    return [[corner, *[top] * (width - 1)], *[[left, *[inner] * (width - 1)]] * (height - 1)]


def solid(first: tuple[float, ...], others: tuple[float, ...]) -> list[list[list[float]]]:
    """Return six planes of six by six, of which the first differs."""
    return [edged(6, 6, *first), *[edged(6, 6, *others)] * 5]


ALL = {"padding": (1, 2), "output_padding": (1, 2), "stride": (2, 3)}
ENDS = (
    (4455, 4905, 4500, 4950),
    (12555, 13905, 13500, 14950),
    (20655, 22905, 22500, 24950),
    (28755, 31905, 31500, 34950),
)

CASES = [
    conv("basic", (2, 2, 4), (2, 2, 3), ([[15], [51]], [[[44]], [[76]]], 12)),
    conv(
        "padding",
        (2, 2, 4),
        (2, 2, 3),
        ([[7, 12, 8, 3], [19, 36, 32, 15]], [[[26, 22, 18]], [[42, 38, 34]]], 4),
        padding=2,
    ),
    conv("stride", (2, 2, 4), (2, 2, 3), ([[15], [51]], [[[44]], [[76]]], 18), stride=2),
    conv(
        "output_padding",
        (2, 2, 4),
        (2, 2, 3),
        ([[15], [51]], [[[44]], [[76]]], 20),
        stride=2,
        output_padding=1,
    ),
    conv("dilation", (2, 2, 4), (2, 2, 3), ([[15], [51]], [[[44]], [[76]]], 16), dilation=2),
    conv(
        "all options",
        (2, 2, 8),
        (2, 2, 3),
        ([[12, *[15] * 7], [36, *[51] * 7]], [[[168, 184, 184]], [[280, 312, 312]]], 36),
        padding=1,
        output_padding=1,
        stride=2,
        dilation=2,
        groups=2,
    ),
    conv("basic", (2, 2, 4, 4), (2, 2, 3, 3), ([[[153]], [[477]]], [[[[752]]], [[[1264]]]], 72)),
    conv(
        "padding",
        (1, 1, 4, 4),
        (1, 1, 3, 3),
        (
            [[13, 24, 20, 9], [15, 27, 21, 9], [15, 27, 21, 9], [7, 12, 8, 3]],
            [[63, 57, 51], [68, 60, 52], [39, 33, 27]],
            8,
        ),
        padding=(1, 2),
    ),
    conv("stride", (1, 1, 4, 4), (1, 1, 3, 3), (36, 120, 108), stride=(2, 3)),
    conv("output_padding", (1, 1, 4, 4), (1, 1, 3, 3), (36, 120, 140), stride=(2, 3), output_padding=(1, 2)),
    conv("dilation", (1, 1, 4, 4), (1, 1, 3, 3), (36, 120, 80), dilation=(2, 3)),
    conv("three channels out", (1, 2, 4, 4), (2, 3, 3, 3), ([[[351]], [[1080]]], [[[[120]]], [[[376]]]], 36)),
    conv("a wide kernel", (1, 1, 6, 6), (1, 1, 3, 5), (105, 630, 80)),
    conv("groups", (1, 2, 4, 4), (2, 1, 3, 3), ([[[36]], [[117]]], [[[[120]]], [[[376]]]], 36), groups=2),
    conv(
        "all options but groups",
        (2, 2, 6, 8),
        (2, 3, 3, 5),
        (
            [edged(6, 8, 600, 735, 810, 990), edged(6, 8, 1680, 2085, 2430, 3015)],
            [[edged(3, 5, 5320, 6040, 6048, 6864)], [edged(3, 5, 8680, 9880, 10080, 11472)]],
            896,
        ),
        dilation=(2, 3),
        **ALL,
    ),
    conv(
        "many channels",
        (1, 4, 10, 10),
        (4, 2, 2, 3),
        (
            [
                edged(10, 10, *ends)
                for ends in (
                    (30, 42, 48, 66),
                    (78, 114, 144, 210),
                    (126, 186, 240, 354),
                    (174, 258, 336, 498),
                )
            ],
            [[edged(2, 3, *ends)] for ends in ENDS],
            570,
        ),
        dilation=(1, 2),
        **ALL,
    ),
    conv(
        "all options",
        (1, 4, 10, 10),
        (4, 1, 2, 3),
        (
            [
                edged(10, 10, *ends)
                for ends in ((9, 12, 12, 15), (21, 30, 36, 51), (33, 48, 60, 87), (45, 66, 84, 123))
            ],
            [[edged(2, 3, *ends)] for ends in ENDS],
            570,
        ),
        dilation=(1, 2),
        groups=2,
        **ALL,
    ),
    conv(
        "basic",
        (2, 2, 4, 4, 4),
        (2, 2, 3, 3, 3),
        ([[[[13.25]]], [[[40.25]]]], [[[[[47.75]]]], [[[[79.75]]]]], 432),
    ),
    conv(
        "all options",
        (1, 4, 6, 6, 6),
        (4, 1, 2, 3, 4),
        (
            [
                solid((1.25, 1.625, 1.6875, 2.1875), (1.75, 2.25, 2.25, 2.875)),
                solid((2.75, 3.625, 3.9375, 5.1875), (4.75, 6.25, 6.75, 8.875)),
                solid((4.25, 5.625, 6.1875, 8.1875), (7.75, 10.25, 11.25, 14.875)),
                solid((5.75, 7.625, 8.4375, 11.1875), (10.75, 14.25, 15.75, 20.875)),
            ],
            [
                [
                    [
                        edged(3, 4, 18.663193, 22.309027, 21.875, 26.145834),
                        edged(3, 4, 19.270832, 23.020834, 22.5, 26.875),
                    ]
                ],
                [
                    [
                        edged(3, 4, 49.913193, 59.809029, 59.375, 71.145836),
                        edged(3, 4, 56.770836, 68.020836, 67.5, 80.875),
                    ]
                ],
                [
                    [
                        edged(3, 4, 81.163193, 97.309029, 96.875, 116.145828),
                        edged(3, 4, 94.270828, 113.020828, 112.5, 134.875),
                    ]
                ],
                [
                    [
                        edged(3, 4, 112.4132, 134.809021, 134.375, 161.145828),
                        edged(3, 4, 131.770844, 158.020828, 157.5, 188.875),
                    ]
                ],
            ],
            5346,
        ),
        padding=(1, 2, 3),
        output_padding=(1, 2, 3),
        stride=(2, 3, 4),
        dilation=(1, 2, 3),
        groups=2,
    ),
]
