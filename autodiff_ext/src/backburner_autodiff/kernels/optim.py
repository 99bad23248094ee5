"""Optimizer steps, each in one pass over a parameter and its state; and the norm of gradients.

The formulas are PyTorch's, or those of the paper where it has none. Options arrive as float64, what depends on
them alone is computed in float64, and the elements are computed in the dtype of the parameter. ``sign`` is -1
to go up the gradient and 1 to go down.

State that an option asks for has a kernel of its own: a conditional store becomes a masked one, and those are very
slow where the memory behind the mask is not there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backburner_autodiff.kernels._jit import kernel, prange, subroutine

BLOCK = 4096
"""Elements whose squares are summed in one go."""


@kernel("x[...], float, float, float -> x[...]")
def sgd(g: Any, sign: Any, lr: Any, weight_decay: Any, p: Any) -> None:
    """Take a step against the gradient ``g``: in ``p``."""
    kind = p.dtype.type
    rate, decay, way = kind(lr), kind(weight_decay), kind(sign)
    decays = weight_decay != 0
    for i in prange(p.size):
        step = way * g[i] + decay * p[i] if decays else way * g[i]
        p[i] = p[i] - rate * step


@kernel("x[...], float, float, float, float, bool, float, bool -> x[...], x[...]")
def sgd_momentum(
    g: Any, sign: Any, lr: Any, momentum: Any, dampening: Any, nesterov: Any, weight_decay: Any, first: Any,
    p: Any, b: Any,
) -> None:  # fmt: skip
    """Take a step along the momentum ``b``, which the ``first`` step sets to the gradient: in ``p`` and ``b``."""
    kind = p.dtype.type
    rate, decay, way = kind(lr), kind(weight_decay), kind(sign)
    keep = kind(0) if first else kind(momentum)
    take = kind(1) if first else kind(1 - dampening)
    ahead = kind(momentum)
    decays = weight_decay != 0
    for i in prange(p.size):
        step = way * g[i] + decay * p[i] if decays else way * g[i]
        moved = take * step if first else keep * b[i] + take * step
        b[i] = moved
        p[i] = p[i] - rate * (step + ahead * moved if nesterov else moved)


@subroutine
def _mean(last: Any, new: Any, share: Any, keep: Any, near: Any) -> Any:
    """Take a ``share`` of what is new into a mean, from the end that is nearer, as PyTorch's lerp does."""
    return last + share * (new - last) if near else new - keep * (new - last)


@kernel(
    "x[...], float, float, float, float, float, float, float, float, float, bool -> x[...], x[...], x[...]",
    cost=2,
)
def adam(
    g: Any, sign: Any, shrink: Any, weight_decay: Any, beta1: Any, beta2: Any, along_m: Any, along_g: Any,
    scale: Any, eps: Any, adaptive: Any,
    p: Any, m: Any, v: Any,
) -> None:  # fmt: skip
    """Take a step of Adam, AdamW, NAdam or RAdam: in ``p`` and the moments ``m`` and ``v``.

    What they differ in is in the options: a parameter becomes ``shrink * p`` less
    ``along_m * m + along_g * g``, which is divided by ``sqrt(v) * scale + eps`` where the step is ``adaptive``.
    """
    kind = p.dtype.type
    way, kept, decay = kind(sign), kind(shrink), kind(weight_decay)
    decays = decay != 0
    share1, keep1, near = kind(1 - beta1), kind(beta1), beta1 > 0.5
    share2, keep2 = kind(1 - beta2), kind(beta2)
    by_m, by_g, width, tiny = kind(along_m), kind(along_g), kind(scale), kind(eps)
    for i in prange(p.size):
        old = kept * p[i]
        grad = way * g[i] + decay * old if decays else way * g[i]
        moved = _mean(m[i], grad, share1, keep1, near)
        square = keep2 * v[i] + share2 * grad * grad
        m[i], v[i] = moved, square
        under = math.sqrt(square) * width + tiny if adaptive else kind(1)
        p[i] = old - (by_m * moved + by_g * grad) / under


