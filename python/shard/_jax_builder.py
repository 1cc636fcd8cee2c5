# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes ops of StableHLO in front of another op, whose location they get."""

from collections.abc import Sequence
from typing import Any


class Builder:
    """Makes ops in front of `op`, of jaxlib's MLIR. Takes and gives values."""

    def __init__(self, op: Any) -> None:
        self._op = op

    def create(
        self, name: str, result: Any, operands: Sequence[Any], regions: int = 0, **attributes: Any
    ) -> Any:
        """The op with one result of the type `result`."""
        from jaxlib.mlir import ir

        return ir.Operation.create(
            f"stablehlo.{name}",
            results=[result],
            operands=list(operands),
            attributes=attributes,
            regions=regions,
            ip=ir.InsertionPoint(self._op),
            loc=self._op.location,
        ).results[0]

    def splat(self, shape: Sequence[int], element: Any, number: float) -> Any:
        """A constant with one number everywhere."""
        from jaxlib.mlir import ir

        kind = ir.RankedTensorType.get(shape, element)
        if isinstance(element, ir.FloatType):
            scalar = ir.FloatAttr.get(element, number)
        else:
            scalar = ir.IntegerAttr.get(element, int(number))
        return self.create("constant", kind, [], value=ir.DenseElementsAttr.get_splat(kind, scalar))

    def iota(self, shape: Sequence[int], element: Any, dim: int) -> Any:
        from jaxlib.mlir import ir

        along = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), dim)
        kind = ir.RankedTensorType.get(shape, element)
        return self.create("iota", kind, [], iota_dimension=along)

    def reshape(self, value: Any, shape: Sequence[int]) -> Any:
        return self._to("reshape", value, shape, value.type.element_type)

    def cast(self, name: str, value: Any, element: Any) -> Any:
        """`convert` or `bitcast_convert`."""
        if value.type.element_type == element:
            return value
        return self._to(name, value, value.type.shape, element)

    def place(self, value: Any, dims: Sequence[int], shape: Sequence[int]) -> Any:
        """`value` in `shape`, its dimensions in those of `dims`, and equal along the others."""
        from jaxlib.mlir import ir

        order = sorted(range(len(dims)), key=lambda i: dims[i])
        value = self.transpose(value, order)
        element = value.type.element_type
        where = ir.DenseI64ArrayAttr.get(sorted(dims))
        return self._to("broadcast_in_dim", value, shape, element, broadcast_dimensions=where)

    def transpose(self, value: Any, order: Sequence[int]) -> Any:
        from jaxlib.mlir import ir

        if list(order) == list(range(len(order))):
            return value
        shape = [value.type.shape[i] for i in order]
        permutation = ir.DenseI64ArrayAttr.get(order)
        element = value.type.element_type
        return self._to("transpose", value, shape, element, permutation=permutation)

    def binary(self, name: str, left: Any, right: Any) -> Any:
        return self.create(name, left.type, [left, right])

    def compare(self, direction: str, left: Any, right: Any) -> Any:
        from jaxlib.mlir import ir

        element = left.type.element_type
        if isinstance(element, ir.FloatType):
            kind = "FLOAT"
        else:
            kind = "UNSIGNED" if element.is_unsigned else "SIGNED"
        flags = ir.RankedTensorType.get(left.type.shape, ir.IntegerType.get_signless(1))
        return self.create(
            "compare",
            flags,
            [left, right],
            comparison_direction=ir.Attribute.parse(
                f"#stablehlo<comparison_direction {direction}>"
            ),
            compare_type=ir.Attribute.parse(f"#stablehlo<comparison_type {kind}>"),
        )

    def select(self, flags: Any, yes: Any, no: Any) -> Any:
        return self.create("select", yes.type, [flags, yes, no])

    def slice(self, value: Any, dim: int, start: int) -> Any:
        """The elements at `start` along `dim`, which is left out."""
        from jaxlib.mlir import ir

        shape = list(value.type.shape)
        starts = [start if d == dim else 0 for d in range(len(shape))]
        limits = [start + 1 if d == dim else extent for d, extent in enumerate(shape)]
        part = self._to(
            "slice",
            value,
            [1 if d == dim else extent for d, extent in enumerate(shape)],
            value.type.element_type,
            start_indices=ir.DenseI64ArrayAttr.get(starts),
            limit_indices=ir.DenseI64ArrayAttr.get(limits),
            strides=ir.DenseI64ArrayAttr.get([1] * len(shape)),
        )
        return self.reshape(part, [extent for d, extent in enumerate(shape) if d != dim])

    def narrow(self, value: Any, dim: int, start: int, size: int, step: int = 1) -> Any:
        """`size` elements along `dim` from `start` on, each `step` behind the one before it."""
        from jaxlib.mlir import ir

        shape = list(value.type.shape)
        if start == 0 and size == shape[dim] and step == 1:
            return value
        starts, limits, steps = [0] * len(shape), list(shape), [1] * len(shape)
        starts[dim], limits[dim] = start, start + (size - 1) * step + 1 if size else start
        shape[dim], steps[dim] = size, step
        return self._to(
            "slice",
            value,
            shape,
            value.type.element_type,
            start_indices=ir.DenseI64ArrayAttr.get(starts),
            limit_indices=ir.DenseI64ArrayAttr.get(limits),
            strides=ir.DenseI64ArrayAttr.get(steps),
        )

    def pad(self, value: Any, dim: int, low: int, high: int, number: float) -> Any:
        """`value` with `low` elements in front and `high` behind along `dim`."""
        from jaxlib.mlir import ir

        if low == 0 and high == 0:
            return value
        element = value.type.element_type
        shape, none = list(value.type.shape), [0] * len(value.type.shape)
        shape[dim] += low + high
        return self._to(
            "pad",
            value,
            shape,
            element,
            also=[self.splat([], element, number)],
            edge_padding_low=ir.DenseI64ArrayAttr.get([*none[:dim], low, *none[dim + 1 :]]),
            edge_padding_high=ir.DenseI64ArrayAttr.get([*none[:dim], high, *none[dim + 1 :]]),
            interior_padding=ir.DenseI64ArrayAttr.get(none),
        )

    def move(self, value: Any, dim: int, by: int, size: int) -> Any:
        """`size` elements along `dim`: `value` from place `by` on, which may be negative, and
        zeros.
        """
        extent = value.type.shape[dim]
        first, low = min(max(-by, 0), extent), min(max(by, 0), size)
        count = max(min(extent - first, size - low), 0)
        return self.pad(self.narrow(value, dim, first, count), dim, low, size - low - count, 0)

    def spread(
        self, value: Any, starts: Sequence[int], steps: Sequence[int], shape: Sequence[int]
    ) -> Any:
        """A tensor of `shape` with the elements of `value` from `starts` on, zeros elsewhere."""
        from jaxlib.mlir import ir

        element = value.type.element_type
        sizes = value.type.shape
        behind = [
            extent - (start + (size - 1) * step + 1)
            for extent, start, size, step in zip(shape, starts, sizes, steps, strict=True)
        ]
        return self._to(
            "pad",
            value,
            shape,
            element,
            also=[self.splat([], element, 0)],
            edge_padding_low=ir.DenseI64ArrayAttr.get(starts),
            edge_padding_high=ir.DenseI64ArrayAttr.get(behind),
            interior_padding=ir.DenseI64ArrayAttr.get([step - 1 for step in steps]),
        )

    def reverse(self, value: Any, dims: Sequence[int]) -> Any:
        """The elements along `dims` from the last one on.

        iree-opt knows this of signless numbers alone, so that unsigned ones become those.
        """
        from jaxlib.mlir import ir

        if not dims:
            return value
        element = value.type.element_type
        if isinstance(element, ir.IntegerType) and element.is_unsigned:
            signless = ir.IntegerType.get_signless(element.width)
            made = self.reverse(self.cast("bitcast_convert", value, signless), dims)
            return self.cast("bitcast_convert", made, element)
        numbers = ir.DenseI64ArrayAttr.get(dims)
        return self.create("reverse", value.type, [value], dimensions=numbers)

    def update(self, value: Any, window: Any, starts: Sequence[int]) -> Any:
        """`value` with `window` from the places in `starts` on."""
        from jaxlib.mlir import ir

        number = ir.IntegerType.get_signless(32)
        places = [self.splat([], number, start) for start in starts]
        return self.create("dynamic_update_slice", value.type, [value, window, *places])

    def reduce(
        self,
        name: str,
        value: Any,
        dims: Sequence[int],
        start: float = 0,
        init: Any = None,
    ) -> Any:
        """`value` without `dims`, combined by the op `name`.

        What is neutral for it is the value `init` or, without one, the number `start`.
        """
        from jaxlib.mlir import ir

        if not dims:
            return value
        shape = [extent for d, extent in enumerate(value.type.shape) if d not in dims]
        element = value.type.element_type
        made = self._to(
            "reduce",
            value,
            shape,
            element,
            also=[self.splat([], element, start) if init is None else init],
            regions=1,
            dimensions=ir.DenseI64ArrayAttr.get(sorted(dims)),
        )
        scalar = ir.RankedTensorType.get([], element)
        op = made.owner
        block = op.regions[0].blocks.append(
            scalar, scalar, arg_locs=[self._op.location, self._op.location]
        )
        with ir.InsertionPoint(block), self._op.location:
            one = ir.Operation.create(
                f"stablehlo.{name}", results=[scalar], operands=list(block.arguments)
            )
            ir.Operation.create("stablehlo.return", operands=[one.results[0]])
        return made

    def dot(self, left: Any, right: Any, batch: int, contracting: int) -> Any:
        """The product; the batch dimensions are in front, those that are summed behind them."""
        from jaxlib.mlir import ir

        rest = batch + contracting
        shape = [*left.type.shape[:rest], *left.type.shape[rest:], *right.type.shape[rest:]]
        del shape[batch:rest]
        both, summed = list(range(batch)), list(range(batch, rest))
        numbers = (
            f"#stablehlo.dot<lhs_batching_dimensions = {both}, "
            f"rhs_batching_dimensions = {both}, lhs_contracting_dimensions = {summed}, "
            f"rhs_contracting_dimensions = {summed}>"
        )
        return self._to(
            "dot_general",
            left,
            shape,
            left.type.element_type,
            also=[right],
            dot_dimension_numbers=ir.Attribute.parse(numbers),
        )

    def _to(
        self,
        name: str,
        value: Any,
        shape: Sequence[int],
        element: Any,
        also: Sequence[Any] = (),
        regions: int = 0,
        **attributes: Any,
    ) -> Any:
        from jaxlib.mlir import ir

        kind = ir.RankedTensorType.get(shape, element)
        return self.create(name, kind, [value, *also], regions, **attributes)
