"""Matrix products of a few rows, inside kernels: for loops in which each product waits for the one before.

BLAS would copy the weight into panels at every call. Here that is done once, by ``pack``, and a product keeps eight
rows of sums in registers while it runs along a panel. Every sum is in order, whatever rows there are beside it, so
a row has the same bits alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
from llvmlite import ir
from numba import core, extending

from backburner_autodiff.kernels._jit import subroutine

Array = np.ndarray[Any, np.dtype[Any]]
_numba: Any = numba  # whose type hints lack much of it
cgutils: Any = cast(Any, core).cgutils

ROWS = 8
"""The most rows of a product."""
_BYTES = 128  # of a row of a panel


def pack(matrix: Array) -> Array:
    """Return ``[k, m]`` as panels ``[panels, k, width]``, whose last is filled up with zeros."""
    k, m = matrix.shape
    width = _BYTES // matrix.itemsize
    panels = -(-m // width)
    if m % width:
        full = np.zeros((k, panels * width), matrix.dtype)
        full[:, :m] = matrix
        matrix = full
    return np.ascontiguousarray(matrix.reshape(k, panels, width).swapaxes(0, 1))


def _vectors(features: str) -> tuple[int, int]:
    """Return the bytes of a vector, and how many rows of two vectors the registers hold beside what they read."""
    names = features.split(",")
    return (64, 8) if "+avx512f" in names else (32, 4) if "+avx" in names else (16, 4)


def _multiply_add(context: Any, builder: Any, kind: Any, x: Any, y: Any, z: Any) -> Any:
    """Emit ``x * y + z`` of vectors, rounded once where ``kernels.math`` does so too."""
    triple, _, features = context.codegen().magic_tuple()
    if "+fma" not in features.split(",") and not triple.startswith(("aarch64", "arm64")):
        return builder.fadd(builder.fmul(x, y), z)
    name = f"llvm.fma.v{kind.count}{'f32' if kind.element == ir.FloatType() else 'f64'}"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind] * 3), name)
    return builder.call(function, [x, y, z])


def _emit_tile(context: Any, builder: Any, signature: Any, args: Any, rows: int) -> None:
    x, packed, out = (
        context.make_array(kind)(context, builder, value)
        for kind, value in zip(signature.args[::2], args[::2], strict=True)
    )
    panel, span = args[1], args[3]
    first, last = cgutils.unpack_tuple(builder, span, 2)
    number, element = first.type, context.get_value_type(signature.args[0].dtype)
    itemsize = signature.args[0].dtype.bitwidth // 8
    width, (size, most) = _BYTES // itemsize, _vectors(context.codegen().magic_tuple()[2])
    lanes, vectors = size // itemsize, _BYTES // size
    kind = ir.VectorType(element, lanes)
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), lanes), None)
    depth = cgutils.unpack_tuple(builder, x.shape, 2)[1]
    columns = cgutils.unpack_tuple(builder, out.shape, 2)[1]

    def row(r: int) -> Any:
        wanted = builder.add(first, number(r))
        wanted = builder.select(builder.icmp_signed("<", wanted, last), wanted, last)
        return builder.gep(x.data, [builder.mul(wanted, depth)])

    def vector(base: Any, offset: Any) -> Any:
        return builder.bitcast(builder.gep(base, [offset]), kind.as_pointer())

    base = builder.gep(packed.data, [builder.mul(panel, builder.mul(depth, number(width)))])
    for top in range(0, rows, most):
        sources = [row(r) for r in range(top, min(top + most, rows))]
        for left in range(0, vectors, 2):
            before = builder.block
            body, after = builder.append_basic_block("product"), builder.append_basic_block("sums")
            builder.branch(body)
            builder.position_at_end(body)
            k = builder.phi(number)
            k.add_incoming(number(0), before)
            sums = [builder.phi(kind) for _ in range(2 * len(sources))]
            start = builder.mul(k, number(width))
            weights = [
                builder.load(vector(base, builder.add(start, number((left + v) * lanes))), align=itemsize)
                for v in range(2)
            ]
            following = []
            for r, source in enumerate(sources):
                value = builder.load(builder.gep(source, [k]))
                single = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.IntType(32)(0))
                spread = builder.shuffle_vector(single, ir.Constant(kind, ir.Undefined), zeros)
                for v in range(2):
                    following.append(
                        _multiply_add(context, builder, kind, spread, weights[v], sums[2 * r + v])
                    )
            for total, more in zip(sums, following, strict=True):
                total.add_incoming(ir.Constant(kind, None), before)
                total.add_incoming(more, builder.block)
            onward = builder.add(k, number(1))
            k.add_incoming(onward, builder.block)
            builder.cbranch(builder.icmp_signed("<", onward, depth), body, after)
            builder.position_at_end(after)
            column = builder.add(builder.mul(panel, number(width)), number(left * lanes))
            for r in range(len(sources)):
                to = builder.add(builder.mul(number(top + r), columns), column)
                for v in range(2):
                    place = vector(out.data, builder.add(to, number(v * lanes)))
                    builder.store(following[2 * r + v], place, align=itemsize)


def _tile(rows: int) -> Callable[..., None]:
    if _numba.config.DISABLE_JIT:
        from backburner_autodiff.kernels import _twins

        return _twins.tile(rows)

    @extending.intrinsic
    def tile(typing: Any, x: Any, panel: Any, packed: Any, span: Any, out: Any) -> Any:
        """Fill the columns of a panel in ``out`` with ``rows`` products, the last of ``span`` again and again."""
        integer = _numba.types.intp
        signature = _numba.types.void(x, integer, packed, _numba.types.UniTuple(integer, 2), out)

        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _emit_tile(context, builder, signature, args, rows)
            return context.get_dummy_value()

        return signature, emit

    return cast(Callable[..., None], tile)


_one, _many = _tile(1), _tile(ROWS)


@subroutine
def product(x: Any, first: int, count: int, packed: Any, out: Any) -> None:
    """Fill the first ``count`` rows of ``out`` with those from ``first`` on of ``x`` times a packed matrix.

    Shape:
        x ``[n, k]`` with ``k > 0``, out ``[8, panels * width]``; at most 8 rows. What is in further rows is lost.
    """
    if count == 1:
        for panel in range(packed.shape[0]):
            _one(x, panel, packed, (first, first), out)
    else:
        for panel in range(packed.shape[0]):
            _many(x, panel, packed, (first, first + count - 1), out)
