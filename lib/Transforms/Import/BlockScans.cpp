//===- BlockScans.cpp - Running sums become scans of blocks ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LargestGrid.h"
#include "shard/IR/ShardOps.h"

#include "shard/Models/Scans.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shard {

#define GEN_PASS_DEF_SHARDBLOCKSCANS
#include "shard/Transforms/Passes.h.inc"

namespace {

/// The number of devices of the largest grid of the module that `op` is in.
int64_t devicesOf(mlir::Operation *op) {
  int64_t devices = 1;
  for (int64_t size : largestGridAround(op))
    devices *= size;
  return devices;
}

struct ShardBlockScansPass
    : public impl::ShardBlockScansBase<ShardBlockScansPass> {
  using ShardBlockScansBase::ShardBlockScansBase;

  void runOnOperation() override {
    mlir::Operation *op = getOperation();
    if (blocks < 0) {
      op->emitError() << "shard-block-scans: blocks is a number from 0 on, not "
                      << int64_t(blocks);
      return signalPassFailure();
    }
    if (!blockScans(op, blocks == 0 ? devicesOf(op) : int64_t(blocks)))
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
