//===- WidenHalos.cpp - One exchange of halos for several steps -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/IR/ShardOps.h"
#include "shard/IR/Steps.h"
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
    if (steps < 1 || steps > kMostHaloSteps) {
      getOperation()->emitError()
          << "shard-widen-halos: one exchange of halos serves from 1 to "
          << kMostHaloSteps << " steps of a stencil, not " << uint64_t(steps);
      return signalPassFailure();
    }
    if (!unrollStencils(getOperation(), int64_t(steps)))
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace shard
