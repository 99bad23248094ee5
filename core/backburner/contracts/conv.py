"""The contracts of family ``conv``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array, Pair, Triple


class Conv(Protocol):
    """The ops of family ``conv``; ``backburner.backend`` says what they may rely on."""

    def conv2d(
        self, x: Array, weight: Array, bias: Array | None, /,
        *, stride: Pair, padding: Pair, dilation: Pair, groups: int,
    ) -> Array:  # fmt: skip
        """Return the cross-correlation of images with kernels, padded by zeros on both sides.

        Shape:
            x ``[n, c, h, w]``, weight ``[o, c / groups, kh, kw]``, bias ``[o]``; result ``[n, o, oh, ow]``
            with ``oh = (h + 2 * padding - dilation * (kh - 1) - 1) // stride + 1``, at least 1.
        """
        ...

    def conv3d(
        self, x: Array, weight: Array, bias: Array | None, /,
        *, stride: Triple, padding: Triple, dilation: Triple, groups: int,
    ) -> Array:  # fmt: skip
        """Return the cross-correlation of volumes with kernels, padded by zeros on all sides.

        Shape:
            x ``[n, c, d, h, w]``, weight ``[o, c / groups, kd, kh, kw]``, bias ``[o]``; result
            ``[n, o, od, oh, ow]``, each size as in ``conv2d``.
        """
        ...
