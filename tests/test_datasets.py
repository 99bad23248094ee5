"""Datasets, what is made of them, samplers, and examples put together."""

from __future__ import annotations

import hashlib
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import data
from backburner.data import augment
from backburner.errors import ArgumentError, DTypeError, IndexOutOfRange, ShapeError
from loader_cases import Numbered, Pair, noisy

X = np.arange(20, dtype=np.float32).reshape(10, 2)
ARRAYS = data.ArrayDataset(X, np.arange(10))

# Each with the numbers that its examples have.
DATASETS: dict[str, tuple[Any, list[int]]] = {
    "arrays": (ARRAYS, list(range(10))),
    "a subset": (data.Subset(ARRAYS, [7, 1, -1, 1]), [7, 1, 9, 1]),
    "an empty subset": (data.Subset(ARRAYS, []), []),
    "a subset of a subset": (data.Subset(data.Subset(ARRAYS, [7, 1, 9]), np.array([2, 0])), [9, 7]),
    "several": (data.ConcatDataset([data.Subset(ARRAYS, [3, 4]), data.Subset(ARRAYS, []), ARRAYS]), [3, 4, *range(10)]),
    "mapped": (data.Mapped(ARRAYS, lambda example: (example[0], example[1] * 1)), list(range(10))),
    "a subset of mapped": (data.Subset(data.Mapped(ARRAYS, lambda example: example), [4]), [4]),
}  # fmt: skip


@pytest.mark.parametrize(("dataset", "numbers"), DATASETS.values(), ids=DATASETS)
def test_a_dataset_gives_its_examples_by_number_alone_and_in_batches(
    dataset: Any, numbers: list[int]
) -> None:
    assert len(dataset) == len(numbers)
    assert [int(dataset[i][1]) for i in range(len(dataset))] == numbers
    for i in range(-len(numbers), 0):
        assert dataset[i][0].tolist() == X[numbers[i]].tolist()
    for outside in (len(numbers), -len(numbers) - 1):
        with pytest.raises(IndexError):
            dataset[outside]
    chosen = np.arange(len(numbers))[::-1]
    if getattr(dataset, "batch", None) is not None:
        x, y = dataset.batch(chosen)
        assert y.tolist() == numbers[::-1] and x.tolist() == X[numbers[::-1]].tolist()
        x[:] = -1  # a copy: nobody else sees it
    assert len(numbers) < 9 or ARRAYS[9][0].tolist() == [18, 19]
    assert repr(dataset).startswith(type(dataset).__name__)


def test_a_function_with_rng_gets_numbers_that_the_index_decides() -> None:
    noise = data.Mapped(data.Mapped(Numbered(), noisy), noisy)
    inner = data.Mapped(Numbered(), noisy)
    drawn = [noise[i]["noise"].tolist() for i in range(3)] + [inner[i]["noise"].tolist() for i in range(3)]
    assert len({tuple(numbers) for numbers in drawn}) == 6
    assert noise[1]["noise"].tolist() == drawn[1] and noise[-9]["noise"].tolist() == drawn[1]


@pytest.mark.parametrize("stratify", [False, True])
@pytest.mark.parametrize(("shares", "sizes"), [
    ([70, 20, 10], [70, 20, 10]), ([0.7, 0.2, 0.1], [70, 20, 10]), ([1.0], [100]), ([0.0, 1.0], [0, 100]),
    ([1 / 3, 1 / 3, 1 / 3], [33, 34, 33]), ([100, 0], [100, 0]),
])  # fmt: skip
def test_a_split_gives_each_part_its_share_and_each_example_once(
    stratify: bool, shares: list[float], sizes: list[int]
) -> None:
    labels = np.repeat([0, 1, 2], [50, 30, 20])
    parts = data.split(range(100), shares, stratify=labels if stratify else None)
    assert [len(part) for part in parts] == sizes
    assert sorted(example for part in parts for example in part) == list(range(100))
    for part in parts:
        if stratify:
            exact = np.array([50, 30, 20]) * len(part) / 100
            assert np.all(np.abs(np.bincount(labels[part.indices], minlength=3) - exact) <= 1)
        assert len(part) < 9 or part.indices.tolist() != sorted(part.indices)


def test_a_split_never_changes_and_another_seed_splits_otherwise() -> None:
    parts = [data.split(range(40), [0.5, 0.5], seed=seed)[0].indices.tolist() for seed in (0, 0, 1)]
    assert parts[0] == parts[1] != parts[2]
    both = data.split(range(40), [20, 15, 5]), data.split(range(40), [20, 20], stratify=np.arange(40) % 2)
    order = np.concatenate([part.indices for parts in both for part in parts]).astype("<i8")
    assert hashlib.sha256(order.tobytes()).hexdigest() == SPLIT


SPLIT = "7aece2443fe39a26106d3d17d9b2ff0082fe95243a2741c12a33259b2d0d1681"


# -- samplers --------------------------------------------------------------------------------------------


