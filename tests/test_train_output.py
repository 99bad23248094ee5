"""What a job shows while it runs, and what becomes of it where that cannot be shown."""

from __future__ import annotations

import importlib.util
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from backburner_autodiff.train._progress import Progress
from backburner_autodiff.train._report import Report

pytestmark = pytest.mark.feature_set("autodiff")

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
FILES = ["digits.safetensors", "digits.loss.csv"] + ["digits.loss.png"] * HAS_MATPLOTLIB


def test_a_home_that_matplotlib_cannot_use_is_nobodys_concern(tmp_path: Path) -> None:
    code = "from pathlib import Path\nfrom backburner_autodiff.train import _curve\n"
    if HAS_MATPLOTLIB:
        code += "_curve.draw([_curve.Epoch(1, 3, 0.5, 0.9)], Path('made.png'))\n"
    code += "import logging; print(logging.getLogger('matplotlib').level)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120,
        env={**os.environ, "HOME": "/dev/null/none", "MPLCONFIGDIR": "/dev/null/none"},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")
    assert os.listdir(tmp_path) == ["made.png"] * HAS_MATPLOTLIB


# -- output that nobody can read

SHORT = (
    "import sys; from backburner import cli; from backburner_autodiff.train import _digits, _warmup\n"
    "_digits.BATCH = 500\n"
    "_warmup.warm_up = lambda dtypes: ((f'kernel {i}', 1.0) for i in range(3))\n"
    "status = cli.main(sys.argv[1:]); print('done', status, file=sys.stderr); sys.exit(status)"
)
TRAIN = ["train", "digits", "--epochs", "2"]
LOST: dict[str, tuple[str, dict[str, str]]] = {
    "a reader who has gone": ('"$@" | true', {}),
    "a reader who has gone, and no buffer": ('"$@" | true', {"PYTHONUNBUFFERED": "1"}),
    "a full disk": ('"$@" > /dev/full', {}),
    "a full disk, and no buffer": ('"$@" > /dev/full', {"PYTHONUNBUFFERED": "1"}),
    "no stdout": ('"$@" >&-', {}),
}


@pytest.mark.parametrize("shell, variables", LOST.values(), ids=LOST)
@pytest.mark.parametrize("command", [TRAIN, ["warmup"]], ids=["train", "warmup"])
def test_a_job_goes_on_where_its_output_is_lost(
    shell: str, variables: dict[str, str], command: list[str], tmp_path: Path
) -> None:
    if command == ["warmup"]:
        variables = {**variables, "BACKBURNER_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", shell, "bash", sys.executable, "-c", SHORT, *command],
        cwd=tmp_path, env={**os.environ, **variables}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "done 0\n")
    if command == TRAIN:
        assert sorted(os.listdir(tmp_path)) == sorted(FILES)
        assert (tmp_path / FILES[1]).read_text().count("\n") == 3


def test_a_stdout_that_lacks_a_letter_shows_its_escape(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHORT, *TRAIN, "-o", "zahlen-\u00fc\u4e94.safetensors"],
        cwd=tmp_path, capture_output=True, timeout=120,
        env={**os.environ, "PYTHONIOENCODING": "latin-1:strict", "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"done 0\n")
    told = b"zahlen-\xfc\\u4e94.safetensors"
    assert b"\nWrote " + told in done.stdout and b"\nNow: backburner predict " + told in done.stdout
    assert (tmp_path / "zahlen-\u00fc\u4e94.safetensors").is_file()


class Broken(io.StringIO):
    """A terminal that fails from the second line on."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error
        self.failed = 0

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if "second" in self.getvalue() + text:
            self.failed += 1
            raise self.error
        return super().write(text)


@pytest.mark.parametrize("error", [BrokenPipeError(32, "gone"), OSError(28, "full"), ValueError("closed")])
def test_a_progress_bar_falls_silent_at_the_first_failure(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", Broken(error))
    output: Any = sys.stdout
    with Progress(9) as progress:
        progress.line("first")
        for _ in range(9):
            progress.line("second")
            progress.advance("third")
    assert "first" in output.getvalue() and "third" not in output.getvalue()
    assert output.failed == 1


@pytest.mark.parametrize("show", [lambda: Report("bar", 1, 1, 0), lambda: Progress(1)], ids=["bar", "job"])
@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_bar_puts_nothing_in_the_place_of_a_stream_that_is_not_there(
    show: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal, to rich
    monkeypatch.setattr(sys, name, None)
    with show():
        assert getattr(sys, name) is None
