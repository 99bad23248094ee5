"""Resampling, and the shuffles of channels and pixels."""

from __future__ import annotations

from layers._row import Refused, Row, Unfit, real

_IMAGE = (real(2, 4, 4, 6),)
_EITHER = Refused("takes either size or scale_factor", ())
_FLAT = (Unfit("interpolate: mode .* takes", ((2, 4),)),)

ROWS = [
    Row("Upsample", (3,), inputs=(real(1, 2, 4),), unfit=_FLAT,
        refused=(_EITHER, Refused("mode must be one of", (3,), {"mode": "cubic"}))),
    Row("Upsample", options={"scale_factor": 1.3, "mode": "bilinear", "align_corners": True,
                             "recompute_scale_factor": True}, inputs=(real(1, 2, 4, 3),)),
    Row("Upsample", (None, (2, 3), "bicubic", False), inputs=(real(1, 2, 4, 3),)),
    Row("UpsamplingNearest2d", ((5, 7),), inputs=(real(1, 2, 4, 3),), refused=(_EITHER,), unfit=_FLAT),
    Row("UpsamplingNearest2d", options={"scale_factor": 2}, inputs=(real(1, 2, 4, 3),)),
    Row("UpsamplingBilinear2d", (5,), inputs=(real(1, 2, 4, 3),), refused=(_EITHER,), unfit=_FLAT),
    Row("UpsamplingBilinear2d", options={"scale_factor": 2}, inputs=(real(1, 2, 4, 3),)),
    Row("PixelShuffle", (2,), inputs=_IMAGE, refused=(Refused("upscale_factor must be at least 1", (0,)),),
        unfit=(Unfit("pixel_shuffle: 3 channels", ((3, 4, 4),)),)),
    Row("PixelUnshuffle", (2,), inputs=_IMAGE, refused=(Refused("downscale_factor must be at least 1", (0,)),),
        unfit=(Unfit("pixel_unshuffle: height and width", ((3, 3, 4),)),)),
    Row("ChannelShuffle", (2,), inputs=_IMAGE, refused=(Refused("groups must be at least 1", (0,)),),
        unfit=(Unfit("channel_shuffle: 3 channels", ((1, 3, 4),)),)),
    Row("Unfold", (2,), inputs=_IMAGE, refused=(Refused("stride must be at least 1", (2, 1, 0, 0)),),
        unfit=(Unfit("unfold: ", ((4, 4),)),)),
    Row("Unfold", ((2, 3), (1, 2), (1, 0), (2, 1)), inputs=_IMAGE),
    Row("Fold", ((4, 5), 2), inputs=(real(1, 8, 12),), refused=(Refused("padding must be at least 0", (4, 2, 1, -1)),),
        unfit=(Unfit("fold: .* are not columns", ((1, 8, 11),)),)),
    Row("Fold", (4, (2, 3), 1, (1, 0), (2, 1)), inputs=(real(1, 6, 6),)),
]  # fmt: skip
