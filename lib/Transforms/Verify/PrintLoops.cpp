//===- PrintLoops.cpp - Show what sharding models say ---------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Transforms/Passes.h"

#include "shard/IR/ShardOps.h"
#include "shard/Interfaces/ShardingInterface.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ParallelCombiningOpInterface.h"
#include "llvm/Support/raw_ostream.h"

namespace shard {

#define GEN_PASS_DEF_SHARDPRINTLOOPS
#include "shard/Transforms/Passes.h.inc"

namespace {

/// Ops that hand tensors on, or say what is sharded, need no model.
bool isForwarding(mlir::Operation *op) {
  return op->getDialect() ==
             op->getContext()->getLoadedDialect<ShardDialect>() ||
         op->hasTrait<mlir::OpTrait::IsTerminator>() ||
         mlir::isa<mlir::CallOpInterface, mlir::RegionBranchOpInterface,
                   mlir::ParallelCombiningOpInterface>(op);
}

struct ShardPrintLoopsPass
    : public impl::ShardPrintLoopsBase<ShardPrintLoopsPass> {
  void runOnOperation() override {
    // One write, so that functions run in parallel do not mix.
    std::string text;
    llvm::raw_string_ostream os(text);
    getOperation()->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      auto model = mlir::dyn_cast<ShardingInterface>(op);
      auto isTensor = [](mlir::Type type) {
        return mlir::isa<mlir::RankedTensorType>(type);
      };
      if (!(llvm::any_of(op->getOperandTypes(), isTensor) ||
            llvm::any_of(op->getResultTypes(), isTensor)) ||
          (!model && isForwarding(op)))
        return;
      os << op->getName() << " at " << op->getLoc() << "\n";
      if (model)
        model.printLoopTypesAndIndexingMaps(os);
      else
        os << "no sharding model: whole tensors\n";
    });
    llvm::errs() << text;
    markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
