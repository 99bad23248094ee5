"""Images of 8x8 pixels from a file that a user wrote, and what is wrong with it."""

from __future__ import annotations

import os

import numpy as np

from backburner.contracts import Array
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.models.digits import WHITE

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
