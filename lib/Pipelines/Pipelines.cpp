//===- Pipelines.cpp - Named pipelines ------------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Pipelines/Pipelines.h"

#include "shard/Codegen/Passes.h"
#include "shard/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

void shard::buildPropagationPipeline(mlir::OpPassManager &manager,
                                     const SpmdPipelineOptions &options) {
  const PropagationOptions &propagation = options.propagation;
  manager.addPass(createShardFoldNumbers());
  // Both the lowering of tosa and the canonicalizer fold pads.
  manager.addPass(createShardExpandNegativePadding());
  manager.addPass(createShardSeparateStridedPadding());
  if (options.lowerTosa)
    manager.addPass(createShardLowerTosa());
  manager.addPass(createShardNormalizeOps());
  manager.addPass(createShardDropResults());
  manager.addPass(createShardSeparatePlaces());
  manager.addPass(createShardCompleteTiles());
  manager.addPass(createShardRaiseExtracts());
  manager.addPass(createShardBlockScans());
  manager.addPass(createShardSpreadInsertions());
  manager.addPass(createShardExpandReshapes());
  manager.addPass(createShardRaiseElementwise());
  if (options.haloSteps == 0)
    manager.addPass(createShardChooseHaloSteps());
  else
    manager.addPass(createShardWidenHalos({options.haloSteps}));
  manager.addPass(createShardingPropagation(
      {propagation.strategy, propagation.traversal, propagation.uneven,
       propagation.opPriorities, propagation.userPriorities}));
}

void shard::buildSpmdPipeline(mlir::OpPassManager &manager,
                              const SpmdPipelineOptions &options) {
  buildPropagationPipeline(manager, options);
  manager.addPass(createShardPartition({options.partition.globalArguments}));
  buildOptimizeCollectivesPipeline(manager, options.splitParts);
  if (options.overlap) {
    manager.addPass(createShardDecomposeCollectives(
        {options.decomposeMinGain, /*reorderSums=*/true}));
    manager.addPass(createShardOverlapCollectives({options.overlapMinGain}));
  }
}

void shard::buildOptimizeCollectivesPipeline(mlir::OpPassManager &manager,
                                             int64_t splitParts) {
  manager.addPass(createShardSeparateStridedPadding());
  manager.addPass(createShardFoldCollectives());
  manager.addPass(createShardHoistCollectives());
  // What left loops may have a part in common.
  manager.addPass(createShardShareCollectives());
  manager.addPass(createShardMoveCollectives());
  // What moved in front of what a loop changes may leave the loop.
  manager.addPass(createShardHoistCollectives());
  manager.addPass(createShardSinkReductions());
  // Last of those that move: what stands in a branch leaves no loop and meets nothing.
  manager.addPass(createShardSinkCollectives());
  manager.addPass(createShardPackCollectives());
  // What is packed is small.
  manager.addPass(createShardSplitCollectives(
      {/*memory=*/0, splitParts, /*reorderSums=*/true}));
}
