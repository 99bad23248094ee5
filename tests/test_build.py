"""The distributions themselves: built from the tree and from their sdists, opened, and judged by the checkers."""

from __future__ import annotations

import ast
import configparser
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tokenize
import zipfile
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from backburner import __version__ as V

ROOT = Path(__file__).resolve().parent.parent
PROJECTS = {"backburner": ".", "backburner_autodiff": "autodiff_ext"}
pytestmark = pytest.mark.feature_set("build")


class Wheel(NamedTuple):
    name: str
    content: dict[str, bytes]
    metadata: Message

    def get(self, name: str) -> list[str]:
        return self.metadata.get_all(name) or []


def opened(path: Path) -> Wheel:
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    (metadata,) = (text for name, text in content.items() if name.endswith(".dist-info/METADATA"))
    return Wheel(path.name, content, HeaderParser().parsestr(metadata.decode()))


def build(project: Path, out: Path, *options: str, **variables: str) -> Path:
    """Build one distribution into an empty folder and return its file."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("BACKBURNER_FEATURES", "BACKBURNER_DOCS")
    } | variables
    command = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--outdir",
        str(out),
        *options,
        str(project),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = out.iterdir()
    return file


def unpacked(sdist: Path, where: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(where, filter="data")
    (root,) = where.iterdir()
    return root


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a build may read, so that what it leaves behind can be seen."""
    copy = tmp_path_factory.mktemp("tree")
    leave = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", "dist")
    for name in ("core", "autodiff_ext"):
        shutil.copytree(ROOT / name, copy / name, ignore=leave)
    for name in ("pyproject.toml", "setup.cfg", "README.md", "LICENSE-MIT", "LICENSE-APACHE"):
        shutil.copy(ROOT / name, copy)
    return copy


