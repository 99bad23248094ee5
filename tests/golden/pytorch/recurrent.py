"""PyTorch's functions for the rows of ``ops/recurrent.py``, by the name of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from ops.recurrent import parts, shapes

Torch = Callable[..., Any]


def _network(kind: str) -> Torch:
    def call(x: Any, h0: Any, c0: Any, flat: Any, ends: Any, h: int, **options: Any) -> Any:
        weights = parts(flat, shapes(kind, x.shape[-1], h, options))
        single, first = x.ndim == 2, options.get("batch_first", False)
        x = x[:, None] if single else x.transpose(0, 1) if first else x
        layers, both = options.get("num_layers", 1), options.get("bidirectional", False)
        states = []
        for state, size in ((h0, options.get("proj_size") or h), (c0, h))[: 2 if kind == "lstm" else 1]:
            shape = layers * (2 if both else 1), x.shape[1], size
            states.append(torch.zeros(shape, dtype=x.dtype) if state is None else state.reshape(shape))
        name = f"rnn_{options.get('nonlinearity', 'tanh')}" if kind == "rnn" else kind
        rest = weights, options.get("bias", True), layers, 0.0, True, both
        if ends is None:
            out, *last = getattr(torch, name)(x, states if kind == "lstm" else states[0], *rest, False)
        else:
            packed = pack_padded_sequence(x, ends, enforce_sorted=False)
            states = [state[:, packed.sorted_indices] for state in states]
            data, *last = getattr(torch, name)(
                packed.data, packed.batch_sizes, states if kind == "lstm" else states[0], *rest
            )
            again = PackedSequence(data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
            out, _ = pad_packed_sequence(again, total_length=x.shape[0])
            last = [state[:, packed.unsorted_indices] for state in last]
        if single:
            return tuple(y[:, 0] for y in (out, *last))
        return (out.transpose(0, 1) if first else out, *last)

    return call


def _cell(kind: str) -> Torch:
    def call(
        x: Any, h: Any, c: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, nonlinearity: str = "tanh"
    ) -> Any:
        name = f"rnn_{nonlinearity}" if kind == "rnn" else kind
        single = x.ndim == 1
        zeros = torch.zeros((*x.shape[:-1], w_hh.shape[1]), dtype=x.dtype)
        h, c = (zeros if state is None else state for state in (h, c))
        x, h, c = (y[None] if y.ndim == 1 else y for y in (x, h, c))
        b_ih, b_hh = (torch.zeros_like(w_ih[:, 0]) if b is None else b for b in (b_ih, b_hh))
        out = getattr(torch, f"{name}_cell")(x, [h, c] if kind == "lstm" else h, w_ih, w_hh, b_ih, b_hh)
        out = out if kind == "lstm" else (out,)
        return tuple(y[0] for y in out) if single else out

    return call


PYTORCH: dict[str, Torch] = {
    **{kind: _network(kind) for kind in ("rnn", "gru", "lstm")},
    **{f"{kind}_cell": _cell(kind) for kind in ("rnn", "gru", "lstm")},
}
