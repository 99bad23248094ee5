"""``backburner summary``: a table of a model's layers."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any

from backburner.cli._command import Command
from backburner.errors import ArgumentError, BackburnerError


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a file that `backburner train` wrote; or package.module:name, a module or a function without "
        "arguments that returns one, which is imported, also from this folder",
    )
    parser.add_argument(
        "--input",
        metavar="SHAPE",
        type=_shape,
        action="append",
        help="the shape of the input with its batch, such as 1x3x224x224 or 1,3,224,224; repeat it for several "
        "inputs. Without one, outputs and multiply-adds are left out",
    )
    parser.add_argument("--dtype", help="of the inputs, such as int64 (default: that of the first parameter)")


def _shape(text: str) -> tuple[int, ...]:
    shape = tuple(int(part) for part in text.replace("x", ",").split(",") if part.strip())
    if not shape or min(shape) < 0:
        raise ValueError(text)
    return shape


_shape.__name__ = "shape"  # as argparse calls it in a message


def _run(args: argparse.Namespace) -> int:
    from backburner.nn._summary import summary

    ours = ":" not in args.model or os.path.exists(args.model)
    model, shape = _of_file(args.model) if ours else (_of_code(args.model), None)
    inputs: Any = args.input or shape
    if isinstance(inputs, list) and len(inputs) == 1:
        inputs = inputs[0]
    try:
        told = summary(model, inputs, args.dtype)
    except BackburnerError:
        raise
    except Exception as error:
        raise ArgumentError(
            f"summary: {args.model} does not take the input {inputs}: {type(error).__name__}: {error}."
        ) from error
    print(told)
    return 0


def _of_file(path: str) -> tuple[Any, tuple[int, ...]]:
    """Return the model that a file of ours holds, and the shape of its input for one example."""
    from backburner import record
    from backburner.models import digits, tabular

    name = record.read(path).metadata.get(digits.MODEL)
    if name == digits.NAME:
        return digits.Classifier(path).model, (1, 1, 8, 8)
    if name == tabular.NAME:
        model = tabular.Predictor(path).model
        return model, (1, model.straight.weight.shape[1])
    raise ArgumentError(
        f"summary: {path}: it has weights, but not the layers that they belong to. Name what makes the model, as in "
        f"package.module:make_model, or see the weights with: backburner inspect {path}"
    )


def _of_code(text: str) -> Any:
    """Return the module that a name says, calling it if it is a function or a class."""
    import sys
    from importlib import import_module

    from backburner.nn import Module

    where, _, name = text.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    found: Any = _tried(text, f"importing {where}", lambda: import_module(where))
    for part in name.split("."):
        if not hasattr(found, part):
            raise ArgumentError(f"summary: {where} has no {name!r}.")
        found = getattr(found, part)
    if not isinstance(found, Module) and callable(found):
        found = _tried(text, f"calling {name}()", found)
    if not isinstance(found, Module):
        raise ArgumentError(
            f"summary: {text} is a {type(found).__name__}, not an nn.Module or what returns one."
        )
    return found


def _tried(text: str, what: str, call: Callable[[], Any]) -> Any:
    """Return what foreign code returns, whose errors are told in a line."""
    try:
        return call()
    except Exception as error:
        raise ArgumentError(f"summary: {text}: {what} failed: {type(error).__name__}: {error}") from error


COMMAND = Command(
    "summary",
    "show the layers of a model: shapes, parameters, bytes and multiply-adds",
    _arguments,
    _run,
    (
        "backburner summary digits.safetensors",
        "backburner summary package.module:make_model --input 1x3x224x224",
    ),
)
