//===- PlannedReshards.h - The reshards that partition makes ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_PLANNEDRESHARDS_H
#define SHARD_LIB_TRANSFORMS_PLANNEDRESHARDS_H

#include "shard/IR/ShardOps.h"
#include "shard/Resharding/Plan.h"
#include "shard/Transforms/Transforms.h"

#include "llvm/ADT/DenseSet.h"

namespace shard {

/// What partition notes while it makes a program: values of the program that it reads,
/// which may be gone afterwards.
struct PlannedReshards {
  struct Reshard {
    /// The result of an annotation for users or of another op.
    mlir::Value value;
    mlir::FlatSymbolRefAttr grid;
    /// Of the source of the annotation, or in which the op gives its result.
    Sharding before;
    std::vector<Step> steps;
    /// Whether the planner, asked for one step, makes that step: there may be others of
    /// its cost.
    bool stepsAreApart = true;
  };
  std::vector<Reshard> reshards;
  /// Values that a window may be cut from. Which one is, the partitioner of the op that
  /// reads the window decides, and with it which reshards are made.
  llvm::DenseSet<mlir::Value> searched;
  /// Communication that is no reshard of a value as an annotation states it: where it is
  /// made, and what it is.
  std::vector<std::pair<mlir::Location, std::string>> kept;
};

/// As partitionProgram, which this is with `planned` null.
llvm::LogicalResult partitionProgram(mlir::Operation *root,
                                     const PartitionOptions &options,
                                     PlannedReshards *planned);

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_PLANNEDRESHARDS_H
