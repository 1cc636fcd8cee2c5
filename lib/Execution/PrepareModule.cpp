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

#include "shard/IR/ShardingUtils.h"
#include "shard/Models/FoldNumbers.h"
#include "shard/Transforms/Passes.h"
#include "shard/Transforms/Transforms.h"

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
  PassManager passes(module.getContext());
  // By default the inliner canonicalizes, by patterns of which some change what a program
  // computes (shard/Models/Canonicalizations.h).
  passes.addPass(createInlinerPass({}, [](OpPassManager &) {}));
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

/// The op that states the sharding that propagation has given `value`.
static FailureOr<Value> statedSharding(GetShardingOp op,
                                       SymbolTableCollection &symbols) {
  Value value = op.getSource();
  if (auto annotation = value.getDefiningOp<ShardOp>())
    return annotation.getSharding();
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  auto attribute = function && argument.getOwner()->isEntryBlock()
                       ? function.getArgAttrOfType<ShardingAttr>(
                             argument.getArgNumber(), kShardingAttrName)
                       : ShardingAttr();
  OpBuilder builder(op);
  if (attribute) {
    GridOp grid = getGrid(op, attribute.getGrid(), symbols);
    FailureOr<ResolvedSharding> resolved = resolve(
        attribute, grid, value.getType(), [&] { return op.emitError(); });
    FailureOr<Sharding> sharding =
        failed(resolved) ? FailureOr<Sharding>() : toSharding(*resolved);
    if (failed(sharding))
      return failure();
    return Value(buildSharding(builder, op.getLoc(),
                               attribute.getGrid().getValue(), *sharding)
                     .getResult());
  }
  // What has no annotation is replicated.
  auto module = op->getParentOfType<ModuleOp>();
  auto grids = module.getOps<GridOp>();
  if (grids.empty())
    return failure();
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return Value(buildSharding(builder, op.getLoc(),
                             (*grids.begin()).getSymName(),
                             Sharding::replicated(rank))
                   .getResult());
}

LogicalResult execution::answerShardShapes(ModuleOp module,
                                           const SpmdPipelineOptions &options) {
  auto isOpen = [](ShardShapeOp op) {
    return !getShardingOp(op.getSharding());
  };
  WalkResult walk = module.walk([&](ShardShapeOp op) {
    return isOpen(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!walk.wasInterrupted())
    return success();
  // Remarks about the same propagation have been made.
  ScopedDiagnosticHandler quiet(
      module.getContext(), [](Diagnostic &diagnostic) {
        return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
      });
  foldNumbers(module);
  if (failed(annotateShardings(module, options.propagation)))
    return failure();
  SymbolTableCollection symbols;
  SmallVector<GetShardingOp> asked;
  module.walk([&](GetShardingOp op) { asked.push_back(op); });
  for (GetShardingOp op : asked) {
    FailureOr<Value> sharding = statedSharding(op, symbols);
    if (failed(sharding))
      return failure();
    op.getResult().replaceAllUsesWith(*sharding);
    op.erase();
  }
  return success();
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
  expandNegativePadding(module);
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
