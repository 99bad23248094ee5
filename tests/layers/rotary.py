"""Positions."""

from __future__ import annotations

from layers._row import Refused, Row, Unfit, given, real, share

ROWS = [
    Row("RotaryEmbedding", (4,), inputs=(real(2, 3, 5, 4),), text="RotaryEmbedding(4, base=10000, interleaved=False)",
        refused=(Refused("dim must be even", (3,)), Refused("dim must be at least 2", (0,)), Refused("base must be", (4, -1.0))),
        unfit=(Unfit("of at least 4 features", ((5, 3),)), Unfit("of at least 4 features", ((4,),)))),
    Row("RotaryEmbedding", (4, 100.0, True), inputs=(real(2, 5, 6),), call={"offset": 7},
        text="RotaryEmbedding(4, base=100, interleaved=True)"),
    Row("RotaryEmbedding", (4,), {"scaling_factor": 4.0}, inputs=(real(5, 7),), call={"positions": given([3, 1, 0, 300, 2])},
        text="RotaryEmbedding(4, base=10000, interleaved=False, scaling_factor=4)"),
    Row("RotaryEmbedding", (4,), {"interleaved": True, "frequencies": share(2)}, inputs=(real(2, 3, 2, 4),),
        call={"positions": given([[3, 1], [0, 2]])}, text="RotaryEmbedding(4, base=10000, interleaved=True)"),
    Row("PositionalEncoding", (4, 0.0), inputs=(real(5, 2, 4),), refused=(Refused("d_model must be at least 1", (0,)),),
        unfit=(Unfit("the input must be .l, n, 4.", ((5, 2, 3),)),),
        text="PositionalEncoding(4, dropout=0.0, batch_first=False)"),
    Row("PositionalEncoding", (3, 0.0), {"batch_first": True}, inputs=(real(2, 5, 3),), call={"offset": 300},
        text="PositionalEncoding(3, dropout=0.0, batch_first=True)"),
    Row("PositionalEncoding", (4,), {"batch_first": True}, inputs=(real(5, 4),), training="draws",
        text="PositionalEncoding(4, dropout=0.1, batch_first=True)"),
]  # fmt: skip
