"""What the elementwise families refuse; see ``errors.py``."""

from __future__ import annotations

import backburner as bb
from ops.errors import A, Bad, S, T, array, b, n, v, x

REFUSED = (
    Bad(lambda: bb.sin(array), T, "sin: the input is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: bb.atan2(x, array), T, "atan2: an operand is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: bb.hypot(x, bb.zeros((2, 4))), S, "hypot: shapes do not broadcast: [2, 3] and [2, 4]."),
    Bad(lambda: bb.sign(b), T, "sign: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: bb.floor(b), T, "floor: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: +b, T, "positive: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: b // b, T, "floor_divide: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: True % b, T, "remainder: bool has no arithmetic of its own. Use astype first."),
    Bad(lambda: n // 0, A, "floor_divide: an integer divided by 0 is not an integer. Cast to a float first."),
    Bad(lambda: 7 % bb.tensor([2, 0]), A, "remainder: an integer divided by 0 is not an integer. Cast to a float first."),
    Bad(lambda: v ^ 1, T, "bitwise_xor: needs integers or bools, got float32. Compare, or use astype."),
    Bad(lambda: 1.5 | n, T, "bitwise_or: needs integers or bools, got float32. Compare, or use astype."),
    Bad(lambda: ~v, T, "bitwise_invert: needs integers or bools, got float32. Compare, or use astype."),
    Bad(lambda: b << b, T, "bitwise_left_shift: needs integers, got bool. Use astype first."),
    Bad(lambda: v >> 1, T, "bitwise_right_shift: needs integers, got float32. Use astype first."),
    Bad(lambda: n << -1, A, "bitwise_left_shift: a shift is negative: -1. Shift the other way."),
    Bad(lambda: 1 >> bb.tensor([1, -2]), A, "bitwise_right_shift: a shift is negative: -2. Shift the other way."),
    Bad(lambda: bb.logical_xor(b, n), T, "logical_xor: needs bool, got int64. Compare, or use astype(bb.bool)."),
    Bad(lambda: bb.lerp(v, 1.0, 0.5), T, "lerp: the input is a float, not a Tensor. Use bb.tensor."),
    Bad(lambda: bb.lerp(x, v, bb.zeros((2,))), S, "lerp: shapes do not broadcast: [2, 3] and [2]."),
    Bad(lambda: bb.lerp(v, v, float("nan")), A, "lerp: weight is NaN."),
    Bad(lambda: bb.isclose(v, v, rtol="a"), T, "isclose: rtol: str is not a Tensor or a number. Use bb.tensor."),
    Bad(lambda: bb.allclose(v, v, atol=float("nan")), A, "isclose: atol is NaN."),
    Bad(lambda: bb.nan_to_num(v, nan=v), T, "nan_to_num: nan: takes a number here, not a Tensor. Use item() on it."),
)  # fmt: skip
