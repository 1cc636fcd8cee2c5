# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms of StableHLO as products with the matrix of the transform.

iree-opt lowers them to an op of its own dialect. A product is split like any other: what splits
the dimension splits the sum over it.
"""

import math
import re
from collections.abc import Callable
from typing import Any

from shard._errors import ProgramError
from shard._jax_builder import Builder
from shard._jax_rewrites import place_of

# Squares of the places along a dimension fit into 32 bits; a larger matrix fits into no memory.
_MOST = 46340


def rewrite_fourier(module: Any) -> None:
    """Rewrites them in `module`, of jaxlib's MLIR, in place."""
    from jaxlib.mlir import ir

    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == "stablehlo.fft":
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    with module.context, ir.Location.unknown():
        for op in found:
            op.results[0].replace_all_uses_with(_Transform(op).build())
            op.erase()


class _Transform:
    """Makes what stands for an op. A complex value is a pair of its parts."""

    def __init__(self, op: Any) -> None:
        from jaxlib.mlir import ir

        self._make, self._op = Builder(op), op
        self._sizes = [int(size) for size in op.attributes["fft_length"]]
        if max(self._sizes) > _MOST:
            raise ProgramError(
                f"{place_of(op)}: a Fourier transform of {max(self._sizes)} elements; it is "
                f"computed as a product with its matrix, of at most {_MOST} rows"
            )
        element = op.operands[0].type.element_type
        self._element = element.element_type if isinstance(element, ir.ComplexType) else element

    def build(self) -> Any:
        found = re.search(r"\bI?R?FFT\b", str(self._op.attributes["fft_type"]))
        assert found
        x = self._op.operands[0]
        rank = len(x.type.shape)
        *others, last = range(rank - len(self._sizes), rank)
        if found[0] == "RFFT":
            real = self._along(x, last, self._sizes[-1] // 2 + 1, math.cos)
            parts = real, self._negated(self._along(x, last, real.type.shape[last], math.sin))
        else:
            parts = self._part("real", x), self._part("imag", x)
        for dim in others if "R" in found[0] else [*others, last]:
            parts = self._transformed(*parts, dim, inverse=found[0].startswith("I"))
        if found[0] == "IRFFT":
            return self._divided(self._to_real(*parts, last))
        if found[0] == "IFFT":
            parts = self._divided(parts[0]), self._divided(parts[1])
        return self._make.create("complex", self._op.results[0].type, parts)

    def _part(self, name: str, x: Any) -> Any:
        from jaxlib.mlir import ir

        kind = ir.RankedTensorType.get(x.type.shape, self._element)
        return self._make.create(name, kind, [x])

    def _negated(self, x: Any) -> Any:
        return self._make.create("negate", x.type, [x])

    def _divided(self, x: Any) -> Any:
        by = self._make.splat(x.type.shape, self._element, math.prod(self._sizes))
        return self._make.binary("divide", x, by)

    def _waves(self, rows: int, columns: int, count: int, wave: Callable[[float], float]) -> Any:
        """Cosines or sines of the angles of a transform of `count` elements."""
        from jaxlib.mlir import ir

        number, shape = ir.IntegerType.get_signless(32), (rows, columns)
        places = self._make.binary(
            "multiply", *(self._make.iota(shape, number, dim) for dim in range(2))
        )
        around = self._make.splat(shape, number, count)
        places = self._make.binary("remainder", places, around)
        angles = self._make.binary(
            "multiply",
            self._make.cast("convert", places, self._element),
            self._make.splat(shape, self._element, 2 * math.pi / count),
        )
        name = "cosine" if wave is math.cos else "sine"
        return self._make.create(name, angles.type, [angles])

    def _product(self, x: Any, dim: int, matrix: Any) -> Any:
        """`x` times `matrix` along `dim`."""
        rank = len(x.type.shape)
        first = [dim, *(d for d in range(rank) if d != dim)]
        made = self._make.dot(self._make.transpose(x, first), matrix, 0, 1)
        back = [*range(dim), rank - 1, *range(dim, rank - 1)]
        return self._make.transpose(made, back)

    def _along(self, x: Any, dim: int, kept: int, wave: Callable[[float], float]) -> Any:
        count = x.type.shape[dim]
        return self._product(x, dim, self._waves(count, kept, count, wave))

    def _transformed(self, real: Any, imaginary: Any, dim: int, inverse: bool) -> tuple[Any, Any]:
        count = real.type.shape[dim]
        cosines = [self._along(x, dim, count, math.cos) for x in (real, imaginary)]
        sines = [self._along(x, dim, count, math.sin) for x in (real, imaginary)]
        plus, minus = ("subtract", "add") if inverse else ("add", "subtract")
        return (
            self._make.binary(plus, cosines[0], sines[1]),
            self._make.binary(minus, cosines[1], sines[0]),
        )

    def _to_real(self, real: Any, imaginary: Any, dim: int) -> Any:
        """Of what has the first half of its elements alone; the others are their conjugates."""
        size, kept = self._sizes[-1], self._sizes[-1] // 2 + 1
        real, imaginary = (self._make.narrow(x, dim, 0, kept) for x in (real, imaginary))
        cosines = self._product(real, dim, self._waves(kept, size, size, math.cos))
        sines = self._product(imaginary, dim, self._waves(kept, size, size, math.sin))
        twice = self._make.binary("subtract", cosines, sines)
        twice = self._make.binary("add", twice, twice)
        # Elements that are their own conjugates count once.
        for place in {0, size // 2} if size % 2 == 0 else {0}:
            one = self._make.narrow(real, dim, place, 1)
            row = self._waves(kept, size, size, math.cos)
            row = self._make.narrow(row, 0, place, 1)
            twice = self._make.binary("subtract", twice, self._product(one, dim, row))
        return twice
