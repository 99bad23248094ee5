"""The examples in docstrings run as they stand, and what is public has a docstring."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import pytest

import backburner
from sources import docstring, docstrings

DOORS = {"backburner.optim", "backburner.train", "backburner.__main__"}
# Words in an example that take the extension.
NEEDS_AUTODIFF = (
    ".autodiff()",
    "bb.grad(",
    "bb.gradcheck(",
    "bb.value_and_grad(",
    "bb.checkpoint(",
    "backburner.optim",
)


def modules() -> Iterator[ModuleType]:
    yield backburner
    for found in pkgutil.walk_packages(backburner.__path__, "backburner."):
        if found.name not in DOORS:
            yield importlib.import_module(found.name)


def examples() -> Iterator[object]:
    parser = doctest.DocTestParser()
    for module in modules():
        for name, text in docstrings(module.__name__).items():
            whole = f"{module.__name__}.{name}" if name else module.__name__
            test = parser.get_doctest(text, dict(vars(module)), whole, module.__file__, 0)
            if test.examples:
                source = "".join(example.source for example in test.examples)
                needs = any(word in source for word in NEEDS_AUTODIFF)
                marks = [pytest.mark.feature_set("autodiff")] if needs else []
                yield pytest.param(test, id=test.name, marks=marks)


@pytest.mark.parametrize("test", list(examples()))
def test_the_example_gives_what_it_says(test: doctest.DocTest) -> None:
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert result.attempted and not result.failed, "".join(said)


def public() -> Iterator[tuple[str, object]]:
    for module in modules():
        if "._" in module.__name__ and module.__name__ != "backburner._tensor":
            continue
        for name, thing in vars(module).items():
            own = getattr(thing, "__module__", None) == module.__name__
            if own and not name.startswith("_") and (inspect.isfunction(thing) or inspect.isclass(thing)):
                yield f"{module.__name__}.{name}", thing


@pytest.mark.parametrize(("name", "thing"), [pytest.param(n, t, id=n) for n, t in public()])
def test_what_is_public_says_what_it_does(name: str, thing: object) -> None:
    text = docstring(thing)
    first = text.strip().split("\n\n")[0]
    assert first.rstrip().endswith("."), f"{name}: {first!r} is no sentence"


@pytest.mark.parametrize(
    "module", ["", ".nn", ".nn.functional", ".nn.init", ".data", ".record", ".random", ".linalg"]
)
def test_help_tells_what_each_name_is_from_a_wheel_too(module: str) -> None:
    home = importlib.import_module(f"backburner{module}")
    names = set(getattr(home, "__all__", dir(home))) - {"optim", "train"}
    things = {name: getattr(home, name) for name in names if name[0] != "_"}
    ours = {
        name: thing
        for name, thing in things.items()
        if (inspect.isclass(thing) or inspect.isfunction(thing))
        and thing.__module__.startswith("backburner.")
    }
    assert ours
    for name, thing in ours.items():
        first = docstring(thing).split("\n\n")[0]
        assert first and inspect.cleandoc(thing.__doc__ or "").split("\n\n")[0] == first, name


@pytest.mark.parametrize("name", [name for name in backburner.nn.__all__ if name[0].isupper()])
def test_a_layer_is_described_in_its_source_where_editors_and_the_site_look_with_an_example(
    name: str,
) -> None:
    layer = getattr(backburner.nn, name)
    text = docstring(layer)
    assert text.split("\n")[0] in inspect.getsource(layer)
    assert "Example:\n" in text


@pytest.mark.feature_set("autodiff")
def test_the_extensions_public_face_says_what_it_does_and_its_examples_run() -> None:
    for door in ("optim", "train"):
        module = importlib.import_module(f"backburner.{door}")
        for name in module.__all__:
            thing = getattr(module, name)
            assert (thing.__doc__ or "").strip(), name
            for test in doctest.DocTestFinder().find(thing, name, globs=dict(vars(module))):
                said: list[str] = []
                assert (
                    not doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append).failed
                ), said
