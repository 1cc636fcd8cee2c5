//===- RegionLoopsInterface.cpp - Loops that follow from a region ---------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Interfaces/RegionLoopsInterface.h"

using namespace mlir;

namespace shard {

RegionLoopsInterface asRegionLoops(Operation *op) {
  auto loops = dyn_cast<RegionLoopsInterface>(op);
  return loops && loops.hasRegionLoops() ? loops : nullptr;
}

Sharding operandFor(const LoopTable &table, const Sharding &target) {
  const TensorLoops &operand = llvm::getSingleElement(table.operands);
  Sharding result = Sharding::replicated(operand.dims.size());
  for (auto [axes, loops] : llvm::zip_equal(result.dims, operand.dims))
    for (auto [from, other] :
         llvm::zip_equal(target.dims, table.results.front().dims))
      if (!loops.empty() && loops == other)
        axes = from;
  return result;
}

} // namespace shard

#include "shard/Interfaces/RegionLoopsInterface.cpp.inc"
