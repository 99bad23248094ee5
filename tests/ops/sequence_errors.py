"""What the layers of sequences refuse: recurrent ones, attention, transformers, positions and caches."""

from __future__ import annotations

from typing import Any

import numpy as np

import backburner as bb
from backburner import nn
from backburner.nn.utils import rnn
from ops.errors import A, Bad, G, I, S, T, auto

x = bb.zeros((5, 2, 4))
one = bb.zeros((5, 4))
whole = bb.zeros((5, 2), dtype="int64")
attention = nn.MultiheadAttention(4, 2)
kv = bb.zeros((2, 2, 3, 4))
packed = rnn.pack_padded_sequence(x, [5, 3])
rotary = nn.RotaryEmbedding(4)


def _filled(*parts: int) -> nn.KVCache:
    cache = nn.KVCache()
    for part in parts:
        cache[part].append(kv, kv)
    if not parts:
        cache.append(kv, kv)
    return cache


def _uneven() -> int:
    cache = _filled(0, 1)
    cache[1].append(kv, kv)
    return cache.length


def _fixed() -> nn.KVCache:
    cache = nn.KVCache()
    cache.fixed(lambda: (kv, kv))
    return cache


def _unbatched() -> None:
    cache = nn.KVCache()
    cache.append(kv[0], kv[0])
    cache.reorder([0])


def _other_memory() -> Any:
    cache = nn.KVCache()
    for source in (x, x[:3]):
        attention(x, source, source, cache=cache, static_kv=True)


def _attend(mask: bb.Tensor | None = None, padding: bb.Tensor | None = None, **options: Any) -> Any:
    return attention(x, x, x, padding, attn_mask=mask, **options)


def _scores(values: Any) -> Any:
    return nn.generate(lambda tokens, cache: bb.tensor(values), bb.tensor([1]), 1)


def _drawn(**options: Any) -> Any:
    return nn.generate(lambda tokens, cache: bb.zeros((1, 1, 3)), bb.tensor([1]), 1, **options)


