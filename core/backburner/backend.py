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

from backburner.contracts.activation import Activation
from backburner.contracts.attention import Attention
from backburner.contracts.bitwise import Bitwise
from backburner.contracts.comparison import Comparison
from backburner.contracts.conv import Conv
from backburner.contracts.convtranspose import ConvTranspose
from backburner.contracts.creation import Creation
from backburner.contracts.ctc import Ctc
from backburner.contracts.decompositions import Decompositions
from backburner.contracts.distance import Distance
from backburner.contracts.dropout import Dropout
from backburner.contracts.elementwise import Elementwise
from backburner.contracts.floating import Floating
from backburner.contracts.folding import Folding
from backburner.contracts.gamma import Gamma
from backburner.contracts.indexing import Indexing
from backburner.contracts.linalg import Linalg
from backburner.contracts.loss import Loss
from backburner.contracts.margin import Margin
from backburner.contracts.maxpool import MaxPool
from backburner.contracts.norm import Norm
from backburner.contracts.piecewise import Piecewise
from backburner.contracts.pool import Pool
from backburner.contracts.recurrent import Recurrent
from backburner.contracts.reduction import Reduction
from backburner.contracts.regression import Regression
from backburner.contracts.resample import Resample
from backburner.contracts.rounding import Rounding
from backburner.contracts.scan import Scan
from backburner.contracts.shape import ShapeOps
from backburner.contracts.sorting import Sorting
from backburner.contracts.trigonometric import Trigonometric
from backburner.contracts.unpool import Unpool
from backburner.contracts.windows import Windows


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
