"""The contracts of family ``folding``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array, Pair


class Folding(Protocol):
    """The ops of family ``folding``; ``backburner.backend`` says what they may rely on."""

    def unfold(self, x: Array, /, *, kernel_size: Pair, dilation: Pair, padding: Pair, stride: Pair) -> Array:
        """Return the windows of images, padded by zeros on both sides, each as a column.

        Shape:
            x ``[n, c, h, w]``; result ``[n, c * kh * kw, oh * ow]``, with ``oh`` and ``ow`` as in ``conv2d``.
        """
        ...

    def fold(
        self, x: Array, /,
        *, output_size: Pair, kernel_size: Pair, dilation: Pair, padding: Pair, stride: Pair,
    ) -> Array:  # fmt: skip
        """Return the images that columns add up to: the adjoint of ``unfold``.

        Shape:
            x ``[n, c * kh * kw, oh * ow]``, result ``[n, c, *output_size]``.
        """
        ...
