"""What a backward rule is: the one thing that tape and rules both know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Vjp = Callable[[Any], Array]
"""From the cotangent of the output (a tuple, ``None`` for the unused, if there are several) to that of one input."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How one op is recorded and differentiated.

    Attributes:
        name: the op.
        function: ``function(out, *inputs, **options)`` gives one ``Vjp | None`` per input as a tuple, or one
            joint function ``(g, needed) -> tuple`` of all inputs' cotangents where they share work; ``needed``
            holds a bool per input, and what is not needed may be ``None``.
        forward: in training used instead of the backend's op; returns ``(out, residuals)``, and the rule
            gets ``residuals=``.
        compute_bound: worth keeping under ``BALANCED`` checkpointing; otherwise recomputed.
        singular: elementwise, and its local derivative may be infinite or NaN: where the cotangent is 0 the
            sweep makes the gradient 0.
        outputs: which of several outputs carry gradients; the others come out as bare arrays. ``None``: all.
    """

    name: str
    function: Callable[..., Any]
    forward: Callable[..., tuple[Any, Any]] | None = None
    compute_bound: bool = False
    singular: bool = False
    outputs: tuple[int, ...] | None = None
