"""What holds in each real environment; which one this is, conftest has checked."""

from __future__ import annotations

import importlib.metadata as md
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

import backburner as bb
from backburner import features
from backburner.errors import FeatureError
from fakes import python, run

V = bb.__version__
EXTENSION = "backburner-autodiff"


@pytest.mark.feature_set("core")
def test_the_core_brings_numpy_and_nothing_else() -> None:
    requires = [text for text in md.requires("backburner") or [] if "extra ==" not in text]
    assert requires == ["numpy>=2.0"]
    installed = {distribution.name.lower() for distribution in md.distributions()}
    assert not installed & {"numba", "llvmlite", "rich", EXTENSION}


@pytest.mark.feature_set("core", "autodiff", "broken")
def test_the_extra_pins_the_extension_to_the_same_release() -> None:
    extra = [text for text in md.requires("backburner") or [] if 'extra == "autodiff"' in text]
    assert extra == [f'{EXTENSION}=={V}; extra == "autodiff"']
    assert features.admitted() == {"autodiff"}


@pytest.mark.feature_set("autodiff", "locked")
def test_the_extension_pins_the_core_to_the_same_release() -> None:
    assert md.version("backburner") == md.version(EXTENSION) == V
    assert f"backburner=={V}" in (md.requires(EXTENSION) or [])


@pytest.mark.feature_set("autodiff")
def test_the_extension_implements_the_contract_of_this_core() -> None:
    implementation = features.require("autodiff")
    assert implementation.__module__.partition(".")[0] == "backburner_autodiff"
    assert implementation.contract_version == features.CONTRACT_VERSION
    assert features.status("autodiff") == ("autodiff", "available", V, f"provided by {EXTENSION} {V}", "")


@pytest.mark.feature_set("autodiff")
@pytest.mark.parametrize("name", ["optim", "train"])
def test_a_door_lists_what_the_extension_has_behind_it(name: str) -> None:
    door = import_module(f"backburner.{name}")
    target = features.require("autodiff").modules[name]
    behind = vars(import_module(target)) if find_spec(target) else {}
    public = [
        key
        for key, value in behind.items()
        if key[0] != "_" and (key in door.__all__ or not isinstance(value, ModuleType))
    ]
    assert sorted(door.__all__) == sorted(public)
    for listed in door.__all__:
        assert getattr(door, listed) is behind[listed]


@pytest.mark.feature_set("autodiff")
def test_a_gradient_flows() -> None:
    x = bb.tensor([1.0, 2.0], device=bb.Device.cpu().autodiff()).require_grad()
    assert (x * x).sum().backward()[x].tolist() == [2.0, 4.0]


@pytest.mark.feature_set("locked")
def test_a_locked_build_refuses_the_extension_that_is_installed() -> None:
    assert md.version(EXTENSION) == V
    assert md.metadata("backburner").get_all("Provides-Extra") == ["images"]
    assert features.admitted() == frozenset()
    with pytest.raises(FeatureError, match="this build of backburner was made without it"):
        bb.Device.cpu().autodiff()
    code = (
        "import sys, backburner\nprint(backburner.features.status('autodiff').state, 'numba' in sys.modules)"
    )
    assert run(code) == "locked False"


@pytest.mark.feature_set("broken-release")
def test_an_extension_of_another_release_is_told_before_it_is_imported() -> None:
    found = features.status("autodiff")
    assert (found.version, found.reason) == (
        "0.0.1",
        f"backburner {V} needs {EXTENSION} {V}, and 0.0.1 is installed",
    )


@pytest.mark.feature_set("broken-import")
def test_an_extension_whose_import_fails_shows_its_own_words_and_frames() -> None:
    for _ in range(2):
        with pytest.raises(FeatureError, match="Numba needs NumPy 2.2 or less. Got NumPy 2.4.") as caught:
            features.require("autodiff")
        cause = caught.value.__cause__
        assert isinstance(cause, ImportError) and cause.__traceback__ is not None
        last = cause.__traceback__
        while last.tb_next is not None:
            last = last.tb_next
        assert Path(last.tb_frame.f_code.co_filename).name == "backburner_autodiff_other.py"


@pytest.mark.feature_set("broken-contract")
def test_an_extension_of_another_contract_is_told_by_the_numbers() -> None:
    assert features.status("autodiff").reason == (
        f"backburner {V} needs version 1 of the contract, and {EXTENSION} {V} implements version 999"
    )


@pytest.mark.feature_set("core", "locked", "broken")
def test_what_needs_the_feature_says_so_and_inference_goes_on() -> None:
    found = features.status("autodiff")
    with pytest.raises(FeatureError) as caught:
        bb.Device.cpu().autodiff()
    assert (
        str(caught.value)
        == f"Requires `autodiff` feature for Device.autodiff: {found.reason}. {found.remedy}"
    )
    assert (bb.tensor([1.0, 2.0]) * 2).tolist() == [2.0, 4.0]


def test_the_command_exits_by_what_is_available() -> None:
    available = features.status("autodiff").state == "available"
    assert python("-m", "backburner", "features").returncode == 0
    assert python("-m", "backburner", "features", "--require", "autodiff").returncode == (
        0 if available else 1
    )


def test_the_package_data_is_installed() -> None:
    package = Path(bb.__path__[0])
    for name in ("py.typed", "optim.pyi", "train.pyi", "datasets/digits.npz", "datasets/digits.txt"):
        assert (package / name).is_file(), name
