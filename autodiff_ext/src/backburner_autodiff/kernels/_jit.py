"""``kernel``: the one place that turns a Python loop into machine code.

A kernel is a function of arrays that the caller allocated, with its signature as a string::

    from backburner_autodiff.kernels._jit import kernel, prange

    @kernel("x[...], x[...] -> x[...]")
    def relu_backward(g, x, dx):
        for i in prange(x.size):
            dx[i] = g[i] if x[i] > 0 else x.dtype.type(0)

    relu_backward(g, x, dx)

The signature. Left of the arrow stand inputs, which the kernel may only read; right of it stand outputs,
which it may read and write. The parameters come in that order. Each is an element type, alone for a scalar or
with dimensions for an array:

* ``x`` is the float type of the call, float32 or float64, and the same one throughout; ``int`` is int64,
  ``uint`` uint64, ``float`` float64, ``bool`` bool, ``uint8`` uint8.
* ``x[:]``, ``x[:,:]`` and so on have just that many dimensions. ``x[...]`` takes any shape, and the kernel
  sees it flat; all flat arguments of a call must have one size.

A scalar ``x`` takes a Python float. Inputs may be read-only, strided or unaligned (they are copied then);
outputs must be writable and C-contiguous. There are no optional arrays: pass an empty one.

The body. It is compiled twice, plainly and with its ``prange`` loop on threads; a call takes the second where
the size of the first array times ``cost`` pays for waking threads. The unit of cost is a quarter of a
nanosecond: 1 for an element that is read, added and written, 3 or 4 for one that takes an exp or erf. Both must give the same bits, for any number of threads, hence:

* One ``prange`` over elements, rows, or blocks of a fixed size, outermost, and every iteration writes its own
  places. No scalar may be carried from one iteration to the next: that is refused.
* A sum over all rows writes one partial result per block of a fixed number of rows into an array (an
  output) and a plain loop, after the ``prange``, adds them up. Blocks must depend on shapes, never on threads.
* The code is strict IEEE arithmetic. ``@kernel(..., fastmath=True)`` lets LLVM reorder sums, so that inner
  loops which reduce a row become vector code. Use it only where ``prange`` runs over whole rows or blocks; in
  an elementwise loop the remainder of a chunk could round differently than its bulk. NaN and infinities
  survive in either.
* ``float32 * 0.5`` is float64 in Numba. Write ``x.dtype.type(0.5)``, once, above the loop.
* Call ``exp``, ``log``, ``tanh``, ``erf`` of ``kernels.math``; those of ``math`` do not become vector code.
  Shared inner functions take ``@subroutine``.

Under ``NUMBA_DISABLE_JIT=1`` everything runs as Python, with the same bits but for reordered sums. So write sums as
loops: ``row.sum()`` has another order in NumPy than in Numba.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import threading
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, TypeVar

import numba
import numpy as np

from backburner_autodiff.kernels import _pool
from backburner_autodiff.kernels._cache import Store
from backburner_autodiff.kernels._races import find_races

Array = np.ndarray[Any, np.dtype[Any]]
F = TypeVar("F", bound=Callable[..., Any])

PARALLEL_WORK = 1 << 18
"""Elements times cost from which threads pay: some 60 us, where waking a thread takes 5 to 40 us."""

_numba: Any = numba  # whose type hints lack much of it
prange: Any = _numba.prange
"""``range`` in the serial version, on threads in the parallel one."""

_REORDER = {"reassoc", "contract"}
# An object and not a dict, which Numba empties when it first reads it.
_PARALLEL = _numba.core.cpu.ParallelOptions(
    {
        "prange": True, "comprehension": False, "reduction": False, "inplace_binop": False,
        "setitem": False, "numpy": False, "stencil": False, "fusion": False,
    }
)  # fmt: skip
_SCALARS = {"int": "int64", "uint": "uint64", "float": "float64", "bool": "boolean", "uint8": "uint8"}
_PARAMETER = re.compile(r"(x|int|uint|float|bool|uint8)(\[(?:\.\.\.|:(?:,:)*)\])?(?:,(?=.)|$)")
_FLOATS = {"f": "float32", "d": "float64"}
# Bits of `ndarray.flags.num`.
_SOUND = 0x001 | 0x100  # C_CONTIGUOUS, ALIGNED
_FIT = _SOUND | 0x400  # WRITEABLE
_compiling = threading.RLock()


def _options(fastmath: bool) -> dict[str, Any]:
    return {"error_model": "numpy", "nogil": True, "fastmath": _REORDER if fastmath else False}


def subroutine(function: F) -> F:
    """Compile a function that kernels call, once for each of the types they call it with."""
    compiled: F = _numba.njit(**_options(False))(function)
    return compiled


class Kernel:
    """A loop over arrays, serial and parallel; the module says how to write one.

    Attributes:
        name: the name of the function.
        signature: as it was declared.
        py_func: the function, to run as Python.
    """

    def __init__(self, function: Callable[..., None], signature: str, cost: float, fastmath: bool) -> None:
        self.name = function.__name__
        self.signature = signature
        self.py_func = function
        self.has_prange = "prange" in function.__code__.co_names
        self._fastmath = fastmath
        self._threshold = PARALLEL_WORK / cost if self.has_prange else float("inf")
        self._parameters = _parse(signature)
        if len(self._parameters) != function.__code__.co_argcount:
            raise ValueError(f"kernel: {self.name} has other parameters than its signature: {signature}")
        self._arrays = tuple(
            (position, output, dimensions == "[...]")
            for position, (_, dimensions, output) in enumerate(self._parameters)
            if dimensions
        )
        self._first = self._arrays[0][0]
        self._float = next((p for p, _, _ in self._arrays if self._parameters[p][0] == "x"), None)
        self._dispatchers: dict[bool, Any] = {}
        self._compiled: dict[bool, dict[str, Callable[..., None]]] = {False: {}, True: {}}
        self._stand_ins: dict[str, Callable[..., None]] = {}

    def __call__(self, *args: Any) -> None:
        """Run on threads where the size of the first array says that they pay, else plainly."""
        ready = self._prepare(args)
        if ready[self._first].size >= self._threshold and _pool.usable():
            self._launch(ready)
            return
        char = self._char(ready)
        run = self._compiled[False].get(char) or self._stand_ins.get(char) or self._plain(char)
        run(*ready)

    def serial(self, *args: Any) -> None:
        """Run plainly."""
        ready = self._prepare(args)
        self._version(ready, False)(*ready)

    def parallel(self, *args: Any) -> None:
        """Run on threads, however small the arrays are; plainly if there is no ``prange``."""
        ready = self._prepare(args)
        if self.has_prange:
            self._launch(ready)
        else:
            self._version(ready, False)(*ready)

    def versions(self) -> list[tuple[str, bool]]:
        """Return what was compiled or loaded so far as (dtype, parallel); the dtype is empty if there is no ``x``."""
        return [(_FLOATS.get(char, ""), kind) for kind, made in self._compiled.items() for char in made]

    def compile(self, dtype: str, parallel: bool) -> None:
        """Make one version ready, from the cache if it is there. For a kernel without ``x`` any dtype will do."""
        self._compile(np.dtype(dtype).char if self._float is not None else "", parallel)

    def _launch(self, ready: list[Any]) -> None:
        if not _pool.launch(self._version(ready, True), ready):
            self._version(ready, False)(*ready)

    def _char(self, ready: list[Any]) -> str:
        return "" if self._float is None else ready[self._float].dtype.char

    def _version(self, ready: list[Any], parallel: bool) -> Callable[..., None]:
        char = self._char(ready)
        return self._compiled[parallel].get(char) or self._compile(char, parallel)

    def _plain(self, char: str) -> Callable[..., None]:
        """Return what a small call runs: the plain version, unless it would have to be compiled beside the other.

        An epoch's last batch is smaller than those before it. The other version on one thread gives the same bits
        some microseconds later, where a compile would stop the loop for half a second.
        """
        threaded = self._compiled[True].get(char)
        if threaded is None or _numba.config.DISABLE_JIT:
            return self._compile(char, False)
        dispatcher = self._declared(False)
        if dispatcher._cache.holds(self._types(char), dispatcher.targetctx):
            return self._compile(char, False)

        def stand_in(*ready: Any) -> None:
            if not _pool.launch(threaded, ready, alone=True):
                self._compile(char, False)(*ready)

        self._stand_ins[char] = stand_in
        return stand_in

    def _prepare(self, args: tuple[Any, ...]) -> list[Any]:
        if len(args) != len(self._parameters):
            raise TypeError(f"{self.name}: {len(args)} arguments do not fit the signature {self.signature}")
        ready = list(args)
        size = -1
        for position, output, flat in self._arrays:
            array = args[position]
            flags = array.flags.num
            if output and flags & _FIT != _FIT:
                raise ValueError(
                    f"{self.name}: argument {position} is an output, and read-only, strided or unaligned: "
                    f"{array.dtype}{list(array.shape)}"
                )
            if flags & _SOUND != _SOUND:
                ready[position] = array = np.array(array, order="C")
            if flat:
                if array.ndim != 1:
                    ready[position] = array.reshape(-1)
                if size < 0:
                    size = array.size
                elif array.size != size:
                    raise ValueError(
                        f"{self.name}: argument {position} has {array.size} elements, not {size}"
                    )
        return ready

    def _compile(self, char: str, parallel: bool) -> Callable[..., None]:
        if char and char not in _FLOATS:
            raise TypeError(f"{self.name}: dtype {np.dtype(char)} has no kernel, only float32 and float64")
        with _compiling:
            run = self._compiled[parallel].get(char)
            if run is None:
                run = self.py_func if _numba.config.DISABLE_JIT else self._dispatcher(char, parallel)
                self._compiled[parallel][char] = run
        return run

    def _dispatcher(self, char: str, parallel: bool) -> Any:
        if parallel:
            races = find_races(self.py_func)
            if races:
                raise ValueError(f"kernel: {self.name} carries {', '.join(races)} through its prange loop")
            parallel = _pool.start()  # where there are no threads the plain version takes its place
        dispatcher = self._declared(parallel)
        dispatcher.disable_compile(False)
        try:
            dispatcher.compile(self._types(char))
        finally:
            if dispatcher.overloads:
                dispatcher.disable_compile()
        return dispatcher

    def _declared(self, parallel: bool) -> Any:
        dispatcher = self._dispatchers.get(parallel)
        if dispatcher is None:
            options = _options(self._fastmath) | ({"parallel": _PARALLEL} if parallel else {})
            dispatcher = self._dispatchers[parallel] = _numba.njit(**options)(self.py_func)
            name = f"{self.name}-{'parallel' if parallel else 'serial'}{'-fast' if self._fastmath else ''}"
            dispatcher._cache = Store(self.py_func, name)
        return dispatcher

    def _types(self, char: str) -> tuple[Any, ...]:
        """Return Numba's types: inputs as read-only arrays, which writable ones convert to."""
        types = []
        for element, dimensions, output in self._parameters:
            scalar = getattr(_numba.types, _FLOATS[char] if element == "x" else _SCALARS[element])
            ndim = 1 if dimensions == "[...]" else dimensions.count(":")
            types.append(_numba.types.Array(scalar, ndim, "C", readonly=not output) if ndim else scalar)
        return tuple(types)


