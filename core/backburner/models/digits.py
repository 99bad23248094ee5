"""A small convolutional network for the handwritten digits: its layers and files, and images for it to look at."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from backburner import data, nn, record
from backburner._tensor import Tensor
from backburner.contracts import Array
from backburner.device import Device
from backburner.errors import ArgumentError, DTypeError, IndexOutOfRange, RecordError, ShapeError
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


SHAPES = "Each image is 64 numbers, or 8 rows of 8"


def read(path: str) -> Array:
    """Return the images of an ``.npy`` or a ``.csv`` file.

    Shape:
        ``[n, 8, 8]`` of float64 from 0 to 16.

    Raises:
        ArgumentError: the file is something else, or a value is not a number from 0 to 16.
        ShapeError: it has another shape than ``[n, 64]``, ``[n, 8, 8]``, ``[64]`` or ``[8, 8]``.
        DTypeError: it holds no real numbers.
        OSError: it cannot be read.
    """
    kind = os.path.splitext(path)[1].lower()
    if kind in (".npy", ".csv"):
        images = _npy(path) if kind == ".npy" else _csv(path)
        if 0 < images.max() <= 1:
            raise ArgumentError(
                f"predict: {path}: no pixel is above 1. {_range()} Multiply by {WHITE} if yours go to 1."
            )
        return images
    raise ArgumentError(f"predict: {path}: needs a file called .npy or .csv.")


def _npy(path: str) -> Array:
    with open(path, "rb") as file:
        if not (magic := file.read(6)).startswith(b"\x93NUMPY"):
            what = f"begins with {magic!r}" if magic else "is empty"
            raise ArgumentError(f"predict: {path}: it is no .npy file: it {what}. Write one with numpy.save.")
    try:
        # mapped, so that a damaged header cannot ask for more memory than the file has bytes
        array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError:
        raise
    except (
        Exception
    ) as error:  # of a damaged header NumPy's parser lets any through, down to those of tokenize
        what = str(error) or type(error).__name__
        raise ArgumentError(f"predict: {path}: it is damaged, or holds objects: {what}.") from None
    if array.dtype.kind not in "biuf":
        raise DTypeError(f"predict: {path}: it holds {array.dtype}, not real numbers.")
    if array.shape not in ((64,), (8, 8)) and array.shape[1:] not in ((64,), (8, 8)):
        raise ShapeError(f"predict: {path}: its shape is {list(array.shape)}. {SHAPES}.")
    images = np.array(array, np.float64).reshape(-1, 8, 8)
    if not len(images):
        raise ShapeError(f"predict: {path}: there is no image in it: its shape is {list(array.shape)}.")
    wrong = np.flatnonzero(~((images >= 0) & (images <= WHITE)))
    if len(wrong):
        place = np.unravel_index(wrong[0], array.shape)
        raise ArgumentError(
            f"predict: {path}: pixel {[int(i) for i in place]} is {images.flat[wrong[0]]:g}. {_range()}"
        )
    return images


def _csv(path: str) -> Array:
    import csv

    rows: list[list[float]] = []
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    rows.append(_row(path, reader.line_num, cells, len(rows[0]) if rows else 0))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ArgumentError(f"predict: {path}: it is no CSV file in UTF-8: {error}.") from None
    if not rows:
        raise ArgumentError(f"predict: {path}: it is empty. {SHAPES}.")
    if len(rows[0]) == 8 and len(rows) % 8:
        raise ShapeError(f"predict: {path}: {len(rows)} rows of 8 numbers are no whole images. {SHAPES}.")
    return np.array(rows).reshape(-1, 8, 8)


def _row(path: str, line: int, cells: list[str], width: int) -> list[float]:
    """Return the numbers of a line; ``width`` is that of the lines before, 0 for the first."""
    values = []
    for column, cell in enumerate(cells, 1):
        where = f"predict: {path}: line {line}, column {column}: {cell.strip()!r}"
        try:
            value = float(cell)
        except ValueError:
            hint = " Remove the line of headings." if line == 1 and column == 1 and len(cells) > 1 else ""
            raise ArgumentError(f"{where} is not a number.{hint}") from None
        if not 0 <= value <= WHITE:
            raise ArgumentError(f"{where} is no pixel. {_range()}")
        values.append(value)
    if len(cells) not in ((width,) if width else (8, 64)):
        before = f", the lines before {width}" if width else ""
        hint = " Remove the column of labels." if len(cells) in (9, 65) else ""
        raise ShapeError(
            f"predict: {path}: line {line}: it has {len(cells)} numbers{before}. {SHAPES}.{hint}"
        )
    return values


def _range() -> str:
    return f"Pixels go from 0 (black) to {WHITE} (white)."
