"""The transformer (Vaswani et al. 2017) as modules: its layers, stacks of them, and the whole."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from backburner._tensor import Tensor
from backburner.device import Device
from backburner.dtype import DEFAULT_FLOAT, canonical
from backburner.errors import ArgumentError, DTypeError, ShapeError
from backburner.nn import functional as F
from backburner.nn._checks import count, flag, within
from backburner.nn._module import Module
from backburner.nn.attention import MultiheadAttention
from backburner.nn.cache import KVCache
from backburner.nn.container import ModuleList
from backburner.nn.dropout import Dropout
from backburner.nn.init import xavier_uniform
from backburner.nn.linalg import Linear
from backburner.nn.norm import LayerNorm
from backburner.ops._operands import chosen, primitive

Activation = str | Callable[[Tensor], Tensor]


def _function(op: str, activation: Activation) -> Callable[[Tensor], Tensor]:
    if callable(activation):
        return activation
    chosen(op, "activation", activation, ("relu", "gelu"))
    return F.relu if activation == "relu" else F.gelu


def _checked(
    op: str, d_model: int, nhead: int, dim_feedforward: int, dropout: float, eps: float, batch_first: bool, bias: bool
) -> None:  # fmt: skip
    """Refuse wrong options in the name of who was given them."""
    if count(op, "d_model", d_model) % count(op, "nhead", nhead):
        raise ArgumentError(f"{op}: nhead={nhead} does not divide d_model={d_model}.")
    count(op, "dim_feedforward", dim_feedforward)
    within(op, "dropout", dropout, 0, 1)
    within(op, "layer_norm_eps", eps, 0)
    flag(op, "batch_first", batch_first)
    flag(op, "bias", bias)


class _Layer(Module):
    """What both kinds of layer have."""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int, dropout: float, activation: Activation,
        layer_norm_eps: float, batch_first: bool, norm_first: bool, bias: bool, device: Device | None, dtype: Any,
        attentions: tuple[str, ...],
    ) -> None:  # fmt: skip
        op = type(self).__name__
        _checked(op, d_model, nhead, dim_feedforward, dropout, layer_norm_eps, batch_first, bias)
        self.norm_first = flag(op, "norm_first", norm_first)
        self.activation = _function(op, activation)
        for name in attentions:
            attention = MultiheadAttention(
                d_model, nhead, dropout, bias, batch_first=batch_first, device=device, dtype=dtype
            )
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias, device, dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, device, dtype)
        for i in range(1, len(attentions) + 2):
            setattr(
                self, f"norm{i}", LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
            )
        for i in range(1, len(attentions) + 2):
            setattr(self, f"dropout{i}", Dropout(dropout))

    def _feed_forward(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))  # type: ignore[no-any-return]


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, and two linear layers, each with a residual connection and a norm.

    Args:
        d_model: the features of a position, ``e``.
        nhead: how many heads of attention.
        dim_feedforward: the features between the linear layers.
        dropout: the probability of each dropout, the one of attention included.
        activation: between the linear layers, ``"relu"``, ``"gelu"`` or a function.
        layer_norm_eps: added to the variance.
        batch_first: whether sequences are ``[n, l, e]`` instead of ``[l, n, e]``.
        norm_first: whether the norm is before attention and linear layers instead of after the residual sum.
        bias: whether the projections, linear layers and norms have biases.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    ``forward(src, src_mask=None, src_key_padding_mask=None, is_causal=False, cache=None)`` takes masks as
    ``MultiheadAttention`` does, and a ``KVCache`` of its own.

    Shape:
        src and result ``[l, n, e]``, or ``[l, e]``.

    Raises:
        ArgumentError: an option is not one.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.TransformerEncoderLayer(8, 2, 16, norm_first=True, batch_first=True)(bb.ones((3, 5, 8))).shape
        (3, 5, 8)
    """

    self_attn: MultiheadAttention

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias,
            device, dtype, ("self_attn",),
        )  # fmt: skip

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
        cache: KVCache | None = None,
    ) -> Tensor:
        def attend(x: Tensor) -> Tensor:
            y, _ = self.self_attn(
                x, x, x, src_key_padding_mask, False, src_mask, is_causal=is_causal, cache=cache
            )
            return self.dropout1(y)  # type: ignore[no-any-return]

        x = src
        if self.norm_first:
            x = x + attend(self.norm1(x))
            return x + self.dropout2(self._feed_forward(self.norm2(x)))  # type: ignore[no-any-return]
        x = self.norm1(x + attend(x))
        return self.norm2(x + self.dropout2(self._feed_forward(x)))  # type: ignore[no-any-return]


