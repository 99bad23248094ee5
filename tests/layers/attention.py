"""Attention."""

from __future__ import annotations

from layers._row import Refused, Row, Unfit, mask, real

_Q, _K = real(3, 2, 4), real(5, 2, 4)
_LAYER = "MultiheadAttention"

ROWS = [
    Row(_LAYER, (4, 2), inputs=(_Q, _K, _K),
        refused=(Refused("num_heads=3 does not divide embed_dim=4", (4, 3)), Refused("dropout must be in", (4, 2, -0.1)),
                 Refused("kdim must be at least 1", (4, 2), {"kdim": 0})),
        unfit=(Unfit("the shapes do not fit", ((3, 2, 4), (5, 2, 4), (4, 2, 4))),
               Unfit("the key must have 4 features", ((3, 2, 4), (5, 2, 3), (5, 2, 4))))),
    Row(_LAYER, (4, 2), {"bias": False, "batch_first": True}, inputs=(real(2, 3, 4), real(2, 5, 4), real(2, 5, 4)),
        call={"average_attn_weights": False, "key_padding_mask": mask(2, 5)}),
    Row(_LAYER, (4, 2), {"kdim": 3, "vdim": 5}, inputs=(_Q, real(5, 2, 3), real(5, 2, 5)),
        call={"need_weights": False, "attn_mask": real(4, 3, 5)}),
    Row(_LAYER, (4, 2), {"add_bias_kv": True}, inputs=(_Q, _K, _K), call={"attn_mask": mask(3, 5)}),
    Row(_LAYER, (4, 2), {"add_zero_attn": True, "add_bias_kv": True, "bias": False, "kdim": 3},
        inputs=(_Q, real(5, 2, 3), _K), call={"key_padding_mask": real(2, 5), "attn_mask": real(3, 5), "need_weights": False}),
    Row(_LAYER, (4, 1), {"add_zero_attn": True}, inputs=(real(3, 4), real(5, 4), real(5, 4)),
        call={"key_padding_mask": mask(5), "attn_mask": mask(1, 3, 5)}),
    Row(_LAYER, (4, 2, 0.5), inputs=(_Q, _K, _K), training="draws"),
    Row(_LAYER, (4, 2, 0.5), {"batch_first": True}, inputs=(real(2, 3, 4), real(2, 5, 4), real(2, 5, 4)),
        call={"need_weights": False}, training="draws"),
]  # fmt: skip
