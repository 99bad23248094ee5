"""The loader: what it gives, that workers change nothing, that it goes on anywhere, and that it never hangs."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import data, threads
from backburner._tensor import Tensor
from backburner.errors import ArgumentError, DataError
from loader_cases import Careless, Modules, Numbered, Pair, Several, Trouble, Unreadable, augmented

HERE = Path(__file__).resolve().parent


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    """End the whole run with every thread's stack where a test hangs."""
    faulthandler.dump_traceback_later(120, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def plain(batch: Any) -> Any:
    """A batch with its tensors as dtype and numbers."""
    if isinstance(batch, Tensor):
        return str(batch.dtype), batch.tolist()
    if isinstance(batch, dict):
        return {key: plain(value) for key, value in batch.items()}
    return [plain(part) for part in batch] if isinstance(batch, tuple | list) else batch


# -- without workers -------------------------------------------------------------------------------------


def test_a_batch_has_tensors_in_the_form_of_an_example() -> None:
    first, second = data.Loader(Numbered(3), batch_size=2)
    assert plain(first) == {
        "number": ("int64", [0, 1]),
        "half": ("float32", [0.0, 0.5]),
        "even": ("bool", [True, False]),
        "pair": [("float32", [[[0.0] * 3] * 2, [[1.0] * 3] * 2]), ["n0", "n1"]],
    }
    assert isinstance(first["pair"], Pair) and second["number"].tolist() == [2]


@pytest.mark.parametrize(("options", "batches"), [
    ({}, [[0], [1], [2], [3], [4]]),
    ({"batch_size": 2}, [[0, 1], [2, 3], [4]]),
    ({"batch_size": 2, "drop_last": True}, [[0, 1], [2, 3]]),
    ({"batch_size": 2, "sampler": [4, 4, 0]}, [[4, 4], [0]]),
    ({"batch_size": 2, "sampler": range(1, 4), "drop_last": True}, [[1, 2]]),
    ({"batch_sampler": [[1], [2, 3], [0, 1, 2]]}, [[1], [2, 3], [0, 1, 2]]),
    ({"batch_size": 3, "collate": lambda examples: [sum(examples)]}, [[3], [7]]),
    ({"batch_size": 3, "collate": lambda examples: np.array(examples)[::-1]}, [[2, 1, 0], [4, 3]]),
])  # fmt: skip
@pytest.mark.parametrize("threads", [False, True])
def test_options_decide_the_batches(options: dict[str, Any], batches: list[Any], threads: bool) -> None:
    workers = {"workers": 2, "threads": True} if threads else {}
    loader = data.Loader(range(5), **options, **workers)
    for _ in range(2):
        assert [b.tolist() if isinstance(b, Tensor) else b for b in loader] == batches
    assert len(loader) == len(batches)


def test_shuffled_epochs_are_those_of_batches() -> None:
    arrays = np.arange(10), np.arange(10) / 2
    short, long = (
        data.batches(*arrays, batch_size=3, shuffle=True),
        data.Loader(data.Mapped(data.ArrayDataset(*arrays), lambda example: example), 3, shuffle=True),
    )
    assert [plain(batch) for batch in short] == [plain(batch) for batch in long]
    assert [plain(batch) for batch in short] == [plain(batch) for batch in long] and short.epoch == 2


def test_a_sampler_has_an_order_for_each_epoch() -> None:
    sampler = data.WeightedSampler(np.ones(8))
    loader = data.Loader(range(8), 8, sampler=sampler)
    for epoch in range(3):
        (batch,) = loader
        assert batch.tolist() == sampler.order(epoch).tolist()


def test_batches_live_on_the_device_and_are_nobody_elses() -> None:
    held = np.zeros(3)
    loader = data.Loader(range(3), 3, collate=lambda examples: held, device=bb.Device.cpu())
    (batch,) = loader
    held[:] = 1
    assert batch.tolist() == [0, 0, 0] and batch.device == bb.Device.cpu()


@pytest.mark.feature_set("autodiff")
def test_batches_live_on_an_autodiff_device() -> None:
    device = bb.Device.cpu().autodiff()
    (batch,) = data.Loader([1.0, 2.0], 2, device=device)
    assert batch.device == device


class Stream:
    """Examples that can only be looped over."""

    def __iter__(self) -> Iterator[int]:
        return iter(range(5))


def test_what_can_only_be_looped_over_is_cut_too_and_goes_on_in_the_middle() -> None:
    loader = data.Loader(Stream(), 2)
    assert [b.tolist() for b in loader] == [b.tolist() for b in loader] == [[0, 1], [2, 3], [4]]
    assert [b.tolist() for b in data.Loader(Stream(), 2, drop_last=True)] == [[0, 1], [2, 3]]
    for taken in range(4):
        loop = iter(loader)
        for _ in range(taken):
            next(loop)
        again = data.Loader(Stream(), 2)
        again.load_state_dict(loader.state_dict())
        assert [b.tolist() for b in again] == [[0, 1], [2, 3], [4]][taken:]
    once = data.Loader(iter(range(3)), 2)
    assert len(list(once)) == 2
    with pytest.raises(DataError, match="can be looped over once only"):
        list(once)
    with pytest.raises(TypeError):
        len(loader)


@pytest.mark.parametrize(("dataset", "options", "message"), [
    (range(3), {"batch_size": 0}, "batch_size is a whole number of at least 1, not 0"),
    (range(3), {"batch_size": None}, "batch_size is a whole number of at least 1, not None"),
    (range(3), {"workers": -1}, "workers is a whole number of at least 0, not -1"),
    (range(3), {"workers": True}, "workers is a whole number"),
    (range(3), {"prefetch": 0}, "prefetch is a whole number of at least 1, not 0"),
    (range(3), {"seed": -1}, "seed is a whole number of at least 0, not -1"),
    (range(3), {"timeout": 0}, "timeout is a number of seconds above 0, or None, not 0"),
    (range(3), {"shuffle": 1}, "shuffle is True or False, not 1"),
    (range(3), {"shuffle": True, "sampler": [0]}, "shuffle and sampler exclude each other"),
    (range(3), {"batch_size": 2, "batch_sampler": [[0]]}, "batch_sampler excludes"),
    (range(3), {"sampler": iter([0])}, "sampler can be looped over once only"),
    (range(3), {"num_workers": 2}, r"there is no option num_workers. Use workers\."),
    (range(3), {"pin": 2}, r"there is no option pin\.$"),
    (3, {}, "a int is no dataset"),
    (Stream(), {"shuffle": True}, "takes no shuffle"),
    (Stream(), {"workers": 1}, "takes no shuffle, sampler or workers"),
])  # fmt: skip
def test_an_option_that_makes_no_sense_is_refused(dataset: Any, options: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"^Loader: .*{message}"):
        data.Loader(dataset, **options)


@pytest.mark.parametrize(("options", "message"), [
    ({"sampler": [0.5]}, r"a sampler gives whole numbers, not float64\[1\]"),
    ({"sampler": [[0]]}, r"a sampler gives whole numbers, not int64\[1, 1\]. A batch_sampler gives lists"),
    ({"batch_sampler": [0]}, r"not int64\[\]"),
])  # fmt: skip
def test_indices_that_are_none_are_refused(options: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        list(data.Loader(range(3), **options))


@pytest.mark.parametrize("workers", [{}, {"workers": 2, "threads": True}])
def test_what_a_dataset_raises_is_raised_with_the_example_that_it_was(workers: Any) -> None:
    with pytest.raises(ValueError, match="the file is odd") as caught:
        list(data.Loader(Trouble("value_error"), 2, **workers))
    assert caught.value.__notes__ == ["Loader: this was the example 5, in batch 2 of epoch 0."]
    with pytest.raises(SystemExit):
        list(data.Loader(Trouble("exits"), 2, **workers))


# -- going on in the middle: B170 ------------------------------------------------------------------------


@pytest.mark.parametrize("options", [
    {"shuffle": True}, {"sampler": data.WeightedSampler(np.ones(7))}, {"shuffle": True, "drop_last": True},
    {"shuffle": True, "workers": 3, "threads": True, "prefetch": 3},
])  # fmt: skip
def test_a_loader_goes_on_after_any_batch(options: dict[str, Any]) -> None:  # B170: data position
    def made() -> data.Loader:
        return data.Loader(augmented(7), 2, seed=5, **options)

    whole = made()
    epochs = [[plain(batch) for batch in whole] for _ in range(3)]
    for epoch in range(2):
        for taken in range(len(whole) + 1):
            first = made()
            first.epoch = epoch
            loop = iter(first)
            assert [plain(next(loop)) for _ in range(taken)] == epochs[epoch][:taken]
            state = json.loads(json.dumps(first.state_dict()))  # what was received counts, not what was made
            assert (state["epoch"], state["batch"]) == (epoch, taken)
            again = made()
            again.load_state_dict(state)
            assert again.epoch == epoch
            assert [plain(batch) for batch in again] == epochs[epoch][taken:]
            assert [plain(batch) for batch in again] == epochs[epoch + 1]


def test_the_position_is_that_of_the_last_loop() -> None:
    loader = data.Loader(range(4))
    assert loader.state_dict() == {
        "version": 1, "epoch": 0, "batch": 0,
        "examples": 4, "batch_size": 1, "seed": 0, "shuffle": 0, "drop_last": 0,
    }  # fmt: skip
    for batch in loader:
        if batch.item() == 1:
            break
    assert (loader.state_dict()["epoch"], loader.state_dict()["batch"]) == (0, 2)
    assert len(list(loader)) == 4  # without loading it, a new loop is a new epoch
    assert (loader.state_dict()["epoch"], loader.state_dict()["batch"]) == (2, 0)
    loader.epoch = 7
    assert (loader.state_dict()["epoch"], loader.state_dict()["batch"]) == (7, 0)
    with pytest.raises(ArgumentError, match="Loader.epoch: a whole number of at least 0, not -1"):
        loader.epoch = -1


@pytest.mark.parametrize(("change", "message"), [
    ({"examples": 5}, "examples was 5 and is 4. Make the loader as it was"),
    ({"batch_size": 2, "seed": 1}, "batch_size was 2 and is 1, seed was 1 and is 0"),
    ({"shuffle": 1}, "shuffle was 1 and is 0"), ({"version": 2}, "version was 2 and is 1"),
    ({"batch": 5}, "batch 5 of 4 in epoch 0"), ({"batch": -1}, "batch -1 of 4"), ({"epoch": -1}, "in epoch -1"),
    ({"batch": None, "seed": 0.5}, "no whole number for seed, batch"),
])  # fmt: skip
def test_a_position_of_another_loader_is_refused(change: dict[str, Any], message: str) -> None:
    loader = data.Loader(range(4))
    loader.epoch = 3
    state = data.Loader(range(4)).state_dict()
    with pytest.raises(ArgumentError, match=f"^Loader.load_state_dict: .*{message}"):
        loader.load_state_dict(state | change)
    assert loader.epoch == 3


# -- workers ---------------------------------------------------------------------------------------------


def test_any_number_of_workers_gives_the_same_bits() -> None:  # B168
    def epochs(**options: Any) -> list[Any]:
        loader = data.Loader(augmented(), 3, shuffle=True, seed=3, **options)
        found = [plain(batch) for _ in range(2) for batch in loader]
        loader.close()
        return found

    alone = epochs()
    noises = [tuple(row) for batch in alone for name in ("noise", "noisier") for row in batch[name][1]]
    assert len(set(noises)) == len(noises) == 40  # no two examples, functions or epochs alike
    assert epochs(workers=1) == epochs(workers=4, prefetch=1) == alone
    assert epochs(workers=1, threads=True, prefetch=1) == epochs(workers=4, threads=True) == alone


def test_threads_serve_loop_after_loop() -> None:
    loader = data.Loader(range(9), 2, workers=2, threads=True, prefetch=3)
    for _ in loader:  # left in the middle: what was made for it is none of the next loop's
        break
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4, 5], [6, 7], [8]]
    assert [(a.tolist(), b.tolist()) for a, b in zip(loader, loader, strict=True)][1] == ([2, 3], [2, 3])
    loader.close()
    assert len(list(loader)) == 5


