"""``nn.LoRA``: what it computes, what of it trains, and that it merges away."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn

needs_autodiff = pytest.mark.feature_set("autodiff")
CPU = bb.Device.cpu()

# A layer, the shape of an input, and the shapes of the two factors at rank 3.
LAYERS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = {
    "linear": (lambda: nn.Linear(5, 4), (2, 6, 5), (3, 5), (4, 3)),
    "linear without bias": (lambda: nn.Linear(5, 4, bias=False), (5,), (3, 5), (4, 3)),
    "conv2d": (lambda: nn.Conv2d(4, 6, 3, stride=2, padding=1), (2, 4, 7, 7), (3, 4, 3, 3), (6, 3, 1, 1)),
    "conv2d of groups": (
        lambda: nn.Conv2d(4, 6, (1, 3), dilation=2, groups=2, bias=False),
        (1, 4, 5, 7),
        (6, 2, 1, 3),
        (6, 3, 1, 1),
    ),
    "conv1d that wraps": (
        lambda: nn.Conv1d(2, 4, 3, padding="same", padding_mode="circular"),
        (2, 2, 6),
        (3, 2, 3),
        (4, 3, 1),
    ),
    "conv3d": (lambda: nn.Conv3d(2, 2, 2), (1, 2, 3, 3, 3), (3, 2, 2, 2, 2), (2, 3, 1, 1, 1)),
    "embedding": (lambda: nn.Embedding(9, 5), (2, 3), (9, 3), (5, 3)),
    "embedding with padding": (lambda: nn.Embedding(9, 5, padding_idx=2), (2, 8), (9, 3), (5, 3)),
}


def data(name: str, shape: tuple[int, ...]) -> bb.Tensor:
    if "embedding" in name:
        return bb.random.randint(0, 9, shape)
    return bb.random.normal(shape)


def trained(module: nn.Module) -> nn.Module:
    """Give every change something to add."""
    for name, p in module.named_parameters():
        if name.endswith("lora_B"):
            nn.init.normal_(p)
    return module


@pytest.mark.parametrize("name", LAYERS)
def test_at_first_nothing_changes_and_then_what_the_merged_weight_says(name: str) -> None:
    make, shape, a, b = LAYERS[name]
    base, x = make(), data(name, shape)
    before, weight = base(x).numpy(), base.weight
    layer = nn.LoRA(base, rank=3, alpha=6)
    assert layer.lora_A.shape == a and layer.lora_B.shape == b
    np.testing.assert_array_equal(layer(x).numpy(), before)
    trained(layer)
    after = layer(x).numpy()
    assert np.abs(after - before).max() > 0.1
    # theory: the layer with the weight that is changed by 6 / 3 times the product
    plain = make()
    plain.load_state_dict({**base.state_dict(), "weight": base.weight + layer.change()})
    np.testing.assert_allclose(after, plain(x).numpy(), atol=1e-5)
    np.testing.assert_array_equal(layer.weight.numpy(), plain.weight.numpy())
    if name == "linear":
        change = 2 * layer.lora_B.numpy() @ layer.lora_A.numpy()
        np.testing.assert_allclose(layer.change().numpy(), change, atol=1e-6)

    assert layer.merge() is layer and layer.merged and list(layer.state_dict()) == list(plain.state_dict())
    np.testing.assert_allclose(layer(x).numpy(), after, atol=1e-5)
    np.testing.assert_array_equal(layer.merge()(x).numpy(), plain(x).numpy())
    assert "merged into" in repr(layer)
    assert layer.unmerge().base.weight is weight and not layer.merged
    np.testing.assert_array_equal(layer.unmerge()(x).numpy(), after)


def test_the_row_of_padding_stays_as_it_is() -> None:
    layer = trained(nn.LoRA(nn.Embedding(4, 3, padding_idx=1), rank=2))
    assert not layer(bb.tensor([1])).numpy().any() and layer(bb.tensor([0])).numpy().any()


@needs_autodiff
@pytest.mark.parametrize("name", LAYERS)
def test_the_change_alone_trains(name: str) -> None:
    make, shape, _, _ = LAYERS[name]
    layer = trained(nn.LoRA(make(), rank=2).to(CPU.autodiff()))
    grads = layer(data(name, shape)).sum().backward()
    assert [n for n, p in layer.named_parameters() if p in grads] == ["lora_A", "lora_B"]


class Net(nn.Module):
    """Layers as attributes, in a list and in a dict; one in two places, and a tied weight."""

    def __init__(self) -> None:
        self.embed = nn.Embedding(7, 4)
        self.blocks = [nn.Linear(4, 4), nn.Linear(4, 4)]
        self.by_name = {"norm": nn.BatchNorm1d(4), "again": self.blocks[0]}
        self.head = nn.Linear(4, 7, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, words: bb.Tensor) -> bb.Tensor:
        x = self.embed(words)
        for block in self.blocks:
            x = block(x)
        return self.head(self.by_name["again"](self.by_name["norm"](x)))  # type: ignore[no-any-return]


WORDS = bb.tensor([0, 3, 6])


def test_patterns_choose_the_layers_and_the_rest_is_frozen() -> None:
    model: Any = Net()
    assert nn.lora(model, ["blocks.*", "head"], rank=2) is model
    assert isinstance(model.head, nn.LoRA) and isinstance(model.embed, nn.Embedding)
    assert isinstance(model.blocks[0], nn.LoRA) and model.by_name["again"] is model.blocks[0]
    trains = [name for name, p in model.named_parameters() if not p.is_frozen]
    assert trains == [f"{name}.lora_{x}" for name in ("blocks.0", "blocks.1", "head") for x in "AB"]
    assert list(nn.lora_state_dict(model))[:2] == ["blocks.0.lora_A", "blocks.0.lora_B"]
    assert model.head.in_features == 4  # of what it wraps
    nn.lora(model, "embed", rank=1)  # the names of layers inside a change are not offered again
    assert sum(not p.is_frozen for p in model.parameters()) == 8
    with pytest.raises(bb.ArgumentError, match="no name matches 'head"):
        nn.lora(model, "head*")


@needs_autodiff
def test_a_model_trains_saves_its_changes_and_merges(tmp_path: Path) -> None:
    from backburner.optim import Adam

    model: Any = Net().to(CPU.autodiff())
    names, frozen = list(model.state_dict()), copy.deepcopy(model.state_dict())
    nn.lora(model, ["blocks.*", "head"], rank=2, dropout=0.25)
    assert model.head.training and not model.by_name["norm"].training
    optimizer = Adam(model, lr=0.1)
    for _ in range(3):
        optimizer.step((model(WORDS) ** 2).sum().backward())
    before = model.valid()(WORDS).numpy()
    assert model.by_name["norm"].num_batches_tracked.item() == 0

    bb.save(nn.lora_state_dict(model), tmp_path / "changes.safetensors")
    other: Any = Net()
    other.load_state_dict(frozen)
    nn.lora(other, ["blocks.*", "head"], rank=2)
    report = bb.load(other, tmp_path / "changes.safetensors", strict=False)
    assert not report.unexpected and len(report.loaded) == 8  # one layer has two names
    np.testing.assert_array_equal(other(WORDS).numpy(), before)

    assert nn.merge_lora(other) is other and list(other.state_dict()) == names
    assert other.by_name["again"] is other.blocks[0] and type(other.head) is nn.Linear
    np.testing.assert_allclose(other(WORDS).numpy(), before, atol=1e-5)
    np.testing.assert_array_equal(
        other.embed.weight.numpy(), frozen["embed.weight"].numpy()
    )  # no longer tied

    bb.save(model.blocks[1].merge(), tmp_path / "block.safetensors")
    block = nn.Linear(4, 4)
    assert bb.load(block, tmp_path / "block.safetensors").fits


@needs_autodiff
def test_a_merged_change_goes_where_its_module_goes() -> None:
    model: Any = nn.Sequential(nn.Linear(3, 2)).to(CPU.autodiff())
    layer = trained(nn.lora(model, "0", rank=1))[0]  # type: ignore[index]
    x = bb.ones((1, 3))
    before = layer(x).numpy()
    layer.merge()
    for moved in (
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
        model.valid(),
        model.double().to(CPU).float().to(CPU.autodiff()),
    ):
        assert moved[0].merged
        np.testing.assert_allclose(moved(x).numpy(), before, atol=1e-6)
        moved[0].unmerge()
        np.testing.assert_allclose(moved(x).numpy(), before, atol=1e-6)
        assert [p.is_frozen for p in moved.parameters()] == [False, False, True, True]
        if moved.training:
            assert moved[0].lora_A in moved(x).sum().backward()


def test_a_tie_comes_back_after_a_merge() -> None:
    model: Any = nn.lora(Net(), "head")
    shared = model.embed.weight
    assert model.head.merge().weight is not shared and model.head.unmerge().base.weight is shared


def test_attributes_without_a_changed_layer_stay_the_same_objects() -> None:
    model: Any = nn.Sequential(nn.Linear(3, 3))
    model.seen, model.log = seen, log = Counter(), [1]
    nn.merge_lora(nn.lora(model, "0"))
    assert model.seen is seen and model.log is log
