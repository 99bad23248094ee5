"""The contracts of family ``activation``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Activation(Protocol):
    """The ops of family ``activation``; ``backburner.backend`` says what they may rely on."""

    def relu(self, x: Array, /) -> Array:
        """Return ``max(x, 0)``; the gradient at 0 is 0, and NaN stays NaN."""
        ...

    def sigmoid(self, x: Array, /) -> Array:
        """Return ``1 / (1 + exp(-x))`` without overflow."""
        ...

    def gelu(self, x: Array, /, *, approximate: str) -> Array:
        """Return ``x * Phi(x)``: with erf for ``"none"``, by tanh for ``"tanh"``."""
        ...

    def silu(self, x: Array, /) -> Array:
        """Return ``x / (1 + exp(-x))``: 0 at ``-inf``, with gradient 0."""
        ...

    def elu(self, x: Array, /, *, alpha: float, scale: float, input_scale: float) -> Array:
        """Return ``scale * x`` above 0, else ``scale * alpha * (exp(input_scale * x) - 1)``, whose slope holds at 0."""
        ...

    def softplus(self, x: Array, /, *, beta: float, threshold: float) -> Array:
        """Return ``log(1 + exp(beta * x)) / beta``, and ``x`` itself where ``beta * x`` is above ``threshold``.

        ``beta`` may be negative: -1 gives the logarithm of the sigmoid.
        """
        ...

    def mish(self, x: Array, /) -> Array:
        """Return ``x * tanh(softplus(x))``: 0 at ``-inf``, with gradient 0."""
        ...

    def softsign(self, x: Array, /) -> Array:
        """Return ``x / (1 + |x|)``: of infinities 1 and -1."""
        ...

    def glu(self, x: Array, /, *, axis: int) -> Array:
        """Return the first half along ``axis``, which is even, times the sigmoid of the second.

        Shape:
            x ``[a..., 2 n, b...]``; result ``[a..., n, b...]``.
        """
        ...

    def softmax(self, x: Array, /, *, axis: int) -> Array:
        """Return ``exp(x) / sum(exp(x))`` along ``axis``. An axis that is all ``-inf`` gives NaN."""
        ...

    def log_softmax(self, x: Array, /, *, axis: int) -> Array:
        """Return ``x - logsumexp(x)`` along ``axis``."""
        ...
