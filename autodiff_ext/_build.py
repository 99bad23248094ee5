"""In-tree PEP 517 backend of the extension: setuptools, with the core's version, built outside the source tree.

In the repository the version is read from core/backburner/_version.py; in an sdist, from its own PKG-INFO.
"""

from __future__ import annotations

import ast
import atexit
import configparser
import os
import tempfile
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from setuptools import build_meta as _setuptools
from setuptools.build_meta import build_sdist as build_sdist
from setuptools.build_meta import get_requires_for_build_editable as get_requires_for_build_editable
from setuptools.build_meta import get_requires_for_build_sdist as get_requires_for_build_sdist
from setuptools.build_meta import get_requires_for_build_wheel as get_requires_for_build_wheel
from setuptools.build_meta import prepare_metadata_for_build_editable as prepare_metadata_for_build_editable
from setuptools.build_meta import prepare_metadata_for_build_wheel as prepare_metadata_for_build_wheel
from setuptools.command.build_py import build_py as _build_py
from setuptools.command.egg_info import egg_info as _egg_info

HERE = Path(__file__).resolve().parent


def _version() -> str:
    inside_sdist = HERE / "PKG-INFO"
    if inside_sdist.is_file():
        return str(HeaderParser().parsestr(inside_sdist.read_text(encoding="utf-8"))["Version"])
    source = HERE.parent / "core" / "backburner" / "_version.py"
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__version__":
            return str(ast.literal_eval(node.value))
    raise SystemExit(f"no __version__ in {source}")


VERSION = _version()
# The first Numba with NumPy 2, and the first with each later Python: without a lower bound pip would go back
# through ever older releases of Numba on a Python that none of them knows, and try to compile one.
REQUIRES = [
    f"backburner == {VERSION}",
    "numpy >= 2.0",
    "numba >= 0.60",
    "numba >= 0.61; python_version >= '3.13'",
    "numba >= 0.63; python_version >= '3.14'",
    "rich >= 13",
]

# No build/ and no *.egg-info beside the sources: the first goes stale and collides when two builds run at
# once, the second makes the extension look installed to any Python started in this folder.
_folder = tempfile.TemporaryDirectory(prefix="backburner-autodiff-build-")
atexit.register(_folder.cleanup)
_config = configparser.ConfigParser(interpolation=None)
_config["build"] = {"build_base": os.path.join(_folder.name, "build")}
_config["egg_info"] = {"egg_base": _folder.name}
os.environ["DIST_EXTRA_CONFIG"] = os.path.join(_folder.name, "extra.cfg")
with open(os.environ["DIST_EXTRA_CONFIG"], "w", encoding="utf-8") as _file:
    _config.write(_file)


class egg_info(_egg_info):
    """Pin the core's release, which stands in no file that setuptools reads."""

    def finalize_options(self) -> None:
        dist: Any = self.distribution
        dist.install_requires = REQUIRES
        dist._finalize_requires()
        super().finalize_options()


class build_py(_build_py):
    """Put this file into the sdist, so that it can build itself."""

    def get_source_files(self) -> list[str]:
        return [*super().get_source_files(), "_build.py"]  # type: ignore[no-untyped-call]


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    return _setuptools.build_wheel(wheel_directory, config_settings, None)  # see core/backburner_build.py


def build_editable(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    return _setuptools.build_editable(wheel_directory, config_settings, None)
