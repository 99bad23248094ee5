"""The table of schedules: a new one gets its row here, and ``golden/make_schedules.py`` freezes PyTorch's values.

Plain data, which that script reads too. A schedule, or an option of one, without a row fails
``test_schedules.py``.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Row(NamedTuple):
    """A schedule and what PyTorch calls it.

    Attributes:
        ours: an expression of the names in ``backburner.optim.schedules``.
        theirs: PyTorch's class with its options, for an optimizer whose rate is ``lr``; empty if there is none.
        lr: what PyTorch's optimizer has.
        count: how many values are compared.
        falls: the rates never rise.
    """

    ours: str
    theirs: tuple[str, dict[str, Any]] | None = None
    lr: float = 0.5
    count: int = 40
    falls: bool = False


ROWS: tuple[Row, ...] = (
    Row("constant(lr=0.5)", ("ConstantLR", {"factor": 1.0, "total_iters": 5}), falls=True),
    Row("linear(start=0.05, end=0.4, steps=13)",
        ("LinearLR", {"start_factor": 0.1, "end_factor": 0.8, "total_iters": 13})),
    Row("linear(start=0.5, end=0.0, steps=7)",
        ("LinearLR", {"start_factor": 1.0, "end_factor": 0.0, "total_iters": 7}), falls=True),
    Row("cosine(lr=0.5, steps=39, end=0.01)", ("CosineAnnealingLR", {"T_max": 39, "eta_min": 0.01}), falls=True),
    Row("cosine(lr=0.5, steps=5)", falls=True),
    Row("cosine_restarts(lr=0.5, steps=7)", ("CosineAnnealingWarmRestarts", {"T_0": 7})),
    Row("cosine_restarts(lr=0.5, steps=3, t_mult=2, end=0.1)",
        ("CosineAnnealingWarmRestarts", {"T_0": 3, "T_mult": 2, "eta_min": 0.1}), count=100),
    Row("exponential(lr=0.5, gamma=0.9)", ("ExponentialLR", {"gamma": 0.9}), falls=True),
    Row("polynomial(lr=0.5, steps=30)", ("PolynomialLR", {"total_iters": 30}), falls=True),
    Row("polynomial(lr=0.5, steps=25, power=2.5)", ("PolynomialLR", {"total_iters": 25, "power": 2.5}), falls=True),
    Row("polynomial(lr=0.5, steps=25, power=0.5, end=0.1)", falls=True),
    Row("step(lr=0.5, step_size=7)", ("StepLR", {"step_size": 7}), falls=True),
    Row("step(lr=0.5, step_size=3, gamma=0.7)", ("StepLR", {"step_size": 3, "gamma": 0.7}), falls=True),
    Row("multi_step(lr=0.5, milestones=[4, 4, 20])", ("MultiStepLR", {"milestones": [4, 4, 20]}), falls=True),
    Row("multi_step(lr=0.5, milestones=[3], gamma=0.5)", ("MultiStepLR", {"milestones": [3], "gamma": 0.5}),
        falls=True),
    Row("one_cycle(max_lr=0.5, total_steps=40)", ("OneCycleLR", {"max_lr": 0.5, "total_steps": 40})),
    Row("one_cycle(max_lr=0.5, total_steps=40, pct_start=0.25, anneal_strategy='linear', div_factor=4.0,"
        " final_div_factor=8.0, three_phase=True)",
        ("OneCycleLR", {"max_lr": 0.5, "total_steps": 40, "pct_start": 0.25, "anneal_strategy": "linear",
                        "div_factor": 4.0, "final_div_factor": 8.0, "three_phase": True})),
    Row("one_cycle(max_lr=0.5, total_steps=40, pct_start=0.0)",
        ("OneCycleLR", {"max_lr": 0.5, "total_steps": 40, "pct_start": 0.0})),
    Row("inverse_sqrt(lr=0.5, warmup_steps=9)"),
    Row("noam(model_size=64, warmup_steps=9, factor=2.0)"),
    Row("warmup(schedule=cosine(lr=0.5, steps=30), steps=10, start_factor=0.1)",
        ("SequentialLR", {"milestones": [10], "schedulers": [
            ("LinearLR", {"start_factor": 0.1, "total_iters": 10}), ("CosineAnnealingLR", {"T_max": 30})]})),
    Row("warmup(schedule=exponential(lr=0.5, gamma=0.9), steps=4)",
        ("SequentialLR", {"milestones": [4], "schedulers": [
            ("LinearLR", {"start_factor": 0.2, "total_iters": 4}), ("ExponentialLR", {"gamma": 0.9})]})),
    Row("warmup(schedule=0.5, steps=4)", ("LinearLR", {"start_factor": 0.2, "total_iters": 4})),
    Row("join(schedules=[exponential(lr=0.5, gamma=0.9), 0.25, step(lr=0.5, step_size=4)], boundaries=[10, 15])",
        ("SequentialLR", {"milestones": [10, 15], "schedulers": [
            ("ExponentialLR", {"gamma": 0.9}), ("ConstantLR", {"factor": 0.5, "total_iters": 100}),
            ("StepLR", {"step_size": 4})]})),
    Row("scaled(schedule=exponential(lr=0.5, gamma=0.9), factor=step(lr=1.0, step_size=7))",
        ("ChainedScheduler", {"schedulers": [("ExponentialLR", {"gamma": 0.9}), ("StepLR", {"step_size": 7})]}),
        falls=True),
)  # fmt: skip


class PlateauRow(NamedTuple):
    """Options of a plateau, PyTorch's too, and the metrics that it is told."""

    options: dict[str, Any]
    metrics: tuple[float, ...]


_NOISE = (
    3.0,
    2.9,
    2.95,
    2.9,
    2.89995,
    2.85,
    2.86,
    2.87,
    2.88,
    1.0,
    1.0,
    1.1,
    1.1,
    1.1,
    1.1,
    1.1,
    1.1,
    1.1,
    0.9,
)
_NAN = (1.0, float("nan"), float("nan"), float("nan"), 0.5, float("inf"), -1.0, -1.00001, -1.00002, -1.5)
PLATEAUS: tuple[PlateauRow, ...] = (
    PlateauRow({}, tuple([1.0] * 40)),
    PlateauRow({"patience": 1}, _NOISE),
    PlateauRow({"patience": 0, "mode": "max", "factor": 0.5, "min_lr": 0.05}, _NOISE),
    PlateauRow({"patience": 1, "threshold": 0.05, "threshold_mode": "abs", "cooldown": 2}, _NOISE),
    PlateauRow({"patience": 0, "threshold": 0.5, "threshold_mode": "abs", "mode": "max"}, _NOISE),
    PlateauRow({"patience": 1, "factor": 0.5, "eps": 0.1}, _NOISE),
    PlateauRow({"patience": 1, "factor": 0.5}, _NAN),
    PlateauRow({"patience": 0, "factor": 0.5, "mode": "max", "threshold": 0.1}, _NAN),
)
