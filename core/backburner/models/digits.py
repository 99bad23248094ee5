"""A small convolutional network for the handwritten digits: its layers, its files, and what it answers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner import data, nn, record
from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.device import Device
from backburner.errors import IndexOutOfRange, RecordError
from backburner.ops.creation import asarray

NAME = "digits"
MODEL, OFFSET, SCALE = "backburner.model", "backburner.input.offset", "backburner.input.scale"
"""In a file's metadata: which of these models it holds, and how pixels become its input."""

WHITE = 16
"""The largest value of a pixel; black is 0."""


def network(device: Device | None = None) -> nn.Sequential:
    """Return the network with its first weights, which the device's seeds decide.

    Shape:
        input ``[n, 1, 8, 8]`` from 0 to 1, output ``[n, 10]``: the logits of the digits.
    """
    return nn.Sequential(
        nn.Conv2d(1, 24, 3, padding=1, device=device),
        nn.BatchNorm2d(24, device=device),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(24, 48, 3, padding=1, device=device),
        nn.BatchNorm2d(48, device=device),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(192, 10, device=device),
    )


def prepare(images: Array, offset: float = 0.0, scale: float = WHITE) -> Array:
    """Return pixels as the input of the network, ``(pixel - offset) / scale`` in float32.

    Shape:
        images ``[n, 8, 8]``, result ``[n, 1, 8, 8]``.
    """
    x: Array = (images[:, None].astype(np.float32) - np.float32(offset)) / np.float32(scale)
    return x


def logits(model: nn.Module, inputs: Array) -> Array:
    """Return what a model answers to each of the inputs, one by one.

    A matrix product of many rows may round a row otherwise than a product of that row alone, so an image that
    came with others would get other bits.

    Shape:
        inputs ``[n, 1, 8, 8]``, result ``[n, 10]``.
    """
    if not len(inputs):
        return np.empty((0, 10), np.float32)
    device = model.device
    return np.concatenate([model(asarray(x[None], device=device)).numpy() for x in inputs])


def accuracy(model: nn.Module, inputs: Array, labels: Array) -> float:
    """Return the share of inputs that a model names right."""
    return float(np.mean(logits(model, inputs).argmax(axis=1) == labels))


def save(model: nn.Module, path: Any) -> None:
    """Save a network and what ``Classifier`` must know of it."""
    record.save(model, path, {MODEL: NAME, OFFSET: "0", SCALE: str(WHITE)})


class Classifier:
    """A trained network from its file.

    Attributes:
        model: the network, on the plain device.

    Args:
        path: a file that ``save`` wrote.

    Raises:
        RecordError: the file cannot be read, or holds something else.
        OSError: it cannot be opened.
    """

    def __init__(self, path: Any) -> None:
        stored = record.read(path)
        name = stored.metadata.get(MODEL)
        if name != NAME:
            what = f"the model {name!r}" if name else f"no {MODEL!r} in its metadata"
            raise RecordError(
                f"predict: {path}: it has {what}, so it does not hold the digits network. "
                "Make one with: backburner train digits"
            )
        self._offset = _constant(path, stored.metadata, OFFSET)
        self._scale = _constant(path, stored.metadata, SCALE)
        if not self._scale:
            raise RecordError(f"predict: {path}: {SCALE} in its metadata is 0.")
        self.model = network()
        try:
            record.load(self.model, stored.arrays)
        except RecordError as error:
            raise RecordError(f"predict: {path}: {error}") from None

    def __call__(self, images: Array) -> tuple[Array, Array]:
        """Return the logits of images and their probabilities.

        Shape:
            images ``[n, 8, 8]`` from 0 to 16, both results ``[n, 10]``.
        """
        answer = logits(self.model, prepare(images, self._offset, self._scale))
        if not np.isfinite(answer).all():
            raise RecordError("predict: the network answers with NaN or infinity: its weights are damaged.")
        return answer, Tensor(answer, self.model.device).softmax(axis=1).numpy()


def held_out(position: int) -> tuple[Array, int, int]:
    """Return a held-out image, its label, and its number in the whole set.

    Raises:
        IndexOutOfRange: there is no such position.
    """
    if not 0 <= position < data.HELD_OUT:
        raise IndexOutOfRange(f"predict: there is no sample {position}. Use 0 to {data.HELD_OUT - 1}.")
    images, labels = data.digits()
    number = int(data.digits_split()[1][position])
    return images[number], int(labels[number]), number


def _constant(path: Any, metadata: Any, key: str) -> float:
    try:
        value = float(metadata[key])
    except (KeyError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise RecordError(f"predict: {path}: {key} in its metadata is {metadata.get(key)!r}, not a number.")
    return value
