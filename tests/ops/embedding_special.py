"""Options of lookups that change gradients, empty bags and ties; see ``special.py``."""

from __future__ import annotations

from backburner.nn import functional as F
from ops.special import Special, nan

TABLE = [[3, 4], [0.5, 0], [2, 2]]


def _bag(mode: str, places, **options):  # type: ignore[no-untyped-def]
    return lambda w: F.embedding_bag(places, w, mode=mode, **options)


SPECIALS = (
    Special("embedding-divides-by-frequency", lambda w: F.embedding([0, 0, 2], w, scale_grad_by_freq=True), (TABLE,),
            [[3, 4], [3, 4], [2, 2]], ([[3, 4], [0, 0], [5, 6]],), [[1, 2], [5, 6], [5, 6]]),
    Special("embedding-of-a-norm-has-the-gradient-of-the-scaled-row", lambda w: F.embedding([0, 1], w, max_norm=1), (TABLE,),
            [[0.6, 0.8], [0.5, 0]], ([[1, 2], [3, 4], [0, 0]],), [[1, 2], [3, 4]]),
    *(Special(f"embedding_bag-of-no-bags-{mode}", _bag(mode, [0, 2], offsets=[]), (TABLE,), None, ([[0, 0]] * 3,))
      for mode in ("sum", "mean", "max")),
    Special("embedding_bag-divides-by-frequency", _bag("sum", [[0, 0, 2]], scale_grad_by_freq=True), (TABLE,), [[8, 10]],
            ([[1, 1], [0, 0], [1, 1]],)),
    *(Special(f"an-empty-bag-by-{mode}", _bag(mode, [1, 2], offsets=[0, 0, 2]), (TABLE,), value,
              ([[0, 0], gradient[0], gradient[1]],))
      for mode, value, gradient in (
          ("sum", [[0, 0], [2.5, 2], [0, 0]], ([1, 1], [1, 1])),
          ("mean", [[0, 0], [1.25, 1], [0, 0]], ([0.5, 0.5], [0.5, 0.5])),
          ("max", [[0, 0], [2, 2], [0, 0]], ([0, 0], [1, 1])))),
    Special("B064-a-bag-without-its-padding", _bag("mean", [[0, 1, 1], [0, 0, 0]], padding_idx=0), ([[9], [1], [2]],),
            [[1], [0]], ([[0], [1], [0]],)),
    Special("a-bag-takes-the-first-of-equal-rows", _bag("max", [[2, 0, 1]]), ([[1, 5], [1, 5], [1, 2]],), [[1, 5]],
            ([[0, 1], [0, 0], [1, 0]],)),
    Special("a-bag-with-nan", _bag("max", [[0, 1]]), ([[1, nan], [2, 3]],), [[2, nan]], ([[0, 1], [1, 0]],)),
)  # fmt: skip
