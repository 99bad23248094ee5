"""The models of the suite, each written once: our layers have PyTorch's names, so both libraries build them.

Where the two differ, `Api` says how. Weights, inputs and targets are drawn by NumPy from a seed, and every library
gets the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Random = np.random.Generator


@dataclass(frozen=True)
class Api:
    """A library's layers and functions, and the little that has another name in the other one."""

    nn: Any
    F: Any
    arange: Callable[[int], Any]
    permute: Callable[[Any, tuple[int, ...]], Any]
    cast: Callable[[Any, Any], Any]
    encoder: dict[str, Any]


def ours() -> Api:
    import backburner as bb

    return Api(bb.nn, bb.nn.functional, bb.arange, bb.permute_dims, lambda x, like: x.astype(like.dtype), {})


def pytorch() -> Api:
    torch: Any = import_module("torch")
    # Nested tensors are for padding, and there is none: without this it warns that they are not used.
    encoder = {"enable_nested_tensor": False}
    nn = torch.nn
    return Api(nn, nn.functional, torch.arange, torch.permute, lambda x, like: x.to(like.dtype), encoder)


@dataclass(frozen=True)
class Model:
    """A model, its data and its loss.

    Attributes:
        make: builds it from a library's layers.
        inputs: draws a batch of inputs.
        targets: draws a batch of targets; `None` for what is not trained here.
        loss: `mse` or `cross_entropy`.
        batch: the size of a batch in training.
    """

    make: Callable[[Api], Any]
    inputs: Callable[[Random, int], tuple[Array, ...]]
    targets: Callable[[Random, int], Array] | None
    loss: str
    batch: int


def loss(api: Api, model: Model, y: Any, target: Any) -> Any:
    """Return the loss of outputs; what comes before the classes counts as one batch."""
    if model.loss == "mse":
        return api.F.mse_loss(y, target)
    return api.F.cross_entropy(y.reshape((-1, y.shape[-1])), target.reshape((-1,)))


def draw(name: str, batch: int, folder: Path) -> None:
    """Write `weights.npz`, by PyTorch's names, and `inputs.npz` with `x0`, `x1`, ... and `target`."""
    model = MODELS[name]
    rng = np.random.default_rng(0)
    state = model.make(ours()).named_state()
    weights = {key: _weight(rng, key, value.shape) for key, value in state if value.dtype.kind == "f"}
    np.savez(folder / "weights.npz", **weights)  # type: ignore[arg-type]
    arrays = {f"x{i}": x for i, x in enumerate(model.inputs(rng, batch))}
    if model.targets is not None:
        arrays["target"] = model.targets(rng, batch)
    np.savez(folder / "inputs.npz", **arrays)  # type: ignore[arg-type]


def _weight(rng: Random, name: str, shape: tuple[int, ...]) -> Array:
    """Return values that keep activations of about one size through any depth."""
    values = rng.standard_normal(shape, np.float32)
    if len(shape) > 1:
        return values / np.float32(math.sqrt(math.prod(shape[1:])))
    if name.endswith("running_var"):
        return 1 + np.abs(values) / 10
    return (1 if name.endswith("weight") else 0) + values / 10


def _normal(*shape: int) -> Callable[[Random, int], tuple[Array, ...]]:
    return lambda rng, batch: (rng.standard_normal((batch, *shape), np.float32),)


def _classes(count: int, *shape: int) -> Callable[[Random, int], Array]:
    return lambda rng, batch: rng.integers(0, count, (batch, *shape))


# -- perceptrons and convolutions


def _perceptron(*sizes: int) -> Callable[[Api], Any]:
    def make(api: Api) -> Any:
        nn = api.nn
        layers: list[Any] = []
        for inputs, outputs in zip(sizes[:-1], sizes[1:], strict=True):
            layers += [nn.Linear(inputs, outputs), nn.ReLU()]
        return nn.Sequential(*layers[:-1])

    return make


def _lenet(api: Api) -> Any:
    nn = api.nn
    return nn.Sequential(
        *(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)),
    )


def _residual(api: Api, inputs: int, outputs: int, stride: int) -> Any:
    """He et al. 2015: two 3x3 convolutions, and the input added, by a 1x1 convolution where the shape changes."""
    nn = api.nn

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False)
            self.bn1 = nn.BatchNorm2d(outputs)
            self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
            self.bn2 = nn.BatchNorm2d(outputs)
            self.relu = nn.ReLU()
            self.downsample = nn.Identity()
            if stride != 1 or inputs != outputs:
                conv = nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False)
                self.downsample = nn.Sequential(conv, nn.BatchNorm2d(outputs))

        def forward(self, x: Any) -> Any:
            y = self.relu(self.bn1(self.conv1(x)))
            return self.relu(self.bn2(self.conv2(y)) + self.downsample(x))

    return Block()


