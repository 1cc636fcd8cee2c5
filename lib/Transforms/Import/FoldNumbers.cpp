//===- FoldNumbers.cpp - Numbers that are computed of constants -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/FoldNumbers.h"
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
    if (!foldNumbers(getOperation()))
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
