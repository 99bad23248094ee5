"""The functional form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn

pytestmark = pytest.mark.feature_set("autodiff")
CPU = bb.Device.cpu()


def test_values_and_gradients_are_plain_whatever_the_device() -> None:
    for device in (CPU, CPU.autodiff(), CPU.autodiff().gradient_checkpointing()):
        x = bb.tensor([1.0, 3.0], device=device)
        value, gradient = bb.value_and_grad(lambda x: (x * x).sum())(x)
        assert value.device is CPU and gradient.device is CPU
        assert (value.item(), gradient.tolist()) == (10.0, [2.0, 6.0])


def test_argnums_names_one_argument_or_several() -> None:
    def f(x: bb.Tensor, y: bb.Tensor, scale: float) -> bb.Tensor:
        return (x * y).sum() * scale

    x, y = bb.tensor([1.0, 2.0]), bb.tensor([3.0, 4.0])
    assert bb.grad(f, argnums=1)(x, y, 2.0).tolist() == [2.0, 4.0]
    both = bb.grad(f, argnums=(0, 1))(x, y, scale=3.0)
    assert [g.tolist() for g in both] == [[9.0, 12.0], [3.0, 6.0]]
    assert bb.grad(f, argnums=(1,))(x, y, 1.0)[0].tolist() == [1.0, 2.0]


def test_a_module_gives_a_dict_by_parameter_name_and_stays_where_it_is() -> None:
    model = nn.Linear(2, 1)
    value, gradient = bb.value_and_grad(lambda m, x: m(x).sum())(model, bb.tensor([[2.0, 5.0]]))
    assert {name: g.tolist() for name, g in gradient.items()} == {"weight": [[2.0, 5.0]], "bias": [1.0]}
    assert not model.training and not model.weight.is_tracked()
    model.to(CPU.autodiff())
    gradient = bb.grad(lambda m, x: m(x).sum())(model, bb.tensor([[2.0, 5.0]]))
    assert gradient["weight"].tolist() == [[2.0, 5.0]]


def test_has_aux_passes_something_along() -> None:
    x = bb.tensor([2.0])
    (value, aux), gradient = bb.value_and_grad(lambda x: ((x**3).sum(), "aux"), has_aux=True)(x)
    assert (value.item(), aux, gradient.tolist()) == (8.0, "aux", [12.0])
    assert bb.grad(lambda x: ((x**3).sum(), "aux"), has_aux=True)(x)[1] == "aux"


def test_what_the_value_does_not_depend_on_has_a_zero_gradient() -> None:
    assert bb.grad(lambda x: bb.tensor(1.0))(bb.ones((2,))).tolist() == [0.0, 0.0]
    assert bb.grad(lambda x, y: y.sum(), argnums=(0, 1))(bb.tensor([np.inf]), bb.ones((1,)))[0].tolist() == [
        0.0
    ]


def test_gradients_of_gradients_are_an_error_that_says_so() -> None:
    with pytest.raises(bb.GraphError, match="only the first order is"):  # B073
        bb.grad(lambda x: bb.grad(lambda y: (y**3).sum())(x).sum())(bb.ones((1,)))
    with pytest.raises(bb.GraphError, match="there is only the first order"):
        x = bb.ones((1,), device=CPU.autodiff()).require_grad()
        (x * x).backward()[x].to(CPU.autodiff()).sum().backward()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: bb.grad(lambda x: x)(bb.ones((2,))),
            bb.ShapeError,
            r"one element, got a tensor of shape \[2\]",
        ),
        (lambda: bb.grad(lambda x: 1.0)(bb.ones((2,))), bb.ShapeError, "one element, got 1.0"),
        (lambda: bb.grad(lambda x: x.sum())(np.ones(2)), bb.DTypeError, "ndarray, not a tensor or a module"),
        (lambda: bb.grad(lambda x: x.sum())(bb.arange(2)), bb.DTypeError, "only floats have gradients"),
        (lambda: bb.grad(lambda x: x.sum(), argnums=1)(bb.ones((2,))), bb.ArgumentError, "got 1 arguments"),
        (lambda: bb.grad(3), bb.DTypeError, "3 is not a function"),
    ],
)
def test_bad_input_is_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_a_module_keeps_its_mode_while_it_is_differentiated() -> None:
    def loss(m: nn.Module, x: bb.Tensor) -> bb.Tensor:
        y: bb.Tensor = m(x).square().sum()
        return y

    model, x = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Dropout(0.5)), bb.random.normal((8, 2))
    value, gradient = bb.value_and_grad(loss)(model, x)
    assert value.item() == loss(model, x).item() and gradient["0.weight"].numpy().any()
    assert model[1].num_batches_tracked.item() == 0 and not model.training
    model.to(CPU.autodiff())
    bb.grad(loss)(model, x)
    assert model[1].num_batches_tracked.item() == 1
    bb.grad(loss)(model.valid(), x)
    assert model[1].num_batches_tracked.item() == 1


def test_what_comes_along_is_plain_too() -> None:
    _, aux = bb.grad(lambda x: ((x**3).sum(), {"twice": [x * 2.0]}), has_aux=True)(bb.ones((1,)))
    assert aux["twice"][0].device is CPU and not aux["twice"][0].is_tracked()
    with pytest.raises(bb.ArgumentError, match="must return a pair"):
        bb.grad(lambda x: x.sum(), has_aux=True)(bb.ones((1,)))


def test_an_integer_result_has_no_gradient() -> None:
    with pytest.raises(bb.DTypeError, match="must return a float, got int64"):
        bb.grad(lambda x: x.argmax())(bb.ones((2,)))