@pytest.fixture(scope="session")
def sdists(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {
        name: build(tree / folder, tmp_path_factory.mktemp("sdist"), "--sdist")
        for name, folder in PROJECTS.items()
    }


@pytest.fixture(scope="session")
def wheels(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {
        name: build(tree / folder, tmp_path_factory.mktemp("wheel"), "--wheel")
        for name, folder in PROJECTS.items()
    }


@pytest.mark.parametrize("name", PROJECTS)
def test_the_wheel_from_the_sdist_is_the_wheel_from_the_tree(
    name: str, sdists: dict[str, Path], wheels: dict[str, Path], tmp_path: Path
) -> None:
    root = unpacked(sdists[name], tmp_path / "source")
    again = opened(build(root, tmp_path / "out", "--wheel"))
    # B127, B128: one wheel for musl and 32-bit ARM too, and a source distribution that makes the same
    first = opened(wheels[name])
    assert again.name == first.name == f"{name}-{V}-py3-none-any.whl"
    assert again.content == first.content


@pytest.mark.parametrize("name", PROJECTS)
def test_a_wheel_holds_every_source_file_and_nothing_else(name: str, wheels: dict[str, Path]) -> None:
    source = {"backburner": ROOT / "core", "backburner_autodiff": ROOT / "autodiff_ext" / "src"}[name]
    files = (path for path in (source / name).rglob("*") if path.is_file() and path.suffix != ".pyc")
    wanted = {path.relative_to(source).as_posix() for path in files}
    held = {entry for entry in opened(wheels[name]).content if ".dist-info/" not in entry}
    assert held == wanted
    assert f"{name}/py.typed" in held


@pytest.mark.parametrize("name", PROJECTS)
def test_a_wheel_carries_both_licences_and_the_pythons(name: str, wheels: dict[str, Path]) -> None:
    wheel = opened(wheels[name])
    licences = {entry.rpartition("/")[2] for entry in wheel.content if "/licenses/" in entry}
    assert licences == {"LICENSE-MIT", "LICENSE-APACHE"}
    assert wheel.get("License-Expression") == ["MIT OR Apache-2.0"]
    assert wheel.get("Requires-Python") == [">=3.11"]
    for minor in range(11, 15):
        assert f"Programming Language :: Python :: 3.{minor}" in wheel.get("Classifier")


def test_the_core_stays_small(wheels: dict[str, Path]) -> None:
    """B124, B125: what an image for inference pays."""
    held = opened(wheels["backburner"]).content
    data = sum(len(content) for entry, content in held.items() if "/datasets/" in entry)
    assert wheels["backburner"].stat().st_size - data < 400_000
    assert sum(map(len, held.values())) - data < 2_000_000


def test_building_leaves_nothing_in_the_tree(
    tree: Path, sdists: dict[str, Path], wheels: dict[str, Path]
) -> None:
    leftovers = [path.name for path in tree.rglob("*") if path.name in ("build", "dist")]
    leftovers += [path.name for path in tree.rglob("*.egg-info")]
    assert leftovers == []


def test_the_extension_announces_the_feature_and_pins_the_core(wheels: dict[str, Path]) -> None:
    wheel = opened(wheels["backburner_autodiff"])
    (entry_points,) = (text for name, text in wheel.content.items() if name.endswith("entry_points.txt"))
    assert entry_points.decode().split() == [
        *("[backburner.features]", "autodiff", "=", "backburner_autodiff:AutodiffBackend")
    ]
    requires = wheel.get("Requires-Dist")
    assert f"backburner=={V}" in requires
    # B118; B156: a distribution of its own, for installers without extras
    assert any(text.startswith("numba>=") for text in requires), (
        "without a lower bound pip goes back for ever"
    )


class Choice(NamedTuple):
    options: list[str]
    variables: dict[str, str]
    tag: str
    extras: list[str]


LOCKED = "-0locked"
EXTRAS = {"images": "pillow>=10"}  # of every build; B146: each brings something
CHOICES = {
    "the default": Choice([], {}, "", ["autodiff"]),
    "the default by name": Choice([], {"BACKBURNER_FEATURES": "autodiff"}, "", ["autodiff"]),
    "an empty variable": Choice([], {"BACKBURNER_FEATURES": ""}, LOCKED, []),
    "an empty option": Choice(["-Cfeatures="], {}, LOCKED, []),
    "all that the sources tell": Choice(["-Cdocs=full"], {}, "-0docs", ["autodiff"]),
    "both": Choice([], {"BACKBURNER_FEATURES": "", "BACKBURNER_DOCS": "full"}, "-0locked.docs", []),
    "the word none": Choice(["-Cfeatures=none"], {}, LOCKED, []),
    "an option over a variable": Choice(
        ["-Cfeatures=autodiff"], {"BACKBURNER_FEATURES": ""}, "", ["autodiff"]
    ),
}


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_a_wheel_carries_its_features_in_code_metadata_and_tag(
    choice: Choice, tree: Path, tmp_path: Path
) -> None:
    wheel = opened(build(tree, tmp_path, "--wheel", *choice.options, **choice.variables))
    assert wheel.name == f"backburner-{V}{choice.tag}-py3-none-any.whl"
    assert wheel.get("Provides-Extra") == [*choice.extras, *EXTRAS]
    brought = [f'backburner-autodiff=={V}; extra == "{name}"' for name in choice.extras]
    offered = [f'{requirement}; extra == "{name}"' for name, requirement in EXTRAS.items()]
    assert wheel.get("Requires-Dist") == ["numpy>=2.0", *brought, *offered]
    scope: dict[str, object] = {}
    exec(wheel.content["backburner/_features.py"], scope)
    assert scope["BAKED"] == frozenset(choice.extras)


def test_an_sdist_carries_no_choice(tree: Path, tmp_path: Path) -> None:
    sdist = build(tree, tmp_path / "out", "--sdist", BACKBURNER_FEATURES="")
    root = unpacked(sdist, tmp_path / "source")
    assert (
        "BAKED: frozenset[str] | None = None" in (root / "core" / "backburner" / "_features.py").read_text()
    )
    tables = [configparser.ConfigParser(interpolation=None) for _ in range(2)]
    for table, folder in zip(tables, (root, ROOT), strict=True):
        table.read(folder / "setup.cfg")
    for section in ("features", "extras"):
        assert dict(tables[0][section]) == dict(tables[1][section])


def test_an_unknown_feature_stops_the_build_and_names_the_known(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="unknown build feature 'autodif'.*knows: autodiff"):
        build(tree, tmp_path, "--wheel", BACKBURNER_FEATURES="autodif")


@pytest.mark.parametrize(
    "text, names", [("", []), ("none", []), ("a", ["a"]), ("a,b", ["a", "b"]), (" a b\n", ["a", "b"])]
)
def test_a_feature_list_is_parsed(text: str, names: list[str]) -> None:
    assert the_backend().parse(text, {"a": "", "b": ""}) == frozenset(names)


def the_backend() -> Any:
    # from its file: with core/ on the path, `backburner` would be the tree's and not the installed one
    spec = importlib.util.spec_from_file_location("backburner_build", ROOT / "core" / "backburner_build.py")
    assert spec is not None and spec.loader is not None
    backend = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backend)
    return backend


def code(source: str) -> str:
    """What a module does, with the line and column of each part, and without what it says of itself."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            says = ast.get_docstring(node, clean=False) is not None
            node.body = [line for line in node.body[says:] if not isinstance(line, ast.Pass)]
    for node in ast.walk(tree):
        for name in {"end_lineno", "end_col_offset"} & set(node._attributes):
            setattr(node, name, None)  # a docstring may have been the end
    return ast.dump(tree, include_attributes=True)


def test_the_core_wheel_has_the_code_on_its_lines_and_summaries_alone(wheels: dict[str, Path]) -> None:
    content = opened(wheels["backburner"]).content
    held = {name: text.decode() for name, text in content.items() if name.endswith(".py")}
    modules = [name for name in held if not name.endswith("/_features.py")]
    assert len(modules) > 100
    for name in modules:
        source = (ROOT / "core" / name).read_text(encoding="utf-8")
        assert code(held[name]) == code(source), name
        assert held[name].count("\n") == source.count("\n"), name
        kinds = {token.type for token in tokenize.generate_tokens(io.StringIO(held[name]).readline)}
        assert tokenize.COMMENT not in kinds, name
    conv = "backburner/nn/conv.py"
    said, whole = (told(text, "Conv2d") for text in (held[conv], (ROOT / "core" / conv).read_text()))
    assert said == whole.split("\n\n")[0] != whole
    for name, kind in {"_tensor": "Tensor", "data/_loader": "Loader", "nn/_tree": "Tree"}.items():
        assert told(held[f"backburner/{name}.py"], kind), "public, though its file has an underscore"


def told(source: str, kind: str) -> str:
    (found,) = (
        node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == kind
    )
    return ast.get_docstring(found) or ""


def test_the_text_of_a_wheel_can_be_had_whole(tree: Path, tmp_path: Path) -> None:
    held = opened(build(tree, tmp_path, "--wheel", "-Cdocs=full")).content
    for name in ("backburner/nn/conv.py", "backburner/backend.py", "backburner/record/_pickle.py"):
        assert held[name] == (ROOT / "core" / name).read_bytes()


def test_unknown_docs_stop_the_build(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="unknown docs 'all'. Use full or summary"):
        build(tree, tmp_path, "--wheel", "-Cdocs=all")


def test_a_summary_is_the_first_paragraph_on_the_same_lines() -> None:
    source = '"""It says \'ü\'.\n\nMore.\n"""\n# why\nx = "# no comment"  # a comment\n\n\n'
    source += 'class A:\n    r"""It says "so"\n\n    Example:\n        >>> 1\n    """\n\n\n'
    source += 'class _B:\n    """Private.\n\n    More.\n    """\n\n\n'
    source += 'class C:\n    def f(self):\n        """One line."""\n        def g():\n            "inner"\n'
    shown = '"""It says \'ü\'."""\n\n\n\n\nx = "# no comment"\n\n\n'
    shown += 'class A:\n    r"""It says "so"\n"""\n\n\n\n\n\n'
    shown += "class _B:\n    pass\n\n\n\n\n\n"
    shown += 'class C:\n    def f(self):\n        """One line."""\n        def g():\n            pass\n'
    backend = the_backend()
    assert backend.summarized(source, lambda name: True) == shown
    bare = backend.summarized(source, lambda name: False)
    assert "It says" not in bare and "One line" not in bare
    assert code(bare) == code(shown) == code(source)


@pytest.mark.parametrize("options", [["twine", "check", "--strict"], ["check_wheel_contents"]], ids=" ".join)
def test_the_checkers_find_nothing(
    options: list[str], sdists: dict[str, Path], wheels: dict[str, Path]
) -> None:
    files = [*wheels.values(), *(sdists.values() if options[0] == "twine" else ())]
    done = subprocess.run([sys.executable, "-m", *options, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_project_files_follow_the_standard() -> None:
    files = [ROOT / folder / "pyproject.toml" for folder in PROJECTS.values()]
    done = subprocess.run(
        [sys.executable, "-m", "validate_pyproject", *files], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
