"""Linear layers, what is made of them, and distances."""

from __future__ import annotations

from layers._row import Refused, Row, Unfit, real, whole

_A, _B = real(4, 3), real(4, 3)
_CUTS = Refused("cutoffs must rise and stay below 20, got", (8, 20, [5, 5]))

ROWS = [
    Row("Linear", (3, 2), inputs=(_A,), refused=(Refused("in_features must be at least 0", (-1, 2)),),
        unfit=(Unfit(r"linear: weight \[2, 3\] takes \[..., 3\], got \[4, 2\]", ((4, 2),)),)),
    Row("Linear", (3, 2, False), inputs=(real(2, 2, 3),)),
    Row("Bilinear", (3, 2, 4), inputs=(_A, real(4, 2)),
        refused=(Refused("in1_features must be at least 1", (0, 2, 4)),),
        unfit=(Unfit("bilinear: weight .* takes", ((4, 2), (4, 2))),)),
    Row("Bilinear", (3, 2, 4, False), inputs=(real(2, 3, 3), real(2, 3, 2))),
    Row("SwiGLU", (3, 4), inputs=(_A,), refused=(Refused("hidden_features must be at least 1", (3, 0)),),
        unfit=(Unfit(r"linear: weight \[4, 3\] takes", ((4, 2),)),)),
    Row("SwiGLU", (3, 4, 2, True), inputs=(_A,)),
    Row("CosineSimilarity", inputs=(_A, _B), refused=(Refused("eps must be at least 0", (1, -1.0)),),
        unfit=(Unfit("cosine_similarity: shapes do not broadcast", ((4, 3), (4, 2))),)),
    Row("CosineSimilarity", (0, 0.5), inputs=(_A, _B)),
    Row("PairwiseDistance", inputs=(_A, _B), refused=(Refused("p must be at least 0", (-1,)),),
        unfit=(Unfit("pairwise_distance: shapes do not broadcast", ((4, 3), (4, 2))),)),
    Row("PairwiseDistance", (1.0, 0.1, True), inputs=(_A, _B)),
    Row("AdaptiveLogSoftmaxWithLoss", (8, 20, [5, 12]), {"div_value": 2.0}, inputs=(real(9, 8), whole(20, 9)),
        refused=(_CUTS, Refused("cluster 1 has no features", (4, 20, [5, 12])),
                 Refused("div_value must be positive", (8, 20, [5]), {"div_value": -1.0})),
        unfit=(Unfit("takes", ((9, 7), (9,))),)),
    Row("AdaptiveLogSoftmaxWithLoss", (8, 20, [4], 4.0, True), inputs=(real(8), whole(20))),
]  # fmt: skip
