"""Functions of layers and losses."""

from __future__ import annotations

from typing import Any

import numpy as np

import backburner as bb
from backburner import Tensor
from backburner.nn import functional as F
from burn_cases._case import LARGE, SMALL, Case, ramp

GROUPED = [
    [[1, -2, 3], [4, 0.5, -1], [2, 5, -3], [1.5, -4, 6]],
    [[0.25, 3.5, -2.5], [-1.5, 2.25, 4.75], [7, -5, 1], [0, 2.5, -3.5]],
]
GROUPED_GRAD = [
    [
        [0.48075284, 0.39859906, 0.53552204],
        [-0.39403495, -0.48988104, -0.53095794],
        [0.36829582, 0.36159956, 0.3794563],
        [-0.37052792, -0.3582514, -0.38057235],
    ],
    [
        [0.34838018, 0.47799614, 0.2387051],
        [-0.4879666, -0.3384097, -0.2387051],
        [0.24915043, 0.42989415, 0.3395223],
        [-0.34454295, -0.3821979, -0.29182604],
    ],
]
GAMMA, BETA = [0.5, -1.5, 2, -0.75], [0.25, -0.5, 1, 2]
GAMMA_GRAD = [-1.1733162, 1.1733162, 0.5757234, -0.5757234]
BATCH = [
    [[0.9601, 0.7277, 0.1], [0.6272, 0.9034, 0.4], [0.9378, 0.7230, 0.2]],
    [[0.6356, 0.1362, 0.7], [0.0249, 0.9509, 0.8], [0.6600, 0.5945, 0.3]],
]
BATCH_GRAD = [
    [
        [7.9149945, -12.609, -1.1578138],
        [2.0845224, 7.8543219, -12.617755],
        [9.9612215, -10.659085, 17.718131],
    ],
    [
        [-4.4112212, 4.7687205, 5.4943202],
        [5.978186, -5.7374878, 2.4382122],
        [-1.4363288, 1.5182477, -17.102186],
    ],
]
BATCH_WEIGHTS = [
    [[1, -2, 0.5], [0.3, 0.7, -1.1], [2, 0.1, 0.4]],
    [[-0.6, 1.4, 0.9], [1.2, -0.8, 0.2], [0.5, 0.5, -1.5]],
]
VOLUME = ((7 * ramp(36)) % 11 - 5).reshape(1, 2, 2, 3, 3)
GRID = [[[[[0.3, -0.2, 0.1], [-1, 0.5, 0]], [[1.4, -0.7, 0.3], [0, 2.2, -1.5]]]]]
SAMPLED_WEIGHTS = (0.5 + 0.25 * ramp(8)).reshape(1, 2, 1, 2, 2)


def sampled(mode: str, padding: str, aligned: bool, volume: Any, grid: Any) -> Case:
    """Return a case of a volume read at four places: inside, on a face, beyond one face and beyond two."""

    def program(x: Tensor, grid: Tensor, weights: Tensor) -> Tensor:
        return F.grid_sample(x, grid, mode, padding, aligned) * weights

    name = f"grid_sample 3d, {mode}, {padding}{', corners aligned' if aligned else ''}"
    return Case(name, program, (VOLUME, GRID, SAMPLED_WEIGHTS), (volume, grid, None))


def waves(*shape: int) -> Any:
    """Return numbers without a pattern that a sum could hide."""
    return np.sin(ramp(*shape) ** 1.5)


