"""What the recurrent layers refuse; see ``errors.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

import backburner as bb
from backburner.nn import functional as F
from ops.errors import A, Bad, S, T

x = bb.zeros((5, 2, 3))
h, state = bb.zeros((1, 2, 4)), bb.zeros((2, 4))


def _w(gates: int, c: int = 3, size: int = 4) -> list[bb.Tensor]:
    rows = gates * size
    return [bb.zeros((rows, c)), bb.zeros((rows, size)), bb.zeros((rows,)), bb.zeros((rows,))]


def _gru(x: Any = x, hx: Any = None, weights: Any = None, **options: Any) -> Any:
    return F.gru(x, hx, _w(3) if weights is None else weights, **options)


def _swapped(i: int, shape: tuple[int, ...]) -> list[bb.Tensor]:
    weights = _w(3)
    weights[i] = bb.zeros(shape)
    return weights


REFUSED = (
    Bad(lambda: _gru(bidirectional="no"), T, "gru: bidirectional must be True or False, got str."),
    Bad(lambda: F.rnn(x, None, _w(1), nonlinearity="gelu"), A, "rnn: nonlinearity must be 'tanh' or 'relu', got 'gelu'."),
    Bad(lambda: F.rnn_cell(x[0], None, *_w(1), "gelu"), A, "rnn_cell: nonlinearity must be 'tanh' or 'relu', got 'gelu'."),
    Bad(lambda: F.lstm(x, h, _w(4)), A, "lstm: hx must be a pair of tensors, states and cells, or None."),
    Bad(lambda: F.lstm_cell(x[0], state, *_w(4)), A, "lstm_cell: hx must be a pair of tensors, states and cells, or None."),
    Bad(lambda: F.lstm(x, None, _w(4), proj_size=-1), A, "lstm: proj_size must not be negative, got -1."),
    Bad(lambda: F.lstm(x, None, _w(4), proj_size=2.0), T, "lstm: proj_size must be an integer, got 2.0."),  # type: ignore[arg-type]
    Bad(lambda: F.lstm(x, None, _w(4), proj_size=2), A,
        "lstm: 1 layers and directions take 3 weights each, or 5 with biases, got 4 in all."),
    Bad(lambda: F.lstm(x, None, [*_w(4), bb.zeros((2, 4))], proj_size=2), S, "lstm: w_hh of layer 0 must have shape [16, 2], got [16, 4]."),
    Bad(lambda: _gru(num_layers=0), A, "gru: num_layers must be at least 1, got 0."),
    Bad(lambda: _gru(num_layers=True), T, "gru: num_layers must be an integer, got True."),
    Bad(lambda: _gru(num_layers=3), A, "gru: 3 layers and directions take 2 weights each, or 4 with biases, got 4 in all."),
    Bad(lambda: _gru(dropout=2), A, "gru: dropout must be in [0, 1], got 2."),
    Bad(lambda: _gru(weights=x), T, "gru: weights must be a sequence of tensors, got a Tensor."),
    Bad(lambda: _gru(weights=[None] * 4), T, "gru: the input is a NoneType, not a Tensor. Use bb.tensor."),
    Bad(lambda: _gru(weights=[]), A, "gru: 1 layers and directions take 2 weights each, or 4 with biases, got 0 in all."),
    Bad(lambda: _gru(x[0, 0]), S, "gru: the input must be [t, n, c], or [t, c] for one sequence, got [3]."),
    Bad(lambda: _gru(x[0], lengths=[5, 5]), A, "gru: lengths take a batch, got [2, 3]. Cut the sequence instead."),
    Bad(lambda: _gru(x[:0]), S, "gru: there is no step: [0, 2, 3]."),
    Bad(lambda: _gru(x[:, :, :2]), S, "gru: w_ih of layer 0 must have shape [12, 2], got [12, 3]."),
    Bad(lambda: _gru(weights=_swapped(0, (13, 3))), S, "gru: the first weight must be [3 h, c], got [13, 3]."),
    Bad(lambda: F.rnn(x, None, [bb.zeros((4,)), *_w(1)[1:]]), S, "rnn: the first weight must be [h, c], got [4]."),
    Bad(lambda: _gru(weights=_swapped(1, (12, 3))), S, "gru: w_hh of layer 0 must have shape [12, 4], got [12, 3]."),
    Bad(lambda: _gru(weights=_swapped(3, (4,))), S, "gru: b_hh of layer 0 must have shape [12], got [4]."),
    Bad(lambda: _gru(weights=[*_w(3), *_w(3, 5)], bidirectional=True), S, "gru: w_ih of layer 0 backward must have shape [12, 3], got [12, 5]."),
    Bad(lambda: _gru(weights=_w(3) * 2, num_layers=2), S, "gru: w_ih of layer 1 must have shape [12, 4], got [12, 3]."),
    Bad(lambda: _gru(hx=h[:, :1]), S, "gru: hx must have shape [1, 2, 4], got [1, 1, 4]."),
    Bad(lambda: F.lstm(x, (h, h[:, :, :3]), _w(4)), S, "lstm: the cells of hx must have shape [1, 2, 4], got [1, 2, 3]."),
    Bad(lambda: _gru(x[:, 0], hx=h), S, "gru: hx must have shape [1, 4], got [1, 2, 4]."),
    Bad(lambda: _gru(lengths=[1, 6]), A, "gru: lengths must be in [0, 5], got 1 to 6."),
    Bad(lambda: _gru(lengths=[-1, 5]), A, "gru: lengths must be in [0, 5], got -1 to 5."),
    Bad(lambda: _gru(lengths=[2**70, 5]), T, "gru: lengths must be integers, got object."),
    Bad(lambda: _gru(lengths=[1.0, 2.0]), T, "gru: lengths must be integers, got float64."),
    Bad(lambda: _gru(lengths=[True, True]), T, "gru: lengths must be integers, got bool."),
    Bad(lambda: _gru(lengths=[[1], [1, 2]]), T, "gru: lengths must be integers, got object.", "ragged-lengths"),
    Bad(lambda: _gru(lengths=3), T, "gru: lengths must be integers, got object.", "a-length"),
    Bad(lambda: _gru(lengths=[1, 2, 3]), S, "gru: lengths must have shape [2], got [3]."),
    Bad(lambda: _gru(lengths=bb.zeros((2,))), T, "gru: lengths must be integers, got float32."),
    Bad(lambda: F.gru(np.zeros((5, 2, 3)), None, _w(3)), T, "gru: the input is a NumPy array of shape [5, 2, 3]. Use bb.asarray on it."),  # type: ignore[arg-type]
    Bad(lambda: F.gru_cell(x, None, *_w(3)), S, "gru_cell: the input must be [n, c] or [c], got [5, 2, 3]."),
    Bad(lambda: F.gru_cell(x[0], state[0], *_w(3)), S, "gru_cell: hx must have shape [2, 4], got [4]."),
    Bad(lambda: F.lstm_cell(x[0], (state, h), *_w(4)), S, "lstm_cell: the cells of hx must have shape [2, 4], got [1, 2, 4]."),
    Bad(lambda: F.gru_cell(x[0], None, None, *_w(3)[1:]), T, "gru_cell: the input is a NoneType, not a Tensor. Use bb.tensor."),  # type: ignore[arg-type]
    Bad(lambda: F.gru_cell(x[0], None, *_w(3)[:3], state), S, "gru_cell: b_hh of layer 0 must have shape [12], got [2, 4]."),
)  # fmt: skip
