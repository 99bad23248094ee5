"""Thread counts, and results that do not depend on them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import backburner as bb
from backburner import threads

SHAPES = [(256, 256, 256), (444, 56, 444), (33, 1000, 77), (1000, 10, 1000), (2000, 17, 300)]


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    count = bb.get_num_threads()
    yield
    bb.deterministic(False)
    bb.set_num_threads(count)


def products() -> list[bytes]:
    rng = np.random.default_rng(0)
    return [
        (bb.tensor(rng.random((n, k))) @ bb.tensor(rng.random((k, m)))).numpy().tobytes()
        for n, k, m in SHAPES
    ]


def test_the_count_is_kept_and_followed() -> None:
    seen: list[int] = []
    threads.follow(seen.append)
    try:
        bb.set_num_threads(1)
        assert bb.get_num_threads() == 1 and threads._blas("test")[1]() == 1
        bb.set_num_threads(np.int64(2))  # type: ignore[arg-type]
        assert bb.get_num_threads() == 2 and threads._blas("test")[1]() == 2
    finally:
        threads._followers.remove(seen.append)
    assert seen[-2:] == [1, 2]  # and before, if one was set, that


def test_deterministic_products_have_the_same_bits_for_any_number_of_threads() -> None:
    bb.deterministic(True)  # B169
    assert threads.is_deterministic()
    bb.set_num_threads(1)
    one = products()
    bb.set_num_threads(2)
    assert products() == one and bb.get_num_threads() == 2
    assert threads._blas("test")[1]() == 1
    bb.deterministic(False)
    assert threads._blas("test")[1]() == 2


@pytest.mark.parametrize("count", [0, -1, 1.5, "2", None])
def test_a_count_that_is_none_is_refused(count: object) -> None:
    with pytest.raises(bb.ArgumentError, match="not a number of threads"):
        bb.set_num_threads(count)  # type: ignore[arg-type]


def test_another_blas_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_found", [])
    monkeypatch.setattr(threads, "_libraries", lambda: ["/nonexistent/libmkl.so", np.__file__])
    with pytest.raises(bb.DeviceError, match="not OpenBLAS"):
        bb.deterministic(True)
    monkeypatch.undo()
