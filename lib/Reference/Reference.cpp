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

LogicalResult shard::dropShardings(ModuleOp module) {
  module.getContext()->getOrLoadDialect<arith::ArithDialect>();
  SymbolTableCollection symbols;
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
  for (Operation *op : llvm::reverse(shardings))
    if (op->use_empty())
      op->erase();
  for (Operation *op : grids)
    op->erase();
  return success();
}
