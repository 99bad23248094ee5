"""Tables of vectors."""

from __future__ import annotations

from layers._row import Refused, Row, Unfit, given, real, whole

_FAR = Refused(r"padding_idx 7 is out of range \[-5, 5\)", (5, 3), {"padding_idx": 7})
_NORM = Refused("max_norm must be at least 0", (5, 3), {"max_norm": -1.0})
_TABLE = Refused(r"_weight must be a Tensor, got list", (5, 3), {"_weight": [[1.0]]})
_OUTSIDE = Unfit("index 9 is out of range", (given([1, 9]),))
_OFFSETS = given([0, 2, 2, 5])

ROWS = [
    Row("Embedding", (5, 3), inputs=(whole(5, 2, 4),), refused=(_FAR, _NORM, _TABLE), unfit=(_OUTSIDE,)),
    Row("Embedding", (5, 3, -2), inputs=(given([[0, 3, 3], [4, 1, 3]]),)),
    Row("Embedding", (5, 3), {"max_norm": 0.8, "norm_type": 1.0}, inputs=(given([4, 0, 2]),), differentiable=False),
    Row("Embedding", (5, 3, 0, None, 2.0, True), inputs=(given([4, 4, 2, 0]),)),
    Row("Embedding", (5, 3), {"_weight": real(5, 3)}, inputs=(whole(5),)),
    Row("EmbeddingBag", (5, 3), inputs=(whole(5, 2, 4),), refused=(
        _FAR, _NORM, _TABLE, Refused("mode must be one of sum, mean, max, got 'min'", (5, 3), {"mode": "min"})),
        unfit=(Unfit("index 9 is out of range", (given([[1, 9]]),)),)),
    Row("EmbeddingBag", (5, 3), {"mode": "sum", "padding_idx": 1}, inputs=(whole(5, 6), _OFFSETS, real(6))),
    Row("EmbeddingBag", (5, 3, None, 2.0, False, "max", False, None, True), inputs=(whole(5, 5), _OFFSETS)),
    Row("EmbeddingBag", (5, 3), {"scale_grad_by_freq": True}, inputs=(given([1, 1, 2, 3, 3, 2]), given([0, 2]))),
    Row("EmbeddingBag", (5, 3), {"max_norm": 0.8, "norm_type": 1.0}, inputs=(given([[4, 0, 2]]),), differentiable=False),
]  # fmt: skip
