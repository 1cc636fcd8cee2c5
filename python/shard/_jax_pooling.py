# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient of a maximum or minimum over windows, `stablehlo.select_and_scatter`.

iree-opt lowers it where windows do not overlap. Here it is written as `_torch_pooling` writes that
of PyTorch: what the windows take at one offset is a slice with their stride, and what goes back
there is zero elsewhere. Both are choices among `stride` elements, which a dimension that is split
keeps apart, so that borders are exchanged at most.
"""

import itertools
import math
from typing import Any

from shard._errors import ProgramError
from shard._jax_builder import Builder
from shard._jax_rewrites import place_of


def rewrite_pooling(module: Any) -> None:
    """Rewrites it in `module`, of jaxlib's MLIR, in place.

    Raises ProgramError for one that chooses or combines elements in a way of its own.
    """
    from jaxlib.mlir import ir

    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == "stablehlo.select_and_scatter":
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    with module.context, ir.Location.unknown():
        for op in found:
            op.results[0].replace_all_uses_with(_Windows(op).gradient())
            op.erase()


class _Windows:
    """The windows of one op, over all dimensions of its operand."""

    def __init__(self, op: Any) -> None:
        self.op = op
        self.build = Builder(op)
        self.operand, self.source, self.init = op.operands
        self.shape = list(self.operand.type.shape)
        self.counts = list(self.source.type.shape)
        rank = len(self.shape)

        def numbers(name: str, default: int, count: int) -> list[int]:
            given = op.attributes[name] if name in op.attributes else [default] * count
            return [int(number) for number in given]

        self.sizes = numbers("window_dimensions", 1, rank)
        self.strides = numbers("window_strides", 1, rank)
        self.low = numbers("padding", 0, 2 * rank)[::2]
        self.direction = self._direction()

    def _direction(self) -> str:
        """`GE` for a maximum, `LE` for a minimum."""
        from jaxlib.mlir import ir

        is_float = isinstance(self.operand.type.element_type, ir.FloatType)
        select, scatter = (list(region.blocks[0].operations) for region in self.op.regions)
        names = [[op.name for op in body] for body in (select, scatter)]
        wanted = [["stablehlo.compare", "stablehlo.return"], ["stablehlo.add", "stablehlo.return"]]
        arguments = list(self.op.regions[0].blocks[0].arguments)
        if is_float and names == wanted and list(select[0].operands) == arguments:
            for direction in ("GE", "LE"):
                if f" {direction}>" in str(select[0].attributes["comparison_direction"]):
                    return direction
        raise ProgramError(
            f"{place_of(self.op)}: a gradient of windows that chooses or combines elements in a "
            "way of its own is not read here; write the function without it"
        )

    def gradient(self) -> Any:
        """Each element of the source goes to the element that its window chooses: the first."""
        build = self.build
        offsets = list(itertools.product(*(range(size) for size in self.sizes)))
        padded = self._padded(self.operand, -math.inf if self.direction == "GE" else math.inf)
        number = _integer(32)
        best = self._taken(padded, offsets[0])
        which = build.splat(self.counts, number, 0)
        inside = self._inside(offsets[0])
        for place, offset in enumerate(offsets[1:], 1):
            value, valid = self._taken(padded, offset), self._inside(offset)
            better = self._not(build.compare(self.direction, best, value))
            # An element of the operand is better than padding, but not the other way round.
            if inside is not None:
                better = build.binary("or", better, self._not(inside))
                inside = build.binary("or", inside, valid) if valid is not None else None
            if valid is not None:
                better = build.binary("and", better, valid)
            best = build.select(better, value, best)
            which = build.select(better, build.splat(self.counts, number, place), which)
        zero = build.splat(self.counts, self.source.type.element_type, 0)
        parts = {}
        for place, offset in enumerate(offsets):
            here = build.compare("EQ", which, build.splat(self.counts, number, place))
            parts[offset] = build.select(here, self.source, zero)
        made = self._back(parts)
        return build.binary("add", made, build.place(self.init, [], self.shape))

    def _not(self, flags: Any) -> Any:
        return self.build.create("not", flags.type, [flags])

    def _padded(self, value: Any, number: float) -> Any:
        """The operand with the padding in front, and as much behind as windows reach."""
        for dim, (count, size) in enumerate(zip(self.counts, self.sizes, strict=True)):
            reached = (count - 1) * self.strides[dim] + size
            more = reached - self.shape[dim] - self.low[dim]
            value = self.build.pad(value, dim, self.low[dim], max(more, 0), number)
        return value

    def _inside(self, offset: tuple[int, ...]) -> Any:
        """Which windows have an element of the operand at `offset`; None for all."""
        build, number = self.build, _integer(32)
        flags = None
        for dim, at in enumerate(offset):
            first = at - self.low[dim]
            stride, extent = self.strides[dim], self.shape[dim]
            last = first + (self.counts[dim] - 1) * stride
            if first >= 0 and last < extent:
                continue
            window = build.iota(self.counts, number, dim)
            # Whole windows: first + stride * window is 0 or more, and less than the extent.
            least, end = -(first // stride), -((first - extent) // stride)
            for direction, bound in (("GE", least), ("LT", end)):
                here = build.compare(direction, window, build.splat(self.counts, number, bound))
                flags = here if flags is None else build.binary("and", flags, here)
        return flags

    def _taken(self, value: Any, offset: tuple[int, ...]) -> Any:
        """What the windows have at `offset`."""
        for dim, at in enumerate(offset):
            stride, count = self.strides[dim], self.counts[dim]
            first, phase = divmod(at, stride)
            if stride > 1:
                value = self.build.resize(value, dim, (first + count) * stride)
                shape = list(value.type.shape)
                shape[dim : dim + 1] = [first + count, stride]
                value = self.build.slice(self.build.reshape(value, shape), dim + 1, phase)
            value = self.build.narrow(value, dim, first, count)
        return value

    def _back(self, parts: dict[tuple[int, ...], Any]) -> Any:
        """The sum of what goes back to the operand, by offset in the window."""
        for dim in reversed(range(len(self.shape))):
            lines: dict[tuple[int, ...], dict[int, Any]] = {}
            for offset, part in parts.items():
                lines.setdefault(offset[:dim], {})[offset[dim]] = part
            parts = {outer: self._placed(line, dim) for outer, line in lines.items()}
        return parts[()]

    def _placed(self, parts: dict[int, Any], dim: int) -> Any:
        """A sum of tensors that are zero along `dim` but for the part of an offset."""
        build, stride = self.build, self.strides[dim]
        rows = max(offset // stride for offset in parts) + self.counts[dim]
        phases: dict[int, Any] = {}
        for offset, part in parts.items():
            first, phase = divmod(offset, stride)
            part = build.pad(part, dim, first, rows - first - self.counts[dim], 0)
            phases[phase] = build.binary("add", phases[phase], part) if phase in phases else part
        value = phases[0]
        if stride > 1:
            shape = list(value.type.shape)
            spread = [*shape[: dim + 1], stride, *shape[dim + 1 :]]
            dims = [d if d <= dim else d + 1 for d in range(len(shape))]
            place = build.iota(spread, _integer(32), dim + 1)
            value = build.splat(spread, value.type.element_type, 0)
            for phase, part in phases.items():
                here = build.compare("EQ", place, build.splat(spread, _integer(32), phase))
                value = build.select(here, build.place(part, dims, spread), value)
            shape[dim] *= stride
            value = build.reshape(value, shape)
        low, extent = self.low[dim], self.shape[dim]
        return build.narrow(build.resize(value, dim, low + extent), dim, low, extent)


def _integer(width: int) -> Any:
    from jaxlib.mlir import ir

    return ir.IntegerType.get_signless(width)
