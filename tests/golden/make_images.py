"""Write images.npz: convolution and pooling with their gradients, by PyTorch in float64.

Run it with PyTorch (made with 2.13) and NumPy: ``python make_images.py``. Inputs and cotangents are small whole
numbers, so that what is not divided is exact in float32 too, in any order of adding up. The file holds all numbers
end to end in ``values`` and a JSON list ``index`` with one ``[op, options, {part: shape}]`` per case, in the same
order. Parts are ``input0`` and on (left out where ``None``), ``cotangent``, ``output`` and ``gradient0`` and on.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

# x, weight (channels are those of x divided by groups), stride, padding, dilation, groups, bias
CONVOLUTIONS: list[tuple[Any, ...]] = [
    ((2, 3, 6, 5), (4, 3, 3), (1, 1), (0, 0), (1, 1), 1, True),
    ((2, 3, 6, 5), (4, 3, 3), (1, 1), (1, 1), (1, 1), 1, False),
    ((3, 2, 7, 9), (3, 3, 2), (3, 4), (0, 0), (1, 1), 1, True),  # remainders of 1 and 3
    ((2, 2, 9, 8), (3, 2, 3), (4, 3), (1, 0), (1, 1), 1, True),  # and of 1 and 2
    ((2, 2, 8, 7), (3, 2, 3), (1, 1), (2, 1), (3, 2), 1, True),
    ((1, 2, 9, 9), (2, 3, 2), (2, 3), (2, 3), (2, 3), 1, False),
    ((2, 2, 5, 4), (3, 1, 4), (1, 1), (0, 3), (1, 2), 1, True),
    ((2, 1, 3, 2), (2, 5, 4), (1, 2), (2, 3), (1, 1), 1, True),  # larger than the input
    ((1, 3, 4, 4), (2, 4, 4), (1, 1), (0, 0), (1, 1), 1, True),  # one place
    ((2, 3, 4, 5), (4, 1, 1), (1, 1), (0, 0), (1, 1), 1, True),
    ((2, 3, 4, 5), (4, 1, 1), (2, 3), (0, 0), (1, 1), 1, True),
    ((2, 3, 4, 5), (4, 1, 1), (1, 1), (1, 2), (1, 1), 1, False),
    ((2, 4, 4, 5), (6, 1, 1), (1, 1), (0, 0), (1, 1), 2, True),
    ((2, 4, 6, 5), (6, 3, 2), (1, 1), (1, 0), (1, 1), 2, True),
    ((2, 6, 7, 5), (3, 2, 3), (2, 1), (0, 1), (1, 2), 3, True),
    ((2, 3, 6, 7), (3, 3, 3), (1, 1), (1, 1), (1, 1), 3, True),  # depthwise
    ((2, 3, 6, 7), (6, 3, 2), (2, 3), (1, 1), (1, 2), 3, True),  # with a multiplier
    ((2, 4, 3, 4), (4, 1, 1), (1, 1), (0, 0), (1, 1), 4, False),
    ((1, 1, 4, 30), (2, 3, 20), (1, 1), (0, 0), (1, 1), 1, True),  # more places wrapped than kept
    ((1, 1, 1, 1), (1, 1, 1), (1, 1), (0, 0), (1, 1), 1, True),
    ((0, 2, 5, 5), (3, 3, 3), (1, 1), (1, 1), (1, 1), 1, True),
]

# x, kernel, stride, padding, dilation, ceil_mode
POOLINGS: list[tuple[Any, ...]] = [
    ((2, 2, 6, 4), (2, 2), (2, 2), (0, 0), (1, 1), False),
    ((2, 2, 7, 5), (2, 2), (2, 2), (0, 0), (1, 1), False),
    ((2, 2, 7, 5), (2, 2), (2, 2), (0, 0), (1, 1), True),
    ((1, 3, 6, 7), (3, 3), (1, 1), (1, 1), (1, 1), False),
    ((1, 3, 6, 7), (3, 3), (2, 2), (1, 1), (1, 1), True),
    ((1, 2, 4, 4), (3, 3), (2, 2), (1, 1), (1, 1), True),
    ((1, 2, 9, 8), (3, 2), (4, 5), (1, 0), (1, 1), True),  # the last window may not start in the padding
    ((1, 2, 5, 6), (2, 3), (3, 4), (1, 1), (1, 1), True),
    ((2, 1, 8, 9), (2, 3), (1, 2), (1, 1), (3, 2), False),
    ((2, 1, 8, 9), (2, 3), (3, 2), (0, 1), (2, 3), True),
    ((1, 2, 5, 5), (1, 1), (1, 1), (0, 0), (1, 1), False),
    ((1, 2, 5, 5), (1, 1), (2, 3), (0, 0), (1, 1), False),
    ((1, 2, 4, 5), (4, 5), (1, 1), (0, 0), (1, 1), False),
    ((1, 1, 18, 17), (16, 16), (1, 1), (0, 0), (1, 1), False),  # more taps than a byte can number
    ((1, 1, 2, 2), (5, 4), (1, 1), (2, 2), (1, 1), False),
]


def cases(rng: np.random.Generator) -> list[tuple[str, list[np.ndarray | None], dict[str, Any]]]:
    """Return every case as op, inputs and options."""
    table: list[tuple[str, list[np.ndarray | None], dict[str, Any]]] = []
    for shape, (o, kh, kw), stride, padding, dilation, groups, biased in CONVOLUTIONS:
        x = rng.integers(-8, 9, shape).astype(float)
        weight = rng.integers(-4, 5, (o, shape[1] // groups, kh, kw)).astype(float)
        bias = rng.integers(-8, 9, o).astype(float) if biased else None
        options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        table.append(("conv2d", [x, weight, bias], options))
    for shape, kernel, stride, padding, dilation, ceil_mode in POOLINGS:
        options = {"kernel_size": kernel, "stride": stride, "padding": padding, "ceil_mode": ceil_mode}
        for most in (2, 99):  # with ties and nearly without
            x = rng.integers(-most, most, shape).astype(float)
            table.append(("max_pool2d", [x], options | {"dilation": dilation}))
        if dilation == (1, 1):
            x = rng.integers(-9, 9, shape).astype(float)
            for include in (True, False):
                table.append(("avg_pool2d", [x], options | {"count_include_pad": include}))
    for share, special in ((0.2, np.nan), (0.6, -np.inf)):
        x = np.where(rng.random((2, 2, 6, 7)) < share, special, rng.integers(-9, 9, (2, 2, 6, 7)))
        options = {"kernel_size": (3, 2), "stride": (2, 1), "padding": (1, 1), "ceil_mode": False}
        table.append(("max_pool2d", [x], options | {"dilation": (1, 1)}))
    return table


def evaluate(
    op: str, inputs: list[np.ndarray | None], options: dict[str, Any], seed: int
) -> dict[str, np.ndarray]:
    """Return the parts of one case."""
    xs = [None if x is None else torch.tensor(x, requires_grad=True) for x in inputs]
    y = getattr(F, op)(*xs, **options)
    g = np.random.default_rng(seed).integers(-4, 5, tuple(y.shape)).astype(float)
    y.backward(torch.tensor(g))
    parts = {f"input{i}": x for i, x in enumerate(inputs) if x is not None}
    parts |= {"cotangent": g, "output": y.detach().numpy()}
    return parts | {f"gradient{i}": x.grad.numpy() for i, x in enumerate(xs) if x is not None}


if __name__ == "__main__":
    index, values = [], []
    for number, (op, inputs, options) in enumerate(cases(np.random.default_rng(21))):
        parts = evaluate(op, inputs, options, seed=number)
        index.append([op, options, {name: value.shape for name, value in parts.items()}])
        values += [value.ravel() for value in parts.values()]
    path = Path(__file__).with_name("images.npz")
    np.savez_compressed(path, index=json.dumps(index), values=np.concatenate(values))
