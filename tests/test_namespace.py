"""The parts of the Array API's namespace that are no ops: constants, questions about dtypes, what there is; and x.at."""

from __future__ import annotations

import inspect
import math
import pydoc
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import backburner as bb
from backburner import _held

autodiff = pytest.mark.feature_set("autodiff")
FLOATS: set[Any] = {bb.float32, bb.float64}
SIGNED: set[Any] = {bb.int8, bb.int16, bb.int32, bb.int64}
UNSIGNED: set[Any] = {bb.uint8, bb.uint16, bb.uint32, bb.uint64}
KINDS: dict[Any, set[Any]] = {
    "bool": {bb.bool},
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": SIGNED | UNSIGNED,
    "real floating": FLOATS,
    "complex floating": set(),
    "numeric": SIGNED | UNSIGNED | FLOATS,
    ("bool", bb.int8): {bb.bool, bb.int8},
    ("real floating", ("bool",)): FLOATS | {bb.bool},
    np.float32: {bb.float32},
}
EVERY: set[Any] = SIGNED | UNSIGNED | FLOATS | {bb.bool}


def test_the_constants_are_those_of_mathematics() -> None:
    assert (bb.e, bb.pi, bb.inf) == (math.e, math.pi, math.inf) and math.isnan(bb.nan)
    assert bb.ones((2,))[bb.newaxis].shape == (1, 2)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_isdtype_knows_the_standards_kinds(kind: Any) -> None:
    assert {dtype for dtype in EVERY if bb.isdtype(dtype, kind)} == KINDS[kind]


@pytest.mark.parametrize(
    ("operands", "result"),
    [
        ((bb.int8, bb.int16), "int16"),
        ((bb.uint8, bb.int8), "int16"),
        ((bb.float32, bb.float64, bb.float32), "float64"),
        ((bb.int64, bb.float32), "float32"),
        ((bb.ones((2,)), bb.int8), "float32"),
        ((bb.int8, 1), "int8"),
        ((bb.int8, 2.5), "float32"),
        ((2.5, bb.float64), "float64"),
        ((bb.bool, 3, True), "int64"),
        ((bb.bool, True), "bool"),
        ((bb.float64, np.float32(1)), "float64"),
        (("uint8",), "uint8"),
    ],
    ids=str,
)
def test_result_type_is_where_operands_meet(operands: Any, result: str) -> None:
    assert bb.result_type(*operands) == result
    tensors = [x if isinstance(x, (bool, int, float)) else bb.zeros((1,), dtype=bb.result_type(x))
               for x in operands if not isinstance(x, np.generic)]  # fmt: skip
    if len(tensors) == 2 and bb.bool not in operands:
        assert (tensors[0] + tensors[1]).dtype == result


def test_can_cast_is_what_promotion_alone_does() -> None:
    assert bb.can_cast(bb.int8, bb.int64) and bb.can_cast(bb.zeros((1,)), bb.float64)
    assert bb.can_cast(bb.bool, bb.float32)
    assert not bb.can_cast(bb.float32, bb.int64) and not bb.can_cast(bb.int64, bb.int8)
    assert not bb.can_cast(bb.uint64, bb.int64)


def test_finfo_and_iinfo_give_pythons_numbers() -> None:
    for dtype in FLOATS:
        found, wanted = bb.finfo(bb.zeros((1,), dtype=dtype)), np.finfo(dtype)
        assert found.dtype == dtype and found.bits == wanted.bits
        numbers = (found.eps, found.max, found.min, found.smallest_normal)
        assert numbers == (wanted.eps, wanted.max, wanted.min, wanted.smallest_normal)
        assert {type(x) for x in numbers} == {float}
    for dtype in SIGNED | UNSIGNED:
        limits = bb.iinfo(dtype)
        assert (limits.min, limits.max, limits.bits) == (*_limits(dtype), 8 * dtype.itemsize)
        assert type(limits.max) is int and limits.dtype == dtype


def _limits(dtype: Any) -> tuple[int, int]:
    bits = 8 * dtype.itemsize
    return (0, 2**bits - 1) if dtype.kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def test_the_namespace_tells_what_it_has() -> None:
    info = bb.ones((1,)).__array_namespace__().__array_namespace_info__()
    assert info.capabilities() == {
        "boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64,
    }  # fmt: skip
    assert info.default_device() is bb.Device() and bb.Device.cpu() in info.devices()
    assert info.default_dtypes() == {
        "real floating": bb.float32, "integral": bb.int64, "indexing": bb.int64,
    }  # fmt: skip
    assert set(info.dtypes().values()) == EVERY and info.dtypes()["int8"] == bb.int8
    assert set(info.dtypes(kind=("bool", "real floating"), device=bb.Device.cpu())) == {
        "bool", "float32", "float64",
    }  # fmt: skip


@pytest.mark.parametrize("mode", ["set", "add", "multiply", "min", "max"])
def test_at_leaves_the_tensor_as_it_is(mode: str) -> None:
    x = bb.tensor([1.0, 2.0, 3.0])
    y = getattr(x.at[[0, 2]], mode)(bb.tensor([-1.0, 9.0]))
    assert x.tolist() == [1, 2, 3] and y.tolist() != x.tolist()
    assert not np.shares_memory(x.numpy(), y.numpy())


