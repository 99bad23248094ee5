"""Pooling."""

from __future__ import annotations

from layers._row import Refused, Row, Unfit, given, real

_SHAPES = {1: (2, 2, 7), 2: (2, 2, 6, 7), 3: (1, 2, 4, 5, 6)}
_SINGLE = {1: (2, 7), 2: (2, 6, 7), 3: (2, 4, 5, 6)}
_HALF = Refused("padding 2 is over half the kernel", (3,), {"padding": 2})
_RATIO = Refused("takes either output_size or output_ratio", (2,))


def _rows(n: int) -> list[Row]:
    x, one = (real(*_SHAPES[n]),), (real(*_SINGLE[n]),)
    unfit = (Unfit(r"the input must be \[n, c, ", ((7,) * (n + 3),)),)
    uneven = {1: 3, 2: (3, 2), 3: (2, 3, 2)}[n]
    least = (Refused("output_size must be at least 1", (0,)),)
    divided = {"divisor_override": 3} if n > 1 else {}
    kept = f"AvgPool{n}d(kernel_size={(2,) if n == 1 else 2}, stride={(3,) if n == 1 else 3}, "
    kept += f"padding={(1,) if n == 1 else 1}, ceil_mode=True, count_include_pad=False)"
    sizes = (2, None, 1)[:n]
    rows = [
        Row(f"MaxPool{n}d", (2,), inputs=x, refused=(_HALF,), unfit=unfit),
        Row(f"MaxPool{n}d", (uneven, 2, 1), {"ceil_mode": True}, inputs=one),
        Row(f"MaxPool{n}d", (2, 1, 0, 2, True), inputs=x, text=f"MaxPool{n}d(kernel_size=2, stride=1, padding=0, "
            "dilation=2, ceil_mode=False, return_indices=True)"),
        Row(f"AvgPool{n}d", (2,), inputs=x, refused=(_HALF,), unfit=unfit),
        Row(f"AvgPool{n}d", (2, 3, 1, True, False), inputs=one, text=kept),
        Row(f"LPPool{n}d", (2, uneven), inputs=x, unfit=unfit,
            refused=(Refused("kernel_size must be at least 1", (2, 0)),)),
        Row(f"LPPool{n}d", (4.0, 2, 1, True), inputs=one),
        Row(f"AdaptiveMaxPool{n}d", (2,), inputs=x, refused=least, unfit=unfit),
        Row(f"AdaptiveMaxPool{n}d", (sizes, True), inputs=one,
            text=f"AdaptiveMaxPool{n}d(output_size={sizes}, return_indices=True)"),
        Row(f"AdaptiveAvgPool{n}d", (3,), inputs=one, refused=least, unfit=unfit),
        Row(f"AdaptiveAvgPool{n}d", (sizes,), inputs=x),
        Row(f"MaxUnpool{n}d", (2,), inputs=(real(1, 1, *(2,) * n), given([[_indices(n)]])), refused=(_HALF,),
            unfit=(Unfit("shape", ((1, 1, *(2,) * n), (1, 1, *(3,) * n))),)),
        Row(f"MaxUnpool{n}d", (2, 3, 1), inputs=(real(1, 1, *(2,) * n), given([[_indices(n)]])),
            call={"output_size": (4,) * n}),
    ]  # fmt: skip
    if divided:
        text = f"AvgPool{n}d(kernel_size=2, stride=2, padding=0, divisor_override=3)"
        rows.append(Row(f"AvgPool{n}d", (2,), divided, inputs=x, text=text))
        samples = {"_random_samples": real(2 if n == 2 else 1, 2, n)._replace(kind="share")}
        size, ratio = (2, 3, 2)[:n], (0.5, 0.4, 0.5)[:n]
        kernel = (2,) * n
        rows += [
            Row(f"FractionalMaxPool{n}d", (2,), {"output_size": size, **samples}, inputs=x, refused=(_RATIO,),
                unfit=unfit, text=f"FractionalMaxPool{n}d(kernel_size={kernel}, output_size={size})"),
            Row(f"FractionalMaxPool{n}d", (2, None, ratio, True), samples, inputs=x,
                text=f"FractionalMaxPool{n}d(kernel_size={kernel}, output_ratio={ratio}, return_indices=True)"),
        ]  # fmt: skip
    return rows


def _indices(n: int) -> object:
    """Return places for two entries per axis, each its own."""
    return {1: [0, 3], 2: [[0, 3], [8, 10]], 3: [[[0, 3], [8, 10]], [[33, 35], [40, 43]]]}[n]


ROWS = [row for n in (1, 2, 3) for row in _rows(n)]
