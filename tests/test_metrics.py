"""Metrics: the values of scikit-learn, over batches of any size, in any order, and in parts that merge."""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import backburner as bb
from backburner import nn
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.train import metrics

pytestmark = pytest.mark.feature_set("autodiff")

GOLDEN = np.load(Path(__file__).parent / "golden" / "metrics.npz")
VALUES = json.loads(str(GOLDEN["values"]))
LOGITS, TARGET = GOLDEN["logits"], GOLDEN["target"]
SOFTMAX = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
FOUR = SOFTMAX[:, :4] / SOFTMAX[:, :4].sum(axis=1, keepdims=True)
SCORE, YES = GOLDEN["score"], GOLDEN["yes"]
ODDS = np.log(SCORE / (1 - SCORE))
NUMBERS = (GOLDEN["guesses"], GOLDEN["numbers"])


class Row(NamedTuple):
    """A metric with options, what it is given, and the name of scikit-learn's value."""

    make: Callable[[], metrics.Metric]
    output: Any
    target: Any


def averages(kind: Any) -> dict[str, Row]:
    name = kind.__name__.lower()
    rows = {
        name: Row(kind, LOGITS, TARGET),
        f"{name}, one": Row(lambda: kind(zero_division=1.0), LOGITS, TARGET),
        f"{name}, nan": Row(lambda: kind(zero_division=math.nan), LOGITS, TARGET),
        f"{name}, each": Row(lambda: kind(average=None), LOGITS, TARGET),
        f"{name}, binary": Row(lambda: kind(average="binary"), SCORE, YES),
    }
    for average in ("micro", "weighted"):
        rows[f"{name}, {average}"] = Row(lambda a=average: kind(average=a, num_classes=5), LOGITS, TARGET)
    return rows


ROWS: dict[str, Row] = {
    "accuracy": Row(metrics.Accuracy, LOGITS, TARGET),
    "top_2_accuracy": Row(lambda: metrics.TopKAccuracy(2), LOGITS, TARGET),
    "top_5_accuracy": Row(metrics.TopKAccuracy, LOGITS, TARGET),
    "binary_accuracy": Row(metrics.BinaryAccuracy, SCORE[:, None], YES),
    "confusion_matrix": Row(metrics.ConfusionMatrix, LOGITS, TARGET),
    **averages(metrics.Precision),
    **averages(metrics.Recall),
    **averages(metrics.F1),
    "matthews_correlation": Row(metrics.MatthewsCorrelation, LOGITS, TARGET),
    "matthews_correlation, binary": Row(metrics.MatthewsCorrelation, SCORE, YES),
    "cohen_kappa": Row(metrics.CohenKappa, LOGITS, TARGET),
    "cohen_kappa, binary": Row(lambda: metrics.CohenKappa(from_logits=True), ODDS, YES),
    "auc": Row(metrics.AUC, SCORE, YES),
    "auc, classes": Row(metrics.AUC, FOUR, TARGET),
    "auc, weighted": Row(lambda: metrics.AUC("weighted"), FOUR, TARGET),
    "auc, each": Row(lambda: metrics.AUC(None), FOUR, TARGET),
    "average_precision": Row(metrics.AveragePrecision, SCORE[:, None], YES),
    "average_precision, classes": Row(metrics.AveragePrecision, FOUR, TARGET),
    "average_precision, weighted": Row(lambda: metrics.AveragePrecision("weighted"), FOUR, TARGET),
    "average_precision, each": Row(lambda: metrics.AveragePrecision(None), FOUR, TARGET),
    "cross_entropy": Row(metrics.CrossEntropy, LOGITS, TARGET),
    "cross_entropy, probabilities": Row(lambda: metrics.CrossEntropy(from_logits=False), SOFTMAX, TARGET),
    "perplexity": Row(metrics.Perplexity, LOGITS, TARGET),
    "log_loss": Row(metrics.LogLoss, SCORE, YES),
    "log_loss, logits": Row(lambda: metrics.LogLoss(from_logits=True), ODDS, YES),
    "loss": Row(lambda: metrics.Loss(nn.MSELoss()), *NUMBERS),
    "mae": Row(metrics.MAE, *NUMBERS),
    "mse": Row(metrics.MSE, *NUMBERS),
    "rmse": Row(metrics.RMSE, *NUMBERS),
    "mape": Row(metrics.MAPE, *NUMBERS),
    "r2": Row(metrics.R2, *NUMBERS),
    "explained_variance": Row(metrics.ExplainedVariance, *NUMBERS),
    "pearson_correlation": Row(metrics.PearsonCorrelation, *NUMBERS),
}
for _normalize in ("true", "pred", "all"):
    ROWS[f"confusion_matrix, {_normalize}"] = Row(
        lambda n=_normalize: metrics.ConfusionMatrix(n), LOGITS, TARGET
    )
every = pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)


def test_each_metric_has_a_row_and_each_row_scikit_learns_value() -> None:
    public = {
        thing
        for thing in vars(metrics).values()
        if inspect.isclass(thing) and issubclass(thing, metrics.Metric) and thing is not metrics.Metric
    }
    assert {type(row.make()) for row in ROWS.values()} == public
    assert ROWS.keys() == VALUES.keys()
    assert {type(make()) for make in metrics.NAMED.values()} == public - {metrics.Loss}


@pytest.mark.parametrize("name", metrics.NAMED)
def test_a_metrics_name_finds_it(name: str) -> None:
    assert metrics.NAMED[name]().name == name
    (found,) = metrics.collect("Trainer", name)
    assert found == name


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("sizes", [[97], [32, 32, 32, 1], [1, 96], [50, 0, 47]], ids=str)
def test_the_value_is_scikit_learns_whatever_the_batches(name: str, sizes: list[int]) -> None:
    row = ROWS[name]
    metric = row.make()
    parts = np.cumsum(sizes)[:-1]
    for output, target in zip(np.split(row.output, parts), np.split(row.target, parts), strict=True):
        metric.update(bb.tensor(output), bb.tensor(target))
    np.testing.assert_allclose(metric.compute(), VALUES[name], rtol=1e-9, atol=1e-12)


@every
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32), cuts=st.lists(st.integers(1, 96), max_size=4, unique=True))
def test_parts_that_merge_in_any_order_are_the_whole(row: Row, seed: int, cuts: list[int]) -> None:
    order = np.random.default_rng(seed).permutation(len(row.target))
    whole, merged = row.make(), row.make()
    whole.update(row.output, row.target)
    for part in np.split(order, sorted(cuts)):
        one = row.make()
        one.update(row.output[part], row.target[part])
        merged.merge(one)
    np.testing.assert_allclose(merged.compute(), whole.compute(), rtol=1e-9, atol=1e-12, equal_nan=True)


@every
def test_the_state_is_all_there_is_and_reset_forgets_it(row: Row) -> None:
    metric, other = row.make(), row.make()
    metric.update(row.output[:40], row.target[:40])
    metric.update(row.output[40:60], row.target[40:60])
    other.load_state_dict(metric.state_dict())
    for m in (metric, other):
        m.update(row.output[60:], row.target[60:])
    assert np.array_equal(metric.compute(), other.compute())
    metric.reset()
    assert metric.state_dict() == {} and math.isnan(metric.compute())
    metric.update(row.output, row.target)
    np.testing.assert_allclose(metric.compute(), other.compute(), rtol=1e-9)
    assert type(metric).__name__ in repr(metric)


@every
def test_a_batch_that_is_refused_changes_nothing(row: Row) -> None:
    metric = row.make()
    metric.update(row.output[:50], row.target[:50])
    before = metric.compute()
    with pytest.raises((ShapeError, DTypeError, ArgumentError)) as caught:
        metric.update(row.output[:7], row.target[:6])
    assert str(caught.value).startswith((type(metric).__name__, "mse_loss", "subtract"))
    assert np.array_equal(metric.compute(), before)


# -- options and edges


def of(metric: metrics.Metric, output: Any, target: Any) -> Any:
    metric.update(np.asarray(output), np.asarray(target))
    return metric.compute()


