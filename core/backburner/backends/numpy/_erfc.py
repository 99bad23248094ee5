"""The complementary error function, which NumPy lacks."""

from __future__ import annotations

import numpy as np

from backburner.backends.numpy._erf import _P as _ERF
from backburner.backends.numpy._erf import _polynomial
from backburner.contracts import Array

# erfc(a) = exp(-a**2) * P((a - k) / (a + k)) / (1 + 2 * a) for a >= 0, the substitution of Shepherd and Laframboise,
# "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x", Math. Comp. 36 (1981). P was fitted for this file at Chebyshev
# points to 50 digits, up to the bound beyond which erfc underflows: 4e-9 relative for float32, 2e-17 for float64.
# Highest power first.
_BOUND = {"f": 11.0, "d": 28.0}
_K = {"f": 3.0, "d": 3.75}
_P_FLOAT32 = (
    -0.00026900680224386126,
    -0.0007758974229633464,
    0.002009782326800982,
    0.0025729044604020654,
    -0.023800059008716082,
    0.0682927481142939,
    -0.11927094404742608,
    0.12964685753558736,
    -0.04756237295495716,
    -0.13562115555162374,
    1.2530080586227814,
)
_P_FLOAT64 = (
    -2.4108215365422332e-09,
    -8.782125734803521e-10,
    3.285083556233316e-08,
    1.5996335215573707e-08,
    -2.5261465267715506e-07,
    -4.815839621672849e-08,
    1.7481190468391965e-06,
    -9.801666755858578e-07,
    -1.1442990926805438e-05,
    2.2387259638230133e-05,
    5.1648913469599865e-05,
    -0.00029015496529570924,
    0.00029371366631088616,
    0.001755626017152004,
    -0.009746579553431873,
    0.028362277400457724,
    -0.05869339859030941,
    0.09230432116153116,
    -0.10880393014171236,
    0.08227673849011204,
    0.003585415485463779,
    -0.1402405985855467,
    1.2375126308378275,
)
_P = {"f": _P_FLOAT32, "d": _P_FLOAT64}
_BLOCK = 16384  # elements at once, so that the temporaries stay in the cache


def erfc(x: Array, /) -> Array:
    """Return the complementary error function of floats, within 5 units in the last place."""
    y = np.asarray(np.array(x, order="K"))  # dense, and ours to write over
    flat = y.ravel("K")
    with np.errstate(under="ignore"):
        for start in range(0, flat.size, _BLOCK):
            part = flat[start : start + _BLOCK]
            part[...] = _erfc(part.astype(np.float64, copy=False), y.dtype.char)
    return y


def _erfc(x: Array, kind: str) -> Array:
    """Return erfc of float64 with the accuracy that the dtype ``kind`` needs."""
    a = np.minimum(np.abs(x), _BOUND[kind])
    y = _polynomial(_P[kind], (a - _K[kind]) / (a + _K[kind]))
    y /= 1 + 2 * a
    if kind == "f":
        y *= np.exp(-(a * a))
    else:
        # The rounding of a**2 would be magnified by exp: split it into an exact square and a small rest.
        coarse = np.rint(a * 16) / 16
        y *= np.exp(-(coarse * coarse))
        y *= np.exp((coarse - a) * (coarse + a))
    y = np.where(x < 0, 2 - y, y)
    near = a < 0.5
    if near.any():  # where 1 - erf loses nothing and rounds less often
        np.minimum(a, 0.5, out=a)
        y = np.where(near, 1 - np.copysign(a + a * _polynomial(_ERF[kind], a * a), x), y)
    return y
