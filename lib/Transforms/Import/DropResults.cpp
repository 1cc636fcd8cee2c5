//===- DropResults.cpp - Pass shard-drop-results --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Models/UnusedResults.h"
#include "shard/Transforms/Passes.h"

namespace shard {

#define GEN_PASS_DEF_SHARDDROPRESULTS
#include "shard/Transforms/Passes.h.inc"

namespace {

struct ShardDropResultsPass
    : public impl::ShardDropResultsBase<ShardDropResultsPass> {
  void runOnOperation() override {
    if (!dropUnusedResults(getOperation()))
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
