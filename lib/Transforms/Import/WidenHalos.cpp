//===- WidenHalos.cpp - One exchange of halos for several steps -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardOps.h"
#include "shard/Models/Stencils.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace shard {

#define GEN_PASS_DEF_SHARDWIDENHALOS
#include "shard/Transforms/Passes.h.inc"

namespace {

struct ShardWidenHalosPass
    : public impl::ShardWidenHalosBase<ShardWidenHalosPass> {
  using ShardWidenHalosBase::ShardWidenHalosBase;

  void runOnOperation() override {
    unrollStencils(getOperation(), int64_t(steps));
  }
};

} // namespace

} // namespace shard
