"""Forward of the loss that is a primitive: cross_entropy."""

from __future__ import annotations

import numpy as np

from backburner.contracts import Array


@np.errstate(all="ignore")
def cross_entropy(
    x: Array, target: Array, weight: Array | None, /,
    *, ignore_index: int, label_smoothing: float, reduction: str,
) -> Array:  # fmt: skip
    """Return ``-log_softmax(x)[target]``, smoothed, weighted by class, and reduced."""
    n, c = x.shape
    kept = target != ignore_index
    index = np.where(kept, target, 0)  # an ignored target such as -100 never indexes
    row_weight = kept.astype(x.dtype) if weight is None or c == 0 else np.where(kept, weight[index], 0)
    loss = np.zeros(n, x.dtype)
    if x.size:
        shifted = x - np.maximum.reduce(x, axis=1, keepdims=True)
        log_sum = np.log(np.add.reduce(np.exp(shifted), axis=1))
        nll = log_sum - shifted[np.arange(n), index]
        loss = (1 - label_smoothing) * row_weight * nll
        if label_smoothing:
            total = c if weight is None else np.add.reduce(weight)
            if weight is not None:
                shifted *= weight
            loss += (label_smoothing / c) * (total * log_sum - np.add.reduce(shifted, axis=1))
        loss = np.where(kept, loss, 0)
    if reduction == "none":
        return loss
    value = np.add.reduce(loss)
    return np.asarray(value if reduction == "sum" else value / np.add.reduce(row_weight))
