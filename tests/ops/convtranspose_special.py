"""Faults of other libraries in transposed convolutions, and in those of signals and volumes."""

from __future__ import annotations

from backburner.nn import functional as F
from ops.special import Special, inf, nan

SPECIALS: tuple[Special, ...] = (
    Special("B046-conv1d-with-a-tail", lambda x, w: F.conv1d(x, w, stride=3),
            ([[[1, 2, 3, 4, 5, 6, 7]]], [[[1, 1]]]), [[[3, 9]]], ([[[1, 1, 0, 1, 1, 0, 0]]], [[[5, 7]]])),
    Special("B046-conv3d-with-a-tail", lambda x, w: F.conv3d(x, w, stride=(3, 1, 2)),
            ([[[[[1, 9]], [[2, 9]], [[3, 9]], [[4, 9]], [[5, 9]], [[6, 9]], [[7, 9]]]]], [[[[[1]], [[1]]]]]),
            [[[[[3]], [[9]]]]], ([[[[[1, 0]], [[1, 0]], [[0, 0]], [[1, 0]], [[1, 0]], [[0, 0]], [[0, 0]]]]],
            [[[[[5]], [[7]]]]])),
    Special("B047-conv1d-a-stride-beyond-the-kernel", lambda x, w: F.conv1d(x, w, stride=4),
            ([[[1, 2, 3, 4]]], [[[1, 1]]]), [[[3]]], ([[[1, 1, 0, 0]]], [[[1, 2]]])),
    Special("B047-conv2d-a-stride-beyond-the-kernel", lambda x, w: F.conv2d(x, w, stride=4, padding=1),
            ([[[[1, 2], [3, 4], [5, 6], [7, 8]]]], [[[[1, 1], [1, 1]]]]), [[[[1], [7]]]],
            ([[[[1, 0], [0, 0], [0, 0], [1, 0]]]], [[[[0, 7], [0, 1]]]])),
    Special("B049-conv1d-same-pads-more-on-the-right", lambda x, w: F.conv1d(x, w, padding="same"),
            ([[[1, 2, 3]]], [[[1, 1]]]), [[[3, 5, 3]]], ([[[1, 2, 2]]], [[[6, 5]]])),
    Special("B049-conv3d-same-pads-more-behind", lambda x, w: F.conv3d(x, w, padding="same"),
            ([[[[[1]], [[2]], [[3]]]]], [[[[[1]], [[1]]]]]), [[[[[3]], [[5]], [[3]]]]],
            ([[[[[1]], [[2]], [[2]]]]], [[[[[6]], [[5]]]]])),
    Special("B050-conv1d-stride-and-dilation", lambda x, w: F.conv1d(x, w, stride=2, dilation=2),
            ([[[1, 2, 3, 4, 5]]], [[[1, 1]]]), [[[4, 8]]], ([[[1, 0, 2, 0, 1]]], [[[4, 8]]])),
    Special("B051-conv_transpose1d-stride", lambda x, w: F.conv_transpose1d(x, w, stride=2),
            ([[[1, 3]]], [[[2]]]), [[[2, 0, 6]]], ([[[2, 6]]], [[[10]]]), [[[1, 5, 3]]]),
    Special("B051-conv_transpose1d-dilation", lambda x, w: F.conv_transpose1d(x, w, dilation=2),
            ([[[1, 3]]], [[[2, 5]]]), [[[2, 6, 5, 15]]], ([[[37, 55]]], [[[16, 34]]]), [[[1, 5, 7, 9]]]),
    Special("B053-conv_transpose2d-depthwise", lambda x, w: F.conv_transpose2d(x, w, groups=2),
            ([[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]], [[[[1]]], [[[1]]]]), None, (None, [[[[10]]], [[[26]]]])),
    Special("conv_transpose1d-keeps-infinities-to-their-places", lambda x, w: F.conv_transpose1d(x, w, stride=2),
            ([[[1, inf, -inf, nan, 2]]], [[[1]]]), [[[1, 0, inf, 0, -inf, 0, nan, 0, 2]]], ([[[1, 1, 1, 1, 1]]], None)),
    Special("conv3d-keeps-infinities-to-the-planes-that-meet-them", lambda x, w: F.conv3d(x, w, padding=(1, 0, 0)),
            ([[[[[1]], [[inf]], [[1]], [[1]]]]], [[[[[1]], [[0.5]], [[0.25]]]]]),
            [[[[[inf]], [[inf]], [[inf]], [[1.5]]]]], ([[[[[1.5]], [[1.75]], [[1.75]], [[0.75]]]]], None)),
)  # fmt: skip