def test_weights_decide_how_often_an_example_is_drawn() -> None:
    weights = np.array([0.0, 1.0, 2.0, 5.0, 0.0])
    drawn = data.WeightedSampler(weights, 40_000).order(0)
    shares = np.bincount(drawn, minlength=5) / 40_000
    np.testing.assert_allclose(shares, weights / 8, atol=0.01)  # 4 standard deviations
    assert len(data.WeightedSampler(weights * 1e-300, 3)) == 3


def test_without_replacement_each_is_drawn_once_and_large_weights_come_first() -> None:
    weights = np.array([0.0, 1.0, 9.0])
    first: Counter[int] = Counter()
    sampler = data.WeightedSampler(weights, 2, replacement=False)
    for epoch in range(2000):
        order = sampler.order(epoch).tolist()
        assert sorted(order) == [1, 2]
        first[order[0]] += 1
    assert abs(first[2] / 2000 - 0.9) < 0.03


def test_random_samplers_draw_each_alike() -> None:
    assert sorted(data.RandomSampler(10).order(0)) == list(range(10))
    assert len(set(data.RandomSampler(10, 4).order(0).tolist())) == 4
    drawn = data.RandomSampler(4, 40_000, replacement=True).order(3)
    np.testing.assert_allclose(np.bincount(drawn) / 40_000, 0.25, atol=0.01)


@pytest.mark.parametrize(("sampler", "drawn"), [
    (data.RandomSampler(6, seed=1), [[2, 4, 5, 0, 3, 1], [5, 3, 0, 2, 1, 4]]),
    (data.RandomSampler(6, 5, replacement=True), [[3, 1, 0, 0, 4], [5, 3, 4, 5, 0]]),
    (data.WeightedSampler([1.0, 2.0, 3.0]), [[2, 1, 0], [2, 2, 2]]),
    (data.WeightedSampler([1, 0, 3], 2, replacement=False), [[0, 2], [2, 0]]),
])  # fmt: skip
def test_an_epochs_order_is_the_same_for_ever(sampler: Any, drawn: list[list[int]]) -> None:
    assert [sampler.order(epoch).tolist() for epoch in (0, 1)] == drawn
    assert list(sampler) == drawn[0] and len(sampler) == len(drawn[0])


# -- putting together ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("examples", "batch", "dtype"), [
    ([1, 2], [1, 2], "int64"), ([1, 2.5], [1, 2.5], "float32"), ([True, False], [True, False], "bool"),
    ([True, 2], [1, 2], "int64"), ([np.int8(1), np.int8(2)], [1, 2], "int8"),
    ([np.float64(1), np.float64(2)], [1, 2], "float64"), ([np.zeros((0, 2))] * 3, [[], [], []], "float64"),
    ([bb.tensor([1.0]), bb.tensor([2.0])], [[1], [2]], "float32"),
])  # fmt: skip
def test_numbers_and_arrays_get_an_axis_in_front(examples: Any, batch: Any, dtype: str) -> None:
    found = data.collate(examples)
    assert found.dtype == dtype and found.tolist() == batch


def test_what_holds_examples_is_gone_into() -> None:
    examples = [{"a": (1, ["x", None]), "b": Pair(np.ones(2), f"{i}"), "c": b"!"} for i in range(2)]
    found = data.collate(examples)
    assert list(found) == ["a", "b", "c"] and found["c"] == [b"!", b"!"]
    assert found["a"][0].tolist() == [1, 1] and found["a"][1] == [["x", "x"], [None, None]]
    assert isinstance(found["b"], Pair) and found["b"].image.shape == (2, 2) and found["b"].name == ["0", "1"]


@pytest.mark.parametrize(("examples", "error", "message"), [
    ([], ArgumentError, "there are no examples"),
    ([np.zeros(2), np.zeros(3)], ShapeError, r"different shapes: \[2\], \[3\]. Give Loader\(collate=\)"),
    ([(1, 2), (1,)], ShapeError, "different lengths; the first has 2 parts"),
    ([{"a": 1}, {"b": 1}], ShapeError, r"different keys; the first has \['a'\]"),
    ([object(), 1], DTypeError, "examples of int, object cannot be put together"),
    ([1, "a"], DTypeError, "examples of int, str"),
])  # fmt: skip
def test_what_cannot_be_put_together_is_told(examples: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^collate: .*{message}"):
        data.collate(examples)


# -- augmentation ----------------------------------------------------------------------------------------

IMAGE = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)


def test_images_are_flipped_with_a_probability() -> None:
    rng = np.random.default_rng(0)
    flips = [augment.random_flip(IMAGE, rng, p=0.3)[0, 0, 0] != 0 for _ in range(2000)]
    assert abs(np.mean(flips) - 0.3) < 0.04
    assert augment.random_flip(IMAGE, rng, p=1.0).tolist() == IMAGE[:, :, ::-1].tolist()
    assert augment.random_flip(IMAGE, rng, p=1.0, axis=-2).tolist() == IMAGE[:, ::-1].tolist()


