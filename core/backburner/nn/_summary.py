"""``summary``: a table of what is in a module and of what a forward pass takes."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

import numpy as np

from backburner import random
from backburner._seeds import SeedStream
from backburner._tensor import Tensor
from backburner.backend import Backend
from backburner.contracts import Shape
from backburner.device import Device, beside
from backburner.dtype import DEFAULT_FLOAT, DType, canonical
from backburner.errors import ArgumentError, DTypeError
from backburner.nn._module import Module
from backburner.nn._parameter import Parameter, State
from backburner.nn._tree import parts
from backburner.ops._operands import shape_of


def _matmul(out: Any, x: Any, y: Any) -> int:
    return int(np.size(out) * x.shape[-1])


def _linear(out: Any, x: Any, weight: Any, bias: Any) -> int:
    return int(out.size * weight.shape[-1])


def _conv(out: Any, x: Any, weight: Any, bias: Any) -> int:
    return int(out.size * math.prod(weight.shape[1:]))


def _conv_transpose(out: Any, x: Any, weight: Any, bias: Any) -> int:
    return int(x.size * math.prod(weight.shape[1:]))


def _attention(out: Any, query: Any, key: Any, value: Any, mask: Any) -> int:
    """Count the scores of all queries with all keys, masked or not, and the sums of values by them."""
    return int(math.prod(out.shape[:-1]) * key.shape[-2] * (query.shape[-1] + value.shape[-1]))


def _recurrent(out: Any, x: Any, *rest: Any) -> int:
    """Count the products with each matrix of weights at every step of every sequence."""
    lengths = rest[-1]
    steps = int(x.shape[0] * x.shape[1]) if lengths is None else int(np.sum(lengths))
    states = 2 if len(rest) == 8 else 1  # of an LSTM also the cell
    weights = [w for w in rest[states:-1] if w is not None and w.ndim == 2]
    return steps * sum(int(w.size) for w in weights)


COSTS: Final[dict[str, Callable[..., int]]] = {
    "matmul": _matmul,
    "linear": _linear,
    "conv2d": _conv,
    "conv3d": _conv,
    "conv_transpose2d": _conv_transpose,
    "conv_transpose3d": _conv_transpose,
    "scaled_dot_product_attention": _attention,
    "rnn": _recurrent,
    "gru": _recurrent,
    "lstm": _recurrent,
}
"""The multiply-adds of an op by its output and its inputs. What is not here is not made of products of matrices."""


class Counting:
    """The ops of another backend; after each one in ``COSTS`` its multiply-adds are told.

    Args:
        inner: what computes.
        tell: gets a number of multiply-adds.
    """

    def __init__(self, inner: Backend, tell: Callable[[int], None]) -> None:
        self._inner = inner
        self._tell = tell

    def __getattr__(self, name: str) -> Any:
        op = getattr(self._inner, name)
        cost = COSTS.get(name)
        if cost is not None:
            op = self._counted(op, cost)
        setattr(self, name, op)
        return op

    def _counted(self, op: Callable[..., Any], cost: Callable[..., int]) -> Callable[..., Any]:
        def counted(*inputs: Any, **options: Any) -> Any:
            out = op(*inputs, **options)
            self._tell(cost(out, *inputs))
            return out

        return counted


class SummaryRow(NamedTuple):
    """What one module adds to a ``Summary``: what is its own, without what is below it.

    Attributes:
        name: the module's name, empty for the whole.
        kind: its class.
        output: the shapes of the tensors that its ``forward`` returned last; none if it did not run.
        parameters: how many numbers its parameters have, those that a row before it has left out.
        trainable: how many of them are not frozen.
        bytes: the size of its parameters and buffers.
        multiply_adds: those of matrix products, convolutions, attention and recurrent layers in its ``forward``.
        calls: how often it ran.
    """

    name: str
    kind: str
    output: tuple[Shape, ...]
    parameters: int
    trainable: int
    bytes: int
    multiply_adds: int
    calls: int


class Summary:
    """What ``bb.summary`` found; as text, the table.

    Attributes:
        rows: one for each module, a module before what is in it.
    """

    def __init__(self, rows: tuple[SummaryRow, ...], ran: bool) -> None:
        self.rows = rows
        self._ran = ran

    @property
    def parameters(self) -> int:
        """How many numbers the parameters have, tied ones once."""
        return sum(row.parameters for row in self.rows)

    @property
    def trainable(self) -> int:
        """How many of them are not frozen."""
        return sum(row.trainable for row in self.rows)

    @property
    def frozen(self) -> int:
        """How many of them are frozen."""
        return self.parameters - self.trainable

    @property
    def bytes(self) -> int:
        """The size of all parameters and buffers."""
        return sum(row.bytes for row in self.rows)

    @property
    def multiply_adds(self) -> int:
        """How many a forward pass takes; 0 if none was run."""
        return sum(row.multiply_adds for row in self.rows)

    def __str__(self) -> str:
        head = ("name", "class", "output", "parameters", "bytes", "multiply-adds")
        lines = [head, *(self._line(row) for row in self.rows)]
        if not self._ran:
            lines = [(*line[:2], *line[3:5]) for line in lines]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        texts = len(widths) - (3 if self._ran else 2)
        rows = [
            "  ".join(
                cell.ljust(width) if i < texts else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        rule = "-" * max(map(len, rows))
        total = f"{self.parameters:,} parameters: {self.trainable:,} trainable, {self.frozen:,} frozen"
        size = f"{self.bytes:,} bytes of parameters and buffers"
        if self._ran:
            size += f"; {self.multiply_adds:,} multiply-adds in a forward pass"
        return "\n".join([rows[0], rule, *rows[1:], rule, total, size])

    __repr__ = __str__

    @staticmethod
    def _line(row: SummaryRow) -> tuple[str, ...]:
        output = ", ".join(str(list(shape)) for shape in row.output[:3]) + (", ..." if row.output[3:] else "")
        kind = row.kind if row.calls < 2 else f"{row.kind} x{row.calls}"
        numbers = (f"{n:,}" if n else "-" for n in (row.parameters, row.bytes, row.multiply_adds))
        return (row.name or "(all)", kind, output or "-", *numbers)


def summary(model: Module, input_shape: Any = None, dtype: Any = None) -> Summary:
    """Return a table of a model's layers: names, classes, outputs, parameters, bytes and multiply-adds.

    The forward pass runs once, in inference mode, on a view of the model: its buffers, its device, what is
    frozen and the random streams stay as they are. Multiply-adds are counted where they are computed, in
    matrix products, convolutions, attention and recurrent layers, and go to the innermost module that runs;
    elementwise work, reductions and decompositions count nothing.

    Args:
        model: a module.
        input_shape: the shape of the input with all its axes, that of the batch included; of several inputs a
            list of shapes, or a dict of them by the name of the argument. A tensor may stand for a shape, such
            as the indices that a model of text takes. Without, nothing runs and there are no multiply-adds.
        dtype: that of the inputs given by shape, by default that of the first parameter. A list, or a dict by
            name, gives one for each. Inputs of integers are zeros.

    Returns:
        A ``Summary``: print it, or take its ``rows`` and totals.

    Raises:
        DTypeError: ``model`` is no module, or an input neither a shape nor a tensor.
        ArgumentError: there are other than as many dtypes as inputs.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 2))
        >>> print(bb.summary(model, (1, 1, 6, 6)))
        name   class       output        parameters  bytes  multiply-adds
        -----------------------------------------------------------------
        (all)  Sequential  [1, 2]                 -      -              -
        0      Conv2d      [1, 4, 4, 4]          40    160            576
        1      ReLU        [1, 4, 4, 4]           -      -              -
        2      Flatten     [1, 64]                -      -              -
        3      Linear      [1, 2]               130    520            128
        -----------------------------------------------------------------
        170 parameters: 170 trainable, 0 frozen
        680 bytes of parameters and buffers; 704 multiply-adds in a forward pass
    """
    if not isinstance(model, Module):
        raise DTypeError(f"summary: needs a module, got {type(model).__name__}.")
    runs = _Runs()
    if input_shape is not None:
        plain = model.device.without_autodiff()
        device = beside(plain, cast(Backend, Counting(plain.backend, runs.count)), SeedStream(0))
        view = _apart(model, device)
        args, kwargs = _Inputs(device, _float_of(model)).read(input_shape, dtype)
        runs.watch(view)
        drawn = plain.seeds.state
        try:
            view(*args, **kwargs)
        finally:
            plain.seeds.state = drawn
    seen: set[int] = set()
    rows = tuple(_row(name, module, runs, seen) for name, module in model.named_modules())
    return Summary(rows, input_shape is not None)


def _row(name: str, module: Module, runs: _Runs, seen: set[int]) -> SummaryRow:
    own = [state for _, state in module._named_of(State, "", False) if id(state) not in seen]
    own = list({id(state): state for state in own}.values())
    seen.update(map(id, own))
    parameters = [state for state in own if isinstance(state, Parameter)]
    return SummaryRow(
        name,
        type(module).__name__,
        runs.outputs.get(name, ()),
        sum(state.size for state in parameters),
        sum(state.size for state in parameters if not state.is_frozen),
        sum(state.size * state.dtype.itemsize for state in own),
        runs.costs.get(name, 0),
        runs.calls.get(name, 0),
    )


class _Runs:
    """Which modules run, what they return, and the multiply-adds of the innermost one; all by name."""

    def __init__(self) -> None:
        self.outputs: dict[str, tuple[Shape, ...]] = {}
        self.costs: dict[str, int] = {}
        self.calls: dict[str, int] = {}
        self._running: list[str] = [""]

    def watch(self, model: Module) -> None:
        """Add hooks to a module and all below it; those of the user run inside."""
        for name, module in model.named_modules():

            def enter(module: Module, args: Any, name: str = name) -> None:
                self._running.append(name)

            def leave(module: Module, args: Any, result: Any, name: str = name) -> None:
                self._running.pop()
                self.outputs[name] = tuple(_shapes(result))
                self.calls[name] = self.calls.get(name, 0) + 1

            module.register_forward_pre_hook(enter, prepend=True)
            module.register_forward_hook(leave)

    def count(self, multiply_adds: int) -> None:
        """Add to what the module that runs takes."""
        name = self._running[-1]
        self.costs[name] = self.costs.get(name, 0) + multiply_adds


def _shapes(result: Any) -> list[Shape]:
    if isinstance(result, Tensor):
        return [result.shape]
    if isinstance(result, Mapping):
        result = list(result.values())
    elif not isinstance(result, (tuple, list)):
        result = list(vars(result).values()) if hasattr(result, "__dict__") else []
    return [shape for entry in result for shape in _shapes(entry)]


def _apart(model: Module, device: Device) -> Module:
    """Return a view of the model whose running changes nothing of it."""
    view = model._view(device)
    for module in view._everything():
        if isinstance(module, Module):
            for name, value in vars(module).items():
                own = isinstance(value, SeedStream) or type(value) in (list, dict, set)
                if own and not any(True for _ in parts(value)):
                    module.__dict__[name] = copy.copy(value)
    return view


def _float_of(model: Module) -> DType:
    """Return the dtype of the first floating parameter or buffer."""
    for _, state in model.named_state():
        if state.dtype.kind == "f":
            return state.dtype
    return DEFAULT_FLOAT


class _Inputs:
    """Makes the arguments of a forward pass from shapes and tensors."""

    def __init__(self, device: Device, default: DType) -> None:
        self._device = device
        self._default = default

    def read(self, given: Any, dtype: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments by position and by name."""
        if isinstance(given, Mapping):
            dtypes = dtype if isinstance(dtype, Mapping) else dict.fromkeys(given, dtype)
            if dtypes.keys() - given.keys():
                raise ArgumentError(
                    f"summary: dtype has {', '.join(map(str, dtypes.keys() - given.keys()))}, the inputs do not."
                )
            return (), {name: self._made(value, dtypes.get(name)) for name, value in given.items()}
        if isinstance(given, Tensor) or _is_shape(given):
            given = [given]
        if not isinstance(given, Sequence) or isinstance(given, str):
            raise DTypeError(f"summary: an input is a {type(given).__name__}, neither a shape nor a tensor.")
        each = list(dtype) if isinstance(dtype, (list, tuple)) else [dtype] * len(given)
        if len(each) != len(given):
            raise ArgumentError(f"summary: {len(given)} inputs and {len(each)} dtypes. Give one for each.")
        return tuple(self._made(value, one) for value, one in zip(given, each, strict=True)), {}

    def _made(self, value: Any, dtype: Any) -> Any:
        if isinstance(value, Tensor):
            return Tensor(value._array(), self._device)
        if _is_shape(value):
            wanted = self._default if dtype is None else canonical(dtype, "summary")
            shape = shape_of("summary", value)
            if wanted.kind != "f":
                return Tensor(np.zeros(shape, wanted), self._device)
            drawn = random.uniform(shape, dtype=wanted, generator=random.Generator(0))
            return Tensor(drawn._array(), self._device)
        if isinstance(value, Sequence) and not isinstance(value, str):
            return tuple(self._made(entry, dtype) for entry in value)
        raise DTypeError(f"summary: an input is a {type(value).__name__}, neither a shape nor a tensor.")


def _is_shape(value: Any) -> bool:
    sizes = value if isinstance(value, (tuple, list)) else (value,)
    return all(isinstance(n, (int, np.integer)) for n in sizes)
