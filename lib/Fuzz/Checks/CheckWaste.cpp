//===- CheckWaste.cpp - Collectives that need not be ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass that does less than it should gives programs that are right and send more. Few programs
// say how much they may send; what is looked for here is waste in any program.
//
//===----------------------------------------------------------------------===//

#include "CheckWaste.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace shard;

/// Whether `op` does what `other` does, which stands in front of it in its block.
static bool repeats(Operation *op, Operation *other) {
  return OperationEquivalence::isEquivalentTo(
      op, other, OperationEquivalence::exactValueMatch, nullptr,
      OperationEquivalence::IgnoreLocations);
}

/// Why `op` is waste; empty if it is not.
static std::string reasonOf(Operation *op) {
  if (op->use_empty() && op->getNumResults() > 0)
    return "nothing uses";
  for (Operation *other = op->getPrevNode(); other;
       other = other->getPrevNode())
    if (other->getName() == op->getName() && repeats(op, other))
      return "is done before";
  if (auto slice = dyn_cast<AllSliceOp>(op))
    if (auto gather = slice.getInput().getDefiningOp<AllGatherOp>())
      if (gather.getGridAxes() == slice.getGridAxes() &&
          gather.getGrid() == slice.getGrid() &&
          gather.getInput().getType() == slice.getType() &&
          gather.getGatherAxis() == slice.getSliceAxis())
        return "takes back a gather";
  return {};
}

std::string shard::fuzz::checkWaste(ModuleOp partitioned) {
  std::string text;
  partitioned.walk([&](Operation *op) {
    if (!text.empty() || !isCollective(op) || !isMemoryEffectFree(op))
      return;
    if (std::string reason = reasonOf(op); !reason.empty())
      text = "waste: a " + op->getName().getStringRef().str() + " " + reason;
  });
  return text;
}
