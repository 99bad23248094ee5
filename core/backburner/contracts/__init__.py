"""The contracts of the primitive ops, one file per family, and the types they are written in.

``backburner.backend`` is their sum. Only type checkers and tests load it: an import of the core does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]
Axes = tuple[int, ...]
Pair = tuple[int, int]
Triple = tuple[int, int, int]
