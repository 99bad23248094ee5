"""What padding with PyTorch's arguments refuses; see ``errors.py``."""

from __future__ import annotations

import backburner as bb
from backburner.nn import functional as F
from ops.errors import A, Bad, S, T, array, n, x

PAIRS = "pad: pad must hold a pair (before, after) for each axis from the last on, got "

REFUSED = (
    Bad(lambda: F.pad(array, (1, 1)), T, "pad: the input is a NumPy array of shape [2, 3]. Use bb.asarray on it."),
    Bad(lambda: F.pad(x, (1, 1), "edge"), A, "pad: mode must be one of constant, reflect, replicate, circular, got 'edge'."),
    Bad(lambda: F.pad(x, (1,)), A, f"{PAIRS}(1,)."),
    Bad(lambda: F.pad(x, 1), A, f"{PAIRS}1."),
    Bad(lambda: F.pad(x, "ab"), A, f"{PAIRS}'ab'."),
    Bad(lambda: F.pad(x, (1, 0.5)), T, "pad: a width must be an integer, got 0.5.", "functional-pad-by-a-half"),
    Bad(lambda: F.pad(x, (1, True)), T, "pad: a width must be an integer, got True."),
    Bad(lambda: F.pad(x, (1,) * 6), S, "pad: 3 pairs for the 2 axes of [2, 3]."),
    Bad(lambda: F.pad(x, (1, 1), "circular", 2.0), A, "pad: mode 'circular' takes no value, got 2.0."),
    Bad(lambda: F.pad(n, (1, 1), value=0.5), T, "pad: value 0.5 is not an integer, as int64 is. Use another dtype."),
    Bad(lambda: F.pad(x, (-4, 6)), S, "pad: [-4, 6] cuts off more than there is: [2, 3]."),
    Bad(lambda: F.pad(x, (-2, -2), "replicate"), S, "pad: [-2, -2] cuts off more than there is: [2, 3]."),
    Bad(lambda: F.pad(x, (3, 0), "reflect"), S, "pad: [3, 0] is too much for mode 'reflect': [2, 3]."),
    Bad(lambda: F.pad(x, (0, 4), "circular"), S, "pad: [0, 4] is too much for mode 'circular': [2, 3]."),
    Bad(lambda: F.pad(x, (-3, 2), "circular"), S, "pad: [-3, 2] is too much for mode 'circular': [2, 3]."),
    Bad(lambda: F.pad(bb.zeros((2, 0)), (1, 0), "replicate"), S, "pad: [1, 0] is too much for mode 'replicate': [2, 0]."),
    Bad(lambda: F.pad(x, (2**60, 0)), S, "pad: a shape has more elements than fit into memory: "),
)  # fmt: skip
