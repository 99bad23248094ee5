"""Data from files: lines of text, pictures in folders, the digits that come with the package."""

from __future__ import annotations

import codecs
import os
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from backburner.contracts import Array
from backburner.data._dataset import place
from backburner.data._sampler import stratified_split, whole
from backburner.errors import ArgumentError, DataError, MissingPackage

BLOCK = 1 << 22  # bytes that are looked through at a time; a multiple of 4, the widest unit of an encoding


class TextLines:
    """The lines of a text file, read when they are asked for.

    Only where each line begins is held, 8 bytes a line. Lines end at LF or CR LF, which do not belong to them; the
    last one may lack its end. A byte order mark at the start is left out.

    Args:
        path: of the file, which must not change while this is in use.
        encoding: as Python knows it; ``"utf-16"`` and ``"utf-32"`` go by the byte order mark.

    Raises:
        ArgumentError: Python does not know the encoding.
        DataError: when a line is asked for: it is not in the encoding, or the file has changed.

    Example:
        >>> import os, tempfile
        >>> from backburner import data
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "poem.txt")
        ...     with open(path, "w", newline="") as file:
        ...         written = file.write("to be\\r\\nor not")
        ...     lines = data.TextLines(path)
        ...     len(lines), lines[0], lines[-1]
        (2, 'to be', 'or not')
    """

    def __init__(self, path: str | os.PathLike[str], *, encoding: str = "utf-8") -> None:
        self.path = os.fspath(path)
        try:
            name = codecs.lookup(encoding).name
        except LookupError:
            raise ArgumentError(f"TextLines: Python knows no encoding {encoding!r}.") from None
        with open(self.path, "rb") as file:
            head = file.read(4)
            self._size = os.fstat(file.fileno()).st_size
            self._encoding, skip = _marked(name, head)
            self._starts = self._ends_of_lines(file, skip)

    def _ends_of_lines(self, file: Any, skip: int) -> Array:
        """Return where each line begins, and behind them where the last one ends."""
        unit = _unit(self._encoding)
        file.seek(0)
        found = [np.array([skip], np.int64)]
        position = 0
        while block := file.read(BLOCK):
            usable = len(block) - len(block) % unit.itemsize
            ends = np.flatnonzero(np.frombuffer(block[:usable], unit) == 10) + 1
            found.append(position + ends * unit.itemsize)
            position += len(block)
        if found[-1].size == 0 or found[-1][-1] != position:
            found.append(np.array([position], np.int64))  # of a last line without its end
        starts = np.concatenate(found)
        return starts[:1] if len(starts) == 2 and starts[0] == starts[1] else starts

    def __len__(self) -> int:
        return max(len(self._starts) - 1, 0)

    def __getitem__(self, index: int) -> str:
        """Return a line without its end."""
        number = place("TextLines", index, len(self))
        start, end = self._starts[number : number + 2].tolist()
        # Opened for each line, so that threads, forks and pickles need no care: some 10 us.
        with open(self.path, "rb") as file:
            if os.fstat(file.fileno()).st_size != self._size:
                raise DataError(f"TextLines: {self.path} has changed since it was opened. Open it anew.")
            file.seek(start)
            held = file.read(end - start)
        try:
            line = held.decode(self._encoding)
        except UnicodeError as error:
            raise DataError(
                f"TextLines: {self.path}, line {number + 1}: {error}. Give the encoding that it is in."
            ) from None
        return line.removesuffix("\n").removesuffix("\r")

    def __repr__(self) -> str:
        return f"TextLines({self.path!r}, {len(self)} lines)"


def _marked(name: str, head: bytes) -> tuple[str, int]:
    """Return the encoding without a byte order mark, and how many bytes that takes."""
    if name in ("utf-8", "utf-8-sig"):
        return "utf-8", 3 if head.startswith(codecs.BOM_UTF8) else 0
    for family, little, big in (
        ("utf-16", codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
        ("utf-32", codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    ):
        if name in (family, f"{family}-le", f"{family}-be"):
            order = "-be" if head.startswith(big) or name.endswith("-be") else "-le"
            marked = head.startswith(big if order == "-be" else little)
            return family + order, len(little) if marked else 0
    return name, 0


def _unit(encoding: str) -> np.dtype[Any]:
    """Return the integers that an encoding is made of."""
    width = {"utf-16": 2, "utf-32": 4}.get(encoding[:6], 1)
    return np.dtype(f"{'>' if encoding.endswith('-be') else '<'}u{width}")


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


HELD_OUT = 360  # of the digits, for measuring accuracy


def digits() -> tuple[Array, Array]:
    """Return the handwritten digits of UCI (E. Alpaydin and C. Kaynak, 1998; CC BY 4.0).

    Returns:
        The images, uint8 from 0 to 16, and the labels, int64 from 0 to 9. Source and license stand in
        ``datasets/digits.txt`` beside this package.

    Shape:
        images ``[1797, 8, 8]``, labels ``[1797]``.

    Example:
        >>> from backburner import data
        >>> images, labels = data.digits()
        >>> images.shape, labels[:3].tolist()
        ((1797, 8, 8), [0, 1, 2])
    """
    import io

    package = os.path.dirname(os.path.dirname(__file__))
    path = os.path.join(package, "datasets", "digits.npz")
    loader: Any = __spec__.loader  # reads from a zip archive as well
    with np.load(io.BytesIO(loader.get_data(path)), allow_pickle=False) as archive:
        return archive["images"], archive["labels"].astype(np.int64)


def digits_split(seed: int = 0) -> tuple[Array, Array]:
    """Return the indices of the digits to train on and of the 360 held out, as `stratified_split` does.

    Example:
        >>> from backburner import data
        >>> [len(part) for part in data.digits_split()]
        [1437, 360]
    """
    return stratified_split(digits()[1], HELD_OUT, seed=seed)