def test_images_are_cut_at_every_place() -> None:
    rng = np.random.default_rng(0)
    corners = {int(augment.random_crop(IMAGE, (2, 2), rng)[0, 0, 0]) for _ in range(200)}
    assert corners == {0, 1, 2, 4, 5, 6}
    padded = [augment.random_crop(IMAGE, 5, rng, padding=1) for _ in range(50)]
    assert {image.shape for image in padded} == {(2, 5, 5)}
    assert {int(image[0, 0].sum()) for image in padded} == {0}  # all of the height: the first row is padding
    assert {int(image.sum()) for image in padded} == {int(IMAGE.sum())}


def test_images_are_normalised_by_channel() -> None:
    found = augment.normalize(IMAGE, mean=[1, 2], std=[2, 4])
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found[1], (IMAGE[1].astype(np.float32) - 2) / 4)


RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("wrong", "error", "message"), [
    (lambda: data.Subset(ARRAYS, [10]), IndexOutOfRange, "Subset: example 10 of 10"),
    (lambda: data.Subset(ARRAYS, [0.5]), ArgumentError, r"whole numbers, not float64\[1\]"),
    (lambda: data.Subset(ARRAYS, [1])["a"], ArgumentError, "Subset: an example is asked for by its number, not by 'a'"),
    (lambda: data.ConcatDataset([]), ArgumentError, "ConcatDataset: there are no datasets"),
    (lambda: data.Mapped(ARRAYS, 3), ArgumentError, "Mapped: 3 cannot be called"),  # type: ignore[arg-type]
    (lambda: data.split(range(10), [5, 4]), ArgumentError, r"split: shares \[5, 4\] of 10 examples"),
    (lambda: data.split(range(10), [0.5, 0.4]), ArgumentError, "split: shares"),
    (lambda: data.split(range(10), 0.8), ArgumentError, r"split: shares is 0.8, not one for each part. Use \[0.8, 0.2\]."),  # type: ignore[arg-type]
    (lambda: data.split(range(10), 8), ArgumentError, r"split: shares is 8, not one for each part. Use \[8, 2\]."),  # type: ignore[arg-type]
    (lambda: data.split(range(10), []), ArgumentError, "split: shares"),
    (lambda: data.split(range(10), [10], seed=-1), ArgumentError, "split: a seed is a non-negative integer, not -1"),
    (lambda: data.split(range(10), [10], stratify=[1, 2]), ShapeError, r"split: labels of the shape \[2\] to stratify 10"),
    (lambda: data.WeightedSampler([1.0, -1.0]), ArgumentError, "a weight is negative or not finite"),
    (lambda: data.WeightedSampler([1.0, np.nan]), ArgumentError, "a weight is negative or not finite"),
    (lambda: data.WeightedSampler([[1.0]]), ShapeError, r"one number for each example, not float64\[1, 1\]"),
    (lambda: data.WeightedSampler([0.0, 0.0]), ArgumentError, "2 cannot be drawn of 0 with a weight above 0"),
    (lambda: data.WeightedSampler([1.0, 0.0], replacement=False), ArgumentError, "2 cannot be drawn of 1"),
    (lambda: data.WeightedSampler([1.0], seed=-1), ArgumentError, "WeightedSampler: a seed"),
    (lambda: data.RandomSampler(3, 4), ArgumentError, "RandomSampler: 4 of 3 examples"),
    (lambda: data.RandomSampler(0, 1, replacement=True), ArgumentError, "of 0 examples none"),
    (lambda: augment.random_flip(X, RNG), ShapeError, r"random_flip: an image is an array \[c, h, w\], not a ndarray"),
    (lambda: augment.random_flip(IMAGE, RNG, p=2), ArgumentError, "p is from 0 to 1"),
    (lambda: augment.random_crop(IMAGE, 4, RNG), ShapeError, r"\[4, 4\] of the image \[2, 3, 4\] with 0"),
    (lambda: augment.random_crop(IMAGE, 0, RNG), ArgumentError, "whole numbers of pixels"),
    (lambda: augment.normalize(IMAGE, [0, 0, 0], 1), ArgumentError, "for 2 channels"),
    (lambda: augment.normalize(IMAGE, 0, 0), ArgumentError, "std above 0"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused(wrong: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        wrong()


def test_datasets_and_samplers_survive_pickling() -> None:
    mapped = data.Mapped(Numbered(), noisy)
    for thing in (ARRAYS, data.Subset(ARRAYS, [1]), mapped, data.ConcatDataset([ARRAYS])):
        again = pickle.loads(pickle.dumps(thing))
        assert len(again) == len(thing) and str(again[0]) == str(thing[0])
    sampler = data.WeightedSampler([1.0, 2.0])
    assert pickle.loads(pickle.dumps(sampler)).order(1).tolist() == sampler.order(1).tolist()