@kernel(
    "x[...], float, float, float, float, float, float, float, float -> x[...], x[...], x[...], x[...]", cost=2
)
def amsgrad(
    g: Any, sign: Any, shrink: Any, weight_decay: Any, beta1: Any, beta2: Any, along_m: Any, scale: Any, eps: Any,
    p: Any, m: Any, v: Any, greatest: Any,
) -> None:  # fmt: skip
    """Take Adam's step with the ``greatest`` mean of squares so far in the place of ``v``: in the outputs."""
    kind = p.dtype.type
    way, kept, decay = kind(sign), kind(shrink), kind(weight_decay)
    decays = decay != 0
    share1, keep1, near = kind(1 - beta1), kind(beta1), beta1 > 0.5
    share2, keep2 = kind(1 - beta2), kind(beta2)
    by_m, width, tiny = kind(along_m), kind(scale), kind(eps)
    for i in prange(p.size):
        old = kept * p[i]
        grad = way * g[i] + decay * old if decays else way * g[i]
        moved = _mean(m[i], grad, share1, keep1, near)
        square = keep2 * v[i] + share2 * grad * grad
        most = square if square > greatest[i] or square != square else greatest[i]
        m[i], v[i], greatest[i] = moved, square, most
        p[i] = old - by_m * moved / (math.sqrt(most) * width + tiny)


@kernel("x[...], float, float, float, float, float, float -> x[...], x[...], x[...]", cost=2)
def adamax(
    g: Any, sign: Any, rate: Any, weight_decay: Any, beta1: Any, beta2: Any, eps: Any, p: Any, m: Any, u: Any
) -> None:
    """Take a step along the mean ``m`` over the weighted maximum ``u`` of the gradients: in ``p, m, u``."""
    kind = p.dtype.type
    way, decay, pace = kind(sign), kind(weight_decay), kind(rate)
    decays = decay != 0
    share1, keep1, near = kind(1 - beta1), kind(beta1), beta1 > 0.5
    keep2, tiny = kind(beta2), kind(eps)
    for i in prange(p.size):
        grad = way * g[i] + decay * p[i] if decays else way * g[i]
        moved = _mean(m[i], grad, share1, keep1, near)
        size, faded = abs(grad) + tiny, keep2 * u[i]
        most = size if size > faded or size != size else faded
        m[i] = moved
        u[i] = most
        p[i] = p[i] - pace * (moved / most)


@kernel("x[...], float, float, float, float, float, float -> x[...], x[...]", cost=2)
def rmsprop(
    g: Any, sign: Any, rate: Any, weight_decay: Any, keep: Any, share: Any, eps: Any, p: Any, v: Any
) -> None:
    """Take a step of RMSprop or Adagrad: in ``p`` and ``v``, which becomes ``keep * v + share * g * g``."""
    kind = p.dtype.type
    way, decay, pace = kind(sign), kind(weight_decay), kind(rate)
    decays = decay != 0
    kept, taken, tiny = kind(keep), kind(share), kind(eps)
    for i in prange(p.size):
        grad = way * g[i] + decay * p[i] if decays else way * g[i]
        square = kept * v[i] + taken * grad * grad
        v[i] = square
        p[i] = p[i] - pace * (grad / (math.sqrt(square) + tiny))


@kernel("x[...], float, float, float, float, float, float -> x[...], x[...], x[...]", cost=2)
def rmsprop_momentum(
    g: Any,
    sign: Any,
    rate: Any,
    weight_decay: Any,
    alpha: Any,
    eps: Any,
    momentum: Any,
    p: Any,
    v: Any,
    b: Any,
) -> None:
    """Take a step of RMSprop along the momentum ``b``: in ``p, v, b``."""
    kind = p.dtype.type
    way, decay, pace = kind(sign), kind(weight_decay), kind(rate)
    decays = decay != 0
    kept, taken, tiny, ahead = kind(alpha), kind(1 - alpha), kind(eps), kind(momentum)
    for i in prange(p.size):
        grad = way * g[i] + decay * p[i] if decays else way * g[i]
        square = kept * v[i] + taken * grad * grad
        move = ahead * b[i] + grad / (math.sqrt(square) + tiny)
        v[i], b[i] = square, move
        p[i] = p[i] - pace * move


@kernel("x[...], float, float, float, float, float, float -> x[...], x[...], x[...], x[...]", cost=2)
def rmsprop_centered(
    g: Any, sign: Any, rate: Any, weight_decay: Any, alpha: Any, eps: Any, momentum: Any,
    p: Any, v: Any, a: Any, b: Any,
) -> None:  # fmt: skip
    """Take a step of RMSprop over the variance, by the mean ``a`` of the gradients: in ``p, v, a, b``."""
    kind = p.dtype.type
    way, decay, pace = kind(sign), kind(weight_decay), kind(rate)
    decays = decay != 0
    kept, taken, tiny, ahead = kind(alpha), kind(1 - alpha), kind(eps), kind(momentum)
    near = alpha > 0.5
    for i in prange(p.size):
        grad = way * g[i] + decay * p[i] if decays else way * g[i]
        square = kept * v[i] + taken * grad * grad
        mean = _mean(a[i], grad, taken, kept, near)
        variance = square - mean * mean
        # Rounding can bring a variance of 0 below it, whose root would be NaN for good.
        variance = kind(0) if variance < 0 else variance
        move = ahead * b[i] + grad / (math.sqrt(variance) + tiny)
        v[i], a[i], b[i] = square, mean, move
        p[i] = p[i] - pace * move


