"""What an import brings in, and that imports point one way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from fakes import run

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {
    "backburner": ROOT / "core" / "backburner",
    "backburner_autodiff": ROOT / "autodiff_ext" / "src" / "backburner_autodiff",
}

# From the top down; a module may import its own layer and those below it. A new module is given its place
# here: the longest prefix counts.
CORE_LAYERS = (
    ("backburner", "backburner.__main__"),
    ("backburner.cli",),
    ("backburner.models",),
    (
        *(
            "backburner.nn",
            "backburner.record",
            "backburner.data",
            "backburner.transforms",
            "backburner.debug",
        ),
        *("backburner.optim", "backburner.train"),
    ),
    ("backburner.nn.functional",),
    (
        "backburner.ops",
        "backburner._tensor",
        "backburner._gradients",
        "backburner._info",
        "backburner.linalg",
        "backburner._held",
        "backburner._methods",
        "backburner.random",
    ),
    ("backburner.device",),
    ("backburner.backends", "backburner.autodiff"),
    (
        "backburner.features",
        "backburner.backend",
        "backburner.contracts",
        "backburner._features",
        "backburner._hints",
        "backburner._version",
        "backburner._seeds",
        "backburner.threads",
    ),
    ("backburner.dtype", "backburner.errors", "backburner._names", "backburner._blas", "backburner._memory"),
)
EXTENSION_LAYERS = (
    ("backburner_autodiff.train",),
    ("backburner_autodiff.optim", "backburner_autodiff.gradcheck"),
    ("backburner_autodiff", "backburner_autodiff.backend", "backburner_autodiff._record"),
    ("backburner_autodiff.budget",),
    ("backburner_autodiff.checkpoint", "backburner_autodiff.anomaly", "backburner_autodiff.rules"),
    ("backburner_autodiff.tape",),
    ("backburner_autodiff._rule", "backburner_autodiff.kernels", "backburner_autodiff.threads"),
)
# A package that everything may name inside a function, with the reason.
UPWARD = {
    ("backburner._held", "backburner"): "Tensor.__array_namespace__ returns it",
}


def module_of(file: Path, package: str) -> str:
    parts = file.relative_to(SOURCES[package]).with_suffix("").parts
    return ".".join([package, *parts]).removesuffix(".__init__")


def files(package: str) -> list[Path]:
    found = sorted(SOURCES[package].rglob("*.py"))
    assert found
    return found


def is_module(name: str) -> bool:
    package, *rest = name.split(".")
    path = SOURCES[package].joinpath(*rest)
    return path.with_suffix(".py").is_file() or path.is_dir()


def imports(source: str, module: str, *, package: bool = False) -> Iterator[str]:
    """Give the modules of the project that a source imports when it runs, at its top or inside functions."""
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = module.split(".")[: None if package else -1]
            start = start[: len(start) - node.level + 1] if node.level else []
            origin = ".".join([*start, *filter(None, [node.module])])
            inside = [f"{origin}.{alias.name}" for alias in node.names]
            ours = origin.partition(".")[0] in SOURCES
            names = [name if ours and is_module(name) else origin for name in inside]
        yield from (name for name in names if name.partition(".")[0] in SOURCES)


def layer(module: str, layers: tuple[tuple[str, ...], ...]) -> int:
    """Return the place of a module, the top being 0."""
    places = {name: place for place, names in enumerate(layers) for name in names}
    name = module
    while name not in places:
        name = name.rpartition(".")[0]
        # the root's own place is for the root itself: a module beside it must be listed
        assert "." in name, f"{module} has no layer in tests/test_imports.py: give it one"
    return places[name]


def faults(package: str, layers: tuple[tuple[str, ...], ...]) -> list[str]:
    found = []
    for file in files(package):
        module = module_of(file, package)
        place = layer(module, layers)
        for name in imports(file.read_text(encoding="utf-8"), module, package=file.name == "__init__.py"):
            upward = name.partition(".")[0] == package and layer(name, layers) < place
            if upward and (module, name) not in UPWARD:
                found.append(f"{module} imports {name}, which stands above it")
    return found


@pytest.mark.parametrize(
    "package, layers", [("backburner", CORE_LAYERS), ("backburner_autodiff", EXTENSION_LAYERS)]
)
def test_imports_point_one_way(package: str, layers: tuple[tuple[str, ...], ...]) -> None:
    assert faults(package, layers) == []


def test_rules_see_the_numpy_backend_alone_of_the_core_and_kernels_see_nothing_of_it() -> None:
    allowed = {"rules": ("backburner.backends.numpy", "backburner.threads"), "kernels": ()}
    found = []
    for file in files("backburner_autodiff"):
        module = module_of(file, "backburner_autodiff")
        family = module.split(".")[1] if "." in module else ""
        if family not in allowed:
            continue
        for name in imports(file.read_text(encoding="utf-8"), module, package=file.name == "__init__.py"):
            core = name.partition(".")[0] == "backburner"
            if core and not name.startswith(allowed[family] or "nothing"):
                found.append(f"{module} imports {name}")
    assert found == []


@pytest.mark.parametrize(
    "source, found",
    [
        ("import backburner.ops", ["backburner.ops"]),
        ("from backburner.errors import ShapeError", ["backburner.errors"]),
        ("from backburner import errors, tensor", ["backburner.errors", "backburner"]),
        ("def f():\n    from backburner import device", ["backburner.device"]),
        ("from . import errors", ["backburner.errors"]),
        ("from .errors import ShapeError", ["backburner.errors"]),
        ("if TYPE_CHECKING:\n    import backburner.ops\nelse:\n    import backburner.nn", ["backburner.nn"]),
        ("import numpy, os.path\nfrom typing import Any", []),
    ],
)
def test_the_reader_of_imports_sees_every_form(source: str, found: list[str]) -> None:
    assert list(imports(source, "backburner.device")) == found


@pytest.mark.parametrize(
    "module, source, fault",
    [
        ("backburner.dtype", "from backburner import features", "which stands above it"),
        ("backburner.nn.functional.loss", "from backburner.nn.linear import Linear", "which stands above it"),
        ("backburner.novelty", "", "has no layer"),
    ],
)
def test_a_wrong_import_is_seen(
    module: str, source: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path.joinpath(*module.split(".")).with_suffix(".py")
    path.parent.mkdir(parents=True)
    path.write_text(source)
    monkeypatch.setitem(SOURCES, "backburner", tmp_path / "backburner")
    for name in ("features.py", "nn/linear.py"):
        target = tmp_path / "backburner" / name
        target.parent.mkdir(exist_ok=True)
        target.touch()
    try:
        told = "".join(faults("backburner", CORE_LAYERS))
    except AssertionError as error:
        told = str(error)
    assert f"{module} " in told and fault in told


def test_no_executed_line_of_the_core_names_the_extension_but_the_constant_of_its_install_hint() -> None:
    found = []
    for file in files("backburner"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if id(node) in docstrings:
                continue
            text = getattr(node, "value", "") if isinstance(node, ast.Constant) else getattr(node, "id", "")
            if isinstance(node, ast.Import | ast.ImportFrom):
                text = ast.unparse(node)
            if isinstance(text, str) and "backburner-autodiff" in text.replace("_", "-"):
                found.append(f"{file.name}: {text}")
    assert found == ["features.py: backburner-autodiff"]


IMPORT = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "llvmlite", "backburner_autodiff"):
            raise AssertionError(f"{name} was asked for")

sys.meta_path.insert(0, Refuse())
import numpy
before = set(sys.modules)
import backburner
print(*sorted(set(sys.modules) - before))
"""


def test_importing_the_core_brings_in_neither_the_extension_nor_anything_heavy() -> None:
    """B130: a cold start pays for what is imported."""
    new = set(run(IMPORT).split())
    heavy = {
        *("importlib.metadata", "email", "argparse", "asyncio", "tempfile", "json", "inspect", "csv"),
        *("multiprocessing", "concurrent.futures", "zipfile", "http", "urllib.request", "logging"),
    }
    assert "backburner" in new
    assert not new & heavy
    assert not {
        name for name in new if name.partition(".")[0] in ("numba", "llvmlite", "backburner_autodiff")
    }


def test_the_core_computes_where_the_extension_cannot_be_imported() -> None:
    code = IMPORT + "\nprint((backburner.tensor([1.0, 2.0]) * 2).tolist())"
    assert run(code).splitlines()[-1] == "[2.0, 4.0]"
