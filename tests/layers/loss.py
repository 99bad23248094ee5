"""Losses."""

from __future__ import annotations

from typing import Any

from layers._row import Refused, Row, Unfit, given, real, share, sign, whole

X, Y, P, Q = real(3, 4), real(3, 4), share(3, 4), share(3, 4)
SIGNS, EACH = sign(3), sign(3, 4)
CLASSES = whole(4, 3)
SUM: dict[str, Any] = {"reduction": "sum"}
WEIGHTED: dict[str, Any] = {"weight": share(4), "reduction": "none"}
_SHAPES = (Unfit("shapes differ|do not fit|does not fit|must (be|have)|takes", ((3, 4), (2, 4))),)
_THREE = (Unfit("shapes|broadcast|do not fit|must|dimensions", ((3, 4), (2, 4), (3,))),)
_NAMES = (Unfit("target|shape|do not", ((3, 4), given([1, 2]))),)


def _refused(name: str, args: tuple[Any, ...] = (), **options: Any) -> tuple[Refused, ...]:
    return (Refused(f"{name} must", args, options),)


ROWS = [
    Row("CrossEntropyLoss", inputs=(X, CLASSES), unfit=_NAMES, refused=_refused("label_smoothing", label_smoothing=2.0)),
    Row("CrossEntropyLoss", options=WEIGHTED | {"ignore_index": 3, "label_smoothing": 0.2}, inputs=(X, CLASSES),
        text="CrossEntropyLoss(ignore_index=3, reduction='none', label_smoothing=0.2)"),
    Row("NLLLoss", inputs=(X, CLASSES), unfit=_NAMES, refused=_refused("weight", ([1.0],))),
    Row("NLLLoss", options=WEIGHTED | {"ignore_index": 3}, inputs=(X, CLASSES),
        text="NLLLoss(ignore_index=3, reduction='none')"),
    Row("BCELoss", inputs=(P, Q), unfit=_SHAPES, refused=_refused("reduction", reduction="max")),
    Row("BCELoss", options=WEIGHTED, inputs=(P, Q), text="BCELoss(reduction='none')"),
    Row("BCEWithLogitsLoss", inputs=(X, Q), unfit=_SHAPES, refused=_refused("pos_weight", pos_weight=2.0)),
    Row("BCEWithLogitsLoss", options=WEIGHTED | {"pos_weight": share(4)}, inputs=(X, Q),
        text="BCEWithLogitsLoss(reduction='none')"),
    Row("KLDivLoss", inputs=(X, P), unfit=_SHAPES, refused=_refused("reduction", reduction="batch")),
    Row("KLDivLoss", options={"reduction": "batchmean", "log_target": True}, inputs=(X, Y),
        text="KLDivLoss(reduction='batchmean', log_target=True)"),
    Row("MSELoss", inputs=(X, Y), unfit=_SHAPES, refused=_refused("reduction", ("max",))),
    Row("MSELoss", options=SUM, inputs=(X, Y), text="MSELoss(reduction='sum')"),
    Row("L1Loss", inputs=(X, Y), unfit=_SHAPES, refused=_refused("reduction", ("max",))),
    Row("L1Loss", options=SUM, inputs=(X, Y), text="L1Loss(reduction='sum')"),
    Row("SmoothL1Loss", inputs=(X, Y), unfit=_SHAPES, refused=_refused("beta", beta=-1.0)),
    Row("SmoothL1Loss", options=SUM | {"beta": 0.5}, inputs=(X, Y), text="SmoothL1Loss(reduction='sum', beta=0.5)"),
    Row("HuberLoss", inputs=(X, Y), unfit=_SHAPES, refused=_refused("delta", delta=0.0)),
    Row("HuberLoss", ("sum", 0.5), inputs=(X, Y), text="HuberLoss(reduction='sum', delta=0.5)"),
    Row("PoissonNLLLoss", inputs=(X, P), unfit=_SHAPES, refused=_refused("eps", eps=-1.0)),
    Row("PoissonNLLLoss", options=SUM | {"log_input": False, "full": True, "eps": 0.1}, inputs=(P, Q),
        text="PoissonNLLLoss(log_input=False, full=True, eps=0.1, reduction='sum')"),
    Row("GaussianNLLLoss", inputs=(X, Y, P), unfit=(Unfit("shape", ((3, 4), (2, 4), (3, 4))),),
        refused=_refused("eps", eps=-1.0)),
    Row("GaussianNLLLoss", options=SUM | {"full": True, "eps": 0.3}, inputs=(X, Y, P),
        text="GaussianNLLLoss(full=True, eps=0.3, reduction='sum')"),
    Row("SoftMarginLoss", inputs=(X, EACH), unfit=_SHAPES, refused=_refused("reduction", ("max",))),
    Row("SoftMarginLoss", options=SUM, inputs=(X, EACH), text="SoftMarginLoss(reduction='sum')"),
    Row("MultiLabelSoftMarginLoss", inputs=(X, Q), unfit=_SHAPES, refused=_refused("weight", ("w",))),
    Row("MultiLabelSoftMarginLoss", options=WEIGHTED, inputs=(X, Q), text="MultiLabelSoftMarginLoss(reduction='none')"),
    Row("HingeEmbeddingLoss", inputs=(X, EACH), unfit=_SHAPES, refused=_refused("reduction", reduction="max")),
    Row("HingeEmbeddingLoss", (0.5,), SUM, inputs=(X, EACH), text="HingeEmbeddingLoss(margin=0.5, reduction='sum')"),
    Row("CosineEmbeddingLoss", inputs=(X, Y, SIGNS), unfit=_THREE, refused=_refused("reduction", reduction="max")),
    Row("CosineEmbeddingLoss", (0.5,), SUM, inputs=(X, Y, SIGNS), text="CosineEmbeddingLoss(margin=0.5, reduction='sum')"),
    Row("MarginRankingLoss", inputs=(X, Y, EACH), unfit=_THREE, refused=_refused("reduction", reduction="max")),
    Row("MarginRankingLoss", (0.5,), SUM, inputs=(X, Y, EACH), text="MarginRankingLoss(margin=0.5, reduction='sum')"),
    Row("MultiMarginLoss", inputs=(X, CLASSES), unfit=_NAMES, refused=_refused("p", (3,))),
    Row("MultiMarginLoss", (2, 0.5), WEIGHTED, inputs=(X, CLASSES), text="MultiMarginLoss(p=2, margin=0.5, reduction='none')"),
    Row("MultiLabelMarginLoss", inputs=(X, given([[0, 1, -1, 2]] * 3)), unfit=_NAMES, refused=_refused("reduction", ("max",))),
    Row("MultiLabelMarginLoss", options=SUM, inputs=(X, given([[3, -1, 0, 2]] * 3)), text="MultiLabelMarginLoss(reduction='sum')"),
    Row("TripletMarginLoss", inputs=(X, Y, P), unfit=_THREE, refused=_refused("p", p=0.0)),
    Row("TripletMarginLoss", (2.0, 1.0, 0.1, True), SUM, inputs=(X, Y, P),
        text="TripletMarginLoss(margin=2.0, p=1.0, eps=0.1, swap=True, reduction='sum')"),
    Row("TripletMarginWithDistanceLoss", inputs=(X, Y, P), unfit=_THREE, text="TripletMarginWithDistanceLoss()",
        refused=_refused("distance_function", distance_function="l2")),
    Row("TripletMarginWithDistanceLoss", options=SUM | {"margin": 2.0, "swap": True}, inputs=(X, Y, P),
        text="TripletMarginWithDistanceLoss(margin=2.0, swap=True, reduction='sum')"),
    Row("CTCLoss", inputs=(real(4, 2, 3), given([[1, 1], [1, 2]]), given([4, 3]), given([2, 2])),
        differentiable=False, unfit=(Unfit("ctc_loss: ", ((4,), (2, 2), (2,), (2,))),), refused=_refused("blank", (-1,))),
    Row("CTCLoss", (2, "none", True), inputs=(real(4, 2, 3), given([[1, 1], [1, 1]]), given([4, 2]), given([2, 2])), differentiable=False,
        text="CTCLoss(blank=2, reduction='none', zero_infinity=True)"),
]  # fmt: skip
