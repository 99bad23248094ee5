"""The pages of the site: their Python runs as it stands, and their links lead somewhere."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import backburner

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
TESTED_ELSEWHERE = {"conventions.md"}  # section by section, in test_conventions.py
SHOWN = {"architecture.md"}  # its code is cut out of the source


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


RUNNING = [page for page in PAGES if page.name not in TESTED_ELSEWHERE | SHOWN and blocks(page)]


@pytest.mark.feature_set("autodiff")
@pytest.mark.parametrize("page", RUNNING, ids=lambda page: page.name)
def test_the_python_of_a_page_runs_from_top_to_bottom(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for i, block in enumerate(blocks(page)):
        if ">>> " in block:
            test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
            said: list[str] = []
            failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
                test, out=said.append, clear_globs=False
            )
            assert not failed.failed, "".join(said)
            names.update(test.globs)
        else:
            exec(compile(block, f"{page.name}, block {i}", "exec"), names)


def test_a_page_is_in_the_navigation_and_the_navigation_has_pages() -> None:
    named = re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    found = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert sorted(named) == sorted(found)


def test_links_lead_to_pages() -> None:
    for page in PAGES:
        for link in re.findall(r"\]\((?!http)([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).is_file(), f"{page.name}: {link}"


def namespaces() -> Iterator[str]:
    """Yield the names of the public modules: the package, those that one of them lists, and some that none does."""
    left = ["backburner", "backburner.features", "backburner.data.augment", "backburner.nn.utils.rnn"]
    while left:
        name = left.pop()
        yield name.replace("backburner_autodiff", "backburner")  # as people import it, by a door
        module = importlib.import_module(name)
        values = [getattr(module, public) for public in getattr(module, "__all__", ())]
        left += [v.__name__ for v in values if isinstance(v, ModuleType) and v.__name__ not in left]


def with_entries(page: str) -> str:
    """Return a page as the site is built of it."""
    spec: Any = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    return hooks.on_page_markdown(page)


@pytest.mark.feature_set("autodiff")
def test_the_pages_of_the_api_have_every_namespace_under_the_names_that_people_import() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in sorted(ROOT.glob("docs/api/*.md")))
    made = with_entries(text)
    shown = re.findall(r"^!each (\S+)", text, re.MULTILINE)
    named = {name.replace("backburner_autodiff", "backburner") for name in shown}
    assert named == set(namespaces()) - {"backburner.nn.utils"}  # which has rnn alone
    for heading in re.findall(r"heading: (\S+)", made):
        _, *names = heading.split(".")
        found: object = backburner
        for i, name in enumerate(names, 2):
            if isinstance(found, ModuleType) and not hasattr(found, name):
                importlib.import_module(".".join(["backburner", *names[: i - 1]]))
            found = getattr(found, name)
        assert getattr(found, "__module__", "").startswith("backburner"), heading
    assert "nn.utils.rnn.PackedSequence" in made
    assert not re.search(r"heading: \S+\.(flag|whole|repack|ArgumentError\.\w+)$", made, re.M)


@pytest.mark.feature_set("autodiff")
@pytest.mark.parametrize(
    "page, name, inherited",
    [
        ("nn.md", "backburner.nn.Module", ["valid", "freeze", "parameters", "to"]),
        ("nn.md", "backburner.nn.ModuleList", ["append"]),
        ("nn.md", "backburner.nn.init.orthogonal_", []),
        ("tensor.md", "backburner.Tensor", ["numpy", "item", "shape"]),
        ("functions.md", "backburner.ShapeError", []),
        ("optim.md", "backburner.optim.schedules.cosine", []),
        ("train.md", "backburner.train.metrics.F1", []),
    ],
)
def test_an_entry_has_what_a_class_inherits_from_bases_without_one(
    page: str, name: str, inherited: list[str]
) -> None:
    made = with_entries((ROOT / "docs" / "api" / page).read_text(encoding="utf-8"))
    (entry,) = re.findall(rf"^::: .*\n.*\n +heading: {re.escape(name)}\n((?: .*\n)*)", made, re.MULTILINE)
    listed = re.search(r"inherited_members: \[(.*)\]", entry)
    names = set(listed[1].split(", ") if listed else ())
    assert set(inherited) <= names and not {"sum", "forward"} & names
