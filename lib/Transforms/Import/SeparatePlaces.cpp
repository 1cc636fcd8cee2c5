//===- SeparatePlaces.cpp - Pass shard-separate-places --------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/Places.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shard {

#define GEN_PASS_DEF_SHARDSEPARATEPLACES
#include "shard/Transforms/Passes.h.inc"

namespace {

struct ShardSeparatePlacesPass
    : public impl::ShardSeparatePlacesBase<ShardSeparatePlacesPass> {
  void runOnOperation() override {
    if (!separatePlaces(getOperation()))
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
