"""The handwritten digits that come with the package."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from backburner.contracts import Array
from backburner.data._split import stratified_split

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
