"""Records: what becomes of the file when all goes well, and when it does not."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backburner import record
from backburner.errors import RecordError
from backburner.record import _files


def child(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.PIPE,
        text=True,
    )


def version(path: Path) -> int:
    """The version in the file, which has it in every place."""
    found = record.read(path)
    (number,) = {int(found.metadata["version"]), *np.unique(found.arrays["a"]), *np.unique(found.arrays["b"])}
    return int(number)


def save(path: Path | str, number: int) -> None:
    record.write(path, {"a": np.full(50_000, number), "b": np.full(300, number)}, {"version": str(number)})


SAVE = """
import sys, os
import numpy as np
from backburner import record
def save(number):
    record.write(sys.argv[1], {"a": np.full(50_000, number), "b": np.full(300, number)}, {"version": str(number)})
"""


def test_a_save_killed_at_any_moment_leaves_a_whole_file(tmp_path: Path) -> None:  # B166
    path = tmp_path / "w"
    save(path, 0)
    random = np.random.default_rng(0)
    for first in (10**6, 2 * 10**6, 3 * 10**6, 4 * 10**6):
        process = child(SAVE + f"for number in range({first}, {2 * first}): save(number)", path)
        while version(path) < first:  # whole at every look, too
            assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(random.uniform(0, 0.1))
        process.kill()
        process.communicate()
        assert version(path) >= first


@pytest.mark.parametrize(
    ("step", "call", "left"),
    [
        ("write", 1, 1),
        ("fsync", 1, 1),
        ("replace", 1, 1),
        ("fsync", 2, 2),
    ],
)
def test_a_process_that_dies_at_a_step_of_a_save_leaves_the_old_file_or_the_new(
    step: str, call: int, left: int, tmp_path: Path
) -> None:
    path = tmp_path / "w"
    save(path, 1)
    code = f"""
calls = 0
def die(*arguments):
    global calls
    calls += 1
    if calls == {call}:
        os._exit(9)
    return original(*arguments)
if {step!r} == "write":
    from backburner.record import _record
    def die_after_some(*arguments):
        yield next(iter(original(*arguments)))
        os._exit(9)
    original, _record._chunks = _record._chunks, die_after_some
else:
    original = getattr(os, {step!r})
    setattr(os, {step!r}, die)
save(2)
"""
    process = child(SAVE + code, path)
    process.communicate()
    assert process.returncode == 9
    assert version(path) == left


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("failure", [(OSError, errno.ENOSPC, "No space left"), (KeyboardInterrupt,)])
def test_a_save_that_fails_leaves_the_old_file_and_no_other(
    step: str, failure: tuple[Any, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise failure[0](*failure[1:])

    save(tmp_path / "w", 1)
    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(failure[0]) as caught:
            save(tmp_path / "w", 2)
    assert getattr(caught.value, "filename", str(tmp_path / "w")) == str(tmp_path / "w")
    assert version(tmp_path / "w") == 1
    assert os.listdir(tmp_path) == ["w"]


def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:  # B166
    save(tmp_path / "w", 1)
    limited = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    save(2)
except OSError as error:
    print(error.errno, error.filename)
"""
    output, _ = child(SAVE + limited, tmp_path / "w").communicate()
    assert output == f"{errno.EFBIG} {tmp_path / 'w'}\n"
    assert version(tmp_path / "w") == 1
    assert os.listdir(tmp_path) == ["w"]


def test_file_and_directory_are_on_the_disk_before_a_save_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []

    def note(step: str, original: Any) -> Any:
        def call(*arguments: Any) -> None:
            kind = "directory" if step == "fsync" and stat.S_ISDIR(os.fstat(arguments[0]).st_mode) else ""
            steps.append(f"{step} {kind}".rstrip())
            original(*arguments)

        return call

    for step in ("fsync", "replace"):
        monkeypatch.setattr(os, step, note(step, getattr(os, step)))
    save(tmp_path / "w", 1)
    assert steps == ["fsync", "replace", "fsync directory"]


