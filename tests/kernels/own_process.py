"""Run Python code in a process of its own, which sees the sample kernels."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def run(code, *first_paths, **variables):
    """Run Python code in a process of its own and return what it printed."""
    paths = [
        *map(str, first_paths),
        str(HERE),
        *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)),
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    environment |= {name: value for name, value in variables.items() if value is not None}
    for name in [name for name, value in variables.items() if value is None]:
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip() + done.stderr.strip()
