"""A module for each table, with its `GROUP`."""

from __future__ import annotations

from benchmarks.groups import infer, train
from benchmarks.harness import Group

GROUPS: tuple[Group, ...] = (train.GROUP, infer.GROUP)
