"""The contracts of family ``convtranspose``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array, Pair, Triple


class ConvTranspose(Protocol):
    """The ops of family ``convtranspose``; ``backburner.backend`` says what they may rely on."""

    def conv_transpose2d(
        self, x: Array, weight: Array, bias: Array | None, /,
        *, stride: Pair, padding: Pair, output_padding: Pair, dilation: Pair, groups: int,
    ) -> Array:  # fmt: skip
        """Return what images give when each input is spread over a kernel: the adjoint of ``conv2d``.

        Shape:
            x ``[n, c, h, w]``, weight ``[c, o / groups, kh, kw]``, bias ``[o]``; result ``[n, o, oh, ow]`` with
            ``oh = (h - 1) * stride - 2 * padding + dilation * (kh - 1) + output_padding + 1``, at least 1;
            ``h`` and ``w`` are at least 1.
        """
        ...

    def conv_transpose3d(
        self, x: Array, weight: Array, bias: Array | None, /,
        *, stride: Triple, padding: Triple, output_padding: Triple, dilation: Triple, groups: int,
    ) -> Array:  # fmt: skip
        """Return what volumes give when each input is spread over a kernel: the adjoint of ``conv3d``.

        Shape:
            x ``[n, c, d, h, w]``, weight ``[c, o / groups, kd, kh, kw]``, bias ``[o]``; result
            ``[n, o, od, oh, ow]``, each size as in ``conv_transpose2d``.
        """
        ...
