"""What hooks, anomaly mode and ``gradcheck`` refuse; see ``errors.py``."""

from __future__ import annotations

import math
from typing import Any

import backburner as bb
from ops.errors import A, Bad, D, G, S, T, auto, leaf, v

wide = bb.ones((2,), dtype="float64")


def _changed(hook: Any) -> None:
    y = leaf()
    y.register_hook(hook)
    y.sum().backward()


REFUSED_GRAPHS = (
    Bad(lambda: v.register_hook(print), D, "Tensor.register_hook: the tensor is on Device('cpu'), where nothing is recorded."),
    Bad(lambda: v.to(auto()).register_hook(print), G, "register_hook: the tensor has no graph, so no gradient will come."),
    Bad(lambda: leaf().register_hook(3), T, "Tensor.register_hook: 3 is not a function."),
    Bad(lambda: _changed(lambda g: g[:2]), S, "Tensor.register_hook: gradient has shape [2], the tensor [3]."),
    Bad(lambda: _changed(lambda g: g.numpy()), T, "Tensor.register_hook: gradient is a ndarray, not a Tensor."),
    Bad(lambda: bb.gradcheck(bb.exp, v), T, "gradcheck: input 0 is float32, too coarse for differences."),
    Bad(lambda: bb.gradcheck(bb.exp, leaf("float64") * 2), G, "gradcheck: input 0 is the result of a recorded op."),
    Bad(lambda: bb.gradcheck(bb.exp, 3), A, "gradcheck: none of the inputs is a floating tensor."),
    Bad(lambda: bb.gradcheck(lambda x: x > 0, wide), A, "gradcheck: f must return floating tensors, got "),
    Bad(lambda: bb.gradcheck(bb.exp, wide, eps=0), A, "gradcheck: eps must be positive and finite, got 0."),
    Bad(lambda: bb.gradcheck(bb.exp, wide, directional="no"), T, "gradcheck: directional must be True or False, got str."),  # type: ignore[arg-type]
    Bad(lambda: bb.detect_anomaly("no"), T, "detect_anomaly: eager must be True or False, got str."),  # type: ignore[arg-type]
    Bad(lambda: bb.gradcheck(bb.exp, wide, atol=math.nan), A, "gradcheck: atol is NaN."),
    Bad(lambda: bb.gradcheck(lambda x: x * x.detach(), wide), bb.GradcheckError,
        "gradcheck: d output 0[0] / d input 0[0] is 1 by the graph and 2 by differences; 1 of 2 elements are off."),
)  # fmt: skip
