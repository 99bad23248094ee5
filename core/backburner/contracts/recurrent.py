"""The contracts of family ``recurrent``."""

from __future__ import annotations

from typing import Protocol

from backburner.contracts import Array


class Recurrent(Protocol):
    """The ops of family ``recurrent``; ``backburner.backend`` says what they may rely on.

    Each is one layer in one direction over a whole sequence, x ``[t, n, c]`` of at least one step, from the states
    before it, ``[n, h]``. It returns the states of all steps ``[t, n, h]`` and each sequence's last. The rows of the
    weights, and the biases, which may be ``None``, are those of the gates end to end. ``lengths``, int64 ``[n]`` up
    to ``t``, says where each sequence ends: what is after that does not matter and comes out as 0. With ``reverse``
    a sequence is read from its end, and its last state is that at its first step.
    """

    def rnn(
        self, x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
        lengths: Array | None, /, *, nonlinearity: str, reverse: bool,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Return all states and the last: ``h = f(w_ih x + b_ih + w_hh h + b_hh)``, ``f`` of ``"tanh"`` or ``"relu"``."""
        ...

    def gru(
        self, x: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
        lengths: Array | None, /, *, reverse: bool,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Return all states and the last: ``h = (1 - z) n + z h``, of the gates r, z and the new n, in this order.

        r and z are ``sigmoid(w_ih x + b_ih + w_hh h + b_hh)`` and n is ``tanh(w_ih x + b_ih + r (w_hh h + b_hh))``,
        each by its own rows.
        """
        ...

    def lstm(
        self, x: Array, h0: Array, c0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None,
        w_hr: Array | None, lengths: Array | None, /, *, reverse: bool,
    ) -> tuple[Array, Array, Array]:  # fmt: skip
        """Return all states, the last, and the last cell: ``c = f c + i g``, ``h = o tanh(c)``, gates i, f, g, o.

        i, f and o are ``sigmoid(w_ih x + b_ih + w_hh h + b_hh)`` and g is ``tanh`` of it, each by its own rows. With
        w_hr ``[p, h]`` the state is ``w_hr (o tanh(c))`` of size ``p``; a cell is ``[n, h]`` still.
        """
        ...
