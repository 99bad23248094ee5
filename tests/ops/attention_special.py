"""Masked rows, and NaN and infinities where no key takes part; see ``special.py``."""

from __future__ import annotations

from typing import Any

import backburner as bb
from backburner.nn import functional
from ops.special import Special, inf, nan

EYE, KEYS, VALUES = [[1, 0], [0, 1]], [[1, 1], [2, 0]], [[1, 2], [3, 4]]
ZEROS = [[0, 0], [0, 0]]


def _masked(mask: Any, **options: Any) -> Any:
    """Return attention under a mask of bools, or a float one in the dtype of the query."""

    def call(q: bb.Tensor, k: bb.Tensor, v: bb.Tensor) -> bb.Tensor:
        held = bb.tensor(mask)
        held = held if held.dtype == bb.bool else held.astype(q.dtype)
        return functional.scaled_dot_product_attention(q, k, v, held, **options)

    return call


def _causal(q: bb.Tensor, k: bb.Tensor, v: bb.Tensor) -> bb.Tensor:
    return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


T, F = True, False
B020 = ([[2.339523, 3.339523], [0, 0]],
        ([[0.625594, -0.625594], [0, 0]], [[-0.625594, 0], [0.625594, 0]], [[0.330238] * 2, [0.669762] * 2]))  # fmt: skip
MASKS = {"bools": [[T, T], [F, F]], "a-bias": [[0.0, 0.0], [-inf, -inf]]}
FIRST_ONLY = {"bools": [T, F], "a-bias": [0.0, -inf]}
"""Both rows see the first key only."""

SPECIALS = (
    *(Special(f"B020-attention-of-a-row-without-keys-by-{kind}", _masked(mask), (EYE, KEYS, VALUES), *B020)
      for kind, mask in MASKS.items()),
    *(Special(f"B021-attention-past-{x}-in-a-key-masked-by-{kind}", _masked(mask), (EYE, [[1, 1], [x, x]], VALUES),
              [[1, 2], [1, 2]], (ZEROS, ZEROS, [[2, 2], [0, 0]]))
      for kind, mask in FIRST_ONLY.items() for x in (nan, inf, -inf)),
    *(Special(f"B021-attention-past-{x}-in-a-value-masked-by-{kind}", _masked(mask), (EYE, KEYS, [[1, 2], [x, x]]),
              [[1, 2], [1, 2]], (ZEROS, ZEROS, [[2, 2], [0, 0]]))
      for kind, mask in FIRST_ONLY.items() for x in (nan, inf, -inf)),
    *(Special(f"attention-past-nan-in-a-query-without-keys-by-{kind}", _masked(mask), ([[1, 0], [nan, nan]], KEYS, VALUES),
              B020[0], B020[1])
      for kind, mask in MASKS.items()),
    Special("causal-attention-past-nan-to-come", _causal, (EYE, [[1, 1], [nan, 0]], [[1, 2], [3, nan]]),
            [[1, 2], [nan, nan]]),
    Special("causal-attention-past-an-infinite-value-to-come", _causal, (ZEROS, KEYS, [[1, 2], [inf, -inf]]),
            [[1, 2], [inf, -inf]], (None, None, [[1.5, 1.5], [0.5, 0.5]])),
    Special("attention-to-opposite-infinities", _masked([[T, T], [T, F]]), (ZEROS, KEYS, [[inf, 1], [-inf, nan]]),
            [[nan, nan], [inf, 1]]),
    Special("attention-to-nan", lambda q, k, v: functional.scaled_dot_product_attention(q, k, v),
            (EYE, KEYS, [[1, 2], [nan, 4]]), [[nan, 3.339523], [nan, 2.660477]]),
    Special("attention-of-scores-whose-exp-overflows", _masked([T, T], scale=1000.0), (EYE, KEYS, VALUES), [[3, 4], [1, 2]],
            (ZEROS, ZEROS, [[1, 1], [1, 1]])),
    Special("attention-with-an-infinite-bias-is-nan", _masked([0.0, inf]), (EYE, KEYS, VALUES), [[nan, nan], [nan, nan]]),
)  # fmt: skip