def test_a_place_that_is_named_often_adds_up_exactly() -> None:
    many: Any = np.zeros(3_000_000, np.int64)
    y = bb.tensor([1.0, 2.0]).at[many].add(0.1)
    assert y.tolist() == pytest.approx([300_001, 2], rel=1e-6)


@autodiff
@pytest.mark.parametrize("axis", [0, 1])
def test_the_gradient_of_a_place_that_a_line_names_often_adds_up_exactly(axis: int) -> None:
    x = bb.ones((2, 2), device=bb.Device.cpu().autodiff()).require_grad()
    shape = (2_000_000, 2) if axis == 0 else (2, 2_000_000)
    y = x.take_along_axis(np.zeros(shape, np.int64), axis=axis)
    dx = y.backward(bb.full(shape, 0.1))[x]
    assert dx.dtype == bb.float32
    wanted: Any = [[2e5, 2e5], [0, 0]] if axis == 0 else [[2e5, 0], [2e5, 0]]
    np.testing.assert_allclose(dx.numpy(), wanted, 1e-6)


@autodiff
def test_a_plain_tensor_takes_tracked_values_and_indices_of_either_device() -> None:
    device = bb.Device.cpu().autodiff()
    v = bb.tensor([1.0, 2.0], device=device).require_grad()
    y = bb.zeros((3,)).at[bb.tensor([2, 0], device=device)].set(v)
    assert y.device is device and y.tolist() == [2, 0, 1]
    assert (y * bb.tensor([3.0, 4.0, 5.0])).sum().backward()[v].tolist() == [5, 3]


def test_einsum_of_an_integer_keeps_its_dtype() -> None:
    x = bb.tensor([[1, 2], [3, 4]], dtype="int8")
    assert bb.einsum("ij->i", x).dtype == bb.int8
    assert bb.einsum("ij,jk->ik", x, x).tolist() == [[7, 10], [15, 22]]
    assert bb.einsum("i,ij->", bb.tensor([1.0, 2.0]), x).item() == 17


def test_from_dlpack_shares_memory_unless_a_copy_is_asked_for() -> None:
    array = np.arange(6.0)[::2]
    x = bb.from_dlpack(array)
    assert x.tolist() == [0, 2, 4] and x.dtype == bb.float64 and np.shares_memory(x.numpy(), array)
    assert not np.shares_memory(bb.from_dlpack(array, copy=True).numpy(), array)
    y = bb.ones((2,))
    assert bb.from_dlpack(y).tolist() == [1, 1]


@autodiff
def test_from_dlpack_makes_constants_and_refuses_to_lose_a_graph() -> None:
    device = bb.Device.cpu().autodiff()
    x = bb.from_dlpack(np.ones(2), device=device)
    assert x.device is device and not x.is_tracked()
    with pytest.raises(bb.GraphError, match="__dlpack__"):
        bb.from_dlpack(x.require_grad())


def test_reshape_without_a_copy_is_a_view() -> None:
    x = bb.ones((2, 3))
    assert np.shares_memory(x.reshape(6, copy=False).numpy(), x.numpy())
    assert bb.zeros((0, 3)).reshape((3, 0), copy=False).shape == (3, 0)
    assert x.reshape(6, copy=True).tolist() == [1] * 6


def test_the_standards_names_for_what_has_another_name_here() -> None:
    x = bb.ones((2,))
    assert x.to_device(x.device) is x
    assert x.unfold(0, 1).tolist() == bb.sliding_windows(x, 0, 1).tolist() == [[1], [1]]
    assert bb.__array_api_version__ == "2024.12"


@pytest.mark.parametrize(
    "module, some",
    [
        (bb, {"Tensor", "multiply", "save", "nn", "features", "pi", "float32", "ShapeError"}),
        (bb.linalg, {"svd", "matmul"}),
        (bb.nn, {"Linear", "Module", "functional"}),
        (bb.nn.functional, {"conv2d", "relu", "pad"}),
    ],
    ids=["bb", "linalg", "nn", "functional"],
)
def test_help_tells_of_all_that_is_public_and_of_nothing_else(module: ModuleType, some: set[str]) -> None:
    told = module.__all__
    names = {name for name in dir(module) if not name.startswith("_")}
    public = {name for name in names if not inspect.ismodule(getattr(module, name))}
    assert len(set(told)) == len(told) and public | some <= set(told) <= set(dir(module))
    text = pydoc.plaintext.document(module)
    assert all(name in text for name in some)


def test_linalg_has_what_the_standard_has_there_and_shares_it_with_the_main_namespace() -> None:
    names = {name for name in dir(bb.linalg) if not name.startswith("_")}
    assert names == set(
        "cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose "
        "outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm".split()
    )
    shared = {name for name in names if hasattr(bb, name)}
    assert {"matmul", "matrix_transpose", "tensordot", "vecdot"} <= shared and "det" not in shared
    assert all(getattr(bb.linalg, name) is getattr(bb, name) for name in shared)


