"""What random functions and the first values of parameters refuse; see ``errors.py``."""

from __future__ import annotations

import math

import backburner as bb
from backburner import random
from backburner.nn import init
from ops.errors import A, Bad, S, T, array, v, x

zero = bb.tensor(0.5)

REFUSED = (
    Bad(lambda: random.trunc_normal((2,), std=0), A, "trunc_normal: std must be positive, got 0.0."),
    Bad(lambda: random.trunc_normal((2,), low=2), A, "trunc_normal: low must be below high, got 2.0 and 2.0."),
    Bad(lambda: random.trunc_normal((2,), low=math.inf, high=math.inf), A,
        "trunc_normal: low must be below high, got inf and inf."),
    Bad(lambda: random.trunc_normal((2,), high=1e39), A, "trunc_normal: high 1e+39 is not finite in float32. Use a smaller one."),
    Bad(lambda: random.bernoulli((2, 2), v), S, "bernoulli: shapes do not broadcast: [3] and [2, 2]."),
    Bad(lambda: random.bernoulli((3,), x), S, "bernoulli: p of [2, 3] does not broadcast to [3]."),
    Bad(lambda: random.bernoulli((3,), v), A, "bernoulli: p must be in [0, 1] everywhere."),
    Bad(lambda: random.multinomial(zero, 1), S, "multinomial: needs a vector or rows of probabilities, got []."),
    Bad(lambda: random.multinomial(array, 1), T,  # type: ignore[arg-type]
        "multinomial: the input is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: random.multinomial(-v, 1), A, "multinomial: a probability is negative or not finite."),
    Bad(lambda: random.multinomial(0 * x, 1), A, "multinomial: a row of probabilities is all 0."),
    Bad(lambda: random.multinomial(bb.zeros((0,)), 1), A, "multinomial: a row of probabilities is all 0."),
    Bad(lambda: random.multinomial(bb.tensor([1, 0, 2]), 3), A,
        "multinomial: 3 of 2 categories cannot be drawn. Use replacement=True, or fewer."),
    Bad(lambda: random.multinomial(v, -1, True), A, "multinomial: -1 of 3 categories cannot be drawn."),
    Bad(lambda: random.dirichlet(zero), S, "dirichlet: concentration is 0-d. Give one number for each coordinate."),
    Bad(lambda: random.dirichlet([]), S, "dirichlet: concentration [0] has no coordinates, which add up to 1."),
    Bad(lambda: random.dirichlet([1.0, 0.0]), A, "dirichlet: concentration must be positive and finite everywhere."),
    Bad(lambda: random.set_state((1, -1)), A, "random.set_state: (1, -1) is not a seed and a count. Give it what get_state"),
    Bad(lambda: init.calculate_gain("swish"), A, "calculate_gain: there is no gain for 'swish'. Use one of: leaky_relu, linear,"),
    Bad(lambda: init.xavier_uniform((3,)), S, "xavier_uniform: needs at least two dimensions, got [3]."),
    Bad(lambda: init.kaiming_normal((3, 2), mode="fan"), A, "kaiming_normal: mode must be 'fan_in' or 'fan_out', got 'fan'."),
)  # fmt: skip
