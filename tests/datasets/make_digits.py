"""Write the digits set of the core anew, out of scikit-learn: ``python tests/datasets/make_digits.py``."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

target = Path(__file__).parents[2] / "core" / "backburner" / "datasets" / "digits.npz"
digits = load_digits()
images = digits.images.astype(np.uint8)
labels = digits.target.astype(np.uint8)
assert np.array_equal(images, digits.images) and np.array_equal(labels, digits.target)
np.savez_compressed(target, images=images, labels=labels)
print(f"{target}: {target.stat().st_size:,} bytes")
