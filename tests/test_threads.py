"""Thread counts, and results that do not depend on them."""

from __future__ import annotations

import os
import threading
import warnings
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
        assert bb.get_num_threads() == 1 and threads._functions("test")[1]() == 1
        bb.set_num_threads(np.int64(2))  # type: ignore[arg-type]
        assert bb.get_num_threads() == 2 and threads._functions("test")[1]() == 2
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
    assert threads._functions("test")[1]() == 1
    bb.deterministic(False)
    assert threads._functions("test")[1]() == 2


@pytest.mark.parametrize("count", [0, -1, 1.5, "2", None])
def test_a_count_that_is_none_is_refused(count: object) -> None:
    with pytest.raises(bb.ArgumentError, match="not a number of threads"):
        bb.set_num_threads(count)  # type: ignore[arg-type]


def test_another_blas_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_found", [])
    monkeypatch.setattr(threads._blas, "libraries", lambda: ["/nonexistent/libmkl.so", np.__file__])
    with pytest.raises(bb.DeviceError, match="not OpenBLAS"):
        bb.deterministic(True)
    monkeypatch.undo()


def test_products_are_held_to_one_thread_of_blas_or_cut_by_shape() -> None:
    bb.set_num_threads(1)
    one = products()
    bb.set_num_threads(2)
    assert products() == one and threads._functions("test")[1]() == 2


def stacks() -> list[bytes]:
    rng = np.random.default_rng(1)
    pairs = [
        ((8, 300, 100), (8, 100, 300)),
        ((3, 4, 200, 99), (3, 4, 99, 257)),
        ((1, 5, 256, 300), (1, 5, 300, 256)),
    ]
    return [(bb.tensor(rng.random(a)) @ bb.tensor(rng.random(b))).numpy().tobytes() for a, b in pairs]


def test_stacks_of_matrices_have_the_same_bits_for_any_number_of_threads_at_any_time() -> None:
    bb.set_num_threads(1)
    one = stacks()
    bb.set_num_threads(3)
    assert stacks() == one


@pytest.mark.parametrize("shape", [(600, 300, 200), (200, 300, 601), (2048, 600, 600), (601, 300, 2047)])
@pytest.mark.parametrize("deterministic", [False, True])
def test_a_product_in_parts_is_the_product(shape: tuple[int, int, int], deterministic: bool) -> None:
    n, k, m = shape
    rng = np.random.default_rng(0)
    x, y = rng.random((n, k)), rng.random((m, k)).T
    bb.deterministic(deterministic)
    bb.set_num_threads(2)
    np.testing.assert_allclose((bb.tensor(x) @ bb.tensor(y)).numpy(), np.einsum("ij,jk", x, y), rtol=1e-12)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 100])
@pytest.mark.parametrize("number", [1, 2, 5])
def test_each_part_is_run_once(count: int, number: int) -> None:
    bb.set_num_threads(number)
    ran: list[int] = []
    threads.share(ran.append, count)
    assert sorted(ran) == list(range(count))


def test_parts_run_on_other_threads_with_one_of_blas_and_the_callers_error_state() -> None:
    bb.set_num_threads(3)
    set_blas, get_blas = threads._functions("test")
    meeting = threading.Barrier(3, timeout=60)
    seen: set[tuple[int, str]] = set()

    def task(i: int) -> None:
        meeting.wait()  # all three at once, or this test hangs
        seen.add((get_blas(), np.geterr()["over"]))
        threads.share(lambda j: seen.add((get_blas(), np.geterr()["over"])), 4)  # within one: here, in order

    with np.errstate(over="raise"):
        threads.share(task, 3)
    assert seen == {(1, "raise")} and get_blas() == 3


def test_the_first_exception_is_raised_when_all_have_stopped() -> None:
    bb.set_num_threads(2)
    meeting = threading.Barrier(2, timeout=60)
    ran: list[int] = []

    def task(i: int) -> None:
        ran.append(i)
        if i < 2:
            meeting.wait()
            raise KeyError(i)

    with pytest.raises(KeyError):
        threads.share(task, 1000)
    assert sorted(ran) == [0, 1]
    threads.share(ran.append, 5)  # and it can be used again
    assert len(ran) == 7
    assert threads._functions("test")[1]() == 2


def test_two_threads_share_at_once() -> None:
    bb.set_num_threads(2)
    totals = [0, 0]

    def caller(which: int) -> None:
        for _ in range(200):
            parts = np.zeros(8)
            threads.share(lambda i, parts=parts: parts.__setitem__(i, i), 8)  # type: ignore[misc]
            totals[which] += int(parts.sum())

    callers = [threading.Thread(target=caller, args=(which,)) for which in range(2)]
    for each in callers:
        each.start()
    for each in callers:
        each.join()
    assert totals == [28 * 200] * 2


def test_a_child_of_a_fork_shares_with_threads_of_its_own() -> None:
    bb.set_num_threads(2)
    threads.share(lambda i: None, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of 3.12: a fork beside threads
        child = os.fork()
    if child == 0:
        meeting = threading.Barrier(2, timeout=30)
        try:
            threads.share(lambda i: meeting.wait(), 2)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
