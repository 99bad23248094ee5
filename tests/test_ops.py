"""The laws of every public op, driven by the table in ``ops``."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import backburner as bb
from ops import CASES, DRAWS, ROWS, Array, Case, Draw, Row, public
from ops._run import LAYOUTS, backward, bits, close, differentiate, evaluate, largest, leaves, tensors, told

autodiff = pytest.mark.feature_set("autodiff")
every_row = pytest.mark.parametrize("row", ROWS, ids=[row.name or row.op for row in ROWS])
DIFFERENTIABLE = [row for row in ROWS if any(case.differentiable() for case in row.cases())]
every_gradient = pytest.mark.parametrize(
    "row", DIFFERENTIABLE, ids=[row.name or row.op for row in DIFFERENTIABLE]
)
both_floats = pytest.mark.parametrize("dtype", ["float32", "float64"])


@pytest.fixture
def device() -> bb.Device:
    return bb.Device.cpu().autodiff()


# -- forward: also without the extension


@every_row
@both_floats
def test_the_result_is_that_of_an_independent_reference(row: Row, dtype: str) -> None:
    for case in row.cases():
        with told(case):
            found, wanted = evaluate(case, case.arrays(dtype)), case.expected()
            assert len(found) == len(wanted)
            for y, expected in zip(found, wanted, strict=True):
                assert y.shape == expected.shape
                close(y, expected, dtype)


@every_row
@both_floats
def test_the_result_has_the_dtype_of_its_inputs_or_the_one_that_is_promised(row: Row, dtype: str) -> None:
    for case in row.cases():
        with told(case):
            for y, expected in zip(evaluate(case, case.arrays(dtype)), case.expected(), strict=True):
                promised = {"": dtype, "reference": expected.dtype, "options": case.options.get("to")}
                assert y.dtype == promised.get(row.result, row.result)


@every_row
@both_floats
def test_the_layout_of_the_inputs_does_not_matter(row: Row, dtype: str) -> None:
    for case in row.cases():
        arrays = case.arrays(dtype)
        plain = evaluate(case, arrays)
        for layout, lay in LAYOUTS.items():
            with told(f"{case}, {layout}"):
                found = evaluate(case, [None if x is None else lay(x) for x in arrays])
                if row.exact:
                    assert bits(found) == bits(plain)
                for y, expected in zip(found, plain, strict=True):
                    close(y, expected, dtype)


@every_row
def test_no_input_is_written_to(row: Row) -> None:
    for case in row.cases():
        arrays = case.arrays("float32")
        before = bits([x for x in arrays if x is not None])
        with told(case):
            evaluate(case, arrays)
            assert bits([x for x in arrays if x is not None]) == before


@every_row
def test_two_runs_give_the_same_bits(row: Row) -> None:
    for case in row.cases():
        arrays = case.arrays("float32")
        with told(case):
            assert bits(evaluate(case, arrays)) == bits(evaluate(case, arrays))


# x.unfold is sliding_windows, and not the function that cuts images
METHODS = [row for row in ROWS if row.call is None and getattr(bb.Tensor, row.op, None) is public(row.op)]


@pytest.mark.parametrize("row", METHODS, ids=[row.name or row.op for row in METHODS])
def test_a_method_does_what_the_function_does(row: Row) -> None:
    for case in row.cases():
        with told(case):
            first, *rest = tensors(case.arrays())
            found = getattr(first, row.op)(*rest, **case.options)
            found = found if isinstance(found, tuple) else (found,)
            assert bits([y.numpy() for y in found]) == bits(evaluate(case, case.arrays()))


EMPTY = [row for row in ROWS if any(case.empty for case in row.cases())]


@pytest.mark.parametrize("row", EMPTY, ids=[row.name or row.op for row in EMPTY])
def test_nothing_in_gives_the_right_nothing_out_without_a_warning(row: Row) -> None:
    for case in row.cases():
        if case.empty:
            with told(case), warnings.catch_warnings():
                warnings.simplefilter("error")
                shapes = [y.shape for y in evaluate(case, case.arrays("float32"))]
                assert shapes == [y.shape for y in case.expected()]


@pytest.mark.parametrize("draw", DRAWS, ids=lambda d: f"{d.op}-{d.arguments}".replace(" ", ""))
def test_draws_keep_to_their_distribution_and_the_seed_alone_decides_them(draw: Draw) -> None:
    function, device = getattr(bb.random, draw.op), bb.Device.cpu()
    sizes: dict[str, dict[str, Any]] = {
        "permutation": {"n": 10_000},
        "multinomial": {"num_samples": 10_000},
        "dirichlet": {"shape": (50, 50)},
    }
    size = sizes.get(draw.op, {"shape": (100, 100)})
    device.seed(7)
    x, other = (function(**size, **draw.arguments).numpy() for _ in range(2))
    device.seed(7)
    again = function(**size, **draw.arguments, device=device).numpy()
    assert x.dtype == draw.dtype and x.size == 10_000
    assert x.tobytes() == again.tobytes()
    assert draw.std == 0 or x.tobytes() != other.tobytes()
    assert x.min() >= draw.low and x.max() <= draw.high
    values = x.astype(np.float64)
    assert abs(values.mean() - draw.mean) <= 5 * draw.std / 100
    assert abs(values.std() - draw.std) <= 0.05 * draw.std
    own = function(**size, **draw.arguments, generator=bb.random.Generator(7)).numpy()
    assert own.tobytes() == x.tobytes()


def test_dropout_drops_its_share_and_scales_the_rest() -> None:
    bb.Device.cpu().seed(0)
    y = bb.nn.functional.dropout(bb.ones((100, 100)), 0.3).numpy()
    assert set(np.unique(y)) == {np.float32(0), np.float32(1 / 0.7)}
    assert abs((y == 0).mean() - 0.3) < 0.03


# -- backward


def slope(case: Case, arrays: list[Array | None], cotangents: list[Array], i: int, direction: Array) -> float:
    """Return the central difference of the weighted results along a direction of input ``i``."""
    step = 1e-5

    def total(sign: float) -> float:
        moved = list(arrays)
        moved[i] = np.asarray(moved[i] + sign * step * direction)
        outputs = case.carried(evaluate(case, moved))
        return math.fsum(math.fsum((y * c).ravel()) for y, c in zip(outputs, cotangents, strict=True))

    return (total(1) - total(-1)) / (2 * step)


@autodiff
@every_gradient
def test_a_gradient_is_the_slope_that_central_differences_find(row: Row, device: bb.Device) -> None:
    for case in row.cases():
        arrays = case.arrays()
        cotangents = case.cotangents(evaluate(case, arrays))
        with told(case):
            for i, dx in zip(case.differentiable(), differentiate(case, arrays, device), strict=True):
                if dx.size <= 50:
                    basis = np.eye(dx.size).reshape(dx.size, *dx.shape)
                else:
                    basis = case.rng("direction").choice([-1.0, 1.0], (6, *dx.shape))
                found = np.array([math.fsum((dx * d).ravel()) for d in basis])
                wanted = np.array([slope(case, arrays, cotangents, i, d) for d in basis])
                np.testing.assert_allclose(found, wanted, 1e-6, 1e-6 * max(largest(wanted), 0.1))


@autodiff
@every_gradient
@both_floats
def test_a_gradient_has_the_dtype_and_shape_of_its_input(row: Row, dtype: str, device: bb.Device) -> None:
    for case in row.cases():
        arrays = case.arrays(dtype)
        with told(case):
            for i, dx in zip(case.differentiable(), differentiate(case, arrays, device), strict=True):
                x = arrays[i]
                assert x is not None and dx.dtype == x.dtype and dx.shape == x.shape


@autodiff
@every_gradient
def test_a_float32_gradient_is_near_that_of_float64(row: Row, device: bb.Device) -> None:
    for case in row.cases():
        with told(case):
            wide = differentiate(case, case.arrays("float64"), device)
            for dx, exact in zip(differentiate(case, case.arrays("float32"), device), wide, strict=True):
                close(dx, exact, "float32", scale=largest(exact))


@autodiff
@every_gradient
def test_a_zero_cotangent_gives_a_zero_gradient(row: Row, device: bb.Device) -> None:
    for case in row.cases():
        with told(case):
            assert not any(dx.any() for dx in differentiate(case, case.arrays("float32"), device, zero=True))


@autodiff
@pytest.mark.parametrize(
    "op", ["add", "subtract", "multiply", "divide", "pow", "maximum", "minimum", "where"]
)
def test_broadcasting_by_itself_has_the_gradients_of_broadcasting_by_hand(op: str, device: bb.Device) -> None:
    for case in (case for case in CASES if case.row.op == op and not case.options):
        with told(case):
            arrays = case.arrays()
            shape = np.broadcast_shapes(*(x.shape for x in arrays if x is not None))

            def by_hand(*xs: Any, case: Case = case, shape: Any = shape) -> tuple[bb.Tensor, ...]:
                return case(*(bb.broadcast_to(x, shape) for x in xs))

            found = differentiate(case, arrays, device)
            for dx, wanted in zip(found, differentiate(case, arrays, device, by_hand), strict=True):
                close(dx, wanted)


@autodiff
@pytest.mark.parametrize(
    "row",
    [row for row in DIFFERENTIABLE if row in EMPTY],
    ids=[row.name or row.op for row in DIFFERENTIABLE if row in EMPTY],
)
@both_floats
def test_nothing_in_gives_empty_or_zero_gradients_without_a_warning(
    row: Row, dtype: str, device: bb.Device
) -> None:
    for case in row.cases():
        if case.empty:
            with told(case), warnings.catch_warnings():
                warnings.simplefilter("error")
                assert all(np.isfinite(dx).all() for dx in differentiate(case, case.arrays(dtype), device))


@autodiff
@every_gradient
@both_floats
def test_the_layout_of_the_inputs_does_not_matter_to_gradients(
    row: Row, dtype: str, device: bb.Device
) -> None:
    for case in row.cases():
        arrays = case.arrays(dtype)
        plain = differentiate(case, arrays, device)
        for layout, lay in LAYOUTS.items():
            with told(f"{case}, {layout}"):
                found = differentiate(case, [None if x is None else lay(x) for x in arrays], device)
                for dx, wanted in zip(found, plain, strict=True):
                    close(dx, wanted, dtype, scale=largest(wanted))


@autodiff
@every_gradient
@both_floats
def test_recording_does_not_change_the_result(row: Row, dtype: str, device: bb.Device) -> None:
    from backburner_autodiff.rules import RULES

    # a composite may be made of ops with a forward of their own; its results then depend on the layout too
    own = RULES[row.op].forward is not None if row.op in RULES else not row.exact
    for case in row.cases():
        with told(case):
            plain = evaluate(case, case.arrays(dtype))
            constant = evaluate(case, case.arrays(dtype), device)
            recorded = [y.numpy() for y in case(*leaves(case, case.arrays(dtype), device))]
            assert bits(constant) == bits(plain)
            if not own:
                assert bits(recorded) == bits(plain)
            for y, wanted in zip(recorded, plain, strict=True):
                assert y.dtype == wanted.dtype
                close(y, wanted, dtype)


@autodiff
@every_gradient
def test_keeping_less_gives_the_same_gradients_bit_for_bit(row: Row, device: bb.Device) -> None:
    balanced = device.gradient_checkpointing()
    nothing = device.gradient_checkpointing(budget_bytes=0)
    for case in row.cases():

        def through_memory_bound_ops(*xs: Any, case: Case = case) -> tuple[bb.Tensor, ...]:
            return case(*(x * 1.0 if x is not None and x.is_tracked() else x for x in xs))

        with told(case):
            arrays = case.arrays("float32")
            plain = differentiate(case, arrays, device, through_memory_bound_ops)
            for less in (balanced, nothing):
                assert bits(differentiate(case, arrays, less, through_memory_bound_ops)) == bits(plain)


@autodiff
@every_gradient
def test_a_checkpointed_region_gives_the_same_gradients_bit_for_bit(row: Row, device: bb.Device) -> None:
    for case in row.cases():

        def in_a_region(*xs: Any, case: Case = case) -> tuple[bb.Tensor, ...]:
            bb.Device.cpu().seed(20)
            return bb.checkpoint(case.apply, *xs)

        with told(case):
            arrays = case.arrays("float32")
            plain = differentiate(case, arrays, device)
            assert bits(differentiate(case, arrays, device, in_a_region)) == bits(plain)


@autodiff
@every_gradient
def test_a_graph_that_is_kept_gives_the_same_gradients_again(row: Row, device: bb.Device) -> None:
    for case in row.cases():
        with told(case):
            marked = leaves(case, case.arrays("float32"), device)
            outputs = case(*marked)
            carried, cotangents = case.carried(outputs), case.cotangents(outputs)
            found = []
            for _ in range(2):
                grads = backward(carried, cotangents, retain_graph=True)
                found.append(bits([grads[x].numpy() for x in marked if x is not None and x in grads]))
            assert found[0] == found[1]


@autodiff
@every_gradient
def test_two_backward_passes_give_the_same_bits_and_write_to_no_input(row: Row, device: bb.Device) -> None:
    for case in row.cases():
        arrays = case.arrays("float32")
        before = bits([x for x in arrays if x is not None])
        with told(case):
            assert bits(differentiate(case, arrays, device)) == bits(differentiate(case, arrays, device))
            assert bits([x for x in arrays if x is not None]) == before


@autodiff
@every_gradient
def test_a_kernel_gives_the_same_bits_plainly_and_on_threads(
    row: Row, device: bb.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    from backburner_autodiff.kernels._jit import Kernel

    found = {}
    for version in ("serial", "parallel"):
        monkeypatch.setattr(Kernel, "__call__", getattr(Kernel, version))
        found[version] = [
            bits([y.numpy() for y in case(*leaves(case, case.arrays("float32"), device))])
            + bits(differentiate(case, case.arrays("float32"), device))
            for case in row.cases()
        ]
    for case, serial, parallel in zip(row.cases(), found["serial"], found["parallel"], strict=True):
        assert serial == parallel, case


@autodiff
def test_the_table_reaches_every_kernel_of_the_rules(
    device: bb.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    from backburner_autodiff.kernels._jit import KERNELS, Kernel

    reached = set()
    prepare = Kernel._prepare

    def noted(self: Any, args: Any) -> Any:  # however it is run
        reached.add(self.name)
        return prepare(self, args)

    monkeypatch.setattr(Kernel, "_prepare", noted)
    for case in CASES:
        if case.differentiable():
            differentiate(case, case.arrays("float32"), device)
    of_rules = {
        name
        for name, kernel in KERNELS.items()
        if kernel.py_func.__module__.startswith("backburner_autodiff.kernels.")
        and not kernel.py_func.__module__.endswith(".optim")
    }
    assert of_rules and of_rules - reached == set()
