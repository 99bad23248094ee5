"""Programs whose graphs branch, join, share and broadcast."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import backburner as bb
from backburner import Tensor
from burn_cases._case import FOUR, ONE, TWO, WIDE, Case, bools

FIRST = np.zeros((16, 5, 5))
FIRST[0] = 1
ONES = [1, 1]
LONG = (
    [[12255631e6, 8076727.3e6], [10450691e6, 8704954e6]],
    [[17459151e6, 15028745e6], [14354680e6, 11433980e6]],
)
CROSSED = [[True, False], [False, True]]


def sevens(corner: float) -> list[list[float]]:
    """Return a matrix of sevens but for its first element."""
    return [[corner, 7], [7, 7]]


def mix(x: Tensor, y: Tensor) -> Tensor:
    """Return a matrix that has its diagonal from the second."""
    return bb.where(bools(CROSSED), y, x)


def fill(x: Tensor, value: float) -> Tensor:
    """Return a matrix with another diagonal."""
    return bb.masked_fill(x, bools(CROSSED), value)


def complicated(a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor) -> Tensor:
    shared = d + e
    middle = (c @ d) @ shared
    return (mix(a, b) * middle) @ (middle * (shared + 11.0))


def one_untracked(a: Tensor, b: Tensor) -> Tensor:
    shared = a + b
    product = (shared + 11.0) @ (shared + 11.0)
    return fill(product, 11.0) + (product + shared)


def duplicates(a: Tensor) -> Tensor:
    square = a * a
    triple = (a + a) + a
    right = a + (a + triple) * (square @ triple) + 9.0
    return mix(a @ a, mix(a, a)) @ right


def half_tracked(a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor, f: Tensor) -> Tensor:
    return mix(a * b, c) @ ((d + e) @ f)


def very_complex(a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor) -> Tensor:
    start = a + 8.0
    product = start * b
    seventh = product @ product
    tenth = mix(start, b * start)
    seventeenth = mix(tenth, c + (seventh + 7.0)) @ b
    eighteenth = e @ (c * c) + tenth * seventh
    return eighteenth * mix(fill(d, 8.0), seventeenth) + 8.0


def in_turn(a: Tensor, b: Tensor) -> Tensor:
    """Return a long product, of which two branches are made one after the other."""
    c = a @ b
    d = c @ b @ c
    return (d @ b @ a) @ (d @ a @ b)


def at_once(a: Tensor, b: Tensor) -> Tensor:
    """Return the same, its branches made by two threads."""
    c = a @ b
    d = c @ b @ c
    with ThreadPoolExecutor(2) as threads:
        left, right = threads.map(lambda pair: d @ pair[0] @ pair[1], [(b, a), (a, b)])
    return left @ right


def there_and_back(a: Tensor, b: Tensor) -> Tensor:
    product = a.astype("float64") @ b.astype("float64")
    return product.astype("float32") * a / b


def squared(then: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Return a program of a square, which is used more than once."""
    return lambda x: then(x * x)


def spread(
    name: str, program: Callable[..., Tensor], inputs: tuple[Any, Any], grads: tuple[Any, Any]
) -> Case:
    """Return a case of one matrix of sixteen against four."""
    return Case(f"broadcast, {name}", lambda w, x: program(w[:1], x), inputs, grads)


NOTHING = (np.zeros((16, 5, 5)), np.zeros((4, 5, 5)))

