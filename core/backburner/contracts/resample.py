"""The contracts of family ``resample``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array, Shape


class Resample(Protocol):
    """The ops of family ``resample``; ``backburner.backend`` says what they may rely on."""

    def interpolate(
        self, x: Array, /,
        *, size: Shape, mode: str, ratios: tuple[float | None, ...], align_corners: bool, antialias: bool,
    ) -> Array:  # fmt: skip
        """Return ``x`` at another size of its last axes, each output a weighted mean of a window of inputs.

        ``mode`` is ``"nearest"``, ``"nearest-exact"``, ``"linear"``, ``"cubic"``, ``"lanczos"`` (with
        ``antialias`` only) or ``"area"``; ``functional.interpolate`` says where their windows are. A ratio is
        the distance of two outputs in inputs, ``None`` for that of the sizes. Integers come with a nearest
        mode only.

        Shape:
            x ``[..., n...]``, no ``n`` being 0; result ``[..., size...]``.
        """
        ...

    def grid_sample(
        self, x: Array, grid: Array, /, *, mode: str, padding_mode: str, align_corners: bool
    ) -> Array:
        """Return ``x`` at the places that ``grid`` names: as coordinates from -1 to 1, that of the last axis first.

        ``mode`` is ``"bilinear"``, ``"nearest"`` or ``"bicubic"``, ``padding_mode`` is ``"zeros"``,
        ``"border"`` or ``"reflection"``. A NaN coordinate gives NaN, and no gradient.

        Shape:
            x ``[n, c, h, w]``, grid ``[n, oh, ow, 2]``, result ``[n, c, oh, ow]``; or ``[n, c, d, h, w]``,
            ``[n, od, oh, ow, 3]`` and ``[n, c, od, oh, ow]``. No axis of an image is empty.
        """
        ...
