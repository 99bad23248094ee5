"""Freed memory stays with the process, unless the user says otherwise: counted by the system's page faults."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

STEPS = """
import resource
import backburner
import numpy as np

def faults(steps):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(steps):
        held = [np.ones(1 << 21, np.float32) for _ in range(12)]
        del held
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults(3)
print(faults(10))
"""


def faults(**variables: str) -> int:
    plain = {name: value for name, value in os.environ.items() if "MALLOC" not in name.upper()}
    done = subprocess.run(
        [sys.executable, "-c", STEPS], env=plain | variables, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_a_step_takes_the_memory_of_the_last_again() -> None:
    assert faults() < 500  # of 240,000 pages of 4 kB


@pytest.mark.parametrize(
    "variables",
    [
        {"BACKBURNER_KEEP_MEMORY": "0"},
        {"MALLOC_TRIM_THRESHOLD_": "131072"},
        {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=131072"},
    ],
)
def test_who_sets_malloc_chooses_alone(variables: dict[str, str]) -> None:
    assert faults(**variables) > 500
