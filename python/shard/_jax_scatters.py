# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scatters and look-ups of StableHLO, in terms of comparisons.

iree-opt lowers a scatter to an op of its own dialect, `iree_linalg_ext`. Here the numbers of
rows are compared with all rows, and what is added is a product with the matrix of 0 and 1 that
this gives; other ways to combine reduce over a choice. Every dimension can then be split as in
any other product. A dimension that the updates and the operand have in common, as the batch of
`jnp.take_along_axis`, is not compared: it is a batch of the product. The same holds for an
index that counts along such a dimension, as in `x[jnp.arange(n), labels]`.

A look-up of one element for each element of such a batch, the loss of cross entropy, is the sum
over a choice too, and no data leave a device that has the batch. Other look-ups stay.
"""

import math
from typing import Any

from shard._errors import ProgramError
from shard._jax_builder import Builder
from shard._jax_rewrites import place_of
from shard._jax_windows import known_places

# What combines two elements.
_KINDS = ("add", "multiply", "maximum", "minimum", "and", "or", "xor")


def rewrite_scatters(module: Any) -> None:
    """Rewrites `module`, of jaxlib's MLIR, in place.

    Raises ProgramError for a scatter that combines in a way of its own.
    """
    from jaxlib.mlir import ir

    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name in ("stablehlo.scatter", "stablehlo.gather"):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    with module.context, ir.Location.unknown():
        for op in found:
            made = _scatter(op) if op.name == "stablehlo.scatter" else _gather(op)
            if made is not None:
                op.results[0].replace_all_uses_with(made)
                op.erase()


class _Indices:
    """The indices of a scatter or a gather, one tensor for each dimension they are for.

    The dimensions of the indices without that of the vector are numbered as *points*. A point
    dimension is *tied* to a dimension of the operand if its numbers are the indices there.
    """

    def __init__(
        self, build: Builder, indices: Any, vector: int, dims: list[int], tied: dict[int, int]
    ) -> None:
        """`dims`: those of the operand; `tied`: them by dimensions of `indices`."""
        shape = list(indices.type.shape)
        self.points = [extent for d, extent in enumerate(shape) if d != vector]
        self.tied = {p - (p > vector): d for p, d in tied.items()}
        self.columns: dict[int, Any] = {}
        for number, dim in enumerate(dims):
            if vector == len(shape):
                self.columns[dim] = indices
            elif shape[vector] == 1:
                self.columns[dim] = build.reshape(indices, self.points)
            else:
                self.columns[dim] = build.slice(indices, vector, number)
        self._indices, self._vector = indices, vector
        self._dims = dims

    def tie_counts(self, operand: list[int], sizes: list[int]) -> None:
        """Ties the point dimensions along which an index counts from 0."""
        for number, dim in enumerate(self._dims):
            along = _counts_along(self._indices, self._vector, number)
            if along is None or sizes[dim] != 1:
                continue
            point = along - (along > self._vector)
            if point not in self.tied and self.points[point] == operand[dim]:
                self.tied[point] = dim
                del self.columns[dim]

    def widen(self, build: Builder) -> None:
        """Gives indices a type that has all numbers of a dimension."""
        from jaxlib.mlir import ir

        for dim, column in self.columns.items():
            if column.type.element_type.width < 32:
                number = ir.IntegerType.get_signless(32)
                self.columns[dim] = build.cast("convert", column, number)


def _scatter(op: Any) -> Any:
    """What a scatter gives."""
    from jaxlib.mlir.dialects import stablehlo

    kind = _kind_of(op)
    operand, updates = op.operands[0], op.operands[2]
    numbers = stablehlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
    shape, given = list(operand.type.shape), list(updates.type.shape)
    build = Builder(op)
    in_updates = list(numbers.update_window_dims)
    without = {*numbers.inserted_window_dims, *numbers.input_batching_dims}
    in_operand = [d for d in range(len(shape)) if d not in without]
    windows = dict(zip(in_operand, in_updates, strict=True))
    sizes = [given[windows[d]] if d in windows else 1 for d in range(len(shape))]
    if (made := known_places(build, op, numbers, sizes, kind)) is not None:
        return made
    tied = dict(
        zip(numbers.scatter_indices_batching_dims, numbers.input_batching_dims, strict=True)
    )
    scattered = list(numbers.scattered_dims_to_operand_dims)
    indices = _Indices(build, op.operands[1], numbers.index_vector_dim, scattered, tied)
    indices.tie_counts(shape, sizes)
    indices.widen(build)
    # The dimensions of the updates, as points and as windows of whole dimensions.
    batch = [u for u in range(len(given)) if u not in in_updates]
    whole = {d: u for d, u in windows.items() if d not in scattered and sizes[d] == shape[d]}
    parts = [d for d in windows if d not in whole]
    _count_windows(build, indices, parts, sizes, shape)
    order = [*batch, *(windows[d] for d in parts), *whole.values()]
    updates = build.transpose(updates, order)
    if kind == "subtract":
        kind, updates = "add", build.create("negate", updates.type, [updates])
    return _Scatter(build, operand, indices, updates, list(whole), kind).made()


def _count_windows(
    build: Builder, indices: _Indices, parts: list[int], sizes: list[int], shape: list[int]
) -> None:
    """Makes points of the elements of windows that are parts of their dimensions.

    A window that is not in the operand as a whole is dropped: its index becomes -1.
    """
    from jaxlib.mlir import ir

    points = list(indices.points)
    indices.points = [*points, *(sizes[d] for d in parts)]
    old = list(range(len(points)))
    inside = None
    for dim in parts:
        column = indices.columns.get(dim)
        if column is None or sizes[dim] == 1:
            continue
        element = column.type.element_type
        last = build.splat(points, element, shape[dim] - sizes[dim])
        fits = build.compare("LE", column, last)
        if not element.is_unsigned:
            zero = build.splat(points, element, 0)
            fits = build.binary("and", fits, build.compare("GE", column, zero))
        inside = fits if inside is None else build.binary("and", inside, fits)
    for dim in range(len(shape)):
        column = indices.columns.get(dim)
        if column is None and dim not in parts:
            continue
        if column is None:
            number = ir.IntegerType.get_signless(32)
            column = build.splat(indices.points, number, 0)
        else:
            column = build.place(column, old, indices.points)
        element = column.type.element_type
        if dim in parts:
            along = len(points) + parts.index(dim)
            column = build.binary("add", column, build.iota(indices.points, element, along))
        if inside is not None:
            nowhere = build.splat(indices.points, element, 2 ** (element.width - 1) - 1)
            flags = build.place(inside, old, indices.points)
            column = build.select(flags, column, nowhere)
        indices.columns[dim] = column


class _Scatter:
    """A scatter of updates whose dimensions are the points, then whole dimensions."""

    def __init__(
        self,
        build: Builder,
        operand: Any,
        indices: _Indices,
        updates: Any,
        whole: list[int],
        kind: str,
    ) -> None:
        self.build, self.operand, self.indices, self.kind = build, operand, indices, kind
        self.shape = list(operand.type.shape)
        self.element = operand.type.element_type
        points = indices.points
        # The points in the order of the product: the tied ones, then those summed over.
        self.batch = sorted(indices.tied)
        self.free = [p for p in range(len(points)) if p not in self.batch and points[p] > 1]
        self.count = math.prod(points[p] for p in self.free)
        self.batch_dims = [indices.tied[p] for p in self.batch]
        self.compared = sorted(indices.columns)
        self.whole = whole
        if updates is not None:
            self.updates = self._without_ones(updates, len(whole))

    def made(self) -> Any:
        if self.count == 1:
            return self._one()
        if self.kind == "set":
            return self._last()
        if self.kind == "add":
            return self._sum()
        return self._reduced()

    def _without_ones(self, value: Any, behind: int) -> Any:
        """A tensor of points in the order of the product, without points of one element."""
        build, points = self.build, self.indices.points
        rest = list(range(len(points), len(points) + behind))
        ones = [p for p in range(len(points)) if p not in self.batch and p not in self.free]
        value = build.transpose(value, [*self.batch, *self.free, *ones, *rest])
        shape = list(value.type.shape)
        at = len(self.batch) + len(self.free)
        return build.reshape(value, [*shape[:at], *shape[at + len(ones) :]])

    def hits(self) -> Any:
        """Whether a point goes to an element: flags of [batch, free, compared]."""
        build = self.build
        heads = [self.indices.points[p] for p in (*self.batch, *self.free)]
        shape = [*heads, *(self.shape[d] for d in self.compared)]
        flags = None
        for number, dim in enumerate(self.compared):
            column = self._without_ones(self.indices.columns[dim], 0)
            element = column.type.element_type
            column = build.place(column, list(range(len(heads))), shape)
            rows = build.iota(shape, element, len(heads) + number)
            same = build.compare("EQ", column, rows)
            flags = same if flags is None else build.binary("and", flags, same)
        if flags is None:
            from jaxlib.mlir import ir

            flags = build.splat(shape, ir.IntegerType.get_signless(1), 1)
        return flags

    def _one(self) -> Any:
        """One point for each element of the batch: a choice."""
        build = self.build
        hits = build.place(self.hits(), [*self.batch_dims, *self.compared], self.shape)
        updates = build.place(self.updates, [*self.batch_dims, *self.whole], self.shape)
        new = updates
        if self.kind != "set":
            new = build.binary(self.kind, self.operand, updates)
        return build.select(hits, new, self.operand)

    def _sum(self) -> Any:
        added = self._product(self.hits(), self.updates)
        return self.build.binary("add", self.operand, added)

    def _product(self, hits: Any, updates: Any) -> Any:
        """Sums of the updates that hit, shaped as the operand."""
        build, element = self.build, updates.type.element_type
        shape = list(hits.type.shape)
        ones, zeros = build.splat(shape, element, 1), build.splat(shape, element, 0)
        chosen = build.select(hits, ones, zeros)
        product = build.dot(chosen, updates, len(self.batch), len(self.free))
        dims = [*self.batch_dims, *self.compared, *self.whole]
        return build.place(product, dims, self.shape)

    def _last(self) -> Any:
        """Of the points that hit an element the last one counts."""
        from jaxlib.mlir import ir

        build, hits = self.build, self.hits()
        i32, shape = ir.IntegerType.get_signless(32), list(hits.type.shape)
        free = list(range(len(self.batch), len(self.batch) + len(self.free)))
        extents = [self.indices.points[p] for p in self.free]
        ids = build.reshape(build.iota([self.count], i32, 0), extents)
        ids = build.place(ids, free, shape)
        numbers = build.select(hits, ids, build.splat(shape, i32, -1))
        last = build.reduce("maximum", numbers, free, -1)
        others = [d for d in range(len(shape)) if d not in free]
        chosen = build.binary(
            "and", hits, build.compare("EQ", ids, build.place(last, others, shape))
        )
        # Sums of bits, of which there is one, keep infinities and NaN where they are.
        value = self._from_bits(self._product(chosen, self._to_bits(self.updates)))
        any_hit = build.compare("GE", last, build.splat(list(last.type.shape), i32, 0))
        any_hit = build.place(any_hit, [*self.batch_dims, *self.compared], self.shape)
        return build.select(any_hit, value, self.operand)

    def _to_bits(self, value: Any) -> Any:
        from jaxlib.mlir import ir

        if self.element.width == 1:
            return self.build.cast("convert", value, ir.IntegerType.get_signless(32))
        return self.build.cast(
            "bitcast_convert", value, ir.IntegerType.get_signless(self.element.width)
        )

    def _from_bits(self, value: Any) -> Any:
        name = "convert" if self.element.width == 1 else "bitcast_convert"
        return self.build.cast(name, value, self.element)

    def _reduced(self) -> Any:
        """The updates that hit an element are combined, then combined with it."""
        build, hits = self.build, self.hits()
        heads = len(self.batch) + len(self.free)
        wholes = [self.shape[d] for d in self.whole]
        shape = [*hits.type.shape, *wholes]
        flags = build.place(hits, list(range(len(shape) - len(wholes))), shape)
        behind = range(len(shape) - len(wholes), len(shape))
        updates = build.place(self.updates, [*range(heads), *behind], shape)
        neutral = _neutral(self.kind, self.element)
        chosen = build.select(flags, updates, build.splat(shape, self.element, neutral))
        free = list(range(len(self.batch), heads))
        reduced = build.reduce(self.kind, chosen, free, neutral)
        dims = [*self.batch_dims, *self.compared, *self.whole]
        return build.binary(self.kind, self.operand, build.place(reduced, dims, self.shape))


def _gather(op: Any) -> Any:
    """What a look-up of one element for each element of a batch gives, or None."""
    from jaxlib.mlir.dialects import stablehlo

    numbers = stablehlo.GatherDimensionNumbers(op.attributes["dimension_numbers"])
    operand, shape = op.operands[0], list(op.operands[0].type.shape)
    sizes = [int(size) for size in op.attributes["slice_sizes"]]
    looked_up = list(numbers.start_index_map)
    whole = [d for d in range(len(shape)) if sizes[d] == shape[d] and d not in looked_up]
    tied = dict(
        zip(numbers.start_indices_batching_dims, numbers.operand_batching_dims, strict=True)
    )
    without = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    whole = [d for d in whole if d not in without]
    if any(sizes[d] != 1 for d in range(len(shape)) if d not in whole):
        return None
    build = Builder(op)
    indices = _Indices(build, op.operands[1], numbers.index_vector_dim, looked_up, tied)
    indices.tie_counts(shape, sizes)
    points = indices.points
    free = [p for p in range(len(points)) if p not in indices.tied]
    if math.prod(points[p] for p in free) != 1 or all(points[p] == 1 for p in indices.tied):
        return None
    indices.widen(build)
    # An index outside is that of the first or the last row.
    for dim, column in indices.columns.items():
        element, extents = column.type.element_type, list(column.type.shape)
        first, last = (build.splat(extents, element, n) for n in (0, shape[dim] - 1))
        column = build.binary("minimum", build.binary("maximum", column, first), last)
        indices.columns[dim] = column
    rows = _Scatter(build, operand, indices, None, whole, "")
    hits = build.place(rows.hits(), [*rows.batch_dims, *rows.compared], shape)
    element = operand.type.element_type
    kind = "or" if element.width == 1 else "add"
    neutral = _neutral(kind, element)
    chosen = build.select(hits, operand, build.splat(shape, element, neutral))
    left = [d for d in range(len(shape)) if d in rows.batch_dims or d in whole]
    dropped = [d for d in range(len(shape)) if d not in left]
    value = build.reduce(kind, chosen, dropped, neutral)
    # The result has the points, with the windows in between.
    of_point = indices.tied
    offsets = list(numbers.offset_dims)
    windows = [d for d in range(len(shape)) if d not in without]
    wanted: list[int] = []
    next_point = iter(range(len(points)))
    for dim in range(len(op.results[0].type.shape)):
        if dim in offsets:
            source = windows[offsets.index(dim)]
        else:
            source = of_point.get(next(next_point), -1)
        if source in left:
            wanted.append(left.index(source))
    return build.reshape(build.transpose(value, wanted), list(op.results[0].type.shape))


def _kind_of(op: Any) -> str:
    """How a scatter combines an element with an update."""
    body = list(op.regions[0].blocks[0])
    arguments = list(op.regions[0].blocks[0].arguments)
    if len(op.operands) == 3:
        if len(body) == 1 and body[0].operands[0] == arguments[1]:
            return "set"
        kind = str(body[0].name).removeprefix("stablehlo.")
        if len(body) == 2 and body[1].operands[0] == body[0].results[0]:
            operands = list(body[0].operands)
            if operands == arguments and (kind in _KINDS or kind == "subtract"):
                return kind
            if operands == arguments[::-1] and kind in _KINDS:
                return kind
    raise ProgramError(
        f"{place_of(op)}: a scatter that combines elements in a way of its own is not "
        "supported; it may set, add, subtract, multiply, or take the larger or the smaller one"
    )


def _neutral(kind: str, element: Any) -> float:
    """The number that changes nothing when it is combined."""
    from jaxlib.mlir import ir

    is_float = isinstance(element, ir.FloatType)
    width = element.width
    signed = not is_float and not element.is_unsigned and width > 1
    smallest = -math.inf if is_float else -(2 ** (width - 1)) if signed else 0
    largest = math.inf if is_float else 2 ** (width - signed) - 1
    return {
        # -0 + -0 is -0; 0 + -0 is not.
        "add": -0.0 if is_float else 0,
        "multiply": 1,
        "maximum": smallest,
        "minimum": largest,
        "and": -1,
    }.get(kind, 0)


def _counts_along(indices: Any, vector: int, number: int) -> int | None:
    """The dimension along which the index `number` counts from 0, if there is one."""
    op = indices.owner
    if getattr(op, "name", "") != "stablehlo.concatenate":
        return None
    if int(op.attributes["dimension"].value) != vector:
        return None
    for operand in op.operands:
        extent = operand.type.shape[vector]
        if number < extent:
            return _iota_dim(operand) if extent == 1 else None
        number -= extent
    return None


def _iota_dim(value: Any) -> int | None:
    """The dimension along which `value` counts from 0, equal along the others."""
    op = value.owner
    name = getattr(op, "name", "")
    if name == "stablehlo.iota":
        return int(op.attributes["iota_dimension"].value)
    if name == "stablehlo.convert":
        return _iota_dim(op.operands[0])
    if name == "stablehlo.broadcast_in_dim":
        along = _iota_dim(op.operands[0])
        if along is None:
            return None
        dim = int(list(op.attributes["broadcast_dimensions"])[along])
        return dim if value.type.shape[dim] == op.operands[0].type.shape[along] else None
    if name == "stablehlo.reshape":
        along = _iota_dim(op.operands[0])
        source, target = list(op.operands[0].type.shape), list(value.type.shape)
        if along is None or math.prod(target) != source[along]:
            return None
        places = [d for d, extent in enumerate(target) if extent == source[along]]
        return places[0] if len(places) == 1 else None
    if name == "stablehlo.select":
        # What JAX makes of an index that may be negative: i < 0 ? i + n : i.
        test = op.operands[0].owner
        if (
            getattr(test, "name", "") == "stablehlo.compare"
            and "LT" in str(test.attributes["comparison_direction"])
            and _is_zero(test.operands[1])
            and test.operands[0] == op.operands[2]
        ):
            return _iota_dim(op.operands[2])
    return None


def _is_zero(value: Any) -> bool:
    from jaxlib.mlir import ir

    op = value.owner
    if getattr(op, "name", "") == "stablehlo.broadcast_in_dim":
        return _is_zero(op.operands[0])
    if getattr(op, "name", "") != "stablehlo.constant":
        return False
    numbers = ir.DenseElementsAttr(op.attributes["value"])
    return bool(numbers.is_splat and ir.IntegerAttr(numbers.get_splat_value()).value == 0)
