"""How the core treats what it finds installed: fake distributions on the path, one process each."""

from __future__ import annotations

import ast
import configparser
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from backburner import cli, features
from backburner._version import __version__ as V
from backburner.errors import ArgumentError, FeatureError
from fakes import PROVIDER, distribution, python, run

ROOT = Path(__file__).resolve().parent.parent
OURS = "backburner-autodiff"
REINSTALL = 'Reinstall it: pip install --force-reinstall "backburner[autodiff]"'
core_only = pytest.mark.feature_set("core")

LOOK = """
import json, traceback
from backburner import features
from backburner.errors import FeatureError

def look():
    found = features.status("autodiff")._asdict()
    try:
        found["given"] = features.require("autodiff", "Device.autodiff").__name__
    except FeatureError as error:
        found["error"] = str(error)
        found["cause"] = type(error.__cause__).__name__
        if error.__cause__ is not None:
            frames = traceback.extract_tb(error.__cause__.__traceback__)
            found["frames"] = [frame.filename for frame in frames]
    print(json.dumps(found))
"""


def looks(code: str, *sites: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(LOOK + code, *sites).splitlines()]


class Case(NamedTuple):
    """What is installed, as arguments of ``distribution``, and what the core must say."""

    installed: list[dict[str, Any]]
    state: str
    reason: str
    remedy: str
    version: str = ""
    cause: str = "NoneType"
    before: str = ""


def ours(body: str = PROVIDER, version: str = V, **more: Any) -> dict[str, Any]:
    return {"name": OURS, "version": version, "body": body, **more}


NEVER_IMPORTED = "raise SystemExit('this must not be imported')"
REFUSAL = "Numba needs NumPy 2.2 or less. Got NumPy 2.4."
RIVAL = {"name": "rival", "version": "7", "module": "rival_module"}

CASES = {
    # B145, B147, B148: the command in full, quoted for every shell
    "nothing installed": Case(
        [], "absent", f"{OURS} is not installed", 'Install it: pip install "backburner[autodiff]"'
    ),
    # B153
    "no entry point": Case(
        [ours(NEVER_IMPORTED, entry_points=b"")],
        "absent",
        f"{OURS} {V} is installed, but its entry point is missing or unreadable",
        REINSTALL,
    ),
    "own entry points unreadable": Case(
        [ours(NEVER_IMPORTED, entry_points=b"[backburner.features]\n\xff\xfe")],
        "absent",
        f"its entry point is missing or unreadable; unreadable entry points: backburner_autodiff-{V}.dist-info",
        REINSTALL,
    ),
    "locked, and the extension is there": Case(
        [ours(NEVER_IMPORTED)],
        "locked",
        "this build of backburner was made without it",
        'Install a build that admits it: pip install --force-reinstall "backburner[autodiff]"',
        before="features._features.BAKED = frozenset()\n",
    ),
    "two providers": Case(
        [ours(NEVER_IMPORTED), {**RIVAL, "body": NEVER_IMPORTED}],
        "ambiguous",
        f"more than one installed distribution provides it: {OURS} {V} and rival 7",
        "Uninstall all but one of them, such as: pip uninstall rival",
    ),
    "another release": Case(
        [ours(NEVER_IMPORTED, "0.0.9")],
        "incompatible",
        f"backburner {V} needs {OURS} {V}, and 0.0.9 is installed",
        f'Install the one that fits: pip install "backburner[autodiff]=={V}"',
        version="0.0.9",
    ),
    # B117, B150: the refusal in its own words, not "not installed"
    "numba refuses numpy": Case(
        [ours(f"raise ImportError({REFUSAL!r})")],
        "broken",
        f"{OURS} {V} is installed, but its import failed with ImportError: {REFUSAL}",
        REINSTALL,
        version=V,
        cause="ImportError",
    ),
    "something it needs is missing": Case(
        [ours("import numba_of_nowhere.core as gone")],
        "broken",
        "its import failed with ModuleNotFoundError: No module named 'numba_of_nowhere'",
        'Install what is missing (numba_of_nowhere): pip install "backburner[autodiff]"',
        version=V,
        cause="ModuleNotFoundError",
    ),
    # B151
    "stale entry point": Case(
        [ours(target="gone_module:AutodiffBackend")],
        "broken",
        "its import failed with ModuleNotFoundError: No module named 'gone_module'",
        REINSTALL,
        version=V,
        cause="ModuleNotFoundError",
    ),
    "entry point names nothing": Case(
        [ours(target="{module}:Gone")],
        "broken",
        "its import failed with AttributeError: module 'fake' has no attribute 'Gone'",
        REINSTALL,
        version=V,
        cause="AttributeError",
    ),
    "another contract": Case(
        [ours(PROVIDER.replace("contract_version = 1", "contract_version = 999"))],
        "incompatible",
        f"backburner {V} needs version 1 of the contract, and {OURS} {V} implements version 999",
        REINSTALL,
        version=V,
    ),
    "another contract of a third party": Case(
        [{**RIVAL, "body": PROVIDER.replace("contract_version = 1", "contract_version = 2")}],
        "incompatible",
        "and rival 7 implements version 2",
        "Install a rival that implements version 1 of the contract",
        version="7",
    ),
    "a module where a class should be": Case(
        [ours("contract_version = 1", target="{module}")],
        "incompatible",
        f"and {OURS} {V} implements no version of it",
        REINSTALL,
        version=V,
    ),
}


