"""Functions of single elements."""

from __future__ import annotations

import backburner as bb
from backburner.nn import functional as F
from burn_cases._case import FLAT, LARGE, MIXED, ONE, SIGNED, SMALL, TWO, WIDE, Case, around, bools

NEAR_ZERO = [[-1.9751, 0.0714, 0.0643, 0.2406], [-1.3172, 0.1252, -0.1119, -0.0127]]
HALVES = [[0.5, 1], [1.5, 2]]
TENTHS = [[0, 0.1], [0.3, 0.4]]
FIFTHS = [[0.2, 0.3], [0.5, 0.6]]
DIVIDENDS = [0.9742, 0.3676, 0.0905, 0.8066, 0.7072, 0.7883, 0.6987, 0.1560, 0.7179, 0.7874, 0.9032, 0.1845]
DIVISORS = [0.3357, 0.0285, 0.4115, 0.5511, 0.8637, 0.3593, 0.3885, 0.2569, 0.0936, 0.7172, 0.4792, 0.4898]
QUOTIENTS = [2, 12, 0, 1, 0, 2, 1, 0, 7, 1, 1, 0]

CASES = [
    Case("abs", around(bb.abs), ([[0, -1], [3, 4]], [[6, 7], [9, -10]]), ([[71, 107]], [[84, 42], [90, 54]])),
    Case(
        "abs at its kink",
        lambda x, y: x @ y.abs(),
        ([[6, 7], [9, -10]], [[0, -1], [3, 4]]),
        ([[1, 7]], [[0, -15], [-3, -3]]),
    ),
    Case("add", lambda x, y: x + y, ([2, 5], [4, 1]), (1, 1)),
    Case("add a number", lambda x: x + 5.0, ([2, 10],), (1,)),
    Case("add many times", lambda x, y, z: x + (x + y + z + 5.0 + x + y), (WIDE, TWO, FLAT), (3, 2, 1)),
    Case("sub", lambda x, y: x - y, ([2, 5], [4, 1]), (1, -1)),
    Case("sub a number", lambda x: x - 5.0, ([2, 10],), (1,)),
    Case("sub that cancels", lambda x, y, z: x - (x - y - z - 5.0), (WIDE, TWO, FLAT), (0, 1, 1)),
    Case("mul", lambda x, y: x * y, ([1, 7], [4, 7]), ([4, 7], [1, 7])),
    Case("mul by a number", lambda x: x * 4.0, ([2, 5],), (4,)),
    Case(
        "mul twice",
        lambda x, y, z: x * (x * y * z),
        (WIDE, TWO, FLAT),
        ([[16, 196], [104, -36]], [[2, 98], [338, 18]], [[4, 343], [338, 27]]),
    ),
    Case("div", lambda x, y: x / y, ([1, 7], [4, 7]), ([0.25, 0.142857], [-0.0625, -0.142857])),
    Case("div by a number", lambda x: x / 4.0, ([1, 7],), (0.25,)),
    Case(
        "div twice",
        lambda x, y, z: x / y / z,
        (WIDE, TWO, FLAT),
        (
            [[0.125, 0.071429], [0.25, 0.166667]],
            [[-0.03125, -0.071429], [-1.625, 0.166667]],
            [[-0.0625, -0.25], [-1.625, 0.25]],
        ),
    ),
    Case(
        "div of a product",
        lambda x, y: (x @ y) / y,
        (SMALL, LARGE),
        ([[2, 2.92857], [1.366667, 2]], [[0.0833, 0.0959], [-0.0556, -0.0671]]),
    ),
    Case("neg", lambda x, y: -(x @ -y), (ONE, TWO), ([[11, 5]], [[3], [10]])),
    Case("recip", bb.reciprocal, ([2, 5, 0.4],), ([-0.25, -0.04, -6.25],)),
    Case(
        "exp",
        lambda x, y: x @ y.exp(),
        (MIXED, SIGNED),
        ([[54.5991, 27.4746]], [[-54.598, -9.1188e-04], [29.5562, 80.3421]]),
    ),
    Case(
        "log",
        around(bb.log),
        (SMALL, LARGE),
        ([[60.2652, 72.3130]], [[22.8614, 24.5043], [24.5729, 26.8507]]),
    ),
    Case(
        "log1p",
        around(bb.log1p),
        (SMALL, LARGE),
        ([[64.80622, 75.49362]], [[22.922085, 24.475657], [24.727802, 26.864166]]),
    ),
    Case(
        "sqrt",
        around(bb.sqrt),
        (SMALL, LARGE),
        ([[82.1126, 99.0832]], [[30.3093, 33.1204], [34.5819, 38.7694]]),
    ),
    Case("erf", around(bb.erf), (SMALL, LARGE), (32, 8)),
    Case(
        "pow of a number",
        around(lambda y: y**0.4),
        (SMALL, LARGE),
        ([[68, 79.0328]], [[23.5081, 25.2779], [26.0502, 28.6383]]),
    ),
    Case("pow", lambda x, y: x**y, ([2, 7], [4, 2]), ([32, 14], [11.09035, 95.34960])),
    Case("pow of an untracked base", lambda x, y: x**y, ([2, 7], [4, 2]), (None, [11.09035, 95.34960])),
    Case("pow to an untracked exponent", lambda x, y: x**y, ([2, 7], [4, 2]), ([32, 14], None)),
    Case("pow to zero", lambda x: x**0.0, ([2, -3, 0],), (0,)),
    Case("remainder", bb.remainder, (DIVIDENDS, DIVISORS), (1, [-q for q in QUOTIENTS])),
    Case("sign", bb.sign, ([-2, -1, 0, 1, 2],), (0,)),
    Case("ceil", bb.ceil, (NEAR_ZERO,), (0,)),
    Case("floor", bb.floor, (NEAR_ZERO,), (0,)),
    Case("round", bb.round, (NEAR_ZERO,), (0,)),
    Case(
        "hypot",
        bb.hypot,
        ([[3, 4], [5, 12]], [[4, 3], [12, 5]]),
        ([[0.6, 0.8], [0.384615, 0.923077]], [[0.8, 0.6], [0.923077, 0.384615]]),
    ),
    # trigonometry
    Case(
        "cos",
        around(bb.cos),
        (SMALL, LARGE),
        ([[26.8063, -27.7870]], [[9.222064, -39.123375], [-28.721354, 49.748356]]),
    ),
    Case(
        "sin",
        around(bb.sin),
        (SMALL, LARGE),
        ([[8.8500, -4.9790]], [[38.668987, 44.194775], [-59.97261, -80.46094]]),
    ),
    Case(
        "tan",
        around(bb.tan),
        (SMALL, [[0.5, 1], [0.3, 0.8]]),
        ([[2.532602, 1.596607]], [[9.028598, 14.489801], [18.038082, 21.151270]]),
    ),
    Case("tanh", around(bb.tanh), (SMALL, LARGE), (32, [[8.00092, 8.000153], [8.000003, 7.999995]])),
    Case(
        "cosh",
        around(bb.cosh),
        (SMALL, HALVES),
        ([[7.092221, 16.696301]], [[17.489855, 27.484539], [39.409813, 86.910278]]),
    ),
    Case(
        "sinh",
        around(bb.sinh),
        (SMALL, HALVES),
        ([[4.894847, 15.887931]], [[17.284, 28.412029], [39.302979, 87.498329]]),
    ),
    Case(
        "asin",
        around(bb.asin),
        (TENTHS, FIFTHS),
        ([[0.435841, 0.969651]], [[0.4753, 0.668141], [0.701834, 1.100658]]),
    ),
    Case(
        "acos",
        around(bb.acos),
        (TENTHS, FIFTHS),
        ([[2.077433, 1.543624]], [[0.781337, 0.588496], [0.554804, 0.155979]]),
    ),
    Case(
        "atan",
        around(bb.atan),
        (SMALL, HALVES),
        ([[3.444365, 5.349211]], [[9.904911, 11.554912], [10.199631, 11.391938]]),
    ),
    Case(
        "asinh",
        around(bb.asinh),
        (SMALL, HALVES),
        ([[3.806625, 6.844869]], [[11.442373, 14.842072], [14.022551, 17.688538]]),
    ),
    Case(
        "acosh",
        around(bb.acosh),
        (SMALL, [[1.5, 2], [2.5, 3]]),
        ([[10.611752, 15.178907]], [[20.112753, 20.247547], [20.402235, 22.487328]]),
    ),
    Case(
        "atanh",
        around(bb.atanh),
        (TENTHS, FIFTHS),
        ([[0.441838, 1.037115]], [[0.491723, 0.698110], [0.772763, 1.298805]]),
    ),
    Case(
        "atan2",
        lambda x, y, z: x @ bb.atan2(y, z) @ y,
        (SMALL, HALVES, [[1, 0.5], [2, 1.5]]),
        (
            [[4.570492, 4.210785]],
            [[8.208448, 8.808449], [10.357923, 12.157923]],
            [[-1.8, -8.4], [-1.8, -5.6]],
        ),
    ),
    # activations
    Case(
        "relu", lambda x, y: F.relu(x @ y) @ y, (MIXED, SIGNED), ([[-47, 9], [-35, 15]], [[15, 13], [-2, 39]])
    ),
    Case("sigmoid", F.sigmoid, ([0.8762],), ([0.207549],)),
    Case("sigmoid far below zero", F.sigmoid, ([-90],), (0,)),
    Case("log_sigmoid", F.logsigmoid, ([[0.8762, -0.1423], [-300, 200]],), ([[0.293966, 0.535515], [1, 0]],)),
    Case("softplus", F.softplus, ([-1, 0, 2],), ([0.268941, 0.5, 0.880797],)),
    Case("softplus far from zero", F.softplus, ([-100, 0, 100],), ([0, 0.5, 1],)),
    Case(
        "gelu",
        lambda x, y: x @ (x @ F.gelu(y)),
        ([[0, 1], [-3, 4]], [[6, -0.5], [9, 10]]),
        ([[1.46281, 1.46281], [48.22866, 153.46280]], [[-15, -1.98757], [17, 17]]),
    ),
    # masks
    Case(
        "mask_fill",
        lambda x, y: bb.masked_fill(x @ y, bools([[True, False], [False, True]]), 2.0),
        (ONE, TWO),
        ([[7, 3], [4, 2]], [[2, 1], [3, 7]]),
    ),
    Case(
        "mask_where",
        lambda x, y, z: bb.where(bools([[True, False], [False, True]]), z, x @ y @ z),
        (ONE, TWO, [[8.8, 9.8], [10.8, 11.8]]),
        ([[121.8, 55], [110.8, 50]], [[27.4, 33.4], [95, 115]], [[15, 18], [23, 29]]),
    ),
    Case("cast", lambda x: x.astype("float64"), ([[1, 2], [3, 4]],), (1,)),
]
