"""What a table was measured on."""

from __future__ import annotations

import os
import platform
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.harness import Lab

PACKAGES = {
    "torch": ("torch",),
    "onnx": ("onnxruntime",),
    "jax": ("jax", "jaxlib"),
    "autograd": ("autograd",),
}


def installed(peer: str) -> bool:
    """Say whether a peer's packages are here."""
    try:
        return all(version(name) for name in PACKAGES[peer])
    except PackageNotFoundError:
        return False


def describe(lab: Lab) -> dict[str, str]:
    """Return what the reader of a table needs to know of the machine and of the libraries."""
    load = f", load {os.getloadavg()[0]:.2f} at the start" if hasattr(os, "getloadavg") else ""
    found = {
        "date": date.today().isoformat(),
        "processor": f"{_processor()}, {cores()} cores{load}",
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    process = lab.process("ours", lab.settings.threads[0])
    found["ours"] = _versions("backburner", "backburner-autodiff", "numpy", "numba", "llvmlite")
    found["BLAS of NumPy"] = ", ".join(process.ask("blas")) or "none that threadpoolctl knows"
    found |= {peer: _versions(*PACKAGES[peer]) for peer in lab.settings.peers}
    return found


def _versions(*names: str) -> str:
    return ", ".join(f"{name} {version(name)}" for name in names)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processor() -> str:
    lines = Path("/proc/cpuinfo")
    names: list[str] = []
    if lines.exists():
        for line in lines.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() in ("model name", "cpu family", "model") and len(names) < 3:
                names.append(f"{key.strip()} {value.strip()}".removeprefix("model name "))
    return " ".join(names) or platform.processor() or platform.machine()


def _memory() -> str:
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return "unknown"
    return f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB"
