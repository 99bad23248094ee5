"""Layers in use: tables that were learned elsewhere, very many classes, frozen parts, options without effect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.nn import functional as F
from sources import docstring

autodiff = pytest.mark.feature_set("autodiff")
ROWS = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)


@pytest.fixture
def device() -> bb.Device:
    return bb.Device.cpu().autodiff()


@autodiff
@pytest.mark.parametrize("kind", [nn.Embedding, nn.EmbeddingBag])
@pytest.mark.parametrize("freeze", [True, False])
def test_a_table_from_elsewhere_is_taken_as_it_is_and_frozen_unless_asked(
    kind: Any, freeze: bool, device: bb.Device
) -> None:
    layer = kind.from_pretrained(bb.asarray(ROWS), freeze, padding_idx=1, max_norm=9.0)
    assert (layer.padding_idx, layer.max_norm) == (1, 9.0)
    np.testing.assert_array_equal(layer.weight.numpy(), ROWS)  # the row of the padding too
    layer.to(device)
    assert layer.weight.is_frozen == freeze and layer.weight.is_tracked() != freeze
    out = layer([[0, 2], [4, 4]])
    assert out.is_tracked() != freeze


def test_looking_up_scales_long_rows_and_leaves_the_table_alone() -> None:
    layer = nn.Embedding.from_pretrained(bb.asarray(ROWS), max_norm=0.5)
    found = layer([0, 1, 2, 3, 4]).numpy()
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 0.5, rtol=1e-5)
    np.testing.assert_array_equal(layer.weight.numpy(), ROWS)


@pytest.mark.parametrize("div_value", [1.0, 2.0])
def test_an_adaptive_softmax_is_one_distribution_over_all_classes(div_value: float) -> None:
    bb.Device.cpu().seed(0)
    layer = nn.AdaptiveLogSoftmaxWithLoss(16, 30, [4, 12], div_value, True, dtype=bb.float64)
    layer.head.bias.assign(np.linspace(-6, 6, layer.head_size))
    x = bb.random.normal((40, 16), dtype=bb.float64) * 3
    everything = layer.log_prob(x).numpy()
    assert everything.shape == (40, 30)
    np.testing.assert_allclose(np.exp(everything).sum(1), 1, rtol=1e-12)
    np.testing.assert_array_equal(layer.predict(x).numpy(), everything.argmax(1))
    assert len({n for n in layer.predict(x).tolist() if n >= 4}) > 3  # clusters are predicted too
    target = np.arange(40) % 30
    output, loss = layer(x, target)
    np.testing.assert_allclose(output.numpy(), everything[np.arange(40), target], rtol=1e-12)
    np.testing.assert_allclose(loss.item(), -output.numpy().mean(), rtol=1e-12)


@autodiff
def test_a_frozen_norm_in_a_model_that_trains_uses_its_statistics_and_passes_gradients(
    device: bb.Device,
) -> None:
    bb.Device.cpu().seed(0)
    model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Conv2d(3, 1, 3)).to(device)
    norm = model[1]
    norm.running_var.assign(np.array([0.5, 2.0, 3.0], np.float32))
    norm.running_mean.assign(np.array([0.1, -0.2, 0.3], np.float32))
    norm.freeze()
    x = bb.random.normal((4, 2, 8, 8))
    grads = model(x).sum().backward()
    assert norm.num_batches_tracked.item() == 0 and norm.weight not in grads
    first, last = model[0], model[3]
    y = F.batch_norm(first(x), norm.running_mean, norm.running_var, None, None, False, 0.0, norm.eps)[0]
    wanted = last(F.relu(y)).sum().backward()
    for parameter in (first.weight, first.bias, last.weight):
        np.testing.assert_allclose(grads[parameter].numpy(), wanted[parameter].numpy(), rtol=1e-5, atol=1e-5)


@autodiff
def test_gradients_of_small_batches_through_batch_norm_are_not_those_of_one_large_batch(
    device: bb.Device,
) -> None:  # B160
    bb.Device.cpu().seed(0)
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)).to(device)
    x, g = bb.random.normal((8, 3)), bb.random.normal((8, 3))
    weight = model[0].weight
    whole = (model(x) * g).sum().backward()[weight].numpy()
    halves = [(model(x[rows]) * g[rows]).sum().backward()[weight].numpy() for rows in (slice(4), slice(4, 8))]
    assert abs(sum(halves) - whole).max() > 0.1
    assert model[1].num_batches_tracked.item() == 3
    text = " ".join(docstring(nn.BatchNorm1d).split())
    assert "several small batches that are added up are not those of one large batch" in text


@pytest.mark.parametrize(
    "layer", [nn.ReLU(True), nn.Hardswish(True), nn.ELU(inplace=True), nn.Dropout(0.5, True)]
)
def test_inplace_is_taken_and_changes_nothing(layer: nn.Module) -> None:
    x = bb.tensor([-1.0, 2.0])
    layer(x)
    assert x.tolist() == [-1.0, 2.0]


def test_parameters_of_prelu_are_counted_as_of_any_module() -> None:
    assert nn.PReLU(7).num_parameters() == 7


def test_statistics_from_before_batches_were_counted_load() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    state = {name: x for name, x in model.state_dict().items() if name != "1.num_batches_tracked"}
    assert model.load_state_dict(state).fits
    del state["1.running_mean"]
    with pytest.raises(bb.RecordError, match=r"2 missing \(1.num_batches_tracked, 1.running_mean\)"):
        model.load_state_dict(state)
