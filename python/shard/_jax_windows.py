# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scatters of StableHLO to places that are known.

`x.at[1:-1].set(y)` and `x.at[::2].set(y)` are scatters in JAX, whose indices are constants and
numbers that count. They become an update of a slice, or a choice between the operand and the
updates, with space around and between them. That takes as long as the operand has elements, and
sends no more than borders. To compare each update with each element of the operand, as
`_jax_scatters` does where indices are data, would take as long as both have elements, multiplied.
"""

import dataclasses
import math
from typing import Any

import numpy as np

from shard._jax_builder import Builder

# So many indices are computed to look at them.
_MOST = 1 << 20


@dataclasses.dataclass
class _Places:
    """The places of a window along a dimension: so many, from the first one on."""

    start: int
    count: int
    step: int = 1
    # The dimension of the updates along which they lie, if they do.
    source: int | None = None

    @property
    def first(self) -> int:
        return min(self.start, self.start + self.step * (self.count - 1))

    @property
    def last(self) -> int:
        return max(self.start, self.start + self.step * (self.count - 1))


def known_places(build: Builder, op: Any, numbers: Any, sizes: list[int], kind: str) -> Any | None:
    """What the scatter `op` gives, if its places are known and evenly spaced in each dimension.

    `numbers` are its ScatterDimensionNumbers, `sizes` the extents of a window in the operand.
    A window that is not in the operand as a whole changes nothing.
    """
    operand, _, updates = op.operands
    shape = list(operand.type.shape)
    if 0 in updates.type.shape:
        return operand
    found = _places(op, numbers, sizes)
    if found is None:
        return None
    if any(p.first < 0 or p.last >= e for p, e in zip(found, shape, strict=True)):
        is_one = all(p.source in (None, *numbers.update_window_dims) for p in found)
        return operand if is_one else None
    same = _scalar(updates)
    if same is not None:
        # Every device has all of the updates.
        return _chosen(build, found, operand, build.place(same, [], shape), kind)
    counts = [places.count for places in found]
    order = [places.source for places in found if places.source is not None]
    order += [d for d in range(len(updates.type.shape)) if d not in order]
    given = build.reshape(build.transpose(updates, order), counts)
    given = build.reverse(given, [d for d, places in enumerate(found) if places.step < 0])
    starts, steps = [p.first for p in found], [abs(p.step) for p in found]
    if kind == "set" and all(step == 1 for step in steps):
        return build.update(operand, given, starts)
    if _has_no_zero(operand):
        return None
    return _chosen(build, found, operand, build.spread(given, starts, steps, shape), kind)


def _chosen(build: Builder, found: list[_Places], operand: Any, given: Any, kind: str) -> Any:
    """`operand`, combined with `given` in the places."""
    if kind != "set":
        given = build.binary(kind, operand, given)
    flags = _flags(build, found, list(operand.type.shape))
    return given if flags is None else build.select(flags, given, operand)


def _scalar(value: Any) -> Any | None:
    """The one number that all elements of `value` are made of."""
    if not value.type.shape:
        return value
    op = value.owner
    if getattr(op, "name", "") not in ("stablehlo.broadcast_in_dim", "stablehlo.reshape"):
        return None
    return _scalar(op.operands[0])


def _has_no_zero(value: Any) -> bool:
    """Whether no constant of the type of `value`, as a complex one, can be made."""
    from jaxlib.mlir import ir

    return not isinstance(value.type.element_type, ir.IntegerType | ir.FloatType)


def _places(op: Any, numbers: Any, sizes: list[int]) -> list[_Places] | None:
    """The places in each dimension of the operand."""
    indices = _known(op.operands[1])
    if indices is None or list(numbers.input_batching_dims):
        return None
    vector = int(numbers.index_vector_dim)
    if vector == indices.ndim:
        indices = indices[..., None]
    indices = np.moveaxis(indices, vector, -1).astype(np.int64)
    in_updates = list(numbers.update_window_dims)
    batch = [d for d in range(len(op.operands[2].type.shape)) if d not in in_updates]
    in_operand = [d for d in range(len(sizes)) if d not in list(numbers.inserted_window_dims)]
    windows = dict(zip(in_operand, in_updates, strict=True))
    found = [_Places(0, size, source=windows.get(d)) for d, size in enumerate(sizes)]
    used: set[int] = set()
    for number, dim in enumerate(numbers.scattered_dims_to_operand_dims):
        column = indices[..., number]
        start = int(column.flat[0])
        along = [p for p, n in enumerate(column.shape) if n > 1 and np.ptp(column, axis=p).any()]
        if not along:
            found[dim].start = start
            continue
        point = along[0]
        count = column.shape[point]
        line = np.moveaxis(column, point, 0).reshape(count, -1)
        step = int(line[1, 0]) - start
        even = np.arange(count)[:, None] * step + start
        if len(along) > 1 or point in used or sizes[dim] != 1 or step == 0 or (line != even).any():
            return None
        used.add(point)
        found[dim] = _Places(start, count, step, batch[point])
    extents = indices.shape[:-1]
    # Along any other one, several updates would meet.
    return found if all(p in used or n == 1 for p, n in enumerate(extents)) else None


def _flags(build: Builder, found: list[_Places], shape: list[int]) -> Any | None:
    """Which elements of a tensor of `shape` are in all of the places; None if all are."""
    from jaxlib.mlir import ir

    number = ir.IntegerType.get_signless(32)
    flags = None
    for dim, (places, extent) in enumerate(zip(found, shape, strict=True)):
        if places.count == extent:
            continue

        def same(value: int, extent: int = extent) -> Any:
            return build.splat([extent], number, value)

        count = build.binary("subtract", build.iota([extent], number, 0), same(places.first))
        rest = build.binary("remainder", count, same(abs(places.step)))
        here = build.compare("EQ", rest, same(0))
        here = build.binary("and", here, build.compare("GE", count, same(0)))
        last = same(places.last - places.first)
        here = build.binary("and", here, build.compare("LE", count, last))
        here = build.place(here, [dim], shape)
        flags = here if flags is None else build.binary("and", flags, here)
    return flags


def _known(value: Any) -> Any | None:
    """The elements of `value`, integers or flags, as an array; None if they are data."""
    op = value.owner
    name = getattr(op, "name", "").removeprefix("stablehlo.")
    shape = tuple(value.type.shape)
    element = _dtype(value.type.element_type)
    if element is None or math.prod(shape) > _MOST or name not in (*_MOVES, *_ARITHMETIC):
        return None
    operands = [_known(operand) for operand in op.operands]
    if any(operand is None for operand in operands):
        return None
    if name in _ARITHMETIC:
        return np.asarray(_ARITHMETIC[name](*operands), element)
    return _MOVES[name](op, operands, shape, element)


def _dtype(element: Any) -> Any | None:
    from jaxlib.mlir import ir

    if not isinstance(element, ir.IntegerType) or element.width not in (1, 8, 16, 32, 64):
        return None
    if element.width == 1:
        return np.dtype(bool)
    return np.dtype(f"{'u' if element.is_unsigned else ''}int{element.width}")


def _constant(op: Any, _: Any, shape: Any, element: Any) -> Any | None:
    from jaxlib.mlir import ir

    numbers = ir.DenseElementsAttr(op.attributes["value"])
    if numbers.is_splat:
        return np.full(shape, int(ir.IntegerAttr(numbers.get_splat_value()).value), element)
    listed = [int(number) for number in ir.DenseIntElementsAttr(numbers)]
    return np.array(listed).astype(element).reshape(shape)


def _iota(op: Any, _: Any, shape: Any, element: Any) -> Any:
    along = int(op.attributes["iota_dimension"].value)
    count = np.arange(shape[along], dtype=element)
    return np.broadcast_to(
        count.reshape([-1 if d == along else 1 for d in range(len(shape))]), shape
    )


def _broadcast(op: Any, operands: Any, shape: Any, _: Any) -> Any:
    extents = [1] * len(shape)
    dims = [int(dim) for dim in op.attributes["broadcast_dimensions"]]
    for dim, extent in zip(dims, operands[0].shape, strict=True):
        extents[dim] = extent
    order = np.argsort(dims)
    return np.broadcast_to(operands[0].transpose(order).reshape(extents), shape)


def _compare(op: Any, operands: Any, _: Any, __: Any) -> Any | None:
    name = str(op.attributes["comparison_direction"])
    for direction, function in (("LT", np.less), ("GE", np.greater_equal)):
        if direction in name:
            return function(*operands)
    return None


# What moves elements, or makes them.
_MOVES: dict[str, Any] = {
    "constant": _constant,
    "iota": _iota,
    "broadcast_in_dim": _broadcast,
    "compare": _compare,
    "reshape": lambda op, operands, shape, element: operands[0].reshape(shape),
    "convert": lambda op, operands, shape, element: operands[0].astype(element),
    "concatenate": lambda op, operands, shape, element: np.concatenate(
        operands, int(op.attributes["dimension"].value)
    ),
    "reverse": lambda op, operands, shape, element: np.flip(
        operands[0], tuple(int(dim) for dim in op.attributes["dimensions"])
    ),
}
_ARITHMETIC: dict[str, Any] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "select": np.where,
}
