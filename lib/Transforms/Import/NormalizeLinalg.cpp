//===- NormalizeLinalg.cpp - Ops of linalg in one form --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/NormalizeLinalg.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shard {

#define GEN_PASS_DEF_SHARDNORMALIZELINALG
#include "shard/Transforms/Passes.h.inc"

namespace {

struct ShardNormalizeLinalgPass
    : public impl::ShardNormalizeLinalgBase<ShardNormalizeLinalgPass> {
  void runOnOperation() override {
    if (!normalizeLinalg(getOperation()))
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
