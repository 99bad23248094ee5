"""Recurrent layers and their cells."""

from __future__ import annotations

from typing import Any

from layers._row import Refused, Row, Unfit, real

_X, _FLIPPED, _ONE = real(4, 2, 3), real(2, 4, 3), real(4, 3)


def _states(kind: str, *shape: int, projected: int = 0) -> Any:
    if kind == "LSTM":
        return real(*shape[:-1], projected or shape[-1]), real(*shape)
    return real(*shape)


def _layers(kind: str) -> list[Row]:
    refused = (
        Refused("hidden_size must be at least 1", (3, 0)),
        Refused("num_layers must be at least 1", (3, 4, 0)),
        Refused("dropout must be in", (3, 4, 2), {"dropout": 1.5}),
        *(
            (Refused("proj_size must be below hidden_size", (3, 4), {"proj_size": 4}),)
            if kind == "LSTM"
            else ()
        ),
        *((Refused("nonlinearity must be", (3, 4, 1, "sigmoid")),) if kind == "RNN" else ()),
    )
    unfit = (
        Unfit("the input must be .t, n, 3.", ((4, 2, 5),)),
        Unfit("the input must be .t, n, 3.", ((3,),)),
        Unfit("hx must be a pair", ((4, 2, 3), (1, 2, 4)))
        if kind == "LSTM"
        else Unfit("hx must have shape", ((4, 2, 3), (1, 2, 5))),
    )
    many = {"num_layers": 2, "bidirectional": True}
    rows = [
        Row(kind, (3, 4), inputs=(_X,), refused=refused, unfit=unfit),
        Row(kind, (3, 4), many, inputs=(_X, _states(kind, 4, 2, 4))),
        Row(kind, (3, 4), {"bias": False, "batch_first": True}, inputs=(_FLIPPED, _states(kind, 1, 2, 4))),
        Row(kind, (3, 4), {**many, "batch_first": True}, inputs=(_ONE, _states(kind, 4, 4))),
        Row(kind, (3, 4, 2), {"dropout": 0.5}, inputs=(_X,), training="draws"),
    ]
    if kind == "RNN":
        rows.append(Row(kind, (3, 4, 2, "relu"), inputs=(_X, real(2, 2, 4))))
    if kind == "LSTM":
        rows.append(
            Row(kind, (3, 4), {**many, "proj_size": 2}, inputs=(_X, _states(kind, 4, 2, 4, projected=2)))
        )
        rows.append(Row(kind, (3, 4), {"bias": False, "proj_size": 3}, inputs=(_ONE,)))
    return rows


def _cells(kind: str) -> list[Row]:
    name = f"{kind}Cell"
    return [
        Row(name, (3, 4), inputs=(real(2, 3),),
            refused=(Refused("hidden_size must be at least 1", (3, 0)), Refused("input_size must be at least 0", (-1, 2))),
            unfit=(Unfit(f"{kind.lower()}_cell: ", ((2, 5),)), Unfit(f"{kind.lower()}_cell: the input must be", ((2, 2, 3),)))),
        Row(name, (3, 4, False), inputs=(real(2, 3), _states(kind, 2, 4))),
        Row(name, (3, 4), inputs=(real(3), _states(kind, 4))),
    ]  # fmt: skip


ROWS = [
    *(row for kind in ("RNN", "GRU", "LSTM") for row in (*_layers(kind), *_cells(kind))),
    Row("RNNCell", (3, 4, True, "relu"), inputs=(real(2, 3), real(2, 4)),
        refused=(Refused("nonlinearity must be", (3, 4, True, "gelu")),)),
]  # fmt: skip
