"""Texts that models continue: small ones as people build them, with caches, and how a token is drawn."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.nn import functional as F

VOCABULARY = 11


class Llama(nn.Module):
    """Llama's blocks: RMSNorm first, rotary positions, grouped queries, SwiGLU."""

    def __init__(self, size: int = 16, heads: int = 4, groups: int = 2, layers: int = 2) -> None:
        self.size, self.heads, self.groups = size, heads, groups
        self.embedding = nn.Embedding(VOCABULARY, size, dtype="float64")
        head = size // heads
        self.rotary = nn.RotaryEmbedding(head)
        widths = {"q": heads * head, "k": groups * head, "v": groups * head, "o": size}
        self.blocks = [
            {name: nn.Linear(size, width, bias=False, dtype="float64") for name, width in widths.items()}
            | {"norm1": nn.RMSNorm(size, dtype="float64"), "norm2": nn.RMSNorm(size, dtype="float64")}
            | {"mlp": nn.SwiGLU(size, 2 * size, dtype="float64")}
            for _ in range(layers)
        ]

    def forward(self, tokens: bb.Tensor, cache: nn.KVCache | None = None) -> bb.Tensor:
        past = 0 if cache is None else cache.length
        x = self.embedding(tokens)
        for i, block in enumerate(self.blocks):
            y = block["norm1"](x)
            q, k, v = (
                block[name](y).reshape((*x.shape[:2], heads, -1)).permute_dims((0, 2, 1, 3))
                for name, heads in (("q", self.heads), ("k", self.groups), ("v", self.groups))
            )
            part = None if cache is None else cache[i]
            y = nn.cached_attention(self.rotary(q, past), self.rotary(k, past), v, part, enable_gqa=True)
            x = x + block["o"](y.permute_dims((0, 2, 1, 3)).reshape(x.shape))
            x = x + block["mlp"](block["norm2"](x))
        return x @ self.embedding.weight.T


class GPT(nn.Module):
    """The encoder's layers, causal, with learned positions."""

    def __init__(self) -> None:
        self.tokens = nn.Embedding(VOCABULARY, 8, dtype="float64")
        self.positions = nn.Embedding(20, 8, dtype="float64")
        layer = nn.TransformerEncoderLayer(
            8, 2, 16, 0.5, "gelu", batch_first=True, norm_first=True, dtype="float64"
        )
        self.blocks = nn.TransformerEncoder(layer, 2, nn.LayerNorm(8, dtype="float64"))

    def forward(self, tokens: bb.Tensor, cache: nn.KVCache | None = None) -> bb.Tensor:
        past = 0 if cache is None else cache.length
        x = self.tokens(tokens) + self.positions(bb.arange(past, past + tokens.shape[1]))
        return self.blocks(x, is_causal=True, cache=cache) @ self.tokens.weight.T


def seeded(kind: Any) -> Any:
    bb.Device.cpu().seed(5)
    return kind()


@pytest.mark.parametrize("kind", [Llama, GPT])
def test_a_model_continues_as_it_would_without_a_cache(kind: Any) -> None:
    model = seeded(kind)
    tokens = bb.tensor([[1, 2, 3], [4, 4, 9]])
    whole = tokens
    for _ in range(8):
        new = model(whole)[:, -1].argmax(axis=-1)
        whole = bb.concat([whole, bb.expand_dims(new, 1)], axis=1)
    assert nn.generate(model, tokens, 8).tolist() == whole.tolist()
    assert nn.generate(model, tokens[1], 8).tolist() == whole[1].tolist()


@pytest.mark.feature_set("autodiff")
@pytest.mark.parametrize("kind", [Llama, GPT])
def test_a_model_in_training_is_run_by_its_plain_view(kind: Any) -> None:
    model, tokens = seeded(kind), bb.tensor([[1, 2, 3]])
    before = nn.generate(model, tokens, 5).tolist()
    assert nn.generate(model.to(bb.Device.cpu().autodiff()), tokens, 5).tolist() == before
    grads = model(tokens).logsumexp().backward()
    assert all(parameter in grads for parameter in model.parameters())