CASES = [
    Case(
        "complex, two products and a factor",
        lambda x, y: (x @ y @ x) * y,
        (WIDE, TWO),
        ([[593, 463], [487, 539]], [[734, 294], [1414, 242]]),
    ),
    Case(
        "complex, and a term",
        lambda x, y: (x @ y @ x) + 17.0 + y,
        (WIDE, TWO),
        ([[166, 110], [212, 156]], [[113, 141], [33, 41]]),
    ),
    Case(
        "complex, twice the same product",
        lambda x, y: (z := x @ y @ x) - y + z,
        (WIDE, TWO),
        ([[332, 220], [424, 312]], [[223, 279], [63, 79]]),
    ),
    # Burn asks of these programs only that they run; the numbers are PyTorch's
    Case(
        "checkpoint, complicated",
        complicated,
        tuple(map(sevens, (0, 0.1, 0.2, 0.3, 0.4))),
        (
            [[0, 121670360], [61193399, 0]],
            [[32164037, 0], [0, 182395450]],
            [[99713319, 180933780], [214438360, 333216290]],
            [[186446520, 330248640], [338817420, 519001840]],
            [[59925684, 118383650], [129863870, 213805310]],
        ),
    ),
    Case(
        "checkpoint, one untracked",
        one_untracked,
        (sevens(0), sevens(0.1)),
        ([[123.2, 123.2], [123.2, 151]], None),
    ),
    Case(
        "checkpoint, many duplicates", duplicates, (sevens(4),), ([[2491881, 3077017], [2801911, 3981639]],)
    ),
    Case(
        "checkpoint, a chain of sums",
        lambda a, b, c, d, e: (a + b + c + d + e) * b,
        tuple(map(sevens, (0, 0.1, 0.2, 0.3, 0.4))),
        (sevens(0.1), None, *[sevens(0.1)] * 3),
    ),
    Case(
        "checkpoint, half untracked",
        half_tracked,
        tuple(map(sevens, (0, 0.1, 0.2, 0.3, 0.4, 0.5))),
        (None, None, None, [[369, 688.8], [420, 784]], [[369, 688.8], [420, 784]], [[818.44], [1472.8]]),
    ),
    Case(
        "checkpoint, very complex",
        very_complex,
        tuple(map(sevens, (0, 0.1, 0.2, 0.3, 0.4))),
        (
            [[1334716.7, 23844722000], [23860870000, 71541647000]],
            None,
            [[1129.2782, 15146233], [119097.83, 31358432]],
            [[0, 166997.6], [166978.28, 0]],
            [[391.33136, 59548.916], [7573097.3, 7573440]],
        ),
    ),
    Case("two threads", at_once, (WIDE, TWO), LONG),
    Case("one thread", in_turn, (WIDE, TWO), LONG),
    Case(
        "another precision between",
        there_and_back,
        (ONE, TWO),
        ([[12.5, 7.5], [18, 12.666667]], [[1.125, -1], [-2.25, 2.333333]]),
    ),
    Case(
        "a tree of four leaves",
        lambda a, b, c, d: (a * b) * (c * d),
        (FOUR, FOUR, FOUR, FOUR),
        ([[1, 8], [27, 64]],) * 4,
    ),
    Case(
        "a tree that uses itself",
        lambda a, b, c: (d := a * b) * (c * d),
        (FOUR, FOUR, FOUR),
        ([[2, 32], [162, 512]], [[2, 32], [162, 512]], [[1, 16], [81, 256]]),
    ),
    Case(
        "a detached factor",
        lambda a, b, c: (a * b).detach() * c + a,
        (FOUR, FOUR, FOUR),
        (1, None, [[1, 4], [9, 16]]),
    ),
    Case("two losses of one square", squared(lambda y: y.sum() + (y * 3.0).sum()), ([2, 3],), ([16, 24],)),
    Case("a leaf beside what is deeper", lambda x: x * 2.0 * 3.0 + x, (ONES,), (7,)),
    Case("a leaf joined with what is deeper", lambda x: bb.concat([x, x * 2.0 * 3.0, x]), (ONES,), (8,)),
    Case("a step joined with what is deeper", lambda x: bb.concat([y := x * 2.0, y * 3.0]), (ONES,), (8,)),
    spread("mul", lambda w, x: w * x, NOTHING, (0, 0)),
    spread("div", lambda w, x: w / x, (np.ones((16, 5, 5)), np.ones((4, 5, 5))), (FIRST * 4, -1)),
    spread("sub", lambda w, x: w - x, NOTHING, (FIRST * 4, -1)),
    spread("add", lambda w, x: w + x, NOTHING, (FIRST * 4, 1)),
    spread("matmul", lambda w, x: w @ x, NOTHING, (0, 0)),
    spread("mask_where", lambda w, x: bb.where(x == 4, x, w), NOTHING, (FIRST * 4, 0)),
]
