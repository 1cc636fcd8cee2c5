//===- CreatorMerge.h - One constant for equal shardings --------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_TRANSFORMS_EXPORT_CREATORMERGE_H
#define SHARD_LIB_TRANSFORMS_EXPORT_CREATORMERGE_H

#include "Import/CreatorSplit.h"

#include "shard/Propagation/Propagation.h"

#include "llvm/ADT/DenseSet.h"

namespace shard {

/// Merges copies of creators (Import/CreatorSplit.h) that got the same sharding.
class CreatorMerge {
public:
  explicit CreatorMerge(CreatorFamilies families)
      : families(std::move(families)) {}

  /// Lets users of copies with equal shardings use one of them. The others stay
  /// in place, without users, until eraseMerged: the result refers to them.
  void run(const PropagationResult &result);

  /// Whether `op` was merged into another one and is to be left alone.
  bool isMerged(mlir::Operation *op) const { return merged.contains(op); }

  void eraseMerged();

private:
  CreatorFamilies families;
  llvm::DenseSet<mlir::Operation *> merged;
};

} // namespace shard

#endif // SHARD_LIB_TRANSFORMS_EXPORT_CREATORMERGE_H
