"""``bb.summary``: what it counts, where it shows it, and that it leaves the model alone."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.backend import Backend
from backburner.nn import functional as F
from backburner.nn._summary import COSTS

needs_autodiff = pytest.mark.feature_set("autodiff")
CPU = bb.Device.cpu()


class Does(nn.Module):
    """A module whose ``forward`` is any function."""

    def __init__(self, function: Callable[..., Any], **parts: nn.Module) -> None:
        self.function = function
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *inputs: Any, **named: Any) -> Any:
        return self.function(*inputs, **named)


def conv(axes: int, transposed: bool = False, **options: Any) -> Does:
    function = getattr(F, f"conv{'_transpose' if transposed else ''}{axes}d")
    return Does(lambda x, w: function(x, w, **options))


class Packed(nn.Module):
    def __init__(self) -> None:
        self.rnn = nn.RNN(3, 4)

    def forward(self, x: bb.Tensor) -> Any:
        return self.rnn(nn.utils.rnn.pack_padded_sequence(x, bb.tensor([5, 2])))


# A model, the shapes of its inputs, and the multiply-adds that its definition takes.
COUNTED: dict[str, tuple[nn.Module, Any, int]] = {
    "linear": (nn.Linear(3, 4), (5, 2, 3), 5 * 2 * 3 * 4),
    "linear to one": (Does(F.linear), [(5, 3), (3,)], 5 * 3),
    "bilinear": (Does(F.bilinear), [(7, 3), (7, 4), (2, 3, 4)], 7 * 2 * 3 * 4 + 7 * 2 * 4),
    "conv1d": (conv(1, stride=2), [(2, 3, 9), (4, 3, 3)], 2 * 4 * 4 * 3 * 3),
    "conv1d of groups": (conv(1, groups=3, padding=1), [(2, 3, 9), (6, 1, 3)], 2 * 6 * 9 * 3),
    "conv2d": (conv(2, dilation=2), [(2, 3, 7, 8), (4, 3, 3, 2)], 2 * 4 * 3 * 6 * 3 * 3 * 2),
    "conv2d depthwise": (nn.Conv2d(8, 8, 3, padding="same", groups=8), (1, 8, 5, 5), 8 * 25 * 9),
    "conv3d": (conv(3), [(1, 2, 4, 4, 4), (3, 2, 2, 2, 2)], 3 * 27 * 2 * 8),
    "conv_transpose1d": (conv(1, True, stride=2), [(2, 3, 5), (3, 4, 3)], 2 * 3 * 5 * 4 * 3),
    "conv_transpose2d": (conv(2, True, groups=2), [(1, 4, 3, 3), (4, 3, 2, 2)], 4 * 9 * 3 * 4),
    "conv_transpose3d": (conv(3, True), [(1, 2, 2, 2, 2), (2, 3, 3, 3, 3)], 2 * 8 * 3 * 27),
    "matmul": (Does(lambda x, y: x @ y), [(6, 2, 3), (3, 5)], 6 * 2 * 3 * 5),
    "matmul with a constant": (Does(lambda x: bb.ones((4, 3)) @ x), (3, 5), 4 * 3 * 5),
    "inner product": (Does(lambda x, y: x @ y), [(3,), (3,)], 3),
    "einsum": (Does(lambda x, y: bb.einsum("bij,bkj->bik", x, y)), [(2, 3, 4), (2, 5, 4)], 2 * 3 * 5 * 4),
    "tensordot": (Does(lambda x, y: bb.tensordot(x, y, axes=2)), [(2, 3, 4), (3, 4, 5)], 2 * 12 * 5),
    "attention": (Does(F.scaled_dot_product_attention), [(2, 3, 5, 4), (2, 3, 6, 4), (2, 3, 6, 8)], 2 * 3 * 5 * 6 * 12),
    "attention of shared heads": (
        Does(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True)),
        [(4, 5, 2), (2, 6, 2), (2, 6, 2)],
        4 * 5 * 6 * 4,
    ),
    "multi-head attention": (
        nn.MultiheadAttention(8, 2), [(5, 3, 8)] * 3, 15 * 8 * 24 + 3 * 2 * 25 * 8 + 15 * 8 * 8,
    ),
    "rnn": (nn.RNN(3, 4), (5, 2, 3), 10 * (4 * 3 + 4 * 4)),
    "gru": (nn.GRU(3, 4, num_layers=2, bias=False), (5, 2, 3), 10 * 3 * (4 * 3 + 4 * 4 + 2 * 4 * 4)),
    "lstm": (nn.LSTM(3, 4, bidirectional=True), (5, 2, 3), 2 * 10 * 4 * (4 * 3 + 4 * 4)),
    "lstm with projections": (nn.LSTM(3, 4, proj_size=2), (5, 2, 3), 10 * (16 * 3 + 16 * 2 + 2 * 4)),
    "lstm with states": (nn.LSTM(3, 4), [(5, 2, 3), [(1, 2, 4), (1, 2, 4)]], 10 * 4 * (4 * 3 + 4 * 4)),
    "rnn of sequences that end": (Packed(), (5, 2, 3), (5 + 2) * (4 * 3 + 4 * 4)),
    "elementwise": (nn.Sequential(nn.LayerNorm(3), nn.GELU()), (2, 3), 0),
    "called twice": (Does(lambda x: x @ x @ x), (3, 3), 2 * 27),
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTED)
def test_multiply_adds_are_those_of_the_definition(name: str) -> None:
    model, shapes, count = COUNTED[name]
    assert bb.summary(model, shapes).multiply_adds == count


FREE = {
    *("Activation", "Bitwise", "Comparison", "Creation", "Ctc", "Decompositions", "Dropout", "Distance"),
    *("Elementwise", "Floating", "Folding", "Gamma", "Indexing", "Loss", "MaxPool", "Margin", "Norm"),
    *("Piecewise", "Pool", "Reduction", "Resample", "Regression", "Rounding", "Scan", "ShapeOps", "Sorting"),
    *("Trigonometric", "Unpool", "Windows", "Protocol", "Generic", "object", "Backend"),
}
"""Families of ops that are not made of products of matrices."""


def test_every_op_made_of_products_is_counted() -> None:
    families = [family for family in Backend.__mro__ if family.__name__ not in FREE]
    assert {family.__name__ for family in families} == {
        "Attention", "Conv", "ConvTranspose", "Linalg", "Recurrent",
    }  # fmt: skip
    ops = {name for family in families for name in vars(family) if not name.startswith("_")}
    assert ops == set(COSTS)


class Tagger(nn.Module):
    """Embeddings tied to a head, a product of its own, a layer used twice and one that is never run."""

    def __init__(self) -> None:
        self.embed = nn.Embedding(7, 4)
        self.mix = nn.Linear(4, 4, bias=False)
        self.norm = nn.BatchNorm1d(4)
        self.unused = nn.Linear(2, 2)
        self.head = nn.Linear(4, 7)
        self.head.weight = self.embed.weight
        self.unused.freeze()

    def forward(self, words: bb.Tensor, scale: bb.Tensor) -> dict[str, Any]:
        x = self.mix(self.mix(self.embed(words)))
        x = self.norm(x @ scale)
        return {"scores": self.head(x), "states": (x, x)}


def test_rows_tell_what_is_each_modules_own() -> None:
    found = bb.summary(Tagger(), [(5,), (4, 4)], dtype=["int64", None])
    assert [tuple(row) for row in found.rows] == [
        ("", "Tagger", ((5, 7), (5, 4), (5, 4)), 0, 0, 0, 5 * 16, 1),
        ("embed", "Embedding", ((5, 4),), 28, 28, 112, 0, 1),
        ("mix", "Linear", ((5, 4),), 16, 16, 64, 2 * 5 * 16, 2),
        ("norm", "BatchNorm1d", ((5, 4),), 8, 8, 72, 0, 1),
        ("unused", "Linear", (), 6, 0, 24, 0, 0),
        ("head", "Linear", ((5, 7),), 7, 7, 28, 5 * 28, 1),  # its weight stands with the embedding
    ]
    assert (found.parameters, found.trainable, found.frozen, found.bytes) == (65, 59, 6, 300)
    assert found.parameters == Tagger().num_parameters() and found.multiply_adds == 380
    assert str(found).splitlines()[4].split() == ["mix", "Linear", "x2", "[5,", "4]", "16", "64", "160"]
    assert repr(found) == str(found)


GIVEN: dict[str, tuple[Any, Any]] = {
    "shapes and dtypes": ([(5,), (4, 4)], ["int64", "float32"]),
    "a tensor and a shape": ([bb.tensor([0, 6, 1, 2, 3]), (4, 4)], None),
    "by name": ({"words": (5,), "scale": bb.ones((4, 4))}, {"words": "int64"}),
    "NumPy's integers": ([np.array([5]).tolist(), [np.int64(4), 4]], ("int64", None)),
}


@pytest.mark.parametrize("name", GIVEN)
def test_inputs_are_shapes_or_tensors_by_place_or_by_name(name: str) -> None:
    inputs, dtype = GIVEN[name]
    assert bb.summary(Tagger(), inputs, dtype).multiply_adds == 380


def test_one_dtype_is_for_all_and_by_default_it_is_the_parameters() -> None:
    seen: list[Any] = []
    model = Does(lambda *xs: seen.extend(x.dtype for x in xs), scale=nn.LayerNorm(2).double())
    bb.summary(model, [(2,), ()])
    bb.summary(model, [(2,), ()], dtype="float32")
    assert seen == ["float64", "float64", "float32", "float32"]


def test_without_inputs_nothing_runs() -> None:
    def refuse(x: bb.Tensor) -> bb.Tensor:
        raise AssertionError("it ran")

    found = bb.summary(Does(refuse, layer=nn.Linear(2, 3)))
    assert found.parameters == 9 and found.multiply_adds == 0
    assert str(found).splitlines() == [
        "name   class   parameters  bytes",
        "--------------------------------",
        "(all)  Does             -      -",
        "layer  Linear           9     36",
        "--------------------------------",
        "9 parameters: 9 trainable, 0 frozen",
        "36 bytes of parameters and buffers",
    ]


class Busy(nn.Module):
    """A module whose ``forward`` changes what it can: a buffer, a list, a number, and random streams."""

    def __init__(self) -> None:
        self.norm = nn.BatchNorm1d(3)
        self.drop = nn.Dropout(0.5)
        self.count = nn.Buffer(bb.zeros(()))
        self.own = bb.random.Generator(3)
        self.seen: list[int] = []
        self.runs = 0

    def forward(self, x: bb.Tensor) -> bb.Tensor:
        self.count.assign(self.count + 1)
        self.seen.append(len(x))
        self.runs += 1
        noise = bb.random.normal((3,)) + bb.random.normal((3,), generator=self.own)
        return self.drop(self.norm(x)) + noise + bb.random.normal((3,), device=x.device)  # type: ignore[no-any-return]


@needs_autodiff
@pytest.mark.parametrize("fails", [False, True])
def test_the_model_is_left_as_it_was(fails: bool) -> None:
    model = Busy().to(CPU.autodiff())
    model.norm.freeze("bias")
    model.norm.weight.assign(np.full(3, 2, np.float32))
    before = {name: value.numpy().copy() for name, value in model.state_dict().items()}
    leaves, drawn, own = [p._primitive for p in model.parameters()], CPU.seeds.state, model.own.state
    held = dict(vars(model))
    if fails:
        with pytest.raises(bb.ShapeError):
            bb.summary(model, (4, 5))
    else:
        assert bb.summary(model, (4, 3)).frozen == 3
    assert CPU.seeds.state == drawn and model.own.state == own and model.seen == [] and model.runs == 0
    assert all(np.array_equal(value.numpy(), before[name]) for name, value in model.state_dict().items())
    assert [p._primitive for p in model.parameters()] == leaves and vars(model) == held
    assert model.training and [p.is_frozen for p in model.parameters()] == [False, True]
    assert all(module._hooks is None for module in model.modules())


def test_hooks_of_the_user_run_and_stay() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    handle = model[0].register_forward_hook(lambda m, args, out: out @ bb.ones((3, 3)))
    found = bb.summary(model, (4, 2))
    assert [row.multiply_adds for row in found.rows] == [0, 4 * 2 * 3 + 4 * 9, 4 * 3]
    hooks = model[0]._hooks
    assert hooks is not None and len(hooks.after) == 1 and not hooks.before
    handle.remove()


def test_a_summary_counts_alike_each_time_and_for_a_copy() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
    texts = {str(bb.summary(m, (1, 2))) for m in (model, model, copy.deepcopy(model), model.valid())}
    assert len(texts) == 1
