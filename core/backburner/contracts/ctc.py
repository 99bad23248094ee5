"""The contracts of family ``ctc``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


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
