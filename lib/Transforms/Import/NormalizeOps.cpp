//===- NormalizeOps.cpp - Ops in the form that models look for ------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/NormalizeOps.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shard {

#define GEN_PASS_DEF_SHARDNORMALIZEOPS
#define GEN_PASS_DEF_SHARDRAISEELEMENTWISE
#include "shard/Transforms/Passes.h.inc"

namespace {

struct ShardNormalizeOpsPass
    : public impl::ShardNormalizeOpsBase<ShardNormalizeOpsPass> {
  void runOnOperation() override {
    if (!normalizeOps(getOperation()))
      markAllAnalysesPreserved();
  }
};

struct ShardRaiseElementwisePass
    : public impl::ShardRaiseElementwiseBase<ShardRaiseElementwisePass> {
  void runOnOperation() override {
    if (!raiseElementwise(getOperation()))
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
