# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient of a maximum or minimum over windows, `stablehlo.select_and_scatter`.

iree-opt lowers it only where windows do not overlap, and gives to each of equal elements. Here it
is written as `_torch_pooling` writes that of PyTorch: what the windows take at one offset is a
slice with their stride, and what goes back there is one of `stride` elements, which a dimension
that is split keeps apart, so that borders are exchanged at most.
"""

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
        """Each element of the source goes to the element that its window chooses: the first.

        One dimension after the other is taken, from the last one on: of the best elements of the
        rows of a window the best is chosen then. That takes as many ops as the extents of the
        window have in sum, and what is sent to another device is one line for a row of windows.
        """
        build, best, restarts = self.build, self.operand, None
        choices: list[tuple[int, Any]] = []
        for dim in reversed(range(len(self.shape))):
            if not self._is_slid(dim):
                continue
            if restarts is None:
                # Nothing is worse than NaN, which forgets what was found before.
                following = build.compare("NE", best, best)
            else:
                following = restarts
            best, which = self._choose(best, restarts, dim)
            restarts = self._any(following, dim)
            choices.append((dim, which))
        made = self.source
        for dim, which in reversed(choices):
            zero = build.splat(which.type.shape, made.type.element_type, 0)
            parts = {}
            for at in range(self.sizes[dim]):
                here = build.compare("EQ", which, self._number(which.type.shape, at))
                parts[at] = build.select(here, made, zero)
            made = self._placed(parts, dim)
        return build.binary("add", made, build.place(self.init, [], self.shape))

    def _is_slid(self, dim: int) -> bool:
        """Whether a window along `dim` is not just the element at its own place."""
        extents = self.counts[dim], self.sizes[dim]
        return extents != (self.shape[dim], 1) or self.low[dim] != 0

    def _choose(self, value: Any, restarts: Any, dim: int) -> tuple[Any, Any]:
        """The best element of each window along `dim`, and its offset there: the first.

        Nothing before an element that `restarts` marks counts.
        """
        build = self.build
        lines = self._lines(value, dim, self.worst)
        starts = None if restarts is None else self._lines(restarts, dim, 0)
        best = lines[0]
        which = self._number(best.type.shape, 0)
        inside = self._inside(best.type.shape, dim, 0)
        for at, line in enumerate(lines[1:], 1):
            better = self._not(build.compare(self.direction, best, line))
            if starts is not None:
                better = build.binary("or", better, starts[at])
            valid = self._inside(best.type.shape, dim, at)
            # An element of the operand is better than padding, but not the other way round.
            if inside is not None:
                better = build.binary("or", better, self._not(inside))
                inside = build.binary("or", inside, valid) if valid is not None else None
            if valid is not None:
                better = build.binary("and", better, valid)
            best = build.select(better, line, best)
            which = build.select(better, self._number(best.type.shape, at), which)
        return best, which

    def _any(self, flags: Any, dim: int) -> Any:
        """Whether a window along `dim` has an element that `flags` mark."""
        first, *others = self._lines(flags, dim, 0)
        for line in others:
            first = self.build.binary("or", first, line)
        return first

    def _lines(self, value: Any, dim: int, number: float) -> list[Any]:
        """What the windows along `dim` have at each offset; `number` is the padding."""
        build, size = self.build, self.sizes[dim]
        count, stride, low = self.counts[dim], self.strides[dim], self.low[dim]
        reached = (count - 1) * stride + size
        value = build.pad(value, dim, low, max(reached - self.shape[dim] - low, 0), number)
        return [build.narrow(value, dim, at, count, stride) for at in range(size)]

    def _inside(self, shape: list[int], dim: int, offset: int) -> Any:
        """Which windows of `shape` have an element of the operand at `offset` along `dim`; None
        for all. Padding that JAX writes as an op is one.
        """
        build, stride, extent = self.build, self.strides[dim], self.shape[dim]
        first = offset - self.low[dim]
        last = first + (self.counts[dim] - 1) * stride
        if self.is_padding_taken or (first >= 0 and last < extent):
            return None
        window = build.iota(shape, _integer(32), dim)
        # Whole windows: first + stride * window is 0 or more, and less than the extent.
        least, end = -(first // stride), -((first - extent) // stride)
        return build.binary(
            "and",
            build.compare("GE", window, self._number(shape, least)),
            build.compare("LT", window, self._number(shape, end)),
        )

    def _not(self, flags: Any) -> Any:
        return self.build.create("not", flags.type, [flags])

    def _number(self, shape: list[int], number: int) -> Any:
        return self.build.splat(shape, _integer(32), number)

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
