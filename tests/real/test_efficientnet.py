"""The classifier of pictures: its scores are those of the code it was made for."""

from __future__ import annotations

from pathlib import Path

import efficientnet
import numpy as np
import pytest
from sklearn.datasets import load_sample_image

import backburner as bb
from golden.make_real import picture

GOLDEN = np.load(Path(__file__).parents[1] / "golden" / "real.npz")


@pytest.fixture(scope="module")
def model() -> efficientnet.EfficientNetLite0:
    return efficientnet.pretrained()


def test_scores_are_the_references(model: efficientnet.EfficientNetLite0) -> None:
    scores = model(bb.tensor(picture())).numpy()
    np.testing.assert_allclose(scores, GOLDEN["scores"], rtol=0, atol=1e-5)


@pytest.mark.parametrize(("name", "number"), [("china.jpg", 698), ("flower.jpg", 985)])
def test_a_photograph_is_what_it_shows(model: efficientnet.EfficientNetLite0, name: str, number: int) -> None:
    x = bb.tensor(efficientnet.pixels(load_sample_image(name))[None])
    assert model(x).argmax(axis=1).item() == number


def test_saved_again_it_is_the_same_model(model: efficientnet.EfficientNetLite0, tmp_path: Path) -> None:
    bb.save(model, tmp_path / "lite0.safetensors")
    again = efficientnet.EfficientNetLite0()
    bb.load(again, tmp_path / "lite0.safetensors")
    x = bb.tensor(picture())
    assert model(x).numpy().tobytes() == again(x).numpy().tobytes()
