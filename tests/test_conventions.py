"""docs/conventions.md: each example gives what it says, and each convention has one."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "conventions.md"


def sections() -> list[tuple[str, str]]:
    parts = re.split(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]


def examples(text: str) -> str:
    return "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))


SECTIONS = sections()


@pytest.mark.feature_set("autodiff")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("title, text", SECTIONS[1:], ids=[title for title, _ in SECTIONS[1:]])
def test_the_examples_of_a_convention_give_what_they_say(title: str, text: str) -> None:
    source = examples(SECTIONS[0][1]) + examples(text)
    test = doctest.DocTestParser().get_doctest(source, {}, title, str(PAGE), 0)
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert result.attempted > 3 and not result.failed, "".join(said)


def test_every_section_shows_what_it_says() -> None:
    assert len(SECTIONS) > 10
    assert all(">>> " in examples(text) for _, text in SECTIONS)
