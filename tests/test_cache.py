"""Keys and values that are kept: a position at a time gives what all at once would have given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from devices import KINDS, device_of

CLOSE = {"rtol": 1e-9, "atol": 1e-12}


def real(*shape: int, seed: int = 0) -> bb.Tensor:
    return bb.tensor(np.random.default_rng(seed).standard_normal(shape))


def parts(x: bb.Tensor, sizes: tuple[int, ...], axis: int = 1) -> Iterator[bb.Tensor]:
    return iter(bb.split(x, sizes, axis))


def encoder(**options: Any) -> nn.TransformerEncoder:
    return nn.TransformerEncoder(
        nn.TransformerEncoderLayer(8, 2, 12, batch_first=True, dtype="float64", **options), 2
    )


def decoder(**options: Any) -> nn.TransformerDecoder:
    return nn.TransformerDecoder(
        nn.TransformerDecoderLayer(8, 2, 12, batch_first=True, dtype="float64", **options), 2
    )


MEMORY = real(2, 4, 8, seed=1)
Step = Callable[[bb.Tensor, "nn.KVCache | None"], bb.Tensor]


def of_attention(**options: Any) -> Step:
    layer = nn.MultiheadAttention(8, 2, batch_first=True, dtype="float64", **options)
    return lambda x, cache: layer(x, x, x, is_causal=True, cache=cache, need_weights=False)[0]


def of_weights() -> Step:
    layer = nn.MultiheadAttention(8, 2, batch_first=True, dtype="float64")
    return lambda x, cache: layer(x, x, x, is_causal=True, cache=cache)[0]


def of_encoder(**options: Any) -> Step:
    model = encoder(**options)
    return lambda x, cache: model(x, is_causal=True, cache=cache)


def of_decoder(**options: Any) -> Step:
    model = decoder(**options)
    return lambda x, cache: model(x, MEMORY, tgt_is_causal=True, cache=cache)


def of_groups() -> Step:
    w = [real(8, n, seed=n) for n in (8, 4, 4)]

    def step(x: bb.Tensor, cache: nn.KVCache | None) -> bb.Tensor:
        q, k, v = ((x @ each).reshape((*x.shape[:2], -1, 2)).permute_dims((0, 2, 1, 3)) for each in w)
        y = nn.cached_attention(q, k, v, cache, enable_gqa=True)
        return y.permute_dims((0, 2, 1, 3)).reshape(x.shape)

    return step


def of_alibi() -> Step:
    def step(x: bb.Tensor, cache: nn.KVCache | None) -> bb.Tensor:
        q = x.reshape((*x.shape[:2], 2, 4)).permute_dims((0, 2, 1, 3))
        past = 0 if cache is None else cache.length
        mask = nn.alibi_mask(2, x.shape[1], past + x.shape[1], is_causal=False)
        return nn.cached_attention(q, q, q, cache, mask).permute_dims((0, 2, 1, 3)).reshape(x.shape)

    return step


def of_padding() -> Step:
    hidden = np.array([[True] * 2 + [False] * 5, [False] * 7])

    def step(x: bb.Tensor, cache: nn.KVCache | None) -> bb.Tensor:
        q = x.reshape((*x.shape[:2], 2, 4)).permute_dims((0, 2, 1, 3))
        total = x.shape[1] + (0 if cache is None else cache.length)
        mask = bb.tensor(~hidden[:, None, None, :total])
        return nn.cached_attention(q, q, q, cache, mask).permute_dims((0, 2, 1, 3)).reshape(x.shape)

    return step


STEPS: dict[str, Callable[[], Step]] = {
    "attention": of_attention,
    "attention without biases": lambda: of_attention(bias=False),
    "attention with more keys": lambda: of_attention(add_bias_kv=True, add_zero_attn=True),
    "attention with weights": of_weights,
    "encoder": of_encoder,
    "encoder, norm first": lambda: of_encoder(norm_first=True, activation="gelu"),
    "decoder": of_decoder,
    "decoder, norm first": lambda: of_decoder(norm_first=True, bias=False),
    "grouped queries": of_groups,
    "alibi": of_alibi,
    "padding": of_padding,
}


@pytest.mark.parametrize("sizes", [(1,) * 7, (3, 1, 2, 1), (7,), (2, 5)], ids=str)
@pytest.mark.parametrize("name", STEPS)
def test_steps_give_what_the_whole_gives(name: str, sizes: tuple[int, ...]) -> None:
    step, x, cache = STEPS[name](), real(2, 7, 8), nn.KVCache()
    got = []
    for done, part in zip(np.cumsum(sizes), parts(x, sizes), strict=True):
        got.append(step(part, cache))
        assert cache.length == done
    np.testing.assert_allclose(bb.concat(got, axis=1).numpy(), step(x, None).numpy(), **CLOSE)


def test_a_stack_with_a_cache_is_causal_unless_told_otherwise() -> None:
    x = real(2, 4, 8)
    model, other = encoder(), decoder()
    mask = nn.Transformer.generate_square_subsequent_mask(4)
    for whole, some in (
        (model(x, mask), lambda part, cache: model(part, cache=cache)),
        (other(x, MEMORY, mask), lambda part, cache: other(part, MEMORY, cache=cache)),
    ):
        cache = nn.KVCache()
        got = [some(part, cache) for part in parts(x, (3, 1))]
        np.testing.assert_allclose(bb.concat(got, axis=1).numpy(), whole.numpy(), **CLOSE)
    free = model(x, is_causal=False, cache=nn.KVCache())
    np.testing.assert_allclose(free.numpy(), model(x).numpy(), **CLOSE)


def test_a_mask_of_padding_covers_what_the_cache_holds() -> None:
    model, x = encoder(), real(2, 5, 8)
    hidden = bb.tensor([[True, True, False, False, False], [False] * 5])
    whole = model(x, src_key_padding_mask=hidden, is_causal=True)
    cache = nn.KVCache()
    got = [
        model(part, src_key_padding_mask=hidden[:, :end], is_causal=True, cache=cache)
        for part, end in zip(parts(x, (3, 1, 1)), (3, 4, 5), strict=True)
    ]
    np.testing.assert_allclose(bb.concat(got, axis=1).numpy(), whole.numpy(), **CLOSE)


def test_beams_are_taken_from_any_sequence() -> None:
    model, x, cache = decoder(), real(2, 3, 8), nn.KVCache()
    model(x, MEMORY, cache=cache)
    chosen = [1, 1, 0, 1]
    cache.reorder(bb.tensor(chosen))
    after = real(4, 1, 8, seed=3)
    got = model(after, bb.take(MEMORY, chosen, axis=0), cache=cache)
    whole = bb.concat([bb.take(x, chosen, axis=0), after], axis=1)
    mask = nn.Transformer.generate_square_subsequent_mask(4)
    want = model(whole, bb.take(MEMORY, chosen, axis=0), mask)
    np.testing.assert_allclose(got.numpy(), want[:, -1:].numpy(), **CLOSE)


def test_a_cache_goes_back_and_starts_anew() -> None:
    step, x, cache = of_decoder(), real(2, 6, 8), nn.KVCache()
    step(x[:, :4], cache)
    cache.truncate(2)
    assert cache.length == 2
    other = bb.concat([x[:, :2], x[:, 4:]], axis=1)
    np.testing.assert_allclose(step(x[:, 4:], cache).numpy(), step(other, None)[:, 2:].numpy(), **CLOSE)
    cache.reset()
    assert (cache.length, cache.nbytes) == (0, 0)
    np.testing.assert_allclose(step(x, cache).numpy(), step(x, None).numpy(), **CLOSE)
    assert repr(cache) == f"KVCache(length=6, parts=4, nbytes={cache.nbytes})"


def test_what_was_handed_out_never_changes() -> None:
    cache, k = nn.KVCache(8), real(1, 1, 4, 2)
    first, _ = cache.append(k, k)
    cache.append(k[..., :2, :], k[..., :2, :])
    cache.truncate(3)
    cache.append(-k, -k)
    kept = cache.append(k, k)[0]
    cache.reorder([0])
    cache.append(k * 5, k * 5)
    np.testing.assert_array_equal(first.numpy(), k.numpy())
    np.testing.assert_array_equal(
        kept.numpy(), np.concatenate([k.numpy()[..., :3, :], -k.numpy(), k.numpy()], axis=-2)
    )
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(kept)[...] = 0


def test_memory_grows_by_doubling_and_is_moved_seldom() -> None:
    cache, k = nn.KVCache(), real(1, 2, 1, 3)
    taken = set()
    for _ in range(1000):
        cache.append(k, k)
        taken.add(cache.nbytes)
    assert len(taken) == 11 and max(taken) == 2 * 1024 * k.numpy().nbytes
    roomy = nn.KVCache(capacity=1000)
    views = [np.asarray(roomy["layer"].append(k, k)[0]) for _ in range(1000)]
    assert len({view.__array_interface__["data"][0] for view in views}) == 1
    assert roomy.nbytes == 2 * 1000 * k.numpy().nbytes


def test_the_other_sequence_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model, cache = decoder(), nn.KVCache()
    sizes: list[tuple[int, ...]] = []
    linear = nn.functional.linear

    def counted(x: bb.Tensor, *rest: Any) -> bb.Tensor:
        sizes.append(x.shape)
        return linear(x, *rest)

    monkeypatch.setattr(nn.functional, "linear", counted)
    for _ in range(3):
        model(real(2, 1, 8), MEMORY, cache=cache)
    assert sizes.count(MEMORY.shape) == 2  # layers


def test_a_refused_step_leaves_the_cache_as_it_was() -> None:
    layer, cache, x = (
        nn.MultiheadAttention(8, 2, batch_first=True, dtype="float64"),
        nn.KVCache(),
        real(2, 3, 8),
    )
    layer(x, x, x, cache=cache)
    with pytest.raises(bb.ShapeError, match="attn_mask must be"):
        layer(x, x, x, attn_mask=bb.zeros((3, 3)), cache=cache)
    q, other = x.reshape((2, 3, 2, 4)), nn.KVCache()
    with pytest.raises(bb.ShapeError, match="does not broadcast"):
        nn.cached_attention(q, q, q, other, bb.zeros((5, 5)))
    with pytest.raises(bb.ShapeError, match="holds keys"):
        layer(x[:1], x[:1], x[:1], cache=cache)
    for name in ("need_weights", "average_attn_weights"):
        with pytest.raises(bb.DTypeError, match=name):
            layer(x, x, x, cache=cache, **{name: "yes"})
    assert (cache.length, other.length) == (3, 0)
    nn.cached_attention(q[:1], q[:1], q[:1], other)  # of another batch than the step that was refused


@pytest.mark.parametrize("kind", KINDS)
def test_a_frozen_model_takes_a_cache_on_every_device(kind: str) -> None:
    model, x = encoder().freeze().to(device_of(kind)), real(2, 3, 8)
    cache = nn.KVCache()
    got = bb.concat([model(part, cache=cache) for part in parts(x, (1, 2))], axis=1)
    np.testing.assert_allclose(got.inner().numpy(), model.valid()(x, is_causal=True).numpy(), **CLOSE)