KERNELS: dict[str, Kernel] = {}
"""Every kernel that was declared, by name."""


def kernel(
    signature: str, /, *, cost: float = 1, fastmath: bool = False
) -> Callable[[Callable[..., None]], Kernel]:
    """Declare a kernel by its signature; the module says how.

    Args:
        signature: inputs and outputs, such as ``"x[...], x -> x[...]"``.
        cost: the work per element of the first array, in quarters of a nanosecond.
        fastmath: let inner loops reorder their sums.
    """

    def declare(function: Callable[..., None]) -> Kernel:
        made = Kernel(function, signature, cost, fastmath)
        if made.name in KERNELS:
            raise ValueError(f"kernel: {made.name} is declared twice")
        KERNELS[made.name] = made
        return made

    return declare


def warm_up(dtypes: tuple[str, ...] = ("float32",)) -> Iterator[tuple[str, float]]:
    """Compile every kernel of this package, and yield the name of each version with the seconds that it took."""
    for module in pkgutil.iter_modules([os.path.dirname(__file__)]):
        importlib.import_module(f"{__package__}.{module.name}")
    for made in list(KERNELS.values()):
        for dtype in dtypes:
            for parallel in (False, True) if made.has_prange else (False,):
                start = perf_counter()
                made.compile(dtype, parallel)
                kind = "parallel" if parallel else "serial"
                yield f"{made.name} {dtype} {kind}", perf_counter() - start


def _parse(signature: str) -> list[tuple[str, str, bool]]:
    """Return (element, dimensions, whether it is an output) of each parameter."""
    inputs, arrow, outputs = signature.replace(" ", "").partition("->")
    parameters = []
    for text, output in ((inputs, False), (outputs, True)):
        position = 0
        while position < len(text):
            match = _PARAMETER.match(text, position)
            if match is None:
                raise ValueError(f"kernel: cannot read {text[position:]!r} in the signature {signature!r}")
            parameters.append((match[1], match[2] or "", output))
            position = match.end()
    if not arrow or not any(dimensions for _, dimensions, output in parameters if output):
        raise ValueError(f"kernel: the signature {signature!r} has no output. Write one after '->'.")
    return parameters
