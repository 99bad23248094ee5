"""Data: the digits set, its split, and batches."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner
from backburner import data
from backburner._tensor import Tensor
from backburner.errors import ArgumentError, DTypeError, ShapeError

PACKAGE = Path(backburner.__path__[0])


# -- digits ----------------------------------------------------------------------------------------------


def test_the_digits_are_those_of_scikit_learn() -> None:
    images, labels = data.digits()
    assert (images.dtype, images.shape, labels.dtype, labels.shape) == (
        np.uint8,
        (1797, 8, 8),
        np.int64,
        (1797,),
    )
    # of load_digits().images as uint8, and of .target as int64
    assert hashlib.sha256(images.tobytes()).hexdigest() == IMAGES
    assert hashlib.sha256(labels.tobytes()).hexdigest() == LABELS


IMAGES = "8f26b2bd9d135c256808f68f14fdabddde6d9c7f869ae419704b051f0f14b3b3"
LABELS = "a3c91c262eddcf7ba8f0e37507c30284493c9b20412ffe4af30d536401f7ba21"


def test_the_digits_come_with_their_source_and_license() -> None:
    note = (PACKAGE / "datasets" / "digits.txt").read_text(encoding="utf-8")
    for part in ("Alpaydin", "Kaynak", "https://doi.org/10.24432/C50P49", "CC BY 4.0", "by/4.0"):
        assert part in note
    assert (PACKAGE / "datasets" / "digits.npz").stat().st_size < 46_000


def test_the_digits_are_found_in_a_zipped_package(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        for file in [*PACKAGE.rglob("*.py"), *(PACKAGE / "datasets").iterdir()]:
            archive.write(file, Path("backburner") / file.relative_to(PACKAGE))
    code = "from backburner import data; print(data.__file__, data.digits()[1].sum())"
    output = subprocess.run(
        [sys.executable, "-c", code],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tmp_path / "app.zip"), *filter(None, sys.path)]),
        },
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    file, total = output.rsplit(maxsplit=1)
    assert Path(file) == tmp_path / "app.zip" / "backburner" / "data" / "__init__.py"
    assert int(total) == data.digits()[1].sum()


# -- splits ----------------------------------------------------------------------------------------------


def test_the_split_of_the_digits_never_changes() -> None:
    train, held_out = data.digits_split()
    assert (train.dtype, train.shape, held_out.dtype, held_out.shape) == (np.int64, (1437,), np.int64, (360,))
    assert hashlib.sha256(np.concatenate([train, held_out]).astype("<i8").tobytes()).hexdigest() == SPLIT


SPLIT = "1e2af545225df6299b11b74a7f3f070383c17da7fc67a2410235324fd6c29b96"


def test_another_seed_splits_otherwise() -> None:
    assert set(data.digits_split(1)[1]) != set(data.digits_split(0)[1])


@pytest.mark.parametrize("held_out", [0, 1, 7, 360, 1796, 1797])
def test_each_class_has_its_share_of_what_is_held_out(held_out: int) -> None:
    labels = data.digits()[1]
    train, held = data.stratified_split(labels, held_out, seed=3)
    assert len(held) == held_out
    assert sorted([*train, *held]) == list(range(1797))
    shares = np.bincount(labels) * held_out / 1797
    assert np.all(np.abs(np.bincount(labels[held], minlength=10) - shares) < 1)


def test_the_parts_of_a_split_are_in_random_order() -> None:
    for part in data.stratified_split(np.zeros(100), 50):
        assert part.tolist() != sorted(part)


def test_labels_may_be_of_any_kind() -> None:
    labels = np.array(["a", "b"] * 10)
    assert sorted(labels[data.stratified_split(labels, 6)[1]]) == ["a"] * 3 + ["b"] * 3


@pytest.mark.parametrize(
    ("labels", "held_out", "seed", "message"),
    [
        (np.zeros(3), 4, 0, r"4 cannot be held out of labels of the shape \[3\]"),
        (np.zeros(3), -1, 0, "-1 cannot be held out"),
        (np.zeros((3, 2)), 1, 0, r"the shape \[3, 2\]"),
        (np.zeros(3), 1, -1, "a seed is a non-negative integer, not -1"),
        (np.zeros(3), 1, 0.5, "a seed is a non-negative integer, not 0.5"),
    ],
)
def test_a_split_that_makes_no_sense_is_refused(labels: Any, held_out: int, seed: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=f"^stratified_split: .*{message}"):
        data.stratified_split(labels, held_out, seed=seed)


# -- batches ---------------------------------------------------------------------------------------------

X = np.arange(20, dtype=np.float32).reshape(10, 2)
Y = np.arange(10)


def epoch(loader: data.Loader) -> list[int]:
    """The labels of the next epoch, in their order; each has its own row of X."""
    seen: list[int] = []
    for x, y in loader:
        assert isinstance(x, Tensor) and isinstance(y, Tensor)
        np.testing.assert_array_equal(x.numpy(), X[y.numpy()])
        seen += y.tolist()
    return seen


@pytest.mark.parametrize(("size", "drop_last", "sizes"), [
    (4, False, [4, 4, 2]), (4, True, [4, 4]), (5, False, [5, 5]), (5, True, [5, 5]), (10, True, [10]),
    (11, False, [10]), (11, True, []), (1, False, [1] * 10),
])  # fmt: skip
def test_batches_have_the_size_that_was_asked_for(size: int, drop_last: bool, sizes: list[int]) -> None:
    loader = data.batches(X, Y, batch_size=size, drop_last=drop_last)
    assert [y.shape[0] for _, y in loader] == sizes
    assert len(loader) == len(sizes)


def test_batches_are_in_order_unless_shuffled() -> None:
    loader = data.batches(X, Y, batch_size=3)
    assert epoch(loader) == epoch(loader) == list(range(10))


def test_each_epoch_has_an_order_of_its_own_that_the_seed_decides() -> None:
    def epochs(seed: int) -> list[list[int]]:
        loader = data.batches(X, Y, batch_size=3, shuffle=True, seed=seed)
        return [epoch(loader) for _ in range(3)]

    assert epochs(0) == epochs(0)
    orders = epochs(0) + epochs(1)
    assert all(sorted(order) == list(range(10)) for order in orders)
    assert len({tuple(order) for order in orders}) == 6


def test_a_shuffled_order_never_changes() -> None:
    assert epoch(data.batches(X, Y, batch_size=3, shuffle=True)) == [3, 2, 1, 8, 6, 0, 7, 4, 5, 9]


def test_a_loader_resumes_at_an_epoch() -> None:
    loader = data.batches(X, Y, batch_size=3, shuffle=True)
    third = [epoch(loader) for _ in range(3)][2]
    resumed = data.batches(X, Y, batch_size=3, shuffle=True)
    resumed.epoch = 2
    assert epoch(resumed) == third
    assert resumed.epoch == loader.epoch == 3


def test_two_loops_at_once_do_not_disturb_each_other() -> None:
    loader = data.batches(X, Y, batch_size=3, shuffle=True)
    alone = [epoch(loader), epoch(loader)]
    loader.epoch = 0
    pairs = [(a.tolist(), b.tolist()) for (_, a), (_, b) in zip(loader, loader, strict=True)]
    assert [sum((pair[i] for pair in pairs), []) for i in (0, 1)] == alone


def test_a_batch_does_not_change_with_the_array_it_came_from() -> None:
    x = X.copy()
    (batch,) = next(iter(data.batches(x, batch_size=10)))
    x[:] = -1
    assert batch.tolist() == X.tolist()


def test_tensors_and_odd_arrays_are_cut_too() -> None:
    arrays = (backburner.tensor(X), X[::-1].astype(">f4"), np.asfortranarray(X))
    ((a, b, c),) = data.batches(*arrays, batch_size=10)
    assert a.tolist() == X.tolist() == b.tolist()[::-1] == c.tolist()
    assert b.dtype == np.float32 and c.numpy().flags.c_contiguous


def test_nothing_makes_no_batches() -> None:
    assert list(data.batches(X[:0], Y[:0], batch_size=3, shuffle=True)) == []


def test_a_dataset_gives_the_same_examples_of_each_array() -> None:
    dataset = data.ArrayDataset(X, Y)
    assert len(dataset) == 10 and repr(dataset) == "ArrayDataset(float32[10, 2], int64[10])"
    x, y = dataset[3]
    assert x.tolist() == [6, 7] and y == 3
    assert dataset[np.array([1, 0])][1].tolist() == [1, 0]
    assert dataset[2:4][1].tolist() == [2, 3]


@pytest.mark.parametrize(("arrays", "message"), [
    ((), "no arrays"), ((X, Y[:9]), r"\[10, 2\], \[9\]"), ((np.float32(1),), r"\[\]"),
])  # fmt: skip
def test_arrays_of_different_lengths_are_refused(arrays: Any, message: str) -> None:
    with pytest.raises(ShapeError, match=f"not of one length: {message}"):
        data.batches(*arrays, batch_size=1)


@pytest.mark.parametrize("size", [0, -1, 2.0, True, None])
def test_a_size_that_is_none_is_refused(size: Any) -> None:
    with pytest.raises(ArgumentError, match="batches: batch_size is a whole number of at least 1"):
        data.batches(X, batch_size=size)


def test_a_dtype_that_tensors_lack_is_refused() -> None:
    with pytest.raises(DTypeError, match="ArrayDataset: .*float16"):
        data.batches(X.astype(np.float16), batch_size=1)


def test_a_seed_that_is_none_is_refused() -> None:
    with pytest.raises(ArgumentError, match="batches: a seed is a non-negative integer, not -1"):
        data.batches(X, batch_size=1, seed=-1)


@pytest.mark.parametrize("held_out", ["a", 1.5, None, True, -1, 11])
def test_what_cannot_be_held_out_is_refused(held_out: Any) -> None:
    with pytest.raises(
        ArgumentError, match=f"stratified_split: {held_out!r} cannot be held out of labels of"
    ):
        data.stratified_split(Y, held_out)


def test_a_number_of_numpys_can_be_held_out() -> None:
    assert [len(part) for part in data.stratified_split(Y, np.int64(3))] == [7, 3]  # type: ignore[arg-type]


def test_lists_of_different_lengths_are_refused() -> None:
    ragged: Any = [[1, 2], [3]]
    told = ": a list is no array: its parts have several shapes"
    with pytest.raises(ShapeError, match="ArrayDataset" + told):
        data.batches(ragged, batch_size=1)
    with pytest.raises(ShapeError, match="stratified_split" + told):
        data.stratified_split(ragged, 1)