@core_only
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_state_names_its_reason_and_its_remedy(case: Case, tmp_path: Path) -> None:
    sites = [distribution(tmp_path, **arguments) for arguments in case.installed]
    for order in (sites, sites[::-1]) if len(sites) > 1 else (sites,):
        (found,) = looks(case.before + "look()", *order)
        assert (found["name"], found["state"], found["version"]) == ("autodiff", case.state, case.version)
        assert case.reason in found["reason"]
        assert found["remedy"] == case.remedy
        assert found["error"] == (
            f"Requires `autodiff` feature for Device.autodiff: {found['reason']}. {case.remedy}"
        )
        assert found["cause"] == case.cause


GOOD = {
    "the extension": [ours()],
    "a third party's": [RIVAL],
    "the same release twice on the path": [ours(), ours()],
    "one beside somebody's unreadable entry points": [
        {
            "name": "a-bad",
            "version": "1",
            "module": "bad",
            "entry_points": b"[backburner.features]\n\xff\xfe",
        },
        {
            "name": "a-worse",
            "version": "1",
            "module": "worse",
            "entry_points": b"[backburner.features\n]no equals",
        },
        ours(),
    ],
    "one beside what pip left of another release": [
        {**ours(NEVER_IMPORTED, "0.0.9", module="old"), "leftover": True},
        ours(),
    ],
}


@core_only
@pytest.mark.parametrize("installed", GOOD.values(), ids=GOOD)
def test_what_is_available(installed: list[dict[str, Any]], tmp_path: Path) -> None:
    sites = []
    for i, arguments in enumerate(installed):
        leftover = arguments.pop("leftover", False)
        sites.append(distribution(tmp_path / str(i), **arguments))
        if leftover:
            info = sites[-1] / f"backburner_autodiff-{arguments['version']}.dist-info"
            info.rename(info.with_name("~" + info.name[1:]))
    (found,) = looks("look()", *sites)
    assert (found["state"], found["given"], found["remedy"]) == ("available", "AutodiffBackend", "")
    last = installed[-1]
    assert found["reason"] == f"provided by {last['name']} {last['version']}"


@core_only
def test_a_broken_provider_keeps_its_first_failure_with_its_own_traceback(tmp_path: Path) -> None:
    body = "import sys\nsys.tried = getattr(sys, 'tried', 0) + 1\nraise ImportError(f'try {sys.tried}')"
    site = distribution(tmp_path, OURS, V, body)
    first, second = looks("look()\nlook()", site)
    assert first == second
    assert "ImportError: try 1" in first["error"]
    assert first["frames"][-1] == str(site / "fake.py")


@core_only
def test_what_is_installed_later_is_found_in_the_same_process(tmp_path: Path) -> None:
    site = distribution(tmp_path / "later", OURS, V)
    here = tmp_path / "here"
    here.mkdir()
    # within the resolution of a file system's clock the folder looks unchanged
    code = f"""
import os, shutil
look()
before = os.stat({str(here)!r}).st_mtime_ns
shutil.copytree({str(site)!r}, {str(here)!r}, dirs_exist_ok=True)
os.utime({str(here)!r}, ns=(before, before))
look()
"""
    first, second = looks(code, here)
    assert (first["state"], second["state"]) == ("absent", "available")


