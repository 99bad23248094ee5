"""Installed distributions made of files: no pip, no network, visible to importlib.metadata through sys.path."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROVIDER = """
class AutodiffBackend:
    contract_version = 1
    modules = {"optim": "fake_optim"}
"""


def distribution(
    where: Path,
    name: str,
    version: str,
    body: str = PROVIDER,
    *,
    module: str = "fake",
    target: str = "{module}:AutodiffBackend",
    entry_points: bytes | None = None,
) -> Path:
    """Lay out an installed distribution and return the folder to put on the path.

    Args:
        where: parent of the folder.
        name: of the distribution.
        version: of the distribution.
        body: source of its one module.
        module: name of its one module.
        target: what its entry point for `autodiff` names.
        entry_points: the content of its entry_points.txt, if that is to be something else.
    """
    site = where / f"{name}-{version}"
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    text = f"[backburner.features]\nautodiff = {target.format(module=module)}\n".encode()
    (info / "entry_points.txt").write_bytes(text if entry_points is None else entry_points)
    (site / f"{module}.py").write_text(body)
    return site


def python(
    *arguments: str, sites: tuple[Path, ...] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run this Python with folders put before its path, and with variables in its environment."""
    path = [*map(str, sites), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), **variables}
    command = [sys.executable, "-W", "error", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


def run(code: str, *sites: Path) -> str:
    """Run a program that must succeed and return what it printed."""
    done = python("-c", code, sites=sites)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
