"""The contracts of family ``loss``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Loss(Protocol):
    """The ops of family ``loss``; ``backburner.backend`` says what they may rely on."""

    def cross_entropy(
        self, x: Array, target: Array, weight: Array | None, /,
        *, ignore_index: int, label_smoothing: float, reduction: str,
    ) -> Array:  # fmt: skip
        """Return ``-log_softmax(x)[target]``, smoothed, weighted by class, and reduced.

        A row whose target is ``ignore_index`` changes nothing: it gives 0 under ``"none"`` and ``"sum"``,
        and ``"mean"`` divides by the weights of the others; NaN, with gradient 0, if there are no others.
        Only ``x`` has a gradient. The formula with smoothing ``s`` over ``c`` classes is PyTorch's:
        ``(1 - s) * weight[t] * nll[t] + s / c * sum_j(weight[j] * nll[j])``.

        Shape:
            x ``[n, c]``, target ``[n]`` of int64 in ``[0, c)`` or ``ignore_index``, weight ``[c]``; result
            ``[n]`` for ``reduction="none"``, else ``[]`` for ``"mean"`` and ``"sum"``.
        """
        ...
