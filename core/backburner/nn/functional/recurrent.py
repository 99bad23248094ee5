"""Recurrent layers over whole sequences, and their cells for one step."""

from __future__ import annotations

from backburner._tensor import Tensor
from backburner.errors import ArgumentError
from backburner.nn.functional._recurrent import (
    Lengths,
    Pair,
    Weights,
    gru_layer,
    known,
    lstm_layer,
    network,
    one_step,
    pair,
    planned,
    rnn_layer,
)
from backburner.ops._operands import integer


def rnn(
    x: Tensor,
    hx: Tensor | None,
    weights: Weights,
    *,
    nonlinearity: str = "tanh",
    num_layers: int = 1,
    bidirectional: bool = False,
    dropout: float = 0.0,
    batch_first: bool = False,
    lengths: Lengths = None,
    training: bool = True,
) -> tuple[Tensor, Tensor]:
    """Apply a recurrent network, ``h = tanh(w_ih x + b_ih + w_hh h + b_hh)`` (Elman 1990), to sequences.

    Args:
        x: the sequences.
        hx: the states before the first step; zeros if ``None``.
        weights: for each layer, and in it for each direction, w_ih, w_hh, and if there are biases b_ih, b_hh.
        nonlinearity: ``"tanh"`` or ``"relu"``.
        num_layers: how many layers; each takes the states of the one before.
        bidirectional: let a second set of weights read each sequence from its end; the states of both are joined.
        dropout: the probability with which a state between two layers is dropped in training.
        batch_first: whether x and the result are ``[n, t, ...]``.
        lengths: where each sequence ends, in any order. What is after that does not matter, NaN included, and comes
            out as 0; a sequence is read backward from there, and its last state is that at its own end.
        training: whether dropout drops.

    Returns:
        The states of the last layer at all steps, and those of all layers after the last step: backward that is
        the first of the sequence.

    Shape:
        x ``[t, n, c]``, or ``[t, c]`` for one sequence; hx ``[layers * directions, n, h]``, or without ``n``; w_ih
        ``[h, c]``, in further layers ``[h, directions * h]``, w_hh ``[h, h]``, biases ``[h]``; lengths ``[n]``.
        Result ``[t, n, directions * h]`` and as hx.

    Raises:
        ShapeError: the shapes do not fit, or there is no step.
        ArgumentError: the number of weights does not fit, a length is beyond the steps, or an option is not one.
    """
    known("rnn", nonlinearity)
    plan = planned("rnn", weights, 1, num_layers, bidirectional, dropout, training)

    out, (h,) = network(plan, x, (hx,), batch_first, lengths, rnn_layer(nonlinearity))
    return out, h


def gru(
    x: Tensor,
    hx: Tensor | None,
    weights: Weights,
    *,
    num_layers: int = 1,
    bidirectional: bool = False,
    dropout: float = 0.0,
    batch_first: bool = False,
    lengths: Lengths = None,
    training: bool = True,
) -> tuple[Tensor, Tensor]:
    """Apply gated recurrent units (Cho et al. 2014) to sequences, resetting after the product, as cuDNN does.

    ``h = (1 - z) n + z h`` with ``r = sigmoid(w_ir x + b_ir + w_hr h + b_hr)``, ``z`` likewise and
    ``n = tanh(w_in x + b_in + r (w_hn h + b_hn))``. The rows of the weights are those of r, z and n.

    Args:
        x: the sequences.
        hx: as for ``rnn``, and so are the others.
        weights: for each layer and direction.
        num_layers: how many layers.
        bidirectional: read each sequence from its end too.
        dropout: between layers.
        batch_first: whether x and the result are ``[n, t, ...]``.
        lengths: where each sequence ends.
        training: whether dropout drops.

    Returns:
        The states of the last layer at all steps, and those of all layers after the last.

    Shape:
        As for ``rnn``, but w_ih ``[3 h, c]``, w_hh ``[3 h, h]``, biases ``[3 h]``.

    Raises:
        ShapeError: the shapes do not fit, or there is no step.
        ArgumentError: the number of weights does not fit, a length is beyond the steps, or an option is not one.
    """
    plan = planned("gru", weights, 3, num_layers, bidirectional, dropout, training)

    out, (h,) = network(plan, x, (hx,), batch_first, lengths, gru_layer)
    return out, h