@pytest.mark.parametrize(("number", "raises"), [(errno.EINVAL, False), (errno.EIO, True)])
def test_only_a_directory_that_cannot_be_synced_is_let_off(
    number: int, raises: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(number, os.strerror(number))
        original(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    try:
        save(tmp_path / "w", 1)
        raised = False
    except OSError:
        raised = True
    assert raised == raises
    assert version(tmp_path / "w") == 1


# -- what killed saves have left behind


def leftover(path: Path, age: float, digits: str = "0123456789ab") -> Path:
    """Make a temporary file like that of a save which was killed some seconds ago."""
    made = path.with_name(f".{path.name[:32]}.{digits}.tmp")
    made.write_bytes(b"half")
    now = made.stat().st_mtime
    os.utime(made, (now - age, now - age))
    return made


def test_a_save_removes_what_killed_ones_have_left_before_it_needs_the_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / "w", Path("w"), tmp_path / ("w" * 255)):
        left = leftover(path, _files.ABANDONED + 9)
        with pytest.raises(KeyboardInterrupt):
            _files.replace(str(path), interrupting(lambda left=left: left.exists()))
        assert not left.exists()


def interrupting(unwanted: Any) -> Any:
    assert not unwanted()
    raise KeyboardInterrupt
    yield


def test_a_save_leaves_all_else_that_is_there(tmp_path: Path) -> None:
    path, old = tmp_path / "w", _files.ABANDONED + 9
    kept = [
        leftover(path, _files.ABANDONED - 60),
        leftover(tmp_path / "v", old),
        leftover(tmp_path / "w.x", old),
        leftover(path, old, "0123456789a"),
        leftover(path, old, "0123456789AB"),
        leftover(path, old, "0123456789ab.tmp.0123456789ab"),
    ]
    (tmp_path / ".w.bbbbbbbbbbbb.tmp").mkdir()
    (tmp_path / ".w.cccccccccccc.tmp").symlink_to(kept[0])
    before = sorted(os.listdir(tmp_path))
    save(path, 1)
    assert sorted(os.listdir(tmp_path)) == sorted([*before, "w"])


def test_the_file_of_a_save_that_lives_is_left_however_old_it_is_and_goes_once_that_is_dead(
    tmp_path: Path,
) -> None:
    path = tmp_path / "w"
    waiting = """
from backburner.record import _files
def chunks():
    print(flush=True)
    sys.stdin.read()
    yield b""
_files.replace(sys.argv[1], chunks())
"""
    process = child(SAVE + waiting, path)
    assert process.stdout is not None and process.stdout.readline() == "\n"
    (temporary,) = tmp_path.iterdir()
    os.utime(temporary, (0, 0))
    save(path, 1)
    assert temporary.exists()
    process.kill()
    process.communicate()
    save(path, 2)
    assert os.listdir(tmp_path) == ["w"]


@pytest.mark.parametrize("step", ["scandir", "unlink"])
def test_a_save_is_none_the_worse_where_nothing_can_be_removed(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = leftover(tmp_path / "w", _files.ABANDONED + 9)

    def refuse(*_: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, step, refuse)
        save(tmp_path / "w", 1)
    assert version(tmp_path / "w") == 1 and left.exists()


def test_where_files_cannot_be_locked_a_save_is_made_and_what_is_left_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    left = leftover(tmp_path / "w", _files.ABANDONED + 9)
    monkeypatch.setattr(fcntl, "flock", refuse)
    save(tmp_path / "w", 1)
    assert version(tmp_path / "w") == 1 and left.exists()


# -- which file, and with which permissions --------------------------------------------------------------


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(("umask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_permissions_of_any_other(umask: int, expected: int, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        save(tmp_path / "w", 1)
    finally:
        os.umask(before)
    assert mode(tmp_path / "w") == expected


@pytest.mark.parametrize("permissions", [0o600, 0o666, 0o640])
def test_a_replaced_file_keeps_its_permissions(permissions: int, tmp_path: Path) -> None:
    save(tmp_path / "w", 1)
    (tmp_path / "w").chmod(permissions)
    save(tmp_path / "w", 2)
    assert (version(tmp_path / "w"), mode(tmp_path / "w")) == (2, permissions)


def test_a_file_that_may_not_be_written_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path / "w", 1)
    original = os.open

    def refuse(path: Any, flags: int, *rest: Any) -> int:  # as the kernel does, though not to root
        if flags & os.O_ACCMODE and not mode(tmp_path / "w") & 0o200 and not flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return original(path, flags, *rest)

    monkeypatch.setattr(os, "open", refuse)
    (tmp_path / "w").chmod(0o444)
    with pytest.raises(PermissionError):
        save(tmp_path / "w", 2)
    assert version(tmp_path / "w") == 1
    assert os.listdir(tmp_path) == ["w"]


def test_a_symbolic_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(Path("real") / "w")
    for number in (1, 2):  # dangling at first
        save(tmp_path / "link", number)
        assert (tmp_path / "link").is_symlink()
        assert version(tmp_path / "real" / "w") == number
    assert os.listdir(tmp_path / "real") == ["w"]


def test_a_bare_name_is_a_file_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save("w", 1)
    save("./w", 2)
    assert version(Path("w")) == 2 and os.listdir(tmp_path) == ["w"]


def test_a_name_as_long_as_the_file_system_takes_is_fine(tmp_path: Path) -> None:
    for name in ("w" * 255, "ü" * 127):
        save(tmp_path / name, 1)
        assert version(tmp_path / name) == 1


@pytest.mark.parametrize(("target", "what"), [("", "a directory"), ("/dev/null", "a device or a pipe")])
def test_what_is_no_file_is_not_replaced(target: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=f"it is {what}, not a file"):
        save(target or tmp_path, 1)


def test_a_directory_that_is_missing_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="gone/w'"):
        save(tmp_path / "gone" / "w", 1)


# -- mapped files ----------------------------------------------------------------------------------------


def is_mapped(array: Any) -> bool:
    while not isinstance(array, mmap.mmap | memoryview):
        if array is None or not isinstance(array, np.ndarray):
            return False
        array = array.base
    return isinstance(array.obj if isinstance(array, memoryview) else array, mmap.mmap)


def test_large_files_are_mapped_and_small_ones_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path / "w", 1)
    monkeypatch.setattr(_files, "MAP_FROM", (tmp_path / "w").stat().st_size)
    assert is_mapped(record.read(tmp_path / "w").arrays["a"])
    assert not is_mapped(record.read(tmp_path / "w", mmap=False).arrays["a"])
    monkeypatch.setattr(_files, "MAP_FROM", (tmp_path / "w").stat().st_size + 1)
    assert not is_mapped(record.read(tmp_path / "w").arrays["a"])
    assert is_mapped(record.read(tmp_path / "w", mmap=True).arrays["a"])


def test_a_file_that_cannot_be_mapped_is_read_unless_mapping_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENODEV, "No such device")

    save(tmp_path / "w", 1)
    monkeypatch.setattr(_files, "MAP_FROM", 0)
    monkeypatch.setattr(mmap, "mmap", refuse)
    assert record.read(tmp_path / "w").metadata == {"version": "1"}
    with pytest.raises(OSError, match="No such device"):
        record.read(tmp_path / "w", mmap=True)


