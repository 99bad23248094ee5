"""Write schedules.json: the learning rates of PyTorch's schedulers for the rows of ``tests/schedule_rows.py``.

Run it with PyTorch (made with 2.13): ``python make_schedules.py``. ``schedules`` holds the rates by our
expression, ``plateaus`` those after each metric, ``defaults`` the options that PyTorch's have by class.
"""

from __future__ import annotations

import inspect
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import torch
from torch.optim import lr_scheduler

sys.path.insert(0, str(Path(__file__).parent.parent))
from schedule_rows import PLATEAUS, ROWS, Row  # noqa: E402


def optimizer(lr: float) -> torch.optim.Optimizer:
    """Return an optimizer of nothing much."""
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr)


def scheduler(name: str, options: dict[str, Any], of: torch.optim.Optimizer) -> Any:
    """Return a scheduler, and those inside it, of one optimizer."""
    kind = getattr(lr_scheduler, name)
    options = dict(options)
    if "schedulers" in options:
        options["schedulers"] = [scheduler(*inner, of) for inner in options["schedulers"]]
    return kind(**options) if name == "ChainedScheduler" else kind(of, **options)


def rates(row: Row) -> list[float]:
    """Return the rate of each step."""
    assert row.theirs is not None
    of = optimizer(row.lr)
    theirs = scheduler(*row.theirs, of)
    found = []
    for _ in range(row.count):
        found.append(float(of.param_groups[0]["lr"]))
        of.step()
        if len(found) < row.count:
            theirs.step()
    return found


def plateau(options: dict[str, Any], metrics: tuple[float, ...]) -> list[float]:
    """Return the rate after each metric."""
    of = optimizer(0.5)
    theirs = lr_scheduler.ReduceLROnPlateau(of, **options)
    found = []
    for metric in metrics:
        theirs.step(metric)
        found.append(float(of.param_groups[0]["lr"]))
    return found


def defaults(name: str) -> dict[str, Any]:
    """Return the options that have a usual value."""
    parameters = inspect.signature(getattr(lr_scheduler, name)).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # deprecations within PyTorch
    names = sorted({row.theirs[0] for row in ROWS if row.theirs} | {"ReduceLROnPlateau"})
    content = {
        "schedules": {row.ours: rates(row) for row in ROWS if row.theirs},
        "plateaus": [plateau(*row) for row in PLATEAUS],
        "defaults": {name: defaults(name) for name in names},
    }
    Path(__file__).with_name("schedules.json").write_text(json.dumps(content, indent=0) + "\n")