def lstm(
    x: Tensor,
    hx: Pair | None,
    weights: Weights,
    *,
    num_layers: int = 1,
    bidirectional: bool = False,
    dropout: float = 0.0,
    batch_first: bool = False,
    proj_size: int = 0,
    lengths: Lengths = None,
    training: bool = True,
) -> tuple[Tensor, Pair]:
    """Apply long short-term memory (Hochreiter and Schmidhuber 1997; Gers et al. 2000) to sequences.

    ``c = f c + i g`` and ``h = o tanh(c)`` with ``i = sigmoid(w_ii x + b_ii + w_hi h + b_hi)``, ``f`` and ``o``
    likewise and ``g`` by tanh. The rows of the weights are those of i, f, g and o.

    Args:
        x: the sequences.
        hx: states and cells before the first step, a pair; zeros if ``None``. The others are as for ``rnn``.
        weights: for each layer and direction, the weight of the projection last.
        num_layers: how many layers.
        bidirectional: read each sequence from its end too.
        dropout: between layers.
        batch_first: whether x and the result are ``[n, t, ...]``.
        proj_size: the size ``p`` to which a state is projected by w_hr (Sak et al. 2014); 0 for none.
        lengths: where each sequence ends.
        training: whether dropout drops.

    Returns:
        The states of the last layer at all steps, and the pair of states and cells of all layers after the last.

    Shape:
        As for ``rnn``, but w_ih ``[4 h, c]``, w_hh ``[4 h, h]``, biases ``[4 h]``. With ``proj_size`` a state has
        ``p`` elements where it has ``h`` elsewhere, a cell ``h``, and w_hr is ``[p, h]``.

    Raises:
        ShapeError: the shapes do not fit, or there is no step.
        ArgumentError: the number of weights does not fit, a length is beyond the steps, or an option is not one.
    """
    size = integer("lstm", "proj_size", proj_size)
    if size < 0:
        raise ArgumentError(f"lstm: proj_size must not be negative, got {size}.")
    plan = planned("lstm", weights, 4, num_layers, bidirectional, dropout, training, size)

    out, (h, c) = network(plan, x, pair("lstm", hx), batch_first, lengths, lstm_layer)
    return out, (h, c)


def rnn_cell(
    x: Tensor,
    hx: Tensor | None,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
    nonlinearity: str = "tanh",
) -> Tensor:
    """Apply one step of ``rnn``, and return the new state.

    Shape:
        x ``[n, c]`` or ``[c]``, hx ``[n, h]`` or ``[h]``, zeros if ``None``; weights as for ``rnn``. Result as hx.

    Raises:
        ShapeError: the shapes do not fit.
        ArgumentError: ``nonlinearity`` is not one.
    """
    known("rnn_cell", nonlinearity)
    (h,) = one_step("rnn_cell", 1, x, (hx,), [w_ih, w_hh, b_ih, b_hh], rnn_layer(nonlinearity))
    return h


def gru_cell(
    x: Tensor,
    hx: Tensor | None,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """Apply one step of ``gru``, and return the new state.

    Shape:
        x ``[n, c]`` or ``[c]``, hx ``[n, h]`` or ``[h]``, zeros if ``None``; weights as for ``gru``. Result as hx.

    Raises:
        ShapeError: the shapes do not fit.
    """
    (h,) = one_step("gru_cell", 3, x, (hx,), [w_ih, w_hh, b_ih, b_hh], gru_layer)
    return h


def lstm_cell(
    x: Tensor,
    hx: Pair | None,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Pair:
    """Apply one step of ``lstm``, and return the new state and cell.

    Shape:
        x ``[n, c]`` or ``[c]``, both of hx ``[n, h]`` or ``[h]``, zeros if ``None``; weights as for ``lstm``. Results
        as hx.

    Raises:
        ShapeError: the shapes do not fit.
        ArgumentError: hx is not a pair.
    """
    h, c = one_step("lstm_cell", 4, x, pair("lstm_cell", hx), [w_ih, w_hh, b_ih, b_hh], lstm_layer)
    return h, c