def test_processes_serve_loop_after_loop_and_share_no_global_random_numbers() -> None:  # B168
    loader = data.Loader(Careless(40), 5, workers=2)
    seen: list[Any] = []
    for _ in range(2):
        seen += list(loader)
    loader.epoch = 1
    again = list(loader)
    pids = {pid for batch in seen + again for pid in batch[2].tolist()}
    assert len(pids) == 2 and os.getpid() not in pids
    for drawn in (0, 1):
        numbers = [number for batch in seen for number in batch[drawn].tolist()]
        assert len(set(numbers)) == len(numbers) == 80
        assert [batch[drawn].tolist() for batch in again] == [batch[drawn].tolist() for batch in seen[8:]]
    for _ in loader:  # left in the middle: the answers that are on their way are none of the next loop's
        break
    loader.epoch = 1
    assert [batch[0].tolist() for batch in loader] == [batch[0].tolist() for batch in seen[8:]]
    loader.epoch = 0
    both = [(a[0].tolist(), b[0].tolist()) for a, b in zip(loader, loader, strict=True)]
    assert both == [(a[0].tolist(), b[0].tolist()) for a, b in zip(seen[:8], seen[8:], strict=True)]
    loader.close()


@pytest.mark.parametrize("direct", [True, False])
def test_batches_larger_than_a_pipe_arrive_whole(direct: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from backburner.data import _channel

    left, right = _sockets()
    if not direct:
        monkeypatch.setattr(_channel, "DIRECT", False)
    import threading

    rng = np.random.default_rng(0)
    sent = [
        rng.normal(size=300_000),
        np.zeros((0, 3)),
        np.int64(3),
        "text",
        np.asfortranarray(rng.normal(size=(9, 7))),
    ]
    thread = threading.Thread(target=lambda: _channel.send(right, _channel.packed(sent)))
    thread.start()
    found = _channel.receive(left, timeout=30)
    thread.join()
    for a, b in zip(found, sent, strict=True):
        np.testing.assert_array_equal(a, b)
    found[0][:] = 0  # it may be written to
    right.close()
    with pytest.raises(_channel.Dead):
        _channel.receive(left)
    left.close()


def _sockets() -> Any:
    from multiprocessing import Pipe

    return Pipe()


def test_a_worker_gives_up_as_its_dataset_does_and_goes_on() -> None:
    loader = data.Loader(Several(), 1, workers=1)
    state = loader.state_dict()

    def batch(number: int) -> Any:
        loader.load_state_dict(state | {"batch": number})
        return next(iter(loader))

    with pytest.raises(ValueError, match="the file is odd") as caught:
        batch(1)
    assert caught.value.__notes__ == ["Loader: this was the example 1, in batch 1 of epoch 0."]
    assert "loader_cases.py" in str(caught.value.__cause__) and "Worker 0 (process " in str(
        caught.value.__cause__
    )
    with pytest.raises(DataError, match="Loader: a worker failed with Odd: odd 3") as other:
        batch(2)
    assert "raise Odd(1, 2)" in str(other.value.__cause__)
    with pytest.raises(SystemExit, match="enough"):
        batch(3)
    assert batch(0).tolist() == [0]
    loader.close()


@pytest.mark.parametrize(("dataset", "options", "error", "message"), [
    (Trouble("killed"), {}, DataError, r"worker 0 \(process \d+\) was killed by SIGKILL, perhaps because memory ran out"),
    (Trouble("leaves"), {}, DataError, r"worker 0 \(process \d+\) ended with exit code 3"),
    (Trouble("holds_on"), {}, DataError, "was killed by SIGKILL"),
    (Trouble("sleeps"), {"timeout": 2.0}, DataError, "worker 0 has not made batch 2 of epoch 0 in 2.0 seconds"),
    (Unreadable(), {}, LookupError, "the disk is not there"),
    ([lambda: 1], {}, ArgumentError, r"cannot be sent to worker processes: .*Loader\(threads=True\)"),
], ids=["killed", "left", "killed with a child", "asleep", "unreadable", "not sent"])  # fmt: skip
def test_a_worker_that_does_not_answer_is_an_error_and_no_hang(
    dataset: Any, options: Any, error: type[Exception], message: str
) -> None:
    loader = data.Loader(dataset, 2, workers=1, **options)
    started = time.monotonic()
    with pytest.raises(error, match=message):
        list(loader)
    loader.close()
    assert time.monotonic() - started < 30


def test_threads_that_do_not_answer_are_told() -> None:
    loader = data.Loader(Trouble("sleeps", at=0), 2, workers=1, threads=True, timeout=0.1)
    with pytest.raises(DataError, match="worker 0 has not made batch 0 of epoch 0 in 0.1 seconds"):
        list(loader)


# Each runs in a process of its own, and must have ended with all its workers when it is looked at.
PROGRAM = f"""
import os, signal, sys, time
sys.path.insert(0, {str(HERE)!r})
from loader_cases import Large, Numbered, Trouble
from backburner import data
from backburner.errors import DataError

def pids(loop):
    from multiprocessing import active_children
    print(*[child.pid for child in active_children()], flush=True)

if __name__ == "__main__":
"""
PROGRAMS = {
    "ends in the middle of a loop": """
    loop = iter(data.Loader(Large(50), 2, workers=2))
    next(loop); pids(loop)
""",
    "ends with an error while workers are busy": """
    loop = iter(data.Loader(Trouble("sleeps", at=1), 1, workers=2))
    next(loop); pids(loop)
    raise SystemExit(7)
""",
    "is interrupted": """
    loop = iter(data.Loader(Trouble("sleeps", at=1), 1, workers=2))
    next(loop); pids(loop)
    next(loop)
""",
    "is killed": """
    loop = iter(data.Loader(Large(50), 2, workers=2))
    next(loop); pids(loop)
    os.kill(os.getpid(), signal.SIGKILL)
""",
    "forks": """
    loop = iter(data.Loader(Large(6), 1, workers=2))
    next(loop); pids(loop)
    child = os.fork()
    if child == 0:
        try:
            next(loop)
        except DataError as error:
            assert "belong to another process" in str(error)
        else:
            os._exit(1)
        assert len(list(data.Loader(Numbered(), 1, workers=1))) == 10
        sys.exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
    assert len(list(loop)) == 5
""",
}
ENDS = {
    "ends with an error while workers are busy": 7,
    "is interrupted": -signal.SIGINT,
    "is killed": -signal.SIGKILL,
}


@pytest.mark.parametrize("what", PROGRAMS)
def test_no_worker_outlives_a_program_that(what: str, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM + PROGRAMS[what])
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore::DeprecationWarning", str(script)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    workers = [int(pid) for pid in process.stdout.readline().split()]
    assert len(workers) == 2
    if what == "is interrupted":
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to all of them
    _, said = process.communicate(timeout=60)
    assert process.returncode == ENDS.get(what, 0), said
    if what == "is interrupted":
        assert said.count("Traceback") == 1 and said.rstrip().endswith("KeyboardInterrupt"), said
    elif what != "is killed":
        assert said == ""
    end = time.monotonic() + 20
    while any(map(_lives, workers)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not [pid for pid in workers if _lives(pid)]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    script = tmp_path / "unguarded.py"
    script.write_text("from backburner import data\nlist(data.Loader(range(3), workers=1))\n")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert 'Put what the script does under `if __name__ == "__main__":`.' in done.stderr.splitlines()[-1]


@pytest.mark.feature_set("autodiff")
def test_workers_start_after_kernels_ran_in_threads_and_run_none() -> None:  # B104, B106
    device = bb.Device.cpu().autodiff()
    x = bb.tensor(np.ones((600, 600), np.float32), device=device).require_grad()
    bb.nn.functional.gelu(x).sum().backward()  # large enough for a kernel in parallel
    loader = data.Loader(Modules(), 2, workers=1, device=device)
    ((compiler, count, deterministic),) = loader
    loader.close()
    assert compiler.tolist() == [False, False] and compiler.device == device
    # as in this process, so that a matrix product has the same last bits
    assert count.tolist() == [threads.get_num_threads()] * 2
    assert deterministic.tolist() == [threads.is_deterministic()] * 2
