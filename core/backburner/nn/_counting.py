"""A backend that tells how many multiply-adds each of its ops takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from backburner.backend import Backend


def _matmul(out: Any, x: Any, y: Any) -> int:
    return int(np.size(out) * x.shape[-1])


def _linear(out: Any, x: Any, weight: Any, bias: Any) -> int:
    return int(out.size * weight.shape[-1])


def _conv(out: Any, x: Any, weight: Any, bias: Any) -> int:
    return int(out.size * math.prod(weight.shape[1:]))


def _conv_transpose(out: Any, x: Any, weight: Any, bias: Any) -> int:
    return int(x.size * math.prod(weight.shape[1:]))


def _attention(out: Any, query: Any, key: Any, value: Any, mask: Any) -> int:
    """Count the scores of all queries with all keys, masked or not, and the sums of values by them."""
    return int(math.prod(out.shape[:-1]) * key.shape[-2] * (query.shape[-1] + value.shape[-1]))


def _recurrent(out: Any, x: Any, *rest: Any) -> int:
    """Count the products with each matrix of weights at every step of every sequence."""
    lengths = rest[-1]
    steps = int(x.shape[0] * x.shape[1]) if lengths is None else int(np.sum(lengths))
    states = 2 if len(rest) == 8 else 1  # of an LSTM also the cell
    weights = [w for w in rest[states:-1] if w is not None and w.ndim == 2]
    return steps * sum(int(w.size) for w in weights)


COSTS: Final[dict[str, Callable[..., int]]] = {
    "matmul": _matmul,
    "linear": _linear,
    "conv2d": _conv,
    "conv3d": _conv,
    "conv_transpose2d": _conv_transpose,
    "conv_transpose3d": _conv_transpose,
    "scaled_dot_product_attention": _attention,
    "rnn": _recurrent,
    "gru": _recurrent,
    "lstm": _recurrent,
}
"""The multiply-adds of an op by its output and its inputs. What is not here is not made of products of matrices."""


class Counting:
    """The ops of another backend; after each one in ``COSTS`` its multiply-adds are told.

    Args:
        inner: what computes.
        tell: gets a number of multiply-adds.
    """

    def __init__(self, inner: Backend, tell: Callable[[int], None]) -> None:
        self._inner = inner
        self._tell = tell

    def __getattr__(self, name: str) -> Any:
        op = getattr(self._inner, name)
        cost = COSTS.get(name)
        if cost is not None:
            op = self._counted(op, cost)
        setattr(self, name, op)
        return op

    def _counted(self, op: Callable[..., Any], cost: Callable[..., int]) -> Callable[..., Any]:
        def counted(*inputs: Any, **options: Any) -> Any:
            out = op(*inputs, **options)
            self._tell(cost(out, *inputs))
            return out

        return counted
