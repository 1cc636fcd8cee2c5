//===- Overlap.cpp - Collectives that run beside other ops---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/Overlap.h"

#include "shard/IR/ShardingUtils.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace shard {

bool canStart(Operation *op) {
  return isa<AllGatherOp, AllReduceOp, AllToAllOp, BroadcastOp, PermuteOp,
             ReduceScatterOp, ShiftOp>(op) &&
         isa<RankedTensorType>(op->getOperand(0).getType()) &&
         getElementTypeOrSelf(op->getOperand(0)) ==
             getElementTypeOrSelf(op->getResult(0));
}

bool isStarted(Operation *op) {
  return canStart(op) && !op->use_empty() &&
         llvm::all_of(op->getUses(), [&](OpOperand &use) {
           auto wait = dyn_cast<WaitOp>(use.getOwner());
           return wait && use.getOperandNumber() == 0 &&
                  wait->getBlock() == op->getBlock() &&
                  wait.getInput() == op->getOperand(0);
         });
}

OpFoldResult WaitOp::fold(FoldAdaptor) {
  Operation *source = getValue().getDefiningOp();
  return source && isCollective(source) ? OpFoldResult() : getValue();
}

} // namespace shard
