//===- ImportPasses.cpp - Each step of import as a pass -------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/CallSplit.h"
#include "Import/Import.h"
#include "Import/ManualBodies.h"
#include "Import/OpHints.h"
#include "Import/PassedShardings.h"
#include "ModuleOrFunctionPass.h"

#include "shard/Transforms/Passes.h"
#include "shard/Transforms/Transforms.h"

namespace shard {

#define GEN_PASS_DEF_SHARDCLOSEMANUALBODIES
#define GEN_PASS_DEF_SHARDEXPANDOPHINTS
#define GEN_PASS_DEF_SHARDNORMALIZEANNOTATIONS
#define GEN_PASS_DEF_SHARDREADENCODINGS
#define GEN_PASS_DEF_SHARDRESOLVEPASSEDSHARDINGS
#define GEN_PASS_DEF_SHARDSPLITCALLS
#define GEN_PASS_DEF_SHARDSPLITCREATORS
#include "shard/Transforms/Passes.h.inc"

namespace {

struct ShardSplitCallsPass
    : public impl::ShardSplitCallsBase<ShardSplitCallsPass> {
  void runOnOperation() override { splitCalls(getOperation()); }
};

struct ShardResolvePassedShardingsPass
    : public impl::ShardResolvePassedShardingsBase<
          ShardResolvePassedShardingsPass> {
  void runOnOperation() override { resolvePassedShardings(getOperation()); }
};

struct ShardReadEncodingsPass
    : public ModuleOrFunctionPass<
          impl::ShardReadEncodingsBase<ShardReadEncodingsPass>> {
  void runOnOperation() override {
    if (mlir::failed(readEncodings(getOperation())))
      signalPassFailure();
  }
};

struct ShardNormalizeAnnotationsPass
    : public ModuleOrFunctionPass<
          impl::ShardNormalizeAnnotationsBase<ShardNormalizeAnnotationsPass>> {
  void runOnOperation() override {
    ImportWork work(getOperation());
    if (mlir::failed(normalizeAnnotations(work)))
      signalPassFailure();
  }
};

struct ShardExpandOpHintsPass
    : public ModuleOrFunctionPass<
          impl::ShardExpandOpHintsBase<ShardExpandOpHintsPass>> {
  void runOnOperation() override {
    ImportWork work(getOperation());
    if (mlir::failed(expandOpHints(work.opHints)))
      signalPassFailure();
  }
};

struct ShardCloseManualBodiesPass
    : public ModuleOrFunctionPass<
          impl::ShardCloseManualBodiesBase<ShardCloseManualBodiesPass>> {
  void runOnOperation() override {
    prepareManualBodies(ImportWork(getOperation()).computations);
  }
};

struct ShardSplitCreatorsPass
    : public ModuleOrFunctionPass<
          impl::ShardSplitCreatorsBase<ShardSplitCreatorsPass>> {
  void runOnOperation() override {
    splitCreators(ImportWork(getOperation()).creators);
  }
};

} // namespace

} // namespace shard
