"""The contracts of family ``norm``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Norm(Protocol):
    """The ops of family ``norm``; ``backburner.backend`` says what they may rely on."""

    def batch_norm(
        self, x: Array, weight: Array | None, bias: Array | None, /, *, eps: float
    ) -> tuple[Array, Array, Array]:
        """Normalise each channel by the statistics of this batch.

        Returns:
            ``(x - mean) / sqrt(var + eps) * weight + bias``, and mean and biased variance, which are for
            running statistics and carry no gradient.

        Shape:
            x ``[n, c, ...]`` with at least two values per channel; weight, bias, mean, var ``[c]``.
        """
        ...

    def normalize_channels(
        self, x: Array, mean: Array, var: Array, weight: Array | None, bias: Array | None, /, *, eps: float
    ) -> Array:
        """Return ``(x - mean) / sqrt(var + eps) * weight + bias``: batch norm by given statistics.

        Shape:
            x ``[n, c, ...]``; mean, var, weight, bias ``[c]``.
        """
        ...

    def layer_norm(
        self, x: Array, weight: Array | None, bias: Array | None, /, *, ndim: int, eps: float
    ) -> Array:
        """Normalise the last ``ndim`` dimensions by their own mean and biased variance.

        Shape:
            x ``[..., d...]``, weight and bias ``[d...]`` of ``ndim`` dimensions.
        """
        ...

    def rms_norm(self, x: Array, weight: Array | None, /, *, ndim: int, eps: float) -> Array:
        """Return ``x`` over the root of its mean square along the last ``ndim`` dimensions, times ``weight``.

        Shape:
            x ``[..., d...]``, weight ``[d...]`` of ``ndim`` dimensions.
        """
        ...

    def group_norm(
        self, x: Array, weight: Array | None, bias: Array | None, /, *, groups: int, eps: float
    ) -> Array:
        """Normalise each of ``groups`` runs of channels of each example by its own mean and biased variance.

        Shape:
            x ``[n, c, ...]`` with ``c`` a multiple of ``groups``, weight and bias ``[c]``.
        """
        ...
