"""Modules: names, state, devices, freezing, copies."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import backburner as bb
from backburner import nn

needs_autodiff = pytest.mark.feature_set("autodiff")
CPU = bb.Device.cpu()


def small() -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(72, 3))


class Tied(nn.Module):
    def __init__(self) -> None:
        self.embed = nn.Embedding(5, 4)
        self.head = nn.Linear(4, 5, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, indices: object) -> bb.Tensor:
        return self.head(self.embed(indices))


class Nested(nn.Module):
    def __init__(self) -> None:
        self.blocks = [nn.Linear(2, 2), nn.Linear(2, 2, bias=False)]
        self.by_name = {"a": nn.LayerNorm(2)}
        self.scale = nn.Parameter(bb.ones((1,)))

    def forward(self, x: bb.Tensor) -> bb.Tensor:
        for block in self.blocks:
            x = block(x)
        return self.by_name["a"](x) * self.scale


def test_state_has_pytorchs_names_in_pytorchs_order() -> None:
    assert list(small().state_dict()) == [
        "0.weight", "0.bias", "1.weight", "1.bias", "1.running_mean", "1.running_var", "1.num_batches_tracked",
        "4.weight", "4.bias",
    ]  # fmt: skip
    names = [name for name, _ in Nested().named_parameters()]  # a module's own come before its children's
    assert names == [
        "scale", "blocks.0.weight", "blocks.0.bias", "blocks.1.weight", "by_name.a.weight", "by_name.a.bias"
    ]  # fmt: skip


def test_a_tied_parameter_counts_once_and_is_named_twice() -> None:
    model = Tied()  # B094
    assert [name for name, _ in model.named_parameters()] == ["embed.weight"]
    assert list(model.state_dict()) == ["embed.weight", "head.weight"]
    assert model.num_parameters() == 20


def test_parameters_are_counted() -> None:
    assert small().num_parameters() == 2 * 9 + 2 + 4 + 72 * 3 + 3


@pytest.mark.parametrize(
    ("layer", "bound"),
    [
        (lambda: nn.Linear(100, 50), 0.1),
        (lambda: nn.Conv2d(4, 50, 5), 0.1),
        (lambda: nn.Conv2d(8, 50, 5, groups=2), 0.1),
    ],
)
def test_weights_start_in_pytorchs_range(layer: object, bound: float) -> None:
    CPU.seed(0)
    made = layer()  # type: ignore[operator]
    for values in (made.weight.numpy(), made.bias.numpy()):
        assert np.abs(values).max() <= bound and np.abs(values).max() > 0.9 * bound
    assert abs(made.weight.numpy().std() / (bound / np.sqrt(3)) - 1) < 0.05


def test_an_embedding_starts_normal_with_a_zero_row_for_padding() -> None:
    CPU.seed(0)
    weight = nn.Embedding(200, 50, padding_idx=-1).weight.numpy()
    assert not weight[199].any() and abs(weight[:199].std() - 1) < 0.03


def test_repr_shows_the_tree() -> None:
    assert repr(small()).splitlines() == [
        "Sequential(",
        "  (0): Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1))",
        "  (1): BatchNorm2d(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)",
        "  (2): ReLU()",
        "  (3): Flatten(start_axis=1, end_axis=-1)",
        "  (4): Linear(in_features=72, out_features=3, bias=True)",
        ")",
    ]


def test_copies_are_equal_and_separate_and_stay_tied() -> None:
    for copied in (copy.deepcopy(Tied()), pickle.loads(pickle.dumps(Tied()))):  # B090
        assert copied.head.weight is copied.embed.weight
    model = small()
    twin = copy.deepcopy(model)
    x = bb.random.normal((2, 1, 8, 8))
    assert twin(x).tolist() == model(x).tolist()
    model[4].weight.assign(np.zeros((3, 72), np.float32))
    assert twin[4].weight.numpy().any()


def test_assign_checks_shape_and_dtype() -> None:
    weight = nn.Linear(2, 3).weight
    with pytest.raises(bb.ShapeError, match=r"shape \[3, 2\], the new contents \[2, 3\]"):
        weight.assign(np.zeros((2, 3), np.float32))
    with pytest.raises(bb.DTypeError, match="float32, the new contents float64"):
        weight.assign(np.zeros((3, 2)))


def test_a_parameter_is_made_of_a_floating_tensor() -> None:
    layer = nn.Linear(2, 3)
    layer.weight = nn.Parameter(bb.zeros((3, 2)))
    with pytest.raises(bb.DTypeError, match="must be floating"):
        nn.Parameter(bb.arange(3))
    with pytest.raises(bb.DTypeError, match="needs a Tensor"):
        nn.Parameter(np.ones(3))  # type: ignore[arg-type]


def test_on_a_plain_device_nothing_trains() -> None:
    model = nn.Sequential(nn.Dropout(0.9), nn.BatchNorm1d(2))
    assert not model.training
    x = bb.random.normal((5, 2))
    np.testing.assert_allclose(model(x).numpy(), x.numpy() / np.sqrt(1 + 1e-5), rtol=1e-6)
    assert model[1].num_batches_tracked.item() == 0


def test_sequential_is_a_sequence_of_modules() -> None:
    model = small()
    assert len(model) == 5 and isinstance(model[2], nn.ReLU) and len(list(model)) == 5
    with pytest.raises(bb.DTypeError, match="entry 1 is a function"):
        nn.Sequential(nn.ReLU(), lambda x: x)  # type: ignore[arg-type]


def test_to_takes_a_device() -> None:
    assert small().to("cpu").device is CPU  # type: ignore[arg-type]
    with pytest.raises(bb.DeviceError, match="there is no 'cuda'. Use one of: cpu"):
        small().to("cuda")  # type: ignore[arg-type]


@needs_autodiff
def test_to_makes_leaves_in_place_and_back() -> None:
    model, device = small(), CPU.autodiff()
    weight = model[0].weight
    assert model.to(device) is model and model.training and model[3].training
    assert model[0].weight is weight and weight.is_require_grad()
    assert not model[1].running_mean.is_tracked() and model[1].running_mean.device is device
    model.to(CPU)
    assert not model.training and not weight.is_tracked()


@needs_autodiff
def test_moving_away_retires_the_leaves_of_older_graphs() -> None:
    model, device = nn.Linear(2, 2), CPU.autodiff()
    loss = model.to(device)(bb.ones((1, 2))).sum()
    model.to(CPU).to(device)
    with pytest.raises(bb.GraphError, match="changed since"):
        loss.backward()


@needs_autodiff
def test_the_device_of_the_module_decides_not_that_of_the_batch() -> None:
    device = CPU.autodiff()
    model = nn.Sequential(nn.BatchNorm1d(2)).to(device)
    model(bb.random.normal((4, 2)))
    assert model[0].num_batches_tracked.item() == 1
    plain = nn.Sequential(nn.BatchNorm1d(2))
    x = bb.ones((4, 2), device=device).require_grad()
    assert x in plain(x).sum().backward()
    assert plain[0].num_batches_tracked.item() == 0


@needs_autodiff
def test_valid_is_a_view_that_later_changes_do_not_reach() -> None:
    model = small().to(CPU.autodiff())
    view = model.valid()
    assert not view.training and type(view) is type(model) and view[0].weight.device is CPU
    assert np.shares_memory(view[0].weight.numpy(), model[0].weight.numpy())
    assert model.training and model[0].weight.is_require_grad()
    before = view[4].weight.tolist()
    model[4].weight.assign(np.zeros((3, 72), np.float32))
    assert view[4].weight.tolist() == before
    tied = Tied().to(CPU.autodiff()).valid()
    assert tied.head.weight is tied.embed.weight
    nested = Nested().to(CPU.autodiff()).valid()
    assert not any(p.is_autodiff() for p in nested.parameters())


@needs_autodiff
def test_freeze_keeps_a_part_in_inference_while_the_rest_trains() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Linear(2, 1)).to(CPU.autodiff())
    model[0].freeze()
    model[1].freeze()
    assert model.training and not model[1].training
    grads = model(bb.random.normal((4, 2))).sum().backward()
    assert [p in grads for p in model.parameters()] == [False, False, False, False, True, True]
    assert model[1].num_batches_tracked.item() == 0
    model.unfreeze()
    assert model[1].training and model[0].weight.is_require_grad()
    frozen = nn.Linear(2, 2).freeze().to(CPU.autodiff())
    assert not frozen.weight.is_tracked() and not frozen.training


@needs_autodiff
def test_what_is_set_later_moves_to_the_modules_device() -> None:
    model = small().to(CPU.autodiff())
    setattr(model, "4", nn.Linear(72, 7))
    assert model[4].weight.is_require_grad()


@needs_autodiff
def test_pickles_and_copies_keep_leaves_and_refuse_results_by_name() -> None:
    model = nn.Sequential(nn.Linear(2, 2)).to(CPU.autodiff())
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert copied.training and copied[0].weight.is_require_grad()
        assert copied[0].weight._primitive.node is not model[0].weight._primitive.node
    model.cache = model(bb.ones((1, 2)))  # type: ignore[attr-defined]
    for duplicate in (copy.deepcopy, pickle.dumps):
        with pytest.raises(bb.GraphError, match="'cache' is the result of a recorded op"):
            duplicate(model)


@needs_autodiff
def test_a_load_gives_new_leaves_and_older_graphs_refuse() -> None:
    model = nn.Linear(2, 2).to(CPU.autodiff())
    loss = model(bb.ones((1, 2))).sum()
    model.weight.assign(np.zeros((2, 2), np.float32))
    with pytest.raises(bb.GraphError, match="changed since, by a step or a load"):
        loss.backward()
    assert model.weight in model(bb.ones((1, 2))).sum().backward()


def test_a_state_dict_goes_into_another_module_and_back() -> None:
    model, other = small(), small()
    state = model.state_dict()
    report = other.load_state_dict({name: value.numpy() for name, value in state.items()})
    assert report.fits and all(
        other.state_dict()[name].tolist() == value.tolist() for name, value in state.items()
    )
    del state["4.bias"]
    with pytest.raises(bb.RecordError, match="1 missing .4.bias."):
        other.load_state_dict(state)
    assert other.load_state_dict(state, strict=False).missing == ("4.bias",)


def test_containers_of_parameters_and_modules_belong_to_the_module() -> None:
    class Named(NamedTuple):
        first: nn.Module
        second: nn.Module

    model = nn.Module()
    model.weights = [nn.Parameter(bb.ones((1,))), nn.Buffer(bb.zeros((2,)))]  # type: ignore[attr-defined]
    model.pair = Named(nn.ReLU(), nn.Linear(1, 1))  # type: ignore[attr-defined]
    assert list(model.state_dict()) == ["weights.0", "weights.1", "pair.1.weight", "pair.1.bias"]
    view = model.valid()
    assert isinstance(view.pair, Named) and view.pair.second.weight is not model.pair.second.weight  # type: ignore[attr-defined]


@pytest.mark.parametrize("value", [np.ones((3, 2)), bb.ones((3, 2)), 1.0, [1.0]])
def test_only_a_parameter_takes_the_place_of_a_parameter(value: object) -> None:
    layer = nn.Linear(2, 3)
    with pytest.raises(bb.DTypeError, match="weight is a Parameter and stays one"):
        layer.weight = value  # type: ignore[assignment]
    layer.bias = None


def test_a_module_is_no_part_of_itself() -> None:
    parent, child = nn.Module(), nn.Module()
    parent.child = child  # type: ignore[attr-defined]
    with pytest.raises(bb.ArgumentError, match="a part of itself"):
        child.parent = [parent]  # type: ignore[attr-defined]


@pytest.mark.parametrize("values", [[1.0], 1.0, None])
def test_assign_takes_tensors_and_arrays(values: object) -> None:
    buffer = nn.Buffer(bb.zeros((2,)))
    buffer.assign(bb.ones((2,)))
    assert buffer.tolist() == [1.0, 1.0] and isinstance(buffer._primitive, np.ndarray)
    with pytest.raises(bb.DTypeError, match="assign: needs a tensor or an array"):
        buffer.assign(values)  # type: ignore[arg-type]


@needs_autodiff
def test_batch_statistics_move_at_every_step_and_are_saved(tmp_path: Path) -> None:
    norm = nn.BatchNorm1d(2).to(CPU.autodiff())
    for _ in range(3):
        norm(bb.random.normal((4, 2)))
    assert norm.num_batches_tracked is not None and norm.num_batches_tracked.item() == 3
    bb.save(norm, tmp_path / "norm.safetensors")
    other = nn.BatchNorm1d(2)
    bb.load(other, tmp_path / "norm.safetensors")
    assert other.running_mean is not None and norm.running_mean is not None
    assert other.running_mean.tolist() == norm.running_mean.tolist()


@needs_autodiff
def test_what_is_set_on_a_frozen_module_is_frozen() -> None:
    model = nn.Module().to(CPU.autodiff()).freeze()
    model.weight = nn.Parameter(bb.ones((1,)))  # type: ignore[attr-defined]
    model.layer = nn.Linear(1, 1)  # type: ignore[attr-defined]
    assert not any(p.is_tracked() for p in model.parameters()) and not model.layer.training  # type: ignore[attr-defined]


@needs_autodiff
def test_tensors_that_are_plain_attributes_come_along_into_the_view() -> None:
    model = nn.Module().to(CPU.autodiff())
    model.mask = bb.ones((2,), device=CPU.autodiff())  # type: ignore[attr-defined]
    model.more = {"a": [bb.ones((2,), device=CPU.autodiff()), 3]}  # type: ignore[attr-defined]
    model.words = ["a", "b"]  # type: ignore[attr-defined]
    view = model.valid()
    assert view.mask.device is CPU and view.more["a"][0].device is CPU and view.more["a"][1] == 3  # type: ignore[attr-defined]
    assert view.words is model.words  # type: ignore[attr-defined]
