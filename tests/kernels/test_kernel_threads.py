"""Threads of kernels: when they start, who may launch, forks, and how many there are."""

import os
import threading

import numba
import numpy as np
import pytest
import sample_kernels
from own_process import run

from backburner_autodiff.kernels import _pool

pytestmark = pytest.mark.feature_set("autodiff")


def random(*shape, dtype="float32"):
    return np.random.default_rng(0).normal(size=shape).astype(dtype)


def test_importing_kernels_compiles_nothing_and_starts_no_threads():
    code = (
        "import os, sys, sample_kernels, threading\n"
        "from backburner_autodiff.kernels import _jit, optim\n"
        "layers = [name for name in sys.modules if name.endswith(('omppool', 'tbbpool', 'workqueue'))]\n"
        "print([kernel.versions() for kernel in _jit.KERNELS.values() if kernel.versions()], layers)\n"
        "print(os.environ.get('OMP_WAIT_POLICY'))"
    )
    assert run(code, OMP_WAIT_POLICY=None) == "[] []\nNone"


LAUNCH = """
import os, threading, numpy as np, sample_kernels
x = np.random.default_rng(0).normal(size=(2, 20_000)).astype("float32")
right = np.empty_like(x[0])
sample_kernels.sample_elementwise.serial(*x, 1.0, right)
def work():
    out = np.empty_like(right)
    for _ in range(50):
        out[:] = 0
        sample_kernels.sample_elementwise.parallel(*x, 1.0, out)
        results.append(out.tobytes() == right.tobytes())
results = []
work()
"""
CONCURRENT = """
several = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in several]
[thread.join() for thread in several]
import numba
print(numba.threading_layer(), len(results), all(results))
"""


def test_threads_of_the_pool_sleep_while_they_wait_unless_the_user_said_otherwise():
    assert run(LAUNCH + "print(os.environ['OMP_WAIT_POLICY'])", OMP_WAIT_POLICY=None) == "passive"
    assert run(LAUNCH + "print(os.environ['OMP_WAIT_POLICY'])", OMP_WAIT_POLICY="active") == "active"


@pytest.mark.parametrize("layer", ["default", "workqueue"])
def test_several_threads_may_launch_at_once_under_any_layer(layer):
    found, count, right = run(LAUNCH + CONCURRENT, NUMBA_THREADING_LAYER=layer).split()
    assert layer in ("default", found)
    assert (count, right) == ("250", "True")


@pytest.mark.parametrize("held", [False, True])
def test_where_launches_may_not_overlap_a_busy_lock_means_the_plain_kernel(monkeypatch, held):
    x = random(100)
    out = np.empty_like(x)
    ran = []
    kernel = sample_kernels.sample_exp
    kernel.parallel(x, out)
    kernel.serial(x, out)
    monkeypatch.setattr(_pool, "_concurrent", False)
    monkeypatch.setattr(_pool, "_launching", threading.Lock())
    for parallel in (False, True):
        monkeypatch.setitem(
            kernel._compiled[parallel], "f", lambda *args, parallel=parallel: ran.append(parallel)
        )
    if held:
        _pool._launching.acquire()
    kernel.parallel(x, out)
    assert ran == [not held]
    assert _pool._launching.locked() == held


FORK = """
launch = sample_kernels.sample_elementwise
large = np.ones(1 << 20, "float32")
out = np.empty_like(large)
launch(large, large, 1.0, out)
assert ("float32", True) in launch.versions()
pid = os.fork()
if pid == 0:
    again = np.zeros_like(out)
    launch(large, large, 1.0, again)
    launch.parallel(large, large, 1.0, again)
    os._exit(0 if again.tobytes() == out.tobytes() else 1)
print(os.waitpid(pid, 0)[1])
"""


def test_the_child_of_a_fork_runs_plain_kernels():  # B104
    if not hasattr(os, "fork"):
        return
    # Python 3.12 warns of any fork beside threads, which is what is tested.
    assert (
        run("import warnings; warnings.simplefilter('ignore')\n" + LAUNCH + FORK, NUMBA_NUM_THREADS="2")
        == "0"
    )


def test_without_the_compiler_kernels_run_as_python():
    code = LAUNCH.replace("20_000", "50") + (
        "rows = np.random.default_rng(0).normal(size=(3, 4)).astype('float32')\n"
        "y, total = np.empty_like(rows), np.empty(3, 'float32')\n"
        "sample_kernels.sample_rows.parallel(rows, y, total)\n"
        "e = np.exp(rows - rows.max(1, keepdims=True))\n"
        "np.testing.assert_allclose(y, e / e.sum(1, keepdims=True), rtol=1e-6)\n"
        "for name in ('log', 'tanh', 'sigmoid', 'erf', 'subroutine'):\n"
        "    getattr(sample_kernels, 'sample_' + name)(abs(rows), y)\n"
        "print(all(results), y.dtype)"
    )
    assert run(code, NUMBA_DISABLE_JIT="1") == "True float32"


# -- number of threads ----------------------------------------------------------------------------------------


FOLLOW = """
import numba, threadpoolctl
def blas():
    return {library["num_threads"] for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"}
from backburner_autodiff import threads
from backburner_autodiff.kernels import _pool
print(_pool.get_count(), blas(), _pool.usable())
bb.set_num_threads(2)
print(_pool.get_count(), blas(), _pool.usable())
bb.set_num_threads(10_000)
print(_pool.get_count() == numba.config.NUMBA_NUM_THREADS)
"""


def test_set_num_threads_governs_kernels_and_blas_whenever_it_is_called():
    before = "import numpy, backburner as bb\nbb.set_num_threads(1)\n"
    lines = run(before + FOLLOW, NUMBA_NUM_THREADS="3").splitlines()
    assert lines == ["1 {1} False", "2 {2} True", "True"]


def test_each_thread_that_launches_uses_the_number_that_was_set(threads):
    threads(1)
    seen = []

    def launch():
        x = random(10)
        sample_kernels.sample_exp.parallel(x, x.copy())
        seen.append(numba.get_num_threads())

    other = threading.Thread(target=launch)
    other.start()
    other.join()
    assert seen == [1]


# -- threads that cannot be had


UNKNOWN = """
import warnings
warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as caught:
    work()
    large = np.ones(1 << 20, "float32")
    sample_kernels.sample_elementwise(large, large, 1.0, np.empty_like(large))
    sample_kernels.sample_exp.compile("float64", True)
    list(map(bb.set_num_threads, (1, 2)))
from backburner_autodiff.kernels import _pool
print(len(results), all(results), _pool.usable(), [(w.category.__name__, str(w.message)) for w in caught])
"""


@pytest.mark.parametrize("name, value", [("LAYER", "none such"), ("LAYER_PRIORITY", "a b c")])
def test_a_threading_layer_that_is_not_there_means_plain_kernels_and_one_warning(name, value):
    code = "import backburner as bb\n" + LAUNCH.replace("work()\n", "") + UNKNOWN
    told = run(code, NUMBA_NUM_THREADS="2", **{f"NUMBA_THREADING_{name}": value})
    assert told.startswith("50 True False [('RuntimeWarning', ") and told.count("RuntimeWarning") == 1
    assert "Kernels run on one thread: Numba cannot start others: " in told and value.split()[0] in told
