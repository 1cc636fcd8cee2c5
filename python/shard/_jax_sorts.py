# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorts, top_k and cumulative reductions of StableHLO, for which iree-opt has own ops.

A sort compares all pairs along its dimension: the place of an element is the number of
those that come before it. That is n^2 work for n elements; other dimensions can be split
as in any elementwise op. A cumulative reduction, a window as long as its dimension, is
padded by an op of its own; what is left is a window without padding.
"""

from typing import Any

from shard._errors import ProgramError


def rewrite_sorts(module: Any) -> None:
    """Rewrites them in `module`, of jaxlib's MLIR, in place."""
    from jaxlib.mlir import ir

    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name in ("stablehlo.sort", "chlo.top_k", "stablehlo.reduce_window"):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    with module.context, ir.Location.unknown():
        for number, op in enumerate(found):
            if op.name == "stablehlo.reduce_window":
                _pad_window(op)
            else:
                _Sort(module, op, f"__shard_sort_{number}").rewrite()


def _create(name: str, op: Any, results: list[Any], operands: list[Any], **attributes: Any) -> Any:
    from jaxlib.mlir import ir

    return ir.Operation.create(
        name,
        results=results,
        operands=operands,
        attributes=attributes,
        ip=ir.InsertionPoint(op),
        loc=op.location,
    )


def _pad_window(op: Any) -> None:
    """Pads the operand of a window that is as long as a dimension by an op of its own."""
    from jaxlib.mlir import ir

    if len(op.operands) != 2 or "padding" not in op.attributes:
        return
    operand, init = op.operands
    window = list(op.attributes["window_dimensions"])
    extents = list(operand.type.shape)
    whole = [d for d, size in enumerate(window) if size > 1]
    if len(whole) != 1 or window[whole[0]] != extents[whole[0]]:
        return
    padding = [int(n) for n in op.attributes["padding"]]
    low, high = padding[::2], padding[1::2]
    shape = [e + a + b for e, a, b in zip(extents, low, high, strict=True)]
    padded = _create(
        "stablehlo.pad",
        op,
        [ir.RankedTensorType.get(shape, operand.type.element_type)],
        [operand, init],
        edge_padding_low=ir.DenseI64ArrayAttr.get(low),
        edge_padding_high=ir.DenseI64ArrayAttr.get(high),
        interior_padding=ir.DenseI64ArrayAttr.get([0] * len(extents)),
    )
    op.operands[0] = padded.results[0]
    del op.attributes["padding"]


