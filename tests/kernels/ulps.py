"""Errors of elementary functions in units in the last place, against Python's decimals."""

import math
from decimal import Decimal, localcontext

import numpy as np
import sample_kernels

FUNCTIONS = ("exp", "log", "tanh", "sigmoid", "erf")


def points(name, dtype, count):
    """Return arguments all over the dtype, and many where the function is interesting."""
    rng = np.random.default_rng(0)
    limits = np.iinfo("int32" if dtype == "float32" else "int64")
    anywhere = rng.integers(limits.min, limits.max, count, dtype=limits.dtype).view(dtype)
    wide = 104 if dtype == "float32" else 746
    x = np.concatenate([anywhere, *(rng.uniform(-w, w, count).astype(dtype) for w in (0.01, 1.2, 7, wide))])
    x = x[np.isfinite(x)]
    return np.abs(x[x != 0]) if name == "log" else x


def exact(name, x):
    """Return the value at one float, to 40 digits and more."""
    x = Decimal(float(x))
    if name != "log":
        x = max(min(x, Decimal(1000)), Decimal(-1000))  # nothing changes beyond, and decimals overflow
    if name == "exp":
        return x.exp()
    if name == "log":
        return x.ln()
    if name == "tanh":
        return 1 - 2 / ((2 * x).exp() + 1) if abs(x) > Decimal("1e-9") else x - x**3 / 3
    if name == "sigmoid":
        return 1 / (1 + (-x).exp())
    if abs(x) > 12:
        return Decimal(math.copysign(1, x))
    term = total = x
    n = 0
    while abs(term) > abs(total) * Decimal("1e-40"):
        n += 1
        term *= -x * x / n
        total += term / (2 * n + 1)
    return 2 * total / PI.sqrt()


PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")


def worst(name, dtype, count):
    """Return the largest error of a function, and where."""
    x = points(name, dtype, count)
    y = np.empty_like(x)
    getattr(sample_kernels, f"sample_{name}").serial(x, y)
    errors = []
    with localcontext() as context:
        context.prec = 120  # the series of erf cancels many
        context.Emin, context.Emax = -(10**9), 10**9
        largest = Decimal(float(np.finfo(dtype).max))
        for value, result in zip(x, y, strict=True):
            right = exact(name, value)
            if abs(right) > largest:
                errors.append(0.0 if np.isinf(result) else math.inf)
            elif not np.isfinite(result):
                # Where the exact value rounds up to infinity.
                errors.append(0.0 if np.isinf(np.dtype(dtype).type(float(right))) else math.inf)
            else:
                unit = Decimal(float(np.spacing(np.abs(np.dtype(dtype).type(float(right))))))
                errors.append(float(abs(Decimal(float(result)) - right) / unit))
    at = int(np.argmax(errors))
    return errors[at], float(x[at])
