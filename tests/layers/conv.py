"""Convolutions."""

from __future__ import annotations

from typing import Any

from layers._row import Refused, Row, Unfit, real

_SPACE = {1: (7,), 2: (6, 7), 3: (4, 5, 4)}
_GROUPS = Refused("groups=3 does not divide 2 and 3 channels", (2, 3, 1), {"groups": 3})
_SAME = Refused("padding='same' takes stride 1", (2, 3, 3, 2, "same"))


def _unfit(op: str, axes: int, channels: int) -> tuple[Unfit, ...]:
    space = _SPACE[axes]
    return (
        Unfit(f"{op}: .* does not fit the {channels + 1} channels", ((1, channels + 1, *space),)),
        Unfit(rf"{op}: the input must be \[n, c, ", (space,)),
    )


def _convolutions(axes: int) -> list[Row]:
    name, space = f"Conv{axes}d", _SPACE[axes]
    uneven: dict[str, Any] = {
        "kernel_size": (2, 3, 2)[-axes:],
        "stride": (1, 2, 2)[-axes:],
        "padding": (0, 2, 1)[-axes:],
        "dilation": (1, 1, 2)[-axes:],
    }
    x = real(2, 2, *space)
    return [
        Row(name, (2, 3, 3), inputs=(x,), refused=(_GROUPS, _SAME), unfit=_unfit(f"conv{axes}d", axes, 2)),
        Row(name, (4, 2), uneven | {"groups": 2, "bias": False}, inputs=(real(1, 4, *space),)),
        Row(name, (2, 4, 3, 2, 1, 1, 2), inputs=(real(2, *space),)),
        Row(name, (2, 2, 2), {"padding": "same"}, inputs=(x,)),
        Row(name, (2, 1, 3, 1, "valid"), inputs=(x,)),
        Row(name, (2, 1, 2), {"padding": "same", "padding_mode": "reflect"}, inputs=(x,)),
        Row(name, (2, 2, 3, 2, 1, 1, 2, False, "replicate"), inputs=(x,)),
        Row(name, (2, 1, 3), {"padding": (2, 0, 1)[:axes], "padding_mode": "circular"}, inputs=(x,)),
        Row(name, (2, 1, 2), {"padding": "valid", "padding_mode": "circular"}, inputs=(real(2, *space),)),
    ]


def _transposed(axes: int) -> list[Row]:
    name, op, space = f"ConvTranspose{axes}d", f"conv_transpose{axes}d", tuple(n - 2 for n in _SPACE[axes])
    uneven: dict[str, Any] = {
        "kernel_size": (2, 3, 2)[-axes:],
        "stride": (1, 2, 3)[-axes:],
        "padding": (0, 1, 1)[-axes:],
        "output_padding": (0, 1, 2)[-axes:],
        "dilation": (1, 1, 2)[-axes:],
    }
    x = real(2, 2, *space)
    largest = tuple(2 * n + 2 for n in space)
    far = Refused("output_padding must be less than stride or dilation", (2, 3, 3), {"output_padding": 1})
    zeros = Refused("padding_mode must be 'zeros', got 'reflect'", (2, 3, 3), {"padding_mode": "reflect"})
    return [
        Row(name, (2, 3, 3), inputs=(x,), refused=(_GROUPS, far, zeros), unfit=_unfit(op, axes, 2)),
        Row(name, (4, 2), uneven | {"groups": 2, "bias": False}, inputs=(real(1, 4, *space),)),
        Row(name, (2, 4, 3, 2, 1, 1, 2, True, 1), inputs=(real(2, *space),)),
        Row(name, (2, 1, 3, 2), inputs=(x,), call={"output_size": largest}),
        Row(name, (2, 1, 3, 2), inputs=(x,), call={"output_size": (2, 1, *(n - 1 for n in largest))}),
    ]


ROWS = [row for axes in (1, 2, 3) for rows in (_convolutions, _transposed) for row in rows(axes)]