EDGES: dict[str, tuple[metrics.Metric, Any, Any, Any]] = {
    "of equal scores the first": (metrics.Accuracy(), [[0.5, 0.5], [0.5, 0.5]], [0, 1], 0.5),
    "top-k among equal scores": (metrics.TopKAccuracy(2), [[1.0, 1.0, 1.0]] * 3, [0, 1, 2], 2 / 3),
    "k above the classes": (metrics.TopKAccuracy(9), [[1.0, 2.0]], [0], 1.0),
    "accuracy over tokens": (metrics.Accuracy(-100), [[[2.0, 1, 9], [1.0, 2, 0]]], [[0, 0, -100]], 0.5),
    "ignored in F1": (metrics.F1("micro", ignore_index=-1), [[1.0, 0], [0, 1]], [0, -1], 1.0),
    "ignored answers": (metrics.ConfusionMatrix(num_classes=2, ignore_index=9), [0, 1, 1], [0, 9, 1], [[1, 0], [0, 1]]),
    "a threshold": (metrics.BinaryAccuracy(0.9), [0.8, 0.95], [0, 1], 1.0),
    "a threshold on logits": (metrics.BinaryAccuracy(0.9, from_logits=True), [2.0, 2.3], [0, 1], 1.0),
    "answers": (metrics.Recall("binary", num_classes=2), [1, 0, 1], [1, 1, 0], 0.5),
    "bools": (metrics.Precision("binary"), [0.9, 0.8], [True, False], 0.5),
    "no positive at all": (metrics.F1("binary"), [0.1, 0.2], [0, 0], 0.0),
    "no positive at all, one": (metrics.F1("binary", zero_division=1), [0.1, 0.2], [0, 0], 1.0),
    "AUC of one class": (metrics.AUC(), [0.1, 0.2], [1, 1], math.nan),
    "AUC of ties alone": (metrics.AUC(), [0.5] * 4, [0, 1, 1, 0], 0.5),
    "AUC without one of three": (metrics.AUC(), [[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]], [0, 1], math.nan),
    "AUC of two logits": (metrics.AUC(), [[5.0, 6.0], [0.0, 2.0], [1.0, 0.0]], [0, 1, 0], 1.0),
    "AUC of infinities": (metrics.AUC(), [-math.inf, math.inf], [0, 1], 1.0),
    "AP without a positive": (metrics.AveragePrecision(), [0.1, 0.2], [0, 0], math.nan),
    "Matthews of one answer": (metrics.MatthewsCorrelation(), [0.9, 0.9], [0, 1], 0.0),
    "kappa of one class": (metrics.CohenKappa(), [0.9, 0.9], [1, 1], math.nan),
    "perplexity of padding": (metrics.Perplexity(), [[[0.0, 9.0], [0.0, 0.0]]], [[1, -100]], 2.0),
    "perplexity of all padding": (metrics.Perplexity(), [[[0.0], [0.0]]], [[-100]], math.nan),
    "perplexity without bounds": (metrics.Perplexity(), [[0.0, 2000.0]], [0], math.inf),
    "an impossible class": (metrics.CrossEntropy(), [[0.0, -math.inf]], [1], math.inf),
    "a sure yes": (metrics.LogLoss(), [1.0, 0.0], [1, 0], 0.0),
    "a wrong yes": (metrics.LogLoss(), [1.0], [0], math.inf),
    "a soft target": (metrics.LogLoss(from_logits=True), [0.0], [0.3], math.log(2)),
    "a last axis of 1": (metrics.MSE(), [[1.0], [3.0]], [1.0, 1.0], 2.0),
    "the other last axis of 1": (metrics.MAE(), [1.0, 3.0], [[1.0], [1.0]], 1.0),
    "NaN among numbers": (metrics.MAE(), [1.0, math.nan], [1.0, 1.0], math.nan),
    "NaN in R2": (metrics.R2(), [1.0, math.nan], [1.0, 2.0], math.nan),
    "R2 of one example": (metrics.R2(), [1.0], [1.0], math.nan),
    "R2 of a constant, right": (metrics.R2(), [1.0, 1.0], [1.0, 1.0], 1.0),
    "R2 of a constant, wrong": (metrics.R2(), [1.0, 2.0], [1.0, 1.0], 0.0),
    "explained but for a constant": (metrics.ExplainedVariance(), [2.0, 3.0, 5.0], [1.0, 2.0, 4.0], 1.0),
    "correlation of a constant": (metrics.PearsonCorrelation(), [1.0, 1.0], [1.0, 2.0], math.nan),
    "correlation of a line": (metrics.PearsonCorrelation(), [1.0, 3.0, 5.0], [3.0, 2.0, 1.0], -1.0),
    "a share of 0": (metrics.MAPE(), [1.0], [0.0], 1 / np.finfo(float).eps),
}  # fmt: skip