@core_only
def test_after_success_nothing_is_looked_up_again(tmp_path: Path) -> None:
    code = """
first = features.require("autodiff")
from importlib import metadata
metadata.distributions = metadata.entry_points = metadata.metadata = None
assert features.require("autodiff") is first
look()
"""
    (found,) = looks(code, distribution(tmp_path, OURS, V))
    assert found["state"] == "available"


@core_only
def test_threads_that_ask_at_once_get_one_class_of_one_import(tmp_path: Path) -> None:
    body = "import sys, time\nsys.imports = getattr(sys, 'imports', 0) + 1\ntime.sleep(0.05)\n" + PROVIDER
    code = """
import sys, threading
from backburner import features
got, start = [], threading.Barrier(8)
def ask():
    start.wait()
    got.append(features.require("autodiff"))
threads = [threading.Thread(target=ask) for _ in range(8)]
[t.start() for t in threads], [t.join() for t in threads]
print(len(got), len(set(got)), sys.imports)
"""
    assert run(code, distribution(tmp_path, OURS, V, body)) == "8 1 1"


@core_only
def test_a_provider_that_asks_for_its_own_feature_at_import_is_broken_and_not_endless(tmp_path: Path) -> None:
    body = "from backburner import features\nfeatures.require('autodiff')\n" + PROVIDER
    (found,) = looks("look()", distribution(tmp_path, OURS, V, body))
    assert found["state"] == "broken"
    assert "circular import" in found["reason"]


# -- doors

DOOR = """
from backburner import features, optim
from backburner.errors import FeatureError
try:
    print(optim.Adam)
except FeatureError as error:
    print(error.state, "|", error, "|", type(error.__cause__).__name__)
"""

BEHIND = {
    "as the contract says": ({"fake_optim": "Adam = 'the real one'"}, PROVIDER, "the real one"),
    "its import fails": (
        {"fake_optim": "import rich_of_nowhere"},
        PROVIDER,
        "broken | Requires `autodiff` feature for backburner.optim.Adam: fake_optim is installed, but its import "
        "failed with ModuleNotFoundError: No module named 'rich_of_nowhere'. Install what is missing "
        '(rich_of_nowhere): pip install "backburner[autodiff]" | ModuleNotFoundError',
    ),
    "it lacks the name": (
        {"fake_optim": ""},
        PROVIDER,
        "incompatible | Requires `autodiff` feature for backburner.optim.Adam: fake_optim has no Adam. "
        f"{REINSTALL} | NoneType",
    ),
    "the provider has no such door": (
        {},
        PROVIDER.replace('{"optim": "fake_optim"}', "{}"),
        "incompatible | Requires `autodiff` feature for backburner.optim.Adam: autodiff of fake has nothing behind "
        f"backburner.optim. {REINSTALL} | NoneType",
    ),
}


@core_only
@pytest.mark.parametrize("modules, body, told", BEHIND.values(), ids=BEHIND)
def test_a_door_gives_what_stands_behind_it(
    modules: dict[str, str], body: str, told: str, tmp_path: Path
) -> None:
    site = distribution(tmp_path, OURS, V, body)
    for name, source in modules.items():
        (site / f"{name}.py").write_text(source)
    assert run(DOOR, site) == told


@core_only
def test_a_listed_name_without_the_feature_says_which_name_and_what_to_do() -> None:
    with pytest.raises(FeatureError) as caught:
        from backburner.optim import Adam  # noqa: F401
    assert str(caught.value) == (
        f"Requires `autodiff` feature for backburner.optim.Adam: {OURS} is not installed. "
        'Install it: pip install "backburner[autodiff]"'
    )


@pytest.mark.parametrize("name", ["Adm", "__wrapped__", "__path__", "_private"])
def test_a_door_has_no_other_name(name: str) -> None:
    from backburner import optim, train

    for door in (optim, train):
        assert not hasattr(door, name)
        with pytest.raises(AttributeError, match=f"module '{door.__name__}' has no attribute '{name}'"):
            getattr(door, name)


def test_a_door_lists_its_names_without_the_feature() -> None:
    from backburner import optim, train

    for door in (optim, train):
        assert set(door.__all__) <= set(dir(door))
        assert dir(door) == sorted(dir(door))