def steady(*scores: float) -> Any:
    """Return a model whose scores never change."""
    return lambda tokens, cache: bb.broadcast_to(bb.tensor(scores), (*tokens.shape, len(scores)))


@pytest.mark.parametrize(
    ("options", "chances"),
    [
        ({}, (0.5, 0.25, 0.125, 0.125)),
        ({"top_k": 1}, (1, 0, 0, 0)),
        ({"top_k": 3}, (4 / 7, 2 / 7, 1 / 7, 0)),
        ({"top_k": 9}, (0.5, 0.25, 0.125, 0.125)),
        ({"top_p": 0.75}, (2 / 3, 1 / 3, 0, 0)),
        ({"top_p": 0.76}, (4 / 7, 2 / 7, 1 / 7, 0)),
        ({"top_p": 0.0}, (1, 0, 0, 0)),
        ({"top_p": 1.0}, (0.5, 0.25, 0.125, 0.125)),
        ({"top_k": 3, "top_p": 0.6}, (2 / 3, 1 / 3, 0, 0)),
        ({"temperature": 0.5}, (16 / 22, 4 / 22, 1 / 22, 1 / 22)),
        ({"temperature": 1e-300}, (1, 0, 0, 0)),
    ],
    ids=str,
)
def test_tokens_are_drawn_by_their_chances(options: dict[str, Any], chances: tuple[float, ...]) -> None:
    scores = [math.log(n) for n in (8, 4, 2, 2)]
    options = {"temperature": 1.0, "generator": bb.random.Generator(0), **options}
    drawn = nn.generate(steady(*scores), bb.zeros((4000, 1), dtype="int64"), 1, **options)[:, 1]
    shares = np.bincount(drawn.numpy(), minlength=4) / 4000
    np.testing.assert_allclose(shares, chances, atol=0.03)
    assert not shares[np.equal(chances, 0)].any()


def test_draws_come_from_the_device_or_a_generator() -> None:
    def text(**options: Any) -> Any:
        return nn.generate(
            steady(0, 0, 0, 0), bb.zeros((2, 1), dtype="int64"), 30, temperature=1.0, **options
        ).tolist()

    device = bb.Device.cpu()
    device.seed(3)
    first, second = text(), text()
    device.seed(3)
    assert text() == first != second
    assert text(generator=bb.random.Generator(4)) == text(generator=bb.random.Generator(4))


def test_a_sequence_ends_with_its_token() -> None:
    seen = []

    def model(tokens: bb.Tensor, cache: nn.KVCache) -> bb.Tensor:
        seen.append(tokens.tolist())
        return F.one_hot((tokens + 1) % 6, 6).astype("float32")

    prompt = bb.tensor([[0, 1], [0, 3]], dtype="int32")
    assert nn.generate(model, prompt, 9, eos=5).tolist() == [[0, 1, 2, 3, 4, 5], [0, 3, 4, 5, 5, 5]]
    assert seen == [[[0, 1], [0, 3]], [[2], [4]], [[3], [5]], [[4], [5]]]
    assert nn.generate(model, prompt, 0).tolist() == prompt.tolist()


# -- positions ------------------------------------------------------------------------------------------


def real(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape)


def turned(x: Any, angles: Any, interleaved: bool) -> Any:
    """Multiply pairs as complex numbers."""
    half = x.shape[-1] // 2
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
    y = (a + 1j * b) * np.exp(1j * angles)
    return (
        np.stack([y.real, y.imag], -1).reshape(x.shape)
        if interleaved
        else np.concatenate([y.real, y.imag], -1)
    )


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize(
    ("options", "frequencies"),
    [
        ({}, [1.0, 0.01]),
        ({"base": 500.0}, [1.0, 500**-0.5]),
        ({"scaling_factor": 4.0}, [0.25, 0.0025]),
        ({"frequencies": [0.3, 0.7]}, [0.3, 0.7]),
        ({"frequencies": bb.tensor([3, 7]), "scaling_factor": 2.0}, [1.5, 3.5]),
    ],
    ids=str,
)
def test_rotary_positions_are_products_of_complex_numbers(
    interleaved: bool, options: dict[str, Any], frequencies: list[float]
) -> None:
    layer, x = nn.RotaryEmbedding(4, interleaved=interleaved, **options), real(2, 3, 5, 6)
    want = np.concatenate(
        [turned(x[..., :4], np.arange(5)[:, None] * frequencies, interleaved), x[..., 4:]], axis=-1
    )
    np.testing.assert_allclose(layer(bb.tensor(x)).numpy(), want, rtol=1e-12, atol=1e-13)
    narrow = layer(bb.tensor(x, dtype="float32"))
    assert narrow.dtype == bb.float32
    np.testing.assert_allclose(narrow.numpy(), want, rtol=1e-5, atol=1e-6)


