"""Other people's faults in recurrent layers, saturated gates, and what is after a sequence's end; see ``special.py``."""

from __future__ import annotations

from typing import Any

import backburner as bb
from backburner.nn import functional
from ops.special import Special, inf, nan


def _c(values: Any, like: bb.Tensor) -> bb.Tensor:
    return bb.tensor(values, dtype=like.dtype)


def _reset_after(b_hh: bb.Tensor) -> bb.Tensor:
    """Return the state of a 1x1 GRU of zeros but for its second bias."""
    x, w, b = (_c(v, b_hh) for v in ([[[0.0]]], [[0.0]] * 3, [0.0] * 3))
    return functional.gru(x, None, [w, w, b, b_hh])[1]


def _gru(x: bb.Tensor, lengths: Any = None) -> tuple[bb.Tensor, bb.Tensor]:
    """Return all states and the last of a BiGRU, of one element each."""
    weights = [[[0.5], [-0.3], [0.8]], [[0.2], [0.4], [-0.6]], [[-0.4], [0.7], [0.9]], [[0.3], [0.1], [0.5]]]
    return functional.gru(x, None, [_c(w, x) for w in weights], bidirectional=True, lengths=lengths)


def _last_states(x: bb.Tensor) -> bb.Tensor:
    """Return by how much the last states are not those of the last step, and backward of the first."""
    out, h = _gru(x)
    return bb.stack([h[0] - out[-1, :, :1], h[1] - out[0, :, 1:]])


def _ends(x: bb.Tensor) -> bb.Tensor:
    """Return the difference that comes of what is after the ends, summed up."""
    (out, h), (cut, last) = _gru(x, [2, 0, 4]), _gru(x[:2, :1])
    return bb.concat(
        [
            out[2:, 0].flatten(),
            out[:, 1].flatten(),
            (out[:2, :1] - cut).flatten(),
            (h[:, :1] - last).flatten(),
            h[:, 1].flatten(),
        ]
    )


def _padded(x: bb.Tensor) -> bb.Tensor:
    return _gru(x, bb.tensor([1, 2]))[0]


def _lstm(x: bb.Tensor) -> bb.Tensor:
    """Return state and cell of an LSTM whose gates are all the input."""
    w, zero = _c([[1.0]] * 4, x), _c([[0.0]] * 4, x)
    _, (h, c) = functional.lstm(x, None, [w, zero])
    return bb.concat([h, c])


def _relu(x: bb.Tensor) -> bb.Tensor:
    return functional.rnn(x, None, [_c([[1.0]], x), _c([[1.0]], x)], nonlinearity="relu")[0]


SEQUENCE = [[[0.3], [1.0], [-1.0]], [[-0.7], [2.0], [0.4]], [[nan], [inf], [0.2]], [[nan], [nan], [-0.5]]]

SPECIALS = (
    Special("B065-gru-resets-after-the-product", _reset_after, ([0, 0, 2],), [[[0.380797]]], ([0.104994, -0.190399, 0.104994],)),
    Special("B066-the-last-state-backward-is-at-the-first-step", _last_states, ([[[0.3]], [[-0.7]], [[1.1]], [[0.2]]],),
            [[[0]], [[0]]], ([[[0]]] * 4,)),
    Special("states-after-an-end-are-0-and-no-others-change", _ends, (SEQUENCE,), [0] * 4 + [0] * 8 + [0] * 4 + [0] * 2 + [0] * 2,
            ([[[0]] * 3] * 4,)),
    Special("gradients-past-an-end-are-0", lambda x: _padded(x) * 0, ([[[1], [2]], [[nan], [3]], [[nan], [-inf]]],),
            [[[0] * 2] * 2] * 3, ([[[0]] * 2] * 3,)),
    Special("lstm-of-saturated-gates", _lstm, ([[[100], [-100]]],), [[[0.761594], [0]], [[1], [0]]], ([[[0], [0]]],)),
    Special("lstm-of-gates-beyond-exp", _lstm, ([[[1e30], [-1e30]]],), [[[0.761594], [0]], [[1], [0]]], ([[[0], [0]]],)),
    Special("rnn-at-the-kink-of-relu", _relu, ([[[0]], [[0]]],), [[[0]], [[0]]], ([[[0]], [[0]]],)),
    Special("rnn-of-nan-is-nan", _relu, ([[[nan]], [[1]]],), [[[nan]], [[nan]]]),
)  # fmt: skip
