"""Every layer is PyTorch's: state, options, values, gradients, statistics, first values; and it can be kept and copied."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn
from backburner.nn import functional as F
from layers import ROWS
from layers._row import Draw, Row, Unfit, draws, filled, flat
from layers._run import Frozen, frozen, inputs, loaded, made, outputs, signature

autodiff = pytest.mark.feature_set("autodiff")
ANSWERS = frozen()
every_row = pytest.mark.parametrize("name", list(ROWS))
LAYERS = sorted({row.layer for row in ROWS.values()})
every_layer = pytest.mark.parametrize("layer", LAYERS)

# Public classes of nn that are no layers of their own.
HOLDERS = {
    "Module": "the base",
    "Parameter": "state",
    "Buffer": "state",
    "LoRA": "wraps layers: test_lora.py",
    "KVCache": "is given to layers: test_cache.py",
    "TransformerDecoder": "holds layers, those of Transformer's rows too: test_sequence_layers.py",
    "TransformerEncoder": "holds layers, those of Transformer's rows too: test_sequence_layers.py",
    "Sequential": "holds modules: test_containers.py",
    "ModuleList": "holds modules: test_containers.py",
    "ModuleDict": "holds modules: test_containers.py",
    "ParameterList": "holds parameters: test_containers.py",
    "ParameterDict": "holds parameters: test_containers.py",
}
# Functions that have no module, and why.
WITHOUT_MODULE = {
    "affine_grid": "PyTorch has none: what it takes differs from call to call",
    "grid_sample": "PyTorch has none: what it takes differs from call to call",
    "gumbel_softmax": "PyTorch has none: it draws also outside training",
    "normalize": "PyTorch has none",
    "one_hot": "PyTorch has none: it makes integers of integers",
    "pdist": "PyTorch has none",
    "quiet_softmax": "PyTorch has neither it nor a module",
    "shrink": "ONNX's; its two special cases are Hardshrink and Softshrink",
    "thresholded_relu": "ONNX's; Threshold is the same",
}
# Functions whose module has another name, where underscores and case are not all.
MODULE_OF = {
    "binary_cross_entropy": "BCELoss",
    "binary_cross_entropy_with_logits": "BCEWithLogitsLoss",
    "cross_entropy": "CrossEntropyLoss",
    "kl_div": "KLDivLoss",
    "conv_transpose1d": "ConvTranspose1d",
    "interpolate": "Upsample",
    "pad": "ConstantPad1d",
    "rnn": "RNN",
    "scaled_dot_product_attention": "MultiheadAttention",
    **{f"{kind}_norm": f"{name}Norm1d" for kind, name in (("batch", "Batch"), ("instance", "Instance"))},
}


def public_layers() -> set[str]:
    return {
        name
        for name, kind in vars(nn).items()
        if inspect.isclass(kind) and not name.startswith("_") and name not in HOLDERS
    }


def test_every_layer_has_a_row_and_every_row_is_frozen() -> None:
    assert public_layers() == set(LAYERS)
    stale = [name for name, row in ROWS.items() if ANSWERS[name].facts["written"] != row.written()]
    assert not stale and ANSWERS.keys() == ROWS.keys(), "run golden/make_layers.py again"


def test_every_function_has_a_module_or_a_reason() -> None:
    modules = {name.replace("_", "").lower(): name for name in public_layers()}
    functions = {name for name, f in vars(F).items() if inspect.isfunction(f) and name[0] != "_"}
    found = set()
    for name in functions:
        wanted = MODULE_OF.get(name, name).replace("_", "").lower()
        if wanted in modules:
            found.add(name)
    assert functions - found == set(WITHOUT_MODULE)
    assert all(WITHOUT_MODULE.values())


@every_layer
def test_a_layer_takes_pytorchs_arguments(layer: str) -> None:
    (name, *_) = (name for name, row in ROWS.items() if row.layer == layer)
    theirs = {key: (default, kind) for key, default, kind in ANSWERS[name].facts["signature"]}
    ours = signature(getattr(nn, layer))
    if layer in ("Softmax", "LogSoftmax", "Softmin"):  # PyTorch guesses an axis, with a warning
        assert (theirs["axis"][0], ours["axis"][0]) == ("None", "-1")
        theirs["axis"] = ours["axis"]
    assert list(ours.items()) == [(key, value) for key, value in theirs.items()]


@every_row
def test_state_and_text_are_pytorchs(name: str) -> None:
    row, answer = ROWS[name], ANSWERS[name]
    layer = made(row, answer)
    state = layer.state_dict()
    assert list(state) == answer.facts["state"]
    assert {key: x.shape for key, x in state.items()} == {
        k: x.shape for k, x in answer.named("state").items()
    }
    theirs = answer.facts["text"]
    for old, new in (
        ("start_dim", "start_axis"),
        ("end_dim", "end_axis"),
        ("dim=", "axis="),
        ("NonDynamicallyQuantizable", ""),
    ):
        theirs = theirs.replace(old, new)
    assert repr(layer) == (row.text or theirs)
    assert not row.text or row.text != theirs, "this text is PyTorch's"


@every_row
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_outputs_with_pytorchs_state_are_pytorchs(name: str, dtype: str) -> None:
    row, answer = ROWS[name], ANSWERS[name]
    layer = loaded(row, answer, dtype)
    args, call = inputs(row, answer, dtype)
    found = flat(layer(*args, **call))
    assert len(found) == len(answer.list("output"))
    for y, wanted in zip(found, answer.list("output"), strict=True):
        assert y.shape == wanted.shape and (
            y.dtype.kind != "f" or y.dtype == bb.dtype.canonical(dtype, "test")
        )
        close(y.numpy(), wanted, dtype)


def close(found: np.ndarray, wanted: np.ndarray, dtype: str = "float64", exact: float = 1e-12) -> None:
    exact = exact if dtype == "float64" else 5e-6
    scale = max(1.0, float(abs(wanted[np.isfinite(wanted)]).max(initial=0.0)))
    np.testing.assert_allclose(found, wanted, rtol=exact, atol=exact * scale)


@autodiff
@every_row
def test_training_is_pytorchs(name: str) -> None:
    row, answer = ROWS[name], ANSWERS[name]
    layer = loaded(row, answer).to(bb.Device.cpu().autodiff())
    args, call = inputs(row, answer)
    if row.training == "draws":
        layer.device.seed(1)
        first, second = (outputs(layer(*args, **call)) for _ in range(2))
        assert any((x != y).any() for x, y in zip(first, second, strict=True)), "training draws"
        for quiet in (layer.valid(), layer.freeze()):
            for y, wanted in zip(outputs(quiet(*args, **call)), answer.list("output"), strict=True):
                close(y, wanted)
        return
    tracked = [
        x.to(layer.device).require_grad() if d.kind in ("real", "share") and row.differentiable else x
        for d, x in zip(draws(row.inputs), flat(args), strict=True)
    ]
    found = flat(layer(*filled(row.inputs, tracked, lambda x: x), **call))
    for y, wanted in zip(found, answer.list("trained"), strict=True):
        close(y.detach().numpy(), wanted)
    differ = any(
        (x.shape != y.shape) or (x != y).any()
        for x, y in zip(answer.list("output"), outputs(found), strict=True)
    )
    if row.training == "nothing":
        for y, wanted in zip(found, answer.list("output"), strict=True):
            close(y.detach().numpy(), wanted)
    else:
        assert differ or any(
            (x != answer.parts[f"state.{key}"]).any() for key, x in answer.named("after").items()
        )
    for key, buffer in layer.named_buffers():
        wanted = answer.named("after").get(key, answer.parts[f"state.{key}"])
        np.testing.assert_allclose(buffer.numpy(), wanted, rtol=1e-12, atol=1e-12)
    cotangents = answer.list("cotangent")
    if not cotangents:
        return
    carried = [y for y in found if y.is_tracked()]
    total = sum((y * bb.asarray(g)).sum() for y, g in zip(carried, cotangents, strict=True))
    grads = total.backward()
    leaves = [x for x in tracked if x.is_tracked()]
    for x, wanted in zip(leaves, answer.list("gradient"), strict=True):
        close(grads[x].numpy() if x in grads else np.zeros(x.shape), wanted, exact=row.exact)
    theirs = answer.named("gradient")
    parameters = {key: p for key, p in layer.named_parameters() if not p.is_frozen}
    assert parameters.keys() == theirs.keys()
    for key, parameter in parameters.items():
        got = grads[parameter].numpy() if parameter in grads else np.zeros(parameter.shape)
        close(got, theirs[key], exact=row.exact)


@autodiff
@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.training == "statistics"])
def test_a_frozen_layer_on_an_autodiff_device_uses_and_keeps_its_statistics(name: str) -> None:
    row, answer = ROWS[name], ANSWERS[name]
    layer = loaded(row, answer).to(bb.Device.cpu().autodiff()).freeze()
    args, call = inputs(row, answer)
    for y, wanted in zip(outputs(layer(*args, **call)), answer.list("output"), strict=True):
        close(y, wanted)
    for key, buffer in layer.named_buffers():
        np.testing.assert_array_equal(buffer.numpy(), answer.parts[f"state.{key}"])


@autodiff
@every_row
def test_checkpointed_training_is_the_same_bit_for_bit(name: str) -> None:
    device = bb.Device.cpu().autodiff()
    plain, balanced = (
        trained(ROWS[name], ANSWERS[name], d) for d in (device, device.gradient_checkpointing())
    )
    for x, y in zip(plain, balanced, strict=True):
        np.testing.assert_array_equal(x, y)


def trained(row: Row, answer: Frozen, device: bb.Device) -> list[np.ndarray]:
    """Return what one pass of training gives: outputs, buffers, and the gradients of inputs and parameters."""
    layer = loaded(row, answer).to(device)
    device.seed(1)
    args, call = inputs(row, answer)
    leaves = [
        x.to(device).require_grad() if d.kind in ("real", "share") and row.differentiable else x
        for d, x in zip(draws(row.inputs), flat(args), strict=True)
    ]
    found = flat(layer(*filled(row.inputs, leaves, lambda x: x), **call))
    result = outputs(found) + [buffer.numpy() for buffer in layer.buffers()]
    carried = [y for y in found if y.is_tracked()]
    if carried:
        grads = sum((y * y).sum() for y in carried).backward()
        leaves = [x for x in (*leaves, *layer.parameters()) if x.is_tracked()]
        result += [grads[x].numpy() for x in leaves if x in grads]
    return result


@every_row
def test_first_values_are_distributed_as_pytorchs(name: str) -> None:
    row, answer = ROWS[name], ANSWERS[name]
    bb.Device.cpu().seed(1)
    found: dict[str, list[np.ndarray]] = {}
    smallest = min([p.size for p in made(row, answer).parameters()], default=0)
    many = min(400, -(-4000 // smallest)) if smallest else 0
    for _ in range(many):
        for key, parameter in made(row, answer).named_parameters():
            found.setdefault(key, []).append(parameter.numpy().ravel())
    assert found.keys() == answer.facts["first"].keys()
    for key, (least, most, std, beyond) in answer.facts["first"].items():
        x = np.concatenate(found[key])
        if std < 1e-12:
            np.testing.assert_array_equal(x, least)
        elif any(isinstance(option, Draw) for option in row.options.values()):
            np.testing.assert_allclose([x.min(), x.max(), x.std()], [least, most, std], rtol=1e-6)
        else:
            spread = 5 / np.sqrt(x.size)  # five standard errors, and a little for PyTorch's own
            assert abs(x.std() / std - 1) < spread + 0.01, (key, x.std(), std)
            assert abs(x.mean()) < (spread + 0.01) * std, (key, x.mean())
            assert abs((abs(x) > std).mean() - beyond) < spread + 0.01, (key, beyond)
            if beyond > 0.38:  # even, not normal
                assert least * 1.01 <= x.min() and x.max() <= most * 1.01, (key, least, most)


@every_row
def test_a_layer_comes_back_from_a_record_a_pickle_and_a_copy(name: str, tmp_path: Path) -> None:
    row, answer = ROWS[name], ANSWERS[name]
    layer = loaded(row, answer)
    bb.save(layer, tmp_path / "layer.safetensors")
    again = made(row, answer, "float64")
    bb.load(again, tmp_path / "layer.safetensors")
    args, call = inputs(row, answer)
    wanted = outputs(layer(*args, **call))
    for other in (again, pickle.loads(pickle.dumps(layer)), copy.deepcopy(layer), layer.valid()):
        assert repr(other) == repr(layer) and list(other.state_dict()) == list(layer.state_dict())
        for x, y in zip(outputs(other(*args, **call)), wanted, strict=True):
            np.testing.assert_array_equal(x, y)


@every_layer
def test_parameters_are_where_and_what_they_are_asked_to_be(layer: str) -> None:
    kind, rows = getattr(nn, layer), [row for row in ROWS.values() if row.layer == layer]
    if "dtype" not in signature(kind):
        assert not [p for row in rows if not draws((row.args, row.options)) for p in made(row).parameters()]
        return
    row = next(row for row in rows if not draws((row.args, row.options)))
    for dtype in ("float32", "float64"):
        state = made(row, dtype=dtype).named_state()
        assert {x.dtype for _, x in state if x.dtype.kind == "f"} <= {bb.dtype.canonical(dtype, "test")}
    assert {x.dtype for x in made(row, dtype=None).parameters()} <= {bb.float32}


@every_layer
def test_wrong_options_are_refused_where_they_are_written(layer: str) -> None:
    kind, row = getattr(nn, layer), next(row for row in ROWS.values() if row.layer == layer)
    rows = [row for row in ROWS.values() if row.layer == layer]
    arguments = signature(kind)
    first = list(arguments)[: len(row.args)]
    for option, (default, _) in arguments.items():
        wrong: list[Any] = {"True": ["yes", 1], "False": ["yes", 1, None]}.get(default, [])
        if re.fullmatch(r"-?[\d.e-]+", default):
            wrong = ["x", [0.5, "x"], float("nan")] + ([1.5] if default.lstrip("-").isdigit() else [])
        elif default.startswith("'"):
            wrong = ["nonsense", 3]
        for value in wrong:
            options = dict(zip(first, row.args, strict=True)) | dict(row.options) | {option: value}
            options = {key: v for key, v in options.items() if not isinstance(v, Draw)}
            with pytest.raises(bb.BackburnerError, match=f"^{layer}: .*{option}"):
                kind(**options)
    for refused in (refused for row in rows for refused in row.refused):
        with pytest.raises(bb.BackburnerError, match=f"^{layer}: .*{refused.message}"):
            kind(*refused.args, **refused.options)
    plain = {
        option for option, (default, _) in arguments.items() if option not in ("inplace", "device", "dtype")
    }
    assert any(row.refused for row in rows) or not plain or layer in ONLY_NUMBERS


ONLY_NUMBERS = {
    "ELU",
    "GLU",
    "Hardshrink",
    "LeakyReLU",
    "LogSoftmax",
    "Softmax",
    "Softmin",
    "Threshold",
    "Flatten",
}
# What takes any shape.
ANY_SHAPE = {
    *("AlphaDropout", "CELU", "Dropout", "ELU", "GELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh"),
    *(
        "Identity",
        "LeakyReLU",
        "LogSigmoid",
        "Mish",
        "RReLU",
        "ReLU",
        "ReLU6",
        "SELU",
        "SiLU",
        "Sigmoid",
        "Softplus",
    ),
    *("Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold"),
}


@every_layer
def test_inputs_that_do_not_fit_are_refused_with_what_is_wrong(layer: str) -> None:
    rows = [(name, row) for name, row in ROWS.items() if row.layer == layer]
    for name, row in rows:
        made_layer = loaded(row, ANSWERS[name])
        if (
            layer != "Identity"
            and row.inputs
            and isinstance(row.inputs[0], Draw)
            and row.inputs[0].kind in ("real", "share")
        ):
            args, call = inputs(row, ANSWERS[name])
            with pytest.raises(bb.DTypeError, match="NumPy array.*bb.asarray"):
                made_layer(args[0].numpy(), *args[1:], **call)
        for unfit in row.unfit:
            with pytest.raises(bb.BackburnerError, match=unfit.message):
                made_layer(*unfit_inputs(row, unfit))
    assert any(row.unfit for _, row in rows) != (layer in ANY_SHAPE)


def unfit_inputs(row: Row, unfit: Unfit) -> list[bb.Tensor]:
    """Return zeros of the shapes, integers where the row's inputs are."""
    found = []
    for i, entry in enumerate(unfit.inputs):
        if isinstance(entry, Draw):
            found.append(bb.asarray(np.asarray(entry.values)))
        else:
            whole = (
                i < len(row.inputs)
                and isinstance(row.inputs[i], Draw)
                and row.inputs[i].kind in ("whole", "given")
            )
            found.append(bb.zeros(entry, dtype=bb.int64 if whole else bb.float64))
    return found
