//===- CheckCount.cpp - Does a program communicate more than it must? -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckCount.h"

#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"

using namespace mlir;
using namespace shard;

std::string shard::fuzz::checkCount(func::FuncOp entry, ModuleOp partitioned) {
  auto most = entry->getAttrOfType<IntegerAttr>("most_collectives");
  if (!most)
    return {};
  auto mostElements = entry->getAttrOfType<IntegerAttr>("most_elements");
  int64_t count = 0, elements = 0;
  std::string names;
  partitioned.walk([&](Operation *op) {
    if (!isCollective(op) || isa<AllSliceOp>(op))
      return;
    ++count;
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          tensor && tensor.hasStaticShape())
        elements += tensor.getNumElements();
    names += " " + op->getName().getStringRef().str();
  });
  if (mostElements && elements > mostElements.getInt())
    return "the collectives of the program need no more than " +
           std::to_string(mostElements.getInt()) + " elements and give " +
           std::to_string(elements);
  if (count <= most.getInt())
    return {};
  return "the program needs no more than " + std::to_string(most.getInt()) +
         " collectives and has" + names;
}
