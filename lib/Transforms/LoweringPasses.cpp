//===- LoweringPasses.cpp - Passes over shard/Partitioning/Lowerings.h ----===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleOrFunctionPass.h"

#include "shard/Partitioning/LocalOps.h"
#include "shard/Partitioning/Lowerings.h"
#include "shard/Transforms/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace shard {

#define GEN_PASS_DEF_SHARDLOWERSLICES
#define GEN_PASS_DEF_SHARDSIMPLIFY
#include "shard/Transforms/Passes.h.inc"

namespace {

struct ShardLowerSlicesPass
    : public ModuleOrFunctionPass<
          impl::ShardLowerSlicesBase<ShardLowerSlicesPass>> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    SymbolTableCollection symbols;
    populateAllOpLoweringPatterns(patterns, symbols);
    populateFoldPatterns(patterns);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns),
                                  GreedyRewriteConfig().enableFolding(false))))
      signalPassFailure();
  }
};

struct ShardSimplifyPass
    : public ModuleOrFunctionPass<impl::ShardSimplifyBase<ShardSimplifyPass>> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    SymbolTableCollection symbols;
    populateSimplificationPatterns(patterns, symbols);
    populateFoldPatterns(patterns);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns),
                                  GreedyRewriteConfig().enableFolding(false))))
      signalPassFailure();
  }
};

} // namespace

} // namespace shard
