"""``gradcheck``: gradients against finite differences. The public function in the core has the documentation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import backburner as bb
from backburner._seeds import recording, replaying
from backburner.errors import ArgumentError, DTypeError, GradcheckError, GraphError
from backburner_autodiff._rule import Array


def gradcheck(
    f: Callable[..., Any], inputs: Sequence[Any], eps: float, atol: float, rtol: float, directional: bool
) -> None:
    """Raise ``GradcheckError`` if a gradient of ``f`` is not what central differences find."""
    check = _Check(f, inputs, eps)
    if directional:
        check.along_a_direction(atol, rtol)
    else:
        check.element_by_element(atol, rtol)


class _Check:
    """A function of float64 arrays, with its derivative by finite differences and by its graph.

    Attributes:
        places: which inputs are differentiated.
        values: their arrays.
    """

    def __init__(self, f: Callable[..., Any], inputs: Sequence[Any], eps: float) -> None:
        self.f, self.inputs, self.eps = f, inputs, eps
        self.places = [i for i, x in enumerate(inputs) if isinstance(x, bb.Tensor) and x.dtype.kind == "f"]
        for i in self.places:
            if inputs[i].dtype != np.float64:
                raise DTypeError(
                    f"gradcheck: input {i} is {inputs[i].dtype}, too coarse for differences. Use astype('float64')."
                )
            if inputs[i].is_tracked() and not inputs[i].is_require_grad():
                raise GraphError(f"gradcheck: input {i} is the result of a recorded op. Use detach() on it.")
        if not self.places:
            raise ArgumentError("gradcheck: none of the inputs is a floating tensor.")
        self.values = [inputs[i].numpy().astype(np.float64) for i in self.places]
        with recording() as self.seeds:
            self.outputs = self._arrays(self._run(self.values, tracked=False)[0])
        again = self._call(self.values)
        if [y.tobytes() for y in self.outputs] != [y.tobytes() for y in again]:
            raise GradcheckError(
                "gradcheck: f gives another result when it is called again with the same inputs."
            )

    def _run(self, values: list[Array], tracked: bool) -> tuple[list[bb.Tensor], list[bb.Tensor]]:
        """Return the floating outputs, and the inputs that they are differentiated by."""
        arguments = list(self.inputs)
        for place, value in zip(self.places, values, strict=True):
            x = self.inputs[place]
            device = x.device if x.is_autodiff() else x.device.autodiff()
            tensor = bb.tensor(value, device=device)
            arguments[place] = tensor.require_grad() if tracked else tensor
        found = self.f(*arguments)
        outputs = [
            y for y in (found if isinstance(found, (tuple, list)) else (found,)) if isinstance(y, bb.Tensor)
        ]
        outputs = [y for y in outputs if y.dtype.kind == "f"]
        if not outputs:
            raise ArgumentError(f"gradcheck: f must return floating tensors, got {found!r}.")
        for y in outputs:
            if y.dtype != np.float64:
                raise DTypeError(
                    f"gradcheck: f returned {y.dtype}, too coarse for differences. Compute in float64, also inside it."
                )
        return outputs, [arguments[place] for place in self.places]

    @staticmethod
    def _arrays(outputs: list[bb.Tensor]) -> list[Array]:
        return [y.numpy().astype(np.float64) for y in outputs]

    def _call(self, values: list[Array]) -> list[Array]:
        with replaying(self.seeds):
            return self._arrays(self._run(values, tracked=False)[0])

    def _graph(self) -> tuple[list[bb.Tensor], list[bb.Tensor]]:
        with replaying(self.seeds):
            return self._run(self.values, tracked=True)

    def _difference(self, directions: list[Array]) -> list[Array]:
        """Return the central difference of each output along a direction in all inputs."""
        ahead = self._call([x + self.eps * d for x, d in zip(self.values, directions, strict=True)])
        behind = self._call([x - self.eps * d for x, d in zip(self.values, directions, strict=True)])
        with np.errstate(all="ignore"):
            return [(a - b) / (2 * self.eps) for a, b in zip(ahead, behind, strict=True)]

    def _gradients(self, output: bb.Tensor, leaves: list[bb.Tensor], cotangent: Array) -> list[Array]:
        """Return the gradients of the inputs under one cotangent of one output."""
        if not output.is_tracked():
            return [np.zeros_like(x) for x in self.values]
        grads = output.backward(bb.tensor(cotangent, dtype=output.dtype), retain_graph=True)
        found = [grads.get(leaf) for leaf in leaves]
        return [np.zeros_like(x) if g is None else g.numpy() for g, x in zip(found, self.values, strict=True)]

    def element_by_element(self, atol: float, rtol: float) -> None:
        """Compare the whole Jacobian."""
        outputs, leaves = self._graph()
        numeric = [self._columns(which) for which in range(len(self.values))]
        for o, output in enumerate(outputs):
            for place in np.ndindex(output.shape):
                one = np.zeros(output.shape)
                one[place] = 1
                for which, found in enumerate(self._gradients(output, leaves, one)):
                    wanted = numeric[which][o][(..., *place)]
                    off = ~np.isclose(found, wanted, rtol, atol, equal_nan=False)
                    if off.any():
                        worst = tuple(int(i) for i in np.argwhere(off)[0])
                        raise GradcheckError(
                            f"gradcheck: d output {o}{list(place)} / d input {self.places[which]}{list(worst)} is "
                            f"{found[worst]:.9g} by the graph and {wanted[worst]:.9g} by differences; "
                            f"{int(off.sum())} of {off.size} elements are off. At a kink the two may differ."
                        )

    def _columns(self, which: int) -> list[Array]:
        """Return for each output its differences by every element of an input, ``[*input, *output]``."""
        shape = self.values[which].shape
        columns = [np.empty((*shape, *y.shape)) for y in self.outputs]
        for place in np.ndindex(shape):
            directions = [np.zeros_like(x) for x in self.values]
            directions[which][place] = 1
            for column, slope in zip(columns, self._difference(directions), strict=True):
                column[place] = slope
        return columns

    def along_a_direction(self, atol: float, rtol: float) -> None:
        """Compare one weighted sum of the outputs along one direction through all inputs."""
        rng = np.random.default_rng(0)
        directions = [_unit(rng, x.shape) for x in self.values]
        outputs, leaves = self._graph()
        weights = [_unit(rng, y.shape) for y in self.outputs]
        wanted = sum(float((w * s).sum()) for w, s in zip(weights, self._difference(directions), strict=True))
        found = 0.0
        for output, weight in zip(outputs, weights, strict=True):
            gradients = self._gradients(output, leaves, weight)
            found += sum(float((g * d).sum()) for g, d in zip(gradients, directions, strict=True))
        if not np.isclose(found, wanted, rtol, atol, equal_nan=False):
            raise GradcheckError(
                f"gradcheck: along a random direction the slope is {found:.9g} by the graph and {wanted:.9g} by "
                "differences. Check all elements to see where: directional=False."
            )


def _unit(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Draw a vector of length 1, none of whose elements is near 0."""
    drawn = rng.uniform(0.5, 1, shape) * rng.choice([-1.0, 1.0], shape)
    return np.asarray(drawn / max(float(np.sqrt((drawn * drawn).sum())), 1e-300))
