"""Recurrent layers, attention and transformers: laws that hold between layers, and how they start.

Their values and gradients are PyTorch's by ``layers/recurrent.py``, ``layers/attention.py`` and so on.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.nn.utils import rnn

CLOSE = {"rtol": 1e-9, "atol": 1e-12}
autodiff = pytest.mark.feature_set("autodiff")


def real(*shape: int, seed: int = 0) -> bb.Tensor:
    return bb.tensor(np.random.default_rng(seed).standard_normal(shape))


def states(kind: str, count: int, n: int) -> Any:
    h, c = real(count, n, 4, seed=1), real(count, n, 4, seed=2)
    return (h, c) if kind == "LSTM" else h


def listed(last: Any) -> list[bb.Tensor]:
    return list(last) if isinstance(last, tuple) else [last]


# -- sequences of different lengths ---------------------------------------------------------------------


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_packed_sequences_lengths_and_each_alone_agree(kind: str, batch_first: bool) -> None:
    layer = getattr(nn, kind)(3, 4, 2, batch_first=batch_first, bidirectional=True, dtype="float64")
    lengths, hx = [2, 5, 3], states(kind, 4, 3)
    x = real(3, 5, 3) if batch_first else real(5, 3, 3)
    packed = rnn.pack_padded_sequence(x, lengths, batch_first, enforce_sorted=False)
    out, last = layer(packed, hx)
    assert isinstance(out, rnn.PackedSequence)
    padded, ends = rnn.pad_packed_sequence(out, batch_first)
    by_lengths, last_too = layer(x, hx, lengths)
    assert ends.tolist() == lengths
    np.testing.assert_allclose(padded.numpy(), by_lengths.numpy(), **CLOSE)
    alone = rnn.unpad_sequence(x, lengths, batch_first)
    for i, sequence in enumerate(alone):
        one = tuple(state[:, i] for state in hx) if kind == "LSTM" else hx[:, i]
        y, end = layer(sequence, one)
        np.testing.assert_allclose(
            (padded[i] if batch_first else padded[:, i])[: lengths[i]].numpy(), y.numpy(), **CLOSE
        )
        for a, b, c in zip(listed(last), listed(last_too), listed(end), strict=True):
            np.testing.assert_allclose(a[:, i].numpy(), c.numpy(), **CLOSE)
            np.testing.assert_allclose(b[:, i].numpy(), c.numpy(), **CLOSE)


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_a_cell_is_a_step_of_its_layer(kind: str) -> None:
    layer, cell = getattr(nn, kind)(3, 4, dtype="float64"), getattr(nn, kind + "Cell")(3, 4, dtype="float64")
    cell.load_state_dict({name.removesuffix("_l0"): w for name, w in layer.state_dict().items()})
    x, hx = real(4, 2, 3), None
    for step in x:
        hx = cell(step, hx)
    for one, whole in zip(listed(hx), listed(layer(x)[1]), strict=True):
        np.testing.assert_allclose(one.numpy(), whole[0].numpy(), **CLOSE)


def test_rows_are_packed_step_by_step() -> None:
    x = bb.tensor([[1, 2, 3], [4, 0, 0], [5, 6, 0]])
    packed = rnn.pack_padded_sequence(x, bb.tensor([3, 1, 2]), batch_first=True, enforce_sorted=False)
    assert packed.data.tolist() == [1, 5, 4, 2, 6, 3]
    assert packed.batch_sizes.tolist() == [3, 2, 1]
    assert packed.sorted_indices is not None and packed.sorted_indices.tolist() == [0, 2, 1]
    assert packed.unsorted_indices is not None and packed.unsorted_indices.tolist() == [0, 2, 1]
    padded, lengths = rnn.pad_packed_sequence(packed, batch_first=True, padding_value=9, total_length=4)
    assert padded.tolist() == [[1, 2, 3, 9], [4, 9, 9, 9], [5, 6, 9, 9]] and lengths.tolist() == [3, 1, 2]
    assert [one.tolist() for one in rnn.unpack_sequence(packed)] == [[1, 2, 3], [4], [5, 6]]
    again = rnn.pack_sequence(rnn.unpack_sequence(packed), enforce_sorted=False)
    assert again.data.tolist() == packed.data.tolist()
    ordered = rnn.pack_padded_sequence(x, [3, 2, 2], batch_first=True)
    assert ordered.sorted_indices is None and ordered.data.tolist() == [1, 4, 5, 2, 0, 6, 3]


def test_sequences_are_padded_on_either_side() -> None:
    found = [bb.tensor([1.0]), bb.tensor([2.0, 3.0])]
    assert rnn.pad_sequence(found).tolist() == [[1, 2], [0, 3]]
    left = rnn.pad_sequence(found, batch_first=True, padding_value=7, padding_side="left")
    assert left.tolist() == [[7, 1], [2, 3]]
    assert [x.tolist() for x in rnn.unpad_sequence(left, [0, 2], batch_first=True)] == [[], [2, 3]]


@autodiff
def test_gradients_reach_what_was_packed() -> None:
    x = real(5, 2, 3).to(bb.Device.cpu().autodiff()).require_grad()
    packed = rnn.pack_padded_sequence(x, [2, 4], enforce_sorted=False)
    y, _ = rnn.pad_packed_sequence(packed)
    g = (y * real(4, 2, 3, seed=1)).sum().backward()[x].numpy()
    want = np.zeros((5, 2, 3))
    want[:4] = real(4, 2, 3, seed=1).numpy()
    want[2:, 0] = want[4:] = 0
    np.testing.assert_array_equal(g, want)


# -- dropout --------------------------------------------------------------------------------------------


@autodiff
@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_states_between_layers_are_dropped_in_training_alone(kind: str) -> None:
    layer, x = getattr(nn, kind)(3, 4, 2, dropout=1.0), bb.ones((5, 2, 3))
    before = layer(x)[0].numpy()
    layer.to(bb.Device.cpu().autodiff())
    got = layer(x)[0].inner().numpy()
    silent = getattr(nn, kind)(3, 4, 2).valid()
    silent.load_state_dict({**layer.state_dict(), "weight_ih_l1": bb.zeros(layer.weight_ih_l1.shape)})
    np.testing.assert_allclose(got, silent(x)[0].numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(layer.freeze()(x)[0].inner().numpy(), before)
    with pytest.warns(UserWarning, match="is between layers, and there is one"):
        getattr(nn, kind)(3, 4, dropout=0.5)


@autodiff
@pytest.mark.parametrize("need_weights", [False, True])
def test_weights_of_attention_are_dropped_in_training_alone(need_weights: bool) -> None:
    layer, x = nn.MultiheadAttention(4, 2, dropout=1.0), real(3, 2, 4)
    before = layer(x, x, x, need_weights=need_weights)[0].numpy()
    layer.to(bb.Device.cpu().autodiff())
    assert not layer(x, x, x, need_weights=need_weights)[0].inner().numpy().any()  # its bias is 0
    np.testing.assert_array_equal(layer.valid()(x, x, x, need_weights=need_weights)[0].numpy(), before)


@autodiff
@pytest.mark.parametrize(
    ("name", "dropped"),
    [("TransformerEncoderLayer", 3), ("TransformerDecoderLayer", 4)],
)
def test_each_dropout_of_a_layer_drops(name: str, dropped: int) -> None:
    layer = getattr(nn, name)(4, 2, 8, 1.0, norm_first=True).to(bb.Device.cpu().autodiff())
    assert sum(isinstance(module, nn.Dropout) for _, module in layer.named_modules()) == dropped
    x = real(3, 2, 4)
    inputs = (x,) if dropped == 3 else (x, x)
    np.testing.assert_array_equal(layer(*inputs).inner().numpy(), x.numpy())  # the residuals are left
    changed = [m for _, m in layer.named_modules() if isinstance(m, nn.Dropout)]
    for module in changed:
        module.p = 0.0
    assert not np.array_equal(layer(*inputs).inner().numpy(), x.numpy())


# -- masks ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("batch_first", [False, True])
def test_a_query_that_sees_no_key_gets_zeros(batch_first: bool, need_weights: bool) -> None:
    layer = nn.MultiheadAttention(4, 2, bias=False, batch_first=batch_first, dtype="float64")
    x = real(2, 3, 4)
    n = 2 if batch_first else 3
    hidden = np.zeros((n, 5 - n), bool)
    hidden[1] = True
    for mask in (bb.tensor(hidden), bb.tensor(np.where(hidden, -np.inf, 0.0))):
        out, weights = layer(x, x, x, mask, need_weights=need_weights)
        rows = out.numpy() if batch_first else out.numpy().swapaxes(0, 1)
        assert not rows[1].any() and rows[0].all() and np.isfinite(rows).all()
        if need_weights:
            assert not weights.numpy()[1].any() and weights.numpy()[0].all()


@autodiff
@pytest.mark.parametrize("need_weights", [False, True])
def test_a_query_that_sees_no_key_passes_zeros_back(need_weights: bool) -> None:
    layer = nn.MultiheadAttention(4, 2, batch_first=True, dtype="float64")
    x = real(2, 3, 4).to(bb.Device.cpu().autodiff()).require_grad()
    hidden = bb.tensor([[False] * 3, [True] * 3])
    out, _ = layer(x, x, x, hidden, need_weights=need_weights)
    g = (out * real(2, 3, 4, seed=1)).sum().backward()[x].numpy()
    assert not g[1].any() and g[0].all() and np.isfinite(g).all()


FORBIDDEN = ~np.tri(3, dtype=bool)


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("more", [{}, {"add_bias_kv": True}, {"add_zero_attn": True}], ids=str)
def test_masks_of_every_kind_say_the_same(more: dict[str, bool], need_weights: bool) -> None:
    layer, x = nn.MultiheadAttention(4, 2, dtype="float64", **more), real(3, 2, 4)
    padding = np.array([[False, True, False], [False, False, True]])
    both = np.repeat(FORBIDDEN[None] | padding[:, None], 2, axis=0)
    minus = bb.tensor(np.where(FORBIDDEN, -np.inf, 0.0))
    pad, float_pad = bb.tensor(padding), bb.tensor(np.where(padding, -np.inf, 0.0))
    want = layer(x, x, x, attn_mask=bb.tensor(both), need_weights=need_weights)[0].numpy()
    for options in (
        {"attn_mask": bb.tensor(FORBIDDEN), "key_padding_mask": pad},
        {"attn_mask": minus, "key_padding_mask": pad},
        {"attn_mask": bb.tensor(FORBIDDEN), "key_padding_mask": float_pad},
        {"attn_mask": minus, "key_padding_mask": float_pad},
        {"is_causal": True, "key_padding_mask": pad},
        {"is_causal": True, "attn_mask": minus, "key_padding_mask": float_pad},
    ):
        got = layer(x, x, x, need_weights=need_weights, **options)[0].numpy()
        np.testing.assert_allclose(got, want, **CLOSE, err_msg=str(options))


@pytest.mark.parametrize("need_weights", [False, True])
def test_a_mask_does_not_decide_the_dtype(need_weights: bool) -> None:
    layer, x = nn.MultiheadAttention(4, 2), real(3, 2, 4).astype("float32")
    out, _ = layer(x, x, x, real(2, 3), need_weights=need_weights, attn_mask=real(3, 3))
    assert out.dtype == bb.float32


def test_the_square_mask_hides_what_is_later() -> None:
    mask = nn.Transformer.generate_square_subsequent_mask(3)
    assert mask.dtype == bb.float32
    np.testing.assert_array_equal(mask.numpy(), np.where(FORBIDDEN, -np.inf, 0))
    assert nn.Transformer.generate_square_subsequent_mask(2, dtype="float64").dtype == bb.float64


# -- stacks ---------------------------------------------------------------------------------------------


def test_a_stack_is_its_layers_one_after_the_other() -> None:
    x, memory, mask = real(3, 2, 4), real(5, 2, 4, seed=1), bb.tensor(FORBIDDEN)
    norm = nn.LayerNorm(4, dtype="float64")
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, dtype="float64"), 2, norm)
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, dtype="float64"), 2, norm)
    for stack in (encoder, decoder):
        first, second = (dict(layer.named_parameters()) for layer in stack.layers)
        for name, parameter in first.items():  # copies that start alike, as PyTorch's
            assert parameter is not second[name]
            np.testing.assert_array_equal(parameter.numpy(), second[name].numpy())
        second["linear1.weight"].assign(-first["linear1.weight"].numpy())
    one, two = encoder.layers
    np.testing.assert_array_equal(encoder(x, mask).numpy(), norm(two(one(x, mask), mask)).numpy())
    one, two = decoder.layers
    want = norm(two(one(x, memory, mask), memory, mask))
    np.testing.assert_array_equal(decoder(x, memory, mask).numpy(), want.numpy())
    assert not np.array_equal(decoder(x, memory).numpy(), want.numpy())


def test_a_transformer_is_an_encoder_and_a_decoder_that_may_be_others() -> None:
    source, target = real(5, 2, 4), real(3, 2, 4, seed=1)
    mask = bb.tensor(FORBIDDEN)
    model = nn.Transformer(4, 2, 1, 2, 8, dtype="float64")
    want = model.decoder(target, model.encoder(source), mask)
    np.testing.assert_array_equal(model(source, target, tgt_mask=mask).numpy(), want.numpy())
    np.testing.assert_allclose(model(source, target, tgt_is_causal=True).numpy(), want.numpy(), **CLOSE)
    other = nn.Transformer(4, 2, custom_encoder=model.encoder, custom_decoder=model.decoder, dtype="float64")
    assert other.encoder is model.encoder and other.decoder is model.decoder


# -- how they start -------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _seeded() -> None:
    bb.Device.cpu().seed(0)


def even(parameter: bb.Tensor, bound: float) -> None:
    """Check that numbers are spread evenly up to a bound."""
    values = parameter.numpy()
    assert np.abs(values).max() <= bound and abs(values).max() > 0.9 * bound
    assert values.std() == pytest.approx(bound / math.sqrt(3), rel=0.15)


@pytest.mark.parametrize("layer", [
    nn.RNN(30, 25), nn.GRU(30, 25, bidirectional=True), nn.LSTM(30, 25, 2, proj_size=20),
    nn.RNNCell(30, 25), nn.GRUCell(30, 25), nn.LSTMCell(30, 25),
], ids=repr)  # fmt: skip
def test_recurrent_layers_start_evenly_by_the_size_of_their_states(layer: nn.Module) -> None:
    for name, parameter in layer.named_parameters():
        if "weight" in name:
            even(parameter, 0.2)
        else:
            assert np.abs(parameter.numpy()).max() <= 0.2 and parameter.numpy().any()


def test_attention_starts_as_glorot_says_and_without_biases() -> None:
    alike = nn.MultiheadAttention(20, 2, add_bias_kv=True)
    assert alike.in_proj_weight is not None and alike.bias_k is not None and alike.bias_v is not None
    even(alike.in_proj_weight, math.sqrt(6 / 80))
    even(alike.out_proj.weight, math.sqrt(1 / 20))
    assert not any(b.numpy().any() for n, b in alike.named_parameters() if n.endswith("bias"))
    spread = np.concatenate([alike.bias_k.numpy().ravel(), alike.bias_v.numpy().ravel()]).std()
    assert spread == pytest.approx(math.sqrt(2 / 40), rel=0.4)  # fans of [1, 1, e] are 20 and 20
    other = nn.MultiheadAttention(20, 2, kdim=30, vdim=10)
    for name, fans in (("q", 40), ("k", 50), ("v", 30)):
        even(getattr(other, f"{name}_proj_weight"), math.sqrt(6 / fans))


def test_a_transformer_starts_as_glorot_says() -> None:
    model = nn.Transformer(16, 2, 2, 1, 40)
    for name, parameter in model.named_parameters():
        if parameter.ndim > 1:
            even(parameter, math.sqrt(6 / sum(parameter.shape)))
        elif "norm" in name and name.endswith("weight"):
            assert (parameter.numpy() == 1).all()
    first, second = model.encoder.layers
    assert not np.array_equal(first.linear1.weight.numpy(), second.linear1.weight.numpy())
