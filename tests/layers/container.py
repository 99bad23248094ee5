"""Layers that hold nothing and reshape; what holds other modules is in ``test_module.py``."""

from __future__ import annotations

from layers._row import Row, Unfit, real

ROWS = [
    Row("Identity", inputs=(real(2, 3),)),
    Row("Flatten", inputs=(real(2, 3, 2, 2),), unfit=(Unfit("flatten: axis 1 is out of range", ((3,),)),)),
    Row("Flatten", (0, 2), inputs=(real(2, 3, 2, 2),)),
    Row("Flatten", options={"start_axis": -2}, inputs=(real(2, 3, 2, 2),)),
]
