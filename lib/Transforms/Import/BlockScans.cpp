//===- BlockScans.cpp - Running sums become scans of blocks ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardOps.h"
#include "shard/Models/Scans.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

namespace shard {

#define GEN_PASS_DEF_SHARDBLOCKSCANS
#include "shard/Transforms/Passes.h.inc"

namespace {

/// More blocks than that are not worth their totals.
constexpr int64_t kMostBlocks = 4096;

/// The number of devices of the largest grid of the module that `op` is in.
int64_t devicesOf(mlir::Operation *op) {
  int64_t most = 1;
  mlir::Operation *module = mlir::SymbolTable::getNearestSymbolTable(op);
  if (!module || module->getNumRegions() != 1)
    return most;
  for (GridOp grid : module->getRegion(0).getOps<GridOp>()) {
    int64_t devices = 1;
    for (int64_t size : grid.getShape())
      devices = mlir::ShapedType::isDynamic(size) || devices > kMostBlocks
                    ? kMostBlocks + 1
                    : devices * size;
    if (devices <= kMostBlocks)
      most = std::max(most, devices);
  }
  return most;
}

struct ShardBlockScansPass
    : public impl::ShardBlockScansBase<ShardBlockScansPass> {
  using ShardBlockScansBase::ShardBlockScansBase;

  void runOnOperation() override {
    mlir::Operation *op = getOperation();
    if (!blockScans(op, blocks == 0 ? devicesOf(op) : int64_t(blocks)))
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
