# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The place of the largest or smallest element, of StableHLO, as two plain reductions.

`jnp.argmax` is a reduction of pairs of an element and its place. No collective combines such
pairs, so that a split dimension would be gathered. The place is also the lowest one whose
element is the maximum, or NaN: a maximum and a minimum, which can be split.
"""

from typing import Any

from shard._jax_builder import Builder

# What JAX writes into the body, of the pairs (x, i) and (y, j); `{}` is GT or LT.
_TAKES_X = "or(compare {}(x, y), compare NE(x, x))"
_VALUE = f"select({_TAKES_X}, x, y)"
_PLACE = f"select(or({_TAKES_X}, and(compare EQ(x, y), compare LT(i, j))), i, j)"


def rewrite_extremes(module: Any) -> None:
    """Rewrites them in `module`, of jaxlib's MLIR, in place."""
    from jaxlib.mlir import ir

    found: list[tuple[Any, str]] = []

    def visit(op: Any) -> Any:
        if op.name == "stablehlo.reduce" and (direction := _direction(op)):
            found.append((op, direction))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    with module.context, ir.Location.unknown():
        for op, direction in found:
            op.results[1].replace_all_uses_with(_places(op, direction))
            op.erase()


def _direction(op: Any) -> str | None:
    """GT or LT where `op` finds the place of the largest or smallest element, and no more."""
    dims = list(op.attributes["dimensions"])
    if len(op.operands) != 4 or len(dims) != 1 or list(op.results[0].uses):
        return None
    numbers = op.operands[1].owner
    if getattr(numbers, "name", "") != "stablehlo.iota":
        return None
    if int(numbers.attributes["iota_dimension"].value) != dims[0]:
        return None
    block = op.regions[0].blocks[0]
    names = dict(zip(block.arguments, ["x", "i", "y", "j"], strict=True))
    for inner in block.operations:
        operation = inner.operation
        words = [names.get(operand, "?") for operand in operation.operands]
        if operation.name == "stablehlo.return":
            break
        name = operation.name.removeprefix("stablehlo.")
        if name == "compare":
            name += " " + str(operation.attributes["comparison_direction"]).split()[-1].strip(">")
        names[operation.results[0]] = f"{name}({', '.join(words)})"
    for direction in ("GT", "LT"):
        if words == [_VALUE.format(direction), _PLACE.format(direction)]:
            return direction
    return None


def _places(op: Any, direction: str) -> Any:
    from jaxlib.mlir import ir

    build = Builder(op)
    values, numbers = op.operands[0], op.operands[1]
    shape, element = list(values.type.shape), values.type.element_type
    dim = next(iter(op.attributes["dimensions"]))
    kept = [d for d in range(len(shape)) if d != dim]
    combine = "maximum" if direction == "GT" else "minimum"
    best = build.reduce(combine, values, [dim], init=op.operands[2])
    found = build.compare("EQ", values, build.place(best, kept, shape))
    if isinstance(element, ir.FloatType):
        found = build.binary("or", found, build.compare("NE", values, values))
    integer = numbers.type.element_type
    beyond = build.splat(shape, integer, shape[dim])
    return build.reduce("minimum", build.select(found, numbers, beyond), [dim], shape[dim])