def _resnet8(api: Api) -> Any:
    nn = api.nn
    return nn.Sequential(
        *(nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU()),
        *(_residual(api, 16, 16, 1), _residual(api, 16, 32, 2), _residual(api, 32, 64, 2)),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)),
    )


def _resnet18(api: Api) -> Any:
    nn = api.nn
    layers: list[Any] = [nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    layers.append(nn.MaxPool2d(3, stride=2, padding=1))
    inputs = 64
    for outputs in (64, 128, 256, 512):
        layers += [_residual(api, inputs, outputs, 1 if outputs == 64 else 2)]
        layers += [_residual(api, outputs, outputs, 1)]
        inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


def _mobilenet(api: Api) -> Any:
    """Howard et al. 2017: a convolution for each channel alone, and one of 1x1 over all."""
    nn = api.nn

    def separable(inputs: int, outputs: int, stride: int) -> Any:
        depthwise = nn.Conv2d(inputs, inputs, 3, stride=stride, padding=1, groups=inputs, bias=False)
        pointwise = nn.Conv2d(inputs, outputs, 1, bias=False)
        norms = nn.BatchNorm2d(inputs), nn.BatchNorm2d(outputs)
        return nn.Sequential(depthwise, norms[0], nn.ReLU(), pointwise, norms[1], nn.ReLU())

    return nn.Sequential(
        *(nn.Conv2d(3, 32, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU()),
        *(separable(32, 64, 1), separable(64, 128, 2), separable(128, 128, 1)),
        *(separable(128, 256, 2), separable(256, 256, 1)),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 10)),
    )