REFUSED = (
    Bad(lambda: nn.LSTM(4, 3, proj_size=3), A, "LSTM: proj_size must be below hidden_size, got 3 and 3."),
    Bad(lambda: nn.GRU(4, 0), A, "GRU: hidden_size must be at least 1, got 0."),
    Bad(lambda: nn.RNN(4, 3, nonlinearity="gelu"), A, "RNN: nonlinearity must be 'tanh' or 'relu', got 'gelu'."),
    Bad(lambda: nn.RNN(4, 3)(np.ones((5, 2, 4))), T, "RNN: the input is a NumPy array of shape [5, 2, 4]. Use bb.asarray on it."),
    Bad(lambda: nn.RNN(4, 3)(packed, lengths=[1]), A, "RNN: a packed sequence has its lengths with it. Leave lengths out."),
    Bad(lambda: nn.GRU(3, 3, batch_first=True)(x), S, "GRU: the input must be [n, t, 3], or [t, 3] for one sequence, got [5, 2, 4]."),
    Bad(lambda: nn.LSTM(3, 3)(packed), S, "LSTM: the input must be [t, n, 3], or [t, 3] for one sequence, got [5, 2, 4]."),
    Bad(lambda: rnn.pack_padded_sequence(bb.zeros((5,)), [5]), S, "pack_padded_sequence: the input must be [t, n, ...], got [5]."),
    Bad(lambda: rnn.pack_padded_sequence(x, [[5]]), S, "pack_padded_sequence: lengths must be [n], got [1, 1]."),  # type: ignore[list-item]
    Bad(lambda: rnn.pack_padded_sequence(x, [5.0, 3.0]), T, "pack_padded_sequence: lengths must be integers, got float64."),  # type: ignore[list-item]
    Bad(lambda: rnn.pack_padded_sequence(x, [5]), S, "pack_padded_sequence: there are 2 sequences and 1 lengths."),
    Bad(lambda: rnn.pack_padded_sequence(x, [6, 0]), A, "pack_padded_sequence: lengths must be in [1, 5], got [6, 0]."),
    Bad(lambda: rnn.pack_padded_sequence(x, [3, 5]), A,
        "pack_padded_sequence: lengths are not sorted, the longest first: [3, 5]. Use enforce_sorted=False."),
    Bad(lambda: rnn.pad_packed_sequence(packed, total_length=4), A, "pad_packed_sequence: total_length 4 is below the longest sequence, 5."),
    Bad(lambda: rnn.pad_packed_sequence(x), T, "pad_packed_sequence: takes a PackedSequence, got a Tensor."),  # type: ignore[arg-type]
    Bad(lambda: rnn.pad_packed_sequence(packed._replace(data=one)), A,
        "pad_packed_sequence: the packed sequence has 5 rows, and its steps [2, 2, 2, 1, 1]."),
    Bad(lambda: rnn.pad_sequence([one], padding_side="top"), A, "pad_sequence: padding_side must be 'left' or 'right', got 'top'."),
    Bad(lambda: rnn.pad_sequence([]), A, "pad_sequence: there is no sequence."),
    Bad(lambda: rnn.pad_sequence([one, x]), S, "pad_sequence: the sequences differ in more than length: [[5, 4], [5, 2, 4]]."),
    Bad(lambda: rnn.unpad_sequence(bb.zeros((5,)), [5]), S, "unpad_sequence: needs [t, n, ...], got [5]."),
    Bad(lambda: rnn.unpad_sequence(x, [5]), S, "unpad_sequence: there are 2 sequences and 1 lengths."),
    Bad(lambda: rnn.unpad_sequence(x, [5, 6]), A, "unpad_sequence: lengths must be in [0, 5], got [5, 6]."),
    Bad(lambda: nn.MultiheadAttention(4, 3), A, "MultiheadAttention: num_heads=3 does not divide embed_dim=4."),
    Bad(lambda: attention(x, x, one), S,
        "MultiheadAttention: the shapes do not fit: query [5, 2, 4], key [5, 2, 4], value [5, 4]. They are [l, n, features]."),
    Bad(lambda: attention(x, x[:, :1], x[:, :1]), S,
        "MultiheadAttention: the shapes do not fit: query [5, 2, 4], key [5, 1, 4], value [5, 1, 4]. They are [l, n, features]."),
    Bad(lambda: attention(x, x, x[..., :3]), S, "MultiheadAttention: the value must have 4 features, got [5, 2, 3]."),
    Bad(lambda: _attend(padding=bb.zeros((5, 2))), S, "MultiheadAttention: key_padding_mask must be [2, 5], got [5, 2]."),
    Bad(lambda: _attend(bb.zeros((5, 4))), S, "MultiheadAttention: attn_mask must be [5, 5] or [4, 5, 5], got [5, 4]."),
    Bad(lambda: _attend(bb.zeros((5, 5), dtype="int64")), T,
        "MultiheadAttention: attn_mask must be bool or float, got int64. Compare, or use astype."),
    Bad(lambda: _attend(static_kv=True), A, "MultiheadAttention: static_kv takes a cache, and no is_causal: it knows of no places."),
    Bad(_other_memory, S, "MultiheadAttention: the cache holds a batch of 2 with 5 keys, got one of 2 with 3. Use reset() for another source."),
    Bad(lambda: nn.TransformerDecoderLayer(4, 3), A, "TransformerDecoderLayer: nhead=3 does not divide d_model=4."),
    Bad(lambda: nn.TransformerEncoder(nn.ReLU(), 0), A, "TransformerEncoder: num_layers must be at least 1, got 0."),
    Bad(lambda: nn.TransformerEncoder(nn.ReLU(), 1, mask_check=1), T, "TransformerEncoder: mask_check must be True or False, got 1."),  # type: ignore[arg-type]
    Bad(lambda: nn.TransformerEncoder(max, 2), T, "TransformerEncoder: the layer is a builtin_function_or_method, not a Module."),  # type: ignore[arg-type]
    Bad(lambda: nn.TransformerEncoderLayer(4, 2, activation="swish"), A,
        "TransformerEncoderLayer: activation must be 'relu' or 'gelu', got 'swish'."),
    Bad(lambda: nn.Transformer(4, 2, 1, 1, 4)(x, one), S, "Transformer: src [5, 2, 4] and tgt [5, 4] are not of one batch."),
    Bad(lambda: _filled()[0], A, "KVCache: holds keys and values itself, and has no part 0. Use a part for each attention."),
    Bad(_uneven, G, "KVCache: its parts hold different numbers of positions, [3, 6]: a step was broken off. Use truncate(3)."),
    Bad(lambda: _filled(0).append(kv, kv), A, "KVCache.append: the cache has parts. Use a part for each attention."),
    Bad(lambda: _fixed().append(kv, kv), A, "KVCache.append: the cache is that of a fixed source. Use a part for each attention."),
    Bad(lambda: _filled().fixed(lambda: (kv, kv)), A, "KVCache.fixed: the cache has other keys. Use a part for each attention."),
    Bad(lambda: _filled().reorder([0.5]), T, "KVCache.reorder: indices must be a row of integers, got float64 of shape [1]."),  # type: ignore[list-item]
    Bad(lambda: _filled().reorder([0, 2]), I, "KVCache.reorder: indices must be in [0, 2), got [0, 2]."),
    Bad(_unbatched, S,
        "KVCache.reorder: keys [2, 3, 4] have no batch: [n, heads, length, e]."),
    Bad(lambda: _filled(0, 1).truncate(4), A, "KVCache.truncate: there are 3 positions, fewer than 4."),
    Bad(lambda: nn.KVCache().append(kv, np.ones(3)), T, "KVCache: the values are a ndarray, not a Tensor. Use bb.tensor."),  # type: ignore[arg-type]
    Bad(lambda: nn.KVCache().append(kv, kv[:, :1]), S, "KVCache: keys [2, 2, 3, 4] and values [2, 1, 3, 4] do not fit each other."),
    Bad(lambda: _filled().append(kv[:1], kv[:1]), S, "KVCache: holds keys [2, 2, 3, 4], got [1, 2, 3, 4]. Use another cache, or reset()."),
    Bad(lambda: _filled().append(kv.astype("float64"), kv), T, "KVCache: holds keys of float32, got float64. Use astype."),
    Bad(lambda: nn.RotaryEmbedding(5), A, "RotaryEmbedding: dim must be even, got 5."),
    Bad(lambda: nn.RotaryEmbedding(4, frequencies=[1.0]), S, "RotaryEmbedding: frequencies must be 2 numbers, got float64 of shape [1]."),
    Bad(lambda: rotary(one[:, :3]), S, "RotaryEmbedding: the input must be [..., l, d] of at least 4 features, got [5, 3]."),
    Bad(lambda: rotary(one.astype("int64")), T, "RotaryEmbedding: the input must be floating, got int64. Use astype."),
    Bad(lambda: rotary(one, 1, [0] * 5), A, "RotaryEmbedding: takes an offset or positions, not both."),
    Bad(lambda: rotary(one, positions=[0.0] * 5), T, "RotaryEmbedding: positions must be integers, got float64."),
    Bad(lambda: rotary(one, positions=[0]), S, "RotaryEmbedding: positions must be [5] or [n, 5], got [1]."),
    Bad(lambda: rotary(one, positions=[-1] * 5), A, "RotaryEmbedding: a position is negative: -1."),
    Bad(lambda: rotary(one, positions=[[0] * 5]), S, "RotaryEmbedding: positions are for a batch of 1, the input is [5, 4]."),
    Bad(lambda: nn.PositionalEncoding(3)(one), S, "PositionalEncoding: the input must be [l, n, 3], got [5, 4]."),
    Bad(lambda: nn.alibi_mask(2, 3, 2), A, "alibi_mask: there are 2 keys for 3 queries, which are the last of them."),
    Bad(lambda: nn.generate(max, one, 1), T, "generate: the prompt must be of integers, got float32."),
    Bad(lambda: nn.generate(max, whole[:0], 1), S, "generate: the prompt must be [n, l] or [l] with at least one token, got [0, 2]."),
    Bad(lambda: _drawn(top_k=2), A,
        "generate: temperature=0 draws nothing: top_k, top_p and generator have no effect. Give a temperature."),
    Bad(lambda: _scores([1.0]), S, "generate: the model must return [1, 1, 'vocabulary'] for tokens [1, 1], got [1]."),
    Bad(lambda: _scores([[[1.0, np.nan]]]), A, "generate: the model's result has NaN, or no finite score. Check its weights."),
)  # fmt: skip
REFUSED_GRAPHS = (
    Bad(lambda: nn.MultiheadAttention(4, 2).to(auto())(x, x, x, cache=nn.KVCache()), G,
        "KVCache: the keys have a graph, and a cache is for inference. Use model.valid(), or detach()."),
)  # fmt: skip
