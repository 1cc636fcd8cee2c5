# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of StableHLO that become calls.

A call of a function without a body crosses iree-opt as it is.
"""

from typing import Any


def declare(module: Any, name: str, op: Any) -> None:
    """Adds a private function without a body to `module`, with the types of `op`."""
    from jaxlib.mlir import ir

    types = ir.FunctionType.get(
        [operand.type for operand in op.operands], [result.type for result in op.results]
    )
    ir.Operation.create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get(name),
            "function_type": ir.TypeAttr.get(types),
            "sym_visibility": ir.StringAttr.get("private"),
        },
        regions=1,
        ip=ir.InsertionPoint(module.body),
    )


def replace_by_call(op: Any, name: str) -> None:
    """Calls the function `name` with the operands of `op`, which is erased."""
    from jaxlib.mlir import ir

    call = ir.Operation.create(
        "func.call",
        results=[result.type for result in op.results],
        operands=list(op.operands),
        attributes={"callee": ir.FlatSymbolRefAttr.get(name)},
        ip=ir.InsertionPoint(op),
        loc=op.location,
    )
    for old, new in zip(op.results, call.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()
