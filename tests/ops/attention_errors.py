"""What attention refuses; see ``errors.py``."""

from __future__ import annotations

import numpy as np

import backburner as bb
from backburner.nn.functional import scaled_dot_product_attention as attend
from ops.errors import A, Bad, S, T

q, k, v = bb.zeros((2, 4, 3, 5)), bb.zeros((2, 2, 6, 5)), bb.zeros((2, 2, 6, 7))
one = bb.zeros((3, 5))
_OP = "scaled_dot_product_attention"
_ALL = "query [2, 4, 3, 5], key [2, 2, 6, 5], value [2, 2, 6, 7]."

REFUSED = (
    Bad(lambda: attend(q, k, v), S, f"{_OP}: shapes do not broadcast: [2, 4] and [2, 2]."),
    Bad(lambda: attend(q, v, v), S, f"{_OP}: query and key differ in the last dimension: query [2, 4, 3, 5], key [2, 2, 6, 7], value [2, 2, 6, 7]."),
    Bad(lambda: attend(one, one, one[:2]), S, f"{_OP}: key and value differ in number: query [3, 5], key [3, 5], value [2, 5]."),
    Bad(lambda: attend(one[0], one, one), S, f"{_OP}: needs at least two dimensions: query [5], key [3, 5], value [3, 5]."),
    Bad(lambda: attend(one, one, one, enable_gqa=True), S, f"{_OP}: enable_gqa needs an axis of heads: query [3, 5], key [3, 5], value [3, 5]."),
    Bad(lambda: attend(q[:, :3], k, v, enable_gqa=True), S,
        f"{_OP}: the heads of key and value do not divide those of the query: query [2, 3, 3, 5], key [2, 2, 6, 5], value [2, 2, 6, 7]."),
    Bad(lambda: attend(q, k[:, :0], v, enable_gqa=True), S,
        f"{_OP}: the heads of key and value do not divide those of the query: query [2, 4, 3, 5], key [2, 0, 6, 5], value [2, 2, 6, 7]."),
    Bad(lambda: attend(q, k, v, bb.zeros((3, 5)), enable_gqa=True), S,
        f"{_OP}: attn_mask [3, 5] does not broadcast to the scores, [2, 4, 3, 6]."),
    Bad(lambda: attend(one, one, one, bb.zeros((1, 3, 3))), S, f"{_OP}: attn_mask [1, 3, 3] does not broadcast to the scores, [3, 3]."),
    Bad(lambda: attend(one, one, one, bb.ones((3, 3), dtype="int64")), T,
        f"{_OP}: attn_mask must be bool or float, got int64. Compare, or use astype."),
    Bad(lambda: attend(one, one, one, np.ones((3, 3), bool)), T, f"{_OP}: attn_mask: the input is a NumPy array of shape [3, 3]. Use bb.asarray on it."),
    Bad(lambda: attend(one, one, None), T, f"{_OP}: the input is a NoneType, not a Tensor. Use bb.tensor."),
    Bad(lambda: attend(one, one, one, dropout_p=1.5), A, f"{_OP}: dropout_p must be in [0, 1], got 1.5."),
    Bad(lambda: attend(one, one, one, dropout_p=float("nan")), A, f"{_OP}: dropout_p is NaN."),
    Bad(lambda: attend(one, one, one, scale=float("nan")), A, f"{_OP}: scale is NaN."),
    Bad(lambda: attend(one, one, one, scale="1"), T, f"{_OP}: scale: str is not a Tensor or a number. Use bb.tensor."),
)  # fmt: skip
