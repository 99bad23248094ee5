"""In-tree PEP 517 backend: setuptools plus build-time features.

Not installed; shipped in the sdist. It does four things that plain setuptools does not:

* turns ``-C features=a,b`` or ``BACKBURNER_FEATURES=a,b`` into the feature set of this one build, the
  default being ``[features] default`` in setup.cfg;
* bakes that set into the wheel: ``backburner/_features.py``, one ``Provides-Extra`` per admitted feature
  (beside ``[extras]``, which are no features and stand in every wheel), and a build tag
  (``backburner-0.1.0-0locked-py3-none-any.whl``) when the set is not the default;
* keeps the wheel small: in it, comments and what only their readers look for are left out, and public docstrings are
  their first paragraphs (see ``summarized``). ``-C docs=full`` or ``BACKBURNER_DOCS=full`` leaves all in, as
  the sdist and an editable install do;
* builds in a temporary directory, so that two feature sets can be built from one tree at once and no
  build/ or *.egg-info is left beside the sources.
"""

from __future__ import annotations

import ast
import configparser
import contextlib
import functools
import io
import itertools
import os
import re
import tempfile
import tokenize
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from setuptools import build_meta as _setuptools
from setuptools.command.build_py import build_py as _build_py
from setuptools.command.egg_info import egg_info as _egg_info

ROOT = Path(__file__).resolve().parent.parent
ENV = "BACKBURNER_FEATURES"
DOCS = "BACKBURNER_DOCS"
SETTINGS = {"features": ENV, "docs": DOCS}
INTERNAL = frozenset({"backends", "cli", "contracts"})
"""Packages that nobody imports from but us, and those who read the sources."""

ConfigSettings = Mapping[str, Any] | None


def table() -> tuple[frozenset[str], dict[str, str]]:
    """Read setup.cfg: the default set, and each feature's requirement with ``{version}`` to fill in."""
    config = configparser.ConfigParser(interpolation=None)
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    known = dict(config["features"])
    default = parse(known.pop("default", ""), known)
    return default, known


def extras() -> dict[str, str]:
    """Read setup.cfg: the requirement of each extra that every build offers."""
    config = configparser.ConfigParser(interpolation=None)
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    return dict(config["extras"])


def parse(text: str, known: Mapping[str, str]) -> frozenset[str]:
    """Turn ``a,b`` into a set; an empty text or ``none`` is the empty one.

    Raises:
        SystemExit: a name that setup.cfg does not have; a build that ignored it would ship the wrong set.
    """
    names = frozenset(name for name in re.split(r"[,\s]+", text) if name)
    if names == {"none"}:
        return frozenset()
    for name in sorted(names - known.keys()):
        choice = ", ".join(sorted(known)) or "none"
        raise SystemExit(f"backburner: unknown build feature {name!r}. setup.cfg [features] knows: {choice}.")
    return names


def selected() -> frozenset[str]:
    """Return the feature set of the build going on in this process."""
    default, known = table()
    text = os.environ.get(ENV)
    return default if text is None else parse(text, known)


def full_docs() -> bool:
    """Say whether the build going on in this process leaves comments and docstrings as they are.

    Raises:
        SystemExit: the variable has another value than ``full`` or ``summary``.
    """
    text = os.environ.get(DOCS) or "summary"
    if text not in ("full", "summary"):
        raise SystemExit(f"backburner: unknown docs {text!r}. Use full or summary.")
    return text == "full"


def summarized(source: str, told: Callable[[str], bool]) -> str:
    """Return a module with the same code on the same lines, without comments, and with summaries for docstrings.

    What is public keeps the first paragraph of its docstring; what begins with an underscore, or stands in something
    that does or in a function, keeps none, nor does a top-level name that is not ``told``, where the module itself
    is "".
    """
    lines = source.splitlines(keepends=True)
    starts = [0, *itertools.accumulate(map(len, lines))]
    edits: list[tuple[int, int, str]] = []

    def place(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def indented(begin: int) -> int:
        return len(source[:begin].rstrip(" "))

    def visit(node: Any, kept: bool) -> None:
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            begin = place(first.lineno, first.col_offset)
            end = place(first.end_lineno or 0, first.end_col_offset or 0)
            head, _, rest = source[begin:end].partition("\n\n")
            if not kept:
                lone = len(node.body) == 1
                edit = (begin if lone else indented(begin), end, "pass" if lone else "")
                edits.append((*edit[:2], edit[2] + "\n" * source.count("\n", begin, end)))
            elif rest:
                closing = "\n" * head.endswith('"') + rest[-3:]
                missing = rest.count("\n") + 2 - closing.count("\n")
                edits.append((begin + len(head), end, closing + "\n" * missing))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _DOCUMENTED[1:]):
                shown = child.name[0] != "_" and not isinstance(node, _DOCUMENTED[2:])
                visit(child, told(child.name) and shown if node is tree else kept and shown)
            elif isinstance(child, (ast.stmt, ast.excepthandler)):
                visit(child, kept)

    tree = ast.parse(source)
    visit(tree, told(""))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            begin = place(token.start[0], 0) + token.start[1]
            edits.append((indented(begin), begin + len(token.string), ""))
    for begin, end, text in sorted(edits, reverse=True):
        source = source[:begin] + text + source[end:]
    return source


_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@functools.cache
def exported() -> frozenset[str]:
    """Return the names that modules hand on, with the bases that their classes have methods from.

    They do it by ``from ... import name as name``, or lazily in a table of strings.
    """
    names: set[str] = set()
    bases: dict[str, set[str]] = {}
    for file in (ROOT / "core" / "backburner").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        for plain, lazy in re.findall(r"import (\w+) as \1$|\"(\w+)\": \"[\w.]+\"", text, re.M):
            names.add(plain or lazy)
        for name, given in re.findall(r"^class (\w+)\(([^)]*)\)", text, re.M):
            bases.setdefault(name, set()).update(re.findall(r"\w+", given))
    waiting = list(names)
    while waiting:
        new = bases.get(waiting.pop(), set()) - names
        names |= new
        waiting += new
    return frozenset(names)