@kernel("x[...], float, float, float, float, float -> x[...], x[...], x[...]", cost=2)
def adadelta(
    g: Any, sign: Any, lr: Any, weight_decay: Any, rho: Any, eps: Any, p: Any, v: Any, u: Any
) -> None:
    """Take a step as long as the last ones, ``u`` their mean square and ``v`` the gradients': in ``p, v, u``."""
    kind = p.dtype.type
    way, decay, rate = kind(sign), kind(weight_decay), kind(lr)
    decays = decay != 0
    kept, taken, tiny = kind(rho), kind(1 - rho), kind(eps)
    for i in prange(p.size):
        grad = way * g[i] + decay * p[i] if decays else way * g[i]
        square = kept * v[i] + taken * grad * grad
        step = kind(math.sqrt(u[i] + tiny)) / kind(math.sqrt(square + tiny)) * grad
        v[i] = square
        u[i] = kept * u[i] + taken * step * step
        p[i] = p[i] - rate * step


@kernel("x[...], float, float, float, float, float -> x[...], x[...]")
def lion(g: Any, sign: Any, lr: Any, shrink: Any, beta1: Any, beta2: Any, p: Any, m: Any) -> None:
    """Take a step of length ``lr`` in every element, along the sign of a mean of ``g`` and ``m``: in ``p`` and ``m``."""
    kind = p.dtype.type
    way, kept, rate = kind(sign), kind(shrink), kind(lr)
    share1, keep1 = kind(1 - beta1), kind(beta1)
    share2, keep2 = kind(1 - beta2), kind(beta2)
    for i in prange(p.size):
        grad = way * g[i]
        mean = keep1 * m[i] + share1 * grad
        one = kind(1) if mean > 0 else (kind(-1) if mean < 0 else mean)  # 0 and NaN stay
        m[i] = keep2 * m[i] + share2 * grad
        p[i] = kept * p[i] - rate * one


@kernel(
    "x[...], float, float, float, float, float, float, float, float, float, float, bool "
    "-> x[...], x[...], x[...], x[...], x[...]",
    cost=3,
)
def adan(
    g: Any, sign: Any, shrink: Any, grow: Any, beta1: Any, beta2: Any, beta3: Any, along_m: Any, along_v: Any,
    scale: Any, eps: Any, first: Any,
    p: Any, m: Any, v: Any, n: Any, before: Any,
) -> None:  # fmt: skip
    """Take a step along the means of the gradients, ``m``, and of their differences, ``v``: in the outputs.

    ``n`` is the mean square of what Nesterov's gradient is taken to be, ``before`` the last gradient.
    A parameter becomes ``(shrink * p - step) * grow``.
    """
    kind = p.dtype.type
    way, kept, grown = kind(sign), kind(shrink), kind(grow)
    share1, keep1 = kind(1 - beta1), kind(beta1)
    share2, keep2 = kind(1 - beta2), kind(beta2)
    share3, keep3 = kind(1 - beta3), kind(beta3)
    by_m, by_v, width, tiny = kind(along_m), kind(along_v), kind(scale), kind(eps)
    for i in prange(p.size):
        grad = way * g[i]
        change = kind(0) if first else grad - before[i]
        ahead = grad + keep2 * change
        mean = keep1 * m[i] + share1 * grad
        drift = keep2 * v[i] + share2 * change
        square = keep3 * n[i] + share3 * ahead * ahead
        m[i], v[i], n[i], before[i] = mean, drift, square, grad
        p[i] = (kept * p[i] - (by_m * mean + by_v * drift) / (math.sqrt(square) * width + tiny)) * grown


@kernel("x[...] -> float[:]", fastmath=True)
def squares(g: Any, total: Any) -> None:
    """Sum the squares of each block of elements in float64: in ``total``, one for a block."""
    for block in prange(total.size):
        part = 0.0
        row = g[block * BLOCK : min((block + 1) * BLOCK, g.size)]  # indices from 0 make vector code
        for i in range(row.size):
            one = np.float64(row[i])
            part += one * one
        total[block] = part
