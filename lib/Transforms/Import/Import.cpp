//===- Import.cpp - What propagation wants prepared -----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Import.h"

#include "Import/Encodings.h"
#include "Import/ManualBodies.h"
#include "Import/OpHints.h"

#include "shard/IR/ShardingUtils.h"
#include "shard/Interfaces/RegionLoopsInterface.h"
#include "shard/Interfaces/ShardingInterface.h"

using namespace mlir;

namespace shard {

ImportWork::ImportWork(Operation *root) {
  CreatorFinder finder;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto sharding = dyn_cast<ShardingOp>(op))
      shardings.push_back(sharding);
    else if (auto annotation = dyn_cast<ShardOp>(op))
      annotations.push_back(annotation);
    else if (auto computation = dyn_cast<ManualComputationOp>(op))
      computations.push_back(computation);
    else if (finder.add(op))
      creators.push_back(op);
    if (hasShardingEncoding(op))
      encoded.push_back(op);
    if (hasOpHint(op))
      opHints.push_back(op);
  });
}

/// Whether `annotation` is one of a tensor that the iterations of an op share, and splits a
/// dimension along which each iteration writes a part.
static bool splitsBetweenIterations(ShardOp annotation) {
  auto argument = dyn_cast<BlockArgument>(annotation.getSrc());
  ShardingOp sharding = getShardingOp(annotation.getSharding());
  RegionLoopsInterface loops =
      argument && sharding ? asRegionLoops(argument.getOwner()->getParentOp())
                           : nullptr;
  if (!loops)
    return false;
  unsigned first =
      argument.getOwner()->getNumArguments() - loops->getNumResults();
  if (argument.getArgNumber() < first)
    return false;
  LoopTable table = loops.getSharedTensorLoops(argument.getArgNumber() - first);
  return llvm::any_of(
      llvm::zip(sharding.getSplitAxes(), table.results.front().dims),
      [](const auto &dim) {
        auto [axes, indexed] = dim;
        return !axes.empty() && indexed.empty();
      });
}

LogicalResult normalizeAnnotations(ImportWork &work) {
  if (failed(makeShardingsStatic(work.shardings)))
    return failure();
  for (ShardOp annotation : work.annotations)
    if (!isa_and_present<ShardingOp, GetShardingOp>(
            annotation.getSharding().getDefiningOp()))
      return annotation.emitError()
             << "the sharding of this annotation is not known here; state it "
                "by "
                "shard.sharding, or take that of a value by shard.get_sharding";
  startAtAnnotations(work.annotations);
  reshardChains(work.annotations);
  for (ShardOp annotation : work.annotations)
    if (splitsBetweenIterations(annotation))
      annotation.setAnnotateForUsers(true);
  // In reverse order, so that chains vanish.
  for (ShardOp annotation : llvm::reverse(work.annotations))
    if (annotation.getAnnotateForUsers() && annotation->use_empty())
      annotation->erase();
  work.annotations.clear();
  return success();
}

FailureOr<CreatorFamilies> importHints(Operation *root) {
  ImportWork work(root);
  if (!work.encoded.empty()) {
    if (failed(readEncodings(root, work.encoded)))
      return failure();
    work = ImportWork(root);
  }
  if (failed(normalizeAnnotations(work)) || failed(expandOpHints(work.opHints)))
    return failure();
  if (!work.computations.empty()) {
    prepareManualBodies(work.computations);
    // Bodies have creators of their own now.
    work = ImportWork(root);
  }
  return splitCreators(work.creators);
}

} // namespace shard
