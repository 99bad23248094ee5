"""The kernels as Python, with checked indices, on threads and plainly give the same gradients for the whole table.

Without the compiler the same lines run as Python, so what differs is the compiler's doing: allowed is that alone
where a kernel lets it reorder sums. With ``NUMBA_BOUNDSCHECK`` an index outside its array is an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.feature_set("autodiff")
HERE = Path(__file__).parent
MODES: dict[str, tuple[dict[str, str], list[str]]] = {
    "plainly": ({}, []),
    "as_python": ({"NUMBA_DISABLE_JIT": "1"}, []),
    "checked": ({"NUMBA_BOUNDSCHECK": "1"}, []),
    "on_one_thread": ({}, ["1"]),
    "on_two_threads": ({}, ["2"]),
}


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each mode computed, in a process of its own."""
    found = {}
    for mode, (variables, threads) in MODES.items():
        path = tmp_path_factory.mktemp("modes") / f"{mode}.npz"
        paths = [str(HERE.parent), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **variables}
        command = [sys.executable, str(HERE / "every_case.py"), str(path), *threads]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1800)
        assert done.returncode == 0, done.stderr
        with np.load(path) as file:
            found[mode] = {name: file[name] for name in file.files}
    return found


def differing(computed: dict[str, Any], mode: str) -> list[tuple[str, bool, float]]:
    """Return the gradients that differ from the plain run: which, whether they may, and by how much for their size."""
    plain, other = computed["plainly"], computed[mode]
    assert plain["names"].tolist() == other["names"].tolist() and len(plain["names"]) > 2000
    found = []
    stops = np.cumsum(plain["sizes"])
    for name, free, size, stop in zip(plain["names"], plain["free"], plain["sizes"], stops, strict=True):
        x, y = (values["values"][stop - size : stop] for values in (plain, other))
        if x.tobytes() != y.tobytes():
            off = float(np.abs(x - y).max() / max(np.abs(x).max(), 1))  # sums may cancel to nothing
            found.append((str(name), bool(free), off))
    return found


def test_kernels_run_as_python_give_the_bits_of_machine_code_where_sums_keep_their_order(
    computed: dict[str, Any],
) -> None:
    differ = differing(computed, "as_python")
    assert [name for name, free, _ in differ if not free] == []
    assert all(off <= (2e-6 if " float32 " in name else 4e-15) for name, _, off in differ)
    assert any(computed["plainly"]["free"])


def test_no_kernel_reaches_outside_its_arrays(computed: dict[str, Any]) -> None:
    differ = differing(computed, "checked")
    assert [name for name, free, _ in differ if not free] == []
    assert all(off <= (2e-6 if " float32 " in name else 4e-15) for name, _, off in differ)


@pytest.mark.parametrize("mode", ["on_one_thread", "on_two_threads"])
def test_threads_change_no_bit(computed: dict[str, Any], mode: str) -> None:
    assert differing(computed, mode) == []


def test_the_table_reaches_every_kernel(computed: dict[str, Any]) -> None:
    from backburner_autodiff.kernels import _jit, optim

    list(_jit.warm_up(()))  # imports all
    ours = {name for name, kernel in _jit.KERNELS.items() if kernel.py_func.__module__ != optim.__name__}
    ours = {name for name in ours if _jit.KERNELS[name].py_func.__module__.startswith("backburner_autodiff.")}
    assert ours - set(computed["plainly"]["used"].tolist()) == set()
