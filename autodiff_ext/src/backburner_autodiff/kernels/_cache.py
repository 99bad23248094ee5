"""Compiled kernels on disk: one checked file per version, in a directory for everything that shapes the code.

Numba's own cache raises at import where it finds no place to write, trusts truncated files, does not notice an
inner function that changed in another file, and hands out unchecked code under ``NUMBA_BOUNDSCHECK=1``. Here
nothing that the disk does reaches the caller: what cannot be read is compiled, what cannot be written is not
kept.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import pickle
import re
import secrets
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import compiler as _compiler
from numba.core import config as _config
from numba.core import serialize as _serialize

numba_config: Any = _config
compiler: Any = _compiler  # without type hints
serialize: Any = _serialize

_MAGIC = b"backburner kernel 1\n"
_KEEP_DAYS = 30
_DIRECTORY = re.compile("[0-9a-f]{24}")
_SHAPING = (
    "BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX", "DEBUGINFO_DEFAULT", "ENABLE_PROFILING",
    "USING_SVML", "DISABLE_INTEL_SVML", "LLVM_REFPRUNE_PASS", "LLVM_REFPRUNE_FLAGS", "EXTEND_VARIABLE_LIFETIMES",
)  # fmt: skip
_logger = logging.getLogger("backburner")


class Store:
    """Keep the versions of one kernel, in the interface of a Numba dispatcher's ``_cache``.

    The name must tell versions apart that have one signature. Other options stand in the sources.

    Attributes:
        hits: how many versions came from the disk.
        misses: how many were asked for and not there.
    """

    def __init__(self, function: Callable[..., None], name: str) -> None:
        self._source = function.__code__.co_filename
        self._name = name
        self.hits = 0
        self.misses = 0

    def holds(self, signature: Any, target: Any) -> bool:
        """Say whether a version is on the disk."""
        path = self._path(signature, target.codegen())
        return path is not None and path.exists()

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the compiled version, or ``None``."""
        target.refresh()
        path = self._path(signature, target.codegen())
        compiled = None if path is None else _load(path, target)
        if compiled is None:
            self.misses += 1
        else:
            self.hits += 1
        return compiled

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled version, if Numba can write it down and the disk takes it."""
        path = self._path(signature, compiled.codegen)
        if path is None or compiled.lifted or compiled.library.has_dynamic_globals:
            return
        try:
            payload = serialize.dumps(compiled._reduce())
            _write(path, _MAGIC + hashlib.sha256(payload).digest() + payload)
        except Exception as error:  # of whatever kind: the kernel runs all the same
            _complain(f"cannot write {path.parent}: {getattr(error, 'strerror', None) or error!r}")

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        directory = find_directory(self._source, codegen.magic_tuple())
        key = hashlib.sha256(str(signature).encode()).hexdigest()[:16]
        return None if directory is None else directory / f"{self._name}-{key}.kernel"


def find_root() -> Path | None:
    """Return the user's directory for compiled kernels, or ``None`` if this user has no home."""
    asked = os.environ.get("BACKBURNER_CACHE_DIR")
    if asked:
        return Path(asked).absolute()
    home = os.path.expanduser("~")
    home_is_known = os.path.isabs(home)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or (
            os.path.join(home, "AppData", "Local") if home_is_known else ""
        )
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Caches") if home_is_known else ""
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):  # as its specification says: relative paths are to be ignored
            base = os.path.join(home, ".cache") if home_is_known else ""
    return Path(base) / "backburner" if base else None


@functools.lru_cache(maxsize=64)
def find_directory(source: str, processor: tuple[str, ...]) -> Path | None:
    """Return the directory for kernels of one source file on one processor, made or not.

    Its name is a hash of all sources of kernels, so that a function edited in another file counts, of the
    versions of Python and the compiler, of the processor with its features, and of Numba's settings.
    """
    root = find_root()
    if root is None:
        _complain("no home directory is known")
        return None
    here = Path(__file__).parent
    parts = [
        sys.implementation.cache_tag,
        numba.__version__,
        llvmlite.__version__,
        np.__version__,
        *processor,
    ]
    parts += [f"{name}={getattr(numba_config, name, None)}" for name in _SHAPING]
    digest = hashlib.sha256("\n".join(map(str, parts)).encode())
    own = sorted(here.glob("*.py"))
    for path in own if Path(source) in own else [*own, Path(source)]:
        try:
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
        except OSError:  # a frozen program has no sources, and changes only as a whole
            digest.update(str(os.path.getmtime(sys.executable)).encode())
    directory = root / "kernels" / digest.hexdigest()[:24]
    with contextlib.suppress(OSError):  # tells `_prune` that it is in use; it may not exist yet
        os.utime(directory)
    return directory


def _load(path: Path, target: Any) -> Any:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    start = len(_MAGIC) + 32
    payload = content[start:]
    if content[:start] == _MAGIC + hashlib.sha256(payload).digest():
        try:
            return compiler.CompileResult._rebuild(target, *pickle.loads(payload))
        except Exception as error:  # of whatever kind: the kernel can still be compiled
            _logger.debug("kernel cache: %s does not load: %r", path, error)
    try:
        path.unlink()
    except OSError as error:
        _logger.debug("kernel cache: %s is damaged and stays: %s", path, error)
    return None


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, whoever else writes it at the same time."""
    if not path.parent.is_dir():
        # Code that is loaded and run: private, unless somebody chose the place to share it.
        path.parent.mkdir(
            mode=0o777 if os.environ.get("BACKBURNER_CACHE_DIR") else 0o700, parents=True, exist_ok=True
        )
        _prune(path.parent)
    part = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with open(part, "xb") as file:
            file.write(content)
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _prune(newest: Path) -> None:
    """Remove the directories of other releases that no process has used for a month."""
    oldest = time.time() - _KEEP_DAYS * 86400
    for directory in newest.parent.iterdir():
        if directory == newest or not _DIRECTORY.fullmatch(directory.name):
            continue
        with contextlib.suppress(OSError):  # another process may be removing it
            if directory.stat().st_mtime < oldest:
                shutil.rmtree(directory, ignore_errors=True)


@functools.cache
def _complain(reason: str) -> None:
    _logger.warning(
        "Kernel cache: %s. Each process compiles its kernels anew; set BACKBURNER_CACHE_DIR to a writable directory.",
        reason,
    )