class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself, then to another, and two linear layers, each with a residual and a norm.

    Args:
        d_model: as for ``TransformerEncoderLayer``, and so are the others.
        nhead: how many heads of attention.
        dim_feedforward: the features between the linear layers.
        dropout: the probability of each dropout.
        activation: between the linear layers.
        layer_norm_eps: added to the variance.
        batch_first: whether sequences are ``[n, l, e]``.
        norm_first: whether the norms are before.
        bias: whether there are biases.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    ``forward(tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
    memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False, cache=None)`` takes masks as
    ``MultiheadAttention`` does. A ``KVCache`` keeps the keys of the sequence, and those of ``memory``, which it
    looks at the first time alone.

    Shape:
        tgt and result ``[l, n, e]``, memory ``[s, n, e]``, or all without ``n``.

    Raises:
        ArgumentError: an option is not one.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> layer = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
        >>> layer(bb.ones((3, 4, 8)), memory=bb.ones((3, 5, 8))).shape
        (3, 4, 8)
    """

    self_attn: MultiheadAttention
    multihead_attn: MultiheadAttention

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias,
            device, dtype, ("self_attn", "multihead_attn"),
        )  # fmt: skip

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
        cache: KVCache | None = None,
    ) -> Tensor:
        own = None if cache is None else cache["self"]
        other = None if cache is None else cache["memory"]

        def attend(x: Tensor) -> Tensor:
            y, _ = self.self_attn(
                x, x, x, tgt_key_padding_mask, False, tgt_mask, is_causal=tgt_is_causal, cache=own
            )
            return self.dropout1(y)  # type: ignore[no-any-return]

        def attend_memory(x: Tensor) -> Tensor:
            y, _ = self.multihead_attn(
                x, memory, memory, memory_key_padding_mask, False, memory_mask, is_causal=memory_is_causal,
                cache=other, static_kv=other is not None,
            )  # fmt: skip
            return self.dropout2(y)  # type: ignore[no-any-return]

        x = tgt
        if self.norm_first:
            x = x + attend(self.norm1(x))
            x = x + attend_memory(self.norm2(x))
            return x + self.dropout3(self._feed_forward(self.norm3(x)))  # type: ignore[no-any-return]
        x = self.norm1(x + attend(x))
        x = self.norm2(x + attend_memory(x))
        return self.norm3(x + self.dropout3(self._feed_forward(x)))  # type: ignore[no-any-return]


def _copies(op: str, layer: Any, num_layers: int) -> ModuleList:
    if not isinstance(layer, Module):
        raise DTypeError(f"{op}: the layer is a {type(layer).__name__}, not a Module.")
    return ModuleList([copy.deepcopy(layer) for _ in range(count(op, "num_layers", num_layers))])


class TransformerEncoder(Module):
    """A stack of copies of a layer, each with parameters of its own that start alike.

    Args:
        encoder_layer: what is copied.
        num_layers: how often.
        norm: applied to the result.
        enable_nested_tensor: taken for PyTorch's sake; it decides nothing.
        mask_check: likewise.

    ``forward(src, mask=None, src_key_padding_mask=None, is_causal=None, cache=None)``: with a cache and no mask it
    is causal unless told otherwise, and without ``memory`` it is a decoder as language models are.

    Shape:
        src and result ``[l, n, e]``, or with ``batch_first`` ``[n, l, e]``, or ``[l, e]``.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        >>> nn.TransformerEncoder(layer, 2)(bb.ones((3, 5, 8))).shape
        (3, 5, 8)
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        flag("TransformerEncoder", "enable_nested_tensor", enable_nested_tensor)
        flag("TransformerEncoder", "mask_check", mask_check)
        self.layers = _copies("TransformerEncoder", encoder_layer, num_layers)
        self.num_layers = len(self.layers)
        self.norm = norm

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
        cache: KVCache | None = None,
    ) -> Tensor:
        causal = cache is not None and mask is None if is_causal is None else is_causal
        x = src
        for i, layer in enumerate(self.layers):
            part = {} if cache is None else {"cache": cache[i]}
            x = layer(x, mask, src_key_padding_mask, causal, **part)
        return x if self.norm is None else self.norm(x)


