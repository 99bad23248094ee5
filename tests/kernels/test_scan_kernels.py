"""The kernel of the cumulative product's backward."""

from __future__ import annotations

from typing import Any

import neural
import numpy as np
import pytest

autodiff = pytest.mark.feature_set("autodiff")


def _rows(dtype: str = "float32") -> list[Any]:
    rng = np.random.default_rng(3)
    return [rng.normal(size=(9, 40)).astype(dtype), rng.normal(size=(9, 40)).astype(dtype)]


@autodiff
def test_threads_change_no_bit() -> None:
    from backburner_autodiff.kernels.scan import cumulative_prod_backward

    neural.check_threads(cumulative_prod_backward, lambda: (_rows(), [np.zeros((9, 40))]))


@autodiff
@pytest.mark.parametrize("dtype", neural.DTYPES)
def test_python_alone_gives_the_bits_of_the_compiled_kernel(dtype: str) -> None:
    from backburner_autodiff.kernels.scan import cumulative_prod_backward

    compiled, plain = np.zeros((9, 40)), np.zeros((9, 40))
    cumulative_prod_backward(*_rows(dtype), compiled)
    cumulative_prod_backward.py_func(*_rows(dtype), plain)
    assert compiled.tobytes() == plain.tobytes()


@autodiff
def test_float32_products_that_leave_its_range_on_the_way_come_back() -> None:
    from backburner_autodiff.kernels.scan import cumulative_prod_backward

    x = np.array([[1e30, 1e30, 1e-30, 1e-30]], np.float32)
    dx = np.zeros((1, 4))
    cumulative_prod_backward(np.array([[0, 0, 0, 1]], np.float32), x, dx)
    np.testing.assert_allclose(dx, [[1e-30, 1e-30, 1e30, 1e30]], 1e-6)
