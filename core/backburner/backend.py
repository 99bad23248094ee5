"""``Backend``: the primitive ops and their contracts.

An op takes arrays by position and options by keyword. What an op may rely on, because the public
functions in ``backburner.ops`` and ``backburner.nn.functional`` see to it before a backend is reached:

* all float inputs of one call share a dtype; integer inputs that index are in range and int64;
* an axis is a non-negative int, several axes are a sorted tuple of them, ``None`` never occurs;
* shapes, options and dtypes have been checked, so an op raises nothing for bad input;
* scalars have become 0-d arrays; an optional input that is absent is ``None``.

An op never writes into an input. What it returns is a new array or a view of an input; of a 0-d result it
may return NumPy's scalar, which Tensor and recorder turn back into an array. Floats stay in their dtype.
In the shapes below, ``...`` is any number of dimensions and a letter stands for one.
"""

from __future__ import annotations

from typing import Protocol

from backburner.contracts.conv import (
    Attention,
    Conv,
    ConvTranspose,
    Dropout,
    Folding,
    MaxPool,
    Norm,
    Pool,
    Recurrent,
    Resample,
    Unpool,
)
from backburner.contracts.elementwise import (
    Activation,
    Bitwise,
    Comparison,
    Elementwise,
    Floating,
    Gamma,
    Piecewise,
    Rounding,
    Trigonometric,
)
from backburner.contracts.loss import Ctc, Distance, Loss, Margin, Regression
from backburner.contracts.shape import (
    Creation,
    Decompositions,
    Indexing,
    Linalg,
    Reduction,
    Scan,
    ShapeOps,
    Sorting,
    Windows,
)


class Backend(
    Activation,
    Attention,
    Bitwise,
    Comparison,
    Conv,
    ConvTranspose,
    Creation,
    Ctc,
    Decompositions,
    Dropout,
    Distance,
    Elementwise,
    Floating,
    Folding,
    Gamma,
    Indexing,
    Linalg,
    Loss,
    MaxPool,
    Margin,
    Norm,
    Piecewise,
    Pool,
    Recurrent,
    Reduction,
    Resample,
    Regression,
    Rounding,
    Scan,
    ShapeOps,
    Sorting,
    Trigonometric,
    Unpool,
    Windows,
    Protocol,
):
    """The list of primitive ops. Nobody inherits from it; a backend has these members."""
