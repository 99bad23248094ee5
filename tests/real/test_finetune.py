"""The last layers of published models learn a small task, and nothing else in them changes."""

from __future__ import annotations

from pathlib import Path

import efficientnet
import finetune_images
import finetune_text
import minilm
import pytest
from PIL import Image
from sklearn.datasets import load_sample_image

pytestmark = pytest.mark.feature_set("autodiff")


def test_a_sentence_encoder_learns_to_tell_good_reviews_from_bad() -> None:
    model, accuracy = finetune_text.finetune(*finetune_text.reviews())
    assert accuracy >= 0.75, "a guess gets half of them"
    before = minilm.Encoder(minilm.folder()).model.state_dict()
    changed = {
        name.split(".")[2]
        for name, tensor in model.encoder.state_dict().items()
        if tensor.numpy().tobytes() != before[name].numpy().tobytes()
    }
    assert changed == {"5"}, "the last layer alone"


def test_a_classifier_of_pictures_learns_which_photograph_a_piece_is_of(tmp_path: Path) -> None:
    for name in ("china", "flower"):
        photograph = load_sample_image(f"{name}.jpg")
        (tmp_path / name).mkdir()
        for i in range(20):
            top, left = divmod(i, 5)
            piece = photograph[top * 100 : top * 100 + 96, left * 120 : left * 120 + 96]
            Image.fromarray(piece).save(tmp_path / name / f"{i}.png")
    model, history = finetune_images.finetune(tmp_path, epochs=3, size=96, progress="off")
    assert history[-1]["valid_accuracy"] >= 0.85, "a guess gets half of them"
    before = efficientnet.pretrained().state_dict()
    changed = {
        name.split(".")[0]
        for name, tensor in model.state_dict().items()
        if tensor.shape != before[name].shape or tensor.numpy().tobytes() != before[name].numpy().tobytes()
    }
    assert changed == {"_conv_head", "_fc"}, "no statistics of frozen norms either"
