"""Recurrent layers and their cells as modules."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar

from backburner._tensor import Tensor
from backburner.device import Device
from backburner.errors import ArgumentError, ShapeError
from backburner.nn import functional as F
from backburner.nn._checks import count, flag, within
from backburner.nn._module import Module
from backburner.nn._parameter import Parameter
from backburner.nn.functional._recurrent import Lengths, Pair, known
from backburner.nn.init import uniform_fan_in
from backburner.nn.utils.rnn import PackedSequence, pad_packed_sequence, repack
from backburner.ops._operands import primitive


class _Recurrent(Module):
    _gates: ClassVar[int]
    _run: Callable[[Tensor, Any, bool, Lengths], tuple[Tensor, Any]]

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int, bias: bool, batch_first: bool, dropout: float,
        bidirectional: bool, proj_size: int, device: Device | None, dtype: Any,
    ) -> None:  # fmt: skip
        op = type(self).__name__
        self.input_size = count(op, "input_size", input_size, 0)
        self.hidden_size = count(op, "hidden_size", hidden_size)
        self.num_layers = count(op, "num_layers", num_layers)
        self.bias = flag(op, "bias", bias)
        self.batch_first = flag(op, "batch_first", batch_first)
        self.dropout = within(op, "dropout", dropout, 0, 1)
        self.bidirectional = flag(op, "bidirectional", bidirectional)
        self.proj_size = count(op, "proj_size", proj_size, 0)
        if self.proj_size >= self.hidden_size:
            raise ArgumentError(
                f"{op}: proj_size must be below hidden_size, got {self.proj_size} and {self.hidden_size}."
            )
        if self.dropout and self.num_layers == 1:
            warnings.warn(
                f"{op}: dropout={self.dropout} is between layers, and there is one.",
                UserWarning,
                stacklevel=3,
            )
        self._names: list[str] = []
        rows, state = self._gates * self.hidden_size, self.proj_size or self.hidden_size
        directions = 2 if self.bidirectional else 1
        for layer in range(self.num_layers):
            width = self.input_size if layer == 0 else directions * state
            shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, width), "weight_hh": (rows, state)}
            if self.bias:
                shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
            if self.proj_size:
                shapes["weight_hr"] = (state, self.hidden_size)
            for suffix in ("", "_reverse")[:directions]:
                for kind, shape in shapes.items():
                    name = f"{kind}_l{layer}{suffix}"
                    setattr(self, name, uniform_fan_in(shape, self.hidden_size, dtype, device))
                    self._names.append(name)

    def _weights(self) -> list[Parameter]:
        return [getattr(self, name) for name in self._names]

    def _options(self) -> dict[str, Any]:
        return {
            "num_layers": self.num_layers,
            "bidirectional": self.bidirectional,
            "dropout": self.dropout,
            "training": self.training,
        }

    def forward(self, x: Any, hx: Any = None, lengths: Lengths = None) -> Any:
        op = type(self).__name__
        if not isinstance(x, PackedSequence):
            self._fits(x)
            return self._run(x, hx, self.batch_first, lengths)
        if lengths is not None:
            raise ArgumentError(f"{op}: a packed sequence has its lengths with it. Leave lengths out.")
        padded, ends = pad_packed_sequence(x)
        self._fits(padded)
        out, last = self._run(padded, hx, False, ends)
        return repack(out, x), last

    def _fits(self, x: Tensor) -> None:
        shape = primitive(type(self).__name__, x).shape
        if len(shape) not in (2, 3) or shape[-1] != self.input_size:
            first = "n, t" if self.batch_first else "t, n"
            raise ShapeError(
                f"{type(self).__name__}: the input must be [{first}, {self.input_size}], or "
                f"[t, {self.input_size}] for one sequence, got {list(shape)}."
            )

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        usual: dict[str, Any] = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False}
        usual |= {"dropout": 0.0, "bidirectional": False}
        for name, value in usual.items():
            if (found := getattr(self, name)) != value:
                text += f", {name}={found}"
        return text


class RNN(_Recurrent):
    """``functional.rnn``: layers of ``h = tanh(w_ih x + b_ih + w_hh h + b_hh)`` over sequences.

    Args:
        input_size: the features of a step.
        hidden_size: those of a state, ``h``.
        num_layers: how many layers; each takes the states of the one before.
        nonlinearity: ``"tanh"`` or ``"relu"``.
        bias: whether there are biases.
        batch_first: whether input and output are ``[n, t, ...]``; the states are not.
        dropout: the probability with which a state between two layers is dropped while the module trains.
        bidirectional: read each sequence from its end too, and join the states.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    ``forward(x, hx=None, lengths=None)`` takes the states before the first step, zeros if left out, and where the
    sequences end, in any order; beyond its end a sequence does not matter and comes out as 0. Instead ``x`` may be
    a ``PackedSequence`` (see ``nn.utils.rnn``): the output is one then.

    Shape:
        x ``[t, n, input_size]``, or ``[t, input_size]`` for one sequence; hx ``[layers * directions, n, h]``, or
        without ``n``. Output ``[t, n, directions * h]``, and the last states as hx. Parameters ``weight_ih_l0``
        ``[h, input_size]``, in further layers ``[h, directions * h]``, ``weight_hh_l0`` ``[h, h]``, ``bias_ih_l0``,
        ``bias_hh_l0`` ``[h]``, and so on, with ``_reverse`` for those from the end.

    Raises:
        ArgumentError: a size or an option is not one.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> layer = nn.RNN(4, 8, batch_first=True, bidirectional=True)
        >>> out, h = layer(bb.ones((2, 5, 4)), lengths=[5, 3])
        >>> out.shape, h.shape
        ((2, 5, 16), (2, 2, 8))
    """

    _gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        known("RNN", nonlinearity)
        self.nonlinearity = nonlinearity
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype
        )

    def _run(self, x: Tensor, hx: Any, batch_first: bool, lengths: Lengths) -> tuple[Tensor, Tensor]:
        return F.rnn(
            x, hx, self._weights(), nonlinearity=self.nonlinearity, batch_first=batch_first, lengths=lengths,
            **self._options(),
        )  # fmt: skip


class GRU(_Recurrent):
    """``functional.gru``: gated recurrent units over sequences.

    Args:
        input_size: as for ``RNN``, and so are the others.
        hidden_size: the features of a state.
        num_layers: how many layers.
        bias: whether there are biases.
        batch_first: whether input and output are ``[n, t, ...]``.
        dropout: between layers, while the module trains.
        bidirectional: read each sequence from its end too.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        As for ``RNN``, the parameters with ``3 h`` rows: those of r, z and n.

    Raises:
        ArgumentError: a size or an option is not one.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> y, h = nn.GRU(3, 5, batch_first=True)(bb.ones((2, 7, 3)))
        >>> y.shape, h.shape
        ((2, 7, 5), (1, 2, 5))
    """

    _gates = 3

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype
        )

    def _run(self, x: Tensor, hx: Any, batch_first: bool, lengths: Lengths) -> tuple[Tensor, Tensor]:
        return F.gru(x, hx, self._weights(), batch_first=batch_first, lengths=lengths, **self._options())


class LSTM(_Recurrent):
    """``functional.lstm``: long short-term memory over sequences.

    Args:
        input_size: as for ``RNN``, and so are the others.
        hidden_size: the features of a cell, and of a state unless it is projected.
        num_layers: how many layers.
        bias: whether there are biases.
        batch_first: whether input and output are ``[n, t, ...]``.
        dropout: between layers, while the module trains.
        bidirectional: read each sequence from its end too.
        proj_size: project states to so many features, fewer than ``hidden_size``; 0 for no projection.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    States before and after are pairs, of states and cells: ``out, (h, c) = layer(x, (h0, c0))``.

    Shape:
        As for ``RNN``, the parameters with ``4 h`` rows: those of i, f, g and o. With ``proj_size`` states have
        that many features, and there are ``weight_hr_l0`` ``[proj_size, hidden_size]`` and so on.

    Raises:
        ArgumentError: a size or an option is not one.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> y, (h, c) = nn.LSTM(3, 5, num_layers=2, bidirectional=True, batch_first=True)(bb.ones((2, 7, 3)))
        >>> y.shape, h.shape, c.shape
        ((2, 7, 10), (4, 2, 5), (4, 2, 5))
    """

    _gates = 4

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size, device, dtype
        )  # fmt: skip

    def _run(self, x: Tensor, hx: Any, batch_first: bool, lengths: Lengths) -> tuple[Tensor, Pair]:
        return F.lstm(
            x, hx, self._weights(), batch_first=batch_first, lengths=lengths, proj_size=self.proj_size,
            **self._options(),
        )  # fmt: skip


class _Cell(Module):
    _gates: ClassVar[int]

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, device: Device | None, dtype: Any
    ) -> None:
        op = type(self).__name__
        self.input_size = count(op, "input_size", input_size, 0)
        self.hidden_size = h = count(op, "hidden_size", hidden_size)
        self.bias = flag(op, "bias", bias)
        rows = self._gates * h
        self.weight_ih = uniform_fan_in((rows, self.input_size), h, dtype, device)
        self.weight_hh = uniform_fan_in((rows, h), h, dtype, device)
        self.bias_ih = uniform_fan_in((rows,), h, dtype, device) if self.bias else None
        self.bias_hh = uniform_fan_in((rows,), h, dtype, device) if self.bias else None

    def _weights(self) -> tuple[Tensor, Tensor, Tensor | None, Tensor | None]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(_Cell):
    """``functional.rnn_cell``, one step of ``RNN``: ``h = cell(x, h)``.

    Args:
        input_size: the features of a step.
        hidden_size: those of a state.
        bias: whether there are biases.
        nonlinearity: ``"tanh"`` or ``"relu"``.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        x ``[n, input_size]``, or without ``n``; states ``[n, hidden_size]``, likewise; zeros if left out.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> cell, h = nn.RNNCell(3, 5), None
        >>> for x in bb.ones((4, 2, 3)):
        ...     h = cell(x, h)
        >>> h.shape
        (2, 5)
    """

    _gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        known("RNNCell", nonlinearity)
        self.nonlinearity = nonlinearity
        super().__init__(input_size, hidden_size, bias, device, dtype)

    def forward(self, x: Tensor, hx: Tensor | None = None) -> Tensor:
        return F.rnn_cell(x, hx, *self._weights(), nonlinearity=self.nonlinearity)

    def extra_repr(self) -> str:
        text = super().extra_repr()
        return text if self.nonlinearity == "tanh" else f"{text}, nonlinearity={self.nonlinearity}"


class GRUCell(_Cell):
    """``functional.gru_cell``, one step of ``GRU``: ``h = cell(x, h)``.

    Args:
        input_size: the features of a step.
        hidden_size: those of a state.
        bias: whether there are biases.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        As for ``RNNCell``.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> nn.GRUCell(3, 5)(bb.ones((2, 3))).shape
        (2, 5)
    """

    _gates = 3

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)

    def forward(self, x: Tensor, hx: Tensor | None = None) -> Tensor:
        return F.gru_cell(x, hx, *self._weights())


class LSTMCell(_Cell):
    """``functional.lstm_cell``, one step of ``LSTM``: ``h, c = cell(x, (h, c))``.

    Args:
        input_size: the features of a step.
        hidden_size: those of a state and of a cell.
        bias: whether there are biases.
        device: where the parameters are.
        dtype: theirs; float32 by default.

    Shape:
        As for ``RNNCell``, the states in pairs.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> h, c = nn.LSTMCell(3, 5)(bb.ones((2, 3)))
        >>> h.shape, c.shape
        ((2, 5), (2, 5))
    """

    _gates = 4

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Device | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)

    def forward(self, x: Tensor, hx: Pair | None = None) -> Pair:
        return F.lstm_cell(x, hx, *self._weights())
