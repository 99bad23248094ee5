"""The decorator: how it dispatches, what it refuses, and equal bits from both versions."""

import numpy as np
import pytest
import sample_kernels
from own_process import run

from backburner_autodiff.kernels import _jit, _pool, _races

pytestmark = pytest.mark.feature_set("autodiff")

DTYPES = ("float32", "float64")


def random(*shape, dtype="float32"):
    return np.random.default_rng(0).normal(size=shape).astype(dtype)


# -- dispatch -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [0, 1, 7, 1000, 4099])
def test_serial_and_parallel_give_the_same_bits_elementwise(dtype, size):
    g, x = random(2, size, dtype=dtype)
    plain, threaded = np.empty_like(x), np.empty_like(x)
    sample_kernels.sample_elementwise.serial(g, x, 0.3, plain)
    sample_kernels.sample_elementwise.parallel(g, x, 0.3, threaded)
    assert plain.tobytes() == threaded.tobytes()
    np.testing.assert_allclose(plain, g * x * 0.3 + np.exp(-x * x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(0, 5), (1, 1), (5, 1001), (130, 33)])
def test_serial_and_parallel_give_the_same_bits_by_rows(dtype, shape):
    x = random(*shape, dtype=dtype)
    plain, threaded = (np.empty_like(x), np.empty_like(x[:, 0])), (np.empty_like(x), np.empty_like(x[:, 0]))
    sample_kernels.sample_rows.serial(x, *plain)
    sample_kernels.sample_rows.parallel(x, *threaded)
    assert [a.tobytes() for a in plain] == [a.tobytes() for a in threaded]
    np.testing.assert_allclose(plain[0].sum(1), np.ones(shape[0]), rtol=1e-5)


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_b111_nan_and_infinity_survive_fastmath(odd):
    x = random(3, 40)
    x[1, 7] = odd
    y, total = np.empty_like(x), np.empty(3, "float32")
    sample_kernels.sample_rows.serial(x, y, total)
    assert np.isnan(y).tolist() == [[False] * 40, [True] * 40, [False] * 40]
    assert not {"nnan", "ninf", "fast"} & set(_jit._options(True)["fastmath"])
    assert _jit._options(False)["fastmath"] is False


