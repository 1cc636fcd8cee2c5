# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scatters of StableHLO of one window at a place that is known.

`x.at[1:-1].set(y)` is a scatter with one constant index in JAX. It becomes a slice and an update of
it, which take as long as the window has elements, and which send no more than its borders. To
compare each element of the window with each of the operand, as `_jax_scatters` does where indices
are data, would take as long as both have elements, multiplied.
"""

import math
from typing import Any

from shard._jax_builder import Builder


def known_window(build: Builder, op: Any, numbers: Any, sizes: list[int], kind: str) -> Any | None:
    """What the scatter `op` gives, if it has one window at a known place.

    `numbers` are its ScatterDimensionNumbers, `sizes` the extents of the window in the operand.
    A window that is not in the operand as a whole changes nothing.
    """
    operand, indices, updates = op.operands
    places = _known(indices)
    scattered = list(numbers.scattered_dims_to_operand_dims)
    is_one = math.prod(updates.type.shape) == math.prod(sizes)
    if places is None or len(places) != len(scattered) or not is_one:
        return None
    starts = [0] * len(sizes)
    for dim, place in zip(scattered, places, strict=True):
        starts[dim] = place
    shape = list(operand.type.shape)
    if any(s < 0 or s + n > e for s, n, e in zip(starts, sizes, shape, strict=True)):
        return operand
    window = build.reshape(updates, sizes)
    if kind != "set":
        window = build.binary(kind, build.part(operand, starts, sizes), window)
    return build.update(operand, window, starts)


def _known(value: Any) -> list[int] | None:
    """The elements of `value`, integers, in order; None if they are not constants."""
    from jaxlib.mlir import ir

    op = value.owner
    name = getattr(op, "name", "").removeprefix("stablehlo.")
    count = math.prod(value.type.shape)
    if name == "constant":
        numbers = ir.DenseElementsAttr(op.attributes["value"])
        if numbers.is_splat:
            return [ir.IntegerAttr(numbers.get_splat_value()).value] * count
        return [int(number) for number in ir.DenseIntElementsAttr(numbers)]
    if name == "concatenate":
        along = int(op.attributes["dimension"].value)
        parts = [_known(operand) for operand in op.operands]
        if value.type.shape[along] != count or any(part is None for part in parts):
            return None
        return [number for part in parts for number in part or []]
    if name not in ("broadcast_in_dim", "convert", "reshape"):
        return None
    source = _known(op.operands[0])
    if source is None or len(source) == count:
        return source
    return source * count if len(source) == 1 else None
