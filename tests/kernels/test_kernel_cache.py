"""The cache of kernels on disk, against everything that a disk and a user can do to it."""

import os
import shutil
import sys
import threading
from pathlib import Path

import pytest
from own_process import run

from backburner_autodiff.kernels import _cache, _jit

pytestmark = pytest.mark.feature_set("autodiff")

USE = """
import numpy as np, sample_kernels
kernel = sample_kernels.sample_rows
x = np.linspace(-1, 1, 100, dtype="float32").reshape(5, 20)
for run in (kernel.serial, kernel.parallel):
    y, total = np.empty_like(x), np.empty(5, "float32")
    run(x, y, total)
    np.testing.assert_allclose(y.sum(1), 1, rtol=1e-6)
print([(d._cache.hits, d._cache.misses) for d in kernel._dispatchers.values()])
"""
COLD, WARM = "[(0, 1), (0, 1)]", "[(1, 0), (1, 0)]"


@pytest.fixture(scope="module")
def warm_cache(tmp_path_factory):
    directory = tmp_path_factory.mktemp("cache")
    assert run(USE, BACKBURNER_CACHE_DIR=str(directory)) == COLD
    return directory


@pytest.fixture
def cache(warm_cache, tmp_path):
    return shutil.copytree(warm_cache, tmp_path / "cache")


def files(cache):
    return sorted(path for path in cache.rglob("*") if path.is_file())


def test_a_second_process_loads_what_the_first_compiled(cache):
    before = files(cache)
    assert [path.suffix for path in before] == [".kernel", ".kernel"]
    # Sets, such as those of fastmath, have another order for each of these seeds.
    for seed in "012":
        assert run(USE, BACKBURNER_CACHE_DIR=str(cache), PYTHONHASHSEED=seed) == WARM
    assert files(cache) == before


DAMAGES = {
    "truncated": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "garbage": lambda content: b"\x80garbage" * 1000,
    "one bit": lambda content: content[:9999] + bytes([content[9999] ^ 1]) + content[10_000:],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_compiled_and_written_again(cache, damage):
    for path in files(cache):
        path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert run(USE, BACKBURNER_CACHE_DIR=str(cache)) == COLD
    if damage == "truncated":
        assert run(USE, BACKBURNER_CACHE_DIR=str(cache)) == WARM


def test_many_processes_may_fill_an_empty_cache_at_once(tmp_path):  # B099
    results = []
    several = [
        threading.Thread(target=lambda: results.append(run(USE, BACKBURNER_CACHE_DIR=str(tmp_path / "c"))))
        for _ in range(3)
    ]
    for one in several:
        one.start()
    for one in several:
        one.join()
    assert len(results) == 3 and set(results) <= {COLD, WARM, "[(0, 1), (1, 0)]", "[(1, 0), (0, 1)]"}
    assert [path.suffix for path in files(tmp_path)] == [".kernel", ".kernel"]


NOWHERE = {
    "no home": {
        "HOME": "/dev/null/x",
        "XDG_CACHE_HOME": None,
        "LOCALAPPDATA": None,
        "BACKBURNER_CACHE_DIR": None,
    },
    "a file in the way": {"BACKBURNER_CACHE_DIR": __file__},
}


@pytest.mark.parametrize("place", NOWHERE)
def test_without_a_place_for_the_cache_kernels_are_compiled_and_it_is_said_once(place):  # B095
    result = run(USE, **NOWHERE[place])
    assert result.startswith(COLD)
    assert result.count("Each process compiles its kernels anew") == 1


def test_a_full_disk_leaves_no_part_of_a_file(tmp_path):
    full = (
        "import os, errno\n"
        "def replace(*paths): raise OSError(errno.ENOSPC, 'No space left on device')\n"
        "os.replace = replace\n"
    )
    result = run(full + USE, BACKBURNER_CACHE_DIR=str(tmp_path))
    assert result.startswith(COLD) and result.count("No space left on device") == 1
    assert files(tmp_path) == []


def test_b110_bounds_checks_are_compiled_in_when_asked_for(tmp_path):
    code = (
        "import numpy as np, sample_kernels\n"
        "try:\n"
        "    sample_kernels.sample_shift(np.zeros(3, 'float32'), np.zeros(3, 'float32'))\n"
        "    print('read on')\n"
        "except IndexError as error:\n"
        "    print('refused')\n"
    )
    here = {"BACKBURNER_CACHE_DIR": str(tmp_path)}
    assert run(code, **here) == "read on"
    assert run(code, **here, NUMBA_BOUNDSCHECK="1") == "refused"
    assert run(code, **here) == "read on"


def test_a_function_edited_in_another_file_counts(tmp_path):  # B100
    package = tmp_path / "site" / "backburner_autodiff"
    shutil.copytree(
        Path(_jit.__file__).parent, package / "kernels", ignore=shutil.ignore_patterns("__pycache__")
    )
    (package / "__init__.py").write_text("")
    (package / "kernels" / "outer.py").write_text(
        "from backburner_autodiff.kernels._jit import kernel\n"
        "from backburner_autodiff.kernels.inner import inner\n"
        "@kernel('x[:] -> x[:]')\n"
        "def outer(x, y):\n"
        "    y[0] = inner(x[0]) * 10\n"
    )
    results = []
    for added in (1, 1, 100):
        (package / "kernels" / "inner.py").write_text(
            "from backburner_autodiff.kernels._jit import subroutine\n"
            f"@subroutine\ndef inner(x):\n    return x + {added}\n"
        )
        results.append(
            run(
                "import numpy as np\nfrom backburner_autodiff.kernels.outer import outer\n"
                "y = np.empty(1)\nouter(np.ones(1), y)\nprint(y[0], outer._dispatchers[False]._cache.hits)",
                package.parent,
                BACKBURNER_CACHE_DIR=str(tmp_path / "cache"),
                PYTHONDONTWRITEBYTECODE="1",
            )
        )
    assert results == ["20.0 0", "20.0 1", "1010.0 0"]


def test_directories_of_other_releases_go_after_a_month_without_use(tmp_path):
    kernels = tmp_path / "kernels"
    old, recent, foreign = (kernels / name for name in ("a" * 24, "b" * 24, "mine"))
    for directory in (old, recent, foreign):
        directory.mkdir(parents=True)
    for directory in (old, foreign):
        os.utime(directory, (1e9, 1e9))
    assert run(USE, BACKBURNER_CACHE_DIR=str(tmp_path)) == COLD
    assert (old.exists(), recent.exists(), foreign.exists()) == (False, True, True)


ROOTS = [
    ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/backburner"),
    ("linux", {"XDG_CACHE_HOME": "x"}, "/home/me/.cache/backburner"),
    ("linux", {}, "/home/me/.cache/backburner"),
    ("darwin", {}, "/home/me/Library/Caches/backburner"),
    ("win32", {"LOCALAPPDATA": "/local"}, "/local/backburner"),
    ("linux", {"BACKBURNER_CACHE_DIR": "/mine"}, "/mine"),
]


@pytest.mark.parametrize(("platform", "variables", "root"), ROOTS)
def test_the_cache_lives_where_the_platform_keeps_caches(monkeypatch, platform, variables, root):
    for name in ("BACKBURNER_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert _cache.find_root() == Path(root)
