"""Normalisation."""

from __future__ import annotations

from layers._row import Refused, Row, Unfit, real

_SHAPES = {1: (4, 3, 5), 2: (4, 3, 2, 3), 3: (3, 3, 2, 2, 2)}


def _batch(axes: int) -> list[Row]:
    name, x = f"BatchNorm{axes}d", (real(*_SHAPES[axes]),)
    refused = (
        Refused("eps must be at least 0", (3, -1.0)),
        Refused("num_features must be at least 0", (-3,)),
    )
    unfit = (
        Unfit("takes 3 channels, got", ((2, 4, *_SHAPES[axes][2:]),)),
        Unfit("needs .* dimensions", ((3,),)),
    )
    return [
        Row(name, (3,), inputs=x, training="statistics", refused=refused, unfit=unfit),
        Row(name, (3, 1e-3, None), inputs=x, training="statistics"),
        Row(name, (3, 1e-5, 0.3, False), inputs=x, training="statistics"),
        Row(name, (3,), {"track_running_stats": False, "bias": False}, inputs=x),
    ]


def _instance(axes: int) -> list[Row]:
    name, shape = f"InstanceNorm{axes}d", _SHAPES[axes]
    refused = (Refused("eps must be at least 0", (3, -1.0)),)
    unfit = (Unfit("takes 3 channels, got", ((2, 4, *shape[2:]),)), Unfit("needs .* dimensions", ((3,),)))
    return [
        Row(name, (3,), inputs=(real(*shape),), refused=refused),
        Row(name, (3, 1e-3, 0.3, True, True), inputs=(real(*shape),), training="statistics", unfit=unfit),
        Row(name, (3,), {"affine": True, "bias": False}, inputs=(real(*shape[1:]),)),
        Row(name, (3,), {"track_running_stats": True, "momentum": None}, inputs=(real(*shape[1:]),),
            training="statistics"),
    ]  # fmt: skip


ROWS = [
    *(row for axes in (1, 2, 3) for rows in (_batch, _instance) for row in rows(axes)),
    Row("BatchNorm1d", (3,), inputs=(real(5, 3),), training="statistics"),
    Row("GroupNorm", (2, 4), inputs=(real(2, 4, 3),),
        refused=(Refused("4 channels do not divide into 3 groups", (3, 4)),),
        unfit=(Unfit("takes 4 channels", ((2, 6, 3),)), Unfit("group_norm: the input must be", ((4,),)))),
    Row("GroupNorm", (1, 4, 1e-3, False), inputs=(real(2, 4),)),
    Row("GroupNorm", (4, 4), {"bias": False}, inputs=(real(2, 4, 2, 2),)),
    Row("GroupNorm", (4, 4), inputs=(real(2, 4),)),
    Row("GroupNorm", (2, 4), {"affine": False}, inputs=(real(2, 6),)),
    Row("LayerNorm", (4,), inputs=(real(2, 3, 4),), refused=(Refused("a shape has a negative size", (-4,)),),
        unfit=(Unfit(r"layer_norm: \[2, 3\] does not end in", ((2, 3),)),)),
    Row("LayerNorm", ((3, 4), 1e-3, True, False), inputs=(real(2, 3, 4),)),
    Row("LayerNorm", ([3, 4],), {"elementwise_affine": False}, inputs=(real(3, 4),)),
    Row("RMSNorm", (4,), inputs=(real(2, 3, 4),), refused=(Refused("eps must be at least 0", (4, -1.0)),),
        unfit=(Unfit(r"rms_norm: \[2, 3\] does not end in", ((2, 3),)),)),
    Row("RMSNorm", ((3, 4), 0.1, False), inputs=(real(2, 3, 4),)),
    Row("LocalResponseNorm", (3,), inputs=(real(2, 5, 4),), refused=(Refused("size must be at least 1", (0,)),),
        unfit=(Unfit("local_response_norm: the input must be", ((2, 5),)),)),
    Row("LocalResponseNorm", (2, 0.1, 0.5, 2.0), inputs=(real(2, 5, 2, 2),)),
]  # fmt: skip
