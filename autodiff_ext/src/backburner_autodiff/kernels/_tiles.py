"""Tiles of sums of products, held in registers: what the direct convolutions are made of.

A tile is ``ROWS`` by up to ``COLUMNS`` vectors, which is what the registers of this processor hold beside their
factors. LLVM's vectorisers do not find such a loop, so it is written here instruction by instruction, on vectors that
LLVM cuts down where a processor has none so wide. Each sum is taken in the order of its index, with fused products.

Positions count elements from an array's start, whatever its shape; they are not checked. The Python twins take the
same arguments for runs without the compiler, and there a position outside is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

_numba: Any = numba  # whose type hints lack much of it
_cgutils: Any = cgutils
_intrinsic = cast(Callable[[Callable[..., Any]], Any], intrinsic)
_features = llvm.get_host_cpu_features()

BYTES = 64 if _features.get("avx512f") else 32 if _features.get("avx") else 16
"""What a vector holds."""

ROWS = 4 if BYTES == 32 else 8  # AVX has 16 registers, the others of today have 32
COLUMNS = 3


def lanes(itemsize: int) -> int:
    """Return the elements of a vector."""
    return BYTES // itemsize


class _Emitter:
    """What the tiles have in common: vectors of one float type, and places in arrays."""

    def __init__(self, context: Any, builder: Any, kind: Any, signature: Any, args: Any) -> None:
        self.context, self.builder, self.signature, self.args = context, builder, signature, args
        self.scalar = context.get_value_type(kind)
        self.itemsize = kind.bitwidth // 8
        self.count = lanes(self.itemsize)
        self.vector = ir.VectorType(self.scalar, self.count)
        self._nothing = ir.Constant(self.vector, ir.Undefined)
        self._first = ir.Constant(ir.VectorType(ir.IntType(32), self.count), [0] * self.count)

    def pointer(self, which: int) -> Any:
        """Return where the data of an argument begins."""
        array = self.context.make_array(self.signature.args[which])
        return array(self.context, self.builder, self.args[which]).data

    def at(self, pointer: Any, *terms: Any) -> Any:
        """Return the place so many elements on."""
        for term in terms:
            offset = ir.IntType(64)(term) if isinstance(term, int) else term
            pointer = self.builder.gep(pointer, [offset])
        return pointer

    def times(self, index: Any, factor: Any) -> Any:
        return self.builder.mul(index, ir.IntType(64)(factor) if isinstance(factor, int) else factor)

    def load(self, pointer: Any) -> Any:
        """Load a vector from anywhere."""
        value = self.builder.load(self.builder.bitcast(pointer, self.vector.as_pointer()))
        value.align = self.itemsize
        return value

    def store(self, value: Any, pointer: Any) -> None:
        stored = self.builder.store(value, self.builder.bitcast(pointer, value.type.as_pointer()))
        stored.align = self.itemsize

    def every_other(self, pointer: Any, size: int) -> Any:
        """Load a vector of ``size`` elements that stand two apart, and nothing beyond the last."""
        kind = ir.VectorType(self.scalar, size)
        parts = []
        for first in (0, size - 1):
            part = self.builder.load(self.builder.bitcast(self.at(pointer, first), kind.as_pointer()))
            part.align = self.itemsize
            parts.append(part)
        places = [*range(0, size, 2), *range(size + 1, 2 * size, 2)]
        return self.builder.shuffle_vector(*parts, ir.Constant(ir.VectorType(ir.IntType(32), size), places))

    def spread(self, scalar: Any) -> Any:
        """Return a vector of one value."""
        one = self.builder.insert_element(self._nothing, scalar, ir.IntType(32)(0))
        return self.builder.shuffle_vector(one, self._nothing, self._first)

    def registers(self, columns: int) -> list[list[Any]]:
        """Return variables for a tile; LLVM keeps them in registers."""
        return [
            [_cgutils.alloca_once(self.builder, self.vector) for _ in range(columns)] for _ in range(ROWS)
        ]

    def add_product(self, x: Any, y: Any, register: Any) -> None:
        name = f"llvm.fma.v{self.count}f{8 * self.itemsize}"
        fma = self._function(name, self.vector, [self.vector] * 3)
        self.builder.store(self.builder.call(fma, [x, y, self.builder.load(register)]), register)

    def fence(self) -> None:
        """Keep loads of one turn of a loop behind the last one, or LLVM has more of them than there are registers."""
        kind = ir.FunctionType(ir.VoidType(), [])
        self.builder.asm(kind, "", "~{memory}", [], True)

    def total(self, register: Any) -> Any:
        """Return the sum over a vector, in float64."""
        name = f"llvm.vector.reduce.fadd.v{self.count}f{8 * self.itemsize}"
        add = self._function(name, self.scalar, [self.scalar, self.vector])
        zero = ir.Constant(self.scalar, -0.0)
        total = self.builder.call(add, [zero, self.builder.load(register)], fastmath=("reassoc",))
        return total if self.itemsize == 8 else self.builder.fpext(total, ir.DoubleType())

    def _function(self, name: str, result: Any, parameters: list[Any]) -> Any:
        return _cgutils.get_or_insert_function(self.builder.module, ir.FunctionType(result, parameters), name)


def _make_tile(columns: int) -> Any:
    @_intrinsic
    def tile(
        typing: Any, weight: Any, first: Any, step: Any, last: Any, bases: Any, planes: Any, place: Any, offsets: Any,
        begin: Any, count: Any, bias: Any, number: Any, out: Any, to: Any, pitch: Any,
    ) -> Any:  # fmt: skip
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            e = _Emitter(context, builder, weight.dtype, signature, args)
            held = e.registers(columns)
            start = e.at(e.pointer(10), args[11])
            for i, row in enumerate(held):
                value = e.spread(builder.load(e.at(start, i)))
                for register in row:
                    builder.store(value, register)
            factors, met = e.at(e.pointer(0), args[1]), e.at(e.pointer(5), args[6])
            lines, taps = e.at(e.pointer(4), args[8]), e.at(e.pointer(7), args[8])
            rows = []
            for i in range(ROWS):
                real = builder.icmp_signed("<", ir.IntType(64)(i), args[3])
                rows.append(e.times(args[2], builder.select(real, ir.IntType(64)(i), args[3])))
            with _cgutils.for_range(builder, args[9]) as loop:
                source = e.at(met, builder.load(e.at(taps, loop.index)))
                xs = [e.load(e.at(source, j * e.count)) for j in range(columns)]
                line = e.at(factors, builder.load(e.at(lines, loop.index)))
                for i, row in enumerate(held):
                    factor = e.spread(builder.load(e.at(line, rows[i])))
                    for x, register in zip(xs, row, strict=True):
                        e.add_product(factor, x, register)
                e.fence()
            target = e.at(e.pointer(12), args[13])
            for i, row in enumerate(held):
                for j, register in enumerate(row):
                    e.store(builder.load(register), e.at(target, e.times(args[14], i), j * e.count))
            return context.get_dummy_value()

        whole = _numba.int64
        types = (
            *(weight, whole, whole, whole, bases, planes, whole, offsets),
            *(whole, whole, bias, whole, out, whole, whole),
        )
        return _numba.void(*types), emit

    return tile


def _make_tile_twin(columns: int) -> Any:
    def tile(
        weight: Any, first: int, step: int, last: int, bases: Any, planes: Any, place: int, offsets: Any,
        begin: int, count: int, bias: Any, number: int, out: Any, to: int, pitch: int,
    ) -> None:  # fmt: skip
        width = columns * lanes(planes.itemsize)
        total = np.repeat(_part(bias, number, ROWS)[:, None], width, axis=1)
        rows = np.minimum(np.arange(ROWS), last) * step
        for k in range(begin, begin + count):
            factors = _part(weight, first + bases[k], rows[-1] + 1)[rows]
            total += factors[:, None] * _part(planes, place + offsets[k], width)
        for i in range(ROWS):
            _part(out, to + i * pitch, width)[:] = total[i]

    return tile


@_intrinsic
def _products(
    typing: Any, g: Any, first: Any, row: Any, image: Any, planes: Any, place: Any, step: Any,
    offsets: Any, begin: Any, valid: Any, images: Any, vectors: Any, out: Any, to: Any, pitch: Any,
) -> Any:  # fmt: skip
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        e = _Emitter(context, builder, g.dtype, signature, args)
        held = e.registers(COLUMNS)
        zero = ir.Constant(e.vector, [0.0] * e.count)
        for registers in held:
            for register in registers:
                builder.store(zero, register)
        cotangents, met = e.at(e.pointer(0), args[1]), e.at(e.pointer(4), args[5])
        taps = e.at(e.pointer(7), args[8])
        real = [builder.icmp_signed("<", ir.IntType(64)(j), args[9]) for j in range(COLUMNS)]
        steps = [
            builder.load(e.at(taps, builder.select(real[j], ir.IntType(64)(j), ir.IntType(64)(0))))
            for j in range(COLUMNS)
        ]
        with _cgutils.for_range(builder, args[10]) as outer:
            own, source = (
                e.at(cotangents, e.times(outer.index, args[3])),
                e.at(met, e.times(outer.index, args[6])),
            )
            lines = [e.at(own, e.times(args[2], i)) for i in range(ROWS)]
            sources = [e.at(source, offset) for offset in steps]
            with _cgutils.for_range(builder, args[11]) as inner:
                at = e.times(inner.index, e.count)
                xs = [e.load(e.at(place, at)) for place in sources]
                for line, registers in zip(lines, held, strict=True):
                    value = e.load(e.at(line, at))
                    for x, register in zip(xs, registers, strict=True):
                        e.add_product(value, x, register)
        target = e.at(e.pointer(12), args[13])
        for j in range(COLUMNS):
            with builder.if_then(real[j]):
                for i, registers in enumerate(held):
                    end = e.at(target, e.times(args[14], i), j)
                    builder.store(builder.fadd(builder.load(end), e.total(registers[j])), end)
        return context.get_dummy_value()

    whole = _numba.int64
    types = (
        *(g, whole, whole, whole, planes, whole, whole, offsets),
        *(whole, whole, whole, whole, out, whole, whole),
    )
    return _numba.void(*types), emit


@_intrinsic
def _copy(typing: Any, out: Any, to: Any, source: Any, first: Any, count: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        e = _Emitter(context, builder, out.dtype, signature, args)
        _cgutils.raw_memcpy(
            builder, e.at(e.pointer(0), args[1]), e.at(e.pointer(2), args[3]), args[4], e.itemsize
        )
        return context.get_dummy_value()

    whole = _numba.int64
    return _numba.void(out, whole, source, whole, whole), emit


@_intrinsic
def _copy_every(typing: Any, out: Any, to: Any, source: Any, first: Any, count: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        e = _Emitter(context, builder, out.dtype, signature, args)
        target, start = e.at(e.pointer(0), args[1]), e.at(e.pointer(2), args[3])
        done = ir.IntType(64)(0)
        size = e.count
        while size:
            rounds = builder.sdiv(builder.sub(args[4], done), ir.IntType(64)(size))
            with _cgutils.for_range(builder, rounds) as loop:
                place = builder.add(done, e.times(loop.index, size))
                met = e.at(start, e.times(place, 2))
                if size == 1:
                    builder.store(builder.load(met), e.at(target, place))
                else:
                    e.store(e.every_other(met, size), e.at(target, place))
            done = builder.add(done, e.times(rounds, size))
            size //= 2
        return context.get_dummy_value()

    whole = _numba.int64
    return _numba.void(out, whole, source, whole, whole), emit


def _part(array: Any, first: int, count: int) -> Any:
    part = array.reshape(-1)[first : first + count]
    if first < 0 or part.size != count:
        raise IndexError(f"{first} to {first + count} of {array.size} elements")
    return part


def _products_twin(
    g: Any, first: int, row: int, image: int, planes: Any, place: int, step: int,
    offsets: Any, begin: int, valid: int, images: int, vectors: int, out: Any, to: int, pitch: int,
) -> None:  # fmt: skip
    size = vectors * lanes(g.itemsize)
    for i in range(ROWS):
        for j in range(min(COLUMNS, valid)):
            total = 0.0
            for k in range(images):
                met = _part(planes, place + k * step + offsets[begin + j], size)
                total += float((_part(g, first + k * image + i * row, size) * met).sum())
            _part(out, to + i * pitch + j, 1)[0] += total


def _copy_twin(out: Any, to: int, source: Any, first: int, count: int) -> None:
    _part(out, to, count)[:] = _part(source, first, count)


def _copy_every_twin(out: Any, to: int, source: Any, first: int, count: int) -> None:
    _part(out, to, count)[:] = _part(source, first, max(0, 2 * count - 1))[::2]


tile1, tile3 = _make_tile(1), _make_tile(COLUMNS)
products, copy, copy_every = _products, _copy, _copy_every
if _numba.config.DISABLE_JIT:
    tile1, tile3 = _make_tile_twin(1), _make_tile_twin(COLUMNS)
    products, copy, copy_every = _products_twin, _copy_twin, _copy_every_twin
