"""What convolutions and their kin refuse."""

from __future__ import annotations

import backburner as bb
from backburner.nn import functional as F
from ops.errors import A, Bad, S, T, image, kernel, scores, v, x

signal, taps = bb.zeros((1, 2, 5)), bb.zeros((3, 2, 3))
volume = bb.zeros((1, 2, 3, 3, 3))
spreading = bb.zeros((2, 3, 3, 3))
MANY = 2**31 - 1

REFUSED: tuple[Bad, ...] = (
    Bad(lambda: F.conv1d(v, taps), S, "conv1d: the input must be [n, c, l] or [c, l], got [3]."),
    Bad(lambda: F.conv3d(image[0], kernel), S,
        "conv3d: the input must be [n, c, d, h, w] or [c, d, h, w], got [2, 4, 4]."),
    Bad(lambda: F.conv1d(signal, taps[:, :1]), S,
        "conv1d: weight [3, 1, 3] with groups=1 does not fit the 2 channels of [1, 2, 5]: it must be [o, 2 / groups, k]"),
    Bad(lambda: F.conv1d(signal, taps, stride=(1, 2)), A, "conv1d: stride takes one int, got (1, 2)."),
    Bad(lambda: F.conv3d(volume, volume, dilation=(1, 2)), A, "conv3d: dilation takes one int or three, got (1, 2)."),
    Bad(lambda: F.conv3d(volume, volume, dilation=()), A, "conv3d: dilation takes one int or three, got ()."),
    Bad(lambda: F.conv1d(signal, taps, groups=True), T, "conv1d: groups must be an integer, got True."),
    Bad(lambda: F.conv1d(signal, taps, padding="same", stride=4), A, "conv1d: padding='same' takes stride 1, got 4.",
        "B047-conv1d-same"),
    Bad(lambda: F.conv1d(signal, taps, dilation=3), S,
        "conv1d: a kernel spans [7], more than the padded signal: [1, 2, 5], padding 0."),
    Bad(lambda: F.conv_transpose2d(x, spreading), S,
        "conv_transpose2d: the input must be [n, c, h, w] or [c, h, w], got [2, 3]."),
    Bad(lambda: F.conv_transpose2d(image, kernel), S,
        "conv_transpose2d: weight [3, 2, 3, 3] with groups=1 does not fit the 2 channels of [1, 2, 4, 4]: it must be "
        "[2, o / groups, kh, kw], and groups divide 2."),
    Bad(lambda: F.conv_transpose2d(image, spreading, groups=3), S, "conv_transpose2d: weight [2, 3, 3, 3] with groups=3 "),
    Bad(lambda: F.conv_transpose2d(image, spreading, groups=0), A, "conv_transpose2d: groups must be at least 1, got 0."),
    Bad(lambda: F.conv_transpose2d(image, spreading, v[:2]), S, "conv_transpose2d: bias must have shape [3], got [2]."),
    Bad(lambda: F.conv_transpose2d(image, spreading, stride=(1, 2), output_padding=1), A,
        "conv_transpose2d: output_padding must be less than stride or dilation, got 1, stride (1, 2), dilation 1."),
    Bad(lambda: F.conv_transpose2d(image, spreading, padding=3), S,
        "conv_transpose2d: nothing is left of the result: [1, 2, 4, 4], kernel [3, 3], padding [3, 3] give [0, 0]. "),
    Bad(lambda: F.conv_transpose2d(image[:, :, :0], spreading, stride=1), S,
        "conv_transpose2d: nothing is left of the result: [1, 2, 0, 4], "),
    Bad(lambda: F.conv_transpose2d(image, spreading, stride=MANY), S,
        "conv_transpose2d: a shape has more elements than fit into memory: "),
    Bad(lambda: F.unfold(scores, 2), S, "unfold: the input must be [n, c, h, w] or [c, h, w], got [2, 3]."),
    Bad(lambda: F.unfold(image, 0), A, "unfold: kernel_size must be at least 1, got 0."),
    Bad(lambda: F.unfold(image, 3, dilation=2), S,
        "unfold: a window of [3, 3], dilation [2, 2], is larger than the padded image: [1, 2, 4, 4], padding [0, 0]."),
    Bad(lambda: F.fold(scores, 4, 2), S,
        "fold: [2, 3] are not columns of images of [4, 4]: with kernel [2, 2], dilation [1, 1], padding [0, 0], "
        "stride [1, 1] they are [n, c * 4, 3 * 3]."),
    Bad(lambda: F.fold(image, 4, 2), S, "fold: [1, 2, 4, 4] are not columns of images of [4, 4]: "),
    Bad(lambda: F.fold(bb.zeros((4, 0)), 1, 2), S, "fold: [4, 0] are not columns of images of [1, 1]: "),
    Bad(lambda: F.fold(image > 0, 4, 2), T, "fold: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: F.pixel_shuffle(image, 0), A, "pixel_shuffle: upscale_factor must be at least 1, got 0."),
    Bad(lambda: F.pixel_shuffle(scores, 2), S, "pixel_shuffle: needs at least three axes, got [2, 3]."),
    Bad(lambda: F.pixel_shuffle(image, 2), S,
        "pixel_shuffle: 2 channels of [1, 2, 4, 4] are not a multiple of 2 ** 2."),
    Bad(lambda: F.pixel_unshuffle(image, 3), S,
        "pixel_unshuffle: height and width of [1, 2, 4, 4] are not multiples of 3."),
    Bad(lambda: F.channel_shuffle(image, 3), S, "channel_shuffle: 2 channels of [1, 2, 4, 4] are not a multiple of 3."),
    Bad(lambda: F.channel_shuffle(image, 1.0), T, "channel_shuffle: groups must be an integer, got 1.0."),
)  # fmt: skip
