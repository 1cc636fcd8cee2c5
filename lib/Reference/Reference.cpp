//===- Reference.cpp - The program of one device --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Reference/Reference.h"

#include "UnrollManual.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace shard;

/// Takes shardings that functions hand on out of signatures, calls and returns, where
/// no annotation uses them any more.
static void dropPassedShardings(ModuleOp module) {
  auto isSharding = [](Value value) {
    return isa<ShardingType>(value.getType());
  };
  auto areSharding = [&](ValueRange values) {
    BitVector which;
    for (Value value : values)
      which.push_back(isSharding(value));
    return which;
  };
  SmallVector<func::CallOp> calls;
  module.walk([&](Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    if (!call && !isa<func::ReturnOp>(op))
      return;
    op->eraseOperands(areSharding(op->getOperands()));
    if (call && llvm::any_of(call.getResults(), isSharding))
      calls.push_back(call);
  });
  for (func::CallOp call : calls) {
    OpBuilder builder(call);
    SmallVector<Value> kept;
    llvm::copy_if(call.getResults(), std::back_inserter(kept),
                  [&](Value value) { return !isSharding(value); });
    auto shorter = func::CallOp::create(
        builder, call.getLoc(), call.getCallee(),
        llvm::to_vector(ValueRange(kept).getTypes()), call.getOperands());
    for (auto [before, after] : llvm::zip_equal(kept, shorter.getResults()))
      before.replaceAllUsesWith(after);
    call->erase();
  }
  for (auto function : module.getOps<func::FuncOp>()) {
    BitVector arguments, results;
    for (Type type : function.getArgumentTypes())
      arguments.push_back(isa<ShardingType>(type));
    for (Type type : function.getResultTypes())
      results.push_back(isa<ShardingType>(type));
    (void)function.eraseArguments(arguments);
    (void)function.eraseResults(results);
  }
}

/// Replaces the known sizes of axes that a program asks for by constants.
static void answerGridShapes(ModuleOp module, SymbolTableCollection &symbols) {
  module.walk([&](GridShapeOp op) {
    GridOp grid = getGrid(op, symbols);
    SmallVector<GridAxis> axes(op.getAxes());
    if (grid && axes.empty())
      llvm::append_range(axes, llvm::seq<GridAxis>(0, grid.getRank()));
    if (!grid || llvm::any_of(axes, [&](GridAxis axis) {
          return ShapedType::isDynamic(grid.getShape()[axis]);
        }))
      return;
    OpBuilder builder(op);
    for (auto [result, axis] : llvm::zip_equal(op.getResult(), axes))
      result.replaceAllUsesWith(arith::ConstantIndexOp::create(
          builder, op.getLoc(), grid.getShape()[axis]));
    op->erase();
  });
}

LogicalResult shard::dropShardings(ModuleOp module) {
  module.getContext()->getOrLoadDialect<arith::ArithDialect>();
  SymbolTableCollection symbols;
  answerGridShapes(module, symbols);
  if (failed(expandShardShapes(module, symbols)))
    return failure();
  // Calls of functions with collectives are replaced by what these do.
  SmallVector<func::FuncOp> called;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPrivate() &&
        !SymbolTable::symbolKnownUseEmpty(function, module))
      called.push_back(function);
  auto eraseUncalled = [&] {
    for (size_t before = called.size() + 1; before != called.size();) {
      before = called.size();
      llvm::erase_if(called, [&](func::FuncOp function) {
        if (!SymbolTable::symbolKnownUseEmpty(function, module))
          return false;
        function.erase();
        return true;
      });
    }
  };
  if (failed(reference::unrollManualComputations(module)))
    return failure();
  eraseUncalled();
  if (failed(reference::unrollSpmdFunctions(module)))
    return failure();
  eraseUncalled();
  module.walk([](func::FuncOp function) {
    for (StringRef name : {kShardingAttrName, kLocalAttrName}) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        function.removeArgAttr(i, name);
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        function.removeResultAttr(i,
                                  StringAttr::get(function.getContext(), name));
    }
  });
  // Hints of ops name the grid, which goes.
  module.walk([](Operation *op) {
    op->removeDiscardableAttr(kShardingAttrName);
    op->removeDiscardableAttr(kLoopsAttrName);
  });
  // Annotations before the shardings that they use.
  SmallVector<Operation *> annotations, shardings, grids;
  Operation *foreign = nullptr;
  module.walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() != "shard")
      return;
    if (isa<ShardOp, ConstraintOp, GroupOp>(op))
      annotations.push_back(op);
    else if (isa<ShardingOp, GetShardingOp>(op))
      shardings.push_back(op);
    else if (isa<GridOp>(op))
      grids.push_back(op);
    else if (!foreign)
      foreign = op;
  });
  if (foreign)
    return foreign->emitError(
        "has no meaning on one device; shard-run takes programs before "
        "partition");
  for (Operation *op : annotations) {
    if (op->getNumResults() && op->getResult(0) == op->getOperand(0))
      return op->emitError("takes its own result");
    if (op->getNumResults())
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }
  dropPassedShardings(module);
  for (Operation *op : llvm::reverse(shardings))
    if (op->use_empty())
      op->erase();
  for (Operation *op : grids)
    op->erase();
  return success();
}
