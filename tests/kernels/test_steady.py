"""No loop stops to compile: not for its last batch, nor for another layout of what it was given before."""

import numba
import numpy as np
import pytest
import sample_kernels

import backburner as bb
from backburner import nn
from backburner.nn import functional as F
from backburner_autodiff.kernels import _cache, _jit, _pool

pytestmark = pytest.mark.feature_set("autodiff")

BATCH, LAST = 16, 3
HOLDS = _cache.Store.holds


class Recurrent(nn.Module):
    def __init__(self):
        self.lstm = nn.LSTM(6, 8, batch_first=True)
        self.head = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4))

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


class Transformer(nn.Module):
    def __init__(self):
        self.words = nn.Embedding(11, 16)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, activation="gelu", batch_first=True)
        self.head = nn.Linear(16, 4)

    def forward(self, x):
        return self.head(self.layer(self.words(x)).mean(axis=1))


def lenet():
    return nn.Sequential(
        *(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 4)),
    )


def normed():
    return nn.Sequential(
        *(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU()),
        *(nn.Conv2d(8, 8, 3, groups=8), nn.SiLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4)),
    )


def mlp():
    return nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.LayerNorm(32), nn.Dropout(), nn.Linear(32, 4))


MODELS = {
    "mlp": (mlp, (20,)),
    "lenet": (lenet, (1, 28, 28)),
    "normed": (normed, (3, 12, 12)),
    "lstm": (Recurrent, (9, 6)),
    "transformer": (Transformer, None),
}


def layouts(x):
    """The same values as they may lie in memory: what kernels see as strided, reversed, read-only, unaligned."""
    yield np.repeat(x, 2, axis=-1)[..., ::2]
    yield np.asfortranarray(x)
    yield np.ascontiguousarray(x[::-1])[::-1]
    fixed = x.copy()
    fixed.flags.writeable = False
    yield fixed
    unaligned = np.frombuffer(b"\0" + x.tobytes(), x.dtype, offset=1).reshape(x.shape)
    assert not unaligned.flags.aligned
    yield unaligned


@pytest.fixture
def fresh(monkeypatch):
    """A process's start: no kernel has a version yet, and the disk has none of what a loop asks for late.

    The border between small and large calls lies low, so that a small batch crosses it as a real one does.
    """
    bb.Device.cpu().autodiff()  # brings the kernels
    for kernel in _jit.KERNELS.values():
        monkeypatch.setattr(kernel, "_compiled", {False: {}, True: {}})
        monkeypatch.setattr(kernel, "_stand_ins", {})
        monkeypatch.setattr(kernel, "_threshold", kernel._threshold / 400)
    monkeypatch.setattr(_cache.Store, "holds", lambda *_: False)
    monkeypatch.setattr(_pool, "usable", lambda: True)

    def versions():
        return {(kernel.name, *made) for kernel in _jit.KERNELS.values() for made in kernel.versions()}

    return versions


@pytest.mark.parametrize("name", MODELS)
def test_a_loop_compiles_nothing_after_its_second_step(name, fresh):
    from backburner.optim import Adam

    make, shape = MODELS[name]
    model = make().to(bb.Device.cpu().autodiff())
    optimizer = Adam(model)
    rng = np.random.default_rng(0)
    if shape is None:
        x = rng.integers(0, 11, (BATCH, 7))
    else:
        x = rng.normal(size=(BATCH, *shape)).astype("float32")
    y = rng.integers(0, 4, BATCH)

    def step(x, y):
        optimizer.step(F.cross_entropy(model(bb.asarray(x)), bb.asarray(y)).backward())

    step(x, y)
    step(x, y)
    before = fresh()
    assert any(parallel for _, _, parallel in before), "no call was large: the border lies too high to tell"
    step(x[:LAST], y[:LAST])
    for other in layouts(x):
        step(other, y[::-1].copy()[::-1])
        step(other[:LAST], y[:LAST])
    model.valid()(bb.asarray(x[:1]))
    assert fresh() == before


def test_a_small_call_takes_the_version_that_is_there_and_gives_the_same_bits(fresh, threads):
    kernel = sample_kernels.sample_rows
    x = np.random.default_rng(0).normal(size=(500, 40)).astype("float32")
    large = np.empty_like(x), np.empty(len(x), "float32")
    small = np.empty_like(x[:5]), np.empty(5, "float32")
    plain = np.empty_like(x[:5]), np.empty(5, "float32")
    kernel(x, *large)
    kernel(x[:5], *small)
    assert kernel.versions() == [("float32", True)]
    kernel.serial(x[:5], *plain)
    assert kernel.versions() == [("float32", False), ("float32", True)]
    assert [a.tobytes() for a in small] == [a.tobytes() for a in plain]


def test_a_stand_in_wakes_no_thread_and_leaves_the_number_of_threads(fresh):
    kernel = sample_kernels.sample_rows
    x = np.ones((500, 40), "float32")
    kernel(x, np.empty_like(x), np.empty(500, "float32"))
    seen = []
    made = kernel._compiled[True]["f"]
    kernel._compiled[True]["f"] = lambda *args: seen.append(numba.get_num_threads()) or made(*args)
    before = numba.get_num_threads()
    kernel(x[:5], np.empty((5, 40), "float32"), np.empty(5, "float32"))
    assert (seen, numba.get_num_threads()) == ([1], before)


def test_where_it_may_not_be_launched_the_plain_version_is_compiled(fresh, monkeypatch):
    kernel = sample_kernels.sample_rows
    x = np.ones((500, 40), "float32")
    kernel(x, np.empty_like(x), np.empty(500, "float32"))
    monkeypatch.setattr(_pool, "launch", lambda *args, **options: False)
    y, total = np.empty((5, 40), "float32"), np.empty(5, "float32")
    kernel(x[:5], y, total)
    assert ("float32", False) in kernel.versions()
    np.testing.assert_allclose(y.sum(1), 1, rtol=1e-6)


def test_a_plain_version_on_the_disk_is_loaded(fresh, monkeypatch):
    kernel = sample_kernels.sample_rows
    x = np.ones((500, 40), "float32")
    small = x[:5], np.empty((5, 40), "float32"), np.empty(5, "float32")
    kernel.serial(*small)
    store, target = kernel._dispatchers[False]._cache, kernel._dispatchers[False].targetctx
    assert HOLDS(store, kernel._types("f"), target)
    assert not HOLDS(_cache.Store(kernel.py_func, "nothing"), kernel._types("f"), target)
    monkeypatch.setattr(_cache.Store, "holds", HOLDS)
    monkeypatch.setattr(kernel, "_compiled", {False: {}, True: {}})
    kernel(x, np.empty_like(x), np.empty(500, "float32"))
    kernel(*small)
    assert kernel.versions() == [("float32", False), ("float32", True)]
