"""The contracts of losses and distances."""

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


class Regression(Protocol):
    """The ops of family ``regression``; ``backburner.backend`` says what they may rely on."""

    def huber_loss(self, x: Array, target: Array, /, *, delta: float, divisor: float) -> Array:
        """Return ``a * (d - a / 2) / divisor`` of the absolute difference ``d`` and ``a = min(d, delta)``.

        That is a parabola up to ``delta``, which is positive and may be infinite, and a line beyond it. The losses by
        name are it with ``(delta, divisor)``: ``huber_loss`` ``(delta, 1)``, ``smooth_l1_loss`` ``(beta, beta)``,
        ``mse_loss`` ``(inf, 0.5)``.

        Shape:
            x, target and the result have one shape.
        """
        ...


class Margin(Protocol):
    """The ops of family ``margin``; ``backburner.backend`` says what they may rely on."""

    def multi_margin_loss(self, x: Array, target: Array, /, *, p: int, margin: float) -> Array:
        """Return ``sum_j(max(0, margin - x[t] + x[j])^p) / c`` of each row and all ``j`` but its target ``t``.

        At the kink the gradient is 0.

        Shape:
            x ``[n, c]``, target ``[n]`` of int64 in ``[0, c)``; result ``[n]``.
        """
        ...

    def multilabel_margin_loss(self, x: Array, target: Array, /) -> Array:
        """Return ``sum_tj(max(0, 1 - x[t] + x[j])) / c`` of each row, its targets ``t`` and all ``j`` that are none.

        At the kink the gradient is 0.

        Shape:
            x ``[n, c]``, target ``[n, c]`` of int64 in ``[-1, c)``, -1 after the last of a row; result ``[n]``.
        """
        ...


class Ctc(Protocol):
    """The ops of family ``ctc``; ``backburner.backend`` says what they may rely on."""

    def ctc_loss(
        self, x: Array, targets: Array, input_lengths: Array, target_lengths: Array, /, *, blank: int
    ) -> Array:
        """Return the negative log probability of each target, summed over its alignments with the steps.

        ``inf``, with gradient 0, where it has none. The gradient is that of ``x`` as independent numbers; steps
        beyond a length have none.

        Shape:
            x ``[t, n, c]``, targets ``[n, s]`` of int64 in ``[0, c)``, ``blank`` after the length and only there;
            input_lengths and target_lengths ``[n]`` of int64 in ``[0, t]`` and ``[0, s]``; result ``[n]``.
        """
        ...


class Distance(Protocol):
    """The ops of family ``distance``; ``backburner.backend`` says what they may rely on."""

    def cdist(self, x1: Array, x2: Array, /, *, p: float, products: bool | None) -> Array:
        """Return the p-norms of all differences of a row of ``x1`` and one of ``x2``, of floats, ``p >= 0``.

        They are accurate for rows that lie close together, too. Where two are equal the gradient is 0.
        ``products`` says whether Euclidean ones come from a matrix product, which ``None`` leaves to the backend.

        Shape:
            x1 ``[..., n, d]``, x2 ``[..., m, d]``, with batch dimensions that broadcast; result ``[..., n, m]``.
        """
        ...
