"""L-BFGS, which calls for the loss and its gradients as often as it needs them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from backburner import Gradients, Tensor
from backburner.errors import ArgumentError, DTypeError
from backburner.nn import Module, Parameter
from backburner_autodiff._rule import Array
from backburner_autodiff.optim import _options, _state
from backburner_autodiff.optim._optimizer import Optimizer
from backburner_autodiff.optim._options import Rate
from backburner_autodiff.optim._search import Point, search

Closure = Callable[[], tuple[Tensor | float, Gradients | Mapping[str, Tensor]]]

_CURVED = 1e-10  # PyTorch's: a pair with less curvature says nothing


class _Memory:
    """What L-BFGS remembers between iterations; all vectors are the parameters' end to end.

    Attributes:
        names: the parameters, in their order.
        iterations: how many there were.
        evaluations: how often the loss was computed.
        d: the last direction.
        t: how far along it the last step went.
        g: the gradient before that.
        loss: the loss before that.
        ys: the last differences of gradients, the oldest first.
        ss: the steps that made them.
        curvatures: their products.
        scale: of the inverse Hessian before these correct it.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.iterations = self.evaluations = 0
        self.d: Array = np.zeros(0)
        self.g: Array = np.zeros(0)
        self.t = self.loss = 0.0
        self.ys: list[Array] = []
        self.ss: list[Array] = []
        self.curvatures: list[float] = []
        self.scale = 1.0

    def copy(self) -> _Memory:
        """Return another memory of the same; no vector and no list is ever written to."""
        other = _Memory()
        other.__dict__.update(self.__dict__)
        return other

    def learn(self, g: Array, size: int) -> None:
        """Take the pair of the last step into the last ``size`` ones, if it is curved."""
        y, s = g - self.g, self.d * self.d.dtype.type(self.t)
        curvature = float(y @ s)
        if curvature > _CURVED:
            self.ys, self.ss = [*self.ys, y][-size:], [*self.ss, s][-size:]
            self.curvatures = [*self.curvatures, curvature][-size:]
            self.scale = curvature / float(y @ y)

    def direction(self, g: Array) -> Array:
        """Return minus the inverse Hessian times a gradient, by the two loops of Nocedal (1980)."""
        kind, q = g.dtype.type, -g
        pairs = list(zip(self.ys, self.ss, self.curvatures, strict=True))
        shares = []
        for y, s, curvature in reversed(pairs):
            share = float(s @ q) / curvature
            shares.append(share)
            q = q - kind(share) * y
        q = q * kind(self.scale)
        for (y, s, curvature), share in zip(pairs, reversed(shares), strict=True):
            q = q + kind(share - float(y @ q) / curvature) * s
        return np.asarray(q)


