"""Optimizer steps: plainly, on threads and as Python the same bits, and what happens at the edges."""

from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import nn, optim
from backburner_autodiff.kernels import optim as kernels
from backburner_autodiff.kernels._jit import KERNELS, Kernel
from optimizers import EACH

pytestmark = pytest.mark.feature_set("autodiff")

MADE = {name: (kind, options) for name, (kind, options) in EACH.items() if kind not in ("Muon", "LBFGS")}
"""Those that have a kernel; the others are made of matrix products."""


def after(kind: str, options: dict[str, Any], start: Any, gradients: Any) -> tuple[Any, Any]:
    """Return where steps lead, and the state."""
    w = nn.Parameter(bb.tensor(start))
    optimizer = getattr(optim, kind)({"w": w}, **options)
    for g in gradients:
        optimizer.step({"w": bb.tensor(g)})
    return w.numpy(), optimizer.state_dict()


@pytest.mark.parametrize("case", MADE)
def test_every_version_gives_the_same_bits(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, options = MADE[case]
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(4, 3, 1367)).astype("float32")
    numbers[:, 0, :10] = 0
    ends = {}
    for version, size in (("serial", 1367), ("parallel", 1367), ("serial", 17), ("py_func", 17)):
        with monkeypatch.context() as patch:
            patch.setattr(Kernel, "__call__", _python if version == "py_func" else getattr(Kernel, version))
            end, state = after(kind, options, numbers[0, :, :size], numbers[1:, :, :size])
        ends[version, size] = [a.tobytes() for a in (end, *state.values())]
    assert ends["serial", 1367] == ends["parallel", 1367]
    assert ends["serial", 17] == ends["py_func", 17]
    assert ends["serial", 1367][0] != numbers[0].tobytes()


def _python(self: Kernel, *args: Any) -> None:
    self.py_func(*self._prepare(args))


def test_every_kernel_of_steps_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    reached = set()
    run = Kernel.__call__

    def noted(self: Kernel, *args: Any) -> None:
        reached.add(self.name)
        run(self, *args)

    monkeypatch.setattr(Kernel, "__call__", noted)
    for kind, options in MADE.values():
        after(kind, options, np.ones(1, "float32"), np.ones((1, 1), "float32"))
    steps = {n for n, k in KERNELS.items() if k.py_func.__module__ == kernels.__name__} - {"squares"}
    assert reached == steps


@pytest.mark.parametrize("case", MADE)
def test_without_decay_an_infinite_parameter_stays_what_it_is(case: str) -> None:
    kind, options = MADE[case]
    infinite = np.array([np.inf, -np.inf], "float32")
    end, _ = after(kind, {**options, "weight_decay": 0.0}, infinite, np.ones((2, 2), "float32"))
    np.testing.assert_array_equal(end, infinite)


@pytest.mark.parametrize("shape", [(), (0, 3), (2, 0)])
@pytest.mark.parametrize("case", MADE)
def test_a_parameter_without_dimensions_or_elements_takes_a_step(case: str, shape: tuple[int, ...]) -> None:
    kind, options = MADE[case]
    end, _ = after(kind, options, np.ones(shape), np.ones((2, *shape)))
    assert end.shape == shape and (end < 1).all()


@pytest.mark.parametrize("case", MADE)
def test_gradients_of_zeros_move_nothing_without_decay(case: str) -> None:
    kind, options = MADE[case]
    start = np.array([1.0, -0.0], "float32")
    end, _ = after(kind, {**options, "weight_decay": 0.0}, start, np.zeros((3, 2), "float32"))
    np.testing.assert_array_equal(end, start)


def test_a_variance_that_rounding_takes_below_zero_gives_no_nan() -> None:
    steady = np.full((400, 3), [0.1, 0.3, 7.7], "float32")
    end, _ = after("RMSprop", {"centered": True, "alpha": 0.5}, np.zeros(3, "float32"), steady)
    assert np.isfinite(end).all()


def test_a_gradient_of_another_shape_is_refused() -> None:
    p = np.zeros(3, "float32")
    with pytest.raises(ValueError, match="sgd: argument 4 has 3 elements, not 1"):
        kernels.sgd(np.zeros(1, "float32"), 1.0, 0.1, 0.0, p)
