"""Gradients that Burn's own tests expect, as a table.

Inputs, programs and numbers are those of the gradient tests of https://github.com/tracel-ai/burn (``autodiff`` in
``crates/burn-backend-tests/tests``, before that ``crates/burn-autodiff/src/tests``); the programs are written anew in
Backburner's terms. Where Burn compares two ways of its own and states no number, PyTorch's in float64 stands here.
``test_burn_cases.py`` runs all of them.

Not here: ties that Burn gives to both (scatter by maximum and minimum), deformable convolution, Fourier transforms
and quantisation, which Backburner does not have, and tests of how Burn keeps its graphs, streams and collectives.
"""

from __future__ import annotations

from burn_cases import conv, elementwise, graphs, indexing, neural, pool, reduction, shape, transposed
from burn_cases._case import Case

CASES: list[Case] = [
    case
    for table in (elementwise, reduction, shape, indexing, graphs, conv, transposed, pool, neural)
    for case in table.CASES
]

__all__ = ["CASES", "Case"]
