"""Backward rule of ctc_loss: how likely each state is at each step, given the target, from both ends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from backburner.backends.numpy import ctc
from backburner_autodiff.rules._rule import Array, Vjp, rule


class Chances(NamedTuple):
    """The states, the log probability of each after each step, and of the whole target."""

    chain: ctc.States
    alpha: Array
    total: Array


def ctc_loss_forward(
    x: Array, targets: Array, input_lengths: Array, target_lengths: Array, /, *, blank: int
) -> tuple[Array, Chances]:
    chain = ctc.states(targets, blank)
    alpha = np.empty((len(x), *chain.classes.shape))
    end = ctc.forward(x, chain, input_lengths, alpha)
    total = ctc.log_probability(end, target_lengths)
    return np.asarray(0 - total).astype(x.dtype), Chances(chain, alpha, total)


@rule(forward=ctc_loss_forward, compute_bound=True)
def ctc_loss(
    out: Array,
    x: Array,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    *,
    blank: int,
    residuals: Chances,
) -> tuple[Vjp, None, None, None]:
    (classes, skip), alpha, total = residuals

    def vjp(g: Array) -> Array:
        steps, n, c = x.shape
        dx = np.zeros(x.shape, x.dtype)
        rows = np.arange(n)
        places = (rows[:, None] * c + classes).reshape(-1)
        # an impossible target has no gradient, nor has one that nobody wants
        wanted = np.where(np.isneginf(total) | (g == 0), np.inf, total)[:, None]
        last = np.full(classes.shape, -np.inf)
        last[rows, 2 * target_lengths] = 0
        several = np.nonzero(target_lengths)[0]
        last[several, 2 * target_lengths[several] - 1] = 0
        beta = np.full(
            (n, classes.shape[1] + 2), -np.inf
        )  # of what follows a step; two places behind the last state
        onward = np.full(classes.shape, -np.inf)
        onward[:, :-2] = skip[:, 2:]
        for t in range(int(input_lengths.max(initial=0)) - 1, -1, -1):
            states = beta[:, :-2]
            states[...] = ctc.log_sum(states, beta[:, 1:-1], beta[:, 2:] + onward)
            ends = input_lengths == t + 1
            states[ends] = last[ends]
            likely = np.exp(alpha[t] + states - wanted)
            shares = np.bincount(places, likely.reshape(-1), n * c).reshape(n, c)
            dx[t] -= shares * g[:, None]
            states += np.take_along_axis(x[t], classes, 1)
        dx[:, g == 0] = 0
        return dx

    return vjp, None, None, None
