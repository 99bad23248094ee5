"""The last layers of published models learn a small task, and nothing else in them changes."""

from __future__ import annotations

import finetune_text
import pytest

pytestmark = pytest.mark.feature_set("autodiff")


def test_a_sentence_encoder_learns_to_tell_good_reviews_from_bad() -> None:
    import minilm

    model, accuracy = finetune_text.finetune(*finetune_text.reviews())
    assert accuracy >= 0.75, "a guess gets half of them"
    before = minilm.Encoder(minilm.folder()).model.state_dict()
    changed = {
        name.split(".")[2]
        for name, tensor in model.encoder.state_dict().items()
        if tensor.numpy().tobytes() != before[name].numpy().tobytes()
    }
    assert changed == {"5"}, "the last layer alone"
