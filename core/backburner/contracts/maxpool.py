"""The contracts of family ``maxpool``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array, Pair


class MaxPool(Protocol):
    """The ops of family ``maxpool``; ``backburner.backend`` says what they may rely on."""

    def max_pool2d(
        self, x: Array, /,
        *, kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool, return_indices: bool,
    ) -> tuple[Array, Array | None]:  # fmt: skip
        """Return the largest element of each window, and where asked for its index.

        The first of equals has the index and gets the gradient, but the last NaN, if there is one. An index,
        int64 without gradient, counts in row-major order within the plane, padding not included; -1 is for
        a window that meets no input. The padding, at most half the kernel, is the lowest value of the dtype.
        With ``ceil_mode`` a last window may hang over the end, if it starts inside the input or its left padding.

        Shape:
            x ``[n, c, h, w]``; results ``[n, c, oh, ow]``.
        """
        ...
