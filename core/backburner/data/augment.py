"""Changes of images, at random and not, for `data.Mapped`: an image is an array ``[c, h, w]``.

Functions that draw take ``rng``, a ``numpy.random.Generator``, last.

Example:
    >>> import numpy as np
    >>> from backburner import data
    >>> from backburner.data import augment
    >>> def change(example, rng):
    ...     image, label = example
    ...     image = augment.random_flip(augment.random_crop(image, 8, rng, padding=1), rng)
    ...     return augment.normalize(image, mean=8.0, std=6.0), label
    >>> dataset = data.Mapped(data.ArrayDataset(np.ones((5, 1, 8, 8)), np.arange(5)), change)
    >>> dataset[0][0].shape, dataset[0][0].dtype
    ((1, 8, 8), dtype('float32'))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from backburner.contracts import Array
from backburner.data._sampler import whole
from backburner.errors import ArgumentError, ShapeError

__all__ = ["normalize", "random_crop", "random_flip"]


def _image(op: str, image: Any) -> Array:
    if not isinstance(image, np.ndarray) or image.ndim != 3:
        shape = list(np.shape(image))
        raise ShapeError(f"{op}: an image is an array [c, h, w], not a {type(image).__name__} {shape}.")
    return image


def random_flip(image: Array, rng: np.random.Generator, *, p: float = 0.5, axis: int = -1) -> Array:
    """Flip an image with the probability ``p``: left and right, or up and down with ``axis=-2``.

    Shape:
        image ``[c, h, w]``; result as the image.
    """
    image = _image("random_flip", image)
    if not 0 <= p <= 1 or axis not in (-1, -2, 1, 2):
        raise ArgumentError(f"random_flip: p {p!r}, axis {axis!r}. p is from 0 to 1, axis -1 or -2.")
    return np.flip(image, axis) if rng.random() < p else image


def random_crop(
    image: Array, size: int | tuple[int, int], rng: np.random.Generator, *, padding: int = 0
) -> Array:
    """Cut a part out of an image at a random place.

    Args:
        image: the image.
        size: of the part, ``(height, width)`` or one number for both.
        rng: draws the place.
        padding: so many zeros are put around the image before.

    Shape:
        image ``[c, h, w]``; result ``[c, *size]``.

    Raises:
        ShapeError: the part is larger than the image with its padding.
    """
    image = _image("random_crop", image)
    height, width = size if isinstance(size, tuple) else (size, size)
    if not whole(height, 1) or not whole(width, 1) or not whole(padding):
        raise ArgumentError(
            f"random_crop: size {size!r}, padding {padding!r}. They are whole numbers of pixels."
        )
    room = [image.shape[1] + 2 * padding - height, image.shape[2] + 2 * padding - width]
    if min(room) < 0:
        raise ShapeError(
            f"random_crop: {[height, width]} of the image {list(image.shape)} with {padding} around it. "
            "Give a smaller size, or more padding."
        )
    top, left = (int(rng.integers(0, free + 1)) for free in room)
    if padding:
        image = np.pad(image, ((0, 0), (padding, padding), (padding, padding)))
    return image[:, top : top + height, left : left + width]


def normalize(image: Array, mean: float | Sequence[float], std: float | Sequence[float]) -> Array:
    """Subtract a mean and divide by a standard deviation, each one number or one for each channel.

    Shape:
        image ``[c, h, w]``; result as the image, float32.
    """
    image = _image("normalize", image)
    shift, scale = (np.asarray(value, np.float32).reshape(-1, 1, 1) for value in (mean, std))
    if any(len(part) not in (1, len(image)) for part in (shift, scale)) or not (scale > 0).all():
        raise ArgumentError(
            f"normalize: mean {mean!r} and std {std!r} for {len(image)} channels. Give one number or one for each "
            "channel, std above 0."
        )
    return (image.astype(np.float32) - shift) / scale
