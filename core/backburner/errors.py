"""Every exception of Backburner.

A message reads ``op: what is wrong: the values. What to do.`` and each class also subclasses the builtin
that a caller would catch. Nothing here imports anything but NumPy's, so that every layer may raise.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class BackburnerError(Exception):
    """The base of every error that Backburner raises on purpose."""


class ShapeError(BackburnerError, ValueError):
    """Shapes do not fit each other or the operation."""


class ArgumentError(BackburnerError, ValueError):
    """An option has a value that the operation does not take."""


class DTypeError(BackburnerError, TypeError):
    """A dtype, or a kind of operand, that the operation does not take."""


class DeviceError(BackburnerError, ValueError):
    """Devices do not fit each other or the operation."""


class GraphError(BackburnerError, RuntimeError):
    """The graph cannot give the gradient that was asked for."""


class MissingGradient(GraphError, KeyError):
    """A gradient was asked for that the backward pass did not make."""

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError would show the message in quotes


class AnomalyError(GraphError, FloatingPointError):
    """A NaN where ``detect_anomaly`` was on the watch."""


class NonFiniteError(BackburnerError, FloatingPointError):
    """A loss or a gradient is NaN or infinite, and training stops before the step that it would spoil.

    Attributes:
        step: which step it would have been, from 1.
        epoch: the epoch, from 1.
        batch_index: which batch of the epoch, from 0.
        batch: the batch itself.
        random_state: what ``bb.random.set_state`` takes to draw the same numbers again.
    """

    def __init__(
        self,
        message: str,
        *,
        step: int = 0,
        epoch: int = 0,
        batch_index: int = 0,
        batch: Any = None,
        random_state: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(message)
        self.step = step
        self.epoch = epoch
        self.batch_index = batch_index
        self.batch = batch
        self.random_state = random_state


class GradcheckError(BackburnerError, AssertionError):
    """A gradient is not the slope that finite differences find."""


class RecordError(BackburnerError, ValueError):
    """A file of weights cannot be read or written as asked."""


class DataError(BackburnerError, ValueError):
    """A file or a dataset does not hold what it was read for."""


class IndexOutOfRange(BackburnerError, IndexError):
    """An index points outside its axis."""


class MissingKey(BackburnerError, KeyError):
    """A name that a container of modules or parameters does not have."""

    def __str__(self) -> str:
        return Exception.__str__(self)  # a KeyError would show the message in quotes


class AxisError(ShapeError, IndexOutOfRange):
    """An axis that the array does not have; also both builtins, as NumPy's is."""


class LinAlgError(BackburnerError, np.linalg.LinAlgError):
    """A matrix that has no such inverse or decomposition, or none that LAPACK finds; also NumPy's."""


class MissingPackage(BackburnerError, ImportError):
    """A call needs a package that an extra of this one brings, and it is not installed."""

    def __init__(self, call: str, package: str, extra: str) -> None:
        self.call, self.package, self.extra = call, package, extra
        super().__init__(
            f'{call}: {package} is needed and not installed. Install it: pip install "backburner[{extra}]"'
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.call, self.package, self.extra)


class FeatureError(BackburnerError, ImportError, NotImplementedError):
    """A feature was asked for that this installation cannot give.

    Attributes:
        feature: the feature, such as ``autodiff``.
        call: what was called, such as ``Device.autodiff``; empty when nothing in particular was.
        state: ``locked``, ``absent``, ``ambiguous``, ``incompatible`` or ``broken``.
        reason: why the feature is not there, a clause.
        remedy: what to do about it, a sentence.
    """

    def __init__(self, feature: str, call: str, state: str, reason: str, remedy: str) -> None:
        self.feature = feature
        self.call = call
        self.state = state
        self.reason = reason
        self.remedy = remedy
        asked = f" for {call}" if call else ""
        super().__init__(f"Requires `{feature}` feature{asked}: {reason}. {remedy}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.feature, self.call, self.state, self.reason, self.remedy)
