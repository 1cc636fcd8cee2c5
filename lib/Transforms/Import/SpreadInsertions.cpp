//===- SpreadInsertions.cpp - Insertions with strides become reshapes -----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LargestGrid.h"

#include "shard/Models/Insertions.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shard {

#define GEN_PASS_DEF_SHARDSPREADINSERTIONS
#include "shard/Transforms/Passes.h.inc"

namespace {

struct ShardSpreadInsertionsPass
    : public impl::ShardSpreadInsertionsBase<ShardSpreadInsertionsPass> {
  using ShardSpreadInsertionsBase::ShardSpreadInsertionsBase;

  void runOnOperation() override {
    llvm::SmallVector<int64_t> grid = largestGridAround(getOperation());
    bool changed = !grid.empty() && joinInsertions(getOperation());
    changed |= !grid.empty() && simplifyJoins(getOperation());
    changed |= !grid.empty() && spreadInsertions(getOperation(), grid);
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
