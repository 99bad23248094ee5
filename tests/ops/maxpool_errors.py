"""What max pooling and unpooling refuse; see ``errors.py``."""

from __future__ import annotations

import backburner as bb
from backburner.nn import functional as F
from ops.errors import A, Bad, S, T, image

line = bb.zeros((2, 4))

REFUSED = (
    Bad(lambda: F.max_pool1d(line, 2, return_indices=2), T, "max_pool1d: return_indices must be True or False, got int."),  # type: ignore[call-overload]
    Bad(lambda: F.adaptive_max_pool1d(line, 2, return_indices="no"), T,  # type: ignore[call-overload]
        "adaptive_max_pool1d: return_indices must be True or False, got str."),
    Bad(lambda: F.max_pool1d(image, 2), S, "max_pool1d: the input must be [n, c, l] or [c, l], got [1, 2, 4, 4]."),
    Bad(lambda: F.max_pool3d(line, 2), S,
        "max_pool3d: the input must be [n, c, d, h, w] or [c, d, h, w], got [2, 4]."),
    Bad(lambda: F.max_pool1d(line, 2, padding=2), A, "max_pool1d: padding 2 is over half the kernel, [2].", "B057-max_pool1d"),
    Bad(lambda: F.max_pool3d(image, 2, padding=2), A, "max_pool3d: padding 2 is over half the kernel, [2, 2, 2].", "B057-max_pool3d"),
    Bad(lambda: F.max_pool1d(line, 2, dilation=0), A, "max_pool1d: dilation must be at least 1, got 0."),
    Bad(lambda: F.max_pool1d(line, True), T, "max_pool1d: kernel_size must be an integer, got True."),
    Bad(lambda: F.max_pool3d(image, (2, 2)), A, "max_pool3d: kernel_size takes one int or three, got (2, 2)."),
    Bad(lambda: F.max_pool2d(bb.zeros((1, 0, 3)), 2, padding=1), S,
        "max_pool2d: windows that span [2, 2] do not fit into [0, 3], padding [1, 1]."),
    Bad(lambda: F.max_pool1d([1.0], 2), T, "max_pool1d: the input is a list, not a Tensor. Use bb.tensor."),  # type: ignore[call-overload]
    Bad(lambda: F.adaptive_max_pool2d(image, 0), A, "adaptive_max_pool2d: output_size must be at least 1, got 0."),
    Bad(lambda: F.adaptive_max_pool2d(image, (2, 2, None)), A,
        "adaptive_max_pool2d: output_size takes one int or two, got (2, 2, None)."),
    Bad(lambda: F.adaptive_max_pool1d(bb.zeros((2, 0)), 1), S, "adaptive_max_pool1d: there is nothing to pool along an axis: [0]."),
    Bad(lambda: F.adaptive_max_pool2d(image, 2**31 - 1), S, "adaptive_max_pool2d: a shape has more elements than fit into memory:"),
    Bad(lambda: F.fractional_max_pool2d(image, 2), A, "fractional_max_pool2d: takes either output_size or output_ratio."),
    Bad(lambda: F.fractional_max_pool2d(image, 2, 2, 0.5), A, "fractional_max_pool2d: takes either output_size or output_ratio.",
        "fractional_max_pool2d: both"),
    Bad(lambda: F.fractional_max_pool2d(image, 2, output_ratio=1.0), A,
        "fractional_max_pool2d: output_ratio must be in (0, 1), one number or 2: 1.0."),
    Bad(lambda: F.fractional_max_pool2d(image, 3, 3), S, "fractional_max_pool2d: [3, 3] windows of [3, 3] do not fit into [4, 4]."),
    Bad(lambda: F.fractional_max_pool2d(image, 2, 2, _random_samples=bb.ones((1, 2, 2))), S,
        "fractional_max_pool2d: _random_samples must be in [0, 1), of shape [1, 2, 2]."),
    Bad(lambda: F.fractional_max_pool2d(image, 2, 2, _random_samples=[[0.5]]), T,  # type: ignore[arg-type]
        "fractional_max_pool2d: _random_samples: the input is a list, not a Tensor. Use bb.tensor."),
)  # fmt: skip
