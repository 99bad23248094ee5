"""The laws of shapes and layouts, with shapes and strides that hypothesis draws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

import backburner as bb
from ops import ROWS, Array, Case, Row, bitwise, comparison, elementwise, floating, rounding, trigonometric
from ops._run import bits, close, differentiate, evaluate, largest, told

autodiff = pytest.mark.feature_set("autodiff")
few = settings(
    max_examples=10, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)

SHAPELESS = [
    row
    for family in (bitwise, comparison, elementwise, floating, rounding, trigonometric)
    for row in family.ROWS
    if row.inputs and row.call is None and not row.name
]
DIFFERENTIABLE = [row for row in ROWS if row.inputs and any(case.differentiable() for case in row.cases())]


def by_name(rows: list[Row]) -> Any:
    return pytest.mark.parametrize("row", rows, ids=[row.name or row.op for row in rows])


def telling(cases: list[Case]) -> list[Case]:
    """Return the cases, with those often in whose inputs a layout shows."""
    plain = [
        case for case in cases if not case.empty and any(shape and len(shape) > 1 for shape in case.shapes)
    ]
    return [*cases, *plain * 4]


@st.composite
def layouts(draw: st.DrawFn, x: Array) -> Array:
    """Draw an array of the same values: axes in any order in memory, steps of either sign, perhaps read-only."""
    order = draw(st.permutations(range(x.ndim)))
    steps = draw(st.lists(st.sampled_from([1, 1, -1, 2, -3]), min_size=x.ndim, max_size=x.ndim))
    room = np.full([x.shape[axis] * abs(steps[axis]) for axis in order], 9, x.dtype)
    laid = room.transpose(np.argsort(order).astype(int) if x.ndim else ())
    laid = laid[tuple(slice(None, None, step) for step in steps)] if x.ndim else laid
    laid[...] = x
    laid.flags.writeable = draw(st.booleans())
    assert laid.shape == x.shape
    return laid


@st.composite
def drawn_cases(draw: st.DrawFn, row: Row) -> Case:
    """Draw a case of shapes that broadcast together, zero-size and 0-d ones among them."""
    n = len(row.inputs)
    shapes = draw(
        mutually_broadcastable_shapes(num_shapes=n, max_dims=3, min_side=0, max_side=4)
    ).input_shapes
    options = draw(st.sampled_from([options for _, options in row.combinations]))
    return Case(row, tuple(shapes), options)


@by_name([row for row in ROWS if row.inputs])
def test_a_drawn_layout_of_the_inputs_does_not_matter(row: Row) -> None:
    @few
    @given(st.data())
    def law(data: st.DataObject) -> None:
        case = data.draw(st.sampled_from(telling(row.cases())))
        arrays = case.arrays("float32")
        laid = [None if x is None else data.draw(layouts(x)) for x in arrays]
        with told(case):
            plain, found = evaluate(case, arrays), evaluate(case, laid)
            if row.exact:
                assert bits(found) == bits(plain)
            for y, expected in zip(found, plain, strict=True):
                close(y, expected, "float32", scale=largest(expected))

    law()


@autodiff
@by_name(DIFFERENTIABLE)
def test_a_drawn_layout_of_the_inputs_does_not_matter_to_gradients(row: Row) -> None:
    device = bb.Device.cpu().autodiff()

    @few
    @given(st.data())
    def law(data: st.DataObject) -> None:
        case = data.draw(st.sampled_from(telling([case for case in row.cases() if case.differentiable()])))
        arrays = case.arrays()
        laid = [None if x is None else data.draw(layouts(x)) for x in arrays]
        with told(case):
            plain = differentiate(case, arrays, device)
            for dx, expected in zip(differentiate(case, laid, device), plain, strict=True):
                np.testing.assert_allclose(dx, expected, 1e-9, 1e-9 * max(largest(expected), 1))

    law()


@by_name(SHAPELESS)
def test_drawn_shapes_give_the_result_of_the_reference(row: Row) -> None:
    @few
    @given(st.data())
    def law(data: st.DataObject) -> None:
        case = data.draw(drawn_cases(row))
        with told(case):
            for y, expected in zip(evaluate(case, case.arrays()), case.expected(), strict=True):
                assert y.shape == expected.shape
                close(y, expected)

    law()


@autodiff
@by_name([row for row in SHAPELESS if row in DIFFERENTIABLE])
def test_drawn_shapes_give_the_slope_along_a_drawn_direction(row: Row) -> None:
    device = bb.Device.cpu().autodiff()

    @few
    @given(st.data())
    def law(data: st.DataObject) -> None:
        case = data.draw(drawn_cases(row))
        arrays = case.arrays()
        wanted = case.differentiable()
        signs = [case.rng("direction").choice([-1.0, 1.0], arrays[i].shape) for i in wanted]  # type: ignore[union-attr]

        def total(step: float) -> float:
            moved: list[Any] = list(arrays)
            for i, sign in zip(wanted, signs, strict=True):
                moved[i] = np.asarray(moved[i] + step * sign)
            outputs = case.carried(evaluate(case, moved))
            cotangents = case.cotangents(outputs)
            return math.fsum(math.fsum((y * c).ravel()) for y, c in zip(outputs, cotangents, strict=True))

        with told(case):
            gradients = differentiate(case, arrays, device)
            found = math.fsum(math.fsum((dx * s).ravel()) for dx, s in zip(gradients, signs, strict=True))
            slope = (total(1e-5) - total(-1e-5)) / 2e-5
            size = math.fsum(math.fsum(np.abs(dx).ravel()) for dx in gradients)
            assert abs(found - slope) <= 1e-6 * max(size, 0.1)

    law()
