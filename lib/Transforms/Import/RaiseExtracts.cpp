//===- RaiseExtracts.cpp - Elements at known places become operands -------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Extracts.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shard {

#define GEN_PASS_DEF_SHARDRAISEEXTRACTS
#include "shard/Transforms/Passes.h.inc"

namespace {

struct ShardRaiseExtractsPass
    : public impl::ShardRaiseExtractsBase<ShardRaiseExtractsPass> {
  void runOnOperation() override {
    if (!raiseExtracts(getOperation()))
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