def attended(name: str, heads: int, keys: int, masked: bool = False, **options: Any) -> Case:
    """Return a case whose gradients are those of the same attention in plain operations, so that none is left."""

    def program(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None = None) -> Tensor:
        mask = None if bias is None else bb.where(bb.tensor(ramp(2, heads, 5, 6) % 5 == 3), -np.inf, bias)
        found = F.scaled_dot_product_attention(q, k, v, mask, **options)
        k, v = (bb.repeat(x, heads // keys, axis=1) for x in (k, v))
        scores = q @ k.mT * options.get("scale", 0.5)
        plain = bb.softmax(scores if mask is None else scores + mask, 3) @ v
        return (found - plain) * bb.tensor(ramp(2, heads, 5, 4) % 5 - 2, dtype="float32")

    inputs = (waves(2, heads, 5, 4), waves(2, keys, 6, 4), waves(2, keys, 6, 4) + 1)
    if masked:
        inputs = (*inputs, waves(2, heads, 5, 6))
    return Case(f"attention, {name}", program, inputs, (0,) * len(inputs))


def grouped(x: Tensor, weight: Tensor | None = None, bias: Tensor | None = None) -> Tensor:
    return F.group_norm(x, 2, weight, bias)


def batch(x: Tensor, weight: Tensor, bias: Tensor, factors: Tensor) -> Tensor:
    return F.batch_norm(x, None, None, weight, bias, training=True)[0] * factors


def logits(times: int, batch: int, classes: int) -> Any:
    """Return waves."""
    time, row, column = np.ogrid[:times, :batch, :classes]
    return np.sin((time * 7 + row * 13 + column * 3) * 0.1)


def ctc(
    name: str, x: Any, targets: Any, steps: list[int], labels: list[int], grad: Any, pick: Any = ...
) -> Case:
    """Return a case whose gradients are told of some time steps."""

    def program(x: Tensor) -> Tensor:
        return F.ctc_loss(bb.log_softmax(x, 2), bb.tensor(targets), steps, labels, reduction="sum")

    return Case(f"ctc_loss, {name}", program, (x,), (grad,), pick)


CASES = [
    Case(
        "embedding",
        lambda w, x: F.embedding([[0, 1], [1, 1]], w) @ x,
        ([[0, 1, 2], [3, 4, 5]], [[[1, 2], [4, 5], [3, 4]], [[4, 5], [8, 5], [1, 9]]]),
        ([[3, 9, 7], [21, 35, 27]], None),
    ),
    # Burn's weights are transposed
    Case(
        "linear",
        lambda x, w, b: F.linear(x, w.T, b),
        ([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[1, 2, 3], [4, 5, 6]], [0.1, 0.2, 0.3]),
        ([6, 15], [[16], [20]], 4),
    ),
    Case(
        "linear without a bias",
        lambda x, w: F.linear(x, w.T),
        ([[[1, -2], [3, 4]], [[-5, 6], [7, -8]]], [[0.5, -1, 2], [1.5, 2.5, -0.5]]),
        ([1.5, 3.5], [[6], [0]]),
    ),
    Case(
        "softmax",
        lambda x, y: F.softmax(x @ y, 1) @ y,
        (SMALL, LARGE),
        ([[1.179665], [0.005463]], [[0.253469, 0.286237], [0.528630, 2.931664]]),
    ),
    Case(
        "log_softmax",
        lambda x, y: F.log_softmax(x @ y, 1) @ y,
        (SMALL, LARGE),
        ([[-4.3939], [-12.9709]], [[30.5984, -47.2267], [55.9631, -56.5914]]),
    ),
    Case(
        "cross_entropy of probabilities",
        lambda x, y, p: F.cross_entropy(x @ y, p),
        (SMALL, LARGE, [[0.8, 0.2], [0.9, 0.1]]),
        (
            [[0.26553], [0.44954]],
            [[-1.34863, 1.34863], [-2.06371, 2.06371]],
            [[0.656631, 0.156631], [3.500456, 0.000456]],
        ),
    ),
    attended("plain", 2, 2),
    attended("scaled, with a bias and a mask", 2, 2, True, scale=0.3),
    attended("of six heads to two", 6, 2, enable_gqa=True),
    Case("group_norm", grouped, (GROUPED,), (0,)),
    Case("group_norm, scaled", grouped, (GROUPED, GAMMA), (GROUPED_GRAD, GAMMA_GRAD)),
    Case("group_norm, moved", lambda x, b: grouped(x, None, b), (GROUPED, BETA), (0, 6)),
    Case("group_norm, both", grouped, (GROUPED, GAMMA, BETA), (GROUPED_GRAD, GAMMA_GRAD, 6)),
    Case(
        "group_norm of a view",
        lambda x, w, b: (
            grouped(bb.swapaxes(x, 1, 2), w, b) * bb.tensor((ramp(2, 4, 3) + 1) / 10, dtype="float32")
        ),
        (np.swapaxes(GROUPED, 1, 2), GAMMA, BETA),
        (
            [
                [
                    [0.17910325, -0.14354121, 0.27421299, -0.30547248],
                    [0.21466525, -0.20173363, 0.3351492, -0.3387104],
                    [0.21919137, -0.26768502, 0.36996991, -0.33514921],
                ],
                [
                    [0.53812714, -0.76193458, 0.48495616, -0.69906446],
                    [0.80070216, -0.53856704, 0.88126875, -0.79010385],
                    [0.3704915, -0.40881918, 0.75938088, -0.63643747],
                ],
            ],
            [-1.221726, 1.5643265, 0.78365476, -1.2113419],
            [4.8, 6.6, 8.4, 10.2],
        ),
    ),
    Case("group_norm of nothing", grouped, (np.zeros((0, 4, 3)), [1] * 4, [0] * 4), (0, 0, 0)),
    Case(
        "batch_norm in training",
        batch,
        (BATCH, [2, 3, 4], [0.5, -1, 2], BATCH_WEIGHTS),
        (BATCH_GRAD, [-2.0751, -1.5468151, 4.2541662], [1.2, 0.5, 2], None),
    ),
    sampled(
        "bilinear",
        "zeros",
        False,
        [
            [
                [[0, 0.033, 0.027], [0.046875, 0.077, 0.063], [0.140625, 0, 0]],
                [[0, 0.0495, 0.0405], [0.046875, 0.1155, 0.0945], [0.140625, 0, 0]],
            ],
            [
                [[0, 0.099, 0.081], [0.109375, 0.231, 0.189], [0.328125, 0, 0]],
                [[0, 0.1485, 0.1215], [0.109375, 0.3465, 0.2835], [0.328125, 0, 0]],
            ],
        ],
        [[[1.365, -0.7725, 4.8075], [-5.4375, -1.875, -3.75]], [[0, 0, 0], [0, 0, 0]]],
    ),
    sampled(
        "bilinear",
        "zeros",
        True,
        [
            [
                [[0, 0.0315, 0.1605], [0.1875, 0.126, 0.117], [0.1875, 0, 0]],
                [[0, 0.0385, 0.2895], [0.1875, 0.154, 0.183], [0.1875, 0, 0]],
            ],
            [
                [[0, 0.0945, 0.3345], [0.4375, 0.378, 0.288], [0.4375, 0, 0]],
                [[0, 0.1155, 0.5955], [0.4375, 0.462, 0.432], [0.4375, 0, 0]],
            ],
        ],
        [[[1.845, -1.0925, 3.435], [4.4375, -2.5, -3.75]], [[0.605, 2.49, -1.71], [0, 0, 0]]],
    ),
    sampled(
        "bilinear",
        "border",
        False,
        [
            [
                [[0, 0.033, 0.227], [0.09375, 0.077, 0.063], [0.28125, 1.25, 0]],
                [[0, 0.0495, 0.8405], [0.09375, 0.1155, 0.0945], [0.28125, 0, 0]],
            ],
            [
                [[0, 0.099, 0.481], [0.21875, 0.231, 0.189], [0.65625, 2.25, 0]],
                [[0, 0.1485, 1.7215], [0.21875, 0.3465, 0.2835], [0.65625, 0, 0]],
            ],
        ],
        [[[1.365, -0.7725, 4.8075], [0, -3.75, -7.5]], [[0, 0, -9], [-21, 0, 0]]],
    ),
    sampled(
        "bilinear",
        "border",
        True,
        [
            [
                [[0, 0.0315, 0.2585], [0.1875, 0.126, 0.159], [0.1875, 1.25, 0]],
                [[0, 0.0385, 0.4715], [0.1875, 0.154, 0.261], [0.1875, 0, 0]],
            ],
            [
                [[0, 0.0945, 0.5305], [0.4375, 0.378, 0.372], [0.4375, 2.25, 0]],
                [[0, 0.1155, 0.9595], [0.4375, 0.462, 0.588], [0.4375, 0, 0]],
            ],
        ],
        [[[1.845, -1.0925, 3.435], [0, -2.5, -3.75]], [[0, 4.15, -2.85], [-14, 0, 0]]],
    ),
    sampled(
        "bilinear",
        "reflection",
        False,
        [
            [
                [[0, 0.428, 0.207], [0.09375, 0.952, 0.063], [0.28125, 0, 0]],
                [[0, 0.1295, 0.7605], [0.09375, 0.1155, 0.0945], [0.28125, 0, 0]],
            ],
            [
                [[0, 0.814, 0.441], [0.21875, 1.806, 0.189], [0.65625, 0, 0]],
                [[0, 0.3085, 1.5615], [0.21875, 0.3465, 0.2835], [0.65625, 0, 0]],
            ],
        ],
        [[[1.365, -0.7725, 4.8075], [0, -3.75, -7.5]], [[11.4, 0, -6.8], [16.125, 5.25, 0]]],
    ),
    sampled(
        "bilinear",
        "reflection",
        True,
        [
            [
                [[0, 0.317, 0.1605], [0.1875, 0.918, 0.117], [0.1875, 0, 0]],
                [[0, 0.283, 0.2895], [0.1875, 0.482, 0.183], [0.1875, 0, 0]],
            ],
            [
                [[0, 0.628, 0.3345], [0.4375, 1.812, 0.288], [0.4375, 0, 0]],
                [[0, 0.592, 0.5955], [0.4375, 1.068, 0.432], [0.4375, 0, 0]],
            ],
        ],
        [[[1.845, -1.0925, 3.435], [0, -2.5, -3.75]], [[2.155, 1.29, 0.89], [7.3125, 3.5, -7.125]]],
    ),
    sampled(
        "nearest",
        "zeros",
        False,
        [
            [[[0, 0, 0], [0, 0, 0], [0.75, 0, 0]], [[0, 0, 0], [0, 0.5, 0], [0, 0, 0]]],
            [[[0, 0, 0], [0, 0, 0], [1.75, 0, 0]], [[0, 0, 0], [0, 1.5, 0], [0, 0, 0]]],
        ],
        0,
    ),
    ctc(
        "three rows",
        logits(5, 3, 4),
        [[1, 2, 0], [1, 0, 0], [3, 2, 1]],
        [5, 5, 5],
        [2, 1, 3],
        [-0.1679008, -0.459554, 0.2795598, 0.347895],
        (0, 0),
    ),
    ctc(
        "rows of unequal lengths, the first steps",
        logits(12, 3, 5),
        [[1, 4, 2, 0], [3, 1, 0, 0], [2, 4, 1, 3]],
        [12, 7, 10],
        [3, 2, 4],
        [
            [-0.4790988, -0.2554937, 0.1991624, 0.2478454, 0.2875847],
            [-0.3495813, 0.2268398, 0.2150715, -0.2442178, 0.1518879],
            [-0.2764557, 0.2474014, -0.2137087, 0.1371369, 0.105626],
        ],
        0,
    ),
    ctc(
        "rows of unequal lengths, past the end of one",
        logits(12, 3, 5),
        [[1, 4, 2, 0], [3, 1, 0, 0], [2, 4, 1, 3]],
        [12, 7, 10],
        [3, 2, 4],
        [
            [-0.0587697, 0.117477, 0.078357, 0.2290502, -0.3661144],
            [0, 0, 0, 0, 0],
            [-0.0725665, -0.153207, 0.2162398, -0.1248963, 0.1344301],
        ],
        7,
    ),
    ctc(
        "repeated labels",
        logits(8, 4, 6),
        [[1, 1, 2, 0], [2, 3, 2, 1], [5, 0, 0, 0], [1, 2, 3, 4]],
        [8, 8, 8, 8],
        [3, 4, 1, 4],
        [
            [-0.2766432, -0.5202966, 0.1523769, 0.1896236, 0.2200277, 0.2349116],
            [-0.1854366, 0.203133, -0.4260219, 0.1678019, 0.1360143, 0.1045092],
            [-0.6603537, 0.2278253, 0.1691787, 0.1262856, 0.0972682, 0.0397959],
            [-0.0894432, -0.5457318, 0.1490374, 0.1462858, 0.1569477, 0.1829042],
        ],
        0,
    ),
    ctc("no labels", np.zeros((3, 1, 2)), [[0]], [3], [0], [-0.5, 0.5]),
]
