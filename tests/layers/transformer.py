"""Transformers; stacks of layers are parts of whole ones."""

from __future__ import annotations

from typing import Any

from layers._row import Refused, Row, Unfit, mask, real

_SRC, _TGT, _SMALL = real(4, 2, 4), real(3, 2, 4), (4, 2, 5, 0.0)
_SWAPPED: dict[str, Any] = {"batch_first": True, "norm_first": True, "bias": False}
_REFUSED = (
    Refused("nhead=3 does not divide d_model=4", (4, 3)),
    Refused("activation must be 'relu' or 'gelu'", (4, 2), {"activation": "tanh"}),
    Refused("layer_norm_eps must be at least 0", (4, 2), {"layer_norm_eps": -1.0}),
)
_ENCODER, _DECODER = "TransformerEncoderLayer", "TransformerDecoderLayer"
_UNFIT = "MultiheadAttention: the shapes do not fit"

ROWS = [
    Row(_ENCODER, _SMALL, inputs=(_SRC,), call={"src_mask": real(4, 4)}, refused=_REFUSED,
        unfit=(Unfit("MultiheadAttention: the query must have 4 features", ((4, 2, 6),)), Unfit(_UNFIT, ((4,),)))),
    Row(_ENCODER, (*_SMALL, "gelu", 1e-3), _SWAPPED, inputs=(real(2, 4, 4),),
        call={"src_key_padding_mask": mask(2, 4)}),
    Row(_ENCODER, (*_SMALL, "relu"), {"norm_first": True}, inputs=(real(4, 4),)),
    Row(_ENCODER, (4, 2, 5, 0.5), inputs=(_SRC,), training="draws"),
    Row(_DECODER, _SMALL, inputs=(_TGT, _SRC), call={"tgt_mask": real(3, 3), "memory_mask": real(3, 4)},
        refused=_REFUSED, unfit=(Unfit(_UNFIT, ((3, 2, 4), (4, 1, 4))),)),
    Row(_DECODER, (*_SMALL, "gelu", 1e-3), _SWAPPED, inputs=(real(2, 3, 4), real(2, 4, 4)),
        call={"tgt_key_padding_mask": mask(2, 3), "memory_key_padding_mask": mask(2, 4)}),
    Row(_DECODER, (4, 2, 5), inputs=(real(3, 4), real(4, 4)), training="draws"),
    Row("Transformer", (4, 2, 2, 1, 5, 0.0), inputs=(_SRC, _TGT),
        call={"src_mask": real(4, 4), "tgt_mask": real(3, 3), "memory_mask": real(3, 4)},
        refused=(*_REFUSED, Refused("num_decoder_layers must be at least 1", (4, 2, 1, 0))),
        unfit=(Unfit(r"src \[4, 2, 4\] and tgt \[3, 1, 4\] are not of one batch", ((4, 2, 4), (3, 1, 4))),)),
    Row("Transformer", (4, 2, 1, 2, 5, 0.0, "gelu"), {**_SWAPPED, "layer_norm_eps": 0.1},
        inputs=(real(2, 4, 4), real(2, 3, 4)),
        call={"src_key_padding_mask": mask(2, 4), "memory_key_padding_mask": real(2, 4), "tgt_key_padding_mask": real(2, 3)}),
]  # fmt: skip