def _efficientnet(api: Api) -> Any:
    """Tan and Le 2019, Lite0: as in examples/efficientnet.py, with TensorFlow's padding."""
    nn, F = api.nn, api.F

    class Same(nn.Conv2d):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            sides: list[int] = []
            for length, kernel, stride in zip(
                x.shape[:1:-1], self.kernel_size[::-1], self.stride[::-1], strict=True
            ):
                missing = max((-(-int(length) // stride) - 1) * stride + kernel - int(length), 0)
                sides += [missing // 2, missing - missing // 2]
            return super().forward(F.pad(x, sides) if any(sides) else x)

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, expand: int) -> None:
            super().__init__()
            inner = inputs * expand
            layers: list[Any] = []
            if expand != 1:
                layers += [Same(inputs, inner, 1, bias=False), nn.BatchNorm2d(inner, eps=1e-3), nn.ReLU6()]
            layers += [Same(inner, inner, kernel, stride, groups=inner, bias=False)]
            layers += [nn.BatchNorm2d(inner, eps=1e-3), nn.ReLU6(), Same(inner, outputs, 1, bias=False)]
            self.layers = nn.Sequential(*layers, nn.BatchNorm2d(outputs, eps=1e-3))
            self.adds = stride == 1 and inputs == outputs

        def forward(self, x: Any) -> Any:
            y = self.layers(x)
            return y + x if self.adds else y

    layers: list[Any] = [Same(3, 32, 3, 2, bias=False), nn.BatchNorm2d(32, eps=1e-3), nn.ReLU6()]
    channels = 32
    stages = ((1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80), (3, 5, 1, 6, 112),
              (4, 5, 2, 6, 192), (1, 3, 1, 6, 320))  # fmt: skip
    for blocks, kernel, stride, expand, outputs in stages:
        for i in range(blocks):
            layers.append(Block(channels, outputs, kernel, stride if i == 0 else 1, expand))
            channels = outputs
    layers += [Same(channels, 1280, 1, bias=False), nn.BatchNorm2d(1280, eps=1e-3), nn.ReLU6()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, 1000))


# -- sequences


def _recurrent(kind: str) -> Callable[[Api], Any]:
    def make(api: Api) -> Any:
        nn = api.nn

        class Last(nn.Module):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.rnn = getattr(nn, kind)(128, 128, batch_first=True)
                self.head = nn.Linear(128, 10)

            def forward(self, x: Any) -> Any:
                return self.head(self.rnn(x)[0][:, -1])

        return Last()

    return make


def _encoder(api: Api) -> Any:
    nn = api.nn

    class Classifier(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            layer = nn.TransformerEncoderLayer(384, 12, 1536, 0.0, "gelu", batch_first=True)
            self.encoder = nn.TransformerEncoder(layer, 6, **api.encoder)
            self.head = nn.Linear(384, 10)

        def forward(self, x: Any) -> Any:
            return self.head(self.encoder(x).mean(1))

    return Classifier()


def _gpt(api: Api) -> Any:
    """Karpathy's nanoGPT for characters: 4 layers, 4 heads, 128 wide, 64 characters to look back."""
    nn, F = api.nn, api.F
    vocabulary, width, heads, length = 65, 128, 4, 64

    class Block(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x: Any) -> Any:
            n, t, _ = x.shape
            qkv = self.qkv(self.norm1(x)).reshape((n, t, 3, heads, width // heads))
            qkv = api.permute(qkv, (2, 0, 3, 1, 4))
            y = F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], is_causal=True)
            x = x + self.proj(api.permute(y, (0, 2, 1, 3)).reshape((n, t, width)))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    class Gpt(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
            self.blocks = nn.Sequential(*(Block() for _ in range(4)))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary)

        def forward(self, x: Any) -> Any:
            y = self.tokens(x) + self.places.weight[: x.shape[1]]
            return self.head(self.norm(self.blocks(y)))

    return Gpt()


def _minilm(api: Api) -> Any:
    """The architecture of all-MiniLM-L6-v2, as in examples/minilm.py: a BERT of 6 layers, 384 wide."""
    nn, F = api.nn, api.F
    width, heads = 384, 12

    class Layer(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
            self.out, self.norm1 = nn.Linear(width, width), nn.LayerNorm(width, eps=1e-12)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.norm2 = nn.LayerNorm(width, eps=1e-12)

        def forward(self, x: Any, mask: Any) -> Any:
            n, t, _ = x.shape

            def by_head(y: Any) -> Any:
                return api.permute(y.reshape((n, t, heads, width // heads)), (0, 2, 1, 3))

            q, k, v = by_head(self.query(x)), by_head(self.key(x)), by_head(self.value(x))
            y = F.scaled_dot_product_attention(q, k, v, mask)
            x = self.norm1(self.out(api.permute(y, (0, 2, 1, 3)).reshape((n, t, width))) + x)
            return self.norm2(self.down(F.gelu(self.up(x))) + x)

    class MiniLM(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.words, self.places = nn.Embedding(30522, width), nn.Embedding(512, width)
            self.types, self.norm = nn.Embedding(2, width), nn.LayerNorm(width, eps=1e-12)
            self.layers = nn.ModuleList(Layer() for _ in range(6))

        def forward(self, ids: Any, mask: Any) -> Any:
            x = self.norm(self.words(ids) + self.places(api.arange(ids.shape[1])) + self.types.weight[:1])
            for layer in self.layers:
                x = layer(x, mask[:, None, None, :])
            weights = api.cast(mask, x)[:, :, None]
            return F.normalize((x * weights).sum(1) / weights.sum(1), 2.0, -1)

    return MiniLM()


def _sentences(length: int) -> Callable[[Random, int], tuple[Array, ...]]:
    """Sentences padded to one length; the first one is that long."""

    def inputs(rng: Random, batch: int) -> tuple[Array, ...]:
        lengths = rng.integers(length // 2, length + 1, (batch, 1))
        lengths[0] = length
        return rng.integers(0, 30522, (batch, length)), np.arange(length) < lengths

    return inputs


_CHARACTERS = _classes(65, 64)

MODELS = {
    "mlp-tabular": Model(
        _perceptron(32, 64, 64, 1),
        _normal(32),
        lambda rng, batch: rng.standard_normal((batch, 1), np.float32),
        "mse",
        32,
    ),
    "mlp-mnist": Model(_perceptron(784, 256, 128, 10), _normal(784), _classes(10), "cross_entropy", 128),
    "lenet": Model(_lenet, _normal(1, 28, 28), _classes(10), "cross_entropy", 64),
    "resnet8": Model(_resnet8, _normal(3, 32, 32), _classes(10), "cross_entropy", 32),
    "mobilenet": Model(_mobilenet, _normal(3, 96, 96), _classes(10), "cross_entropy", 16),
    "lstm": Model(_recurrent("LSTM"), _normal(100, 128), _classes(10), "cross_entropy", 32),
    "gru": Model(_recurrent("GRU"), _normal(100, 128), _classes(10), "cross_entropy", 32),
    "encoder": Model(_encoder, _normal(128, 384), _classes(10), "cross_entropy", 8),
    "gpt": Model(
        _gpt,
        lambda rng, batch: (_CHARACTERS(rng, batch),),
        _CHARACTERS,
        "cross_entropy",
        16,
    ),
    "resnet18": Model(_resnet18, _normal(3, 224, 224), None, "", 1),
    "efficientnet": Model(_efficientnet, _normal(3, 224, 224), None, "", 1),
    "minilm-32": Model(_minilm, _sentences(32), None, "", 1),
    "minilm-128": Model(_minilm, _sentences(128), None, "", 1),
}
TRAINED = [name for name, model in MODELS.items() if model.targets is not None]
