//===- FoldNumbers.cpp - Numbers that are computed of constants -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/FoldNumbers.h"
#include "shard/IR/ShardOps.h"
#include "shard/IR/ShardingUtils.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shard {

#define GEN_PASS_DEF_SHARDFOLDNUMBERS
#include "shard/Transforms/Passes.h.inc"

namespace {

struct ShardFoldNumbersPass
    : public impl::ShardFoldNumbersBase<ShardFoldNumbersPass> {
  void runOnOperation() override {
    // What asks about a sharding that propagation chooses is answered by partition.
    llvm::SmallVector<ShardShapeOp> answered;
    getOperation()->walk([&](ShardShapeOp op) {
      if (getShardingOp(op.getSharding()))
        answered.push_back(op);
    });
    mlir::SymbolTableCollection symbols;
    for (ShardShapeOp op : answered)
      if (failed(expandShardShape(op, symbols)))
        return signalPassFailure();
    if (!foldNumbers(getOperation()) && answered.empty())
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
