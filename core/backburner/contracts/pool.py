"""The contracts of family ``pool``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array, Pair


class Pool(Protocol):
    """The ops of family ``pool``; ``backburner.backend`` says what they may rely on."""

    def max_pool2d(
        self, x: Array, /, *, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool
    ) -> Array:
        """Return the largest element of each window; the first of equals gets the gradient.

        The padding, at most half the kernel, is the lowest value of the dtype. With ``ceil_mode`` a last
        window may hang over the end, if it starts inside the input or its left padding.

        Shape:
            x ``[n, c, h, w]``; result ``[n, c, oh, ow]``.
        """
        ...

    def avg_pool2d(
        self, x: Array, /,
        *, kernel_size: Pair, stride: Pair, padding: Pair, ceil_mode: bool, count_include_pad: bool,
    ) -> Array:  # fmt: skip
        """Return the mean of each window.

        The divisor counts the taps inside the padded input, or with ``count_include_pad=False`` inside the
        input; never the overhang of ``ceil_mode``.

        Shape:
            x ``[n, c, h, w]``; result ``[n, c, oh, ow]``.
        """
        ...