class _Sort:
    """One `stablehlo.sort` or `chlo.top_k`."""

    def __init__(self, module: Any, op: Any, name: str) -> None:
        self.module, self.op, self.name = module, op, name
        self.is_top_k = op.name == "chlo.top_k"
        self.shape = list(op.operands[0].type.shape)
        rank = len(self.shape)
        self.dim = rank - 1 if self.is_top_k else int(op.attributes["dimension"].value)
        self.extent = self.shape[self.dim]
        self.pairs = [*self.shape[: self.dim + 1], *self.shape[self.dim :]]

    def rewrite(self) -> None:
        """Puts the new ops in the place of the old one."""
        from jaxlib.mlir import ir

        op = self.op
        if self.is_top_k:
            i32 = ir.IntegerType.get_signless(32)
            iota = ir.RankedTensorType.get(self.shape, i32)
            along = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), self.dim)
            places = _create("stablehlo.iota", op, [iota], [], iota_dimension=along).results[0]
            operands = [op.operands[0], places]
        else:
            operands = list(op.operands)
        before = self._before([op.operands[0]] if self.is_top_k else operands, swap=False)
        after = self._before([op.operands[0]] if self.is_top_k else operands, swap=True)
        rank_type = ir.RankedTensorType.get(self.shape, ir.IntegerType.get_signless(32))
        rank = self._call("rank", [before, after], rank_type)
        for number, (operand, result) in enumerate(zip(operands, op.results, strict=True)):
            made = self._call(f"pick_{number}", [rank, operand], result.type)
            result.replace_all_uses_with(made)
        op.erase()

    def _type(self, element: Any) -> Any:
        from jaxlib.mlir import ir

        return ir.RankedTensorType.get(self.pairs, element)

    def _spread(self, value: Any, other: bool) -> Any:
        """`value` for all pairs: of this element, or of the other one."""
        from jaxlib.mlir import ir

        dims = [d if d < self.dim + (not other) else d + 1 for d in range(len(self.shape))]
        return _create(
            "stablehlo.broadcast_in_dim",
            self.op,
            [self._type(value.type.element_type)],
            [value],
            broadcast_dimensions=ir.DenseI64ArrayAttr.get(dims),
        ).results[0]

    def _before(self, operands: list[Any], swap: bool) -> Any:
        """For all pairs: whether the other one comes before this one; `swap`: behind it."""
        pairs = [[self._spread(value, not swap), self._spread(value, swap)] for value in operands]
        if self.is_top_k:
            return self._compare(pairs[0][0], pairs[0][1], "GT")
        block = self.op.regions[0].blocks[0]
        known = list(zip(block.arguments, [v for pair in pairs for v in pair], strict=True))
        for inner in block.operations:
            if inner.operation.name == "stablehlo.return":
                return self._value(known, inner.operands[0])
            known.append((inner.results[0], self._inline(inner, known)))
        raise ProgramError("a sort without a comparator")

    def _value(self, known: list[Any], value: Any) -> Any:
        """What stands for a scalar of the comparator, for all pairs."""
        from jaxlib.mlir import ir

        for old, new in known:
            if old == value:
                return new
        return _create(
            "stablehlo.broadcast_in_dim",
            self.op,
            [self._type(value.type.element_type)],
            [value],
            broadcast_dimensions=ir.DenseI64ArrayAttr.get([]),
        ).results[0]

    def _inline(self, inner: Any, known: list[Any]) -> Any:
        from jaxlib.mlir import ir

        operation = inner.operation
        element = operation.results[0].type.element_type
        attributes = {
            name: operation.attributes[name]
            for name in (getattr(a, "name", a) for a in operation.attributes)
        }
        if operation.name == "stablehlo.constant":
            splat = attributes["value"].get_splat_value()
            attributes = {"value": ir.DenseElementsAttr.get_splat(self._type(element), splat)}
        operands = [self._value(known, operand) for operand in operation.operands]
        if operation.name == "stablehlo.compare" and "TOTALORDER" in str(
            attributes.get("compare_type", "")
        ):
            direction = str(attributes["comparison_direction"]).split()[-1].rstrip(">")
            return self._compare(operands[0], operands[1], direction)
        return _create(
            operation.name, self.op, [self._type(element)], operands, **attributes
        ).results[0]

    def _compare(self, left: Any, right: Any, direction: str) -> Any:
        """A comparison of numbers in their total order, in which NaN is the largest."""
        from jaxlib.mlir import ir

        kind = "UNSIGNED" if "ui" in str(left.type.element_type) else "SIGNED"
        if isinstance(left.type.element_type, ir.FloatType):
            left, right = (self._key(value) for value in (left, right))
        return _create(
            "stablehlo.compare",
            self.op,
            [self._type(ir.IntegerType.get_signless(1))],
            [left, right],
            comparison_direction=ir.Attribute.parse(
                f"#stablehlo<comparison_direction {direction}>"
            ),
            compare_type=ir.Attribute.parse(f"#stablehlo<comparison_type {kind}>"),
        ).results[0]

    def _key(self, value: Any) -> Any:
        """Integers in the order of floats."""
        from jaxlib.mlir import ir

        integer = ir.IntegerType.get_signless(value.type.element_type.width)
        kind = self._type(integer)

        def constant(number: int) -> Any:
            splat = ir.DenseElementsAttr.get_splat(kind, ir.IntegerAttr.get(integer, number))
            return _create("stablehlo.constant", self.op, [kind], [], value=splat).results[0]

        def apply(name: str, *operands: Any) -> Any:
            return _create(f"stablehlo.{name}", self.op, [kind], list(operands)).results[0]

        bits = apply("bitcast_convert", value)
        sign = apply("shift_right_arithmetic", bits, constant(integer.width - 1))
        mask = apply("and", sign, constant(2 ** (integer.width - 1) - 1))
        return apply("xor", bits, mask)

    def _call(self, what: str, operands: list[Any], result: Any) -> Any:
        from jaxlib.mlir import ir

        name = f"{self.name}_{what}"
        text = self._rank_text(name) if what == "rank" else self._pick_text(name, operands, result)
        parsed = ir.Module.parse(text)

        def place(op: Any) -> Any:
            # Places in this text would say nothing to the user.
            op.location = self.op.location
            return ir.WalkResult.ADVANCE

        parsed.operation.walk(place)
        parsed.body.operations[0].operation.clone(ip=ir.InsertionPoint(self.module.body))
        callee = ir.FlatSymbolRefAttr.get(name)
        return _create("func.call", self.op, [result], operands, callee=callee).results[0]

    def _rank_text(self, name: str) -> str:
        """The number of elements that come before each, of equal ones those in front."""
        flags, numbers = self._type_text(self.pairs, "i1"), self._type_text(self.pairs, "i32")
        result = self._type_text(self.shape, "i32")
        return f"""module {{
  func.func private @{name}(%before: {flags}, %after: {flags}) -> {result} {{
    %this = stablehlo.iota dim = {self.dim} : {numbers}
    %other = stablehlo.iota dim = {self.dim + 1} : {numbers}
    %front = stablehlo.compare LT, %other, %this : ({numbers}, {numbers}) -> {flags}
    %not = stablehlo.not %after : {flags}
    %tie = stablehlo.and %not, %front : {flags}
    %first = stablehlo.or %before, %tie : {flags}
    %one = stablehlo.constant dense<1> : {numbers}
    %none = stablehlo.constant dense<0> : {numbers}
    %counts = stablehlo.select %first, %one, %none : {flags}, {numbers}
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %rank = stablehlo.reduce(%counts init: %zero) applies stablehlo.add
        across dimensions = [{self.dim + 1}] : ({numbers}, tensor<i32>) -> {result}
    return %rank : {result}
  }}
}}"""

    def _pick_text(self, name: str, operands: list[Any], result: Any) -> str:
        """The elements in the order of their ranks; a sum of bits of which one is there."""
        source = operands[1].type
        element = str(source.element_type)
        bits = "i32" if element == "i1" else f"i{element.lstrip('uibf')}"
        kept = list(result.shape)
        grid = [*kept[: self.dim + 1], self.extent, *kept[self.dim + 1 :]]
        dims = [d if d < self.dim else d + 1 for d in range(len(kept))]
        ranks, numbers = self._type_text(self.shape, "i32"), self._type_text(grid, "i32")
        flags, wide = self._type_text(grid, "i1"), self._type_text(grid, bits)
        cast = "convert" if element == "i1" else "bitcast_convert"
        narrow, picked = self._type_text(self.shape, bits), self._type_text(kept, bits)
        return f"""module {{
  func.func private @{name}(%rank: {ranks}, %x: {source}) -> {result} {{
    %bits = stablehlo.{cast} %x : ({source}) -> {narrow}
    %all = stablehlo.broadcast_in_dim %bits, dims = {dims} : ({narrow}) -> {wide}
    %ranks = stablehlo.broadcast_in_dim %rank, dims = {dims} : ({ranks}) -> {numbers}
    %place = stablehlo.iota dim = {self.dim} : {numbers}
    %here = stablehlo.compare EQ, %ranks, %place : ({numbers}, {numbers}) -> {flags}
    %none = stablehlo.constant dense<0> : {wide}
    %chosen = stablehlo.select %here, %all, %none : {flags}, {wide}
    %zero = stablehlo.constant dense<0> : tensor<{bits}>
    %sum = stablehlo.reduce(%chosen init: %zero) applies stablehlo.add
        across dimensions = [{self.dim + 1}] : ({wide}, tensor<{bits}>) -> {picked}
    %result = stablehlo.{cast} %sum : ({picked}) -> {result}
    return %result : {result}
  }}
}}"""

    @staticmethod
    def _type_text(shape: list[int], element: str) -> str:
        return "tensor<" + "".join(f"{extent}x" for extent in shape) + f"{element}>"