class TransformerDecoder(Module):
    """A stack of copies of a layer, each with parameters of its own that start alike.

    Args:
        decoder_layer: what is copied.
        num_layers: how often.
        norm: applied to the result.

    ``forward(tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
    memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False, cache=None)``: with a cache and no
    ``tgt_mask`` it is causal unless told otherwise.

    Shape:
        tgt and result ``[l, n, e]``, memory ``[s, n, e]``, or with ``batch_first`` ``[n, l, e]`` and ``[n, s, e]``,
        or all without ``n``.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> layer = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
        >>> decoder, cache = nn.TransformerDecoder(layer, 2), nn.KVCache()
        >>> memory = bb.random.normal((1, 5, 8))
        >>> [decoder(bb.ones((1, 1, 8)), memory, cache=cache).shape for _ in range(2)], cache.length
        ([(1, 1, 8), (1, 1, 8)], 2)
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        self.layers = _copies("TransformerDecoder", decoder_layer, num_layers)
        self.num_layers = len(self.layers)
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
        cache: KVCache | None = None,
    ) -> Tensor:
        causal = cache is not None and tgt_mask is None if tgt_is_causal is None else tgt_is_causal
        x = tgt
        for i, layer in enumerate(self.layers):
            part = {} if cache is None else {"cache": cache[i]}
            x = layer(
                x, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, causal,
                memory_is_causal, **part,
            )  # fmt: skip
        return x if self.norm is None else self.norm(x)


class Transformer(Module):
    """An encoder of one sequence and a decoder of another that attends to it.

    Args:
        d_model: as for ``TransformerEncoderLayer``, and so are those not said here.
        nhead: how many heads of attention.
        num_encoder_layers: how many layers the encoder has.
        num_decoder_layers: how many the decoder has.
        dim_feedforward: the features between the linear layers.
        dropout: the probability of each dropout.
        activation: between the linear layers.
        custom_encoder: in the encoder's place.
        custom_decoder: in the decoder's place.
        layer_norm_eps: added to the variance.
        batch_first: whether sequences are ``[n, l, e]``.
        norm_first: whether the norms are before.
        bias: whether there are biases.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    ``forward(src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
    tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
    memory_is_causal=False)``. To generate, run ``encoder`` once and ``decoder`` with a cache for each step.

    Shape:
        src ``[s, n, e]``, tgt and result ``[t, n, e]``, or all without ``n``.

    Raises:
        ArgumentError: an option is not one.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> model = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
        >>> model(bb.ones((3, 5, 8)), bb.ones((3, 4, 8)), tgt_is_causal=True).shape
        (3, 4, 8)
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        op = "Transformer"
        _checked(op, d_model, nhead, dim_feedforward, dropout, layer_norm_eps, batch_first, bias)
        flag(op, "norm_first", norm_first)
        count(op, "num_encoder_layers", num_encoder_layers)
        count(op, "num_decoder_layers", num_decoder_layers)
        activation = _function(op, activation)
        options = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias,
            device, dtype,
        )  # fmt: skip

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)

        self.encoder = (
            custom_encoder
            if custom_encoder is not None
            else TransformerEncoder(TransformerEncoderLayer(*options), num_encoder_layers, norm())
        )
        self.decoder = (
            custom_decoder
            if custom_decoder is not None
            else TransformerDecoder(TransformerDecoderLayer(*options), num_decoder_layers, norm())
        )
        for parameter in self.parameters():
            if parameter.ndim > 1:
                parameter.assign(xavier_uniform(parameter.shape, dtype=parameter.dtype))
        self.d_model, self.nhead = d_model, nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        a, b = (primitive("Transformer", x).shape for x in (src, tgt))
        axis = 0 if self.batch_first else 1
        if len(a) != len(b) or len(a) == 3 and a[axis] != b[axis]:
            raise ShapeError(f"Transformer: src {list(a)} and tgt {list(b)} are not of one batch.")
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        return self.decoder(  # type: ignore[no-any-return]
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal,
            memory_is_causal,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Device | None = None, dtype: Any = None) -> Tensor:
        """Return a float mask that lets a position see itself and earlier ones: ``-inf`` above the diagonal, else 0.

        Shape:
            ``[sz, sz]``.
        """
        size = count("generate_square_subsequent_mask", "sz", sz, 0)
        wanted = DEFAULT_FLOAT if dtype is None else canonical(dtype, "generate_square_subsequent_mask")
        mask = np.where(np.tri(size, dtype=np.bool_), 0.0, -math.inf).astype(wanted)
        return Tensor(mask, Device(device))
