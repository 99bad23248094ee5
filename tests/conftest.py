"""Feature sets: which tests apply to this environment, and a run that cannot hide what it left out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class FeatureSet(NamedTuple):
    """What `autodiff` must be in an environment of this set: its state, and a part of the reason."""

    state: str
    reason: str = ""


SETS = {
    "core": FeatureSet("absent", "is not installed"),
    "autodiff": FeatureSet("available"),
    "locked": FeatureSet("locked"),
    "broken-release": FeatureSet("incompatible", "is installed"),
    "broken-import": FeatureSet("broken", "import failed"),
    "broken-contract": FeatureSet("incompatible", "of the contract"),
    "build": FeatureSet("absent"),  # the core beside the packaging tools: tests of the distributions alone
}
GROUPS = {"broken": frozenset(name for name in SETS if name.startswith("broken-"))}
USUAL = frozenset(SETS) - {"build"}

_HERE = pytest.StashKey[str]()
_COUNT = pytest.StashKey[tuple[int, int]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("feature sets")
    # Its value needs the `=`: after a space pytest may take `core` for the folder of that name.
    group.addoption("--feature-set", choices=list(SETS), help="what this environment claims to be")
    group.addoption("--no-skips", action="store_true", help="a skipped or xfailed test fails the run")


def pytest_configure(config: pytest.Config) -> None:
    from backburner import features

    found = features.status("autodiff")
    fits = [name for name, set_ in SETS.items() if set_.state == found.state and set_.reason in found.reason]
    claimed = config.getoption("--feature-set") or (fits[0] if fits else None)
    if claimed not in fits:
        raise pytest.UsageError(
            f"--feature-set={claimed}, but `autodiff` is {found.state} here: {found.reason}"
        )
    config.stash[_HERE] = claimed
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(Counts())


def pytest_report_header(config: pytest.Config) -> str:
    import numpy

    import backburner

    return f"feature set {config.stash[_HERE]}: backburner from {backburner.__path__[0]}, numpy {numpy.__version__}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    here = config.stash[_HERE]
    keep: list[pytest.Item] = []
    drop: list[pytest.Item] = []
    for item in items:
        (keep if here in _sets_of(item) else drop).append(item)
    config.stash[_COUNT] = (len(keep), len(items))
    items[:] = keep
    if hasattr(config, "workeroutput"):
        config.workeroutput["count"] = config.stash[_COUNT]
    config.hook.pytest_deselected(items=drop)


def _sets_of(item: pytest.Item) -> frozenset[str]:
    mark = item.get_closest_marker("feature_set")
    return USUAL if mark is None else _spelled_out(mark.args, item.nodeid)


def _spelled_out(names: tuple[str, ...], where: str) -> frozenset[str]:
    unknown = set(names) - SETS.keys() - GROUPS.keys()
    if unknown or not names:
        known = ", ".join([*SETS, *GROUPS])
        raise pytest.UsageError(f"{where}: feature_set{names}: the sets are {known}")
    return frozenset(names).union(*(GROUPS.get(name, frozenset()) for name in names))


class LeftOutModule(pytest.Module):
    """A module of tests for other feature sets, which is counted but not imported: its imports may be missing."""

    def collect(self) -> Iterator[pytest.Item]:
        for node in ast.walk(ast.parse(self.path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                item = LeftOutTest.from_parent(self, name=node.name)
                item.add_marker(pytest.mark.feature_set(*(_declared(self.path) or ())))
                yield item


class LeftOutTest(pytest.Item):
    def runtest(self) -> None:
        raise AssertionError("a test that does not apply here was to be deselected")


def _declared(path: Path) -> tuple[str, ...] | None:
    """Read `pytestmark = pytest.mark.feature_set(...)` without importing the module."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError:  # pytest's own import of it tells the place
        return None
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            value = node.value
            if isinstance(value, ast.Call) and ast.unparse(value.func) == "pytest.mark.feature_set":
                return tuple(ast.literal_eval(argument) for argument in value.args)
    return None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the tests of published models, whose weights are packages, unless the command names them."""
    real = Path(__file__).parent / "real"
    if collection_path != real:
        return None
    named = (config.invocation_params.dir / argument.split("::")[0] for argument in config.args)
    return None if any(real in (path, *path.parents) for path in named) else True


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    names = _declared(module_path)
    if names is None or parent.config.stash[_HERE] in _spelled_out(names, module_path.name):
        return None
    return LeftOutModule.from_parent(parent, path=module_path)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    applies, total = config.stash.get(_COUNT, (0, 0))
    passed = len(terminalreporter.stats.get("passed", []))
    terminalreporter.write_line(
        f"feature set {config.stash[_HERE]}: {applies} of {total} tests apply, {passed} passed, "
        f"{len(_left_out(terminalreporter))} left out"
    )


class Counts:
    """Brings the counts of worker processes, all of which collect the same, to the one that reports."""

    def pytest_testnodedown(self, node: Any) -> None:
        node.config.stash[_COUNT] = tuple(node.workeroutput.get("count", (0, 0)))


def _left_out(reporter: pytest.TerminalReporter) -> list[object]:
    return [report for kind in ("skipped", "xfailed", "xpassed") for report in reporter.stats.get(kind, [])]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not session.config.getoption("--no-skips"):
        return
    if _left_out(reporter) and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


# -- fixtures of several files


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs a command line in an empty folder, and gives status, stdout and stderr."""
    from backburner import cli

    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        try:
            status = cli.main([str(a) for a in arguments])
        except SystemExit as error:
            status = int(error.code or 0)
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """Return a folder with fruit.csv and a network that tells kinds, by small networks."""
    from backburner.train import tabular
    from fruit import fruit, text

    folder = tmp_path_factory.mktemp("fruit")
    (folder / "fruit.csv").write_text(text(fruit()))
    made = tabular(
        folder / "fruit.csv",
        folder / "kind.safetensors",
        target="kind",
        ignore=["price"],
        hidden=(16,),
        show=False,
    )
    return folder, made
