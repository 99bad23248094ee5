"""A module for each table, with its `GROUP`."""

from __future__ import annotations

from benchmarks.groups import deterministic, growth, infer, memory, ops, overhead, start, train
from benchmarks.harness import Group

GROUPS: tuple[Group, ...] = (
    train.GROUP,
    infer.GROUP,
    start.GROUP,
    memory.GROUP,
    growth.GROUP,
    deterministic.GROUP,
    overhead.GROUP,
    ops.GROUP,
)
