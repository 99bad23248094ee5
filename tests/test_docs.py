"""The pages of the site: their Python runs as it stands, and their links lead somewhere."""

from __future__ import annotations

import doctest
import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

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


def entries(page: str) -> dict[str, str]:
    """Return what the site's hook makes of a page of the API: the options of each entry by its heading."""
    spec: Any = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    made: str = hooks.on_page_markdown((ROOT / "docs" / "api" / page).read_text(encoding="utf-8"))
    assert "!each" not in made
    return {
        found[2]: found[0]
        for found in re.finditer(r"^::: (\S+)\n.*\n +heading: (\S+)\n(?: .*\n)*", made, re.MULTILINE)
    }


@pytest.mark.feature_set("autodiff")
@pytest.mark.parametrize(
    "page, name, inherited",
    [
        ("nn.md", "backburner.nn.Module", ["valid", "freeze", "parameters", "to"]),
        ("nn.md", "backburner.nn.ModuleList", ["append"]),
        ("nn.md", "backburner.nn.init.orthogonal_", []),
        ("tensor.md", "backburner.Tensor", ["numpy", "item", "shape"]),
        ("optim.md", "backburner.optim.AdamW", []),
        ("optim.md", "backburner_autodiff.optim.schedules.cosine", []),
        ("train.md", "backburner.train.Trainer", []),
        ("train.md", "backburner_autodiff.train.metrics.F1", []),
        ("data.md", "backburner.data.augment.random_crop", []),
    ],
)
def test_the_pages_of_the_api_have_what_is_public_and_what_it_inherits(
    page: str, name: str, inherited: list[str]
) -> None:
    found = entries(page)
    assert not [heading for heading in found if heading.endswith("Error")]
    listed = re.search(r"inherited_members: \[(.*)\]", found[name])
    assert set(inherited) <= set(listed[1].split(", ") if listed else ())
    assert not listed or not {"sum", "forward"} & set(listed[1].split(", "))


def test_functions_have_no_entry_for_what_stands_elsewhere() -> None:
    found = entries("functions.md")
    assert "backburner.concat" in found and "backburner.ShapeError" in found
    assert not {"backburner.Tensor", "backburner.Device", "backburner.Gradients"} & set(found)
