"""In-tree PEP 517 backend: setuptools plus build-time features.

Not installed; shipped in the sdist. It does three things that plain setuptools does not:

* turns ``-C features=a,b`` or ``BACKBURNER_FEATURES=a,b`` into the feature set of this one build, the
  default being ``[features] default`` in setup.cfg;
* bakes that set into the wheel: ``backburner/_features.py``, one ``Provides-Extra`` per admitted feature
  (beside ``[extras]``, which are no features and stand in every wheel), and a build tag
  (``backburner-0.1.0-0locked-py3-none-any.whl``) when the set is not the default;
* builds in a temporary directory, so that two feature sets can be built from one tree at once and no
  build/ or *.egg-info is left beside the sources.
"""

from __future__ import annotations

import configparser
import contextlib
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from setuptools import build_meta as _setuptools
from setuptools.command.build_py import build_py as _build_py
from setuptools.command.egg_info import egg_info as _egg_info

ROOT = Path(__file__).resolve().parent.parent
ENV = "BACKBURNER_FEATURES"
KEY = "features"

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
    """Replace backburner/_features.py in the wheel by the baked one."""

    def build_module(self, module: str, module_file: str, package: Any) -> Any:
        result = super().build_module(module, module_file, package)  # type: ignore[no-untyped-call]
        if (module, package) == ("_features", "backburner") and not self.editable_mode:
            out = Path(self.get_module_outfile(self.build_lib, ["backburner"], module))  # type: ignore[no-untyped-call]
            out.unlink()  # never write through a link to the source
            names = ", ".join(repr(name) for name in sorted(selected()))
            out.write_text(
                f'"""Written by the build: the features this wheel admits."""\n\n'
                f"BAKED: frozenset[str] | None = frozenset([{names}])\n",
                encoding="utf-8",
            )
        return result

    def get_source_files(self) -> list[str]:
        # so that the sdist can build itself
        return [*super().get_source_files(), "core/backburner_build.py"]  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def _build(config_settings: ConfigSettings, *, wheel: bool) -> Iterator[None]:
    """Set the environment that setuptools and the commands above read, for the length of one hook."""
    settings = config_settings or {}
    saved = {name: os.environ.get(name) for name in (ENV, "DIST_EXTRA_CONFIG")}
    try:
        if KEY in settings:
            value = settings[KEY]
            os.environ[ENV] = ",".join(value) if isinstance(value, list) else value or ""
        if not wheel:
            os.environ.pop(ENV, None)  # an sdist is neutral: it carries setup.cfg, not a choice
        default, _ = table()
        chosen = selected()
        with tempfile.TemporaryDirectory(prefix="backburner-build-") as folder:
            extra = configparser.ConfigParser(interpolation=None)
            extra["build"] = {"build_base": os.path.join(folder, "build")}
            extra["egg_info"] = {"egg_base": folder}
            if chosen != default:
                extra["bdist_wheel"] = {"build_number": "0" + (".".join(sorted(chosen)) or "locked")}
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
