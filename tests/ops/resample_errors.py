"""What the resampling ops refuse; see ``errors.py``."""

from __future__ import annotations

import backburner as bb
from backburner.nn import functional as F
from ops.errors import A, Bad, S, T, array, image

line = bb.zeros((1, 2, 4))
volume = bb.zeros((1, 2, 4, 4, 4))
grid = bb.zeros((1, 2, 2, 2))
ALIGNED = "interpolate: align_corners goes with linear, bilinear, bicubic, trilinear, not with "

REFUSED = (
    Bad(lambda: F.interpolate(array, 2), T, "interpolate: the input is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: F.interpolate(image, 2, mode="cubic"), A, "interpolate: mode must be one of nearest, nearest-exact, linear, "),
    Bad(lambda: F.interpolate(image, 2, mode=["area"]), A, "interpolate: mode must be one of nearest, nearest-exact, linear, ",
        "interpolate-of-a-list"),
    Bad(lambda: F.interpolate(bb.zeros((2, 3)), 2), S,
        "interpolate: mode 'nearest' takes [n, c, l], [n, c, h, w], [n, c, d, h, w], got [2, 3]."),
    Bad(lambda: F.interpolate(line, 2, mode="bilinear"), S, "interpolate: mode 'bilinear' takes [n, c, h, w], got [1, 2, 4]."),
    Bad(lambda: F.interpolate(line, 2, align_corners=False), A, f"{ALIGNED}'nearest'."),
    Bad(lambda: F.interpolate(image, 2, mode="lanczos", align_corners=True, antialias=True), A, f"{ALIGNED}'lanczos'."),
    Bad(lambda: F.interpolate(line, 2, mode="linear", antialias=True), A,
        "interpolate: antialias goes with bilinear, bicubic, lanczos, not with 'linear'."),
    Bad(lambda: F.interpolate(image, 2, mode="lanczos"), A, "interpolate: mode 'lanczos' needs antialias=True."),
    Bad(lambda: F.interpolate(bb.zeros((1, 2, 0)), 2), S, "interpolate: an axis is empty: [1, 2, 0]."),
    Bad(lambda: F.interpolate(image), A, "interpolate: needs either size or scale_factor."),
    Bad(lambda: F.interpolate(image, 2, 2.0), A, "interpolate: needs either size or scale_factor.", "interpolate-of-both"),
    Bad(lambda: F.interpolate(image, (2,)), A, "interpolate: size takes one number or 2, got (2,)."),
    Bad(lambda: F.interpolate(image, scale_factor="ab"), T, "interpolate: scale_factor: str is not a Tensor or a number."),
    Bad(lambda: F.interpolate(image, 2.5), T, "interpolate: size must be an integer, got 2.5."),
    Bad(lambda: F.interpolate(image, True), T, "interpolate: size must be an integer, got True."),
    Bad(lambda: F.interpolate(image, 0), S, "interpolate: the result would have no elements: [4, 4] to [0, 0]."),
    Bad(lambda: F.interpolate(image, scale_factor=0.2), S,
        "interpolate: the result would have no elements: [4, 4] to [0, 0].", "interpolate-by-too-little"),
    Bad(lambda: F.interpolate(image, scale_factor=(1.0, -1.0)), A,
        "interpolate: scale_factor must be positive and finite, got (1.0, -1.0)."),
    Bad(lambda: F.interpolate(image, scale_factor=float("nan")), A, "interpolate: scale_factor is NaN."),
    Bad(lambda: F.interpolate(image, 2, recompute_scale_factor=True), A,
        "interpolate: recompute_scale_factor goes with scale_factor, not with size."),
    Bad(lambda: F.interpolate(image, 2**31), S, "interpolate: a shape has more elements than fit into memory: "),
    Bad(lambda: F.interpolate(image, scale_factor=1e308), S, "interpolate: a shape has more elements than fit into memory: ",
        "interpolate-by-too-much"),
    Bad(lambda: F.grid_sample(image, array), T, "grid_sample: the input is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: F.grid_sample(image, grid, mode="linear"), A,
        "grid_sample: mode must be one of bilinear, nearest, bicubic, got 'linear'."),
    Bad(lambda: F.grid_sample(image, grid, padding_mode="edge"), A,
        "grid_sample: padding_mode must be one of zeros, border, reflection, got 'edge'."),
    Bad(lambda: F.grid_sample(line, grid), S, "grid_sample: the input must be [n, c, h, w] or [n, c, d, h, w], got [1, 2, 4]."),
    Bad(lambda: F.grid_sample(bb.zeros((1, 2, 0, 4)), grid), S,
        "grid_sample: the input must be [n, c, h, w] or [n, c, d, h, w], got [1, 2, 0, 4]."),
    Bad(lambda: F.grid_sample(image, bb.zeros((2, 2, 2, 2))), S,
        "grid_sample: an input of [1, 2, 4, 4] takes a grid of [1, oh, ow, 2], got [2, 2, 2, 2]."),
    Bad(lambda: F.grid_sample(volume, grid), S,
        "grid_sample: an input of [1, 2, 4, 4, 4] takes a grid of [1, od, oh, ow, 3], got [1, 2, 2, 2]."),
    Bad(lambda: F.grid_sample(volume, bb.zeros((1, 1, 1, 1, 3)), mode="bicubic"), S,
        "grid_sample: mode 'bicubic' takes [n, c, h, w], got [1, 2, 4, 4, 4]."),
    Bad(lambda: F.affine_grid(bb.zeros((1, 2, 3)), (1, 1, 0, 2)), S,
        "affine_grid: size must be [n, c, h, w] or [n, c, d, h, w], no axis empty, got [1, 1, 0, 2]."),
    Bad(lambda: F.affine_grid(bb.zeros((2, 2, 3)), (1, 1, 2, 2)), S,
        "affine_grid: a size of [1, 1, 2, 2] takes theta [1, 2, 3], got [2, 2, 3]."),
    Bad(lambda: F.affine_grid(bb.zeros((1, 2, 3)), (1, 1, 2**40, 2**40)), S,
        "affine_grid: a shape has more elements than fit into memory: "),
)  # fmt: skip
