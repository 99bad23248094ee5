"""Write architectures.json: what of PyTorch's modules has which name, for each seed of ``architectures``.

Run it from ``tests`` with PyTorch (made with 2.13): ``python golden/make_architectures.py``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent)]
from architectures import SEEDS, architecture, facts  # noqa: E402

found = {seed: facts(architecture(torch.nn, torch.ones, seed)) for seed in SEEDS}
(HERE / "architectures.json").write_text(json.dumps(found, separators=(",", ":")) + "\n")
