"""Pictures in folders, a folder for each class; decoded by Pillow, which the extra `images` brings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from backburner.contracts import Array
from backburner.data._dataset import place
from backburner.data._split import whole
from backburner.errors import ArgumentError, DataError, MissingPackage

EXTENSIONS = (".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp")
Size = int | tuple[int, int]


class ImageFolder:
    """Pictures of the classes that folders stand for: ``path/cat/1.jpg``, ``path/dog/2.png``.

    An example is a picture and the number of its class. Folders within a class's folder belong to it; names that
    begin with a point are left out. A picture is decoded when it is asked for, turned as its camera noted, and
    made ``mode``: what is transparent is white, and 16 bits of grey become 8.

    Args:
        path: the folder of the classes' folders.
        size: of the pictures, for batches of one shape: ``(height, width)``, or one number for both; ``None``
            leaves each as it is.
        fit: ``"crop"`` scales a picture until it covers the size, and cuts off what sticks out on two sides
            alike; ``"stretch"`` changes its proportions.
        mode: ``"RGB"`` or ``"L"``, grey.
        dtype: ``"uint8"`` from 0 to 255, or ``"float32"`` from 0 to 1.
        extensions: of the files that are pictures, in lower case.

    Attributes:
        classes: the names of the folders, sorted.
        files: the paths, sorted within each class.
        labels: the number of each picture's class, int64.

    Shape:
        A picture is ``[c, h, w]``, c being 3 or 1.

    Raises:
        DataError: there are no folders or no pictures; when one is asked for: it cannot be decoded.
        MissingPackage: Pillow is not installed, when a picture is asked for.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        size: Size | None = None,
        fit: Literal["crop", "stretch"] = "crop",
        mode: Literal["RGB", "L"] = "RGB",
        dtype: Any = "uint8",
        extensions: Sequence[str] = EXTENSIONS,
    ) -> None:
        self.path = os.fspath(path)
        self.size = _pair(size)
        if fit not in ("crop", "stretch") or mode not in ("RGB", "L"):
            raise ArgumentError(
                f"ImageFolder: fit {fit!r} and mode {mode!r}. fit is 'crop' or 'stretch', mode is 'RGB' or 'L'."
            )
        self.fit, self.mode, self.dtype = fit, mode, np.dtype(dtype)
        if self.dtype not in (np.uint8, np.float32):
            raise ArgumentError(f"ImageFolder: dtype is uint8 or float32, not {self.dtype}.")
        with os.scandir(self.path) as entries:
            self.classes = tuple(sorted(e.name for e in entries if e.is_dir() and e.name[0] != "."))
        if not self.classes:
            raise DataError(f"ImageFolder: {self.path} has no folders. Make one for each class.")
        self.files: list[str] = []
        labels: list[int] = []
        ends = tuple(extensions)
        for number, name in enumerate(self.classes):
            found = _pictures(os.path.join(self.path, name), ends)
            self.files += found
            labels += [number] * len(found)
        if not self.files:
            raise DataError(
                f"ImageFolder: the folders in {self.path} have no pictures: no files that end in {', '.join(ends)}."
            )
        self.labels: Array = np.array(labels, np.int64)

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[Array, int]:
        """Return a picture and the number of its class."""
        number = place("ImageFolder", index, len(self))
        return self._decoded(self.files[number]), int(self.labels[number])

    def _decoded(self, file: str) -> Array:
        try:
            from PIL import Image, ImageOps
        except ModuleNotFoundError as error:
            if error.name != "PIL":
                raise
            raise MissingPackage("ImageFolder", "Pillow", "images") from None
        try:
            with Image.open(file) as opened:
                picture: Any = ImageOps.exif_transpose(opened)
                picture = _plain(picture, self.mode)
        except (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError) as error:
            if isinstance(error, FileNotFoundError | PermissionError):
                raise
            raise DataError(f"ImageFolder: {file} is no picture that Pillow can read: {error}.") from None
        if self.size is not None:
            height, width = self.size
            bilinear = Image.Resampling.BILINEAR
            if self.fit == "stretch":
                picture = picture.resize((width, height), bilinear)
            else:
                picture = ImageOps.fit(picture, (width, height), bilinear)
        pixels: Array = np.asarray(picture)
        pixels = pixels[None] if pixels.ndim == 2 else np.moveaxis(pixels, -1, 0)
        if self.dtype == np.float32:
            return np.ascontiguousarray(pixels, np.float32) / np.float32(255)
        return np.ascontiguousarray(pixels)

    def __repr__(self) -> str:
        return f"ImageFolder({self.path!r}, {len(self)} pictures of {len(self.classes)} classes)"


def _plain(picture: Any, mode: str) -> Any:
    """Return a picture without transparency, in 8 bits."""
    from PIL import Image

    if picture.mode.startswith("I") or picture.mode == "F":
        grey = np.asarray(picture).astype(np.float64)
        if picture.mode != "F":
            grey = grey / 257  # 65535 becomes 255
        return Image.fromarray(np.clip(np.rint(grey), 0, 255).astype(np.uint8)).convert(mode)
    if picture.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in picture.info:
        picture = picture.convert("RGBA")
        white = Image.new("RGBA", picture.size, (255, 255, 255, 255))
        picture = Image.alpha_composite(white, picture)
    return picture.convert(mode)


def _pair(size: Size | None) -> tuple[int, int] | None:
    if size is None:
        return None
    pair = tuple(size) if isinstance(size, tuple | list) else (size, size)
    if len(pair) != 2 or not all(whole(side, 1) for side in pair):
        raise ArgumentError(
            f"ImageFolder: size is a whole number of pixels or (height, width), not {size!r}."
        )
    return int(pair[0]), int(pair[1])


def _pictures(folder: str, ends: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for root, folders, files in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if name[0] != ".")
        found += [
            os.path.join(root, name) for name in files if name[0] != "." and name.lower().endswith(ends)
        ]
    return sorted(found)
