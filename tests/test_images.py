"""Pictures in folders: Pillow decodes them, its own pixels being what each file must give."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backburner.data import ImageFolder, Loader
from backburner.errors import ArgumentError, BackburnerError, DataError, MissingPackage

RGB = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3) * 3
GREY = np.arange(24, dtype=np.uint8).reshape(4, 6) * 10
ALPHA = np.full((4, 6), 255, np.uint8)
ALPHA[0] = 0  # the first row is transparent
WHITE = RGB.copy()
WHITE[0] = 255


def saved(folder: Path, name: str, picture: Any, **options: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    picture.save(folder / name, **options)


def palette(transparent: bool) -> Any:
    picture = Image.frombytes("P", (6, 4), (GREY // 10).tobytes())
    picture.putpalette([value for i in range(24) for value in (i * 10, 0, 255 - i * 10)])
    if transparent:
        picture.info["transparency"] = 0
    return picture


PALETTE = np.stack([GREY, GREY * 0, 255 - GREY], -1)
PALETTE_WHITE = PALETTE.copy()
PALETTE_WHITE[0, 0] = 255
EXIF = Image.Exif()
EXIF[0x0112] = 6  # the camera lay on its side: turn right by 90 degrees

# Each a picture, how it is saved, and the pixels [h, w, 3] that it gives.
PICTURES: dict[str, tuple[Any, str, dict[str, Any], np.ndarray[Any, Any]]] = {
    "RGB": (Image.fromarray(RGB), "a.png", {}, RGB),
    "grey": (Image.fromarray(GREY), "a.PNG", {}, np.stack([GREY] * 3, -1)),
    "alpha": (Image.fromarray(np.dstack([RGB, ALPHA])), "a.png", {}, WHITE),
    "grey with alpha": (
        Image.merge("LA", [Image.fromarray(RGB[..., 0]), Image.fromarray(ALPHA)]),
        "a.png",
        {},
        np.stack([WHITE[..., 0]] * 3, -1),
    ),
    "a palette": (palette(False), "a.gif", {}, PALETTE),
    "a palette with a transparent colour": (palette(True), "a.png", {"transparency": 0}, PALETTE_WHITE),
    "black and white": (Image.fromarray(GREY > 100), "a.bmp", {}, np.stack([(GREY > 100) * 255] * 3, -1)),
    "16 bits": (Image.fromarray(GREY.astype(np.uint16) * 257), "a.png", {}, np.stack([GREY] * 3, -1)),
    "turned by the camera": (Image.fromarray(RGB), "a.png", {"exif": EXIF}, np.rot90(RGB, -1)),
}


@pytest.mark.parametrize(("picture", "name", "options", "pixels"), PICTURES.values(), ids=PICTURES)
def test_a_picture_is_read_as_it_looks(
    picture: Any, name: str, options: dict[str, Any], pixels: Any, tmp_path: Path
) -> None:
    saved(tmp_path / "x", name, picture, **options)
    image, label = ImageFolder(tmp_path)[0]
    assert (image.dtype, label) == (np.uint8, 0) and image.flags.c_contiguous
    np.testing.assert_array_equal(image, np.moveaxis(pixels, -1, 0))
    grey, _ = ImageFolder(tmp_path, mode="L", dtype="float32")[0]
    assert grey.dtype == np.float32 and grey.shape == (1, *image.shape[1:])
    luma = pixels @ np.array([0.299, 0.587, 0.114])  # ITU-R BT.601
    np.testing.assert_allclose(grey[0] * 255, luma, atol=1)


def test_classes_are_the_folders_in_their_order(tmp_path: Path) -> None:
    picture = Image.fromarray(RGB)
    for place in ("dog/2", "dog/10", "cat/more/1", "cat/0", "cat/.hidden/1", ".git/1", "empty/.x"):
        saved(tmp_path / place.rpartition("/")[0], place.rpartition("/")[2] + ".png", picture)
    (tmp_path / "cat" / "notes.txt").write_text("none")
    (tmp_path / "readme.png").write_text("beside the folders")
    folder = ImageFolder(tmp_path)
    assert folder.classes == ("cat", "dog", "empty")
    assert [Path(file).relative_to(tmp_path).as_posix() for file in folder.files] == [
        "cat/0.png", "cat/more/1.png", "dog/10.png", "dog/2.png",
    ]  # fmt: skip
    assert folder.labels.tolist() == [0, 0, 1, 1] and len(folder) == 4
    again = pickle.loads(pickle.dumps(folder))
    assert again[-1][0].tolist() == folder[3][0].tolist() and repr(again) == repr(folder)
    images, labels = next(iter(Loader(folder, 4, workers=2, threads=True)))
    assert images.shape == (4, 3, 4, 6) and labels.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(("size", "fit", "shape", "columns"), [
    ((4, 2), "crop", (3, 4, 2), slice(2, 4)),  # the middle of what is as high
    (4, "crop", (3, 4, 4), slice(1, 5)),
    ((4, 6), "crop", (3, 4, 6), slice(0, 6)),
    ((4, 6), "stretch", (3, 4, 6), slice(0, 6)),
    ((8, 3), "stretch", (3, 8, 3), None),
    ((2, 3), "crop", (3, 2, 3), None),
])  # fmt: skip
def test_a_picture_is_brought_to_a_size(
    size: Any, fit: Any, shape: Any, columns: Any, tmp_path: Path
) -> None:
    saved(tmp_path / "x", "a.png", Image.fromarray(RGB))
    image, _ = ImageFolder(tmp_path, size=size, fit=fit)[0]
    assert image.shape == shape
    if columns is not None:
        np.testing.assert_array_equal(image, np.moveaxis(RGB[:, columns], -1, 0))
    else:
        mean = np.moveaxis(RGB, -1, 0).astype(float).mean((1, 2))
        np.testing.assert_allclose(image.astype(float).mean((1, 2)), mean, atol=1)


def spoil(path: Path) -> None:
    saved(
        path / "x", "a.png", Image.fromarray(np.random.default_rng(0).integers(0, 255, (50, 50, 3), np.uint8))
    )
    file = path / "x" / "a.png"
    file.write_bytes(file.read_bytes()[:-3000])


@pytest.mark.parametrize(("prepare", "options", "error", "message"), [
    (lambda path: None, {}, DataError, "has no folders. Make one for each class"),
    (lambda path: (path / "x").mkdir(), {}, DataError, "have no pictures: no files that end in .bmp"),
    (spoil, {}, DataError, r"x.a\.png is no picture that Pillow can read: .*truncated"),
    (lambda path: ((path / "x").mkdir(), (path / "x" / "a.jpg").write_text("<html>")), {}, DataError, r"a\.jpg is no picture"),
    (spoil, {"size": 0}, ArgumentError, "size is a whole number of pixels or .*, not 0"),
    (spoil, {"size": (1, 2, 3)}, ArgumentError, r"not \(1, 2, 3\)"),
    (spoil, {"mode": "HSV"}, ArgumentError, "mode 'HSV'"),
    (spoil, {"fit": "pad"}, ArgumentError, "fit 'pad'"),
    (spoil, {"dtype": "int32"}, ArgumentError, "dtype is uint8 or float32, not int32"),
])  # fmt: skip
def test_what_is_no_folder_of_pictures_is_told(
    prepare: Any, options: Any, error: type[BackburnerError], message: str, tmp_path: Path
) -> None:
    prepare(tmp_path)
    with pytest.raises(error, match=f"^ImageFolder: .*{message}"):
        ImageFolder(tmp_path, **options)[0]


def test_a_file_that_is_gone_is_no_broken_picture(tmp_path: Path) -> None:
    saved(tmp_path / "x", "a.png", Image.fromarray(RGB))
    folder = ImageFolder(tmp_path)
    (tmp_path / "x" / "a.png").unlink()
    with pytest.raises(FileNotFoundError):
        folder[0]


def test_pillow_is_needed_when_a_picture_is_decoded_and_not_before(tmp_path: Path) -> None:  # B147, B148
    saved(tmp_path / "x", "a.png", Image.fromarray(RGB))
    code = (
        "import sys\nfrom backburner import data\n"
        "folder = data.ImageFolder(sys.argv[1])\nassert 'PIL' not in sys.modules\n"
        "sys.modules['PIL'] = None\nprint(len(folder), flush=True)\nfolder[0]"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout == "1\n"
    assert done.stderr.splitlines()[-1] == (
        "backburner.errors.MissingPackage: ImageFolder: Pillow is needed and not installed. "
        'Install it: pip install "backburner[images]"'
    )
    error = pickle.loads(pickle.dumps(MissingPackage("ImageFolder", "Pillow", "images")))
    assert isinstance(error, ImportError) and error.extra == "images" and "Pillow" in str(error)
