"""What README.md shows is what there is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from backburner import features

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TRAIN, SERVE = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def run(code: str, where: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=where, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.feature_set("autodiff")
def test_the_two_scripts_run_as_they_stand(tmp_path: Path) -> None:
    assert float(re.findall(r"accuracy ([\d.]+)%", run(TRAIN, tmp_path))[0]) > 95
    blocked = "import sys; sys.modules['numba'] = sys.modules['backburner_autodiff'] = None\n"
    assert run(blocked + SERVE, tmp_path) == "The first digit is a 0\n"


def test_the_scripts_are_the_examples() -> None:
    assert TRAIN == (ROOT / "examples" / "train.py").read_text(encoding="utf-8")
    assert SERVE == (ROOT / "examples" / "serve.py").read_text(encoding="utf-8")


def test_the_second_command_is_what_ci_runs() -> None:
    assert "    pip install tox && tox\n" in README
    assert "\npip install tox && tox\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_table_of_states_is_complete() -> None:
    section = README.split("## Features")[1].split("\n## ")[0]
    states = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
    assert states == set(get_args(features.State))


def test_links_lead_to_files() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert links and all((ROOT / link).is_file() for link in links)