class LBFGS(Optimizer):
    """L-BFGS (Nocedal, 1980), with PyTorch's iteration and its line search.

    A step takes up to ``max_iter`` iterations, each of which computes the loss once or more. It is for losses that
    are smooth and the same every time: small models, all the data, no dropout. All parameters stand in one vector,
    so there are no groups, and all have one dtype. One without a gradient does not move. The products of vectors
    are NumPy's: their last bits depend on the number of threads unless ``bb.deterministic(True)``.

    Args:
        model: a module, or parameters by name.
        lr: the length of a step along its direction, or the first try of the line search; or a function from the
            number of steps done so far to it.
        max_iter: the most iterations of a step.
        max_eval: the most times that a step computes the loss; by default 1.25 times ``max_iter``.
        tolerance_grad: a step ends where no element of the gradient is greater.
        tolerance_change: and where the loss, or every parameter, changes by less.
        history_size: how many of the last iterations the curvature comes from.
        line_search_fn: ``None``, or ``"strong_wolfe"`` for a step length that lowers loss and slope enough.

    Raises:
        ArgumentError: an option has a value that makes no sense.

    Example:
        >>> import backburner as bb
        >>> from backburner import nn
        >>> from backburner.optim import LBFGS
        >>> w = nn.Parameter(bb.tensor([3.0, -2.0], device=bb.Device.cpu().autodiff()))
        >>> def closure():
        ...     loss = ((w - bb.tensor([1.0, 2.0])) ** 2).sum()
        ...     return loss, loss.backward()
        >>> LBFGS({"w": w}, line_search_fn="strong_wolfe").step(closure)
        20.0
        >>> w.round().tolist()
        [1.0, 2.0]
    """

    checks = {
        "max_iter": _options.whole(1),
        "max_eval": _options.whole(1),
        "tolerance_grad": _options.number(),
        "tolerance_change": _options.number(),
        "history_size": _options.whole(1),
        "line_search_fn": _options.one_of("strong_wolfe", None),
    }

    def __init__(
        self,
        model: Module | Mapping[str, Parameter],
        lr: Rate = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        most = self.checks["max_iter"]("LBFGS", "max_iter", max_iter)
        options = {
            "max_iter": most,
            "max_eval": most * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(model, lr, options)
        self._memory = _Memory()

    def step(self, closure: Closure) -> float:  # type: ignore[override]
        """Take one step of several iterations, and return the loss before it.

        If the closure fails, parameters and optimizer are as before the step.

        Args:
            closure: a function that computes the loss with the parameters as they are, and returns it with its
                gradients: ``(loss, loss.backward())``, or what ``value_and_grad`` gives.

        Raises:
            DTypeError: ``closure`` is no such function, or the parameters have several dtypes.
            ArgumentError: other parameters train than in the step before.
            GraphError: no parameter has a gradient.
        """
        if not callable(closure):
            raise DTypeError(
                f"LBFGS.step: takes a function that returns (loss, gradients), not a {type(closure).__name__}. It "
                "is called several times: def closure(): loss = ...; return loss, loss.backward()."
            )
        rate = self._number("LBFGS", self._lr)
        memory, landscape = self._memory.copy(), _Landscape(self, closure)
        names = list(landscape.parameters)
        if memory.names and memory.names != names:
            raise ArgumentError(
                f"LBFGS.step: the parameters that train are {', '.join(names)}, before they were "
                f"{', '.join(memory.names)}. Make a new optimizer."
            )
        memory.names = names
        try:
            first = self._iterate(landscape, memory, rate)
        except BaseException:
            landscape.put(landscape.start)
            raise
        memory.evaluations += landscape.evaluations
        self._memory = memory
        self.steps += 1
        return first

    def _iterate(self, landscape: _Landscape, memory: _Memory, rate: float) -> float:
        options = self._options
        x = landscape.start
        first, g = landscape.at(x)
        loss = first
        if _greatest(g) <= options["tolerance_grad"]:
            return first
        for left in reversed(range(options["max_iter"])):
            memory.iterations += 1
            if memory.iterations == 1:
                d, t = -g, min(1.0, 1.0 / float(np.abs(g).sum())) * rate
            else:
                memory.learn(g, options["history_size"])
                d, t = memory.direction(g), rate
            memory.d, memory.t, memory.g, memory.loss = d, t, g, loss
            slope = float(g @ d)
            if slope > -options["tolerance_change"]:
                break
            if options["line_search_fn"] is not None:
                most = options["max_eval"] - landscape.evaluations
                found = search(
                    partial(landscape.along, x, d), Point(0.0, loss, g, slope), t, _greatest(d), most
                )
                memory.t, loss, g = found.t, found.loss, found.g
            x = _moved(x, memory.t, d)
            if options["line_search_fn"] is None and left:
                loss, g = landscape.at(x)
            else:
                landscape.put(x)
            if (
                landscape.evaluations >= options["max_eval"]
                or _greatest(g) <= options["tolerance_grad"]
                or _greatest(d) * abs(memory.t) <= options["tolerance_change"]
                or abs(loss - memory.loss) < options["tolerance_change"]
            ):
                break
        return first

    # -- what is remembered ------------------------------------------------------------------------------

    def _remembered(self) -> dict[str, Array]:
        memory = self._memory
        state = {
            "iterations": np.array(memory.iterations),
            "evaluations": np.array(memory.evaluations),
            "t": np.array(memory.t),
            "loss": np.array(memory.loss),
            "scale": np.array(memory.scale),
            "curvatures": np.array(memory.curvatures, np.float64),
        }
        if memory.iterations:
            start = 0
            shapes = {name: p.shape for name, p in self._parameters()}
            for name in memory.names:
                shape = shapes[name]
                stop = start + math.prod(shape)
                for letter in ("d", "g"):
                    state[f"{name}.{letter}"] = getattr(memory, letter)[start:stop].reshape(shape).copy()
                for letter in ("y", "s"):
                    vectors = [v[start:stop].reshape(shape) for v in getattr(memory, f"{letter}s")]
                    state[f"{name}.{letter}"] = np.array(vectors, memory.d.dtype).reshape(
                        len(vectors), *shape
                    )
                start = stop
        return state

    def _recalled(self, op: str, arrays: dict[str, Array]) -> Callable[[], None]:
        memory = _Memory()
        memory.iterations = _state.count(op, "iterations", arrays)
        memory.evaluations = _state.count(op, "evaluations", arrays)
        for name in ("t", "loss", "scale"):
            setattr(memory, name, _state.number(op, name, arrays))
        curvatures = arrays.pop("curvatures", np.zeros((1, 1)))
        if curvatures.ndim != 1 or curvatures.dtype != np.float64:
            raise ArgumentError(f"{op}: curvatures are numbers of float64, not {curvatures!r:.80}.")
        memory.curvatures = curvatures.tolist()
        found: dict[str, list[Array]] = {letter: [] for letter in "dgys"}
        for name, parameter in self._parameters():
            if f"{name}.d" not in arrays:
                continue
            memory.names.append(name)
            for letter, vectors in found.items():
                many = (len(curvatures),) if letter in "ys" else ()
                fits = (*many, *parameter.shape), parameter.dtype
                vectors.append(
                    _state.array(op, f"{name}.{letter}", fits, arrays).reshape(*many, parameter.size)
                )
        if memory.iterations and not memory.names:
            raise ArgumentError(f"{op}: there is no vector for a parameter of the model.")
        if memory.names:
            memory.d, memory.g = (np.concatenate(found[letter]) for letter in "dg")
            memory.ys, memory.ss = (list(np.concatenate(found[letter], axis=1)) for letter in "ys")

        def commit() -> None:
            self._memory = memory

        return commit


class _Landscape:
    """The loss over the parameters that train, which stand in one vector.

    Attributes:
        parameters: those, by name.
        start: what they are.
        evaluations: how often the loss was computed.
    """

    def __init__(self, optimizer: LBFGS, closure: Closure) -> None:
        self._optimizer, self._closure = optimizer, closure
        self.parameters = {name: p for name, p in optimizer._parameters() if not p.is_frozen}
        kinds = sorted({str(p.dtype) for p in self.parameters.values()})
        if len(kinds) > 1:
            raise DTypeError(
                f"LBFGS.step: the parameters are of {' and '.join(kinds)}, and stand in one vector. Make them one dtype."
            )
        vectors = [p._array().reshape(-1) for p in self.parameters.values()]
        self.start: Array = np.concatenate(vectors) if vectors else np.zeros(0)
        self.evaluations = 0

    def put(self, x: Array) -> None:
        """Give the parameters the contents of a vector."""
        begin = 0
        for parameter in self.parameters.values():
            end = begin + parameter.size
            parameter.assign(x[begin:end].reshape(parameter.shape).copy())
            begin = end

    def at(self, x: Array) -> tuple[float, Array]:
        """Return the loss and its gradient at a vector, where the parameters stay."""
        if x is not self.start or self.evaluations:
            self.put(x)
        found = self._closure()
        self.evaluations += 1
        if not isinstance(found, tuple) or len(found) != 2:
            raise DTypeError(
                f"LBFGS.step: the closure returned a {type(found).__name__}, not (loss, gradients). End it with "
                "return loss, loss.backward()."
            )
        loss, grads = found
        try:
            value = float(loss.item() if isinstance(loss, Tensor) else loss)
        except (TypeError, ValueError):
            raise DTypeError(f"LBFGS.step: the closure's loss is not one number: {loss!r:.80}.") from None
        given = {move.name: move.gradient for move in self._optimizer._moves("LBFGS.step", grads)}
        parts = [given[name].reshape(-1) if name in given else np.zeros(p.size, p.dtype)
                 for name, p in self.parameters.items()]  # fmt: skip
        return value, np.concatenate(parts)

    def along(self, x: Array, d: Array, t: float) -> Point:
        """Return what is found a way ``t`` from ``x`` along ``d``."""
        loss, g = self.at(_moved(x, t, d))
        return Point(t, loss, g, float(g @ d))


def _moved(x: Array, t: float, d: Array) -> Array:
    return np.asarray(x + x.dtype.type(t) * d)


def _greatest(x: Array) -> float:
    return float(np.abs(x).max(initial=0))