@pytest.mark.parametrize("count", [1, 2, 64])
def test_a_sum_over_blocks_does_not_depend_on_the_number_of_threads(threads, count):
    x = random(1003, 17)
    blocks = -(-len(x) // sample_kernels.BLOCK)
    totals = []
    for run_as in (sample_kernels.sample_blocks.serial, sample_kernels.sample_blocks.parallel):
        threads(count)
        total, partial = np.empty(17, "float32"), np.empty((blocks, 17), "float32")
        run_as(x, total, partial)
        totals.append(total)
    assert totals[0].tobytes() == totals[1].tobytes()
    np.testing.assert_allclose(totals[0], x.sum(0), rtol=1e-4, atol=1e-4)


def test_views_and_read_only_inputs_compile_nothing_new():
    kernel = sample_kernels.sample_elementwise
    plain = np.ascontiguousarray(random(6, 8))
    out = np.empty((6, 8), "float32")
    kernel.serial(plain, plain, 1.0, out)
    before = sorted(kernel.versions())
    overloads = len(kernel._dispatchers[False].overloads)
    read_only = plain.copy()
    read_only.flags.writeable = False
    unaligned = np.frombuffer(b"\0" + plain.tobytes(), "float32", offset=1).reshape(6, 8)
    assert not unaligned.flags.aligned
    wide = np.repeat(plain, 2, axis=1)[:, ::2]
    for x in (
        read_only,
        unaligned,
        wide,
        np.asfortranarray(plain),
        plain[::-1][::-1],
        plain.reshape(6, 2, 4),
    ):
        other = np.empty((6, 8), "float32")
        kernel.serial(x, x, 1.0, other)
        assert other.tobytes() == out.tobytes()
    assert sorted(kernel.versions()) == before
    assert len(kernel._dispatchers[False].overloads) == overloads


def test_a_broadcast_input_is_read_as_its_values():
    out = np.empty((3, 4), "float32")
    sample_kernels.sample_elementwise(
        np.broadcast_to(np.float32(2), (3, 4)), np.ones((3, 4), "float32"), 1.0, out
    )
    np.testing.assert_allclose(out, np.full((3, 4), 2 + np.exp(-1)), rtol=1e-6)


def test_a_scalar_array_is_an_array_of_one():
    out = np.empty((), "float32")
    sample_kernels.sample_elementwise(np.array(2, "float32"), np.float32(1), 1.0, out)
    np.testing.assert_allclose(out, 2 + np.exp(-1), rtol=1e-6)


@pytest.mark.parametrize("negative", [False, True])
def test_scalars_arrive_as_declared(negative):
    out = np.empty(3, "int64")
    sample_kernels.sample_scalars(np.arange(3), 2.0, negative, 2**64 - 1, out)
    assert out.tolist() == [7, 5, 3] if negative else [7, 9, 11]


def test_the_size_of_the_first_array_decides_between_plain_and_threaded(monkeypatch):
    kernel = sample_kernels.sample_subroutine
    small = np.empty(_jit.PARALLEL_WORK - 1, "float32")
    large = np.empty(_jit.PARALLEL_WORK, "float32")
    monkeypatch.setattr(_pool, "usable", lambda: True)
    kernel(small, small)
    monkeypatch.setattr(_pool, "usable", lambda: False)
    kernel(large, large)
    assert kernel.versions() == [("float32", False)]
    monkeypatch.setattr(_pool, "usable", lambda: True)
    kernel(large, large)
    assert kernel.versions() == [("float32", False), ("float32", True)]


def test_every_parallel_version_turns_prange_into_threads_and_nothing_else():
    for kernel in (sample_kernels.sample_elementwise, sample_kernels.sample_exp):
        for dtype in DTYPES:
            kernel.compile(dtype, True)
        kept = kernel._dispatchers[True].targetoptions["parallel"]
        assert (kept.prange, kept.reduction, kept.numpy, kept.fusion) == (True, False, False, False)


def test_a_kernel_without_prange_has_no_parallel_version():
    out = np.empty(3, "int64")
    sample_kernels.sample_scalars.parallel(np.arange(3), 1.0, False, 0, out)
    assert out.tolist() == [0, 1, 2]
    assert ("", True) not in sample_kernels.sample_scalars.versions()


REFUSED = {
    "another size": (lambda a: (a, a[:2], 1.0, a.copy()), ValueError, "argument 1 has 2 elements, not 4"),
    "too few": (lambda a: (a, a), TypeError, "2 arguments do not fit the signature"),
    "integers": (lambda a: (a.astype("int64"),) * 2 + (1.0, a.astype("int64")), TypeError, "dtype int64 has no kernel"),
    "half": (lambda a: (a.astype("float16"),) * 2 + (1.0, a.astype("float16")), TypeError, "dtype float16"),
    "two dtypes": (lambda a: (a, a.astype("float64"), 1.0, a.copy()), TypeError, "No matching definition"),
    "strided output": (lambda a: (a[:2], a[:2], 1.0, a.copy()[::2]), ValueError, "argument 3 is an output"),
    "constant output": (lambda a: (a, a, 1.0, np.broadcast_to(a, (1, 4))), ValueError, "argument 3 is an output"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_arguments_that_do_not_fit_are_refused(case):
    arguments, error, text = REFUSED[case]
    with pytest.raises(error, match=text):
        sample_kernels.sample_elementwise.serial(*arguments(random(4)))


def test_another_number_of_dimensions_is_refused():
    with pytest.raises(TypeError, match="No matching definition"):
        sample_kernels.sample_shift.serial(random(2, 2), random(2, 2))


# -- declaration --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "signature", ["x[:]", "x[:] ->", "x[:] -> x", "y[:] -> x[:]", "x[;] -> x[:]", "x[:]x -> x[:]"]
)
def test_a_signature_that_cannot_be_read_is_refused(signature):
    with pytest.raises(ValueError, match="signature"):
        _jit._parse(signature)


def test_a_signature_reads_left_to_right():
    assert _jit._parse("x[:,:], int, bool[...] -> x[:], float[:,:,:]") == [
        ("x", "[:,:]", False), ("int", "", False), ("bool", "[...]", False), ("x", "[:]", True), ("float", "[:,:,:]", True),
    ]  # fmt: skip


def test_a_name_or_parameters_that_clash_are_refused():
    def sample_rows(x, y): ...

    with pytest.raises(ValueError, match="sample_rows is declared twice"):
        _jit.kernel("x[:] -> x[:]")(sample_rows)
    with pytest.raises(ValueError, match="sample_rows has other parameters"):
        _jit.kernel("x[:], x[:] -> x[:]")(sample_rows)


def racy_sum(x, y):
    s = x.dtype.type(0)
    for i in prange(x.size):
        s += x[i]
    y[0] = s


def racy_max(x, y):
    m = x[0]
    for i in prange(x.size):
        m = max(m, x[i])
        y[i] = m


def racy_branch(x, y):
    last = x[0]
    for i in prange(x.size):
        if x[i] > 0:
            last = x[i]
        y[i] = last


def racy_after(x, y):
    for i in prange(x.size):
        last = x[i]
        y[i] = last
    y[0] = last


def sound(x, y):
    zero = x.dtype.type(0)
    for i in prange(x.size):
        s = zero
        for j in range(3):
            t = x[i] * j
            s += t
        if s > zero:
            u = s
        else:
            u = -s
        y[i] += u
    s = zero
    for i in range(x.size):
        s += y[i]
    y[0] = s


prange = range
RACES = [(racy_sum, ["s"]), (racy_max, ["m"]), (racy_branch, ["last"]), (racy_after, ["last"]), (sound, [])]


@pytest.mark.parametrize(("function", "found"), RACES, ids=lambda value: getattr(value, "__name__", ""))
def test_b109_scalars_carried_through_prange_are_found(function, found):
    assert _races.find_races(function) == found


def test_a_kernel_with_a_race_does_not_run_on_threads(monkeypatch):
    monkeypatch.setattr(_jit, "KERNELS", {})
    kernel = _jit.kernel("x[:] -> x[:]")(racy_sum)
    with pytest.raises(ValueError, match="racy_sum carries s through its prange loop"):
        kernel.parallel(random(3), random(3))


def test_no_kernel_of_the_package_has_a_race():
    found = run(
        "import pkgutil, importlib, backburner_autodiff.kernels as package\n"
        "from backburner_autodiff.kernels import _jit, _pool, _races\n"
        "for module in pkgutil.iter_modules(package.__path__):\n"
        "    importlib.import_module(package.__name__ + '.' + module.name)\n"
        "assert len(_jit.KERNELS) > 3\n"
        "print([name for name, kernel in _jit.KERNELS.items() if _races.find_races(kernel.py_func)])"
    )
    assert found == "[]"


def test_warm_up_makes_every_version_of_every_kernel(monkeypatch):
    assert list(_jit.warm_up(())) == []  # and all modules of kernels are imported
    chosen = {name: _jit.Kernel(_jit.KERNELS[name].py_func, _jit.KERNELS[name].signature, 1, False)
              for name in ("sample_exp", "sample_scalars")}  # fmt: skip
    monkeypatch.setattr(_jit, "KERNELS", chosen)
    steps = list(_jit.warm_up(("float32", "float64")))
    assert [name for name, _ in steps] == [
        "sample_exp float32 serial", "sample_exp float32 parallel", "sample_exp float64 serial",
        "sample_exp float64 parallel", "sample_scalars float32 serial", "sample_scalars float64 serial",
    ]  # fmt: skip
    assert sorted(chosen["sample_exp"].versions()) == sorted((d, p) for d in DTYPES for p in (False, True))
    assert all(seconds >= 0 for _, seconds in steps)


def test_b114_a_division_by_zero_is_an_infinity_and_no_error():
    y = np.empty(3, "float32")
    sample_kernels.sample_reciprocal.serial(np.array([0, -0.0, 2], "float32"), y)
    assert y.tolist() == [np.inf, -np.inf, 0.5]