def test_rotary_positions_are_given_by_an_offset_or_one_by_one() -> None:
    layer, x = nn.RotaryEmbedding(6), bb.tensor(real(2, 3, 600, 6))
    whole = layer(x).numpy()
    for offset in (0, 1, 255, 256, 590):  # beyond the first table too
        other = nn.RotaryEmbedding(6)
        other(x[:, :, :1])  # makes the first table
        np.testing.assert_array_equal(other(x[:, :, offset:], offset).numpy(), whole[:, :, offset:])
    chosen = np.array([[0, 5, 5], [599, 2, 0]])
    rows = bb.tensor(np.stack([x.numpy()[i][:, chosen[i]] for i in (0, 1)]))
    want = np.stack([whole[i][:, chosen[i]] for i in (0, 1)])
    np.testing.assert_array_equal(layer(rows, positions=chosen).numpy(), want)
    np.testing.assert_array_equal(layer(rows[0], positions=bb.tensor(chosen[0])).numpy(), want[0])
    with pytest.raises(bb.ArgumentError, match="offset must be at least 0"):
        layer(x, offset=-1)


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("size", [4, 5])
def test_sines_and_cosines_are_those_of_the_paper(size: int, batch_first: bool) -> None:
    layer = nn.PositionalEncoding(size, batch_first=batch_first)
    angles = np.arange(7)[:, None] / 10000 ** (2 * (np.arange(size) // 2) / size)
    want = np.where(np.arange(size) % 2, np.cos(angles), np.sin(angles))
    shape = (2, 3, size) if batch_first else (3, 2, size)
    got = layer(bb.ones(shape, dtype="float64"), 4).numpy() - 1
    np.testing.assert_allclose(got[1] if batch_first else got[:, 1], want[4:], atol=1e-12)
    np.testing.assert_allclose(layer(bb.zeros((7, size))).numpy(), want, atol=1e-6)


@pytest.mark.feature_set("autodiff")
def test_positions_are_dropped_with_the_features_in_training() -> None:
    layer = nn.PositionalEncoding(4, dropout=0.5).to(bb.Device.cpu().autodiff())
    dropped = (layer(bb.ones((50, 4))).inner() == 0).numpy().mean()
    assert 0.3 < dropped < 0.7
    assert (layer.valid()(bb.ones((50, 4))).numpy() != 0).all()


def test_alibi_falls_with_the_distance_at_the_papers_rates() -> None:
    np.testing.assert_array_equal(
        nn.alibi_mask(2, 2, 3).numpy(),
        np.array([[[-1, 0, -np.inf], [-2, -1, 0]]] * 2) * np.array([2.0**-4, 2.0**-8])[:, None, None],
    )
    rates = -nn.alibi_mask(6, 1, 2, dtype="float64").numpy()[:, 0, 0]
    np.testing.assert_array_equal(np.log2(rates), [-2, -4, -6, -8, -1, -3])
    assert nn.alibi_mask(1, 2, is_causal=False).numpy()[0, 0, 1] == -(2.0**-8)


# -- the example ----------------------------------------------------------------------------------------


@pytest.mark.feature_set("autodiff")
def test_the_example_learns_to_write(tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "examples" / "write.py"
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "NUMBA")}
    done = subprocess.run(
        [sys.executable, "-W", "error", script], cwd=tmp_path, env=os.environ | threads, capture_output=True, text=True,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    *steps, line = done.stdout.splitlines()
    assert [step.partition(":")[0] for step in steps] == ["step 100", "step 200", "step 300"]
    assert float(steps[-1].rpartition(" ")[2]) < 0.5
    assert line.startswith("Explicit is better than ")
