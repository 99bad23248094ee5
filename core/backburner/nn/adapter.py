"""Low-rank changes of layers that are frozen otherwise: LoRA (Hu et al. 2021, arXiv:2106.09685)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, Self

from backburner import random
from backburner._names import choose
from backburner._tensor import Tensor
from backburner.errors import ArgumentError, DTypeError
from backburner.nn import functional as F
from backburner.nn._checks import count, within
from backburner.nn._module import Module
from backburner.nn._parameter import Parameter, State
from backburner.nn._tree import parts
from backburner.nn.conv import Conv1d, Conv2d, Conv3d
from backburner.nn.functional._options import finite
from backburner.nn.indexing import Embedding
from backburner.nn.linalg import Linear
from backburner.ops.creation import zeros

_CONVOLUTIONS = {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}


class LoRA(Module):
    """A layer that is frozen, and a change of low rank to its weight that trains.

    It computes what ``base`` would with the weight ``base.weight + alpha / rank * lora_B @ lora_A``, but adds the
    change to the output of ``base``, through ``rank`` features, so that no such weight is ever made. ``lora_A``
    starts normal and ``lora_B`` zero: at first nothing changes.

    Args:
        base: a ``Linear``, a convolution, or an ``Embedding`` without ``max_norm``. It is frozen.
        rank: of the change.
        alpha: by default ``rank``, for a factor of 1.
        dropout: the probability with which the input of ``lora_A`` is dropped while the module trains; indices
            of an embedding are not.

    Shape:
        As ``base``. ``lora_A`` is ``[rank, in]``, of a convolution ``[groups * rank, in / groups, *kernel]``, of an
        embedding ``[num_embeddings, rank]``; ``lora_B`` is ``[out, rank]``, of a convolution ``[out, rank, 1, ...]``.

    Raises:
        DTypeError: ``base`` is another module.
        ArgumentError: ``rank`` is below 1, or ``dropout`` no probability.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> layer = nn.LoRA(nn.Linear(6, 4), rank=2)
        >>> [(name, p.shape) for name, p in layer.named_parameters() if not p.is_frozen]
        [('lora_A', (2, 6)), ('lora_B', (4, 2))]
        >>> list(layer.merge().state_dict()), list(layer.unmerge().state_dict())
        (['weight', 'bias'], ['lora_A', 'lora_B', 'base.weight', 'base.bias'])
    """

    def __init__(self, base: Module, rank: int = 8, alpha: float | None = None, dropout: float = 0.0) -> None:
        if not can_adapt(base):
            raise DTypeError(
                f"LoRA: cannot change {type(base).__name__}. Use a Linear, a convolution, or an Embedding "
                "without max_norm."
            )
        self.rank = count("LoRA", "rank", rank)
        self.alpha = finite("LoRA", "alpha", self.rank if alpha is None else alpha)
        self.dropout = within("LoRA", "dropout", dropout, 0, 1)
        self.base = base.freeze()
        self._original: Parameter | None = None
        weight: Parameter = base.weight
        out, *rest = weight.shape
        narrow: tuple[int, ...] = (self.rank * getattr(base, "groups", 1), *rest)
        wide: tuple[int, ...] = (out, self.rank, *[1] * (len(rest) - 1))
        std = 1 / math.sqrt(max(math.prod(rest), 1))
        if isinstance(base, Embedding):
            narrow, wide, std = (out, self.rank), (rest[0], self.rank), 1.0
        drawn = random.normal(narrow, std=std, dtype=weight.dtype, device=weight.device)
        padding = getattr(base, "padding_idx", None)
        if padding is not None:  # its row gets no gradient, so it stays zero and so does what is added
            drawn = drawn.at[padding].set(0)
        self.lora_A = Parameter(drawn)
        self.lora_B = Parameter(zeros(wide, dtype=weight.dtype, device=weight.device))
        if base._device is not None:
            self.to(base._device)

    @property
    def merged(self) -> bool:
        """Whether the change is in the weight of ``base`` now."""
        return self._original is not None

    @property
    def weight(self) -> Tensor:
        """The weight of ``base`` with the change."""
        return self.base.weight if self.merged else self.base.weight + self.change()  # type: ignore[no-any-return]

    def forward(self, x: Any) -> Tensor:
        y: Tensor = self.base(x)
        if self.merged:
            return y
        if not isinstance(self.base, Embedding):
            x = F.dropout(x, self.dropout, self.training)
        between = self._through(self.lora_A, x) * (self.alpha / self.rank)
        convolution = _CONVOLUTIONS.get(self.lora_B.ndim)
        if convolution is None:
            return y + F.linear(between, self.lora_B)
        return y + convolution(between, self.lora_B, groups=self.base.groups)

    def _through(self, weight: Parameter, x: Any) -> Tensor:
        """Run the base layer, with its options, with another weight and no bias."""
        layer: Any = object.__new__(type(self.base))
        layer.__dict__.update(vars(self.base), weight=weight, _hooks=None)
        if "bias" in layer.__dict__:
            layer.__dict__["bias"] = None
        return layer(x)  # type: ignore[no-any-return]

    def change(self) -> Tensor:
        """Return what is added to the weight of ``base``, in its shape."""
        a, b, shape = self.lora_A, self.lora_B, self.base.weight.shape
        factor = self.alpha / self.rank
        if isinstance(self.base, Embedding):
            return a @ b.mT * factor
        groups = getattr(self.base, "groups", 1)
        product = b.reshape((groups, -1, self.rank)) @ a.reshape((groups, self.rank, -1))
        return product.reshape(shape) * factor

    def merge(self) -> Self:
        """Put the change into the weight of ``base``, and return this module.

        Until ``unmerge`` the module computes what ``base`` does, at its cost, and shows its parameters under
        their own names, so that a model saves as if it had never been changed. A tied weight is tied no more.
        """
        if not self.merged:
            merged = Parameter(self.weight.detach().inner())
            self._original, self.base.weight = self.base.weight, merged
        return self

    def unmerge(self) -> Self:
        """Put the weight back that ``base`` had before ``merge``, to the bit, and return this module."""
        if self._original is not None:
            self.base.weight, self._original = self._original, None
        return self

    def _named(self) -> Iterator[tuple[str, Module | State]]:
        return self.base._named() if self.merged else super()._named()

    def __getattr__(self, name: str) -> Any:
        base = self.__dict__.get("base")
        if base is not None and name in vars(base):  # so that a module around it finds its options
            return vars(base)[name]
        return super().__getattr__(name)

    def extra_repr(self) -> str:
        text = f"rank={self.rank}, alpha={self.alpha:g}, dropout={self.dropout:g}"
        return f"{text}, merged into {self.base!r}" if self.merged else text


def can_adapt(layer: object) -> bool:
    """Say whether ``LoRA`` can change a layer."""
    if isinstance(layer, Embedding):
        return getattr(layer, "max_norm", None) is None
    return isinstance(layer, (Linear, Conv1d, Conv2d, Conv3d))


def lora(
    model: Module,
    patterns: str | Iterable[str],
    rank: int = 8,
    alpha: float | None = None,
    dropout: float = 0.0,
) -> Module:
    """Wrap the layers that patterns of names match in ``LoRA``, freeze the rest, and return the model.

    Args:
        model: it is changed in place.
        patterns: one or several, as the shell's, where ``*`` is any text, dots included; they are matched with
            the names of the layers that ``LoRA`` can change.
        rank: see ``LoRA``.
        alpha: see ``LoRA``.
        dropout: see ``LoRA``.

    Returns:
        ``model``, in which nothing trains but the changes, those of an earlier call included.

    Raises:
        ArgumentError: a pattern matches no layer, or an option has no sense; then nothing has changed.
        DTypeError: ``model`` is no module.

    Example:
        >>> from backburner import nn
        >>> model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        >>> nn.lora(model, "2", rank=1)
        Sequential(
          (0): Linear(in_features=4, out_features=8, bias=True)
          (1): ReLU()
          (2): LoRA(
            rank=1, alpha=1, dropout=0
            (base): Linear(in_features=8, out_features=2, bias=True)
          )
        )
        >>> sum(p.size for p in model.parameters() if not p.is_frozen)
        10
    """
    _module("lora", model)
    count("lora", "rank", rank)
    within("lora", "dropout", dropout, 0, 1)
    if alpha is not None:
        finite("lora", "alpha", alpha)
    inside = {id(module.base) for module in model.modules() if isinstance(module, LoRA)}
    layers = {
        name: module
        for name, module in model.named_modules(remove_duplicate=False)
        if name and can_adapt(module) and id(module) not in inside
    }
    if can_adapt(model):
        kind = type(model).__name__
        raise ArgumentError(f"lora: the model is itself a layer, {kind}. Use nn.LoRA({kind.lower()}, rank).")
    chosen: dict[int, Module] = {}
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        chosen.update((id(layers[name]), layers[name]) for name in choose("lora", pattern, layers))
    if not chosen:
        raise ArgumentError("lora: there is no pattern, and so no layer to adapt. Name some, such as '*'.")
    _exchange(model, {key: LoRA(layer, rank, alpha, dropout) for key, layer in chosen.items()})
    model.freeze()
    for module in model.modules():
        if isinstance(module, LoRA):
            object.__setattr__(module, "_frozen", False)
            module.lora_A._freeze(False)
            module.lora_B._freeze(False)
    return model


def merge_lora(model: Module) -> Module:
    """Put all changes into the weights, take the ``LoRA`` modules away, and return the model.

    It computes what it did, up to rounding, and has the classes and the names that it had before ``lora``. What
    was frozen stays so: ``model.unfreeze()`` ends that.

    Raises:
        ArgumentError: there is none in it, or the model is one itself: use its ``merge``.

    Example:
        >>> from backburner import nn
        >>> model = nn.lora(nn.Sequential(nn.Linear(4, 2)), "0")
        >>> list(nn.merge_lora(model).state_dict())
        ['0.weight', '0.bias']
    """
    found = [module for module in _changed("merge_lora", model) if module is not model]
    if not found:
        raise ArgumentError("merge_lora: the model is a LoRA itself. Use its merge().")
    _exchange(model, {id(module): module.merge().base for module in found})
    return model


def lora_state_dict(model: Module) -> dict[str, Tensor]:
    """Return the changes of a model alone, under their names in it, to be saved with ``bb.save``.

    ``model.load_state_dict(state, strict=False)`` loads them into a model that ``lora`` wrapped alike.

    Raises:
        ArgumentError: there are none, or all are merged.

    Example:
        >>> from backburner import nn
        >>> list(nn.lora_state_dict(nn.lora(nn.Sequential(nn.Linear(4, 2)), "0")))
        ['0.lora_A', '0.lora_B']
    """
    changes = {
        id(part) for module in _changed("lora_state_dict", model) for part in (module.lora_A, module.lora_B)
    }
    names = [name for name, state in model.named_state() if id(state) in changes]
    if not names:
        raise ArgumentError("lora_state_dict: all changes are merged. Use unmerge() first.")
    state = model.state_dict()
    return {name: state[name] for name in names}


def _module(op: str, model: object) -> None:
    if not isinstance(model, Module):
        raise DTypeError(f"{op}: needs a module, got {type(model).__name__}.")


def _changed(op: str, model: Module) -> list[LoRA]:
    _module(op, model)
    found = [module for module in model.modules() if isinstance(module, LoRA)]
    if not found:
        raise ArgumentError(f"{op}: no layer of the model is a LoRA. Use nn.lora(model, patterns) first.")
    return found


def _exchange(model: Module, others: dict[int, Module]) -> None:
    """Put other modules in the places of those with these ids, wherever they are."""

    def exchanged(value: Any) -> Any:
        if isinstance(value, Module):
            return others.get(id(value), value)
        if isinstance(value, dict):
            return {key: exchanged(entry) for key, entry in value.items()}
        if isinstance(value, (list, tuple)):
            entries = [exchanged(entry) for entry in value]
            make: Any = type(value)
            return make(*entries) if hasattr(value, "_fields") else make(entries)
        return value

    for module in list(model.modules()):
        for name, value in vars(module).items():
            if any(id(part) in others for _, part in parts(value)):
                module.__dict__[name] = exchanged(value)
