# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The builders of ops, in the package of a compiler with MLIR's bindings: that of jaxlib."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func

import shard

FOLDER = Path(shard.__file__).parents[1] / "bindings" / "dialects"


# A dialect can be registered once in a process.
@pytest.fixture(scope="module")
def dialect():
    modules = {}
    for name in ("_shard_ops_gen", "shard"):
        full = f"jaxlib.mlir.dialects.{name}"
        spec = importlib.util.spec_from_file_location(full, FOLDER / f"{name}.py")
        modules[name] = importlib.util.module_from_spec(spec)
        sys.modules[full] = modules[name]
        spec.loader.exec_module(modules[name])
    return modules["shard"]


def test_a_program_from_builders(dialect):
    with ir.Context() as context, ir.Location.unknown():
        # jaxlib does not have the dialect, only its builders.
        context.allow_unregistered_dialects = True
        module = ir.Module.create()
        tensor = ir.RankedTensorType.get([8, 4], ir.F32Type.get())
        with ir.InsertionPoint(module.body):
            dialect.GridOp("grid", [2])
            function = func.FuncOp("main", ir.FunctionType.get([tensor], [tensor]))
        block = function.add_entry_block()
        with ir.InsertionPoint(block):
            doubled = ir.Operation.create(
                "arith.addf", results=[tensor], operands=[block.arguments[0]] * 2
            )
            func.ReturnOp([doubled.results[0]])
        text = module.operation.get_asm(print_generic_op_form=True)
    assert '"shard.grid"' in text
    program = shard.load(text)
    part = program.partition(None, {0: shard.P(0)})
    assert part.grid == shard.Grid(2)
    x = np.ones((8, 4), np.float32)
    np.testing.assert_array_equal(part(x), x * 2)


def test_all_ops_have_builders(dialect):
    for name in ("AllGatherOp", "AllReduceOp", "ReduceScatterOp", "ShardOp", "ConstraintOp"):
        assert getattr(dialect, name).OPERATION_NAME.startswith("shard.")
