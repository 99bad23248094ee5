"""Losses as modules: each is its function with the options it was made with."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.nn import functional as F
from backburner.nn._bases import Loss

RNG = np.random.default_rng(0)


def _real(*shape: int) -> bb.Tensor:
    return bb.tensor(RNG.standard_normal(shape))


def _share(*shape: int) -> bb.Tensor:
    return bb.tensor(RNG.uniform(0.1, 0.9, shape))


X, Y, Z = _real(3, 4), _real(3, 4), _real(3, 4)
P, Q = _share(3, 4), _share(3, 4)
CLASSES = [1, 3, 0]
SIGNS, SIGN_OF_EACH = bb.tensor([1, -1, 1]), bb.tensor(RNG.choice([-1, 1], (3, 4)))
SUM: dict[str, Any] = {"reduction": "sum"}
WEIGHTED: dict[str, Any] = {"weight": _share(4), "reduction": "none"}


def _largest(x: bb.Tensor, y: bb.Tensor) -> bb.Tensor:
    return bb.abs(x - y).max(axis=-1)


CASES: list[tuple[type[nn.Module], Any, tuple[Any, ...], dict[str, Any]]] = [
    (nn.CrossEntropyLoss, F.cross_entropy, (X, CLASSES), WEIGHTED | {"ignore_index": 3, "label_smoothing": 0.2}),
    (nn.NLLLoss, F.nll_loss, (X, CLASSES), WEIGHTED | {"ignore_index": 3}),
    (nn.BCELoss, F.binary_cross_entropy, (P, Q), WEIGHTED),
    (nn.BCEWithLogitsLoss, F.binary_cross_entropy_with_logits, (X, Q), WEIGHTED | {"pos_weight": _share(4)}),
    (nn.KLDivLoss, F.kl_div, (X, Y), {"reduction": "batchmean", "log_target": True}),
    (nn.MSELoss, F.mse_loss, (X, Y), SUM),
    (nn.L1Loss, F.l1_loss, (X, Y), SUM),
    (nn.SmoothL1Loss, F.smooth_l1_loss, (X, Y), SUM | {"beta": 0.5}),
    (nn.HuberLoss, F.huber_loss, (X, Y), SUM | {"delta": 0.5}),
    (nn.PoissonNLLLoss, F.poisson_nll_loss, (P, Q), SUM | {"log_input": False, "full": True, "eps": 0.1}),
    (nn.GaussianNLLLoss, F.gaussian_nll_loss, (X, Y, P), SUM | {"full": True, "eps": 0.3}),
    (nn.SoftMarginLoss, F.soft_margin_loss, (X, SIGN_OF_EACH), SUM),
    (nn.MultiLabelSoftMarginLoss, F.multilabel_soft_margin_loss, (X, Q), WEIGHTED),
    (nn.HingeEmbeddingLoss, F.hinge_embedding_loss, (X, SIGN_OF_EACH), SUM | {"margin": 0.5}),
    (nn.CosineEmbeddingLoss, F.cosine_embedding_loss, (X, Y, SIGNS), SUM | {"margin": 0.5}),
    (nn.MarginRankingLoss, F.margin_ranking_loss, (X, Y, SIGN_OF_EACH), SUM | {"margin": 0.5}),
    (nn.MultiMarginLoss, F.multi_margin_loss, (X, CLASSES), WEIGHTED | {"p": 2, "margin": 0.5}),
    (nn.MultiLabelMarginLoss, F.multilabel_margin_loss, (X, [[0, 1, -1, 2]] * 3), SUM),
    (nn.TripletMarginLoss, F.triplet_margin_loss, (X, Y, Z), SUM | {"margin": 2.0, "p": 1.0, "eps": 0.1, "swap": True}),
    (nn.TripletMarginWithDistanceLoss, F.triplet_margin_with_distance_loss, (X, Y, Z),
     SUM | {"distance_function": _largest, "margin": 2.0, "swap": True}),
    (nn.CTCLoss, F.ctc_loss, (_real(4, 2, 3), [[1, 1], [1, 1]], [4, 2], [2, 2]),
     {"blank": 2, "reduction": "none", "zero_infinity": True}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "function", "inputs", "options"), CASES, ids=[c[0].__name__ for c in CASES])
def test_a_loss_is_its_function_with_its_options(
    kind: type[nn.Module], function: Any, inputs: tuple[Any, ...], options: dict[str, Any]
) -> None:
    module = kind(**options)
    np.testing.assert_array_equal(module(*inputs).numpy(), function(*inputs, **options).numpy())
    np.testing.assert_array_equal(kind()(*inputs).numpy(), function(*inputs).numpy())
    tensors = {name: value for name, value in options.items() if isinstance(value, bb.Tensor)}
    assert module.state_dict().keys() == tensors.keys()
    for name in options.keys() - tensors.keys():
        assert f"{name}={options[name]!r}" in repr(module)
    taken, known = (inspect.signature(f).parameters for f in (kind.__init__, function))
    assert list(taken)[1:] == [name for name in known if name in taken]
    assert {name: known[name].default for name in list(taken)[1:]} == {
        name: taken[name].default for name in list(taken)[1:]
    }


def test_every_loss_is_a_module() -> None:
    losses = {
        f for name, f in vars(F).items() if name.endswith(("_loss", "entropy", "_with_logits", "kl_div"))
    }
    assert {function for _, function, _, _ in CASES} == losses
    found = {kind for kind in vars(nn).values() if inspect.isclass(kind) and issubclass(kind, Loss)}
    assert {kind for kind, _, _, _ in CASES} == found