def test_decompositions_give_named_tuples() -> None:
    x = bb.eye(2)
    assert bb.linalg.eigh(x)._fields == ("eigenvalues", "eigenvectors")
    assert bb.linalg.qr(x)._fields == ("Q", "R")
    assert bb.linalg.slogdet(x)._fields == ("sign", "logabsdet")
    assert bb.linalg.svd(x)._fields == ("U", "S", "Vh")


@autodiff
def test_tensors_in_a_list_bring_their_device_as_indices_and_as_data() -> None:
    device = bb.Device.cpu().autodiff()
    one = bb.tensor(1, device=device)
    assert bb.ones((3,))[[one, 0]].device is device
    x = bb.tensor([1.0, 2.0], dtype="float64", device=device).require_grad()
    y = bb.asarray([[x[0], 3], [x[1] * 2, one]])
    assert y.dtype == bb.float64 and y.tolist() == [[1, 3], [4, 1]]
    assert y.sum().backward()[x].tolist() == [1, 2]
    assert bb.tensor([x[0].detach(), 2]).dtype == bb.float64


def test_pythons_integers_are_exact_where_numpy_reads_floats() -> None:
    assert bb.asarray([2**63, 5], dtype=bb.uint64).tolist() == [2**63, 5]
    assert bb.asarray([2**64, 0.5]).dtype == bb.float32


@autodiff
@pytest.mark.parametrize(
    "op", ["cholesky", "det", "eigh", "eigvalsh", "inv", "pinv", "qr", "slogdet", "svd", "svdvals"]
)
def test_matrices_may_be_in_a_batch_of_as_many_dimensions_as_there_can_be(op: str) -> None:
    x = bb.tensor([[2.0, 0.0], [0.0, 1.0]], device=bb.Device.cpu().autodiff()).require_grad()
    found = getattr(bb.linalg, op)(x.reshape((1,) * 62 + (2, 2)))
    y = found[-1] if isinstance(found, tuple) else found
    assert y.ndim in (62, 63, 64)
    plain = getattr(bb.linalg, op)(x)
    wanted = plain[-1] if isinstance(plain, tuple) else plain
    assert y.reshape(wanted.shape).tolist() == wanted.tolist()
    assert y.sum().backward()[x].tolist() == wanted.sum().backward()[x].tolist()


NAMES = [
    (bb, "cat", "concat"),
    (bb, "from_numpy", "asarray"),
    (bb, "cuda", "Device.cpu(): there is nothing else"),
    (bb.random, "randn", "normal"),
    (bb, "layer_norm", "nn.functional.layer_norm."),
    (bb, "chunk", "split(x, size, axis), where size is that of one part"),
    (bb.nn.functional, "upsample", "interpolate."),
    (bb.nn.functional, "relu_", "relu: tensors are immutable."),
    (bb.nn, "Dense", "Linear"),
    (bb.nn, "LazyLinear", "the layer without Lazy"),
    (bb.nn.utils, "clip_grad_norm_", "optim.clip_by_global_norm"),
    (bb.data, "DataLoader", "Loader"),
    (bb.data, "transforms", "Mapped"),
    (bb.optim, "lr_scheduler", "schedules"),
    (bb.train, "ModelCheckpoint", "Snapshots"),
]


@pytest.mark.parametrize("module, name, instead", NAMES, ids=[name for _, name, _ in NAMES])
def test_a_name_from_elsewhere_is_answered_with_ours(module: ModuleType, name: str, instead: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    told = f"module {module.__name__!r} has no attribute {name!r}. Use {instead}"
    assert str(caught.value).startswith(told) and not hasattr(module, "nothing_of_the_kind")


def test_no_name_that_is_there_has_a_hint() -> None:
    assert [name for name in bb._HINTS if hasattr(bb, name)] == []
    assert [name for name in _held._HINTS if hasattr(bb.Tensor, name)] == []


@autodiff
def test_names_of_pytorchs_schedulers_and_optimizers_are_answered_with_ours() -> None:
    schedules: Any = bb.optim.schedules
    with pytest.raises(AttributeError, match=r"'CosineAnnealingLR'. Use cosine\(lr, steps\)."):
        schedules.CosineAnnealingLR  # noqa: B018
    optimizer: Any = bb.optim.Adam(bb.nn.Linear(1, 1))
    with pytest.raises(AttributeError, match="Adam has no attribute 'zero_grad'. Use nothing: each backward"):
        optimizer.zero_grad()


def test_sizes_may_be_arguments_of_their_own() -> None:
    x = bb.tensor([[1, 2, 3], [4, 5, 6]])
    assert x.reshape(-1, 2).tolist() == x.reshape((3, 2)).tolist() == [[1, 2], [3, 4], [5, 6]]
    assert bb.reshape(x, 3, 1, 2).shape == (3, 1, 2) and x.reshape(6, 1, copy=False).shape == (6, 1)
