"""Take the release of the core in this checkout, so that it is not the release that is refused."""

import runpy
from pathlib import Path

from setuptools import setup

VERSION = Path(__file__).resolve().parents[2] / "core" / "backburner" / "_version.py"

setup(version=runpy.run_path(str(VERSION))["__version__"])
