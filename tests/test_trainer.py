"""The trainer: what a fit does to a model, what it reports, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import data, nn
from backburner.errors import ArgumentError, DTypeError, GraphError, NonFiniteError, ShapeError
from backburner.nn import functional as F
from backburner.optim import LBFGS, SGD, Adam
from backburner.train import EarlyStopping, JSONLines, Trainer, metrics
from trainer_cases import XV, YV, X, Y, batches, bits, make, network, spoiled

pytestmark = pytest.mark.feature_set("autodiff")

# -- the steps


def test_a_fit_is_the_loop_that_one_would_write() -> None:
    trainer = make(network(nn.BatchNorm1d(8), nn.Dropout(0.3)))
    history = trainer.fit(batches(shuffle=True), epochs=3)

    model = network(nn.BatchNorm1d(8), nn.Dropout(0.3)).to(bb.Device.cpu().autodiff())
    optimizer = SGD(model, lr=0.1, momentum=0.9)
    bb.Device.cpu().seed(1)
    losses = []
    loader = batches(shuffle=True)
    for _ in range(3):
        total = 0.0
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            optimizer.step(loss.backward())
            total += float(loss) * len(y)
        losses.append(total / 50)
    assert bits(trainer.model) == bits(model)
    assert history["loss"] == losses
    assert history["steps"] == [4, 8, 12] and history["lr"] == [0.1] * 3
    assert (trainer.steps, trainer.epoch, optimizer.steps) == (12, 3, 12)


def test_arrays_are_cut_and_shuffled_by_the_seed_and_take_the_models_dtype() -> None:
    by_arrays, by_batches = make(seed=5), make(seed=5)
    by_arrays.fit((X.astype(np.float64), Y), epochs=2, batch_size=20)
    by_batches.fit(batches(20, shuffle=True, seed=5), epochs=2)
    assert bits(by_arrays.model) == bits(by_batches.model)
    assert by_arrays.steps == 6


def test_a_data_set_is_cut_and_shuffled_too() -> None:
    by_examples, by_batches = make(seed=5), make(seed=5)
    by_examples.fit([(x, int(y)) for x, y in zip(X, Y, strict=True)], epochs=2, batch_size=20)
    by_batches.fit(batches(20, shuffle=True, seed=5), epochs=2)
    assert bits(by_examples.model) == bits(by_batches.model)


def test_the_seed_decides_inside_a_fit_and_nothing_outside() -> None:
    found = []
    for before in range(2):
        model = network(nn.Dropout(0.5))
        bb.Device.cpu().seed(before)
        state = bb.random.get_state()
        trainer = make(model)
        trainer.fit(batches(), epochs=1)
        trainer.fit(batches(), epochs=1)
        assert bb.random.get_state() == state
        found.append(bits(model))
    whole = make(network(nn.Dropout(0.5)))
    whole.fit(batches(), epochs=2)
    assert found[0] == found[1] == bits(whole.model)


def test_without_a_seed_the_devices_stream_goes_on() -> None:
    model = network(nn.Dropout(0.5))
    bb.Device.cpu().seed(7)
    make(model, seed=None).fit(batches(), epochs=1)
    assert bb.random.get_state() == (7, 4)


def test_a_model_on_a_plain_device_is_moved_and_validation_has_neither_dropout_nor_new_statistics() -> None:
    model = network(nn.BatchNorm1d(8), nn.Dropout(0.5))
    assert not model.device.is_autodiff()
    trainer = make(model, metrics=["accuracy"])
    assert model.device.is_autodiff()
    history = trainer.fit(batches(), data.batches(XV, YV, batch_size=5), epochs=2)
    moved = bits(model)
    found = trainer.evaluate((XV, YV), batch_size=13)
    assert bits(model) == moved
    valid = model.valid()(bb.tensor(XV))
    assert found["accuracy"] == float(np.mean(valid.numpy().argmax(axis=1) == YV))
    assert history[-1]["valid_loss"] == pytest.approx(float(F.cross_entropy(valid, bb.tensor(YV))), rel=1e-5)
    assert history[-1]["valid_accuracy"] == found["accuracy"]


@pytest.mark.parametrize("size, accumulate", [(10, 2), (10, 5), (16, 3), (7, 100)])
def test_accumulated_gradients_are_those_of_one_large_batch(size: int, accumulate: int) -> None:
    # the last group has fewer batches, and its last batch fewer examples
    few, one = make(accumulate=accumulate), make()
    few.fit(batches(size), epochs=2)
    one.fit(batches(size * accumulate), epochs=2)
    assert few.steps == one.steps == 2 * -(-50 // (size * accumulate))
    for name, x in few.model.state_dict().items():
        np.testing.assert_allclose(x.numpy(), one.model.state_dict()[name].numpy(), rtol=2e-5, atol=1e-6)
    assert few.history["loss"] == pytest.approx(one.history["loss"], rel=1e-5)


def test_batch_norm_looks_at_each_accumulated_batch_by_itself() -> None:
    """B160: what BatchNorm does is not that of one large batch, as the docstring says."""
    few, one = (
        make(network(nn.BatchNorm1d(8)), accumulate=2),
        make(network(nn.BatchNorm1d(8))),
    )
    few.fit(batches(25), epochs=1)
    one.fit(batches(50), epochs=1)
    assert int(few.model.state_dict()["1.num_batches_tracked"].item()) == 2
    assert not np.allclose(
        few.model.state_dict()["0.weight"].numpy(), one.model.state_dict()["0.weight"].numpy()
    )
    assert "BatchNorm" in (Trainer.__doc__ or "")


def test_gradients_are_clipped_by_the_norm_of_all() -> None:
    w = nn.Linear(2, 1, bias=False)
    w.weight.assign(np.zeros((1, 2), np.float32))
    trainer = make(w, optimizer=SGD(w, lr=1.0), loss=lambda out, y: (out * y).sum(), clip=1.0)
    trainer.fit([(np.array([[3.0, 4.0]]), np.array([[1.0]]))], epochs=1)
    np.testing.assert_allclose(w.weight.numpy(), [[-0.6, -0.8]], rtol=1e-6)


def test_a_schedule_is_logged_and_goes_on_in_the_next_fit() -> None:
    trainer = make(lr=lambda step: 0.1 / (1 + step))
    history = trainer.fit(batches(), epochs=2)
    trainer.fit(batches(), epochs=1)
    assert history["lr"] == [0.1 / 4, 0.1 / 8]
    assert trainer.history["lr"][2] == 0.1 / 12
    assert trainer.history["epoch"] == [1, 2, 3]


def test_max_steps_ends_in_the_middle_of_an_epoch() -> None:
    trainer = make()
    history = trainer.fit(batches(), data.batches(XV, YV, batch_size=5), max_steps=6)
    assert trainer.steps == 6
    assert [row.get("partial", False) for row in history] == [False, True]
    assert history[-1]["steps"] == 6 and "valid_loss" in history[-1]
    assert len(trainer.history) == 1


def test_max_steps_at_the_end_of_an_epoch_leaves_it_whole() -> None:
    history = make().fit(batches(), max_steps=8)
    assert [row.get("partial", False) for row in history] == [False, False]


def test_data_that_is_longer_than_it_says_is_used_whole() -> None:
    class Long:
        def __len__(self) -> int:
            return 2

        def __iter__(self) -> Iterator[Any]:
            return iter(batches())

    trainer, plain = make(), make()
    trainer.fit(Long(), epochs=2)
    plain.fit(batches(), epochs=1)
    plain.fit(batches(), epochs=1)
    assert trainer.steps == 8 and bits(trainer.model) == bits(plain.model)


# -- batches of other kinds


class Two(nn.Module):
    def __init__(self) -> None:
        self.a, self.b = nn.Linear(4, 2), nn.Linear(4, 2)

    def forward(self, left: Any, right: Any) -> Any:
        return self.a(left) - self.b(right)


@pytest.mark.parametrize(
    "batch, options",
    [
        ((X, X, Y), {}),
        ([bb.tensor(X), bb.tensor(X), bb.tensor(Y)], {}),
        ({"right": X, "left": X, "label": Y}, {"target": "label"}),
    ],
    ids=["tuple", "list of tensors", "dict"],
)
def test_several_inputs_come_in_a_row_or_by_name(batch: Any, options: Any) -> None:
    bb.Device.cpu().seed(0)
    model = Two()
    trainer = make(model, **options)
    assert trainer.fit([batch], epochs=2)["loss"][1] < trainer.history["loss"][0]
    assert trainer.predict([batch]).shape == (50, 2)


def test_a_step_of_ones_own_may_have_any_batch_and_weight() -> None:
    class Mine(Trainer):
        def step(self, model: nn.Module, batch: Any) -> Any:
            output = model(batch["x"])
            loss = F.cross_entropy(output, batch["y"]) + 0.01 * output.square().mean()
            return loss, output, batch["y"]

        def count(self, batch: Any) -> int:
            return 7

    trainer = make(kind=Mine, loss=None, metrics={"right": "accuracy"})
    history = trainer.fit([{"x": X, "y": Y}] * 3, [{"x": XV, "y": YV}], epochs=2)
    assert history[1]["loss"] < history[0]["loss"] and 0 <= history[1]["valid_right"] <= 1
    assert trainer._running.examples == 21


def test_a_step_may_be_a_function() -> None:
    def step(model: nn.Module, batch: Any) -> Any:
        return F.cross_entropy(model(batch[0]), batch[1])

    own, usual = make(loss=None, step=step), make()
    own.fit(batches(), (XV, YV), epochs=2)
    usual.fit(batches(), (XV, YV), epochs=2)
    assert bits(own.model) == bits(usual.model) and own.history["valid_loss"] == usual.history["valid_loss"]


def test_predict_joins_the_answers_of_batches() -> None:
    trainer = make()
    right = trainer.model.valid()(bb.tensor(X)).numpy()
    for given, size in (
        (X, 7),
        (bb.tensor(X), None),
        ((X, Y), 20),
        (batches(9), None),
        ([X[:25], X[25:]], None),
    ):
        found = trainer.predict(given, batch_size=size)
        assert not found.is_autodiff()
        np.testing.assert_allclose(found.numpy(), right, rtol=1e-5, atol=1e-6)


def test_predict_keeps_the_structure_of_answers() -> None:
    class Pair(nn.Module):
        def forward(self, x: Any) -> Any:
            return x, {"twice": 2 * x}

    model = Pair()
    trainer = make(model, optimizer=SGD(nn.Linear(1, 1)))
    first, second = trainer.predict(X, batch_size=20)
    assert np.array_equal(first.numpy(), X) and np.array_equal(second["twice"].numpy(), 2 * X)


# -- NaN and infinity


def test_a_loss_that_is_not_finite_stops_with_the_step_the_batch_and_the_remedy(tmp_path: Path) -> None:
    trainer, parts = spoiled(2, snapshots=tmp_path)
    with pytest.raises(NonFiniteError) as caught:
        trainer.fit(parts, epochs=2)
    error = caught.value
    assert str(error).startswith("Trainer.fit: the loss is nan in step 3: epoch 1, batch 2 from 0.")
    assert all(word in str(error) for word in ("lr", "clip=1.0", "detect_anomaly", "nonfinite='skip'"))
    assert (error.step, error.epoch, error.batch_index) == (3, 1, 2)
    assert np.isnan(error.batch[0].numpy()).sum() == 1
    clean = make(network(nn.BatchNorm1d(8)))
    clean.fit(parts[:2], epochs=1)
    assert bits(trainer.model) == bits(clean.model)  # running means and parameters are those before the step
    assert list(tmp_path.iterdir()) == []


def test_a_gradient_that_is_not_finite_is_named() -> None:
    model = nn.Linear(4, 2)
    trainer = make(
        model, loss=lambda out, y: ((out * 0.0).abs() + 1e-45).log().sum() * 0.0 + (out * 0).sum().sqrt()
    )
    before = bits(model)
    with pytest.raises(
        NonFiniteError, match=r"the gradient of \w+ has \d+ of \d+ values that are NaN or infinite"
    ):
        trainer.fit([(X, Y)], epochs=1)
    assert bits(model) == before


@pytest.mark.parametrize("accumulate, steps", [(1, 4), (2, 2), (5, 0)])
def test_skipping_leaves_the_step_out(accumulate: int, steps: int) -> None:
    trainer, parts = spoiled(1, accumulate=accumulate, nonfinite="skip")
    if not steps:
        with pytest.raises(NonFiniteError, match="each step of epoch 1 was skipped"):
            trainer.fit(parts, epochs=1)
        return
    history = trainer.fit(parts, epochs=2)
    clean = make(network(nn.BatchNorm1d(8)), accumulate=accumulate)
    clean.fit([part for i, part in enumerate(parts) if i // accumulate != 1 // accumulate], epochs=2)
    assert bits(trainer.model) == bits(clean.model)
    assert history["skipped"] == [1, 1] and trainer.skipped == 2
    assert history["loss"] == clean.history["loss"]


def test_ignoring_lets_nan_through() -> None:
    trainer, parts = spoiled(1, nonfinite="ignore")
    trainer.fit(parts, epochs=1)
    assert np.isnan(trainer.model.state_dict()["0.weight"].numpy()).any()


def test_large_finite_gradients_are_no_fault() -> None:
    model = nn.Linear(4, 2)
    trainer = make(model, lr=1e-30, loss=lambda out, y: (out * 1e25).sum())
    trainer.fit([(X, Y)], epochs=1)
    assert trainer.steps == 1


# -- what is refused


def once() -> Iterator[Any]:
    yield X, Y


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "no module": (lambda: Trainer(3, SGD(network()), print), DTypeError, "Trainer: model is a int"),  # type: ignore[arg-type]
    "no optimizer": (lambda: Trainer(network(), "adam", print), DTypeError, "Trainer: optimizer is a str"),  # type: ignore[arg-type]
    "no loss": (lambda: make(loss=None), ArgumentError, "Trainer: there is no loss."),
    "no step": (lambda: make(step=3), DTypeError, "Trainer: step is 3, not a function (model, batch)."),
    "no function": (lambda: make(loss="mse"), DTypeError, "Trainer: loss is 'mse', not a module or a function"),
    "accumulate": (lambda: make(accumulate=0), ArgumentError, "Trainer: accumulate is an integer from 1 on, not 0."),
    "clip": (lambda: make(clip=0.0), ArgumentError, "Trainer: clip is a positive norm"),
    "clip with LBFGS": (
        lambda: make(optimizer=LBFGS(network()), clip=1.0),
        ArgumentError,
        "Trainer: LBFGS computes its gradients itself",
    ),
    "ema": (lambda: make(ema="half"), DTypeError, "Trainer: ema is a share from 0 to 1 or an optim.EMA, not 'half'."),
    "ema of 2": (lambda: make(ema=2.0), ArgumentError, "EMA: decay is"),
    "nonfinite": (lambda: make(nonfinite="warn"), ArgumentError, "Trainer: nonfinite is 'raise', 'skip', 'ignore'"),
    "seed": (lambda: make(seed=-1), ArgumentError, "Trainer: seed is an integer in [0, 2^64), not -1."),
    "the class of a callback": (lambda: make(callbacks=[EarlyStopping]), DTypeError,
        "Trainer: <class 'backburner_autodiff.train.callbacks.EarlyStopping'> is no callback. Make one of the class."),
    "another model's optimizer": (lambda: make(optimizer=Adam(nn.Linear(1, 1))), ArgumentError,
        "Trainer: the optimizer has no parameter of the model, so nothing would train. Make it of this model: Adam("),
    "callback": (lambda: make(callbacks=[print]), DTypeError, "Trainer: <built-in function print> is no callback."),
    "progress": (lambda: make(progress=True), ArgumentError, "Trainer: progress is 'auto', 'bar', 'plain', 'off'"),
    "metrics": (lambda: make(metrics=["acc"]), ArgumentError, "Trainer: there is no metric 'acc'."),
    "patience": (lambda: EarlyStopping(patience=0), ArgumentError, "EarlyStopping: patience is"),
    "min_delta": (lambda: EarlyStopping(min_delta=-1), ArgumentError, "EarlyStopping: min_delta is"),
    "mode": (lambda: EarlyStopping(mode="most"), ArgumentError, "monitor 'valid_loss': mode is"),
    "every_steps": (lambda: JSONLines("a", 0), ArgumentError, "JSONLines: every_steps is"),
    "how long": (lambda: make().fit(batches()), ArgumentError, "Trainer.fit: how long? Say epochs or max_steps."),
    "epochs": (lambda: make().fit(batches(), epochs=0), ArgumentError, "Trainer.fit: epochs is an integer from 1 on"),
    "no data": (lambda: make().fit(3, epochs=1), DTypeError, "Trainer.fit: data is an iterable of batches"),
    "one array": (lambda: make().fit(X, epochs=1), DTypeError, "Trainer.fit: data is an iterable of batches"),
    "batches of batches": (
        lambda: make().fit(batches(), epochs=1, batch_size=3),
        ArgumentError,
        "Trainer.fit: batch_size is for arrays and data sets, and this is a Loader of batches already.",
    ),
    "the class of a loss": (lambda: make(loss=nn.CrossEntropyLoss), DTypeError,
        "Trainer: loss is the class CrossEntropyLoss. Make one of it: CrossEntropyLoss()."),
    "the class of an optimizer": (lambda: make(optimizer=Adam), DTypeError,
        "Trainer: optimizer is the class Adam. Make one of it: Adam(model)."),
    "a list among arrays": (lambda: make().fit((np.ones((2, 4)), [0, 1]), epochs=1), DTypeError,
        "Trainer.fit: a tuple of data holds arrays, and its entry 1 is a list. Use np.asarray on it."),
    "x and y apart": (lambda: make().fit(np.ones((2, 4)), np.zeros(2), epochs=1), DTypeError,
        "Trainer.fit: data is an iterable of batches or a tuple of arrays, not an array [2, 4]. Give inputs and targets"),
    "no batch": (lambda: make().fit([], epochs=1), ArgumentError, "Trainer.fit: train has no batch."),
    "an iterator twice": (lambda: make().fit(once(), epochs=2), ArgumentError, "Trainer.fit: train has no batch."),
    "no batch to evaluate": (lambda: make().evaluate([]), ArgumentError, "Trainer.evaluate: there is no batch."),
    "no batch to predict": (lambda: make().predict([]), ArgumentError, "Trainer.predict: there is no batch."),
    "a batch of one": (lambda: make().fit([(X,)], epochs=1), ArgumentError, "Trainer.step: a batch is a tuple"),
    "a dict": (lambda: make().fit([{"x": X}], epochs=1), ArgumentError, "Trainer.step: the batch is a dict of x"),
    "many losses": (
        lambda: make(loss=nn.CrossEntropyLoss(reduction="none")).fit([(X, Y)], epochs=1),
        ShapeError,
        "Trainer.step: the loss has shape [50], not one number.",
    ),
    "no tensor": (lambda: make(loss=lambda o, y: 1.0).fit([(X, Y)], epochs=1), DTypeError, "Trainer.step: must return"),
    "no graph": (
        lambda: make(loss=lambda o, y: o.detach().sum()).fit([(X, Y)], epochs=1),
        GraphError,
        "backward: the tensor has no graph",
    ),
}  # fmt: skip


@pytest.mark.parametrize("call, error, told", BAD.values(), ids=BAD)
def test_what_makes_no_sense_is_refused(call: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(told)


def test_a_trainer_that_is_refused_leaves_the_model_where_it_is() -> None:
    model = network()
    with pytest.raises(ArgumentError, match="EMA: decay is"):
        make(model, ema=2.0)
    assert not model.device.is_autodiff()


def test_adam_and_strings_of_metrics_learn_the_task() -> None:
    model = network()
    trainer = make(model, optimizer=Adam(model, lr=0.05), metrics=["accuracy", metrics.AUC()])
    history = trainer.fit((X, Y), (X, Y), epochs=15)
    assert history[-1]["valid_accuracy"] > 0.95 and history[-1]["auc"] > 0.95


def test_a_batch_of_no_examples_weighs_nothing() -> None:
    x, y = np.ones((4, 3), "f4"), np.array([0, 1, 1, 0])
    model = nn.Linear(3, 2)
    trainer = Trainer(model, Adam(model), nn.CrossEntropyLoss(), ["accuracy"], progress="off")
    assert trainer.evaluate([(x, y), (x[:0], y[:0])]) == trainer.evaluate([(x, y)])


def test_batches_to_evaluate_on_stay_as_they_are_where_those_to_train_on_are_cut() -> None:
    model = nn.Linear(4, 2)
    trainer = Trainer(model, Adam(model), nn.CrossEntropyLoss(), progress="off")
    loader = data.batches(X, Y, batch_size=7)
    trainer.fit((X, Y), loader, epochs=1, batch_size=5)
    trainer.fit((X, Y), (batch for batch in loader), epochs=1, batch_size=5)
    assert trainer.history["valid_loss"][1] > 0
