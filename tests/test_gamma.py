"""Functions that neither NumPy nor ``math`` has are right to a few units in the last place: values to 40 digits."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from backburner.backends.numpy import elementwise, gamma
from ops import Array

XS = (1e-9, 0.25, 0.7, 0.999999, 1.000001, 1.25, 1.4616321449683622, 1.9999, 2.0000001, 2.75, 5.5, 7.999, 8.0, 33.3, 1e6,
      1e200)  # fmt: skip
LGAMMA = (20.723265836369194, 1.2880225246980774, 0.26086724653166654, 5.772164873855652e-07, -5.772148423874147e-07,
          -0.09827183642181316, -0.12148629053584961, -4.227520877215346e-05, 4.227843666532498e-08, 0.47521466691493713,
          3.9578139676187165, 8.523145786158915, 8.525161361065415, 82.60372358165495, 12815504.569147611,
          4.595170185988091e202)  # fmt: skip
DIGAMMA = (-1000000000.5772156, -4.2274535333762655, -1.2200235536979347, -0.5772173098368019, -0.5772140199686682,
           -0.22745353337626542, -9.241265521729427e-17, 0.42271983967113097, 0.4227843995918717, 0.8189010249754326,
           1.6110931485817512, 2.015508332090348, 2.01564147795561, 3.490467238520243, 13.815510057964191,
           460.51701859880916)  # fmt: skip
TRIGAMMA = (9.999999999999999e17, 17.19732915450711, 2.834049156694611, 1.6449364709652798, 1.6449316627376673,
            1.1973291545071107, 0.9676722454476212, 0.6449744806987031, 0.6449340264368484, 0.43757125764893073,
            0.19934238698962767, 0.1331547166131586, 0.1331370146940314, 0.030485444095338887, 1.0000005000001667e-06,
            1e-200)  # fmt: skip
US = (1e-300, 1e-5, 0.3, 0.5, 0.9, 0.999, 0.9999999, 1 - 2.0**-53, -0.25)
ERFINV = (8.86226925452758e-301, 8.862269254759594e-06, 0.2724627147267543, 0.4769362762044699, 1.1630871536766743,
          2.3267537655135246, 3.7665625816384707, 5.8635847487551676, -0.2253120550121781)  # fmt: skip


@pytest.mark.parametrize(
    ("function", "xs", "values"),
    [
        (gamma.lgamma, XS, LGAMMA),
        (gamma.digamma, XS, DIGAMMA),
        (gamma.trigamma, XS, TRIGAMMA),
        (elementwise.erfinv, US, ERFINV),
    ],
)
def test_a_value_is_right_to_a_few_units_in_the_last_place(
    function: Callable[[Array], Array], xs: tuple[float, ...], values: tuple[float, ...]
) -> None:
    right = np.array(values)
    assert np.max(np.abs(function(np.array(xs)) - right) / np.spacing(np.abs(right))) <= 6


def test_lgamma_is_that_of_c_everywhere() -> None:
    x = np.concatenate([np.linspace(-30.3, 30, 5000), np.exp(np.linspace(-100, 100, 500))])
    np.testing.assert_allclose(gamma.lgamma(x), [math.lgamma(v) for v in x.tolist()], 4e-15, 4e-15)


@pytest.mark.parametrize("function", [gamma.lgamma, gamma.digamma, gamma.trigamma, elementwise.erfinv])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dtype_and_layout_stay(function: Callable[[Array], Array], dtype: str) -> None:
    y = np.linspace(-0.9, 3, 60_000).astype(dtype).reshape(300, 200)
    np.testing.assert_array_equal(function(y[:, ::2].T), function(y)[:, ::2].T)
    assert function(np.zeros((0, 3), dtype)).shape == (0, 3)
    assert function(np.array(0.5, dtype)).dtype == dtype
