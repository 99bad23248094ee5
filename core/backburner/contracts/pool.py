"""The contracts of family ``pool``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array, Pair


class Pool(Protocol):
    """The ops of family ``pool``; ``backburner.backend`` says what they may rely on."""

    def avg_pool2d(
        self, x: Array, /,
        *, kernel_size: Pair, stride: Pair, padding: Pair, ceil_mode: bool, count_include_pad: bool,
        divisor_override: int | None,
    ) -> Array:  # fmt: skip
        """Return the mean of each window.

        The divisor counts the taps inside the padded input, or with ``count_include_pad=False`` inside the
        input; never the overhang of ``ceil_mode``. ``divisor_override`` takes its place.

        Shape:
            x ``[n, c, h, w]``; result ``[n, c, oh, ow]``.
        """
        ...
