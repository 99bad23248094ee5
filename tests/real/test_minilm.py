"""The sentence encoder: its tokens and vectors are those of the library it was made for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import minilm
import numpy as np
import pytest

import backburner as bb
from golden.make_real import SENTENCES

GOLDEN = np.load(Path(__file__).parents[1] / "golden" / "real.npz")
EXAMPLES = Path(minilm.__file__).parent


@pytest.fixture(scope="module")
def encoder() -> minilm.Encoder:
    return minilm.Encoder(minilm.folder())


def test_tokens_are_the_librarys(encoder: minilm.Encoder) -> None:
    ends = np.cumsum(GOLDEN["lengths"])[:-1]
    for sentence, ids in zip(SENTENCES, np.split(GOLDEN["tokens"], ends), strict=True):
        assert encoder.tokenize(sentence) == ids.tolist(), sentence


def test_vectors_are_the_references_to_1e5_alone_and_in_a_batch(encoder: minilm.Encoder) -> None:
    together = encoder(SENTENCES)
    np.testing.assert_allclose(together, GOLDEN["vectors"], rtol=0, atol=1e-5)
    alone = np.concatenate([encoder([sentence]) for sentence in SENTENCES])
    np.testing.assert_allclose(alone, GOLDEN["vectors"], rtol=0, atol=1e-5)


def test_the_file_is_read_by_name_and_the_report_tells_what_was_left(encoder: minilm.Encoder) -> None:
    report = bb.load(encoder.model, minilm.folder() / "model.safetensors", strict=False)
    assert report.unexpected == ("embeddings.position_ids", "pooler.dense.bias", "pooler.dense.weight")
    assert not report.missing and not report.mismatched


def test_the_example_finds_what_answers_a_question() -> None:
    done = subprocess.run(
        [sys.executable, "minilm.py"],
        cwd=EXAMPLES,
        capture_output=True,
        text=True,
        env=os.environ,
        check=True,
    )
    likeness = [float(row.split()[0]) for row in done.stdout.splitlines()]
    assert likeness[0] == 1 and likeness[1] > 0.3 > likeness[2]
