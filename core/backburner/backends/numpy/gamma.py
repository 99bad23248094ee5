"""The logarithm of the gamma function, and its derivatives, which NumPy lacks.

All are computed in float64: by a polynomial on an interval around the root, by recurrence to get there, by
Stirling's series far out, and by reflection for negative numbers (Abramowitz and Stegun, 6.1 and 6.3 to 6.4).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from backburner.backends.numpy._erf import _polynomial
from backburner.contracts import Array

# lgamma(2 + z) / z for |z| <= 1/2, fitted for this file at Chebyshev points to 60 digits; the error is 7e-20.
# Highest power first, as below.
_LGAMMA = (
    6.379047507619774e-08,
    -1.3412819758517287e-07,
    2.0304806751615227e-07,
    -4.303558760359961e-07,
    9.578663334114758e-07,
    -2.0449201467015115e-06,
    4.374374916915131e-06,
    -9.438458716242811e-06,
    2.050726741605779e-05,
    -4.4926351103833334e-05,
    9.945750909889392e-05,
    -0.00022315475074520367,
    0.0005096695248853096,
    -0.0011927539120010226,
    0.002890510330738737,
    -0.0073855510286681535,
    0.02058080842778457,
    -0.06735230105319814,
    0.3224670334241132,
    0.42278433509846713,
)
# digamma(3/2 + z) / (3/2 + z - root) for |z| <= 1/2, fitted alike; the error is 3e-18.
_DIGAMMA = (
    0.00011881232908510335,
    -0.0001782188548855923,
    9.653646261410062e-05,
    -0.00014480643368061614,
    0.00032395945401345196,
    -0.00048595039220036254,
    0.0006909255761282986,
    -0.0010364584817312839,
    0.0015633696313653504,
    -0.0023454947397380833,
    0.003518106563802472,
    -0.005279937255532708,
    0.007927021796868154,
    -0.011908220105959716,
    0.017907248317313294,
    -0.026975796659787055,
    0.040760833940846085,
    -0.06192213327548831,
    0.09498872445289039,
    -0.14840492305388092,
    0.24054248424078697,
    -0.4236274212814606,
    0.9510558760318328,
)
_ROOT, _ROOT_REST = 1.4616321449683622, 9.549995429965697e-17  # where digamma is 0, in two parts
_HALF_LOG_TAU_LESS_HALF = 0.5 * math.log(2 * math.pi) - 0.5
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)  # B2, B4, ...
_STIRLING = tuple(b / (2 * k * (2 * k - 1)) for k, b in enumerate(_BERNOULLI, 1))[::-1]
_DIGAMMA_FAR = tuple(b / (2 * k) for k, b in enumerate(_BERNOULLI, 1))[::-1]
_TRIGAMMA_FAR = _BERNOULLI[::-1]
_FAR = 8.0
_BLOCK = 16384  # elements at once, so that the temporaries stay in the cache


def lgamma(x: Array, /) -> Array:
    """Return ``log(|Gamma(x)|)``, within 3 units in the last place for positive numbers."""
    return _blockwise(x, _lgamma)


def digamma(x: Array, /) -> Array:
    """Return the derivative of ``lgamma``, within 4 units in the last place for positive numbers."""
    return _blockwise(x, _digamma)


def trigamma(x: Array, /) -> Array:
    """Return the derivative of ``digamma``."""
    return _blockwise(x, _trigamma)


def _blockwise(x: Array, function: Callable[[Array], Array]) -> Array:
    """Apply a function of float64 vectors, element by element."""
    flat, y = x.reshape(-1), np.empty(x.size, x.dtype)
    with np.errstate(all="ignore"):
        for start in range(0, x.size, _BLOCK):
            part = slice(start, start + _BLOCK)
            y[part] = function(flat[part].astype(np.float64, copy=False))
    return y.reshape(x.shape)


def _apart(x: Array, *regions: tuple[Array, Callable[[Array], Array]]) -> Array:
    """Return NaN but in the regions, in each of which its function is applied."""
    y = np.full(x.shape, np.nan)
    for inside, function in regions:
        if inside.all():
            return function(x)
        if inside.any():
            y[inside] = function(x[inside])
    return y


def _from_pole(x: Array) -> Array:
    """Return the signed distance from the nearest integer, exactly."""
    return np.asarray(x - np.rint(x))


def _lgamma(x: Array) -> Array:
    return _apart(
        x,
        ((x > 0) & (x < 2.5), _lgamma_near),
        ((x >= 2.5) & (x < _FAR), _lgamma_middle),
        (x >= _FAR, _lgamma_far),
        (x <= 0, _lgamma_negative),
    )


def _lgamma_near(x: Array) -> Array:
    """Go up to the interval around 2, by one step or two."""
    low, below = x < 0.5, x < 1.5
    # one step from 1 the argument is 1 + z, whose logarithm is best taken of z
    z = np.where(low, x, np.where(below, x - 1, x - 2))
    log = np.where(low, np.log(x * (x + 1)), np.where(below, np.log1p(x - 1), 0))
    return np.asarray(z * _polynomial(_LGAMMA, z) - log)


def _lgamma_middle(x: Array) -> Array:
    """Go down to the interval around 2."""
    z, factor = x - 2, np.ones_like(x)
    while (step := z >= 0.5).any():
        factor *= np.where(step, z + 1, 1)
        z -= step
    return np.asarray(z * _polynomial(_LGAMMA, z) + np.log(factor))


def _lgamma_far(x: Array) -> Array:
    inverse = 1 / x
    rest = inverse * _polynomial(_STIRLING, inverse * inverse) + _HALF_LOG_TAU_LESS_HALF
    return np.asarray((x - 0.5) * (np.log(x) - 1) + rest)


def _lgamma_negative(x: Array) -> Array:
    size = -x
    sine = np.abs(np.sin(math.pi * _from_pole(size)))
    y = math.log(math.pi) - np.log(size) - np.log(sine) - _lgamma(np.where(sine == 0, 1, size))
    return np.where(sine == 0, np.inf, np.where(np.isinf(x), np.inf, y))


def _digamma(x: Array) -> Array:
    return _apart(
        x,
        ((x > 0) & (x < _FAR), _digamma_near),
        (x >= _FAR, _digamma_far),
        (x <= 0, _digamma_negative),
    )


def _digamma_near(x: Array) -> Array:
    below = x < 1
    y = np.where(below, x + 1, x)
    steps = np.where(below, -1 / x, 0)
    while (step := y > 2).any():
        y -= step
        steps += step / y
    return np.asarray(((y - _ROOT) - _ROOT_REST) * _polynomial(_DIGAMMA, y - 1.5) + steps)


def _digamma_far(x: Array) -> Array:
    square = 1 / (x * x)
    return np.asarray(np.log(x) - 0.5 / x - square * _polynomial(_DIGAMMA_FAR, square))


def _digamma_negative(x: Array) -> Array:
    size = -x
    turn = _from_pole(size)
    y = _digamma(np.where(turn == 0, 1, size)) + 1 / size + math.pi / np.tan(math.pi * turn)
    return np.where(x == 0, np.copysign(np.inf, size), np.where(turn == 0, np.nan, y))


def _trigamma(x: Array) -> Array:
    return _apart(x, (x > 0, _trigamma_positive), (x <= 0, _trigamma_negative))


def _trigamma_positive(x: Array) -> Array:
    y, steps = x.copy(), np.zeros_like(x)
    while (step := y < 10).any():
        steps += step / (y * y)
        y += step
    inverse = 1 / y
    square = inverse * inverse
    far = inverse + 0.5 * square + inverse * square * _polynomial(_TRIGAMMA_FAR, square)
    return np.asarray(far + steps)


def _trigamma_negative(x: Array) -> Array:
    sine = np.sin(math.pi * _from_pole(x))
    return np.asarray((math.pi / sine) ** 2 - _trigamma_positive(1 - x))
