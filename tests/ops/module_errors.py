"""What modules and the functional form of autodiff refuse; see ``errors.py``."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

import backburner as bb
from backburner import nn
from ops.errors import A, Bad, D, G, I, S, T, auto, leaf, v


def _set(module: nn.Module, name: str, value: Any) -> None:
    setattr(module, name, value)


def _loop() -> None:
    parent, child = nn.Module(), nn.Module()
    _set(parent, "child", child)
    _set(child, "parent", {"up": parent})


def _report() -> Any:
    return nn.ReLU().load_state_dict({})


def _cached() -> nn.Module:
    module = nn.Linear(3, 1).to(auto())
    _set(module, "cache", module(v))
    return module


REFUSED = (
    Bad(lambda: nn.Module()(v), AttributeError, "Module has no attribute 'forward'. Define forward in the class."),
    Bad(lambda: nn.ReLU().eval(), AttributeError, "ReLU has no attribute 'eval'. There is no switch: a module trains on an "),
    Bad(lambda: nn.LSTM(1, 1).flatten_parameters(), AttributeError,
        "LSTM has no attribute 'flatten_parameters'. There is nothing to flatten: leave the call out."),
    Bad(lambda: _report().missing_keys, AttributeError, "LoadReport has no attribute 'missing_keys'. Use missing."),
    Bad(lambda: nn.ReLU().weight, AttributeError, "ReLU has no attribute 'weight'."),
    Bad(lambda: _set(nn.Linear(2, 3), "weight", bb.ones((3, 2))), T,
        "Linear: weight is a Parameter and stays one. Use weight.assign(values), or set a new nn.Parameter."),
    Bad(_loop, A, "Module: parent would make the module a part of itself."),
    Bad(lambda: nn.ReLU().to("gpu"), D, "Device: there is no 'gpu'. Use one of: cpu."),
    Bad(lambda: nn.ReLU().load_state_dict("a"), T, "Module.load_state_dict: takes arrays by name, not "),
    Bad(lambda: nn.Parameter(np.ones(2)), T, "Parameter: needs a Tensor, got ndarray. Use bb.tensor."),
    Bad(lambda: nn.Parameter(bb.arange(2)), T, "Parameter: must be floating, got int64. Use nn.Buffer for other state."),
    Bad(lambda: nn.Buffer(v).assign([1.0]), T, "assign: needs a tensor or an array, got list. Use bb.tensor."),
    Bad(lambda: nn.Buffer(v).assign(np.ones(2)), S, "assign: the tensor has shape [3], the new contents [2]."),
    Bad(lambda: nn.Buffer(v).assign(np.ones(3)), T, "assign: the tensor is float32, the new contents float64. Use astype."),
    Bad(lambda: nn.Sequential(nn.ReLU(), max), T, "Sequential: entry 1 is a builtin_function_or_method, not a Module."),
    Bad(lambda: nn.GELU("erf"), A, "GELU: approximate must be 'none' or 'tanh', got 'erf'."),
    Bad(lambda: nn.Dropout(1.5), A, "Dropout: p must be in [0, 1], got 1.5."),
    Bad(lambda: nn.Conv2d(3, 4, 3, groups=2), A, "Conv2d: groups=2 does not divide 3 and 4 channels."),
    Bad(lambda: nn.Conv2d(3, 4, 3, groups="a"), T, "Conv2d: groups must be an integer, got 'a'."),
    Bad(lambda: nn.Conv2d(3, 4, 3, padding="full"), A, "Conv2d: padding must be numbers, 'same' or 'valid', got 'full'."),
    Bad(lambda: nn.MaxPool2d("x"), A, "MaxPool2d: kernel_size takes one int or two, got 'x'."),
    Bad(lambda: nn.AvgPool2d(2, padding=2), A, "AvgPool2d: padding 2 is over half the kernel, [2, 2]."),
    Bad(lambda: nn.Embedding(3, 2, padding_idx=3), I, "Embedding: padding_idx 3 is out of range [-3, 3)."),
    Bad(lambda: nn.Embedding(3, 2, padding_idx="a"), T, "Embedding: padding_idx must be an integer, got 'a'."),
    Bad(lambda: nn.BatchNorm1d((3, 4)), T, "BatchNorm1d: num_features must be an integer, got (3, 4)."),
    Bad(lambda: nn.BatchNorm1d(3, eps="a"), T, "BatchNorm1d: eps: str is not a Tensor or a number. Use bb.tensor."),
    Bad(lambda: nn.BatchNorm2d(3)(bb.ones((2, 3))), S, "BatchNorm2d: needs 4 dimensions, got [2, 3]."),
    Bad(lambda: nn.BatchNorm1d(4)(bb.ones((2, 3))), S, "BatchNorm1d: takes 4 channels, got [2, 3] with 3."),
    Bad(lambda: nn.ReflectionPad2d((1, 1)), A, "ReflectionPad2d: padding takes one int or 4, got (1, 1)."),
    Bad(lambda: nn.ConstantPad1d(0.5, 1), T, "ConstantPad1d: padding must be an integer, got 0.5."),
    Bad(lambda: nn.Linear(-1, 2), A, "Linear: in_features must be at least 0, got -1."),
)  # fmt: skip

REFUSED_GRAPHS = (
    Bad(lambda: pickle.dumps(_cached()), G, "Linear: the attribute 'cache' is the result of a recorded op and cannot be "),
    Bad(lambda: bb.grad(3), T, "value_and_grad: 3 is not a function."),
    Bad(lambda: bb.grad(bb.sum, argnums=1)(v), A, "value_and_grad: argnums has 1, f got 1 arguments."),
    Bad(lambda: bb.grad(bb.sum)(3.0), T, "value_and_grad: an argument is a float, not a tensor or a module."),
    Bad(lambda: bb.grad(bb.sum)(bb.arange(3)), T, "value_and_grad: an argument is int64, and only floats have gradients."),
    Bad(lambda: bb.grad(bb.sum)(leaf()), G, "value_and_grad: the argument is tracked already. "),
    Bad(lambda: bb.grad(bb.exp)(v), S, "value_and_grad: f must return one element, got a tensor of shape [3]. Use sum or mean."),
    Bad(lambda: bb.grad(lambda x: x.argmax())(v), T, "value_and_grad: f must return a float, got int64. It has no gradient."),
    Bad(lambda: bb.grad(bb.sum, has_aux=True)(v), A, "value_and_grad: with has_aux f must return a pair."),
)  # fmt: skip