def told_in(module: str) -> Callable[[str], bool]:
    """Return which top-level names of a module the wheel documents; "" is the module itself."""
    parts = module.split(".")
    if not INTERNAL.isdisjoint(parts):
        return lambda name: name[:1].isupper() and name in exported()
    if parts[-1].startswith("_") and parts[-1] != "__init__":
        return exported().__contains__
    return lambda name: True


class egg_info(_egg_info):
    """Offer one extra per selected feature, and those of every build, in every command that writes metadata."""

    def finalize_options(self) -> None:
        dist: Any = self.distribution
        _, known = table()
        admitted = {name: known[name].format(version=dist.get_version()) for name in selected()}
        dist.extras_require = {
            name: [requirement] for name, requirement in sorted((admitted | extras()).items())
        }
        dist._finalize_requires()
        super().finalize_options()


class build_py(_build_py):
    """Replace backburner/_features.py in the wheel by the baked one, and shorten what the others tell."""

    def build_module(self, module: str, module_file: str, package: Any) -> Any:
        result = super().build_module(module, module_file, package)  # type: ignore[no-untyped-call]
        if self.editable_mode:
            return result
        out = Path(self.get_module_outfile(self.build_lib, package.split("."), module))  # type: ignore[no-untyped-call]
        text = out.read_text(encoding="utf-8")
        if (module, package) == ("_features", "backburner"):
            names = ", ".join(repr(name) for name in sorted(selected()))
            text = (
                f'"""Written by the build: the features this wheel admits."""\n\n'
                f"BAKED: frozenset[str] | None = frozenset([{names}])\n"
            )
        elif not full_docs():
            text = summarized(text, told_in(f"{package}.{module}"))
        out.unlink()  # never write through a link to the source
        out.write_text(text, encoding="utf-8", newline="\n")
        return result

    def get_source_files(self) -> list[str]:
        # so that the sdist can build itself
        return [*super().get_source_files(), "core/backburner_build.py"]  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def _build(config_settings: ConfigSettings, *, wheel: bool) -> Iterator[None]:
    """Set the environment that setuptools and the commands above read, for the length of one hook."""
    settings = config_settings or {}
    saved = {name: os.environ.get(name) for name in (*SETTINGS.values(), "DIST_EXTRA_CONFIG")}
    try:
        for key, variable in SETTINGS.items():
            if key in settings:
                value = settings[key]
                os.environ[variable] = ",".join(value) if isinstance(value, list) else value or ""
        if not wheel:
            os.environ.pop(ENV, None)  # an sdist is neutral: it carries setup.cfg, not a choice
        default, _ = table()
        chosen = selected()
        with tempfile.TemporaryDirectory(prefix="backburner-build-") as folder:
            extra = configparser.ConfigParser(interpolation=None)
            extra["build"] = {"build_base": os.path.join(folder, "build")}
            extra["egg_info"] = {"egg_base": folder}
            marks = [".".join(sorted(chosen)) or "locked"] if chosen != default else []
            marks += ["docs"] if wheel and full_docs() else []
            if marks:
                extra["bdist_wheel"] = {"build_number": "0" + ".".join(marks)}
            path = os.path.join(folder, "extra.cfg")
            with open(path, "w", encoding="utf-8") as file:
                extra.write(file)
            os.environ["DIST_EXTRA_CONFIG"] = path
            yield
    finally:
        for name, old in saved.items():
            os.environ.pop(name, None)
            if old is not None:
                os.environ[name] = old


def get_requires_for_build_wheel(config_settings: ConfigSettings = None) -> list[str]:
    with _build(config_settings, wheel=True):
        return _setuptools.get_requires_for_build_wheel(None)


def get_requires_for_build_sdist(config_settings: ConfigSettings = None) -> list[str]:
    with _build(config_settings, wheel=False):
        return _setuptools.get_requires_for_build_sdist(None)


def get_requires_for_build_editable(config_settings: ConfigSettings = None) -> list[str]:
    with _build(config_settings, wheel=True):
        return _setuptools.get_requires_for_build_editable(None)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: ConfigSettings = None) -> str:
    with _build(config_settings, wheel=True):
        return _setuptools.prepare_metadata_for_build_wheel(metadata_directory, None)


def prepare_metadata_for_build_editable(
    metadata_directory: str, config_settings: ConfigSettings = None
) -> str:
    with _build(config_settings, wheel=True):
        return _setuptools.prepare_metadata_for_build_editable(metadata_directory, None)


def build_wheel(
    wheel_directory: str, config_settings: ConfigSettings = None, metadata_directory: str | None = None
) -> str:
    # Made afresh, the same each time, and so `metadata_directory` is not passed on: tox hands over the
    # parent of the .dist-info, which setuptools would nest inside the wheel's own.
    with _build(config_settings, wheel=True):
        return _setuptools.build_wheel(wheel_directory, None, None)


def build_editable(
    wheel_directory: str, config_settings: ConfigSettings = None, metadata_directory: str | None = None
) -> str:
    settings = config_settings or {}
    mode = {name: value for name, value in settings.items() if name in ("editable_mode", "editable-mode")}
    with _build(config_settings, wheel=True):
        return _setuptools.build_editable(wheel_directory, mode or None, None)


def build_sdist(sdist_directory: str, config_settings: ConfigSettings = None) -> str:
    with _build(config_settings, wheel=False):
        return _setuptools.build_sdist(sdist_directory, None)
