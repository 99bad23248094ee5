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
        The formula with smoothing ``s`` over ``c`` classes is PyTorch's:
        ``(1 - s) * weight[t] * nll[t] + s / c * sum_j(weight[j] * nll[j])``.

        A target of floats holds the probability of each class, ``target[j]`` in the place of an indicator. It is
        smoothed and weighted likewise, ``"mean"`` divides by ``n``, and a class of probability 0 adds 0. Then
        ``target`` has a gradient too; ``weight`` has none.

        Shape:
            x ``[n, c]``, target ``[n]`` of int64 in ``[0, c)`` or ``ignore_index``, or ``[n, c]`` of floats,
            weight ``[c]``; result ``[n]`` for ``reduction="none"``, else ``[]`` for ``"mean"`` and ``"sum"``.
        """
        ...

    def binary_cross_entropy(self, x: Array, target: Array, /) -> Array:
        """Return ``-target * log(x) - (1 - target) * log(1 - x)``, each logarithm at least -100.

        The gradient of ``x`` divides by ``x * (1 - x)``, at least 1e-12.

        Shape:
            x and target, in ``[0, 1]``, and the result have one shape.
        """
        ...

    def binary_cross_entropy_with_logits(self, x: Array, target: Array, pos_weight: Array | None, /) -> Array:
        """Return ``target * pos_weight * softplus(-x) + (1 - target) * softplus(x)`` without overflow.

        Shape:
            x, target and the result have one shape, to which pos_weight broadcasts.
        """
        ...

    def kl_div(self, x: Array, target: Array, /, *, log_target: bool) -> Array:
        """Return ``target * (log(target) - x)``, of logarithms ``exp(target) * (target - x)``.

        Where the target is 0, or its exp, the value and both gradients are 0.

        Shape:
            x, target and the result have one shape.
        """
        ...
