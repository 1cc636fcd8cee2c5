//===- PrepareModule.cpp - Passes that a runner may run first -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridProgram.h"

#include "shard/Codegen/Workarounds.h"
#include "shard/Execution/Hints.h"

#include "shard/Transforms/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace shard;

/// Writes the hints on the signature of a private function, which the inliner
/// does not keep, as constraints on the values.
static void expandSignatureHints(func::FuncOp function) {
  OpBuilder builder(function.getContext());
  auto wish = [&](Value value, ShardingAttr hint) {
    return ConstraintOp::create(builder, value.getLoc(), value.getType(), value,
                                hint);
  };
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto hint =
        function.getArgAttrOfType<ShardingAttr>(number, kShardingAttrName);
    if (!hint)
      continue;
    builder.setInsertionPointToStart(&function.front());
    ConstraintOp constraint = wish(argument, hint);
    argument.replaceAllUsesExcept(constraint.getResult(), constraint);
    function.removeArgAttr(number, kShardingAttrName);
  }
  for (unsigned number = 0; number < function.getNumResults(); ++number) {
    auto hint =
        function.getResultAttrOfType<ShardingAttr>(number, kShardingAttrName);
    if (!hint)
      continue;
    function.walk([&](func::ReturnOp returns) {
      builder.setInsertionPoint(returns);
      OpOperand &operand = returns->getOpOperand(number);
      operand.set(wish(operand.get(), hint).getResult());
    });
    function.removeResultAttr(
        number, StringAttr::get(function.getContext(), kShardingAttrName));
  }
}

LogicalResult shard::inlineCalls(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPrivate() && !function.isExternal())
      expandSignatureHints(function);
  // The inliner canonicalizes.
  expandNegativePadding(module);
  PassManager passes(module.getContext());
  passes.addPass(createInlinerPass());
  return passes.run(module);
}

LogicalResult execution::checkConstants(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    if (!hasElidedValue(op))
      return WalkResult::advance();
    op->emitError("has no elements: its dense_resource was elided when the "
                  "program was printed; print it with its resources, or turn "
                  "such constants into arguments by --lift-constants");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult execution::lowerAffineLoops(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) {
    return isa<affine::AffineForOp, affine::AffineIfOp,
               affine::AffineParallelOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (!walk.wasInterrupted())
    return success();
  PassManager passes(module.getContext());
  passes.addPass(createLowerAffinePass());
  return passes.run(module);
}

LogicalResult shard::lowerTosa(ModuleOp module) {
  bool present = false;
  module.walk([&](Operation *op) {
    present |= op->getName().getDialectNamespace() == "tosa";
  });
  if (!present)
    return success();
  expandNegativePadding(module);
  PassManager passes(module.getContext());
  passes.addPass(createShardLowerTosa());
  if (failed(passes.run(module)))
    return failure();
  Operation *left = nullptr;
  module.walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() == "tosa" && !left &&
        !op->use_empty())
      left = op;
  });
  if (left)
    return left->emitError("does not lower to linalg, tensor or arith");
  return success();
}
