"""Padding and reshaping."""

from __future__ import annotations

from layers._row import Refused, Row, Unfit, real

_SHAPES = {1: (2, 3, 4), 2: (1, 2, 4, 3), 3: (1, 1, 4, 3, 5)}


def _pads(name: str, *value: float) -> list[Row]:
    found = []
    for axes, shape in _SHAPES.items():
        layer, frame = f"{name}{axes}d", (1, -1, 0, 2, 1, 0)[: 2 * axes]
        refused = (
            Refused(f"padding takes one int or {2 * axes}", ((1, 2, 3),), {"value": 0.0} if value else {}),
        )
        unfit = (Unfit("pad: ", ((2,) * (axes - 1),)),)
        found += [
            Row(layer, (1, *value), inputs=(real(*shape),), refused=refused, unfit=unfit),
            Row(layer, (frame, *value), inputs=(real(*shape),)),
        ]
    return found


ROWS = [
    *_pads("ConstantPad", 2.5),
    *_pads("ZeroPad"),
    *_pads("ReflectionPad"),
    *_pads("ReplicationPad"),
    *_pads("CircularPad"),
    Row("Unflatten", (1, (2, -1)), inputs=(real(2, 6, 3),),
        refused=(Refused("of which one may be -1", (1, (-1, -1))), Refused("is a tuple of sizes", (1, 2))),
        unfit=(Unfit(r"axis 1 of \[2, 5\] does not divide", ((2, 5),)),)),
    Row("Unflatten", (1, (2, -1)), inputs=(real(0, 6, 3),)),
    Row("Unflatten", options={"axis": -2, "unflattened_size": (3, 2)}, inputs=(real(6, 3),)),
]  # fmt: skip