@pytest.mark.parametrize("metric, output, target, value", EDGES.values(), ids=EDGES)
def test_edges(metric: metrics.Metric, output: Any, target: Any, value: Any) -> None:
    np.testing.assert_allclose(of(metric, output, target), value, rtol=1e-12)


def test_variances_survive_a_mean_that_dwarfs_them() -> None:
    noise = np.random.default_rng(0).normal(size=(2, 1000))
    target, output = 1e8 + noise[0], 1e8 + noise[0] + 0.1 * noise[1]
    metric = metrics.R2()
    for part in range(0, 1000, 7):
        metric.update(output[part : part + 7], target[part : part + 7])
    assert metric.compute() == pytest.approx(
        1 - np.sum((0.1 * noise[1]) ** 2) / np.sum((noise[0] - noise[0].mean()) ** 2), abs=1e-6
    )


def test_sums_of_float32_are_kept_in_float64() -> None:
    metric = metrics.MAE()
    for _ in range(10):
        metric.update(np.full(10**5, 16777217.0, np.float32), np.zeros(10**5, np.float32))
    assert metric.compute() == float(np.float32(16777217.0))


BAD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a target too large": (
        lambda: of(metrics.Accuracy(), [[0.1, 0.2]], [2]),
        ArgumentError,
        "Accuracy: targets go from 2 to 2, classes from 0 to 1.",
    ),
    "a target below 0": (lambda: of(metrics.F1(), [[0.1, 0.2]], [-1]), ArgumentError, "F1: targets go from -1 to -1"),
    "a NaN score": (
        lambda: of(metrics.Accuracy(), [[math.nan, 0.2]], [1]),
        ArgumentError,
        "Accuracy: 1 of 2 values of output are NaN.",
    ),
    "a NaN to rank": (lambda: of(metrics.AUC(), [math.nan, 1.0], [0, 1]), ArgumentError, "AUC: 1 of 2 values"),
    "a target between classes": (lambda: of(metrics.Accuracy(), [[0.1, 0.2]], [0.5]), DTypeError, "Accuracy: targets"),
    "logits taken for probabilities": (
        lambda: of(metrics.BinaryAccuracy(), [-1.0, 3.0], [0, 1]),
        ArgumentError,
        "BinaryAccuracy: outputs go from -1 to 3, which are no probabilities. Say from_logits=True",
    ),
    "logits in a log": (lambda: of(metrics.LogLoss(), [-1.0], [0]), ArgumentError, "LogLoss: outputs go from -1 to -1"),
    "logits of classes in a log": (
        lambda: of(metrics.CrossEntropy(from_logits=False), [[-1.0, 2.0]], [0]),
        ArgumentError,
        "CrossEntropy: outputs go from -1 to 2",
    ),
    "answers without a number of classes": (lambda: of(metrics.F1(), [0, 1], [0, 1]), ArgumentError, "F1: outputs are"),
    "another number of classes": (
        lambda: of(metrics.F1(num_classes=3), [[0.1, 0.2]], [0]),
        ShapeError,
        "F1: output has 2 classes, num_classes is 3.",
    ),
    "binary of three": (
        lambda: of(metrics.F1("binary"), [[0.1, 0.2, 0.3]], [0]),
        ArgumentError,
        "F1: average='binary' is for 2 classes, and there are 3.",
    ),
    "a product of shapes": (
        lambda: of(metrics.MSE(), np.zeros((3, 2)), np.zeros(3)),
        ShapeError,
        "MSE: output has shape [3, 2], target [3].",
    ),
    "text": (lambda: metrics.MSE().update("a", [1.0]), DTypeError, "MSE: output is a str"),
    "merging another kind": (lambda: metrics.MSE().merge(metrics.MAE()), DTypeError, "MSE.merge: takes a MSE"),
    "k of 0": (lambda: metrics.TopKAccuracy(0), ArgumentError, "TopKAccuracy: k is an integer from 1 on, not 0."),
    "an average": (lambda: metrics.F1("mean"), ArgumentError, "F1: average is"),
    "an average of AUCs": (lambda: metrics.AUC("micro"), ArgumentError, "AUC: average is"),
    "a zero division": (lambda: metrics.F1(zero_division=0.5), ArgumentError, "F1: zero_division is 0, 1 or NaN"),
    "a threshold of 0": (lambda: metrics.BinaryAccuracy(0.0), ArgumentError, "BinaryAccuracy: threshold is"),
    "a normalisation": (lambda: metrics.ConfusionMatrix("row"), ArgumentError, "ConfusionMatrix: normalize is"),
    "no classes": (lambda: metrics.F1(num_classes=0), ArgumentError, "F1: num_classes is an integer from 1 on"),
    "no function": (lambda: metrics.Loss("mse"), DTypeError, "Loss: 'mse' is not a module or a function"),
    "an unknown name": (lambda: metrics.collect("T", ["acc"]), ArgumentError, "T: there is no metric 'acc'. Use one of"),
    "a name twice": (lambda: metrics.collect("T", ["f1", "f1"]), ArgumentError, "T: two metrics are called 'f1'."),
    "a name that is taken": (lambda: metrics.collect("T", {"loss": "mse"}), ArgumentError, "T: two metrics are called 'loss'"),
    "a name of a row": (lambda: metrics.collect("T", {"steps": "mse"}), ArgumentError, "T: a metric cannot be called 'steps'"),
    "a name of validation": (lambda: metrics.collect("T", {"valid_x": "mse"}), ArgumentError,
        "T: a metric cannot be called 'valid_x'"),
    "a function": (lambda: metrics.collect("T", {"f": print}), DTypeError,
        "T: <built-in function print> is no metric. Use metrics.Loss(f) for its mean"),
    "no metric": (lambda: metrics.collect("T", [3]), DTypeError, "T: 3 is no metric."),
    "no list": (lambda: metrics.collect("T", 3), DTypeError, "T: metrics are a list of names and metrics, not 3."),
}  # fmt: skip


