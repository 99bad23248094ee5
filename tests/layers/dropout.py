"""Dropout."""

from __future__ import annotations

from layers._row import Refused, Row, Unfit, real

_P = (Refused(r"p must be in \[0, 1\], got 1.5", (1.5,)),)


def _rows(name: str, shape: tuple[int, ...], *unfit: Unfit) -> list[Row]:
    x = (real(*shape),)
    return [
        Row(name, inputs=x, training="draws", refused=_P, unfit=unfit),
        Row(name, (0.25, True), inputs=x, training="draws"),
    ]


ROWS = [
    *_rows("Dropout", (5, 7)),
    *_rows("Dropout1d", (6, 5, 4), Unfit(r"dropout1d: the input must be \[n, c, l\]", ((5,),))),
    *_rows("Dropout2d", (6, 5, 2, 2), Unfit(r"dropout2d: the input must be \[n, c, h, w\]", ((5, 2),))),
    *_rows("Dropout3d", (6, 5, 2, 2, 2), Unfit(r"dropout3d: the input must be \[n, c, d, h, w\]", ((5, 2, 2),))),
    *_rows("AlphaDropout", (5, 7)),
    *_rows("FeatureAlphaDropout", (6, 5, 2), Unfit(r"feature_alpha_dropout: the input must be", ((5,),))),
]  # fmt: skip