def test_a_mapped_record_outlives_the_file_it_came_from(tmp_path: Path) -> None:
    save(tmp_path / "w", 1)
    old = record.read(tmp_path / "w", mmap=True)
    save(tmp_path / "w", 2)
    assert int(old.arrays["a"].max()) == 1
    assert version(tmp_path / "w") == 2


@pytest.mark.parametrize("mapped", [True, False])
def test_no_file_stays_open_longer_than_it_is_used(mapped: bool, tmp_path: Path) -> None:
    save(tmp_path / "w", 1)
    (tmp_path / "bad").write_bytes(b"{}" * 40)
    before = len(os.listdir("/dev/fd"))
    found: Any = record.read(tmp_path / "w", mmap=mapped)
    array = found.arrays["a"]
    if not mapped:
        assert len(os.listdir("/dev/fd")) == before
    del found
    assert int(array.max()) == 1
    del array
    with pytest.raises(RecordError):
        record.read(tmp_path / "bad", mmap=mapped)
    assert len(os.listdir("/dev/fd")) == before


def test_arrays_are_made_when_they_are_asked_for_and_once(tmp_path: Path) -> None:
    record.write(tmp_path / "w", {"x": np.ones(3, "f4")}, dtypes={"x": "BF16"})
    found = record.read(tmp_path / "w")
    held = found.arrays["x"]
    assert found.arrays["x"] is held
    assert len(found.arrays) == 1 and "x" in found.arrays and "y" not in found.arrays
    with pytest.raises(KeyError):
        found.arrays["y"]
