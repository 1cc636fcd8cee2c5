# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of StableHLO is written otherwise before iree-opt lowers it.

* Converting i1 or unsigned integers to floats: iree-opt moves such a conversion into a
  `linalg.matmul` of mixed types, which takes all integers for signed, so true becomes -1.
* `stablehlo.reverse` of unsigned integers, which iree-opt does not lower.
* `stablehlo.optimization_barrier`, which `jax.checkpoint` leaves: iree-opt has an op of its
  own for it. The values are the same without it.
"""

import re
from pathlib import Path
from typing import Any, NoReturn

from shard._errors import ProgramError
from shard._jax_builder import Builder


def rewrite(module: Any) -> None:
    """Rewrites `module`, of jaxlib's MLIR, in place.

    Raises ProgramError for what no pass can lower.
    """
    from jaxlib.mlir import ir

    barriers: list[Any] = []
    conversions: list[Any] = []
    reversals: list[Any] = []
    unknown: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == "stablehlo.optimization_barrier":
            barriers.append(op)
        elif op.name == "stablehlo.convert":
            conversions.append(op)
        elif op.name == "stablehlo.reverse":
            reversals.append(op)
        elif op.name == "stablehlo.custom_call":
            unknown.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in unknown:
        _reject(op)
    with module.context, ir.Location.unknown():
        for op in barriers:
            for result, operand in zip(op.results, op.operands, strict=True):
                result.replace_all_uses_with(operand)
            op.erase()
        for op in conversions:
            _rewrite_conversion(op)
        for op in reversals:
            _rewrite_reversal(op)


def _reject(op: Any) -> NoReturn:
    target = str(op.attributes["call_target_name"]).strip('"')
    raise ProgramError(
        f"{place_of(op)}: calls the function '{target}' of a library of XLA, which is "
        "not there in other programs; write the function without it"
    )


def place_of(op: Any) -> str:
    """`file:line:column` of the first line of Python outside this package that `op` comes from.

    What JAX puts into functions of its own has the place of their first call.
    """
    for found in re.finditer(r'"([^"<>]+\.py)":(\d+):(\d+)', str(op.location)):
        if Path(found[1]).parent != Path(__file__).parent:
            return ":".join(found.groups())
    function = op.parent
    while function is not None and function.name != "func.func":
        function = function.parent
    if function is None:
        return "unknown place"
    callee = str(function.attributes["sym_name"]).strip('"')
    calls: list[Any] = []

    def visit(other: Any) -> Any:
        if other.name == "func.call" and str(other.attributes["callee"]) == f"@{callee}":
            calls.append(other)
        return ir.WalkResult.ADVANCE

    from jaxlib.mlir import ir

    function.parent.operation.walk(visit)
    return place_of(calls[0]) if calls else "unknown place"


def _rewrite_reversal(op: Any) -> None:
    from jaxlib.mlir import ir

    element = op.operands[0].type.element_type
    if not isinstance(element, ir.IntegerType) or not element.is_unsigned:
        return
    dims = [int(dim) for dim in op.attributes["dimensions"]]
    op.results[0].replace_all_uses_with(Builder(op).reverse(op.operands[0], dims))
    op.erase()


def _rewrite_conversion(op: Any) -> None:
    from jaxlib.mlir import ir

    source, target = op.operands[0].type, op.results[0].type
    kind = str(source.element_type)
    if not isinstance(target.element_type, ir.FloatType):
        return
    if kind == "i1":
        values = [
            ir.Operation.create(
                "stablehlo.constant",
                results=[target],
                attributes={
                    "value": ir.DenseElementsAttr.get_splat(
                        target, ir.FloatAttr.get(target.element_type, value)
                    )
                },
                ip=ir.InsertionPoint(op),
            ).results[0]
            for value in (1.0, 0.0)
        ]
        made = ir.Operation.create(
            "stablehlo.select",
            results=[target],
            operands=[op.operands[0], *values],
            ip=ir.InsertionPoint(op),
            loc=op.location,
        )
    elif kind in ("ui8", "ui16", "ui32"):
        # A signed integer of twice the width holds the same values. The mask changes none of
        # them; without it iree-opt makes one conversion of the two.
        wide = ir.RankedTensorType.get(
            source.shape, ir.IntegerType.get_signless(2 * source.element_type.width)
        )
        widened = ir.Operation.create(
            "stablehlo.convert",
            results=[wide],
            operands=[op.operands[0]],
            ip=ir.InsertionPoint(op),
            loc=op.location,
        )
        mask = ir.Operation.create(
            "stablehlo.constant",
            results=[wide],
            attributes={
                "value": ir.DenseElementsAttr.get_splat(
                    wide,
                    ir.IntegerAttr.get(wide.element_type, 2**source.element_type.width - 1),
                )
            },
            ip=ir.InsertionPoint(op),
        )
        masked = ir.Operation.create(
            "stablehlo.and",
            results=[wide],
            operands=[widened.results[0], mask.results[0]],
            ip=ir.InsertionPoint(op),
            loc=op.location,
        )
        made = ir.Operation.create(
            "stablehlo.convert",
            results=[target],
            operands=[masked.results[0]],
            ip=ir.InsertionPoint(op),
            loc=op.location,
        )
    else:
        return
    op.results[0].replace_all_uses_with(made.results[0])
    op.erase()
