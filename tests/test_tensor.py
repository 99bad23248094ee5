"""Tensor: what it is, how data gets in and out, that it never changes, and how it is copied."""

from __future__ import annotations

import copy
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner.device import Device
from backburner.dtype import ALL
from devices import KINDS, autodiff, device_of, leaf


@pytest.fixture(params=KINDS)
def device(request: pytest.FixtureRequest) -> Device:
    return device_of(request.param)


@pytest.fixture
def recording() -> Device:
    return Device.cpu().autodiff()


# -- what it is


def test_a_tensor_has_the_metadata_of_its_array(device: Device) -> None:
    x = bb.zeros((2, 0, 3), dtype="int16", device=device)
    assert (x.shape, x.ndim, x.size, x.dtype, x.device) == ((2, 0, 3), 3, 0, np.dtype("int16"), device)
    assert x.dtype == bb.int16 == np.int16
    scalar = bb.tensor(1.5, device=device)
    assert (scalar.shape, scalar.ndim, scalar.size) == ((), 0, 1)


@autodiff
def test_a_leaf_has_the_metadata_of_its_array(recording: Device) -> None:
    x = leaf(recording, [[1.0, 2.0]], "float64")
    for y in (x, x * 2):
        assert (y.shape, y.ndim, y.size, y.dtype, len(y)) == ((1, 2), 2, 2, np.dtype("float64"), 1)


# shown, tensor
REPRS: list[tuple[str, Callable[[], bb.Tensor]]] = [
    ("tensor([1., 2.])", lambda: bb.tensor([1.0, 2.0])),
    ("tensor([1, 2])", lambda: bb.tensor([1, 2])),
    ("tensor(True)", lambda: bb.tensor(True)),
    ("tensor(1.5, dtype=float64)", lambda: bb.tensor(1.5, dtype="float64")),
    ("tensor([1], dtype=uint8)", lambda: bb.tensor([1], dtype="uint8")),
    ("tensor([], dtype=float32)", lambda: bb.tensor([])),
    ("tensor([], dtype=float32, shape=(0, 3))", lambda: bb.zeros((0, 3))),
    ("tensor([[1., 2.],\n        [3., 4.]])", lambda: bb.tensor([[1.0, 2.0], [3.0, 4.0]])),
    ("tensor([  0,   1,   2, ..., 997, 998, 999])", lambda: bb.arange(1000)),
]


@pytest.mark.parametrize("shown, make", REPRS, ids=[shown for shown, _ in REPRS])
def test_a_tensor_shows_its_values(shown: str, make: Callable[[], bb.Tensor]) -> None:
    assert repr(make()) == shown


@autodiff
def test_a_tensor_shows_what_records_it(recording: Device) -> None:
    x = leaf(recording, [1.0])
    assert repr(x) == "tensor([1.], require_grad)"
    assert repr(x * 2) == "tensor([2.], device=Device('cpu', autodiff))"
    assert repr(x.detach()) == "tensor([1.], device=Device('cpu', autodiff))"


def test_iterating_gives_the_rows(device: Device) -> None:
    x = bb.tensor([[1, 2], [3, 4]], device=device)
    rows = list(x)
    assert len(x) == 2 and [row.tolist() for row in rows] == [[1, 2], [3, 4]]
    assert all(isinstance(row, bb.Tensor) and row.device is device for row in rows)
    first, second = x[0]
    assert (first.item(), second.item()) == (1, 2)


def test_a_tensor_is_hashed_by_itself_and_compared_by_element(device: Device) -> None:
    x, y = bb.tensor([1, 2], device=device), bb.tensor([1, 3], device=device)
    assert (x == y).tolist() == [True, False] and (x != y).tolist() == [False, True]
    assert (x == 1).tolist() == [True, False] and (2 == x).tolist() == [False, True]
    assert {x: "x", y: "y"}[x] == "x" and hash(x) == hash(x)
    assert (x == "a") is False and (x != None) is True  # noqa: E711
    assert x not in [None, "a"]


def test_a_tensor_can_be_referred_to_weakly_and_has_no_other_attributes() -> None:
    x = bb.tensor([1.0])
    assert weakref.ref(x)() is x
    with pytest.raises(AttributeError):
        x.name = "x"  # type: ignore[attr-defined]


# -- leaving


def test_numpy_is_a_view_that_cannot_be_written_to(device: Device) -> None:
    x = bb.tensor([[1.0, 2.0]], device=device)
    for y in (x.numpy(), np.asarray(x)):
        assert y.base is not None and np.shares_memory(y, x.numpy()) and not y.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            y[0, 0] = 5
    assert x.tolist() == [[1, 2]]


def test_conversions_leave_a_graph_where_they_say_so(device: Device) -> None:
    x = bb.tensor([[1.5]], device=device)
    y = (x.require_grad() if device.is_autodiff() else x) * 2
    assert (y.item(), y.tolist(), y.numpy().tolist()) == (3.0, [[3.0]], [[3.0]])
    assert (float(y), int(y), bool(y)) == (3.0, 3, True)
    assert isinstance(y.item(), float) and type(bb.tensor(True, device=device).item()) is bool
    assert type(bb.tensor(3, device=device).item()) is int
    assert bb.tensor(2, device=device).tolist() == 2
    assert ["a", "b", "c"][bb.tensor(1, device=device)] == "b"