@pytest.mark.parametrize("call, error, told", BAD.values(), ids=BAD)
def test_what_makes_no_sense_is_refused(call: Callable[[], Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize("family", ["classification", "confusion", "ranking", "regression"])
def test_each_metric_has_an_example_which_runs(family: str) -> None:
    module = importlib.import_module(f"backburner_autodiff.train.metrics.{family}")
    assert not doctest.testmod(module).failed
    for name, thing in vars(module).items():
        public = inspect.isclass(thing) and issubclass(thing, metrics.Metric) and hasattr(metrics, name)
        if public and thing is not metrics.Metric:
            assert "    Example:\n" in (thing.__doc__ or ""), name


def test_small_probabilities_keep_their_order_in_two_columns() -> None:
    p = np.array([1e-9, 2e-9, 3e-9, 4e-9], np.float32)
    metric = metrics.AUC()
    metric.update(np.stack([1 - p, p], axis=1), [0, 1, 0, 1])
    assert metric.compute() == 0.75


@pytest.mark.parametrize("kind, value", [(metrics.PearsonCorrelation, math.nan), (metrics.R2, 0.0)])
def test_constant_numbers_are_found_constant_over_uneven_batches(kind: Any, value: float) -> None:
    x, constant = np.arange(10.0), np.full(10, 0.1)  # 0.1 ten times over ten is not 0.1
    for y in (constant, constant.astype("f4")):
        metric = kind()
        for part in (slice(0, 3), slice(3, 9), slice(9, 10)):
            metric.update(x[part], y[part])
        assert metric.compute() == value or math.isnan(value) and math.isnan(metric.compute())
