"""The laws of every public op, driven by the table in ``ops``."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backburner as bb
from ops import CASES, DRAWS, ROWS, Array, Case, Draw, Row, public
from ops._run import LAYOUTS, backward, bits, differentiate, evaluate, leaves, tensors, told
from ops.special import BINARY, EXTREMES, SPECIALS, UNARY, Special

autodiff = pytest.mark.feature_set("autodiff")
every_row = pytest.mark.parametrize("row", ROWS, ids=[row.name or row.op for row in ROWS])
DIFFERENTIABLE = [row for row in ROWS if any(case.differentiable() for case in row.cases())]
every_gradient = pytest.mark.parametrize(
    "row", DIFFERENTIABLE, ids=[row.name or row.op for row in DIFFERENTIABLE]
)
both_floats = pytest.mark.parametrize("dtype", ["float32", "float64"])
TOLERANCE: dict[str, dict[str, float]] = {
    "float64": {"rtol": 1e-12, "atol": 1e-12},
    "float32": {"rtol": 1e-5, "atol": 2e-6},
}
GOLDEN = Path(__file__).parent / "golden" / "torch_ops.npz"


def close(found: Array, wanted: Any, dtype: str = "float64", scale: float = 1.0) -> None:
    """Compare, with an absolute tolerance for numbers of the size of ``scale``."""
    tolerance = TOLERANCE[dtype]
    np.testing.assert_allclose(found, wanted, tolerance["rtol"], tolerance["atol"] * max(1.0, scale))


def largest(x: Array) -> float:
    finite = np.abs(x[np.isfinite(x)]) if x.size else x
    return float(finite.max()) if finite.size else 0.0


@pytest.fixture
def device() -> bb.Device:
    return bb.Device.cpu().autodiff()


# -- forward: also without the extension ---------------------------------------------------------------


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


@every_row
def test_a_method_does_what_the_function_does(row: Row) -> None:
    if row.call is not None or not hasattr(bb.Tensor, row.op):
        return
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
    size: dict[str, Any] = {"n": 10_000} if draw.op == "permutation" else {"shape": (100, 100)}
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


@pytest.mark.parametrize("special", SPECIALS, ids=str)
@both_floats
def test_a_special_value_is_right(special: Special, dtype: str) -> None:
    if special.value is None:
        return
    with np.errstate(all="ignore"):
        y = special.call(*(bb.tensor(x, dtype=dtype) for x in special.inputs)).numpy()
    np.testing.assert_allclose(y, special.value, 1e-6, special.atol)


# -- backward ------------------------------------------------------------------------------------------


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

    own = row.op in RULES and RULES[row.op].forward is not None
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
def test_balanced_checkpointing_gives_the_same_gradients_bit_for_bit(row: Row, device: bb.Device) -> None:
    balanced = device.gradient_checkpointing()
    for case in row.cases():

        def through_memory_bound_ops(*xs: Any, case: Case = case) -> tuple[bb.Tensor, ...]:
            return case(*(x * 1.0 if x is not None and x.is_tracked() else x for x in xs))

        with told(case):
            arrays = case.arrays("float32")
            plain = differentiate(case, arrays, device, through_memory_bound_ops)
            assert bits(differentiate(case, arrays, balanced, through_memory_bound_ops)) == bits(plain)


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
    run = Kernel.__call__

    def noted(self: Any, *args: Any) -> None:
        reached.add(self.name)
        run(self, *args)

    monkeypatch.setattr(Kernel, "__call__", noted)
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


# -- special values ------------------------------------------------------------------------------------

WITH_GRADIENTS = [special for special in SPECIALS if special.gradients]


def gradients_of(special: Special, dtype: str, device: bb.Device) -> list[Array]:
    marked = [bb.tensor(x, dtype=dtype, device=device).require_grad() for x in special.inputs]
    with np.errstate(all="ignore"):
        y = special.call(*marked)
        cotangent = None if special.cotangent is None else bb.tensor(special.cotangent, dtype=y.dtype)
        grads = y.backward(cotangent)
    return [grads[x].numpy() for x in marked]


@autodiff
@pytest.mark.parametrize("special", WITH_GRADIENTS, ids=str)
@both_floats
@pytest.mark.parametrize("strategy", ["DISABLED", "BALANCED"])
def test_a_special_gradient_is_right(special: Special, dtype: str, strategy: str, device: bb.Device) -> None:
    device = device.gradient_checkpointing(getattr(bb.GradientCheckpointing, strategy))
    found = gradients_of(special, dtype, device)
    for dx, wanted in zip(found, special.gradients, strict=True):
        assert dx.dtype == dtype  # B067
        if wanted is not None:
            for part, right in zip(dx, wanted, strict=True) if dx.ndim > 1 else [(dx, wanted)]:
                if right is not None:
                    np.testing.assert_allclose(part, right, 1e-5, special.atol)


@autodiff
@pytest.mark.parametrize("op", UNARY)
@both_floats
def test_a_zero_cotangent_stops_even_an_infinite_slope(op: str, dtype: str, device: bb.Device) -> None:
    with np.errstate(all="ignore"):
        x = bb.tensor(EXTREMES, dtype=dtype, device=device).require_grad()
        y = UNARY[op](x)
        dx = y.backward(bb.zeros(y.shape, dtype=y.dtype))[x].numpy()
        np.testing.assert_array_equal(dx, 0)
        for i in range(len(EXTREMES)):  # and one that is not zero elsewhere changes nothing about it
            y = UNARY[op](x)
            g = np.zeros(y.shape, y.dtype)
            g[2] = 1
            dx = y.backward(bb.asarray(g))[x].numpy()
            assert i == 2 or dx[i] == 0


@autodiff
@pytest.mark.parametrize("op", BINARY)
@both_floats
def test_a_zero_cotangent_stops_infinite_slopes_of_two_inputs(op: str, dtype: str, device: bb.Device) -> None:
    with np.errstate(all="ignore"):
        x = bb.tensor(EXTREMES, dtype=dtype, device=device).require_grad()
        for shape in ((-1, 1), (-1,)):
            y = bb.tensor(EXTREMES, dtype=dtype, device=device).require_grad()
            out = BINARY[op](x, y.reshape(shape))
            grads = out.backward(bb.zeros(out.shape, dtype=dtype))
            np.testing.assert_array_equal(grads[x].numpy(), 0)
            np.testing.assert_array_equal(grads[y].numpy(), 0)


@autodiff
@pytest.mark.parametrize("number", [2.5, np.float64(2.5), np.float32(2.5), 2, np.int64(2)], ids=repr)
def test_B067_a_number_as_operand_keeps_float32_forward_and_backward(number: Any, device: bb.Device) -> None:
    x = bb.ones((2,), device=device).require_grad()
    for y in (x * number, number * x, x / number, number / x, x + number, x - number, x**number):
        assert y.dtype == bb.float32
        assert y.backward()[x].dtype == bb.float32


@autodiff
def test_B067_a_gradient_through_a_float64_operand_comes_back_in_float32(device: bb.Device) -> None:
    x = bb.ones((2,), device=device).require_grad()
    y = x * bb.tensor([2.0, 3.0], dtype=bb.float64)
    assert y.dtype == bb.float64
    dx = y.backward()[x]
    assert dx.dtype == bb.float32 and dx.tolist() == [2, 3]


@autodiff
def test_batch_norm_stores_the_unbiased_variance_and_normalises_by_the_biased_one(device: bb.Device) -> None:
    x = bb.tensor([[0.0], [2.0]], dtype="float64", device=device).require_grad()
    zero, one = bb.zeros((1,), dtype="float64"), bb.ones((1,), dtype="float64")
    out, mean, var = bb.nn.functional.batch_norm(x, zero, one, training=True, momentum=1.0, eps=0.0)
    assert out.tolist() == [[-1], [1]]
    assert mean is not None and mean.tolist() == [1] and not mean.is_tracked()
    assert var is not None and var.tolist() == [2] and not var.is_tracked()


def test_an_empty_batch_changes_no_statistics() -> None:
    mean, var = bb.tensor([3.0]), bb.tensor([2.0])
    _, new_mean, new_var = bb.nn.functional.batch_norm(bb.zeros((0, 1)), mean, var, training=True)
    assert new_mean is not None and new_mean.tolist() == [3]
    assert new_var is not None and new_var.tolist() == [2]


# -- PyTorch's values ----------------------------------------------------------------------------------


def golden() -> dict[str, dict[str, Array]]:
    """Return the parts of each case in the file, by its name."""
    with np.load(GOLDEN) as file:
        index, values = json.loads(str(file["index"])), file["values"]
    found: dict[str, dict[str, Array]] = {}
    start = 0
    for name, shapes in index:
        parts = found[name] = {}
        for part, shape in shapes.items():
            stop = start + math.prod(shape)
            parts[part] = values[start:stop].reshape(shape)
            start = stop
    return found


FROZEN = golden()
FROZEN_OPS = {name.split("-")[0] for name in FROZEN}
FROZEN_CASES = [case for case in CASES if str(case) in FROZEN]


def _frozen_inputs(case: Case, dtype: str) -> list[Array | None]:
    parts = FROZEN[str(case)]
    return [
        None if x is None else parts[f"input{i}"].astype(dtype if x.dtype.kind == "f" else x.dtype)
        for i, x in enumerate(case.arrays())
    ]


def test_every_case_of_an_op_that_pytorch_has_is_frozen() -> None:
    wanted = {str(case) for case in CASES if (case.row.name or case.row.op) in FROZEN_OPS and not case.empty}
    assert wanted == set(FROZEN)
    assert len(FROZEN_OPS) >= 40


@pytest.mark.parametrize("case", FROZEN_CASES, ids=str)
@both_floats
def test_the_result_is_pytorchs(case: Case, dtype: str) -> None:
    for i, y in enumerate(evaluate(case, _frozen_inputs(case, dtype))):
        close(y, FROZEN[str(case)][f"output{i}"], dtype)


@autodiff
@pytest.mark.parametrize("case", [case for case in FROZEN_CASES if case.differentiable()], ids=str)
@both_floats
def test_the_gradient_is_pytorchs(case: Case, dtype: str, device: bb.Device) -> None:
    arrays, parts = _frozen_inputs(case, dtype), FROZEN[str(case)]
    marked = leaves(case, arrays, device)
    outputs = case.carried(case(*marked))
    grads = backward(outputs, [parts[f"cotangent{i}"].astype(dtype) for i in range(len(outputs))])
    for i in case.differentiable():
        x = marked[i]
        assert x is not None
        wanted = parts[f"gradient{i}"]
        close(grads[x].numpy(), wanted, dtype, scale=largest(wanted))


# -- construction --------------------------------------------------------------------------------------


def test_public_finds_functions_only() -> None:
    assert all(callable(public(row.op)) for row in ROWS)
