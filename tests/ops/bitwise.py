"""Rows of the bitwise ops."""

from __future__ import annotations

import operator

import numpy as np

from ops._pointwise import binary, mapped, unary
from ops._row import indices, mask

bits, places = indices(-100, 100), indices(0, 9)

ROWS = (
    binary("bitwise_and", bits, bits, mapped(operator.and_, np.int64), result="int64"),
    binary("bitwise_or", bits, bits, mapped(operator.or_, np.int64), result="int64"),
    binary("bitwise_xor", bits, bits, mapped(operator.xor, np.int64), result="int64"),
    unary("bitwise_invert", bits, lambda x: -1 - x, result="int64"),
    binary("bitwise_left_shift", bits, places, lambda x, y: x * 2**y, result="int64"),
    binary("bitwise_right_shift", bits, places, lambda x, y: x // 2**y, result="int64"),
    binary("bitwise_and", mask, mask, lambda x, y: x * y, result="bool", name="bitwise_and_of_bools"),
    binary("bitwise_or", mask, mask, lambda x, y: x + y, result="bool", name="bitwise_or_of_bools"),
    binary("bitwise_xor", mask, mask, lambda x, y: x != y, result="bool", name="bitwise_xor_of_bools"),
    unary("bitwise_invert", mask, lambda x: x == 0, result="bool", name="bitwise_invert_of_bools"),
)
