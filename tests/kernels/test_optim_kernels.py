"""Optimizer steps: PyTorch 2.13's numbers, both versions, and what happens at the edges."""

import numpy as np
import pytest

from backburner_autodiff.kernels import optim

pytestmark = pytest.mark.feature_set("autodiff")

DTYPES = ("float32", "float64")
START = [0.5, -1.25, 2.0, 0.0]
GRADIENTS = [[0.1, -0.2, 0.3, 0.0], [1.5, 0.25, -0.125, 1e-3], [-0.75, 2.0, 0.5, -1e-3]]

# The kernel, its options, and the parameter that torch.optim has in float64 after three steps.
STEPS = {
    "sgd": (optim.sgd, (0.1, 0.0), [0.415, -1.455, 1.9325, 0.0]),
    "sgd, decay": (optim.sgd, (0.1, 0.01), [0.4136714895, -1.45126872875, 1.926553468, 1e-7]),
    "momentum": (optim.sgd_momentum, (0.1, 0.9, 0.0, False, 0.0), [0.2629, -1.4433, 1.89245, -9e-05]),
    "momentum, dampening, decay": (
        optim.sgd_momentum, (0.1, 0.9, 0.5, False, 0.01), [0.365877572375, -1.3143844321875, 1.897313167, -4.4975e-05]
    ),
    "nesterov": (optim.sgd_momentum, (0.1, 0.9, 0.0, True, 0.0), [0.20161, -1.62897, 1.835705, -8.1e-05]),
    "adam": (
        optim.adam, (0.01, 0.9, 0.999, 1e-8, 0.0, False),
        [0.47953913111884744, -1.2481339607127824, 1.9799227008922988, -0.006989446161080258],
    ),
    "adam, decay": (
        optim.adam, (0.01, 0.8, 0.99, 1e-6, 0.1, False),
        [0.47896334989935396, -1.2435236360503998, 1.9737557471448315, -0.0044293087074840564],
    ),
    "adam, small beta1": (
        optim.adam, (0.01, 0.3, 0.99, 1e-8, 0.0, False),
        [0.4811121644529799, -1.2590462150939232, 1.9809684626555006, -0.0046988904074091505],
    ),
    "adamw": (
        optim.adam, (0.01, 0.9, 0.999, 1e-8, 0.1, True),
        [0.4780684910141733, -1.244406072139238, 1.9739520103018873, -0.006982004898053627],
    ),
}  # fmt: skip


def state_of(kernel, p):
    """Return as many arrays of zeros as the kernel keeps beside the parameter."""
    count = kernel.signature.partition("->")[2].count("x") - 1
    return [np.zeros_like(p) for _ in range(count)]


def take(run_as, kernel, options, step, g, p, state):
    if kernel is optim.adam:
        options = (*options[:4], step, *options[4:])
    elif kernel is optim.sgd_momentum:
        options = (*options, step == 1)
    run_as(g, *options, p, *state)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("version", ["serial", "parallel", "py_func"])
@pytest.mark.parametrize("case", STEPS)
def test_three_steps_end_where_pytorch_does(case, version, dtype):
    kernel, options, end = STEPS[case]
    p = np.array(START, dtype)
    state = state_of(kernel, p)
    for step, g in enumerate(GRADIENTS, 1):
        take(getattr(kernel, version), kernel, options, step, np.array(g, dtype), p, state)
    close = {"rtol": 1e-6, "atol": 1e-9} if dtype == "float32" else {"rtol": 1e-14, "atol": 1e-16}
    np.testing.assert_allclose(p, np.array(end, "float64"), **close)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("case", STEPS)
def test_serial_and_parallel_give_the_same_bits(case, dtype):
    kernel, options, _ = STEPS[case]
    rng = np.random.default_rng(0)
    ends = []
    p, g, *state = (
        rng.normal(size=(3, 1367)).astype(dtype) for _ in range(2 + len(state_of(kernel, np.zeros(1))))
    )
    state = [np.abs(s) for s in state]
    for run_as in (kernel.serial, kernel.parallel):
        mine = [p.copy(), *(s.copy() for s in state)]
        take(run_as, kernel, options, 2, g, mine[0], mine[1:])
        ends.append([a.tobytes() for a in mine])
    assert ends[0] == ends[1]
    assert ends[0][0] != p.tobytes()


@pytest.mark.parametrize("case", [case for case in STEPS if "decay" not in case and case != "adamw"])
def test_without_decay_an_infinite_parameter_stays_what_it_is(case):
    kernel, options, _ = STEPS[case]
    p = np.array([np.inf, -np.inf], "float32")
    take(kernel.serial, kernel, options, 1, np.ones(2, "float32"), p, state_of(kernel, p))
    np.testing.assert_array_equal(p, [np.inf, -np.inf])


def test_a_parameter_without_elements_takes_a_step():
    p = np.zeros((0, 3), "float32")
    optim.adam(p.copy(), 0.01, 0.9, 0.999, 1e-8, 1, 0.0, False, p, p.copy(), p.copy())
    assert p.shape == (0, 3)


def test_a_zero_gradient_moves_nothing_at_the_first_step_of_adam():
    p = np.array([1.0, -0.0], "float32")
    optim.adam(
        np.zeros(2, "float32"),
        0.01,
        0.9,
        0.999,
        1e-8,
        1,
        0.0,
        False,
        p,
        np.zeros(2, "float32"),
        np.zeros(2, "float32"),
    )
    np.testing.assert_array_equal(p, [1.0, 0.0])


def test_a_gradient_of_another_shape_is_refused():
    p = np.zeros(3, "float32")
    with pytest.raises(ValueError, match="sgd: argument 3 has 3 elements, not 1"):
        optim.sgd(np.zeros(1, "float32"), 0.1, 0.0, p)
