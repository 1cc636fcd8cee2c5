# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient of a maximum or minimum over windows, `stablehlo.select_and_scatter`.

iree-opt lowers it where windows do not overlap. Here it is written as `_torch_pooling` writes that
of PyTorch: what the windows take at one offset is a slice with their stride, and what goes back
there is one of `stride` elements, which a dimension that is split keeps apart, so that borders are
exchanged at most.
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
            windows = _Windows(op)
            last = windows.take_padding()
            last.results[0].replace_all_uses_with(windows.gradient())
            if last != op:
                last.erase()
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
        self.is_padding_taken = False
        self.direction = self._direction()
        # Not better than any other number.
        self.worst = -math.inf if self.direction == "GE" else math.inf

    def take_padding(self) -> Any:
        """Takes the padding from an op in front, as JAX writes it, and what cuts it off again.

        Returns the op that gives the gradient then. The padding counts as elements.
        """
        op = self.op
        pad, users = self.operand.owner, [use.owner for use in op.results[0].uses]
        if getattr(pad, "name", "") != "stablehlo.pad" or [u.name for u in users] != [
            "stablehlo.slice"
        ]:
            return op
        low, high, between = (
            [int(n) for n in pad.attributes[name]]
            for name in ("edge_padding_low", "edge_padding_high", "interior_padding")
        )
        shape = list(pad.operands[0].type.shape)
        starts, limits, steps = (
            [int(n) for n in users[0].attributes[name]]
            for name in ("start_indices", "limit_indices", "strides")
        )
        ends = [first + extent for first, extent in zip(low, shape, strict=True)]
        is_plain = min(low + high) >= 0 and not any(between) and set(steps) == {1}
        is_whole = starts == low and limits == ends and not any(self.low)
        if not is_plain or not is_whole or not self._is_worst(pad.operands[1].owner):
            return op
        self.operand, self.shape, self.low = pad.operands[0], shape, low
        self.is_padding_taken = True
        return users[0]

    def _is_worst(self, constant: Any) -> bool:
        """Whether all numbers of the op `constant` are those of padding."""
        from jaxlib.mlir import ir

        if getattr(constant, "name", "") != "stablehlo.constant":
            return False
        value = ir.DenseElementsAttr(constant.attributes["value"])
        return bool(value.is_splat and value.get_splat_value().value == self.worst)

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
        padded = self._padded(self.operand, self.worst)
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
        """Which windows have an element of the operand at `offset`; None for all. Padding that JAX
        writes as an op is one.
        """
        build, number = self.build, _integer(32)
        flags = None
        if self.is_padding_taken:
            return flags
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
            value = self.build.narrow(value, dim, at, self.counts[dim], self.strides[dim])
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
        extent = self.shape[dim]
        # Without rows that no window reaches.
        last = max((offset - self.low[dim]) // stride for offset in parts) + self.counts[dim]
        rows = min(-(-extent // stride), last)
        phases: dict[int, Any] = {}
        for offset, part in parts.items():
            first, phase = divmod(offset - self.low[dim], stride)
            part = build.move(part, dim, first, rows)
            phases[phase] = build.binary("add", phases[phase], part) if phase in phases else part
        if stride == 1:
            return build.move(phases[0], dim, 0, extent)
        shape = list(phases[min(phases)].type.shape)
        spread = [*shape[: dim + 1], stride, *shape[dim + 1 :]]
        dims = [d if d <= dim else d + 1 for d in range(len(shape))]
        place = build.iota(spread, _integer(32), dim + 1)
        value = build.splat(spread, self.source.type.element_type, 0)
        for phase, part in phases.items():
            here = build.compare("EQ", place, build.splat(spread, _integer(32), phase))
            value = build.select(here, build.place(part, dims, spread), value)
        shape[dim] *= stride
        return build.move(build.reshape(value, shape), dim, 0, extent)


def _integer(width: int) -> Any:
    from jaxlib.mlir import ir

    return ir.IntegerType.get_signless(width)
