"""Optimizer steps, each in one pass over a parameter and its state.

The formulas and the order of operations are PyTorch's. Options arrive as float64, what depends on them alone
is computed in float64, and the elements are computed in the dtype of the parameter.
"""

from __future__ import annotations

import math
from typing import Any

from backburner_autodiff.kernels._jit import kernel, prange


@kernel("x[...], float, float -> x[...]")
def sgd(g: Any, lr: Any, weight_decay: Any, p: Any) -> None:
    """Take a step against the gradient ``g``: in ``p``."""
    kind = p.dtype.type
    rate, decay = kind(lr), kind(weight_decay)
    decays = weight_decay != 0
    for i in prange(p.size):
        step = g[i] + decay * p[i] if decays else g[i]
        p[i] = p[i] - rate * step


@kernel("x[...], float, float, float, bool, float, bool -> x[...], x[...]")
def sgd_momentum(
    g: Any,
    lr: Any,
    momentum: Any,
    dampening: Any,
    nesterov: Any,
    weight_decay: Any,
    first: Any,
    p: Any,
    b: Any,
) -> None:
    """Take a step along the momentum ``b``, which the ``first`` step sets to the gradient: in ``p`` and ``b``."""
    kind = p.dtype.type
    rate, decay = kind(lr), kind(weight_decay)
    keep = kind(0) if first else kind(momentum)
    take = kind(1) if first else kind(1 - dampening)
    ahead = kind(momentum)
    decays = weight_decay != 0
    for i in prange(p.size):
        step = g[i] + decay * p[i] if decays else g[i]
        moved = take * step if first else keep * b[i] + take * step
        b[i] = moved
        p[i] = p[i] - rate * (step + ahead * moved if nesterov else moved)


@kernel("x[...], float, float, float, float, int, float, bool -> x[...], x[...], x[...]", cost=2)
def adam(
    g: Any, lr: Any, beta1: Any, beta2: Any, eps: Any, step: Any, weight_decay: Any, decoupled: Any,
    p: Any, m: Any, v: Any,
) -> None:  # fmt: skip
    """Take Adam's step number ``step``, from 1, or AdamW's if the decay is ``decoupled``: in ``p, m, v``.

    ``m`` and ``v`` hold the moments, zeros before the first step.
    """
    kind = p.dtype.type
    rate = kind(lr / (1 - beta1**step))
    correction = kind(math.sqrt(1 - beta2**step))
    shrink = kind(1 - lr * weight_decay) if decoupled else kind(1)
    decay = kind(0) if decoupled else kind(weight_decay)
    decays = decay != 0
    share1, keep1 = kind(1 - beta1), kind(beta1)
    share2, keep2 = kind(1 - beta2), kind(beta2)
    tiny = kind(eps)
    near = beta1 > 0.5
    for i in prange(p.size):
        old = shrink * p[i]
        grad = g[i] + decay * old if decays else g[i]
        # PyTorch's lerp starts from the end that is nearer.
        moved = m[i] + share1 * (grad - m[i]) if near else grad - keep1 * (grad - m[i])
        square = keep2 * v[i] + share2 * grad * grad
        m[i] = moved
        v[i] = square
        p[i] = old - rate * (moved / (math.sqrt(square) / correction + tiny))
