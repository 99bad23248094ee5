"""Activations."""

from __future__ import annotations

from layers._row import Refused, Row, Unfit, real

_X = (real(2, 3, 4),)
_INPLACE = (
    "Hardswish",
    "Mish",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
)
_PLAIN = ("LogSigmoid", "Sigmoid", "Softsign", "Tanh", "Tanhshrink")

ROWS = [
    *(Row(name, inputs=_X) for name in _PLAIN),
    *(Row(name, options=options, inputs=_X) for name in _INPLACE for options in ({}, {"inplace": True})),
    # PyTorch takes 1/6 in float32 for its slope
    *(Row("Hardsigmoid", options=options, inputs=_X, exact=1e-7) for options in ({}, {"inplace": True})),
    Row("CELU", inputs=_X, refused=(Refused("alpha must not be 0", (0,)),)),
    Row("CELU", (0.5, True), inputs=_X),
    Row("ELU", inputs=_X),
    Row("ELU", (0.5,), {"inplace": True}, inputs=_X),
    Row("GELU", inputs=_X, refused=(Refused("approximate must be 'none' or 'tanh', got 'erf'", ("erf",)),)),
    Row("GELU", ("tanh",), inputs=_X),
    Row("GLU", inputs=_X, unfit=(Unfit("glu: axis -1 .* 3", ((2, 3),)),)),
    Row("GLU", (0,), inputs=_X),
    Row("Hardshrink", inputs=_X),
    Row("Hardshrink", (1,), inputs=_X),
    Row("Hardtanh", inputs=_X, refused=(Refused("min_val must be below max_val, got 1 and 0", (1, 0)),)),
    Row("Hardtanh", (-0.5, 2), {"inplace": True}, inputs=_X),
    Row("LeakyReLU", inputs=_X),
    Row("LeakyReLU", (0.2, True), inputs=_X),
    Row("PReLU", inputs=_X, refused=(Refused("num_parameters must be at least 1", (0,)),)),
    Row("PReLU", (3, 0.5), inputs=_X, unfit=(Unfit("prelu: weight must have shape", ((2, 4, 3),)),)),
    Row("RReLU", inputs=_X, training="draws", refused=(Refused("lower 1 is above upper 0", (1, 0)),)),
    Row("RReLU", (0.1, 0.9), {"inplace": True}, inputs=_X, training="draws"),
    Row("Softmax", (1,), inputs=_X, unfit=(Unfit("softmax: axis 1 is out of range", ((2,),)),)),
    Row("Softmax", options={"axis": -1}, inputs=_X),
    Row("LogSoftmax", (1,), inputs=_X, unfit=(Unfit("log_softmax: axis 1 is out of range", ((2,),)),)),
    Row("Softmin", (0,), inputs=_X, unfit=(Unfit("softmin: the input is 0-d", ((),)),)),
    Row("Softmax2d", inputs=(real(2, 3, 2, 2),), unfit=(Unfit(r"\[n, c, h, w\] or \[c, h, w\]", ((2, 3),)),)),
    Row("Softmax2d", inputs=_X),
    Row("Softplus", inputs=_X, refused=(Refused("beta must not be 0", (0,)),)),
    Row("Softplus", (2, 1.5), inputs=_X),
    Row("Softshrink", inputs=_X, refused=(Refused("lambd must be at least 0", (-1.0,)),)),
    Row("Softshrink", (0.25,), inputs=_X),
    Row("Threshold", (0.1, 20), inputs=_X),
    Row("Threshold", (-0.1, 2.5, True), inputs=_X),
]
