"""Forward of ctc_loss: the sum over alignments, step by step, of all sequences and states at once.

The states of a target ``a b`` are ``_ a _ b _``, with blanks between; a step stays, moves on by one, or by two from a
class to a different one (Graves et al. 2006, section 4.1). All is in logarithms and float64.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from backburner.contracts import Array


class States(NamedTuple):
    """The states of the targets: the class of each, ``[n, 2 s + 1]``, and 0 where two before may lead to it, else ``-inf``."""

    classes: Array
    skip: Array


def states(targets: Array, blank: int) -> States:
    """Return the states of targets ``[n, s]``."""
    n, s = targets.shape
    classes = np.full((n, 2 * s + 1), blank, np.int64)
    classes[:, 1::2] = targets
    skip = np.full(classes.shape, -np.inf)
    skip[:, 3::2] = np.where(targets[:, 1:] != targets[:, :-1], 0, -np.inf)
    skip[:, 1:2] = 0  # from before the first step, which counts as a state in place -1
    return States(classes, skip)


def ctc_loss(
    x: Array, targets: Array, input_lengths: Array, target_lengths: Array, /, *, blank: int
) -> Array:
    """Return the negative log probability of each target."""
    end = forward(x, states(targets, blank), input_lengths)
    return np.asarray(0 - log_probability(end, target_lengths)).astype(x.dtype)


@np.errstate(invalid="ignore")
def forward(x: Array, chain: States, input_lengths: Array, history: Array | None = None) -> Array:
    """Return the log probability of being in each state after the last step that counts.

    Args:
        x: the log probabilities of classes.
        chain: the states.
        input_lengths: how many steps count.
        history: ``[t, n, 2 s + 1]``, to hold the same after each step.

    Shape:
        The result is ``[n, 2 s + 3]``: two places stand before the first state, the second of them for the start.
    """
    n, count = chain.classes.shape
    alpha = np.full((n, count + 2), -np.inf)
    alpha[:, 1] = 0
    for t in range(int(input_lengths.max(initial=0))):
        after = log_sum(alpha[:, 2:], alpha[:, 1:-1], alpha[:, :-2] + chain.skip)
        after += np.take_along_axis(x[t], chain.classes, 1)
        running = input_lengths > t
        if running.all():
            alpha[:, 2:] = after
            alpha[:, 1] = -np.inf
        else:
            alpha[running, 2:] = after[running]
            alpha[running, 1] = -np.inf
        if history is not None:
            history[t] = alpha[:, 2:]
    return alpha


def log_probability(end: Array, target_lengths: Array) -> Array:
    """Return the log probability of having reached the last class, or the blank behind it."""
    rows, last = np.arange(len(end)), 2 * target_lengths + 2
    return log_sum(end[rows, last], end[rows, last - 1])


@np.errstate(divide="ignore", invalid="ignore")
def log_sum(*terms: Array) -> Array:
    """Return the logarithm of the sum of exps, elementwise; ``-inf`` of ``-inf`` alone."""
    highest = terms[0]
    for term in terms[1:]:
        highest = np.maximum(highest, term)
    highest = np.where(highest == -np.inf, 0, highest)
    total = np.zeros_like(highest)
    for term in terms:
        total += np.exp(term - highest)
    np.log(total, out=total)
    total += highest
    return total
