//===- CheckCount.cpp - Does a program communicate more than it must? -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCount.h"

#include "shard/Cost/Predict.h"
#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace shard;

std::string shard::fuzz::checkCount(func::FuncOp entry, ModuleOp partitioned) {
  auto most = entry->getAttrOfType<IntegerAttr>("most_collectives");
  if (!most)
    return {};
  int64_t count = 0;
  std::string names;
  partitioned.walk([&](Operation *op) {
    if (!isCollective(op) || isa<AllSliceOp>(op))
      return;
    ++count;
    names += " " + op->getName().getStringRef().str();
  });
  // Of all iterations of a loop.
  CostSum total =
      predictProgram(partitioned.lookupSymbol<func::FuncOp>(entry.getName()))
          .total;
  auto mostBytes = entry->getAttrOfType<IntegerAttr>("most_bytes");
  if (mostBytes && total.bytesSent > mostBytes.getInt())
    return "the collectives of the program need to send no more than " +
           std::to_string(mostBytes.getInt()) + " bytes and send " +
           std::to_string(total.bytesSent);
  auto mostFlops = entry->getAttrOfType<IntegerAttr>("most_flops");
  if (mostFlops && total.flops > mostFlops.getInt())
    return "the program needs no more than " +
           std::to_string(mostFlops.getInt()) +
           " operations of a device and takes " + std::to_string(total.flops);
  if (count <= most.getInt())
    return {};
  return "the program needs no more than " + std::to_string(most.getInt()) +
         " collectives and has" + names;
}

std::string
shard::fuzz::checkCallCount(func::FuncOp entry,
                            const std::vector<runtime::CallRecord> &called) {
  auto most = entry->getAttrOfType<IntegerAttr>("most_calls");
  int64_t count = 0;
  for (const runtime::CallRecord &record : called)
    if (record.kind != "all_slice")
      count += record.count;
  if (!most || count <= most.getInt())
    return {};
  return "the program needs no more than " + std::to_string(most.getInt()) +
         " calls and makes " + std::to_string(count);
}

std::string shard::fuzz::repeatedCollective(ModuleOp module) {
  std::string found;
  module.walk([&](LoopLikeOpInterface loop) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (trips && trips->isZero())
      return;
    for (Region *region : loop.getLoopRegions())
      for (Operation &op : region->getOps())
        if (op.getBlock()->isEntryBlock() && isCollective(&op) &&
            isMemoryEffectFree(&op) &&
            llvm::all_of(op.getOperands(), [&](Value value) {
              return loop.isDefinedOutsideOfLoop(value);
            }))
          found = "a loop repeats a " + op.getName().getStringRef().str();
  });
  return found;
}
