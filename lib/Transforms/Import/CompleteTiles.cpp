//===- CompleteTiles.cpp - Pass shard-complete-tiles ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Tiles.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shard {

#define GEN_PASS_DEF_SHARDCOMPLETETILES
#include "shard/Transforms/Passes.h.inc"

namespace {

struct ShardCompleteTilesPass
    : public impl::ShardCompleteTilesBase<ShardCompleteTilesPass> {
  void runOnOperation() override {
    if (!completeTiles(getOperation()))
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