def test_asarray_copies_only_where_it_must() -> None:
    x = bb.tensor([1.0, 2.0])
    assert np.shares_memory(np.asarray(x), x.numpy())
    assert np.shares_memory(np.array(x, copy=False), x.numpy())
    mine = np.array(x)
    assert mine.flags.writeable and not np.shares_memory(mine, x.numpy())
    assert np.asarray(x, dtype="float64").dtype == np.float64


def test_tensors_pass_through_dlpack_and_are_never_written_to(device: Device) -> None:
    x = bb.tensor([[1.0, 2.0], [3.0, 4.0]], device=device)
    y = np.from_dlpack(x)
    shared = np.lib.NumpyVersion(np.__version__) >= "2.1.0"  # before, the protocol knew no read-only memory
    assert np.shares_memory(y, x.numpy()) is shared and not y.flags.writeable
    assert y.tolist() == x.tolist() and x.__dlpack_device__() == (1, 0)
    again = bb.asarray(y, copy=False)
    assert np.shares_memory(again.numpy(), y) and again.dtype == x.dtype


def test_the_array_api_namespace_is_the_package() -> None:
    x = bb.tensor([1.0])
    assert x.__array_namespace__() is bb is x.__array_namespace__(api_version="2024.12")


# -- entering

# data, dtype
MADE: list[tuple[Any, str]] = [
    (1.5, "float32"),
    ([1.5, 2], "float32"),
    ([[1], [2]], "int64"),
    ([True, False], "bool"),
    ([], "float32"),
    ((1, 2), "int64"),
    (np.float64(1.5), "float64"),
    ([np.float64(1.5)], "float64"),
    (np.zeros(2), "float64"),
    (np.zeros(2, ">f4"), "float32"),
    (np.arange(3, dtype="uint16"), "uint16"),
    ([np.zeros(2), np.ones(2)], "float64"),
    (range(3), "int64"),
]


@pytest.mark.parametrize("data, dtype", MADE, ids=repr)
def test_data_becomes_a_tensor_of_the_expected_dtype(data: Any, dtype: str) -> None:
    for make in (bb.tensor, bb.asarray):
        x = make(data)
        assert x.dtype == dtype and x.dtype.isnative
        assert x.tolist() == np.asarray(data).tolist()


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_every_dtype_goes_in_and_comes_out(dtype: Any, device: Device) -> None:
    x = bb.tensor([0, 1], dtype=dtype, device=device)
    assert x.dtype == dtype and x.numpy().dtype == dtype and x.tolist() == [0, 1]
    assert Device.cpu().supports_dtype(dtype)


def test_tensor_copies_and_asarray_shares_where_it_is_told_to() -> None:
    array = np.array([1.0, 2.0])
    copied, default, shared = bb.tensor(array), bb.asarray(array), bb.asarray(array, copy=False)
    array[0] = 9
    assert copied.tolist() == default.tolist() == [1, 2] and shared.tolist() == [9, 2]
    x = bb.tensor([1.0])
    assert bb.asarray(x) is x and bb.asarray(x, copy=True) is not x


def test_a_tensor_of_a_tensor_keeps_its_device_and_dtype(device: Device) -> None:
    x = bb.tensor([1, 2], dtype="int8", device=device)
    y = bb.tensor(x)
    assert y.device is device and y.dtype == bb.int8 and not np.shares_memory(y.numpy(), x.numpy())


def test_a_subclass_of_ndarray_does_not_get_in() -> None:
    for matrix in (np.ma.masked_array([1.0, 2.0]), np.rec.array(np.array([1.0, 2.0]))):
        assert type(bb.asarray(matrix, copy=False).numpy()) is np.ndarray


# -- immutability


def test_no_op_lets_its_result_be_written_through(device: Device) -> None:
    x = bb.tensor([[1.0, 2.0], [3.0, 4.0]], device=device)
    views = [
        x.reshape((4,)),
        x.T,
        x[0],
        x.flatten(),
        x.broadcast_to((3, 2, 2)),
        x.split(1)[0],
        x.detach(),
        x.inner(),
    ]
    for y in (*views, x.astype("float32"), x.clip(), x.squeeze(), x.to(Device.cpu())):
        assert not y.numpy().flags.writeable
    with pytest.raises(bb.DTypeError, match="immutable"):
        x[0] = 1.0
    before = x.tolist()
    x += 1
    assert (views[-1].tolist(), x.tolist()) == (before, [[2, 3], [4, 5]])


# -- copying

KEPT = [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]


@pytest.mark.parametrize("again", KEPT, ids=["deepcopy", "pickle"])
def test_a_copy_has_values_dtype_and_device(again: Callable[[Any], bb.Tensor], device: Device) -> None:
    x = bb.tensor([[1.5, -0.0]], dtype="float64", device=device)
    y = again(x)
    assert y is not x and y.device is device and y.dtype == x.dtype
    assert y.numpy().tobytes() == x.numpy().tobytes() and not np.shares_memory(x.numpy(), y.numpy())
    assert not y.is_tracked()
    assert copy.copy(x) is x


@autodiff
@pytest.mark.parametrize("again", KEPT, ids=["deepcopy", "pickle"])
def test_a_copy_of_a_leaf_is_a_leaf_of_its_own(again: Callable[[Any], bb.Tensor], recording: Device) -> None:
    x = leaf(recording)
    y = again(x)
    assert y.is_require_grad() and y.device is recording
    grads = (x * y).sum().backward()
    assert grads[x].tolist() == y.tolist() and grads[y].tolist() == x.tolist()


def test_a_tensor_met_twice_is_copied_once() -> None:
    x = bb.tensor([1.0])
    first, second = copy.deepcopy([x, x])
    assert first is second and first is not x
