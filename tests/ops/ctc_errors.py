"""What ctc_loss refuses; see ``errors.py``."""

from __future__ import annotations

from typing import Any

import backburner as bb
from backburner.nn import functional as F
from ops.errors import A, Bad, I, S, T, v

probs = bb.zeros((5, 2, 3))


def _ctc(targets: Any = ((1, 2), (2, 1)), steps: Any = (5, 5), counts: Any = (2, 1), **options: Any) -> Any:
    return F.ctc_loss(probs, targets, steps, counts, **options)


REFUSED = (
    Bad(lambda: F.ctc_loss(v, [1], 1, 1), S, "ctc_loss: log_probs must be [t, n, c] or [t, c], got [3]."),
    Bad(lambda: _ctc(reduction="max"), A, "ctc_loss: reduction must be one of mean, sum, none, got 'max'."),
    Bad(lambda: _ctc(blank=3), I, "ctc_loss: blank 3 is out of range [0, 3)."),
    Bad(lambda: _ctc(blank=True), T, "ctc_loss: blank must be an integer, got True."),
    Bad(lambda: _ctc([[[1]]]), S, "ctc_loss: targets must be [n, s] or [sum(target_lengths)], got [1, 1, 1]."),
    Bad(lambda: _ctc([[1, 2]]), S, "ctc_loss: targets must be [2, s], got [1, 2]."),
    Bad(lambda: _ctc([1, 2]), S, "ctc_loss: targets end to end must have 3 elements, as target_lengths say, got 2."),
    Bad(lambda: _ctc([1.0, 2.0]), T, "ctc_loss: indices must be integers, got float64. "),
    Bad(lambda: _ctc([[1, 3], [2, 9]]), I, "ctc_loss: target: index 3 is out of range [0, 3)."),
    Bad(lambda: _ctc([[1, 2], [0, 1]]), A, "ctc_loss: a target is 0, which is blank. Name another class blank."),
    Bad(lambda: _ctc(steps=(5, 6)), A, "ctc_loss: input_lengths must be in [0, 5], got 6."),
    Bad(lambda: _ctc(counts=(2, -1)), A, "ctc_loss: target_lengths must be in [0, 2], got -1."),
    Bad(lambda: _ctc(steps=(5,)), S, "ctc_loss: input_lengths must be [2], got [1]."),
    Bad(lambda: _ctc(counts=(2.0, 1.0)), T, "ctc_loss: target_lengths: indices must be integers, got float64. "),
)  # fmt: skip
