"""Fixtures for the tests of kernels."""

import pytest


@pytest.fixture
def threads():
    """The setter of the number of threads, undone after the test."""
    from backburner_autodiff.kernels import _pool

    before = _pool._count
    yield _pool.set_count
    _pool._count = before
