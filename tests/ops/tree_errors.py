"""What the parts of modules, containers and fillers refuse; see ``errors.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

import backburner as bb
from backburner import nn
from backburner.nn import init
from backburner.nn._checks import count, within
from ops.errors import A, Bad, D, I, S, T, v, x

K = bb.MissingKey


def _set(thing: Any, name: str, value: Any) -> None:
    setattr(thing, name, value)


class Broken(nn.Module):
    @property
    def size(self) -> int:
        return self.wdith  # type: ignore[no-any-return]


def _bad_hook() -> None:
    layer = nn.Identity()
    layer.register_forward_pre_hook(lambda module, args, kwargs: args, with_kwargs=True)
    layer(3)


weight = nn.Parameter(x)
counter = nn.Buffer(bb.arange(3))
two = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
heads = nn.ModuleDict({"a": nn.ReLU()})

REFUSED = (
    Bad(lambda: v.unsqueeze(0), AttributeError, "Tensor has no attribute 'unsqueeze'. Use expand_dims(axis)."),
    Bad(lambda: v.fill_(0), AttributeError, "Tensor has no attribute 'fill_'. Tensors are immutable: "),
    Bad(lambda: v.clamp(0), AttributeError, "Tensor has no attribute 'clamp'. Use clip(min, max)."),
    Bad(lambda: v.max(0).values, AttributeError, "Tensor has no attribute 'values'. Use the result as it is: max and min return"),
    Bad(lambda: bool(v > 1), S, "bool: needs exactly one element, got shape [3]. Use any() or all(), & for and, | for or."),
    Bad(lambda: v.to(bb.float32), T, "Tensor.to: takes a device, not dtype('float32'). Use astype for a dtype."),  # type: ignore[arg-type]
    Bad(lambda: v.to("autodiff"), D, "Device: there is no 'autodiff'. Use one of: cpu. For autodiff take Device.cpu().autodiff()."),  # type: ignore[arg-type]
    Bad(lambda: v.reshape((3, 1), 1), T, "reshape: a size must be an integer, got (3, 1)."),
    Bad(lambda: v.reshape(2, 2), S, "reshape: [3] has 3 elements and does not fit [2, 2]."),
    Bad(lambda: v.chunk(2), AttributeError, "Tensor has no attribute 'chunk'. Use split(size, axis), where size is that of one"),
    Bad(lambda: v.nothing, AttributeError, "Tensor has no attribute 'nothing'."),
    Bad(lambda: _set(weight, "requires_grad", False), AttributeError,
        "Parameter: requires_grad cannot be set. Use Module.freeze(pattern) and unfreeze, by module or by parameter."),
    Bad(lambda: _set(weight, "data", x), AttributeError, "Parameter: data cannot be set. Give it new contents with assign"),
    Bad(lambda: nn.Parameter.data, AttributeError, "data is not there. Give it new contents with assign(values)."),
    Bad(lambda: nn.Parameter(x, requires_grad="no"), T, "Parameter: requires_grad must be True or False, got 'no'."),
    Bad(lambda: nn.Buffer(x, persistent=1), T, "Buffer: persistent must be True or False, got 1."),
    Bad(lambda: two.requires_grad_(False), AttributeError, "Sequential has no attribute 'requires_grad_'. Use freeze()"),
    Bad(lambda: two.half(), AttributeError, "Sequential has no attribute 'half'. Floats here are float32 and float64: "),
    Bad(lambda: Broken().size, AttributeError, "Broken has no attribute 'wdith'."),
    Bad(lambda: _set(two, "device", "cpu"), AttributeError, "Sequential: device is where the module is, and to(device) moves"),
    Bad(lambda: _set(two, "training", True), AttributeError, "Sequential: training follows from the device, and from freeze()"),
    Bad(lambda: _set(nn.Module(), "valid", nn.ReLU()), A,
        "Module: 'valid' is a method of Module and cannot name a part. Use another name."),
    Bad(lambda: two.register_buffer("a.b", x), A, "Sequential.register_buffer: a name is text without dots, not 'a.b'."),
    Bad(lambda: two.register_buffer("", x), A, "Sequential.register_buffer: a name is text without dots, not ''."),
    Bad(lambda: two.register_buffer("m", np.ones(2)), T, "Buffer: needs a Tensor, got ndarray. Use bb.tensor.", "buffer_of_array"),
    Bad(lambda: two.register_parameter("m", x), T, "Sequential.register_parameter: needs an nn.Parameter, got Tensor."),
    Bad(lambda: two.add_module("m", max), T, "Sequential.add_module: needs an nn.Module, got builtin_function_or_method."),
    Bad(lambda: two.add_module("append", nn.ReLU()), A,
        "Sequential.add_module: Sequential has an attribute 'append'. Use another name."),
    Bad(lambda: two.register_buffer("0", x), A, "Sequential.register_buffer: Sequential has an attribute '0'. Use another name."),
    Bad(lambda: two.register_forward_hook(3), T, "Module.register_forward_hook: a hook is a function, not 3."),
    Bad(_bad_hook, T, "Identity: a hook with kwargs returns None or (args, kwargs), not (3,)."),
    Bad(lambda: two.to(bb.float64), T, "Module.to: takes a device, not dtype('float64'). Use astype for a dtype."),
    Bad(lambda: two.astype("int64"), T, "Module.astype: int64 holds no floats. Use float32 or float64."),
    Bad(lambda: two.astype("float16"), T, "Module.astype: 'float16' is not a dtype here."),
    Bad(lambda: two.freeze("1.*"), A, "Module.freeze: no name matches '1.*'. There are: 0, 1, 0.weight, 0.bias."),
    Bad(lambda: two.unfreeze(3), A, "Module.unfreeze: a pattern of names is text, not 3."),
    Bad(lambda: two.get_submodule("2"), A, "Module.get_submodule: there is no '2'. There are: 0, 1."),
    Bad(lambda: two.get_parameter("0"), A, "Module.get_parameter: there is no '0'. There are: 0.weight, 0.bias."),
    Bad(lambda: two.get_buffer("0"), A, "Module.get_buffer: there is no '0'. There are: none."),
    Bad(lambda: two.parameter_groups(["*", "*.bias"]), A,
        "Module.parameter_groups: all that '*.bias' matches belongs to patterns before it: 0.bias. Put it first, or"),
    Bad(lambda: count("Layer", "num_layers", 0), A, "Layer: num_layers must be at least 1, got 0."),
    Bad(lambda: count("Layer", "skip", -1, 0), A, "Layer: skip must be at least 0, got -1."),
    Bad(lambda: count("Layer", "num_layers", 2.0), T, "Layer: num_layers must be an integer, got 2.0."),
    Bad(lambda: count("Layer", "num_layers", True), T, "Layer: num_layers must be an integer, got True."),
    Bad(lambda: within("Layer", "p", 1.5, 0, 1), A, "Layer: p must be in [0, 1], got 1.5."),
    Bad(lambda: within("Layer", "eps", -1e-3, 0), A, "Layer: eps must be at least 0, got -0.001."),
    Bad(lambda: within("Layer", "eps", float("nan"), 0), A, "Layer: eps is NaN."),
    Bad(lambda: within("Layer", "eps", "1e-5"), T, "Layer: eps: str is not a Tensor or a number. Use bb.tensor."),
    Bad(lambda: nn.Linear(2, 3, bias="no"), T, "Linear: bias must be True or False, got 'no'."),
    Bad(lambda: nn.Sequential([nn.ReLU()]), T, "Sequential: entry 0 is a list, not a Module. Give the entries themselves: *entries."),
    Bad(lambda: nn.Sequential(nn.ReLU), T, "Sequential: entry 0 is a type, not a Module. Make one of the class: ReLU()."),  # type: ignore[arg-type]
    Bad(lambda: nn.Sequential(bb.relu), T, "Sequential: entry 0 is a function, not a Module. Wrap it in a Module with a forward."),  # type: ignore[arg-type]
    Bad(lambda: nn.Sequential({"a": 3}), T, "Sequential: entry 'a' is a int, not a Module."),
    Bad(lambda: two[2], I, "Sequential: index 2 is out of range for 2 entries."),
    Bad(lambda: two.insert(-3, nn.ReLU()), I, "Sequential: index -3 is out of range to insert before one of 2 entries."),
    Bad(lambda: two["0"], T, "Sequential: an index must be an integer, got '0'."),
    Bad(lambda: nn.ModuleList(nn.ReLU()), T, "ModuleList.extend: needs several entries, got ReLU. Use append."),
    Bad(lambda: nn.ModuleList()(v), T, "ModuleList: holds its entries and computes nothing. Call them from the forward"),
    Bad(lambda: nn.ParameterList([bb.arange(2)]), T, "Parameter: must be floating, got int64.", "list_of_integers"),
    Bad(lambda: heads["b"], K, "ModuleDict: there is no 'b'. There are: a."),
    Bad(lambda: heads.pop("b"), K, "ModuleDict: there is no 'b'. There are: a.", "pop_of_none"),
    Bad(lambda: heads.update({"c": nn.ReLU(), "d": 1}), T, "ModuleDict: entry 'd' is a int, not a Module."),
    Bad(lambda: nn.ModuleDict({"keys": nn.ReLU()}), A, "ModuleDict.__setitem__: ModuleDict has an attribute 'keys'."),
    Bad(lambda: nn.ParameterDict().popitem(), K, "ParameterDict.popitem: there is no entry."),
    Bad(lambda: init.normal_(x), T, "normal_: fills an nn.Parameter or nn.Buffer, not a Tensor; tensors are immutable."),
    Bad(lambda: init.xavier_normal_(x), T, "xavier_normal_: fills an nn.Parameter or nn.Buffer, not a Tensor; tensors are "
        "immutable. Use init.xavier_normal([2, 3], ...)."),
    Bad(lambda: init.normal_(counter), T, "normal_: draws floats, and the buffer is int64."),
    Bad(lambda: init.constant_(counter, 0.5), T, "constant_: val 0.5 is not an integer, as int64 is. Use another dtype."),
    Bad(lambda: init.uniform_(weight, 1, 0), A, "uniform: low 1.0 is above high 0.0."),
    Bad(lambda: init.eye_(nn.Parameter(v)), S, "eye_: needs two dimensions, got [3]."),
    Bad(lambda: init.dirac_(weight), S, "dirac_: needs three to five dimensions, got [2, 3]."),
    Bad(lambda: init.dirac_(nn.Parameter(bb.ones((3, 1, 1))), 2), A, "dirac_: groups=2 does not divide 3 outputs."),
    Bad(lambda: init.sparse_(nn.Parameter(v), 0.1), S, "sparse_: needs two dimensions, got [3]."),
    Bad(lambda: init.sparse_(weight, 1.5), A, "sparse_: sparsity must be in [0, 1], got 1.5."),
)  # fmt: skip

SUMMARY = (
    Bad(lambda: bb.summary(3), T, "summary: needs a module, got int."),
    Bad(lambda: bb.summary(two, "ab"), T, "summary: an input is a str, neither a shape nor a tensor."),
    Bad(lambda: bb.summary(two, [(1, 1), None]), T, "summary: an input is a NoneType, neither a shape nor a tensor."),
    Bad(lambda: bb.summary(two, (1, 1), ["int64"] * 2), A, "summary: 1 inputs and 2 dtypes. Give one for each."),
    Bad(lambda: bb.summary(two, {"x": (1, 1)}, {"y": "int64"}), A, "summary: dtype has y, the inputs do not."),
    Bad(lambda: bb.summary(two, (1, 1), "float16"), T, "summary: 'float16' is not a dtype here."),
    Bad(lambda: bb.summary(two, (1, 2)), S, "linear: weight [1, 1] takes [..., 1], got [1, 2]."),
)  # fmt: skip
REFUSED += SUMMARY

LORA = (
    Bad(lambda: nn.LoRA(nn.ReLU()), T, "LoRA: cannot change ReLU. Use a Linear, a convolution, or an Embedding without"),
    Bad(lambda: nn.LoRA(nn.Embedding(2, 2, max_norm=1.0)), T, "LoRA: cannot change Embedding."),
    Bad(lambda: nn.LoRA(nn.Linear(1, 1), rank=0), A, "LoRA: rank must be at least 1, got 0."),
    Bad(lambda: nn.LoRA(nn.Linear(1, 1), alpha=float("inf")), A, "LoRA: alpha must be finite, got inf."),
    Bad(lambda: nn.lora(nn.Linear(2, 2), "*"), A, "lora: the model is itself a layer, Linear. Use nn.LoRA(linear, rank)."),
    Bad(lambda: nn.lora(3, "*"), T, "lora: needs a module, got int."),
    Bad(lambda: nn.lora(two, "*", rank=1.5), T, "lora: rank must be an integer, got 1.5."),
    Bad(lambda: nn.lora(two, "1"), A, "lora: no name matches '1'. There are: 0."),
    Bad(lambda: nn.lora(two, []), A, "lora: there is no pattern, and so no layer to adapt. Name some, such as '*'."),
    Bad(lambda: nn.lora(two, ["0", 3]), A, "lora: a pattern of names is text, not 3."),
    Bad(lambda: nn.merge_lora(two), A, "merge_lora: no layer of the model is a LoRA. Use nn.lora(model, patterns) first."),
    Bad(lambda: nn.merge_lora(nn.LoRA(nn.Linear(1, 1))), A, "merge_lora: the model is a LoRA itself. Use its merge()."),
    Bad(lambda: nn.lora_state_dict(two), A, "lora_state_dict: no layer of the model is a LoRA."),
    Bad(lambda: nn.lora_state_dict(nn.LoRA(nn.Linear(1, 1)).merge()), A,
        "lora_state_dict: all changes are merged. Use unmerge() first."),
)  # fmt: skip
REFUSED += LORA