@pytest.mark.parametrize("name", ["optim", "train"])
def test_the_stub_of_a_door_exports_what_the_door_lists(name: str) -> None:
    door = getattr(__import__(f"backburner.{name}"), name)
    tree = ast.parse(Path(door.__file__).with_suffix(".pyi").read_text())
    exported = [
        alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    assert sorted(filter(None, exported)) == sorted(door.__all__)


# -- the error and the record


def test_a_feature_error_is_what_guards_and_stubs_are_caught_by() -> None:
    error = FeatureError("autodiff", "f", "absent", "why", "Do this.")
    assert isinstance(error, ImportError) and isinstance(error, NotImplementedError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), vars(again)) == (str(error), vars(error))


def test_an_unknown_feature_is_told_with_the_known_ones() -> None:
    for ask in (features.status, features.require):
        with pytest.raises(ArgumentError, match="unknown feature: 'autodif'. Ask for one of: autodiff"):
            ask("autodif")


def test_a_status_is_frozen() -> None:
    with pytest.raises(AttributeError):
        features.status("autodiff").state = "available"  # type: ignore[misc]


def test_the_build_table_and_the_core_know_the_same_features() -> None:
    config = configparser.ConfigParser(interpolation=None)
    config.read(ROOT / "setup.cfg")
    table = dict(config["features"])
    assert set(table.pop("default").split(",")) <= set(table)
    assert {name: text.split()[0] for name, text in table.items()} == {
        name: feature.distribution for name, feature in features.KNOWN.items()
    }


# -- the command

ROW = cli.COMMANDS[0]._replace(name="go", arguments=lambda parser: None)


def command(*arguments: str, sites: tuple[Path, ...] = ()) -> tuple[int, str, str]:
    done = python("-m", "backburner", *arguments, sites=sites)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def test_the_command_prints_a_row_per_feature_with_the_remedy_in_one_piece() -> None:
    status, out, err = command("features")
    assert (status, err) == (0, "")
    found = features.status("autodiff")
    lines = out.splitlines()
    assert lines[0].startswith(f"backburner {V}; features this build admits: ")
    assert lines[2].split() == ["feature", "state", "version", "reason"]
    assert lines[3].split(maxsplit=3) == ["autodiff", found.state, found.version or "-", found.reason]
    assert [line.strip() for line in lines[4:]] == [found.remedy] * bool(found.remedy)


@core_only
def test_requiring_a_missing_feature_exits_with_1_and_the_reason() -> None:
    status, out, err = command("features", "--require", "autodiff")
    assert (status, out) == (1, "")
    assert err == (
        f"backburner: Requires `autodiff` feature: {OURS} is not installed. "
        'Install it: pip install "backburner[autodiff]"\n'
    )


@core_only
def test_requiring_an_available_feature_exits_with_0(tmp_path: Path) -> None:
    status, out, err = command("features", "--require", "autodiff", sites=(distribution(tmp_path, OURS, V),))
    assert (status, err) == (0, "")
    assert "available" in out


def test_requiring_an_unknown_feature_names_the_known() -> None:
    status, _, err = command("features", "--require", "autodif")
    assert (status, err) == (
        1,
        "backburner: features: unknown feature: 'autodif'. Ask for one of: autodiff.\n",
    )


@pytest.mark.parametrize("arguments", [(), ("nonsense",), ("features", "--nonsense")])
def test_a_wrong_command_line_exits_with_2_and_the_usage(arguments: tuple[str, ...]) -> None:
    status, _, err = command(*arguments)
    assert status == 2
    assert err.startswith("usage: backburner")


@pytest.mark.parametrize(
    "error, status, told",
    [
        (ArgumentError("predict: no such sample: 360"), 1, "backburner: predict: no such sample: 360\n"),
        (FileNotFoundError(2, "No such file", "x"), 1, "No such file"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_what_a_subcommand_raises_is_told_without_a_traceback(
    error: BaseException, status: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(args: object) -> int:
        raise error

    assert cli.main(["go"], [ROW._replace(run=run)]) == status
    out, err = capsys.readouterr()
    assert out == "" and told in err and err.count("\n") <= 1


def test_a_subcommand_is_one_row_with_its_options_and_its_status() -> None:
    row = ROW._replace(
        arguments=lambda parser: parser.add_argument("--far", type=int), run=lambda args: int(args.far)
    )
    assert cli.main(["go", "--far", "7"], [row]) == 7


def test_a_reader_who_leaves_early_is_no_error() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "backburner", "features"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert (process.wait(60), process.stderr.read()) == (0, "")
    process.stderr.close()


def test_the_command_knows_its_version() -> None:
    assert command("--version") == (0, f"backburner {V}\n", "")
